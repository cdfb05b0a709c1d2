//! Sources: the query that reads the rows of a dictionary, and the conversion of what it answers.

use entasis_base::{Error, Result, codes, scope};
use entasis_column::{Chunk, Column, Header};
use entasis_function::FunctionContext;
use entasis_function::cast::{self, Mode, Session};
use entasis_sql::ast::{
    CreateDictionary, DictionaryParameter, DictionaryPart, DictionaryValue, Expr, ExprKind, Literal,
};
use entasis_sql::{format_expr, format_ident, format_string};
use entasis_types::text::write_value;
use entasis_types::{DataType, TimeZone};

use super::definition::DictionaryDefinition;

/// Where the rows come from.
#[derive(Clone, Debug)]
pub(crate) enum SourceDef {
    /// A table of this server.
    Table { database: Option<String>, table: String, condition: Option<String> },
    /// A query of this server.
    Query { database: Option<String>, query: String },
    /// A file that queries may read.
    File { path: String, format: String },
    /// An address of the web.
    Http { url: String, format: String, headers: Vec<(String, String)> },
    /// A file that queries may read, with a tree of regular expressions.
    Yaml { path: String },
    /// No rows.
    Null,
    /// A source that this server cannot read; kept to be shown.
    Unsupported(String),
}

/// Sources of the reference that are parsed and kept.
const OTHERS: &[&str] = &[
    "CASSANDRA",
    "EXECUTABLE",
    "EXECUTABLE_POOL",
    "JDBC",
    "LIBRARY",
    "MONGODB",
    "MYSQL",
    "ODBC",
    "POSTGRESQL",
    "REDIS",
    "YTSAURUS",
];

fn text_of(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Literal(Literal::String(text)) => {
            Some(String::from_utf8_lossy(text).into_owned())
        }
        ExprKind::Identifier(parts) => {
            Some(parts.iter().map(|part| part.as_str()).collect::<Vec<_>>().join("."))
        }
        _ => None,
    }
}

/// The text of a parameter within another.
fn value_of(parameters: &[DictionaryParameter], name: &str) -> Option<String> {
    let found = parameters.iter().find(|parameter| parameter.name == name)?;
    match &found.value {
        DictionaryValue::One(expr) => text_of(expr),
        DictionaryValue::Many(_) => None,
    }
}

/// A user or a password in a URL.
fn escaped(text: &str) -> String {
    let byte = |b: u8| match b.is_ascii_alphanumeric() {
        true => char::from(b).to_string(),
        false => format!("%{b:02X}"),
    };
    text.bytes().map(byte).collect()
}

/// Reads the parameters of a source.
pub(super) trait Parameters {
    /// The text of a parameter; `None` if it is not given, or empty.
    fn text(&self, name: &str) -> Option<String>;
}

impl Parameters for DictionaryPart {
    fn text(&self, name: &str) -> Option<String> {
        self.value(name).and_then(text_of).filter(|text| !text.is_empty())
    }
}

impl SourceDef {
    /// The source that a statement gives.
    pub(crate) fn new(part: &DictionaryPart, create: &CreateDictionary) -> Result<Self> {
        let text = |name: &str| part.text(name);
        match part.name.as_str() {
            "NULL" => Ok(Self::Null),
            "FILE" => Ok(Self::File {
                path: text("PATH").unwrap_or_default(),
                format: text("FORMAT").unwrap_or_else(|| "TabSeparated".to_string()),
            }),
            "HTTP" => Self::http(part),
            "YAMLREGEXPTREE" => Ok(Self::Yaml { path: text("PATH").unwrap_or_default() }),
            "CLICKHOUSE" => {
                let host = text("HOST").unwrap_or_else(|| "localhost".to_string());
                if !matches!(host.as_str(), "localhost" | "127.0.0.1" | "::1") {
                    return Ok(Self::Unsupported(format!("CLICKHOUSE at the host {host}")));
                }
                let database = text("DB");
                match (text("QUERY"), text("TABLE")) {
                    (Some(query), _) => {
                        // An error in the text is an error of the statement.
                        entasis_sql::parse_query(&query).map_err(|error| {
                            let message = format!("In QUERY of SOURCE: {}", error.message());
                            Error::new(error.code(), message).at(part.position)
                        })?;
                        Ok(Self::Query { database, query })
                    }
                    (None, Some(table)) => {
                        Ok(Self::Table { database, table, condition: text("WHERE") })
                    }
                    (None, None) => {
                        let message = "SOURCE(CLICKHOUSE(...)) needs TABLE or QUERY";
                        Err(Error::new(codes::BAD_ARGUMENTS, message).at(part.position))
                    }
                }
            }
            other if OTHERS.contains(&other) => Ok(Self::Unsupported(other.to_string())),
            other => {
                let message = format!(
                    "{}: unknown dictionary source type: {}",
                    create.name.table.as_str(),
                    other.to_lowercase()
                );
                Err(Error::new(codes::UNKNOWN_ELEMENT_IN_CONFIG, message).at(part.position))
            }
        }
    }

