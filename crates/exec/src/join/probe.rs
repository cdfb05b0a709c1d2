//! The left side of a join: looks up each chunk's keys and outputs the matching pairs in blocks.

use std::sync::Arc;

use entasis_base::Result;
use entasis_base::events::{self, Event};
use entasis_column::hash::NONE;
use entasis_column::hash::join::Found;
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
            found: Found::default(),
        }))
    }
}

struct ProbeState {
    build: Arc<Build>,
    coalescer: Coalescer,
    hashes: Vec<u64>,
    found: Found,
}

impl OperatorState for ProbeState {
    fn push(&mut self, chunk: Chunk, out: &mut dyn Output) -> Result<Flow> {
        let build = Arc::clone(&self.build);
        let (spec, built) = (&*build.spec, build.built()?);
        if built.rows == 0 && !spec.keep_left {
            return Ok(Flow::Enough);
        }
        let keys: Vec<Column> = spec.left_keys.iter().map(|k| chunk.columns[*k].clone()).collect();
        events::add(Event::JoinProbeTableRowCount, chunk.rows as u64);
        let Some(alternatives) = built.alternatives() else {
            built.find(&keys, chunk.rows, &mut self.hashes, &mut self.found)?;
            let input = (&chunk, &self.found, None);
            return output(spec, built, input, &mut self.coalescer, out);
        };
        let mut flow = Flow::More;
        let mut lookup = alternatives.find(&keys, chunk.rows)?;
        while let Some(matches) = lookup.next(spec.takes_last) {
            let chunk = chunk.slice(matches.rows.start, matches.rows.len());
            let input = (&chunk, &matches.found, Some(&matches.lists[..]));
            match output(spec, built, input, &mut self.coalescer, out)? {
                Flow::More => {}
                Flow::Enough => return Ok(Flow::Enough),
                // The rest of the chunk is output before the wait.
                blocked @ Flow::Blocked(_) => flow = blocked,
            }
        }
        Ok(flow)
    }

    fn flush(&mut self, out: &mut dyn Output) -> Result<Flow> {
        self.coalescer.flush(out)
    }

    fn finish(&mut self, out: &mut dyn Output) -> Result<Flow> {
        self.coalescer.finish(out)
    }
}

/// Outputs the pairs of a left chunk, from what was found for its rows.
fn output(
    spec: &Spec,
    built: &Built,
    (chunk, found, lists): (&Chunk, &Found, Option<&[u32]>),
    coalescer: &mut Coalescer,
    out: &mut dyn Output,
) -> Result<Flow> {
    let (left, right) = (Vec::new(), Vec::new());
    let has_match = spec.residual.as_ref().map(|_| vec![false; chunk.rows]);
    let flow = Flow::More;
    let mut pairs =
        Pairs { spec, built, chunk, found, lists, left, right, has_match, flow, coalescer, out };
    pairs.all()?;
    Ok(pairs.flow)
}

/// The pairs of one left chunk that are still to be output.
struct Pairs<'a> {
    spec: &'a Spec,
    built: &'a Built,
    chunk: &'a Chunk,
    found: &'a Found,
    /// The lists that `found` refers to, if they are not those of the table.
    lists: Option<&'a [u32]>,
    left: Vec<u32>,
    right: Vec<u32>,
    /// With a residual condition: which left rows have had a pair that passed it.
    has_match: Option<Vec<bool>>,
    flow: Flow,
    coalescer: &'a mut Coalescer,
    out: &'a mut dyn Output,
}

/// Most candidates that are tested together where one match decides about a row.
const FIRST_CANDIDATES: usize = 1024;

/// A chunk without columns may have this many blocks' rows, as its memory does not depend on them.
const COUNTED_BLOCKS: usize = 128;

impl<'a> Pairs<'a> {
    fn all(&mut self) -> Result<()> {
        let spec = self.spec;
        if spec.only_counts() {
            return self.counted();
        }
        if spec.is_cross() && spec.is_plain() && self.built.rows >= spec.max_block_size {
            return self.blocks();
        }
        if spec.residual.is_some() {
            return self.all_with_residual();
        }
        if let Some(closest) = &spec.closest {
            return self.closest(closest);
        }
        match spec.strictness {
            _ if spec.keep_right => self.claimed(),
            JoinStrictness::All if self.built.is_unique() => self.first(),
            JoinStrictness::All => self.several(),
            JoinStrictness::First | JoinStrictness::None => self.first(),
            _ => self.claimed(),
        }
    }

