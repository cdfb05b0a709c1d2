//! Makes numbers easier to read: `-- 1.23 million`, and underlined groups of digits in colour.

use std::io::Write;

const UNITS: [&str; 22] = [
    "",
    " thousand",
    " million",
    " billion",
    " trillion",
    " quadrillion",
    " quintillion",
    " sextillion",
    " septillion",
    " octillion",
    " nonillion",
    " decillion",
    " undecillion",
    " duodecillion",
    " tredecillion",
    " quattuordecillion",
    " quindecillion",
    " sexdecillion",
    " septendecillion",
    " octodecillion",
    " novemdecillion",
    " vigintillion",
];

/// Between these a number looks like a hash, and gets no tip.
const HASHES: std::ops::RangeInclusive<f64> = 1.000_000_000_000_000_1e17..=1.844_675e19;

/// Whether a number gets a tip: it is beyond the threshold, which 0 switches off.
pub(crate) fn has_tip(number: f64, threshold: u64) -> bool {
    let size = number.abs();
    threshold > 0 && number.is_finite() && size > threshold as f64 && !HASHES.contains(&size)
}

/// Appends ` -- 1.23 million`.
pub(crate) fn write_tip(out: &mut Vec<u8>, number: f64, colour: bool) {
    let (mut value, mut unit) = (number, 0);
    while value.abs() >= 1000.0 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    let (grey, plain) = if colour { ("\x1b[90m", "\x1b[0m") } else { ("", "") };
    let _ = write!(out, "{grey} -- {value:.2}{}{plain}", UNITS[unit]);
}

/// Appends a number's text with every third digit underlined.
pub(crate) fn write_digit_groups(out: &mut Vec<u8>, text: &[u8]) {
    let start = usize::from(text.first() == Some(&b'-'));
    let digits = text[start..].iter().take_while(|b| b.is_ascii_digit()).count();
    out.extend_from_slice(&text[..start]);
    for (i, &digit) in text[start..start + digits].iter().enumerate() {
        let left = digits - i;
        if left % 3 == 1 && left > 1 {
            out.extend_from_slice(b"\x1b[4m");
            out.push(digit);
            out.extend_from_slice(b"\x1b[0m");
        } else {
            out.push(digit);
        }
    }
    out.extend_from_slice(&text[start + digits..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tips_as_the_oracle_gives_them() {
        for (number, want) in [
            (1_000_001.0, " -- 1.00 million"),
            (1_000_000.0, ""),
            (-1_234_567.0, " -- -1.23 million"),
            (999_999_999.0, " -- 1000.00 million"),
            (1e15, " -- 1.00 quadrillion"),
            (1e17, " -- 100.00 quadrillion"),
            (9e17, ""),
            (1e20, " -- 100.00 quintillion"),
            (f64::INFINITY, ""),
        ] {
            let mut out = Vec::new();
            if has_tip(number, 1_000_000) {
                write_tip(&mut out, number, false);
            }
            assert_eq!(String::from_utf8(out).unwrap(), want);
        }
        let mut out = Vec::new();
        write_digit_groups(&mut out, b"-1234567.25");
        assert_eq!(out, b"-\x1b[4m1\x1b[0m23\x1b[4m4\x1b[0m567.25");
    }
}
