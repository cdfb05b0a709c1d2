//! Expressions: precedence climbing over the dialect's operators.
//!
//! Precedences (a higher one binds tighter), as the reference has them: lambda 1, `?:` 2, OR 3,
//! AND 4, NOT 5, IS 6, BETWEEN 7, comparisons, LIKE and IN 9, `||` 10, `+ -` 11, `* / % DIV MOD` 12,
//! unary minus 13, `. [] ::` 14.

use entasis_base::{Position, Result};

use super::{EXPR, MAX_BETWEENS, Parser};
use crate::ast::{
    Columns, ColumnsMatcher, Expr, ExprKind, Function, Ident, Lambda, Literal, Parameter,
    QualifiedAsterisk, Query, Transformer,
};
use crate::keyword::Kw;
use crate::lexer::{Token, TokenKind};
use crate::literal;

/// An operator after an operand, and how many tokens it takes.
#[derive(Clone, Copy)]
struct Op {
    precedence: u8,
    tokens: u8,
    what: What,
}

#[derive(Clone, Copy)]
enum What {
    /// Two operands.
    Binary(&'static str),
    /// As Binary, and `x = ANY (SELECT ...)` is possible.
    Compare(&'static str),
    /// As Binary, but a chain makes one call.
    Chain(&'static str),
    Is,
    Between(bool),
    Ternary,
    Lambda,
    Index,
    Dot,
    Cast,
}

const NOT: u8 = 5;
const MINUS: u8 = 13;
const POSTFIX: u8 = 14;

/// Words that do not continue an expression as an alias without AS.
pub(super) fn is_reserved_alias(kw: Kw) -> bool {
    use Kw::*;
    matches!(
        kw,
        ALL | ANTI
            | ANY
            | ARRAY
            | AS
            | ASOF
            | BETWEEN
            | CROSS
            | ELSE
            | EXCEPT
            | FINAL
            | FORMAT
            | FROM
            | FULL
            | GLOBAL
            | GROUP
            | HAVING
            | ILIKE
            | INNER
            | INTERSECT
            | INTO
            | IS
            | JOIN
            | LEFT
            | LIKE
            | LIMIT
            | NATURAL
            | NOT
            | OFFSET
            | ON
            | ONLY
            | ORDER
            | PASTE
            | PREWHERE
            | QUALIFY
            | RIGHT
            | SAMPLE
            | SEMI
            | SETTINGS
            | STREAM
            | UNION
            | USING
            | UUID
            | WHERE
            | WINDOW
            | WITH
            | AND
            | OR
            | IN
            | DIV
            | MOD
            | REGEXP
            | END
            | THEN
            | WHEN
            | FETCH
            | SELECT
            | INTERPOLATE
    )
}

/// A call that was written as an operator.
pub(super) fn operator(name: &str, args: Vec<Expr>, position: Position) -> Expr {
    let function = Function { from_operator: true, ..Function::new(name, args) };
    Expr::new(ExprKind::Function(Box::new(function)), position)
}

/// A plain call.
pub(super) fn call(name: &str, args: Vec<Expr>, position: Position) -> Expr {
    Expr::new(ExprKind::Function(Box::new(Function::new(name, args))), position)
}

impl Parser<'_> {
    /// An expression without an alias.
    pub(crate) fn expr(&mut self) -> Result<Expr> {
        self.binary(0)
    }

    /// An expression, possibly `AS name`.
    pub(crate) fn expr_alias(&mut self) -> Result<Expr> {
        let mut expr = self.binary(0)?;
        if self.eat_kw(Kw::AS) {
            expr.alias = Some(self.ident()?);
        }
        Ok(expr)
    }

    /// An expression, possibly `AS name` or `name`.
    pub(crate) fn expr_implicit_alias(&mut self) -> Result<Expr> {
        let mut expr = self.expr_alias()?;
        if expr.alias.is_none() {
            expr.alias = self.implicit_alias()?;
        }
        Ok(expr)
    }

    pub(super) fn implicit_alias(&mut self) -> Result<Option<Ident>> {
        let alias = match self.kind() {
            TokenKind::QuotedName => true,
            TokenKind::Word => !is_reserved_alias(self.kw()),
            _ => false,
        };
        if alias { self.ident().map(Some) } else { Ok(None) }
    }

    fn binary(&mut self, min: u8) -> Result<Expr> {
        self.enter(EXPR)?;
        let outer = std::mem::take(&mut self.tallest);
        let outer_betweens = std::mem::take(&mut self.betweens);
        let from = self.mark();
        let mut lhs = self.operand()?;
        let mut height = self.tallest + 1;
        while let Some(op) = self.peek_operator() {
            if op.precedence < min {
                break;
            }
            self.tallest = 0;
            lhs = self.infix(lhs, op, from)?;
            height = height.max(self.tallest) + 1;
            if height > self.max_depth / EXPR {
                return Err(self.too_deep("an expression has too many operators in a row"));
            }
        }
        self.tallest = outer.max(height);
        self.betweens = outer_betweens.max(self.betweens);
        self.leave(EXPR);
        Ok(lhs)
    }

    /// The operator at the current token. Does not move.
    #[inline]
    fn peek_operator(&mut self) -> Option<Op> {
        use What::*;
        let (precedence, what) = match self.kind() {
            TokenKind::Word => return self.peek_word_operator(),
            TokenKind::Arrow => (1, Lambda),
            TokenKind::Question => (2, Ternary),
            TokenKind::Equals => (9, Compare("equals")),
            TokenKind::NotEquals => (9, Compare("notEquals")),
            TokenKind::Less => (9, Compare("less")),
            TokenKind::Greater => (9, Compare("greater")),
            TokenKind::LessOrEquals => (9, Compare("lessOrEquals")),
            TokenKind::GreaterOrEquals => (9, Compare("greaterOrEquals")),
            TokenKind::Spaceship => (9, Binary("isNotDistinctFrom")),
            TokenKind::Concat => (10, Chain("concat")),
            TokenKind::Plus => (11, Binary("plus")),
            TokenKind::Minus => (11, Binary("minus")),
            TokenKind::Star => (12, Binary("multiply")),
            TokenKind::Slash => (12, Binary("divide")),
            TokenKind::Percent => (12, Binary("modulo")),
            TokenKind::Dot => (POSTFIX, Dot),
            TokenKind::LBracket => (POSTFIX, Index),
            TokenKind::DoubleColon => (POSTFIX, Cast),
            _ => return None,
        };
        Some(Op { precedence, tokens: 1, what })
    }

    fn peek_word_operator(&mut self) -> Option<Op> {
        use What::*;
        let (precedence, tokens, what) = match self.kw() {
            Kw::AND => (4, 1, Chain("and")),
            Kw::OR => (3, 1, Chain("or")),
            Kw::LIKE => (9, 1, Binary("like")),
            Kw::ILIKE => (9, 1, Binary("ilike")),
            Kw::REGEXP => (9, 1, Binary("match")),
            Kw::IN if self.stop_before_partition && self.ahead(1).kw == Kw::PARTITION => {
                return None;
            }
            Kw::IN => (9, 1, Binary("in")),
            Kw::DIV => (12, 1, Binary("intDiv")),
            Kw::MOD => (12, 1, Binary("modulo")),
            Kw::BETWEEN => (7, 1, Between(false)),
            Kw::IS => (6, 1, Is),
            Kw::NOT => match self.ahead(1).kw {
                Kw::LIKE => (9, 2, Binary("notLike")),
                Kw::ILIKE => (9, 2, Binary("notILike")),
                Kw::IN => (9, 2, Binary("notIn")),
                Kw::BETWEEN => (7, 2, Between(true)),
                _ => return None,
            },
            Kw::GLOBAL => match self.ahead(1).kw {
                Kw::IN => (9, 2, Binary("globalIn")),
                Kw::NOT if self.ahead(2).kw == Kw::IN => (9, 3, Binary("globalNotIn")),
                _ => return None,
            },
            _ => return None,
        };
        Some(Op { precedence, tokens, what })
    }

    fn infix(&mut self, lhs: Expr, op: Op, from: usize) -> Result<Expr> {
        for _ in 0..op.tokens {
            self.bump();
        }
        match op.what {
            What::Compare(name) => {
                if matches!(self.kw(), Kw::ANY | Kw::ALL | Kw::SOME)
                    && self.ahead(1).kind == TokenKind::LParen
                    && self.starts_query(2)
                {
                    return self.quantified(name, lhs, from);
                }
                let rhs = self.binary(op.precedence + 1)?;
                Ok(operator(name, vec![lhs, rhs], self.span(from)))
            }
            What::Binary(name) => {
                let rhs = self.binary(op.precedence + 1)?;
                let infix = !matches!(name, "intDiv" | "match");
                let mut expr = operator(name, vec![lhs, rhs], self.span(from));
                if let ExprKind::Function(function) = &mut expr.kind {
                    function.from_operator = infix;
                }
                Ok(expr)
            }
            What::Chain(name) => self.chain(name, lhs, op, from),
            What::Is => self.is(lhs, from),
            What::Between(not) => self.between(not, lhs, from),
            What::Ternary => {
                let then = self.binary(0)?;
                self.expect(TokenKind::Colon, "`:` of the ternary operator")?;
                let other = self.binary(2)?;
                Ok(call("if", vec![lhs, then, other], self.span(from)))
            }
            What::Lambda => self.lambda(lhs, from),
            What::Index => {
                let index = self.binary(0)?;
                self.expect(TokenKind::RBracket, "`]`")?;
                Ok(operator("arrayElement", vec![lhs, index], self.span(from)))
            }
            What::Dot => self.tuple_element(lhs, from),
            What::Cast => self.cast_operator(lhs, from),
        }
    }

    fn chain(&mut self, name: &'static str, lhs: Expr, op: Op, from: usize) -> Result<Expr> {
        let mut args = vec![lhs, self.binary(op.precedence + 1)?];
        let (kind, kw) = match name {
            "and" => (TokenKind::Word, Kw::AND),
            "or" => (TokenKind::Word, Kw::OR),
            _ => (TokenKind::Concat, Kw::NONE),
        };
        while self.kind() == kind && self.kw() == kw {
            self.bump();
            args.push(self.binary(op.precedence + 1)?);
        }
        let position = self.span(from);
        Ok(if name == "concat" {
            call(name, args, position)
        } else {
            operator(name, args, position)
        })
    }

    /// After IS.
    fn is(&mut self, lhs: Expr, from: usize) -> Result<Expr> {
        let not = self.eat_kw(Kw::NOT);
        if self.eat_kw(Kw::NULL) || self.token_is("UNKNOWN") {
            let name = if not { "isNotNull" } else { "isNull" };
            return Ok(operator(name, vec![lhs], self.span(from)));
        }
        let name = if not { "isDistinctFrom" } else { "isNotDistinctFrom" };
        for (kw, value) in [(Kw::TRUE, true), (Kw::FALSE, false)] {
            let position = self.here();
            if self.eat_kw(kw) {
                let value = Expr::new(ExprKind::Literal(Literal::Bool(value)), position);
                return Ok(operator(name, vec![lhs, value], self.span(from)));
            }
        }
        if !self.eat_kws(&[Kw::DISTINCT, Kw::FROM]) {
            return Err(self.unexpected("NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM"));
        }
        let name = if not { "isNotDistinctFrom" } else { "isDistinctFrom" };
        let rhs = self.binary(7)?;
        Ok(operator(name, vec![lhs, rhs], self.span(from)))
    }

    /// Takes a word that is not worth a keyword.
    pub(super) fn token_is(&mut self, word: &str) -> bool {
        let token = self.token();
        let found = token.kind == TokenKind::Word
            && self.bytes(token).eq_ignore_ascii_case(word.as_bytes());
        if found {
            self.bump();
        }
        found
    }

    fn between(&mut self, not: bool, lhs: Expr, from: usize) -> Result<Expr> {
        let nested = self.betweens + 1;
        let low = self.binary(8)?;
        self.expect_kw(Kw::AND)?;
        let high = self.binary(8)?;
        let at = self.span(from);
        self.betweens = self.betweens.max(nested);
        if nested > MAX_BETWEENS {
            return Err(self.too_deep("too many BETWEENs on the left of one another"));
        }
        let again = lhs.clone();
        let (both, below, above) = if not {
            ("or", "less", "greater")
        } else {
            ("and", "greaterOrEquals", "lessOrEquals")
        };
        let left = operator(below, vec![lhs, low], at);
        let right = operator(above, vec![again, high], at);
        self.tallest += 1;
        Ok(operator(both, vec![left, right], at))
    }

    fn lambda(&mut self, lhs: Expr, from: usize) -> Result<Expr> {
        let params = match lhs.kind {
            ExprKind::Identifier(parts) if parts.len() == 1 => Some(parts),
            ExprKind::Function(f) if f.name == "tuple" => f
                .args
                .into_iter()
                .map(|arg| match arg.kind {
                    ExprKind::Identifier(mut parts) if parts.len() == 1 => parts.pop(),
                    _ => None,
                })
                .collect(),
            _ => None,
        };
        let Some(params) = params else {
            return Err(self.unexpected("names on the left of `->`"));
        };
        let body = self.binary(1)?;
        Ok(Expr::new(ExprKind::Lambda(Box::new(Lambda { params, body })), self.span(from)))
    }

    fn tuple_element(&mut self, lhs: Expr, from: usize) -> Result<Expr> {
        let token = self.token();
        let position = self.here();
        if token.kind == TokenKind::Number {
            let index = self.unsigned("number of a tuple's element")?;
            let index = Expr::new(ExprKind::Literal(Literal::UInt(index)), position);
            return Ok(operator("tupleElement", vec![lhs, index], self.span(from)));
        }
        let name = self.ident()?;
        let name = Literal::String(name.name.into_bytes());
        let name = Expr::new(ExprKind::Literal(name), position);
        Ok(call("tupleElement", vec![lhs, name], self.span(from)))
    }

    /// `x::T`. A number, array or tuple becomes its text, so that no digit is lost.
    fn cast_operator(&mut self, mut lhs: Expr, from: usize) -> Result<Expr> {
        if let ExprKind::Literal(value) = &lhs.kind
            && !matches!(value, Literal::String(_) | Literal::Null | Literal::Bool(_))
        {
            let start = self.tokens[from].start;
            let end = self.tokens[self.mark() - 2].end; // before `::`
            let text = self.slice(start, end).to_vec();
            lhs.kind = ExprKind::Literal(Literal::String(text));
        }
        let target = self.type_literal()?;
        Ok(call("CAST", vec![lhs, target], self.span(from)))
    }

    /// A type, as the string literal that CAST takes.
    pub(super) fn type_literal(&mut self) -> Result<Expr> {
        let data_type = self.type_name()?;
        let position = data_type.position;
        let text = crate::format::format_type(&data_type).into_bytes();
        Ok(Expr::new(ExprKind::Literal(Literal::String(text)), position))
    }

    fn operand(&mut self) -> Result<Expr> {
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
                self.asterisk(from)
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

    fn number(&mut self, negative: bool) -> Result<Expr> {
        let from = self.mark() - usize::from(negative);
        let token = self.token();
        let Some(value) = literal::number(self.bytes(token), negative) else {
            return Err(self.unexpected("number"));
        };
        self.bump();
        Ok(self.literal(value, from))
    }

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
            return Ok(self.literal(Literal::Float(-value), from));
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
            // `(x) -> ...`: keep what the lambda wants.
            return Ok(operator("tuple", vec![item], self.span(from)));
        }
        Ok(item)
    }

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

    /// `@@name`: what MySQL's clients ask for.
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

    /// A word at the place of an operand: special form, literal, call or name.
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
                        let transformers = self.transformers()?;
                        let kind = QualifiedAsterisk { qualifier: parts, transformers };
                        let kind = ExprKind::QualifiedAsterisk(Box::new(kind));
                        return Ok(Expr::new(kind, self.span(from)));
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

    /// After `*`.
    fn asterisk(&mut self, from: usize) -> Result<Expr> {
        if self.kw() == Kw::ILIKE {
            self.bump();
            let pattern = self.string("pattern")?;
            let matcher = ColumnsMatcher::Regexp(like_to_regexp(&pattern));
            let transformers = self.transformers()?;
            let kind = Columns { qualifier: Vec::new(), matcher, transformers };
            return Ok(Expr::new(ExprKind::Columns(Box::new(kind)), self.span(from)));
        }
        let transformers = self.transformers()?;
        Ok(Expr::new(ExprKind::Asterisk(transformers), self.span(from)))
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

    fn transformers(&mut self) -> Result<Vec<Transformer>> {
        let mut found = Vec::new();
        loop {
            match self.kw() {
                // `SELECT * EXCEPT SELECT 1` is a set operation.
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

fn is_plain_literal(expr: &Expr) -> bool {
    expr.alias.is_none() && matches!(expr.kind, ExprKind::Literal(_))
}

fn into_literal(expr: Expr) -> Option<Literal> {
    match expr.kind {
        ExprKind::Literal(value) => Some(value),
        _ => None,
    }
}

/// The pattern of `* ILIKE` as a regular expression.
fn like_to_regexp(pattern: &str) -> String {
    let mut out = String::from("(?i)^");
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
