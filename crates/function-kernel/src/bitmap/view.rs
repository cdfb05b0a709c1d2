//! A set of integers in its stored form, looked into without making anything of it.
//!
//! A large set is the portable form of a roaring bitmap (Lemire et al., "Roaring Bitmaps:
//! Implementation of an Optimized Software Library", 2018): the upper 16 bits of the values, and
//! for each of them a container with the lower ones.

use entasis_base::Result;
use entasis_base::varint::read_varint;
use entasis_function::aggregate::args::{cut_off, take};

use super::{SHORT, broken};

/// Bitmaps without and with containers of runs begin with these numbers.
const PLAIN: u32 = 12346;
const WITH_RUNS: u32 = 12347;

/// Containers from so many on have a table of their places even where there are runs.
const WITH_PLACES: usize = 4;

/// Longest container that is a list.
const LIST: usize = 4096;

/// A set of integers.
#[derive(Clone, Copy, Debug)]
pub enum View<'a> {
    /// Integers of a width, one after the other.
    Short(usize, &'a [u8]),
    /// A roaring bitmap.
    Long(&'a [u8]),
    /// Roaring bitmaps, each behind the upper 32 bits of its values.
    Tree(&'a [u8]),
}

/// Values that have all but the lower 16 bits in common.
#[derive(Clone, Copy)]
enum Container<'a> {
    List(&'a [u8]),
    Bits(&'a [u8]),
    /// The first value of each run, and its length without the first value.
    Runs(&'a [u8]),
}

fn short(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[2 * at], bytes[2 * at + 1]])
}

fn take_u32(input: &mut &[u8]) -> Result<u32> {
    let bytes = take(input, 4)?.first_chunk().ok_or_else(cut_off)?;
    Ok(u32::from_le_bytes(*bytes))
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b))
}

impl Container<'_> {
    fn contains(self, value: u16) -> bool {
        match self {
            Self::List(bytes) if bytes.len() <= 256 => bytes
                .as_chunks()
                .0
                .iter()
                .fold(false, |found, bytes| found | (u16::from_le_bytes(*bytes) == value)),
            Self::List(bytes) => {
                let list = bytes.as_chunks().0;
                list.binary_search_by_key(&value, |bytes| u16::from_le_bytes(*bytes)).is_ok()
            }
            Self::Bits(bytes) => bytes[usize::from(value / 8)] >> (value % 8) & 1 != 0,
            Self::Runs(bytes) => bytes.chunks_exact(4).any(|run| {
                value.checked_sub(short(run, 0)).is_some_and(|behind| behind <= short(run, 1))
            }),
        }
    }

    fn each(self, mut visit: impl FnMut(u16)) {
        match self {
            Self::List(bytes) => (0..bytes.len() / 2).for_each(|at| visit(short(bytes, at))),
            Self::Bits(bytes) => {
                for (k, word) in bytes.as_chunks::<8>().0.iter().enumerate() {
                    let mut word = u64::from_le_bytes(*word);
                    while word != 0 {
                        visit((64 * k) as u16 + word.trailing_zeros() as u16);
                        word &= word - 1;
                    }
                }
            }
            Self::Runs(bytes) => {
                for run in bytes.chunks_exact(4) {
                    (short(run, 0)..=short(run, 0).saturating_add(short(run, 1)))
                        .for_each(&mut visit);
                }
            }
        }
    }
}

/// Visits the containers of a roaring bitmap at the front: their upper bits, the number of their
/// values, and their values.
fn each_container<'a>(
    input: &mut &'a [u8],
    high: u64,
    visit: &mut impl FnMut(u64, u64, Container<'a>),
) -> Result<()> {
    let cookie = take_u32(input)?;
    let (count, runs) = match cookie {
        PLAIN => (take_u32(input)? as usize, None),
        _ if cookie & 0xFFFF == WITH_RUNS => {
            let count = (cookie >> 16) as usize + 1;
            (count, Some(take(input, count.div_ceil(8))?))
        }
        _ => return Err(broken()),
    };
    if count > 1 << 16 {
        return Err(broken());
    }
    let heads = take(input, 4 * count)?;
    if runs.is_none() || count >= WITH_PLACES {
        take(input, 4 * count)?;
    }
    for (i, head) in heads.chunks_exact(4).enumerate() {
        let (key, len) = (u64::from(short(head, 0)), usize::from(short(head, 1)) + 1);
        let container = if runs.is_some_and(|runs| runs[i / 8] >> (i % 8) & 1 != 0) {
            let count = short(take(input, 2)?, 0);
            Container::Runs(take(input, 4 * usize::from(count))?)
        } else if len <= LIST {
            Container::List(take(input, 2 * len)?)
        } else {
            Container::Bits(take(input, 1 << 13)?)
        };
        visit(high << 32 | key << 16, len as u64, container);
    }
    Ok(())
}

