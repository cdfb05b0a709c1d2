//! Full-text search: tokenizers, and the functions that look for tokens and phrases.

pub mod ascii_cjk;
pub mod definition;
pub mod has_tokens;
pub mod highlight;
pub mod like_tokens;
pub mod sparse;
pub mod sparse_grams;
pub mod tokenizer;
pub mod tokens;
