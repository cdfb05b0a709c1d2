//! Rows set aside by partition: only their encoded keys and the argument columns.
//!
//! A counting sort orders the rows of a chunk by partition. Then the values of each column are
//! copied directly to the ends of the partitions' buffers.

use std::ops::Range;

use entasis_base::{Error, Result};
use entasis_column::bitmap::BitmapBuilder;
use entasis_column::hash::partition_of;
use entasis_column::{Bitmap, Buffer, Column, ColumnBuilder, Native, StringsBuilder, match_native};
use entasis_types::{i256, u256};

use super::keys::Keys;

/// The number of top bits of the hash that select the partition.
pub const PARTITION_BITS: u32 = 8;
/// Number of partitions.
pub const PARTITIONS: usize = 1 << PARTITION_BITS;
/// Rows after which a buffer is closed; the rows of a closed buffer are later aggregated in one go.
const SEGMENT_ROWS: usize = 4096;
/// The same for bytes of strings: buffers get larger one by one, so that none is copied to grow.
const SEGMENT_BYTES: Range<usize> = 16 << 10..256 << 10;

/// A closed buffer with rows of one partition.
pub struct Segment {
    /// The keys of the rows.
    pub keys: Keys,
    /// Hashes of keys that are costly to hash again; empty for other keys.
    pub hashes: Vec<u64>,
    /// The argument columns.
    pub args: Vec<Column>,
}

/// The rows of one partition.
#[derive(Default)]
pub struct Part {
    /// Closed buffers.
    pub segments: Vec<Segment>,
    /// Number of rows in the closed buffers.
    pub rows: usize,
    /// How many buffers of strings were closed.
    closed: u32,
    keys: OpenKeys,
    hashes: Vec<u64>,
    args: Vec<OpenArg>,
    open: usize,
}

/// An argument's values, and a bitmap of the NULLs once a chunk had a Nullable column.
#[derive(Default)]
struct OpenArg {
    validity: Option<BitmapBuilder>,
    values: OpenColumn,
}

#[derive(Default)]
enum OpenKeys {
    #[default]
    Empty,
    U64(Vec<u64>),
    U128(Vec<u128>),
    U256(Vec<[u64; 4]>),
    Bytes(StringsBuilder),
}

#[derive(Default)]
enum OpenColumn {
    #[default]
    Empty,
    Numbers(ColumnBuilder),
    Strings(StringsBuilder),
    Pieces(Vec<Column>),
}

/// The rows that one worker has set aside, by partition.
pub struct Scatter {
    parts: Vec<Part>,
    order: Vec<u32>,
    rows: usize,
    bytes: usize,
}

/// Gives access to the vector inside a builder of this number type.
trait Grown: Native {
    fn vec(builder: &mut ColumnBuilder) -> Option<&mut Vec<Self>>;
    fn builder(capacity: usize) -> ColumnBuilder;
}

macro_rules! grown {
    ($($t:ty => $variant:ident),*) => {$(impl Grown for $t {
        fn vec(builder: &mut ColumnBuilder) -> Option<&mut Vec<Self>> {
            match builder {
                ColumnBuilder::$variant(values) => Some(values),
                _ => None,
            }
        }
        fn builder(capacity: usize) -> ColumnBuilder {
            ColumnBuilder::$variant(Vec::with_capacity(capacity))
        }
    })*};
}

grown!(u8 => UInt8, u16 => UInt16, u32 => UInt32, u64 => UInt64, i8 => Int8, i16 => Int16,
    i32 => Int32, i64 => Int64, i128 => Int128, u128 => UInt128, i256 => Int256, u256 => UInt256,
    f32 => Float32, f64 => Float64);

const FIRST_CAPACITY: usize = 512;

impl Scatter {
    /// An empty state for `args` argument columns.
    pub fn new(args: usize) -> Self {
        let part =
            || Part { args: (0..args).map(|_| OpenArg::default()).collect(), ..Part::default() };
        let parts = (0..PARTITIONS).map(|_| part()).collect();
        Self { parts, order: Vec::new(), rows: 0, bytes: 0 }
    }

    /// Approximate bytes of all rows set aside.
    pub fn byte_size(&self) -> usize {
        self.bytes
    }

    /// Approximate bytes of the rows set aside for one partition.
    pub fn bytes_of(&self, at: usize) -> usize {
        let rows = self.parts[at].rows + self.parts[at].open;
        (self.bytes as f64 * rows as f64 / self.rows.max(1) as f64) as usize
    }

