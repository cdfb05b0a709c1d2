//! The CODEC clause of a column: text to options of the encoder.

use entasis_base::{Error, Result, codes};
use entasis_codec::{Compression, EncodeOptions, Light};

/// The options that the arguments of a CODEC clause ask for, such as `Delta(4), ZSTD(3)`.
///
/// Fails with UNKNOWN_CODEC, or NOT_IMPLEMENTED for codecs of the dialect that are missing here.
pub fn parse_codec(text: &str) -> Result<EncodeOptions> {
    let mut options = EncodeOptions::default();
    for item in split_arguments(text) {
        let (name, argument) = match item.split_once('(') {
            Some((name, rest)) => (name.trim(), rest.trim_end().trim_end_matches(')').trim()),
            None => (item.trim(), ""),
        };
        match name.to_ascii_uppercase().as_str() {
            "DEFAULT" => options.compression = Compression::Auto,
            "NONE" => options = EncodeOptions::PLAIN,
            "LZ4" | "LZ4HC" => options.compression = Compression::Lz4,
            "ZSTD" => options.compression = Compression::Zstd(level(argument)?),
            "DELTA" => options.light = Light::Delta,
            "DOUBLEDELTA" => options.light = Light::DoubleDelta,
            "T64" => options.light = Light::BitPacked,
            "GORILLA" | "FPC" | "GCD" | "ALP" | "AES_128_GCM_SIV" | "AES_256_GCM_SIV"
            | "ZSTD_QAT" | "DEFLATE_QPL" => {
                return Err(Error::not_implemented(format!("Codec {name}")));
            }
            _ => {
                return Err(Error::new(
                    codes::UNKNOWN_CODEC,
                    format!("Unknown codec family: {name}"),
                ));
            }
        }
    }
    Ok(options)
}

fn level(argument: &str) -> Result<i32> {
    if argument.is_empty() {
        return Ok(1);
    }
    // ZSTD(level, window_log): the window is the library's business.
    let first = argument.split(',').next().unwrap_or_default().trim();
    match first.parse::<i32>() {
        Ok(level) if (1..=22).contains(&level) => Ok(level),
        _ => Err(Error::new(
            codes::ILLEGAL_CODEC_PARAMETER,
            format!("ZSTD codec can't have level more than 22 and less than 1, given {first}"),
        )),
    }
}

/// Splits at commas outside parentheses.
fn split_arguments(text: &str) -> Vec<&str> {
    let (mut depth, mut start) = (0, 0);
    let mut out = Vec::new();
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                out.push(&text[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    out.push(&text[start..]);
    out.retain(|item| !item.trim().is_empty());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_errors() {
        let options = parse_codec("Delta(4), ZSTD(3)").unwrap();
        assert_eq!((options.light, options.compression), (Light::Delta, Compression::Zstd(3)));
        assert_eq!(parse_codec("NONE").unwrap(), EncodeOptions::PLAIN);
        assert_eq!(parse_codec("LZ4HC(9)").unwrap().compression, Compression::Lz4);
        let code = |text| parse_codec(text).unwrap_err().code();
        assert_eq!(code("Quick"), codes::UNKNOWN_CODEC);
        assert_eq!(code("Gorilla"), codes::NOT_IMPLEMENTED);
        assert_eq!(code("ZSTD(99)"), codes::ILLEGAL_CODEC_PARAMETER);
    }
}
