//! EXPLAIN: describes each node of a plan.

use crate::physical::{
    Aggregate, AggregateAlgorithm, ArrayJoin, Bound, Distinct, Filter, Limit, LimitBy, LimitTies,
    Project, Scan, Sort, Totals, Values,
};
use std::fmt::Write;
use std::sync::Arc;

use entasis_analyze::Query;
use entasis_analyze::query::{Body, From};
use entasis_expr::{ColumnId, Expr};
use entasis_table_api::{ScanColumn, ScanSpec, Schema, Snapshot};
use entasis_types::{DataType, Value};

use crate::explain_tree::inputs;
use crate::{AsofKey, Band, BandEnd, Join, JoinAlgorithm, Plan, QueryPlan, SortKey, Window};

/// How the addresses of rows are called, which no query can name.
const ADDRESS: &str = "(address)";

/// The names and types of a query's columns.
#[derive(Default)]
struct Names {
    columns: Vec<(ColumnId, String, DataType)>,
    tables: Vec<(Arc<dyn Snapshot>, Arc<Schema>)>,
}

impl Names {
    /// Adds the subcolumns that the planner reads instead of columns.
    fn add_parts(&mut self, plan: &Plan) {
        match plan {
            Plan::Scan(Scan { table, spec, types, .. }) => {
                for column in &spec.columns {
                    let ty = types.iter().find(|(id, _)| *id == column.id).map(|(_, ty)| ty);
                    ty.into_iter().for_each(|ty| self.add_part(table, column, ty));
                }
            }
            Plan::Fetch(fetch) => {
                fetch.columns.iter().for_each(|(c, ty)| self.add_part(&fetch.table, c, ty));
            }
            _ => {}
        }
        inputs(plan).into_iter().for_each(|input| self.add_parts(input));
    }

    fn add_part(&mut self, table: &Arc<dyn Snapshot>, column: &ScanColumn, ty: &DataType) {
        let known = self.tables.iter().find(|(of, _)| Arc::ptr_eq(of, table));
        let Some((_, schema)) = known else { return };
        if self.columns.iter().any(|(id, _, _)| *id == column.id) {
            return;
        }
        let name = match schema.columns.get(column.position) {
            Some(whole) => column.name(&whole.name, &whole.ty),
            None => ADDRESS.to_string(),
        };
        self.columns.push((column.id, name, ty.clone()));
    }
}

fn collect_query(query: &Query, names: &mut Names) {
    match &query.body {
        Body::Select(select) => collect_from(&select.from, names),
        Body::Recursive(recursive) => {
            collect_query(&recursive.base, names);
            collect_query(&recursive.step, names);
        }
        Body::Union(union) => union.branches.iter().for_each(|(q, _)| collect_query(q, names)),
    }
    names.columns.extend(query.outputs.iter().map(|o| (o.id, o.name.to_string(), o.ty.clone())));
}

fn collect_from(from: &From, names: &mut Names) {
    match from {
        From::One(_) | From::Rows { .. } => {}
        From::Table(scan) => {
            names.tables.push((Arc::clone(&scan.snapshot), Arc::clone(&scan.schema)));
            names.columns.extend(scan.columns.iter().map(|(column, ty)| {
                let whole = &scan.schema.columns[column.position];
                (column.id, column.name(&whole.name, &whole.ty), ty.clone())
            }));
        }
        From::Subquery(query) | From::Lateral { query, .. } => collect_query(query, names),
        From::Join(join) => {
            collect_from(&join.left, names);
            collect_from(&join.right, names);
        }
        From::ArrayJoin { input, .. } => collect_from(input, names),
    }
}

/// Describes nodes, naming columns as the query does.
pub(crate) struct Printer {
    names: Vec<(ColumnId, String, DataType)>,
}

impl Printer {
    /// A printer for a plan of this query.
    pub(crate) fn of(plan: &QueryPlan, query: &Query) -> Self {
        let mut names = Names::default();
        collect_query(query, &mut names);
        for subquery in &query.subqueries {
            let (entasis_analyze::query::Subquery::Set(_, inner)
            | entasis_analyze::query::Subquery::Scalar(_, inner)) = subquery;
            collect_query(inner, &mut names);
        }
        names.add_parts(&plan.root);
        plan.subqueries.iter().for_each(|subquery| names.add_parts(&subquery.plan().root));
        Self { names: names.columns }
    }

