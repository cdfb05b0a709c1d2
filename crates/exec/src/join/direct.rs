//! Direct joins: the right side is a table that keeps the hash tables that queries build of it. The
//! first query after a change of the table builds one, and the others only look rows up.

use std::sync::Arc;

use entasis_base::Result;
use entasis_expr::ColumnId;
use entasis_pipeline::Operator;
use entasis_plan::{Join, JoinAlgorithm};

use super::Spec;
use super::build::Build;
use super::probe::Probe;
use crate::build::{Builder, Stream, add};
use crate::kept::Place;

/// Where the hash table of a direct join is kept.
pub fn place(join: &Join, spec: &Spec) -> Option<Place> {
    let JoinAlgorithm::Direct = join.algorithm else { return None };
    let outputs = join.right.outputs();
    let (keys, stored) = (&spec.right_keys, &spec.stored);
    let columns: Vec<ColumnId> = keys.iter().chain(stored).map(|at| outputs[*at]).collect();
    let of_residual = spec.residual.as_ref().map(|residual| &residual.right);
    let about = format!(
        "join with {} keys {:?} for {:?} and {of_residual:?}, last {}",
        keys.len(),
        spec.key_types,
        spec.right_outputs,
        spec.takes_last
    );
    Place::of(&join.right, &columns, &about)
}

/// The left side's streams, which probe a right side that is there already.
pub fn streams(
    builder: &mut Builder<'_>,
    join: &Join,
    build: Arc<Build>,
    ordered: bool,
) -> Result<Vec<Stream>> {
    let mut streams = builder.streams(&join.left, ordered)?;
    let probe: Arc<dyn Operator> = Arc::new(Probe { build, ordered });
    add(&mut streams, &probe);
    streams.iter_mut().for_each(|stream| stream.selective = true);
    Ok(streams)
}
