//! Quantiles of all values: `quantileExact` and its relatives. Values are kept in lists and
//! partially sorted at the end.

use std::any::Any;
use std::marker::PhantomData;
use std::ops::Range;

use entasis_base::varint::{read_varint, write_varint};
use entasis_base::{Result, scope};
use entasis_column::{Buffer, Column, Native, StringsBuilder, match_physical};
use entasis_types::DataType;

use super::args::{Bytes, cut_off, expect_count, illegal_type, mismatch};
use super::fold::same;
use super::levels::{Levels, quantile_type};
use super::lists::Lists;
use crate::{Aggregate, AggregateArgs, AggregateDef, Facts, States};

/// Which element (or what between two) is the quantile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Exact,
    Low,
    High,
    Exclusive,
    Inclusive,
    Weighted,
}

#[derive(Clone, Debug)]
struct QuantileExact<T> {
    levels: Levels,
    kind: Kind,
    ty: DataType,
    weight: Option<DataType>,
    of: PhantomData<T>,
}

impl<T: Native + Bytes + Into<Wide>> Aggregate for QuantileExact<T> {
    fn return_type(&self) -> DataType {
        let interpolates = matches!(self.kind, Kind::Exclusive | Kind::Inclusive);
        self.levels.result(if interpolates { DataType::Float64 } else { self.ty.clone() })
    }

    fn states(&self) -> Box<dyn States> {
        let weight = DataType::UInt64;
        Box::new(ExactStates {
            of: self.clone(),
            values: Lists::new(&self.ty),
            weights: self.weight.as_ref().map(|_| Lists::new(&weight)),
        })
    }
}

struct ExactStates<T> {
    of: QuantileExact<T>,
    values: Lists,
    weights: Option<Lists>,
}

/// Whether the value is a number.
#[inline(always)]
#[allow(clippy::eq_op)] // NaN is the only value that differs from itself
fn ordered<T: PartialEq>(v: &T) -> bool {
    v == v
}

fn ascending<T: PartialOrd>(a: &T, b: &T) -> std::cmp::Ordering {
    a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal)
}

/// Lists from this size on are selected from with looks at the query.
const LARGE: usize = 1 << 20;

/// Element `n` in order.
fn nth<T: Native>(values: &mut [T], n: usize) -> T {
    if values.len() < LARGE {
        return *values.select_nth_unstable_by(n, ascending).1;
    }
    *values.select_nth_unstable_by(n, scope::checked(ascending)).1
}

fn position(kind: Kind, level: f64, size: usize) -> usize {
    let general = if level < 1.0 { (level * size as f64) as usize } else { size - 1 };
    match kind {
        Kind::Low if level == 0.5 && size % 2 == 0 => size / 2 - 1,
        Kind::Low | Kind::High if level == 0.5 => size / 2,
        _ => general.min(size - 1),
    }
}

/// Interpolated between two neighbours.
fn between<T: Native + Into<Wide>>(values: &mut [T], kind: Kind, level: f64) -> f64 {
    let size = values.len();
    let h = match kind {
        Kind::Exclusive => level * (size as f64 + 1.0),
        _ => level * (size as f64 - 1.0) + 1.0,
    };
    let n = h as usize;
    let wide = |v: T| -> f64 { v.into().0 };
    if n >= size {
        return wide(nth(values, size - 1));
    }
    if n < 1 {
        return wide(nth(values, 0));
    }
    let (_, &mut low, above) = values.select_nth_unstable_by(n - 1, ascending);
    let high = above.iter().copied().reduce(|a, b| if b < a { b } else { a }).unwrap_or(low);
    wide(low) + (h - n as f64) * (wide(high) - wide(low))
}

/// A number as a float.
struct Wide(f64);

macro_rules! wide {
    ($($t:ty),*) => {$(impl From<$t> for Wide {
        fn from(v: $t) -> Self { Self(v as f64) }
    })*};
}

wide!(u8, u16, u32, u64, i8, i16, i32, i64, i128, f32, f64);

impl<T: Native + Bytes + Into<Wide>> ExactStates<T> {
    /// Values without NaN, with weights where there are any.
    fn append(&mut self, values: &Column, weights: Option<&Column>, groups: &[u32]) -> Result<()> {
        let numbers = T::values(values).ok_or_else(mismatch)?;
        if numbers.iter().all(ordered) {
            self.values.append(values, groups)?;
            if let (Some(list), Some(weights)) = (&mut self.weights, weights) {
                list.append(weights, groups)?;
            }
            return Ok(());
        }
        let kept: Vec<u32> =
            (0..groups.len() as u32).filter(|&i| ordered(&numbers[i as usize])).collect();
        let groups: Vec<u32> = kept.iter().map(|&i| groups[i as usize]).collect();
        self.values.append(&values.take(&kept), &groups)?;
        if let (Some(list), Some(weights)) = (&mut self.weights, weights) {
            list.append(&weights.take(&kept), &groups)?;
        }
        Ok(())
    }

