//! Computes aggregates over a whole table from its metadata: row count, least and greatest value,
//! number of default values.

use crate::physical::{Aggregate, Limit, Project, Scan, Sort, Union, Values};
use entasis_column::{Chunk, Column};
use entasis_expr::{ColumnId, Expr};
use entasis_function::{Comparison, Operation};
use entasis_table_api::{ScanSpec, Snapshot};
use entasis_types::DataType;

use super::map_inputs;
use crate::{AggregateCall, Plan};

/// Replaces an aggregation without keys by its row, if every aggregate is known.
pub(crate) fn answer(plan: Plan) -> Plan {
    let plan = map_inputs(plan, &mut answer);
    let Plan::Aggregate(Aggregate { input, keys, calls, limit, algorithm }) = plan else {
        return plan;
    };
    if keys.is_empty()
        && let Some(values) = calls.iter().map(|c| known(c, &input)).collect()
    {
        let columns = calls.iter().map(|c| (c.id, c.function.return_type())).collect();
        return Plan::Values(Values { columns, chunk: Chunk::new(values, 1) });
    }
    Plan::Aggregate(Aggregate { input, keys, calls, limit, algorithm })
}

/// The aggregate's result as a column of one row; `None` if it is not known.
fn known(call: &AggregateCall, input: &Plan) -> Option<Column> {
    match (&*call.name, &call.args[..]) {
        (name, []) if name.eq_ignore_ascii_case("count") => {
            Some(Column::from(vec![row_count(input)?]))
        }
        (name, &[column]) if is_min(name) || name.eq_ignore_ascii_case("max") => {
            let (table, position) = origin(input, column)?;
            let ty = call.function.return_type();
            // Excluded are floats, since `min` and `max` treat NaN specially, and Nullable columns,
            // which may have no bounds.
            if ty.is_nullable() || ty.is_float() || ty.fixed_width().is_none() {
                return None;
            }
            let (min, max) = table.column_range(position)?;
            let value = if is_min(name) { min } else { max };
            Some(Column::from_value(&ty, &value, 1))
        }
        _ => None,
    }
}

fn is_min(name: &str) -> bool {
    name.eq_ignore_ascii_case("min")
}

/// The exact number of rows; `None` if it is not known without reading.
fn row_count(plan: &Plan) -> Option<u64> {
    match plan {
        Plan::Scan(Scan { table, spec, .. }) if spec.limit.is_none() && !spec.final_ => {
            match &spec.filter[..] {
                [] => table.row_count(),
                [one] => rows_that_pass(&**table, spec, one),
                _ => None,
            }
        }
        Plan::Values(Values { chunk, .. }) => Some(chunk.rows as u64),
        Plan::Project(Project { input, .. }) => row_count(input),
        Plan::Sort(Sort { input, limit: None, .. }) => row_count(input),
        Plan::Limit(Limit { input, offset, limit }) => {
            let rows = row_count(input)?.saturating_sub(*offset);
            Some(rows.min(limit.unwrap_or(u64::MAX)))
        }
        Plan::Union(Union { inputs, .. }) => inputs.iter().map(row_count).sum(),
        _ => None,
    }
}

/// The number of rows for which `column = default` or `column != default` is true.
pub(crate) fn rows_that_pass(
    table: &dyn Snapshot,
    spec: &ScanSpec,
    condition: &Expr,
) -> Option<u64> {
    let Expr::Call { function, args, lambda: None } = condition else { return None };
    let (column, negated) = match (function.operation(), &args[..]) {
        (Operation::Compare(comparison), [column, literal] | [literal, column])
            if comparison.is_equality() && is_default(literal, column.ty()) =>
        {
            (column, comparison == Comparison::NotEquals)
        }
        (Operation::IsEmpty { negated }, [column]) if column.ty().is_string() => (column, negated),
        _ => return None,
    };
    let Expr::Column { id, .. } = column else { return None };
    let defaults = table.default_count(spec.whole_position(*id)?)?;
    if negated { table.row_count()?.checked_sub(defaults) } else { Some(defaults) }
}

/// Whether a constant is 0 or '' beside a column of integers or strings.
fn is_default(literal: &Expr, column: &DataType) -> bool {
    let Some(value) = literal.constant() else { return false };
    if column.is_native_integer() {
        return literal.ty().is_native_integer() && value.as_u64() == Some(0);
    }
    *column == DataType::String && value.as_bytes().is_some_and(<[u8]>::is_empty)
}

/// The table's column that passes through the plan unchanged and with all rows of the table.
fn origin(plan: &Plan, column: ColumnId) -> Option<(&dyn Snapshot, usize)> {
    match plan {
        Plan::Scan(Scan { table, spec, .. })
            if spec.filter.is_empty() && spec.limit.is_none() && !spec.final_ =>
        {
            Some((&**table, spec.whole_position(column)?))
        }
        Plan::Project(Project { input, exprs }) => {
            let (_, expr) = exprs.iter().find(|(id, _)| *id == column)?;
            let Expr::Column { id, .. } = expr else { return None };
            origin(input, *id)
        }
        _ => None,
    }
}
