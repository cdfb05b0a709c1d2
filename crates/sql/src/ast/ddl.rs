//! CREATE, ALTER and their parts.

use entasis_base::Position;

use super::{
    Expr, Function, Ident, Query, Refresh, SettingChange, TableName, TtlItem, TypeArg, TypeName,
};

/// `CREATE DATABASE`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CreateDatabase {
    /// `IF NOT EXISTS`.
    pub if_not_exists: bool,
    /// Its name.
    pub name: Ident,
    /// `ON CLUSTER`.
    pub cluster: Option<Ident>,
    /// `ENGINE = ...`.
    pub engine: Option<Engine>,
    /// `SETTINGS`.
    pub settings: Vec<SettingChange>,
    /// `COMMENT`.
    pub comment: Option<String>,
}

/// How CREATE TABLE and CREATE VIEW treat an object that exists already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CreateMode {
    /// `ATTACH` instead of `CREATE`.
    pub attach: bool,
    /// `OR REPLACE`.
    pub or_replace: bool,
    /// `REPLACE TABLE` (fails if there is none).
    pub replace: bool,
    /// `IF NOT EXISTS`.
    pub if_not_exists: bool,
    /// `TEMPORARY`.
    pub temporary: bool,
}

/// `CREATE TABLE`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CreateTable {
    /// OR REPLACE, IF NOT EXISTS, ...
    pub mode: CreateMode,
    /// Its name.
    pub name: TableName,
    /// `UUID '...'`.
    pub uuid: Option<String>,
    /// `ON CLUSTER`.
    pub cluster: Option<Ident>,
    /// Columns, indices, constraints, projections.
    pub elements: TableElements,
    /// Engine and keys.
    pub storage: Storage,
    /// `AS SELECT`, `AS t`, `AS numbers(1)`, `CLONE AS t`.
    pub source: Option<CreateSource>,
    /// `EMPTY AS SELECT`.
    pub empty: bool,
    /// `COMMENT`.
    pub comment: Option<String>,
}

/// The source after AS in CREATE TABLE.
#[derive(Clone, Debug, PartialEq)]
pub enum CreateSource {
    /// A query that gives structure and rows.
    Select(Box<Query>),
    /// A table whose structure is taken, and its engine if the statement names none.
    Table(TableName),
    /// `CLONE AS t`: structure and data of the table.
    Clone(TableName),
    /// A table function.
    Function(Box<Function>),
}

/// The content of the parentheses of CREATE TABLE.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableElements {
    /// Columns.
    pub columns: Vec<ColumnDef>,
    /// `INDEX`.
    pub indices: Vec<IndexDef>,
    /// `CONSTRAINT`.
    pub constraints: Vec<ConstraintDef>,
    /// `PROJECTION`.
    pub projections: Vec<ProjectionDef>,
    /// `PRIMARY KEY (...)` inside the parentheses.
    pub primary_key: Option<Vec<Expr>>,
}

/// A column.
#[derive(Clone, Debug, Default)]
pub struct ColumnDef {
    /// Its name; parts of a nested name joined by dots.
    pub name: Ident,
    /// Its type; may be absent when there is a default expression.
    pub data_type: Option<TypeName>,
    /// `NULL` is `Some(true)`, `NOT NULL` is `Some(false)`.
    pub nullable: Option<bool>,
    /// DEFAULT, MATERIALIZED, ALIAS, EPHEMERAL.
    pub default: Option<ColumnDefault>,
    /// `COMMENT`.
    pub comment: Option<String>,
    /// `CODEC(...)`: one call or identifier per codec.
    pub codec: Option<Vec<Function>>,
    /// `STATISTICS(...)`.
    pub statistics: Option<Vec<Function>>,
    /// `TTL`.
    pub ttl: Option<Expr>,
    /// `AUTO_INCREMENT`.
    pub auto_increment: bool,
    /// `COLLATE`.
    pub collate: Option<String>,
    /// `PRIMARY KEY` after the type.
    pub primary_key: bool,
    /// `SETTINGS (a = 1)`.
    pub settings: Vec<SettingChange>,
    /// Where it stands in the query text.
    pub position: Position,
}

impl PartialEq for ColumnDef {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
            && self.data_type == other.data_type
            && self.nullable == other.nullable
            && self.default == other.default
            && self.comment == other.comment
            && self.codec == other.codec
            && self.statistics == other.statistics
            && self.ttl == other.ttl
            && self.auto_increment == other.auto_increment
            && self.collate == other.collate
            && self.primary_key == other.primary_key
            && self.settings == other.settings
    }
}

