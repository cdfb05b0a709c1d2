//! What settings bound in a finished plan: rows and bytes of sorts, joins and sets, and columns
//! that a step reads or makes. A query without such settings is not looked at.

use crate::physical::{Bound, Distinct, Filter, Project, Scan, Sort};
use entasis_analyze::tree;
use entasis_base::{Error, Result, codes};
use entasis_expr::{ColumnId, Expr};

use super::map_inputs;
use crate::explain_tree::inputs;
use crate::{Bounded, JoinAlgorithm, JoinKind, Limits, Most, Plan, PlanSettings, QueryPlan};

/// Bounds what the plan sorts and joins, and checks how wide its steps are.
pub(crate) fn attach(plan: Plan, settings: &PlanSettings) -> Result<Plan> {
    let Limits { sort, join, .. } = settings.limits;
    let widths = [
        settings.max_columns_to_read,
        settings.max_temporary_columns,
        settings.max_temporary_non_const_columns,
    ];
    if widths.iter().any(|most| *most > 0) {
        check_widths(&plan, settings)?;
    }
    let forced = settings.force_primary_key || settings.force_partition_key;
    let scans = forced || settings.final_by_partition || settings.max_partitions_to_read.is_some();
    if sort.is_none() && join.is_none() && !scans {
        return Ok(plan);
    }
    Ok(bounded(plan, settings))
}

/// Bounds what a part of a query sorts and joins, which the rest of the query does not share.
pub(crate) fn within(plan: Plan, limits: &Limits) -> Plan {
    if limits.sort.is_none() && limits.join.is_none() {
        return plan;
    }
    let plan = map_inputs(plan, &mut |input| within(input, limits));
    bounded_node(plan, limits)
}

/// The plan of a set for IN with at most so many different rows.
pub(crate) fn set(mut plan: QueryPlan, most: Most) -> Result<QueryPlan> {
    if most.is_none() {
        return Ok(plan);
    }
    let types = plan.root.header()?;
    let wanted = types.into_iter().filter(|(id, _)| plan.outputs.contains(id));
    let exprs = wanted.map(|(id, ty)| (id, Expr::column(id, ty))).collect();
    let input = Box::new(Plan::Project(Project { input: Box::new(plan.root), exprs }));
    let input = Plan::Distinct(Distinct { input, limit: None });
    plan.root = bound(input, most, Bounded::Set);
    Ok(plan)
}

/// At most so much, if there is a bound.
pub(crate) fn bound(input: Plan, most: Most, what: Bounded) -> Plan {
    if most.is_none() {
        return input;
    }
    Plan::Bound(Bound { input: Box::new(input), most, what, keys: Vec::new() })
}

/// The rows of at most so many groups, if there is a bound.
pub(crate) fn groups(input: Plan, most: Most, keys: &[ColumnId]) -> Plan {
    if most.is_none() {
        return input;
    }
    let (input, keys) = (Box::new(input), keys.to_vec());
    Plan::Bound(Bound { input, most, what: Bounded::Groups, keys })
}

fn bounded(plan: Plan, settings: &PlanSettings) -> Plan {
    let plan = map_inputs(plan, &mut |input| bounded(input, settings));
    match plan {
        Plan::Scan(Scan { table, name, types, mut spec }) => {
            spec.max_partitions = settings.max_partitions_to_read;
            spec.final_by_partition = settings.final_by_partition;
            spec.needs_primary_key = settings.force_primary_key;
            spec.needs_partition_key = settings.force_partition_key;
            Plan::Scan(Scan { table, name, types, spec })
        }
        other => bounded_node(other, &settings.limits),
    }
}

fn bounded_node(plan: Plan, limits: &Limits) -> Plan {
    match plan {
        Plan::Sort(Sort { input, keys, limit: None, threshold }) => {
            let input = Box::new(bound(*input, limits.sort, Bounded::Sort));
            Plan::Sort(Sort { input, keys, limit: None, threshold })
        }
        // Such a sort never holds more rows than its limit.
        sort @ Plan::Sort(_) => bound(sort, limits.sort, Bounded::Sort),
        Plan::Window(mut window) => {
            window.input = bound(window.input, limits.sort, Bounded::Sort);
            Plan::Window(window)
        }
        // A merge join holds no side in memory.
        Plan::Join(join) if matches!(join.algorithm, JoinAlgorithm::Merge(_)) => Plan::Join(join),
        Plan::Join(mut join) if !matches!(join.kind, JoinKind::Cross | JoinKind::Paste) => {
            join.right = bound(join.right, limits.join, Bounded::Join);
            Plan::Join(join)
        }
        other => other,
    }
}

fn check_widths(plan: &Plan, settings: &PlanSettings) -> Result<()> {
    match plan {
        Plan::Scan(Scan { spec, .. }) => {
            let (read, most) = (spec.columns.len() as u64, settings.max_columns_to_read);
            if most > 0 && read > most {
                let message = format!(
                    "Limit for number of columns to read exceeded: the query reads {read} of a \
                     table, and max_columns_to_read allows {most}"
                );
                return Err(Error::new(codes::TOO_MANY_COLUMNS, message));
            }
            check_step(&mut spec.filter.iter(), settings)?;
        }
        Plan::Filter(Filter { predicates, .. }) => check_step(&mut predicates.iter(), settings)?,
        Plan::Project(Project { exprs, .. }) => {
            check_step(&mut exprs.iter().map(|(_, expr)| expr), settings)?;
        }
        _ => {}
    }
    inputs(plan).into_iter().try_for_each(|input| check_widths(input, settings))
}

/// Counts what a step makes: the columns, constants and results that its expressions consist of,
/// each of them once.
fn check_step(exprs: &mut dyn Iterator<Item = &Expr>, settings: &PlanSettings) -> Result<()> {
    let (all, varying) = (settings.max_temporary_columns, settings.max_temporary_non_const_columns);
    if all == 0 && varying == 0 {
        return Ok(());
    }
    let mut made: Vec<Expr> = Vec::new();
    for expr in exprs {
        tree::any(expr, &mut |part| {
            if !made.iter().any(|known| tree::same(known, part)) {
                made.push(part.clone());
            }
            false
        });
    }
    let constants = made.iter().filter(|expr| matches!(expr, Expr::Literal { .. })).count();
    let count = made.len() as u64;
    if all > 0 && count > all {
        let message = format!(
            "Too many temporary columns: a step of the query makes {count}, and \
             max_temporary_columns allows {all}"
        );
        return Err(Error::new(codes::TOO_MANY_TEMPORARY_COLUMNS, message));
    }
    let count = count - constants as u64;
    if varying > 0 && count > varying {
        let message = format!(
            "Too many temporary non-const columns: a step of the query makes {count}, and \
             max_temporary_non_const_columns allows {varying}"
        );
        return Err(Error::new(codes::TOO_MANY_TEMPORARY_NON_CONST_COLUMNS, message));
    }
    Ok(())
}
