//! Estimates the number of rows of a plan node, and the numbers of its columns that matter for it.
//! The estimate decides in which order tables are joined and which side of a join is built, and
//! EXPLAIN ANALYZE shows it beside the actual number.
//!
//! An estimate visits every node once, from the top: each node asks its input for the numbers of
//! those columns that it needs, so that a table is only asked for columns that a condition, a key
//! or a group reads.

pub(crate) mod band;
mod column;
pub(crate) mod join;
mod points;
pub(crate) mod share;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use entasis_expr::{ColumnId, Expr};
use entasis_table_api::Snapshot;

pub(crate) use self::column::Numbers;
use crate::Plan;
use crate::pass::metadata;
use crate::physical::{
    Aggregate, ArrayJoin, Bound, Distinct, Filter, Limit, LimitBy, LimitTies, OrElse, Project,
    Scan, Sort, Totals, Union, Values,
};

/// The number of rows that a table of unknown size is assumed to have.
const UNKNOWN_ROWS: f64 = 1e6;
/// The share of rows that remain after DISTINCT.
const DISTINCT: f64 = 0.3;
/// The share of rows that remain after GROUP BY.
const GROUPS: f64 = 0.1;
/// The least share of rows that conditions together are assumed to let through.
const LEAST: f64 = 1e-6;

/// The estimated number of rows. Tables of unknown size count as large.
pub fn estimate(plan: &Plan) -> f64 {
    Estimator::default().relation(plan, &[]).rows
}

/// The most values of a key that are few.
const FEW_VALUES: f64 = (1u64 << 22) as f64;

/// Whether there is a single key, and the form of the expression that computes it says that it has
/// few values. No table is asked.
pub fn has_few_values(plan: &Plan, keys: &[ColumnId]) -> bool {
    matches!(keys, [key] if most_values(plan, *key).is_some_and(|most| most <= FEW_VALUES))
}

/// How many values a column can have at most, by the form of the expression that computes it.
fn most_values(plan: &Plan, column: ColumnId) -> Option<f64> {
    match plan {
        Plan::Project(Project { input, exprs }) => {
            match exprs.iter().find(|(id, _)| *id == column)? {
                (_, Expr::Column { id, .. }) => most_values(input, *id),
                (_, expr) => most_values_of(expr),
            }
        }
        Plan::Filter(Filter { input, .. }) => most_values(input, column),
        _ => None,
    }
}

/// What is assumed about the rows of a node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Relation {
    /// The number of rows.
    pub rows: f64,
    /// The numbers of those columns that were asked for, as far as they exist.
    columns: Vec<(ColumnId, Numbers)>,
}

impl Relation {
    /// The numbers of a column, if it was asked for.
    pub fn numbers(&self, id: ColumnId) -> Option<&Numbers> {
        self.columns.iter().find(|(known, _)| *known == id).map(|(_, numbers)| numbers)
    }

    /// The numbers of an expression over the relation's columns.
    pub fn numbers_of(&self, expr: &Expr) -> Numbers {
        computed(self, expr)
    }

    /// Pairs of rows of several relations, as far as conditions between them go.
    pub fn beside<'r>(all: impl Iterator<Item = &'r Self>) -> Self {
        let mut out = Self::default();
        for one in all {
            out.rows = out.rows.max(one.rows);
            out.columns.extend(one.columns.iter().cloned());
        }
        out
    }

    /// The relation as the outer side of a join; see [`Numbers::outer`].
    pub fn outer(mut self, matched: f64, nulls: bool) -> Self {
        for (_, numbers) in &mut self.columns {
            *numbers = numbers.clone().outer(matched, nulls);
        }
        self
    }

    /// The relation after these conditions.
    pub fn filtered<'e>(self, conditions: impl Iterator<Item = &'e Expr>) -> Self {
        conditions.fold(self, |relation, condition| {
            let share = share::of(&relation, condition);
            relation.kept(condition, share)
        })
    }

    /// The relation if `share` of its rows pass a condition.
    fn kept(mut self, condition: &Expr, share: f64) -> Self {
        let (before, after) = (self.rows, self.rows * share);
        let only = share::only_column(condition);
        for (id, numbers) in &mut self.columns {
            *numbers = match only == Some(*id) {
                true => share::narrowed(numbers, condition, share),
                false => numbers.clone().thinned(before, after),
            };
        }
        self.rows = after;
        self
    }

    /// The first rows of the relation, or some of them.
    fn at_most(mut self, rows: f64) -> Self {
        if rows < self.rows {
            let before = std::mem::replace(&mut self.rows, rows);
            for (_, numbers) in &mut self.columns {
                *numbers = numbers.clone().thinned(before, rows);
            }
        }
        self
    }

    fn part(self, share: f64) -> Self {
        let rows = self.rows * share;
        self.at_most(rows)
    }

    /// The number of distinct keys, if the numbers of all keys are known. Keys from one scan have
    /// no more combinations than the scan's table has rows.
    pub fn groups(&self, keys: &[ColumnId]) -> Option<f64> {
        let mut of_scans: Vec<(Option<usize>, f64, Vec<f64>)> = Vec::new();
        for key in keys {
            let numbers = self.numbers(*key)?;
            let distinct = numbers.distinct?;
            let known = of_scans.iter_mut().find(|(scan, _, _)| *scan == numbers.scan);
            match known {
                Some((Some(_), _, counts)) => counts.push(distinct),
                _ => of_scans.push((numbers.scan, numbers.domain, vec![distinct])),
            }
        }
        let counts = of_scans.into_iter().map(|(scan, rows, counts)| match scan {
            Some(_) => combinations(counts).min(rows),
            None => combinations(counts),
        });
        Some(combinations(counts.collect()).min(self.rows).max(1.0))
    }

    /// Keeps the numbers of these columns only.
    fn only(mut self, wanted: &[ColumnId]) -> Self {
        self.columns.retain(|(id, _)| wanted.contains(id));
        self
    }
}