    /// Sets the rows of a chunk aside.
    pub fn push(&mut self, keys: &Keys, hashes: &[u64], args: &[Column]) -> Result<()> {
        let mut ends = [0u32; PARTITIONS];
        for &hash in hashes {
            ends[partition_of(hash, PARTITION_BITS)] += 1;
        }
        let mut total = 0;
        for end in &mut ends {
            (*end, total) = (total, total + *end);
        }
        self.order.resize(hashes.len(), 0);
        for (i, &hash) in hashes.iter().enumerate() {
            let end = &mut ends[partition_of(hash, PARTITION_BITS)];
            self.order[*end as usize] = i as u32;
            *end += 1;
        }
        self.rows += hashes.len();
        self.push_keys(keys, hashes, &ends)?;
        for (at, column) in args.iter().enumerate() {
            let column = column.full();
            self.bytes += column.byte_size();
            let (validity, values) = column.split_nullable();
            push_column(&mut self.parts, at, values, &self.order, &ends)?;
            push_validity(&mut self.parts, at, validity, &self.order, &ends);
        }
        let mut start = 0;
        for (part, &end) in self.parts.iter_mut().zip(&ends) {
            part.open += (end - start) as usize;
            start = end;
            if part.open >= SEGMENT_ROWS || part.keys.bytes() >= part.most_bytes() {
                part.close()?;
            }
        }
        Ok(())
    }

    fn push_keys(&mut self, keys: &Keys, hashes: &[u64], ends: &[u32]) -> Result<()> {
        macro_rules! fixed {
            ($variant:ident, $keys:ident) => {{
                self.bytes += size_of_val(&$keys[..]);
                for (part, rows) in self.parts.iter_mut().zip(runs(&self.order, ends)) {
                    if let OpenKeys::Empty = part.keys {
                        part.keys = OpenKeys::$variant(Vec::with_capacity(FIRST_CAPACITY));
                    }
                    let OpenKeys::$variant(out) = &mut part.keys else { return Err(mixed()) };
                    out.extend(rows.iter().map(|&i| $keys[i as usize]));
                }
            }};
        }
        match keys {
            Keys::U16(_) => return Err(mixed()),
            Keys::U64(keys) => fixed!(U64, keys),
            Keys::U128(keys) => fixed!(U128, keys),
            Keys::U256(keys) => fixed!(U256, keys),
            Keys::Bytes(strings) => {
                self.bytes += strings.bytes().len() + 12 * strings.len();
                for (part, rows) in self.parts.iter_mut().zip(runs(&self.order, ends)) {
                    if let OpenKeys::Empty = part.keys {
                        let bytes = part.most_bytes();
                        let builder = StringsBuilder::with_capacity(FIRST_CAPACITY, bytes / 4 * 5);
                        part.keys = OpenKeys::Bytes(builder);
                    }
                    let OpenKeys::Bytes(out) = &mut part.keys else { return Err(mixed()) };
                    out.push_rows(strings, rows);
                    part.hashes.extend(rows.iter().map(|&i| hashes[i as usize]));
                }
            }
        }
        Ok(())
    }

    /// Closes all buffers and returns the partitions.
    pub fn finish(mut self) -> Result<Vec<Part>> {
        for part in &mut self.parts {
            part.close()?;
        }
        Ok(self.parts)
    }

    /// Takes out the rows of a range of partitions, with all buffers closed.
    pub fn drain(&mut self, range: Range<usize>) -> Result<Vec<Part>> {
        let mut taken = 0;
        let parts = range.map(|at| {
            let part = &mut self.parts[at];
            part.close()?;
            taken += part.rows;
            let args = (0..part.args.len()).map(|_| OpenArg::default()).collect();
            Ok(std::mem::replace(part, Part { args, ..Part::default() }))
        });
        let parts = parts.collect();
        self.bytes -= (self.bytes as f64 * taken as f64 / self.rows.max(1) as f64) as usize;
        self.rows -= taken;
        parts
    }
}

#[cold]
fn mixed() -> Error {
    Error::logical("keys of two layouts in one aggregation")
}

/// The row numbers of every partition, given where each partition ends in `order`.
fn runs<'a>(order: &'a [u32], ends: &'a [u32]) -> impl Iterator<Item = &'a [u32]> + 'a {
    ends.iter().scan(0, move |start, &end| {
        let run = &order[*start as usize..end as usize];
        *start = end;
        Some(run)
    })
}

