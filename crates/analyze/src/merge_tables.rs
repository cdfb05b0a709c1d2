//! The table function `merge`: the rows of all tables of a database whose names match a regular
//! expression. It has the columns of all these tables, with their common types; a column that a
//! table lacks has its default value. `_table` and `_database` name the table of each row.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_expr::Expr;
use entasis_sql::ast;
use entasis_types::{DataType, Value, common_type_of_two};

use crate::query::{From, Output, Query, SetKind};
use crate::subquery::project;
use crate::{Analyzer, bind};

/// Columns that `*` leaves out.
const VIRTUAL: [&str; 2] = ["_database", "_table"];

impl<'a> Analyzer<'a> {
    /// `merge([database,] pattern)`.
    pub(crate) fn merge_tables(
        &mut self,
        args: &[Value],
        alias: Option<&'a str>,
        renamed: &'a [ast::Ident],
    ) -> Result<From> {
        let text = |value: &Value| {
            value.as_bytes().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        };
        let texts: Option<Vec<String>> = args.iter().map(text).collect();
        let (database, pattern) = match texts.as_deref() {
            Some([pattern]) => (self.context.database().to_string(), pattern),
            Some([database, pattern]) => (database.clone(), pattern),
            _ => {
                let message = "Table function merge takes a database and a regular expression of \
                               table names";
                return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
            }
        };
        let mut queries = Vec::new();
        for name in self.catalog.table_names(&database)? {
            if self.matches(&name, pattern)? {
                let table = self.catalog.relation(Some(&database), &name)?;
                queries.push((name.clone(), self.whole_table(&table, Some(&database), &name)?));
            }
        }
        if queries.is_empty() {
            let message = format!("There are no tables in {database} that match '{pattern}'");
            return Err(Error::new(codes::CANNOT_EXTRACT_TABLE_STRUCTURE, message));
        }
        let columns = all_columns(queries.iter().map(|(_, query)| query))?;
        let mut branches = Vec::with_capacity(queries.len());
        for (name, query) in queries {
            branches.push(self.branch_of(query, &columns, [&database, &name])?);
        }
        let all = self.unite(branches, SetKind::Union, false, None)?;
        let from = self.add_derived(all, alias, renamed)?;
        if let Some(source) = self.scope_mut().sources.last_mut() {
            source.merged.extend(VIRTUAL.map(Arc::<str>::from));
        }
        Ok(from)
    }

    /// The rows of one table, with the columns of all tables.
    fn branch_of(
        &mut self,
        query: Query,
        columns: &[(Arc<str>, DataType)],
        names: [&String; 2],
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
        for (column, value) in VIRTUAL.iter().zip(names) {
            let id = self.new_id();
            exprs.push((id, Expr::literal(Value::from(value.as_str()), low.clone())));
            outputs.push(Output { id, name: Arc::from(*column), ty: low.clone() });
        }
        Ok(project(query, exprs, outputs))
    }
}

/// All column names, each once and in the order in which they were met, with their common types.
fn all_columns<'q>(queries: impl Iterator<Item = &'q Query>) -> Result<Vec<(Arc<str>, DataType)>> {
    let mut columns: Vec<(Arc<str>, DataType)> = Vec::new();
    for output in queries.flat_map(|query| &query.outputs) {
        match columns.iter_mut().find(|(name, _)| *name == output.name) {
            Some((_, ty)) => *ty = common_type_of_two(ty, &output.ty)?,
            None => columns.push((Arc::clone(&output.name), output.ty.clone())),
        }
    }
    Ok(columns)
}
