//! Internet addresses as text: what conversions, formats and functions of addresses share.
//!
//! An address of version 4 is a number of 32 bits. An address of version 6 is a number of 128 bits
//! whose first byte in a column is the highest one. So their bytes compare as in the reference.

use entasis_base::{Error, Result, codes};

/// The address of version 6 that stands for an address of version 4.
#[inline]
pub fn mapped(v4: u32) -> u128 {
    0xFFFF_0000_0000 | u128::from(v4)
}

/// The address of version 4 for which an address of version 6 stands.
#[inline]
pub fn unmapped(v6: u128) -> Option<u32> {
    (v6 >> 32 == 0xFFFF).then_some(v6 as u32)
}

/// Appends `a.b.c.d`.
#[inline]
pub fn write_ipv4(out: &mut Vec<u8>, address: u32) {
    /// The text of every part with a dot behind it, and its length.
    static PARTS: [([u8; 4], u8); 256] = {
        let mut parts = [([0; 4], 0); 256];
        let mut i = 0;
        while i < 256 {
            let digits =
                [b'0' + (i / 100) as u8, b'0' + (i / 10 % 10) as u8, b'0' + (i % 10) as u8];
            let [a, b, c] = digits;
            parts[i] = match i {
                0..10 => ([c, b'.', 0, 0], 2),
                10..100 => ([b, c, b'.', 0], 3),
                _ => ([a, b, c, b'.'], 4),
            };
            i += 1;
        }
        parts
    };
    let (mut text, mut at) = ([0; 16], 0);
    for byte in address.to_be_bytes() {
        let (part, len) = PARTS[usize::from(byte)];
        text[at..at + 4].copy_from_slice(&part);
        at += usize::from(len);
    }
    let end = out.len() + at - 1;
    out.extend_from_slice(&text);
    out.truncate(end);
}

/// Appends an address in its shortest form: the first of the longest runs of two or more zero
/// groups becomes `::`, and the end of an address that stands for one of version 4 is written like
/// that.
pub fn write_ipv6(out: &mut Vec<u8>, address: u128) {
    let groups: [u16; 8] = std::array::from_fn(|i| (address >> (112 - 16 * i)) as u16);
    let (start, len) = longest_zeros(&groups);
    let has_v4 = start == 0 && (len == 6 || len == 5 && groups[5] == 0xFFFF);
    let end = if has_v4 { 6 } else { 8 };
    let mut i = 0;
    while i < end {
        if len > 0 && i == start {
            out.extend_from_slice(b"::");
            i += len;
            continue;
        }
        if i > 0 && i != start + len {
            out.push(b':');
        }
        write_group(out, groups[i]);
        i += 1;
    }
    if has_v4 {
        if len == 5 {
            out.push(b':');
        }
        write_ipv4(out, address as u32);
    }
}

/// Start and length of the first of the longest runs of zeros; the length is 0 or at least 2.
fn longest_zeros(groups: &[u16; 8]) -> (usize, usize) {
    let (mut best, mut len) = ((0, 0), 0);
    for (i, group) in groups.iter().enumerate() {
        len = if *group == 0 { len + 1 } else { 0 };
        if len > best.1 && len > 1 {
            best = (i + 1 - len, len);
        }
    }
    best
}

fn write_group(out: &mut Vec<u8>, group: u16) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = (4 - group.leading_zeros() / 4).max(1);
    for i in (0..digits).rev() {
        out.push(DIGITS[usize::from(group >> (4 * i) & 15)]);
    }
}

/// Reads an address of version 4 off the front. Numbers may have zeros before them.
pub fn read_ipv4(text: &mut &[u8]) -> Option<u32> {
    read_octets(text, 4)
}

/// Reads so many numbers between points.
fn read_octets(text: &mut &[u8], count: u32) -> Option<u32> {
    let mut rest = *text;
    let mut address = 0;
    for i in 0..count {
        let (mut value, mut digits) = (0u32, 0);
        while let [digit @ b'0'..=b'9', after @ ..] = rest {
            if digits > 3 {
                break;
            }
            value = value * 10 + u32::from(digit - b'0');
            digits += 1;
            rest = after;
        }
        if digits == 0 || value > 255 {
            return None;
        }
        address = address << 8 | value;
        if i + 1 < count {
            rest = rest.strip_prefix(b".")?;
        }
    }
    *text = rest;
    Some(address)
}

