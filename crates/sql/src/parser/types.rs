//! Names of data types.

use entasis_base::Result;

use super::{EXPR, Parser};
use crate::ast::{AssignName, Literal, TypeArg, TypeName};
use crate::keyword::Kw;
use crate::lexer::TokenKind;
use crate::literal;

impl Parser<'_> {
    /// `Array(Nullable(UInt8))`, `DOUBLE PRECISION`.
    pub(crate) fn type_name(&mut self) -> Result<TypeName> {
        self.enter(EXPR)?;
        let from = self.mark();
        let token = self.token();
        let mut name = match token.kind {
            TokenKind::Word => {
                self.bump();
                self.text_of(token)
            }
            TokenKind::QuotedName => self.ident()?.name,
            _ => return Err(self.unexpected("data type")),
        };
        while self.continues_type(&name) {
            let word = self.bump();
            name = format!("{} {}", name, self.text_of(word)).to_ascii_uppercase();
        }
        let args = if self.eat(TokenKind::LParen) {
            let mut args = Vec::new();
            while self.kind() != TokenKind::RParen {
                args.push(self.type_arg()?);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
            self.expect(TokenKind::RParen, "`,` or `)`")?;
            Some(args)
        } else {
            None
        };
        if args.is_some() && self.continues_type(&name) {
            let word = self.bump(); // INT(11) UNSIGNED
            name = format!("{name} {}", self.text_of(word)).to_ascii_uppercase();
            self.leave(EXPR);
            return Ok(TypeName { name, args: None, position: self.span(from) });
        }
        self.leave(EXPR);
        Ok(TypeName { name, args, position: self.span(from) })
    }

    /// Whether the current word belongs to the name of the type, as in the long names of standard
    /// SQL.
    fn continues_type(&self, name: &str) -> bool {
        if self.kind() != TokenKind::Word {
            return false;
        }
        let name = name.to_ascii_uppercase();
        match self.kw() {
            Kw::PRECISION => name == "DOUBLE",
            Kw::UNSIGNED | Kw::SIGNED => matches!(
                name.as_str(),
                "INT" | "INTEGER" | "INT1" | "TINYINT" | "SMALLINT" | "MEDIUMINT" | "BIGINT"
            ),
            Kw::VARYING => {
                name.ends_with("CHAR") || name.ends_with("CHARACTER") || name == "BINARY"
            }
            Kw::LARGE => matches!(
                name.as_str(),
                "CHAR" | "CHARACTER" | "NCHAR" | "BINARY" | "NATIONAL CHARACTER"
            ),
            Kw::OBJECT => name.ends_with(" LARGE"),
            _ => {
                name == "NATIONAL"
                    && [&b"CHAR"[..], b"CHARACTER"]
                        .iter()
                        .any(|w| self.bytes(self.token()).eq_ignore_ascii_case(w))
            }
        }
    }

    pub(super) fn type_arg(&mut self) -> Result<TypeArg> {
        let token = self.token();
        let next = self.ahead(1);
        match token.kind {
            TokenKind::String => {
                let bytes = literal::unquote(self.bytes(token));
                self.bump();
                if self.eat(TokenKind::Equals) {
                    return Ok(TypeArg::Assign(
                        AssignName::String(bytes),
                        self.type_literal_arg()?,
                    ));
                }
                Ok(TypeArg::Literal(Literal::String(bytes)))
            }
            TokenKind::Number | TokenKind::Minus => Ok(TypeArg::Literal(self.type_literal_arg()?)),
            TokenKind::Word if token.kw == Kw::NULL => {
                self.bump();
                Ok(TypeArg::Literal(Literal::Null))
            }
            TokenKind::Word if next.kind == TokenKind::Equals => {
                self.bump();
                self.bump();
                let name = AssignName::Word(self.text_of(token));
                Ok(TypeArg::Assign(name, self.type_literal_arg()?))
            }
            TokenKind::Word if token.kw == Kw::SKIP && next.kw == Kw::REGEXP => {
                self.bump();
                self.bump();
                Ok(TypeArg::SkipRegexp(self.string("regular expression")?))
            }
            TokenKind::Word
                if token.kw == Kw::SKIP
                    && matches!(next.kind, TokenKind::Word | TokenKind::QuotedName) =>
            {
                self.bump();
                Ok(TypeArg::Skip(self.dotted_ident()?))
            }
            TokenKind::Word | TokenKind::QuotedName => self.named_type(),
            _ => Err(self.unexpected("data type, number or string")),
        }
    }

    /// `a UInt8`, `a.b UInt8` or just a type.
    fn named_type(&mut self) -> Result<TypeArg> {
        let token = self.token();
        let next = self.ahead(1);
        let named = match next.kind {
            TokenKind::Dot | TokenKind::QuotedName => true,
            TokenKind::Word => {
                let at = self.mark();
                self.bump();
                let long = self.continues_type(&self.text_of(token));
                self.rewind(at)?;
                !long
            }
            _ => false,
        };
        if named {
            let name = self.dotted_ident()?;
            return Ok(TypeArg::Named(name, self.type_name()?));
        }
        Ok(TypeArg::Type(self.type_name()?))
    }

    fn type_literal_arg(&mut self) -> Result<Literal> {
        let negative = self.eat(TokenKind::Minus);
        let token = self.token();
        let value = match token.kind {
            TokenKind::Number => literal::number(self.bytes(token), negative),
            TokenKind::String if !negative => {
                Some(Literal::String(literal::unquote(self.bytes(token))))
            }
            TokenKind::Word if token.kw == Kw::TRUE => Some(Literal::Bool(true)),
            TokenKind::Word if token.kw == Kw::FALSE => Some(Literal::Bool(false)),
            _ => None,
        };
        match value {
            Some(value) => {
                self.bump();
                Ok(value)
            }
            None => Err(self.unexpected("number or string")),
        }
    }
}
