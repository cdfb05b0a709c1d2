//! Statistics of a column's values: for each granule the least and the greatest number, and for
//! each segment the least and greatest value, NULLs, defaults, bytes, and a sketch of distinct
//! values.

use entasis_column::{Column, ColumnBuilder, Native, match_native};
use entasis_simd::sum::{Bounded, min_max, min_max_masked};
use entasis_table_api::DistinctSketch;
use entasis_types::{DataType, Value};

use super::sketch;

/// Strings in the footer are cut to this length.
const MAX_TEXT: usize = 64;

/// Least and greatest value of a run of rows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Extent {
    /// All values are NULL.
    Empty,
    /// The extent is unknown: the values have no order, or one of them is NaN.
    Unknown,
    /// The least and the greatest value; `exact` tells whether they occur in the rows.
    Range { min: Value, max: Value, exact: bool },
}

impl Extent {
    pub(crate) fn widen(&mut self, other: Self) {
        *self = match (std::mem::replace(self, Self::Unknown), other) {
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (Self::Empty, other) | (other, Self::Empty) => other,
            (
                Self::Range { min: a, max: b, exact: x },
                Self::Range { min: c, max: d, exact: y },
            ) => Self::Range {
                min: if less(&c, &a) { c } else { a },
                max: if less(&b, &d) { d } else { b },
                exact: x && y,
            },
        };
    }
}

/// Whether `a < b`, for values of the same column.
fn less(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::String(a), Value::String(b)) => a < b,
        _ => a.compare_numbers(b) == Some(std::cmp::Ordering::Less),
    }
}

/// The extent of a column in any representation.
pub(crate) fn extent(column: &Column) -> Extent {
    match column {
        Column::Const(c) => return extent(&c.value),
        // A dictionary may have unused values, so its extent holds bounds that may not occur.
        Column::Dict(d) => {
            return match extent(&d.dictionary.values) {
                Extent::Range { min, max, .. } => Extent::Range { min, max, exact: false },
                // It may be that only unused values are not NULL.
                other => other,
            };
        }
        _ => {}
    }
    let (validity, values) = column.split_nullable();
    let words = validity.filter(|v| !v.all()).map(|v| v.words());
    match values {
        Column::Float32(v) if v.iter().any(|x| x.is_nan()) => Extent::Unknown,
        Column::Float64(v) if v.iter().any(|x| x.is_nan()) => Extent::Unknown,
        Column::Nothing(_) => Extent::Empty,
        Column::String(s) => {
            let valid = |i: usize| validity.is_none_or(|v| v.get(i));
            text_extent((0..s.len()).filter(|&i| valid(i)).map(|i| s.get(i)))
        }
        Column::Fixed(f) => {
            let valid = |i: usize| validity.is_none_or(|v| v.get(i));
            text_extent((0..f.len()).filter(|&i| valid(i)).map(|i| f.get(i)))
        }
        numbers => match_native!(numbers, v => number_extent(v, words), _ => Extent::Unknown),
    }
}

fn number_extent<T: Native + Bounded>(values: &[T], validity: Option<&[u64]>) -> Extent {
    let found = match validity {
        Some(words) => min_max_masked(values, words),
        None => min_max(values),
    };
    let value = |v: T| T::column(vec![v].into()).value(0);
    match found {
        Some((min, max)) => Extent::Range { min: value(min), max: value(max), exact: true },
        None => Extent::Empty,
    }
}

/// The first eight bytes as a number that compares as they do. Shorter texts are padded with zeros.
#[inline]
fn prefix(text: &[u8]) -> u64 {
    match text.first_chunk::<8>() {
        Some(eight) => u64::from_be_bytes(*eight),
        None => text.iter().enumerate().fold(0, |p, (i, &b)| p | u64::from(b) << (56 - 8 * i)),
    }
}

/// Compares texts with their prefixes, and calls `memcmp` only if those are equal.
#[inline]
fn is_less(a: (&[u8], u64), b: (&[u8], u64)) -> bool {
    if a.1 != b.1 {
        return a.1 < b.1;
    }
    // Of two short texts with equal prefixes, the longer one ends in zero bytes.
    if a.0.len().max(b.0.len()) <= 8 { a.0.len() < b.0.len() } else { a.0 < b.0 }
}

