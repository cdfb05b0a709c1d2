//! SHOW, DESCRIBE, EXISTS.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, Column, Field, Header, Strings};
use entasis_sql::ast::{self, ObjectKind, ShowWhat, TableExprKind};
use entasis_sql::format_ident;
use entasis_table_api::{Catalog, ColumnDef, DefaultKind, Schema};
use entasis_types::subcolumn::subcolumns;
use entasis_types::{DataType, Subcolumn};

use crate::settings;
use crate::statement::query::lines;
use crate::statement::show_query::{show_query, temporary_tables};
use crate::{QueryOptions, QueryResult, Session};

impl Session {
    pub(crate) fn show(&self, show: &ast::Show, options: QueryOptions) -> Result<QueryResult> {
        if let ShowWhat::Create { object, name, .. } = &show.what {
            return match object {
                ObjectKind::Database => self.show_create_database(name.table.as_str()),
                ObjectKind::Function => Err(Error::not_implemented("SHOW CREATE FUNCTION")),
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
        let engine = crate::system::database_engine(name);
        let text = format!("CREATE DATABASE {}\nENGINE = {engine}", format_ident(name));
        Ok(lines("statement", std::iter::once(text.as_str())))
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

    pub(crate) fn describe(
        &self,
        table_expr: &ast::TableExpr,
        changes: &[ast::SettingChange],
    ) -> Result<QueryResult> {
        let settings = self.settings_with(changes)?;
        let schema = match &table_expr.kind {
            TableExprKind::Table(name) => {
                let database = name.database.as_ref().map(|d| d.as_str());
                self.catalog_view().table(database, name.table.as_str())?.schema()
            }
            TableExprKind::Subquery(query) => Schema::of_fields(&self.header_of(query)?),
            _ => {
                let query = ast::Query::Select(Box::new(ast::Select {
                    projection: vec![ast::Expr::new(
                        ast::ExprKind::Asterisk(Vec::new()),
                        table_expr.position,
                    )],
                    from: Some(ast::FromClause { table: table_expr.clone(), steps: Vec::new() }),
                    ..ast::Select::default()
                }));
                Schema::of_fields(&self.header_of(&query)?)
            }
        };
        let subcolumns = settings.flag(settings::DESCRIBE_SUBCOLUMNS);
        describe_schema(&schema, subcolumns, settings.flag(settings::DESCRIBE_COMPACT))
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
            ObjectKind::Table | ObjectKind::Function => engine().is_some(),
        };
        let header = Header::new(vec![Field::new("result", DataType::UInt8)]);
        Ok(QueryResult::ready(header, vec![Chunk::new(vec![vec![u8::from(found)].into()], 1)]))
    }
}

/// The columns of a schema. With `subcolumns`, the parts of columns that can be read alone follow.
/// With `compact`, only names and types.
fn describe_schema(schema: &Schema, subcolumns: bool, compact: bool) -> Result<QueryResult> {
    let declared: Vec<ColumnDef> = schema.declared().cloned().collect();
    let parts = declared.iter().filter(|_| subcolumns).flat_map(parts_of).collect::<Vec<_>>();
    let all = || declared.iter().chain(&parts);
    let of = |f: &dyn Fn(&ColumnDef) -> String| all().map(f).collect();
    let lines = |c: &ColumnDef| {
        Ok(entasis_sql::format_type_lines(&entasis_sql::parse_type(&c.ty.to_string())?))
    };
    let types = all().map(lines).collect::<Result<_>>()?;
    let described = [
        ("name", of(&|c| c.name.to_string())),
        ("type", types),
        ("default_type", of(&|c| c.default_kind().map_or("", DefaultKind::name).to_string())),
        (
            "default_expression",
            of(&|c| c.default.as_ref().map_or(String::new(), |d| d.1.to_string())),
        ),
        ("comment", of(&|c| c.comment.to_string())),
        ("codec_expression", of(&|c| c.codec.as_ref().map_or(String::new(), ToString::to_string))),
        ("ttl_expression", of(&|_| String::new())),
    ];
    let shown = if compact { &described[..2] } else { &described[..] };
    let (mut fields, mut columns) = text_columns(shown);
    if subcolumns {
        fields.push(Field::new("is_subcolumn", DataType::UInt8));
        let flags = [vec![0; declared.len()], vec![1u8; parts.len()]].concat();
        columns.push(flags.into());
    }
    let rows = declared.len() + parts.len();
    Ok(QueryResult::ready(Header::new(fields), vec![Chunk::new(columns, rows)]))
}

/// The parts of a column that can be read alone, as columns called `arr.size0` and so on.
fn parts_of(column: &ColumnDef) -> Vec<ColumnDef> {
    let parts = subcolumns(&column.ty).into_iter();
    let part = |part: Subcolumn| ColumnDef {
        comment: Arc::clone(&column.comment),
        ..ColumnDef::new(format!("{}.{}", column.name, part.name), part.ty)
    };
    parts.map(part).collect()
}

fn text_columns(columns: &[(&str, Vec<String>)]) -> (Vec<Field>, Vec<Column>) {
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
