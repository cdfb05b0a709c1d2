//! TOP, LIMIT BY, LIMIT and FETCH.

use entasis_base::{Error, Result, codes};

use super::Parser;
use crate::ast::{Expr, ExprKind, LimitBy, Literal, Select};
use crate::keyword::Kw;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// `TOP n` or `TOP (n)` before the result columns. The number is one token, so that in
    /// `TOP 2 *` the asterisk does not multiply it.
    pub(super) fn top(&mut self, select: &mut Select) -> Result<()> {
        if self.kw() != Kw::TOP {
            return Ok(());
        }
        let paren = self.ahead(1).kind == TokenKind::LParen;
        let first = 1 + usize::from(paren);
        let negative = self.ahead(first).kind == TokenKind::Minus;
        let number = first + usize::from(negative);
        if self.ahead(number).kind != TokenKind::Number
            || paren && self.ahead(number + 1).kind != TokenKind::RParen
        {
            return Ok(());
        }
        for _ in 0..number {
            self.bump();
        }
        select.limit = Some(self.number(negative)?);
        if paren {
            self.bump();
        }
        select.limit_with_ties = self.eat_kws(&[Kw::WITH, Kw::TIES]);
        Ok(())
    }

    /// `LIMIT n BY ...` and `LIMIT n`, in this order.
    pub(super) fn limits(&mut self, select: &mut Select) -> Result<()> {
        while self.kw() == Kw::LIMIT {
            let at = self.here();
            self.bump();
            let first = self.expr()?;
            let (limit, mut offset) = if self.eat(TokenKind::Comma) {
                (self.expr()?, Some(first))
            } else {
                (first, None)
            };
            if offset.is_none() && self.eat_kw(Kw::OFFSET) {
                offset = Some(self.expr()?);
            }
            if select.limit_by.is_none() && self.eat_kw(Kw::BY) {
                let all = self.kw() == Kw::ALL && self.ahead(1).kind != TokenKind::LParen;
                let by = if all {
                    self.bump();
                    Vec::new()
                } else {
                    self.list(Self::expr_alias)?
                };
                select.limit_by = Some(LimitBy { limit, offset, by, all });
                continue;
            }
            if select.limit.is_some() {
                let message = "Can not use TOP and LIMIT together";
                return Err(Error::new(codes::TOP_AND_LIMIT_TOGETHER, message).at(at));
            }
            select.limit = Some(limit);
            select.offset = offset;
            select.limit_with_ties = self.eat_kws(&[Kw::WITH, Kw::TIES]);
            break;
        }
        Ok(())
    }

    /// `FETCH FIRST n ROWS ONLY|WITH TIES`.
    pub(super) fn fetch(&mut self, select: &mut Select) -> Result<()> {
        self.bump();
        if !self.eat_kw(Kw::FIRST) && !self.eat_kw(Kw::NEXT) {
            return Err(self.unexpected("FIRST or NEXT"));
        }
        select.limit = Some(if matches!(self.kw(), Kw::ROW | Kw::ROWS) {
            Expr::new(ExprKind::Literal(Literal::UInt(1)), self.here())
        } else {
            self.expr()?
        });
        if !self.eat_kw(Kw::ROWS) && !self.eat_kw(Kw::ROW) {
            return Err(self.unexpected("ROWS"));
        }
        if self.eat_kws(&[Kw::WITH, Kw::TIES]) {
            select.limit_with_ties = true;
            return Ok(());
        }
        self.expect_kw(Kw::ONLY)
    }
}
