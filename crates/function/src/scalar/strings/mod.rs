//! Functions of strings. Strings are bytes; functions whose name ends in `UTF8` see characters.

pub mod case;
pub mod concat;
pub mod length;
pub mod like;
pub mod needles;
pub mod position;
pub mod split;
pub mod substring;
pub mod text;
