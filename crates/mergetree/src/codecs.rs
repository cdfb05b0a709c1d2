//! The CODEC clause of a column: checks it against the column's type, formats it like the
//! reference, and turns it into options of the encoder.
//!
//! A codec of the dialect tells the encoder what it may do; readers do not depend on it. Codecs
//! without an encoding here are replaced by a similar one: LZ4HC by LZ4, FPC by Gorilla, GCD by the
//! choice that the encoder makes from the data.

use entasis_base::{Error, ErrorCode, Result, codes};
use entasis_codec::{Compression, EncodeOptions, Light};
use entasis_types::DataType;

/// One codec of the list: its text and its effect.
struct Codec {
    text: String,
    role: Role,
    /// Whether it is meant for floating-point series.
    is_float: bool,
    /// Whether it makes data smaller by itself.
    shrinks: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Role {
    Plain,
    Light(Light),
    Generic(Compression),
}

/// Parses the list of a CODEC clause for a column of the type. Returns the list as the reference
/// formats it, with omitted parameters filled in, and the encoder's options.
///
/// Fails with UNKNOWN_CODEC, with the reference's errors for meaningless lists, or with
/// NOT_IMPLEMENTED for codecs of the dialect that are missing here.
pub fn parse_codec(text: &str, ty: &DataType) -> Result<(String, EncodeOptions)> {
    let mut leaves = Vec::new();
    leaf_types(ty, &mut leaves);
    let items = split_arguments(text);
    let codecs = items.iter().map(|i| codec(i, &leaves)).collect::<Result<Vec<Codec>>>()?;
    let texts: Vec<&str> = codecs.iter().map(|c| c.text.as_str()).collect();
    let shown = texts.join(", ");
    check(&codecs, &leaves, &shown)?;
    let mut options = EncodeOptions::default();
    for codec in &codecs {
        match codec.role {
            Role::Plain => options = EncodeOptions::PLAIN,
            Role::Light(light) => options.light = light,
            Role::Generic(compression) => options.compression = compression,
        }
    }
    Ok((shown, options))
}

fn leaf_types<'a>(ty: &'a DataType, out: &mut Vec<&'a DataType>) {
    if let Some((key, value)) = ty.as_map() {
        leaf_types(key, out);
        return leaf_types(value, out);
    }
    match ty.storage() {
        DataType::Nullable(inner) | DataType::Array(inner) => leaf_types(inner, out),
        DataType::Tuple(tuple) => tuple.types.iter().for_each(|t| leaf_types(t, out)),
        DataType::Variant(types) => types.iter().for_each(|t| leaf_types(t, out)),
        other => out.push(other),
    }
}

fn bad(message: String) -> Error {
    Error::new(codes::BAD_ARGUMENTS, message)
}

/// Fails for meaningless combinations of codecs.
fn check(codecs: &[Codec], leaves: &[&DataType], shown: &str) -> Result<()> {
    let meaningless = |why: &str| {
        bad(format!("The combination of compression codecs {shown} is meaningless, because {why}"))
    };
    if codecs.len() > 1 && codecs.iter().any(|c| c.role == Role::Plain) {
        let message =
            format!("It does not make sense to have codec NONE along with other codecs: {shown}");
        return Err(bad(message));
    }
    let generic = codecs.iter().position(|c| matches!(c.role, Role::Generic(_)));
    if generic.is_some_and(|at| at + 1 < codecs.len()) {
        let why = "it does not make sense to apply any transformations after generic compression \
                   algorithm";
        return Err(meaningless(why));
    }
    let is_float = |ty: &&DataType| matches!(ty, DataType::Float32 | DataType::Float64);
    if let Some(at) = codecs.iter().position(|c| c.is_float) {
        if !leaves.iter().all(is_float) {
            let why = "it does not make sense to apply a floating-point time series codec to \
                       non-floating-point columns";
            return Err(meaningless(why));
        }
        if codecs[..at].iter().any(|c| matches!(c.role, Role::Light(_)) && !c.is_float) {
            let why = "floating point time series codecs do delta compression implicitly by \
                       themselves";
            return Err(meaningless(why));
        }
    }
    if codecs.iter().all(|c| !c.shrinks) {
        return Err(bad(format!(
            "Compression codec {shown} does not compress anything. You may want to add generic \
             compression algorithm after other transformations, like: {shown}, LZ4"
        )));
    }
    Ok(())
}