/// A column's default.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnDefault {
    /// Which of DEFAULT, MATERIALIZED, ALIAS and EPHEMERAL it is.
    pub kind: DefaultKind,
    /// The value; absent only for a bare EPHEMERAL.
    pub expr: Option<Expr>,
}

/// How a default is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultKind {
    /// `DEFAULT`.
    Default,
    /// `MATERIALIZED`.
    Materialized,
    /// `ALIAS`.
    Alias,
    /// `EPHEMERAL`.
    Ephemeral,
}

/// `INDEX name expr TYPE minmax GRANULARITY 1`.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexDef {
    /// Its name.
    pub name: Ident,
    /// The indexed expression.
    pub expr: Expr,
    /// `minmax`, `set(100)`, `bloom_filter(0.01)`.
    pub index_type: Option<Function>,
    /// `GRANULARITY`.
    pub granularity: Option<u64>,
}

/// `CONSTRAINT name CHECK expr`.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstraintDef {
    /// Its name.
    pub name: Ident,
    /// `ASSUME` instead of `CHECK`.
    pub assume: bool,
    /// The condition that rows must fulfil.
    pub expr: Expr,
}

/// `PROJECTION name (SELECT ...)` or `PROJECTION name INDEX expr TYPE kind`, and the settings
/// behind either.
#[derive(Clone, Debug, PartialEq)]
pub struct ProjectionDef {
    /// Its name.
    pub name: Ident,
    /// The query, which has no FROM. An index stands for `SELECT _part_offset ORDER BY expr`.
    pub query: Box<Query>,
    /// `INDEX expr TYPE kind`.
    pub index: Option<(Expr, Ident)>,
    /// `WITH SETTINGS (...)`.
    pub settings: Vec<SettingChange>,
}

/// The engine of a table and the clauses after it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Storage {
    /// `ENGINE = ...`.
    pub engine: Option<Engine>,
    /// `PARTITION BY`.
    pub partition_by: Option<Expr>,
    /// `PRIMARY KEY`: the columns of the tuple.
    pub primary_key: Option<Vec<Expr>>,
    /// `ORDER BY`: the columns of the tuple; `tuple()` gives an empty list.
    pub order_by: Option<Vec<KeyItem>>,
    /// `SAMPLE BY`.
    pub sample_by: Option<Expr>,
    /// `TTL`.
    pub ttl: Vec<TtlItem>,
    /// `SETTINGS`.
    pub settings: Vec<SettingChange>,
}

/// One column of a sorting key.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyItem {
    /// The column or expression.
    pub expr: Expr,
    /// `DESC`.
    pub descending: bool,
}

/// `MergeTree`, `ReplacingMergeTree(v)`.
#[derive(Clone, Debug, Default)]
pub struct Engine {
    /// Its name.
    pub name: String,
    /// The arguments in parentheses. `()` is `None`, too.
    pub args: Option<Vec<Expr>>,
    /// Where it stands in the query text.
    pub position: Position,
}

impl PartialEq for Engine {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.args == other.args
    }
}

/// `CREATE [MATERIALIZED] VIEW`.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateView {
    /// OR REPLACE, IF NOT EXISTS, ...
    pub mode: CreateMode,
    /// `MATERIALIZED`.
    pub materialized: bool,
    /// Its name.
    pub name: TableName,
    /// `UUID '...'`.
    pub uuid: Option<String>,
    /// `ON CLUSTER`.
    pub cluster: Option<Ident>,
    /// `TO db.t`.
    pub to: Option<TableName>,
    /// Declared columns.
    pub elements: TableElements,
    /// `(a, b)` without types: aliases of the query's columns.
    pub aliases: Vec<Ident>,
    /// Engine and keys of the inner table.
    pub storage: Storage,
    /// `POPULATE`.
    pub populate: bool,
    /// `EMPTY` of refreshable views.
    pub empty: bool,
    /// `REFRESH ...`.
    pub refresh: Option<Refresh>,
    /// `DEFINER = ... SQL SECURITY ...`: kept as text.
    pub security: Option<String>,
    /// The query.
    pub query: Box<Query>,
    /// `COMMENT`.
    pub comment: Option<String>,
}

