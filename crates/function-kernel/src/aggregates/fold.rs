//! Aggregates whose state is one plain struct per group.
//!
//! A [`Fold`] defines the struct and how slices of arguments are folded into it. [`FoldAggregate`]
//! makes an [`Aggregate`] of it. Updates are generic loops over `states[group]`.

use std::any::Any;
use std::fmt::Debug;
use std::ops::Range;

use entasis_base::{Error, Result};
use entasis_column::{Bitmap, Column, StringsBuilder};
use entasis_types::DataType;

use entasis_function::window::Frames;
use entasis_function::{Aggregate, States};

/// How one aggregate folds rows into per-group structs.
pub trait Fold: Send + Sync + Debug + Clone + 'static {
    /// One group's state.
    type State: Send + 'static;

    /// The state before any row.
    fn init(&self) -> Self::State;

    /// Type of the finished result.
    fn return_type(&self) -> DataType;

    /// Adds row `i` to `states[groups[i]]`.
    fn update(&self, states: &mut [Self::State], args: &[Column], groups: &[u32]) -> Result<()>;

    /// Adds all rows to one state.
    fn update_one(&self, state: &mut Self::State, args: &[Column], rows: usize) -> Result<()> {
        self.update(std::slice::from_mut(state), args, &vec![0; rows])
    }

    /// Adds the rows whose bit is set to one state.
    fn update_one_where(
        &self,
        state: &mut Self::State,
        args: &[Column],
        kept: &Bitmap,
    ) -> Result<()> {
        let args: Vec<Column> = args.iter().map(|arg| arg.filter(kept)).collect();
        self.update_one(state, &args, kept.count_ones())
    }

    /// Merges `from`, which is spent.
    fn merge(&self, into: &mut Self::State, from: &mut Self::State) -> Result<()>;

    /// Appends the reference's bytes.
    fn write(&self, state: &Self::State, out: &mut Vec<u8>);

    /// Reads them back; untrusted.
    fn read(&self, input: &mut &[u8]) -> Result<Self::State>;

    /// Results of some states, to which more rows may be added afterwards.
    fn finish(&self, states: &mut [Self::State]) -> Result<Column>;

    /// As [`Aggregate::frames`].
    fn frames(&self, _args: &[Column], _frames: &Frames) -> Result<Option<Column>> {
        Ok(None)
    }

    /// Bytes that a state holds outside the struct.
    fn heap(&self, _state: &Self::State) -> usize {
        0
    }
}

/// A [`Fold`] as an [`Aggregate`].
#[derive(Clone, Debug)]
pub struct FoldAggregate<F>(pub F);

impl<F: Fold> FoldAggregate<F> {
    /// Boxed, as `bind` answers.
    pub fn boxed(fold: F) -> Result<Box<dyn Aggregate>> {
        Ok(Box::new(Self(fold)))
    }
}

impl<F: Fold> Aggregate for FoldAggregate<F> {
    fn return_type(&self) -> DataType {
        self.0.return_type()
    }

    fn states(&self) -> Box<dyn States> {
        Box::new(FoldStates { fold: self.0.clone(), states: Vec::new() })
    }

    fn frames(&self, args: &[Column], frames: &Frames) -> Result<Option<Column>> {
        self.0.frames(args, frames)
    }
}

struct FoldStates<F: Fold> {
    fold: F,
    states: Vec<F::State>,
}

impl<F: Fold> States for FoldStates<F> {
    fn resize(&mut self, groups: usize) {
        if groups > self.states.len() {
            let fold = &self.fold;
            self.states.resize_with(groups, || fold.init());
        }
    }

    fn update(&mut self, args: &[Column], groups: &[u32]) -> Result<()> {
        self.fold.update(&mut self.states, args, groups)
    }

    fn update_one(&mut self, args: &[Column], rows: usize, group: u32) -> Result<()> {
        self.fold.update_one(&mut self.states[group as usize], args, rows)
    }

    fn update_one_where(&mut self, args: &[Column], kept: &Bitmap, group: u32) -> Result<()> {
        self.fold.update_one_where(&mut self.states[group as usize], args, kept)
    }

    fn merge(&mut self, other: &mut dyn States, from: &[u32], groups: &[u32]) -> Result<()> {
        let other = same::<Self>(other)?;
        for (&from, &to) in from.iter().zip(groups) {
            let (into, spent) = (&mut self.states[to as usize], &mut other.states[from as usize]);
            self.fold.merge(into, spent)?;
        }
        Ok(())
    }

    fn serialize(&self, groups: Range<usize>, out: &mut StringsBuilder) -> Result<()> {
        for state in &self.states[groups] {
            self.fold.write(state, &mut out.data);
            out.check_room(0)?;
            out.close();
        }
        Ok(())
    }

    fn merge_one(&mut self, input: &mut &[u8], group: u32) -> Result<()> {
        let mut state = self.fold.read(input)?;
        self.fold.merge(&mut self.states[group as usize], &mut state)
    }

    fn finish(&mut self, groups: Range<usize>) -> Result<Column> {
        self.fold.finish(&mut self.states[groups])
    }

    fn byte_size(&self) -> usize {
        let heap: usize = self.states.iter().map(|s| self.fold.heap(s)).sum();
        heap + self.states.capacity() * size_of::<F::State>()
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// The other side of a merge, as its own type.
pub fn same<S: States>(other: &mut dyn States) -> Result<&mut S> {
    let message = "states of different aggregates cannot be merged";
    other.as_any().downcast_mut::<S>().ok_or_else(|| Error::logical(message))
}
