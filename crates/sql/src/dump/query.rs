//! Nodes of queries: SELECT, set operations, FROM.

use super::Node;
use super::expr::{expr, exprs, function, ident, identifier, order_by, window};
use crate::ast::{
    Distinct, FromClause, FromStep, GroupBy, JoinConstraint, Query, Ratio, Select, SetOperation,
    SetOperator, TableExpr, TableExprKind, TableName, With, WithItem,
};

/// A complete query, which is always in a list of branches.
pub(super) fn query(query: &Query) -> Node {
    let branches = match query {
        Query::SetOperation(operation) if operation.operator == SetOperator::Union => {
            let with = leading_with(&operation.branches);
            let mut branches = Vec::new();
            union_branches(operation, with, &mut branches);
            branches
        }
        other => vec![branch(other, None)],
    };
    Node::new("SelectWithUnionQuery", vec![Node::list(branches)])
}

/// The branches of a UNION. A chain of ALL and DISTINCT, which is evaluated from left to right, is
/// one list.
fn union_branches(operation: &SetOperation, with: Option<&With>, out: &mut Vec<Node>) {
    for (i, one) in operation.branches.iter().enumerate() {
        match one {
            Query::SetOperation(inner) if i == 0 && inner.operator == SetOperator::Union => {
                union_branches(inner, with, out);
            }
            other => out.push(branch(other, with)),
        }
    }
}

/// The WITH of a UNION's first branch, which the other branches see too.
fn leading_with(branches: &[Query]) -> Option<&With> {
    match branches.first()? {
        Query::Select(select) => select.with.as_ref(),
        Query::SetOperation(_) => None,
    }
}

/// A query as a subquery.
pub(super) fn subquery(inner: &Query) -> Node {
    Node::new("Subquery", vec![query(inner)])
}

fn branch(branch: &Query, with: Option<&With>) -> Node {
    match branch {
        Query::Select(select) => self::select(select, with),
        Query::SetOperation(operation) => match operation.operator {
            SetOperator::Union => query(branch),
            SetOperator::Intersect => {
                let branches = operation.branches.iter().map(|b| self::branch(b, None));
                Node::new("SelectIntersectExceptQuery", branches.collect())
            }
            SetOperator::Except => except(operation),
        },
    }
}

/// A chain of EXCEPT is evaluated from left to right: each step has the steps before it as a single
/// query.
fn except(operation: &SetOperation) -> Node {
    let mut branches = operation.branches.iter().map(|b| branch(b, None));
    let Some(mut left) = branches.next() else { return Node::list(Vec::new()) };
    for right in branches {
        let whole = Node::new("SelectWithUnionQuery", vec![Node::list(vec![left])]);
        left = Node::new("SelectIntersectExceptQuery", vec![whole, right]);
    }
    left
}

fn select(select: &Select, inherited: Option<&With>) -> Node {
    let mut children = Vec::new();
    children.extend(select.with.as_ref().map(with));
    children.push(exprs(&select.projection));
    children.extend(select.from.as_ref().map(tables));
    children.extend(select.prewhere.as_ref().map(expr));
    children.extend(select.where_clause.as_ref().map(expr));
    children.extend(select.group_by.as_ref().and_then(group_by));
    children.extend(select.having.as_ref().map(expr));
    if !select.windows.is_empty() {
        let element = |spec| Node::new("WindowListElement", vec![window(spec)]);
        let windows = select.windows.iter().map(|(_, spec)| element(spec));
        children.push(Node::list(windows.collect()));
    }
    children.extend(select.qualify.as_ref().map(expr));
    if select.order_by.all {
        let all = Node::new("OrderByElement", vec![identifier("all")]);
        children.push(Node::list(vec![all]));
    } else if !select.order_by.items.is_empty() {
        children.push(order_by(&select.order_by.items));
    }
    if let Some(items) = &select.interpolate {
        let element = |item: &crate::ast::Interpolate| {
            let value = expr(item.expr.as_ref().unwrap_or(&item.column));
            let name = crate::column_name(&item.column);
            Node::new(format!("InterpolateElement (column {name})"), vec![value])
        };
        children.push(Node::list(items.iter().map(element).collect()));
    }
    limits(select, &mut children);
    if !select.settings.is_empty() {
        children.push(Node::leaf("Set"));
    }
    if select.with.is_none() {
        children.extend(inherited.map(with));
    }
    Node::new("SelectQuery", children)
}

