//! Prefixes of addresses. The longest prefix that contains an address counts.

use std::net::{IpAddr, Ipv6Addr};

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_column::hash::{FixedKey, FixedTable, NONE};

/// For each length of prefixes, the prefixes of that length and their rows. Addresses of version 4
/// are kept as addresses of version 6 (`::ffff:a.b.c.d`).
pub(crate) struct Prefixes {
    /// Longest first.
    lengths: Vec<(u32, FixedTable<u128>, Vec<u32>)>,
}

impl Prefixes {
    /// `texts` has a prefix for each row. Of equal prefixes the first one counts. Also answers the
    /// prefixes as they are shown: as addresses of version 6.
    pub(crate) fn build(texts: &Column) -> Result<(Self, Column)> {
        let texts = texts.full();
        let strings = texts.strings().ok_or_else(|| {
            Error::new(codes::TYPE_MISMATCH, "The key of IP_TRIE must be a String of a prefix")
        })?;
        let mut of_length: Vec<Option<(FixedTable<u128>, Vec<u32>)>> = Vec::new();
        of_length.resize_with(129, || None);
        let mut shown: Vec<String> = Vec::with_capacity(strings.len());
        for (row, text) in strings.iter().enumerate() {
            let (address, length) = parse(text)?;
            shown.push(format!("{}/{length}", Ipv6Addr::from(address)));
            let (table, rows) = of_length[length as usize].get_or_insert_with(Default::default);
            let key = masked(address, length);
            let number = table.find_or_add(key, key.hash());
            if number as usize == rows.len() {
                rows.push(row as u32 + 1);
            }
        }
        let lengths = of_length.into_iter().enumerate().rev();
        let lengths = lengths
            .filter_map(|(length, found)| found.map(|(table, rows)| (length as u32, table, rows)));
        let shown = shown.iter().map(String::as_bytes).collect();
        Ok((Self { lengths: lengths.collect() }, Column::String(shown)))
    }

    /// The row for each address; 0 if no prefix contains it.
    pub(crate) fn find(&self, addresses: &Column) -> Result<Vec<u32>> {
        let addresses = addresses.full();
        let numbers: Vec<u128> = match &addresses {
            Column::UInt32(values) => values.iter().map(|&v| mapped(v)).collect(),
            Column::Fixed(fixed) if fixed.width == 16 => (0..fixed.len())
                .map(|i| fixed.get(i).iter().fold(0, |n, &byte| n << 8 | u128::from(byte)))
                .collect(),
            Column::UInt128(values) => values.to_vec(),
            _ => {
                let message = "A key of IP_TRIE must be an IPv4 (or UInt32) or an IPv6 (or \
                               FixedString(16))";
                return Err(Error::new(codes::TYPE_MISMATCH, message));
            }
        };
        Ok(numbers.into_iter().map(|address| self.find_one(address)).collect())
    }

    fn find_one(&self, address: u128) -> u32 {
        for (length, table, rows) in &self.lengths {
            let key = masked(address, *length);
            let mut found = Vec::new();
            table.find_all(&[key], &[key.hash()], &mut found);
            if let Some(&number) = found.first().filter(|&&number| number != NONE) {
                return rows[number as usize];
            }
        }
        0
    }

    pub(crate) fn byte_size(&self) -> usize {
        self.lengths.iter().map(|(_, table, rows)| table.byte_size() + rows.len() * 4).sum()
    }
}

fn mapped(address: u32) -> u128 {
    0xFFFF_0000_0000 | u128::from(address)
}

fn masked(address: u128, length: u32) -> u128 {
    if length == 0 { 0 } else { address >> (128 - length) << (128 - length) }
}

/// `10.0.0.0/8`, `2001:db8::/32`, or an address alone.
fn parse(text: &[u8]) -> Result<(u128, u32)> {
    let wrong = || {
        let text = String::from_utf8_lossy(text);
        let message = format!("Cannot parse '{text}' as a prefix: write address/length");
        Error::new(codes::CANNOT_PARSE_INPUT_ASSERTION_FAILED, message)
    };
    let text = std::str::from_utf8(text).map_err(|_| wrong())?;
    let (address, length) = match text.split_once('/') {
        Some((address, length)) => (address, Some(length.parse::<u32>().map_err(|_| wrong())?)),
        None => (text, None),
    };
    match address.parse::<IpAddr>().map_err(|_| wrong())? {
        IpAddr::V4(address) => match length.unwrap_or(32) {
            length @ 0..=32 => Ok((mapped(address.into()), 96 + length)),
            _ => Err(wrong()),
        },
        IpAddr::V6(address) => match length.unwrap_or(128) {
            length @ 0..=128 => Ok((address.into(), length)),
            _ => Err(wrong()),
        },
    }
}
