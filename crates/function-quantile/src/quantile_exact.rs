//! Exact quantiles: `quantileExact` and its relatives. The values of a group are kept in a list. A
//! short one is partially sorted at the end; elements of a long one are found by
//! [`super::select`].

use std::any::Any;
use std::marker::PhantomData;
use std::ops::Range;

use entasis_base::varint::{read_varint, write_varint};
use entasis_base::{Result, scope};
use entasis_column::{Bitmap, Column, Native, StringsBuilder, match_physical};
use entasis_types::{CastTo, DataType, i256, u256};

use super::kept::Kept;
use super::levels::{Levels, quantile_type};
use super::select::{LARGE, neighbours};
use entasis_function::aggregate::args::{
    Bytes, cut_off, expect_count, illegal_type, mismatch, take,
};
use entasis_function::window::Frames;
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext, States};
use entasis_function_kernel::aggregates::fold::same;
use entasis_function_kernel::aggregates::sliding;

/// Which element (or what between two) is the quantile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExactQuantile {
    Exact,
    Low,
    High,
    Exclusive,
    Inclusive,
}

#[derive(Clone, Debug)]
struct QuantileExact<T> {
    levels: Levels,
    kind: ExactQuantile,
    ty: DataType,
    of: PhantomData<T>,
}

impl<T: Native + Bytes + Into<Wide>> Aggregate for QuantileExact<T> {
    fn return_type(&self) -> DataType {
        let interpolates = matches!(self.kind, ExactQuantile::Exclusive | ExactQuantile::Inclusive);
        self.levels.result(if interpolates { DataType::Float64 } else { self.ty.clone() })
    }

    fn states(&self) -> Box<dyn States> {
        Box::new(ExactStates { of: self.clone(), values: Kept::default() })
    }

    fn frames(&self, args: &[Column], frames: &Frames) -> Result<Option<Column>> {
        let column = args.first().ok_or_else(mismatch)?.full();
        let values = T::values(&column).ok_or_else(mismatch)?;
        let numbers = Bitmap::from_fn(values.len(), |i| ordered(&values[i]));
        let kept = frames.among(&numbers);
        let values: Vec<T> = numbers.ones().map(|i| values[i]).collect();
        let (levels, kind) = (&self.levels.levels, self.kind);
        let room = kept.len() * levels.len();
        let quantiles = if matches!(kind, ExactQuantile::Exclusive | ExactQuantile::Inclusive) {
            let mut floats = Vec::with_capacity(room);
            sliding::sorted(&values, &kept, |sorted| {
                floats.extend(levels.iter().map(|&level| match sorted.is_empty() {
                    true => f64::NAN,
                    false => between_sorted(sorted, kind, level),
                }));
            })?;
            floats.into()
        } else {
            let mut plain = Vec::with_capacity(room);
            sliding::sorted(&values, &kept, |sorted| {
                plain.extend(levels.iter().map(|&level| match sorted.is_empty() {
                    true => nothing(),
                    false => sorted[position(kind, level, sorted.len())],
                }));
            })?;
            T::column(plain.into())
        };
        Ok(Some(self.levels.column(quantiles, kept.len())))
    }
}

/// Values of each group.
struct ExactStates<T> {
    of: QuantileExact<T>,
    values: Kept<T>,
}

/// Whether the value is a number.
#[inline(always)]
#[allow(clippy::eq_op)] // NaN is the only value that differs from itself
pub fn ordered<T: PartialEq>(v: &T) -> bool {
    v == v
}

/// The order of two numbers.
pub fn ascending<T: PartialOrd>(a: &T, b: &T) -> std::cmp::Ordering {
    a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal)
}

/// Element `n` in order.
fn nth<T: Native>(values: &mut [T], n: usize) -> T {
    if values.len() < LARGE {
        return *values.select_nth_unstable_by(n, ascending).1;
    }
    *values.select_nth_unstable_by(n, scope::checked(ascending)).1
}

/// Most levels for which a long list is read once for each.
const FEW: usize = 8;