    /// `HTTP(URL '...' FORMAT '...' CREDENTIALS(...) HEADERS(HEADER(NAME '...' VALUE '...')))`.
    fn http(part: &DictionaryPart) -> Result<Self> {
        let text = |name: &str| part.text(name);
        let (Some(mut url), Some(format)) = (text("URL"), text("FORMAT")) else {
            let message = "SOURCE(HTTP(...)) needs URL and FORMAT";
            return Err(Error::new(codes::BAD_ARGUMENTS, message).at(part.position));
        };
        let mut headers = Vec::new();
        for parameter in &part.parameters {
            let DictionaryValue::Many(inner) = &parameter.value else { continue };
            match parameter.name.as_str() {
                "CREDENTIALS" => {
                    let user = value_of(inner, "USER").unwrap_or_default();
                    let password = value_of(inner, "PASSWORD").unwrap_or_default();
                    if let Some((scheme, rest)) = url.split_once("://") {
                        let user_info = escaped(&user) + ":" + &escaped(&password);
                        url = format!("{scheme}://{user_info}@{rest}");
                    }
                }
                "HEADERS" => {
                    for header in inner {
                        let DictionaryValue::Many(pair) = &header.value else { continue };
                        let name = value_of(pair, "NAME").unwrap_or_default();
                        headers.push((name, value_of(pair, "VALUE").unwrap_or_default()));
                    }
                }
                _ => {}
            }
        }
        Ok(Self::Http { url, format, headers })
    }

    /// The source in `system.dictionaries`.
    pub(crate) fn shown(&self, own_database: &str) -> String {
        match self {
            Self::Table { database, table, condition } => {
                let name = format!("{}.{table}", database.as_deref().unwrap_or(own_database));
                match condition {
                    Some(condition) => format!("ClickHouse: {name}, where: {condition}"),
                    None => format!("ClickHouse: {name}"),
                }
            }
            Self::Query { query, .. } => format!("ClickHouse: {query}"),
            Self::File { path, format } => format!("File: {path} {format}"),
            Self::Http { url, .. } => match url.split_once('@') {
                Some((_, host)) => format!("http://{host}"),
                None => url.clone(),
            },
            Self::Yaml { path } => format!("YAMLRegExpTree: {path}"),
            Self::Null => "Null".to_string(),
            Self::Unsupported(name) => name.clone(),
        }
    }

