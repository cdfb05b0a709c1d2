//! The operations of all columns: slice, filter, take, concat, replicate, and `full`, which removes
//! representations.

use std::sync::Arc;

use entasis_base::scope;
use entasis_simd::copy::{append, append_parts};
use entasis_simd::filter::filter;
use entasis_simd::gather::gather;

use crate::bitmap::BitmapBuilder;
use crate::strings::{LARGE, too_long};
use crate::{
    Bitmap, Buffer, Column, ConstColumn, FixedStrings, Mask, Native, Strings, StringsBuilder,
    VariantColumn, match_native,
};

/// Unwinds (see [`scope`]) if the query may not allocate this many more bytes, or has been stopped.
/// Operations on columns cannot fail otherwise, and a constant or a list of one row can become very
/// many rows.
fn limit_check(bytes: usize) {
    if bytes >= LARGE {
        scope::check_or_unwind(bytes);
    }
}

/// Calls `act` for every part of something large, and checks from time to time whether the query
/// was stopped.
fn looking<T>(parts: impl IntoIterator<Item = T>, mut act: impl FnMut(T)) {
    for (i, part) in parts.into_iter().enumerate() {
        if i % 16 == 15 {
            scope::check_or_unwind(0);
        }
        act(part);
    }
}

/// [`room`] for the bytes of strings or the elements of lists, which 32-bit offsets must be able to
/// count.
fn room_behind_offsets(count: usize, width: usize) {
    limit_check(count * width);
    if count > u32::MAX as usize {
        scope::stop(too_long());
    }
}

impl Column {
    /// One default value in the layout of this column.
    #[must_use]
    pub fn default_like(&self) -> Self {
        fn zero<T: Native>(_: &[T]) -> Column {
            T::column(vec![T::default()].into())
        }
        match_native!(self, values => zero(values), other => match other {
            Self::String(_) => Self::String(Strings::from_iter([b""])),
            Self::Fixed(fixed) => Self::Fixed(FixedStrings {
                width: fixed.width,
                data: vec![0; fixed.width].into(),
            }),
            Self::Nullable(n) => {
                Self::nullable(n.values.default_like(), Bitmap::constant(false, 1))
            }
            Self::Array(a) => Self::array(vec![0, 0].into(), a.values.slice(0, 0)),
            Self::Tuple(t) => Self::tuple(t.columns.iter().map(Self::default_like).collect(), 1),
            Self::Variant(v) => Self::variant(v.default_like()),
            Self::Const(c) => c.value.default_like(),
            Self::Dict(d) => d.dictionary.values.default_like(),
            _ => Self::Nothing(1),
        })
    }

    /// The rows whose bit is set; the others are replaced by default values.
    #[must_use]
    pub fn or_default(&self, mask: &Mask) -> Self {
        let full = self.full();
        let all = Self::concat(&[&full, &full.default_like()]);
        let default = full.len() as u32;
        let at = |i: u32| if mask.get(i as usize) { i } else { default };
        all.take(&(0..default).map(at).collect::<Vec<u32>>())
    }

    /// Rows `start .. start + len`, sharing memory. Panics if out of bounds.
    #[must_use]
    pub fn slice(&self, start: usize, len: usize) -> Self {
        if start == 0 && len == self.len() {
            return self.clone();
        }
        match self {
            Self::Nothing(_) => Self::Nothing(len),
            Self::String(strings) => Self::String(strings.slice(start, len)),
            Self::Fixed(fixed) => Self::Fixed(fixed.slice(start, len)),
            Self::Nullable(n) => {
                Self::nullable(n.values.slice(start, len), n.validity.slice(start, len))
            }
            Self::Array(a) => {
                Self::array(a.offsets.slice(start..start + len + 1), a.values.clone())
            }
            Self::Tuple(t) => {
                Self::tuple(t.columns.iter().map(|c| c.slice(start, len)).collect(), len)
            }
            Self::Variant(v) => Self::variant(v.slice(start, len)),
            Self::Const(c) => Self::Const(Arc::new(ConstColumn { value: c.value.clone(), len })),
            Self::Dict(d) => Self::dict(d.codes.slice(start..start + len), d.dictionary.clone()),
            numbers => match_native!(numbers,
                values => Native::column(values.slice(start..start + len)),
                _ => unreachable!("all other layouts are matched above")),
        }
    }