fn push_column(
    parts: &mut [Part],
    at: usize,
    column: &Column,
    order: &[u32],
    ends: &[u32],
) -> Result<()> {
    let runs = parts.iter_mut().zip(runs(order, ends)).filter(|(_, rows)| !rows.is_empty());
    match_native!(column, values => push_numbers(runs, at, values), other => {
        for (part, rows) in runs {
            match (&mut part.args[at].values, other) {
                (slot @ OpenColumn::Empty, Column::String(strings)) => {
                    let mut out = StringsBuilder::default();
                    out.push_rows(strings, rows);
                    *slot = OpenColumn::Strings(out);
                }
                (OpenColumn::Strings(out), Column::String(strings)) => {
                    out.check_room(strings.bytes().len())?;
                    out.push_rows(strings, rows);
                }
                (slot @ OpenColumn::Empty, other) => {
                    *slot = OpenColumn::Pieces(vec![other.take(rows)]);
                }
                (OpenColumn::Pieces(pieces), other) => pieces.push(other.take(rows)),
                _ => return Err(mixed()),
            }
        }
        Ok(())
    })
}

fn push_numbers<'a, T: Grown>(
    runs: impl Iterator<Item = (&'a mut Part, &'a [u32])>,
    at: usize,
    values: &Buffer<T>,
) -> Result<()> {
    let values: &[T] = values;
    for (part, rows) in runs {
        let slot = &mut part.args[at].values;
        if let OpenColumn::Empty = slot {
            *slot = OpenColumn::Numbers(T::builder(FIRST_CAPACITY));
        }
        let OpenColumn::Numbers(builder) = slot else { return Err(mixed()) };
        let out = T::vec(builder).ok_or_else(mixed)?;
        out.extend(rows.iter().map(|&i| values[i as usize]));
    }
    Ok(())
}

/// Must be called after the values are added and before the rows are counted as open.
fn push_validity(
    parts: &mut [Part],
    at: usize,
    validity: Option<&Bitmap>,
    order: &[u32],
    ends: &[u32],
) {
    for (part, rows) in parts.iter_mut().zip(runs(order, ends)) {
        let open = &mut part.args[at].validity;
        match validity {
            Some(bits) if !rows.is_empty() => {
                let out = open.get_or_insert_with(|| {
                    let mut before = BitmapBuilder::default();
                    before.push_n(true, part.open);
                    before
                });
                rows.iter().for_each(|&i| out.push(bits.get(i as usize)));
            }
            _ => open.iter_mut().for_each(|out| out.push_n(true, rows.len())),
        }
    }
}

impl OpenArg {
    fn close(&mut self) -> Column {
        let values = self.values.close();
        match self.validity.take() {
            Some(validity) => Column::nullable(values, validity.finish()),
            None => values,
        }
    }
}

impl OpenKeys {
    /// Bytes of strings.
    fn bytes(&self) -> usize {
        if let Self::Bytes(strings) = self { strings.data.len() } else { 0 }
    }

    fn close(&mut self) -> Option<Keys> {
        Some(match std::mem::take(self) {
            Self::Empty => return None,
            Self::U64(keys) => Keys::U64(keys),
            Self::U128(keys) => Keys::U128(keys),
            Self::U256(keys) => Keys::U256(keys),
            Self::Bytes(strings) => Keys::Bytes(strings.finish()),
        })
    }
}

impl OpenColumn {
    fn close(&mut self) -> Column {
        match std::mem::take(self) {
            Self::Empty => Column::Nothing(0),
            Self::Numbers(builder) => builder.finish(),
            Self::Strings(strings) => strings.finish().into(),
            Self::Pieces(pieces) => Column::concat(&pieces.iter().collect::<Vec<_>>()),
        }
    }
}

impl Part {
    /// Bytes of strings at which the open buffer is closed.
    fn most_bytes(&self) -> usize {
        (SEGMENT_BYTES.start << self.closed.min(8)).min(SEGMENT_BYTES.end)
    }

    fn close(&mut self) -> Result<()> {
        if self.open == 0 {
            return Ok(());
        }
        let keys = self.keys.close().ok_or_else(mixed)?;
        self.closed += 1;
        let args = self.args.iter_mut().map(OpenArg::close).collect();
        self.segments.push(Segment { keys, hashes: std::mem::take(&mut self.hashes), args });
        self.rows += std::mem::take(&mut self.open);
        Ok(())
    }
}