/// `CREATE FUNCTION name AS (x) -> e`.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateFunction {
    /// `OR REPLACE`.
    pub or_replace: bool,
    /// `IF NOT EXISTS`.
    pub if_not_exists: bool,
    /// Its name.
    pub name: Ident,
    /// `ON CLUSTER`.
    pub cluster: Option<Ident>,
    /// The lambda.
    pub body: Expr,
}

/// `ALTER TABLE t command, command`.
#[derive(Clone, Debug, PartialEq)]
pub struct AlterTable {
    /// `ALTER TEMPORARY TABLE`.
    pub temporary: bool,
    /// The table.
    pub table: TableName,
    /// `ON CLUSTER`.
    pub cluster: Option<Ident>,
    /// The commands, in the order of the text.
    pub commands: Vec<AlterCommand>,
}

/// The position of a column in ALTER.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnPlace {
    /// `FIRST`.
    First,
    /// `AFTER name`.
    After(Ident),
}

/// The partition or part that a command names.
#[derive(Clone, Debug, PartialEq)]
pub enum Partition {
    /// `PARTITION expr`.
    Expr(Expr),
    /// `PARTITION ID 'id'`.
    Id(String),
    /// `PARTITION ALL`.
    All,
    /// `PART 'name'`.
    Part(String),
}

/// A command of ALTER.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // the fields are what the command's syntax says
pub enum AlterCommand {
    /// `ADD COLUMN`.
    AddColumn { if_not_exists: bool, column: ColumnDef, place: Option<ColumnPlace> },
    /// `DROP COLUMN`.
    DropColumn { if_exists: bool, name: Ident },
    /// `CLEAR COLUMN`.
    ClearColumn { if_exists: bool, name: Ident, partition: Option<Partition> },
    /// `MATERIALIZE COLUMN`.
    MaterializeColumn { name: Ident, partition: Option<Partition> },
    /// `MODIFY COLUMN c ...`, `ALTER COLUMN c TYPE ...`.
    ModifyColumn { if_exists: bool, column: ColumnDef, place: Option<ColumnPlace> },
    /// `MODIFY COLUMN c ADD ENUM VALUES ('a' = 1, 'b')`.
    AddEnumValues { if_exists: bool, name: Ident, values: Vec<TypeArg> },
    /// `MODIFY COLUMN c REMOVE DEFAULT|CODEC|TTL|COMMENT|...`.
    ModifyColumnRemove { if_exists: bool, name: Ident, property: String },
    /// `MODIFY COLUMN c MODIFY SETTING a = 1`.
    ModifyColumnSetting { if_exists: bool, name: Ident, settings: Vec<SettingChange> },
    /// `MODIFY COLUMN c RESET SETTING a`.
    ResetColumnSetting { if_exists: bool, name: Ident, settings: Vec<String> },
    /// `RENAME COLUMN`.
    RenameColumn { if_exists: bool, from: Ident, to: Ident },
    /// `COMMENT COLUMN`.
    CommentColumn { if_exists: bool, name: Ident, comment: String },
    /// `MODIFY ORDER BY`.
    ModifyOrderBy(Vec<KeyItem>),
    /// `MODIFY SAMPLE BY`.
    ModifySampleBy(Expr),
    /// `REMOVE SAMPLE BY`.
    RemoveSampleBy,
    /// `MODIFY TTL`.
    ModifyTtl(Vec<TtlItem>),
    /// `REMOVE TTL`.
    RemoveTtl,
    /// `MATERIALIZE TTL`.
    MaterializeTtl { partition: Option<Partition> },
    /// `MODIFY SETTING`.
    ModifySetting(Vec<SettingChange>),
    /// `RESET SETTING`.
    ResetSetting(Vec<String>),
    /// `MODIFY COMMENT`.
    ModifyComment(String),
    /// `MODIFY REFRESH`.
    ModifyRefresh(Box<Refresh>),
    /// `MODIFY QUERY`.
    ModifyQuery(Box<Query>),
    /// `MODIFY DEFINER = ... SQL SECURITY ...`: kept as text.
    ModifySecurity(String),
    /// `ADD INDEX`.
    AddIndex { if_not_exists: bool, index: IndexDef, place: Option<ColumnPlace> },
    /// `DROP INDEX`.
    DropIndex { if_exists: bool, name: Ident },
    /// `CLEAR INDEX`.
    ClearIndex { if_exists: bool, name: Ident, partition: Option<Partition> },
    /// `MATERIALIZE INDEX`.
    MaterializeIndex { if_exists: bool, name: Ident, partition: Option<Partition> },
    /// `ADD PROJECTION`.
    AddProjection { if_not_exists: bool, projection: ProjectionDef, place: Option<ColumnPlace> },
    /// `DROP PROJECTION`.
    DropProjection { if_exists: bool, name: Ident },
    /// `CLEAR PROJECTION`.
    ClearProjection { if_exists: bool, name: Ident, partition: Option<Partition> },
    /// `MATERIALIZE PROJECTION`.
    MaterializeProjection { if_exists: bool, name: Ident, partition: Option<Partition> },
    /// `ADD CONSTRAINT`.
    AddConstraint { if_not_exists: bool, constraint: ConstraintDef },
    /// `DROP CONSTRAINT`.
    DropConstraint { if_exists: bool, name: Ident },
    /// `ADD STATISTICS a, b TYPE uniq, minmax` and the like.
    Statistics(Box<AlterStatistics>),
    /// `DELETE [IN PARTITION p] WHERE`.
    Delete { partition: Option<Partition>, where_clause: Expr },
    /// `UPDATE a = e [IN PARTITION p] WHERE`.
    Update { set: Vec<(Ident, Expr)>, partition: Option<Partition>, where_clause: Expr },
    /// `APPLY DELETED MASK`, `APPLY PATCHES`, `REWRITE PARTS`.
    Rewrite { which: RewrittenParts, partition: Option<Partition> },
    /// `FORGET PARTITION p`.
    ForgetPartition { partition: Partition },
    /// `DROP PARTITION`, `DETACH PARTITION`.
    DropPartition { partition: Partition, detach: bool },
    /// `DROP DETACHED PARTITION`.
    DropDetachedPartition { partition: Partition },
    /// `ATTACH PARTITION [FROM t]`.
    AttachPartition { partition: Partition, from: Option<TableName> },
    /// `REPLACE PARTITION p FROM t`.
    ReplacePartition { partition: Partition, from: TableName },
    /// `MOVE PARTITION p TO TABLE t`.
    MovePartition { partition: Partition, to: MoveTarget },
    /// `FREEZE [PARTITION p] [WITH NAME 'n']`.
    Freeze { partition: Option<Partition>, name: Option<String> },
    /// `UNFREEZE [PARTITION p] WITH NAME 'n'`.
    Unfreeze { partition: Option<Partition>, name: Option<String> },
    /// `FETCH PARTITION p FROM 'path'`.
    FetchPartition { partition: Partition, from: String },
}

