//! Statements about tables and the server that contain no larger expressions: DROP, RENAME,
//! OPTIMIZE, DELETE, UPDATE, SET, SYSTEM, KILL, ...

use entasis_base::{Error, Result, codes};

use super::Parser;
use super::create::KNOWN;
use crate::ast::{
    Attach, DatabaseChange, Delete, DropObject, Expr, KillMode, ObjectKind, Optimize, Rename,
    StatementKind, System, TableName, Truncate, Update,
};
use crate::keyword::Kw;
use crate::lexer::TokenKind;

/// Commands of SYSTEM that a name may follow.
const NAMED: &[&str] = &[
    "RELOAD DICTIONARY",
    "RELOAD FUNCTION",
    "STOP MERGES",
    "START MERGES",
    "STOP TTL MERGES",
    "START TTL MERGES",
    "STOP MOVES",
    "START MOVES",
    "SYNC REPLICA",
    "SYNC DATABASE REPLICA",
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
    "TEST VIEW",
    "FLUSH LOGS",
    "FLUSH ASYNC INSERT QUEUE",
    "LOAD PRIMARY KEY",
    "UNLOAD PRIMARY KEY",
    "WAIT LOADING PARTS",
    "STOP CLEANUP",
    "START CLEANUP",
    "STOP REPLICATED SENDS",
    "START REPLICATED SENDS",
    "STOP REPLICATION QUEUES",
    "START REPLICATION QUEUES",
    "STOP DISTRIBUTED SENDS",
    "START DISTRIBUTED SENDS",
    "STOP PULLING REPLICATION LOG",
    "START PULLING REPLICATION LOG",
    "ENABLE FAILPOINT",
    "DISABLE FAILPOINT",
    "WAIT FAILPOINT",
    "PREWARM MARK CACHE",
    "PREWARM PRIMARY INDEX CACHE",
    "RESTART DISK",
    "DROP DISK METADATA CACHE",
    "WAIT BLOBS CLEANUP",
    "SCHEDULE MERGE",
    "STOP LISTEN",
    "START LISTEN",
];

