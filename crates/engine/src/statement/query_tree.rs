//! EXPLAIN QUERY TREE: an analysed query, clause by clause, with resolved names and known types.

use std::fmt::Write;

use entasis_analyze::query::{Body, Count, From, Query, Select, SetKind, Subquery};
use entasis_expr::{ColumnId, Expr};
use entasis_types::Value;

/// The tree as indented lines.
pub(crate) fn lines(query: &Query) -> String {
    let mut printer = Printer { out: String::new(), names: Vec::new() };
    printer.learn(query);
    for subquery in &query.subqueries {
        let (Subquery::Set(_, inner) | Subquery::Scalar(_, inner)) = subquery;
        printer.learn(inner);
        printer.line(0, "SUBQUERY");
        printer.query(inner, 1);
    }
    printer.query(query, 0);
    printer.out
}

struct Printer {
    out: String,
    names: Vec<(ColumnId, String)>,
}

impl Printer {
    /// Collects the names of all columns.
    fn learn(&mut self, query: &Query) {
        match &query.body {
            Body::Select(select) => self.learn_from(&select.from),
            Body::Union(union) => union.branches.iter().for_each(|(branch, _)| self.learn(branch)),
            Body::Recursive(recursive) => {
                self.learn(&recursive.base);
                self.learn(&recursive.step);
            }
        }
        self.names.extend(query.outputs.iter().map(|o| (o.id, o.name.to_string())));
    }

