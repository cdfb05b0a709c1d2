//! From a physical plan to pipelines: filter, project, sort, join, limits; aggregation and DISTINCT
//! in [`aggregate`]; results as a collection or a stream.
//!
//! Flow: [`run`] computes subqueries and then builds the main plan ([`build`]), so that scans know
//! the sets that they can skip by. A plan node becomes an operator of the pipeline under
//! construction, or ends it with a sink and starts the next one from what the sink keeps.
//!
//! Operators keep one state per worker; what workers share is set up once per chunk at most. Row
//! values (`Value`) appear only where a query has one of them.
#![forbid(unsafe_code)]

pub mod aggregate;
mod array_join;
mod bound;
mod build;
mod coalesce;
mod explain;
mod filter;
mod gather;
mod join;
mod limit_by;
mod recursive;
mod result;
mod run;
mod sort;
pub mod spill;
mod union;
mod window;

pub use build::build;
pub use explain::{explain_pipeline, explain_pipeline_graph};
pub use result::{ChannelSink, CollectSink, ResultStream};
pub use run::{Runtime, execute, stream};
pub use spill::{Spill, Threshold};
pub use union::Shared;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
