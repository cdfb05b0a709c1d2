//! ClickHouse's dialect as text and as a tree: lexer, AST with positions, parser, formatter.
//!
//! Absent on purpose: names are not resolved, types are not checked, settings are not interpreted;
//! the data after `INSERT ... VALUES` is never tokenised (the parser answers its byte offset).

#![forbid(unsafe_code)]

pub mod ast;