fn text_extent<'a>(mut texts: impl Iterator<Item = &'a [u8]>) -> Extent {
    let Some(first) = texts.next() else { return Extent::Empty };
    let (mut min, mut max) = (first, first);
    let (mut low, mut high) = (prefix(first), prefix(first));
    for text in texts {
        // Most texts are neither the least nor the greatest, which their prefixes show.
        let p = prefix(text);
        if is_less((text, p), (min, low)) {
            (min, low) = (text, p);
        } else if is_less((max, high), (text, p)) {
            (max, high) = (text, p);
        }
    }
    let mut exact = true;
    let low = &min[..min.len().min(MAX_TEXT)];
    exact &= low.len() == min.len();
    let high = if max.len() <= MAX_TEXT {
        max.to_vec()
    } else {
        exact = false;
        match successor(&max[..MAX_TEXT]) {
            Some(high) => high,
            None => return Extent::Unknown,
        }
    };
    Extent::Range { min: Value::string(low), max: Value::string(&high), exact }
}

/// The least string that is greater than all strings with this prefix; `None` if there is none.
fn successor(prefix: &[u8]) -> Option<Vec<u8>> {
    let keep = prefix.iter().rposition(|&b| b != u8::MAX)?;
    let mut out = prefix[..=keep].to_vec();
    out[keep] += 1;
    Some(out)
}

/// The statistics that a segment has of one column.
#[derive(Clone, Debug)]
pub(crate) struct ColumnStats {
    pub(crate) raw_bytes: u64,
    pub(crate) nulls: u64,
    /// Number of rows with the type's default value (NULL if it is Nullable).
    pub(crate) defaults: u64,
    pub(crate) extent: Extent,
    pub(crate) sketch: DistinctSketch,
    /// Whether values are added to the sketch.
    pub(crate) has_sketch: bool,
    /// Identity of the dictionary whose values were added last.
    pub(crate) last_dictionary: Option<u64>,
    /// The same for the sketch.
    pub(crate) last_distinct: Option<u64>,
}

impl Default for ColumnStats {
    fn default() -> Self {
        Self {
            raw_bytes: 0,
            nulls: 0,
            defaults: 0,
            extent: Extent::Empty,
            sketch: DistinctSketch::default(),
            has_sketch: true,
            last_dictionary: None,
            last_distinct: None,
        }
    }
}

impl ColumnStats {
    /// Drops what shows something of the values, because the column is encrypted.
    pub(crate) fn forget_values(&mut self) {
        self.extent = Extent::Unknown;
        self.sketch = DistinctSketch::default();
    }

    /// Adds values to the sketch of distinct ones. Each value of the column must be added once at
    /// least, for example with its dictionary.
    pub(crate) fn add_distinct(&mut self, values: &Column) {
        if let Column::Dict(d) = values {
            if self.last_distinct == Some(d.dictionary.id) {
                return;
            }
            self.last_distinct = Some(d.dictionary.id);
        }
        if self.has_sketch {
            sketch::add_column(&mut self.sketch, values);
        }
    }

    /// Adds a granule, except to the sketch, and returns its extent.
    pub(crate) fn add(&mut self, column: &Column) -> Extent {
        let rows = column.len() as u64;
        self.raw_bytes += raw_bytes(column);
        let (nulls, defaults) = match column {
            Column::Const(c) => {
                let (nulls, defaults) = counts(&c.value);
                (nulls * rows, defaults * rows)
            }
            Column::Dict(d) => dict_counts(d),
            full => counts(full),
        };
        self.nulls += nulls;
        self.defaults += defaults;
        if let Column::Dict(d) = column {
            // The whole dictionary is added once; its unused values keep the bounds valid.
            if self.last_dictionary == Some(d.dictionary.id) {
                return Extent::Unknown;
            }
            self.last_dictionary = Some(d.dictionary.id);
        }
        let extent = extent(column);
        self.extent.widen(extent.clone());
        extent
    }
}

fn dict_counts(dict: &entasis_column::DictColumn) -> (u64, u64) {
    let values = &dict.dictionary.values;
    let nullable = matches!(values, Column::Nullable(_));
    let is_default: Vec<bool> = match values {
        Column::Nullable(n) => (0..values.len()).map(|i| !n.validity.get(i)).collect(),
        Column::String(s) => s.iter().map(<[u8]>::is_empty).collect(),
        _ => return counts(&dict.dictionary.values.take(&dict.codes)),
    };
    let defaults = dict.codes.iter().filter(|&&c| is_default[c as usize]).count() as u64;
    (if nullable { defaults } else { 0 }, defaults)
}

