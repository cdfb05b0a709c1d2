//! Operands: literals, names, parentheses, parameters; and the words that cannot be names.

use entasis_base::{Position, Result};

use super::Parser;
use super::expr::{call, operator};
use crate::ast::{Expr, ExprKind, Ident, Literal, Parameter, Query};
use crate::keyword::Kw;
use crate::lexer::{Token, TokenKind};
use crate::literal;

const NOT: u8 = 5;
const MINUS: u8 = 13;

impl Parser<'_> {
    pub(super) fn operand(&mut self) -> Result<Expr> {
        let token = self.token();
        match token.kind {
            TokenKind::Word => self.word(token),
            TokenKind::Number => self.number(false),
            TokenKind::String
            | TokenKind::Heredoc
            | TokenKind::HexString
            | TokenKind::BinString => self.string_literal(),
            TokenKind::LParen => self.parenthesised(),
            TokenKind::LBracket => self.array(),
            TokenKind::QuotedName if self.ahead(1).kind == TokenKind::LParen => {
                self.function_call()
            }
            TokenKind::QuotedName => self.identifier(),
            TokenKind::Star => {
                self.bump();
                let from = self.mark() - 1;
                self.asterisk(Vec::new(), from)
            }
            TokenKind::Minus => self.minus(),
            TokenKind::Plus => {
                self.bump();
                self.binary(MINUS)
            }
            TokenKind::LBrace => self.parameter(),
            TokenKind::DoubleAt => self.global_variable(),
            _ => Err(self.unexpected("expression")),
        }
    }

    fn literal(&self, value: Literal, from: usize) -> Expr {
        Expr::new(ExprKind::Literal(value), self.span(from))
    }

    pub(super) fn number(&mut self, negative: bool) -> Result<Expr> {
        let from = self.mark() - usize::from(negative);
        let token = self.token();
        let Some(value) = literal::number(self.bytes(token), negative) else {
            return Err(self.unexpected("number"));
        };
        self.bump();
        Ok(self.literal(value, from))
    }

    #[inline(never)]
    fn string_literal(&mut self) -> Result<Expr> {
        let token = self.token();
        let bytes = self.bytes(token);
        let value = match token.kind {
            TokenKind::String => Some(literal::unquote(bytes)),
            TokenKind::Heredoc => Some(literal::heredoc(bytes)),
            TokenKind::HexString => literal::hex_string(bytes),
            _ => literal::bin_string(bytes),
        };
        let Some(value) = value else { return Err(self.unexpected("digits of the string")) };
        let from = self.mark();
        self.bump();
        Ok(self.literal(Literal::String(value), from))
    }

    #[inline(never)]
    fn minus(&mut self) -> Result<Expr> {
        let from = self.mark();
        self.bump();
        if self.kind() == TokenKind::Number {
            return self.number(true);
        }
        if let Some(value) = self.named_float()
            && self.ahead(1).kind != TokenKind::LParen
        {
            self.bump();
            // `-nan` loses its sign, so that GROUP BY puts it into one group with `nan`.
            let value = if value.is_nan() { value } else { -value };
            return Ok(self.literal(Literal::Float(value), from));
        }
        let arg = self.binary(MINUS)?;
        Ok(operator("negate", vec![arg], self.span(from)))
    }

    fn named_float(&self) -> Option<f64> {
        match self.kw() {
            Kw::INF => Some(f64::INFINITY),
            Kw::NAN => Some(f64::NAN),
            _ => None,
        }
    }

    /// `(`: a subquery, an expression in parentheses, or a tuple.
    #[inline(never)]
    fn parenthesised(&mut self) -> Result<Expr> {
        let from = self.mark();
        if self.starts_query(1) {
            self.bump();
            let query = self.query()?;
            self.expect(TokenKind::RParen, "`)`")?;
            return Ok(Expr::new(ExprKind::Subquery(Box::new(query)), self.span(from)));
        }
        self.bump();
        let mut items = Vec::new();
        let mut comma = false;
        while self.kind() != TokenKind::RParen {
            items.push(self.expr_alias()?);
            comma = self.eat(TokenKind::Comma);
            if !comma {
                break;
            }
        }
        if items.len() == 1 && !comma {
            return self.close_single(items, from);
        }
        self.expect(TokenKind::RParen, "`,` or `)`")?;
        if items.len() > 1 && items.iter().all(is_plain_literal) {
            let values = items.into_iter().filter_map(into_literal).collect();
            return Ok(self.literal(Literal::Tuple(values), from));
        }
        let position = self.span(from);
        Ok(if items.len() > 1 {
            operator("tuple", items, position)
        } else {
            call("tuple", items, position)
        })
    }

    /// `(e)`, where e may be the first branch of `((SELECT 1) UNION ALL ...)`.
    fn close_single(&mut self, mut items: Vec<Expr>, from: usize) -> Result<Expr> {
        let Some(item) = items.pop() else { return Err(self.unexpected("expression")) };
        let branch = item.alias.is_none() && self.at_set_operator();
        let item = match item.kind {
            ExprKind::Subquery(first) if branch => {
                let query = self.query_after(*first)?;
                Expr::new(ExprKind::Subquery(Box::new(query)), self.span(from))
            }
            _ => item,
        };
        self.expect(TokenKind::RParen, "`,`, `)` or operator")?;
        if self.kind() == TokenKind::Arrow {
            // `(x) -> ...`: keeps the form that the lambda needs.
            return Ok(operator("tuple", vec![item], self.span(from)));
        }
        let parenthesised = !matches!(item.kind, ExprKind::Subquery(_));
        Ok(Expr { parenthesised, ..item })
    }

    #[inline(never)]
    fn array(&mut self) -> Result<Expr> {
        let from = self.mark();
        self.bump();
        let mut items = Vec::new();
        while self.kind() != TokenKind::RBracket {
            items.push(self.expr_alias()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RBracket, "`,` or `]`")?;
        if items.iter().all(is_plain_literal) {
            let values = items.into_iter().filter_map(into_literal).collect();
            return Ok(self.literal(Literal::Array(values), from));
        }
        Ok(operator("array", items, self.span(from)))
    }

    #[inline(never)]
    fn parameter(&mut self) -> Result<Expr> {
        let from = self.mark();
        let is_identifier = {
            let token = self.ahead(3);
            self.bytes(token).eq_ignore_ascii_case(b"Identifier")
        };
        if is_identifier {
            return self.identifier();
        }
        self.bump();
        let name = self.expect(TokenKind::Word, "name of a query parameter")?;
        self.expect(TokenKind::Colon, "`:`")?;
        let data_type = self.type_name()?;
        self.expect(TokenKind::RBrace, "`}`")?;
        let parameter = Parameter { name: self.text_of(name), data_type };
        Ok(Expr::new(ExprKind::Parameter(Box::new(parameter)), self.span(from)))
    }

    /// `@@name`: a variable that MySQL clients ask for.
    fn global_variable(&mut self) -> Result<Expr> {
        let from = self.mark();
        self.bump();
        let mut name = self.ident()?.name;
        while self.eat(TokenKind::Dot) {
            name = self.ident()?.name;
        }
        let alias = Ident::new(format!("@@{name}"));
        let arg = self.literal(Literal::String(name.into_bytes()), from);
        let mut expr = call("globalVariable", vec![arg], self.span(from));
        expr.alias = Some(alias);
        Ok(expr)
    }

    /// A word in the place of an operand: a special form, a literal, a call or a name.
    fn word(&mut self, token: Token) -> Result<Expr> {
        let next = self.ahead(1);
        let call = next.kind == TokenKind::LParen;
        match token.kw {
            Kw::NONE => {}
            Kw::NULL => return Ok(self.constant(Literal::Null)),
            Kw::TRUE => return Ok(self.constant(Literal::Bool(true))),
            Kw::FALSE => return Ok(self.constant(Literal::Bool(false))),
            Kw::INF if !call => return Ok(self.constant(Literal::Float(f64::INFINITY))),
            Kw::NAN if !call => return Ok(self.constant(Literal::Float(f64::NAN))),
            Kw::NOT => {
                let from = self.mark();
                self.bump();
                let arg = self.binary(NOT + 1)?;
                return Ok(operator("not", vec![arg], self.span(from)));
            }
            Kw::AND | Kw::OR | Kw::LIKE | Kw::ILIKE | Kw::IN if call => {}
            // `v(from = 1)`, `SELECT from FROM t`.
            _ if follows_name(next) => {}
            Kw::FROM
            | Kw::SELECT
            | Kw::AS
            | Kw::WHERE
            | Kw::AND
            | Kw::OR
            | Kw::THEN
            | Kw::ELSE
            | Kw::UNION
            | Kw::IN
            | Kw::LIKE
            | Kw::ILIKE => {
                return Err(self.unexpected("expression"));
            }
            Kw::GROUP | Kw::ORDER if next.kw == Kw::BY => {
                return Err(self.unexpected("expression"));
            }
            _ => {
                if let Some(expr) = self.special_form(token.kw, next)? {
                    return Ok(expr);
                }
            }
        }
        if call { self.function_call() } else { self.identifier() }
    }

    fn constant(&mut self, value: Literal) -> Expr {
        let from = self.mark();
        self.bump();
        self.literal(value, from)
    }

    /// `a`, `a.b`, `a.*`, `a.COLUMNS(...)`, with the JSON steps `.^b` and `.:T`.
    #[inline(never)]
    fn identifier(&mut self) -> Result<Expr> {
        let from = self.mark();
        let mut parts = vec![self.ident()?];
        loop {
            if self.kind() == TokenKind::Dot {
                let next = self.ahead(1);
                match next.kind {
                    TokenKind::Word
                        if next.kw == Kw::COLUMNS && self.ahead(2).kind == TokenKind::LParen =>
                    {
                        self.bump();
                        return self.columns(parts, from);
                    }
                    TokenKind::Word | TokenKind::QuotedName | TokenKind::LBrace => {
                        self.bump();
                        parts.push(self.ident()?);
                    }
                    TokenKind::Star => {
                        self.bump();
                        self.bump();
                        return self.asterisk(parts, from);
                    }
                    TokenKind::Caret | TokenKind::Colon => parts.push(self.json_step()?),
                    _ => break,
                }
            } else if self.kind() == TokenKind::LBracket
                && self.ahead(1).kind == TokenKind::RBracket
            {
                let position = self.here();
                self.bump();
                self.bump();
                parts.push(Ident { position, ..Ident::new(":Array(JSON)") });
            } else {
                break;
            }
        }
        Ok(Expr::new(ExprKind::Identifier(parts), self.span(from)))
    }

    fn json_step(&mut self) -> Result<Ident> {
        self.bump();
        if self.eat(TokenKind::Caret) {
            let part = self.ident()?;
            return Ok(Ident { name: format!("^{}", part.name), ..part });
        }
        self.bump();
        if self.kind() == TokenKind::QuotedName {
            let part = self.ident()?;
            return Ok(Ident { name: format!(":{}", part.name), ..part });
        }
        let data_type = self.type_name()?;
        let name = format!(":{}", crate::format::format_type(&data_type));
        Ok(Ident { name, parameter: false, position: data_type.position })
    }

    /// Arguments up to and with `)`.
    pub(super) fn arguments(&mut self) -> Result<Vec<Expr>> {
        if self.eat(TokenKind::RParen) {
            return Ok(Vec::new());
        }
        let items = self.list(Self::expr_alias)?;
        self.expect(TokenKind::RParen, "`,`, `)` or operator")?;
        Ok(items)
    }

    /// The query as an operand.
    pub(super) fn subquery(query: Query, position: Position) -> Expr {
        Expr::new(ExprKind::Subquery(Box::new(query)), position)
    }
}

/// Whether a word before this token is a name, even if it is a keyword: the token can neither start
/// an expression nor continue a clause.
pub(super) fn follows_name(next: Token) -> bool {
    let is_operator = matches!(
        next.kind,
        TokenKind::Equals
            | TokenKind::NotEquals
            | TokenKind::Less
            | TokenKind::Greater
            | TokenKind::LessOrEquals
            | TokenKind::GreaterOrEquals
            | TokenKind::Slash
            | TokenKind::Percent
            | TokenKind::Concat
            | TokenKind::Comma
            | TokenKind::RParen
            | TokenKind::RBracket
            | TokenKind::Semicolon
            | TokenKind::End
    );
    is_operator || next.kw == Kw::FROM
}

fn is_plain_literal(expr: &Expr) -> bool {
    expr.alias.is_none() && matches!(expr.kind, ExprKind::Literal(_))
}

fn into_literal(expr: Expr) -> Option<Literal> {
    match expr.kind {
        ExprKind::Literal(value) => Some(value),
        _ => None,
    }
}
