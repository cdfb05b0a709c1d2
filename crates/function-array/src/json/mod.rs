//! JSON in strings: [`parse`] reads a document, [`value`] knows its values, [`push`] turns them
//! into values of types, [`functions`] are the functions that read documents strictly, and
//! [`simple`] those that only search for a name. [`write`] turns values into documents.

pub mod functions;
mod parse;
mod push;
pub mod simple;
mod value;
pub mod write;