/// The number of combinations of so many values each. The more there are, the less each of them
/// adds, since keys mostly depend on each other.
fn combinations(mut counts: Vec<f64>) -> f64 {
    counts.sort_by(|a, b| b.total_cmp(a));
    let power = |at: usize| [1.0, 1.0, 0.5, 0.25].get(at).copied().unwrap_or(0.125);
    counts.iter().enumerate().map(|(at, n)| n.powf(power(at))).product()
}

/// Estimates nodes of one query, and remembers what tables have told.
#[derive(Default)]
pub(crate) struct Estimator {
    /// The numbers of stored columns, by the address of the table's snapshot and the position.
    stored: RefCell<HashMap<(usize, usize), Numbers>>,
    /// The shares of rows that conditions of scans let through, by the address of the table's
    /// snapshot and what [`identity`] says of the condition, which stays alive here.
    shares: RefCell<HashMap<(usize, Identity), (Expr, f64)>>,
}

impl Estimator {
    /// The number of rows of a node, and the numbers of these columns of it.
    pub fn relation(&self, plan: &Plan, wanted: &[ColumnId]) -> Relation {
        match plan {
            Plan::Values(Values { chunk, .. }) => unknown(chunk.rows as f64, wanted),
            Plan::Rows(rows) => unknown(rows.estimate.unwrap_or(1000.0), wanted),
            Plan::Recursive(_) => unknown(1000.0, wanted),
            Plan::Scan(scan) => self.scan(scan, wanted),
            Plan::Filter(Filter { input, predicates }) => {
                let asked = with_columns(wanted, predicates.iter());
                let input = self.relation(input, &asked);
                let least = input.rows * LEAST;
                let mut out = input.filtered(predicates.iter()).only(wanted);
                out.rows = out.rows.max(least);
                out
            }
            Plan::Project(project) => self.project(project, wanted),
            Plan::Aggregate(aggregate) => self.aggregate(aggregate, wanted),
            Plan::Distinct(Distinct { input, limit }) => {
                let mut asked = input.outputs();
                asked.extend(wanted.iter().filter(|id| !asked.contains(id)).collect::<Vec<_>>());
                let input = self.relation(input, &asked);
                let rows = input.groups(&asked).unwrap_or(input.rows * DISTINCT);
                input.at_most(rows.min(most(*limit))).only(wanted)
            }
            Plan::LimitTies(LimitTies { input, limit, .. }) => {
                self.relation(input, wanted).at_most(*limit as f64)
            }
            Plan::Sort(Sort { input, limit, .. }) | Plan::Limit(Limit { input, limit, .. }) => {
                self.relation(input, wanted).at_most(most(*limit))
            }
            Plan::Bound(Bound { input, .. })
            | Plan::Totals(Totals { input, .. })
            | Plan::OrElse(OrElse { input, .. }) => self.relation(input, wanted),
            Plan::Window(window) => self.relation(&window.input, wanted),
            Plan::Fetch(fetch) => self.relation(&fetch.input, wanted),
            Plan::ArrayJoin(ArrayJoin { input, .. }) => self.relation(input, wanted),
            Plan::Slice(slice) => self.relation(&slice.input, wanted).part(0.5),
            Plan::LimitBy(LimitBy { input, .. }) => self.relation(input, wanted).part(0.5),
            Plan::Fill(fill) => {
                let mut out = self.relation(&fill.input, wanted);
                out.rows *= 2.0;
                out
            }
            Plan::Union(union) => self.union(union, wanted),
            Plan::Join(join) => self.join(join, wanted),
        }
    }