/// The numbers of NULLs and defaults in a full column.
fn counts(column: &Column) -> (u64, u64) {
    match column {
        Column::Nullable(n) => {
            let nulls = (n.validity.len() - n.validity.count_ones()) as u64;
            (nulls, nulls)
        }
        Column::Variant(v) => {
            let nulls = (v.len() - v.counts().iter().sum::<usize>()) as u64;
            (nulls, nulls)
        }
        Column::String(s) => (0, s.offsets().windows(2).filter(|w| w[0] == w[1]).count() as u64),
        Column::Fixed(f) => {
            (0, f.data.chunks_exact(f.width).filter(|v| v.iter().all(|&b| b == 0)).count() as u64)
        }
        Column::Array(a) => (0, a.offsets.windows(2).filter(|w| w[0] == w[1]).count() as u64),
        other => (0, match_native!(other, v => zeros(v), _ => 0)),
    }
}

fn zeros<T: Native>(values: &[T]) -> u64 {
    values.iter().map(|&v| u64::from(v.is_zero())).sum()
}

/// Size of the values in bytes, without any encoding.
pub(crate) fn raw_bytes(column: &Column) -> u64 {
    match column {
        Column::Const(c) => raw_bytes(&c.value) * c.len as u64,
        Column::Dict(d) => {
            let values = &d.dictionary.values;
            let average = raw_bytes(values) / values.len().max(1) as u64;
            average * d.codes.len() as u64
        }
        full => full.byte_size() as u64,
    }
}

/// The least and greatest value of every granule of numbers, collected granule by granule.
///
/// Granules with only NULLs have min > max; granules with NaN are unknown and have NaN in both.
#[derive(Debug)]
pub(crate) struct GranuleExtents {
    ty: DataType,
    pub(crate) min: ColumnBuilder,
    pub(crate) max: ColumnBuilder,
    /// Whether the granules differ, so that the extents can exclude any.
    pub(crate) varies: bool,
    last: Option<(Value, Value)>,
}

impl GranuleExtents {
    /// `None` for types without extents per granule.
    pub(crate) fn new(ty: &DataType) -> Option<Self> {
        let plain = ty.without_nullable().clone();
        let is_narrow = plain.fixed_width().is_some_and(|width| width <= 8);
        if plain.is_string() || !(is_narrow || plain.is_wide_integer()) {
            return None;
        }
        let (min, max) = (ColumnBuilder::new(&plain, 16), ColumnBuilder::new(&plain, 16));
        Some(Self { ty: plain, min, max, varies: false, last: None })
    }

    pub(crate) fn push(&mut self, extent: &Extent) {
        let (min, max) = match extent {
            Extent::Range { min, max, .. } => (min.clone(), max.clone()),
            Extent::Unknown => (Value::Float(f64::NAN), Value::Float(f64::NAN)),
            Extent::Empty => empty_extent(&self.ty),
        };
        let both = (min, max);
        self.min.push_value(&self.ty, &both.0);
        self.max.push_value(&self.ty, &both.1);
        self.varies |= self.last.as_ref().is_some_and(|last| *last != both);
        self.last = Some(both);
    }
}

/// The extent of a granule without values, which contains nothing.
fn empty_extent(ty: &DataType) -> (Value, Value) {
    if ty.is_float() {
        (Value::Float(f64::INFINITY), Value::Float(f64::NEG_INFINITY))
    } else {
        (Value::UInt(1), Value::UInt(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_column::{Bitmap, Strings};

    #[test]
    fn extents() {
        let ints = Column::from(vec![5i16, -3, 7]);
        let range = |min, max, exact| Extent::Range { min, max, exact };
        assert_eq!(extent(&ints), range(Value::Int(-3), Value::Int(7), true));
        let nullable = Column::nullable(ints, Bitmap::from_fn(3, |i| i == 0));
        assert_eq!(extent(&nullable), range(Value::Int(5), Value::Int(5), true));
        assert_eq!(extent(&Column::from(vec![1.0, f64::NAN])), Extent::Unknown);
        let zeros: Column = Strings::from_iter([&b"a\0"[..], b"a", b"a\0\0", b"abcdefgh1"]).into();
        assert_eq!(extent(&zeros), range(Value::from("a"), Value::from("abcdefgh1"), true));
        let long = [b'x'; 100];
        let strings: Column = Strings::from_iter([&long[..], b"abc"]).into();
        let mut end = vec![b'x'; 63];
        end.push(b'y');
        assert_eq!(extent(&strings), range(Value::from("abc"), Value::string(&end), false));
        assert_eq!(
            extent(&Column::default_of(&DataType::nullable(DataType::UInt8), 3)),
            Extent::Empty
        );
    }
}
