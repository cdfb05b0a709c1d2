//! The order in which the rows of a plan come, or can be read without sorting them.
//!
//! Tables whose parts are sorted can be read in that order ([`ScanSpec::sorted_prefix`]), which
//! filters and projections above them keep. Sorts and merge joins return sorted rows as well.
//! Only orders that agree with that of a merge join are reported: ascending, NULL last. Floats are
//! left out, because both zeros are one key.
//!
//! [`ScanSpec::sorted_prefix`]: entasis_table_api::ScanSpec::sorted_prefix

use entasis_column::compare::SortOrder;
use entasis_expr::{ColumnId, Expr, is_deterministic};
use entasis_types::DataType;

use crate::physical::{Filter, Limit, Project, Scan, Sort};
use crate::{Join, JoinAlgorithm, JoinKind, Plan, SortKey, Strictness};

/// For each place of the sorting key, the most significant first, the columns that have that order.
pub(super) type RowOrder = Vec<Vec<ColumnId>>;

/// The order of a plan's rows; empty if there is none.
pub(super) fn of(plan: &Plan) -> RowOrder {
    match plan {
        Plan::Scan(scan) => of_scan(scan),
        // Some functions see which rows come before a row (rowNumberInAllBlocks).
        Plan::Filter(Filter { predicates, .. }) if !predicates.iter().all(is_deterministic) => {
            RowOrder::new()
        }
        Plan::Project(Project { exprs, .. })
            if !exprs.iter().all(|(_, expr)| is_deterministic(expr)) =>
        {
            RowOrder::new()
        }
        Plan::Filter(Filter { input, .. }) => of(input),
        Plan::Project(Project { input, exprs }) => {
            let renamed = |columns: Vec<ColumnId>| -> Vec<ColumnId> {
                let keeps = |(id, expr): &(ColumnId, Expr)| {
                    origin(expr).filter(|from| columns.contains(from)).map(|_| *id)
                };
                exprs.iter().filter_map(keeps).collect()
            };
            let renamed = of(input).into_iter().map(renamed);
            renamed.take_while(|columns| !columns.is_empty()).collect()
        }
        Plan::Sort(Sort { keys, input, .. }) => {
            let Ok(header) = input.header() else { return RowOrder::new() };
            let ty = |id| header.iter().find(|(known, _)| *known == id).map(|(_, ty)| ty);
            let is_usable = |key: &&SortKey| {
                key.order == SortOrder::ASCENDING && ty(key.column).is_some_and(is_ordered)
            };
            keys.iter().take_while(is_usable).map(|key| vec![key.column]).collect()
        }
        Plan::Limit(Limit { input, .. }) if is_sorted(input) => of(input),
        Plan::Join(join) => of_join(join),
        _ => RowOrder::new(),
    }
}

/// Makes the scan below filters and projections return its rows in the order of so many columns of
/// its key. Other plans have their order anyway.
pub(super) fn read_in_order(plan: &mut Plan, columns: usize) {
    if let Some(scan) = scan_below_mut(plan) {
        scan.spec.sorted_prefix = columns;
    }
}

/// The scan below filters and projections.
pub(super) fn scan_below(plan: &Plan) -> Option<&Scan> {
    match plan {
        Plan::Scan(scan) => Some(scan),
        Plan::Filter(Filter { input, .. }) | Plan::Project(Project { input, .. }) => {
            scan_below(input)
        }
        _ => None,
    }
}

fn scan_below_mut(plan: &mut Plan) -> Option<&mut Scan> {
    match plan {
        Plan::Scan(scan) => Some(scan),
        Plan::Filter(Filter { input, .. }) | Plan::Project(Project { input, .. }) => {
            scan_below_mut(input)
        }
        _ => None,
    }
}

/// The column of the scan below filters and projections that has the order of `id`, with its type.
pub(super) fn scanned(plan: &Plan, id: ColumnId) -> Option<Expr> {
    match plan {
        Plan::Scan(scan) => {
            let (_, ty) = scan.types.iter().find(|(known, _)| *known == id)?;
            Some(Expr::column(id, ty.clone()))
        }
        Plan::Filter(Filter { input, .. }) => scanned(input, id),
        Plan::Project(Project { input, exprs }) => {
            let (_, expr) = exprs.iter().find(|(known, _)| *known == id)?;
            scanned(input, origin(expr)?)
        }
        _ => None,
    }
}