    fn scan(&self, scan: &Scan, wanted: &[ColumnId]) -> Relation {
        let Scan { table, spec, .. } = scan;
        let rows = table.row_count().map_or(UNKNOWN_ROWS, |n| n as f64);
        let asked = with_columns(wanted, spec.filter.iter());
        let numbers = |id: &ColumnId| {
            let position = spec.whole_position(*id)?;
            let scan = Some(std::ptr::from_ref(scan) as usize);
            Some((*id, Numbers { scan, ..self.stored(table, position, rows) }))
        };
        let mut out = Relation { rows, columns: asked.iter().filter_map(numbers).collect() };
        for condition in &spec.filter {
            let share = self.share(scan, condition, &out);
            out = out.kept(condition, share);
        }
        let limit = spec.limit.map_or(f64::MAX, |limit| limit as f64);
        out.at_most(limit).only(wanted)
    }

    /// The share of a scan's rows that a condition lets through; `left` is what those before it let
    /// through.
    fn share(&self, scan: &Scan, condition: &Expr, left: &Relation) -> f64 {
        let Scan { table, spec, .. } = scan;
        let key = identity(condition).map(|of| (Arc::as_ptr(table).cast::<()>() as usize, of));
        if let Some((_, share)) =
            key.as_ref().and_then(|key| self.shares.borrow().get(key).cloned())
        {
            return share;
        }
        let rows = table.row_count().map_or(UNKNOWN_ROWS, |n| n as f64);
        let exact = metadata::rows_that_pass(&**table, spec, condition);
        let share = match exact {
            Some(passing) if rows > 0.0 => passing as f64 / rows,
            _ => share::of(left, condition),
        };
        if let Some(key) = key {
            self.shares.borrow_mut().insert(key, (condition.clone(), share));
        }
        share
    }

    fn stored(&self, table: &Arc<dyn Snapshot>, position: usize, rows: f64) -> Numbers {
        let key = (Arc::as_ptr(table).cast::<()>() as usize, position);
        if let Some(known) = self.stored.borrow().get(&key) {
            return known.clone();
        }
        let numbers = Numbers::stored(&**table, position, rows);
        self.stored.borrow_mut().insert(key, numbers.clone());
        numbers
    }

    fn project(&self, project: &Project, wanted: &[ColumnId]) -> Relation {
        let expr_of = |id: &ColumnId| {
            project.exprs.iter().find(|(known, _)| known == id).map(|(_, expr)| (*id, expr))
        };
        let wanted: Vec<(ColumnId, &Expr)> = wanted.iter().filter_map(expr_of).collect();
        let asked = with_columns(&[], wanted.iter().map(|(_, expr)| *expr));
        let input = self.relation(&project.input, &asked);
        let columns = wanted.iter().map(|(id, expr)| (*id, computed(&input, expr))).collect();
        Relation { rows: input.rows, columns }
    }

    fn aggregate(&self, aggregate: &Aggregate, wanted: &[ColumnId]) -> Relation {
        let Aggregate { input, keys, limit, .. } = aggregate;
        if keys.is_empty() {
            return unknown(1.0, wanted);
        }
        let input = self.relation(input, keys);
        let rows = input.groups(keys).unwrap_or(input.rows * GROUPS);
        let mut columns = Vec::with_capacity(wanted.len());
        for id in wanted {
            let numbers = match input.numbers(*id) {
                // The only key has another value in each group.
                Some(key) if keys.len() == 1 => Numbers {
                    distinct: Some(rows.max(1.0)),
                    domain: rows,
                    statistics: None,
                    ..key.clone()
                },
                Some(key) => key.clone(),
                None => Numbers::unknown(rows),
            };
            columns.push((*id, numbers));
        }
        Relation { rows, columns }.at_most(most(*limit))
    }

    fn union(&self, union: &Union, wanted: &[ColumnId]) -> Relation {
        let place = |id: &ColumnId| union.columns.iter().position(|(known, _)| known == id);
        let wanted: Vec<(ColumnId, usize)> =
            wanted.iter().filter_map(|id| Some((*id, place(id)?))).collect();
        let mut out = Relation::default();
        for (at, input) in union.inputs.iter().enumerate() {
            let outputs = input.outputs();
            let asked: Vec<ColumnId> =
                wanted.iter().filter_map(|(_, place)| outputs.get(*place).copied()).collect();
            let one = self.relation(input, &asked);
            out.rows += one.rows;
            for (slot, ((id, _), from)) in wanted.iter().zip(&asked).enumerate() {
                let numbers =
                    one.numbers(*from).cloned().unwrap_or_else(|| Numbers::unknown(one.rows));
                match out.columns.get_mut(slot) {
                    Some((_, known)) if at > 0 => *known = together(known, &numbers),
                    _ => out.columns.push((*id, numbers)),
                }
            }
        }
        out
    }
}

