//! Encodes key columns as one value per row, fit for a hash table: packed into 2, 8, 16 or 32 bytes
//! if all keys have a fixed width; the string itself for a single string; otherwise the row's
//! bytes.
//!
//! Two rows have equal encodings if and only if their keys are equal. NULL is a flag byte, with the
//! value cleared. Floats are compared by their bits; so 0 and -0 differ, as in the reference.

use entasis_base::Result;
use entasis_column::hash::{FixedKey, FixedTable};
use entasis_column::{
    Bitmap, Buffer, Column, FixedStrings, Native, Strings, match_number, match_number_physical,
};
use entasis_simd::cast::{as_bytes, extend_from_bytes};
use entasis_simd::hash::hash_strings;
use entasis_types::DataType;

use super::rows::{RowLayout, decode_rows, encode_rows};

mod wide;

use wide::{bytes_of, pack_bytes, unpack_bytes};

/// How the keys of a query are encoded.
#[derive(Clone, Debug)]
pub enum KeyLayout {
    /// Up to 16 bits, used as an array index.
    U16(Vec<Field>),
    /// Up to 8 bytes.
    U64(Vec<Field>),
    /// Up to 16 bytes.
    U128(Vec<Field>),
    /// Up to 32 bytes.
    U256(Vec<Field>),
    /// A single String column.
    String,
    /// All other keys.
    Rows(RowLayout),
}

/// The place of a key column within the packed words.
#[derive(Clone, Debug)]
pub struct Field {
    ty: DataType,
    word: usize,
    shift: u32,
    /// Word and shift of the byte that is 1 for NULL; `None` if the type is not Nullable.
    null: Option<(usize, u32)>,
}

/// The encoded keys of some rows.
#[derive(Clone, Debug)]
pub enum Keys {
    /// For [`KeyLayout::U16`].
    U16(Vec<u16>),
    /// For [`KeyLayout::U64`].
    U64(Vec<u64>),
    /// For [`KeyLayout::U128`].
    U128(Vec<u128>),
    /// For [`KeyLayout::U256`].
    U256(Vec<[u64; 4]>),
    /// For [`KeyLayout::String`] and [`KeyLayout::Rows`].
    Bytes(Strings),
}

/// The words into which fields are packed.
pub trait Packed: Copy + Default {
    /// Sets bits in word number `word`.
    fn set(&mut self, word: usize, bits: u64);
    /// The word number `word`.
    fn word(self, word: usize) -> u64;
}

impl Packed for u16 {
    #[inline(always)]
    fn set(&mut self, _: usize, bits: u64) {
        *self |= bits as u16;
    }
    #[inline(always)]
    fn word(self, _: usize) -> u64 {
        self.into()
    }
}

impl Packed for u64 {
    #[inline(always)]
    fn set(&mut self, _: usize, bits: u64) {
        *self |= bits;
    }
    #[inline(always)]
    fn word(self, _: usize) -> u64 {
        self
    }
}

impl Packed for u128 {
    #[inline(always)]
    fn set(&mut self, word: usize, bits: u64) {
        *self |= u128::from(bits) << (64 * word);
    }
    #[inline(always)]
    fn word(self, word: usize) -> u64 {
        (self >> (64 * word)) as u64
    }
}

impl Packed for [u64; 4] {
    #[inline(always)]
    fn set(&mut self, word: usize, bits: u64) {
        self[word & 3] |= bits;
    }
    #[inline(always)]
    fn word(self, word: usize) -> u64 {
        self[word & 3]
    }
}

/// Converts a number to key bits and back.
pub trait KeyBits: Native {
    /// The bits of the value, extended with zeros.
    fn to_bits64(self) -> u64;
    /// The value from the low bits.
    fn from_bits64(bits: u64) -> Self;
}

macro_rules! key_bits {
    ($($t:ty as $u:ty),*) => {$(impl KeyBits for $t {
        #[inline(always)]
        fn to_bits64(self) -> u64 { self as $u as u64 }
        #[inline(always)]
        fn from_bits64(bits: u64) -> Self { bits as $t }
    })*};
}

key_bits!(
    u8 as u8, u16 as u16, u32 as u32, u64 as u64, i8 as u8, i16 as u16, i32 as u32, i64 as u64
);

impl KeyBits for f32 {
    #[inline(always)]
    fn to_bits64(self) -> u64 {
        self.to_bits().into()
    }
    #[inline(always)]
    fn from_bits64(bits: u64) -> Self {
        Self::from_bits(bits as u32)
    }
}

impl KeyBits for f64 {
    #[inline(always)]
    fn to_bits64(self) -> u64 {
        self.to_bits()
    }
    #[inline(always)]
    fn from_bits64(bits: u64) -> Self {
        Self::from_bits(bits)
    }
}

