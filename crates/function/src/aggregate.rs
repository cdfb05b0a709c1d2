//! What an aggregate function is: a const [`AggregateDef`] that binds to types and makes
//! [`States`], typed arrays of states indexed by a dense group id.

pub mod args;
pub mod binary;

use std::any::Any;
use std::fmt::Debug;
use std::ops::Range;

use entasis_base::Result;
use entasis_column::{Column, Strings, StringsBuilder};
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
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Whether name and aliases match without regard to case.
    pub case_insensitive: bool,
    /// One or two sentences for the manual.
    pub description: &'static str,
    /// Whole queries and what they print as TSV: run as tests, rendered as manual.
    pub examples: &'static [(&'static str, &'static str)],
    /// True if the function sees Nullable arguments itself (`count`, `any_respect_nulls`); else
    /// rows with a NULL argument are skipped before it and the result is Nullable, NULL where no
    /// row was left.
    pub sees_nulls: bool,
    /// With `sees_nulls == false`: whether the result over Nullable arguments stays plain
    /// (`uniq`, `groupArray`) instead of becoming Nullable.
    pub plain_over_nulls: bool,
    /// Checks the arguments and prepares the function.
    pub bind: fn(AggregateArgs<'_>, &dyn FunctionContext) -> Result<Box<dyn Aggregate>>,
}

impl AggregateDef {
    /// Everything but name and bind at its usual value.
    pub const DEFAULT: Self = Self {
        name: "",
        aliases: &[],
        case_insensitive: false,
        description: "",
        examples: &[],
        sees_nulls: false,
        plain_over_nulls: false,
        bind: |_, _| Err(entasis_base::Error::logical("aggregate without bind")),
    };
}

/// An aggregate bound to types: immutable, shared by all workers.
pub trait Aggregate: Send + Sync + Debug {
    /// Type of the finished result.
    fn return_type(&self) -> DataType;

    /// An empty array of states.
    fn states(&self) -> Box<dyn States>;

    /// As [`Self::states`], for states that will be serialised or merged from serialised ones:
    /// those of functions that hash faster than the reference otherwise.
    fn portable_states(&self) -> Box<dyn States> {
        self.states()
    }

    /// Results over frames of rows, in little work per row whatever the frames' size. `None` from
    /// functions that have no such way: [`crate::window::over_frames`] asks their states.
    fn frames(&self, _args: &[Column], _frames: &Frames) -> Result<Option<Column>> {
        Ok(None)
    }
}

/// States of one aggregate for groups `0 .. n`, of one worker (and partition).
///
/// Argument columns may be of any representation; what has no fast path calls `full()`.
pub trait States: Send + Any {
    /// Grows to `groups` states; new ones are at their initial value. Never shrinks.
    fn resize(&mut self, groups: usize);

    /// Adds row `i` to state `groups[i]`; every group id is below the size.
    fn update(&mut self, args: &[Column], groups: &[u32]) -> Result<()>;

    /// Adds all `rows` rows to the state of one group: the path of queries without keys.
    fn update_one(&mut self, args: &[Column], rows: usize, group: u32) -> Result<()> {
        self.update(args, &vec![group; rows])
    }

    /// Merges state `from[k]` of `other` (of the same aggregate) into state `groups[k]` here; the
    /// merged states of `other` are spent afterwards. No state of `other` is named twice.
    fn merge(&mut self, other: &mut dyn States, from: &[u32], groups: &[u32]) -> Result<()>;

    /// Appends the reference's bytes of each state in `groups`, one string each.
    fn serialize(&self, groups: Range<usize>, out: &mut StringsBuilder) -> Result<()>;

    /// Merges the serialised state at the front of `input` into the state of `group`, and takes its
    /// bytes off. They are untrusted.
    fn merge_one(&mut self, input: &mut &[u8], group: u32) -> Result<()>;

    /// Merges the serialised state `i` into state `groups[i]`.
    fn merge_serialized(&mut self, states: &Strings, groups: &[u32]) -> Result<()> {
        for (mut bytes, &group) in states.iter().zip(groups) {
            self.merge_one(&mut bytes, group)?;
        }
        Ok(())
    }

    /// Results of the states in `groups`, which go on from there: more rows may follow.
    fn finish(&mut self, groups: Range<usize>) -> Result<Column>;

    /// Bytes held by all states, roughly: for memory accounts.
    fn byte_size(&self) -> usize;

    /// For `merge` to get at the other side's type.
    fn as_any(&mut self) -> &mut dyn Any;
}
