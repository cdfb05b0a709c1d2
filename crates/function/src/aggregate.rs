//! The definition of an aggregate function: a const [`AggregateDef`] that is bound to types and
//! then makes [`States`], typed arrays of states indexed by a dense group id.

pub mod args;
pub mod binary;

use std::any::Any;
use std::fmt::Debug;
use std::ops::Range;

use entasis_base::Result;
use entasis_column::{Bitmap, Column, Strings, StringsBuilder};
use entasis_types::{DataType, Value};

use crate::FunctionContext;
use crate::window::Frames;

/// Parameters and argument types of one aggregate call.
#[derive(Clone, Copy, Debug)]
pub struct AggregateArgs<'a> {
    /// Constants in the first pair of parentheses: `quantiles(0.5, 0.9)(x)`.
    pub params: &'a [Value],
    /// Types of the arguments.
    pub types: &'a [DataType],
}

/// An aggregate function. Written as `AggregateDef { name: ..., ..AggregateDef::DEFAULT }`.
pub struct AggregateDef {
    /// Name as the reference spells it, without combinators.
    pub name: &'static str,
    /// Further names of the function.
    pub aliases: &'static [&'static str],
    /// Whether name and aliases match without regard to case.
    pub case_insensitive: bool,
    /// One or two sentences for the manual.
    pub description: &'static str,
    /// Complete queries and their results as TSV. Tests run them, and `system.functions` shows
    /// them.
    pub examples: &'static [(&'static str, &'static str)],
    /// Whether the function itself sees Nullable arguments (`count`, `any_respect_nulls`).
    /// Otherwise rows with a NULL argument are skipped before they reach it, and the result is
    /// Nullable: NULL if no row was left.
    pub sees_nulls: bool,
    /// With `sees_nulls == false`: whether the result for Nullable arguments is not Nullable
    /// (`uniq`, `groupArray`).
    pub plain_over_nulls: bool,
    /// Whether the result does not depend on the order of rows, except for rounding.
    pub unordered: bool,
    /// Whether a state has a few bytes, is merged about as fast as a row is added, and does not
    /// depend on the order of rows.
    pub small_state: bool,
    /// Checks the arguments and prepares the function.
    pub bind: fn(AggregateArgs<'_>, &dyn FunctionContext) -> Result<Box<dyn Aggregate>>,
}

impl AggregateDef {
    /// The usual values of all fields except name and bind.
    pub const DEFAULT: Self = Self {
        name: "",
        aliases: &[],
        case_insensitive: false,
        description: "",
        examples: &[],
        sees_nulls: false,
        plain_over_nulls: false,
        unordered: false,
        small_state: false,
        bind: |_, _| Err(entasis_base::Error::logical("aggregate without bind")),
    };
}

/// An aggregate bound to types: immutable, shared by all workers.
pub trait Aggregate: Send + Sync + Debug {
    /// Type of the result.
    fn return_type(&self) -> DataType;

    /// An empty array of states.
    fn states(&self) -> Box<dyn States>;

    /// Like [`Self::states`], for states that will be serialised, or merged from serialised ones.
    /// This matters for functions that otherwise use a faster hash than the reference.
    fn portable_states(&self) -> Box<dyn States> {
        self.states()
    }

    /// Computes the results for frames of rows with little work per row, however large the frames
    /// are. `None` if the function has no such method; [`crate::window::over_frames`] then uses its
    /// states.
    fn frames(&self, _args: &[Column], _frames: &Frames) -> Result<Option<Column>> {
        Ok(None)
    }
}

/// The states of an aggregate for the groups `0 .. n` of one worker (and partition).
///
/// Argument columns may have any representation. Implementations without a special path for one
/// call `full()`.
pub trait States: Send + Any {
    /// Grows to `groups` states. New states have their initial value. Never shrinks.
    fn resize(&mut self, groups: usize);

    /// Adds row `i` to state `groups[i]`; every group id is below the size.
    fn update(&mut self, args: &[Column], groups: &[u32]) -> Result<()>;

    /// Adds all `rows` rows to the state of one group. Queries without keys use this.
    fn update_one(&mut self, args: &[Column], rows: usize, group: u32) -> Result<()> {
        self.update(args, &vec![group; rows])
    }

    /// Adds the rows whose bit is set to the state of one group.
    fn update_one_where(&mut self, args: &[Column], kept: &Bitmap, group: u32) -> Result<()> {
        let args: Vec<Column> = args.iter().map(|arg| arg.filter(kept)).collect();
        self.update_one(&args, kept.count_ones(), group)
    }

    /// Merges state `from[k]` of `other` (of the same aggregate) into state `groups[k]` of `self`.
    /// The merged states of `other` must not be used afterwards. No state of `other` occurs twice
    /// in `from`.
    fn merge(&mut self, other: &mut dyn States, from: &[u32], groups: &[u32]) -> Result<()>;

    /// Appends the states in `groups` in the byte format of the reference, one string for each.
    fn serialize(&self, groups: Range<usize>, out: &mut StringsBuilder) -> Result<()>;

    /// Merges the serialised state at the front of `input` into the state of `group`, and removes
    /// its bytes from `input`. The bytes are untrusted.
    fn merge_one(&mut self, input: &mut &[u8], group: u32) -> Result<()>;

    /// Merges the serialised state `i` into state `groups[i]`.
    fn merge_serialized(&mut self, states: &Strings, groups: &[u32]) -> Result<()> {
        for (mut bytes, &group) in states.iter().zip(groups) {
            self.merge_one(&mut bytes, group)?;
        }
        Ok(())
    }

    /// The results of the states in `groups`. The states remain valid: more rows may follow.
    fn finish(&mut self, groups: Range<usize>) -> Result<Column>;

    /// Approximate number of bytes that all states hold, for memory accounts.
    fn byte_size(&self) -> usize;

    /// The states as `Any`, so that `merge` can use the concrete type of the other side.
    fn as_any(&mut self) -> &mut dyn Any;
}
