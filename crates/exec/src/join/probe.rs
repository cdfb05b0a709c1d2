//! The left side of a join: looks up each chunk's keys and outputs the matching pairs.

use std::sync::Arc;

use entasis_base::Result;
use entasis_base::events::{self, Event};
use entasis_column::Chunk;
use entasis_column::hash::NONE;
use entasis_column::hash::join::Found;
use entasis_pipeline::{Flow, Operator, OperatorState, Output};

use super::build::Build;
use super::built::Built;
use super::pairs::Pairs;
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
        built.find_rows(spec, chunk, &mut self.hashes, &mut self.found)?;
        let mut pairs = self.pairs((spec, built), chunk, out);
        pairs.all()?;
        Ok(pairs.flow)
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
        built.find_rows(spec, &chunk, &mut self.hashes, &mut self.found)?;
        let mut flow = Flow::More;
        let mut matched: Vec<bool> = self.found.starts.iter().map(|s| *s != NONE).collect();
        if spec.strictness != JoinStrictness::None || spec.residual.is_some() || spec.keep_right {
            let mut pairs = self.pairs((spec, built), &chunk, out);
            pairs.keep_left = false;
            if let Some(has_match) = &mut pairs.has_match {
                *has_match = open.iter().map(|row| known[*row as usize]).collect();
            }
            pairs.all()?;
            let Pairs { has_match, flow: after, .. } = pairs;
            matched = has_match.unwrap_or(matched);
            flow = after;
        }
        for (row, matched) in open.into_iter().zip(matched) {
            known[row as usize] |= matched;
        }
        Ok(flow)
    }

    fn pairs<'a>(
        &'a mut self,
        (spec, built): (&'a Spec, &'a Built),
        chunk: &'a Chunk,
        out: &'a mut dyn Output,
    ) -> Pairs<'a> {
        Pairs {
            spec,
            keep_left: spec.keep_left,
            built,
            chunk,
            found: &self.found,
            left: Vec::new(),
            right: Vec::new(),
            has_match: spec.residual.as_ref().map(|_| vec![false; chunk.rows]),
            flow: Flow::More,
            coalescer: &mut self.coalescer,
            out,
        }
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