fn of_scan(scan: &Scan) -> RowOrder {
    let has_order = |id: &ColumnId| {
        let of = scan.types.iter().find(|(known, _)| known == id);
        of.is_some_and(|(_, ty)| is_ordered(ty))
    };
    let at = |position: usize| -> Vec<ColumnId> {
        let ids = scan.spec.outputs.iter().copied();
        ids.filter(|id| scan.spec.whole_position(*id) == Some(position) && has_order(id)).collect()
    };
    let columns = scan.table.sorted_by().into_iter().map(at);
    columns.take_while(|columns| !columns.is_empty()).collect()
}

/// Rows without a match come apart from the others.
fn of_join(join: &Join) -> RowOrder {
    let only_matches = match join.strictness {
        Strictness::Semi => true,
        Strictness::Anti | Strictness::Asof => false,
        Strictness::All | Strictness::Any => join.kind == JoinKind::Inner,
    };
    let JoinAlgorithm::Merge(merging) = &join.algorithm else { return RowOrder::new() };
    if !only_matches {
        return RowOrder::new();
    }
    let side = |plan: &Plan, in_order: bool| if in_order { of(plan) } else { RowOrder::new() };
    let left = side(&join.left, merging.left_in_order);
    let right = side(&join.right, merging.right_in_order);
    let outputs = |(at, key): (usize, &(ColumnId, ColumnId))| -> Vec<ColumnId> {
        let of_left = left.get(at).into_iter().flatten().chain([&key.0]);
        let of_right = right.get(at).into_iter().flatten().chain([&key.1]);
        let of_left = of_left.filter(|id| join.left_outputs.contains(id));
        of_left.chain(of_right.filter(|id| join.right_outputs.contains(id))).copied().collect()
    };
    let columns = join.keys.iter().enumerate().map(outputs);
    columns.take_while(|columns| !columns.is_empty()).collect()
}

fn is_sorted(plan: &Plan) -> bool {
    match plan {
        Plan::Sort(_) => true,
        Plan::Project(Project { input, .. }) | Plan::Limit(Limit { input, .. }) => is_sorted(input),
        _ => false,
    }
}

/// The column whose order and equality an expression has.
fn origin(expr: &Expr) -> Option<ColumnId> {
    match expr {
        Expr::Column { id, .. } => Some(*id),
        _ => {
            let (id, from, to) = converted_column(expr)?;
            keeps_order(from, to).then_some(id)
        }
    }
}

/// The column that an expression converts to another type, and both types.
pub fn converted_column(expr: &Expr) -> Option<(ColumnId, &DataType, &DataType)> {
    let Expr::Call { function, args, lambda: None } = expr else { return None };
    match args.first() {
        Some(Expr::Column { id, ty })
            if matches!(function.name, "CAST" | "_CAST" | "toNullable") =>
        {
            Some((*id, ty, &function.return_type))
        }
        _ => None,
    }
}

/// Whether a conversion keeps the order of all values, and makes no two of them equal.
fn keeps_order(from: &DataType, to: &DataType) -> bool {
    if from.is_nullable() && !to.is_nullable() {
        return false;
    }
    let plain = |ty: &DataType| ty.without_low_cardinality().without_nullable().clone();
    let (from, to) = (plain(from), plain(to));
    let width = |ty: &DataType| ty.fixed_width().unwrap_or(0);
    let integers = from.is_any_integer() && to.is_any_integer();
    from == to
        || integers && from.is_signed() == to.is_signed() && width(&from) < width(&to)
        || integers && to.is_signed() && width(&from) < width(&to)
}

/// Whether tables and merge joins agree about the order of the type's values.
fn is_ordered(ty: &DataType) -> bool {
    let plain = ty.without_low_cardinality();
    let plain = plain.without_nullable();
    plain.is_any_integer()
        || matches!(
            plain,
            DataType::Bool
                | DataType::Decimal(..)
                | DataType::String
                | DataType::FixedString(_)
                | DataType::Date
                | DataType::Date32
                | DataType::DateTime(_)
                | DataType::DateTime64(..)
        )
}
