//! Lowers LIMIT, LIMIT BY and WITH FILL.
//!
//! Counts from the first row have nodes of their own, which stop early. All others need to know
//! the last row, and share one node.

use crate::physical::{Limit, LimitBy, LimitTies, Union};
use entasis_analyze::query::Select;
use entasis_analyze::tree;
use entasis_expr::{ColumnId, Expr};

use crate::{Count, Fill, Plan, Planner, Slice, SortKey};

/// The number of rows after which a limit needs no more rows; `None` if it needs all.
pub(super) fn first_rows(select: &Select) -> Option<u64> {
    match (select.limit, select.offset) {
        (Some(Count::First(limit)), Count::First(offset)) => Some(limit.saturating_add(offset)),
        _ => None,
    }
}

/// LIMIT and OFFSET; `ties` are the keys of ORDER BY for WITH TIES.
pub(super) fn limit(plan: Plan, select: &Select, ties: Vec<ColumnId>) -> Plan {
    let (offset, limit) = (select.offset, select.limit);
    let first = |limit: Option<Count>| match limit {
        None => Some(None),
        Some(Count::First(rows)) => Some(Some(rows)),
        Some(_) => None,
    };
    let (Count::First(skipped), Some(rows)) = (offset, first(limit)) else {
        let by = Vec::new();
        return Plan::Slice(Box::new(Slice { input: plan, by, offset, limit, ties }));
    };
    let input = Box::new(plan);
    match rows {
        Some(limit) if !ties.is_empty() => {
            Plan::LimitTies(LimitTies { input, offset: skipped, limit, keys: ties })
        }
        None if skipped == 0 => *input,
        limit => Plan::Limit(Limit { input, offset: skipped, limit }),
    }
}

/// LIMIT BY.
pub(super) fn limit_by(plan: Plan, keys: Vec<ColumnId>, offset: Count, limit: Count) -> Plan {
    if let (Count::First(offset), Count::First(limit)) = (offset, limit) {
        return Plan::LimitBy(LimitBy { input: Box::new(plan), keys, offset, limit });
    }
    let (limit, ties) = (Some(limit), Vec::new());
    Plan::Slice(Box::new(Slice { input: plan, by: keys, offset, limit, ties }))
}

impl Planner<'_> {
    /// The node of WITH FILL, whose input is not known yet. Columns that INTERPOLATE reads are
    /// added to `exprs`.
    pub(super) fn filling(
        &mut self,
        select: &Select,
        keys: &[SortKey],
        exprs: &mut Vec<(ColumnId, Expr)>,
    ) -> Option<Box<Fill>> {
        let fill = &select.fill;
        if fill.is_empty() {
            return None;
        }
        let first = fill.rules.iter().position(Option::is_some).unwrap_or(0);
        let by_prefix = if fill.by_prefix { first } else { 0 };
        let prefix = keys[..by_prefix].iter().map(|key| key.column).collect();
        let ruled = keys.iter().zip(&fill.rules);
        let columns = ruled.filter_map(|(key, rule)| rule.map(|rule| (key.column, rule))).collect();
        let mut interpolate = Vec::new();
        for (column, value) in &fill.interpolate {
            let value = over_results(value, &select.projection);
            let mut read = Vec::new();
            base_columns(&value, &mut read);
            for (id, ty) in read {
                if !exprs.iter().any(|(known, _)| *known == id) {
                    exprs.push((id, Expr::column(id, ty)));
                }
            }
            // A column that is no result column has no place where its value would be seen.
            let shown = select.projection.iter().filter(|(_, e)| tree::same(e, column));
            interpolate.extend(shown.map(|(id, e)| match tree::same(&value, e) {
                true => (*id, Expr::column(*id, e.ty().clone())),
                false => (*id, value.clone()),
            }));
        }
        let input = Plan::Union(Union { inputs: Vec::new(), columns: Vec::new() });
        Some(Box::new(Fill { input, prefix, columns, interpolate }))
    }
}

/// The expression, with the result columns in it as columns.
fn over_results(value: &Expr, results: &[(ColumnId, Expr)]) -> Expr {
    let replaced = tree::rewrite::<std::convert::Infallible>(value, &mut |e| {
        let result = results
            .iter()
            .find(|(_, result)| !matches!(e, Expr::Literal { .. }) && tree::same(result, e));
        Ok(result.map(|(id, e)| Expr::column(*id, e.ty().clone())))
    });
    match replaced {
        Ok(new) => new.unwrap_or_else(|| value.clone()),
    }
}

fn base_columns(expr: &Expr, out: &mut Vec<(ColumnId, entasis_types::DataType)>) {
    tree::any(expr, &mut |e| {
        if let Expr::Column { id, ty } = e {
            out.push((*id, ty.clone()));
        }
        false
    });
}
