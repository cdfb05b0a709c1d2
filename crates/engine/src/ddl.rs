//! CREATE, DROP, TRUNCATE, OPTIMIZE: of databases and tables.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_function::Facts;
use entasis_mergetree::{Store, TableConfig, TableId, TableRecord, TableSettings};
use entasis_sql::ast::{self, CreateSource, StatementKind};
use entasis_sql::{FormatOptions, format_expr, format_statement};
use entasis_table::{Schema, Table};
use entasis_tables::ENGINES;
use entasis_types::{DataType, Value};

use crate::catalog::{Entry, Existing, refuse_system};
use crate::facts::QueryFacts;
use crate::settings::merge_tree::{OfTable, check_engine, is_of_statement};
use crate::{QueryOptions, Session, constraints, key, merging, settings};

impl Session {
    pub(crate) fn create_database(&self, create: &ast::CreateDatabase) -> Result<()> {
        if let Some(engine) = &create.engine
            && !["Atomic", "Ordinary", "Memory"].contains(&engine.name.as_str())
        {
            return Err(Error::not_implemented(format!("Database engine {}", engine.name))
                .at(engine.position));
        }
        self.engine.catalog.create_database(create.name.as_str(), create.if_not_exists)
    }

    /// Creates the table, and fills it where it has a query. What is to be filled, or to take the
    /// place of another table, gets its name last: a statement that fails leaves everything as it
    /// was, and `CREATE OR REPLACE TABLE t ... AS SELECT ... FROM t` reads the old one.
    pub(crate) fn create_table(
        &self,
        create: &ast::CreateTable,
        options: QueryOptions,
    ) -> Result<()> {
        if create.mode.temporary {
            return Err(Error::not_implemented("CREATE TEMPORARY TABLE"));
        }
        let facts = self.facts(&self.settings);
        let mut full = create.clone();
        self.complete(&mut full)?;
        if self.settings.flag(settings::DEFAULT_NULLABLE) {
            let columns = &mut full.elements.columns;
            columns.iter_mut().try_for_each(make_nullable)?;
        }
        let (database, name) = self.full_name(&create.name);
        refuse_system(&database)?;
        full.name.database = None;
        full.source = None;
        let query = match &create.source {
            Some(CreateSource::Select(query)) if !create.empty => Some(query),
            _ => None,
        };
        let mode = &create.mode;
        let existing = match (
            mode.or_replace || mode.replace,
            mode.if_not_exists || self.settings.flag(settings::CREATE_IF_NOT_EXISTS),
        ) {
            (true, _) => Existing::Replaced,
            (false, true) => Existing::Kept,
            (false, false) => Existing::Refused,
        };
        let catalog = &self.engine.catalog;
        if query.is_none() && existing != Existing::Replaced {
            let make = |store: &Arc<Store>| new_table(store, &database, &name, full, &facts);
            return catalog.create_table(&database, &name, existing, make);
        }
        catalog.create_aside(
            &database,
            &name,
            existing,
            |store, aside| new_table(store, &database, aside, full, &facts),
            |entry| match query {
                Some(query) => self.fill(entry, (database.clone(), name.clone()), query, options),
                None => Ok(()),
            },
        )
    }

