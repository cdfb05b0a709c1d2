//! `-Resample(start, end, step)`: each row belongs to the interval that contains its last argument;
//! there is one result per interval.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Bitmap, Column, StringsBuilder, match_native, match_number};
use entasis_types::{CastTo, DataType};

use super::nulls::filter_all;
use entasis_function::aggregate::args::mismatch;
use entasis_function::combinator::Nested;
use entasis_function::{Aggregate, States};
use entasis_function_kernel::aggregates::fold::same;

#[derive(Debug)]
struct Resample {
    inner: Arc<dyn Aggregate>,
    of: Intervals,
}

#[derive(Clone, Copy, Debug)]
struct Intervals {
    start: i128,
    end: i128,
    step: i128,
    count: usize,
}

const MOST_INTERVALS: i128 = 1 << 20;

/// The place of a key that is in no interval.
const OUTSIDE: u32 = u32::MAX;

impl Intervals {
    /// The interval of each key.
    fn places(&self, keys: &Column) -> Result<Vec<u32>> {
        let (start, length) = (self.start, self.end - self.start);
        // So small that the distance of no key wraps around to a small number.
        let least = if matches!(keys, Column::UInt64(_)) { 0 } else { i32::MIN };
        let start = i32::try_from(start).ok().filter(|start| *start >= least).map(i64::from);
        let narrow = start.zip(u32::try_from(length).ok());
        let (Some((start, length)), Ok(step)) = (narrow, u32::try_from(self.step)) else {
            return self.places_of_wide(keys);
        };
        // The distance of a key below the start, or far above it, is a large number.
        let place = |distance: u64| {
            if distance < u64::from(length) { distance as u32 / step } else { OUTSIDE }
        };
        Ok(match_number!(keys,
            values => values
                .iter()
                .map(|&v| place(CastTo::<i64>::cast_to(v).wrapping_sub(start) as u64))
                .collect(),
            _ => return Err(mismatch())))
    }

    fn places_of_wide(&self, keys: &Column) -> Result<Vec<u32>> {
        let Self { start, end, step, .. } = *self;
        let place = |key: i128| {
            let inside = key >= start && key < end;
            if inside { ((key - start) / step) as u32 } else { OUTSIDE }
        };
        Ok(match_native!(keys, values => values.iter().map(|&v| place(v.cast_to())).collect(),
            _ => return Err(mismatch())))
    }
}

/// Binds `nameResample(params..., start, end, step)(args..., key)`.
pub fn bind(nested: Nested<'_>) -> Result<Arc<dyn Aggregate>> {
    let Some((key, types)) = nested.types.split_last() else {
        return Err(nested.too_few("Resample"));
    };
    let Some((params, [start, end, step])) = nested.params.split_last_chunk::<3>() else {
        return Err(nested.too_few("Resample"));
    };
    if !key.is_native_integer() && !key.is_date_or_time() {
        return Err(nested.illegal("Resample", key, "integer, Date or DateTime"));
    }
    let number = |v: &entasis_types::Value| {
        let signed = v.as_i64().map(i128::from);
        signed.or_else(|| v.as_u64().map(i128::from)).ok_or_else(|| {
            Error::new(codes::BAD_ARGUMENTS, "Parameters of -Resample must be integers")
        })
    };
    let (start, end, step) = (number(start)?, number(end)?, number(step)?);
    let out_of_bound = |message: String| Err(Error::new(codes::ARGUMENT_OUT_OF_BOUND, message));
    if step <= 0 {
        let name = nested.name;
        return out_of_bound(format!(
            "The step given in function {name}Resample should not be zero"
        ));
    }
    let count = if end < start { 0 } else { (end - start + step - 1) / step };
    if count > MOST_INTERVALS {
        return out_of_bound(format!(
            "The range given in function {}Resample contains too many elements",
            nested.name
        ));
    }
    let inner = Nested { params, ..nested }.bind(types)?;
    Ok(Arc::new(Resample { inner, of: Intervals { start, end, step, count: count as usize } }))
}

impl Aggregate for Resample {
    fn return_type(&self) -> DataType {
        DataType::array(self.inner.return_type())
    }

    fn states(&self) -> Box<dyn States> {
        let ty = self.inner.return_type();
        Box::new(ResampleStates { inner: self.inner.states(), of: self.of, ty })
    }

    fn portable_states(&self) -> Box<dyn States> {
        let ty = self.inner.return_type();
        Box::new(ResampleStates { inner: self.inner.portable_states(), of: self.of, ty })
    }
}

struct ResampleStates {
    inner: Box<dyn States>,
    of: Intervals,
    ty: DataType,
}

impl ResampleStates {
    fn expand(&self, groups: &[u32]) -> Vec<u32> {
        let count = self.of.count as u32;
        groups.iter().flat_map(|&g| g * count..(g + 1) * count).collect()
    }
}

impl States for ResampleStates {
    fn resize(&mut self, groups: usize) {
        self.inner.resize(groups * self.of.count);
    }

    fn update(&mut self, args: &[Column], groups: &[u32]) -> Result<()> {
        let (key, args) = args.split_last().ok_or_else(mismatch)?;
        let at = self.of.places(&key.full())?;
        let count = self.of.count;
        if !at.contains(&OUTSIDE) {
            let of = groups.iter().zip(&at).map(|(group, at)| group * count as u32 + at);
            return self.inner.update(args, &of.collect::<Vec<u32>>());
        }
        let mask = Bitmap::from_fn(at.len(), |i| at[i] != OUTSIDE);
        let of: Vec<u32> = mask.ones().map(|i| groups[i] * count as u32 + at[i]).collect();
        self.inner.update(&filter_all(args, &mask), &of)
    }

    fn merge(&mut self, other: &mut dyn States, from: &[u32], groups: &[u32]) -> Result<()> {
        let (from, groups) = (self.expand(from), self.expand(groups));
        self.inner.merge(&mut *same::<Self>(other)?.inner, &from, &groups)
    }

    fn serialize(&self, groups: Range<usize>, out: &mut StringsBuilder) -> Result<()> {
        for group in groups {
            let mut inner = StringsBuilder::default();
            let count = self.of.count;
            self.inner.serialize(group * count..(group + 1) * count, &mut inner)?;
            out.check_room(inner.data.len())?;
            out.data.extend_from_slice(&inner.data);
            out.close();
        }
        Ok(())
    }

    fn merge_one(&mut self, input: &mut &[u8], group: u32) -> Result<()> {
        for state in self.expand(&[group]) {
            self.inner.merge_one(input, state)?;
        }
        Ok(())
    }

    fn finish(&mut self, groups: Range<usize>) -> Result<Column> {
        let count = self.of.count;
        let offsets: Vec<u32> = (0..=groups.len()).map(|i| (i * count) as u32).collect();
        let results = match count {
            0 => Column::default_of(&self.ty, 0),
            _ => self.inner.finish(groups.start * count..groups.end * count)?,
        };
        Ok(Column::array(offsets.into(), results))
    }

    fn byte_size(&self) -> usize {
        self.inner.byte_size()
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}
