//! CREATE TABLE ... AS and CLONE AS another table: what the new table takes from it.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_sql::ast::{self, CreateSource};
use entasis_sql::format_ident;
use entasis_table_api::DefaultKind;

use crate::Session;
use crate::catalog::Entry;
use crate::definition::TableDefinition;

impl Session {
    /// The table after AS or CLONE AS.
    pub(super) fn copied_table(&self, name: &ast::TableName) -> Result<Arc<Entry>> {
        let (database, table) = self.full_name(name);
        self.engine.catalog.entry(&database, &table).map_err(|error| {
            if error.code() != codes::UNKNOWN_TABLE {
                return error;
            }
            Error::new(codes::CANNOT_GET_CREATE_TABLE_QUERY, error.message().to_owned())
        })
    }

    /// The query that reads the rows of the table after CLONE AS, if the statement has one. Both
    /// tables must be of the MergeTree family, as in the reference.
    pub(super) fn cloned_rows(&self, create: &ast::CreateTable) -> Result<Option<ast::Query>> {
        let Some(CreateSource::Clone(name)) = &create.source else { return Ok(None) };
        let entry = self.copied_table(name)?;
        self.engine.catalog.check_usable(&entry)?;
        let refused = |how: &str| {
            let message = format!(
                "Only support CLONE AS {how} tables of the MergeTree family: use CREATE TABLE ... \
                 AS SELECT"
            );
            Err(Error::new(codes::SUPPORT_IS_DISABLED, message))
        };
        let is_family = |engine: &str| engine.ends_with("MergeTree");
        if !is_family(entry.table.engine()) {
            return refused("from");
        }
        if create.storage.engine.as_ref().is_some_and(|engine| !is_family(&engine.name)) {
            return refused("with");
        }
        let schema = entry.table.schema();
        let is_stored = |kind: Option<DefaultKind>| kind != Some(DefaultKind::Materialized);
        let columns = schema.stored().iter().filter(|column| is_stored(column.default_kind()));
        let names: Vec<String> = columns.map(|column| format_ident(&column.name)).collect();
        let (database, table) = self.full_name(name);
        let text = format!(
            "SELECT {} FROM {}.{}",
            names.join(", "),
            format_ident(&database),
            format_ident(&table)
        );
        entasis_sql::parse_query(&text).map(Some)
    }
}

/// Whether both engines are of the MergeTree family, whose clauses mean the same.
pub(super) fn are_of_one_family(own: Option<&ast::Engine>, other: &ast::Engine) -> bool {
    let is_family = |engine: &ast::Engine| engine.name.ends_with("MergeTree");
    own.is_some_and(is_family) && is_family(other)
}

/// Fails if a clone would have other keys than the table whose parts it takes.
pub(super) fn check_order(
    create: &ast::CreateTable,
    own: &ast::Storage,
    other: &TableDefinition,
) -> Result<()> {
    if !matches!(create.source, Some(CreateSource::Clone(_))) {
        return Ok(());
    }
    let differs = |what: &str| {
        let message = format!("Tables have different {what}: use CREATE TABLE ... AS SELECT");
        Err(Error::new(codes::BAD_ARGUMENTS, message))
    };
    if own.order_by.is_some() && own.order_by != other.order_by {
        return differs("ordering");
    }
    if own.partition_by.is_some() && own.partition_by != other.partition_by {
        return differs("partition key");
    }
    Ok(())
}

/// Gives the storage clauses of a copied table those that the statement has itself.
pub(super) fn override_storage(copied: &mut ast::Storage, own: ast::Storage) {
    if own.engine.is_some() {
        copied.engine = own.engine;
    }
    if own.order_by.is_some() {
        copied.primary_key = None;
    }
    for change in own.settings {
        copied.settings.retain(|old| old.name != change.name);
        copied.settings.push(change);
    }
    if own.partition_by.is_some() {
        copied.partition_by = own.partition_by;
    }
    if own.primary_key.is_some() {
        copied.primary_key = own.primary_key;
    }
    if own.order_by.is_some() {
        copied.order_by = own.order_by;
    }
    if own.sample_by.is_some() {
        copied.sample_by = own.sample_by;
    }
    if !own.ttl.is_empty() {
        copied.ttl = own.ttl;
    }
}
