//! Expressions, parsed by precedence climbing over the dialect's operators.
//!
//! The precedences of the reference (a higher one binds tighter): lambda 1, `?:` 2, OR 3, AND 4,
//! NOT 5, IS 6, BETWEEN 7, comparisons, LIKE and IN 9, `||` 10, `+ -` 11, `* / % DIV MOD` 12, unary
//! minus 13, `. [] ::` 14.

use entasis_base::{Error, Position, Result, codes};

use super::{EXPR, MAX_BETWEENS, Parser};
use crate::ast::{Expr, ExprKind, Function, Ident, Lambda, Literal};
use crate::keyword::Kw;
use crate::lexer::TokenKind;

/// An operator after an operand, and the number of its tokens.
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
    /// Like Binary, but `x = ANY (SELECT ...)` is also possible.
    Compare(&'static str),
    /// Like Binary, but a chain of operators becomes one call.
    Chain(&'static str),
    Is,
    Between(bool),
    Ternary,
    Lambda,
    Index,
    Dot,
    Cast,
}

const POSTFIX: u8 = 14;

/// Words that cannot be an alias without AS.
pub(super) fn is_reserved_alias(kw: Kw) -> bool {
    use Kw::{
        ALL, AND, ANTI, ANY, ARRAY, AS, ASOF, BETWEEN, CROSS, DIV, ELSE, END, EXCEPT, FETCH, FINAL,
        FORMAT, FROM, FULL, GLOBAL, GROUP, HAVING, ILIKE, IN, INNER, INTERPOLATE, INTERSECT, INTO,
        IS, JOIN, LEFT, LIKE, LIMIT, MOD, NATURAL, NOT, OFFSET, ON, ONLY, OR, ORDER, PASTE,
        PREWHERE, QUALIFY, REGEXP, RIGHT, SAMPLE, SELECT, SEMI, SETTINGS, STREAM, THEN, UNION,
        USING, UUID, WHEN, WHERE, WINDOW, WITH,
    };
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

fn is_asterisk(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Asterisk(_) | ExprKind::QualifiedAsterisk(_))
}

impl Parser<'_> {
    /// An expression without an alias.
    pub(crate) fn expr(&mut self) -> Result<Expr> {
        self.binary(0)
    }

    /// An expression, possibly `AS name`.
    pub(crate) fn expr_alias(&mut self) -> Result<Expr> {
        let mut expr = self.binary(0)?;
        if self.kw() == Kw::AS {
            if is_asterisk(&expr) {
                return Err(self.unexpected("no alias of an asterisk"));
            }
            self.bump();
            expr.alias = Some(self.ident()?);
        }
        Ok(expr)
    }

    /// An expression, possibly `AS name` or `name`.
    pub(crate) fn expr_implicit_alias(&mut self) -> Result<Expr> {
        let mut expr = self.expr_alias()?;
        if expr.alias.is_none() && !is_asterisk(&expr) {
            expr.alias = self.implicit_alias()?;
        }
        Ok(expr)
    }

    pub(super) fn implicit_alias(&mut self) -> Result<Option<Ident>> {
        let alias = match self.kind() {
            TokenKind::QuotedName => true,
            // The COMMENT of a view stands behind its query.
            TokenKind::Word if self.kw() == Kw::COMMENT => self.ahead(1).kind != TokenKind::String,
            TokenKind::Word => !is_reserved_alias(self.kw()),
            _ => false,
        };
        if alias { self.ident().map(Some) } else { Ok(None) }
    }

    pub(super) fn binary(&mut self, min: u8) -> Result<Expr> {
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

    /// The operator at the current token; takes no token.
    #[inline]
    fn peek_operator(&mut self) -> Option<Op> {
        use What::{Binary, Cast, Chain, Compare, Dot, Index, Lambda, Ternary};
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
        use What::{Between, Binary, Chain, Is};
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
                let mut rhs = self.binary(op.precedence + 1)?;
                if matches!(name, "like" | "notLike" | "ilike" | "notILike") {
                    self.like_escape(&mut rhs)?;
                }
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
            // As in the reference, `(expr).*` means `*`, and the expression is not looked at.
            What::Dot if self.eat(TokenKind::Star) => self.asterisk(Vec::new(), from),
            What::Dot if self.kw() == Kw::COLUMNS && self.ahead(1).kind == TokenKind::LParen => {
                self.columns(Vec::new(), from)
            }
            What::Dot => self.tuple_element(lhs, from),
            What::Cast => self.cast_operator(lhs, from),
        }
    }

    /// `ESCAPE 'c'` after a pattern: rewrites the pattern with a backslash in place of `c`.
    #[inline(never)]
    fn like_escape(&mut self, pattern: &mut Expr) -> Result<()> {
        let follows = self.ahead(1).kind == TokenKind::String;
        if !follows || !self.token_is("ESCAPE") {
            return Ok(());
        }
        let at = self.here();
        let escape = self.string("escape character")?;
        let [escape] = escape.as_bytes() else {
            let message = format!(
                "The ESCAPE argument of LIKE must be a single ASCII character, got '{escape}'"
            );
            return Err(Error::new(codes::BAD_ARGUMENTS, message).at(at));
        };
        let ExprKind::Literal(Literal::String(text)) = &mut pattern.kind else {
            return Err(Error::not_implemented("ESCAPE with a LIKE pattern that is not a literal")
                .at(pattern.position));
        };
        *text = crate::literal::with_backslashes(text, *escape)
            .map_err(|error| error.at(pattern.position))?;
        Ok(())
    }

    #[inline(never)]
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
    #[inline(never)]
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

    /// Takes a word that is too rare to be in the list of keywords.
    pub(super) fn token_is(&mut self, word: &str) -> bool {
        let token = self.token();
        let found = token.kind == TokenKind::Word
            && self.bytes(token).eq_ignore_ascii_case(word.as_bytes());
        if found {
            self.bump();
        }
        found
    }

    #[inline(never)]
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

    #[inline(never)]
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
        Ok(Expr::new(
            ExprKind::Lambda(Box::new(Lambda { params, body, as_call: false })),
            self.span(from),
        ))
    }

    #[inline(never)]
    fn tuple_element(&mut self, lhs: Expr, from: usize) -> Result<Expr> {
        let token = self.token();
        let position = self.here();
        if token.kind == TokenKind::Number {
            let index = self.unsigned("number of a tuple's element")?;
            let index = Expr::new(ExprKind::Literal(Literal::UInt(index)), position);
            return Ok(operator("tupleElement", vec![lhs, index], self.span(from)));
        }
        if token.kind == TokenKind::Minus && self.ahead(1).kind == TokenKind::Number {
            self.bump();
            let index = self.unsigned("number of a tuple's element")?.min(i64::MAX as u64) as i64;
            let index = Expr::new(ExprKind::Literal(Literal::Int(-index)), position);
            return Ok(operator("tupleElement", vec![lhs, index], self.span(from)));
        }
        let name = self.ident()?;
        let name = Literal::String(name.name.into_bytes());
        let name = Expr::new(ExprKind::Literal(name), position);
        Ok(call("tupleElement", vec![lhs, name], self.span(from)))
    }

    /// `x::T`. A number, array or tuple is kept as text, so that no digit is lost.
    #[inline(never)]
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
}