/// The elements at `positions`, in their order. What lies below a position that was found already
/// is not looked at again.
fn elements<T: Native>(values: &mut [T], positions: &[usize], out: &mut Vec<T>) {
    let first = out.len();
    out.resize(first + positions.len(), T::default());
    let mut order: Vec<usize> = (0..positions.len()).collect();
    order.sort_unstable_by_key(|&i| positions[i]);
    let mut found = 0;
    for i in order {
        let n = positions[i];
        out[first + i] = nth(&mut values[found..], n - found);
        found = n;
    }
}

fn position(kind: ExactQuantile, level: f64, size: usize) -> usize {
    let general = if level < 1.0 { (level * size as f64) as usize } else { size - 1 };
    match kind {
        ExactQuantile::Low if level == 0.5 && size % 2 == 0 => size / 2 - 1,
        ExactQuantile::Low | ExactQuantile::High if level == 0.5 => size / 2,
        _ => general.min(size - 1),
    }
}

/// Where among `size` values a quantile lies, the first being 1.
fn place(kind: ExactQuantile, level: f64, size: usize) -> f64 {
    match kind {
        ExactQuantile::Exclusive => level * (size as f64 + 1.0),
        _ => level * (size as f64 - 1.0) + 1.0,
    }
}

/// [`between`] of values in order.
fn between_sorted<T: Native + Into<Wide>>(values: &[T], kind: ExactQuantile, level: f64) -> f64 {
    let h = place(kind, level, values.len());
    let n = h as usize;
    let wide = |i: usize| -> f64 { values[i].into().0 };
    if n >= values.len() || n < 1 {
        return wide(n.min(values.len() - 1));
    }
    wide(n - 1) + (h - n as f64) * (wide(n) - wide(n - 1))
}

/// Interpolated between two neighbours. `pair` answers an element by its position in order, and the
/// one after it.
fn between<T: Native + Into<Wide>>(
    size: usize,
    kind: ExactQuantile,
    level: f64,
    mut pair: impl FnMut(usize) -> Result<(T, T)>,
) -> Result<f64> {
    let h = place(kind, level, size);
    let n = h as usize;
    let wide = |v: T| -> f64 { v.into().0 };
    if n >= size {
        return Ok(wide(pair(size - 1)?.0));
    }
    if n < 1 {
        return Ok(wide(pair(0)?.0));
    }
    let (low, high) = pair(n - 1)?;
    Ok(wide(low) + (h - n as f64) * (wide(high) - wide(low)))
}

/// Elements `n` and `n + 1` in order, of a short list.
fn short_pair<T: Native>(values: &mut [T], n: usize) -> (T, T) {
    let (_, &mut low, above) = values.select_nth_unstable_by(n, ascending);
    let high = above.iter().copied().reduce(|a, b| if b < a { b } else { a }).unwrap_or(low);
    (low, high)
}

/// A number as a float.
struct Wide(f64);

macro_rules! wide {
    ($($t:ty),*) => {$(impl From<$t> for Wide {
        fn from(v: $t) -> Self { Self(v.cast_to()) }
    })*};
}

wide!(u8, u16, u32, u64, u128, u256, i8, i16, i32, i64, i128, i256, f32, f64);

impl<T: Native + Bytes + Into<Wide>> ExactStates<T> {
    /// Values without NaN.
    fn append(&mut self, values: &[T], groups: &[u32]) {
        for (&v, &g) in values.iter().zip(groups) {
            if ordered(&v) {
                self.values.push(g, v);
            }
        }
    }

    /// Whether a list is so long that its elements are found where they are.
    fn is_long(&self, size: usize) -> bool {
        size >= LARGE && self.of.levels.levels.len() <= FEW
    }

