//! SHOW, DESCRIBE, EXISTS.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, Column, Field, Header, Strings};
use entasis_sql::ast::{self, ObjectKind, ShowWhat, TableExprKind};
use entasis_table::{Catalog, DefaultKind, Schema};
use entasis_types::DataType;

use crate::query::lines;
use crate::{QueryResult, Session};

impl Session {
    pub(crate) fn show(&self, show: &ast::Show) -> Result<QueryResult> {
        if show.where_clause.is_some() || show.limit.is_some() {
            return Err(Error::not_implemented("WHERE and LIMIT of SHOW"));
        }
        let keep = |name: &str| show.like.as_ref().is_none_or(|like| matches(like, name));
        match &show.what {
            ShowWhat::Databases => {
                let names = self.engine.catalog.database_names();
                Ok(lines("name", names.iter().map(|n| &**n).filter(|n| keep(n))))
            }
            ShowWhat::Tables => {
                let database = show.from.as_ref().map_or(self.database.as_str(), |d| d.as_str());
                let tables = self.engine.catalog.tables(database)?;
                Ok(lines("name", tables.iter().map(|(n, _)| &**n).filter(|n| keep(n))))
            }
            ShowWhat::Create { object: ObjectKind::Table, name, .. } => self.show_create(name),
            ShowWhat::Settings => {
                let rows = self.settings.all();
                let rows: Vec<_> = rows
                    .iter()
                    .filter(|r| keep(r.known.name) && (!show.changed || r.changed))
                    .collect();
                Ok(table(&[
                    ("name", rows.iter().map(|r| r.known.name.to_string()).collect()),
                    ("type", rows.iter().map(|r| r.known.type_name.to_string()).collect()),
                    ("value", rows.iter().map(|r| r.value.clone()).collect()),
                ]))
            }
            ShowWhat::Functions => {
                let scalar = entasis_function::registry::scalar_functions().map(|f| f.name);
                let aggregate = entasis_function::registry::aggregate_functions().map(|f| f.name);
                let window = entasis_function::registry::window_functions().map(|f| f.name);
                let all = scalar.chain(aggregate).chain(window);
                let mut names: Vec<&str> = all.filter(|n| keep(n)).collect();
                names.sort_unstable();
                Ok(lines("name", names.into_iter()))
            }
            _ => Err(Error::not_implemented("This kind of SHOW")),
        }
    }

    fn show_create(&self, name: &ast::TableName) -> Result<QueryResult> {
        let (database, table) = self.full_name(name);
        let unknown = || {
            let message = format!("There is no metadata of table {table} in database {database}");
            Error::new(codes::CANNOT_GET_CREATE_TABLE_QUERY, message)
        };
        let entry = match self.engine.catalog.entry(&database, &table) {
            Err(error) if error.code() == codes::UNKNOWN_TABLE => return Err(unknown()),
            found => found?,
        };
        if entry.definition.is_empty() {
            return Err(unknown());
        }
        let create = crate::ddl::parse_definition(&entry.definition)?;
        let text = create_query(create, &database, &table, false);
        Ok(lines("statement", std::iter::once(text.as_str())))
    }

    pub(crate) fn describe(&self, table_expr: &ast::TableExpr) -> Result<QueryResult> {
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
        describe_schema(&schema)
    }

    pub(crate) fn exists(&self, object: ObjectKind, name: &ast::TableName) -> Result<QueryResult> {
        let catalog = &self.engine.catalog;
        let found = match object {
            ObjectKind::Database => catalog.has_database(name.table.as_str()),
            _ => {
                let (database, table) = self.full_name(name);
                catalog.entry(&database, &table).is_ok()
            }
        };
        let header = Header::new(vec![Field::new("result", DataType::UInt8)]);
        Ok(QueryResult::ready(header, vec![Chunk::new(vec![vec![u8::from(found)].into()], 1)]))
    }
}

/// The text of CREATE TABLE under the name that the table has now.
pub(crate) fn create_query(
    mut create: ast::CreateTable,
    database: &str,
    table: &str,
    one_line: bool,
) -> String {
    create.name.database = Some(ast::Ident::new(database));
    create.name.table = ast::Ident::new(table);
    let statement = ast::Statement {
        kind: ast::StatementKind::CreateTable(Box::new(create)),
        output: ast::Output::default(),
        position: entasis_base::Position::default(),
    };
    entasis_sql::format_statement(&statement, entasis_sql::FormatOptions { one_line })
}

fn describe_schema(schema: &Arc<Schema>) -> Result<QueryResult> {
    let of = |f: &dyn Fn(&entasis_table::ColumnDef) -> String| schema.declared().map(f).collect();
    let lines = |c: &entasis_table::ColumnDef| {
        Ok(entasis_sql::format_type_lines(&entasis_sql::parse_type(&c.ty.to_string())?))
    };
    let types = schema.declared().map(lines).collect::<Result<_>>()?;
    Ok(table(&[
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
    ]))
}

/// A result of text columns.
pub(crate) fn table(columns: &[(&str, Vec<String>)]) -> QueryResult {
    let fields = columns.iter().map(|(name, _)| Field::new(*name, DataType::String)).collect();
    let rows = columns.first().map_or(0, |(_, values)| values.len());
    let data = columns.iter().map(|(_, v)| Column::String(v.iter().collect::<Strings>())).collect();
    QueryResult::ready(Header::new(fields), vec![Chunk::new(data, rows)])
}

/// SQL LIKE over names: `%` and `_`.
fn matches(like: &ast::Like, name: &str) -> bool {
    let fold = |s: &str| {
        if like.case_insensitive { s.to_lowercase() } else { s.to_string() }.chars().collect()
    };
    let (pattern, name): (Vec<char>, Vec<char>) = (fold(&like.pattern), fold(name));
    // row[j]: whether the pattern so far matches the first j characters.
    let mut row = vec![false; name.len() + 1];
    row[0] = true;
    for p in pattern {
        if p == '%' {
            for j in 1..=name.len() {
                row[j] |= row[j - 1];
            }
        } else {
            for j in (1..=name.len()).rev() {
                row[j] = row[j - 1] && (p == '_' || p == name[j - 1]);
            }
            row[0] = false;
        }
    }
    row[name.len()] != like.not
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_over_names() {
        let like = |pattern: &str, name: &str| {
            matches(&ast::Like { pattern: pattern.to_string(), ..ast::Like::default() }, name)
        };
        assert!(like("max%size", "max_block_size") && like("m_x%", "max"));
        assert!(!like("max", "max_threads") && !like("%a", "b"));
    }
}
