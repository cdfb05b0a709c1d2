//! What a mutation refuses: engines, columns of keys, and conditions of wrong types. Codes and
//! messages are those of the reference.

use entasis_base::{Error, Result, codes};
use entasis_mergetree::{AfterChange, MergeTreeTable};
use entasis_sql::ast::{self, AlterCommand};
use entasis_table_api::{DefaultKind, Schema};

use crate::catalog::Entry;

/// Fails if the engine cannot run a command.
pub(super) fn check_engine(
    entry: &Entry,
    (database, table): (&str, &str),
    commands: &[AlterCommand],
    light: bool,
) -> Result<()> {
    let engine = entry.table.engine();
    if entry.features().parts {
        return Ok(());
    }
    let is_delete = commands.iter().any(|c| matches!(c, AlterCommand::Delete { .. }));
    let is_key_value = engine == "EmbeddedRocksDB" || engine == "KeeperMap";
    if light && is_delete && !is_key_value {
        let message = format!("DELETE query is not supported for table {database}.{table}");
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    if light && !is_delete {
        let message = format!(
            "Lightweight updates are not supported. Table with engine {engine} doesn't support \
             lightweight updates"
        );
        return Err(Error::new(codes::NOT_IMPLEMENTED, message));
    }
    let is_rows = |command: &AlterCommand| {
        use AlterCommand as C;
        matches!(command, C::Delete { .. } | C::Update { .. } | C::MaterializeColumn { .. })
    };
    if is_key_value {
        check_key_value(entry, commands)?;
    }
    if engine == "Join" && (!is_delete || commands.len() > 1) {
        let message = "Table engine Join supports only DELETE mutations";
        return Err(Error::new(codes::NOT_IMPLEMENTED, message));
    }
    let has_rows = engine == "Memory" || engine == "Join" || is_key_value;
    if !has_rows || !commands.iter().all(is_rows) {
        let message = format!("Table engine {engine} doesn't support mutations");
        return Err(Error::new(codes::NOT_IMPLEMENTED, message));
    }
    if commands.iter().any(|command| partition_clause(command).is_some()) {
        let message =
            "ALTER UPDATE/DELETE ... IN PARTITION is not supported for non-MergeTree tables";
        return Err(Error::new(codes::NOT_IMPLEMENTED, message));
    }
    Ok(())
}

/// Fails if a lightweight statement would change rows of which there are projections, and the
/// table's settings do not say what happens to them.
pub(super) fn check_projections(
    entry: &Entry,
    (database, table): (&str, &str),
    command: &AlterCommand,
) -> Result<()> {
    let handle: &dyn std::any::Any = &*entry.table;
    let Some(config) = handle.downcast_ref::<MergeTreeTable>().map(MergeTreeTable::config) else {
        return Ok(());
    };
    let has_some = entry.definition.as_ref().is_some_and(|d| !d.elements.projections.is_empty());
    if !has_some || config.settings.changed_projections != AfterChange::Refuse {
        return Ok(());
    }
    let what = if matches!(command, AlterCommand::Delete { .. }) { "DELETE" } else { "UPDATE" };
    let message = format!(
        "{what} query is not allowed for table {database}.{table} because as it has projections \
         and setting lightweight_mutation_projection_mode is set to THROW. User should change \
         lightweight_mutation_projection_mode OR drop all the projections manually before running \
         the query"
    );
    Err(Error::new(codes::SUPPORT_IS_DISABLED, message))
}

/// Fails for what tables of keys and values cannot do.
fn check_key_value(entry: &Entry, commands: &[AlterCommand]) -> Result<()> {
    let engine = entry.table.engine();
    let refused = |message: String| Err(Error::new(codes::BAD_ARGUMENTS, message));
    let is_known =
        |c: &AlterCommand| matches!(c, AlterCommand::Delete { .. } | AlterCommand::Update { .. });
    if !commands.iter().all(is_known) {
        return refused(format!("Only DELETE and UPDATE mutation supported for {engine}"));
    }
    if commands.len() > 1 {
        return refused(format!("Mutations cannot be combined for {engine}"));
    }
    let schema = entry.table.schema();
    let keys = entry.definition.as_ref().map(|table| table.keys.primary_columns());
    for command in commands {
        let AlterCommand::Update { set, .. } = command else { continue };
        for (name, _) in set {
            let position = schema.position(name.as_str());
            if position.zip(keys.as_ref()).is_some_and(|(at, keys)| keys.contains(&at)) {
                let name = name.as_str();
                return refused(format!(
                    "Primary key cannot be updated (cannot update column {name})"
                ));
            }
        }
    }
    Ok(())
}

/// IN PARTITION of a command.
pub(super) fn partition_clause(command: &AlterCommand) -> Option<&ast::Partition> {
    match command {
        AlterCommand::Delete { partition, .. }
        | AlterCommand::Update { partition, .. }
        | AlterCommand::MaterializeColumn { partition, .. }
        | AlterCommand::ClearColumn { partition, .. }
        | AlterCommand::MaterializeIndex { partition, .. }
        | AlterCommand::ClearIndex { partition, .. }
        | AlterCommand::MaterializeProjection { partition, .. }
        | AlterCommand::ClearProjection { partition, .. }
        | AlterCommand::MaterializeTtl { partition }
        | AlterCommand::Rewrite { partition, .. } => partition.as_ref(),
        _ => None,
    }
}

/// Fails if a table has no TTL to apply.
pub(super) fn check_ttl(entry: &Entry) -> Result<()> {
    let has_ttl = entry.definition.as_ref().is_some_and(|table| {
        !table.ttl.is_empty() || table.elements.columns.iter().any(|column| column.ttl.is_some())
    });
    if has_ttl {
        return Ok(());
    }
    let message = "Cannot MATERIALIZE TTL as there is no TTL set for the table";
    Err(Error::new(codes::INCORRECT_QUERY, message))
}

/// Positions of the columns that are set, which must exist, be stored, and be of no key.
pub(super) fn positions_of(
    set: &[(ast::Ident, ast::Expr)],
    schema: &Schema,
    entry: &Entry,
) -> Result<Vec<usize>> {
    let mut positions = Vec::with_capacity(set.len());
    let keys = key_positions(entry);
    for (name, _) in set {
        let position = stored(schema, name)?;
        let column = &schema.columns[position];
        let refused = |what: &str| {
            let message = format!("Cannot UPDATE {what} column `{}`.", column.name);
            Err(Error::new(codes::CANNOT_UPDATE_COLUMN, message))
        };
        if column.default_kind() == Some(DefaultKind::Materialized) {
            return refused("materialized");
        }
        if keys.contains(&position) {
            return refused("key");
        }
        if positions.contains(&position) {
            let message =
                format!("Multiple assignments in the single statement to column `{}`", column.name);
            return Err(Error::new(codes::MULTIPLE_ASSIGNMENTS_TO_COLUMN, message));
        }
        positions.push(position);
    }
    Ok(positions)
}

/// The position of a stored column.
pub(super) fn stored(schema: &Schema, name: &ast::Ident) -> Result<usize> {
    let position = schema.position(name.as_str()).filter(|at| *at < schema.stored().len());
    position.ok_or_else(|| {
        let message = format!("There is no column `{}` in table.", name.as_str());
        Error::new(codes::NO_SUCH_COLUMN_IN_TABLE, message)
    })
}

/// Positions of the columns that no mutation may change.
pub(super) fn key_positions(entry: &Entry) -> Vec<usize> {
    let table: &dyn std::any::Any = &*entry.table;
    table.downcast_ref::<MergeTreeTable>().map(MergeTreeTable::key_positions).unwrap_or_default()
}

/// Gives an error of the analysis the code that the reference has for it.
pub(super) fn of_condition(error: Error, is_update: bool) -> Error {
    let code = match error.code() {
        codes::ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER if is_update => codes::ILLEGAL_TYPE_OF_ARGUMENT,
        codes::ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER => codes::BAD_ARGUMENTS,
        // An UPDATE computes row by row, so that it knows no aggregate.
        codes::ILLEGAL_AGGREGATION | codes::NOT_AN_AGGREGATE if is_update => {
            codes::UNKNOWN_IDENTIFIER
        }
        _ => return error,
    };
    Error::new(code, error.message().to_owned())
}
