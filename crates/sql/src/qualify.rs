//! Makes a text independent of names that can change: adds databases to the names of a query's
//! tables, and replaces calls of functions that users have defined by what they stand for. A stored
//! query, such as that of a view, then means the same whenever it is used.
//!
//! Names of common table expressions are not changed where they are visible. `analyze` finds tables
//! by the same rules: in FROM, on the right side of IN, and in the table function `merge`. As in
//! the reference, a bare name on the right side of IN means a table unless it is an alias of the
//! query.

use std::sync::Arc;

use entasis_base::Position;

use crate::ast::{
    Columns, ColumnsMatcher, Distinct, Expr, ExprKind, FromClause, FromStep, Function, GroupBy,
    Ident, Join, JoinConstraint, Lambda, Literal, OrderByItem, Over, Parameter, Query, Select,
    TableExpr, TableExprKind, TableName, Transformer, WindowSpec, With, WithItem,
};

/// Functions whose second argument may be the name of a table.
const SETS: [&str; 8] = [
    "in",
    "notIn",
    "globalIn",
    "globalNotIn",
    "nullIn",
    "notNullIn",
    "globalNullIn",
    "globalNotNullIn",
];

/// What [`qualify`] has found in a query.
#[derive(Debug, Default)]
pub struct Qualified {
    /// The names of all tables that the query reads, as often as they stand in it.
    pub tables: Vec<TableName>,
    /// Where a query parameter stands for a name (`{name:Identifier}`).
    pub identifier: Option<Position>,
    /// The query parameters that stand for values, each once.
    pub parameters: Vec<Parameter>,
}

/// Writes `database` before the names of tables that stand without one.
pub fn qualify(query: &mut Query, database: &str) -> Qualified {
    let mut walk = Walk { database: Some(database), ..Walk::default() };
    walk.query(query);
    walk.found
}

/// Finds the lambda for which the name of a function stands.
pub type LambdaOf<'a> = &'a dyn Fn(&str) -> Option<Arc<Lambda>>;

/// Replaces the calls of functions that `lambda_of` knows, in a query, by the bodies of their
/// lambdas. The query then means the same after the functions have changed.
pub fn expand_in_query(query: &mut Query, lambda_of: LambdaOf<'_>) {
    Walk { lambda_of: Some(lambda_of), ..Walk::default() }.query(query);
}

/// As [`expand_in_query`], in an expression.
pub fn expand_in_expr(expr: &mut Expr, lambda_of: LambdaOf<'_>) {
    Walk { lambda_of: Some(lambda_of), ..Walk::default() }.expr(expr);
}

/// Answers the new name of a table; `None` if it keeps its name.
pub type NewName<'a> = &'a dyn Fn(&TableName) -> Option<TableName>;

/// Gives the tables that a query names other names. Every name must have its database.
pub fn rename_tables(query: &mut Query, new_name: NewName<'_>) {
    Walk { new_name: Some(new_name), ..Walk::default() }.query(query);
}

/// The most lambdas within each other that are expanded; a call that is deeper stays as it is.
const MOST_NESTED: usize = 100;

#[derive(Default)]
struct Walk<'a> {
    /// What is written before names of tables; `None` leaves them as they are.
    database: Option<&'a str>,
    /// Which tables get other names.
    new_name: Option<NewName<'a>>,
    /// Which calls are replaced by the bodies of lambdas.
    lambda_of: Option<LambdaOf<'a>>,
    /// Names that are replaced by expressions: the parameters of the lambda whose body this is.
    values: Vec<(String, Expr)>,
    /// How many lambdas are being expanded within each other.
    nested: usize,
    /// Names of common table expressions that are visible.
    ctes: Vec<String>,
    /// Aliases of expressions that are visible.
    aliases: Vec<String>,
    found: Qualified,
}

