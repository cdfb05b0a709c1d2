//! The left side of a join: looks up each chunk's keys and outputs the matching pairs.

use std::ops::Range;
use std::sync::Arc;

use entasis_base::Result;
use entasis_base::events::{self, Event};
use entasis_column::Chunk;
use entasis_column::hash::NONE;
use entasis_column::hash::join::Found;
use entasis_pipeline::{Flow, Operator, OperatorState, Output};

use super::alternatives::Matches;
use super::build::Build;
use super::built::Built;
use super::pairs::{Matching, Pairs};
use super::spilled::left::LeftOverflow;
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
        let prober = Prober::new(&self.build.spec, self.ordered);
        Ok(Box::new(ProbeState { build: Arc::clone(&self.build), prober, overflow: None }))
    }
}

struct ProbeState {
    build: Arc<Build>,
    prober: Prober,
    overflow: Option<LeftOverflow>,
}

impl OperatorState for ProbeState {
    fn push(&mut self, mut chunk: Chunk, out: &mut dyn Output) -> Result<Flow> {
        let build = Arc::clone(&self.build);
        let (spec, built) = (&*build.spec, build.built()?);
        events::add(Event::JoinProbeTableRowCount, chunk.rows as u64);
        let is_spilled = build.partitions.boundary() > 0;
        if is_spilled {
            let new = || LeftOverflow::new(&build.spec, &build.partitions);
            chunk = self.overflow.get_or_insert_with(new).divide(chunk)?;
        }
        if built.rows == 0 && !spec.keep_left {
            return Ok(if is_spilled { Flow::More } else { Flow::Enough });
        }
        self.prober.all(spec, built, &chunk, out)
    }

    fn flush(&mut self, out: &mut dyn Output) -> Result<Flow> {
        self.prober.flush(out)
    }

    fn finish(&mut self, out: &mut dyn Output) -> Result<Flow> {
        if let Some(overflow) = &mut self.overflow {
            overflow.finish()?;
        }
        self.prober.finish(out)
    }
}

/// Looks up left rows and outputs pairs.
pub struct Prober {
    coalescer: Coalescer,
    hashes: Vec<u64>,
    found: Found,
}

impl Prober {
    pub fn new(spec: &Spec, ordered: bool) -> Self {
        let coalescer = Coalescer::new(spec.max_block_size, ordered);
        Self { coalescer, hashes: Vec::new(), found: Found::default() }
    }

    /// Joins left rows with all right rows that they can match.
    pub fn all(
        &mut self,
        spec: &Spec,
        built: &Built,
        chunk: &Chunk,
        out: &mut dyn Output,
    ) -> Result<Flow> {
        if chunk.is_empty() {
            return Ok(Flow::More);
        }
        self.each_found(spec, built, chunk, |coalescer, chunk, _, found| {
            let mut pairs = Pairs::new((spec, built), chunk, found, coalescer, out);
            pairs.all()?;
            Ok(pairs.flow)
        })
    }

    /// Calls `act` with left rows, their places in the chunk, and what was found for them.
    fn each_found(
        &mut self,
        spec: &Spec,
        built: &Built,
        chunk: &Chunk,
        mut act: impl FnMut(&mut Coalescer, &Chunk, Range<usize>, Matching<'_>) -> Result<Flow>,
    ) -> Result<Flow> {
        let Self { coalescer, hashes, found } = self;
        let columns = spec.left_columns(chunk);
        let Some(alternatives) = built.alternatives() else {
            built.find(&columns, chunk.rows, hashes, found)?;
            return act(coalescer, chunk, 0..chunk.rows, (found, None));
        };
        let mut flow = Flow::More;
        let mut lookup = alternatives.find(&columns, chunk.rows)?;
        while let Some(Matches { rows, found, lists }) = lookup.next(spec.takes_last) {
            let chunk = chunk.slice(rows.start, rows.len());
            match act(coalescer, &chunk, rows, (&found, Some(&lists)))? {
                Flow::More => {}
                Flow::Enough => return Ok(Flow::Enough),
                // The rest of the chunk is output before the wait.
                blocked @ Flow::Blocked(_) => flow = blocked,
            }
        }
        Ok(flow)
    }

    /// Joins left rows with a part of the right rows. `known` says which of them have had a match
    /// in another part, and then also which have one in this. Rows without a match are not output.
    pub fn part(
        &mut self,
        spec: &Spec,
        built: &Built,
        chunk: &Chunk,
        known: &mut [bool],
        out: &mut dyn Output,
    ) -> Result<Flow> {
        let all: Vec<u32> = (0..chunk.rows as u32).collect();
        let open = match spec.decides_left() && !spec.marks_all() {
            true => all.into_iter().filter(|row| !known[*row as usize]).collect(),
            false => all,
        };
        if open.is_empty() {
            return Ok(Flow::More);
        }
        let chunk = chunk.take(&open);
        let outputs =
            spec.strictness != JoinStrictness::None || spec.residual.is_some() || spec.keep_right;
        self.each_found(spec, built, &chunk, |coalescer, chunk, rows, found| {
            let (open, mut flow) = (&open[rows], Flow::More);
            let mut matched: Vec<bool> = found.0.starts.iter().map(|s| *s != NONE).collect();
            if outputs {
                let mut pairs = Pairs::new((spec, built), chunk, found, coalescer, out);
                pairs.keep_left = false;
                if let Some(has_match) = &mut pairs.has_match {
                    *has_match = open.iter().map(|row| known[*row as usize]).collect();
                }
                pairs.all()?;
                let Pairs { has_match, flow: after, .. } = pairs;
                matched = has_match.unwrap_or(matched);
                flow = after;
            }
            for (row, matched) in open.iter().zip(matched) {
                known[*row as usize] |= matched;
            }
            Ok(flow)
        })
    }

    /// Pushes rows that are ready.
    pub fn send(&mut self, chunk: Chunk, out: &mut dyn Output) -> Result<Flow> {
        self.coalescer.push(chunk, out)
    }

    pub fn flush(&mut self, out: &mut dyn Output) -> Result<Flow> {
        self.coalescer.flush(out)
    }

    pub fn finish(&mut self, out: &mut dyn Output) -> Result<Flow> {
        self.coalescer.finish(out)
    }
}