    /// The same rows in plain form, without Const and Dict at any depth.
    #[must_use]
    pub fn full(&self) -> Self {
        match self {
            Self::Const(constant) => constant.value.repeat(constant.len),
            Self::Dict(dict) => dict.dictionary.values.take(&dict.codes),
            other => other.clone(),
        }
    }

    /// The one row of `self`, `len` times, in full.
    fn repeat(&self, len: usize) -> Self {
        match self {
            Self::String(strings) => {
                let s = strings.get(0);
                room_behind_offsets(s.len() * len, 1);
                let offsets = (0..=len).map(|i| (i * s.len()) as u32).collect();
                Self::String(Strings::new(offsets, s.repeat(len).into()))
            }
            Self::Fixed(fixed) => {
                limit_check(fixed.width * len);
                let data = fixed.get(0).repeat(len).into();
                Self::Fixed(FixedStrings { width: fixed.width, data })
            }
            Self::Nothing(_) => Self::Nothing(len),
            Self::Nullable(_)
            | Self::Array(_)
            | Self::Tuple(_)
            | Self::Variant(_)
            | Self::Const(_)
            | Self::Dict(_) => self.take(&vec![0; len]),
            numbers => match_native!(numbers,
                values => {
                    limit_check(len * size_of_val(&values[0]));
                    Self::from(vec![values[0]; len])
                },
                _ => unreachable!("all other layouts are matched above")),
        }
    }

    /// Rows whose bit is set. Keeps Const and Dict.
    #[must_use]
    pub fn filter(&self, mask: &Bitmap) -> Self {
        assert_eq!(mask.len(), self.len());
        let count = mask.count_ones();
        if count == mask.len() {
            return self.clone();
        }
        match self {
            Self::Nothing(_) => Self::Nothing(count),
            Self::Const(c) => {
                Self::Const(Arc::new(ConstColumn { value: c.value.clone(), len: count }))
            }
            Self::Dict(d) => Self::dict(filter_values(&d.codes, mask).into(), d.dictionary.clone()),
            Self::String(strings) => Self::String(filter_strings(strings, mask, count)),
            Self::Nullable(n) => {
                let validity = filter_bits(&n.validity, mask, count);
                Self::nullable(n.values.filter(mask), validity)
            }
            Self::Tuple(t) => {
                Self::tuple(t.columns.iter().map(|c| c.filter(mask)).collect(), count)
            }
            Self::Variant(v) => Self::variant(v.filter(mask)),
            Self::Fixed(_) | Self::Array(_) => self.take(&mask.indices()),
            numbers => match_native!(numbers,
                values => Self::from(filter_values(values, mask)),
                _ => unreachable!("all other layouts are matched above")),
        }
    }

    /// Rows at `indices`, in their order, with repetitions. Keeps Const and Dict. Panics if an
    /// index is out of bounds.
    #[must_use]
    pub fn take(&self, indices: &[u32]) -> Self {
        match self {
            Self::Nothing(_) => Self::Nothing(indices.len()),
            Self::Const(c) => {
                Self::Const(Arc::new(ConstColumn { value: c.value.clone(), len: indices.len() }))
            }
            Self::Dict(d) => {
                Self::dict(take_values(&d.codes, indices).into(), d.dictionary.clone())
            }
            Self::String(strings) => Self::String(take_strings(strings, indices)),
            Self::Fixed(fixed) => {
                limit_check(indices.len() * fixed.width);
                let mut data = Vec::with_capacity(indices.len() * fixed.width);
                for &i in indices {
                    data.extend_from_slice(fixed.get(i as usize));
                }
                Self::Fixed(FixedStrings { width: fixed.width, data: data.into() })
            }
            Self::Nullable(n) => {
                let validity = n.validity.take(indices);
                Self::nullable(n.values.take(indices), validity)
            }
            Self::Array(a) => {
                let (offsets, elements) = take_ranges(&a.offsets, indices);
                Self::array(offsets.into(), a.values.take(&elements))
            }
            Self::Tuple(t) => {
                let columns = t.columns.iter().map(|c| c.take(indices)).collect();
                Self::tuple(columns, indices.len())
            }
            Self::Variant(v) => {
                limit_check(5 * indices.len());
                Self::variant(v.take(indices))
            }
            numbers => match_native!(numbers,
                values => Self::from(take_values(values, indices)),
                _ => unreachable!("all other layouts are matched above")),
        }
    }

