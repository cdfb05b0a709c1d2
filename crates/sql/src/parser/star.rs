//! `*`, `COLUMNS(...)` and what may follow them.

use entasis_base::Result;

use super::Parser;
use crate::ast::{Columns, ColumnsMatcher, Expr, ExprKind, Ident, QualifiedAsterisk, Transformer};
use crate::keyword::Kw;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// After `*` or `t.*`.
    pub(super) fn asterisk(&mut self, qualifier: Vec<Ident>, from: usize) -> Result<Expr> {
        if matches!(self.kw(), Kw::LIKE | Kw::ILIKE) {
            let flags = if self.kw() == Kw::ILIKE { "(?i)" } else { "" };
            self.bump();
            let pattern = self.string("pattern")?;
            let matcher = ColumnsMatcher::Regexp(like_to_regexp(flags, &pattern));
            let transformers = self.transformers()?;
            let kind = Columns { qualifier, matcher, transformers };
            return Ok(Expr::new(ExprKind::Columns(Box::new(kind)), self.span(from)));
        }
        let transformers = self.transformers()?;
        let kind = if qualifier.is_empty() {
            ExprKind::Asterisk(transformers)
        } else {
            ExprKind::QualifiedAsterisk(Box::new(QualifiedAsterisk { qualifier, transformers }))
        };
        Ok(Expr::new(kind, self.span(from)))
    }

    /// At `COLUMNS(`.
    pub(super) fn columns(&mut self, qualifier: Vec<Ident>, from: usize) -> Result<Expr> {
        self.bump();
        self.bump();
        let matcher = if self.kind() == TokenKind::String && self.ahead(1).kind == TokenKind::RParen
        {
            ColumnsMatcher::Regexp(self.string("pattern")?)
        } else {
            ColumnsMatcher::List(self.list(Self::expr)?)
        };
        self.expect(TokenKind::RParen, "`)`")?;
        let transformers = self.transformers()?;
        let kind = Columns { qualifier, matcher, transformers };
        Ok(Expr::new(ExprKind::Columns(Box::new(kind)), self.span(from)))
    }

    pub(super) fn transformers(&mut self) -> Result<Vec<Transformer>> {
        let mut found = Vec::new();
        loop {
            match self.kw() {
                // In `SELECT * EXCEPT SELECT 1`, EXCEPT is a set operation.
                Kw::EXCEPT => {
                    let next = self.ahead(1);
                    let set = matches!(next.kw, Kw::SELECT | Kw::ALL | Kw::DISTINCT)
                        || next.kind == TokenKind::LParen && self.starts_query(2);
                    if set {
                        return Ok(found);
                    }
                    self.bump();
                    found.push(self.except()?);
                }
                Kw::REPLACE => {
                    self.bump();
                    found.push(self.replace()?);
                }
                Kw::APPLY => {
                    self.bump();
                    found.push(self.apply()?);
                }
                _ => return Ok(found),
            }
        }
    }

    fn except(&mut self) -> Result<Transformer> {
        let strict = self.eat_kw(Kw::STRICT);
        let open = self.eat(TokenKind::LParen);
        let result = if self.kind() == TokenKind::String {
            Transformer::ExceptRegexp(self.string("pattern")?)
        } else if open {
            let names = self.list(Self::dotted_ident)?;
            Transformer::Except { strict, names }
        } else {
            Transformer::Except { strict, names: vec![self.dotted_ident()?] }
        };
        if open {
            self.expect(TokenKind::RParen, "`,` or `)`")?;
        }
        Ok(result)
    }

    /// `a.b` as one name.
    pub(super) fn dotted_ident(&mut self) -> Result<Ident> {
        let mut ident = self.ident()?;
        while self.eat(TokenKind::Dot) {
            let part = self.ident()?;
            ident.name = format!("{}.{}", ident.name, part.name);
            ident.position.end = part.position.end;
        }
        Ok(ident)
    }

    fn replace(&mut self) -> Result<Transformer> {
        let strict = self.eat_kw(Kw::STRICT);
        let item = |p: &mut Self| -> Result<(Expr, Ident)> {
            let expr = p.expr()?;
            p.expect_kw(Kw::AS)?;
            Ok((expr, p.dotted_ident()?))
        };
        let items = if self.eat(TokenKind::LParen) {
            let mut items = vec![item(self)?];
            while self.eat(TokenKind::Comma) {
                items.push(item(self)?);
            }
            self.expect(TokenKind::RParen, "`,` or `)`")?;
            items
        } else {
            vec![item(self)?]
        };
        Ok(Transformer::Replace { strict, items })
    }

    fn apply(&mut self) -> Result<Transformer> {
        let open = self.eat(TokenKind::LParen);
        let arrow = self.kind() == TokenKind::LParen || self.ahead(1).kind == TokenKind::Arrow;
        let result = if arrow {
            match self.expr()?.kind {
                ExprKind::Lambda(lambda) => Transformer::ApplyLambda(lambda),
                _ => return Err(self.unexpected("lambda")),
            }
        } else {
            let name = self.ident()?.name;
            let parameters =
                if self.eat(TokenKind::LParen) { Some(self.arguments()?) } else { None };
            let prefix = if open && self.eat(TokenKind::Comma) {
                Some(self.string("prefix of the column names")?)
            } else {
                None
            };
            Transformer::ApplyFunction { name, parameters, prefix }
        };
        if open {
            self.expect(TokenKind::RParen, "`)`")?;
        }
        Ok(result)
    }
}

/// The pattern of `* LIKE` or `* ILIKE` as a regular expression.
fn like_to_regexp(flags: &str, pattern: &str) -> String {
    let mut out = format!("{flags}^");
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '%' => out.push_str(".*"),
            '_' => out.push('.'),
            '\\' => {
                if let Some(escaped) = chars.next() {
                    push_escaped(&mut out, escaped);
                }
            }
            _ => push_escaped(&mut out, c),
        }
    }
    out.push('$');
    out
}

fn push_escaped(out: &mut String, c: char) {
    if "^$.[]|()?*+{:\\".contains(c) {
        out.push('\\');
    }
    out.push(c);
}
