//! The pairs of a merge join that are still to be output. They refer to the rows of both sides that
//! are in memory, so they are output before a side drops rows.

use std::collections::VecDeque;

use entasis_base::Result;
use entasis_base::events::{self, Event};
use entasis_column::{Chunk, Column};

use crate::join::Spec;
use crate::join::pairs::as_output;

#[derive(Default)]
pub struct Pairs {
    left: Vec<u32>,
    right: Vec<u32>,
    /// Rows that are output without a match.
    pub only_left: Vec<u32>,
    pub only_right: Vec<u32>,
}

impl Pairs {
    pub fn len(&self) -> usize {
        self.left.len() + self.only_left.len() + self.only_right.len()
    }

    pub fn add(&mut self, left: u32, right: u32) {
        self.left.push(left);
        self.right.push(right);
    }

    /// Turns the pairs into chunks.
    pub fn output(
        &mut self,
        spec: &Spec,
        left: &Chunk,
        right: &Chunk,
        ready: &mut VecDeque<Chunk>,
    ) -> Result<()> {
        if self.len() == 0 {
            return Ok(());
        }
        self.test(spec, left, right)?;
        let of_left = |rows: &[u32]| -> Vec<Column> {
            let column = |(at, ty): &(usize, _)| as_output(left.columns[*at].take(rows), ty);
            spec.left_outputs.iter().map(column).collect()
        };
        let of_right = |rows: &[u32]| -> Vec<Column> {
            let column =
                |(at, ty): &(usize, _)| as_output(right.columns[spec.stored[*at]].take(rows), ty);
            spec.right_outputs.iter().map(column).collect()
        };
        let missing = |outputs: &[(usize, entasis_types::DataType)], rows: usize| {
            let column = |(_, ty): &(usize, _)| Column::constant(Column::default_of(ty, 1), rows);
            outputs.iter().map(column).collect::<Vec<Column>>()
        };
        let mut add = |mut left: Vec<Column>, right: Vec<Column>, rows: usize| {
            events::add(Event::JoinResultRowCount, rows as u64);
            left.extend(right);
            ready.push_back(Chunk::new(left, rows));
        };
        if !self.left.is_empty() {
            add(of_left(&self.left), of_right(&self.right), self.left.len());
        }
        if !self.only_left.is_empty() {
            let rows = self.only_left.len();
            add(of_left(&self.only_left), missing(&spec.right_outputs, rows), rows);
        }
        if !self.only_right.is_empty() {
            let rows = self.only_right.len();
            add(missing(&spec.left_outputs, rows), of_right(&self.only_right), rows);
        }
        *self = Self::default();
        Ok(())
    }

    /// Keeps the pairs that pass the further condition.
    fn test(&mut self, spec: &Spec, left: &Chunk, right: &Chunk) -> Result<()> {
        let Some(residual) = spec.residual.as_ref().filter(|_| !self.left.is_empty()) else {
            return Ok(());
        };
        let of_left = residual.left.iter().map(|at| left.columns[*at].take(&self.left));
        let of_right =
            residual.right.iter().map(|at| right.columns[spec.stored[*at]].take(&self.right));
        let columns: Vec<Column> = of_left.chain(of_right).collect();
        let mask = residual.program.mask(&columns, self.left.len())?;
        let (mut lefts, mut rights) = (Vec::new(), Vec::new());
        for at in mask.ones() {
            lefts.push(self.left[at]);
            rights.push(self.right[at]);
        }
        (self.left, self.right) = (lefts, rights);
        Ok(())
    }
}
