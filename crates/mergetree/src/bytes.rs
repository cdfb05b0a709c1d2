//! The encodings that both file formats share: varints, length-prefixed bytes, tagged sections,
//! values.
//!
//! Reading never trusts its input: every length is checked against the remaining bytes before it is
//! used.

use entasis_base::varint::{read_varint, write_varint};
use entasis_base::{Error, Result, codes};
use entasis_types::{Value, i256, u256};

/// The error for bytes that do not follow the format.
#[cold]
pub(crate) fn corrupted(what: impl std::fmt::Display) -> Error {
    Error::new(codes::CORRUPTED_DATA, format!("Corrupted data: {what}"))
}

/// Bytes being read from the front.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a>(pub(crate) &'a [u8]);

impl<'a> Input<'a> {
    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(len).ok_or_else(|| corrupted("cut short"))?;
        self.0 = rest;
        Ok(head)
    }

    pub(crate) fn byte(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    pub(crate) fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// The next `N` bytes.
    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N)?);
        Ok(bytes)
    }

    pub(crate) fn varint(&mut self) -> Result<u64> {
        read_varint(&mut self.0).map_err(|_| corrupted("cut or over-long number"))
    }

    pub(crate) fn zigzag(&mut self) -> Result<i64> {
        let bits = self.varint()?;
        Ok((bits >> 1) as i64 ^ -((bits & 1) as i64))
    }

    /// Length-prefixed bytes.
    pub(crate) fn bytes(&mut self) -> Result<&'a [u8]> {
        let len = self.varint()?;
        self.take(usize::try_from(len).map_err(|_| corrupted("length out of range"))?)
    }

    /// Length-prefixed UTF-8.
    pub(crate) fn text(&mut self) -> Result<&'a str> {
        std::str::from_utf8(self.bytes()?).map_err(|_| corrupted("text is not UTF-8"))
    }

    /// A number of items that follow, each at least one byte long.
    pub(crate) fn count(&mut self) -> Result<usize> {
        let count = self.varint()?;
        if count > self.0.len() as u64 {
            return Err(corrupted("more items than bytes"));
        }
        Ok(count as usize)
    }

    /// Tag and payload of the next section; `None` at the end.
    pub(crate) fn section(&mut self) -> Result<Option<(u64, &'a [u8])>> {
        if self.0.is_empty() {
            return Ok(None);
        }
        Ok(Some((self.varint()?, self.bytes()?)))
    }

    /// A value as [`put_value`] wrote it.
    pub(crate) fn value(&mut self) -> Result<Value> {
        Ok(match self.byte()? {
            0 => Value::Null,
            1 => Value::UInt(self.varint()?),
            2 => Value::Int(self.zigzag()?),
            3 => Value::Float(f64::from_bits(self.u64()?)),
            4 => Value::string(self.bytes()?),
            5 => Value::Wide(i128::from_le_bytes(self.array()?).into()),
            6 => Value::Wide(i256::from_le_bytes(self.array()?)),
            7 => Value::Huge(u256::from_le_bytes(self.array()?)),
            _ => return Err(corrupted("unknown kind of value")),
        })
    }
}

pub(crate) fn put_u64(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(&value.to_le_bytes());
}

pub(crate) fn put_zigzag(out: &mut Vec<u8>, value: i64) {
    write_varint(out, (value << 1 ^ value >> 63) as u64);
}

pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    write_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Appends a section: tag, length, payload.
pub(crate) fn put_section(out: &mut Vec<u8>, tag: u64, payload: &[u8]) {
    write_varint(out, tag);
    put_bytes(out, payload);
}

/// Appends a scalar value. Arrays, tuples and values of a Variant are written as NULL, which means
/// "not known".
pub(crate) fn put_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::UInt(v) => {
            out.push(1);
            write_varint(out, *v);
        }
        Value::Int(v) => {
            out.push(2);
            put_zigzag(out, *v);
        }
        Value::Float(v) => {
            out.push(3);
            put_u64(out, v.to_bits());
        }
        Value::String(bytes) => {
            out.push(4);
            put_bytes(out, bytes);
        }
        Value::Wide(v) => match i128::try_from(*v) {
            Ok(v) => {
                out.push(5);
                out.extend_from_slice(&v.to_le_bytes());
            }
            Err(_) => {
                out.push(6);
                out.extend_from_slice(&v.to_le_bytes());
            }
        },
        Value::Huge(v) => {
            out.push(7);
            out.extend_from_slice(&v.to_le_bytes());
        }
        Value::Null | Value::Array(_) | Value::Tuple(_) | Value::Variant(..) => out.push(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_round_trip_and_cuts_are_errors() {
        let values = [
            Value::Null,
            Value::UInt(u64::MAX),
            Value::Int(i64::MIN),
            Value::Int(-3),
            Value::signed(i128::MIN),
            Value::signed(i256::MIN),
            Value::unsigned(u256::from(u128::MAX)),
            Value::unsigned(u256::MAX),
            Value::Float(-0.5),
            Value::string(b"ab"),
        ];
        for value in values {
            let mut out = Vec::new();
            put_value(&mut out, &value);
            assert_eq!(Input(&out).value().unwrap(), value);
            for cut in 0..out.len() {
                assert!(Input(&out[..cut]).value().is_err());
            }
        }
        assert!(Input(&[200]).count().is_err());
    }
}
