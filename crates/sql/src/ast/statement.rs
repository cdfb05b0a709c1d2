//! Statements: everything that is sent as one query.

use entasis_base::Position;

use super::{
    AlterTable, CreateDatabase, CreateFunction, CreateTable, CreateView, Expr, Function, Ident,
    Output, Partition, Query, SettingChange, TableName,
};

/// A statement with what follows it.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// FORMAT, INTO OUTFILE, trailing SETTINGS.
    pub output: Output,
    /// Where it stands in the text, without the `;`.
    pub position: Position,
}

impl PartialEq for Statement {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.output == other.output
    }
}

/// What a statement is.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// SELECT and set operations.
    Query(Box<Query>),
    /// `EXPLAIN`.
    Explain(Box<Explain>),
    /// `COMPARE`.
    Compare(Box<Compare>),
    /// `INSERT`.
    Insert(Box<Insert>),
    /// `CREATE DATABASE`.
    CreateDatabase(Box<CreateDatabase>),
    /// `CREATE TABLE`.
    CreateTable(Box<CreateTable>),
    /// `CREATE VIEW`.
    CreateView(Box<CreateView>),
    /// `CREATE FUNCTION`.
    CreateFunction(Box<CreateFunction>),
    /// `CREATE USER|ROLE|DICTIONARY|...`, `GRANT`, ...: known by its first words, not parsed.
    Unsupported(Unsupported),
    /// `DROP`, `DETACH`.
    Drop(Box<DropObject>),
    /// `ATTACH TABLE t` without a definition.
    Attach(Box<Attach>),
    /// `TRUNCATE`.
    Truncate(Box<Truncate>),
    /// `RENAME`, `EXCHANGE`.
    Rename(Box<Rename>),
    /// `ALTER TABLE`.
    Alter(Box<AlterTable>),
    /// `OPTIMIZE TABLE`.
    Optimize(Box<Optimize>),
    /// `DELETE FROM t WHERE`.
    Delete(Box<Delete>),
    /// `UPDATE t SET a = e WHERE`.
    Update(Box<Update>),
    /// `CHECK TABLE`.
    Check {
        /// The table.
        table: TableName,
        /// `PARTITION`, `PART`.
        partition: Option<Partition>,
    },
    /// `SHOW`.
    Show(Box<Show>),
    /// `DESCRIBE`.
    Describe(Box<Describe>),
    /// `EXISTS`.
    Exists {
        /// What is asked for.
        object: ObjectKind,
        /// `TEMPORARY`.
        temporary: bool,
        /// Its name; of a database, in `table`.
        name: TableName,
    },
    /// `SET a = 1`.
    Set(Vec<SettingChange>),
    /// `USE db`.
    Use(Ident),
    /// `SYSTEM FLUSH LOGS`.
    System(Box<System>),
    /// `KILL QUERY|MUTATION WHERE`.
    Kill {
        /// `KILL MUTATION` instead of `KILL QUERY`.
        mutation: bool,
        /// Which.
        where_clause: Box<Expr>,
        /// `SYNC`, `ASYNC`, `TEST`.
        mode: KillMode,
    },
    /// `BEGIN`, `COMMIT`, `ROLLBACK`: the upper-case word.
    Transaction(&'static str),
}

/// A statement of the dialect that is recognised and no more.
#[derive(Clone, Debug, PartialEq)]
pub struct Unsupported {
    /// Its first words in upper case, `CREATE USER`.
    pub what: String,
    /// Its text.
    pub text: String,
}

/// `EXPLAIN kind settings statement`.
#[derive(Clone, Debug, PartialEq)]
pub struct Explain {
    /// Which form.
    pub kind: ExplainKind,
    /// `EXPLAIN actions = 1, json = 1 ...`.
    pub settings: Vec<SettingChange>,
    /// What is explained.
    pub statement: Statement,
}

/// `COMPARE (old) WITH (new)`, or `COMPARE (old) USING SETTINGS a = 1 VERSUS a = 2`; Entasis's own.
#[derive(Clone, Debug, PartialEq)]
pub struct Compare {
    /// The side that the other is held against.
    pub old: Query,
    /// The other side; the same query if `None`.
    pub new: Option<Query>,
    /// Settings of the old side.
    pub old_settings: Vec<SettingChange>,
    /// Settings of the new side.
    pub new_settings: Vec<SettingChange>,
    /// `SETTINGS runs = 'auto', ...` of the comparison itself.
    pub options: Vec<SettingChange>,
}

