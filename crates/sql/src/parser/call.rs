//! Calls of functions: parameters, arguments, DISTINCT, FILTER, NULLS, OVER.

use entasis_base::Result;

use super::Parser;
use crate::ast::{
    Expr, ExprKind, FrameBound, FrameUnit, Function, Ident, Lambda, NullTreatment, Over,
    WindowFrame, WindowSpec,
};
use crate::keyword::Kw;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// `f(...)`, `f(...)(...)` and what may follow.
    #[inline(never)]
    pub(super) fn function_call(&mut self) -> Result<Expr> {
        let from = self.mark();
        let exists = self.kw() == Kw::EXISTS;
        let name = self.ident()?.name;
        let mut function = self.call_tail(name)?;
        if exists && matches!(function.args[..], [Expr { kind: ExprKind::Subquery(_), .. }]) {
            function.name = "exists".to_string();
        }
        if function.name.eq_ignore_ascii_case("lambda")
            && let Some(lambda) = written_lambda(&function)
        {
            return Ok(Expr::new(ExprKind::Lambda(Box::new(lambda)), self.span(from)));
        }
        self.aggregate_suffixes(&mut function)?;
        Ok(Expr::new(ExprKind::Function(Box::new(function)), self.span(from)))
    }

    /// At the `(` of a call: arguments, or parameters and arguments.
    pub(super) fn call_tail(&mut self, name: String) -> Result<Function> {
        self.expect(TokenKind::LParen, "`(`")?;
        let mut function = Function::new(name, Vec::new());
        let mut distinct = self.call_arguments(&mut function)?;
        if self.eat(TokenKind::LParen) {
            function.parameters = Some(std::mem::take(&mut function.args));
            distinct |= self.call_arguments(&mut function)?;
        }
        if distinct {
            function.name.push_str("Distinct");
        }
        Ok(function)
    }

    /// The table function in `viewIfPermitted(SELECT ... ELSE null('a UInt8'))`.
    fn else_function(&mut self, function: &mut Function) -> Result<()> {
        let from = self.mark();
        let name = self.ident()?.name;
        let other = ExprKind::Function(Box::new(self.call_tail(name)?));
        function.args.push(Expr::new(other, self.span(from)));
        Ok(())
    }

    fn call_arguments(&mut self, function: &mut Function) -> Result<bool> {
        if self.eat(TokenKind::RParen) {
            return Ok(false);
        }
        if self.starts_query(0) {
            let from = self.mark();
            let query = self.query()?;
            function.args.push(Self::subquery(query, self.span(from)));
            if function.name == "viewIfPermitted" && self.eat_kw(Kw::ELSE) {
                self.else_function(function)?;
            }
            self.expect(TokenKind::RParen, "`)`")?;
            return Ok(false);
        }
        let follows = self.ahead(1).kind;
        let modifier = !matches!(
            follows,
            TokenKind::Comma | TokenKind::RParen | TokenKind::Dot | TokenKind::LParen
        );
        let distinct = (modifier || follows == TokenKind::LParen) && self.eat_kw(Kw::DISTINCT);
        if !distinct && modifier {
            self.eat_kw(Kw::ALL);
        }
        loop {
            if self.kw() == Kw::SETTINGS && self.ahead(2).kind == TokenKind::Equals {
                self.bump();
                function.settings = self.settings_list()?;
                break;
            }
            let arg = self.expr_alias()?;
            function.args.push(arg);
            join_lambda_names(&mut function.args);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RParen, "`,`, `)` or operator")?;
        Ok(distinct)
    }

    #[inline(never)]
    fn aggregate_suffixes(&mut self, function: &mut Function) -> Result<()> {
        loop {
            match self.kw() {
                Kw::FILTER if self.ahead(1).kind == TokenKind::LParen => {
                    self.bump();
                    self.bump();
                    self.expect_kw(Kw::WHERE)?;
                    let condition = self.expr()?;
                    self.expect(TokenKind::RParen, "`)`")?;
                    if let [Expr { kind: ExprKind::Asterisk(_), .. }] = function.args[..] {
                        function.args.clear(); // count(*) FILTER (...)
                    }
                    function.name.push_str("If");
                    function.args.push(condition);
                }
                Kw::IGNORE if self.ahead(1).kw == Kw::NULLS => {
                    self.eat_kws(&[Kw::IGNORE, Kw::NULLS]);
                    function.nulls = NullTreatment::Ignore;
                }
                Kw::RESPECT if self.ahead(1).kw == Kw::NULLS => {
                    self.eat_kws(&[Kw::RESPECT, Kw::NULLS]);
                    function.nulls = NullTreatment::Respect;
                }
                Kw::OVER => {
                    let next = self.ahead(1).kind;
                    if next == TokenKind::LParen {
                        self.bump();
                        function.over = Some(Over::Spec(Box::new(self.window_spec()?)));
                    } else if matches!(next, TokenKind::Word | TokenKind::QuotedName) {
                        self.bump();
                        function.over = Some(Over::Named(self.ident()?));
                    }
                    return Ok(());
                }
                _ => return Ok(()),
            }
        }
    }

    /// `(parent PARTITION BY ... ORDER BY ... frame)`.
    #[inline(never)]
    pub(super) fn window_spec(&mut self) -> Result<WindowSpec> {
        self.expect(TokenKind::LParen, "`(`")?;
        let mut spec = WindowSpec::default();
        let named = match self.kw() {
            Kw::PARTITION | Kw::ORDER => self.ahead(1).kw != Kw::BY,
            Kw::ROWS | Kw::RANGE | Kw::GROUPS => false,
            _ => matches!(self.kind(), TokenKind::Word | TokenKind::QuotedName),
        };
        if named {
            spec.parent = Some(self.ident()?);
        }
        if self.eat_kws(&[Kw::PARTITION, Kw::BY]) {
            spec.partition_by = self.list(Self::expr_alias)?;
        }
        if self.eat_kws(&[Kw::ORDER, Kw::BY]) {
            spec.order_by = self.list(Self::order_by_item)?;
        }
        let unit = match self.kw() {
            Kw::ROWS => Some(FrameUnit::Rows),
            Kw::RANGE => Some(FrameUnit::Range),
            Kw::GROUPS => Some(FrameUnit::Groups),
            _ => None,
        };
        if let Some(unit) = unit {
            self.bump();
            let (start, end) = if self.eat_kw(Kw::BETWEEN) {
                let start = self.frame_bound()?;
                self.expect_kw(Kw::AND)?;
                (start, self.frame_bound()?)
            } else {
                (self.frame_bound()?, FrameBound::CurrentRow)
            };
            spec.frame = Some(WindowFrame { unit, start, end });
        }
        self.expect(TokenKind::RParen, "`)`, PARTITION BY, ORDER BY, ROWS or RANGE")?;
        Ok(spec)
    }

    fn frame_bound(&mut self) -> Result<FrameBound> {
        if self.eat_kws(&[Kw::CURRENT, Kw::ROW]) {
            return Ok(FrameBound::CurrentRow);
        }
        let value = if self.eat_kw(Kw::UNBOUNDED) { None } else { Some(Box::new(self.expr()?)) };
        match (self.kw(), value) {
            (Kw::PRECEDING, None) => {
                self.bump();
                Ok(FrameBound::UnboundedPreceding)
            }
            (Kw::FOLLOWING, None) => {
                self.bump();
                Ok(FrameBound::UnboundedFollowing)
            }
            (Kw::PRECEDING, Some(value)) => {
                self.bump();
                Ok(FrameBound::Preceding(value))
            }
            (Kw::FOLLOWING, Some(value)) => {
                self.bump();
                Ok(FrameBound::Following(value))
            }
            _ => Err(self.unexpected("PRECEDING or FOLLOWING")),
        }
    }

    /// Name of a function that is written without parentheses.
    pub(super) fn bare_or_call(&mut self) -> Result<Function> {
        let name: Ident = self.ident()?;
        if self.kind() == TokenKind::LParen {
            return self.call_tail(name.name);
        }
        Ok(Function { from_operator: true, ..Function::new(name.name, Vec::new()) })
    }
}

