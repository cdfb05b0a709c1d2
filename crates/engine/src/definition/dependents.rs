//! MATERIALIZED columns that must be computed anew when other columns change.

use std::collections::BTreeSet;

use entasis_base::Result;
use entasis_function::FunctionContext;
use entasis_table_api::{DefaultKind, Schema};

use super::defaults::Defaults;

/// Columns to compute anew.
#[derive(Debug, Default)]
pub(crate) struct Dependents {
    /// Their positions.
    pub(crate) columns: Vec<usize>,
    /// Positions of the stored columns that they read, apart from one another.
    pub(crate) reads: Vec<usize>,
}

/// The stored MATERIALIZED columns that read one of the columns at these positions, directly or
/// through others.
pub(crate) fn dependents(
    schema: &Schema,
    changed: &[usize],
    function_context: &dyn FunctionContext,
) -> Result<Dependents> {
    let is_materialized =
        |at: &usize| schema.columns[*at].default_kind() == Some(DefaultKind::Materialized);
    let materialized: Vec<usize> = (0..schema.stored().len()).filter(is_materialized).collect();
    if materialized.is_empty() {
        return Ok(Dependents::default());
    }
    let nothing = schema.columns.iter().map(|_| None).collect();
    let defaults = Defaults::new(schema, nothing, function_context);
    let mut reads: Vec<(usize, Vec<usize>)> = Vec::with_capacity(materialized.len());
    for at in materialized {
        reads.push((at, defaults.stored_reads(at)?));
    }
    let mut changing: BTreeSet<usize> = changed.iter().copied().collect();
    let mut columns = Vec::new();
    // Each round finds the columns that read one of the round before.
    loop {
        let before = columns.len();
        for (at, reads) in &reads {
            if !changing.contains(at) && reads.iter().any(|read| changing.contains(read)) {
                changing.insert(*at);
                columns.push(*at);
            }
        }
        if columns.len() == before {
            break;
        }
    }
    let of_columns = reads.iter().filter(|(at, _)| columns.contains(at));
    let read: BTreeSet<usize> = of_columns.flat_map(|(_, reads)| reads.iter().copied()).collect();
    let reads = read.into_iter().filter(|at| !columns.contains(at)).collect();
    Ok(Dependents { columns, reads })
}