    /// Row `i` repeated as often as list `i` has elements, by `n + 1` offsets that start at 0.
    #[must_use]
    pub fn replicate(&self, offsets: &[u32]) -> Self {
        let total = offsets[offsets.len() - 1] as usize;
        if let Self::Const(c) = self {
            return Self::Const(Arc::new(ConstColumn { value: c.value.clone(), len: total }));
        }
        limit_check(4 * total);
        let mut indices = Vec::with_capacity(total);
        for (row, ends) in offsets.windows(2).enumerate() {
            indices.extend(std::iter::repeat_n(row as u32, (ends[1] - ends[0]) as usize));
        }
        self.take(&indices)
    }

    /// Joins columns of the same layout. The result stays Dict if all share one dictionary, and is
    /// full otherwise. Panics if layouts differ.
    pub fn concat(columns: &[&Self]) -> Self {
        match columns {
            [] => Self::Nothing(0),
            [one] => (*one).clone(),
            [first, ..] => concat_dicts(columns).unwrap_or_else(|| {
                let full: Vec<Self> = columns.iter().map(|c| c.full()).collect();
                concat_full(&first.full(), &full)
            }),
        }
    }
}

fn concat_dicts(columns: &[&Column]) -> Option<Column> {
    let Column::Dict(first) = columns[0] else { return None };
    let mut codes = Vec::new();
    for column in columns {
        match column {
            Column::Dict(d) if d.dictionary.id == first.dictionary.id => {
                codes.extend_from_slice(&d.codes);
            }
            _ => return None,
        }
    }
    Some(Column::dict(codes.into(), first.dictionary.clone()))
}

fn concat_full(first: &Column, columns: &[Column]) -> Column {
    let rows = columns.iter().map(Column::len).sum();
    match first {
        Column::Nothing(_) => Column::Nothing(rows),
        Column::String(_) => {
            let parts: Vec<&Strings> = columns.iter().filter_map(Column::strings).collect();
            let bytes = parts.iter().map(|s| s.bytes().len()).sum();
            room_behind_offsets(bytes, 1);
            let mut out = StringsBuilder::with_capacity(rows, bytes);
            looking(parts, |part| out.extend(part));
            out.finish().into()
        }
        Column::Fixed(fixed) => {
            let mut data = Vec::with_capacity(rows * fixed.width);
            for column in columns {
                if let Column::Fixed(f) = column {
                    data.extend_from_slice(&f.data);
                }
            }
            Column::Fixed(FixedStrings { width: fixed.width, data: data.into() })
        }
        Column::Nullable(_) => {
            let mut validity = BitmapBuilder::default();
            for column in columns {
                match column.split_nullable() {
                    (Some(bits), _) => validity.extend(bits),
                    (None, values) => validity.push_n(true, values.len()),
                }
            }
            let values: Vec<&Column> = columns.iter().map(|c| c.split_nullable().1).collect();
            Column::nullable(Column::concat(&values), validity.finish())
        }
        Column::Array(_) => concat_arrays(columns, rows),
        Column::Tuple(tuple) => {
            let element = |i: usize| {
                let of = |c: &Column| match c {
                    Column::Tuple(t) => t.columns[i].clone(),
                    other => other.clone(),
                };
                let parts: Vec<Column> = columns.iter().map(of).collect();
                Column::concat(&parts.iter().collect::<Vec<_>>())
            };
            Column::tuple((0..tuple.columns.len()).map(element).collect(), rows)
        }
        Column::Variant(_) => {
            let of = |c: &Column| match c {
                Column::Variant(variant) => Some(variant.as_ref().clone()),
                _ => None,
            };
            limit_check(5 * rows);
            let parts: Vec<VariantColumn> = columns.iter().filter_map(of).collect();
            Column::variant(VariantColumn::concat(&parts))
        }
        numbers => match_native!(numbers, values => concat_values(values, columns, rows),
            _ => unreachable!("full columns only")),
    }
}