    /// Fills in what CREATE leaves to others: columns of a query or another table, the engine.
    fn complete(&self, create: &mut ast::CreateTable) -> Result<()> {
        crate::options::ignore_auto_increment(create, &self.settings)?;
        if create.elements.columns.is_empty() {
            let header = match &create.source {
                Some(CreateSource::Select(query)) => self.header_of(query)?,
                Some(CreateSource::Table(name)) => {
                    let (database, table) = self.full_name(name);
                    let entry = self.engine.catalog.entry(&database, &table)?;
                    self.copy_definition(create, &entry)?;
                    return Ok(());
                }
                Some(_) => return Err(Error::not_implemented("CREATE TABLE AS this source")),
                None => {
                    let message = "CREATE TABLE needs a list of columns, or AS SELECT";
                    return Err(Error::new(codes::INCORRECT_QUERY, message));
                }
            };
            for field in header.iter() {
                create.elements.columns.push(ast::ColumnDef {
                    name: ast::Ident::new(&*field.name),
                    data_type: Some(entasis_sql::parse_type(&field.ty.to_string())?),
                    ..ast::ColumnDef::default()
                });
            }
        }
        if create.storage.engine.is_none() {
            let name = self.settings.text(settings::DEFAULT_TABLE_ENGINE);
            create.storage.engine = Some(ast::Engine { name, ..ast::Engine::default() });
        }
        Ok(())
    }

    fn copy_definition(&self, create: &mut ast::CreateTable, entry: &Entry) -> Result<()> {
        if entry.definition.is_empty() {
            let schema = entry.table.schema();
            for column in schema.declared() {
                create.elements.columns.push(ast::ColumnDef {
                    name: ast::Ident::new(&*column.name),
                    data_type: Some(entasis_sql::parse_type(&column.ty.to_string())?),
                    ..ast::ColumnDef::default()
                });
            }
            return Ok(());
        }
        let other = parse_definition(&entry.definition)?;
        if !create.elements.constraints.is_empty() {
            let message = "CREATE TABLE ... AS table takes that table's columns and constraints: \
                           leave out the parentheses, and add constraints by ALTER TABLE";
            return Err(Error::new(codes::SYNTAX_ERROR, message));
        }
        create.elements = other.elements;
        if create.storage.engine.is_none() {
            create.storage = other.storage;
        }
        Ok(())
    }

    pub(crate) fn drop_object(&self, drop: &ast::DropObject) -> Result<()> {
        if drop.detach {
            return Err(Error::not_implemented("DETACH"));
        }
        for name in &drop.names {
            match drop.object {
                ast::ObjectKind::Database => {
                    let database = name.table.as_str();
                    self.engine.catalog.drop_database(database, drop.if_exists)?;
                }
                ast::ObjectKind::Table => {
                    let (database, table) = self.full_name(name);
                    self.engine.catalog.drop_table(&database, &table, drop.if_exists)?;
                }
                other => return Err(Error::not_implemented(format!("DROP {other:?}"))),
            }
        }
        Ok(())
    }

