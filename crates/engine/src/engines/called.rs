//! Tables that stand for a call of a table function: `CREATE TABLE t AS numbers(10)`, and
//! `ENGINE = File(format, path)`, which means the table function `file`.
//!
//! Nothing is kept but the call. A query reads the call in the table's place, as it would read a
//! view, and an INSERT goes to what the call stands for at that moment.

use std::sync::Arc;

use entasis_analyze::View;
use entasis_base::{Error, Position, Result, codes};
use entasis_pipeline::QueryContext;
use entasis_sql::ast;
use entasis_table_api::{MergeRequest, Schema, Snapshot, Table};

use super::{Attach, EngineDef};
use crate::definition::features::Features;

/// The engine of `CREATE TABLE ... AS function(...)`, which no statement names.
pub(super) static ENGINE: EngineDef = EngineDef {
    name: "Proxy",
    description: "The rows of a table function.",
    syntax: "CREATE TABLE name AS function(...), which is shown as Proxy or as the function's engine",
    related: &[],
    features: Features::NONE,
    own_files: None,
    create: |args| {
        let definition = args.definition;
        let call = definition.call.clone().ok_or_else(|| {
            let message = "A table of the engine Proxy needs a table function: CREATE TABLE ... AS \
                           function(...)";
            Error::new(codes::INCORRECT_QUERY, message)
        })?;
        let engine = definition.engine.name.clone();
        Ok(CalledTable::attach(engine, call, &definition.schema, true))
    },
};

/// A table that stands for a call.
pub(crate) struct CalledTable {
    engine: String,
    /// The call.
    pub call: ast::Function,
    /// The query that reads it.
    pub view: Arc<View>,
    /// Whether messages and INSERTs are those of the function alone, and TRUNCATE is refused.
    is_function: bool,
}

impl CalledTable {
    /// Makes the table with these columns.
    pub(super) fn attach(
        engine: String,
        call: ast::Function,
        schema: &Arc<Schema>,
        is_function: bool,
    ) -> Attach {
        let view = View {
            query: Arc::new(query_of(&call, schema)),
            schema: Arc::clone(schema),
            parameters: Vec::new(),
            supports_final: Some(false),
        };
        let table = Self { engine, call, view: Arc::new(view), is_function };
        Box::new(move |_| Ok(Arc::new(table)))
    }

    /// The table behind a name, if it stands for a call.
    pub(crate) fn of(table: &dyn Table) -> Option<&Self> {
        let table: &dyn std::any::Any = table;
        table.downcast_ref()
    }

    /// Whether TRUNCATE empties what the call stands for.
    pub(crate) fn can_be_truncated(&self) -> bool {
        !self.is_function
    }
}

/// `SELECT columns FROM call`, or `SELECT *` without columns.
pub(crate) fn query_of(call: &ast::Function, schema: &Schema) -> ast::Query {
    let position = Position::default();
    let column = |name: &str| {
        ast::Expr::new(ast::ExprKind::Identifier(vec![ast::Ident::new(name)]), position)
    };
    let all = ast::Expr::new(ast::ExprKind::Asterisk(Vec::new()), position);
    let projection: Vec<ast::Expr> = schema.stored().iter().map(|c| column(&c.name)).collect();
    let projection = if projection.is_empty() { vec![all] } else { projection };
    let table = ast::TableExpr {
        kind: ast::TableExprKind::Function(Box::new(call.clone())),
        alias: None,
        column_aliases: Vec::new(),
        is_final: false,
        sample: None,
        position,
    };
    ast::Query::Select(Box::new(ast::Select {
        projection,
        from: Some(ast::FromClause { table, steps: Vec::new() }),
        ..ast::Select::default()
    }))
}

impl Table for CalledTable {
    fn engine(&self) -> &str {
        &self.engine
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.view.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let message = "Reading a table of a table function without a query is not supported";
        Err(Error::new(codes::NOT_IMPLEMENTED, message))
    }

    fn truncate(&self) -> Result<()> {
        let message = format!("Truncate is not supported by storage {}", self.engine);
        Err(Error::new(codes::NOT_IMPLEMENTED, message))
    }

    fn merge(&self, _request: &MergeRequest, _context: &QueryContext) -> Result<()> {
        let message = format!("Method optimize is not supported by storage {}", self.engine);
        Err(Error::new(codes::NOT_IMPLEMENTED, message))
    }
}