    fn exact(&mut self, groups: Range<usize>) -> Result<Column> {
        let (levels, kind) = (self.of.levels.levels.clone(), self.of.kind);
        let mut plain = Vec::with_capacity(groups.len() * levels.len());
        for group in groups {
            let size = self.values.len(group);
            if size == 0 {
                plain.resize(plain.len() + levels.len(), nothing());
                continue;
            }
            let mut positions = levels.iter().map(|&level| position(kind, level, size));
            if self.is_long(size) {
                let slices: Vec<&[T]> = self.values.slices(group).collect();
                positions.try_for_each(|n| -> Result<()> {
                    plain.push(neighbours(&slices, n)?.0);
                    Ok(())
                })?;
            } else {
                elements(self.values.list(group), &positions.collect::<Vec<_>>(), &mut plain);
            }
        }
        Ok(T::column(plain.into()))
    }

    fn interpolated(&mut self, groups: Range<usize>) -> Result<Column> {
        let (levels, kind) = (self.of.levels.levels.clone(), self.of.kind);
        let mut floats = Vec::with_capacity(groups.len() * levels.len());
        for group in groups {
            let size = self.values.len(group);
            for &level in &levels {
                floats.push(if size == 0 {
                    f64::NAN
                } else if self.is_long(size) {
                    let slices: Vec<&[T]> = self.values.slices(group).collect();
                    between(size, kind, level, |n| neighbours(&slices, n))?
                } else {
                    let list = self.values.list(group);
                    between(size, kind, level, |n| Ok(short_pair(list, n)))?
                });
            }
        }
        Ok(floats.into())
    }
}

/// The quantile of no values: NaN, or 0 for what has none.
pub fn nothing<T: Native>() -> T {
    let column = match_physical!(T::PHYSICAL, N => Column::from(vec![not_a_number::<N>()]),
        _ => Column::Nothing(0));
    T::values(&column).map_or_else(T::default, |v| v[0])
}

/// NaN of floats, 0 of integers: a cast does it.
fn not_a_number<N: FromNan>() -> N {
    N::from_nan()
}

trait FromNan {
    fn from_nan() -> Self;
}

macro_rules! from_nan {
    ($($t:ty),*) => {$(impl FromNan for $t {
        fn from_nan() -> Self { f64::NAN.cast_to() }
    })*};
}

from_nan!(u8, u16, u32, u64, u128, u256, i8, i16, i32, i64, i128, i256, f32, f64);

impl<T: Native + Bytes + Into<Wide>> States for ExactStates<T> {
    fn resize(&mut self, groups: usize) {
        self.values.resize(groups);
    }

    fn update(&mut self, args: &[Column], groups: &[u32]) -> Result<()> {
        let values = args.first().ok_or_else(mismatch)?.full();
        let values = T::values(&values).ok_or_else(mismatch)?;
        self.append(values, groups);
        Ok(())
    }

    fn update_one(&mut self, args: &[Column], rows: usize, group: u32) -> Result<()> {
        let values = args.first().ok_or_else(mismatch)?.full();
        let numbers = T::values(&values).ok_or_else(mismatch)?;
        if !numbers.iter().all(ordered) {
            return self.update(args, &vec![group; rows]);
        }
        self.values.extend(group, numbers);
        Ok(())
    }

    fn merge(&mut self, other: &mut dyn States, from: &[u32], groups: &[u32]) -> Result<()> {
        let other = same::<Self>(other)?;
        for (&from, &group) in from.iter().zip(groups) {
            self.values.merge(group, &mut other.values, from);
        }
        Ok(())
    }

    fn serialize(&self, groups: Range<usize>, out: &mut StringsBuilder) -> Result<()> {
        for group in groups {
            let size = self.values.len(group);
            out.check_room(10 + size * size_of::<T>())?;
            write_varint(&mut out.data, size as u64);
            out.data.reserve(size * size_of::<T>());
            for slice in self.values.slices(group) {
                slice.iter().for_each(|v| v.put(&mut out.data));
            }
            out.close();
        }
        Ok(())
    }

