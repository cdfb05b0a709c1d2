//! Turns a physical plan into pipelines: filter, project, sort, join, limits; aggregation and
//! DISTINCT are in [`aggregate`]. Results are a collection or a stream.
//!
//! [`run`] first computes the subqueries and then builds the main plan ([`build`]), so that scans
//! know the sets by which they can skip granules. A plan node either becomes an operator of the
//! pipeline under construction, or ends that pipeline with a sink and starts the next one, whose
//! source returns what the sink keeps.
//!
//! Operators keep one state per worker; what workers share is updated at most once per chunk. Row
//! values (`Value`) appear only where a query has a single value.
#![forbid(unsafe_code)]

pub mod aggregate;
mod array_join;
mod before_limit;
mod bound;
mod breakable;
mod build;
mod coalesce;
mod explain;
mod fan_out;
mod fetch;
mod fill;
mod filter;
mod gather;
mod join;
mod kept;
mod limit_by;
mod pulled;
mod recursive;
mod result;
mod run;
mod scan;
mod serial;
mod slice;
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
