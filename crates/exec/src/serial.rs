//! A source that one worker reads, so that its rows stay in order.

use std::sync::Arc;

use entasis_base::Result;
use entasis_pipeline::{Reader, Report, Source};
use entasis_plan::Plan;
use entasis_plan::physical::{ArrayJoin, Bound, Filter, Limit, Project, Sort, Totals};

/// The source inside, with one worker.
pub struct Serial(pub Arc<dyn Source>);

impl Source for Serial {
    fn name(&self) -> String {
        self.0.name()
    }

    fn report(&self) -> Report {
        self.0.report()
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        self.0.reader()
    }

    fn morsels(&self) -> Option<usize> {
        Some(1)
    }
}

/// Whether the rows of a plan have the order of a sort, in which functions like `groupArray` must
/// see them.
pub fn is_sorted(plan: &Plan) -> bool {
    match plan {
        Plan::Sort(Sort { .. }) => true,
        Plan::Filter(Filter { input, .. })
        | Plan::Project(Project { input, .. })
        | Plan::Limit(Limit { input, .. })
        | Plan::Bound(Bound { input, .. })
        | Plan::Totals(Totals { input, .. })
        | Plan::ArrayJoin(ArrayJoin { input, .. }) => is_sorted(input),
        _ => false,
    }
}
