//! Predicates: conjuncts that decide which rows pass, in the order that has been cheapest so far.
//!
//! Each worker has its own clone, which measures the cost of each conjunct per row and the share of
//! rows that pass. Conjuncts that can fail stay behind the others, so `x != 0 AND intDiv(1, x) > 0`
//! is safe in any order. NULL counts as false.
//!
//! A conjunct over one dictionary column is evaluated once per dictionary, and its result is then
//! looked up by code.

use std::sync::Arc;
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::{Error, Result};
use entasis_column::{Chunk, Column, DictColumn, Mask};

use crate::program::{Program, SPARSE, can_fail};
use crate::{ColumnId, Expr};

/// Number of chunks after which the order is checked again.
const REORDER_EVERY: u32 = 16;
/// Weight of the newest measurement.
const NEWEST: f32 = 0.25;

#[derive(Clone, Debug)]
struct Conjunct {
    program: Arc<Program>,
    /// Positions of its columns in the input.
    inputs: Arc<[usize]>,
    can_fail: bool,
    by_dictionary: bool,
    /// Position in the query, which decides among conjuncts of equal cost and keeps the order of
    /// those that can fail.
    rank: usize,
    /// Nanoseconds per row, and share of rows that pass; negative until they were measured.
    cost: f32,
    pass: f32,
    /// The last dictionary: its identity, the number of rows seen with it, and its mask if it was
    /// computed.
    memo: Option<(u64, usize, Option<Mask>)>,
}

/// Conjuncts over the columns of an input. Cloning is cheap; each worker has its own clone.
#[derive(Clone, Debug)]
pub struct Predicate {
    conjuncts: Vec<Conjunct>,
    calls: u32,
}

impl Predicate {
    /// Prepares `conjuncts` for chunks with the columns `input`.
    pub fn new(conjuncts: &[Expr], input: &[ColumnId]) -> Result<Self> {
        let one = |(rank, expr): (usize, &Expr)| {
            let mut columns = Vec::new();
            expr.columns(&mut columns);
            let inputs = columns
                .iter()
                .map(|id| input.iter().position(|i| i == id))
                .collect::<Option<Vec<_>>>()
                .ok_or_else(|| Error::logical("a predicate reads a column that is not there"))?;
            let program = Program::new(std::slice::from_ref(expr), &columns)?;
            let can_fail = can_fail(expr);
            let by_dictionary = inputs.len() == 1 && !can_fail && program.is_by_row();
            Ok(Conjunct {
                program: Arc::new(program),
                inputs: inputs.into(),
                can_fail,
                by_dictionary,
                rank,
                cost: -1.0,
                pass: -1.0,
                memo: None,
            })
        };
        let mut conjuncts: Vec<Conjunct> =
            conjuncts.iter().enumerate().map(one).collect::<Result<_>>()?;
        conjuncts.sort_by_key(|c| c.can_fail);
        Ok(Self { conjuncts, calls: 0 })
    }

    /// Whether every row passes because there are no conjuncts.
    pub fn is_empty(&self) -> bool {
        self.conjuncts.is_empty()
    }

    /// Positions in the input of all columns that are read, in the order of their first use.
    pub fn inputs(&self) -> Vec<usize> {
        let mut out = Vec::new();
        for position in self.conjuncts.iter().flat_map(|c| c.inputs.iter()) {
            if !out.contains(position) {
                out.push(*position);
            }
        }
        out
    }

    /// The rows that pass.
    pub fn mask(&mut self, chunk: &Chunk) -> Result<Mask> {
        self.mask_with(chunk.rows, &mut |position| {
            chunk.columns.get(position).cloned().ok_or_else(|| {
                Error::logical(format!("predicate reads column {position}, which is not there"))
            })
        })
    }

    /// Like [`Self::mask`], but asks for a column only when a conjunct needs it, so columns of rows
    /// that earlier conjuncts exclude are never decoded. `fetch` may be called more than once for a
    /// position.
    pub fn mask_with(
        &mut self,
        rows: usize,
        fetch: &mut dyn FnMut(usize) -> Result<Column>,
    ) -> Result<Mask> {
        self.mask_among(Mask::constant(true, rows), &[], fetch)
    }