impl Parser<'_> {
    pub(super) fn object(&mut self) -> Option<ObjectKind> {
        let object = match self.kw() {
            Kw::DATABASE => ObjectKind::Database,
            Kw::TABLE => ObjectKind::Table,
            Kw::VIEW => ObjectKind::View,
            Kw::DICTIONARY => ObjectKind::Dictionary,
            Kw::FUNCTION => ObjectKind::Function,
            _ => return None,
        };
        // `DROP view` and the like: if nothing follows the word, it is the name.
        match self.ahead(1).kind {
            TokenKind::Word | TokenKind::QuotedName | TokenKind::LBrace => {
                self.bump();
                Some(object)
            }
            _ => None,
        }
    }

    pub(super) fn drop_statement(&mut self, detach: bool, from: usize) -> Result<StatementKind> {
        let temporary = self.eat_kw(Kw::TEMPORARY);
        let Some(object) = self.object() else {
            let token = self.token();
            let word = self.text_of(token).to_ascii_uppercase();
            let is_known = KNOWN.contains(&word.as_str()) || word == "MASKING";
            if is_known && self.ahead(1).kind == TokenKind::Word {
                return Ok(self.unsupported(from)); // DROP USER and the like
            }
            return Err(self.unexpected("TABLE, DATABASE, VIEW, DICTIONARY or FUNCTION"));
        };
        let if_exists = self.if_exists();
        let if_empty = self.eat_kws(&[Kw::IF, Kw::EMPTY]);
        let names = match object {
            ObjectKind::Database | ObjectKind::Function => vec![self.table_name()?],
            _ => self.list(Self::table_name)?,
        };
        if detach && names.len() > 1 {
            let message = "DETACH takes one name: write a statement for each table";
            return Err(Error::new(codes::SYNTAX_ERROR, message));
        }
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

    /// After ALTER: `DATABASE name MODIFY COMMENT 'text'` or `MODIFY SETTING a = 1`, which may
    /// stand in parentheses.
    pub(super) fn alter_database(&mut self, from: usize) -> Result<StatementKind> {
        self.bump();
        let name = self.ident()?;
        let in_parentheses = self.eat(TokenKind::LParen);
        let change = if self.eat_kws(&[Kw::MODIFY, Kw::COMMENT]) {
            DatabaseChange::Comment(self.string("comment")?)
        } else if self.eat_kws(&[Kw::MODIFY, Kw::SETTING]) {
            DatabaseChange::Settings(self.settings_list()?)
        } else {
            return Ok(self.unsupported(from));
        };
        if in_parentheses {
            self.expect(TokenKind::RParen, ")")?;
        }
        Ok(StatementKind::AlterDatabase { name, change })
    }

    /// After CHECK.
    pub(super) fn check(&mut self) -> Result<StatementKind> {
        if self.eat_kws(&[Kw::ALL, Kw::TABLES]) {
            return Ok(StatementKind::Check { table: TableName::default(), partition: None });
        }
        if self.eat_kw(Kw::DATABASE) {
            let database = Some(self.ident()?);
            let table = TableName { database, ..TableName::default() };
            return Ok(StatementKind::Check { table, partition: None });
        }
        self.expect_kw(Kw::TABLE)?;
        let table = self.table_name()?;
        let partition = match self.kw() {
            Kw::PARTITION | Kw::PART => Some(self.partition()?),
            _ => None,
        };
        Ok(StatementKind::Check { table, partition })
    }

    /// `UNDROP TABLE t [UUID '...']`.
    pub(super) fn undrop(&mut self) -> Result<StatementKind> {
        self.bump();
        self.expect_kw(Kw::TABLE)?;
        let name = self.table_name()?;
        if self.eat_kw(Kw::UUID) {
            self.string("UUID")?;
        }
        let cluster = self.on_cluster()?;
        let attach = Attach { undrop: true, name, cluster, ..Attach::default() };
        Ok(StatementKind::Attach(Box::new(attach)))
    }

    pub(super) fn sync(&mut self) -> bool {
        self.eat_kw(Kw::SYNC) || self.eat_kws(&[Kw::NO, Kw::DELAY])
    }

    pub(super) fn truncate(&mut self) -> Result<StatementKind> {
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

    pub(super) fn rename(&mut self, exchange: bool) -> Result<StatementKind> {
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
        let if_exists = !exchange && self.if_exists();
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

    pub(super) fn optimize(&mut self) -> Result<StatementKind> {
        self.expect_kw(Kw::TABLE)?;
        let mut optimize = Optimize { table: self.table_name()?, ..Optimize::default() };
        optimize.cluster = self.on_cluster()?;
        if self.kw() == Kw::PARTITION {
            optimize.partition = Some(self.partition()?);
        }
        if self.eat_kws(&[Kw::DRY, Kw::RUN]) {
            if !self.eat_word("PARTS") {
                return Err(self.unexpected("PARTS"));
            }
            let name = |p: &mut Self| p.string("the name of a part");
            optimize.dry_run = Some(self.list(name)?);
        }
        optimize.is_final = self.eat_kw(Kw::FINAL);
        optimize.deduplicate = self.eat_kw(Kw::DEDUPLICATE);
        if optimize.deduplicate && self.eat_kw(Kw::BY) {
            optimize.deduplicate_by = self.list(Self::expr)?;
        }
        optimize.cleanup = self.eat_kw(Kw::CLEANUP);
        Ok(StatementKind::Optimize(Box::new(optimize)))
    }

    pub(super) fn delete(&mut self) -> Result<StatementKind> {
        self.expect_kw(Kw::FROM)?;
        let table = self.table_name()?;
        let cluster = self.on_cluster()?;
        let partition = self.in_partition()?;
        self.expect_kw(Kw::WHERE)?;
        let where_clause = self.expr()?;
        let delete = Delete { table, cluster, partition, where_clause };
        Ok(StatementKind::Delete(Box::new(delete)))
    }

    pub(super) fn update(&mut self) -> Result<StatementKind> {
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

    pub(super) fn exists(&mut self) -> Result<StatementKind> {
        let temporary = self.eat_kw(Kw::TEMPORARY);
        let object = self.object().unwrap_or_default();
        Ok(StatementKind::Exists { object, temporary, name: self.table_name()? })
    }

    pub(super) fn set(&mut self, from: usize) -> Result<StatementKind> {
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

    pub(super) fn system(&mut self) -> Result<StatementKind> {
        let mut words: Vec<String> = Vec::new();
        let mut name = None;
        while self.kind() == TokenKind::Word
            && (!matches!(self.kw(), Kw::ON | Kw::SETTINGS | Kw::FORMAT)
                || self.kw() == Kw::FORMAT && self.is_schema_next())
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

    /// Whether the next word but one is SCHEMA, as in DROP FORMAT SCHEMA CACHE.
    fn is_schema_next(&mut self) -> bool {
        let next = self.ahead(1);
        self.text_of(next).eq_ignore_ascii_case("SCHEMA")
    }

    pub(super) fn kill(&mut self) -> Result<StatementKind> {
        let mutation = self.eat_kw(Kw::MUTATION);
        if !mutation {
            self.expect_kw(Kw::QUERY)?;
        }
        if let Some(name) = self.on_cluster()? {
            let message = format!(
                "Requested cluster '{}' not found: this is a single machine, leave out ON \
                 CLUSTER",
                name.as_str()
            );
            return Err(Error::new(codes::QUERY_IS_PROHIBITED, message).at(name.position));
        }
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
