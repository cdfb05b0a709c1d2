//! Reading little-endian fields from untrusted bytes.

use crate::ints::Int;
use entasis_base::{Error, Result, codes};

/// The error for bytes that no encoder wrote.
#[cold]
pub(crate) fn corrupted(what: &str) -> Error {
    Error::new(codes::CORRUPTED_DATA, format!("Corrupted block: {what}"))
}

/// A cursor over bytes.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a>(pub(crate) &'a [u8]);

impl<'a> Input<'a> {
    pub(crate) fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(n).ok_or_else(|| corrupted("it ends early"))?;
        self.0 = tail;
        Ok(head)
    }

    pub(crate) fn byte(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        self.int()
    }

    pub(crate) fn int<T: Int>(&mut self) -> Result<T> {
        let bytes = self.take(size_of::<T>())?;
        Ok(T::from_bits(bytes.iter().rev().fold(0, |v, &b| v << 8 | u64::from(b))))
    }

    /// The rest, which must have been consumed to the end by now.
    pub(crate) fn finish(self) -> Result<()> {
        if self.0.is_empty() { Ok(()) } else { Err(corrupted("bytes are left over")) }
    }
}

/// Appends the little-endian bytes of `value`.
pub(crate) fn put_int<T: Int>(value: T, out: &mut Vec<u8>) {
    out.extend_from_slice(&value.to_bits().to_le_bytes()[..size_of::<T>()]);
}
