//! ClickHouse's dialect as text and as a tree: lexer, AST with positions, parser, formatter.
//!
//! Flow: [`lex`] accepts any text, [`parse_statement`] and similar functions make an [`ast`], and
//! [`format_statement`] writes it as text that parses back to an equal tree. [`column_name`] is the
//! name of a result column.
//!
//! Absent on purpose: names are not resolved, types are not checked, and settings are not
//! interpreted. The data after `INSERT ... VALUES` is never split into tokens; the parser returns
//! its byte offset.

#![forbid(unsafe_code)]

pub mod ast;
mod columns_of;
mod dump;
mod format;
mod keyword;
mod lexer;
mod literal;
mod parser;
mod qualify;
mod script;
mod secrets;

use entasis_base::Result;

pub use columns_of::{is_of_column, names_in, names_in_projection, rename_column};
pub use dump::{dump_ast, dump_ast_graph};
pub use format::{
    FormatOptions, column_name, format_engine, format_expr, format_ident, format_literal,
    format_projection, format_query, format_statement, format_string, format_type,
    format_type_lines,
};
pub use keyword::{Kw, keywords};
pub use lexer::{Token, TokenKind, lex};
pub use literal::unescape_text;
pub use parser::ParseOptions;
pub use qualify::{
    LambdaOf, NewName, Qualified, expand_in_expr, expand_in_query, qualify, rename_tables,
};
pub use script::{
    Parsed, StatementClass, is_complete, next_statement, next_statement_with, parse_statements,
    statement_kind,
};
pub use secrets::mask_secrets;

use parser::Parser;

/// Parses one statement, which may end with `;`. Everything after the data offset of an INSERT is
/// data.
pub fn parse_statement(text: &str) -> Result<ast::Statement> {
    parse_statement_with(text.as_bytes(), ParseOptions::default())
}

/// [`parse_statement`] of bytes (the data of an INSERT may be binary), with limits.
pub fn parse_statement_with(text: &[u8], options: ParseOptions) -> Result<ast::Statement> {
    let mut parser = Parser::new(text, 0, options);
    let statement = parser.statement()?;
    if script::data_offset(&statement, text).is_none() {
        finish(&mut parser)?;
    }
    Ok(statement)
}

/// Parses a SELECT or a tree of set operations.
pub fn parse_query(text: &str) -> Result<ast::Query> {
    parse_all(text, Parser::query)
}

/// Parses an expression, possibly with `AS alias`.
pub fn parse_expression(text: &str) -> Result<ast::Expr> {
    parse_all(text, Parser::expr_alias)
}

/// Parses `e1, e2 AS a, ...`; an empty text gives an empty list.
pub fn parse_expressions(text: &str) -> Result<Vec<ast::Expr>> {
    parse_all(text, |p| if p.at_end() { Ok(Vec::new()) } else { p.list(Parser::expr_alias) })
}

/// Parses a data type.
pub fn parse_type(text: &str) -> Result<ast::TypeName> {
    parse_all(text, Parser::type_name)
}

fn parse_all<'a, T>(text: &'a str, item: fn(&mut Parser<'a>) -> Result<T>) -> Result<T> {
    let mut parser = Parser::new(text.as_bytes(), 0, ParseOptions::default());
    let parsed = item(&mut parser)?;
    finish(&mut parser)?;
    Ok(parsed)
}

fn finish(parser: &mut Parser<'_>) -> Result<()> {
    while parser.eat(TokenKind::Semicolon) {}
    if parser.kind() == TokenKind::End {
        return Ok(());
    }
    Err(parser.unexpected("end of query or another clause"))
}

#[cfg(test)]
mod tests;
