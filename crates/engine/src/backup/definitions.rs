//! Definitions on their way into and out of a backup: the same statement, with other names where
//! AS renames what it names.

use entasis_base::{Error, Position, Result, codes};
use entasis_sql::ast::{
    self, CreateDictionary, DictionaryValue, ExprKind, Ident, Literal, StatementKind, TableName,
};
use entasis_sql::{FormatOptions, format_query, format_statement};

use crate::definition::view::Name;
use crate::definition::{StoredStatement, zone};

/// The new names of tables and databases.
#[derive(Clone, Debug, Default)]
pub(super) struct Renames {
    /// Tables that get another name. They come before the databases.
    pub tables: Vec<(Name, Name)>,
    /// Databases that get another name.
    pub databases: Vec<(String, String)>,
}

impl Renames {
    /// The new name of a database.
    pub fn database(&self, name: &str) -> String {
        let found = self.databases.iter().find(|(old, _)| old == name);
        found.map_or(name, |(_, new)| new).to_owned()
    }

    /// The new name of a table.
    pub fn table(&self, name: &Name) -> Name {
        match self.tables.iter().find(|(old, _)| old == name) {
            Some((_, new)) => new.clone(),
            None => (self.database(&name.0), name.1.clone()),
        }
    }

    fn full(&self, name: &TableName) -> Option<TableName> {
        let old = (name.database.as_ref()?.name.clone(), name.table.name.clone());
        let new = self.table(&old);
        (new != old)
            .then(|| TableName { database: Some(Ident::new(new.0)), table: Ident::new(new.1) })
    }

    fn change(&self, name: &mut TableName) {
        if let Some(new) = self.full(name) {
            *name = new;
        }
    }

    fn is_empty(&self) -> bool {
        self.tables.is_empty() && self.databases.is_empty()
    }
}

/// A stored definition under another name and with other names in it. `own` is the name that the
/// object has; a materialised view that has an inner table gets `uuid`, if it is given.
pub(super) fn renamed(
    (text, version): (&str, u32),
    own: &Name,
    renames: &Renames,
    uuid: Option<&str>,
) -> Result<String> {
    if renames.is_empty() && uuid.is_none() {
        return Ok(text.to_owned());
    }
    let name = TableName { database: None, table: Ident::new(renames.table(own).1) };
    Ok(formatted(match StoredStatement::parse(text, version)? {
        StoredStatement::Table(mut create) => {
            create.name = name;
            if let Some(engine) = &mut create.storage.engine {
                engine_arguments(engine, renames);
            }
            StatementKind::CreateTable(create)
        }
        StoredStatement::View(mut create) => {
            create.name = name;
            entasis_sql::rename_tables(&mut create.query, &|name| renames.full(name));
            create.to.iter_mut().for_each(|to| renames.change(to));
            let refresh = create.refresh.iter_mut().flat_map(|refresh| &mut refresh.depends_on);
            refresh.for_each(|other| renames.change(other));
            if let Some(uuid) = uuid {
                create.uuid = Some(uuid.to_owned());
            }
            StatementKind::CreateView(create)
        }
        StoredStatement::Dictionary(mut create) => {
            create.name = name;
            dictionary_source(&mut create, &own.0, renames)?;
            StatementKind::CreateDictionary(create)
        }
    }))
}

/// A definition without what may differ between two tables with the same definition: its name, and
/// the identity of its inner table.
pub(super) fn canonical(text: &str, version: u32) -> Result<String> {
    let name = TableName { database: None, table: Ident::new("t") };
    Ok(formatted(match StoredStatement::parse(text, version)? {
        StoredStatement::Table(create) => {
            StatementKind::CreateTable(Box::new(ast::CreateTable { name, ..*create }))
        }
        StoredStatement::View(create) => {
            StatementKind::CreateView(Box::new(ast::CreateView { name, uuid: None, ..*create }))
        }
        StoredStatement::Dictionary(create) => {
            StatementKind::CreateDictionary(Box::new(CreateDictionary { name, ..*create }))
        }
    }))
}

