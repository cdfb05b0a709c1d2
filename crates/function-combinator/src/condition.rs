//! `-If`: only rows whose last argument is non-zero.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Bitmap, Column, StringsBuilder};
use entasis_types::DataType;

use super::nulls::{filter_all, filter_groups, frames_among};
use entasis_function::aggregate::args::mismatch;
use entasis_function::combinator::Nested;
use entasis_function::window::Frames;
use entasis_function::{Aggregate, States};
use entasis_function_kernel::aggregates::fold::same;

#[derive(Debug)]
struct If(Arc<dyn Aggregate>);

/// Binds `nameIf(args..., condition)`.
pub fn bind(nested: Nested<'_>) -> Result<Arc<dyn Aggregate>> {
    let Some((condition, types)) = nested.types.split_last() else {
        return Err(nested.too_few("If"));
    };
    let plain = condition.without_nullable();
    if !matches!(plain, DataType::UInt8 | DataType::Bool | DataType::Nothing) {
        return Err(Error::new(
            codes::ILLEGAL_TYPE_OF_ARGUMENT,
            format!(
                "Illegal type {condition} of the last argument of an aggregate function with the \
                 If suffix: the last argument is the condition and must be UInt8"
            ),
        ));
    }
    Ok(Arc::new(If(nested.bind(types)?)))
}

impl Aggregate for If {
    fn return_type(&self) -> DataType {
        self.0.return_type()
    }

    fn states(&self) -> Box<dyn States> {
        Box::new(IfStates(self.0.states()))
    }

    fn portable_states(&self) -> Box<dyn States> {
        Box::new(IfStates(self.0.portable_states()))
    }

    fn frames(&self, args: &[Column], frames: &Frames) -> Result<Option<Column>> {
        let (mask, args) = condition(args)?;
        let results = frames_among(&*self.0, args, frames, Some(&mask))?;
        Ok(results.map(|(results, _)| results))
    }
}

struct IfStates(Box<dyn States>);

fn condition(args: &[Column]) -> Result<(Bitmap, &[Column])> {
    let (condition, rest) = args.split_last().ok_or_else(mismatch)?;
    Ok((condition.to_mask(), rest))
}

impl States for IfStates {
    fn resize(&mut self, groups: usize) {
        self.0.resize(groups);
    }

    fn update(&mut self, args: &[Column], groups: &[u32]) -> Result<()> {
        let (mask, args) = condition(args)?;
        match mask.count_ones() {
            0 => Ok(()),
            n if n == groups.len() => self.0.update(args, groups),
            _ => self.0.update(&filter_all(args, &mask), &filter_groups(groups, &mask)),
        }
    }

    fn update_one(&mut self, args: &[Column], rows: usize, group: u32) -> Result<()> {
        let (mask, args) = condition(args)?;
        match mask.count_ones() {
            0 => Ok(()),
            n if n == rows => self.0.update_one(args, rows, group),
            _ => self.0.update_one_where(args, &mask, group),
        }
    }

    fn update_one_where(&mut self, args: &[Column], kept: &Bitmap, group: u32) -> Result<()> {
        let (mask, args) = condition(args)?;
        self.0.update_one_where(args, &mask.and(kept), group)
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
        self.0.finish(groups)
    }

    fn byte_size(&self) -> usize {
        self.0.byte_size()
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}
