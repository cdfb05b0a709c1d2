//! ARRAY JOIN: one row per element.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, Column};
use entasis_pipeline::{Flow, Operator, OperatorState, Output, QueryContext};

/// Unfolds array columns side by side.
#[derive(Clone)]
pub struct ArrayJoin {
    /// Positions of the arrays, in the order of the elements' columns.
    arrays: Vec<usize>,
    /// Positions of all other columns.
    others: Vec<usize>,
    left: bool,
    /// Shorter arrays go on with defaults.
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

    /// Rows `start .. end` of the chunk, unfolded.
    fn unfold(&self, chunk: &Chunk, arrays: &[Column], ends: &[u32]) -> Chunk {
        let rows = ends[ends.len() - 1] as usize;
        let mut columns: Vec<Column> =
            self.others.iter().map(|p| chunk.columns[*p].replicate(ends)).collect();
        for array in arrays {
            let Column::Array(array) = array else { continue };
            let (offsets, elements) = array.flat();
            if elements.len() == rows {
                columns.push(elements);
                continue;
            }
            // What an array lacks are defaults: one is put at the end.
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
        let arrays: Vec<Column> = self.arrays.iter().map(|p| chunk.columns[*p].full()).collect();
        let lengths = |column: &Column| -> Result<Vec<u32>> {
            let Column::Array(array) = column else {
                return Err(Error::new(codes::TYPE_MISMATCH, "ARRAY JOIN requires array argument"));
            };
            Ok(array.offsets.windows(2).map(|w| w[1] - w[0]).collect())
        };
        let mut counts = lengths(&arrays[0])?;
        for other in &arrays[1..] {
            let others = lengths(other)?;
            if self.unaligned {
                counts.iter_mut().zip(others).for_each(|(count, other)| *count = other.max(*count));
            } else if others != counts {
                let message = "Sizes of ARRAY-JOIN-ed arrays do not match";
                return Err(Error::new(codes::SIZES_OF_ARRAYS_DONT_MATCH, message));
            }
        }
        let mut start = 0;
        let mut flow = Flow::More;
        while start < chunk.rows {
            let mut ends = vec![0u32];
            let mut end = start;
            while end < chunk.rows && (ends[end - start] as usize) < self.max_block_size {
                let count = if self.left { counts[end].max(1) } else { counts[end] };
                ends.push(ends[end - start] + count);
                end += 1;
            }
            let part = chunk.slice(start, end - start);
            let slices: Vec<Column> = arrays.iter().map(|a| a.slice(start, end - start)).collect();
            match out.push(self.unfold(&part, &slices, &ends))? {
                Flow::More => {}
                Flow::Enough => return Ok(Flow::Enough),
                blocked @ Flow::Blocked(_) => flow = blocked,
            }
            start = end;
        }
        Ok(flow)
    }
}
