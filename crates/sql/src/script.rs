//! Scripts: several statements in one text, and where the data of an INSERT starts and ends.

use std::ops::Range;

use entasis_base::Result;

use crate::ast::{Ident, InsertSource, Statement, StatementKind};
use crate::keyword::Kw;
use crate::lexer::{Lexer, TokenKind};
use crate::parser::{ParseOptions, Parser};

/// A statement of a script.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The statement.
    pub statement: Statement,
    /// The range of its bytes in the text, including the data of an INSERT but not the `;`.
    pub range: Range<usize>,
    /// The data of `INSERT ... VALUES` or `INSERT ... FORMAT`. Also that of `INSERT ... SELECT ...
    /// FROM input(...) FORMAT name`, whose format is then in the output of the statement.
    pub data: Option<Range<usize>>,
    /// The position from which the next statement is searched.
    pub next: usize,
    /// The first `{name:Identifier}` for which there is no parameter.
    pub unset: Option<Ident>,
}

/// The statement at or after byte `offset`; `None` if only blanks, comments and `;` are left.
///
/// The data of an INSERT ends as in the reference's client: VALUES end at the next `;` outside of
/// quotes, other formats at the end of the line.
pub fn next_statement(text: &str, offset: usize) -> Result<Option<Parsed>> {
    next_statement_with(text, offset, ParseOptions::default(), &[])
}

/// [`next_statement`] with limits, and with values of parameters for `{name:Identifier}`.
pub fn next_statement_with(
    text: &str,
    offset: usize,
    options: ParseOptions,
    parameters: &[(String, String)],
) -> Result<Option<Parsed>> {
    let bytes = text.as_bytes();
    let mut parser = Parser::new(bytes, offset, options).with_parameters(parameters);
    while parser.eat(TokenKind::Semicolon) {}
    if parser.kind() == TokenKind::End {
        return Ok(None);
    }
    let start = parser.token().start as usize;
    let statement = parser.statement()?;
    let unset = parser.unset_parameter();
    if let Some(from) = data_offset(&statement, bytes) {
        let end = data_end(&statement, bytes, from);
        let next = if bytes.get(end) == Some(&b';') { end + 1 } else { end };
        let data = Some(from..end);
        return Ok(Some(Parsed { statement, range: start..end, data, next, unset }));
    }
    if !parser.at_end() {
        return Err(parser.unexpected("end of query or another clause"));
    }
    let end = parser.last_end() as usize;
    let next = parser.token().end as usize;
    Ok(Some(Parsed { statement, range: start..end, data: None, next, unset }))
}

/// All statements of a script, in order. Ends after the first error.
pub fn parse_statements(text: &str) -> impl Iterator<Item = Result<Parsed>> {
    let mut offset = Some(0);
    std::iter::from_fn(move || match next_statement(text, offset?) {
        Ok(Some(parsed)) => {
            offset = Some(parsed.next);
            Some(Ok(parsed))
        }
        Ok(None) => {
            offset = None;
            None
        }
        Err(error) => {
            offset = None;
            Some(Err(error))
        }
    })
}

/// Where the inline data starts, if the statement has some.
pub(crate) fn data_offset(statement: &Statement, text: &[u8]) -> Option<usize> {
    let StatementKind::Insert(insert) = &statement.kind else { return None };
    match &insert.source {
        InsertSource::Data { format: Some(_), offset } => Some(*offset),
        InsertSource::Select(_) => {
            let format = statement.output.format.as_ref()?;
            Some(data_start(text, format.position.end as usize))
        }
        _ => None,
    }
}

/// The first byte of the data after the name of a format. Blanks are skipped, up to one line end.
pub(crate) fn data_start(text: &[u8], mut at: usize) -> usize {
    while matches!(text.get(at), Some(b' ' | b'\t' | 0x0C)) {
        at += 1;
    }
    if text.get(at) == Some(&b'\r') {
        at += 1;
    }
    if text.get(at) == Some(&b'\n') {
        at += 1;
    }
    at
}

fn data_end(statement: &Statement, text: &[u8], from: usize) -> usize {
    let format = match &statement.kind {
        StatementKind::Insert(insert) => match &insert.source {
            InsertSource::Data { format: Some(format), .. } => format.as_str(),
            _ => "",
        },
        _ => "",
    };
    let rest = text.get(from..).unwrap_or(&[]);
    if !format.eq_ignore_ascii_case("values") {
        let line = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        return from + line;
    }
    let mut quoted = false;
    let mut i = 0;
    while i < rest.len() {
        match rest[i] {
            b'\\' if quoted => i += 1,
            b'\'' => quoted = !quoted,
            b';' if !quoted => break,
            _ => {}
        }
        i += 1;
    }
    from + i.min(rest.len())
}

/// The class of a statement by its first words, without parsing it. The shell uses it, and checks
/// of whether a statement only reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementClass {
    /// Blanks and comments only.
    Empty,
    /// SELECT, WITH, FROM, `(`.
    Query,
    /// EXPLAIN.
    Explain,
    /// INSERT.
    Insert,
    /// SHOW, DESCRIBE, EXISTS, CHECK.
    Describe,
    /// CREATE, ALTER, DROP, ...
    Ddl,
    /// SET, USE.
    Session,
    /// SYSTEM, KILL, OPTIMIZE.
    System,
    /// Something else.
    Other,
}

/// The class of the first statement of `text`. Never fails.
pub fn statement_kind(text: &str) -> StatementClass {
    use StatementClass::{Ddl, Describe, Empty, Explain, Insert, Other, Query, Session, System};
    let token = Lexer::new(text.as_bytes(), 0).next();
    match (token.kind, token.kw) {
        (TokenKind::End, _) => Empty,
        (TokenKind::LParen, _) | (_, Kw::SELECT | Kw::WITH | Kw::FROM) => Query,
        (_, Kw::EXPLAIN) => Explain,
        (_, Kw::INSERT) => Insert,
        (_, Kw::SHOW | Kw::DESCRIBE | Kw::DESC | Kw::EXISTS | Kw::CHECK) => Describe,
        (
            _,
            Kw::CREATE
            | Kw::ALTER
            | Kw::DROP
            | Kw::TRUNCATE
            | Kw::RENAME
            | Kw::EXCHANGE
            | Kw::ATTACH
            | Kw::DETACH
            | Kw::DELETE
            | Kw::UPDATE
            | Kw::REPLACE,
        ) => Ddl,
        (_, Kw::SET | Kw::USE) => Session,
        (_, Kw::SYSTEM | Kw::KILL | Kw::OPTIMIZE) => System,
        _ => Other,
    }
}

/// Whether a shell should send `text`: its last token outside of quotes and comments is `;`. An
/// open quote, comment or bracket means that more lines follow.
pub fn is_complete(text: &str) -> bool {
    let mut lexer = Lexer::new(text.as_bytes(), 0);
    let mut last = TokenKind::End;
    loop {
        let token = lexer.next();
        match token.kind {
            TokenKind::End => return last == TokenKind::Semicolon,
            TokenKind::Unterminated => return false,
            kind => last = kind,
        }
    }
}
