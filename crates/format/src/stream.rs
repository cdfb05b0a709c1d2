//! A stream of bytes with a buffer, for formats that are read as a whole. Lengths in a stream are
//! not trusted: the buffer grows as bytes arrive.

use std::io::Read;

use entasis_base::{Error, Result, codes};

use crate::counted::read_more;
use crate::rows::cut_off;

/// Bytes asked from the stream at a time.
const READ: u64 = 1 << 20;

/// Most bytes of one thing whose length only its own reader knows.
const MAX_MEASURED: usize = 1 << 30;

/// A stream with a buffer in front of it.
pub(crate) struct Stream<'a> {
    reader: Box<dyn Read + Send + 'a>,
    data: Vec<u8>,
    at: usize,
}

impl<'a> Stream<'a> {
    pub(crate) fn new(reader: Box<dyn Read + Send + 'a>) -> Self {
        Self { reader, data: Vec::new(), at: 0 }
    }

    /// Makes sure that `len` bytes are there.
    #[cold]
    fn fill(&mut self, len: usize) -> Result<()> {
        self.data.drain(..self.at);
        self.at = 0;
        while self.data.len() < len {
            if read_more(&mut self.reader, READ, &mut self.data)? == 0 {
                let message = cut_off(self.data.len(), len);
                return Err(Error::new(codes::CANNOT_READ_ALL_DATA, message));
            }
        }
        Ok(())
    }

    /// Whether nothing is left.
    pub(crate) fn is_at_end(&mut self) -> Result<bool> {
        if self.at < self.data.len() {
            return Ok(false);
        }
        self.data.clear();
        self.at = 0;
        Ok(read_more(&mut self.reader, READ, &mut self.data)? == 0)
    }

    /// The next `len` bytes.
    #[inline]
    pub(crate) fn take(&mut self, len: usize) -> Result<&[u8]> {
        if self.data.len() - self.at < len {
            self.fill(len)?;
        }
        self.at += len;
        Ok(&self.data[self.at - len..self.at])
    }

    /// The next bytes, as many as `measure` says of those in front of it. It is asked again, with
    /// twice as many, as long as it says that they end too early.
    pub(crate) fn take_measured(
        &mut self,
        measure: impl Fn(&[u8]) -> Result<usize>,
    ) -> Result<&[u8]> {
        loop {
            let rest = self.data.len() - self.at;
            match measure(&self.data[self.at..]) {
                Ok(len) if len <= rest => return self.take(len),
                Err(error) if error.code() != codes::CANNOT_READ_ALL_DATA => return Err(error),
                short => {
                    let more = (2 * rest).clamp(READ as usize, MAX_MEASURED);
                    if rest >= MAX_MEASURED || !self.fill_up(more)? {
                        let message = cut_off(rest, rest + 1);
                        let cut = Error::new(codes::CANNOT_READ_ALL_DATA, message);
                        return Err(short.err().unwrap_or(cut));
                    }
                }
            }
        }
    }

    /// Reads until `len` bytes are there, or as many as there are; whether any came.
    fn fill_up(&mut self, len: usize) -> Result<bool> {
        self.data.drain(..self.at);
        self.at = 0;
        let before = self.data.len();
        while self.data.len() < len && read_more(&mut self.reader, READ, &mut self.data)? > 0 {}
        Ok(self.data.len() > before)
    }

    /// A varint; of an over-long one only ten bytes, as the reference does.
    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64> {
        let mut value = 0;
        for shift in (0..70).step_by(7) {
            let byte = self.take(1)?[0];
            value |= u64::from(byte & 0x7F).checked_shl(shift).unwrap_or(0);
            if byte < 0x80 {
                break;
            }
        }
        Ok(value)
    }
}
