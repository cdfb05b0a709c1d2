//! CREATE and its parts: columns, indices, keys, engines.

use entasis_base::Result;

use super::Parser;
use crate::ast::{
    Attach, ColumnDef, ColumnDefault, ConstraintDef, CreateDatabase, CreateFunction, CreateMode,
    CreateSource, CreateTable, CreateView, DefaultKind, Engine, Expr, ExprKind, Function, Ident,
    IndexDef, KeyItem, Literal, ObjectKind, ProjectionDef, Query, StatementKind, Storage,
    TableElements, TableName, TtlAction, TtlItem,
};
use crate::keyword::Kw;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// After CREATE, ATTACH or REPLACE.
    pub(super) fn create(&mut self, word: Kw, from: usize) -> Result<StatementKind> {
        let mut mode = CreateMode {
            attach: word == Kw::ATTACH,
            replace: word == Kw::REPLACE,
            ..CreateMode::default()
        };
        mode.or_replace = self.eat_kws(&[Kw::OR, Kw::REPLACE]);
        mode.temporary = self.eat_kw(Kw::TEMPORARY);
        match self.kw() {
            Kw::DATABASE => {
                self.bump();
                self.create_database(mode)
            }
            Kw::TABLE => {
                self.bump();
                self.create_table(mode)
            }
            Kw::VIEW => {
                self.bump();
                self.create_view(mode, false)
            }
            Kw::MATERIALIZED if self.ahead(1).kw == Kw::VIEW => {
                self.bump();
                self.bump();
                self.create_view(mode, true)
            }
            Kw::FUNCTION => {
                self.bump();
                self.create_function(mode)
            }
            _ if self.kind() == TokenKind::Word => Ok(self.unsupported(from)),
            _ => Err(self.unexpected("DATABASE, TABLE, VIEW or FUNCTION")),
        }
    }

    pub(super) fn if_not_exists(&mut self) -> bool {
        self.eat_kws(&[Kw::IF, Kw::NOT, Kw::EXISTS])
    }

    pub(super) fn if_exists(&mut self) -> bool {
        self.eat_kws(&[Kw::IF, Kw::EXISTS])
    }

    /// `ON CLUSTER name`.
    pub(super) fn on_cluster(&mut self) -> Result<Option<Ident>> {
        if !self.eat_kws(&[Kw::ON, Kw::CLUSTER]) {
            return Ok(None);
        }
        if self.kind() == TokenKind::String {
            let position = self.here();
            let name = self.string("name of a cluster")?;
            return Ok(Some(Ident { position, ..Ident::new(name) }));
        }
        self.ident().map(Some)
    }

    fn create_database(&mut self, mode: CreateMode) -> Result<StatementKind> {
        let if_not_exists = self.if_not_exists();
        let name = self.ident()?;
        if mode.attach && self.at_end() {
            let name = TableName { database: None, table: name };
            let object = ObjectKind::Database;
            let attach = Attach { object, if_not_exists, name, cluster: None };
            return Ok(StatementKind::Attach(Box::new(attach)));
        }
        let mut database = CreateDatabase { if_not_exists, name, ..CreateDatabase::default() };
        database.cluster = self.on_cluster()?;
        loop {
            match self.kw() {
                Kw::ENGINE => database.engine = Some(self.engine()?),
                Kw::SETTINGS => {
                    self.bump();
                    database.settings = self.settings_list()?;
                }
                Kw::COMMENT => {
                    self.bump();
                    database.comment = Some(self.string("comment")?);
                }
                _ => return Ok(StatementKind::CreateDatabase(Box::new(database))),
            }
        }
    }

    fn create_function(&mut self, mode: CreateMode) -> Result<StatementKind> {
        let if_not_exists = self.if_not_exists();
        let name = self.ident()?;
        let cluster = self.on_cluster()?;
        self.expect_kw(Kw::AS)?;
        let body = self.expr()?;
        let or_replace = mode.or_replace;
        let function = CreateFunction { or_replace, if_not_exists, name, cluster, body };
        Ok(StatementKind::CreateFunction(Box::new(function)))
    }

    fn uuid(&mut self) -> Result<Option<String>> {
        if self.eat_kw(Kw::UUID) { self.string("UUID").map(Some) } else { Ok(None) }
    }

    fn create_table(&mut self, mut mode: CreateMode) -> Result<StatementKind> {
        mode.if_not_exists = self.if_not_exists();
        let name = self.table_name()?;
        let mut table = CreateTable { mode, name, ..CreateTable::default() };
        table.uuid = self.uuid()?;
        table.cluster = self.on_cluster()?;
        if mode.attach && self.at_end() {
            let attach = Attach {
                object: ObjectKind::Table,
                if_not_exists: mode.if_not_exists,
                name: table.name,
                cluster: table.cluster,
            };
            return Ok(StatementKind::Attach(Box::new(attach)));
        }
        if self.kind() == TokenKind::LParen && !self.starts_query(1) {
            table.elements = self.table_elements()?;
        }
        self.storage(&mut table.storage)?;
        table.comment = self.comment()?;
        table.empty = self.eat_kw(Kw::EMPTY);
        if self.eat_kw(Kw::CLONE) {
            self.expect_kw(Kw::AS)?;
            table.source = Some(CreateSource::Clone(self.table_name()?));
        } else if self.eat_kw(Kw::AS) {
            table.source = Some(self.create_source()?);
        } else if self.starts_query(0) {
            table.source = Some(CreateSource::Select(Box::new(self.query()?)));
        }
        self.storage(&mut table.storage)?;
        if table.comment.is_none() {
            table.comment = self.comment()?;
        }
        Ok(StatementKind::CreateTable(Box::new(table)))
    }

    fn create_source(&mut self) -> Result<CreateSource> {
        if self.starts_query(0) || self.kind() == TokenKind::LParen {
            return Ok(CreateSource::Select(Box::new(self.query()?)));
        }
        if self.kind() != TokenKind::LBrace && self.ahead(1).kind == TokenKind::LParen {
            let name = self.ident()?.name;
            return Ok(CreateSource::Function(Box::new(self.call_tail(name)?)));
        }
        self.table_name().map(CreateSource::Table)
    }

    fn comment(&mut self) -> Result<Option<String>> {
        if self.eat_kw(Kw::COMMENT) { self.string("comment").map(Some) } else { Ok(None) }
    }

    fn create_view(&mut self, mut mode: CreateMode, materialized: bool) -> Result<StatementKind> {
        mode.if_not_exists = self.if_not_exists();
        let name = self.table_name()?;
        let uuid = self.uuid()?;
        let cluster = self.on_cluster()?;
        let refresh = self.refresh();
        let mut elements = TableElements::default();
        let mut storage = Storage::default();
        let mut to = None;
        if self.eat_kw(Kw::TO) {
            to = Some(self.table_name()?);
        }
        if self.kind() == TokenKind::LParen && !self.starts_query(1) {
            elements = self.table_elements()?;
        }
        self.storage(&mut storage)?;
        let mut populate = self.eat_kw(Kw::POPULATE);
        let empty = self.eat_kw(Kw::EMPTY);
        populate |= self.eat_kw(Kw::POPULATE);
        let security = self.security();
        let mut comment = self.comment()?;
        self.expect_kw(Kw::AS)?;
        let query: Box<Query> = Box::new(self.query()?);
        if comment.is_none() {
            comment = self.comment()?;
        }
        Ok(StatementKind::CreateView(Box::new(CreateView {
            mode,
            materialized,
            name,
            uuid,
            cluster,
            to,
            elements,
            storage,
            populate,
            empty,
            refresh,
            security,
            query,
            comment,
        })))
    }

    /// `REFRESH ...` as text.
    fn refresh(&mut self) -> Option<String> {
        if self.kw() != Kw::REFRESH {
            return None;
        }
        let from = self.mark();
        while !self.at_end()
            && self.kind() != TokenKind::LParen
            && !matches!(self.kw(), Kw::TO | Kw::ENGINE | Kw::AS | Kw::EMPTY | Kw::DEFINER)
        {
            self.bump();
        }
        Some(self.text_from(from))
    }

    /// `DEFINER = ... SQL SECURITY ...` as text.
    fn security(&mut self) -> Option<String> {
        if !matches!(self.kw(), Kw::DEFINER | Kw::SQL) {
            return None;
        }
        let from = self.mark();
        while !self.at_end() && !matches!(self.kw(), Kw::AS | Kw::COMMENT) {
            self.bump();
        }
        Some(self.text_from(from))
    }

    /// `(columns, indices, ...)`.
    fn table_elements(&mut self) -> Result<TableElements> {
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
                Kw::PROJECTION if named && self.ahead(2).kind == TokenKind::LParen => {
                    self.bump();
                    elements.projections.push(self.projection_def()?);
                }
                Kw::PRIMARY if self.ahead(1).kw == Kw::KEY => {
                    self.eat_kws(&[Kw::PRIMARY, Kw::KEY]);
                    elements.primary_key = Some(self.key_columns()?);
                }
                _ => elements.columns.push(self.column_def(true)?),
            }
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RParen, "`,` or `)`")?;
        Ok(elements)
    }

    /// Whether INDEX starts an index and not a column of that name: `INDEX String` is a column.
    fn index_follows(&mut self) -> bool {
        !matches!(self.ahead(2).kind, TokenKind::Comma | TokenKind::RParen)
            && !matches!(self.ahead(2).kw, Kw::DEFAULT | Kw::CODEC | Kw::COMMENT | Kw::TTL)
    }

    /// A column; `typed`: a type may be written.
    pub(super) fn column_def(&mut self, typed: bool) -> Result<ColumnDef> {
        let from = self.mark();
        let mut column = ColumnDef { name: self.dotted_ident()?, ..ColumnDef::default() };
        let has_type = matches!(self.kind(), TokenKind::Word | TokenKind::QuotedName)
            && !matches!(
                self.kw(),
                Kw::DEFAULT
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

    fn column_properties(&mut self, column: &mut ColumnDef) -> Result<()> {
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

    fn column_default(&mut self, column: &mut ColumnDef, kind: DefaultKind) -> Result<()> {
        self.bump();
        let bare = kind == DefaultKind::Ephemeral
            && (matches!(self.kind(), TokenKind::Comma | TokenKind::RParen)
                || self.at_end()
                || matches!(self.kw(), Kw::COMMENT | Kw::CODEC | Kw::TTL | Kw::FIRST | Kw::AFTER));
        let expr = if bare { None } else { Some(self.expr()?) };
        column.default = Some(ColumnDefault { kind, expr });
        Ok(())
    }

    fn codec(&mut self) -> Result<Vec<Function>> {
        self.bump();
        self.call_list()
    }

    /// `(Delta, ZSTD(3))`.
    fn call_list(&mut self) -> Result<Vec<Function>> {
        self.expect(TokenKind::LParen, "`(`")?;
        let items = self.list(Self::bare_or_call)?;
        self.expect(TokenKind::RParen, "`,` or `)`")?;
        Ok(items)
    }

    /// After INDEX.
    pub(super) fn index_def(&mut self) -> Result<IndexDef> {
        let name = self.ident()?;
        let expr = self.expr()?;
        let index_type = if self.eat_kw(Kw::TYPE) { Some(self.bare_or_call()?) } else { None };
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
        self.expect(TokenKind::LParen, "`(`")?;
        let query = Box::new(self.query()?);
        self.expect(TokenKind::RParen, "`)`")?;
        Ok(ProjectionDef { name, query })
    }

    /// `ENGINE = name(args)`.
    fn engine(&mut self) -> Result<Engine> {
        self.expect_kw(Kw::ENGINE)?;
        self.eat(TokenKind::Equals);
        let from = self.mark();
        let name = self.ident()?.name;
        let args = if self.eat(TokenKind::LParen) { Some(self.arguments()?) } else { None };
        let args = args.filter(|args| !args.is_empty());
        Ok(Engine { name, args, position: self.span(from) })
    }

    /// Engine and the clauses after it, in any order.
    fn storage(&mut self, storage: &mut Storage) -> Result<()> {
        loop {
            match self.kw() {
                Kw::ENGINE => storage.engine = Some(self.engine()?),
                Kw::PARTITION if self.ahead(1).kw == Kw::BY => {
                    self.eat_kws(&[Kw::PARTITION, Kw::BY]);
                    storage.partition_by = Some(self.expr()?);
                }
                Kw::PRIMARY if self.ahead(1).kw == Kw::KEY => {
                    self.eat_kws(&[Kw::PRIMARY, Kw::KEY]);
                    storage.primary_key = Some(self.key_columns()?);
                }
                Kw::ORDER if self.ahead(1).kw == Kw::BY => {
                    self.eat_kws(&[Kw::ORDER, Kw::BY]);
                    storage.order_by = Some(self.sorting_key()?);
                }
                Kw::SAMPLE if self.ahead(1).kw == Kw::BY => {
                    self.eat_kws(&[Kw::SAMPLE, Kw::BY]);
                    storage.sample_by = Some(self.expr()?);
                }
                Kw::TTL => {
                    self.bump();
                    storage.ttl = self.list(Self::ttl_item)?;
                }
                Kw::SETTINGS => {
                    self.bump();
                    storage.settings = self.settings_list()?;
                }
                _ => return Ok(()),
            }
        }
    }

    /// The columns of a key written as a tuple or as one expression.
    fn key_columns(&mut self) -> Result<Vec<Expr>> {
        Ok(tuple_items(self.expr()?))
    }

    /// `a`, `(a, b DESC)`, `tuple()`.
    pub(super) fn sorting_key(&mut self) -> Result<Vec<KeyItem>> {
        let from = self.mark();
        let depth = self.depth;
        if self.kind() == TokenKind::LParen {
            // With directions inside the parentheses it is no expression.
            self.bump();
            if let Ok(items) = self.list(Self::key_item)
                && self.eat(TokenKind::RParen)
                && items.iter().any(|item| item.descending)
            {
                return Ok(items);
            }
            self.depth = depth;
            self.rewind(from)?;
        }
        let expr = self.expr()?;
        let descending = self.direction();
        let items = tuple_items(expr).into_iter();
        Ok(items.map(|expr| KeyItem { expr, descending }).collect())
    }

    fn key_item(&mut self) -> Result<KeyItem> {
        let expr = self.expr()?;
        Ok(KeyItem { expr, descending: self.direction() })
    }

    fn direction(&mut self) -> bool {
        if self.eat_kw(Kw::DESC) {
            return true;
        }
        self.eat_kw(Kw::ASC);
        false
    }

    pub(super) fn ttl_item(&mut self) -> Result<TtlItem> {
        let expr = self.expr()?;
        let mut action = TtlAction::Delete;
        if self.eat_kw(Kw::DELETE) {
        } else if self.eat_kws(&[Kw::TO, Kw::DISK]) {
            action = TtlAction::ToDisk(self.string("name of a disk")?);
        } else if self.eat_kws(&[Kw::TO, Kw::VOLUME]) {
            action = TtlAction::ToVolume(self.string("name of a volume")?);
        } else if self.eat_kw(Kw::RECOMPRESS) {
            action = TtlAction::Recompress(self.codec()?);
        } else if self.eat_kws(&[Kw::GROUP, Kw::BY]) {
            let keys = self.list(Self::expr)?;
            let set = if self.eat_kw(Kw::SET) { self.list(Self::assignment)? } else { Vec::new() };
            action = TtlAction::GroupBy { keys, set };
        }
        let where_clause = if self.eat_kw(Kw::WHERE) { Some(self.expr()?) } else { None };
        Ok(TtlItem { expr, action, where_clause })
    }

    /// `a = e`.
    pub(super) fn assignment(&mut self) -> Result<(Ident, Expr)> {
        let name = self.dotted_ident()?;
        self.expect(TokenKind::Equals, "`=`")?;
        Ok((name, self.expr()?))
    }
}

/// The elements of a tuple; anything else is one element.
fn tuple_items(expr: Expr) -> Vec<Expr> {
    let position = expr.position;
    match expr.kind {
        ExprKind::Function(f) if f.name == "tuple" && f.over.is_none() => f.args,
        ExprKind::Literal(Literal::Tuple(items)) => {
            items.into_iter().map(|item| Expr::new(ExprKind::Literal(item), position)).collect()
        }
        _ => vec![expr],
    }
}
