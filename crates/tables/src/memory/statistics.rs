//! Statistics of the columns of a table in memory, from a sample that is taken when a statement
//! asks, and kept until the rows change.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

use entasis_base::sync::lock;
use entasis_table_api::ColumnStatistics;
use entasis_table_api::statistics::{Sampler, SummaryLimits};

use super::{Block, Blocks, Columns};

/// So many rows are sampled: all of a small table.
const SAMPLE: usize = 8192;
const LIMITS: SummaryLimits = SummaryLimits { common: 64, buckets: 64 };

/// The statistics that were asked for, by the number of the column.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The rows of which they are. A list that changes gets another place while this is held.
    blocks: Weak<Vec<Block>>,
    by_id: HashMap<u32, Arc<ColumnStatistics>>,
}

/// Shared by the snapshots of a table.
pub(super) type KnownStatistics = Arc<Mutex<Known>>;

/// The statistics of the column at a position, computed if they are not known for these rows.
pub(super) fn statistics_of(
    known: &KnownStatistics,
    columns: &Arc<Columns>,
    blocks: &Blocks,
    position: usize,
) -> Option<Arc<ColumnStatistics>> {
    let id = *columns.ids.get(position)?;
    let is_of_these = |known: &Known| std::ptr::eq(known.blocks.as_ptr(), Arc::as_ptr(blocks));
    {
        let known = lock(known);
        if is_of_these(&known)
            && let Some(found) = known.by_id.get(&id)
        {
            return Some(Arc::clone(found));
        }
    }
    let rows: usize = blocks.iter().map(|block| block.chunk.rows).sum();
    let mut sampler = Sampler::new(rows, SAMPLE);
    for block in blocks.iter() {
        sampler.push(&block.column(columns, position, 0, block.chunk.rows));
    }
    let found = match sampler.finish() {
        Some(sample) => ColumnStatistics::of_sample(&sample, rows as u64, LIMITS),
        None => ColumnStatistics::of_rows(0),
    };
    let found = Arc::new(found);
    let mut known = lock(known);
    if !is_of_these(&known) {
        *known = Known { blocks: Arc::downgrade(blocks), by_id: HashMap::new() };
    }
    known.by_id.insert(id, Arc::clone(&found));
    Some(found)
}