/// Bytes that a value takes when it is packed: up to 8 in one word, or whole words. `None` for
/// types that cannot be packed.
fn packed_width(ty: &DataType) -> Option<usize> {
    match_number_physical!(ty.without_nullable().physical(), T => Some(size_of::<T>()),
    physical => match physical {
        Physical::UInt128 | Physical::Int128 => Some(16),
        Physical::UInt256 | Physical::Int256 => Some(32),
        Physical::Fixed(width @ 1..=8) => Some((width as usize).next_power_of_two()),
        Physical::Fixed(width @ 9..=32) => Some((width as usize).next_multiple_of(8)),
        _ => None,
    })
}

impl KeyLayout {
    /// The layout for key columns of these types (at least one).
    pub fn choose(types: &[DataType]) -> Self {
        if let [one] = types
            && matches!(one.storage(), DataType::String | DataType::AggregateFunction(_))
        {
            return Self::String;
        }
        let widths: Option<Vec<usize>> = types.iter().map(packed_width).collect();
        let nullable = types.iter().filter(|t| t.is_nullable()).count();
        let Some(widths) = widths else { return Self::Rows(RowLayout::new(types)) };
        let fields = || place_fields(types, &widths);
        match widths.iter().sum::<usize>() + nullable {
            0..=2 => Self::U16(fields()),
            3..=8 => Self::U64(fields()),
            9..=16 => Self::U128(fields()),
            17..=32 => Self::U256(fields()),
            _ => Self::Rows(RowLayout::new(types)),
        }
    }

    /// Encodes the key columns of `rows` rows. The columns may have any representation.
    pub fn encode(&self, columns: &[Column], rows: usize) -> Result<Keys> {
        Ok(match self {
            Self::U16(fields) => Keys::U16(pack(fields, columns, rows)),
            Self::U64(fields) => Keys::U64(pack(fields, columns, rows)),
            Self::U128(fields) => Keys::U128(pack(fields, columns, rows)),
            Self::U256(fields) => Keys::U256(pack(fields, columns, rows)),
            Self::String => match columns[0].full() {
                Column::String(strings) => Keys::Bytes(strings),
                _ => return Err(entasis_base::Error::logical("a String key is no string")),
            },
            Self::Rows(layout) => Keys::Bytes(encode_rows(layout, columns, rows)?),
        })
    }

    /// An empty list of keys, with room for `capacity` of them.
    pub fn empty(&self, capacity: usize) -> Keys {
        match self {
            Self::U16(_) => Keys::U16(Vec::with_capacity(capacity)),
            Self::U64(_) => Keys::U64(Vec::with_capacity(capacity)),
            Self::U128(_) => Keys::U128(Vec::with_capacity(capacity)),
            Self::U256(_) => Keys::U256(Vec::with_capacity(capacity)),
            Self::String | Self::Rows(_) => {
                Keys::Bytes(Strings::new(vec![0].into(), Buffer::default()))
            }
        }
    }

    /// Turns encoded keys back into key columns.
    pub fn decode(&self, keys: &Keys) -> Result<Vec<Column>> {
        Ok(match (self, keys) {
            (Self::U16(fields), Keys::U16(keys)) => unpack(fields, keys),
            (Self::U64(fields), Keys::U64(keys)) => unpack(fields, keys),
            (Self::U128(fields), Keys::U128(keys)) => unpack(fields, keys),
            (Self::U256(fields), Keys::U256(keys)) => unpack(fields, keys),
            (Self::String, Keys::Bytes(strings)) => vec![strings.clone().into()],
            (Self::Rows(layout), Keys::Bytes(strings)) => decode_rows(layout, strings)?,
            _ => return Err(entasis_base::Error::logical("keys of another layout")),
        })
    }
}

impl Keys {
    /// The number of keys.
    pub fn len(&self) -> usize {
        match self {
            Self::U16(keys) => keys.len(),
            Self::U64(keys) => keys.len(),
            Self::U128(keys) => keys.len(),
            Self::U256(keys) => keys.len(),
            Self::Bytes(strings) => strings.len(),
        }
    }

    /// Bytes of the keys.
    pub fn byte_size(&self) -> usize {
        match self {
            Self::U16(keys) => size_of_val(&keys[..]),
            Self::U64(keys) => size_of_val(&keys[..]),
            Self::U128(keys) => size_of_val(&keys[..]),
            Self::U256(keys) => size_of_val(&keys[..]),
            Self::Bytes(strings) => strings.bytes().len() + 4 * strings.len(),
        }
    }

    /// The keys as one column, in the form in which they are written to disk.
    pub fn to_column(&self) -> Column {
        match self {
            Self::U16(keys) => keys.clone().into(),
            Self::U64(keys) => keys.clone().into(),
            Self::U128(keys) => keys.clone().into(),
            Self::U256(keys) => {
                let data = as_bytes(keys).to_vec().into();
                Column::Fixed(FixedStrings { width: size_of::<[u64; 4]>(), data })
            }
            Self::Bytes(strings) => strings.clone().into(),
        }
    }

