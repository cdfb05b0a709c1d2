//! Byte strings: `u32` offsets over one contiguous buffer; and fixed-width strings.

use entasis_base::{Error, Result, codes, scope};
use entasis_simd::copy::append_parts;

use crate::Buffer;

/// `n` byte strings: string `i` is `data[offsets[i] .. offsets[i + 1]]`. Offsets never decrease.
/// The first one need not be 0, because a slice keeps the whole data.
#[derive(Clone, Debug)]
pub struct Strings {
    offsets: Buffer<u32>,
    data: Buffer<u8>,
}

impl Strings {
    /// From `n + 1` offsets and the bytes they point into. Panics if the last offset is too large.
    pub fn new(offsets: Buffer<u32>, data: Buffer<u8>) -> Self {
        assert!(!offsets.is_empty() && offsets[offsets.len() - 1] as usize <= data.len());
        debug_assert!(offsets.is_sorted());
        Self { offsets, data }
    }

    /// Number of strings.
    #[inline]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// String `i`. Panics if out of bounds.
    #[inline]
    pub fn get(&self, i: usize) -> &[u8] {
        &self.data[self.offsets[i] as usize..self.offsets[i + 1] as usize]
    }

    /// All strings in order.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> + '_ {
        let data: &[u8] = &self.data;
        self.offsets.windows(2).map(move |w| &data[w[0] as usize..w[1] as usize])
    }

    /// The `n + 1` offsets into [`Self::data`].
    #[inline]
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// The buffer into which the offsets point. It may contain bytes before the first and after the
    /// last string.
    #[inline]
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// The shared buffers, for libraries that take them without a copy.
    pub fn buffers(&self) -> (&Buffer<u32>, &Buffer<u8>) {
        (&self.offsets, &self.data)
    }

    /// Only the bytes of these strings, from the first to the last.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.data[self.offsets[0] as usize..self.offsets[self.len()] as usize]
    }

    /// Strings `start .. start + len`, sharing memory.
    #[must_use]
    pub fn slice(&self, start: usize, len: usize) -> Self {
        Self { offsets: self.offsets.slice(start..start + len + 1), data: self.data.clone() }
    }

    /// Strings of several columns, each given by its column and row. Their bytes are copied once.
    #[must_use]
    pub fn gather(columns: &[&Self], picks: &[(u32, u32)]) -> Self {
        let string = |&(column, row): &(u32, u32)| columns[column as usize].get(row as usize);
        let bytes: usize = picks.iter().map(|pick| string(pick).len()).sum();
        if bytes > u32::MAX as usize {
            scope::stop(too_long());
        }
        let mut out = StringsBuilder::with_capacity(picks.len(), bytes);
        picks.iter().for_each(|pick| out.push(string(pick)));
        out.finish()
    }
}

impl<S: AsRef<[u8]>> FromIterator<S> for Strings {
    fn from_iter<I: IntoIterator<Item = S>>(iter: I) -> Self {
        let mut builder = StringsBuilder::default();
        for s in iter {
            builder.push(s.as_ref());
        }
        builder.finish()
    }
}

/// Allocations from this size on ask for their memory first, and growing strings check the query
/// after this many bytes.
pub(crate) const LARGE: usize = 1 << 20;

#[cold]
pub(crate) fn too_long() -> Error {
    let message = "More than 4 GiB of strings, or 2^32 elements of arrays, in one column of a \
                   chunk: lower max_block_size";
    Error::new(codes::TOO_LARGE_STRING_SIZE, message)
}

/// Strings that grow at the end. Every [`LARGE`] bytes it checks the query
/// ([`scope::check_or_unwind`]), so that everything that makes strings can be stopped, and stops at
/// the memory limit.
#[derive(Clone, Debug)]
pub struct StringsBuilder {
    /// Ends of the strings, after a leading 0.
    pub offsets: Vec<u32>,
    /// Their bytes.
    pub data: Vec<u8>,
    /// Length of the data at which the query is checked next.
    look_at: usize,
}

impl Default for StringsBuilder {
    fn default() -> Self {
        Self::with_capacity(0, 0)
    }
}