/// Forms of EXPLAIN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExplainKind {
    /// `AST`.
    Ast,
    /// `SYNTAX`.
    Syntax,
    /// `QUERY TREE`.
    QueryTree,
    /// `PLAN`, or nothing written.
    Plan,
    /// `PIPELINE`.
    Pipeline,
    /// `ESTIMATE`.
    Estimate,
    /// `ANALYZE`: runs the query and answers the plan with what was measured.
    Analyze,
    /// `TABLE OVERRIDE`.
    TableOverride,
    /// `CURRENT TRANSACTION`.
    CurrentTransaction,
}

/// `INSERT INTO`.
#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    /// Where rows go.
    pub target: InsertTarget,
    /// The column list: identifiers, or `* EXCEPT (...)`, `COLUMNS(...)`. Empty: all.
    pub columns: Vec<Expr>,
    /// `PARTITION BY` of table functions.
    pub partition_by: Option<Expr>,
    /// `SETTINGS`.
    pub settings: Vec<SettingChange>,
    /// Where rows come from.
    pub source: InsertSource,
}

/// Where an INSERT writes.
#[derive(Clone, Debug, PartialEq)]
pub enum InsertTarget {
    /// `INTO t`.
    Table(TableName),
    /// `INTO FUNCTION file(...)`.
    Function(Box<Function>),
}

/// Where an INSERT reads.
#[derive(Clone, Debug)]
pub enum InsertSource {
    /// `VALUES ...`, `FORMAT name ...`, or nothing: data in the text from this byte on, or outside.
    Data {
        /// `FORMAT name`; `Values` for VALUES; `None` if nothing was written.
        format: Option<Ident>,
        /// First byte of the data, counted from the start of the text given to the parser.
        offset: usize,
    },
    /// `SELECT ...`.
    Select(Box<Query>),
    /// `FROM INFILE 'path' [COMPRESSION 'gz'] [FORMAT name]`.
    Infile {
        /// The path.
        path: String,
        /// `COMPRESSION`.
        compression: Option<String>,
        /// `FORMAT`.
        format: Option<Ident>,
    },
}

impl PartialEq for InsertSource {
    /// Offsets are positions: they do not count.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Data { format: a, .. }, Self::Data { format: b, .. }) => a == b,
            (Self::Select(a), Self::Select(b)) => a == b,
            (
                Self::Infile { path: p, compression: c, format: f },
                Self::Infile { path, compression, format },
            ) => p == path && c == compression && f == format,
            _ => false,
        }
    }
}

/// Kinds of named objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ObjectKind {
    /// `DATABASE`.
    Database,
    /// `TABLE`.
    #[default]
    Table,
    /// `VIEW`.
    View,
    /// `DICTIONARY`.
    Dictionary,
    /// `FUNCTION`.
    Function,
}

/// `DROP`, `DETACH`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DropObject {
    /// `DETACH` instead of `DROP`.
    pub detach: bool,
    /// What.
    pub object: ObjectKind,
    /// `TEMPORARY`.
    pub temporary: bool,
    /// `IF EXISTS`.
    pub if_exists: bool,
    /// `IF EMPTY`.
    pub if_empty: bool,
    /// One or more; of a database or function, in `table`.
    pub names: Vec<TableName>,
    /// `ON CLUSTER`.
    pub cluster: Option<Ident>,
    /// `PERMANENTLY` of DETACH.
    pub permanently: bool,
    /// `SYNC`, `NO DELAY`.
    pub sync: bool,
}

/// `ATTACH TABLE t`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attach {
    /// What.
    pub object: ObjectKind,
    /// `IF NOT EXISTS`.
    pub if_not_exists: bool,
    /// Its name; of a database, in `table`.
    pub name: TableName,
    /// `ON CLUSTER`.
    pub cluster: Option<Ident>,
}

/// `TRUNCATE`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Truncate {
    /// Table or database.
    pub object: ObjectKind,
    /// `TRUNCATE ALL TABLES FROM db [LIKE '...']`: `name.table` is then the database.
    pub all_tables: bool,
    /// `LIKE` of ALL TABLES.
    pub like: Option<Like>,
    /// `TEMPORARY`.
    pub temporary: bool,
    /// `IF EXISTS`.
    pub if_exists: bool,
    /// Its name; of a database, in `table`.
    pub name: TableName,
    /// `ON CLUSTER`.
    pub cluster: Option<Ident>,
    /// `SYNC`.
    pub sync: bool,
}

