//! ARRAY JOIN: one output row per array element.

use std::sync::Arc;

use entasis_base::events::{self, Event};
use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, Column};
use entasis_pipeline::{Flow, Operator, OperatorState, Output, QueryContext};

/// Unfolds one or more array columns in parallel.
#[derive(Clone)]
pub struct ArrayJoin {
    /// Positions of the arrays, in the order of the output columns with their elements.
    arrays: Vec<usize>,
    /// Positions of all other columns.
    others: Vec<usize>,
    left: bool,
    /// Whether arrays may differ in length; shorter ones are then filled up with defaults.
    unaligned: bool,
    max_block_size: usize,
}

impl ArrayJoin {
    pub fn create(
        arrays: Vec<usize>,
        width: usize,
        (left, unaligned): (bool, bool),
        context: &QueryContext,
    ) -> Arc<dyn Operator> {
        let others = (0..width).filter(|i| !arrays.contains(i)).collect();
        let max_block_size = context.max_block_size.max(1);
        Arc::new(Self { arrays, others, left, unaligned, max_block_size })
    }

    /// The number of elements per row; of the longest array if lengths may differ.
    fn counts(&self, chunk: &Chunk) -> Result<Vec<u32>> {
        let mut counts = lengths(&chunk.columns[self.arrays[0]])?;
        for other in &self.arrays[1..] {
            let others = lengths(&chunk.columns[*other])?;
            if self.unaligned {
                counts.iter_mut().zip(others).for_each(|(count, other)| *count = other.max(*count));
            } else if others != counts {
                let message = "Sizes of ARRAY-JOIN-ed arrays do not match";
                return Err(Error::new(codes::SIZES_OF_ARRAYS_DONT_MATCH, message));
            }
        }
        Ok(counts)
    }

    /// Elements `from .. from + len` of the arrays of one row that has too many for one chunk.
    fn window(&self, chunk: &Chunk, row: usize, from: usize, len: usize) -> Chunk {
        let one = |p: &usize| chunk.columns[*p].slice(row, 1);
        let mut columns: Vec<Column> =
            self.others.iter().map(|p| Column::constant(one(p), len)).collect();
        for array in &self.arrays {
            if let Column::Array(array) = one(array).full() {
                let elements = array.flat().1;
                let there = elements.len().saturating_sub(from).min(len);
                let mut column = elements.slice(from.min(elements.len()), there);
                if there < len {
                    let lacking = Column::constant(elements.default_like(), len - there).full();
                    column = Column::concat(&[&column, &lacking]);
                }
                columns.push(column);
            }
        }
        Chunk::new(columns, len)
    }

    /// Unfolds the rows of a chunk. `ends` are the offsets at which each row's output ends.
    fn unfold(&self, chunk: &Chunk, ends: &[u32]) -> Chunk {
        let rows = ends[ends.len() - 1] as usize;
        let mut columns: Vec<Column> =
            self.others.iter().map(|p| chunk.columns[*p].replicate(ends)).collect();
        for array in &self.arrays {
            let Column::Array(array) = chunk.columns[*array].full() else { continue };
            let (offsets, elements) = array.flat();
            if elements.len() == rows {
                columns.push(elements);
                continue;
            }
            // Shorter arrays are filled up with a default value, which is appended to the elements.
            let default = elements.default_like();
            let all = Column::concat(&[&elements, &default]);
            let mut indices = Vec::with_capacity(rows);
            for (own, wanted) in offsets.windows(2).zip(ends.windows(2)) {
                indices.extend(own[0]..own[1]);
                indices.resize(wanted[1] as usize, elements.len() as u32);
            }
            columns.push(all.take(&indices));
        }
        Chunk::new(columns, rows)
    }
}

impl Operator for ArrayJoin {
    fn name(&self) -> String {
        "ArrayJoin".into()
    }

    fn open(&self) -> Result<Box<dyn OperatorState>> {
        Ok(Box::new(self.clone()))
    }
}

impl OperatorState for ArrayJoin {
    fn push(&mut self, chunk: Chunk, out: &mut dyn Output) -> Result<Flow> {
        let counts = self.counts(&chunk)?;
        events::add(Event::ArrayJoinRows, chunk.rows as u64);
        events::add(Event::ArrayJoinElements, counts.iter().map(|n| u64::from(*n)).sum());
        let most = self.max_block_size;
        let (mut start, mut flow) = (0, Flow::More);
        while start < chunk.rows {
            if counts[start] as usize > most {
                for from in (0..counts[start] as usize).step_by(most) {
                    let len = most.min(counts[start] as usize - from);
                    match out.push(self.window(&chunk, start, from, len))? {
                        Flow::More => {}
                        Flow::Enough => return Ok(Flow::Enough),
                        blocked @ Flow::Blocked(_) => flow = blocked,
                    }
                }
                start += 1;
                continue;
            }
            let mut ends = vec![0u32];
            let mut end = start;
            let fits = |n: u32, sum: u32| n as usize <= most && (sum as usize) < most;
            while end < chunk.rows && fits(counts[end], ends[end - start]) {
                let count = if self.left { counts[end].max(1) } else { counts[end] };
                ends.push(ends[end - start] + count);
                end += 1;
            }
            match out.push(self.unfold(&chunk.slice(start, end - start), &ends))? {
                Flow::More => {}
                Flow::Enough => return Ok(Flow::Enough),
                blocked @ Flow::Blocked(_) => flow = blocked,
            }
            start = end;
        }
        Ok(flow)
    }
}

/// The number of elements of each row's array, without expanding a constant.
fn lengths(column: &Column) -> Result<Vec<u32>> {
    match column {
        Column::Array(array) => Ok(array.offsets.windows(2).map(|w| w[1] - w[0]).collect()),
        Column::Const(c) => {
            let one = lengths(&c.value)?;
            Ok(one.repeat(c.len))
        }
        Column::Dict(_) => lengths(&column.full()),
        _ => Err(Error::new(codes::TYPE_MISMATCH, "ARRAY JOIN requires array argument")),
    }
}
