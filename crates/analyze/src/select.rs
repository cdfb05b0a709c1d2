//! Resolves one SELECT: its clauses in the order of evaluation, grouping, limits.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::compare::SortOrder;
use entasis_expr::{ColumnId, Expr};
use entasis_function::Operation;
use entasis_sql::ast::{self, ExprKind, GroupBy, Literal, WithItem};
use entasis_types::Value;

use crate::grouping::check_comparable;
use crate::matcher::{is_list, is_untuple};
use crate::order::check_order_by_all;
use crate::query::{
    Body, Count, From, JoinKind, LimitBy, OrderKey, Output, Query, Select, TableScan,
};
use crate::scope::{Cte, Stage};
use crate::subquery::{empty_select, new_query};
use crate::{Analyzer, bind, tree};

/// A result column and the text that it comes from.
struct Item<'a> {
    name: String,
    /// `None` for columns of an asterisk, which are already resolved.
    text: Option<&'a ast::Expr>,
    expr: Option<Expr>,
}

impl<'a> Analyzer<'a> {
    /// Analyses a SELECT in the current scope, which is new.
    pub(crate) fn select(&mut self, s: &'a ast::Select, own_with: bool) -> Result<Query> {
        self.under(&s.settings, |a| a.clauses(s, own_with))
    }

    fn clauses(&mut self, s: &'a ast::Select, own_with: bool) -> Result<Query> {
        refuse(s)?;
        if own_with {
            self.with_clause(s.with.as_ref())?;
        }
        self.collect_all_aliases(s)?;
        let from = match &s.from {
            Some(clause) => self.from_tree(clause)?,
            None => self.no_from(),
        };
        let mut select = empty_select(from);
        select.limits = self.own_limits();
        self.filter(s, &mut select)?;
        let mut items = self.items(&s.projection)?;
        self.group_keys(s, &items)?;
        for item in &mut items {
            item.expr = item.expr.take().map(|expr| self.after_keys(expr));
        }
        self.scope_mut().stage = Stage::Result;
        self.scope_mut().no_aggregates = None;
        self.window_clause(&s.windows)?;
        for item in &mut items {
            if let (Some(text), None) = (item.text, &item.expr) {
                item.expr = Some(self.aliased(text)?);
                item.name = self.title(text)?;
            }
        }
        if items.is_empty() {
            let message = "Empty list of columns in projection";
            return Err(Error::new(codes::EMPTY_LIST_OF_COLUMNS_QUERIED, message).at(s.position));
        }
        if let Some(having) = &s.having {
            let condition = self.aliased(having)?;
            bind::check_condition(&condition, "HAVING").map_err(|e| e.at(having.position))?;
            self.refuse_windows(&condition, "in HAVING").map_err(|e| e.at(having.position))?;
            tree::conjuncts(condition, &mut select.having);
        }
        self.qualify(s, &mut select)?;
        self.order_by(s, &items, &mut select)?;
        self.limit_by(s, &items, &mut select)?;
        self.limits(s, &mut select)?;
        select.distinct = matches!(s.distinct, Some(ast::Distinct::All));
        let mut projection: Vec<Expr> = items.iter().filter_map(|i| i.expr.clone()).collect();
        self.group(s, &mut projection, &mut select)?;
        let names = items.into_iter().map(|i| i.name);
        let outputs = self.outputs(names.collect(), projection, &mut select);
        self.fill_tables(&mut select.from);
        Ok(new_query(Body::Select(Box::new(select)), outputs))
    }

    /// Registers the definitions of WITH.
    pub(crate) fn with_clause(&mut self, with: Option<&'a ast::With>) -> Result<()> {
        let Some(with) = with else { return Ok(()) };
        for item in &with.items {
            match item {
                WithItem::Expr(expr) => self.collect_aliases(expr)?,
                WithItem::Cte { name, columns, query, .. } => {
                    if self.scope().ctes.iter().any(|cte| cte.name == name.as_str()) {
                        let message = format!("CTE with name {} already exists", name.name);
                        let code = codes::MULTIPLE_EXPRESSIONS_FOR_ALIAS;
                        return Err(Error::new(code, message).at(name.position));
                    }
                    let recursive = with.recursive;
                    let cte = Cte { name: name.as_str(), columns, query, recursive };
                    self.scope_mut().ctes.push(cte);
                }
            }
        }
        Ok(())
    }

