//! JSON in strings: [`parse`] reads a document, [`push`] makes values of types of what is in it,
//! [`functions`] are the calls that read documents strictly, [`simple`] those that only look for a
//! name.

pub mod functions;
mod parse;
mod push;
pub mod simple;
