//! CREATE DICTIONARY: its attributes, and the clauses behind them in any order.

use entasis_base::{Error, Result, codes};

use super::Parser;
use crate::ast::{
    Attach, CreateDictionary, CreateMode, DictionaryAttribute, DictionaryParameter, DictionaryPart,
    DictionaryValue, Expr, ExprKind, Ident, Literal, ObjectKind, StatementKind,
};
use crate::keyword::Kw;
use crate::lexer::TokenKind;

impl Parser<'_> {
    pub(super) fn create_dictionary(&mut self, mut mode: CreateMode) -> Result<StatementKind> {
        mode.if_not_exists = self.if_not_exists();
        let name = self.table_name()?;
        let mut create = CreateDictionary { mode, name, ..CreateDictionary::default() };
        create.uuid = if self.eat_kw(Kw::UUID) { Some(self.string("UUID")?) } else { None };
        create.cluster = self.on_cluster()?;
        if mode.attach && self.at_end() {
            let attach = Attach {
                undrop: false,
                object: ObjectKind::Dictionary,
                if_not_exists: mode.if_not_exists,
                name: create.name,
                cluster: create.cluster,
            };
            return Ok(StatementKind::Attach(Box::new(attach)));
        }
        self.expect(TokenKind::LParen, "`(`")?;
        create.attributes = self.list(Self::dictionary_attribute)?;
        self.expect(TokenKind::RParen, "`,` or `)`")?;
        while self.dictionary_clause(&mut create)? {}
        if self.eat_kw(Kw::COMMENT) {
            create.comment = Some(self.string("comment")?);
        }
        Ok(StatementKind::CreateDictionary(Box::new(create)))
    }

    /// Whether the current token is this word, whatever its case.
    pub(super) fn at_word(&self, word: &str) -> bool {
        let token = self.token();
        token.kind == TokenKind::Word && self.bytes(token).eq_ignore_ascii_case(word.as_bytes())
    }

    fn dictionary_attribute(&mut self) -> Result<DictionaryAttribute> {
        let name = self.ident()?;
        let data_type = Some(self.type_name()?);
        let mut attribute = DictionaryAttribute { name, data_type, ..Default::default() };
        loop {
            if attribute.default.is_none() && self.eat_kw(Kw::DEFAULT) {
                let from = self.here();
                let default = self.expr()?;
                if !matches!(default.kind, ExprKind::Literal(_)) {
                    let message = "Syntax error: DEFAULT of an attribute must be a literal; use \
                                   EXPRESSION for what is computed";
                    return Err(Error::new(codes::SYNTAX_ERROR, message).at(from));
                }
                attribute.default = Some(default);
            } else if attribute.expression.is_none() && self.eat_word("EXPRESSION") {
                attribute.expression = Some(self.expr()?);
            } else if self.eat_word("HIERARCHICAL") {
                attribute.hierarchical = true;
            } else if self.eat_word("BIDIRECTIONAL") {
                attribute.bidirectional = true;
            } else if self.eat_word("INJECTIVE") {
                attribute.injective = true;
            } else if self.eat_word("IS_OBJECT_ID") {
                attribute.is_object_id = true;
            } else {
                return Ok(attribute);
            }
        }
    }

    /// Takes a clause that has not been there before; answers whether there was one.
    fn dictionary_clause(&mut self, create: &mut CreateDictionary) -> Result<bool> {
        if create.primary_key.is_empty() && self.eat_kws(&[Kw::PRIMARY, Kw::KEY]) {
            let bracketed = self.eat(TokenKind::LParen);
            create.primary_key = self.list(Self::ident)?;
            if bracketed {
                self.expect(TokenKind::RParen, "`,` or `)`")?;
            }
        } else if create.source.is_none() && self.eat_word("SOURCE") {
            create.source = Some(self.dictionary_part()?);
        } else if create.lifetime.is_none() && self.eat_word("LIFETIME") {
            create.lifetime = Some(self.dictionary_lifetime()?);
        } else if create.layout.is_none() && self.eat_word("LAYOUT") {
            create.layout = Some(self.dictionary_part()?);
        } else if create.range.is_none() && self.eat_kw(Kw::RANGE) {
            create.range = Some(self.dictionary_range()?);
        } else if create.settings.is_empty() && self.eat_kw(Kw::SETTINGS) {
            self.expect(TokenKind::LParen, "`(`")?;
            create.settings = self.settings_list()?;
            self.expect(TokenKind::RParen, "`,` or `)`")?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// `(NAME(parameters))`; a layout may leave out the inner parentheses.
    fn dictionary_part(&mut self) -> Result<DictionaryPart> {
        self.expect(TokenKind::LParen, "`(`")?;
        let from = self.mark();
        let name = self.ident()?.name.to_ascii_uppercase();
        let mut part = DictionaryPart { name, ..DictionaryPart::default() };
        part.bare = self.kind() != TokenKind::LParen;
        if self.eat(TokenKind::LParen) {
            part.parameters = self.dictionary_parameters()?;
            self.expect(TokenKind::RParen, "`)`")?;
        }
        part.position = self.span(from);
        self.expect(TokenKind::RParen, "`)`")?;
        Ok(part)
    }

    /// Parameters up to the closing parenthesis.
    fn dictionary_parameters(&mut self) -> Result<Vec<DictionaryParameter>> {
        let mut parameters = Vec::new();
        while self.kind() != TokenKind::RParen {
            let name = self.ident()?.name.to_ascii_uppercase();
            let value = if self.eat(TokenKind::LParen) {
                self.enter(1)?;
                let inner = self.dictionary_parameters()?;
                self.leave(1);
                self.expect(TokenKind::RParen, "`)`")?;
                DictionaryValue::Many(inner)
            } else {
                DictionaryValue::One(self.dictionary_value()?)
            };
            parameters.push(DictionaryParameter { name, value });
        }
        Ok(parameters)
    }

    /// A literal, a call, or a name.
    fn dictionary_value(&mut self) -> Result<Expr> {
        let from = self.mark();
        if self.kind() == TokenKind::Word && self.ahead(1).kind == TokenKind::LParen {
            let name = self.ident()?.name;
            let call = self.call_tail(name)?;
            return Ok(Expr::new(ExprKind::Function(Box::new(call)), self.span(from)));
        }
        if matches!(self.kind(), TokenKind::Word | TokenKind::QuotedName)
            && !matches!(self.kw(), Kw::TRUE | Kw::FALSE | Kw::NULL | Kw::INF | Kw::NAN)
        {
            let name = self.ident()?;
            return Ok(Expr::new(ExprKind::Identifier(vec![name]), self.span(from)));
        }
        self.dictionary_literal()
    }

    fn dictionary_literal(&mut self) -> Result<Expr> {
        let from = self.mark();
        if self.kind() == TokenKind::String {
            let text = self.string("value")?;
            let literal = Literal::String(text.into_bytes());
            return Ok(Expr::new(ExprKind::Literal(literal), self.span(from)));
        }
        let value = self.expr()?;
        match value.kind {
            ExprKind::Literal(_) => Ok(value),
            _ => Err(self.unexpected("a literal, a call or a name")),
        }
    }

    fn dictionary_lifetime(&mut self) -> Result<(u64, u64)> {
        self.expect(TokenKind::LParen, "`(`")?;
        let (mut least, mut greatest) = (0, 0);
        if self.at_word("MIN") || self.at_word("MAX") {
            for _ in 0..2 {
                if self.eat_word("MIN") {
                    least = self.seconds()?;
                } else if self.eat_word("MAX") {
                    greatest = self.seconds()?;
                } else {
                    return Err(self.unexpected("MIN or MAX"));
                }
            }
        } else {
            greatest = self.seconds()?;
        }
        self.expect(TokenKind::RParen, "`)`")?;
        Ok((least, greatest))
    }

    fn seconds(&mut self) -> Result<u64> {
        let value = self.dictionary_literal()?;
        match value.kind {
            ExprKind::Literal(Literal::UInt(seconds)) => Ok(seconds),
            _ => Err(self.unexpected("number of seconds")),
        }
    }

    fn dictionary_range(&mut self) -> Result<(Ident, Ident)> {
        self.expect(TokenKind::LParen, "`(`")?;
        let mut bounds: [Option<Ident>; 2] = [None, None];
        for _ in 0..2 {
            if self.eat_word("MIN") {
                bounds[0] = Some(self.ident()?);
            } else if self.eat_word("MAX") {
                bounds[1] = Some(self.ident()?);
            }
        }
        let [Some(least), Some(greatest)] = bounds else {
            return Err(self.unexpected("MIN and MAX"));
        };
        self.expect(TokenKind::RParen, "`)`")?;
        Ok((least, greatest))
    }
}