    /// The type of a column in the query; `None` if the column has no name there.
    pub(crate) fn type_of(&self, id: ColumnId) -> Option<String> {
        self.names.iter().find(|(i, _, _)| *i == id).map(|(_, _, ty)| ty.to_string())
    }

    fn scan(&self, name: &str, spec: &ScanSpec) -> String {
        let mut text = format!("ReadFrom {name} [{}]", self.ids(&spec.outputs));
        if !spec.filter.is_empty() {
            let _ = write!(text, " filter: {}", self.exprs(&spec.filter, " AND "));
        }
        if let Some(limit) = spec.limit {
            let _ = write!(text, " limit: {limit}");
        }
        if spec.final_ {
            text.push_str(" final");
        }
        if spec.sorted_prefix > 0 {
            let _ = write!(text, " in order of key columns: {}", spec.sorted_prefix);
        }
        if !spec.runtime.is_empty() {
            let ids: Vec<ColumnId> = spec.runtime.iter().map(|r| r.column).collect();
            let _ = write!(text, " threshold: {}", self.ids(&ids));
        }
        text
    }

    fn slice(&self, slice: &crate::Slice) -> String {
        let mut text = format!("Slice offset: {}", slice.offset);
        if let Some(limit) = slice.limit {
            let _ = write!(text, " limit: {limit}");
        }
        if !slice.by.is_empty() {
            let _ = write!(text, " by: {}", self.ids(&slice.by));
        }
        if !slice.ties.is_empty() {
            let _ = write!(text, " with ties: {}", self.ids(&slice.ties));
        }
        text
    }

    /// Describes nodes of rarely used clauses.
    fn rare(&self, plan: &Plan) -> String {
        match plan {
            Plan::Rows(_) => format!("Rows [{}]", self.ids(&plan.outputs())),
            Plan::LimitTies(LimitTies { offset, limit, keys, .. }) => {
                format!("Limit offset: {offset} limit: {limit} with ties: {}", self.ids(keys))
            }
            Plan::Bound(Bound { most, what, .. }) => {
                let mode = match most.overflow {
                    crate::Overflow::Throw => "",
                    crate::Overflow::Break => " break",
                    crate::Overflow::Any => " any",
                };
                format!("Bound {what:?} {most}{mode}")
            }
            Plan::Totals(Totals { calls, .. }) => {
                let calls: Vec<String> =
                    calls.iter().map(|c| format!("{}({})", c.name, self.ids(&c.args))).collect();
                format!("Totals [{}]", calls.join(", "))
            }
            Plan::OrElse(_) => "OrElse".to_string(),
            Plan::Fetch(fetch) => {
                let ids: Vec<ColumnId> = fetch.columns.iter().map(|(c, _)| c.id).collect();
                format!("Fetch {} [{}]", fetch.name, self.ids(&ids))
            }
            Plan::Slice(slice) => self.slice(slice),
            Plan::Fill(fill) => {
                let columns: Vec<ColumnId> = fill.columns.iter().map(|(id, _)| *id).collect();
                format!("Filling [{}]", self.ids(&columns))
            }
            Plan::Window(window) => self.window(window),
            Plan::Recursive(recursive) => {
                format!("Recursive {} [{}]", recursive.name, self.ids(&plan.outputs()))
            }
            Plan::ArrayJoin(ArrayJoin { arrays, left, .. }) => {
                let arrays: Vec<String> = arrays
                    .iter()
                    .map(|(from, to)| format!("{} -> {}", self.name(*from), self.name(*to)))
                    .collect();
                let side = if *left { "Left" } else { "Inner" };
                format!("ArrayJoin {side} [{}]", arrays.join(", "))
            }
            _ => String::new(),
        }
    }

    fn window(&self, window: &Window) -> String {
        let order: Vec<String> = window.order.iter().map(|k| self.key(k)).collect();
        let mut calls = Vec::with_capacity(window.calls.len());
        for call in &window.calls {
            let mut text = format!("{}({})", call.name, self.ids(&call.args));
            if call.order < order.len() && !call.frame.is_partition() {
                let _ = write!(text, " over the first {} of the order", call.order);
            }
            if !call.frame.is_default {
                let _ = write!(text, " {}", call.frame);
            }
            calls.push(text);
        }
        format!(
            "Window partition: [{}] order: [{}] [{}]",
            self.ids(&window.partition),
            order.join(", "),
            calls.join(", ")
        )
    }

