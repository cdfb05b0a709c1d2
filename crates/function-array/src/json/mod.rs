//! JSON in strings: [`parse`] reads a document, [`push`] turns its values into values of types,
//! [`functions`] are the functions that read documents strictly, and [`simple`] those that only
//! search for a name. [`write`] turns values into documents.

pub mod functions;
mod parse;
mod push;
pub mod simple;
pub mod write;
