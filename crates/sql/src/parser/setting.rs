//! `name = value` of SETTINGS and SET.

use entasis_base::{Position, Result};

use super::Parser;
use crate::ast::{Expr, ExprKind, Literal, SettingChange};
use crate::keyword::Kw;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// `a = 1, b = 'x', c`.
    pub(super) fn settings_list(&mut self) -> Result<Vec<SettingChange>> {
        self.list(Self::setting)
    }

    pub(super) fn setting(&mut self) -> Result<SettingChange> {
        let name = self.dotted_ident()?.name;
        if !self.eat(TokenKind::Equals) {
            // A name without a value switches the setting on. It becomes a literal of zero length
            // in the text.
            let at = Position { end: self.here().start, ..self.here() };
            let on = Expr::new(ExprKind::Literal(Literal::Bool(true)), at);
            return Ok(SettingChange { name, value: Some(on) });
        }
        let default = self.kw() == Kw::DEFAULT && self.ahead(1).kind != TokenKind::LParen;
        if default {
            self.bump();
            return Ok(SettingChange { name, value: None });
        }
        Ok(SettingChange { name, value: Some(self.setting_value()?) })
    }

    /// A value; a map `{'a': 1}` becomes the call `map('a', 1)`.
    fn setting_value(&mut self) -> Result<Expr> {
        if self.kind() != TokenKind::LBrace || self.ahead(1).kind == TokenKind::Word {
            return self.expr();
        }
        let from = self.mark();
        self.bump();
        let mut args = Vec::new();
        while self.kind() != TokenKind::RBrace {
            args.push(self.expr()?);
            self.expect(TokenKind::Colon, "`:`")?;
            args.push(self.setting_value()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RBrace, "`,` or `}`")?;
        Ok(super::expr::call("map", args, self.span(from)))
    }
}
