//! Optimiser passes: each rewrites the whole plan once and does not depend on the others.

pub mod after_final;
pub mod aggregation;
pub mod bounds;
mod connect;
pub mod count_distinct;
pub mod eager;
pub mod filter;
pub mod grouping_sets;
pub mod late;
pub mod limit;
pub mod metadata;
pub mod order;
mod outer;
pub mod predicate;
pub mod project;
pub mod projections;
pub mod prune;
pub mod search;
pub mod sort;
pub mod subcolumns;
pub mod threshold;
pub mod unique;

use crate::Plan;
use crate::physical::{
    Aggregate, ArrayJoin, Bound, Distinct, Filter, Limit, LimitBy, LimitTies, OrElse, Project,
    Sort, Totals, Union, Values,
};
use entasis_column::Chunk;

/// Applies `f` to the inputs of a node.
pub(crate) fn map_inputs(plan: Plan, f: &mut impl FnMut(Plan) -> Plan) -> Plan {
    let mut boxed = |input: Box<Plan>| Box::new(f(*input));
    match plan {
        Plan::Filter(Filter { input, predicates }) => {
            Plan::Filter(Filter { input: boxed(input), predicates })
        }
        Plan::Project(Project { input, exprs }) => {
            Plan::Project(Project { input: boxed(input), exprs })
        }
        Plan::Aggregate(Aggregate { input, keys, calls, limit, algorithm }) => {
            Plan::Aggregate(Aggregate { input: boxed(input), keys, calls, limit, algorithm })
        }
        Plan::Distinct(Distinct { input, limit }) => {
            Plan::Distinct(Distinct { input: boxed(input), limit })
        }
        Plan::Sort(Sort { input, keys, limit, threshold }) => {
            Plan::Sort(Sort { input: boxed(input), keys, limit, threshold })
        }
        Plan::Limit(Limit { input, offset, limit }) => {
            Plan::Limit(Limit { input: boxed(input), offset, limit })
        }
        Plan::LimitTies(LimitTies { input, offset, limit, keys }) => {
            Plan::LimitTies(LimitTies { input: boxed(input), offset, limit, keys })
        }
        Plan::Bound(Bound { input, most, what, keys }) => {
            Plan::Bound(Bound { input: boxed(input), most, what, keys })
        }
        Plan::Totals(Totals { input, calls, rows }) => {
            Plan::Totals(Totals { input: boxed(input), calls, rows })
        }
        Plan::Recursive(mut recursive) => {
            recursive.base = f(recursive.base);
            recursive.step = f(recursive.step);
            Plan::Recursive(recursive)
        }
        Plan::OrElse(OrElse { input, otherwise }) => {
            Plan::OrElse(OrElse { input: boxed(input), otherwise: boxed(otherwise) })
        }
        Plan::LimitBy(LimitBy { input, keys, offset, limit }) => {
            Plan::LimitBy(LimitBy { input: boxed(input), keys, offset, limit })
        }
        Plan::Union(Union { inputs, columns }) => {
            Plan::Union(Union { inputs: inputs.into_iter().map(f).collect(), columns })
        }
        Plan::Join(mut join) => {
            join.left = f(join.left);
            join.right = f(join.right);
            Plan::Join(join)
        }
        Plan::ArrayJoin(ArrayJoin { input, arrays, left, unaligned }) => {
            Plan::ArrayJoin(ArrayJoin { input: boxed(input), arrays, left, unaligned })
        }
        rare => map_rare(rare, f),
    }
}

/// [`map_inputs`] for tables, and for nodes that are in boxes themselves.
fn map_rare(mut plan: Plan, f: &mut impl FnMut(Plan) -> Plan) -> Plan {
    let input = match &mut plan {
        Plan::Fetch(fetch) => &mut fetch.input,
        Plan::Slice(slice) => &mut slice.input,
        Plan::Fill(fill) => &mut fill.input,
        Plan::Window(window) => &mut window.input,
        _ => return plan,
    };
    let nothing = Plan::Values(Values { columns: Vec::new(), chunk: Chunk::default() });
    *input = f(std::mem::replace(input, nothing));
    plan
}
