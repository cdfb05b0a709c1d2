//! Sets of integers, which `groupBitmap` collects and the functions `bitmap...` combine.
//!
//! As in the reference, a set of at most 32 values is a list in the order in which they came, and a
//! larger one is a roaring bitmap. Values are the bits of integers of a width: -1 in 8 bits is 255.

mod view;

pub use view::View;

use entasis_base::varint::{read_varint, write_varint};
use entasis_base::{Error, Result, codes};
use entasis_types::DataType;
use roaring::{RoaringBitmap, RoaringTreemap};

use entasis_function::aggregate::args::{cut_off, take};

/// Most values of a list.
const SHORT: usize = 32;

/// A set of integers.
#[derive(Clone, Debug)]
pub enum Bitmap {
    /// A few values in the order in which they came.
    Short(Vec<u64>),
    /// Many values.
    Long(RoaringTreemap),
}

/// How two sets are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Combine {
    And,
    Or,
    Xor,
    AndNot,
}

impl Default for Bitmap {
    fn default() -> Self {
        Self::Short(Vec::new())
    }
}

/// Bytes of the integers in a bitmap of the type; `None` for types that cannot be in one.
pub fn width_of(ty: &DataType) -> Option<usize> {
    if ty.is_native_integer() { ty.fixed_width() } else { None }
}

impl Bitmap {
    /// Adds a value.
    pub fn insert(&mut self, value: u64) {
        match self {
            Self::Short(values) => {
                if values.contains(&value) {
                    return;
                }
                if values.len() < SHORT {
                    values.push(value);
                    return;
                }
                let mut set: RoaringTreemap = values.iter().copied().collect();
                set.insert(value);
                *self = Self::Long(set);
            }
            Self::Long(set) => {
                set.insert(value);
            }
        }
    }

    /// A few values, each once. Most are told apart by six bits of a hash.
    fn distinct(values: impl ExactSizeIterator<Item = u64>) -> Self {
        let (mut list, mut seen) = (Vec::with_capacity(values.len()), 0u64);
        for value in values {
            let bit = 1 << (value.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58);
            if seen & bit == 0 || !list.contains(&value) {
                list.push(value);
            }
            seen |= bit;
        }
        Self::Short(list)
    }

    /// Number of values.
    pub fn len(&self) -> u64 {
        match self {
            Self::Short(values) => values.len() as u64,
            Self::Long(set) => set.len(),
        }
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the value is in the set.
    pub fn contains(&self, value: u64) -> bool {
        match self {
            Self::Short(values) => values.contains(&value),
            Self::Long(set) => set.contains(value),
        }
    }

    /// All values, in ascending order if they are many.
    pub fn values(&self) -> Box<dyn Iterator<Item = u64> + '_> {
        match self {
            Self::Short(values) => Box::new(values.iter().copied()),
            Self::Long(set) => Box::new(set.iter()),
        }
    }

    /// All values in ascending order.
    pub fn sorted(&self) -> Vec<u64> {
        let mut values: Vec<u64> = self.values().collect();
        values.sort_unstable();
        values
    }

    fn set(&self) -> RoaringTreemap {
        match self {
            Self::Short(values) => values.iter().copied().collect(),
            Self::Long(set) => set.clone(),
        }
    }

    /// The values of both, combined.
    #[must_use]
    pub fn combined(&self, how: Combine, other: &Self) -> Self {
        match (self, other, how) {
            (Self::Short(values), _, Combine::And) => {
                values.iter().copied().filter(|v| other.contains(*v)).collect()
            }
            (Self::Short(values), _, Combine::AndNot) => {
                values.iter().copied().filter(|v| !other.contains(*v)).collect()
            }
            (_, Self::Short(values), Combine::And) => {
                values.iter().copied().filter(|v| self.contains(*v)).collect()
            }
            (_, Self::Short(values), Combine::Or) => {
                let mut all = self.clone();
                values.iter().for_each(|v| all.insert(*v));
                all
            }
            (Self::Short(a), Self::Short(b), Combine::Xor) => {
                let first = a.iter().filter(|v| !b.contains(v));
                first.chain(b.iter().filter(|v| !a.contains(v))).copied().collect()
            }
            _ => {
                let (a, b) = (self.set(), other.set());
                Self::Long(match how {
                    Combine::And => a & b,
                    Combine::Or => a | b,
                    Combine::Xor => a ^ b,
                    Combine::AndNot => a - b,
                })
            }
        }
    }