    pub(crate) fn line(&self, plan: &Plan) -> String {
        match plan {
            Plan::Values(Values { chunk, .. }) => {
                format!("Values [{}] rows: {}", self.ids(&plan.outputs()), chunk.rows)
            }
            Plan::Scan(Scan { table, name, spec, .. }) => {
                self.scan(table.projection().unwrap_or(name), spec)
            }
            Plan::Filter(Filter { predicates, .. }) => {
                format!("Filter {}", self.exprs(predicates, " AND "))
            }
            Plan::Project(Project { exprs, .. }) => {
                let parts: Vec<String> =
                    exprs.iter().map(|(id, e)| self.definition(*id, e)).collect();
                format!("Expression [{}]", parts.join(", "))
            }
            Plan::Aggregate(Aggregate { keys, calls, limit, algorithm, .. }) => {
                let calls: Vec<String> =
                    calls.iter().map(|c| format!("{}({})", c.name, self.ids(&c.args))).collect();
                let mut text =
                    format!("Aggregating keys: [{}] [{}]", self.ids(keys), calls.join(", "));
                if let AggregateAlgorithm::InOrder { by, runs } = algorithm {
                    let _ = write!(text, " in order of: {}", self.ids(by));
                    text.push_str(if *runs { "" } else { " (hashed)" });
                }
                limit_text(&mut text, *limit);
                text
            }
            Plan::Distinct(Distinct { limit, .. }) => {
                let mut text = "Distinct".to_string();
                limit_text(&mut text, *limit);
                text
            }
            Plan::Sort(Sort { keys, limit, .. }) => {
                let keys: Vec<String> = keys.iter().map(|k| self.key(k)).collect();
                let mut text = format!("Sorting [{}]", keys.join(", "));
                limit_text(&mut text, *limit);
                text
            }
            Plan::Limit(Limit { offset, limit, .. }) => {
                let mut text = "Limit".to_string();
                if *offset > 0 {
                    let _ = write!(text, " offset: {offset}");
                }
                limit_text(&mut text, *limit);
                text
            }
            Plan::LimitBy(LimitBy { keys, offset, limit, .. }) => {
                format!("LimitBy [{}] offset: {offset} limit: {limit}", self.ids(keys))
            }
            Plan::Union(_) => format!("Union [{}]", self.ids(&plan.outputs())),
            Plan::Join(join) => self.join(join),
            other => self.rare(other),
        }
    }

    fn join(&self, join: &Join) -> String {
        let keys: Vec<String> = join
            .keys
            .iter()
            .map(|(l, r)| format!("{} = {}", self.name(*l), self.name(*r)))
            .collect();
        let mut text = format!("Join {:?} {:?} [{}]", join.kind, join.strictness, keys.join(", "));
        if let Some(AsofKey { left, right, inequality }) = &join.closest {
            let (left, right) = (self.name(*left), self.name(*right));
            let _ = write!(text, " closest: {left} {inequality:?} {right}");
        }
        self.algorithm(&mut text, &join.algorithm);
        if let Some(rows) = join.left_first {
            let _ = write!(text, ", left side first up to {rows} rows");
        }
        if let Some(residual) = &join.residual {
            let _ = write!(text, " where: {}", self.expr(residual));
        }
        text
    }