/// The whole of `text` as an address of version 4 whose numbers have no zeros before them.
///
/// The lengths of the numbers cannot be predicted, so the numbers are taken out of one word of 16
/// bytes with shifts instead of branches.
pub fn strict_ipv4(text: &[u8]) -> Option<u32> {
    const ONES: u128 = u128::MAX / 255;
    let len = text.len();
    let word = match (text.first_chunk(), text.last_chunk()) {
        (Some(front), Some(back)) if len <= 15 => {
            let back = u128::from(u64::from_le_bytes(*back)) << (8 * (len - 8));
            u128::from(u64::from_le_bytes(*front)) | back
        }
        _ if len == 7 => text.iter().rev().fold(0, |word, b| word << 8 | u128::from(*b)),
        _ => return None,
    };
    // The highest bit of each byte that is a point, and of the one behind the text.
    let zero = word ^ (ONES * u128::from(b'.'));
    let low = ONES * 0x7F;
    let points = !(((zero & low) + low) | zero | low) | 0x80 << (8 * len);
    if points.count_ones() != 4 {
        return None;
    }
    let digits = word ^ (ONES * u128::from(b'0'));
    let (mut address, mut start, mut points, mut wrong) = (0u32, 0, points, false);
    for _ in 0..4 {
        let end = points.trailing_zeros() / 8;
        points &= points - 1;
        let count = end - start;
        if !(1..=3).contains(&count) {
            return None;
        }
        let number = (digits >> (8 * start)) as u32;
        // Hundreds, tens and ones in three bytes; those that the number does not have are zeros.
        let three = (number << (8 * (3 - count))) & 0xFF_FFFF;
        let value = (three & 0xFF) * 100 + (three >> 8 & 0xFF) * 10 + (three >> 16);
        let no_digits = (((three & 0x7F_7F7F) + 0x76_7676) | three) & 0x80_8080;
        wrong |= (no_digits != 0) | (value > 255) | ((number as u8 == 0) & (count > 1));
        address = address << 8 | value & 0xFF;
        start = end + 1;
    }
    (!wrong).then_some(address)
}

/// The values of hexadecimal digits, [`NO_DIGIT`] for other bytes.
pub(crate) static HEXADECIMAL: [u8; 256] = {
    let mut values = [NO_DIGIT; 256];
    let mut i = 0;
    while i < 16 {
        values[b"0123456789abcdef"[i] as usize] = i as u8;
        values[b"0123456789ABCDEF"[i] as usize] = i as u8;
        i += 1;
    }
    values
};

pub(crate) const NO_DIGIT: u8 = 0xFF;

/// Takes up to four hexadecimal digits off the front; `None` if there is no digit.
#[inline]
fn read_group(text: &mut &[u8]) -> Option<u16> {
    let digit = |i: usize| text.get(i).map_or(NO_DIGIT, |b| HEXADECIMAL[usize::from(*b)]);
    let mut group = u16::from(digit(0));
    let mut count = 1;
    if group == NO_DIGIT.into() {
        return None;
    }
    while count < 4 {
        let digit = digit(count);
        if digit == NO_DIGIT {
            break;
        }
        group = group << 4 | u16::from(digit);
        count += 1;
    }
    *text = &text[count..];
    Some(group)
}

/// The whole of `text` as an address of version 6, or one of version 4 as the address that stands
/// for it.
pub fn ipv6_or_ipv4(text: &[u8]) -> Option<u128> {
    match text.iter().take(5).find(|b| !b.is_ascii_hexdigit()) {
        Some(b'.') => {
            let first = text.split(|b| *b == b'.').next()?;
            let padded = first.len() > 1 && first[0] == b'0' || first.len() > 3;
            let mut rest = text;
            let address = read_ipv4(&mut rest).filter(|_| rest.is_empty() && !padded)?;
            Some(mapped(address))
        }
        _ => parse_ipv6(text),
    }
}

/// The whole of `text` as an address of version 6. It takes what the reference takes: a third colon
/// behind `::`, and eight groups beside a `::`.
pub fn parse_ipv6(text: &[u8]) -> Option<u128> {
    let mut rest = text;
    let (mut groups, mut count) = ([0u16; 8], 0);
    let mut zeros = None;
    let mut begins = true;
    while !rest.is_empty() && count < 8 {
        if let [b':', after @ ..] = rest {
            let (next, _) = after.split_first()?;
            begins = true;
            rest = after;
            if *next == b':' {
                if zeros.replace(count).is_some() {
                    return None;
                }
                rest = &after[1..];
                continue;
            }
            if count == 0 && zeros.is_none() {
                return None;
            }
        }
        if let [b'.', after @ ..] = rest {
            if begins || count <= 1 && zeros.is_none() {
                return None;
            }
            rest = after;
            let first = decimal(groups[count - 1])?;
            let octets = first << 24 | read_octets(&mut rest, 3)?;
            (groups[count - 1], groups[count]) = ((octets >> 16) as u16, octets as u16);
            count += 1;
            break;
        }
        if !begins {
            break;
        }
        begins = false;
        let Some(group) = read_group(&mut rest) else { break };
        groups[count] = group;
        count += 1;
    }
    if !rest.is_empty() || count < 8 && zeros.is_none() {
        return None;
    }
    let zeros = zeros.unwrap_or(count);
    groups[zeros..].rotate_right(8 - count);
    Some(groups.iter().fold(0, |address, group| address << 16 | u128::from(*group)))
}

