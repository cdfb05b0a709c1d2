//! Recursive descent over tokens that are read on demand; operators are parsed by precedence
//! (`expr`).
//!
//! Functions for rare syntax are not inlined, so that a level of nesting needs little stack.
//!
//! Invariants: no input causes a panic or a stack overflow. Every level of nesting counts against
//! [`ParseOptions::max_depth`], and so does the height of chains such as `1 + 1 + ...`. All later
//! walks over the tree are therefore bounded, too. Going back in the tokens is counted, so that the
//! time is linear except for a constant factor.

mod alter;
mod alter_statistics;
mod backup;
mod call;
mod columns;
mod create;
mod dictionary;
mod expr;
mod forms;
mod insert;
mod limit;
mod objects;
mod operand;
mod query;
mod refresh;
mod setting;
mod show;
mod star;
mod statement;
mod table;
mod types;

use entasis_base::{Error, Position, Result, codes};

use crate::ast::{Ident, TableName};
use crate::keyword::{Kw, nearest};
use crate::lexer::{Lexer, Token, TokenKind};
use crate::literal;

/// Limits of one parse.
#[derive(Clone, Copy, Debug)]
pub struct ParseOptions {
    /// `max_parser_depth`: levels of nesting.
    pub max_depth: u32,
    /// `allow_settings_after_format_in_insert`: SETTINGS may stand between FORMAT and the data.
    pub settings_after_format: bool,
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self { max_depth: 1000, settings_after_format: false }
    }
}

/// The part of the depth that one level of nesting costs.
const EXPR: u32 = 2;
const QUERY: u32 = 6;

/// The largest nesting of BETWEEN, which doubles its left operand.
const MAX_BETWEENS: u32 = 8;

/// How often the parser may go back. Beyond that, the text is refused as too complex.
const MAX_BACKTRACKS: u32 = 5000;

pub(crate) struct Parser<'a> {
    text: &'a [u8],
    lexer: Lexer<'a>,
    /// The tokens read so far; `tokens[at]` always exists.
    tokens: Vec<Token>,
    at: usize,
    max_depth: u32,
    settings_after_format: bool,
    depth: u32,
    /// Height of the tallest finished expression below the node that is being built.
    tallest: u32,
    /// The deepest nesting of BETWEENs on the left side, in the expressions that are finished.
    betweens: u32,
    backtracks: u32,
    /// Whether `IN PARTITION` ends the expression, as in the assignments of UPDATE.
    stop_before_partition: bool,
    /// Values of query parameters, for `{name:Identifier}`.
    parameters: &'a [(String, String)],
    /// The first parameter of type Identifier that has no value.
    unset: Option<Ident>,
}

impl<'a> Parser<'a> {
    /// A parser of `text` that starts at byte `offset`.
    pub(crate) fn new(text: &'a [u8], offset: usize, options: ParseOptions) -> Self {
        let mut lexer = Lexer::new(text, offset);
        let mut tokens = Vec::with_capacity(16);
        tokens.push(lexer.next());
        let max_depth = options.max_depth.clamp(1, 1_000_000);
        Self {
            text,
            lexer,
            tokens,
            at: 0,
            max_depth,
            settings_after_format: options.settings_after_format,
            depth: 0,
            tallest: 0,
            betweens: 0,
            backtracks: 0,
            stop_before_partition: false,
            parameters: &[],
            unset: None,
        }
    }

    /// Gives `{name:Identifier}` the values of the query's parameters.
    pub(crate) fn with_parameters(mut self, parameters: &'a [(String, String)]) -> Self {
        self.parameters = parameters;
        self
    }

    /// The first parameter of type Identifier that was met and has no value.
    pub(crate) fn unset_parameter(&mut self) -> Option<Ident> {
        self.unset.take()
    }

    #[inline]
    pub(crate) fn token(&self) -> Token {
        self.tokens[self.at]
    }

