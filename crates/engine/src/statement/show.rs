//! SHOW and EXISTS.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, Column, Field, Header, Strings};
use entasis_sql::ast::{self, ObjectKind, ShowWhat};
use entasis_types::DataType;

use crate::statement::query::lines;
use crate::statement::show_query::{show_query, temporary_tables};
use crate::{QueryOptions, QueryResult, Session};

impl Session {
    pub(crate) fn show(&self, show: &ast::Show, options: QueryOptions) -> Result<QueryResult> {
        if let ShowWhat::Create { object, name, .. } = &show.what {
            return match object {
                ObjectKind::Database => self.show_create_database(name.table.as_str()),
                ObjectKind::Function => self.show_create_function(name.table.as_str()),
                ObjectKind::Table | ObjectKind::View | ObjectKind::Dictionary => {
                    self.show_create(name, *object)
                }
            };
        }
        if let ShowWhat::Tables | ShowWhat::Dictionaries = &show.what
            && let Some(database) = &show.from
            && !self.engine.catalog.has_database(database.as_str())
        {
            return Err(crate::catalog::unknown_database(database.as_str()));
        }
        let text = match show.temporary {
            true => temporary_tables(show, self.temporary.keys().map(String::as_str)),
            false => show_query(show, &self.database, &self.user)?,
        };
        let query = entasis_sql::parse_query(&text)?;
        self.select(&query, &[], options)
    }

    fn show_create_database(&self, name: &str) -> Result<QueryResult> {
        if !self.engine.catalog.has_database(name) {
            return Err(crate::catalog::unknown_database(name));
        }
        let text = self.engine.catalog.database_info(name).create_query(name);
        Ok(lines("statement", std::iter::once(text.as_str())))
    }

    fn show_create_function(&self, name: &str) -> Result<QueryResult> {
        let functions = self.engine.catalog.sql_functions();
        let Some(function) = functions.get(name) else {
            let message = format!("User-defined function '{name}' doesn't exist");
            return Err(Error::new(codes::UNKNOWN_FUNCTION, message));
        };
        Ok(lines("statement", std::iter::once(function.text.as_str())))
    }

    fn show_create(&self, name: &ast::TableName, object: ObjectKind) -> Result<QueryResult> {
        let (database, table) = self.full_name(name);
        let unknown = || {
            let message = format!("There is no metadata of table {table} in database {database}");
            Error::new(codes::CANNOT_GET_CREATE_TABLE_QUERY, message)
        };
        let found = match self.temporary_table(name) {
            Some(entry) => Ok(Arc::clone(entry)),
            None => self.engine.catalog.entry(&database, &table),
        };
        let entry = match found {
            Err(error) if error.code() == codes::UNKNOWN_TABLE => return Err(unknown()),
            found => found?,
        };
        self.engine.catalog.check_usable(&entry)?;
        let is_temporary = self.temporary_table(name).is_some();
        let text = match (&entry.definition, &entry.view) {
            (Some(definition), _) if is_temporary => definition.create_temporary_query(&table),
            (_, Some(view)) => view.create_query(&database, &table, false),
            (None, None) if let Some(dictionary) = entry.dictionary() => {
                dictionary.definition.create_query(&database, &table, false)
            }
            (Some(definition), None) => definition.create_query(&database, &table, false),
            (None, None) => {
                let message =
                    format!("There is no metadata of table {table} in database {database}");
                return Err(Error::new(codes::UNKNOWN_TABLE, message));
            }
        };
        let (what, ends) = match object {
            ObjectKind::View => ("VIEW", "View"),
            ObjectKind::Dictionary => ("DICTIONARY", "Dictionary"),
            _ => ("TABLE", ""),
        };
        if !entry.table.engine().ends_with(ends) {
            let message = format!("`{database}`.`{table}` is not a {what}: use SHOW CREATE TABLE");
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        Ok(lines("statement", std::iter::once(text.as_str())))
    }

    pub(crate) fn exists(
        &self,
        object: ObjectKind,
        temporary: bool,
        name: &ast::TableName,
    ) -> Result<QueryResult> {
        let catalog = &self.engine.catalog;
        let engine = || {
            let (database, table) = self.full_name(name);
            catalog.entry(&database, &table).ok().map(|entry| entry.table.engine().to_string())
        };
        let found = match object {
            ObjectKind::Database => catalog.has_database(name.table.as_str()),
            _ if temporary => self.temporary.contains_key(name.table.as_str()),
            ObjectKind::View => engine().is_some_and(|engine| engine.ends_with("View")),
            ObjectKind::Dictionary => engine().as_deref() == Some("Dictionary"),
            ObjectKind::Function => catalog.sql_functions().contains_key(name.table.as_str()),
            ObjectKind::Table => engine().is_some(),
        };
        let header = Header::new(vec![Field::new("result", DataType::UInt8)]);
        Ok(QueryResult::ready(header, vec![Chunk::new(vec![vec![u8::from(found)].into()], 1)]))
    }
}

pub(super) fn text_columns(columns: &[(&str, Vec<String>)]) -> (Vec<Field>, Vec<Column>) {
    let fields = columns.iter().map(|(name, _)| Field::new(*name, DataType::String)).collect();
    let data = columns.iter().map(|(_, v)| Column::String(v.iter().collect::<Strings>())).collect();
    (fields, data)
}

/// A result of text columns.
pub(crate) fn table(columns: &[(&str, Vec<String>)]) -> QueryResult {
    let (fields, data) = text_columns(columns);
    let rows = columns.first().map_or(0, |(_, values)| values.len());
    QueryResult::ready(Header::new(fields), vec![Chunk::new(data, rows)])
}
