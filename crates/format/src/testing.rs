//! What the tests of several formats share.

use std::io::Cursor;

use entasis_column::{Field, Header};
use entasis_types::DataType;

use crate::FormatOptions;

/// Columns from a list of names and types.
pub(crate) fn header(columns: &str) -> Header {
    let DataType::Tuple(tuple) = DataType::parse(&format!("Tuple({columns})")).unwrap() else {
        panic!("a tuple")
    };
    let names = tuple.names.clone().unwrap_or_default();
    let fields = names.iter().zip(&tuple.types).map(|(n, t)| Field::new(&**n, t.clone()));
    Header::new(fields.collect())
}

/// Reads rows in one format and writes them in another.
pub(crate) fn convert(
    from: &str,
    to: &str,
    columns: &str,
    bytes: &[u8],
) -> Result<Vec<u8>, String> {
    let (header, options) = (header(columns), FormatOptions::default());
    let bytes = Box::new(Cursor::new(bytes.to_vec()));
    let mut reader = crate::input(from, &header, bytes, &options).map_err(|e| e.to_string())?;
    let mut writer = crate::output(to, &header, &options).map_err(|e| e.to_string())?;
    let mut out = Vec::new();
    writer.start(&mut out).unwrap();
    while let Some(chunk) = reader.next(3000).map_err(|e| e.to_string())? {
        writer.write(&chunk, &mut out).unwrap();
    }
    writer.finish(&mut out).unwrap();
    Ok(out)
}

/// Reads rows; their TSV.
pub(crate) fn read(from: &str, columns: &str, bytes: &[u8]) -> Result<String, String> {
    convert(from, "TSV", columns, bytes).map(|text| String::from_utf8_lossy(&text).into_owned())
}

/// Guesses names and types from a whole file.
pub(crate) fn schema(format: &str, bytes: &[u8]) -> entasis_base::Result<Header> {
    crate::infer_schema(format, bytes, true, &FormatOptions::default())
}

/// Bytes from hex digits; spaces are for the eye.
pub(crate) fn hex(digits: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        digits.chars().filter(|c| *c != ' ').map(|c| c.to_digit(16).unwrap() as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// Calls `f` with every truncation, every flipped bit, and bytes replaced by extremes.
pub(crate) fn damage(bytes: &[u8], mut f: impl FnMut(&[u8])) {
    (0..bytes.len()).for_each(|len| f(&bytes[..len]));
    for i in 0..bytes.len() {
        let mut damaged = bytes.to_vec();
        for bit in 0..8 {
            damaged[i] = bytes[i] ^ 1 << bit;
            f(&damaged);
        }
        for extreme in [0, 0x7F, 0x80, 0xFF] {
            damaged[i] = extreme;
            f(&damaged);
        }
        let end = bytes.len().min(i + 9);
        damaged[i..end].fill(0xFF);
        f(&damaged);
        damaged[i..].fill(0xFF);
        f(&damaged);
    }
}