    #[inline]
    pub(crate) fn kind(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    #[inline]
    pub(crate) fn kw(&self) -> Kw {
        self.tokens[self.at].kw
    }

    /// The token `n` after the current one.
    pub(crate) fn ahead(&mut self, n: usize) -> Token {
        while self.tokens.len() <= self.at + n {
            self.tokens.push(self.lexer.next());
        }
        self.tokens[self.at + n]
    }

    #[inline]
    pub(crate) fn bump(&mut self) -> Token {
        let token = self.tokens[self.at];
        if token.kind != TokenKind::End {
            self.at += 1;
            if self.at == self.tokens.len() {
                self.tokens.push(self.lexer.next());
            }
        }
        token
    }

    #[inline]
    pub(crate) fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.bump();
        }
        found
    }

    #[inline]
    pub(crate) fn eat_kw(&mut self, kw: Kw) -> bool {
        let found = self.kw() == kw;
        if found {
            self.bump();
        }
        found
    }

    /// Takes all the words or none.
    pub(crate) fn eat_kws(&mut self, words: &[Kw]) -> bool {
        let found = self.at_kws(words);
        if found {
            for _ in words {
                self.bump();
            }
        }
        found
    }

    pub(crate) fn at_kws(&mut self, words: &[Kw]) -> bool {
        words.iter().enumerate().all(|(i, kw)| self.ahead(i).kw == *kw)
    }

    pub(crate) fn expect(&mut self, kind: TokenKind, what: &str) -> Result<Token> {
        if self.kind() == kind { Ok(self.bump()) } else { Err(self.unexpected(what)) }
    }

    pub(crate) fn expect_kw(&mut self, kw: Kw) -> Result<()> {
        if self.eat_kw(kw) { Ok(()) } else { Err(self.unexpected(kw.text())) }
    }

    pub(crate) fn expect_kws(&mut self, words: &[Kw]) -> Result<()> {
        words.iter().try_for_each(|kw| self.expect_kw(*kw))
    }

    /// Returns to token `at`.
    pub(crate) fn rewind(&mut self, at: usize) -> Result<()> {
        self.backtracks += 1;
        if self.backtracks > MAX_BACKTRACKS {
            return Err(self.too_deep("the text is too ambiguous"));
        }
        self.at = at;
        Ok(())
    }

    /// Opens a level of nesting that costs `cost` of the depth; the caller closes it with `leave`.
    /// One unit stands for about a kilobyte of stack, here and in later walks over the tree.
    #[inline]
    pub(crate) fn enter(&mut self, cost: u32) -> Result<()> {
        self.depth += cost;
        if self.depth > self.max_depth {
            return Err(self.too_deep("the query is nested too deeply"));
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn leave(&mut self, cost: u32) {
        self.depth -= cost;
    }

    #[cold]
    pub(crate) fn too_deep(&self, why: &str) -> Error {
        Error::new(
            codes::TOO_DEEP_RECURSION,
            format!("Maximum parse depth ({}) exceeded: {why}", self.max_depth),
        )
        .at(self.here())
    }

    /// The place of the current token.
    pub(crate) fn here(&self) -> Position {
        let token = self.token();
        Position { start: token.start, end: token.end }
    }

    /// The place from the token at index `from` to the last token that was taken.
    #[inline]
    pub(crate) fn span(&self, from: usize) -> Position {
        let start = self.tokens[from].start;
        Position { start, end: self.last_end().max(start) }
    }

    /// End of the last token taken.
    pub(crate) fn last_end(&self) -> u32 {
        self.at.checked_sub(1).map_or(0, |i| self.tokens[i].end)
    }

    pub(crate) fn bytes(&self, token: Token) -> &'a [u8] {
        &self.text[token.range()]
    }

    pub(crate) fn slice(&self, start: u32, end: u32) -> &'a [u8] {
        self.text.get(start as usize..end as usize).unwrap_or(&[])
    }

    pub(crate) fn text_of(&self, token: Token) -> String {
        String::from_utf8_lossy(self.bytes(token)).into_owned()
    }

    /// The text from token index `from` to the last token taken.
    pub(crate) fn text_from(&self, from: usize) -> String {
        let at = self.span(from);
        String::from_utf8_lossy(self.slice(at.start, at.end)).into_owned()
    }

    /// `Syntax error: failed at position 8 (`)`) (line 1, col 8): expected ...`, with a hint.
    #[cold]
    pub(crate) fn unexpected(&self, expected: &str) -> Error {
        let token = self.token();
        let position = self.here();
        let text = String::from_utf8_lossy(self.text);
        let (line, column) = position.line_column(&text);
        let what = match token.kind {
            TokenKind::End | TokenKind::Semicolon => "end of query".to_string(),
            _ => format!("`{}`", shortened(&self.text_of(token))),
        };
        let place = token.start + 1;
        let mut message = format!(
            "Syntax error: failed at position {place} ({what}) (line {line}, col {column}): "
        );
        match (token.kind, self.bytes(token).first()) {
            (TokenKind::Unterminated, Some(b'/')) => message += "comment is not closed",
            (TokenKind::Unterminated, _) => message += "quote is not closed",
            (TokenKind::Unknown, _) => message += "unrecognised token",
            _ => message += &format!("expected {expected}"),
        }
        let before = self.at.checked_sub(1).map(|i| self.tokens[i]);
        let hint = [Some(token), before]
            .into_iter()
            .flatten()
            .filter(|t| t.kind == TokenKind::Word)
            .find_map(|t| nearest(&self.text_of(t)));
        if let Some(hint) = hint {
            message += &format!(". Maybe you meant: {hint}");
        }
        Error::new(codes::SYNTAX_ERROR, message).at(position)
    }

    /// A name: a word (even if it is a keyword), a quoted name, or `{p:Identifier}`.
    pub(crate) fn ident(&mut self) -> Result<Ident> {
        let token = self.token();
        match token.kind {
            TokenKind::Word => {
                self.bump();
                Ok(Ident {
                    name: self.text_of(token),
                    parameter: false,
                    position: Position { start: token.start, end: token.end },
                })
            }
            TokenKind::QuotedName => {
                self.bump();
                let name = literal::unquote(self.bytes(token));
                Ok(Ident {
                    name: String::from_utf8_lossy(&name).into_owned(),
                    parameter: false,
                    position: Position { start: token.start, end: token.end },
                })
            }
            TokenKind::LBrace => {
                let from = self.at;
                self.bump();
                let name = self.expect(TokenKind::Word, "name of a query parameter")?;
                self.expect(TokenKind::Colon, "`:`")?;
                self.bump();
                self.expect(TokenKind::RBrace, "`}`")?;
                Ok(self.identifier_parameter(self.text_of(name), from))
            }
            _ => Err(self.unexpected("name")),
        }
    }

    /// `{name:Identifier}` becomes the value of the parameter; without a value it stays a
    /// parameter.
    fn identifier_parameter(&mut self, name: String, from: usize) -> Ident {
        let position = self.span(from);
        if let Some((_, value)) = self.parameters.iter().find(|(known, _)| *known == name) {
            let name = literal::unescape_text(value);
            let name = String::from_utf8_lossy(&name).into_owned();
            return Ident { name, parameter: false, position };
        }
        let ident = Ident { name, parameter: true, position };
        self.unset.get_or_insert_with(|| ident.clone());
        ident
    }

    /// `t`, `db.t`.
    pub(crate) fn table_name(&mut self) -> Result<TableName> {
        let first = self.ident()?;
        if !self.eat(TokenKind::Dot) {
            return Ok(TableName { database: None, table: first });
        }
        let mut table = self.ident()?;
        while self.eat(TokenKind::Dot) {
            let part = self.ident()?;
            table.name = format!("{}.{}", table.name, part.name);
        }
        Ok(TableName { database: Some(first), table })
    }

    /// The text of a string literal. Bytes that are not UTF-8 are replaced.
    pub(crate) fn string(&mut self, what: &str) -> Result<String> {
        let token = self.token();
        let bytes = match token.kind {
            TokenKind::String => literal::unquote(self.bytes(token)),
            TokenKind::Heredoc => literal::heredoc(self.bytes(token)),
            _ => return Err(self.unexpected(what)),
        };
        self.bump();
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    pub(crate) fn unsigned(&mut self, what: &str) -> Result<u64> {
        let token = self.token();
        if token.kind == TokenKind::Number
            && let Some(crate::ast::Literal::UInt(value)) =
                literal::number(self.bytes(token), false)
        {
            self.bump();
            return Ok(value);
        }
        Err(self.unexpected(what))
    }

    /// `item, item, ...`, at least one.
    pub(crate) fn list<T>(&mut self, item: fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat(TokenKind::Comma) {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Whether the current token ends a statement.
    pub(crate) fn at_end(&self) -> bool {
        matches!(self.kind(), TokenKind::End | TokenKind::Semicolon)
    }

    /// Index of the current token, for `span` and `rewind`.
    pub(crate) fn mark(&self) -> usize {
        self.at
    }
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= 40 {
        return text.to_string();
    }
    text.chars().take(37).chain("...".chars()).collect()
}