/// Which parts a command of ALTER rewrites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RewrittenParts {
    /// `APPLY DELETED MASK`: those with deleted rows.
    Deleted,
    /// `APPLY PATCHES`: those with patches.
    Patched,
    /// `REWRITE PARTS`: all.
    All,
}

/// A command of ALTER that concerns the statistics of columns.
#[derive(Clone, Debug, PartialEq)]
pub struct AlterStatistics {
    /// What is done with them.
    pub verb: StatisticsVerb,
    /// `IF NOT EXISTS` of ADD, `IF EXISTS` of the others.
    pub conditional: bool,
    /// The columns; empty for `ALL`.
    pub columns: Vec<Ident>,
    /// The types behind `TYPE`, for ADD and MODIFY.
    pub kinds: Vec<Function>,
    /// `IN PARTITION`.
    pub partition: Option<Partition>,
}

/// What a command does with statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatisticsVerb {
    /// `ADD`.
    Add,
    /// `DROP`.
    Drop,
    /// `MODIFY`.
    Modify,
    /// `CLEAR`.
    Clear,
    /// `MATERIALIZE`.
    Materialize,
}

impl StatisticsVerb {
    /// The keyword.
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "ADD",
            Self::Drop => "DROP",
            Self::Modify => "MODIFY",
            Self::Clear => "CLEAR",
            Self::Materialize => "MATERIALIZE",
        }
    }
}

/// The destination of a partition that is moved.
#[derive(Clone, Debug, PartialEq)]
pub enum MoveTarget {
    /// `TO TABLE t`.
    Table(TableName),
    /// `TO DISK 'd'`.
    Disk(String),
    /// `TO VOLUME 'v'`.
    Volume(String),
}
