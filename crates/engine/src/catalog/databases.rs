//! What is known of databases besides their tables: the engine that a statement named, and a
//! comment. The store keeps the text of the CREATE DATABASE; every engine works in the same way.

use entasis_base::{Error, Position, Result, codes};
use entasis_mergetree::Op;
use entasis_sql::ast::{self, DatabaseChange, StatementKind};
use entasis_sql::{FormatOptions, format_statement};

use super::{EngineCatalog, SYSTEM, is_information_schema, refuse_system, unknown_database};

/// Engine and comment of a database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DatabaseInfo {
    /// The name of the engine.
    pub engine: String,
    /// COMMENT; empty if there is none.
    pub comment: String,
}

impl DatabaseInfo {
    fn new(engine: &str, comment: &str) -> Self {
        Self { engine: engine.to_string(), comment: comment.to_string() }
    }

    /// The statement that creates the database, on several lines.
    pub(crate) fn create_query(&self, name: &str) -> String {
        let engine = ast::Engine { name: self.engine.clone(), ..ast::Engine::default() };
        let comment = Some(self.comment.clone()).filter(|comment| !comment.is_empty());
        let create = ast::CreateDatabase {
            name: ast::Ident::new(name),
            engine: Some(engine),
            comment,
            ..ast::CreateDatabase::default()
        };
        let statement = ast::Statement {
            kind: StatementKind::CreateDatabase(Box::new(create)),
            output: ast::Output::default(),
            position: Position::default(),
        };
        format_statement(&statement, FormatOptions { one_line: false, ..FormatOptions::default() })
    }

    /// The text that the store keeps; empty for a database without anything of its own.
    pub(crate) fn text(&self, name: &str) -> String {
        if self.engine == "Atomic" && self.comment.is_empty() {
            return String::new();
        }
        self.create_query(name)
    }

    /// Reads what [`Self::text`] has written.
    fn parse(text: &str) -> Option<Self> {
        match entasis_sql::parse_statement(text).ok()?.kind {
            StatementKind::CreateDatabase(create) => {
                let engine = create.engine.map_or("Atomic".into(), |engine| engine.name);
                Some(Self { engine, comment: create.comment.unwrap_or_default() })
            }
            _ => None,
        }
    }
}

/// What a CREATE DATABASE says, or an error if its engine does not exist here.
/// `allow_ordinary` is the setting `allow_deprecated_database_ordinary`.
pub(crate) fn info_of(create: &ast::CreateDatabase, allow_ordinary: bool) -> Result<DatabaseInfo> {
    let comment = create.comment.clone().unwrap_or_default();
    let Some(engine) = &create.engine else { return Ok(DatabaseInfo::new("Atomic", &comment)) };
    let unknown = |message: String| {
        Err(Error::new(codes::UNKNOWN_DATABASE_ENGINE, message).at(engine.position))
    };
    match engine.name.as_str() {
        "Ordinary" if !allow_ordinary => unknown(
            "Ordinary database engine is deprecated (see also allow_deprecated_database_ordinary \
             setting): leave ENGINE out"
                .into(),
        ),
        "Atomic" | "Memory" | "Ordinary" if engine.args.is_none() => {
            Ok(DatabaseInfo::new(&engine.name, &comment))
        }
        "Atomic" | "Memory" | "Ordinary" => {
            let message = format!("Database engine `{}` cannot have arguments", engine.name);
            Err(Error::new(codes::BAD_ARGUMENTS, message).at(engine.position))
        }
        name if ELSEWHERE.contains(&name) => {
            let what = format!(
                "Database engine {name} (its tables are outside of this server: use Atomic, and \
                 copy the rows with INSERT ... SELECT)"
            );
            Err(Error::not_implemented(what).at(engine.position))
        }
        name => {
            unknown(format!("Unknown database engine: {name}. Use Atomic, or leave ENGINE out"))
        }
    }
}

/// Database engines of the reference whose tables are kept elsewhere.
const ELSEWHERE: [&str; 12] = [
    "Backup",
    "DataLakeCatalog",
    "Dictionary",
    "Filesystem",
    "HDFS",
    "MaterializedPostgreSQL",
    "MySQL",
    "Overlay",
    "PostgreSQL",
    "Replicated",
    "S3",
    "SQLite",
];

impl EngineCatalog {
    /// ALTER DATABASE ... MODIFY.
    pub(crate) fn alter_database(&self, name: &str, change: &DatabaseChange) -> Result<()> {
        match change {
            DatabaseChange::Comment(comment) => self.comment_database(name, comment),
            DatabaseChange::Settings(changes) => self.refuse_database_settings(name, changes),
        }
    }

    /// MODIFY COMMENT.
    fn comment_database(&self, name: &str, comment: &str) -> Result<()> {
        let _held = self.lock_changes();
        if !self.has_database(name) {
            return Err(unknown_database(name));
        }
        refuse_system(name)?;
        let info = DatabaseInfo { comment: comment.to_string(), ..self.database_info(name) };
        let (name, definition) = (name.to_string(), info.text(name));
        self.store.execute_all(vec![Op::AlterDatabase { name, definition }])
    }

    /// MODIFY SETTING: no engine of databases has settings that can change.
    fn refuse_database_settings(&self, name: &str, changes: &[ast::SettingChange]) -> Result<()> {
        if !self.has_database(name) {
            return Err(unknown_database(name));
        }
        let engine = self.database_info(name).engine;
        if engine != "Atomic" {
            let message = format!(
                "Database engine {engine} either does not support settings, or does not support \
                 altering settings"
            );
            return Err(Error::new(codes::NOT_IMPLEMENTED, message));
        }
        let setting = changes.first().map_or("", |change| &change.name);
        let message =
            format!("Database engine {engine} does not support altering setting `{setting}`");
        Err(Error::new(codes::BAD_ARGUMENTS, message))
    }

    /// Engine and comment of a database.
    pub(crate) fn database_info(&self, name: &str) -> DatabaseInfo {
        if name == SYSTEM || is_information_schema(name) {
            return DatabaseInfo::new("Memory", "");
        }
        let definition = self.store.database_definition(name).filter(|text| !text.is_empty());
        let known = definition.and_then(|text| DatabaseInfo::parse(&text));
        known.unwrap_or_else(|| DatabaseInfo::new("Atomic", ""))
    }
}
