//! Makes a table of the catalog from a statement, or from the definition that the store has kept.

use std::sync::Arc;

use entasis_base::Result;
use entasis_function::FunctionContext;
use entasis_mergetree::{Store, TableRecord};
use entasis_sql::ast;

use super::Entry;
use crate::definition::view::ViewDefinition;
use crate::definition::{StoredStatement, TableDefinition, codecs, constraints, defaults, zone};
use crate::dictionary::definition::DictionaryDefinition;
use crate::dictionary::handle::DictionaryHandle;
use crate::engines::{self, Attach, EngineArgs, EngineDef, TableLocation};
use crate::settings::function_context::StatementContext;

/// Creates a new table in the store. Errors in the statement are found before anything is recorded.
pub(crate) fn new_table(
    store: &Arc<Store>,
    database: &str,
    name: &str,
    create: ast::CreateTable,
    function_context: &StatementContext,
) -> Result<Entry> {
    let written_name = create.name.table.as_str().to_owned();
    let (definition, attach) = checked(create, function_context, true)?;
    let id = store.create_table(database, name, definition.text(&written_name))?;
    let table = attach(&TableLocation { store, id, altered: None }).inspect_err(|_| {
        // If the disk fails here, too, a table stays in the store that cannot be opened.
        let _ = store.drop_table(id);
    })?;
    Ok(Entry { table, definition: Some(Arc::new(definition)), view: None, id: Some(id) })
}

/// Checks the definition that a statement gives, and answers it with the way its table is made. The
/// table gets the time zone of `function_context`.
pub(crate) fn checked(
    create: ast::CreateTable,
    function_context: &StatementContext,
    is_new: bool,
) -> Result<(TableDefinition, Attach)> {
    let (engine, definition) = definition_of(create, function_context)?;
    defaults::check(&definition.schema, function_context)?;
    codecs::check_encryption(&definition.schema, &engine.features, engine.name)?;
    if is_new {
        codecs::check(&definition.schema, None, function_context)?;
    }
    for constraint in &definition.elements.constraints {
        constraints::check_definition(constraint, &definition.schema, function_context)?;
    }
    let attach =
        (engine.create)(&EngineArgs { definition: &definition, function_context, is_new })?;
    Ok((definition, attach))
}

/// The engine and the definition that a statement gives.
pub(crate) fn definition_of(
    mut create: ast::CreateTable,
    function_context: &dyn FunctionContext,
) -> Result<(&'static EngineDef, TableDefinition)> {
    let engine = engines::of_statement(&create)?;
    let of_table = engine.features.settings;
    let settings = &mut create.storage.settings;
    settings.retain(|s| s.value.is_some() && !of_table.is_of_statement(&s.name));
    engines::check(engine, &create)?;
    Ok((engine, TableDefinition::new(create, &engine.features, function_context)?))
}

/// Opens a table or a view that the store knows.
pub(super) fn open_table(
    store: &Arc<Store>,
    record: &TableRecord,
    function_context: &StatementContext,
) -> Result<Entry> {
    let mut create = match StoredStatement::parse(&record.definition, record.version)? {
        StoredStatement::Table(create) => *create,
        StoredStatement::View(create) => {
            return Ok(Entry::of_view(ViewDefinition::new(*create, function_context)?, record.id));
        }
        StoredStatement::Dictionary(create) => {
            let definition = DictionaryDefinition::new(*create, function_context)?;
            let name = (record.database.clone(), record.name.clone());
            let links = &function_context.server.dictionaries;
            let handle = DictionaryHandle::new(definition, name, links);
            return Ok(Entry::of_dictionary(handle, record.id));
        }
    };
    let mut function_context =
        function_context.in_zone(zone::take(&mut create)?.unwrap_or(function_context.time_zone));
    // Names without a database among the arguments of an engine are in the table's own.
    function_context.database.clone_from(&record.database);
    let function_context = &function_context;
    let engine = engines::of_statement(&create)?;
    let definition = TableDefinition::stored(create, &engine.features, function_context)?;
    let attach =
        (engine.create)(&EngineArgs { definition: &definition, function_context, is_new: false })?;
    let table = attach(&TableLocation { store, id: record.id, altered: None })?;
    let definition = Some(Arc::new(definition));
    Ok(Entry { table, definition, view: None, id: Some(record.id) })
}
