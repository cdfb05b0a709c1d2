//! SELECT, set operations and their clauses.

use entasis_base::Result;

use super::operand::follows_name;
use super::{Parser, QUERY};
use crate::ast::{
    Distinct, Expr, ExprKind, Fill, GroupBy, Ident, Interpolate, OrderBy, OrderByItem, Query,
    Select, SetOperation, SetOperator, SetQuantifier, With, WithItem,
};
use crate::keyword::Kw;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// Whether a query starts `n` tokens from here.
    pub(super) fn starts_query(&mut self, n: usize) -> bool {
        let token = self.ahead(n);
        match token.kw {
            Kw::SELECT => {
                let next = self.ahead(n + 1);
                !follows_name(next)
            }
            Kw::FROM => matches!(
                self.ahead(n + 1).kind,
                TokenKind::Word | TokenKind::QuotedName | TokenKind::LParen | TokenKind::LBrace
            ),
            Kw::WITH => matches!(
                self.ahead(n + 1).kind,
                TokenKind::Word
                    | TokenKind::QuotedName
                    | TokenKind::Number
                    | TokenKind::String
                    | TokenKind::LParen
                    | TokenKind::LBracket
                    | TokenKind::Minus
                    | TokenKind::LBrace
            ),
            _ => false,
        }
    }

    pub(super) fn at_set_operator(&mut self) -> bool {
        matches!(self.kw(), Kw::UNION | Kw::INTERSECT | Kw::EXCEPT)
    }

    /// A query with its set operations.
    pub(crate) fn query(&mut self) -> Result<Query> {
        self.enter(QUERY)?;
        let first = self.query_branch()?;
        let query = self.query_after(first)?;
        self.leave(QUERY);
        Ok(query)
    }

    /// The set operations after the first branch.
    pub(super) fn query_after(&mut self, first: Query) -> Result<Query> {
        let mut result = self.intersections(first)?;
        // The last chain that was built here, which may grow. A branch in parentheses may not.
        let mut open = None;
        loop {
            let operator = match self.kw() {
                Kw::UNION => SetOperator::Union,
                Kw::EXCEPT => SetOperator::Except,
                _ => return Ok(result),
            };
            self.bump();
            let quantifier = self.set_quantifier();
            let branch = self.query_branch()?;
            let branch = self.intersections(branch)?;
            result = join_branch(result, operator, quantifier, branch, &mut open);
        }
    }

    fn intersections(&mut self, first: Query) -> Result<Query> {
        let mut result = first;
        let mut open = None;
        while self.eat_kw(Kw::INTERSECT) {
            let quantifier = self.set_quantifier();
            let branch = self.query_branch()?;
            result = join_branch(result, SetOperator::Intersect, quantifier, branch, &mut open);
        }
        Ok(result)
    }

    fn set_quantifier(&mut self) -> SetQuantifier {
        if self.eat_kw(Kw::ALL) {
            SetQuantifier::All
        } else if self.eat_kw(Kw::DISTINCT) {
            SetQuantifier::Distinct
        } else {
            SetQuantifier::Default
        }
    }

    /// A query in parentheses.
    pub(super) fn bracketed_query(&mut self) -> Result<Query> {
        self.expect(TokenKind::LParen, "`(` and a query")?;
        let query = self.query()?;
        self.expect(TokenKind::RParen, "`)`")?;
        Ok(query)
    }

    fn query_branch(&mut self) -> Result<Query> {
        if self.kind() == TokenKind::LParen {
            return self.bracketed_query();
        }
        Ok(Query::Select(Box::new(self.select()?)))
    }

    fn select(&mut self) -> Result<Select> {
        let from = self.mark();
        let mut select = Select::default();
        if self.eat_kw(Kw::WITH) {
            select.with = Some(self.with_items()?);
        }
        let from_first = self.eat_kw(Kw::FROM);
        if from_first {
            select.from = Some(self.tables_clause()?);
        }
        if self.eat_kw(Kw::SELECT) {
            self.projection(&mut select)?;
        } else if from_first {
            let star = ExprKind::Asterisk(Vec::new());
            select.projection = vec![Expr::new(star, self.span(from))];
        } else {
            return Err(self.unexpected("SELECT"));
        }
        if !from_first && self.eat_kw(Kw::FROM) {
            select.from = Some(self.tables_clause()?);
        }
        self.filters_and_groups(&mut select)?;
        self.order_and_limits(&mut select)?;
        if self.kw() == Kw::SETTINGS {
            self.bump();
            select.settings = self.settings_list()?;
        }
        select.position = self.span(from);
        Ok(select)
    }

    pub(super) fn with_items(&mut self) -> Result<With> {
        let mut with = With { recursive: self.eat_kw(Kw::RECURSIVE), items: Vec::new() };
        loop {
            with.items.push(self.with_item()?);
            if !self.eat(TokenKind::Comma) || matches!(self.kw(), Kw::SELECT | Kw::FROM) {
                return Ok(with);
            }
        }
    }

    fn with_item(&mut self) -> Result<WithItem> {
        if matches!(self.kind(), TokenKind::Word | TokenKind::QuotedName) {
            let before = self.mark();
            let name = self.ident()?;
            if let Some((columns, materialized)) = self.cte_head()? {
                let query = Box::new(self.query()?);
                self.expect(TokenKind::RParen, "`)`")?;
                return Ok(WithItem::Cte { name, columns, materialized, query });
            }
            self.rewind(before)?;
        }
        self.expr_alias().map(WithItem::Expr)
    }

    /// After the name: `[(a, b)] AS [MATERIALIZED] (` before a query.
    fn cte_head(&mut self) -> Result<Option<(Vec<Ident>, bool)>> {
        let mut columns = Vec::new();
        if self.kind() == TokenKind::LParen {
            self.bump();
            loop {
                if !matches!(self.kind(), TokenKind::Word | TokenKind::QuotedName) {
                    return Ok(None);
                }
                columns.push(self.ident()?);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
            if !self.eat(TokenKind::RParen) {
                return Ok(None);
            }
        }
        if !self.eat_kw(Kw::AS) {
            return Ok(None);
        }
        let materialized = if self.kw() == Kw::NOT && self.ahead(1).kw == Kw::MATERIALIZED {
            self.bump();
            self.bump();
            false
        } else {
            self.eat_kw(Kw::MATERIALIZED)
        };
        let nested = self.ahead(1).kind == TokenKind::LParen;
        if self.kind() == TokenKind::LParen && (nested || self.starts_query(1)) {
            self.bump();
            return Ok(Some((columns, materialized)));
        }
        Ok(None)
    }

    fn projection(&mut self, select: &mut Select) -> Result<()> {
        if self.kw() == Kw::DISTINCT {
            self.bump();
            select.distinct = Some(Distinct::All);
            if self.kw() == Kw::ON && self.ahead(1).kind == TokenKind::LParen {
                self.bump();
                self.bump();
                select.distinct = Some(Distinct::On(self.arguments()?));
            }
        } else {
            self.eat_kw(Kw::ALL);
        }
        self.top(select)?;
        loop {
            select.projection.push(self.expr_implicit_alias()?);
            if !self.eat(TokenKind::Comma) {
                return Ok(());
            }
            // A comma may follow the last item.
            let token = self.ahead(1);
            let next = token.kind;
            let is_name = follows_name(token) || next == TokenKind::Dot;
            let clause = match self.kw() {
                Kw::FROM | Kw::WHERE => !is_name,
                // `Settings` is a column of the query log.
                Kw::SETTINGS => !is_name && self.ahead(2).kind == TokenKind::Equals,
                // `format(` is a function.
                Kw::FORMAT => !is_name && next != TokenKind::LParen,
                Kw::GROUP | Kw::ORDER => self.ahead(1).kw == Kw::BY,
                _ => false,
            };
            if clause || self.at_end() || self.kind() == TokenKind::RParen {
                return Ok(());
            }
        }
    }

    fn filters_and_groups(&mut self, select: &mut Select) -> Result<()> {
        if self.eat_kw(Kw::PREWHERE) {
            select.prewhere = Some(self.expr_alias()?);
        }
        if self.eat_kw(Kw::WHERE) {
            select.where_clause = Some(self.expr_alias()?);
        }
        if self.eat_kws(&[Kw::GROUP, Kw::BY]) {
            select.group_by = Some(self.group_by()?);
        }
        self.group_modifiers(select)?;
        if self.eat_kw(Kw::HAVING) {
            select.having = Some(self.expr_alias()?);
        }
        if self.eat_kw(Kw::WINDOW) {
            select.windows = self.list(|p| {
                let name = p.ident()?;
                p.expect_kw(Kw::AS)?;
                Ok((name, p.window_spec()?))
            })?;
        }
        if self.eat_kw(Kw::QUALIFY) {
            select.qualify = Some(self.expr_alias()?);
        }
        Ok(())
    }

    fn group_by(&mut self) -> Result<GroupBy> {
        let open = self.ahead(1).kind == TokenKind::LParen;
        match self.kw() {
            Kw::ALL => {
                self.bump();
                return Ok(GroupBy::All);
            }
            Kw::ROLLUP if open => {
                self.bump();
                self.bump();
                return self.arguments().map(GroupBy::Rollup);
            }
            Kw::CUBE if open => {
                self.bump();
                self.bump();
                return self.arguments().map(GroupBy::Cube);
            }
            Kw::GROUPING if self.ahead(1).kw == Kw::SETS => {
                self.eat_kws(&[Kw::GROUPING, Kw::SETS]);
                self.expect(TokenKind::LParen, "`(`")?;
                let sets = self.list(Self::grouping_set)?;
                self.expect(TokenKind::RParen, "`,` or `)`")?;
                return Ok(GroupBy::GroupingSets(sets));
            }
            _ => {}
        }
        self.list(Self::expr_alias).map(GroupBy::Exprs)
    }

    fn grouping_set(&mut self) -> Result<Vec<Expr>> {
        if self.eat(TokenKind::LParen) { self.arguments() } else { Ok(vec![self.expr_alias()?]) }
    }

    fn group_modifiers(&mut self, select: &mut Select) -> Result<()> {
        while self.kw() == Kw::WITH {
            let modifier = self.ahead(1).kw;
            match (modifier, select.group_by.take()) {
                (Kw::TOTALS, group_by) => {
                    select.with_totals = true;
                    select.group_by = group_by;
                }
                (Kw::ROLLUP, Some(GroupBy::Exprs(keys))) => {
                    select.group_by = Some(GroupBy::Rollup(keys));
                }
                (Kw::CUBE, Some(GroupBy::Exprs(keys))) => {
                    select.group_by = Some(GroupBy::Cube(keys));
                }
                _ => {
                    self.bump();
                    return Err(self.unexpected("ROLLUP, CUBE or TOTALS"));
                }
            }
            self.bump();
            self.bump();
        }
        Ok(())
    }

    fn order_and_limits(&mut self, select: &mut Select) -> Result<()> {
        if self.eat_kws(&[Kw::ORDER, Kw::BY]) {
            self.order_by(select)?;
        }
        self.limits(select)?;
        if self.kw() == Kw::OFFSET && select.offset.is_none() {
            self.bump();
            select.offset = Some(self.expr()?);
            let _ = self.eat_kw(Kw::ROWS) || self.eat_kw(Kw::ROW);
        }
        if self.kw() == Kw::FETCH {
            self.fetch(select)?;
        }
        Ok(())
    }

    fn order_by(&mut self, select: &mut Select) -> Result<()> {
        let next = self.ahead(1);
        let all = self.kw() == Kw::ALL
            && !matches!(next.kind, TokenKind::Comma | TokenKind::Dot | TokenKind::LParen);
        select.order_by = OrderBy { items: self.list(Self::order_by_item)?, all };
        let fills = select.order_by.items.iter().any(|item| item.fill.is_some());
        if fills && self.eat_kw(Kw::INTERPOLATE) {
            let mut items = Vec::new();
            if self.eat(TokenKind::LParen) {
                while self.kind() != TokenKind::RParen {
                    let column = self.column_name()?;
                    let expr = if self.eat_kw(Kw::AS) { Some(self.expr()?) } else { None };
                    items.push(Interpolate { column, expr });
                    if !self.eat(TokenKind::Comma) {
                        break;
                    }
                }
                self.expect(TokenKind::RParen, "`,` or `)`")?;
            }
            select.interpolate = Some(items);
        }
        Ok(())
    }

    /// A name of a column with its parts: `a.b`.
    fn column_name(&mut self) -> Result<Expr> {
        let from = self.mark();
        let mut parts = vec![self.ident()?];
        while self.eat(TokenKind::Dot) {
            parts.push(self.ident()?);
        }
        Ok(Expr::new(ExprKind::Identifier(parts), self.span(from)))
    }

    pub(super) fn order_by_item(&mut self) -> Result<OrderByItem> {
        let expr = self.expr_alias()?;
        let mut item =
            OrderByItem { expr, descending: false, nulls_first: None, collate: None, fill: None };
        if self.eat_kw(Kw::DESC) || self.eat_kw(Kw::DESCENDING) {
            item.descending = true;
        } else {
            let _ = self.eat_kw(Kw::ASC) || self.eat_kw(Kw::ASCENDING);
        }
        if self.eat_kws(&[Kw::NULLS, Kw::FIRST]) {
            item.nulls_first = Some(true);
        } else if self.eat_kws(&[Kw::NULLS, Kw::LAST]) {
            item.nulls_first = Some(false);
        }
        if self.eat_kw(Kw::COLLATE) {
            item.collate = Some(self.string("name of a collation")?);
        }
        if self.eat_kws(&[Kw::WITH, Kw::FILL]) {
            item.fill = Some(Box::new(self.fill()?));
        }
        Ok(item)
    }

    fn fill(&mut self) -> Result<Fill> {
        let mut fill = Fill::default();
        if self.eat_kw(Kw::FROM) {
            fill.from = Some(self.expr()?);
        }
        if self.eat_kw(Kw::TO) {
            fill.to = Some(self.expr()?);
        }
        if self.eat_kw(Kw::STEP) {
            fill.step = Some(self.expr()?);
        }
        if self.eat_kw(Kw::STALENESS) {
            fill.staleness = Some(self.expr()?);
        }
        Ok(fill)
    }
}

/// `result operator branch`. A chain with the same operator becomes one node.
fn join_branch(
    result: Query,
    operator: SetOperator,
    quantifier: SetQuantifier,
    branch: Query,
    open: &mut Option<(SetOperator, SetQuantifier)>,
) -> Query {
    let same = *open == Some((operator, quantifier));
    *open = Some((operator, quantifier));
    match result {
        Query::SetOperation(mut operation) if same => {
            operation.branches.push(branch);
            Query::SetOperation(operation)
        }
        first => Query::SetOperation(Box::new(SetOperation {
            operator,
            quantifier,
            branches: vec![first, branch],
        })),
    }
}
