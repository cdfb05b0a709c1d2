//! The left side of a join: looks up each chunk's keys and outputs the matching pairs in blocks.

use std::sync::Arc;

use entasis_base::Result;
use entasis_base::events::{self, Event};
use entasis_column::hash::NONE;
use entasis_column::{Bitmap, Chunk, Column};
use entasis_pipeline::{Flow, Operator, OperatorState, Output};
use entasis_types::{DataType, Physical};

use super::build::{Build, Built};
use super::{JoinStrictness, Spec};
use crate::coalesce::Coalescer;

/// The operator that probes the right side.
pub struct Probe {
    pub build: Arc<Build>,
    pub ordered: bool,
}

impl Operator for Probe {
    fn name(&self) -> String {
        "JoinProbe".into()
    }

    fn open(&self) -> Result<Box<dyn OperatorState>> {
        let coalescer = Coalescer::new(self.build.spec.max_block_size, self.ordered);
        Ok(Box::new(ProbeState {
            build: Arc::clone(&self.build),
            coalescer,
            hashes: Vec::new(),
            ids: Vec::new(),
        }))
    }
}

struct ProbeState {
    build: Arc<Build>,
    coalescer: Coalescer,
    hashes: Vec<u64>,
    ids: Vec<u32>,
}

impl OperatorState for ProbeState {
    fn push(&mut self, chunk: Chunk, out: &mut dyn Output) -> Result<Flow> {
        let build = Arc::clone(&self.build);
        let (spec, built) = (&*build.spec, build.built()?);
        if built.rows == 0 && !spec.keep_left {
            return Ok(Flow::Enough);
        }
        let keys: Vec<Column> = spec.left_keys.iter().map(|k| chunk.columns[*k].clone()).collect();
        built.find(&keys, chunk.rows, &mut self.hashes, &mut self.ids)?;
        events::add(Event::JoinProbeTableRowCount, chunk.rows as u64);
        let mut pairs = Pairs {
            spec,
            built,
            chunk: &chunk,
            left: Vec::new(),
            right: Vec::new(),
            has_match: spec.residual.as_ref().map(|_| vec![false; chunk.rows]),
            flow: Flow::More,
            coalescer: &mut self.coalescer,
            out,
        };
        pairs.all(&self.ids)?;
        Ok(pairs.flow)
    }

    fn flush(&mut self, out: &mut dyn Output) -> Result<Flow> {
        self.coalescer.flush(out)
    }

    fn finish(&mut self, out: &mut dyn Output) -> Result<Flow> {
        self.coalescer.finish(out)
    }
}

/// The pairs of one left chunk that are still to be output.
struct Pairs<'a> {
    spec: &'a Spec,
    built: &'a Built,
    chunk: &'a Chunk,
    left: Vec<u32>,
    right: Vec<u32>,
    /// With a residual condition: which left rows have had a pair that passed it.
    has_match: Option<Vec<bool>>,
    flow: Flow,
    coalescer: &'a mut Coalescer,
    out: &'a mut dyn Output,
}

/// A chunk without columns may have this many blocks' rows, as its memory does not depend on them.
const COUNTED_BLOCKS: usize = 128;

