//! DESCRIBE: the columns of a table, of a table function or of a query.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, Field, Header};
use entasis_sql::{ast, ast::TableExprKind, format_expr};
use entasis_table_api::{Catalog, ColumnDef, DefaultKind, Schema};
use entasis_types::subcolumn::subcolumns;
use entasis_types::{DataType, Subcolumn};

use super::show::text_columns;
use crate::catalog::Entry;
use crate::{QueryResult, Session, Settings, settings};

/// A line of DESCRIBE.
struct Described {
    column: ColumnDef,
    /// The TTL of the column; empty if there is none.
    ttl: String,
    is_subcolumn: bool,
    is_virtual: bool,
}

impl Session {
    pub(crate) fn describe(
        &self,
        table_expr: &ast::TableExpr,
        changes: &[ast::SettingChange],
    ) -> Result<QueryResult> {
        let settings = self.settings_with(changes)?;
        let (schema, entry) = match &table_expr.kind {
            TableExprKind::Table(name) => self.schema_of(name)?,
            TableExprKind::Subquery(query) | TableExprKind::Lateral(query) => {
                (Schema::of_fields(&self.header_of(query)?), None)
            }
            _ => {
                let query = ast::Query::Select(Box::new(ast::Select {
                    projection: vec![ast::Expr::new(
                        ast::ExprKind::Asterisk(Vec::new()),
                        table_expr.position,
                    )],
                    from: Some(ast::FromClause { table: table_expr.clone(), steps: Vec::new() }),
                    ..ast::Select::default()
                }));
                (Schema::of_fields(&self.header_of(&query)?), None)
            }
        };
        result(&lines(&schema, entry.as_deref(), &settings), &settings)
    }

    /// The columns of a table and, if it is in the catalog, its entry.
    fn schema_of(&self, name: &ast::TableName) -> Result<(Arc<Schema>, Option<Arc<Entry>>)> {
        let database = name.database.as_ref().map(|d| d.as_str());
        let schema = self.catalog_view().table(database, name.table.as_str())?.schema();
        if schema.columns.is_empty() {
            let message = "The columns of a view with parameters depend on them: describe \
                           view(name = value)";
            return Err(Error::new(codes::UNSUPPORTED_METHOD, message));
        }
        let (database, table) = self.full_name(name);
        let of_catalog = || self.engine.catalog.entry(&database, &table).ok();
        Ok((schema, self.temporary_table(name).cloned().or_else(of_catalog)))
    }
}

/// The columns of a schema, virtual ones, and the parts of columns that can be read alone.
fn lines(schema: &Schema, entry: Option<&Entry>, settings: &Settings) -> Vec<Described> {
    let ttl_of = |column: &ColumnDef| {
        let definition = entry?.definition.as_ref()?;
        let columns = &definition.elements.columns;
        let written = columns.iter().find(|written| *written.name.as_str() == *column.name)?;
        written.ttl.as_ref().map(format_expr)
    };
    let own = |column: &ColumnDef| Described {
        column: column.clone(),
        ttl: ttl_of(column).unwrap_or_default(),
        is_subcolumn: false,
        is_virtual: false,
    };
    let mut lines: Vec<Described> = schema.declared().map(own).collect();
    let mut parts = Vec::new();
    if settings.flag(settings::DESCRIBE_SUBCOLUMNS) {
        parts.extend(lines.iter().flat_map(parts_of));
    }
    if settings.flag(settings::DESCRIBE_VIRTUALS) {
        let virtuals = if entry.is_some() { virtual_columns(schema) } else { Vec::new() };
        lines.extend(virtuals.into_iter().map(|column| Described {
            column,
            ttl: String::new(),
            is_subcolumn: false,
            is_virtual: true,
        }));
    }
    lines.extend(parts);
    lines
}

/// The virtual columns of a table: its own, and those that each table has.
fn virtual_columns(schema: &Schema) -> Vec<ColumnDef> {
    let is_virtual = |column: &&ColumnDef| column.default_kind() == Some(DefaultKind::Virtual);
    let mut all: Vec<ColumnDef> = schema.columns.iter().filter(is_virtual).cloned().collect();
    for name in ["_table", "_database"] {
        if !all.iter().any(|column| *column.name == *name) {
            let ty = DataType::LowCardinality(Arc::new(DataType::String));
            all.push(ColumnDef::virtual_column(name, ty));
        }
    }
    all
}

/// The parts of a column that can be read alone, as columns called `arr.size0` and so on.
fn parts_of(line: &Described) -> Vec<Described> {
    let column = &line.column;
    let part = |part: Subcolumn| Described {
        column: ColumnDef {
            comment: Arc::clone(&column.comment),
            codec: column.codec.clone(),
            ..ColumnDef::new(format!("{}.{}", column.name, part.name), part.ty)
        },
        ttl: line.ttl.clone(),
        is_subcolumn: true,
        is_virtual: false,
    };
    subcolumns(&column.ty).into_iter().map(part).collect()
}

fn result(lines: &[Described], settings: &Settings) -> Result<QueryResult> {
    let of = |f: &dyn Fn(&Described) -> String| lines.iter().map(f).collect::<Vec<String>>();
    let type_lines = |line: &Described| {
        let ty = entasis_sql::parse_type(&line.column.ty.to_string())?;
        Ok(entasis_sql::format_type_lines(&ty))
    };
    let types = lines.iter().map(type_lines).collect::<Result<_>>()?;
    let kind = |line: &Described| {
        let kind = line.column.default_kind().filter(|kind| *kind != DefaultKind::Virtual);
        kind.map_or("", DefaultKind::name).to_string()
    };
    let default = |line: &Described| {
        line.column.default.as_ref().map_or(String::new(), |default| default.1.to_string())
    };
    let codec =
        |line: &Described| line.column.codec.as_ref().map_or(String::new(), ToString::to_string);
    let described = [
        ("name", of(&|line| line.column.name.to_string())),
        ("type", types),
        ("default_type", of(&kind)),
        ("default_expression", of(&default)),
        ("comment", of(&|line| line.column.comment.to_string())),
        ("codec_expression", of(&codec)),
        ("ttl_expression", of(&|line| line.ttl.clone())),
    ];
    let is_compact = settings.flag(settings::DESCRIBE_COMPACT);
    let shown = if is_compact { &described[..2] } else { &described[..] };
    let (mut fields, mut columns) = text_columns(shown);
    let mut flag = |name: &str, of: fn(&Described) -> bool| {
        fields.push(Field::new(name, DataType::UInt8));
        columns.push(lines.iter().map(|line| u8::from(of(line))).collect::<Vec<_>>().into());
    };
    if settings.flag(settings::DESCRIBE_SUBCOLUMNS) {
        flag("is_subcolumn", |line| line.is_subcolumn);
    }
    if settings.flag(settings::DESCRIBE_VIRTUALS) {
        flag("is_virtual", |line| line.is_virtual);
    }
    Ok(QueryResult::ready(Header::new(fields), vec![Chunk::new(columns, lines.len())]))
}