impl StringsBuilder {
    /// Room for `rows` strings of `bytes` bytes together.
    pub fn with_capacity(rows: usize, bytes: usize) -> Self {
        if bytes >= LARGE {
            scope::check_or_unwind(bytes);
        }
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(0);
        Self { offsets, data: Vec::with_capacity(bytes), look_at: LARGE }
    }

    /// From `n + 1` offsets and the bytes they point into.
    pub fn from_parts(offsets: Vec<u32>, data: Vec<u8>) -> Self {
        Self { look_at: data.len() + LARGE, offsets, data }
    }

    /// Number of strings so far.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are none yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends one string.
    #[inline]
    pub fn push(&mut self, s: &[u8]) {
        self.data.extend_from_slice(s);
        self.close();
    }

    /// Appends the strings of these rows.
    pub fn push_rows(&mut self, strings: &Strings, rows: &[u32]) {
        let (offsets, data) = (strings.offsets(), strings.data());
        let place = |&row: &u32| offsets[row as usize] as usize..offsets[row as usize + 1] as usize;
        append_parts(data, rows.iter().map(place), &mut self.data, &mut self.offsets);
        self.pace();
    }

    /// Ends the string whose bytes were appended to `data` directly.
    #[inline]
    pub fn close(&mut self) {
        self.offsets.push(self.data.len() as u32);
        self.pace();
    }

    /// Checks the query if enough bytes have been added since the last check, for callers that
    /// append much to one string.
    #[inline]
    pub fn pace(&mut self) {
        if self.data.len() >= self.look_at {
            self.look();
        }
    }

    #[cold]
    fn look(&mut self) {
        self.look_at = self.data.len() + LARGE;
        scope::check_or_unwind(0);
        if self.data.len() > u32::MAX as usize {
            scope::stop(too_long());
        }
    }

    /// Fails if the bytes no longer fit into `u32` offsets. Callers that append without limit call
    /// it once per chunk with the number of bytes that follow.
    pub fn check_room(&self, more: usize) -> Result<()> {
        if more >= LARGE {
            scope::ask(more)?;
        }
        if self.data.len() + more <= u32::MAX as usize { Ok(()) } else { Err(too_long()) }
    }

    /// Appends all of `other`.
    pub fn extend(&mut self, other: &Strings) {
        let first = other.offsets()[0];
        let base = (self.data.len() as u32).wrapping_sub(first);
        self.offsets.extend(other.offsets()[1..].iter().map(|o| o.wrapping_add(base)));
        self.data.extend_from_slice(other.bytes());
    }

    /// The strings.
    pub fn finish(self) -> Strings {
        Strings { offsets: self.offsets.into(), data: self.data.into() }
    }
}

/// `n` strings of exactly `width` bytes each, one after the other.
#[derive(Clone, Debug)]
pub struct FixedStrings {
    /// Bytes per string, at least 1.
    pub width: usize,
    /// `n * width` bytes.
    pub data: Buffer<u8>,
}

impl FixedStrings {
    /// Number of strings.
    #[inline]
    pub fn len(&self) -> usize {
        self.data.len() / self.width
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// String `i` with its padding.
    #[inline]
    pub fn get(&self, i: usize) -> &[u8] {
        &self.data[i * self.width..(i + 1) * self.width]
    }

    /// Strings `start .. start + len`, sharing memory.
    #[must_use]
    pub fn slice(&self, start: usize, len: usize) -> Self {
        let data = self.data.slice(start * self.width..(start + len) * self.width);
        Self { width: self.width, data }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_slice_are_appended() {
        let mut all = StringsBuilder::default();
        for i in 0..100 {
            all.push("text".repeat(i % 9).as_bytes());
        }
        let slice = all.finish().slice(37, 50);
        let rows = [49, 0, 7, 7, 12];
        let mut out = StringsBuilder::default();
        out.push(b"before");
        out.push_rows(&slice, &rows);
        let out = out.finish();
        let wanted = rows.iter().map(|row| slice.get(*row as usize));
        assert!(out.iter().skip(1).eq(wanted) && out.get(0) == b"before");
    }
}
