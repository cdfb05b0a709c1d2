//! Hash functions with exactly the reference's results, because users store them.

mod aes;
pub mod any;
pub mod city;
mod consistent;
mod digest;
pub mod encrypt;
mod farm;
mod lanes;
mod md5_lanes;
mod metro;
mod more;
pub mod murmur;
mod sha1_lanes;

use std::hash::Hasher;

pub use consistent::FUNCTIONS as CONSISTENT;
pub use digest::FUNCTIONS as DIGESTS;
pub use more::FUNCTIONS as MORE;

use any::{Bytes, Method, bind, int_hash32, int_hash64, of_bytes};

use entasis_function::FunctionDef;
use entasis_simd::words;

fn sip(bytes: &[u8]) -> u64 {
    let mut hasher = siphasher::sip::SipHasher24::new();
    hasher.write(bytes);
    hasher.finish()
}

/// The hash of two hashes' bytes.
fn pair(a: u64, b: u64) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&a.to_le_bytes());
    bytes[8..].copy_from_slice(&b.to_le_bytes());
    bytes
}

fn half_md5(bytes: &[u8]) -> u64 {
    use sha1::Digest;
    let digest = md5::Md5::digest(bytes);
    digest[..8].iter().fold(0, |v, b| v << 8 | u64::from(*b))
}

fn half_md5s<'a>(texts: impl Iterator<Item = &'a [u8]>, count: usize) -> Vec<u64> {
    let mut out = Vec::with_capacity(count);
    lanes::digests::<4, md5_lanes::Md5>(texts, &mut |digest| {
        out.extend(digest.first_chunk().map(|half| u64::from_be_bytes(*half)));
    });
    out
}

/// A loop that the combination is compiled into.
fn each(all: &mut [u64], hashes: &[u64], combine: impl Fn(u64, u64) -> u64) {
    for (all, hash) in all.iter_mut().zip(hashes) {
        *all = combine(*all, *hash);
    }
}

fn mixed64(a: u64, b: u64) -> u64 {
    int_hash64(a) ^ b
}

fn mixed32(a: u64, b: u64) -> u64 {
    u64::from(int_hash32(a)) ^ b
}

/// The hashes of all numbers.
fn hashed(numbers: &[u64], all: fn(&[u64], &mut [u64])) -> Vec<u64> {
    let mut out = vec![0; numbers.len()];
    all(numbers, &mut out);
    out
}

const CITY: Method = Method {
    name: "cityHash64",
    bytes: of_bytes!(city::hash64),
    mixes_numbers: true,
    combine: city::combine,
    combine_all: |all, hashes| each(all, hashes, city::combine),
    narrow: false,
};
const FARM: Method = Method { name: "farmHash64", bytes: of_bytes!(farm::hash64), ..CITY };
const SIP: Method = Method {
    name: "sipHash64",
    bytes: of_bytes!(sip),
    mixes_numbers: false,
    combine: |a, b| sip(&pair(a, b)),
    combine_all: |all, hashes| each(all, hashes, |a, b| sip(&pair(a, b))),
    narrow: false,
};
const HALF_MD5: Method = Method {
    name: "halfMD5",
    bytes: Bytes {
        one: half_md5,
        texts: |texts, rows| half_md5s((0..rows).map(|i| texts.get(i)), rows),
        words: |words| {
            let bytes: Vec<[u8; 8]> = words.iter().map(|word| word.to_le_bytes()).collect();
            half_md5s(bytes.iter().map(|bytes| &bytes[..]), words.len())
        },
    },
    combine: |a, b| half_md5(&pair(a, b)),
    combine_all: |all, hashes| each(all, hashes, |a, b| half_md5(&pair(a, b))),
    ..SIP
};
const XX64: Method = Method {
    name: "xxHash64",
    bytes: Bytes {
        words: |numbers| hashed(numbers, words::xx_hash64),
        ..of_bytes!(|s: &[u8]| xxhash_rust::xxh64::xxh64(s, 0))
    },
    mixes_numbers: false,
    ..CITY
};
const XX3: Method = Method { name: "xxh3", bytes: of_bytes!(xxhash_rust::xxh3::xxh3_64), ..XX64 };
/// What the 64-bit Murmur hashes have in common, and the 32-bit hashes.
const MIXED64: Method = Method {
    mixes_numbers: false,
    combine: mixed64,
    combine_all: |all, hashes| each(all, hashes, mixed64),
    ..CITY
};
const MIXED32: Method = Method {
    combine: mixed32,
    combine_all: |all, hashes| each(all, hashes, mixed32),
    narrow: true,
    ..MIXED64
};
const XX32: Method = Method {
    name: "xxHash32",
    bytes: Bytes {
        words: |numbers| hashed(numbers, words::xx_hash32),
        ..of_bytes!(|s: &[u8]| xxhash_rust::xxh32::xxh32(s, 0).into())
    },
    ..MIXED32
};
const MURMUR2_32: Method = Method {
    name: "murmurHash2_32",
    bytes: of_bytes!(|s: &[u8]| murmur::hash2_32(s, 0).into()),
    ..MIXED32
};
/// Kafka clears the sign bit.
const KAFKA: Method = Method {
    name: "kafkaMurmurHash",
    bytes: of_bytes!(|s: &[u8]| (murmur::hash2_32(s, 0x9747b28c) & 0x7fff_ffff).into()),
    combine: |a, b| mixed32(a, b) & 0x7fff_ffff,
    combine_all: |all, hashes| each(all, hashes, |a, b| mixed32(a, b) & 0x7fff_ffff),
    ..MIXED32
};
const MURMUR2_64: Method = Method {
    name: "murmurHash2_64",
    bytes: of_bytes!(|s: &[u8]| murmur::hash2_64(s, 0)),
    ..MIXED64
};
const GCC_MURMUR: Method = Method {
    name: "gccMurmurHash",
    bytes: of_bytes!(|s: &[u8]| murmur::hash2_64(s, 0xc70f6907)),
    ..MIXED64
};
const MURMUR3_32: Method = Method {
    name: "murmurHash3_32",
    bytes: of_bytes!(|s: &[u8]| murmur::hash3_32(s).into()),
    ..MIXED32
};
const MURMUR3_64: Method = Method {
    name: "murmurHash3_64",
    bytes: of_bytes!(|s: &[u8]| {
        let (low, high) = murmur::hash3_128(s);
        low ^ high
    }),
    ..MIXED64
};

