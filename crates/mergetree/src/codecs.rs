//! The CODEC clause of a column: checks it against the column's type, formats it like the
//! reference, and turns it into options of the encoder.
//!
//! A codec of the dialect tells the encoder what it may do; readers do not depend on it. Codecs
//! without an encoding here are replaced by a similar one: LZ4HC by LZ4, FPC by Gorilla, GCD by the
//! choice that the encoder makes from the data.

mod list;

use entasis_base::{Error, ErrorCode, Result, codes};
use entasis_codec::{Cipher, Compression, EncodeOptions, Light};
use entasis_types::DataType;

pub use list::{CODECS, CodecDef, CodecEffect};

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
    Cipher(Cipher),
}

/// Parses the list of a CODEC clause for a column of the type. Returns the list as the reference
/// formats it, with omitted parameters filled in, and the encoder's options.
///
/// Fails with UNKNOWN_CODEC, with the reference's errors for codecs that do not apply to the type,
/// or with NOT_IMPLEMENTED for codecs of the dialect that are missing here. [`check_codec`] refuses
/// what is probably a mistake.
pub fn parse_codec(text: &str, ty: &DataType) -> Result<(String, EncodeOptions)> {
    let mut leaves = Vec::new();
    leaf_types(ty, &mut leaves);
    let items = split_arguments(text);
    let codecs = items.iter().map(|i| codec(i, &leaves)).collect::<Result<Vec<Codec>>>()?;
    let shown = shown(&codecs);
    Ok((shown, options_of(&codecs)?))
}

/// The encoder's options for a list. A list that only encrypts does not compress, because the
/// length of what is encrypted would say something of the values.
fn options_of(codecs: &[Codec]) -> Result<EncodeOptions> {
    let is_cipher = |codec: &Codec| matches!(codec.role, Role::Cipher(_));
    let mut options = match codecs.iter().all(is_cipher) {
        true => EncodeOptions::PLAIN,
        false => EncodeOptions::default(),
    };
    for codec in codecs {
        match codec.role {
            Role::Plain => {
                options = EncodeOptions { ciphers: options.ciphers, ..EncodeOptions::PLAIN }
            }
            Role::Light(light) => options.light = light,
            Role::Generic(compression) => options.compression = compression,
            Role::Cipher(cipher) => options.ciphers = options.ciphers.and(cipher)?,
        }
    }
    Ok(options)
}

/// Which lists of codecs are not refused.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllowedCodecs {
    /// Lists that are probably mistakes.
    pub suspicious: bool,
    /// The codec ALP.
    pub alp: bool,
}

/// Fails for lists of codecs that are meaningless or not allowed.
pub fn check_codec(text: &str, ty: &DataType, allowed: AllowedCodecs) -> Result<()> {
    let mut leaves = Vec::new();
    leaf_types(ty, &mut leaves);
    let items = split_arguments(text);
    let codecs = items.iter().map(|i| codec(i, &leaves)).collect::<Result<Vec<Codec>>>()?;
    if !allowed.alp && codecs.iter().any(|codec| codec.text == "ALP") {
        return Err(bad(
            "Codec ALP is in beta and not yet recommended for production use. You can \
                        enable it with the 'enable_alp_codec' setting"
                .into(),
        ));
    }
    if allowed.suspicious {
        return Ok(());
    }
    check(&codecs, &leaves, &shown(&codecs)).map_err(|error| {
        error.append(" (Note: you can enable setting 'allow_suspicious_codecs' to skip this check)")
    })
}

fn shown(codecs: &[Codec]) -> String {
    codecs.iter().map(|codec| codec.text.as_str()).collect::<Vec<_>>().join(", ")
}

/// Parses a list of codecs for columns that have none, as [`parse_codec`] does for one column.
/// Checks that depend on a type are left out.
pub fn parse_default_codec(text: &str) -> Result<String> {
    let items = split_arguments(text);
    let codecs = items.iter().map(|item| codec(item, &[])).collect::<Result<Vec<Codec>>>()?;
    let shown = shown(&codecs);
    check(&codecs, &[], &shown)?;
    options_of(&codecs)?;
    Ok(shown)
}

