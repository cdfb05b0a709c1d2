//! `ngramDistance`, `ngramSearch`: how many n-grams two strings share, by the reference's 16-bit
//! hashes of n-grams of 4 bytes, or of 3 characters in the functions with UTF8 in their names.

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::DataType;

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::hashing::crc32c;
use entasis_function_kernel::kernel::illegal_type;
use entasis_function_kernel::text::{Text, char_len};

/// Longer haystacks are as far away as can be; longer needles are an error.
const LONGEST: usize = 1 << 15;

#[derive(Clone, Copy)]
struct Method {
    name: &'static str,
    utf8: bool,
    fold: bool,
    /// Of both strings, or of what of the needle is in the haystack.
    symmetric: bool,
}

impl Method {
    fn hashes(self, s: &[u8], out: &mut Vec<u16>) {
        out.clear();
        if self.utf8 {
            return self.hashes_utf8(s, out);
        }
        let fold = |b: u8| if self.fold { b.to_ascii_lowercase() } else { b };
        for gram in s.windows(4) {
            let word = u32::from_le_bytes(std::array::from_fn(|k| fold(gram[k])));
            out.push(crc32c(u32::MAX, word.into()) as u16);
        }
    }

    fn hashes_utf8(self, s: &[u8], out: &mut Vec<u16>) {
        let (mut at, mut last) = (0, [0u32; 3]);
        let mut count = 0;
        while at < s.len() {
            let len = char_len(s[at]).min(s.len() - at);
            let mut bytes = [0; 4];
            bytes[..len].copy_from_slice(&s[at..at + len]);
            if self.fold {
                // Roughly without case, as in the reference: one bit of every byte, and the lowest
                // of the first.
                bytes[..len].iter_mut().for_each(|b| *b &= !0x20);
                bytes[0] &= if len > 1 { !1 } else { !0 };
            }
            last = [last[1], last[2], u32::from_le_bytes(bytes)];
            (at, count) = (at + len, count + 1);
            if count >= 3 {
                let first = u64::from(last[0]) << 32 | u64::from(last[1]);
                out.push(crc32c(last[2], first) as u16);
            }
        }
    }
}

/// Counts of n-grams, all zero between rows.
struct Counts {
    of: Vec<i16>,
    haystack: Vec<u16>,
    needle: Vec<u16>,
}

impl Counts {
    fn metric(&mut self, method: Method) -> f32 {
        self.needle.iter().for_each(|&h| bump(&mut self.of, h, 1));
        let mut distance = self.needle.len();
        for &hash in &self.haystack {
            if self.of[usize::from(hash)] > 0 {
                distance -= 1;
            } else if method.symmetric {
                distance += 1;
            }
            bump(&mut self.of, hash, -1);
        }
        self.haystack.iter().chain(&self.needle).for_each(|&h| self.of[usize::from(h)] = 0);
        let (needle, haystack) = (self.needle.len(), self.haystack.len());
        if method.symmetric {
            distance as f32 / (haystack + needle).max(1) as f32
        } else {
            1.0 - distance as f32 / needle.max(1) as f32
        }
    }
}

fn bump(of: &mut [i16], hash: u16, by: i16) {
    let count = &mut of[usize::from(hash)];
    *count = count.wrapping_add(by);
}

fn bind(method: Method, args: &[Arg]) -> Result<BoundKernel> {
    if let Some(arg) = args.iter().find(|a| a.ty != DataType::String) {
        return Err(illegal_type(method.name, &arg.ty));
    }
    Ok(BoundKernel::new(DataType::Float32, move |args, rows| {
        let (haystacks, needles) = (Text::of(&args[0])?, Text::of(&args[1])?);
        let mut counts = Counts { of: vec![0; 1 << 16], haystack: Vec::new(), needle: Vec::new() };
        let mut out = Vec::with_capacity(rows);
        for i in 0..rows {
            let (haystack, needle) = (haystacks.get(i), needles.get(i));
            if needle.len() > LONGEST {
                let message = format!(
                    "String size of needle is too big for function {}. Should be at most {LONGEST}",
                    method.name
                );
                return Err(Error::new(codes::TOO_LARGE_STRING_SIZE, message));
            }
            if haystack.len() > LONGEST {
                out.push(if method.symmetric { 1.0 } else { 0.0 });
                continue;
            }
            if i == 0 || !matches!(needles, Text::One(_)) {
                method.hashes(needle, &mut counts.needle);
            }
            method.hashes(haystack, &mut counts.haystack);
            out.push(counts.metric(method));
        }
        Ok(Column::from(out))
    }))
}

const BYTES: Method = Method { name: "ngramDistance", utf8: false, fold: false, symmetric: true };
const SEARCH: Method = Method { name: "ngramSearch", symmetric: false, ..BYTES };
const PAIR: FunctionDef = FunctionDef {
    description: "Share of the n-grams that the two strings do not have in common.",
    arity: (2, 2),
    ..FunctionDef::DEFAULT
};
const PART: FunctionDef =
    FunctionDef { description: "Share of the needle's n-grams that are in the haystack.", ..PAIR };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "ngramDistance",
        examples: &[("ngramDistance('abcdefg', 'abcdefh')", "0.25")],
        bind: |args, _: &dyn FunctionContext| bind(BYTES, args),
        ..PAIR
    },
    FunctionDef {
        name: "ngramDistanceCaseInsensitive",
        examples: &[("ngramDistanceCaseInsensitive('ABCDE', 'abcde')", "0")],
        bind: |args, _| {
            bind(Method { name: "ngramDistanceCaseInsensitive", fold: true, ..BYTES }, args)
        },
        ..PAIR
    },
    FunctionDef {
        name: "ngramDistanceUTF8",
        examples: &[("ngramDistanceUTF8('жуки', 'жук')", "0.33333334")],
        bind: |args, _| bind(Method { name: "ngramDistanceUTF8", utf8: true, ..BYTES }, args),
        ..PAIR
    },
    FunctionDef {
        name: "ngramDistanceCaseInsensitiveUTF8",
        examples: &[("ngramDistanceCaseInsensitiveUTF8('ABCD', 'abcd')", "0")],
        bind: |args, _| {
            let name = "ngramDistanceCaseInsensitiveUTF8";
            bind(Method { name, utf8: true, fold: true, ..BYTES }, args)
        },
        ..PAIR
    },
    FunctionDef {
        name: "ngramSearch",
        examples: &[("ngramSearch('abcdef', 'abcd')", "1")],
        bind: |args, _| bind(SEARCH, args),
        ..PART
    },
    FunctionDef {
        name: "ngramSearchCaseInsensitive",
        examples: &[("ngramSearchCaseInsensitive('ABCDE', 'abcd')", "1")],
        bind: |args, _| {
            bind(Method { name: "ngramSearchCaseInsensitive", fold: true, ..SEARCH }, args)
        },
        ..PART
    },
    FunctionDef {
        name: "ngramSearchUTF8",
        examples: &[("ngramSearchUTF8('жуки', 'жук')", "1")],
        bind: |args, _| bind(Method { name: "ngramSearchUTF8", utf8: true, ..SEARCH }, args),
        ..PART
    },
    FunctionDef {
        name: "ngramSearchCaseInsensitiveUTF8",
        examples: &[("ngramSearchCaseInsensitiveUTF8('ABCD', 'abc')", "1")],
        bind: |args, _| {
            let name = "ngramSearchCaseInsensitiveUTF8";
            bind(Method { name, utf8: true, fold: true, ..SEARCH }, args)
        },
        ..PART
    },
];
