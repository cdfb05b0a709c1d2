//! Calls, and the forms that look like calls but have a syntax of their own.

use entasis_base::{Position, Result};

use super::Parser;
use super::expr::{call, operator};
use crate::ast::{Expr, ExprKind, FromClause, Literal, Query, Select, TableExpr, TableExprKind};
use crate::keyword::Kw;
use crate::lexer::{Token, TokenKind};

impl Parser<'_> {
    /// Parses the special form that starts with this word, if there is one here.
    #[inline(never)]
    pub(super) fn special_form(&mut self, kw: Kw, next: Token) -> Result<Option<Expr>> {
        let paren = next.kind == TokenKind::LParen;
        let expr = match kw {
            Kw::CASE if starts_case(next) => self.case()?,
            Kw::INTERVAL => return self.interval(next),
            Kw::DATE if next.kind == TokenKind::String => self.typed_string("toDate")?,
            Kw::TIMESTAMP if next.kind == TokenKind::String => self.typed_string("toDateTime")?,
            _ if !paren => return Ok(None),
            Kw::CAST => self.cast()?,
            Kw::COLUMNS => {
                let from = self.mark();
                self.columns(Vec::new(), from)?
            }
            Kw::EXTRACT if self.ahead(3).kw == Kw::FROM => self.extract()?,
            Kw::TRIM => self.trim("trimBoth")?,
            Kw::LTRIM => self.trim("trimLeft")?,
            Kw::RTRIM => self.trim("trimRight")?,
            Kw::SUBSTRING | Kw::SUBSTR | Kw::MID => self.substring(kw)?,
            Kw::POSITION => self.position()?,
            Kw::OVERLAY => self.overlay()?,
            Kw::DATE_ADD | Kw::DATEADD | Kw::TIMESTAMP_ADD | Kw::TIMESTAMPADD => {
                self.date_arithmetic("plus")?
            }
            Kw::DATE_SUB | Kw::DATESUB | Kw::TIMESTAMP_SUB | Kw::TIMESTAMPSUB => {
                self.date_arithmetic("minus")?
            }
            Kw::DATE_DIFF | Kw::DATEDIFF | Kw::TIMESTAMP_DIFF | Kw::TIMESTAMPDIFF => {
                self.date_diff()?
            }
            _ => return Ok(None),
        };
        Ok(Some(expr))
    }

    #[inline(never)]
    fn case(&mut self) -> Result<Expr> {
        let from = self.mark();
        self.bump();
        let mut args = Vec::new();
        let mut name = "multiIf";
        if self.kw() != Kw::WHEN {
            name = "caseWithExpression";
            args.push(self.expr_alias()?);
        }
        while self.eat_kw(Kw::WHEN) {
            args.push(self.expr_alias()?);
            self.expect_kw(Kw::THEN)?;
            args.push(self.expr_alias()?);
        }
        if args.len() < 2 {
            return Err(self.unexpected("WHEN"));
        }
        if self.eat_kw(Kw::ELSE) {
            args.push(self.expr_alias()?);
        } else {
            args.push(Expr::new(ExprKind::Literal(Literal::Null), self.here()));
        }
        self.expect_kw(Kw::END)?;
        Ok(call(name, args, self.span(from)))
    }

    /// `INTERVAL 1 DAY`, `INTERVAL '1 day 2 hours'`; None when `interval` is a name here.
    fn interval(&mut self, next: Token) -> Result<Option<Expr>> {
        let from = self.mark();
        let operand = match next.kind {
            TokenKind::Number
            | TokenKind::String
            | TokenKind::Minus
            | TokenKind::LParen
            | TokenKind::QuotedName
            | TokenKind::LBrace => true,
            TokenKind::Word => !super::expr::is_reserved_alias(next.kw),
            _ => false,
        };
        if !operand {
            return Ok(None);
        }
        self.bump();
        if next.kind == TokenKind::String {
            let unit = self.ahead(1);
            if self.unit_of(unit).is_none() {
                let text = self.string("interval")?;
                return self.interval_text(&text, from).map(Some);
            }
        }
        let depth = self.depth;
        let tallest = self.tallest;
        let parsed = self.expr();
        let token = self.token();
        match (parsed, self.unit_of(token)) {
            (Ok(value), Some(unit)) => {
                self.bump();
                Ok(Some(call(&format!("toInterval{unit}"), vec![value], self.span(from))))
            }
            _ => {
                self.depth = depth;
                self.tallest = tallest;
                self.rewind(from)?;
                Ok(None)
            }
        }
    }

    fn interval_text(&mut self, text: &str, from: usize) -> Result<Expr> {
        let at = self.span(from);
        let mut words = text.split_whitespace();
        let mut parts = Vec::new();
        while let (Some(count), Some(unit)) = (words.next(), words.next()) {
            let value = crate::literal::number(
                count.trim_start_matches('-').as_bytes(),
                count.starts_with('-'),
            );
            let (Some(value), Some(unit)) = (value, unit_name(unit)) else { break };
            let value = Expr::new(ExprKind::Literal(value), at);
            parts.push(call(&format!("toInterval{unit}"), vec![value], at));
        }
        let count = text.split_whitespace().count();
        if parts.is_empty() || parts.len() * 2 != count {
            return Err(self.unexpected("interval's unit: SECOND, MINUTE, HOUR, DAY, ..."));
        }
        Ok(match parts.pop() {
            Some(only) if parts.is_empty() => only,
            last => {
                parts.extend(last);
                operator("tuple", parts, at)
            }
        })
    }

    fn unit_of(&self, token: Token) -> Option<&'static str> {
        if token.kind != TokenKind::Word {
            return None;
        }
        std::str::from_utf8(self.bytes(token)).ok().and_then(unit_name)
    }

    fn typed_string(&mut self, function: &str) -> Result<Expr> {
        let from = self.mark();
        self.bump();
        let position = self.here();
        let text = Literal::String(self.string("string")?.into_bytes());
        let arg = Expr::new(ExprKind::Literal(text), position);
        Ok(call(function, vec![arg], self.span(from)))
    }

    /// `CAST(x AS T)`, `CAST(x AS alias, 'T')`, `CAST(x, 'T')`.
    fn cast(&mut self) -> Result<Expr> {
        let from = self.mark();
        self.bump();
        self.bump();
        let mut value = self.expr()?;
        if self.kw() == Kw::AS {
            let before = self.mark();
            self.bump();
            let depth = self.depth;
            if let Ok(target) = self.type_literal()
                && self.eat(TokenKind::RParen)
            {
                return Ok(call("CAST", vec![value, target], self.span(from)));
            }
            self.depth = depth;
            self.rewind(before)?;
            self.bump();
            value.alias = Some(self.ident()?);
            if self.eat_kw(Kw::AS) {
                let target = self.type_literal()?;
                self.expect(TokenKind::RParen, "`)`")?;
                return Ok(call("CAST", vec![value, target], self.span(from)));
            }
        }
        self.expect(TokenKind::Comma, "`,` or AS")?;
        let mut args = vec![value];
        args.extend(self.arguments()?);
        Ok(call("CAST", args, self.span(from)))
    }

    /// `EXTRACT(unit FROM x)`.
    fn extract(&mut self) -> Result<Expr> {
        let from = self.mark();
        self.bump();
        self.bump();
        let token = self.token();
        let unit = self.text_of(token).to_ascii_uppercase();
        let known = unit_name(&unit).map(str::to_ascii_uppercase).unwrap_or(unit);
        let name = match known.as_str() {
            "SECOND" => "toSecond",
            "MINUTE" => "toMinute",
            "HOUR" => "toHour",
            "DAY" => "toDayOfMonth",
            "WEEK" => "toISOWeek",
            "MONTH" => "toMonth",
            "QUARTER" => "toQuarter",
            "YEAR" => "toYear",
            "MILLISECOND" => "toMillisecond",
            "MICROSECOND" => "toMicrosecond",
            "NANOSECOND" => "toNanosecond",
            "EPOCH" => "toUnixTimestamp",
            "DOY" => "toDayOfYear",
            "DOW" | "ISODOW" => "toDayOfWeek",
            "ISOYEAR" => "toISOYear",
            _ => return Err(self.unexpected("unit of time")),
        };
        self.bump();
        self.expect_kw(Kw::FROM)?;
        let mut args = vec![self.expr()?];
        self.expect(TokenKind::RParen, "`)`")?;
        if known == "DOW" {
            args.push(Expr::new(ExprKind::Literal(Literal::UInt(2)), self.span(from)));
        }
        Ok(call(name, args, self.span(from)))
    }

    /// `TRIM([BOTH|LEADING|TRAILING] [chars] FROM x)`, `trim(x)`.
    fn trim(&mut self, plain: &str) -> Result<Expr> {
        let from = self.mark();
        self.bump();
        self.bump();
        let name = match self.kw() {
            Kw::BOTH => "trimBoth",
            Kw::LEADING => "trimLeft",
            Kw::TRAILING => "trimRight",
            _ => "",
        };
        let next = self.ahead(1).kind;
        if name.is_empty() || matches!(next, TokenKind::RParen | TokenKind::Comma) {
            let args = self.arguments()?;
            return Ok(call(plain, args, self.span(from)));
        }
        self.bump();
        let chars = if self.kw() == Kw::FROM { None } else { Some(self.expr()?) };
        self.expect_kw(Kw::FROM)?;
        let mut args = vec![self.expr()?];
        args.extend(chars);
        self.expect(TokenKind::RParen, "`)`")?;
        Ok(call(name, args, self.span(from)))
    }

    /// `SUBSTRING(x FROM a FOR b)` and the plain call.
    fn substring(&mut self, kw: Kw) -> Result<Expr> {
        let from = self.mark();
        let token = self.bump();
        self.bump();
        let mut args = vec![self.expr_alias()?];
        if self.eat_kw(Kw::FROM) {
            args.push(self.expr()?);
            if self.eat_kw(Kw::FOR) {
                args.push(self.expr()?);
            }
        } else {
            self.expect(TokenKind::Comma, "`,` or FROM")?;
            args.push(self.expr_alias()?);
            while self.eat(TokenKind::Comma) {
                args.push(self.expr_alias()?);
            }
        }
        self.expect(TokenKind::RParen, "`,`, FROM or `)`")?;
        let name = if kw == Kw::SUBSTRING { "substring".into() } else { self.text_of(token) };
        Ok(call(&name, args, self.span(from)))
    }

    /// `POSITION(needle IN haystack)` and the plain call.
    fn position(&mut self) -> Result<Expr> {
        let from = self.mark();
        self.bump();
        self.bump();
        let mut args = self.arguments()?;
        if let [Expr { kind: ExprKind::Function(f), alias: None, .. }] = &mut args[..]
            && f.name == "in"
            && f.from_operator
        {
            let mut parts = std::mem::take(&mut f.args);
            parts.reverse();
            args = parts;
        }
        Ok(call("position", args, self.span(from)))
    }

    /// `OVERLAY(x PLACING y FROM a FOR b)` and the plain call.
    fn overlay(&mut self) -> Result<Expr> {
        let from = self.mark();
        let token = self.bump();
        self.bump();
        let mut args = vec![self.expr_alias()?];
        if self.eat_kw(Kw::PLACING) {
            args.push(self.expr()?);
            self.expect_kw(Kw::FROM)?;
            args.push(self.expr()?);
            if self.eat_kw(Kw::FOR) {
                args.push(self.expr()?);
            }
        } else {
            while self.eat(TokenKind::Comma) {
                args.push(self.expr_alias()?);
            }
        }
        self.expect(TokenKind::RParen, "`,`, PLACING or `)`")?;
        let name = if args.len() > 1 && token.kw == Kw::OVERLAY { "overlay" } else { "OVERLAY" };
        Ok(call(name, args, self.span(from)))
    }

    /// `date_add(DAY, 1, x)`, `date_add(x, INTERVAL 1 DAY)`.
    fn date_arithmetic(&mut self, name: &str) -> Result<Expr> {
        let from = self.mark();
        self.bump();
        self.bump();
        let token = self.token();
        let unit = if self.ahead(1).kind == TokenKind::Comma { self.unit_of(token) } else { None };
        let Some(unit) = unit else {
            let args = self.arguments()?;
            return Ok(call(name, args, self.span(from)));
        };
        self.bump();
        self.bump();
        let count = self.expr()?;
        self.expect(TokenKind::Comma, "`,`")?;
        let date = self.expr()?;
        self.expect(TokenKind::RParen, "`)`")?;
        let at = self.span(from);
        let interval = call(&format!("toInterval{unit}"), vec![count], at);
        Ok(call(name, vec![date, interval], at))
    }

    /// `dateDiff(DAY, a, b)`, `dateDiff('day', a, b)`.
    fn date_diff(&mut self) -> Result<Expr> {
        let from = self.mark();
        self.bump();
        self.bump();
        let token = self.token();
        let position = self.here();
        let mut args = Vec::new();
        if self.ahead(1).kind == TokenKind::Comma
            && let Some(unit) = self.unit_of(token)
        {
            self.bump();
            self.bump();
            let unit = Literal::String(unit.to_ascii_lowercase().into_bytes());
            args.push(Expr::new(ExprKind::Literal(unit), position));
        }
        args.extend(self.arguments()?);
        Ok(call("dateDiff", args, self.span(from)))
    }

    /// `x > ALL (SELECT ...)`: comparisons with all or any rows of a subquery become IN, or
    /// comparisons with the least or greatest value.
    #[inline(never)]
    pub(super) fn quantified(&mut self, name: &str, lhs: Expr, from: usize) -> Result<Expr> {
        let all = self.bump().kw == Kw::ALL;
        let inner = self.mark();
        self.bump();
        let query = self.query()?;
        self.expect(TokenKind::RParen, "`)`")?;
        let at = self.span(inner);
        let (operation, aggregate) = match (name, all) {
            ("equals", false) => ("in", None),
            ("equals", true) => ("in", Some("singleValueOrNull")),
            ("notEquals", true) => ("notIn", None),
            ("notEquals", false) => ("notIn", Some("singleValueOrNull")),
            ("less" | "lessOrEquals", false) | ("greater" | "greaterOrEquals", true) => {
                (name, Some("max"))
            }
            _ => (name, Some("min")),
        };
        let query = match aggregate {
            Some(aggregate) => aggregated(aggregate, query, at),
            None => query,
        };
        Ok(operator(operation, vec![lhs, Self::subquery(query, at)], self.span(from)))
    }
}