/// `RENAME a TO b, ...`, `EXCHANGE a AND b`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rename {
    /// `EXCHANGE` instead of `RENAME`.
    pub exchange: bool,
    /// What.
    pub object: ObjectKind,
    /// `IF EXISTS`.
    pub if_exists: bool,
    /// From and to; of databases, in `table`.
    pub items: Vec<(TableName, TableName)>,
    /// `ON CLUSTER`.
    pub cluster: Option<Ident>,
}

/// `OPTIMIZE TABLE t`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Optimize {
    /// The table.
    pub table: TableName,
    /// `ON CLUSTER`.
    pub cluster: Option<Ident>,
    /// `PARTITION`.
    pub partition: Option<Partition>,
    /// `FINAL`.
    pub is_final: bool,
    /// `DEDUPLICATE`.
    pub deduplicate: bool,
    /// `DEDUPLICATE BY ...`.
    pub deduplicate_by: Vec<Expr>,
    /// `CLEANUP`.
    pub cleanup: bool,
    /// `DRY RUN`.
    pub dry_run: bool,
}

/// `DELETE FROM t [IN PARTITION p] WHERE e`.
#[derive(Clone, Debug, PartialEq)]
pub struct Delete {
    /// The table.
    pub table: TableName,
    /// `ON CLUSTER`.
    pub cluster: Option<Ident>,
    /// `IN PARTITION`.
    pub partition: Option<Partition>,
    /// Which rows.
    pub where_clause: Expr,
}

/// `UPDATE t SET a = e [IN PARTITION p] WHERE e`.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// The table.
    pub table: TableName,
    /// `ON CLUSTER`.
    pub cluster: Option<Ident>,
    /// The assignments.
    pub set: Vec<(Ident, Expr)>,
    /// `IN PARTITION`.
    pub partition: Option<Partition>,
    /// Which rows.
    pub where_clause: Expr,
}

/// `[NOT] [I]LIKE 'pattern'`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Like {
    /// `NOT`.
    pub not: bool,
    /// `ILIKE`.
    pub case_insensitive: bool,
    /// The pattern.
    pub pattern: String,
}

/// `SHOW what [FROM ...] [LIKE ...] [WHERE ...] [LIMIT ...]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Show {
    /// What.
    pub what: ShowWhat,
    /// `FULL`.
    pub full: bool,
    /// `EXTENDED`.
    pub extended: bool,
    /// `CHANGED` of SETTINGS.
    pub changed: bool,
    /// `TEMPORARY` of TABLES.
    pub temporary: bool,
    /// `FROM db`; for COLUMNS and INDEX the database of the table.
    pub from: Option<Ident>,
    /// `LIKE`.
    pub like: Option<Like>,
    /// `WHERE`.
    pub where_clause: Option<Expr>,
    /// `LIMIT`.
    pub limit: Option<Expr>,
}

/// What SHOW shows.
#[derive(Clone, Debug, PartialEq)]
pub enum ShowWhat {
    /// `DATABASES`.
    Databases,
    /// `TABLES`.
    Tables,
    /// `DICTIONARIES`.
    Dictionaries,
    /// `COLUMNS FROM t`.
    Columns(TableName),
    /// `INDEX FROM t`.
    Indexes(TableName),
    /// `CREATE TABLE t`, `SHOW TABLE t`; of a database, in `table`.
    Create {
        /// What kind.
        object: ObjectKind,
        /// `TEMPORARY`.
        temporary: bool,
        /// Its name.
        name: TableName,
    },
    /// `SETTINGS`.
    Settings,
    /// `SETTING name`.
    Setting(Ident),
    /// `PROCESSLIST`.
    Processlist,
    /// `FUNCTIONS`.
    Functions,
    /// `ENGINES`.
    Engines,
    /// `CLUSTERS`.
    Clusters,
    /// `MERGES`.
    Merges,
    /// `GRANTS`, `USERS`, `ROLES`, ...: the upper-case words.
    Access(String),
}

/// `DESCRIBE TABLE t|f(...)|(SELECT ...)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Describe {
    /// What.
    pub table: super::TableExpr,
}

/// `SYSTEM words [name]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct System {
    /// The words in upper case: `FLUSH LOGS`, `STOP MERGES`, `DROP MARK CACHE`.
    pub command: String,
    /// The table, database or query log it names.
    pub name: Option<TableName>,
    /// Whatever else stands there, as text.
    pub rest: String,
}

/// How KILL waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KillMode {
    /// `ASYNC`, or nothing.
    #[default]
    Async,
    /// `SYNC`.
    Sync,
    /// `TEST`.
    Test,
}
