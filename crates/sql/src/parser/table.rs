//! FROM: tables, joins, array joins.

use entasis_base::{Position, Result};

use super::{EXPR, Parser};
use crate::ast::{
    Expr, ExprKind, FromClause, FromStep, Function, Ident, Join, JoinConstraint, JoinKind,
    JoinLocality, JoinStrictness, Literal, Ratio, Sample, TableExpr, TableExprKind, TableName,
};
use crate::keyword::Kw;
use crate::lexer::TokenKind;

impl TableExpr {
    /// A table expression without alias and modifiers.
    pub(crate) fn new(kind: TableExprKind, position: Position) -> Self {
        Self {
            kind,
            alias: None,
            column_aliases: Vec::new(),
            is_final: false,
            sample: None,
            position,
        }
    }
}

impl Parser<'_> {
    /// After FROM.
    pub(super) fn tables_clause(&mut self) -> Result<FromClause> {
        let table = self.table_expr()?;
        let mut steps = Vec::new();
        while let Some(step) = self.table_step()? {
            steps.push(step);
            if steps.len() > self.max_depth as usize {
                return Err(self.too_deep("too many joins"));
            }
        }
        Ok(FromClause { table, steps })
    }

    fn table_step(&mut self) -> Result<Option<FromStep>> {
        let from = self.mark();
        if self.kind() == TokenKind::Comma {
            let next = self.ahead(1);
            // In `FROM t, SELECT x` and the like, the comma does not join.
            if matches!(next.kw, Kw::SELECT | Kw::WHERE) {
                return Ok(None);
            }
            self.bump();
            let position = self.span(from);
            let table = self.table_expr()?;
            return Ok(Some(FromStep::Join(Box::new(Join {
                locality: JoinLocality::Unspecified,
                strictness: JoinStrictness::Unspecified,
                kind: JoinKind::Comma,
                table,
                constraint: JoinConstraint::None,
                position,
            }))));
        }
        if self.at_kws(&[Kw::ARRAY, Kw::JOIN]) {
            self.eat_kws(&[Kw::ARRAY, Kw::JOIN]);
            return self.array_join(false).map(Some);
        }
        if self.at_kws(&[Kw::LEFT, Kw::ARRAY, Kw::JOIN]) {
            self.eat_kws(&[Kw::LEFT, Kw::ARRAY, Kw::JOIN]);
            return self.array_join(true).map(Some);
        }
        if self.at_kws(&[Kw::INNER, Kw::ARRAY, Kw::JOIN]) {
            self.eat_kws(&[Kw::INNER, Kw::ARRAY, Kw::JOIN]);
            return self.array_join(false).map(Some);
        }
        self.join()
    }

    fn array_join(&mut self, left: bool) -> Result<FromStep> {
        let exprs: Vec<Expr> = self.list(Self::expr_implicit_alias)?;
        Ok(FromStep::ArrayJoin { left, exprs })
    }

    fn join(&mut self) -> Result<Option<FromStep>> {
        let from = self.mark();
        let mut locality = JoinLocality::Unspecified;
        let mut strictness = JoinStrictness::Unspecified;
        let mut kind = None;
        let mut natural = false;
        loop {
            match self.kw() {
                Kw::JOIN => break,
                _ if kind == Some(JoinKind::Paste) => return Err(self.unexpected("JOIN")),
                Kw::GLOBAL => locality = JoinLocality::Global,
                Kw::LOCAL => locality = JoinLocality::Local,
                Kw::ALL => strictness = JoinStrictness::All,
                Kw::ANY => strictness = JoinStrictness::Any,
                Kw::ASOF => strictness = JoinStrictness::Asof,
                Kw::SEMI => strictness = JoinStrictness::Semi,
                Kw::ANTI => strictness = JoinStrictness::Anti,
                Kw::NATURAL => natural = true,
                Kw::INNER => kind = Some(JoinKind::Inner),
                Kw::LEFT => kind = Some(JoinKind::Left),
                Kw::RIGHT => kind = Some(JoinKind::Right),
                Kw::FULL => kind = Some(JoinKind::Full),
                Kw::CROSS => kind = Some(JoinKind::Cross),
                Kw::PASTE if kind.is_some() || strictness != JoinStrictness::Unspecified => {
                    return Err(self.unexpected("JOIN"));
                }
                Kw::PASTE => kind = Some(JoinKind::Paste),
                Kw::OUTER => {}
                _ if self.mark() > from => return Err(self.unexpected("JOIN")),
                _ => return Ok(None),
            }
            self.bump();
        }
        self.bump();
        let position = self.span(from);
        // SEMI and ANTI joins are LEFT joins unless the text says otherwise.
        let default = match strictness {
            JoinStrictness::Semi | JoinStrictness::Anti => JoinKind::Left,
            _ => JoinKind::Inner,
        };
        let kind = kind.unwrap_or(default);
        let table = self.table_expr()?;
        let constraint = self.join_constraint(natural, kind)?;
        let join = Join { locality, strictness, kind, table, constraint, position };
        Ok(Some(FromStep::Join(Box::new(join))))
    }

    fn join_constraint(&mut self, natural: bool, kind: JoinKind) -> Result<JoinConstraint> {
        if natural {
            return Ok(JoinConstraint::Natural);
        }
        if kind == JoinKind::Paste {
            return Ok(JoinConstraint::None);
        }
        if self.eat_kw(Kw::ON) {
            return self.expr_alias().map(JoinConstraint::On);
        }
        if self.eat_kw(Kw::USING) {
            if self.kind() == TokenKind::LParen {
                self.bump();
                return self.arguments().map(JoinConstraint::Using);
            }
            return self.list(Self::expr_alias).map(JoinConstraint::Using);
        }
        match kind {
            JoinKind::Cross | JoinKind::Comma => Ok(JoinConstraint::None),
            _ => Err(self.unexpected("ON or USING")),
        }
    }

    /// A table with its alias, FINAL and SAMPLE.
    pub(super) fn table_expr(&mut self) -> Result<TableExpr> {
        self.enter(EXPR)?;
        let from = self.mark();
        let kind = self.table_expr_kind()?;
        let mut table = TableExpr::new(kind, self.span(from));
        if self.eat_kw(Kw::AS) {
            table.alias = Some(self.ident()?);
        } else {
            table.alias = self.implicit_alias()?;
        }
        if table.alias.is_some()
            && self.kind() == TokenKind::LParen
            && matches!(self.ahead(1).kind, TokenKind::Word | TokenKind::QuotedName)
        {
            self.bump();
            table.column_aliases = self.list(Self::ident)?;
            self.expect(TokenKind::RParen, "`,` or `)`")?;
        }
        table.is_final = self.eat_kw(Kw::FINAL);
        if self.eat_kw(Kw::SAMPLE) {
            let size = self.ratio()?;
            let offset = if self.eat_kw(Kw::OFFSET) { Some(self.ratio()?) } else { None };
            table.sample = Some(Sample { size, offset });
        }
        self.leave(EXPR);
        Ok(table)
    }

    fn table_expr_kind(&mut self) -> Result<TableExprKind> {
        if self.kind() == TokenKind::LParen {
            if self.starts_query(1) {
                self.bump();
                let query = self.query()?;
                self.expect(TokenKind::RParen, "`)`")?;
                return Ok(TableExprKind::Subquery(Box::new(query)));
            }
            if self.ahead(1).kw == Kw::VALUES && self.ahead(2).kind == TokenKind::LParen {
                return self.standard_values();
            }
            if self.explain_follows() {
                return self.explained();
            }
            self.bump();
            return self.nested_from();
        }
        let call = matches!(self.kind(), TokenKind::Word | TokenKind::QuotedName)
            && self.ahead(1).kind == TokenKind::LParen;
        if call && self.starts_query(2) && self.at_word("LATERAL") {
            self.bump();
            self.bump();
            let query = self.query()?;
            self.expect(TokenKind::RParen, "`)`")?;
            return Ok(TableExprKind::Lateral(Box::new(query)));
        }
        // `database.view(name = value)`.
        let qualified = matches!(self.kind(), TokenKind::Word | TokenKind::QuotedName)
            && self.ahead(1).kind == TokenKind::Dot
            && matches!(self.ahead(2).kind, TokenKind::Word | TokenKind::QuotedName)
            && self.ahead(3).kind == TokenKind::LParen;
        if qualified {
            let database = self.ident()?.name;
            self.bump();
            let name = format!("{database}.{}", self.ident()?.name);
            return Ok(TableExprKind::Function(Box::new(self.call_tail(name)?)));
        }
        if call {
            let name = self.ident()?.name;
            return Ok(TableExprKind::Function(Box::new(self.call_tail(name)?)));
        }
        if matches!(self.kind(), TokenKind::String | TokenKind::Heredoc) {
            // `FROM 'hits.parquet'`: a name like one in backquotes.
            let from = self.mark();
            let name = self.string("name of a table or file")?;
            let table = Ident { position: self.span(from), ..Ident::new(&name) };
            return Ok(TableExprKind::Table(TableName { database: None, table }));
        }
        self.table_name().map(TableExprKind::Table)
    }

    /// `(VALUES (1, 'a'), (2, 'b'))`: rows without a structure.
    fn standard_values(&mut self) -> Result<TableExprKind> {
        self.bump();
        self.bump();
        let rows = self.list(Self::expr)?;
        self.expect(TokenKind::RParen, "`,` or `)`")?;
        let rows = Function::new("SQLStandardValues", rows);
        Ok(TableExprKind::Function(Box::new(rows)))
    }

    /// Whether `(EXPLAIN ...` follows, and not a table that has this name.
    fn explain_follows(&mut self) -> bool {
        self.ahead(1).kw == Kw::EXPLAIN
            && (self.starts_query(2)
                || matches!(
                    self.ahead(2).kw,
                    Kw::AST
                        | Kw::SYNTAX
                        | Kw::PLAN
                        | Kw::PIPELINE
                        | Kw::ESTIMATE
                        | Kw::ANALYZE
                        | Kw::QUERY
                )
                || self.ahead(3).kind == TokenKind::Equals)
    }

    /// `(EXPLAIN ... SELECT ...)`: the lines of its answer, as rows.
    fn explained(&mut self) -> Result<TableExprKind> {
        self.bump();
        let from = self.mark();
        self.bump();
        self.explain()?;
        let text = Literal::String(self.text_from(from).into_bytes());
        let text = Expr::new(ExprKind::Literal(text), self.span(from));
        self.expect(TokenKind::RParen, "`)`")?;
        Ok(TableExprKind::Function(Box::new(Function::new("viewExplain", vec![text]))))
    }

    /// After `(` that no query follows: `((SELECT ...) UNION ...)` or joins in parentheses.
    fn nested_from(&mut self) -> Result<TableExprKind> {
        self.enter(EXPR)?;
        let mut table = self.table_expr()?;
        let bare = table.alias.is_none() && !table.is_final && table.sample.is_none();
        if let TableExprKind::Subquery(first) = table.kind {
            if bare && self.at_set_operator() {
                let query = self.query_after(*first)?;
                self.expect(TokenKind::RParen, "`)`")?;
                self.leave(EXPR);
                return Ok(TableExprKind::Subquery(Box::new(query)));
            }
            if bare && self.kind() == TokenKind::RParen {
                self.bump();
                self.leave(EXPR);
                return Ok(TableExprKind::Subquery(first));
            }
            table.kind = TableExprKind::Subquery(first);
        }
        let mut steps = Vec::new();
        while let Some(step) = self.table_step()? {
            steps.push(step);
        }
        self.expect(TokenKind::RParen, "`)` or JOIN")?;
        self.leave(EXPR);
        Ok(TableExprKind::Nested(Box::new(FromClause { table, steps })))
    }

    fn ratio(&mut self) -> Result<Ratio> {
        let first = self.decimal()?;
        if !self.eat(TokenKind::Slash) {
            return Ok(first);
        }
        let second = self.decimal()?;
        let numerator = first.numerator.checked_mul(second.denominator);
        let denominator = first.denominator.checked_mul(second.numerator);
        match (numerator, denominator) {
            (Some(numerator), Some(denominator)) if denominator > 0 => {
                Ok(Ratio { numerator, denominator })
            }
            _ => Err(self.unexpected("fraction of the table")),
        }
    }

    /// `0.25` as 25/100.
    fn decimal(&mut self) -> Result<Ratio> {
        let token = self.token();
        let text = self.text_of(token).replace('_', "").to_ascii_lowercase();
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let numerator = format!("{whole}{fraction}").parse::<u128>().ok();
        let exponent = exponent.parse::<i32>().ok().map(|e| e - fraction.len() as i32);
        if let (TokenKind::Number, Some(numerator), Some(exponent)) =
            (token.kind, numerator, exponent)
            && exponent.unsigned_abs() <= 18
            && numerator < 1 << 64
        {
            self.bump();
            let scale = 10u128.pow(exponent.unsigned_abs());
            return Ok(if exponent < 0 {
                Ratio { numerator, denominator: scale }
            } else {
                Ratio { numerator: numerator * scale, denominator: 1 }
            });
        }
        Err(self.unexpected("number"))
    }
}
