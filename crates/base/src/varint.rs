//! Unsigned LEB128, as ClickHouse writes lengths and counts.

use crate::{Error, Result, codes};

/// Appends `value` in 1 to 10 bytes, seven bits each, lowest first.
pub fn write_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes a varint off the front of `input`. Fails if the number is cut off or too long.
pub fn read_varint(input: &mut &[u8]) -> Result<u64> {
    let mut value = 0u64;
    for (i, &byte) in input.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7F) << (7 * i);
        if byte < 0x80 {
            *input = &input[i + 1..];
            return Ok(value);
        }
    }
    Err(Error::new(codes::CANNOT_READ_ALL_DATA, "Cannot read varint: it is cut off or too long"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_and_cut() {
        for v in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let mut out = Vec::new();
            write_varint(&mut out, v);
            let mut rest = out.as_slice();
            assert_eq!(read_varint(&mut rest).unwrap(), v);
            assert!(rest.is_empty());
            assert!(read_varint(&mut &out[..out.len() - 1]).is_err());
        }
    }
}