    /// Number of values of both, combined.
    pub fn combined_len(&self, how: Combine, other: &Self) -> u64 {
        let both = match (self, other) {
            (Self::Long(a), Self::Long(b)) => a.intersection_len(b),
            (Self::Short(values), set) | (set, Self::Short(values)) => {
                values.iter().filter(|v| set.contains(**v)).count() as u64
            }
        };
        match how {
            Combine::And => both,
            Combine::Or => self.len() + other.len() - both,
            Combine::Xor => self.len() + other.len() - 2 * both,
            Combine::AndNot => self.len() - both,
        }
    }

    /// Appends the reference's bytes of a set of integers of `width` bytes.
    pub fn write(&self, width: usize, out: &mut Vec<u8>) {
        match self {
            Self::Short(values) => {
                out.push(0);
                out.push(values.len() as u8);
                values.iter().for_each(|v| out.extend_from_slice(&v.to_le_bytes()[..width]));
            }
            Self::Long(set) => {
                out.push(1);
                let mut bytes = Vec::with_capacity(set.serialized_size());
                // Writing into memory does not fail.
                let _ = if width == 8 {
                    let mut set = set.clone();
                    set.optimize();
                    set.serialize_into(&mut bytes)
                } else {
                    let mut low = set.bitmaps().find(|(high, _)| *high == 0).map(|(_, low)| low);
                    let mut low = low.take().cloned().unwrap_or_default();
                    low.optimize();
                    low.serialize_into(&mut bytes)
                };
                write_varint(out, bytes.len() as u64);
                out.extend_from_slice(&bytes);
            }
        }
    }

    /// Takes a set of integers of `width` bytes off the front. The bytes are untrusted.
    pub fn read(width: usize, input: &mut &[u8]) -> Result<Self> {
        let kind = take(input, 1)?[0];
        if kind == 0 {
            let count = usize::from(take(input, 1)?[0]);
            if count > SHORT {
                return Err(broken());
            }
            let values = take(input, count * width)?.chunks_exact(width);
            return Ok(Self::distinct(
                values.map(|v| v.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b))),
            ));
        }
        let len = usize::try_from(read_varint(input)?).map_err(|_| cut_off())?;
        let bytes = take(input, len)?;
        let set = match width {
            8 => RoaringTreemap::deserialize_from(bytes).map_err(|_| broken())?,
            _ => {
                let low = RoaringBitmap::deserialize_from(bytes).map_err(|_| broken())?;
                RoaringTreemap::from_bitmaps([(0, low)])
            }
        };
        Ok(Self::Long(set))
    }

    /// Bytes that the values take.
    pub fn heap(&self) -> usize {
        match self {
            Self::Short(values) => values.capacity() * 8,
            Self::Long(set) => set.serialized_size(),
        }
    }
}

impl FromIterator<u64> for Bitmap {
    fn from_iter<I: IntoIterator<Item = u64>>(values: I) -> Self {
        let mut set = Self::default();
        values.into_iter().for_each(|value| set.insert(value));
        set
    }
}

#[cold]
fn broken() -> Error {
    Error::new(codes::INCORRECT_DATA, "The state of a bitmap is damaged")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_back_what_was_written() {
        for width in [1, 2, 4, 8] {
            for count in [0u64, 1, 32, 33, 200] {
                let set: Bitmap = (0..count).map(|v| v * 7 % 251).collect();
                let mut bytes = Vec::new();
                set.write(width, &mut bytes);
                let mut input = &bytes[..];
                let read = Bitmap::read(width, &mut input).unwrap();
                assert!(input.is_empty());
                assert_eq!(read.sorted(), set.sorted());
                for cut in 0..bytes.len() {
                    assert!(Bitmap::read(width, &mut &bytes[..cut]).is_err());
                }
            }
        }
    }

    #[test]
    fn short_and_long_sets_combine_alike() {
        let sets: Vec<Bitmap> =
            [(0, 10), (5, 20), (0, 100), (50, 130)].map(|(a, b)| (a..b).collect()).into();
        for a in &sets {
            for b in &sets {
                for how in [Combine::And, Combine::Or, Combine::Xor, Combine::AndNot] {
                    let long = Bitmap::Long(a.set()).combined(how, &Bitmap::Long(b.set()));
                    let found = a.combined(how, b);
                    assert_eq!(found.sorted(), long.sorted());
                    assert_eq!(a.combined_len(how, b), long.len());
                }
            }
        }
    }
}