/// A group that was read as hexadecimal, read as a decimal number of at most 255.
fn decimal(group: u16) -> Option<u32> {
    let digits = [group >> 12, group >> 8 & 15, group >> 4 & 15, group & 15];
    let all_decimal = digits.iter().all(|d| *d < 10);
    let value = digits.iter().fold(0, |v, d| v * 10 + u32::from(*d));
    (all_decimal && value < 256).then_some(value)
}

/// The text of a conversion as an address of version 4, or the error of the reference.
pub(crate) fn ipv4_of_text(text: &[u8]) -> Result<u32> {
    let mut rest = text;
    match read_ipv4(&mut rest) {
        Some(address) if rest.is_empty() => Ok(address),
        found => Err(refused("IPv4", text, found.map(|_| rest), codes::CANNOT_PARSE_IPV4)),
    }
}

/// The text of a conversion as an address of version 6, or the error of the reference.
pub(crate) fn ipv6_of_text(text: &[u8]) -> Result<u128> {
    ipv6_or_ipv4(text).ok_or_else(|| {
        // An address with something behind it.
        let stop = |b: &u8| !b.is_ascii_hexdigit() && !matches!(b, b':' | b'.');
        let rest = text.iter().position(stop).map(|end| text.split_at(end));
        let rest = rest.filter(|(front, _)| ipv6_or_ipv4(front).is_some()).map(|(_, rest)| rest);
        refused("IPv6", text, rest, codes::CANNOT_PARSE_IPV6)
    })
}

#[cold]
fn refused(
    version: &str,
    text: &[u8],
    rest: Option<&[u8]>,
    code: entasis_base::ErrorCode,
) -> Error {
    let shown = &text[..text.len().min(60)];
    let Some(rest) = rest else {
        let shown = String::from_utf8_lossy(shown);
        return Error::new(code, format!("Cannot parse {version} {shown}"));
    };
    let parsed = text.len() - rest.len();
    let message = format!(
        "Cannot parse string {} as {version}: syntax error at position {parsed} (parsed just {})",
        crate::name::quote(shown),
        crate::name::quote(&text[..parsed]),
    );
    Error::new(codes::CANNOT_PARSE_TEXT, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(address: u128) -> String {
        let mut out = Vec::new();
        write_ipv6(&mut out, address);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn shortest_forms_read_back() {
        for text in [
            "::",
            "::1",
            "1::",
            "1::1:0:0:0",
            "1:0:1:0:1:0:1:1",
            "::ffff:1.2.3.4",
            "::1.2.3.4",
            "::ffff",
            "::0.1.0.0",
            "2001:db8::1",
            "1:2:3:4:5:6:7:0",
            "::ffff:0:102:304",
            "::1:0:0:0:2",
            "0:2:3:4:5:6:7:8",
            "fe80::a:b:c:d",
            "1:2:3:4:5:6:7:8",
        ] {
            assert_eq!(shown(parse_ipv6(text.as_bytes()).unwrap()), text);
        }
    }

    #[test]
    fn what_is_no_address() {
        for text in [
            "",
            ":",
            ":::",
            "1",
            "1::2::3",
            "1:2:3:4:5:6:7",
            "1:2:3:4:5:6:7:8:9",
            "12345::",
            "g::",
            "::1 ",
            "::1.2.3.456",
            "1:2:3:4:5:6:7:1.2.3.4",
            "1::2:",
            "::1.2.3.4:5",
            "::1.2.3",
            "1:2:3:4:5:6:7:8::",
            "01.2.3.4",
            "::1.2.3.4.5",
            "1.2.3",
            ".",
            "1.",
            "::.1.2.3",
        ] {
            assert_eq!(ipv6_or_ipv4(text.as_bytes()), None, "{text}");
        }
        assert_eq!(ipv6_or_ipv4(b"1:::2"), ipv6_or_ipv4(b"1::2"));
        assert_eq!(ipv6_or_ipv4(b"::1:2:3:4:5:6:7:8"), ipv6_or_ipv4(b"1:2:3:4:5:6:7:8"));
        assert_eq!(ipv6_or_ipv4(b"1.2.3.4").and_then(unmapped), Some(0x0102_0304));
        let mut padded = &b"0001.02.3.4x"[..];
        assert_eq!((read_ipv4(&mut padded), padded), (Some(0x0102_0304), &b"x"[..]));
        assert_eq!(strict_ipv4(b"1.02.3.4"), None);
        assert_eq!(strict_ipv4(b"0.10.255.0"), Some(0x000A_FF00));
    }
}
