//! Names of the kinds of statements, for lists, logs and messages.

use entasis_sql::ast::{ShowWhat, StatementKind};

/// The kind of a statement, as lists and logs of statements show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names are those of `name`
pub enum QueryKind {
    Select,
    Insert,
    Explain,
    Compare,
    Create,
    Alter,
    Backup,
    Restore,
    Drop,
    Optimize,
    Show,
    Describe,
    Set,
    Use,
    KillQuery,
    System,
    /// A statement that the dialect's lists have no kind for.
    None,
}

impl QueryKind {
    /// The name in `system.processes` and the logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Select => "Select",
            Self::Insert => "Insert",
            Self::Explain => "Explain",
            Self::Compare => "Compare",
            Self::Create => "Create",
            Self::Alter => "Alter",
            Self::Backup => "Backup",
            Self::Restore => "Restore",
            Self::Drop => "Drop",
            Self::Optimize => "Optimize",
            Self::Show => "Show",
            Self::Describe => "Describe",
            Self::Set => "Set",
            Self::Use => "Use",
            Self::KillQuery => "KillQuery",
            Self::System => "System",
            Self::None => "None",
        }
    }
}

/// The kind of a parsed statement.
pub(crate) fn kind_of(kind: &StatementKind) -> QueryKind {
    match kind {
        StatementKind::Query(_) => QueryKind::Select,
        StatementKind::Insert(_) => QueryKind::Insert,
        StatementKind::Explain(_) => QueryKind::Explain,
        StatementKind::Compare(_) => QueryKind::Compare,
        StatementKind::CreateDatabase(_)
        | StatementKind::CreateDictionary(_)
        | StatementKind::CreateTable(_)
        | StatementKind::CreateView(_)
        | StatementKind::CreateFunction(_) => QueryKind::Create,
        StatementKind::Alter(_) | StatementKind::AlterDatabase { .. } => QueryKind::Alter,
        StatementKind::Drop(_) | StatementKind::Truncate(_) => QueryKind::Drop,
        StatementKind::Optimize(_) => QueryKind::Optimize,
        StatementKind::Show(_) | StatementKind::Exists { .. } => QueryKind::Show,
        StatementKind::Describe(_) => QueryKind::Describe,
        StatementKind::Set(_) => QueryKind::Set,
        StatementKind::Use(_) => QueryKind::Use,
        StatementKind::Backup(backup) if backup.restore => QueryKind::Restore,
        StatementKind::Backup(_) => QueryKind::Backup,
        StatementKind::Kill { .. } => QueryKind::KillQuery,
        StatementKind::System(_) => QueryKind::System,
        _ => QueryKind::None,
    }
}

/// Whether a statement applies settings and limits itself, because it may have settings of its own,
/// or because it runs as a SELECT.
pub(crate) fn brings_settings(kind: &StatementKind) -> bool {
    match kind {
        StatementKind::Query(_) | StatementKind::Insert(_) | StatementKind::Compare(_) => true,
        StatementKind::Show(show) => !matches!(show.what, ShowWhat::Create { .. }),
        _ => false,
    }
}

/// The words with which a statement begins, for messages.
pub(crate) fn name_of(kind: &StatementKind) -> &str {
    match kind {
        StatementKind::Unsupported(unsupported) => &unsupported.what,
        StatementKind::Query(_) => "SELECT",
        StatementKind::Explain(_) => "EXPLAIN",
        StatementKind::Compare(_) => "COMPARE",
        StatementKind::Insert(_) => "INSERT",
        StatementKind::CreateDatabase(_) => "CREATE DATABASE",
        StatementKind::CreateDictionary(_) => "CREATE DICTIONARY",
        StatementKind::CreateTable(_) => "CREATE TABLE",
        StatementKind::CreateView(_) => "CREATE VIEW",
        StatementKind::CreateFunction(_) => "CREATE FUNCTION",
        StatementKind::Drop(drop) if drop.detach => "DETACH",
        StatementKind::Drop(_) => "DROP",
        StatementKind::Attach(attach) if attach.undrop => "UNDROP",
        StatementKind::Attach(_) => "ATTACH",
        StatementKind::Backup(backup) if backup.restore => "RESTORE",
        StatementKind::Backup(_) => "BACKUP",
        StatementKind::Truncate(_) => "TRUNCATE",
        StatementKind::Rename(rename) if rename.exchange => "EXCHANGE",
        StatementKind::Rename(_) => "RENAME",
        StatementKind::Alter(_) | StatementKind::AlterDatabase { .. } => "ALTER",
        StatementKind::Optimize(_) => "OPTIMIZE",
        StatementKind::Delete(_) => "DELETE",
        StatementKind::Update(_) => "UPDATE",
        StatementKind::Check { .. } => "CHECK",
        StatementKind::Show(_) => "SHOW",
        StatementKind::Describe(_) => "DESCRIBE",
        StatementKind::Exists { .. } => "EXISTS",
        StatementKind::Set(_) => "SET",
        StatementKind::Use(_) => "USE",
        StatementKind::System(_) => "SYSTEM",
        StatementKind::Kill { .. } => "KILL",
        StatementKind::Transaction(words) => words,
    }
}

/// Whether a statement creates, drops or changes databases, tables, views or functions. TRUNCATE
/// and RESTORE count, too.
pub(crate) fn changes_schema(kind: &StatementKind) -> bool {
    if let StatementKind::Backup(backup) = kind {
        return backup.restore;
    }
    matches!(
        kind,
        StatementKind::CreateDatabase(_)
            | StatementKind::CreateDictionary(_)
            | StatementKind::CreateTable(_)
            | StatementKind::CreateView(_)
            | StatementKind::CreateFunction(_)
            | StatementKind::Alter(_)
            | StatementKind::AlterDatabase { .. }
            | StatementKind::Attach(_)
            | StatementKind::Drop(_)
            | StatementKind::Rename(_)
            | StatementKind::Truncate(_)
    )
}