    pub(crate) fn truncate(&self, truncate: &ast::Truncate) -> Result<()> {
        if truncate.object == ast::ObjectKind::Database || truncate.all_tables {
            let database = if truncate.name.table.as_str().is_empty() {
                self.database.clone()
            } else {
                truncate.name.table.as_str().to_string()
            };
            for (_, entry) in self.engine.catalog.tables(&database)? {
                entry.table.truncate()?;
            }
            return Ok(());
        }
        let (database, table) = self.full_name(&truncate.name);
        match self.engine.catalog.entry(&database, &table) {
            Ok(entry) => entry.table.truncate(),
            Err(_) if truncate.if_exists => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// A column without NULL or NOT NULL is Nullable (`data_type_default_nullable`).
fn make_nullable(column: &mut ast::ColumnDef) -> Result<()> {
    let Some(written) = &column.data_type else {
        column.nullable = column.nullable.or(Some(true));
        return Ok(());
    };
    let ty = DataType::parse(&entasis_sql::format_type(written))?;
    if column.nullable.is_some() || ty.is_nullable() {
        return Ok(());
    }
    if !ty.can_be_nullable() {
        let message = format!(
            "Nested type {ty} cannot be inside Nullable type: write NOT NULL behind column {}, or \
             set data_type_default_nullable = 0",
            column.name.as_str()
        );
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    column.data_type = Some(entasis_sql::parse_type(&DataType::nullable(ty).to_string())?);
    Ok(())
}

/// Keys among the columns move behind the engine, and a primary key is the order if none is given.
fn move_keys(create: &mut ast::CreateTable) {
    let (elements, storage) = (&mut create.elements, &mut create.storage);
    if !storage.engine.as_ref().is_some_and(|e| e.name.ends_with("MergeTree")) {
        return;
    }
    let mut marked = Vec::new();
    for column in elements.columns.iter_mut().filter(|c| c.primary_key) {
        column.primary_key = false;
        let name = ast::ExprKind::Identifier(vec![column.name.clone()]);
        marked.push(ast::Expr::new(name, column.position));
    }
    let marked = Some(marked).filter(|keys| !keys.is_empty());
    let among_columns = elements.primary_key.take().or(marked);
    storage.primary_key = storage.primary_key.take().or(among_columns);
    if let (None, Some(key)) = (&storage.order_by, &storage.primary_key) {
        let item = |expr: &ast::Expr| ast::KeyItem { expr: expr.clone(), descending: false };
        storage.order_by = Some(key.iter().map(item).collect());
    }
}

/// Writes a definition as the reference keeps it: types under their first names and those that
/// were inferred, codecs with their parameters, the granularity.
fn canonical(create: &mut ast::CreateTable, schema: &Schema) -> Result<()> {
    for (column, def) in create.elements.columns.iter_mut().zip(schema.declared()) {
        column.data_type = Some(entasis_sql::parse_type(&def.ty.to_string())?);
        column.nullable = None;
        if let Some(codec) = &def.codec {
            column.codec = Some(codecs(codec)?);
        }
    }
    let storage = &mut create.storage;
    let is_merge_tree = storage.engine.as_ref().is_some_and(|e| merging::is_merge_tree(&e.name));
    let name = "index_granularity";
    if is_merge_tree && !storage.settings.iter().any(|s| s.name == name) {
        let granularity = TableSettings::default().index_granularity.to_string();
        let value = entasis_sql::parse_expression(&granularity)?;
        storage.settings.push(ast::SettingChange { name: name.into(), value: Some(value) });
    }
    Ok(())
}

/// The items of a CODEC clause.
fn codecs(text: &str) -> Result<Vec<ast::Function>> {
    let create =
        parse_definition(&format!("CREATE TABLE t (c UInt8 CODEC({text})) ENGINE = Null"))?;
    let column = create.elements.columns.into_iter().next();
    column.and_then(|c| c.codec).ok_or_else(|| Error::logical("a CODEC clause without codecs"))
}

/// A definition as it is kept.
pub(crate) fn definition_text(create: &ast::CreateTable) -> String {
    let statement = ast::Statement {
        kind: StatementKind::CreateTable(Box::new(create.clone())),
        output: ast::Output::default(),
        position: entasis_base::Position::default(),
    };
    format_statement(&statement, FormatOptions { one_line: false, ..FormatOptions::default() })
}

/// The text that is kept of a table.
pub(crate) fn definition_of(mut create: ast::CreateTable, facts: &dyn Facts) -> Result<String> {
    move_keys(&mut create);
    let plan = prepare(&create, facts)?;
    canonical(&mut create, plan.schema())?;
    Ok(definition_text(&create))
}

/// Reads a stored definition back.
pub(crate) fn parse_definition(text: &str) -> Result<ast::CreateTable> {
    match entasis_sql::parse_statement(text)?.kind {
        StatementKind::CreateTable(create) => Ok(*create),
        _ => Err(Error::new(codes::CORRUPTED_DATA, "A stored definition is not a CREATE TABLE")),
    }
}

/// A new table in the store.
pub(crate) fn new_table(
    store: &Arc<Store>,
    database: &str,
    name: &str,
    mut create: ast::CreateTable,
    facts: &dyn Facts,
) -> Result<Entry> {
    create.mode = ast::CreateMode::default();
    if let Some(engine) = &create.storage.engine {
        let settings = &mut create.storage.settings;
        settings.retain(|s| s.value.is_some() && !is_of_statement(&engine.name, &s.name));
        if !merging::is_merge_tree(&engine.name) {
            check_engine(&engine.name, settings)?;
        }
    }
    move_keys(&mut create);
    let plan = prepare(&create, facts)?;
    key::check_defaults(plan.schema(), facts)?;
    for constraint in &create.elements.constraints {
        constraints::check_definition(constraint, plan.schema(), facts)?;
    }
    if let Prepared::MergeTree(config) = &plan {
        let settings = OfTable::new(&create.storage.settings)?;
        merging::check_keys(config, &settings, facts)?;
        merging::check_dimensions(config, &settings)?;
    }
    canonical(&mut create, plan.schema())?;
    let definition = definition_text(&create);
    let id = store.create_table(database, name, &definition)?;
    let table = plan.attach(store, id)?;
    let checks = constraints::checks_of(&create.elements);
    Ok(Entry { table, definition: definition.into(), id: Some(id), checks })
}

/// Opens a table that the store knows.
pub(crate) fn open_table(
    store: &Arc<Store>,
    record: &TableRecord,
    facts: &QueryFacts,
) -> Result<Entry> {
    let create = parse_definition(&record.definition)?;
    let table = prepare(&create, facts)?.attach(store, record.id)?;
    let checks = constraints::checks_of(&create.elements);
    Ok(Entry { table, definition: record.definition.as_str().into(), id: Some(record.id), checks })
}

/// A checked definition, ready to become a table.
enum Prepared {
    MergeTree(TableConfig),
    Other(fn(Arc<Schema>) -> Arc<dyn Table>, Arc<Schema>),
}

impl Prepared {
    fn schema(&self) -> &Arc<Schema> {
        match self {
            Self::MergeTree(config) => &config.schema,
            Self::Other(_, schema) => schema,
        }
    }

    fn attach(self, store: &Arc<Store>, id: TableId) -> Result<Arc<dyn Table>> {
        match self {
            Self::MergeTree(config) => Ok(store.attach(id, config)?),
            Self::Other(create, schema) => Ok(create(schema)),
        }
    }
}

fn prepare(create: &ast::CreateTable, facts: &dyn Facts) -> Result<Prepared> {
    refuse_unsupported(create)?;
    let schema = key::schema(&create.elements, facts)?;
    let Some(engine) = &create.storage.engine else {
        return Err(Error::new(codes::INCORRECT_QUERY, "CREATE TABLE without ENGINE"));
    };
    if merging::is_merge_tree(&engine.name) {
        return Ok(Prepared::MergeTree(merge_tree(create, schema, facts)?));
    }
    if let Some(def) = ENGINES.iter().find(|e| e.name == engine.name) {
        return Ok(Prepared::Other(def.create, schema));
    }
    let error = if engine.name.ends_with("MergeTree") || PLANNED.contains(&engine.name.as_str()) {
        Error::not_implemented(format!("Table engine {}", engine.name))
    } else {
        Error::new(codes::UNKNOWN_STORAGE, format!("Unknown table engine {}", engine.name))
    };
    Err(error.at(engine.position))
}

/// Engines of the reference that are not here yet.
const PLANNED: &[&str] = &[
    "Log",
    "TinyLog",
    "StripeLog",
    "Buffer",
    "Dictionary",
    "Distributed",
    "File",
    "URL",
    "Join",
    "Set",
    "Merge",
    "View",
    "MaterializedView",
    "Kafka",
    "S3",
    "EmbeddedRocksDB",
    "GenerateRandom",
];

fn refuse_unsupported(create: &ast::CreateTable) -> Result<()> {
    let elements = &create.elements;
    let refused = [
        (!elements.indices.is_empty(), "INDEX in CREATE TABLE"),
        (!elements.projections.is_empty(), "PROJECTION in CREATE TABLE"),
        (!create.storage.ttl.is_empty(), "TTL of a table"),
        (create.storage.sample_by.is_some(), "SAMPLE BY"),
    ];
    match refused.iter().find(|(found, _)| *found) {
        Some((_, what)) => Err(Error::not_implemented(what)),
        None => Ok(()),
    }
}

fn merge_tree(
    create: &ast::CreateTable,
    schema: Arc<Schema>,
    facts: &dyn Facts,
) -> Result<TableConfig> {
    let storage = &create.storage;
    let primary: Option<Vec<&ast::Expr>> = storage
        .primary_key
        .as_ref()
        .or(create.elements.primary_key.as_ref())
        .map(|keys| keys.iter().collect());
    let order: Option<Vec<&ast::Expr>> = match &storage.order_by {
        Some(items) if items.iter().any(|i| i.descending) => {
            return Err(Error::not_implemented("ORDER BY ... DESC in a MergeTree key"));
        }
        Some(items) => Some(items.iter().map(|i| &i.expr).collect()),
        None => primary.clone(),
    };
    // As in the reference, no key at all means rows in the order of insertion.
    let order = order.unwrap_or_default();
    let order_by = key::bind(&order, &schema, facts)?;
    let primary_key_len = match primary {
        Some(primary) => {
            let keys = key::bind(&primary, &schema, facts)?;
            let is_prefix = keys.len() <= order_by.len()
                && keys.iter().zip(&order_by).all(|(a, b)| entasis_analyze::tree::same(a, b));
            if !is_prefix {
                let message = "Primary key must be a prefix of the sorting key";
                return Err(Error::new(codes::BAD_ARGUMENTS, message));
            }
            keys.len()
        }
        None => order_by.len(),
    };
    let known: Vec<(Arc<str>, DataType)> =
        schema.stored().iter().map(|c| (c.name.clone(), c.ty.clone())).collect();
    let partition_by = match &storage.partition_by {
        Some(expr) => Some(entasis_analyze::bind_expression(expr, &known, facts)?),
        None => None,
    };
    let texts: Vec<String> = order.iter().map(|e| format_expr(e)).collect();
    let merging = match &storage.engine {
        Some(engine) => {
            let keys = merging::Keys { sorting: &order_by, partition: partition_by.as_ref() };
            merging::of_engine(engine, &schema, &keys, facts)?
        }
        None => None,
    };
    Ok(TableConfig {
        merging,
        schema,
        order_by,
        primary_key_len,
        partition_by,
        sorting_key: texts.join(", "),
        partition_key: storage.partition_by.as_ref().map(format_expr).unwrap_or_default(),
        settings: table_settings(&OfTable::new(&storage.settings)?),
    })
}

/// What storage understands of a table's settings.
fn table_settings(settings: &OfTable) -> TableSettings {
    TableSettings {
        index_granularity: settings.u64("index_granularity") as usize,
        index_granularity_bytes: match settings.u64("index_granularity_bytes") {
            0 => usize::MAX,
            bytes => bytes as usize,
        },
        parts_to_throw_insert: settings.u64("parts_to_throw_insert") as usize,
        max_bytes_to_merge: settings.u64("max_bytes_to_merge_at_max_space_in_pool"),
        deduplication_window: settings
            .is_changed("non_replicated_deduplication_window")
            .then(|| settings.u64("non_replicated_deduplication_window")),
        ..TableSettings::default()
    }
}

/// A literal of the tree as a value; arrays and tuples become NULL.
pub(crate) fn literal_value(literal: &ast::Literal) -> Value {
    match literal {
        ast::Literal::Bool(v) => Value::UInt(u64::from(*v)),
        ast::Literal::UInt(v) => Value::UInt(*v),
        ast::Literal::Int(v) => Value::Int(*v),
        ast::Literal::Float(v) => Value::Float(*v),
        ast::Literal::String(bytes) => Value::string(bytes),
        _ => Value::Null,
    }
}
