//! Hashes of one string: MD5, the SHA family, CRC, Java's; and of one integer.

use entasis_base::scope::Ticker;
use entasis_base::{Error, Result, codes};
use entasis_column::{Column, FixedStrings};
use entasis_types::DataType;
use sha1::Digest;

use super::any::{int_hash32, int_hash64};
use super::lanes::{Hash, digests};
use super::md5_lanes::Md5;
use super::sha1_lanes::Sha1;
use entasis_function::{Arg, BoundKernel, FunctionDef};
use entasis_function_kernel::hashing::sip128;
use entasis_function_kernel::kernel::{Number, illegal_type, map};
use entasis_function_kernel::layout::each_bytes;
use entasis_function_kernel::text::{Text, map_number};

/// A digest of `width` bytes as a FixedString.
fn fixed(
    name: &str,
    width: usize,
    args: &[Arg],
    digest: impl Fn(&[u8], &mut Vec<u8>) + Send + Sync + 'static,
) -> Result<BoundKernel> {
    if !args[0].ty.is_string() {
        return Err(illegal_type(name, &args[0].ty));
    }
    Ok(BoundKernel::new(DataType::FixedString(width as u32), move |args, rows| {
        let mut data = Vec::with_capacity(rows * width);
        let mut ticker = Ticker::default();
        let texts = Text::of(&args[0])?;
        for i in 0..rows {
            let text = texts.get(i);
            // The slowest take some nanoseconds a byte.
            ticker.tick(text.len() / 4)?;
            digest(text, &mut data);
        }
        Ok(Column::Fixed(FixedStrings { width, data: data.into() }))
    }))
}

/// A digest of many texts side by side as a FixedString.
fn in_lanes<const N: usize, H: Hash<N>>(name: &str, args: &[Arg]) -> Result<BoundKernel> {
    if !args[0].ty.is_string() {
        return Err(illegal_type(name, &args[0].ty));
    }
    let width = 4 * N;
    Ok(BoundKernel::new(DataType::FixedString(width as u32), move |args, rows| {
        let texts = Text::of(&args[0])?;
        let mut data = Vec::with_capacity(rows * width);
        let mut ticker = Ticker::default();
        let texts = (0..rows).map(|i| texts.get(i));
        let texts = texts.inspect(|text| ticker.check_or_unwind(text.len() / 4));
        digests::<N, H>(texts, &mut |digest| data.extend_from_slice(digest));
        Ok(Column::Fixed(FixedStrings { width, data: data.into() }))
    }))
}

/// A number from a string.
fn of_text<T: Number>(
    name: &str,
    ty: DataType,
    args: &[Arg],
    hash: impl Fn(&[u8]) -> T + Send + Sync + 'static,
) -> Result<BoundKernel> {
    if !args[0].ty.is_string() {
        return Err(illegal_type(name, &args[0].ty));
    }
    Ok(BoundKernel::new(ty, move |args, rows| map_number(&args[0], rows, &hash)))
}

fn int_hash(name: &str, wide: bool, args: &[Arg]) -> Result<BoundKernel> {
    let ty = &args[0].ty;
    let fits = ty.is_native_integer() || ty.is_date_or_time() || *ty == DataType::Bool;
    if !fits {
        return Err(illegal_type(name, ty));
    }
    if wide {
        return Ok(BoundKernel::new(DataType::UInt64, |args, rows| {
            let full = args[0].full();
            let Column::UInt64(words) = &full else { return map(&args[0], rows, int_hash64) };
            let mut out = vec![0; rows];
            entasis_simd::words::int_hash64(words, &mut out);
            Ok(out.into())
        }));
    }
    Ok(BoundKernel::new(DataType::UInt32, |args, rows| map(&args[0], rows, int_hash32)))
}

fn java(text: &[u8]) -> i32 {
    text.iter().fold(0i32, |h, &b| h.wrapping_mul(31).wrapping_add(i32::from(b as i8)))
}

fn java_hash(args: &[Arg]) -> Result<BoundKernel> {
    let ty = &args[0].ty;
    if ty.is_wide_integer() {
        return Ok(BoundKernel::new(DataType::Int32, |args, _| {
            let mut out = Vec::new();
            each_bytes(&args[0].full(), |bytes| out.push(java(bytes)));
            Ok(out.into())
        }));
    }
    if ty.is_unsigned() || *ty == DataType::Bool {
        return Err(Error::new(codes::NOT_IMPLEMENTED, "Unsigned types are not supported"));
    }
    if ty.is_signed() {
        let wide = *ty == DataType::Int64;
        return Ok(BoundKernel::new(DataType::Int32, move |args, rows| {
            map(
                &args[0],
                rows,
                |v: i64| {
                    if wide { (v as u64 ^ (v as u64 >> 32)) as i32 } else { v as i32 }
                },
            )
        }));
    }
    of_text("javaHash", DataType::Int32, args, java)
}

/// Table `k` has the checksum of each byte with `k` zero bytes behind it.
type CrcTables = [[u64; 256]; 8];

const fn crc_tables<const REFLECTED: u64>() -> CrcTables {
    let mut tables = [[0; 256]; 8];
    let mut i = 0;
    while i < 256 {
        let mut value = crc_byte::<REFLECTED>(i as u64);
        let mut k = 0;
        while k < 8 {
            tables[k][i] = value;
            value = crc_byte::<REFLECTED>(value);
            k += 1;
        }
        i += 1;
    }
    tables
}