    /// Like [`Self::mask_with`], for the rows that `alive` leaves. The conjuncts with the numbers
    /// `decided` in the query are true in these rows, and are not evaluated.
    pub fn mask_among(
        &mut self,
        mut alive: Mask,
        decided: &[usize],
        fetch: &mut dyn FnMut(usize) -> Result<Column>,
    ) -> Result<Mask> {
        let rows = alive.len();
        self.calls = self.calls.wrapping_add(1);
        events::one(Event::PredicateEvaluations);
        if self.conjuncts.len() > 1 && self.calls.is_multiple_of(REORDER_EVERY) {
            self.reorder();
        }
        let measure = self.conjuncts.len() > 1;
        let mut count = alive.count_ones();
        for conjunct in self.conjuncts.iter_mut().filter(|c| !decided.contains(&c.rank)) {
            if count == 0 {
                break;
            }
            let started = measure.then(Instant::now);
            let before = count;
            events::one(Event::ConjunctEvaluations);
            events::add(Event::ConjunctRows, before as u64);
            alive = conjunct.run(&alive, count, rows, fetch)?;
            count = alive.count_ones();
            if let Some(started) = started {
                let nanos = started.elapsed().as_nanos() as f32;
                blend(&mut conjunct.cost, nanos / before as f32);
                blend(&mut conjunct.pass, count as f32 / before as f32);
            }
        }
        Ok(alive)
    }

    /// Puts the conjunct that excludes a row with the least work first. Conjuncts that can fail
    /// stay behind, in their order.
    fn reorder(&mut self) {
        let key = |c: &Conjunct| match (c.can_fail, c.cost < 0.0) {
            (true, _) => f32::MAX,
            (_, true) => 1e30,
            _ => c.cost / (1.001 - c.pass).max(0.001),
        };
        self.conjuncts.sort_by(|a, b| key(a).total_cmp(&key(b)).then(a.rank.cmp(&b.rank)));
    }
}

fn blend(average: &mut f32, newest: f32) {
    *average = if *average < 0.0 { newest } else { *average + (newest - *average) * NEWEST };
}

impl Conjunct {
    /// The rows of `alive` (`count` of them) that pass.
    fn run(
        &mut self,
        alive: &Mask,
        count: usize,
        rows: usize,
        fetch: &mut dyn FnMut(usize) -> Result<Column>,
    ) -> Result<Mask> {
        let columns = self.inputs.iter().map(|p| fetch(*p)).collect::<Result<Vec<_>>>()?;
        if let (true, [Column::Dict(dict)]) = (self.by_dictionary, &columns[..])
            && let Some(of_value) = self.dictionary_mask(dict)?
        {
            return Ok(look_up(&dict.codes, of_value, alive));
        }
        if count == rows || (!self.can_fail && count * SPARSE >= rows) {
            let mask = self.program.mask(&columns, rows)?;
            return Ok(if count == rows { mask } else { mask.and(alive) });
        }
        let some: Vec<Column> = columns.iter().map(|c| c.filter(alive)).collect();
        Ok(self.program.mask(&some, count)?.spread(alive))
    }

    /// The mask of dictionary values that pass. It is computed only after enough rows were seen
    /// with this dictionary.
    fn dictionary_mask(&mut self, dict: &DictColumn) -> Result<Option<&Mask>> {
        let (values, id) = (&dict.dictionary.values, dict.dictionary.id);
        if self.memo.as_ref().is_none_or(|(seen, ..)| *seen != id) {
            self.memo = Some((id, 0, None));
        }
        let Some((_, seen, mask)) = &mut self.memo else { return Ok(None) };
        *seen += dict.codes.len();
        if mask.is_none() && values.len() <= 4 * *seen {
            let count = values.len();
            *mask = Some(self.program.mask(std::slice::from_ref(values), count)?);
        }
        Ok(mask.as_ref())
    }
}

/// The rows of `alive` whose dictionary value passes.
fn look_up(codes: &[u32], of_value: &Mask, alive: &Mask) -> Mask {
    if of_value.none() {
        return Mask::constant(false, codes.len());
    }
    let bits = of_value.words();
    let words = alive.words().iter().zip(codes.chunks(64)).map(|(&word, codes)| {
        if word == 0 {
            return 0;
        }
        let mut out = 0u64;
        for (i, &code) in codes.iter().enumerate() {
            out |= (bits[code as usize / 64] >> (code % 64) & 1) << i;
        }
        out & word
    });
    Mask::from_words(words.collect(), codes.len())
}

#[cfg(test)]
mod tests;
