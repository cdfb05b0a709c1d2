//! CREATE and its parts: columns, indices, keys, engines.

use entasis_base::{Error, Result, codes};

use super::Parser;
use crate::ast::{
    Attach, CreateDatabase, CreateFunction, CreateMode, CreateSource, CreateTable, CreateView,
    Engine, Expr, ExprKind, Ident, KeyItem, Literal, ObjectKind, Query, StatementKind, Storage,
    TableElements, TableName, TtlAction, TtlItem,
};
use crate::keyword::Kw;
use crate::lexer::TokenKind;

/// First words of other statements that create objects in the reference.
pub(super) const KNOWN: &[&str] = &[
    "USER", "ROLE", "QUOTA", "ROW", "POLICY", "SETTINGS", "PROFILE", "NAMED", "WORKLOAD",
    "RESOURCE", "INDEX", "UNIQUE", "SPATIAL",
];

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
            Kw::DATABASE if !mode.or_replace && !mode.temporary => {
                self.bump();
                self.create_database(mode)
            }
            Kw::DICTIONARY if !mode.temporary => {
                self.bump();
                self.create_dictionary(mode)
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
            Kw::FUNCTION if !mode.temporary => {
                self.bump();
                self.create_function(mode)
            }
            _ if KNOWN.contains(&&*self.text_of(self.tokens[self.at]).to_ascii_uppercase()) => {
                Ok(self.unsupported(from))
            }
            _ => Err(self.unexpected("DATABASE, TABLE, VIEW, DICTIONARY or FUNCTION")),
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
            let attach = Attach { object, if_not_exists, name, ..Attach::default() };
            return Ok(StatementKind::Attach(Box::new(attach)));
        }
        if mode.attach {
            let message = format!(
                "A database is attached with the definition that it had: use ATTACH DATABASE {}, \
                 or CREATE DATABASE",
                name.as_str()
            );
            return Err(Error::new(codes::INCORRECT_QUERY, message).at(name.position));
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
        mode.if_not_exists = !mode.or_replace && self.if_not_exists();
        let name = self.table_name()?;
        let mut table = CreateTable { mode, name, ..CreateTable::default() };
        table.uuid = self.uuid()?;
        table.cluster = self.on_cluster()?;
        if mode.attach && self.at_end() {
            let attach = Attach {
                undrop: false,
                object: ObjectKind::Table,
                if_not_exists: mode.if_not_exists,
                name: table.name,
                cluster: table.cluster,
            };
            return Ok(StatementKind::Attach(Box::new(attach)));
        }
        if self.kind() == TokenKind::LParen && !self.starts_query(1) {
            if self.ahead(1).kind == TokenKind::RParen {
                self.bump();
                return Err(self.unexpected("column"));
            }
            table.elements = self.table_elements()?;
        }
        self.storage(&mut table.storage)?;
        table.comment = self.comment()?;
        if table.comment.is_some() && self.at_storage() {
            return Err(self.unexpected("AS or end of query"));
        }
        table.empty = self.eat_kw(Kw::EMPTY);
        if self.eat_kw(Kw::CLONE) {
            self.expect_kw(Kw::AS)?;
            table.source = Some(CreateSource::Clone(self.table_name()?));
        } else if self.eat_kw(Kw::AS) {
            let source = self.create_source()?;
            if matches!(source, CreateSource::Table(_)) && !table.elements.columns.is_empty() {
                return Err(self.unexpected("SELECT or a table function"));
            }
            if matches!(source, CreateSource::Function(_)) && table.storage.engine.is_some() {
                return Err(self.unexpected("SELECT or the name of a table"));
            }
            table.source = Some(source);
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
        let refresh = if materialized { self.refresh()? } else { None };
        let mut elements = TableElements::default();
        let mut storage = Storage::default();
        let mut to = None;
        if self.eat_kw(Kw::TO) {
            to = Some(self.table_name()?);
        }
        let mut aliases = Vec::new();
        // SHOW CREATE writes the columns with their types, and then the names alone.
        while aliases.is_empty() && self.kind() == TokenKind::LParen && !self.starts_query(1) {
            if matches!(self.ahead(2).kind, TokenKind::Comma | TokenKind::RParen) {
                self.bump();
                aliases = self.list(Self::ident)?;
                self.expect(TokenKind::RParen, "`,` or `)`")?;
            } else {
                elements = self.table_elements()?;
            }
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
            aliases,
            storage,
            populate,
            empty,
            refresh,
            security,
            query,
            comment,
        })))
    }

    /// `DEFINER = ... SQL SECURITY ...` as text.
    pub(super) fn security(&mut self) -> Option<String> {
        if !matches!(self.kw(), Kw::DEFINER | Kw::SQL) {
            return None;
        }
        let from = self.mark();
        let ends = |p: &Self| p.at_end() || p.kind() == TokenKind::Comma;
        while !ends(self) && !matches!(self.kw(), Kw::AS | Kw::COMMENT) {
            self.bump();
        }
        Some(self.text_from(from))
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

    /// Whether a clause of the engine comes next, or the engine itself.
    fn at_storage(&mut self) -> bool {
        let next = self.ahead(1).kw;
        match self.kw() {
            Kw::ENGINE | Kw::TTL => true,
            Kw::PARTITION | Kw::ORDER | Kw::SAMPLE => next == Kw::BY,
            Kw::PRIMARY => next == Kw::KEY,
            _ => false,
        }
    }

    /// Engine and the clauses after it, in any order, each once.
    fn storage(&mut self, storage: &mut Storage) -> Result<()> {
        loop {
            match self.kw() {
                Kw::ENGINE if storage.engine.is_none() => storage.engine = Some(self.engine()?),
                Kw::PARTITION if self.ahead(1).kw == Kw::BY && storage.partition_by.is_none() => {
                    self.eat_kws(&[Kw::PARTITION, Kw::BY]);
                    storage.partition_by = Some(self.expr()?);
                }
                Kw::PRIMARY if self.ahead(1).kw == Kw::KEY && storage.primary_key.is_none() => {
                    self.eat_kws(&[Kw::PRIMARY, Kw::KEY]);
                    storage.primary_key = Some(self.key_columns()?);
                }
                Kw::ORDER if self.ahead(1).kw == Kw::BY && storage.order_by.is_none() => {
                    self.eat_kws(&[Kw::ORDER, Kw::BY]);
                    storage.order_by = Some(self.sorting_key()?);
                }
                Kw::SAMPLE if self.ahead(1).kw == Kw::BY && storage.sample_by.is_none() => {
                    self.eat_kws(&[Kw::SAMPLE, Kw::BY]);
                    storage.sample_by = Some(self.expr()?);
                }
                Kw::TTL if storage.ttl.is_empty() => {
                    self.bump();
                    storage.ttl = self.list(Self::ttl_item)?;
                }
                Kw::SETTINGS if storage.settings.is_empty() => {
                    self.bump();
                    storage.settings = self.settings_list()?;
                }
                _ => return Ok(()),
            }
        }
    }

    /// The columns of a key written as a tuple or as one expression.
    pub(super) fn key_columns(&mut self) -> Result<Vec<Expr>> {
        Ok(tuple_items(self.expr()?))
    }

    /// `a`, `(a, b DESC)`, `tuple(a, b DESC)`, `tuple()`.
    pub(super) fn sorting_key(&mut self) -> Result<Vec<KeyItem>> {
        let from = self.mark();
        let depth = self.depth;
        let first = self.ahead(0);
        let is_named = first.kind == TokenKind::Word
            && self.text_of(first).eq_ignore_ascii_case("tuple")
            && self.ahead(1).kind == TokenKind::LParen;
        if is_named || first.kind == TokenKind::LParen {
            // With directions inside the parentheses, it is not an expression.
            if is_named {
                self.bump();
            }
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
            let set = if self.eat_kw(Kw::SET) { self.ttl_assignments()? } else { Vec::new() };
            action = TtlAction::GroupBy { keys, set };
        }
        let deletes = action == TtlAction::Delete;
        let where_clause =
            if deletes && self.eat_kw(Kw::WHERE) { Some(self.expr()?) } else { None };
        Ok(TtlItem { expr, action, where_clause })
    }

    /// `a = e, b = f`: a comma without an assignment behind it starts the next rule.
    fn ttl_assignments(&mut self) -> Result<Vec<(Ident, Expr)>> {
        let mut set = vec![self.assignment()?];
        while self.kind() == TokenKind::Comma {
            let comma = self.mark();
            self.bump();
            let item = self.mark();
            let follows = self.dotted_ident().is_ok() && self.kind() == TokenKind::Equals;
            self.rewind(if follows { item } else { comma })?;
            if !follows {
                break;
            }
            set.push(self.assignment()?);
        }
        Ok(set)
    }

    /// `a = e`.
    pub(super) fn assignment(&mut self) -> Result<(Ident, Expr)> {
        let name = self.dotted_ident()?;
        self.expect(TokenKind::Equals, "`=`")?;
        Ok((name, self.expr()?))
    }
}

/// The elements of a tuple; anything else is one element. A tuple of one element stays as it is,
/// because it is shown as one.
pub(super) fn tuple_items(expr: Expr) -> Vec<Expr> {
    let position = expr.position;
    match expr.kind {
        ExprKind::Function(f) if f.name == "tuple" && f.over.is_none() && f.args.len() != 1 => {
            f.args
        }
        ExprKind::Literal(Literal::Tuple(items)) => {
            items.into_iter().map(|item| Expr::new(ExprKind::Literal(item), position)).collect()
        }
        _ => vec![expr],
    }
}