    fn exact(&mut self, groups: Range<usize>) -> Result<Column> {
        let (levels, kind) = (self.of.levels.levels.clone(), self.of.kind);
        let (starts, values) = self.values.read(groups.start, groups.end);
        let values = T::values(values).ok_or_else(mismatch)?;
        let interpolates = matches!(kind, Kind::Exclusive | Kind::Inclusive);
        let (mut plain, mut floats): (Vec<T>, Vec<f64>) = (Vec::new(), Vec::new());
        for window in starts.windows(2) {
            let mut list = values[window[0] as usize..window[1] as usize].to_vec();
            for &level in &levels {
                match (list.is_empty(), interpolates) {
                    (true, true) => floats.push(f64::NAN),
                    (false, true) => floats.push(between(&mut list, kind, level)),
                    (true, false) => plain.push(nothing()),
                    (false, false) => {
                        let n = position(kind, level, list.len());
                        plain.push(nth(&mut list, n));
                    }
                }
            }
        }
        Ok(if interpolates { floats.into() } else { T::column(plain.into()) })
    }

    fn weighted(&mut self, groups: Range<usize>) -> Result<Column> {
        let levels = self.of.levels.levels.clone();
        let lists = self.weights.as_mut().ok_or_else(mismatch)?;
        let weights: Buffer<u64> =
            lists.read(groups.start, groups.end).1.native().cloned().ok_or_else(mismatch)?;
        let (starts, values) = self.values.read(groups.start, groups.end);
        let values = T::values(values).ok_or_else(mismatch)?;
        let mut out = Vec::new();
        for window in starts.windows(2) {
            let range = window[0] as usize..window[1] as usize;
            let mut pairs: Vec<(T, u64)> =
                range.map(|i| (values[i], weights[i])).filter(|p| p.1 > 0).collect();
            pairs.sort_by(|a, b| ascending(&a.0, &b.0));
            let total: u64 = pairs.iter().map(|p| p.1).fold(0, u64::wrapping_add);
            for &level in &levels {
                let threshold = (total as f64 * level).ceil() as u64;
                let mut sum = 0u64;
                let found = pairs.iter().find(|p| {
                    sum = sum.wrapping_add(p.1);
                    sum >= threshold
                });
                out.push(found.or(pairs.last()).map_or_else(nothing, |p| p.0));
            }
        }
        Ok(T::column(out.into()))
    }
}

/// The quantile of no values: NaN, or 0 for what has none.
fn nothing<T: Native>() -> T {
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
        fn from_nan() -> Self { f64::NAN as $t }
    })*};
}

from_nan!(u8, u16, u32, u64, i8, i16, i32, i64, i128, f32, f64);

/// Weights as the reference reads them: unsigned 64 bits.
fn weights_of(column: &Column) -> Result<Column> {
    let numbers = column.full();
    let wide: Vec<u64> =
        numbers.to_f64().ok_or_else(mismatch)?.iter().map(|&w| w as i128 as u64).collect();
    Ok(wide.into())
}

impl<T: Native + Bytes + Into<Wide>> States for ExactStates<T> {
    fn resize(&mut self, groups: usize) {
        self.values.resize(groups);
        if let Some(weights) = &mut self.weights {
            weights.resize(groups);
        }
    }

    fn update(&mut self, args: &[Column], groups: &[u32]) -> Result<()> {
        let values = args.first().ok_or_else(mismatch)?.full();
        let weights = args.get(1).map(weights_of).transpose()?;
        self.append(&values, weights.as_ref(), groups)
    }

    fn merge(&mut self, other: &mut dyn States, from: &[u32], groups: &[u32]) -> Result<()> {
        let other = same::<Self>(other)?;
        let (values, of) = other.values.of_groups(from, groups);
        let weights = other.weights.as_mut().map(|w| w.of_groups(from, groups).0);
        self.append(&values, weights.as_ref(), &of)
    }