/// Parses one item of the list.
fn codec(item: &str, leaves: &[&DataType]) -> Result<Codec> {
    let (name, arguments) = match item.split_once('(') {
        Some((name, rest)) => (name.trim(), rest.trim_end().trim_end_matches(')').trim()),
        None => (item.trim(), ""),
    };
    let light = |text: String, light: Light| {
        let shrinks = !matches!(name, "Delta" | "GCD");
        let is_float = matches!(name, "Gorilla" | "FPC");
        Codec { text, role: Role::Light(light), is_float, shrinks }
    };
    let generic = |text: String, compression: Compression| {
        let role = Role::Generic(compression);
        Codec { text, role, is_float: false, shrinks: true }
    };
    Ok(match name {
        "NONE" => {
            no_arguments(name, arguments)?;
            Codec { text: name.into(), role: Role::Plain, is_float: false, shrinks: true }
        }
        "Default" | "DEFAULT" => {
            no_arguments(name, arguments)?;
            generic("Default".into(), Compression::Auto)
        }
        "LZ4" => {
            no_arguments(name, arguments)?;
            generic(name.into(), Compression::Lz4)
        }
        "LZ4HC" => generic(format!("LZ4HC({})", number(name, arguments, 0)?), Compression::Lz4),
        "ZSTD" => {
            let (text, level) = zstd(arguments)?;
            generic(text, Compression::Zstd(level))
        }
        "Delta" => light(with_width(name, arguments, leaves)?, Light::Delta),
        "Gorilla" => light(with_width(name, arguments, leaves)?, Light::Xor),
        "DoubleDelta" => {
            with_width(name, arguments, leaves)?;
            require(leaves, name, codes::BAD_ARGUMENTS, |ty| {
                ty.is_native_number() || is_integral(ty)
            })?;
            light(name.into(), Light::DoubleDelta)
        }
        "T64" => {
            require(leaves, name, codes::ILLEGAL_SYNTAX_FOR_CODEC_TYPE, is_integral)?;
            let text = match arguments {
                "" | "'byte'" => name.to_string(),
                "'bit'" => item.trim().to_string(),
                other => return Err(illegal(format!("Wrong modification for T64: {other}"))),
            };
            light(text, Light::BitPacked)
        }
        "GCD" => {
            no_arguments(name, arguments)?;
            require(leaves, name, codes::BAD_ARGUMENTS, is_integral)?;
            light(name.into(), Light::Auto)
        }
        "FPC" => match number(name, arguments, 12)? {
            level @ 1..=28 => light(format!("FPC({level})"), Light::Xor),
            _ => return Err(illegal("Codec 'FPC' level must be between 1 and 28".into())),
        },
        "ALP" | "AES_128_GCM_SIV" | "AES_256_GCM_SIV" | "ZSTD_QAT" | "DEFLATE_QPL" => {
            return Err(Error::not_implemented(format!("Codec {name}")));
        }
        _ => {
            let message = format!("Unknown codec family: {name}");
            return Err(Error::new(codes::UNKNOWN_CODEC, message));
        }
    })
}

#[cold]
fn illegal(message: String) -> Error {
    Error::new(codes::ILLEGAL_CODEC_PARAMETER, message)
}

fn no_arguments(name: &str, arguments: &str) -> Result<()> {
    if arguments.is_empty() {
        return Ok(());
    }
    let message = format!("Compression codec {name} cannot have arguments");
    Err(Error::new(codes::DATA_TYPE_CANNOT_HAVE_ARGUMENTS, message))
}

/// Parses the only argument, a number; `default` if there is none.
fn number(name: &str, arguments: &str, default: u64) -> Result<u64> {
    if arguments.is_empty() {
        return Ok(default);
    }
    arguments
        .parse()
        .map_err(|_| illegal(format!("{name} codec argument must be unsigned integer")))
}