fn concat_values<T: Native>(_first: &Buffer<T>, columns: &[Column], rows: usize) -> Column {
    limit_check(rows * size_of::<T>());
    let mut out = Vec::with_capacity(rows);
    looking(columns, |column| {
        out.extend_from_slice(T::values(column).expect("columns of one layout"));
    });
    T::column(out.into())
}

fn concat_arrays(columns: &[Column], rows: usize) -> Column {
    let mut ends = Vec::with_capacity(rows + 1);
    ends.push(0u32);
    let mut values = Vec::with_capacity(columns.len());
    for column in columns {
        if let Column::Array(array) = column {
            let base = ends[ends.len() - 1];
            let (offsets, elements) = array.flat();
            ends.extend(offsets[1..].iter().map(|o| o + base));
            values.push(elements);
        }
    }
    Column::array(ends.into(), Column::concat(&values.iter().collect::<Vec<_>>()))
}

fn filter_values<T: Native>(values: &[T], mask: &Bitmap) -> Vec<T> {
    let mut out = Vec::new();
    filter(values, mask.words(), &mut out);
    out
}

fn filter_bits(bits: &Bitmap, mask: &Bitmap, count: usize) -> Bitmap {
    if bits.all() {
        return Bitmap::constant(true, count);
    }
    let mut out = BitmapBuilder::default();
    mask.ones().for_each(|i| out.push(bits.get(i)));
    out.finish()
}

fn filter_strings(strings: &Strings, mask: &Bitmap, count: usize) -> Strings {
    let guess = strings.bytes().len() / strings.len().max(1) * count;
    let mut out = StringsBuilder::with_capacity(count, guess + guess / 4);
    let offsets = strings.offsets();
    for i in mask.ones() {
        append(strings.data(), offsets[i] as usize..offsets[i + 1] as usize, &mut out.data);
        out.close();
    }
    out.finish()
}

fn take_values<T: Native>(values: &[T], indices: &[u32]) -> Vec<T> {
    limit_check(size_of_val(indices));
    let mut out = Vec::with_capacity(indices.len());
    for part in scope::parts(indices) {
        gather(values, part, &mut out);
    }
    out
}

fn take_strings(strings: &Strings, indices: &[u32]) -> Strings {
    let (offsets, data) = (strings.offsets(), strings.data());
    let length = |i: u32| (offsets[i as usize + 1] - offsets[i as usize]) as usize;
    let bytes = indices.iter().map(|&i| length(i)).sum();
    room_behind_offsets(bytes, 1);
    let mut out = StringsBuilder::with_capacity(indices.len(), bytes);
    for part in scope::parts(indices) {
        let place = |&i: &u32| offsets[i as usize] as usize..offsets[i as usize + 1] as usize;
        append_parts(data, part.iter().map(place), &mut out.data, &mut out.offsets);
    }
    out.finish()
}

/// Offsets of the lists at `indices`, and the positions of their elements.
fn take_ranges(offsets: &[u32], indices: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut ends = Vec::with_capacity(indices.len() + 1);
    let length = |i: u32| (offsets[i as usize + 1] - offsets[i as usize]) as usize;
    let count = indices.iter().map(|&i| length(i)).sum();
    room_behind_offsets(count, 4);
    let mut elements = Vec::with_capacity(count);
    ends.push(0);
    for &i in indices {
        elements.extend(offsets[i as usize]..offsets[i as usize + 1]);
        ends.push(elements.len() as u32);
    }
    (ends, elements)
}