    fn collect_all_aliases(&mut self, s: &'a ast::Select) -> Result<()> {
        let grouped: Vec<&'a ast::Expr> = match &s.group_by {
            Some(GroupBy::Exprs(keys) | GroupBy::Rollup(keys) | GroupBy::Cube(keys)) => {
                keys.iter().collect()
            }
            Some(GroupBy::GroupingSets(sets)) => sets.iter().flatten().collect(),
            Some(GroupBy::All) | None => Vec::new(),
        };
        let limit_by = s.limit_by.as_ref().map_or(&[][..], |l| &l.by);
        let conditions = [&s.prewhere, &s.where_clause, &s.having, &s.qualify];
        let windows = s.windows.iter().flat_map(|(_, w)| {
            w.partition_by.iter().chain(w.order_by.iter().map(|item| &item.expr))
        });
        let all = s
            .projection
            .iter()
            .chain(conditions.into_iter().flatten())
            .chain(grouped)
            .chain(s.order_by.items.iter().map(|i| &i.expr))
            .chain(limit_by)
            .chain(windows);
        for expr in all {
            self.collect_aliases(expr)?;
        }
        Ok(())
    }

    fn filter(&mut self, s: &'a ast::Select, select: &mut Select) -> Result<()> {
        for (expr, clause) in [(&s.prewhere, "PREWHERE"), (&s.where_clause, "WHERE")] {
            let Some(expr) = expr else { continue };
            self.scope_mut().no_aggregates = Some(clause);
            let condition = self.aliased(expr)?;
            bind::check_condition(&condition, clause).map_err(|e| e.at(expr.position))?;
            let mut conjuncts = Vec::new();
            tree::conjuncts(condition, &mut conjuncts);
            for conjunct in conjuncts {
                match self.merged_scan(&mut select.from, &conjunct) {
                    Some(scan) if clause == "PREWHERE" => scan.prewhere.push(conjunct),
                    _ => select.filter.push(conjunct),
                }
            }
        }
        Ok(())
    }

    /// The first table of FROM, if it has FINAL and the condition reads only its columns.
    fn merged_scan<'f>(&self, from: &'f mut From, condition: &Expr) -> Option<&'f mut TableScan> {
        match from {
            From::Table(scan) if scan.final_ => {
                let mut ids = Vec::new();
                condition.columns(&mut ids);
                let source = &self.scope().sources[scan.source];
                let is_plain = !tree::any(condition, &mut |e| matches!(e, Expr::Correlated { .. }));
                (is_plain && ids.iter().all(|id| source.owns(*id))).then_some(scan)
            }
            From::Join(join) if !matches!(join.kind, JoinKind::Right | JoinKind::Full) => {
                self.merged_scan(&mut join.left, condition)
            }
            _ => None,
        }
    }

    /// The result columns. Asterisks are resolved at once, and the others when they are needed.
    fn items(&mut self, projection: &'a [ast::Expr]) -> Result<Vec<Item<'a>>> {
        let mut items = Vec::with_capacity(projection.len());
        for text in projection {
            match &text.kind {
                ExprKind::Asterisk(_) | ExprKind::QualifiedAsterisk(_) | ExprKind::Columns(_) => {
                    self.scope_mut().stage = Stage::Result;
                    self.scope_mut().no_aggregates = None;
                    let columns = self.expand_matcher(text)?.into_iter();
                    items.extend(columns.map(|(name, e)| Item { name, text: None, expr: Some(e) }));
                }
                ExprKind::Function(f) if is_untuple(f) => {
                    self.scope_mut().stage = Stage::Result;
                    self.scope_mut().no_aggregates = None;
                    let columns = self.untuple(text, f)?.into_iter();
                    items.extend(columns.map(|(name, e)| Item { name, text: None, expr: Some(e) }));
                }
                _ => items.push(Item { name: String::new(), text: Some(text), expr: None }),
            }
        }
        Ok(items)
    }

    /// Resolves the keys of GROUP BY and adds them to the scope.
    fn group_keys(&mut self, s: &'a ast::Select, items: &[Item<'a>]) -> Result<()> {
        let Some(group_by) = &s.group_by else { return Ok(()) };
        self.scope_mut().stage = Stage::Group;
        self.scope_mut().no_aggregates = Some("GROUP BY");
        let grouping = self.grouping(group_by, |a, expr, keys| {
            if let Some(elements) = tree::written_tuple(expr) {
                for arg in elements {
                    add_key(a.aliased(arg)?, keys);
                }
                return Ok(());
            }
            if is_list(expr) {
                let list = a.exprs(std::slice::from_ref(expr))?;
                list.into_iter().for_each(|e| add_key(e, keys));
                return Ok(());
            }
            let key = match a.positional(expr, items.len(), "GROUP BY")? {
                Some(i) => a.item(&items[i])?,
                None => a.aliased(expr)?,
            };
            add_key(key, keys);
            Ok(())
        })?;
        self.scope_mut().grouping = Some(grouping);
        self.forget_aliases();
        Ok(())
    }

    /// The expression of a result column, which is resolved when a clause refers to it by its
    /// number.
    fn item(&mut self, item: &Item<'a>) -> Result<Expr> {
        match (&item.expr, item.text) {
            (Some(expr), _) => Ok(expr.clone()),
            (None, Some(text)) => self.aliased(text),
            (None, None) => Err(Error::logical("a result column without an expression")),
        }
    }

    /// The result column that a number in GROUP BY, ORDER BY or LIMIT BY means.
    fn positional(&self, expr: &ast::Expr, count: usize, clause: &str) -> Result<Option<usize>> {
        if !self.settings.enable_positional_arguments {
            return Ok(None);
        }
        let number = match &expr.kind {
            ExprKind::Literal(Literal::UInt(n)) => i128::from(*n),
            ExprKind::Literal(Literal::Int(n)) => i128::from(*n),
            _ => return Ok(None),
        };
        let place = if number < 0 { count as i128 + 1 + number } else { number };
        if (1..=count as i128).contains(&place) {
            return Ok(Some(place as usize - 1));
        }
        Err(Error::new(
            codes::BAD_ARGUMENTS,
            format!(
                "Positional argument number {number} is out of bounds. Expected in range \
                 [1, {count}] in {clause}"
            ),
        )
        .at(expr.position))
    }

    fn order_by(
        &mut self,
        s: &'a ast::Select,
        items: &[Item<'a>],
        select: &mut Select,
    ) -> Result<()> {
        let fills = s.order_by.items.iter().any(|item| item.fill.is_some());
        let all = s.order_by.all && !self.is_off("enable_order_by_all");
        if all {
            check_order_by_all(&s.projection)?;
        }
        for item in &s.order_by.items {
            let order = SortOrder {
                descending: item.descending,
                nulls_first: item.nulls_first.unwrap_or(false),
            };
            if all {
                for item in items {
                    let expr = self.item(item)?;
                    select.order_by.push(OrderKey { expr, order });
                    select.fill.rules.push(None);
                }
                continue;
            }
            let expr = match self.positional(&item.expr, items.len(), "ORDER BY")? {
                Some(i) => self.item(&items[i])?,
                None => self.order_key(&item.expr)?,
            };
            let expr = self.collated(expr, item)?;
            let rule = match &item.fill {
                Some(_) => Some(self.fill_rule(item, &expr)?),
                None => None,
            };
            let repeated = select.order_by.iter().position(|k| tree::same(&k.expr, &expr));
            if let (Some(at), Some(_)) = (repeated, rule)
                && select.fill.rules[at].is_some()
            {
                let message =
                    "Multiple WITH FILL for identical expressions is not supported in ORDER BY";
                let code = codes::INVALID_WITH_FILL_EXPRESSION;
                return Err(Error::new(code, message).at(item.expr.position));
            }
            if (fills || !matches!(expr, Expr::Literal { .. })) && repeated.is_none() {
                select.order_by.push(OrderKey { expr, order });
                select.fill.rules.push(rule);
            }
        }
        select.fill.by_prefix = self.settings.fill_by_prefix;
        if let (Some(interpolate), true) = (&s.interpolate, fills) {
            let shown = items.iter().filter_map(|i| Some((i.name.as_str(), i.expr.clone()?)));
            let results = shown.collect::<Vec<_>>();
            select.fill.interpolate = self.interpolated(interpolate, &results, &select.order_by)?;
        }
        check_comparable(select.order_by.iter().map(|k| &k.expr), "ORDER BY", self.context)
    }

    fn limit_by(
        &mut self,
        s: &'a ast::Select,
        items: &[Item<'a>],
        select: &mut Select,
    ) -> Result<()> {
        if let Some(ast::Distinct::On(exprs)) = &s.distinct {
            if s.limit_by.is_some() {
                let message = "Can not use DISTINCT ON alongside LIMIT BY";
                return Err(Error::new(codes::SYNTAX_ERROR, message).at(s.position));
            }
            let keys = self.exprs(exprs)?;
            let (offset, limit) = (Count::First(0), Count::First(1));
            let limit_by = LimitBy { keys, offset, limit, distinct_on: true };
            select.limit_by = Some(limit_by);
            return Ok(());
        }
        let Some(limit_by) = &s.limit_by else { return Ok(()) };
        let mut keys = Vec::new();
        if limit_by.all {
            for item in items {
                keys.push(self.item(item)?);
            }
        }
        for expr in &limit_by.by {
            if is_list(expr) {
                keys.extend(self.exprs(std::slice::from_ref(expr))?);
                continue;
            }
            keys.push(match self.positional(expr, items.len(), "LIMIT BY")? {
                Some(i) => self.item(&items[i])?,
                None => self.aliased(expr)?,
            });
        }
        let limit = self.row_count(&limit_by.limit, "LIMIT BY")?;
        let offset = match &limit_by.offset {
            Some(offset) => self.row_count(offset, "OFFSET")?,
            None => Count::First(0),
        };
        if matches!(limit, Count::Share(_)) || matches!(offset, Count::Share(_)) {
            let what = "A fractional LIMIT or OFFSET with LIMIT BY";
            return Err(Error::not_implemented(what).at(limit_by.limit.position));
        }
        select.limit_by = Some(LimitBy { keys, offset, limit, distinct_on: false });
        Ok(())
    }

    fn limits(&mut self, s: &'a ast::Select, select: &mut Select) -> Result<()> {
        if let Some(limit) = &s.limit {
            select.limit = Some(self.row_count(limit, "LIMIT")?);
        }
        if let Some(offset) = &s.offset {
            select.offset = self.row_count(offset, "OFFSET")?;
        }
        let mixed = match (select.limit, select.offset) {
            (Some(Count::Last(_)), Count::Share(_)) => "A negative LIMIT with a fractional OFFSET",
            (Some(Count::Share(_)), Count::Last(_)) => "A fractional LIMIT with a negative OFFSET",
            _ => "",
        };
        if !mixed.is_empty() {
            return Err(Error::not_implemented(mixed).at(s.position));
        }
        select.with_ties = s.limit_with_ties && select.limit.is_some();
        Ok(())
    }

    fn row_count(&mut self, expr: &'a ast::Expr, clause: &str) -> Result<Count> {
        let invalid = |what: &str| {
            Error::new(
                codes::INVALID_LIMIT_EXPRESSION,
                format!("{clause} expression must be constant with numeric type. Actual: {what}"),
            )
            .at(expr.position)
        };
        let text = entasis_sql::column_name(expr);
        let Some((value, ty)) = self.constant(expr)? else { return Err(invalid(&text)) };
        match value {
            Value::UInt(n) if ty.is_native_integer() => Ok(Count::First(n)),
            Value::Int(n) if ty.is_native_integer() => Ok(match n >= 0 {
                true => Count::First(n as u64),
                false => Count::Last(n.unsigned_abs()),
            }),
            Value::Float(f) if f > 0.0 && f < 1.0 => Ok(Count::Share(f)),
            Value::Float(f) if f.fract() == 0.0 && f.abs() < 9e18 => Ok(match f >= 0.0 {
                true => Count::First(f as u64),
                false => Count::Last(f.abs() as u64),
            }),
            _ => Err(invalid(&text)),
        }
    }

    fn outputs(
        &mut self,
        names: Vec<String>,
        exprs: Vec<Expr>,
        select: &mut Select,
    ) -> Vec<Output> {
        let mut outputs = Vec::with_capacity(exprs.len());
        for (name, expr) in names.into_iter().zip(exprs) {
            let ty = expr.ty().clone();
            let id = self.output_id(expr, select);
            outputs.push(Output { id, name: Arc::from(name), ty });
        }
        outputs
    }

    /// The id that an expression has in the projection. A plain column keeps its id.
    fn output_id(&mut self, expr: Expr, select: &mut Select) -> ColumnId {
        let id = match &expr {
            Expr::Column { id, .. } => *id,
            _ => self.new_id(),
        };
        if !select.projection.iter().any(|(i, _)| *i == id) {
            select.projection.push((id, expr));
        }
        id
    }
}

/// Adds a key. The elements of a tuple become separate keys.
fn add_key(key: Expr, keys: &mut Vec<Expr>) {
    match &key {
        Expr::Call { function, args, .. } if function.operation() == Operation::Tuple => {
            args.iter().for_each(|arg| add_key(arg.clone(), keys));
        }
        Expr::Literal { value: Value::Tuple(items), .. } if items.is_empty() => {}
        _ => {
            if !keys.iter().any(|k| tree::same(k, &key)) {
                keys.push(key);
            }
        }
    }
}

/// Refuses clauses that need another clause.
fn refuse(s: &ast::Select) -> Result<()> {
    if s.limit_with_ties && s.order_by.items.is_empty() {
        let message = "Can not use WITH TIES without ORDER BY";
        return Err(Error::new(codes::WITH_TIES_WITHOUT_ORDER_BY, message).at(s.position));
    }
    Ok(())
}