/// The checksum with a zero byte behind it.
const fn crc_byte<const REFLECTED: u64>(mut value: u64) -> u64 {
    let mut bit = 0;
    while bit < 8 {
        value = if value & 1 != 0 { (value >> 1) ^ REFLECTED } else { value >> 1 };
        bit += 1;
    }
    value
}

static CRC32: CrcTables = crc_tables::<0xedb88320>();
static CRC64: CrcTables = crc_tables::<0xc96c5795d7870f42>();

/// Eight bytes at a time (Kounavis and Berry, "A systematic approach to building high performance
/// software-based CRC generators", 2005).
fn crc(tables: &CrcTables, start: u64, text: &[u8]) -> u64 {
    let (blocks, rest) = text.as_chunks::<8>();
    let hash = blocks.iter().fold(start, |hash, block| {
        let bytes = (hash ^ u64::from_le_bytes(*block)).to_le_bytes();
        (0..8).fold(0, |all, k| all ^ tables[7 - k][usize::from(bytes[k])])
    });
    rest.iter().fold(hash, |hash, byte| tables[0][usize::from(hash as u8 ^ byte)] ^ (hash >> 8))
}

const ONE: FunctionDef = FunctionDef { arity: (1, 1), ..FunctionDef::DEFAULT };
const DIGEST: FunctionDef = FunctionDef {
    description: "The digest of a string by the algorithm of this name, as bytes; hex() makes it \
                  readable.",
    ..ONE
};

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "intHash32",
        description: "A 32-bit hash of an integer.",
        examples: &[("intHash32(1)", "1343103100")],
        bind: |args, _| int_hash("intHash32", false, args),
        ..ONE
    },
    FunctionDef {
        name: "intHash64",
        description: "A 64-bit hash of an integer.",
        examples: &[("intHash64(1)", "10577349846663553072")],
        bind: |args, _| int_hash("intHash64", true, args),
        ..ONE
    },
    FunctionDef {
        name: "javaHash",
        description: "The hash code that Java computes for a String, Short, Integer or Long.",
        examples: &[("javaHash('abc')", "96354")],
        bind: |args, _| java_hash(args),
        ..ONE
    },
    FunctionDef {
        name: "hiveHash",
        description: "Hive's hash of a string: Java's hash without the sign bit.",
        examples: &[("hiveHash('abc')", "96354")],
        bind: |args, _| of_text("hiveHash", DataType::Int32, args, |t| java(t) & i32::MAX),
        ..ONE
    },
    FunctionDef {
        name: "CRC32",
        case_insensitive: true,
        description: "The CRC-32 checksum of a string, as zlib computes it.",
        examples: &[("CRC32('abc')", "891568578")],
        bind: |args, _| {
            of_text("CRC32", DataType::UInt32, args, |t| !(crc(&CRC32, 0xffff_ffff, t) as u32))
        },
        ..ONE
    },
    FunctionDef {
        name: "CRC32IEEE",
        case_insensitive: true,
        description: "The CRC-32 checksum of a string with the polynomial of IEEE 802.3, without \
                      inversions.",
        examples: &[("CRC32IEEE('abc')", "3395655888")],
        bind: |args, _| of_text("CRC32IEEE", DataType::UInt32, args, |t| crc(&CRC32, 0, t) as u32),
        ..ONE
    },
    FunctionDef {
        name: "CRC64",
        case_insensitive: true,
        description: "The CRC-64 checksum of a string with the polynomial of ECMA 182, without \
                      inversions.",
        examples: &[("CRC64('abc')", "14276787454831668577")],
        bind: |args, _| of_text("CRC64", DataType::UInt64, args, |t| crc(&CRC64, 0, t)),
        ..ONE
    },
    FunctionDef {
        name: "sipHash128",
        description: "The 128-bit SipHash of a string, as bytes; hex() makes it readable.",
        examples: &[("hex(sipHash128('hello'))", "54F0C4900581E097EDA2332258DC211B")],
        bind: |args, _| {
            fixed("sipHash128", 16, args, |s, out| {
                out.extend_from_slice(&sip128(s).to_le_bytes());
            })
        },
        ..ONE
    },
    FunctionDef {
        name: "MD5",
        case_insensitive: true,
        examples: &[("reinterpretAsUInt64(MD5('abc'))", "12704604231530709392")],
        bind: |args, _| in_lanes::<4, Md5>("MD5", args),
        ..DIGEST
    },
    FunctionDef {
        name: "SHA1",
        case_insensitive: true,
        bind: |args, _| in_lanes::<5, Sha1>("SHA1", args),
        ..DIGEST
    },
    FunctionDef {
        name: "SHA224",
        case_insensitive: true,
        bind: |args, _| fixed("SHA224", 28, args, |t, out| out.extend(sha2::Sha224::digest(t))),
        ..DIGEST
    },
    FunctionDef {
        name: "SHA256",
        case_insensitive: true,
        bind: |args, _| fixed("SHA256", 32, args, |t, out| out.extend(sha2::Sha256::digest(t))),
        ..DIGEST
    },
    FunctionDef {
        name: "SHA384",
        case_insensitive: true,
        bind: |args, _| fixed("SHA384", 48, args, |t, out| out.extend(sha2::Sha384::digest(t))),
        ..DIGEST
    },
    FunctionDef {
        name: "SHA512",
        case_insensitive: true,
        bind: |args, _| fixed("SHA512", 64, args, |t, out| out.extend(sha2::Sha512::digest(t))),
        ..DIGEST
    },
    FunctionDef {
        name: "SHA512_256",
        case_insensitive: true,
        bind: |args, _| {
            fixed("SHA512_256", 32, args, |t, out| out.extend(sha2::Sha512_256::digest(t)))
        },
        ..DIGEST
    },
];