    /// The algorithm of a join, unless it is a hash table.
    fn algorithm(&self, text: &mut String, algorithm: &JoinAlgorithm) {
        match algorithm {
            JoinAlgorithm::Hash => {}
            JoinAlgorithm::Direct => text.push_str(" direct"),
            JoinAlgorithm::Lookup => text.push_str(" direct by keys"),
            JoinAlgorithm::Merge(merging) => {
                text.push_str(" by merging");
                match (merging.left_in_order, merging.right_in_order) {
                    (true, true) => text.push_str(", both in order"),
                    (true, false) => text.push_str(", left in order"),
                    (false, true) => text.push_str(", right in order"),
                    (false, false) => {}
                }
                if !merging.ranges.is_empty() {
                    let _ = write!(text, ", ranges: {}", merging.ranges.len());
                }
            }
            JoinAlgorithm::Alternatives(lists) => {
                let list = |list: &Vec<(ColumnId, ColumnId)>| {
                    let pairs = list.iter().map(|(l, r)| self.compared(*r, "=", *l));
                    pairs.collect::<Vec<_>>().join(" AND ")
                };
                let lists: Vec<String> = lists.iter().map(list).collect();
                let _ = write!(text, " alternatives: [{}]", lists.join("] OR ["));
            }
            JoinAlgorithm::Band(Band { by, below, above, reach }) => {
                let end = |column: ColumnId, end: &BandEnd, [open, closed]: [&str; 2]| {
                    self.compared(column, if end.inclusive { closed } else { open }, end.column)
                };
                let above = above.iter().map(|of| end(*by, of, [">", ">="]));
                let below = below.iter().map(|of| end(*by, of, ["<", "<="]));
                let reach = reach.iter().map(|(id, of)| end(*id, of, [">", ">="]));
                let ends: Vec<String> = above.chain(below).chain(reach).collect();
                let _ = write!(text, " band: {}", ends.join(" AND "));
            }
        }
    }

    fn compared(&self, left: ColumnId, operator: &str, right: ColumnId) -> String {
        format!("{} {operator} {}", self.name(left), self.name(right))
    }

    pub(crate) fn key(&self, key: &SortKey) -> String {
        let direction = if key.order.descending { " DESC" } else { "" };
        let nulls = if key.order.nulls_first { " NULLS FIRST" } else { "" };
        format!("{}{direction}{nulls}", self.name(key.column))
    }

    pub(crate) fn definition(&self, id: ColumnId, expr: &Expr) -> String {
        match expr {
            Expr::Column { id: from, .. } if *from == id => self.name(id),
            other => format!("{} := {}", self.name(id), self.expr(other)),
        }
    }

    fn ids(&self, ids: &[ColumnId]) -> String {
        ids.iter().map(|id| self.name(*id)).collect::<Vec<_>>().join(", ")
    }

    pub(crate) fn name(&self, id: ColumnId) -> String {
        match self.names.iter().find(|(i, _, _)| *i == id) {
            Some((_, name, _)) => name.clone(),
            None => format!("#{}", id.0),
        }
    }

    fn exprs(&self, exprs: &[Expr], separator: &str) -> String {
        exprs.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(separator)
    }

    pub(crate) fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Column { id, .. } => self.name(*id),
            Expr::Literal { value, .. } => literal(value),
            Expr::Call { function, args, lambda } => {
                let mut parts = Vec::new();
                if let Some(lambda) = lambda {
                    let params: Vec<ColumnId> = lambda.params.iter().map(|(id, _)| *id).collect();
                    parts.push(format!("({}) -> {}", self.ids(&params), self.expr(&lambda.body)));
                }
                parts.extend(args.iter().map(|a| self.expr(a)));
                format!("{}({})", function.name, parts.join(", "))
            }
            Expr::And(args, _) => format!("({})", self.exprs(args, " AND ")),
            Expr::Or(args, _) => format!("({})", self.exprs(args, " OR ")),
            Expr::InSet { args, set, negated, .. } => {
                let size =
                    set.set.get().map_or("subquery".into(), |s| format!("{} values", s.len()));
                let not = if *negated { "NOT " } else { "" };
                format!("{} {not}IN ({size})", self.exprs(args, ", "))
            }
            Expr::Scalar(slot) => format!("scalar {}", slot.ty),
            Expr::Correlated { args, .. } => format!("subquery({})", self.exprs(args, ", ")),
        }
    }
}

fn limit_text(text: &mut String, limit: Option<u64>) {
    if let Some(limit) = limit {
        let _ = write!(text, " limit: {limit}");
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_string(),
        Value::UInt(v) => v.to_string(),
        Value::Int(v) => v.to_string(),
        Value::Wide(v) => v.to_string(),
        Value::Huge(v) => v.to_string(),
        Value::Float(v) => v.to_string(),
        Value::String(bytes) => format!("'{}'", String::from_utf8_lossy(bytes)),
        Value::Variant(_, value) => literal(value),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(literal).collect::<Vec<_>>().join(", "))
        }
        Value::Tuple(items) => {
            format!("({})", items.iter().map(literal).collect::<Vec<_>>().join(", "))
        }
    }
}