/// Addresses of an expression's function and arguments, which copies of it share.
type Identity = (usize, usize);

/// What an expression is known by; `None` if its copies share nothing.
fn identity(expr: &Expr) -> Option<Identity> {
    let of = |args: &Arc<[Expr]>| args.as_ptr() as usize;
    Some(match expr {
        Expr::Call { function, args, lambda: None } => (Arc::as_ptr(function) as usize, of(args)),
        Expr::And(args, _) => (0, of(args)),
        Expr::Or(args, _) => (1, of(args)),
        Expr::InSet { args, set, negated, .. } => {
            (Arc::as_ptr(set) as usize + usize::from(*negated), of(args))
        }
        _ => return None,
    })
}

/// The numbers of a column in both of two relations.
fn together(a: &Numbers, b: &Numbers) -> Numbers {
    let range = a.range.zip(b.range);
    Numbers {
        distinct: a.distinct.zip(b.distinct).map(|(a, b)| a + b),
        nulls: a.nulls.max(b.nulls),
        range: range.map(|((a, b), (c, d))| (a.min(c), b.max(d))),
        domain: a.domain + b.domain,
        statistics: None,
        scan: None,
    }
}

/// How many values an expression can have at most, by its form: the remainder of a division, and
/// integers of few bits.
fn most_values_of(expr: &Expr) -> Option<f64> {
    let ty = expr.ty().without_nullable();
    let of_type = match ty.fixed_width() {
        Some(width @ 1..=2) if ty.is_native_integer() => Some(f64::from(1u32 << (8 * width))),
        _ => None,
    };
    let of_remainder = match expr {
        Expr::Call { function, args, lambda: None } if function.name == "modulo" => {
            let divisor = args.get(1).and_then(Expr::constant)?.as_f64()?;
            Some(divisor.abs().max(1.0))
        }
        _ => None,
    };
    match (of_type, of_remainder) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// The numbers of a column that an expression computes: it has no more values than the columns
/// that it reads together.
fn computed(input: &Relation, expr: &Expr) -> Numbers {
    match expr {
        Expr::Column { id, .. } => match input.numbers(*id) {
            Some(numbers) => numbers.clone(),
            None => Numbers::unknown(input.rows),
        },
        Expr::Literal { .. } | Expr::Scalar(_) => Numbers::constant(),
        _ => {
            let mut ids = Vec::new();
            expr.columns(&mut ids);
            let distinct = |id: &ColumnId| input.numbers(*id).and_then(|n| n.distinct);
            let all: Option<f64> = ids.iter().map(distinct).product();
            let all = match (all, most_values_of(expr)) {
                (Some(of_columns), Some(most)) => Some(of_columns.min(most)),
                (of_columns, most) => of_columns.or(most),
            };
            let domain = ids.iter().filter_map(|id| input.numbers(*id)).map(|n| n.domain);
            let domain = domain.fold(0.0, f64::max);
            let mut scans = ids.iter().map(|id| input.numbers(*id).and_then(|n| n.scan));
            let scan = scans.next().flatten().filter(|first| scans.all(|s| s == Some(*first)));
            Numbers {
                scan,
                distinct: all.map(|n| n.min(input.rows).max(1.0)),
                domain: if domain > 0.0 { domain } else { input.rows },
                ..Numbers::unknown(input.rows)
            }
        }
    }
}

fn unknown(rows: f64, wanted: &[ColumnId]) -> Relation {
    let columns = wanted.iter().map(|id| (*id, Numbers::unknown(rows))).collect();
    Relation { rows, columns }
}

fn most(limit: Option<u64>) -> f64 {
    limit.map_or(f64::MAX, |limit| limit as f64)
}

/// These columns, and those that the expressions read.
fn with_columns<'e>(wanted: &[ColumnId], exprs: impl Iterator<Item = &'e Expr>) -> Vec<ColumnId> {
    let mut out = wanted.to_vec();
    let mut read = Vec::new();
    exprs.for_each(|expr| expr.columns(&mut read));
    for id in read {
        if !out.contains(&id) {
            out.push(id);
        }
    }
    out
}