/// `lambda(tuple(x, y), body)`: a lambda written as a call.
fn written_lambda(function: &Function) -> Option<Lambda> {
    let [names, body] = &function.args[..] else { return None };
    let names = names.as_function().filter(|f| f.name.eq_ignore_ascii_case("tuple"))?;
    let name = |arg: &Expr| match arg.as_identifier() {
        Some([name]) => Some(name.clone()),
        _ => None,
    };
    let params = names.args.iter().map(name).collect::<Option<Vec<_>>>()?;
    Some(Lambda { params, body: body.clone(), as_call: true })
}

/// `f(x, y -> body, ...)`: the names before the name at the arrow are parameters of the lambda,
/// too.
fn join_lambda_names(args: &mut Vec<Expr>) {
    if args.len() < 2 || !matches!(args.last().map(|last| &last.kind), Some(ExprKind::Lambda(_))) {
        return;
    }
    let before = &args[..args.len() - 1];
    let plain = |arg: &Expr| arg.alias.is_none() && matches!(arg.as_identifier(), Some([_]));
    if !before.iter().all(plain) {
        return;
    }
    let Some(mut last) = args.pop() else { return };
    if let ExprKind::Lambda(lambda) = &mut last.kind {
        let mut params: Vec<Ident> =
            args.drain(..).filter_map(|arg| Some(arg.as_identifier()?.first()?.clone())).collect();
        params.append(&mut lambda.params);
        lambda.params = params;
    }
    args.push(last);
}