impl<'a> View<'a> {
    /// The set of integers of `width` bytes that `bytes` are. The bytes are untrusted: no use of
    /// the view reads past them, and damage that it does not notice gives other integers.
    pub fn of(width: usize, mut bytes: &'a [u8]) -> Result<Self> {
        let input = &mut bytes;
        if take(input, 1)?[0] == 0 {
            let count = usize::from(take(input, 1)?[0]);
            if count > SHORT {
                return Err(broken());
            }
            return Ok(Self::Short(width, take(input, count * width)?));
        }
        let len = usize::try_from(read_varint(input)?).map_err(|_| cut_off())?;
        let bytes = take(input, len)?;
        Ok(if width == 8 { Self::Tree(bytes) } else { Self::Long(bytes) })
    }

    fn containers(self, mut visit: impl FnMut(u64, u64, Container<'a>)) -> Result<()> {
        match self {
            Self::Short(..) => Ok(()),
            Self::Long(mut bytes) => each_container(&mut bytes, 0, &mut visit),
            Self::Tree(mut bytes) => {
                for _ in 0..number(take(&mut bytes, 8)?) {
                    let high = take_u32(&mut bytes)?;
                    each_container(&mut bytes, high.into(), &mut visit)?;
                }
                Ok(())
            }
        }
    }

    /// Number of values.
    pub fn len(self) -> Result<u64> {
        let mut all = match self {
            Self::Short(width, bytes) => (bytes.len() / width) as u64,
            _ => 0,
        };
        self.containers(|_, len, _| all += len)?;
        Ok(all)
    }

    /// Whether the value is in the set.
    pub fn contains(self, value: u64) -> Result<bool> {
        let mut found = match self {
            Self::Short(width, bytes) => bytes.chunks_exact(width).any(|v| number(v) == value),
            _ => false,
        };
        self.containers(|high, _, container| {
            if high == value & !0xFFFF {
                found |= container.contains(value as u16);
            }
        })?;
        Ok(found)
    }

    /// Visits all values, in ascending order if they are many.
    pub fn each(self, mut visit: impl FnMut(u64)) -> Result<()> {
        if let Self::Short(width, bytes) = self {
            bytes.chunks_exact(width).for_each(|v| visit(number(v)));
        }
        self.containers(|high, _, container| container.each(|low| visit(high | u64::from(low))))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Bitmap;
    use super::*;

    fn check(width: usize, values: &[u64]) {
        let set: Bitmap = values.iter().copied().collect();
        let mut bytes = Vec::new();
        set.write(width, &mut bytes);
        let view = View::of(width, &bytes).unwrap();
        assert_eq!(view.len().unwrap(), set.len());
        let mut found = Vec::new();
        view.each(|v| found.push(v)).unwrap();
        assert_eq!(found, set.values().collect::<Vec<_>>());
        for value in values.iter().flat_map(|v| [v.saturating_sub(1), *v, v.saturating_add(1)]) {
            assert_eq!(view.contains(value).unwrap(), set.contains(value));
        }
        for cut in (0..bytes.len()).step_by(bytes.len() / 50 + 1) {
            let cut = View::of(width, &bytes[..cut]);
            assert!(cut.and_then(|v| v.each(|_| ())).is_err());
        }
    }

    #[test]
    fn views_are_what_was_written() {
        let list = |n: u64, step: u64| (0..n).map(|v| v * step).collect::<Vec<u64>>();
        for width in [1, 2, 4, 8] {
            for n in [0, 1, 32, 33, 80] {
                check(width, &list(n, 3));
            }
        }
        for width in [4, 8] {
            check(width, &list(5000, 2));
            check(width, &list(70_000, 1));
            check(width, &list(1000, 4001));
            let runs: Vec<u64> = list(40, 100_000).iter().flat_map(|&v| v..v + 60).collect();
            check(width, &runs);
        }
        check(8, &list(200, 1 << 50));
    }
}