    fn merge_one(&mut self, input: &mut &[u8], group: u32) -> Result<()> {
        let n = read_varint(input)?;
        if n > input.len() as u64 {
            return Err(cut_off());
        }
        let n = n as usize;
        let mut bytes = take(input, n.checked_mul(size_of::<T>()).ok_or_else(cut_off)?)?;
        let mut values = Vec::with_capacity(n);
        for _ in 0..n {
            values.push(T::get(&mut bytes)?);
        }
        values.retain(ordered);
        self.values.extend(group, &values);
        Ok(())
    }

    fn finish(&mut self, groups: Range<usize>) -> Result<Column> {
        let count = groups.len();
        let quantiles = match self.of.kind {
            ExactQuantile::Exclusive | ExactQuantile::Inclusive => self.interpolated(groups)?,
            _ => self.exact(groups)?,
        };
        Ok(self.of.levels.column(quantiles, count))
    }

    fn byte_size(&self) -> usize {
        self.values.byte_size()
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

const FUNCTIONS: [(&str, ExactQuantile, bool); 10] = [
    ("quantileExact", ExactQuantile::Exact, false),
    ("quantilesExact", ExactQuantile::Exact, true),
    ("quantileExactLow", ExactQuantile::Low, false),
    ("quantilesExactLow", ExactQuantile::Low, true),
    ("quantileExactHigh", ExactQuantile::High, false),
    ("quantilesExactHigh", ExactQuantile::High, true),
    ("quantileExactExclusive", ExactQuantile::Exclusive, false),
    ("quantilesExactExclusive", ExactQuantile::Exclusive, true),
    ("quantileExactInclusive", ExactQuantile::Inclusive, false),
    ("quantilesExactInclusive", ExactQuantile::Inclusive, true),
];

fn bind<const I: usize>(
    args: AggregateArgs<'_>,
    _: &dyn FunctionContext,
) -> Result<Box<dyn Aggregate>> {
    let (name, kind, several) = FUNCTIONS[I];
    expect_count(name, args, 1)?;
    let levels = Levels::parse(name, several, args)?;
    let ty = args.types[0].clone();
    let narrow = ty.is_wide_integer() && kind != ExactQuantile::Exact;
    if narrow || !quantile_type(&ty) {
        return Err(illegal_type(name, &ty));
    }
    let exclusive_end = levels.levels.iter().any(|&l| l == 0.0 || l == 1.0);
    if kind == ExactQuantile::Exclusive && exclusive_end {
        let message = "QuantileExactExclusive cannot interpolate for the percentiles 1 and 0";
        return Err(entasis_base::Error::new(entasis_base::codes::BAD_ARGUMENTS, message));
    }
    match_physical!(ty.physical(), T => Ok(Box::new(QuantileExact::<T> {
        levels, kind, ty, of: PhantomData,
    })), _ => Err(illegal_type(name, &ty)))
}

const fn def<const I: usize>(
    aliases: &'static [&'static str],
    description: &'static str,
    examples: &'static [(&'static str, &'static str)],
) -> AggregateDef {
    AggregateDef {
        name: FUNCTIONS[I].0,
        aliases,
        description,
        examples,
        bind: bind::<I>,
        ..AggregateDef::DEFAULT
    }
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[
    def::<0>(
        &["medianExact"],
        "Exact quantile: the value at that position among all values, sorted.",
        &[("SELECT quantileExact(number) FROM numbers(10)", "5")],
    ),
    def::<1>(&[], "Like quantileExact, for several levels.", &[]),
    def::<2>(&["medianExactLow"], "Like quantileExact; the lower of two middle values.", &[]),
    def::<3>(&[], "Like quantileExactLow, for several levels.", &[]),
    def::<4>(&["medianExactHigh"], "Like quantileExact; the higher of two middle values.", &[]),
    def::<5>(&[], "Like quantileExactHigh, for several levels.", &[]),
    def::<6>(&[], "Exact quantile, interpolated between values as PERCENTILE.EXC does.", &[]),
    def::<7>(&[], "Like quantileExactExclusive, for several levels.", &[]),
    def::<8>(&[], "Exact quantile, interpolated between values as PERCENTILE.INC does.", &[]),
    def::<9>(&[], "Like quantileExactInclusive, for several levels.", &[]),
];