/// The encoder's options for a column without a CODEC in a part that has this list of codecs. What
/// does not apply to the type is left out.
pub(crate) fn default_options(text: &str, ty: &DataType) -> EncodeOptions {
    if let Ok((_, options)) = parse_codec(text, ty) {
        return options;
    }
    let all = split_arguments(text).into_iter().filter_map(|item| codec(item, &[]).ok());
    let fits = |codec: &Codec| matches!(codec.role, Role::Generic(_) | Role::Cipher(_));
    let kept: Vec<Codec> = all.filter(fits).collect();
    options_of(&kept).unwrap_or_default()
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
        return Err(bad(format!(
            "It does not make sense to have codec NONE along with other compression codecs: {shown}"
        )));
    }
    let is_cipher = |codec: &Codec| matches!(codec.role, Role::Cipher(_));
    let encrypts = codecs.iter().position(is_cipher);
    if encrypts.is_some_and(|at| codecs[at..].iter().any(|c| matches!(c.role, Role::Generic(_)))) {
        let why = "it does not make sense to apply any non-post-processing codecs after \
                   post-processing ones";
        return Err(meaningless(why));
    }
    let codecs_before = &codecs[..encrypts.unwrap_or(codecs.len())];
    let generic = codecs_before.iter().position(|c| matches!(c.role, Role::Generic(_)));
    if generic.is_some_and(|at| at + 1 < codecs_before.len()) {
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
    if !codecs.iter().all(is_cipher) && codecs.iter().all(|c| !c.shrinks) {
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
        let is_float = matches!(name, "ALP" | "Gorilla" | "FPC");
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
        "T64" => light(t64(item, arguments, leaves)?, Light::BitPacked),
        "GCD" => light(gcd(arguments, leaves)?, Light::Auto),
        "FPC" => light(format!("FPC({})", fpc(arguments, leaves)?), Light::Xor),
        "ALP" => {
            no_arguments(name, arguments)?;
            light(name.into(), Light::Xor)
        }
        "AES_128_GCM_SIV" | "AES_256_GCM_SIV" => {
            if !arguments.is_empty() {
                let given = split_arguments(arguments).len();
                let message = format!("Codec {name} must not have parameters, given {given}");
                return Err(Error::new(codes::ILLEGAL_SYNTAX_FOR_CODEC_TYPE, message));
            }
            let cipher = Cipher::ALL.into_iter().find(|cipher| cipher.name() == name);
            let cipher = cipher.ok_or_else(|| Error::logical("a codec without its cipher"))?;
            Codec { text: name.into(), role: Role::Cipher(cipher), is_float: false, shrinks: false }
        }
        _ => {
            let message = format!("Unknown codec family: {name}");
            return Err(Error::new(codes::UNKNOWN_CODEC, message));
        }
    })
}

/// Parses `T64`, `T64('bit')`.
fn t64(item: &str, arguments: &str, leaves: &[&DataType]) -> Result<String> {
    let text = match arguments {
        "" | "'byte'" => "T64".to_string(),
        "'bit'" => item.trim().to_string(),
        other => return Err(illegal(format!("Wrong modification for T64: {other}"))),
    };
    require(leaves, "T64", codes::ILLEGAL_SYNTAX_FOR_CODEC_TYPE, is_integral)?;
    Ok(text)
}

/// Checks the types of `GCD`.
fn gcd(arguments: &str, leaves: &[&DataType]) -> Result<String> {
    if !arguments.is_empty() {
        return Err(too_many("GCD", "no"));
    }
    require(leaves, "GCD", codes::BAD_ARGUMENTS, |ty| {
        let is_enum = matches!(ty, DataType::Enum(_));
        !is_enum && (is_integral(ty) || ty.is_any_integer() || ty.is_decimal())
    })?;
    Ok("GCD".to_string())
}

/// Parses `FPC(level, width)`; the width is that of the type.
fn fpc(arguments: &str, leaves: &[&DataType]) -> Result<u64> {
    let is_float = |ty: &&DataType| matches!(ty, DataType::Float32 | DataType::Float64);
    if !leaves.iter().all(is_float) {
        // The list is refused later, whatever the level is.
        return Ok(12);
    }
    let (level, width) = match arguments.split_once(',') {
        Some((level, width)) => (level.trim(), number("FPC", width.trim(), 4)?),
        None => (arguments, 4),
    };
    if ![4, 8].contains(&width) {
        return Err(illegal("Width of codec 'FPC' must be 4 or 8".into()));
    }
    match number("FPC", level, 12)? {
        level @ 1..=28 => Ok(level),
        _ => Err(illegal("Codec 'FPC' level must be between 1 and 28".into())),
    }
}

#[cold]
fn too_many(name: &str, most: &str) -> Error {
    let message = format!("{name} codec must have {most} parameters");
    Error::new(codes::ILLEGAL_SYNTAX_FOR_CODEC_TYPE, message)
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
    let numbers = arguments.split(',').map(|a| match a.trim().parse::<i64>() {
        // As in the reference, a negative level is shown as an unsigned number.
        Ok(negative) if negative < 0 => Ok(negative as u64),
        _ => number("ZSTD", a.trim(), 1),
    });
    let numbers = numbers.collect::<Result<Vec<u64>>>()?;
    match numbers[0] {
        level if level > 1 << 63 && numbers.len() == 1 => {
            let fast = (level as i64).max(-(1 << 17)) as i32;
            Ok((format!("ZSTD({level})"), fast))
        }
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
    if arguments.contains(',') {
        return Err(too_many(name, "at most 1"));
    }
    let mut width = 1;
    // A width that is given is taken for every type.
    for ty in leaves.iter().filter(|_| arguments.is_empty()) {
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
        let code = |text: &str, ty: &str| {
            let ty = DataType::parse(ty).unwrap();
            check_codec(text, &ty, AllowedCodecs::default()).unwrap_err().code()
        };
        assert_eq!(code("ALP", "Float64"), codes::BAD_ARGUMENTS);
        assert!(of("ALP", "Float64").is_ok() && of("Delta", "UInt8").is_ok());
        assert_eq!(code("Quick", "UInt8"), codes::UNKNOWN_CODEC);
        let encrypted = of("LZ4, AES_128_GCM_SIV", "String").unwrap().1;
        assert_eq!(encrypted.compression, Compression::Lz4);
        assert!(!encrypted.ciphers.is_empty());
        assert!(!default_options("T64, AES_128_GCM_SIV", &DataType::String).ciphers.is_empty());
        assert_eq!(code("AES_128_GCM_SIV, LZ4", "UInt8"), codes::BAD_ARGUMENTS);
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
