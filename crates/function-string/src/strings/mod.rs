//! Functions of strings. Strings are bytes; functions whose name ends in `UTF8` see characters.

pub mod base64;
pub mod bit_slice;
pub mod case;
pub mod collation;
pub mod concat;
pub mod digits;
pub mod distance;
pub mod edges;
pub mod format;
pub mod length;
pub mod like;
pub mod needles;
pub mod ngram_distance;
pub mod pad;
pub mod position;
pub mod replace;
pub mod soundex;
pub mod split;
pub mod subsequence;
pub mod substring;
pub mod tokens;
pub mod trim;
pub mod utf8;
pub mod xml;