/// LIMIT BY and LIMIT; DISTINCT ON is a LIMIT 1 BY.
fn limits(select: &Select, children: &mut Vec<Node>) {
    if let Some(limit) = &select.limit_by {
        children.extend(limit.offset.as_ref().map(expr));
        children.push(expr(&limit.limit));
        if !limit.all {
            children.push(exprs(&limit.by));
        }
    }
    if let Some(Distinct::On(by)) = &select.distinct {
        children.push(super::expr::number(1));
        children.push(exprs(by));
    }
    children.extend(select.offset.as_ref().map(expr));
    children.extend(select.limit.as_ref().map(expr));
}

fn with(with: &With) -> Node {
    let item = |item: &WithItem| match item {
        WithItem::Expr(value) => expr(value),
        WithItem::Cte { query, columns, .. } => {
            let mut children = vec![subquery(query)];
            if !columns.is_empty() {
                children.push(Node::list(columns.iter().map(ident).collect()));
            }
            Node::new("WithElement", children)
        }
    };
    Node::list(with.items.iter().map(item).collect())
}

fn group_by(group_by: &GroupBy) -> Option<Node> {
    match group_by {
        GroupBy::All => None,
        GroupBy::Exprs(items) | GroupBy::Rollup(items) | GroupBy::Cube(items) => Some(exprs(items)),
        GroupBy::GroupingSets(sets) => {
            Some(Node::list(sets.iter().map(|set| exprs(set)).collect()))
        }
    }
}

fn tables(from: &FromClause) -> Node {
    let element = |children| Node::new("TablesInSelectQueryElement", children);
    let mut elements = vec![element(vec![table(&from.table)])];
    for step in &from.steps {
        elements.push(match step {
            FromStep::Join(join) => {
                let condition = match &join.constraint {
                    JoinConstraint::On(condition) => vec![expr(condition)],
                    JoinConstraint::Using(names) => vec![exprs(names)],
                    JoinConstraint::None | JoinConstraint::Natural => Vec::new(),
                };
                element(vec![table(&join.table), Node::new("TableJoin", condition)])
            }
            FromStep::ArrayJoin { exprs: arrays, .. } => {
                element(vec![Node::new("ArrayJoin", vec![exprs(arrays)])])
            }
        });
    }
    Node::new("TablesInSelectQuery", elements)
}

/// A table of FROM, or what DESCRIBE describes.
pub(super) fn table(table: &TableExpr) -> Node {
    let mut inner = match &table.kind {
        TableExprKind::Table(name) => table_name(name),
        TableExprKind::Function(call) => function(call),
        TableExprKind::Subquery(query) | TableExprKind::Lateral(query) => subquery(query),
        TableExprKind::Nested(from) => nested(from),
    };
    if let Some(alias) = &table.alias {
        inner.name = format!("{} (alias {})", inner.name, alias.name);
    }
    let mut children = vec![inner];
    if !table.column_aliases.is_empty() {
        children.push(Node::list(table.column_aliases.iter().map(ident).collect()));
    }
    if let Some(sample) = &table.sample {
        children.push(ratio(&sample.size));
        children.extend(sample.offset.as_ref().map(ratio));
    }
    Node::new("TableExpression", children)
}

pub(super) fn table_name(name: &TableName) -> Node {
    Node::leaf(format!("TableIdentifier {}", full_name(name)))
}

/// `db.t`, or `t`.
pub(super) fn full_name(name: &TableName) -> String {
    match &name.database {
        Some(database) => format!("{}.{}", database.name, name.table.name),
        None => name.table.name.clone(),
    }
}

/// Joins in parentheses are a subquery that selects everything.
fn nested(from: &FromClause) -> Node {
    let select =
        Node::new("SelectQuery", vec![Node::list(vec![Node::leaf("Asterisk")]), tables(from)]);
    let query = Node::new("SelectWithUnionQuery", vec![Node::list(vec![select])]);
    Node::new("Subquery", vec![query])
}

fn ratio(ratio: &Ratio) -> Node {
    Node::leaf(match ratio.denominator {
        1 => format!("SampleRatio {}", ratio.numerator),
        below => format!("SampleRatio {} / {below}", ratio.numerator),
    })
}

/// Database and table as nodes of their own.
pub(super) fn name_nodes(name: &TableName) -> Vec<Node> {
    let mut nodes: Vec<Node> = name.database.iter().map(ident).collect();
    nodes.push(identifier(&name.table.name));
    nodes
}
