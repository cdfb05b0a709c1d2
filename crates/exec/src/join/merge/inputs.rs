//! The sources of the sorted sides of a merge join.

use std::sync::Arc;

use entasis_base::Result;
use entasis_column::compare::SortOrder;
use entasis_expr::Expr;
use entasis_pipeline::{Sink, Source};
use entasis_plan::{Plan, physical};
use entasis_table_api::ScanSpec;

use crate::build::{Builder, Stream};
use crate::pulled::Pulled;
use crate::sort;

/// Sorts a side by its keys. The pipelines that sort are added to `after`.
pub fn sorted(
    builder: &mut Builder<'_>,
    plan: &Plan,
    keys: &[usize],
    after: &mut Vec<usize>,
) -> Result<Arc<dyn Source>> {
    let keys = keys.iter().map(|at| (*at, SortOrder::ASCENDING)).collect();
    let streams = builder.streams(plan, false)?;
    let (sink, source) = sort::create(keys, None, None, builder.context, &builder.runtime.spill);
    let sink: Arc<dyn Sink> = sink;
    after.extend(builder.end(streams, &sink, false));
    Ok(source)
}

/// A side that comes in the order of the keys. Of the scan below, only the rows for which the
/// conditions hold are read. What must end before is added to `after`.
pub fn in_order(
    builder: &mut Builder<'_>,
    plan: &Plan,
    conditions: &[Expr],
    after: &mut Vec<usize>,
) -> Result<Arc<dyn Source>> {
    let mut streams = match conditions {
        [] => builder.streams(plan, true)?,
        _ => of_range(builder, plan, conditions)?,
    };
    let Some(stream) = streams.pop().filter(|_| streams.is_empty()) else {
        return Err(entasis_base::Error::logical("a side that comes in order is one stream"));
    };
    after.extend(&stream.after);
    Ok(Pulled::source(stream))
}

/// The streams of a plan whose scan tests these conditions first.
fn of_range(builder: &mut Builder<'_>, plan: &Plan, conditions: &[Expr]) -> Result<Vec<Stream>> {
    let whole = scan_below(plan).map(std::ptr::from_ref);
    let mut plan = plan.clone();
    if let Some(spec) = scan_below_mut(&mut plan) {
        spec.filter.splice(0..0, conditions.iter().cloned());
    }
    // The filters of joins above are meant for every range of the scan.
    let known = builder.key_filters.len();
    if let Some((whole, part)) = whole.zip(scan_below(&plan)) {
        let filters = builder.key_filters.iter().filter(|(of, _)| std::ptr::eq(*of, whole));
        let filters: Vec<_> = filters.map(|(_, f)| (std::ptr::from_ref(part), f.clone())).collect();
        builder.key_filters.extend(filters);
    }
    let streams = builder.streams(&plan, true);
    builder.key_filters.truncate(known);
    streams
}

/// The scan below filters and projections.
fn scan_below(plan: &Plan) -> Option<&ScanSpec> {
    match plan {
        Plan::Scan(scan) => Some(&scan.spec),
        Plan::Filter(physical::Filter { input, .. })
        | Plan::Project(physical::Project { input, .. }) => scan_below(input),
        _ => None,
    }
}

fn scan_below_mut(plan: &mut Plan) -> Option<&mut ScanSpec> {
    match plan {
        Plan::Scan(scan) => Some(&mut scan.spec),
        Plan::Filter(physical::Filter { input, .. })
        | Plan::Project(physical::Project { input, .. }) => scan_below_mut(input),
        _ => None,
    }
}