    /// The rows of the key that left row `row` has.
    #[inline]
    fn matches(&self, row: usize) -> &'a [u32] {
        let start = &self.found.starts[row];
        match *start {
            NONE => &[],
            _ => self.rows_at(start, self.found.counts.get(row).map_or(1, |count| *count)),
        }
    }

    /// The rows of a key that starts here.
    #[inline]
    fn rows_at(&self, start: &'a u32, count: u32) -> &'a [u32] {
        match self.lists {
            Some(lists) => &lists[*start as usize..(*start + count) as usize],
            None => self.built.matches(start, count),
        }
    }

    /// At most one pair for each left row: its first match, or none.
    fn first(&mut self) -> Result<()> {
        let (spec, built) = (self.spec, self.built);
        let (starts, default) = (&self.found.starts, built.rows as u32);
        let needs_right = !spec.right_outputs.is_empty();
        let lists = self.lists;
        let row_of = |start: u32| match (start, lists) {
            (NONE, _) => default,
            (start, _) if built.is_unique() || !needs_right => start,
            (start, Some(lists)) => lists[start as usize],
            (start, None) => built.matches(&start, 1)[0],
        };
        let keeps_matches = spec.strictness != JoinStrictness::None;
        if keeps_matches && spec.keep_left {
            let right: Vec<u32> = starts.iter().map(|start| row_of(*start)).collect();
            return self.emit(None, &right);
        }
        let (mut left, mut right) = (vec![0; starts.len()], vec![0; starts.len()]);
        let mut count = 0;
        for (row, start) in starts.iter().enumerate() {
            left[count] = row as u32;
            right[count] = *start;
            count += usize::from((*start != NONE) == keeps_matches);
        }
        left.truncate(count);
        right.truncate(count);
        if needs_right && !(keeps_matches && built.is_unique()) {
            right.iter_mut().for_each(|start| *start = row_of(*start));
        }
        self.emit((count < starts.len()).then_some(&left[..]), &right)
    }

    /// All pairs, where keys have several rows.
    fn several(&mut self) -> Result<()> {
        let (most, default) = (self.spec.max_block_size, [self.built.rows as u32]);
        for row in 0..self.chunk.rows {
            let mut matches = self.matches(row);
            if matches.is_empty() && self.spec.keep_left {
                matches = &default;
            }
            while !matches.is_empty() {
                let (now, later) = matches.split_at(matches.len().min(most - self.left.len()));
                self.left.resize(self.left.len() + now.len(), row as u32);
                self.right.extend_from_slice(now);
                matches = later;
                if self.left.len() >= most {
                    self.strictness()?;
                    if matches!(self.flow, Flow::Enough) {
                        return Ok(());
                    }
                }
            }
        }
        self.strictness()
    }

    /// The pairs of joins that mark what has had a match.
    fn claimed(&mut self) -> Result<()> {
        let default = self.built.rows as u32;
        for row in 0..self.chunk.rows {
            let matches = self.matches(row);
            let row = row as u32;
            if matches.is_empty() {
                if self.spec.keep_left {
                    self.add(row, default)?;
                }
                continue;
            }
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
                    if self.built.claim(self.found.starts[row as usize]) {
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
    fn counted(&mut self) -> Result<()> {
        let Found { starts, counts } = self.found;
        let matched = starts.iter().filter(|start| **start != NONE).count();
        let mut left = match counts.is_empty() {
            true => matched as u64,
            false => counts.iter().map(|count| u64::from(*count)).sum(),
        };
        if self.spec.keep_left {
            left += (starts.len() - matched) as u64;
        }
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
    fn closest(&mut self, closest: &super::AsofKey) -> Result<()> {
        let column = self.chunk.columns[closest.left].full();
        for row in 0..self.chunk.rows {
            let matches = self.matches(row);
            let found = self.built.closest_of(matches, &column, row, closest.inequality);
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
    fn all_with_residual(&mut self) -> Result<()> {
        let mut keys = Vec::new();
        // Where one match decides about a row, its other candidates are not looked at.
        let one_decides =
            matches!(self.spec.strictness, JoinStrictness::First | JoinStrictness::None)
                && !self.spec.keep_right;
        let most = match one_decides {
            true => self.spec.max_block_size.min(FIRST_CANDIDATES),
            false => self.spec.max_block_size,
        };
        for row in 0..self.chunk.rows {
            for other in self.matches(row) {
                self.left.push(row as u32);
                self.right.push(*other);
                keys.push(self.found.starts[row]);
                if self.left.len() >= most {
                    self.pass(&mut keys)?;
                    let is_decided = self.has_match.as_ref().is_some_and(|matched| matched[row]);
                    if one_decides && is_decided {
                        break;
                    }
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

    /// Gathers the rows of the pairs that were collected and pushes them.
    fn strictness(&mut self) -> Result<()> {
        let (mut left, mut right) =
            (std::mem::take(&mut self.left), std::mem::take(&mut self.right));
        self.emit(Some(&left), &right)?;
        left.clear();
        right.clear();
        (self.left, self.right) = (left, right);
        Ok(())
    }

    /// Gathers the rows of pairs and pushes them in blocks. Without `left` every left row is in one
    /// pair, in order.
    fn emit(&mut self, left: Option<&[u32]>, right: &[u32]) -> Result<()> {
        events::add(Event::JoinResultRowCount, right.len() as u64);
        let most = self.spec.max_block_size;
        for start in (0..right.len()).step_by(most) {
            if matches!(self.flow, Flow::Enough) {
                return Ok(());
            }
            let range = start..right.len().min(start + most);
            let rows = range.len();
            let all = rows == self.chunk.rows;
            let in_order =
                |left: &[u32]| all && left.iter().enumerate().all(|(i, l)| i == *l as usize);
            let left = left.map(|left| &left[range.clone()]).filter(|left| !in_order(left));
            let of_left = self.spec.left_outputs.iter().map(|(at, ty)| {
                let column = &self.chunk.columns[*at];
                let column = match left {
                    Some(left) => column.take(left),
                    None if all => column.clone(),
                    None => column.slice(start, rows),
                };
                as_output(column, ty)
            });
            let of_right =
                self.built.outputs.iter().map(|column| column.take(&right[range.clone()]));
            let chunk = Chunk::new(of_left.chain(of_right).collect(), rows);
            self.send(chunk)?;
        }
        Ok(())
    }
}

/// Makes a column Nullable if the output type is and the column is not.
pub fn as_output(column: Column, ty: &DataType) -> Column {
    if ty.is_nullable() && column.physical() != Physical::Nullable {
        let rows = column.len();
        return Column::nullable(column, Bitmap::constant(true, rows));
    }
    column
}