const ANY: FunctionDef = FunctionDef {
    description: "A hash of all arguments together, by the algorithm of this name.",
    takes_variant: true,
    ..FunctionDef::DEFAULT
};

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "cityHash64",
        examples: &[
            ("cityHash64('abc')", "4220206313085259313"),
            ("cityHash64('a', 1)", "11051256024482834174"),
        ],
        bind: |args, context| bind(CITY, args, context),
        ..ANY
    },
    FunctionDef {
        name: "farmHash64",
        examples: &[
            ("farmHash64('hello')", "13009744463427800296"),
            ("farmHash64('a', 1)", "9435956406127488341"),
        ],
        bind: |args, context| bind(FARM, args, context),
        ..ANY
    },
    FunctionDef {
        name: "sipHash64",
        examples: &[("sipHash64('abc')", "4596069200710135518")],
        bind: |args, context| bind(SIP, args, context),
        ..ANY
    },
    FunctionDef {
        name: "halfMD5",
        examples: &[("halfMD5('abc')", "10376663631224000432")],
        bind: |args, context| bind(HALF_MD5, args, context),
        ..ANY
    },
    FunctionDef {
        name: "xxHash32",
        examples: &[("xxHash32('abc')", "852579327")],
        bind: |args, context| bind(XX32, args, context),
        ..ANY
    },
    FunctionDef {
        name: "xxHash64",
        examples: &[("xxHash64('abc')", "4952883123889572249")],
        bind: |args, context| bind(XX64, args, context),
        ..ANY
    },
    FunctionDef {
        name: "xxh3",
        examples: &[("xxh3('abc')", "8696274497037089104")],
        bind: |args, context| bind(XX3, args, context),
        ..ANY
    },
    FunctionDef {
        name: "murmurHash2_32",
        examples: &[("murmurHash2_32('abc')", "324500635")],
        bind: |args, context| bind(MURMUR2_32, args, context),
        ..ANY
    },
    FunctionDef {
        name: "kafkaMurmurHash",
        description: "MurmurHash2 of 32 bits with the seed that Kafka uses, never negative.",
        examples: &[("kafkaMurmurHash('abc')", "479470107"), ("kafkaMurmurHash(1)", "2107329057")],
        bind: |args, context| bind(KAFKA, args, context),
        ..ANY
    },
    FunctionDef {
        name: "murmurHash2_64",
        examples: &[("murmurHash2_64('abc')", "11297775770902552315")],
        bind: |args, context| bind(MURMUR2_64, args, context),
        ..ANY
    },
    FunctionDef {
        name: "gccMurmurHash",
        examples: &[("gccMurmurHash('abc')", "3663726644998027833")],
        bind: |args, context| bind(GCC_MURMUR, args, context),
        ..ANY
    },
    FunctionDef {
        name: "murmurHash3_32",
        examples: &[("murmurHash3_32('abc')", "3017643002")],
        bind: |args, context| bind(MURMUR3_32, args, context),
        ..ANY
    },
    FunctionDef {
        name: "murmurHash3_64",
        examples: &[("murmurHash3_64('abc')", "10318955651176813877")],
        bind: |args, context| bind(MURMUR3_64, args, context),
        ..ANY
    },
];