impl Pairs<'_> {
    fn all(&mut self, ids: &[u32]) -> Result<()> {
        if self.spec.only_counts() {
            return self.counted(ids);
        }
        let is_cross = self.spec.key_types.is_empty() && self.spec.is_plain();
        if is_cross && self.built.rows >= self.spec.max_block_size {
            return self.blocks();
        }
        if self.spec.residual.is_some() {
            return self.all_with_residual(ids);
        }
        if let Some(closest) = &self.spec.closest {
            return self.closest(ids, closest);
        }
        let default = self.built.rows as u32;
        for (row, id) in ids.iter().enumerate() {
            let row = row as u32;
            if *id == NONE {
                if self.spec.keep_left {
                    self.add(row, default)?;
                }
                continue;
            }
            let matches = self.built.matches(*id);
            match self.spec.strictness {
                JoinStrictness::All => {
                    for other in matches {
                        if self.spec.keep_right {
                            self.built.claim(*other);
                        }
                        self.add(row, *other)?;
                    }
                }
                JoinStrictness::First => {
                    if self.spec.keep_right {
                        self.built.claim(matches[0]);
                    }
                    self.add(row, matches[0])?;
                }
                JoinStrictness::FirstOfKey => {
                    if self.built.claim(*id) {
                        self.add(row, matches[0])?;
                    }
                }
                JoinStrictness::OncePerRight => {
                    for other in matches {
                        if self.built.claim(*other) {
                            self.add(row, *other)?;
                        }
                    }
                }
                JoinStrictness::Asof | JoinStrictness::None => {
                    if self.spec.keep_right {
                        for other in matches {
                            self.built.claim(*other);
                        }
                    }
                }
            }
        }
        self.strictness()
    }

    /// Outputs chunks without columns, with as many rows as there are pairs.
    fn counted(&mut self, ids: &[u32]) -> Result<()> {
        let unmatched = u64::from(self.spec.keep_left);
        let of_id = |id: &u32| match *id {
            NONE => unmatched,
            id => self.built.match_count(id) as u64,
        };
        let mut left: u64 = ids.iter().map(of_id).sum();
        events::add(Event::JoinResultRowCount, left);
        let most = self.spec.max_block_size.saturating_mul(COUNTED_BLOCKS) as u64;
        while left > 0 && !matches!(self.flow, Flow::Enough) {
            let rows = left.min(most);
            self.send(Chunk::new(Vec::new(), rows as usize))?;
            left -= rows;
        }
        Ok(())
    }

    /// A cross join with a long right side: outputs blocks of the right side unchanged, with each
    /// left row as constants.
    fn blocks(&mut self) -> Result<()> {
        for row in 0..self.chunk.rows {
            let of_left = self
                .spec
                .left_outputs
                .iter()
                .map(|(at, ty)| as_output(self.chunk.columns[*at].slice(row, 1).full(), ty));
            let of_left: Vec<Column> = of_left.collect();
            for start in (0..self.built.rows).step_by(self.spec.max_block_size) {
                if matches!(self.flow, Flow::Enough) {
                    return Ok(());
                }
                let rows = self.spec.max_block_size.min(self.built.rows - start);
                events::add(Event::JoinResultRowCount, rows as u64);
                let left = of_left.iter().map(|value| Column::constant(value.clone(), rows));
                let right = self.built.outputs.iter().map(|column| column.slice(start, rows));
                self.send(Chunk::new(left.chain(right).collect(), rows))?;
            }
        }
        Ok(())
    }

    fn send(&mut self, chunk: Chunk) -> Result<()> {
        match self.coalescer.push(chunk, self.out)? {
            Flow::More => {}
            flow => self.flow = flow,
        }
        Ok(())
    }

    /// Outputs every left row with its closest match.
    fn closest(&mut self, ids: &[u32], closest: &super::AsofKey) -> Result<()> {
        let column = self.chunk.columns[closest.left].full();
        for (row, &id) in ids.iter().enumerate() {
            let found = match id {
                NONE => None,
                id => self.built.closest_to(id, &column, row, closest.inequality),
            };
            match found {
                Some(other) => self.add(row as u32, other)?,
                None if self.spec.keep_left => self.add(row as u32, self.built.rows as u32)?,
                None => {}
            }
        }
        self.strictness()
    }

    #[inline]
    fn add(&mut self, left: u32, right: u32) -> Result<()> {
        self.left.push(left);
        self.right.push(right);
        if self.left.len() >= self.spec.max_block_size { self.strictness() } else { Ok(()) }
    }

    /// Collects candidates first; those that pass the residual condition are matches.
    fn all_with_residual(&mut self, ids: &[u32]) -> Result<()> {
        let mut keys = Vec::new();
        for (row, id) in ids.iter().enumerate().filter(|(_, id)| **id != NONE) {
            for other in self.built.matches(*id) {
                self.left.push(row as u32);
                self.right.push(*other);
                keys.push(*id);
                if self.left.len() >= self.spec.max_block_size {
                    self.pass(&mut keys)?;
                }
            }
        }
        self.pass(&mut keys)?;
        if self.spec.keep_left
            && let Some(has_match) = self.has_match.take()
        {
            let default = self.built.rows as u32;
            for (row, _) in has_match.iter().enumerate().filter(|(_, m)| !**m) {
                self.add(row as u32, default)?;
            }
        }
        self.strictness()
    }

    /// Keeps the candidates that pass the condition and the join's rule, and outputs them.
    fn pass(&mut self, keys: &mut Vec<u32>) -> Result<()> {
        let Some(residual) = &self.spec.residual else { return Ok(()) };
        if self.left.is_empty() {
            return Ok(());
        }
        let left = residual.left.iter().map(|at| self.chunk.columns[*at].take(&self.left));
        let right = self.built.residual.iter().map(|c| c.take(&self.right));
        let columns: Vec<Column> = left.chain(right).collect();
        let mask = residual.program.mask(&columns, self.left.len())?;
        let (mut lefts, mut rights) = (Vec::new(), Vec::new());
        for at in mask.ones() {
            let (row, other) = (self.left[at], self.right[at]);
            let is_first = match &mut self.has_match {
                Some(has_match) => !std::mem::replace(&mut has_match[row as usize], true),
                None => true,
            };
            let wanted = match self.spec.strictness {
                JoinStrictness::All => true,
                JoinStrictness::First => is_first,
                JoinStrictness::FirstOfKey => is_first && self.built.claim(keys[at]),
                JoinStrictness::OncePerRight => self.built.claim(other),
                JoinStrictness::Asof | JoinStrictness::None => false,
            };
            if self.spec.keep_right && self.spec.strictness != JoinStrictness::OncePerRight {
                self.built.claim(other);
            }
            if wanted {
                lefts.push(row);
                rights.push(other);
            }
        }
        keys.clear();
        (self.left, self.right) = (lefts, rights);
        self.strictness()
    }

    /// Gathers the rows of the pairs and pushes them.
    fn strictness(&mut self) -> Result<()> {
        let (left, right) = (std::mem::take(&mut self.left), std::mem::take(&mut self.right));
        if left.is_empty() || matches!(self.flow, Flow::Enough) {
            return Ok(());
        }
        events::add(Event::JoinResultRowCount, left.len() as u64);
        let whole =
            left.len() == self.chunk.rows && left.iter().enumerate().all(|(i, l)| i == *l as usize);
        let of_left = self.spec.left_outputs.iter().map(|(at, ty)| {
            let column = &self.chunk.columns[*at];
            as_output(if whole { column.clone() } else { column.take(&left) }, ty)
        });
        let of_right = self.built.outputs.iter().map(|column| column.take(&right));
        let chunk = Chunk::new(of_left.chain(of_right).collect(), left.len());
        self.send(chunk)
    }
}

/// Makes a column Nullable if the output type is and the column is not.
fn as_output(column: Column, ty: &DataType) -> Column {
    if ty.is_nullable() && column.physical() != Physical::Nullable {
        let rows = column.len();
        return Column::nullable(column, Bitmap::constant(true, rows));
    }
    column
}
