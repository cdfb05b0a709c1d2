//! Conversions between addresses, and from and to the numbers that they are.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Bitmap, Column, FixedStrings};
use entasis_types::ip::{mapped, unmapped, write_ipv6};
use entasis_types::{DataType, Physical};

use super::{Cast, Mode, numbers, plain, same};
use entasis_function_kernel::kernel::bytes_at;

/// The conversion between two plain types that are no text, if one of them is an address; and that
/// of 16 bytes to an address of version 6.
pub fn bind(from: &DataType, to: &DataType, mode: Mode) -> Option<Result<Cast>> {
    use DataType::{Bool, FixedString, Ipv4, Ipv6, String, UInt8, UInt16, UInt32, UInt64, UInt128};
    let ours = |ty: &DataType| matches!(ty, Ipv4 | Ipv6);
    if !ours(from) && !ours(to) {
        return None;
    }
    Some(match (from, to) {
        (FixedString(16), Ipv6) => same(mode),
        (String | FixedString(_), _) | (_, String | FixedString(_)) => return None,
        (Ipv4, Ipv4) | (Ipv6, Ipv6) => same(mode),
        (Ipv4, Ipv6) => plain(mode, |column| {
            let Column::UInt32(values) = column else { return Err(not_stored_so()) };
            Ok(bytes(values.iter().map(|&v| mapped(v))))
        }),
        (Ipv6, Ipv4) => to_v4(mode),
        (UInt8 | UInt16 | UInt32 | UInt64 | Bool, Ipv4) => {
            plain(mode, |column| numbers::convert(column, Physical::UInt32, false))
        }
        (Ipv4, UInt32) => same(mode),
        (Ipv4, Bool) => plain(mode, |column| Ok(numbers::to_bool(column))),
        (Ipv4, UInt64 | UInt128 | DataType::UInt256) => {
            let physical = to.physical();
            plain(mode, move |column| numbers::convert(column, physical, false))
        }
        (UInt128, Ipv6) => plain(mode, |column| {
            let Column::UInt128(values) = column else { return Err(not_stored_so()) };
            Ok(bytes(values.iter().copied()))
        }),
        (Ipv6, UInt128) => plain(mode, |column| {
            Ok((0..column.len()).map(|i| address_at(column, i)).collect::<Vec<u128>>().into())
        }),
        _ => {
            let message = format!("Conversion from {from} to {to} is not supported");
            Err(Error::new(codes::NOT_IMPLEMENTED, message))
        }
    })
}

#[cold]
fn not_stored_so() -> Error {
    Error::logical("addresses are stored in another layout")
}

fn bytes(addresses: impl Iterator<Item = u128>) -> Column {
    let data: Vec<u8> = addresses.flat_map(u128::to_be_bytes).collect();
    Column::Fixed(FixedStrings { width: 16, data: data.into() })
}

fn address_at(column: &Column, i: usize) -> u128 {
    u128::from_be_bytes(bytes_at(column, i).try_into().unwrap_or_default())
}

/// Only addresses that stand for addresses of version 4 have one.
fn to_v4(mode: Mode) -> Result<Cast> {
    Ok(Arc::new(move |column| {
        let mut values = Vec::with_capacity(column.len());
        let mut known = Vec::new();
        for i in 0..column.len() {
            let address = address_at(column, i);
            let found = unmapped(address);
            if found.is_none() && mode != Mode::OrNull {
                let mut text = Vec::new();
                write_ipv6(&mut text, address);
                let text = String::from_utf8_lossy(&text);
                let message = format!("IPv6 {text} is not in IPv4 mapping block");
                return Err(Error::new(codes::CANNOT_CONVERT_TYPE, message));
            }
            known.push(u8::from(found.is_some()));
            values.push(found.unwrap_or_default());
        }
        let values = Column::from(values);
        Ok(match mode {
            Mode::OrNull => Column::nullable(values, Bitmap::from_bytes(&known)),
            _ => values,
        })
    }))
}
