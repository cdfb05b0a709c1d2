//! Rows of several tables under one name: the table function `merge`, and tables whose engines
//! answer the rows of other tables (Merge, Buffer, Distributed, Alias).
//!
//! `merge` has the columns of all tables whose names match a regular expression, with their common
//! types; a table has the columns that it declares. A column that one of the tables lacks has its
//! default value there. `_table` and `_database` name the table of each row.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_expr::Expr;
use entasis_sql::ast;
use entasis_table_api::{Names, Over, Table};
use entasis_types::{DataType, Value, common_type_or_variant};

use crate::query::{From, Output, Query, SetKind};
use crate::scope::{Source, SourceColumns};
use crate::subquery::project;
use crate::view::Relation;
use crate::{Analyzer, bind};

/// Columns that `*` leaves out.
const VIRTUAL: [&str; 2] = ["_database", "_table"];
const SHARD: &str = "_shard_num";

impl<'a> Analyzer<'a> {
    /// `merge([database,] pattern)`; with `regexp`, the database is a regular expression, too.
    pub(crate) fn merge_tables(
        &mut self,
        args: &[Value],
        regexp: bool,
        alias: Option<&'a str>,
        renamed: &'a [ast::Ident],
    ) -> Result<From> {
        let text = |value: &Value| {
            value.as_bytes().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        };
        let texts: Option<Vec<String>> = args.iter().map(text).collect();
        let (databases, pattern) = match texts.as_deref() {
            Some([pattern]) => (Names::Exactly(String::new()), pattern.clone()),
            Some([database, pattern]) if regexp => {
                (Names::Matching(database.clone()), pattern.clone())
            }
            Some([database, pattern]) => (Names::Exactly(database.clone()), pattern.clone()),
            _ => {
                let message = "Table function merge takes a database and a regular expression of \
                               table names";
                return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
            }
        };
        let over = Over {
            databases,
            tables: Names::Matching(pattern),
            has_own_rows: false,
            must_exist: false,
            names_rows: true,
            numbers_shards: false,
        };
        let queries = self.queries_over(&over)?;
        if queries.is_empty() {
            let message = "There are no tables that match the regular expression";
            return Err(Error::new(codes::CANNOT_EXTRACT_TABLE_STRUCTURE, message));
        }
        let columns = all_columns(queries.iter().map(|(_, query)| query))?;
        let all = self.united(queries, &columns, &over)?;
        let from = self.add_derived(all, alias, renamed)?;
        self.hide_virtual(&over);
        Ok(from)
    }

    /// A table whose rows are those of other tables.
    pub(crate) fn over(
        &mut self,
        table: &Arc<dyn Table>,
        over: &Over,
        name: (Arc<str>, Arc<str>),
        alias: Option<&'a str>,
        renamed: &'a [ast::Ident],
    ) -> Result<From> {
        let mut query = self.over_query(table, over, &name)?;
        if let Some(filter) = self.table_filter(&name, alias) {
            query = self.filtered(query, filter)?;
        }
        let hidden =
            VIRTUAL.len() * usize::from(over.names_rows) + usize::from(over.numbers_shards);
        crate::from::check_renamed(renamed, query.outputs.len() - hidden)?;
        self.scope_mut().sources.push(Source {
            alias,
            table: Some(name),
            columns: SourceColumns::Derived(query.outputs.clone()),
            renamed,
            merged: Vec::new(),
            nullable: false,
            hidden: false,
        });
        self.hide_virtual(over);
        Ok(From::Subquery(Box::new(query)))
    }

    /// The rows of such a table, with its columns, followed by the virtual ones.
    pub(crate) fn over_query(
        &mut self,
        table: &Arc<dyn Table>,
        over: &Over,
        name: &(Arc<str>, Arc<str>),
    ) -> Result<Query> {
        let address = Arc::as_ptr(table).cast::<()>();
        if self.overs.contains(&address) {
            let message = format!("Table {}.{} reads itself", name.0, name.1);
            return Err(Error::new(codes::INFINITE_LOOP, message));
        }
        // Own rows first: if they are passed on meanwhile, they are seen twice and not missed.
        let own = over.has_own_rows.then(|| self.stored_rows(table, &name.0, &name.1));
        let mut own = own.transpose()?;
        self.overs.push(address);
        let queries = self.queries_over(over);
        self.overs.pop();
        let mut queries = queries?;
        if queries.is_empty() && own.is_none() {
            // A table without rows of its own answers none here.
            own = Some(self.stored_rows(table, &name.0, &name.1)?);
        }
        queries.extend(own.map(|own| ((name.0.to_string(), name.1.to_string()), own)));
        let schema = table.schema();
        let columns: Vec<(Arc<str>, DataType)> =
            schema.stored().iter().map(|c| (Arc::clone(&c.name), c.ty.clone())).collect();
        self.united(queries, &columns, over)
    }