    fn serialize(&self, groups: Range<usize>, out: &mut StringsBuilder) -> Result<()> {
        let mut values = Lists::new(&self.of.ty);
        values.copy_from(&self.values)?;
        let mut weights = Lists::new(&DataType::UInt64);
        if let Some(list) = &self.weights {
            weights.copy_from(list)?;
        }
        for group in groups {
            let (starts, column) = values.read(group, group + 1);
            let range = starts[0] as usize..starts[1] as usize;
            let numbers = T::values(column).ok_or_else(mismatch)?;
            out.check_room(10 + range.len() * 16)?;
            if self.weights.is_none() {
                write_varint(&mut out.data, range.len() as u64);
                numbers[range].iter().for_each(|v| v.put(&mut out.data));
            } else {
                let column = weights.read(group, group + 1).1;
                let weights: &Buffer<u64> = column.native().ok_or_else(mismatch)?;
                let mut pairs: Vec<(T, u64)> = range.map(|i| (numbers[i], weights[i])).collect();
                pairs.sort_by(|a, b| ascending(&a.0, &b.0));
                pairs.dedup_by(|b, a| {
                    let equal = a.0 == b.0;
                    a.1 = if equal { a.1.wrapping_add(b.1) } else { a.1 };
                    equal
                });
                write_varint(&mut out.data, pairs.len() as u64);
                for (value, weight) in pairs {
                    value.put(&mut out.data);
                    weight.put(&mut out.data);
                }
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
        let (mut values, mut weights) = (Vec::new(), Vec::new());
        for _ in 0..n {
            values.push(T::get(input)?);
            if self.weights.is_some() {
                weights.push(u64::get(input)?);
            }
        }
        let weights = self.weights.is_some().then(|| Column::from(weights));
        self.append(&T::column(values.into()), weights.as_ref(), &vec![group; n as usize])
    }

    fn finish(&mut self, groups: Range<usize>) -> Result<Column> {
        let count = groups.len();
        let quantiles = match self.of.kind {
            Kind::Weighted => self.weighted(groups)?,
            _ => self.exact(groups)?,
        };
        Ok(self.of.levels.column(quantiles, count))
    }

    fn byte_size(&self) -> usize {
        self.values.byte_size() + self.weights.as_ref().map_or(0, Lists::byte_size)
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

const FUNCTIONS: [(&str, Kind, bool); 12] = [
    ("quantileExact", Kind::Exact, false),
    ("quantilesExact", Kind::Exact, true),
    ("quantileExactLow", Kind::Low, false),
    ("quantilesExactLow", Kind::Low, true),
    ("quantileExactHigh", Kind::High, false),
    ("quantilesExactHigh", Kind::High, true),
    ("quantileExactExclusive", Kind::Exclusive, false),
    ("quantilesExactExclusive", Kind::Exclusive, true),
    ("quantileExactInclusive", Kind::Inclusive, false),
    ("quantilesExactInclusive", Kind::Inclusive, true),
    ("quantileExactWeighted", Kind::Weighted, false),
    ("quantilesExactWeighted", Kind::Weighted, true),
];

fn bind<const I: usize>(args: AggregateArgs<'_>, _: &dyn Facts) -> Result<Box<dyn Aggregate>> {
    let (name, kind, several) = FUNCTIONS[I];
    let weighted = kind == Kind::Weighted;
    expect_count(name, args, if weighted { 2 } else { 1 })?;
    let levels = Levels::parse(name, several, args)?;
    let ty = args.types[0].clone();
    let wrong = !quantile_type(&ty) || args.types.get(1).is_some_and(|w| !w.is_integer());
    if wrong {
        return Err(illegal_type(name, &ty));
    }
    let exclusive_end = levels.levels.iter().any(|&l| l == 0.0 || l == 1.0);
    if kind == Kind::Exclusive && exclusive_end {
        let message = "QuantileExactExclusive cannot interpolate for the percentiles 1 and 0";
        return Err(entasis_base::Error::new(entasis_base::codes::BAD_ARGUMENTS, message));
    }
    let weight = args.types.get(1).cloned();
    match_physical!(ty.physical(), T => Ok(Box::new(QuantileExact::<T> {
        levels, kind, ty, weight, of: PhantomData,
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

/// The family.
pub const AGGREGATES: &[AggregateDef] = &[
    def::<0>(
        &["medianExact"],
        "The value at a level among all values sorted.",
        &[("SELECT quantileExact(number) FROM numbers(10)", "5")],
    ),
    def::<1>(&[], "As quantileExact, for several levels.", &[]),
    def::<2>(&["medianExactLow"], "As quantileExact; the lower of two middle values.", &[]),
    def::<3>(&[], "As quantileExactLow, for several levels.", &[]),
    def::<4>(&["medianExactHigh"], "As quantileExact; the higher of two middle values.", &[]),
    def::<5>(&[], "As quantileExactHigh, for several levels.", &[]),
    def::<6>(&[], "Interpolated between values, ends excluded (PERCENTILE.EXC).", &[]),
    def::<7>(&[], "As quantileExactExclusive, for several levels.", &[]),
    def::<8>(&[], "Interpolated between values, ends included (PERCENTILE.INC).", &[]),
    def::<9>(&[], "As quantileExactInclusive, for several levels.", &[]),
    def::<10>(
        &["medianExactWeighted"],
        "As quantileExact, each value counted as often as the second argument says.",
        &[("SELECT quantileExactWeighted(number, 1) FROM numbers(3)", "1")],
    ),
    def::<11>(&[], "As quantileExactWeighted, for several levels.", &[]),
];
