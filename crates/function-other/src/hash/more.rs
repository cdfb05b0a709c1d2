//! Rarer hashes: MetroHash, FarmHash's fingerprint, Murmur and XXH3 of 128 bits, Java's hash of
//! UTF-16, and hashes of URLs.

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, FixedStrings};
use entasis_types::DataType;

use entasis_function::{Arg, BoundKernel, FunctionDef};
use entasis_function_kernel::kernel::{Side, bytes_at, illegal_type};
use entasis_function_kernel::text::{Text, expect_integer, expect_string};

use super::any::{Method, bind, of_bytes};
use super::{ANY, CITY, city, farm, metro, murmur};

const METRO: Method = Method { name: "metroHash64", bytes: of_bytes!(metro::hash64), ..CITY };
const FINGERPRINT: Method =
    Method { name: "farmFingerprint64", bytes: of_bytes!(farm::fingerprint64), ..CITY };

fn is_nested(ty: &DataType) -> bool {
    matches!(ty.storage(), DataType::Array(_) | DataType::Tuple(_) | DataType::Variant(_))
}

fn murmur_128(args: &[Arg]) -> Result<BoundKernel> {
    if !args[0].ty.is_string() {
        return Err(Error::not_implemented("Function murmurHash3_128 of what is no text"));
    }
    Ok(BoundKernel::new(DataType::FixedString(16), |args, rows| {
        let text = Text::of(&args[0])?;
        let mut data = Vec::with_capacity(rows * 16);
        for i in 0..rows {
            let (low, high) = murmur::hash3_128(text.get(i));
            data.extend_from_slice(&low.to_le_bytes());
            data.extend_from_slice(&high.to_le_bytes());
        }
        Ok(Column::Fixed(FixedStrings { width: 16, data: data.into() }))
    }))
}

fn xxh3_128(args: &[Arg]) -> Result<BoundKernel> {
    if !args[0].ty.is_string() {
        return Err(Error::not_implemented("Function xxh3_128 of what is no text"));
    }
    Ok(BoundKernel::new(DataType::UInt128, |args, rows| {
        let text = Text::of(&args[0])?;
        let hash = |i: usize| xxhash_rust::xxh3::xxh3_128(text.get(i));
        Ok((0..rows).map(hash).collect::<Vec<u128>>().into())
    }))
}

fn java_utf16(args: &[Arg]) -> Result<BoundKernel> {
    if !args[0].ty.is_string() {
        return Err(illegal_type("javaHashUTF16LE", &args[0].ty));
    }
    Ok(BoundKernel::new(DataType::Int32, |args, rows| {
        let hash = |i: usize| {
            let text = bytes_at(&args[0], i);
            let (units, rest) = text.as_chunks::<2>();
            if !rest.is_empty() {
                let message = "Arguments for javaHashUTF16LE must be in the form of UTF-16";
                return Err(Error::new(codes::BAD_ARGUMENTS, message));
            }
            let add = |hash: i32, unit: &[u8; 2]| {
                hash.wrapping_mul(31).wrapping_add(u16::from_le_bytes(*unit).into())
            };
            Ok(units.iter().fold(0, add))
        };
        Ok((0..rows).map(hash).collect::<Result<Vec<i32>>>()?.into())
    }))
}

const fn ends_part(byte: u8) -> bool {
    matches!(byte, b'/' | b'?' | b'#')
}

/// The front of a URL down to a level of its path: 0 is the host. Empty if it has fewer levels.
fn to_level(url: &[u8], level: u64) -> &[u8] {
    let in_scheme = |b: &u8| matches!(b, b'b'..=b'y' | b'1'..=b'8');
    let scheme = url.iter().take_while(|b| in_scheme(b)).count();
    let Some(rest) = url[scheme..].strip_prefix(b"://").filter(|rest| !rest.is_empty()) else {
        return if level == 0 { url } else { b"" };
    };
    let mut at = url.len() - rest.len();
    let find = |at: usize, ends: bool| {
        let stop = url[at..].iter().position(|&b| ends_part(b) == ends);
        stop.map_or(url.len(), |n| at + n)
    };
    at = (find(at, true) + 1).min(url.len());
    let mut current = 0;
    while current != level && at < url.len() {
        at = find(at, false);
        if at == url.len() {
            break;
        }
        at = (find(at, true) + 1).min(url.len());
        current += 1;
    }
    if current == level { &url[..at] } else { b"" }
}

/// The hash of a URL without a last `/`, `?` or `#`.
fn of_url(url: &[u8]) -> u64 {
    match url {
        [front @ .., last] if ends_part(*last) => city::hash64(front),
        url => city::hash64(url),
    }
}

fn url_hash(args: &[Arg]) -> Result<BoundKernel> {
    expect_string("URLHash", &args[0])?;
    if let Some(level) = args.get(1) {
        expect_integer("URLHash", level)?;
    }
    Ok(BoundKernel::new(DataType::UInt64, |args, rows| {
        let text = Text::of(&args[0])?;
        let levels = args.get(1).map(Side::<u64>::read).transpose()?;
        let hash = |i: usize| match &levels {
            Some(levels) => of_url(to_level(text.get(i), levels.get(i))),
            None => of_url(text.get(i)),
        };
        Ok((0..rows).map(hash).collect::<Vec<u64>>().into())
    }))
}

const ONE: FunctionDef = FunctionDef { arity: (1, 1), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "metroHash64",
        examples: &[("metroHash64('abc')", "983152225323542437")],
        bind: |args, context| bind(METRO, args, context),
        ..ANY
    },
    FunctionDef {
        name: "farmFingerprint64",
        examples: &[("farmFingerprint64('abc')", "2640714258260161385")],
        bind: |args, context| match args {
            // How the reference combines fingerprints is not known.
            [one] if !is_nested(&one.ty) => bind(FINGERPRINT, args, context),
            _ => Err(Error::not_implemented("Function farmFingerprint64 of several values")),
        },
        ..ANY
    },
    FunctionDef {
        name: "murmurHash3_128",
        description: "MurmurHash3 of 128 bits of a text.",
        examples: &[("hex(murmurHash3_128('abc'))", "6778AD3F3F3F96B4522DCA264174A23B")],
        bind: |args, _| murmur_128(args),
        ..ONE
    },
    FunctionDef {
        name: "xxh3_128",
        description: "XXH3 of 128 bits of a text.",
        examples: &[("xxh3_128('abc')", "8891052093862885505146213044715469136")],
        bind: |args, _| xxh3_128(args),
        ..ONE
    },
    FunctionDef {
        name: "javaHashUTF16LE",
        description: "Java's hash of a string that is given in UTF-16, lowest byte first.",
        examples: &[("javaHashUTF16LE('a\\0b\\0')", "3105")],
        bind: |args, _| java_utf16(args),
        ..ONE
    },
    FunctionDef {
        name: "URLHash",
        description: "A hash of a URL that does not depend on a last `/`, `?` or `#`; with a level, \
                      of its front down to that level of its path.",
        examples: &[("URLHash('http://a.b/c/') = URLHash('http://a.b/c')", "1")],
        arity: (1, 2),
        bind: |args, _| url_hash(args),
        ..FunctionDef::DEFAULT
    },
];