    /// Databases and names of the tables that it reads.
    pub(crate) fn tables(&self, own_database: &str) -> Vec<(String, String)> {
        let database = self.database(own_database);
        match self {
            Self::Table { table, .. } => vec![(database.to_string(), table.clone())],
            Self::Query { query, .. } => {
                let Ok(mut query) = entasis_sql::parse_query(query) else { return Vec::new() };
                let full = |name: entasis_sql::ast::TableName| {
                    let own = || database.to_string();
                    (name.database.map_or_else(own, |d| d.name), name.table.name)
                };
                entasis_sql::qualify(&mut query, database).tables.into_iter().map(full).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The database in which the query runs.
    pub(crate) fn database<'a>(&'a self, own_database: &'a str) -> &'a str {
        match self {
            Self::Table { database, .. } | Self::Query { database, .. } => {
                database.as_deref().unwrap_or(own_database)
            }
            _ => own_database,
        }
    }
}

impl DictionaryDefinition {
    /// The query for all rows; `None` if there are never any.
    pub(crate) fn query(&self, own_database: &str) -> Result<Option<String>> {
        match &self.source {
            SourceDef::Null => Ok(None),
            SourceDef::Query { query, .. } => {
                Ok(Some(query.trim().trim_end_matches(';').to_string()))
            }
            SourceDef::Table { table, condition, .. } => {
                let database = self.source.database(own_database);
                let mut query = format!(
                    "SELECT {} FROM {}.{}",
                    self.columns(),
                    format_ident(database),
                    format_ident(table)
                );
                if let Some(condition) = condition {
                    query += " WHERE ";
                    query += condition;
                }
                Ok(Some(query))
            }
            SourceDef::File { path, format } => {
                let [path, format, structure] =
                    [path, format, &self.names_and_types()].map(|s| format_string(s.as_bytes()));
                Ok(Some(format!("SELECT * FROM file({path}, {format}, {structure})")))
            }
            SourceDef::Yaml { path } => {
                let path = format_string(path.as_bytes());
                Ok(Some(format!("SELECT * FROM file({path}, 'RawBLOB', 'text String')")))
            }
            SourceDef::Http { url, format, headers } => {
                let [url, format, structure] =
                    [url, format, &self.names_and_types()].map(|s| format_string(s.as_bytes()));
                let mut query = format!("SELECT * FROM url({url}, {format}, {structure}");
                for (i, (name, value)) in headers.iter().enumerate() {
                    let [name, value] = [name, value].map(|s| format_string(s.as_bytes()));
                    query += if i == 0 { ", 'auto', headers(" } else { ", " };
                    query += &format!("{name} = {value}");
                }
                query += if headers.is_empty() { ")" } else { "))" };
                Ok(Some(query))
            }
            SourceDef::Unsupported(name) => {
                let what = format!("Dictionaries with the source {name}");
                Err(Error::not_implemented(what))
            }
        }
    }

    /// The structure of a file or an address that has the rows.
    fn names_and_types(&self) -> String {
        let column =
            |c: &entasis_table_api::ColumnDef| format!("{} {}", format_ident(&c.name), c.ty);
        self.source_schema.declared().map(column).collect::<Vec<_>>().join(", ")
    }

    fn columns(&self) -> String {
        let column = |c: &entasis_table_api::ColumnDef| match self.expression(&c.name) {
            Some(expression) => format!("{} AS {}", format_expr(expression), format_ident(&c.name)),
            None => format_ident(&c.name),
        };
        self.source_schema.declared().map(column).collect::<Vec<_>>().join(", ")
    }

    /// The query for the rows with some keys.
    pub(crate) fn query_for(
        &self,
        own_database: &str,
        keys: &[Column],
        rows: usize,
        zone: TimeZone,
    ) -> Result<Option<String>> {
        let Some(all) = self.query(own_database)? else { return Ok(None) };
        let names: Vec<String> =
            self.structure.keys.iter().map(|key| format_ident(&key.name)).collect();
        let mut query = format!("SELECT * FROM ({all}) WHERE ({}) IN (", names.join(", "));
        let types = self.structure.key_types();
        for row in 0..rows {
            query += if row > 0 { ", " } else { "" };
            let values: Vec<String> =
                keys.iter().zip(&types).map(|(key, ty)| literal(key, row, ty, zone)).collect();
            match &values[..] {
                [one] => query += one,
                several => {
                    query += "(";
                    query += &several.join(", ");
                    query += ")";
                }
            }
        }
        query += ")";
        Ok(Some(query))
    }

    /// Brings what a query has answered into the columns of the dictionary.
    pub(crate) fn converted(
        &self,
        header: &Header,
        chunks: &[Chunk],
        context: &dyn FunctionContext,
    ) -> Result<Chunk> {
        let wanted: Vec<_> = self.source_schema.declared().collect();
        if header.len() != wanted.len() {
            let message = format!(
                "Number of columns doesn't match (source: {} and result: {})",
                header.len(),
                wanted.len()
            );
            return Err(Error::new(codes::NUMBER_OF_COLUMNS_DOESNT_MATCH, message));
        }
        let rows = chunks.iter().map(|chunk| chunk.rows).sum();
        let mut columns = Vec::with_capacity(wanted.len());
        // A bound that is NULL is an open end, whatever the attribute's type is.
        let first = self.structure.keys.len();
        let is_bound =
            |at: usize| self.structure.range.is_some() && (first..first + 2).contains(&at);
        for (at, column) in wanted.into_iter().enumerate() {
            let position = header.position(&column.name).ok_or_else(|| {
                let message = format!("Cannot find column `{}` in source stream", column.name);
                Error::new(codes::THERE_IS_NO_COLUMN, message)
            })?;
            let from = &header.types()[position];
            scope::check()?;
            let ty = match is_bound(at) && column.ty.can_be_nullable() && from.is_nullable() {
                true => DataType::nullable(column.ty.clone()),
                false => column.ty.clone(),
            };
            columns.push(self.column(from, &ty, chunks, position, context)?);
        }
        Ok(Chunk::new(columns, rows))
    }

    fn column(
        &self,
        from: &DataType,
        to: &DataType,
        chunks: &[Chunk],
        position: usize,
        context: &dyn FunctionContext,
    ) -> Result<Column> {
        let convert = match from == to {
            true => None,
            false => Some(cast::bind_mode(from, to, Session::of(context), Mode::Wrap)?),
        };
        let mut parts = Vec::with_capacity(chunks.len() + 1);
        parts.push(Column::default_of(to, 0));
        for chunk in chunks {
            let column = chunk.columns[position].full();
            parts.push(convert.as_ref().map_or_else(|| Ok(column.clone()), |c| c(&column))?.full());
        }
        Ok(Column::concat(&parts.iter().collect::<Vec<_>>()).full())
    }
}

/// A value of a key in a query.
fn literal(column: &Column, row: usize, ty: &DataType, zone: TimeZone) -> String {
    let mut text = Vec::new();
    let value = column.value(row);
    if value.is_null() {
        return "NULL".to_string();
    }
    write_value(&mut text, ty, &value, zone);
    let text = String::from_utf8_lossy(&text).into_owned();
    match ty {
        DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64 => text,
        DataType::String => format_string(text.as_bytes()),
        ty => format!(
            "CAST({}, {})",
            format_string(text.as_bytes()),
            format_string(ty.to_string().as_bytes())
        ),
    }
}

/// Reads the keys that a cache or a direct dictionary does not have.
pub(crate) struct KeySource {
    pub definition: std::sync::Arc<DictionaryDefinition>,
    pub links: crate::settings::dictionaries::Dictionaries,
    pub context: crate::settings::function_context::StatementContext,
    pub own_database: String,
}

impl KeySource {
    fn run(&self, query: Option<String>) -> Result<Chunk> {
        let Some(query) = query else {
            let schema = &self.definition.source_schema;
            let columns = schema.declared().map(|c| Column::default_of(&c.ty, 0)).collect();
            return Ok(Chunk::new(columns, 0));
        };
        let database = self.definition.source.database(&self.own_database);
        let owner = self.links.owner()?;
        let (header, chunks) = self.links.nested(|| owner.read(&query, database))?;
        if let SourceDef::Yaml { .. } = self.definition.source {
            let text = chunks.iter().find(|chunk| chunk.rows > 0).map(|c| c.columns[0].value(0));
            let text = text.as_ref().and_then(|value| value.as_bytes()).unwrap_or_default();
            let schema = &self.definition.source_schema;
            return super::yaml::rows(&String::from_utf8_lossy(text), schema);
        }
        self.definition.converted(&header, &chunks, &self.context)
    }
}

impl entasis_dictionary::Source for KeySource {
    fn read(&self, keys: &[Column], rows: usize) -> Result<Chunk> {
        let zone = self.context.time_zone;
        self.run(self.definition.query_for(&self.own_database, keys, rows, zone)?)
    }

    fn read_all(&self) -> Result<Chunk> {
        self.run(self.definition.query(&self.own_database)?)
    }
}