impl Walk<'_> {
    fn query(&mut self, query: &mut Query) {
        let visible = (self.ctes.len(), self.aliases.len());
        match query {
            Query::Select(select) => self.select(select),
            Query::SetOperation(operation) => {
                // All branches see the WITH of the first one.
                if let Some(Query::Select(first)) = operation.branches.first() {
                    self.define(first.with.as_ref());
                }
                operation.branches.iter_mut().for_each(|branch| self.query(branch));
            }
        }
        self.ctes.truncate(visible.0);
        self.aliases.truncate(visible.1);
    }

    fn define(&mut self, with: Option<&With>) {
        for item in with.iter().flat_map(|with| &with.items) {
            match item {
                WithItem::Cte { name, .. } => self.ctes.push(name.name.clone()),
                WithItem::Expr(expr) => self.aliases.extend(alias_of(expr)),
            }
        }
    }

    fn select(&mut self, select: &mut Select) {
        self.define(select.with.as_ref());
        self.aliases.extend(select.projection.iter().filter_map(alias_of));
        if let Some(with) = &mut select.with {
            let recursive = with.recursive;
            with.items.iter_mut().for_each(|item| self.with_item(item, recursive));
        }
        if let Some(Distinct::On(keys)) = &mut select.distinct {
            self.exprs(keys);
        }
        self.exprs(&mut select.projection);
        if let Some(from) = &mut select.from {
            self.from(from);
        }
        let conditions = [
            &mut select.prewhere,
            &mut select.where_clause,
            &mut select.having,
            &mut select.qualify,
            &mut select.limit,
            &mut select.offset,
        ];
        conditions.into_iter().flatten().for_each(|expr| self.expr(expr));
        match &mut select.group_by {
            Some(GroupBy::Exprs(keys) | GroupBy::Rollup(keys) | GroupBy::Cube(keys)) => {
                self.exprs(keys);
            }
            Some(GroupBy::GroupingSets(sets)) => sets.iter_mut().for_each(|keys| self.exprs(keys)),
            Some(GroupBy::All) | None => {}
        }
        select.windows.iter_mut().for_each(|(_, window)| self.window(window));
        self.order(&mut select.order_by.items);
        let interpolated = select.interpolate.iter_mut().flatten();
        interpolated.filter_map(|item| item.expr.as_mut()).for_each(|expr| self.expr(expr));
        if let Some(limit_by) = &mut select.limit_by {
            self.expr(&mut limit_by.limit);
            limit_by.offset.iter_mut().for_each(|expr| self.expr(expr));
            self.exprs(&mut limit_by.by);
        }
    }

    /// A common table expression that is not recursive does not see itself. Inside it, its name
    /// means the one of an outer query, or a table.
    fn with_item(&mut self, item: &mut WithItem, recursive: bool) {
        match item {
            WithItem::Expr(expr) => self.expr(expr),
            WithItem::Cte { name, query, .. } => {
                let own = self.ctes.iter().rposition(|known| !recursive && *known == name.name);
                let own = own.map(|place| (place, std::mem::take(&mut self.ctes[place])));
                self.query(query);
                if let Some((place, name)) = own {
                    self.ctes[place] = name;
                }
            }
        }
    }

    fn from(&mut self, from: &mut FromClause) {
        self.table(&mut from.table);
        for step in &mut from.steps {
            match step {
                FromStep::Join(join) => {
                    let Join { table, constraint, .. } = &mut **join;
                    self.table(table);
                    match constraint {
                        JoinConstraint::On(condition) => self.expr(condition),
                        JoinConstraint::Using(columns) => self.exprs(columns),
                        JoinConstraint::None | JoinConstraint::Natural => {}
                    }
                }
                FromStep::ArrayJoin { exprs, .. } => self.exprs(exprs),
            }
        }
    }

    fn table(&mut self, table: &mut TableExpr) {
        match &mut table.kind {
            TableExprKind::Table(name) => {
                let is_cte = name.database.is_none() && self.ctes.contains(&name.table.name);
                if let Some(new) = self.new_name.and_then(|of| of(name)) {
                    *name = new;
                } else if name.table.parameter {
                    self.found.identifier = Some(table.position);
                } else if let Some(database) = self.database.filter(|_| !is_cte) {
                    name.database.get_or_insert_with(|| Ident::new(database));
                    self.found.tables.push(name.clone());
                }
            }
            TableExprKind::Function(function) => {
                if let Some(database) = self.database
                    && function.name == "merge"
                    && function.args.len() == 1
                {
                    let database = Literal::String(database.as_bytes().to_vec());
                    let position = function.args[0].position;
                    function.args.insert(0, Expr::new(ExprKind::Literal(database), position));
                }
                self.function(function);
            }
            TableExprKind::Subquery(query) | TableExprKind::Lateral(query) => self.query(query),
            TableExprKind::Nested(from) => self.from(from),
        }
    }

    fn exprs(&mut self, exprs: &mut [Expr]) {
        exprs.iter_mut().for_each(|expr| self.expr(expr));
    }

    fn expr(&mut self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Function(function) => {
                self.function(function);
                if let Some(lambda) = self.lambda_of.and_then(|of| of(&function.name)) {
                    self.expand(expr, &lambda);
                }
            }
            ExprKind::Lambda(lambda) => self.in_lambda(lambda),
            ExprKind::Subquery(query) => self.query(query),
            ExprKind::Asterisk(transformers) => self.transformers(transformers),
            ExprKind::QualifiedAsterisk(asterisk) => self.transformers(&mut asterisk.transformers),
            ExprKind::Columns(columns) => {
                let Columns { matcher, transformers, .. } = &mut **columns;
                if let ColumnsMatcher::List(list) = matcher {
                    self.exprs(list);
                }
                self.transformers(transformers);
            }
            ExprKind::Identifier(parts) => {
                if parts.iter().any(|part| part.parameter) {
                    self.found.identifier = Some(expr.position);
                }
                if let [name] = &parts[..]
                    && let Some((_, value)) = self.values.iter().find(|(n, _)| *n == name.name)
                {
                    expr.kind = value.kind.clone();
                }
            }
            ExprKind::Parameter(parameter) => {
                if !self.found.parameters.iter().any(|found| found.name == parameter.name) {
                    self.found.parameters.push(Parameter::clone(parameter));
                }
            }
            ExprKind::Literal(_) => {}
        }
    }

    /// A lambda hides the values of the names of its own parameters.
    fn in_lambda(&mut self, lambda: &mut Lambda) {
        let is_hidden = |(name, _): &(String, Expr)| lambda.params.iter().any(|p| p.name == *name);
        let (hidden, values) = std::mem::take(&mut self.values).into_iter().partition(is_hidden);
        self.values = values;
        self.expr(&mut lambda.body);
        self.values.extend::<Vec<_>>(hidden);
    }

    /// Replaces a call by the body of the lambda that its name stands for. A call with another
    /// number of arguments stays, and the analysis says what is wrong with it.
    fn expand(&mut self, call: &mut Expr, lambda: &Lambda) {
        let ExprKind::Function(function) = &mut call.kind else { return };
        let differs = function.args.len() != lambda.params.len();
        if differs || function.over.is_some() || self.nested >= MOST_NESTED {
            return;
        }
        let args = std::mem::take(&mut function.args).into_iter();
        let values = lambda.params.iter().map(|p| p.name.clone()).zip(args).collect();
        let outer = std::mem::replace(&mut self.values, values);
        self.nested += 1;
        let mut body = lambda.body.clone();
        self.expr(&mut body);
        self.nested -= 1;
        self.values = outer;
        call.kind = body.kind;
    }

    fn function(&mut self, function: &mut Function) {
        function.parameters.iter_mut().for_each(|parameters| self.exprs(parameters));
        self.exprs(&mut function.args);
        if SETS.contains(&function.name.as_str())
            && let [_, Expr { kind: ExprKind::Identifier(parts), .. }] = &mut function.args[..]
        {
            self.set(parts);
        }
        if let Some(Over::Spec(window)) = &mut function.over {
            self.window(window);
        }
    }

    /// A name on the right side of IN.
    fn set(&mut self, parts: &mut Vec<Ident>) {
        if let [name] = &parts[..] {
            let known = |names: &[String]| names.contains(&name.name);
            if name.parameter || known(&self.ctes) || known(&self.aliases) {
                return;
            }
            let Some(database) = self.database else { return };
            parts.insert(0, Ident::new(database));
        }
        if let [database, table] = &parts[..] {
            let name = TableName { database: Some(database.clone()), table: table.clone() };
            if let Some(new) = self.new_name.and_then(|of| of(&name)) {
                *parts = new.database.into_iter().chain([new.table]).collect();
                return;
            }
            self.found.tables.push(name);
        }
    }

    fn window(&mut self, window: &mut WindowSpec) {
        self.exprs(&mut window.partition_by);
        self.order(&mut window.order_by);
    }

    fn order(&mut self, items: &mut [OrderByItem]) {
        for item in items {
            self.expr(&mut item.expr);
            if let Some(fill) = &mut item.fill {
                let bounds = [&mut fill.from, &mut fill.to, &mut fill.step, &mut fill.staleness];
                bounds.into_iter().flatten().for_each(|expr| self.expr(expr));
            }
        }
    }

    fn transformers(&mut self, transformers: &mut [Transformer]) {
        for transformer in transformers {
            match transformer {
                Transformer::Replace { items, .. } => {
                    items.iter_mut().for_each(|(expr, _)| self.expr(expr));
                }
                Transformer::ApplyFunction { parameters, .. } => {
                    parameters.iter_mut().for_each(|parameters| self.exprs(parameters));
                }
                Transformer::ApplyLambda(lambda) => self.in_lambda(lambda),
                Transformer::Except { .. } | Transformer::ExceptRegexp(_) => {}
            }
        }
    }
}

