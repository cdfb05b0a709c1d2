//! `-State` returns the serialised state, `-Merge` takes serialised states, and `-SimpleState`
//! changes only the type.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use entasis_base::Result;
use entasis_column::{Column, StringsBuilder};
use entasis_types::name::simple_aggregate;
use entasis_types::{AggregateType, DataType};

use entasis_function::aggregate::args::mismatch;
use entasis_function::combinator::{Nested, state_type};
use entasis_function::{Aggregate, States};
use entasis_function_kernel::aggregates::fold::same;

/// Binds `nameSimpleState`.
pub fn bind_simple(nested: Nested<'_>) -> Result<Arc<dyn Aggregate>> {
    let inner = nested.bind(nested.types)?;
    let name = entasis_function::combinator::canonical(nested.name)
        .unwrap_or_else(|| nested.name.to_string());
    let args = vec![inner.return_type()];
    let of = AggregateType { name: name.into(), params: nested.params.to_vec(), args };
    Ok(Arc::new(SimpleState { ty: simple_aggregate(of)?, inner }))
}

#[derive(Debug)]
struct SimpleState {
    inner: Arc<dyn Aggregate>,
    ty: DataType,
}

impl Aggregate for SimpleState {
    fn return_type(&self) -> DataType {
        self.ty.clone()
    }

    fn states(&self) -> Box<dyn States> {
        self.inner.states()
    }

    fn portable_states(&self) -> Box<dyn States> {
        self.inner.portable_states()
    }
}

/// Binds `nameState`.
pub fn bind_state(nested: Nested<'_>) -> Result<Arc<dyn Aggregate>> {
    let inner = nested.bind(nested.types)?;
    if nested.types.iter().any(DataType::is_null_literal) {
        return Ok(inner);
    }
    // The state of a merge is the merged function's own.
    let merged = nested.name.strip_suffix("Merge").and_then(|_| match nested.types {
        [ty @ DataType::AggregateFunction(_)] => Some(ty.clone()),
        _ => None,
    });
    let ty = merged.unwrap_or_else(|| state_type(nested.name, nested.params, nested.types));
    Ok(Arc::new(State { inner, ty }))
}

/// Binds `nameMerge(state)`: the function is the one the argument's type names, which must be this
/// one.
pub fn bind_merge(nested: Nested<'_>) -> Result<Arc<dyn Aggregate>> {
    let [ty] = nested.types else { return Err(nested.too_few("Merge")) };
    let DataType::AggregateFunction(of) = ty else {
        return Err(nested.illegal("Merge", ty, "an AggregateFunction"));
    };
    if entasis_function::combinator::canonical(nested.name).as_deref() != Some(&*of.name) {
        return Err(nested.illegal("Merge", ty, &format!("a state of {}", nested.name)));
    }
    // Parameters written at the call win: quantiles may be asked for other levels.
    let params = if nested.params.is_empty() { &of.params[..] } else { nested.params };
    let inner = Nested { params, ..nested }.bind(&of.args)?;
    Ok(Arc::new(Merge(inner)))
}

#[derive(Debug)]
struct State {
    inner: Arc<dyn Aggregate>,
    ty: DataType,
}

impl Aggregate for State {
    fn return_type(&self) -> DataType {
        self.ty.clone()
    }

    fn states(&self) -> Box<dyn States> {
        Box::new(Wrapped::<false>(self.inner.portable_states()))
    }
}

#[derive(Debug)]
struct Merge(Arc<dyn Aggregate>);

impl Aggregate for Merge {
    fn return_type(&self) -> DataType {
        self.0.return_type()
    }

    fn states(&self) -> Box<dyn States> {
        Box::new(Wrapped::<true>(self.0.portable_states()))
    }
}

/// Takes states (`MERGE`), or answers them.
struct Wrapped<const MERGE: bool>(Box<dyn States>);

impl<const MERGE: bool> States for Wrapped<MERGE> {
    fn resize(&mut self, groups: usize) {
        self.0.resize(groups);
    }

    fn update(&mut self, args: &[Column], groups: &[u32]) -> Result<()> {
        if !MERGE {
            return self.0.update(args, groups);
        }
        let states = args.first().ok_or_else(mismatch)?.full();
        self.0.merge_serialized(states.strings().ok_or_else(mismatch)?, groups)
    }

    fn update_one(&mut self, args: &[Column], rows: usize, group: u32) -> Result<()> {
        if !MERGE {
            return self.0.update_one(args, rows, group);
        }
        self.update(args, &vec![group; rows])
    }

    fn merge(&mut self, other: &mut dyn States, from: &[u32], groups: &[u32]) -> Result<()> {
        self.0.merge(&mut *same::<Self>(other)?.0, from, groups)
    }

    fn serialize(&self, groups: Range<usize>, out: &mut StringsBuilder) -> Result<()> {
        self.0.serialize(groups, out)
    }

    fn merge_one(&mut self, input: &mut &[u8], group: u32) -> Result<()> {
        self.0.merge_one(input, group)
    }

    fn finish(&mut self, groups: Range<usize>) -> Result<Column> {
        if MERGE {
            return self.0.finish(groups);
        }
        let mut out = StringsBuilder::with_capacity(groups.len(), groups.len() * 16);
        self.0.serialize(groups, &mut out)?;
        Ok(out.finish().into())
    }

    fn byte_size(&self) -> usize {
        self.0.byte_size()
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}