    /// The keys from a column that [`Self::to_column`] made, for this layout.
    pub fn from_column(layout: &KeyLayout, column: Column) -> Result<Self> {
        Ok(match (layout, column) {
            (KeyLayout::U16(_), Column::UInt16(keys)) => Self::U16(keys.into_vec()),
            (KeyLayout::U64(_), Column::UInt64(keys)) => Self::U64(keys.into_vec()),
            (KeyLayout::U128(_), Column::UInt128(keys)) => Self::U128(keys.into_vec()),
            (KeyLayout::U256(_), Column::Fixed(fixed)) => {
                let mut keys = Vec::with_capacity(fixed.len());
                if !extend_from_bytes(&fixed.data, &mut keys) {
                    return Err(entasis_base::Error::logical("keys of another width"));
                }
                Self::U256(keys)
            }
            (KeyLayout::String | KeyLayout::Rows(_), Column::String(keys)) => Self::Bytes(keys),
            _ => return Err(entasis_base::Error::logical("keys of another layout")),
        })
    }

    /// The hash of every key, also of direct keys, whose table needs no hashes.
    pub fn spread(&self, out: &mut Vec<u64>) {
        match self {
            Self::U16(keys) => spread_direct(keys, out),
            other => other.hash_all(out),
        }
    }

    /// The hash of every key into `out`, which is cleared first; none for direct keys.
    pub fn hash_all(&self, out: &mut Vec<u64>) {
        match self {
            Self::U16(_) => out.clear(),
            Self::U64(keys) => FixedTable::hash_all(keys, out),
            Self::U128(keys) => FixedTable::hash_all(keys, out),
            Self::U256(keys) => FixedTable::hash_all(keys, out),
            Self::Bytes(strings) => {
                out.resize(strings.len(), 0);
                hash_strings(strings.offsets(), strings.data(), 0, out);
            }
        }
    }
}

/// Hashes of direct keys, which are used to distribute them to partitions.
pub fn spread_direct(keys: &[u16], out: &mut Vec<u64>) {
    out.clear();
    out.extend(keys.iter().map(|&k| FixedKey::hash(u64::from(k))));
}

/// Places the widest fields first, so that none straddles two words; NULL flags come last.
fn place_fields(types: &[DataType], widths: &[usize]) -> Vec<Field> {
    let mut order: Vec<usize> = (0..types.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(widths[i]));
    let mut byte = 0;
    let mut next = |width: usize| {
        byte += width;
        ((byte - width) / 8, ((byte - width) % 8 * 8) as u32)
    };
    let mut places = vec![(0, 0); types.len()];
    for &i in &order {
        places[i] = next(widths[i]);
    }
    types
        .iter()
        .zip(places)
        .map(|(ty, (word, shift))| {
            let null = ty.is_nullable().then(|| next(1));
            Field { ty: ty.clone(), word, shift, null }
        })
        .collect()
}

fn pack<K: Packed>(fields: &[Field], columns: &[Column], rows: usize) -> Vec<K> {
    let mut out = vec![K::default(); rows];
    for (field, column) in fields.iter().zip(columns) {
        let full;
        let column = match column {
            Column::Const(c) => &c.value,
            Column::Dict(_) => {
                full = column.full();
                &full
            }
            other => other,
        };
        let (valid, values) = column.split_nullable();
        match_number!(values, values => pack_column(field, values, valid, &mut out),
        wide => if let Some((bytes, width)) = bytes_of(wide) {
            pack_bytes(field, (bytes, width), valid, &mut out);
        });
    }
    out
}

/// `values` has as many entries as `out`, or a single one for all rows.
fn pack_column<K: Packed, T: KeyBits>(
    field: &Field,
    values: &[T],
    valid: Option<&Bitmap>,
    out: &mut [K],
) {
    let (word, shift) = (field.word, field.shift);
    if let ([value], true) = (values, out.len() != 1) {
        let bits = value.to_bits64() << shift;
        let null = valid.is_some_and(|v| !v.get(0));
        for o in out {
            match field.null {
                Some((word, shift)) if null => o.set(word, 1 << shift),
                _ => o.set(word, bits),
            }
        }
        return;
    }
    match (valid, field.null) {
        (Some(valid), Some((null_word, null_shift))) => {
            for (i, (o, &v)) in out.iter_mut().zip(values).enumerate() {
                if valid.get(i) {
                    o.set(word, v.to_bits64() << shift);
                } else {
                    o.set(null_word, 1 << null_shift);
                }
            }
        }
        _ => {
            for (o, &v) in out.iter_mut().zip(values) {
                o.set(word, v.to_bits64() << shift);
            }
        }
    }
}

fn unpack<K: Packed>(fields: &[Field], keys: &[K]) -> Vec<Column> {
    let column = |field: &Field| {
        let plain = field.ty.without_nullable().physical();
        let values = match_number_physical!(plain, T => T::column(keys.iter()
            .map(|k| T::from_bits64(k.word(field.word) >> field.shift)).collect()),
            physical => unpack_bytes(field, physical, keys));
        match field.null {
            Some((word, shift)) => Column::nullable(
                values,
                Bitmap::from_fn(keys.len(), |i| keys[i].word(word) >> shift & 1 == 0),
            ),
            None => values,
        }
    };
    fields.iter().map(column).collect()
}