    fn learn_from(&mut self, from: &From) {
        match from {
            From::One(id) => self.names.push((*id, "dummy".to_string())),
            From::Rows { .. } => {}
            From::Table(scan) => {
                self.names.extend(scan.columns.iter().map(|(column, _)| {
                    let whole = &scan.schema.columns[column.position];
                    (column.id, column.name(&whole.name, &whole.ty))
                }));
            }
            From::Subquery(query) | From::Lateral { query, .. } => self.learn(query),
            From::Join(join) => {
                self.learn_from(&join.left);
                self.learn_from(&join.right);
            }
            From::ArrayJoin { input, .. } => self.learn_from(input),
        }
    }

    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", depth * 2);
    }

    fn query(&mut self, query: &Query, depth: usize) {
        match &query.body {
            Body::Select(select) => self.select(query, select, depth),
            Body::Union(union) => {
                let kind = match union.kind {
                    SetKind::Union => "UNION",
                    SetKind::Intersect => "INTERSECT",
                    SetKind::Except => "EXCEPT",
                };
                let distinct = if union.distinct { "DISTINCT" } else { "ALL" };
                self.line(depth, &format!("{kind} is_distinct: {distinct}"));
                union.branches.iter().for_each(|(branch, _)| self.query(branch, depth + 1));
            }
            Body::Recursive(recursive) => {
                self.line(depth, &format!("RECURSIVE {}", recursive.name));
                self.query(&recursive.base, depth + 1);
                self.query(&recursive.step, depth + 1);
            }
        }
    }

    fn select(&mut self, query: &Query, select: &Select, depth: usize) {
        self.line(depth, if select.distinct { "QUERY is_distinct: 1" } else { "QUERY" });
        let at = depth + 1;
        self.line(at, "PROJECTION COLUMNS");
        for output in &query.outputs {
            self.line(at + 1, &format!("{} {}", output.name, output.ty));
        }
        self.clause("PROJECTION", select.projection.iter().map(|(_, e)| e), at);
        self.line(at, "JOIN TREE");
        self.from(&select.from, at + 1);
        self.clause("WHERE", select.filter.iter(), at);
        if let Some(group) = &select.group {
            self.clause("GROUP BY", group.keys.iter().map(|(_, e)| e), at);
            if !group.aggregates.is_empty() {
                self.line(at, "AGGREGATES");
            }
            for call in &group.aggregates {
                let ty = call.function.return_type();
                let text = format!("FUNCTION {}, kind: aggregate, result_type: {ty}", call.name);
                self.line(at + 1, &text);
                call.args.iter().for_each(|arg| self.expr(arg, at + 2));
            }
        }
        self.clause("HAVING", select.having.iter(), at);
        for call in &select.windows {
            self.line(at, &format!("WINDOW FUNCTION {}", call.name));
            call.args.iter().for_each(|arg| self.expr(arg, at + 1));
            self.clause("PARTITION BY", call.window.partition.iter(), at + 1);
            self.clause("ORDER BY", call.window.order.iter().map(|k| &k.expr), at + 1);
        }
        self.clause("QUALIFY", select.qualify.iter(), at);
        if !select.order_by.is_empty() {
            self.line(at, "ORDER BY");
        }
        for key in &select.order_by {
            let direction = if key.order.descending { "DESCENDING" } else { "ASCENDING" };
            self.line(at + 1, &format!("SORT sort_direction: {direction}"));
            self.expr(&key.expr, at + 2);
        }
        if let Some(by) = &select.limit_by {
            self.clause(&format!("LIMIT {} OFFSET {} BY", by.limit, by.offset), by.keys.iter(), at);
        }
        if let Some(limit) = select.limit {
            self.line(at, &format!("LIMIT {limit}"));
        }
        if select.offset != Count::First(0) {
            self.line(at, &format!("OFFSET {}", select.offset));
        }
    }

    fn clause<'e>(&mut self, name: &str, exprs: impl Iterator<Item = &'e Expr>, depth: usize) {
        for (i, expr) in exprs.enumerate() {
            if i == 0 {
                self.line(depth, name);
            }
            self.expr(expr, depth + 1);
        }
    }

    fn from(&mut self, from: &From, depth: usize) {
        match from {
            From::One(_) => self.line(depth, "TABLE table_name: system.one"),
            From::Rows { .. } => self.line(depth, "TABLE of the recursive query"),
            From::Table(scan) => {
                let is_final = if scan.final_ { ", final: 1" } else { "" };
                self.line(depth, &format!("TABLE table_name: {}{is_final}", scan.name));
            }
            From::Subquery(query) | From::Lateral { query, .. } => self.query(query, depth),
            From::Join(join) => {
                let (kind, strictness) = (join.kind, join.strictness);
                self.line(depth, &format!("JOIN kind: {kind:?}, strictness: {strictness:?}"));
                self.from(&join.left, depth + 1);
                self.from(&join.right, depth + 1);
                for (left, right) in &join.keys {
                    self.line(depth + 1, "KEY");
                    self.expr(left, depth + 2);
                    self.expr(right, depth + 2);
                }
                self.clause("CONDITION", join.residual.iter(), depth + 1);
            }
            From::ArrayJoin { input, arrays, left, .. } => {
                self.line(depth, &format!("ARRAY_JOIN is_left: {}", u8::from(*left)));
                self.from(input, depth + 1);
                arrays.iter().for_each(|step| self.expr(&step.array, depth + 1));
            }
        }
    }

    fn expr(&mut self, expr: &Expr, depth: usize) {
        let ty = expr.ty();
        match expr {
            Expr::Column { id, .. } => {
                let name = self.names.iter().find(|(known, _)| known == id);
                let name = name.map_or(format!("#{}", id.0), |(_, name)| name.clone());
                self.line(depth, &format!("COLUMN column_name: {name}, result_type: {ty}"));
            }
            Expr::Literal { value, .. } => {
                let value = constant(value);
                let text = format!("CONSTANT constant_value: {value}, constant_value_type: {ty}");
                self.line(depth, &text);
            }
            Expr::Call { function, args, lambda } => {
                let name = function.name;
                self.line(depth, &format!("FUNCTION function_name: {name}, result_type: {ty}"));
                if let Some(lambda) = lambda {
                    self.line(depth + 1, "LAMBDA");
                    self.expr(&lambda.body, depth + 2);
                }
                args.iter().for_each(|arg| self.expr(arg, depth + 1));
            }
            Expr::And(args, _) => self.several("and", args, depth),
            Expr::Or(args, _) => self.several("or", args, depth),
            Expr::InSet { args, negated, .. } => {
                let name = if *negated { "notIn" } else { "in" };
                self.line(depth, &format!("FUNCTION function_name: {name}, result_type: {ty}"));
                args.iter().for_each(|arg| self.expr(arg, depth + 1));
            }
            Expr::Scalar(_) => self.line(depth, &format!("SCALAR SUBQUERY result_type: {ty}")),
            Expr::Correlated { args, .. } => {
                self.line(depth, &format!("CORRELATED SUBQUERY result_type: {ty}"));
                args.iter().for_each(|arg| self.expr(arg, depth + 1));
            }
        }
    }

    fn several(&mut self, name: &str, args: &[Expr], depth: usize) {
        self.line(depth, &format!("FUNCTION function_name: {name}"));
        args.iter().for_each(|arg| self.expr(arg, depth + 1));
    }
}

/// A constant, with the type of its value before it.
fn constant(value: &Value) -> String {
    let list = |items: &[Value]| items.iter().map(constant).collect::<Vec<_>>().join(", ");
    match value {
        Value::Null => "NULL".to_string(),
        Value::UInt(v) => format!("UInt64_{v}"),
        Value::Int(v) => format!("Int64_{v}"),
        Value::Wide(v) => v.to_string(),
        Value::Huge(v) => v.to_string(),
        Value::Float(v) => format!("Float64_{v}"),
        Value::String(bytes) => entasis_sql::format_string(bytes),
        Value::Variant(_, value) => constant(value),
        Value::Array(items) => format!("Array_[{}]", list(items)),
        Value::Tuple(items) => format!("Tuple_({})", list(items)),
    }
}
