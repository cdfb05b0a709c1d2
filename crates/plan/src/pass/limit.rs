//! Moves limits down, to nodes that can stop early.

use super::map_inputs;
use crate::physical::{Aggregate, Distinct, Limit, Project, Scan, Sort, Union, Values};
use crate::{JoinKind, Plan, Strictness};

/// Passes the number of rows that are enough to the nodes below limits.
pub(crate) fn push(plan: Plan) -> Plan {
    let plan = match plan {
        Plan::Limit(Limit { input, offset, limit: Some(limit) }) => {
            let enough = limit.saturating_add(offset);
            let input = Box::new(wanted(*input, enough));
            if offset == 0 && gives_at_most(&input, limit) {
                return push(*input);
            }
            Plan::Limit(Limit { input, offset, limit: Some(limit) })
        }
        other => other,
    };
    map_inputs(plan, &mut push)
}

/// Passes limits only to tables that have no end, where all rows before a limit are to be
/// counted.
pub(crate) fn push_to_endless(plan: Plan) -> Plan {
    let plan = match plan {
        Plan::Limit(Limit { input, offset, limit: Some(limit) }) => {
            let input = Box::new(endless(*input, limit.saturating_add(offset)));
            Plan::Limit(Limit { input, offset, limit: Some(limit) })
        }
        other => other,
    };
    map_inputs(plan, &mut push_to_endless)
}

fn endless(plan: Plan, rows: u64) -> Plan {
    match plan {
        Plan::Project(Project { input, exprs }) => {
            Plan::Project(Project { input: Box::new(endless(*input, rows)), exprs })
        }
        Plan::Scan(Scan { ref table, .. }) if table.is_endless() => wanted(plan, rows),
        other => other,
    }
}

/// The plan, if any `rows` of its rows are enough.
fn wanted(plan: Plan, rows: u64) -> Plan {
    let least = |limit: Option<u64>| Some(limit.map_or(rows, |l| l.min(rows)));
    match plan {
        Plan::Scan(Scan { table, name, types, mut spec }) => {
            spec.limit = least(spec.limit);
            Plan::Scan(Scan { table, name, types, spec })
        }
        Plan::Project(Project { input, exprs }) => {
            Plan::Project(Project { input: Box::new(wanted(*input, rows)), exprs })
        }
        Plan::Distinct(Distinct { input, limit }) => {
            Plan::Distinct(Distinct { input, limit: least(limit) })
        }
        Plan::Aggregate(Aggregate { input, keys, calls, limit, algorithm }) if !keys.is_empty() => {
            Plan::Aggregate(Aggregate { input, keys, calls, limit: least(limit), algorithm })
        }
        Plan::Sort(Sort { input, keys, limit, threshold }) => {
            Plan::Sort(Sort { input, keys, limit: least(limit), threshold })
        }
        Plan::Limit(Limit { input, offset, limit }) => {
            let below = rows.min(limit.unwrap_or(u64::MAX)).saturating_add(offset);
            Plan::Limit(Limit { input: Box::new(wanted(*input, below)), offset, limit })
        }
        Plan::Union(Union { inputs, columns }) => Plan::Union(Union {
            inputs: inputs.into_iter().map(|input| wanted(input, rows)).collect(),
            columns,
        }),
        Plan::Join(mut join) => {
            // Every left row gives at least one output row.
            let keeps = matches!(join.strictness, Strictness::All | Strictness::Any);
            if join.kind == JoinKind::Left && keeps {
                join.left = wanted(join.left, rows);
            }
            Plan::Join(join)
        }
        Plan::Values(Values { columns, chunk }) if chunk.rows as u64 > rows => {
            Plan::Values(Values { columns, chunk: chunk.slice(0, rows as usize) })
        }
        other => other,
    }
}

/// Whether the node itself enforces the limit.
fn gives_at_most(plan: &Plan, rows: u64) -> bool {
    match plan {
        Plan::Sort(Sort { limit: Some(limit), .. }) => *limit <= rows,
        Plan::Project(Project { input, .. }) => gives_at_most(input, rows),
        Plan::Values(Values { chunk, .. }) => chunk.rows as u64 <= rows,
        _ => false,
    }
}