    /// Whole tables, each with its database and name.
    fn queries_over(&mut self, over: &Over) -> Result<Vec<((String, String), Query)>> {
        let databases = match &over.databases {
            Names::Exactly(name) if name.is_empty() => vec![self.context.database().to_string()],
            Names::Exactly(name) => vec![name.clone()],
            Names::Matching(pattern) => self.matching(self.catalog.database_names()?, pattern)?,
        };
        let mut queries = Vec::new();
        for database in databases {
            let tables = match &over.tables {
                Names::Exactly(name) => vec![name.clone()],
                Names::Matching(pattern) => match self.catalog.table_names(&database) {
                    Err(error) if !over.must_exist && error.code() == codes::UNKNOWN_DATABASE => {
                        Vec::new()
                    }
                    names => self.matching(names?, pattern)?,
                },
            };
            for table in tables {
                let found = match self.catalog.relation(Some(&database), &table) {
                    Err(error) if !over.must_exist && is_missing(&error) => continue,
                    found => found?,
                };
                if let Relation::Table(table) = &found
                    && self.overs.contains(&Arc::as_ptr(table).cast::<()>())
                    && !over.must_exist
                {
                    continue;
                }
                let query = self.whole_table(&found, Some(&database), &table)?;
                queries.push(((database.clone(), table), query));
            }
        }
        Ok(queries)
    }

    fn matching(&self, mut names: Vec<String>, pattern: &str) -> Result<Vec<String>> {
        let mut kept = Vec::new();
        for name in names.drain(..) {
            if self.matches(&name, pattern)? {
                kept.push(name);
            }
        }
        Ok(kept)
    }

    fn united(
        &mut self,
        queries: Vec<((String, String), Query)>,
        columns: &[(Arc<str>, DataType)],
        over: &Over,
    ) -> Result<Query> {
        let mut branches = Vec::with_capacity(queries.len());
        for ((database, table), query) in queries {
            branches.push(self.branch_of(query, columns, [&database, &table], over)?);
        }
        match branches.len() {
            1 => Ok(branches.remove(0)),
            _ => self.unite(branches, SetKind::Union, false, None),
        }
    }

    /// Leaves the virtual columns out of `*`.
    fn hide_virtual(&mut self, over: &Over) {
        if let Some(source) = self.scope_mut().sources.last_mut() {
            if over.names_rows {
                source.merged.extend(VIRTUAL.map(Arc::<str>::from));
            }
            if over.numbers_shards {
                source.merged.push(SHARD.into());
            }
        }
    }

    /// The rows of one table, with the columns of all tables.
    fn branch_of(
        &mut self,
        query: Query,
        columns: &[(Arc<str>, DataType)],
        names: [&String; 2],
        over: &Over,
    ) -> Result<Query> {
        let (mut exprs, mut outputs) = (Vec::new(), Vec::new());
        let low = DataType::LowCardinality(Arc::new(DataType::String));
        for (name, ty) in columns {
            let expr = match query.outputs.iter().find(|o| o.name == *name) {
                Some(own) => bind::cast(Expr::column(own.id, own.ty.clone()), ty, self.context)?,
                None => Expr::literal(ty.default_value(), ty.clone()),
            };
            let id = self.new_id();
            exprs.push((id, expr));
            outputs.push(Output { id, name: Arc::clone(name), ty: ty.clone() });
        }
        let names = over.names_rows.then_some(names).into_iter().flatten();
        for (column, value) in VIRTUAL.iter().zip(names) {
            let id = self.new_id();
            exprs.push((id, Expr::literal(Value::from(value.as_str()), low.clone())));
            outputs.push(Output { id, name: Arc::from(*column), ty: low.clone() });
        }
        if over.numbers_shards {
            let id = self.new_id();
            exprs.push((id, Expr::literal(Value::UInt(1), DataType::UInt32)));
            outputs.push(Output { id, name: SHARD.into(), ty: DataType::UInt32 });
        }
        Ok(project(query, exprs, outputs))
    }
}

/// Whether the error says that there is no such table.
fn is_missing(error: &Error) -> bool {
    [codes::UNKNOWN_TABLE, codes::UNKNOWN_DATABASE].contains(&error.code())
}

/// All column names, each once and in the order in which they were met, with their common types.
fn all_columns<'q>(queries: impl Iterator<Item = &'q Query>) -> Result<Vec<(Arc<str>, DataType)>> {
    let mut columns: Vec<(Arc<str>, DataType)> = Vec::new();
    for output in queries.flat_map(|query| &query.outputs) {
        match columns.iter_mut().find(|(name, _)| *name == output.name) {
            Some((_, ty)) => *ty = common_type_or_variant(&[ty.clone(), output.ty.clone()], true)?,
            None => columns.push((Arc::clone(&output.name), output.ty.clone())),
        }
    }
    Ok(columns)
}
