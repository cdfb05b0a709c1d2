//! The content of the parentheses of CREATE TABLE: columns, indices, constraints, projections.

use entasis_base::Result;

use super::Parser;
use super::create::tuple_items;
use crate::ast::{
    ColumnDef, ColumnDefault, ConstraintDef, DefaultKind, Expr, ExprKind, Function, Ident,
    IndexDef, OrderBy, OrderByItem, ProjectionDef, Query, Select, TableElements,
};
use crate::keyword::Kw;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// `(columns, indices, ...)`.
    pub(super) fn table_elements(&mut self) -> Result<TableElements> {
        self.expect(TokenKind::LParen, "`(`")?;
        let mut elements = TableElements::default();
        while self.kind() != TokenKind::RParen {
            let named = matches!(self.ahead(1).kind, TokenKind::Word | TokenKind::QuotedName);
            match self.kw() {
                Kw::INDEX if named && self.index_follows() => {
                    self.bump();
                    elements.indices.push(self.index_def()?);
                }
                Kw::CONSTRAINT if named => {
                    self.bump();
                    elements.constraints.push(self.constraint_def()?);
                }
                Kw::PROJECTION
                    if named
                        && (self.ahead(2).kind == TokenKind::LParen
                            || self.ahead(2).kw == Kw::INDEX) =>
                {
                    self.bump();
                    elements.projections.push(self.projection_def()?);
                }
                Kw::PRIMARY if self.ahead(1).kw == Kw::KEY => {
                    self.eat_kws(&[Kw::PRIMARY, Kw::KEY]);
                    elements.primary_key = Some(self.key_columns()?);
                }
                _ => {
                    let column = self.column_def(true)?;
                    if column.data_type.is_none() && column.default.is_none() {
                        return Err(self.unexpected("a type, or DEFAULT"));
                    }
                    elements.columns.push(column);
                }
            }
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RParen, "`,` or `)`")?;
        Ok(elements)
    }

    /// Whether INDEX starts an index and not a column of that name: `INDEX String` is a column.
    pub(super) fn index_follows(&mut self) -> bool {
        !matches!(self.ahead(2).kind, TokenKind::Comma | TokenKind::RParen)
            && !matches!(self.ahead(2).kw, Kw::DEFAULT | Kw::CODEC | Kw::COMMENT | Kw::TTL)
    }

    /// A column. `typed` says whether a type is allowed.
    pub(super) fn column_def(&mut self, typed: bool) -> Result<ColumnDef> {
        let from = self.mark();
        let mut column = ColumnDef { name: self.dotted_ident()?, ..ColumnDef::default() };
        let has_type = matches!(self.kind(), TokenKind::Word | TokenKind::QuotedName)
            && !matches!(
                self.kw(),
                Kw::NULL
                    | Kw::NOT
                    | Kw::DEFAULT
                    | Kw::MATERIALIZED
                    | Kw::ALIAS
                    | Kw::EPHEMERAL
                    | Kw::COMMENT
                    | Kw::CODEC
                    | Kw::TTL
                    | Kw::FIRST
                    | Kw::AFTER
                    | Kw::SETTINGS
                    | Kw::STATISTICS
                    | Kw::PRIMARY
                    | Kw::REMOVE
                    | Kw::MODIFY
                    | Kw::RESET
            );
        if typed && has_type {
            column.data_type = Some(self.type_name()?);
        }
        self.column_properties(&mut column)?;
        column.position = self.span(from);
        Ok(column)
    }

    pub(super) fn column_properties(&mut self, column: &mut ColumnDef) -> Result<()> {
        loop {
            match self.kw() {
                Kw::NULL => {
                    self.bump();
                    column.nullable = Some(true);
                }
                Kw::NOT if self.ahead(1).kw == Kw::NULL => {
                    self.bump();
                    self.bump();
                    column.nullable = Some(false);
                }
                Kw::AUTO_INCREMENT => {
                    self.bump();
                    column.auto_increment = true;
                }
                Kw::COLLATE => {
                    self.bump();
                    column.collate = Some(self.ident()?.name);
                }
                Kw::DEFAULT => self.column_default(column, DefaultKind::Default)?,
                Kw::MATERIALIZED => self.column_default(column, DefaultKind::Materialized)?,
                Kw::ALIAS => self.column_default(column, DefaultKind::Alias)?,
                Kw::EPHEMERAL => self.column_default(column, DefaultKind::Ephemeral)?,
                Kw::COMMENT => {
                    self.bump();
                    column.comment = Some(self.string("comment")?);
                }
                Kw::CODEC => column.codec = Some(self.codec()?),
                Kw::STATISTICS => {
                    self.bump();
                    column.statistics = Some(self.call_list()?);
                }
                Kw::TTL => {
                    self.bump();
                    column.ttl = Some(self.expr()?);
                }
                Kw::PRIMARY if self.ahead(1).kw == Kw::KEY => {
                    self.bump();
                    self.bump();
                    column.primary_key = true;
                }
                Kw::SETTINGS if self.ahead(1).kind == TokenKind::LParen => {
                    self.bump();
                    self.bump();
                    column.settings = self.settings_list()?;
                    self.expect(TokenKind::RParen, "`,` or `)`")?;
                }
                _ => return Ok(()),
            }
        }
    }

    pub(super) fn column_default(
        &mut self,
        column: &mut ColumnDef,
        kind: DefaultKind,
    ) -> Result<()> {
        self.bump();
        let bare = kind == DefaultKind::Ephemeral
            && (matches!(self.kind(), TokenKind::Comma | TokenKind::RParen)
                || self.at_end()
                || matches!(self.kw(), Kw::COMMENT | Kw::CODEC | Kw::TTL | Kw::FIRST | Kw::AFTER));
        if bare && column.data_type.is_none() {
            return Err(self.unexpected("expression"));
        }
        let expr = if bare { None } else { Some(self.expr()?) };
        column.default = Some(ColumnDefault { kind, expr });
        Ok(())
    }

    pub(super) fn codec(&mut self) -> Result<Vec<Function>> {
        self.bump();
        self.call_list()
    }

    /// `(Delta, ZSTD(3))`.
    pub(super) fn call_list(&mut self) -> Result<Vec<Function>> {
        self.expect(TokenKind::LParen, "`(`")?;
        let items = self.list(Self::bare_or_call)?;
        self.expect(TokenKind::RParen, "`,` or `)`")?;
        Ok(items)
    }

    /// After INDEX.
    pub(super) fn index_def(&mut self) -> Result<IndexDef> {
        let name = self.ident()?;
        let expr = self.expr()?;
        self.expect_kw(Kw::TYPE)?;
        let index_type = Some(self.bare_or_call()?);
        let granularity = if self.eat_kw(Kw::GRANULARITY) {
            Some(self.unsigned("number of granules")?)
        } else {
            None
        };
        Ok(IndexDef { name, expr, index_type, granularity })
    }

    /// After CONSTRAINT.
    pub(super) fn constraint_def(&mut self) -> Result<ConstraintDef> {
        let name = self.ident()?;
        let assume = self.eat_kw(Kw::ASSUME);
        if !assume {
            self.expect_kw(Kw::CHECK)?;
        }
        Ok(ConstraintDef { name, assume, expr: self.expr()? })
    }

    /// After PROJECTION.
    pub(super) fn projection_def(&mut self) -> Result<ProjectionDef> {
        let name = self.ident()?;
        let mut index = None;
        let query = if self.eat_kw(Kw::INDEX) {
            let expr = self.expr()?;
            self.expect_kw(Kw::TYPE)?;
            let query = positions_by(&expr);
            index = Some((expr, self.ident()?));
            query
        } else {
            self.expect(TokenKind::LParen, "`(` or INDEX")?;
            let query = self.query()?;
            self.expect(TokenKind::RParen, "`)`")?;
            query
        };
        let mut settings = Vec::new();
        if self.kw() == Kw::WITH && self.ahead(1).kw == Kw::SETTINGS {
            self.bump();
            self.bump();
            self.expect(TokenKind::LParen, "`(`")?;
            settings = self.settings_list()?;
            self.expect(TokenKind::RParen, "`,` or `)`")?;
        }
        Ok(ProjectionDef { name, query: Box::new(query), index, settings })
    }
}

/// The query that `INDEX expr` in a projection stands for.
fn positions_by(expr: &Expr) -> Query {
    let item = |expr| OrderByItem {
        expr,
        descending: false,
        nulls_first: None,
        collate: None,
        fill: None,
    };
    let items = tuple_items(expr.clone()).into_iter().map(item).collect();
    let positions = ExprKind::Identifier(vec![Ident::new("_part_offset")]);
    let select = Select {
        projection: vec![Expr { kind: positions, ..expr.clone() }],
        order_by: OrderBy { items, all: false },
        position: expr.position,
        ..Select::default()
    };
    Query::Select(Box::new(select))
}