fn alias_of(expr: &Expr) -> Option<String> {
    expr.alias.as_ref().map(|alias| alias.name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FormatOptions, format_query, parse_query};

    fn qualified(text: &str) -> (String, Vec<String>) {
        let mut query = parse_query(text).unwrap();
        let tables = qualify(&mut query, "d").tables;
        let full = |name: &TableName| {
            format!("{}.{}", name.database.as_ref().unwrap().name, name.table.name)
        };
        let options = FormatOptions { one_line: true, ..FormatOptions::default() };
        (format_query(&query, options), tables.iter().map(full).collect())
    }

    #[test]
    fn tables_get_their_database_wherever_they_stand() {
        for (text, expected, tables) in [
            ("SELECT a FROM t", "SELECT a FROM d.t", "d.t"),
            ("SELECT a FROM x.t AS q", "SELECT a FROM x.t AS q", "x.t"),
            (
                "SELECT (SELECT 1 FROM u) FROM t WHERE a IN v AND b IN (SELECT 1 FROM w)",
                "SELECT (SELECT 1 FROM d.u) FROM d.t WHERE (a IN (d.v)) AND (b IN (SELECT 1 FROM d.w))",
                "d.u d.t d.v d.w",
            ),
            (
                "SELECT * FROM merge('^x') ORDER BY (SELECT 1 FROM u) LIMIT 1 BY (SELECT 2 FROM v)",
                "SELECT * FROM merge('d', '^x') ORDER BY (SELECT 1 FROM d.u) ASC LIMIT 1 BY (SELECT 2 FROM d.v)",
                "d.u d.v",
            ),
            (
                "SELECT * REPLACE(a IN u AS a) FROM t JOIN u ON t.a IN v ARRAY JOIN [1 IN w] AS z",
                "SELECT * REPLACE (a IN (d.u) AS a) FROM d.t INNER JOIN d.u ON t.a IN (d.v) ARRAY JOIN [1 IN (d.w)] AS z",
                "d.u d.t d.u d.v d.w",
            ),
        ] {
            let (shown, read) = qualified(text);
            assert_eq!(shown, expected);
            assert_eq!(read.join(" "), tables, "{text}");
        }
    }

    #[test]
    fn parameters_are_found_wherever_they_stand() {
        for text in [
            "SELECT {p:UInt8}",
            "SELECT 1 FROM {p:Identifier}",
            "SELECT {p:Identifier} FROM t",
            "SELECT (SELECT 1 FROM t LIMIT {p:UInt8}) FROM u",
            "SELECT 1 UNION ALL SELECT arrayMap(x -> x + {p:UInt8}, [1])",
            "WITH {p:UInt8} AS n SELECT 1",
        ] {
            let found = qualify(&mut parse_query(text).unwrap(), "d");
            let is_name = text.contains("Identifier");
            assert_eq!(found.identifier.is_some(), is_name, "{text}");
            assert_eq!(found.parameters.len(), usize::from(!is_name), "{text}");
        }
        let mut plain = parse_query("SELECT a, '{p:UInt8}' FROM t WHERE a IN u").unwrap();
        assert!(qualify(&mut plain, "d").parameters.is_empty());
    }

    #[test]
    fn names_of_the_query_itself_stay() {
        for (text, expected) in [
            (
                "WITH t AS (SELECT * FROM t) SELECT * FROM t, (SELECT * FROM t) AS u",
                "WITH t AS (SELECT * FROM d.t) SELECT * FROM t, (SELECT * FROM t) AS u",
            ),
            (
                "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SELECT * FROM t",
                "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SELECT * FROM t",
            ),
            (
                "SELECT * FROM (WITH t AS (SELECT 1) SELECT * FROM t) AS a, t",
                "SELECT * FROM (WITH t AS (SELECT 1) SELECT * FROM t) AS a, d.t",
            ),
            ("WITH [1] AS t SELECT 1 IN t", "WITH [1] AS t SELECT 1 IN (t)"),
            (
                "WITH t AS (SELECT 1) SELECT 1 IN t FROM t UNION ALL SELECT 2 FROM t",
                "WITH t AS (SELECT 1) SELECT 1 IN (t) FROM t UNION ALL SELECT 2 FROM t",
            ),
        ] {
            assert_eq!(qualified(text).0, expected);
        }
    }
}