/// Whether a table with one definition can read the parts of a table with another one: they have
/// the same engine and the same keys, which are computed in the same time zone.
pub(super) fn same_parts(one: (&str, u32), other: (&str, u32)) -> Result<bool> {
    type Keys = Option<(ast::Storage, Option<&'static str>)>;
    let keys = |(text, version): (&str, u32)| -> Result<Keys> {
        let StoredStatement::Table(create) = StoredStatement::parse(text, version)? else {
            return Ok(None);
        };
        let mut create = *create;
        let zone = zone::take(&mut create)?.map(|zone| zone.name());
        let (settings, ttl) = (Vec::new(), Vec::new());
        Ok(Some((ast::Storage { settings, ttl, ..create.storage }, zone)))
    };
    Ok(keys(one)? == keys(other)?)
}

/// The UUID of the inner table of a stored view; `None` if it has none.
pub(super) fn inner_uuid(text: &str, version: u32) -> Result<Option<String>> {
    Ok(match StoredStatement::parse(text, version)? {
        StoredStatement::View(create) if create.materialized && create.to.is_none() => create.uuid,
        _ => None,
    })
}

/// The name of the inner table of a view with this UUID.
pub(super) fn inner_name(uuid: &str) -> String {
    format!(".inner_id.{uuid}")
}

fn formatted(kind: StatementKind) -> String {
    let (output, position) = (ast::Output::default(), Position::default());
    let statement = ast::Statement { kind, output, position };
    format_statement(&statement, FormatOptions { one_line: false, ..FormatOptions::default() })
}

/// The text of an argument.
fn text(expr: &ast::Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Literal(Literal::String(bytes)) => {
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
        ExprKind::Identifier(parts) => {
            Some(parts.iter().map(|part| part.as_str()).collect::<Vec<_>>().join("."))
        }
        _ => None,
    }
}

fn set(expr: &mut ast::Expr, text: String) {
    expr.kind = ExprKind::Literal(Literal::String(text.into_bytes()));
}

/// Renames what the arguments of an engine name.
fn engine_arguments(engine: &mut ast::Engine, renames: &Renames) {
    let args = engine.args.as_deref_mut().unwrap_or_default();
    let pair = match (engine.name.as_str(), args) {
        ("Merge", [database, ..]) => {
            // A database that is not named but described stays as it is.
            if let Some(name) = text(database) {
                set(database, renames.database(&name));
            }
            return;
        }
        ("Dictionary", [name]) => {
            let old = text(name).unwrap_or_default();
            if let Some((database, table)) = old.split_once('.') {
                let new = renames.table(&(database.to_owned(), table.to_owned()));
                set(name, format!("{}.{}", new.0, new.1));
            }
            return;
        }
        ("Buffer" | "Alias", [database, table, ..]) => (database, table),
        ("Distributed", [_, database, table, ..]) => (database, table),
        _ => return,
    };
    if let (Some(database), Some(table)) = (text(pair.0), text(pair.1)) {
        let new = renames.table(&(database, table));
        set(pair.0, new.0);
        set(pair.1, new.1);
    }
}

/// Renames the table that a dictionary reads.
fn dictionary_source(create: &mut CreateDictionary, own: &str, renames: &Renames) -> Result<()> {
    let Some(source) = create.source.as_mut().filter(|source| source.name == "CLICKHOUSE") else {
        return Ok(());
    };
    let value = |name: &str| source.value(name).and_then(text).filter(|text| !text.is_empty());
    let (database, table, query) = (value("DB"), value("TABLE"), value("QUERY"));
    let old_database = database.clone().unwrap_or_else(|| own.to_owned());
    let mut new = Vec::new();
    if let Some(query) = query {
        let mut query = entasis_sql::parse_query(&query)?;
        entasis_sql::qualify(&mut query, &old_database);
        entasis_sql::rename_tables(&mut query, &|name| renames.full(name));
        let options = FormatOptions { one_line: true, ..FormatOptions::default() };
        new.push(("QUERY", format_query(&query, options)));
    } else if let Some(table) = table {
        let name = renames.table(&(old_database, table));
        if database.is_none() && name.0 != renames.database(own) {
            let message = format!(
                "The source of a dictionary in {own} has no DB, and its table goes to the database \
                 {}: restore both into one database",
                name.0
            );
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        new.extend([("DB", name.0), ("TABLE", name.1)]);
    }
    for parameter in &mut source.parameters {
        if let DictionaryValue::One(expr) = &mut parameter.value
            && let Some((_, value)) = new.iter().find(|(name, _)| *name == parameter.name)
        {
            set(expr, value.clone());
        }
    }
    Ok(())
}