/// `SELECT aggregate(*) FROM (query)`.
fn aggregated(aggregate: &str, query: Query, at: Position) -> Query {
    let table = TableExpr::new(TableExprKind::Subquery(Box::new(query)), at);
    Query::Select(Box::new(Select {
        projection: vec![call(aggregate, vec![Expr::new(ExprKind::Asterisk(Vec::new()), at)], at)],
        from: Some(FromClause { table, steps: Vec::new() }),
        position: at,
        ..Select::default()
    }))
}

fn starts_case(next: Token) -> bool {
    match next.kind {
        TokenKind::Word => !matches!(next.kw, Kw::FROM | Kw::AS | Kw::AND | Kw::OR | Kw::IS),
        TokenKind::Number
        | TokenKind::String
        | TokenKind::LParen
        | TokenKind::LBracket
        | TokenKind::QuotedName
        | TokenKind::LBrace => true,
        _ => false,
    }
}

/// `Day` for `DAY`, `days`, `SQL_TSI_DAY`, `dd`, ...
pub(super) fn unit_name(word: &str) -> Option<&'static str> {
    if word.len() > 24 {
        return None;
    }
    let upper = word.to_ascii_uppercase();
    let plain = upper.strip_prefix("SQL_TSI_").unwrap_or(&upper);
    Some(match plain {
        "NANOSECOND" | "NANOSECONDS" | "NS" => "Nanosecond",
        "MICROSECOND" | "MICROSECONDS" | "MCS" => "Microsecond",
        "MILLISECOND" | "MILLISECONDS" | "MS" => "Millisecond",
        "SECOND" | "SECONDS" | "SS" | "S" => "Second",
        "MINUTE" | "MINUTES" | "MI" | "N" => "Minute",
        "HOUR" | "HOURS" | "HH" | "H" => "Hour",
        "DAY" | "DAYS" | "DD" | "D" => "Day",
        "WEEK" | "WEEKS" | "WK" | "WW" => "Week",
        "MONTH" | "MONTHS" | "MM" | "M" => "Month",
        "QUARTER" | "QUARTERS" | "QQ" | "Q" => "Quarter",
        "YEAR" | "YEARS" | "YYYY" | "YY" => "Year",
        _ => return None,
    })
}
