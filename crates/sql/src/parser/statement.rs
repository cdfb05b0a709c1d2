//! Statements other than CREATE and ALTER, and what follows a statement.

use entasis_base::Result;

use super::{EXPR, Parser};
use crate::ast::{
    Delete, Describe, DropObject, Explain, ExplainKind, Expr, Ident, Insert, InsertSource,
    InsertTarget, KillMode, Like, ObjectKind, Optimize, OutFile, Output, Query, Rename, Select,
    Show, ShowWhat, Statement, StatementKind, System, TableName, Truncate, Unsupported, Update,
    WithItem,
};
use crate::keyword::Kw;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// One statement with its output clauses, up to but without the `;`.
    pub(crate) fn statement(&mut self) -> Result<Statement> {
        self.enter(EXPR)?;
        let from = self.mark();
        let kind = self.statement_kind()?;
        let mut output = Output::default();
        let data = matches!(
            &kind,
            StatementKind::Insert(insert) if matches!(insert.source, InsertSource::Data { .. })
        );
        if !data {
            self.output(&mut output)?;
        }
        self.leave(EXPR);
        Ok(Statement { kind, output, position: self.span(from) })
    }

    fn statement_kind(&mut self) -> Result<StatementKind> {
        let from = self.mark();
        let kw = self.kw();
        match kw {
            Kw::SELECT | Kw::FROM => return self.query_statement(),
            Kw::WITH => return self.with_statement(),
            _ if self.kind() == TokenKind::LParen => return self.query_statement(),
            Kw::NONE if self.kind() == TokenKind::Word => return self.rare_statement(from),
            _ => {}
        }
        if self.kind() != TokenKind::Word {
            return Err(self.unexpected("SELECT, INSERT, CREATE or another statement"));
        }
        self.bump();
        match kw {
            Kw::EXPLAIN => self.explain(),
            Kw::INSERT => self.insert(),
            Kw::CREATE | Kw::ATTACH | Kw::REPLACE => self.create(kw, from),
            Kw::DROP | Kw::DETACH => self.drop_statement(kw == Kw::DETACH, from),
            Kw::TRUNCATE => self.truncate(),
            Kw::RENAME | Kw::EXCHANGE => self.rename(kw == Kw::EXCHANGE),
            Kw::ALTER => self.alter(from),
            Kw::OPTIMIZE => self.optimize(),
            Kw::DELETE => self.delete(),
            Kw::UPDATE => self.update(),
            Kw::CHECK => {
                self.expect_kw(Kw::TABLE)?;
                let table = self.table_name()?;
                let partition = match self.kw() {
                    Kw::PARTITION | Kw::PART => Some(self.partition()?),
                    _ => None,
                };
                Ok(StatementKind::Check { table, partition })
            }
            Kw::SHOW => self.show(),
            Kw::DESCRIBE | Kw::DESC => {
                self.eat_kw(Kw::TABLE);
                let table = self.table_expr()?;
                Ok(StatementKind::Describe(Box::new(Describe { table })))
            }
            Kw::EXISTS => self.exists(),
            Kw::SET => self.set(from),
            Kw::USE => {
                if self.kw() == Kw::DATABASE && self.ahead(1).kind == TokenKind::Word {
                    self.bump();
                }
                self.ident().map(StatementKind::Use)
            }
            Kw::SYSTEM => self.system(),
            Kw::KILL => self.kill(),
            Kw::BEGIN => {
                self.eat_kw(Kw::TRANSACTION);
                Ok(StatementKind::Transaction("BEGIN TRANSACTION"))
            }
            Kw::COMMIT => Ok(StatementKind::Transaction("COMMIT")),
            Kw::ROLLBACK => Ok(StatementKind::Transaction("ROLLBACK")),
            Kw::GRANT | Kw::REVOKE | Kw::MOVE => Ok(self.unsupported(from)),
            _ => {
                self.rewind(from)?;
                Err(self.unexpected("SELECT, INSERT, CREATE or another statement"))
            }
        }
    }

    fn query_statement(&mut self) -> Result<StatementKind> {
        Ok(StatementKind::Query(Box::new(self.query()?)))
    }

    fn rare_statement(&mut self, from: usize) -> Result<StatementKind> {
        let token = self.token();
        let word = self.text_of(token).to_ascii_uppercase();
        if matches!(word.as_str(), "BACKUP" | "RESTORE" | "UNDROP" | "WATCH" | "PARALLEL") {
            return Ok(self.unsupported(from));
        }
        Err(self.unexpected("SELECT, INSERT, CREATE or another statement"))
    }

    /// A statement that is recognised and no more: takes everything up to the end.
    pub(super) fn unsupported(&mut self, from: usize) -> StatementKind {
        while !self.at_end() {
            self.bump();
        }
        let text = self.text_from(from);
        let words = text.split_whitespace().take(2).collect::<Vec<_>>();
        let what = words.join(" ").to_ascii_uppercase();
        StatementKind::Unsupported(Unsupported { what, text })
    }

    /// `WITH ... SELECT`, or `WITH ... INSERT INTO t SELECT`, whose WITH goes to the SELECT.
    fn with_statement(&mut self) -> Result<StatementKind> {
        let before = self.mark();
        let (depth, tallest) = (self.depth, self.tallest);
        match self.query_statement() {
            Ok(kind) => Ok(kind),
            Err(error) => {
                if self.kw() != Kw::INSERT {
                    return Err(error);
                }
                (self.depth, self.tallest) = (depth, tallest);
                self.rewind(before)?;
                self.with_insert()
            }
        }
    }

    fn with_insert(&mut self) -> Result<StatementKind> {
        self.bump();
        let with = self.with_items()?;
        self.expect_kw(Kw::INSERT)?;
        let mut kind = self.insert()?;
        if let StatementKind::Insert(insert) = &mut kind
            && let InsertSource::Select(query) = &mut insert.source
        {
            if let Some(select) = first_select(query) {
                let inner: Vec<WithItem> = select.with.take().map(|w| w.items).unwrap_or_default();
                let mut with = with;
                with.items.extend(inner);
                select.with = Some(with);
            }
        }
        Ok(kind)
    }

    /// INTO OUTFILE, FORMAT, SETTINGS, in any order.
    fn output(&mut self, output: &mut Output) -> Result<()> {
        loop {
            match self.kw() {
                Kw::INTO if output.outfile.is_none() => {
                    self.bump();
                    output.outfile = Some(Box::new(self.outfile()?));
                }
                Kw::FORMAT if output.format.is_none() => {
                    self.bump();
                    output.format = Some(self.ident()?);
                }
                Kw::SETTINGS if output.settings.is_empty() => {
                    self.bump();
                    output.settings = self.settings_list()?;
                }
                _ => return Ok(()),
            }
        }
    }

    fn outfile(&mut self) -> Result<OutFile> {
        self.expect_kw(Kw::OUTFILE)?;
        let mut file = OutFile { path: self.string("path")?, ..OutFile::default() };
        file.append = self.eat_kw(Kw::APPEND);
        file.truncate = self.eat_kw(Kw::TRUNCATE);
        file.and_stdout = self.eat_kws(&[Kw::AND, Kw::STDOUT]);
        if self.eat_kw(Kw::COMPRESSION) {
            file.compression = Some(self.string("name of a compression")?);
            if self.eat_kw(Kw::LEVEL) {
                file.level = Some(self.unsigned("level")?);
            }
        }
        Ok(file)
    }

    fn explain(&mut self) -> Result<StatementKind> {
        let next = self.ahead(1).kind;
        let kind = match self.kw() {
            _ if next == TokenKind::Equals => ExplainKind::Plan,
            Kw::AST => ExplainKind::Ast,
            Kw::SYNTAX => ExplainKind::Syntax,
            Kw::PLAN => ExplainKind::Plan,
            Kw::PIPELINE => ExplainKind::Pipeline,
            Kw::ESTIMATE => ExplainKind::Estimate,
            Kw::ANALYZE => ExplainKind::Analyze,
            Kw::QUERY => ExplainKind::QueryTree,
            Kw::TABLE => ExplainKind::TableOverride,
            Kw::CURRENT => ExplainKind::CurrentTransaction,
            _ => ExplainKind::Plan,
        };
        let named = matches!(
            self.kw(),
            Kw::AST | Kw::SYNTAX | Kw::PLAN | Kw::PIPELINE | Kw::ESTIMATE | Kw::ANALYZE
        );
        match kind {
            _ if named && next != TokenKind::Equals => {
                self.bump();
            }
            ExplainKind::QueryTree => self.expect_kws(&[Kw::QUERY, Kw::TREE])?,
            ExplainKind::TableOverride | ExplainKind::CurrentTransaction => {
                let from = self.mark() - 1;
                return Ok(self.unsupported(from));
            }
            _ => {}
        }
        let mut settings = Vec::new();
        while self.kind() == TokenKind::Word && self.ahead(1).kind == TokenKind::Equals {
            settings.push(self.setting()?);
            self.eat(TokenKind::Comma);
        }
        self.enter(EXPR)?;
        let from = self.mark();
        let inner = self.statement_kind()?;
        let statement =
            Statement { kind: inner, output: Output::default(), position: self.span(from) };
        self.leave(EXPR);
        Ok(StatementKind::Explain(Box::new(Explain { kind, settings, statement })))
    }

    fn insert(&mut self) -> Result<StatementKind> {
        self.expect_kw(Kw::INTO)?;
        let function = self.kw() == Kw::FUNCTION
            && matches!(self.ahead(1).kind, TokenKind::Word)
            && self.ahead(2).kind == TokenKind::LParen;
        let mut partition_by = None;
        let target = if function || self.kw() == Kw::TABLE && self.ahead(1).kw == Kw::FUNCTION {
            self.eat_kw(Kw::TABLE);
            self.bump();
            let name = self.ident()?.name;
            let call = self.call_tail(name)?;
            if self.eat_kws(&[Kw::PARTITION, Kw::BY]) {
                partition_by = Some(self.expr()?);
            }
            InsertTarget::Function(Box::new(call))
        } else {
            if self.kw() == Kw::TABLE
                && matches!(self.ahead(1).kind, TokenKind::Word | TokenKind::QuotedName)
                && !matches!(self.ahead(1).kw, Kw::VALUES | Kw::FORMAT | Kw::SELECT)
            {
                self.bump();
            }
            InsertTarget::Table(self.table_name()?)
        };
        let mut columns = Vec::new();
        if self.kind() == TokenKind::LParen && !self.starts_query(1) && !self.nested_query() {
            self.bump();
            columns = self.list(Self::expr)?;
            self.expect(TokenKind::RParen, "`,` or `)`")?;
        }
        let mut settings = Vec::new();
        let source = loop {
            match self.kw() {
                Kw::SETTINGS => {
                    self.bump();
                    settings = self.settings_list()?;
                }
                Kw::FROM if self.ahead(1).kw == Kw::INFILE => break self.infile()?,
                _ => break self.insert_source()?,
            }
        };
        Ok(StatementKind::Insert(Box::new(Insert {
            target,
            columns,
            partition_by,
            settings,
            source,
        })))
    }

    /// `((SELECT ...` after the table.
    fn nested_query(&mut self) -> bool {
        let mut n = 0;
        while n < 64 && self.ahead(n).kind == TokenKind::LParen {
            n += 1;
        }
        n > 1 && self.starts_query(n)
    }

    fn infile(&mut self) -> Result<InsertSource> {
        self.expect_kws(&[Kw::FROM, Kw::INFILE])?;
        let path = self.string("path")?;
        let compression = if self.eat_kw(Kw::COMPRESSION) {
            Some(self.string("name of a compression")?)
        } else {
            None
        };
        let format = if self.eat_kw(Kw::FORMAT) { Some(self.ident()?) } else { None };
        Ok(InsertSource::Infile { path, compression, format })
    }

    fn insert_source(&mut self) -> Result<InsertSource> {
        // The token after VALUES or after the format's name is not looked at: it is data. The
        // cursor has lexed it already, which is harmless: lexing is total and it is one token.
        match self.kw() {
            Kw::VALUES => {
                let token = self.token();
                let position = self.here();
                self.stop_at(token.end);
                let format = Some(Ident { position, ..Ident::new("Values") });
                Ok(InsertSource::Data { format, offset: token.end as usize })
            }
            Kw::FORMAT => {
                self.bump();
                let name = self.token();
                if !matches!(name.kind, TokenKind::Word | TokenKind::QuotedName) {
                    return Err(self.unexpected("name of a format"));
                }
                let offset = crate::script::data_start(self.text, name.end as usize);
                self.stop_at(name.end);
                let position = entasis_base::Position { start: name.start, end: name.end };
                let format = Some(Ident { position, ..Ident::new(self.text_of(name)) });
                Ok(InsertSource::Data { format, offset })
            }
            _ if self.starts_query(0) || self.kind() == TokenKind::LParen => {
                Ok(InsertSource::Select(Box::new(self.query()?)))
            }
            _ if self.at_end() => {
                Ok(InsertSource::Data { format: None, offset: self.token().start as usize })
            }
            _ => Err(self.unexpected("VALUES, FORMAT, SELECT or a list of columns")),
        }
    }

    /// Ends the token stream at byte `end`, which the current token reaches.
    fn stop_at(&mut self, end: u32) {
        self.tokens.truncate(self.at + 1);
        self.tokens.push(crate::lexer::Token {
            kind: TokenKind::End,
            kw: Kw::NONE,
            start: end,
            end,
        });
        self.at += 1;
    }

    fn object(&mut self) -> Option<ObjectKind> {
        let object = match self.kw() {
            Kw::DATABASE => ObjectKind::Database,
            Kw::TABLE => ObjectKind::Table,
            Kw::VIEW => ObjectKind::View,
            Kw::DICTIONARY => ObjectKind::Dictionary,
            Kw::FUNCTION => ObjectKind::Function,
            _ => return None,
        };
        // `DROP view` and the like: the word is the name if nothing follows it.
        match self.ahead(1).kind {
            TokenKind::Word | TokenKind::QuotedName | TokenKind::LBrace => {
                self.bump();
                Some(object)
            }
            _ => None,
        }
    }

    fn drop_statement(&mut self, detach: bool, from: usize) -> Result<StatementKind> {
        let temporary = self.eat_kw(Kw::TEMPORARY);
        let Some(object) = self.object() else {
            if self.kind() == TokenKind::Word && self.ahead(1).kind == TokenKind::Word {
                return Ok(self.unsupported(from)); // DROP USER and the like
            }
            return Err(self.unexpected("TABLE, DATABASE, VIEW, DICTIONARY or FUNCTION"));
        };
        let if_exists = self.if_exists();
        let if_empty = self.eat_kws(&[Kw::IF, Kw::EMPTY]);
        let names = self.list(Self::table_name)?;
        let cluster = self.on_cluster()?;
        let permanently = self.eat_kw(Kw::PERMANENTLY);
        let sync = self.sync();
        Ok(StatementKind::Drop(Box::new(DropObject {
            detach,
            object,
            temporary,
            if_exists,
            if_empty,
            names,
            cluster,
            permanently,
            sync,
        })))
    }

    fn sync(&mut self) -> bool {
        self.eat_kw(Kw::SYNC) || self.eat_kws(&[Kw::NO, Kw::DELAY])
    }

    fn truncate(&mut self) -> Result<StatementKind> {
        let mut truncate = Truncate::default();
        if self.at_kws(&[Kw::ALL, Kw::TABLES, Kw::FROM]) || self.at_kws(&[Kw::TABLES, Kw::FROM]) {
            self.eat_kw(Kw::ALL);
            self.eat_kws(&[Kw::TABLES, Kw::FROM]);
            truncate.all_tables = true;
            truncate.object = ObjectKind::Database;
        } else {
            truncate.temporary = self.eat_kw(Kw::TEMPORARY);
            truncate.object = self.object().unwrap_or_default();
        }
        truncate.if_exists = self.if_exists();
        truncate.name = self.table_name()?;
        truncate.like = self.like()?;
        truncate.cluster = self.on_cluster()?;
        truncate.sync = self.sync();
        Ok(StatementKind::Truncate(Box::new(truncate)))
    }

    fn rename(&mut self, exchange: bool) -> Result<StatementKind> {
        let object = match self.kw() {
            Kw::TABLES if exchange => {
                self.bump();
                ObjectKind::Table
            }
            Kw::DICTIONARIES if exchange => {
                self.bump();
                ObjectKind::Dictionary
            }
            _ => self.object().unwrap_or_default(),
        };
        let if_exists = self.if_exists();
        let mut items: Vec<(TableName, TableName)> = Vec::new();
        loop {
            let from = self.table_name()?;
            self.expect_kw(if exchange { Kw::AND } else { Kw::TO })?;
            items.push((from, self.table_name()?));
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        let cluster = self.on_cluster()?;
        let rename = Rename { exchange, object, if_exists, items, cluster };
        Ok(StatementKind::Rename(Box::new(rename)))
    }

    fn optimize(&mut self) -> Result<StatementKind> {
        self.expect_kw(Kw::TABLE)?;
        let mut optimize = Optimize { table: self.table_name()?, ..Optimize::default() };
        optimize.cluster = self.on_cluster()?;
        optimize.dry_run = self.eat_kws(&[Kw::DRY, Kw::RUN]);
        if self.kw() == Kw::PARTITION {
            optimize.partition = Some(self.partition()?);
        }
        optimize.is_final = self.eat_kw(Kw::FINAL);
        optimize.deduplicate = self.eat_kw(Kw::DEDUPLICATE);
        if optimize.deduplicate && self.eat_kw(Kw::BY) {
            optimize.deduplicate_by = self.list(Self::expr)?;
        }
        optimize.cleanup = self.eat_kw(Kw::CLEANUP);
        Ok(StatementKind::Optimize(Box::new(optimize)))
    }

    fn delete(&mut self) -> Result<StatementKind> {
        self.expect_kw(Kw::FROM)?;
        let table = self.table_name()?;
        let cluster = self.on_cluster()?;
        let partition = self.in_partition()?;
        self.expect_kw(Kw::WHERE)?;
        let where_clause = self.expr()?;
        let delete = Delete { table, cluster, partition, where_clause };
        Ok(StatementKind::Delete(Box::new(delete)))
    }

    fn update(&mut self) -> Result<StatementKind> {
        let table = self.table_name()?;
        let cluster = self.on_cluster()?;
        self.expect_kw(Kw::SET)?;
        let set = self.assignments()?;
        let partition = self.in_partition()?;
        self.expect_kw(Kw::WHERE)?;
        let where_clause = self.expr()?;
        let update = Update { table, cluster, set, partition, where_clause };
        Ok(StatementKind::Update(Box::new(update)))
    }

    fn like(&mut self) -> Result<Option<Like>> {
        let not = self.kw() == Kw::NOT && matches!(self.ahead(1).kw, Kw::LIKE | Kw::ILIKE);
        if not {
            self.bump();
        }
        let case_insensitive = self.kw() == Kw::ILIKE;
        if !case_insensitive && self.kw() != Kw::LIKE {
            return Ok(None);
        }
        self.bump();
        Ok(Some(Like { not, case_insensitive, pattern: self.string("pattern")? }))
    }

    fn show(&mut self) -> Result<StatementKind> {
        let mut show = Show {
            what: ShowWhat::Databases,
            full: false,
            extended: false,
            changed: false,
            temporary: false,
            from: None,
            like: None,
            where_clause: None,
            limit: None,
        };
        show.extended = self.eat_kw(Kw::EXTENDED);
        show.full = self.eat_kw(Kw::FULL);
        show.changed = self.eat_kw(Kw::CHANGED);
        show.temporary = self.kw() == Kw::TEMPORARY && self.ahead(1).kw == Kw::TABLES;
        if show.temporary {
            self.bump();
        }
        show.what = self.show_what()?;
        if let ShowWhat::Access(words) = &mut show.what {
            let from = self.mark();
            while !self.at_end() && self.kw() != Kw::FORMAT {
                self.bump();
            }
            if self.mark() > from {
                *words = format!("{words} {}", self.text_from(from));
            }
        }
        if self.eat_kw(Kw::FROM) || self.kw() == Kw::IN && self.eat_kw(Kw::IN) {
            show.from = Some(self.ident()?);
        }
        show.like = self.like()?;
        if self.eat_kw(Kw::WHERE) {
            show.where_clause = Some(self.expr()?);
        }
        if self.eat_kw(Kw::LIMIT) {
            show.limit = Some(self.expr()?);
        }
        if let ShowWhat::Columns(table) | ShowWhat::Indexes(table) = &mut show.what
            && show.from.is_none()
        {
            show.from = table.database.take();
        }
        Ok(StatementKind::Show(Box::new(show)))
    }

    fn show_what(&mut self) -> Result<ShowWhat> {
        let from = self.mark();
        let kw = self.kw();
        if self.kind() != TokenKind::Word {
            return Err(self.unexpected("TABLES, DATABASES, CREATE, COLUMNS, SETTINGS, ..."));
        }
        let word = self.text_of(self.token()).to_ascii_uppercase();
        self.bump();
        Ok(match kw {
            Kw::DATABASES => ShowWhat::Databases,
            Kw::TABLES => ShowWhat::Tables,
            Kw::DICTIONARIES => ShowWhat::Dictionaries,
            Kw::COLUMNS | Kw::FIELDS => ShowWhat::Columns(self.show_table()?),
            Kw::INDEX | Kw::INDEXES | Kw::INDICES | Kw::KEYS => {
                ShowWhat::Indexes(self.show_table()?)
            }
            Kw::SETTINGS => ShowWhat::Settings,
            Kw::SETTING => ShowWhat::Setting(self.dotted_ident()?),
            Kw::PROCESSLIST => ShowWhat::Processlist,
            Kw::FUNCTIONS => ShowWhat::Functions,
            Kw::ENGINES => ShowWhat::Engines,
            Kw::CLUSTERS => ShowWhat::Clusters,
            Kw::MERGES => ShowWhat::Merges,
            Kw::CREATE | Kw::TABLE | Kw::DATABASE | Kw::VIEW | Kw::DICTIONARY => {
                if kw == Kw::CREATE {
                    let access = !matches!(
                        self.kw(),
                        Kw::TABLE
                            | Kw::DATABASE
                            | Kw::VIEW
                            | Kw::DICTIONARY
                            | Kw::FUNCTION
                            | Kw::TEMPORARY
                    ) && self.ahead(1).kind == TokenKind::Word
                        && self.ahead(1).kw != Kw::FORMAT;
                    if access {
                        return Ok(ShowWhat::Access(format!("CREATE {}", self.ident()?.name)));
                    }
                } else {
                    self.rewind(from)?;
                }
                let temporary = self.eat_kw(Kw::TEMPORARY);
                let object = self.object().unwrap_or_default();
                ShowWhat::Create { object, temporary, name: self.table_name()? }
            }
            _ if matches!(
                word.as_str(),
                "GRANTS"
                    | "USERS"
                    | "ROLES"
                    | "PROFILES"
                    | "POLICIES"
                    | "QUOTAS"
                    | "QUOTA"
                    | "ACCESS"
                    | "PRIVILEGES"
                    | "CLUSTER"
                    | "FILESYSTEM"
                    | "ROW"
            ) =>
            {
                ShowWhat::Access(word)
            }
            _ => {
                self.rewind(from)?;
                return Err(self.unexpected("TABLES, DATABASES, CREATE, COLUMNS, SETTINGS, ..."));
            }
        })
    }

    /// `FROM t [FROM db]`.
    fn show_table(&mut self) -> Result<TableName> {
        if !self.eat_kw(Kw::FROM) && !self.eat_kw(Kw::IN) {
            return Err(self.unexpected("FROM"));
        }
        self.table_name()
    }

    fn exists(&mut self) -> Result<StatementKind> {
        let temporary = self.eat_kw(Kw::TEMPORARY);
        let object = self.object().unwrap_or_default();
        Ok(StatementKind::Exists { object, temporary, name: self.table_name()? })
    }

    fn set(&mut self, from: usize) -> Result<StatementKind> {
        let token = self.token();
        let word = self.text_of(token).to_ascii_uppercase();
        let next = self.ahead(1);
        if matches!(word.as_str(), "ROLE" | "DEFAULT" | "TRANSACTION")
            && next.kind == TokenKind::Word
        {
            return Ok(self.unsupported(from));
        }
        self.settings_list().map(StatementKind::Set)
    }

    fn system(&mut self) -> Result<StatementKind> {
        const NAMED: [&str; 24] = [
            "RELOAD DICTIONARY",
            "RELOAD FUNCTION",
            "RELOAD MODEL",
            "STOP MERGES",
            "START MERGES",
            "STOP TTL MERGES",
            "START TTL MERGES",
            "STOP MOVES",
            "START MOVES",
            "SYNC REPLICA",
            "RESTART REPLICA",
            "RESTORE REPLICA",
            "FLUSH DISTRIBUTED",
            "STOP FETCHES",
            "START FETCHES",
            "STOP VIEW",
            "START VIEW",
            "REFRESH VIEW",
            "WAIT VIEW",
            "CANCEL VIEW",
            "FLUSH LOGS",
            "FLUSH ASYNC INSERT QUEUE",
            "LOAD PRIMARY KEY",
            "UNLOAD PRIMARY KEY",
        ];
        let mut words: Vec<String> = Vec::new();
        let mut name = None;
        while self.kind() == TokenKind::Word
            && !matches!(self.kw(), Kw::ON | Kw::SETTINGS | Kw::FORMAT)
        {
            let qualified = self.ahead(1).kind == TokenKind::Dot;
            if qualified || NAMED.contains(&words.join(" ").as_str()) {
                break;
            }
            let token = self.bump();
            words.push(self.text_of(token).to_ascii_uppercase());
        }
        if words.is_empty() {
            return Err(self.unexpected("command of SYSTEM"));
        }
        if matches!(self.kind(), TokenKind::Word | TokenKind::QuotedName)
            && !matches!(self.kw(), Kw::ON | Kw::SETTINGS | Kw::FORMAT)
        {
            name = Some(self.table_name()?);
        }
        let from = self.mark();
        while !self.at_end() {
            self.bump();
        }
        let rest = if self.mark() > from { self.text_from(from) } else { String::new() };
        Ok(StatementKind::System(Box::new(System { command: words.join(" "), name, rest })))
    }

    fn kill(&mut self) -> Result<StatementKind> {
        let mutation = self.eat_kw(Kw::MUTATION);
        if !mutation {
            self.expect_kw(Kw::QUERY)?;
        }
        self.on_cluster()?;
        self.expect_kw(Kw::WHERE)?;
        let where_clause: Box<Expr> = Box::new(self.expr()?);
        let mode = match self.kw() {
            Kw::SYNC => KillMode::Sync,
            Kw::TEST => KillMode::Test,
            _ => KillMode::Async,
        };
        if matches!(self.kw(), Kw::SYNC | Kw::ASYNC | Kw::TEST) {
            self.bump();
        }
        Ok(StatementKind::Kill { mutation, where_clause, mode })
    }
}

fn first_select(query: &mut Query) -> Option<&mut Select> {
    match query {
        Query::Select(select) => Some(select),
        Query::SetOperation(operation) => first_select(operation.branches.first_mut()?),
    }
}
