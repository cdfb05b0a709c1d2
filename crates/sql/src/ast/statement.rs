//! Statements: everything that is sent as one query.

use entasis_base::Position;

use super::{
    AlterTable, Backup, CreateDatabase, CreateDictionary, CreateFunction, CreateTable, CreateView,
    Expr, Function, Ident, Output, Partition, Query, SettingChange, TableName,
};

/// A statement with the clauses that follow it.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The kind of the statement, with its parts.
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

/// The kinds of statements.
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
    /// `CREATE DICTIONARY`.
    CreateDictionary(Box<CreateDictionary>),
    /// `CREATE TABLE`.
    CreateTable(Box<CreateTable>),
    /// `CREATE VIEW`.
    CreateView(Box<CreateView>),
    /// `CREATE FUNCTION`.
    CreateFunction(Box<CreateFunction>),
    /// `CREATE USER|ROLE|...`, `GRANT`, ...: known by its first words, not parsed.
    Unsupported(Unsupported),
    /// `BACKUP`, `RESTORE`.
    Backup(Box<Backup>),
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
    /// `ALTER DATABASE name MODIFY ...`.
    AlterDatabase {
        /// The database.
        name: Ident,
        /// What becomes of it.
        change: DatabaseChange,
    },
    /// `OPTIMIZE TABLE`.
    Optimize(Box<Optimize>),
    /// `DELETE FROM t WHERE`.
    Delete(Box<Delete>),
    /// `UPDATE t SET a = e WHERE`.
    Update(Box<Update>),
    /// `CHECK TABLE`, `CHECK DATABASE`, `CHECK ALL TABLES`.
    Check {
        /// The table; only a database for `DATABASE`, and an empty name for `ALL TABLES`.
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
        /// The kind of the object.
        object: ObjectKind,
        /// `TEMPORARY`.
        temporary: bool,
        /// The name. The name of a database is in `table`.
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
        /// The condition that selects the queries or mutations.
        where_clause: Box<Expr>,
        /// `SYNC`, `ASYNC`, `TEST`.
        mode: KillMode,
    },
    /// `BEGIN`, `COMMIT`, `ROLLBACK`: the upper-case word.
    Transaction(&'static str),
}

/// A statement of the dialect that is recognised but not parsed.
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
    /// The form of EXPLAIN.
    pub kind: ExplainKind,
    /// `EXPLAIN actions = 1, json = 1 ...`.
    pub settings: Vec<SettingChange>,
    /// The statement that is explained.
    pub statement: Statement,
}

/// `COMPARE (old) WITH (new)`, or `COMPARE (old) USING SETTINGS a = 1 VERSUS a = 2`. Only Entasis
/// has this statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Compare {
    /// The query with which the other is compared.
    pub old: Query,
    /// The other query; `None` if it is the same one.
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
    /// `ANALYZE`: runs the query and returns the plan with measurements.
    Analyze,
    /// `TABLE OVERRIDE`.
    TableOverride,
    /// `CURRENT TRANSACTION`.
    CurrentTransaction,
}

/// `INSERT INTO`.
#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    /// The destination of the rows.
    pub target: InsertTarget,
    /// The list of columns: identifiers, or `* EXCEPT (...)`, `COLUMNS(...)`. Empty means all
    /// columns.
    pub columns: Vec<Expr>,
    /// `PARTITION BY` of table functions.
    pub partition_by: Option<Expr>,
    /// `SETTINGS`.
    pub settings: Vec<SettingChange>,
    /// The source of the rows.
    pub source: InsertSource,
}

/// The destination of an INSERT.
#[derive(Clone, Debug, PartialEq)]
pub enum InsertTarget {
    /// `INTO t`.
    Table(TableName),
    /// `INTO FUNCTION file(...)`.
    Function(Box<Function>),
}

/// The source of an INSERT.
#[derive(Clone, Debug)]
pub enum InsertSource {
    /// `VALUES ...`, `FORMAT name ...`, or nothing. The data is in the text from this byte on, or
    /// outside of the text.
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
    /// Offsets are positions, so equality ignores them.
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
    /// The kind of the object.
    pub object: ObjectKind,
    /// `TEMPORARY`.
    pub temporary: bool,
    /// `IF EXISTS`.
    pub if_exists: bool,
    /// `IF EMPTY`.
    pub if_empty: bool,
    /// One or more names. The name of a database or function is in `table`.
    pub names: Vec<TableName>,
    /// `ON CLUSTER`.
    pub cluster: Option<Ident>,
    /// `PERMANENTLY` of DETACH.
    pub permanently: bool,
    /// `SYNC`, `NO DELAY`.
    pub sync: bool,
}

/// `ATTACH TABLE t`, `UNDROP TABLE t`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attach {
    /// `UNDROP` instead of `ATTACH`.
    pub undrop: bool,
    /// The kind of the object.
    pub object: ObjectKind,
    /// `IF NOT EXISTS`.
    pub if_not_exists: bool,
    /// The name. The name of a database is in `table`.
    pub name: TableName,
    /// `ON CLUSTER`.
    pub cluster: Option<Ident>,
}

/// `TRUNCATE`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Truncate {
    /// The kind of the object: a table or a database.
    pub object: ObjectKind,
    /// `TRUNCATE ALL TABLES FROM db [LIKE '...']`: `name.table` is then the database.
    pub all_tables: bool,
    /// `LIKE` of ALL TABLES.
    pub like: Option<Like>,
    /// `TEMPORARY`.
    pub temporary: bool,
    /// `IF EXISTS`.
    pub if_exists: bool,
    /// The name. The name of a database is in `table`.
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
    /// The kind of the object.
    pub object: ObjectKind,
    /// `IF EXISTS`.
    pub if_exists: bool,
    /// Pairs of old and new names. Names of databases are in `table`.
    pub items: Vec<(TableName, TableName)>,
    /// `ON CLUSTER`.
    pub cluster: Option<Ident>,
}

/// What `ALTER DATABASE` changes.
#[derive(Clone, Debug, PartialEq)]
pub enum DatabaseChange {
    /// `MODIFY COMMENT 'text'`.
    Comment(String),
    /// `MODIFY SETTING name = value`.
    Settings(Vec<SettingChange>),
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
    /// `DRY RUN PARTS 'a', 'b'`: the parts that are merged without effect.
    pub dry_run: Option<Vec<String>>,
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
    /// The condition that selects the rows.
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
    /// The condition that selects the rows.
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
    /// The kind of the objects that are shown.
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

/// The things that SHOW can list.
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
    /// `CREATE TABLE t`, `SHOW TABLE t`. The name of a database is in `table`.
    Create {
        /// The kind of the object.
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
    /// The table, function or query that is described.
    pub table: super::TableExpr,
}

/// `SYSTEM words [name]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct System {
    /// The words in upper case: `FLUSH LOGS`, `STOP MERGES`, `DROP MARK CACHE`.
    pub command: String,
    /// The table, database or query log that the command names.
    pub name: Option<TableName>,
    /// The rest of the command, as text.
    pub rest: String,
}

/// Whether KILL waits for the end of what it kills.
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