/// Parses `ZSTD(level, window_log)`. The window is left to the library.
fn zstd(arguments: &str) -> Result<(String, i32)> {
    if arguments.is_empty() {
        return Ok(("ZSTD(1)".into(), 1));
    }
    let numbers = arguments.split(',').map(|a| number("ZSTD", a.trim(), 1));
    let numbers = numbers.collect::<Result<Vec<u64>>>()?;
    match numbers[0] {
        level @ 0..=22 => {
            let texts: Vec<String> = numbers.iter().map(u64::to_string).collect();
            // Level 0 stands for the library's default, which is 3.
            Ok((format!("ZSTD({})", texts.join(", ")), if level == 0 { 3 } else { level as i32 }))
        }
        level => Err(illegal(format!("ZSTD codec can't have level more than 22, given {level}"))),
    }
}

/// Parses a codec that works on values of 1, 2, 4 or 8 bytes; the result names the width.
fn with_width(name: &str, arguments: &str, leaves: &[&DataType]) -> Result<String> {
    let mut width = 1;
    for ty in leaves {
        let fixed = ty.fixed_width().ok_or_else(|| {
            let why = "because the data type is not of fixed size";
            bad(format!("Codec {name} is not applicable for {ty} {why}"))
        })?;
        if !matches!(fixed, 1 | 2 | 4 | 8) {
            return Err(bad(format!(
                "Codec {name} is only applicable for data types of size 1, 2, 4, 8 bytes. Given \
                 type {ty}"
            )));
        }
        width = fixed as u64;
    }
    match number(name, arguments, width)? {
        width @ (1 | 2 | 4 | 8) => Ok(format!("{name}({width})")),
        other => Err(illegal(format!(
            "{name} value for {} codec can be 1, 2, 4 or 8, given {other}",
            name.to_lowercase()
        ))),
    }
}

fn is_integral(ty: &DataType) -> bool {
    let is_decimal = matches!(ty, DataType::Decimal(precision, _) if *precision <= 18);
    let is_wide = ty.fixed_width().is_none_or(|width| width > 8);
    let is_enum = matches!(ty, DataType::Enum(_));
    is_decimal || is_enum || (!is_wide && (ty.is_native_integer() || ty.is_date_or_time()))
}

fn require(
    leaves: &[&DataType],
    name: &str,
    code: ErrorCode,
    holds: impl Fn(&DataType) -> bool,
) -> Result<()> {
    match leaves.iter().find(|ty| !holds(ty)) {
        Some(ty) => {
            let message = format!("{name} codec is not supported for specified type {ty}");
            Err(Error::new(code, message))
        }
        None => Ok(()),
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
        let of = |text: &str, ty: &str| parse_codec(text, &DataType::parse(ty).unwrap());
        let (shown, options) = of("Delta, ZSTD(3)", "DateTime").unwrap();
        assert_eq!(shown, "Delta(4), ZSTD(3)");
        assert_eq!((options.light, options.compression), (Light::Delta, Compression::Zstd(3)));
        assert_eq!(of("NONE", "String").unwrap().1, EncodeOptions::PLAIN);
        let shown = |text: &str, ty: &str| of(text, ty).unwrap().0;
        assert_eq!(shown("LZ4HC", "String"), "LZ4HC(0)");
        assert_eq!(shown("Gorilla", "Array(Nullable(Float32))"), "Gorilla(4)");
        assert_eq!(shown("T64('bit'), ZSTD", "Map(UInt8, UInt16)"), "T64('bit'), ZSTD(1)");
        assert_eq!(shown("GCD,LZ4", "Decimal(18, 2)"), "GCD, LZ4");
        let code = |text: &str, ty: &str| of(text, ty).unwrap_err().code();
        assert_eq!(code("Quick", "UInt8"), codes::UNKNOWN_CODEC);
        assert_eq!(code("AES_128_GCM_SIV", "UInt8"), codes::NOT_IMPLEMENTED);
        assert_eq!(code("ZSTD(99)", "UInt8"), codes::ILLEGAL_CODEC_PARAMETER);
        assert_eq!(code("T64", "Float64"), codes::ILLEGAL_SYNTAX_FOR_CODEC_TYPE);
        for (list, ty) in [
            ("Delta", "String"),
            ("Delta", "UInt8"),
            ("Gorilla", "UInt8"),
            ("Delta, Gorilla", "Float32"),
            ("LZ4, ZSTD", "UInt8"),
            ("Delta, NONE", "UInt8"),
            ("DoubleDelta", "UUID"),
            ("DoubleDelta", "Decimal(38, 2)"),
        ] {
            assert_eq!(code(list, ty), codes::BAD_ARGUMENTS, "{list} {ty}");
        }
    }
}
