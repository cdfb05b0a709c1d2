//! CONSTRAINT ... CHECK: a condition that inserted rows must satisfy.
//!
//! A table's definition keeps its checks. Every INSERT binds them anew, since `now()` means the
//! time of the statement, and puts a sink before the table's own that evaluates them on each chunk,
//! after defaults are filled in. The first chunk that violates a check fails the statement before
//! any of its rows is visible. Rows that are already in the table are never checked. An ASSUME is
//! not checked; it is only kept in the definition.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, Column};
use entasis_expr::{ColumnId, Expr, Program};
use entasis_function::FunctionContext;
use entasis_pipeline::{Flow, Morsel, QueryContext, Report, Sink, SinkState};
use entasis_sql::{ast, format_expr, format_ident};
use entasis_table_api::{InsertSink, Prepared, Schema};
use entasis_types::name::quote;
use entasis_types::text::write_value;
use entasis_types::{DataType, TimeZone, Value};

/// Messages show at most this many bytes of a value.
const MAX_SHOWN: usize = 256;

/// A CHECK of a table.
#[derive(Debug)]
pub(crate) struct Check {
    name: String,
    expr: ast::Expr,
    /// The formatted expression, for messages.
    text: String,
}

/// The checks of a definition, in its order.
pub(crate) fn checks_of(elements: &ast::TableElements) -> Arc<[Check]> {
    let checks = elements.constraints.iter().filter(|c| !c.assume);
    let check = |c: &ast::ConstraintDef| Check {
        name: c.name.as_str().to_string(),
        expr: c.expr.clone(),
        text: format_expr(&c.expr),
    };
    checks.map(check).collect()
}

/// Fails if the expression of a constraint cannot be bound, or if a CHECK is not a condition. This
/// is checked when a constraint is made, so that the error does not first appear in an INSERT.
pub(crate) fn check_definition(
    constraint: &ast::ConstraintDef,
    schema: &Schema,
    function_context: &dyn FunctionContext,
) -> Result<()> {
    let name = constraint.name.as_str();
    let expr = bind(name, &constraint.expr, schema, function_context)?;
    if constraint.assume { Ok(()) } else { check_type(name, &expr) }
}

/// Binds an expression over the stored columns; column ids are their positions.
fn bind(
    name: &str,
    expr: &ast::Expr,
    schema: &Schema,
    function_context: &dyn FunctionContext,
) -> Result<Expr> {
    let known: Vec<(Arc<str>, DataType)> =
        schema.stored().iter().map(|c| (c.name.clone(), c.ty.clone())).collect();
    let bound = entasis_analyze::bind_constraint(expr, &known, function_context);
    bound.map_err(|e| e.context(format!("Constraint `{name}`")))
}

fn check_type(name: &str, expr: &Expr) -> Result<()> {
    if matches!(expr.ty().without_nullable(), DataType::UInt8 | DataType::Bool) {
        return Ok(());
    }
    let message = format!(
        "Constraint `{name}` does not return a value of type UInt8 but of {}: write a condition, \
         such as `x != 0`",
        expr.ty()
    );
    Err(Error::new(codes::UNSUPPORTED_METHOD, message))
}

fn positions(expr: &Expr) -> Vec<usize> {
    let mut ids: Vec<ColumnId> = Vec::new();
    expr.columns(&mut ids);
    let mut positions: Vec<usize> = ids.into_iter().map(|id| id.0 as usize).collect();
    positions.sort_unstable();
    positions.dedup();
    positions
}

/// A check ready to run on chunks of all stored columns.
struct BoundCheck {
    name: String,
    text: String,
    program: Program,
    /// The columns that it reads: name as SQL writes it, type and position.
    columns: Vec<(String, DataType, usize)>,
}

impl BoundCheck {
    fn new(check: &Check, schema: &Schema, function_context: &dyn FunctionContext) -> Result<Self> {
        let expr = bind(&check.name, &check.expr, schema, function_context)?;
        check_type(&check.name, &expr)?;
        let stored = schema.stored();
        let input: Vec<ColumnId> = (0..stored.len() as u32).map(ColumnId).collect();
        let name = |p: usize| format_ident(&stored[p].name);
        let column = |p: usize| (name(p), stored[p].ty.clone(), p);
        Ok(Self {
            name: check.name.clone(),
            text: check.text.clone(),
            columns: positions(&expr).into_iter().map(column).collect(),
            program: Program::new(&[expr], &input)?,
        })
    }

    /// The values that the check reads in a row, for a message: `a = 1, b = 'x'`.
    fn values(&self, chunk: &Chunk, row: usize, zone: TimeZone) -> String {
        let values = self.columns.iter().map(|(name, ty, position)| {
            let value = shown(ty, &chunk.columns[*position].value(row), zone);
            format!("{name} = {value}")
        });
        values.collect::<Vec<_>>().join(", ")
    }
}

/// What the workers of one INSERT share.
struct Checks {
    list: Vec<BoundCheck>,
    /// `database.table`.
    table: String,
    zone: TimeZone,
    /// Number of workers that have opened the sink.
    workers: AtomicUsize,
}

/// Why a chunk is refused.
enum Failure {
    /// The check is NULL in some row.
    Null,
    /// The check is not 1 in this row, which is the first such row.
    Row(usize),
}

/// What is wrong with a check's result. As in the reference, only 1 is true; larger numbers are
/// not.
fn failure(result: &Column) -> Result<Option<Failure>> {
    match result.full() {
        Column::UInt8(values) => Ok(values.iter().position(|v| *v != 1).map(Failure::Row)),
        Column::Nullable(nullable) if nullable.validity.all() => failure(&nullable.values),
        Column::Nullable(_) => Ok(Some(Failure::Null)),
        // The type was checked when the expression was bound.
        _ => Err(Error::logical("a check that is not a UInt8")),
    }
}

impl Checks {
    /// Fails if a row of the chunk violates a check; `before` is the number of rows that the worker
    /// has seen before this chunk.
    fn look_at(&self, morsel: &Morsel, before: u64) -> Result<()> {
        let chunk = &morsel.chunk;
        for check in &self.list {
            let result = check.program.run(chunk)?.swap_remove(0);
            if let Some(failure) = failure(&result)? {
                // The row's number within the INSERT is known if there is only one worker, and in
                // the first morsel, as one worker takes its chunks before any others.
                let counts = morsel.sequence == 0 || self.workers.load(Ordering::Relaxed) == 1;
                return Err(self.violation(check, chunk, &failure, counts.then_some(before)));
            }
        }
        Ok(())
    }

    #[cold]
    fn violation(
        &self,
        check: &BoundCheck,
        chunk: &Chunk,
        why: &Failure,
        before: Option<u64>,
    ) -> Error {
        let (name, table, text) = (&check.name, &self.table, &check.text);
        let start = format!("Constraint `{name}` for table {table} is violated");
        let message = match why {
            Failure::Null => format!(
                "{start}. Expression: ({text}). Constraint expression returns nullable column \
                 that contains null value"
            ),
            Failure::Row(row) => {
                let at = before.map(|rows| format!(" at row {}", rows + *row as u64 + 1));
                let at = at.unwrap_or_default();
                let values = check.values(chunk, *row, self.zone);
                format!("{start}{at}. Expression: ({text}). Column values: {values}")
            }
        };
        Error::new(codes::VIOLATED_CONSTRAINT, message)
    }
}

/// A value as a message shows it.
fn shown(ty: &DataType, value: &Value, zone: TimeZone) -> String {
    if value.is_null() {
        return "NULL".to_string();
    }
    let mut text = Vec::new();
    write_value(&mut text, ty, value, zone);
    let is_cut = text.len() > MAX_SHOWN;
    text.truncate(MAX_SHOWN);
    let text = match ty.without_nullable().is_quoted() {
        true => quote(&text),
        false => String::from_utf8_lossy(&text).into_owned(),
    };
    if is_cut { format!("{text}...") } else { text }
}

/// A sink that passes on rows only if they satisfy a table's checks.
pub(crate) struct CheckedSink {
    inner: Arc<dyn InsertSink>,
    checks: Arc<Checks>,
}

impl CheckedSink {
    /// Puts a sink before `inner`, which takes all stored columns of `schema`; `table` is the
    /// table's name in messages.
    pub(crate) fn new(
        inner: Arc<dyn InsertSink>,
        table: &str,
        checks: &[Check],
        schema: &Schema,
        function_context: &dyn FunctionContext,
    ) -> Result<Self> {
        let bound = checks.iter().map(|check| BoundCheck::new(check, schema, function_context));
        let checks = Checks {
            list: bound.collect::<Result<_>>()?,
            table: table.to_string(),
            zone: function_context.time_zone(),
            workers: AtomicUsize::new(0),
        };
        Ok(Self { inner, checks: Arc::new(checks) })
    }
}

impl Sink for CheckedSink {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn report(&self) -> Report {
        self.inner.report()
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        self.checks.workers.fetch_add(1, Ordering::Relaxed);
        let (inner, checks) = (self.inner.open()?, Arc::clone(&self.checks));
        Ok(Box::new(Checked { inner, checks, rows: 0 }))
    }

    fn finalize(&self, context: &QueryContext) -> Result<()> {
        self.inner.finalize(context)
    }

    fn is_full(&self) -> bool {
        self.inner.is_full()
    }
}

impl InsertSink for CheckedSink {
    fn keeps_order(&self) -> bool {
        self.inner.keeps_order()
    }

    fn prepared(&self) -> Result<Vec<Prepared>> {
        self.inner.prepared()
    }
}

struct Checked {
    inner: Box<dyn SinkState>,
    checks: Arc<Checks>,
    /// Number of rows that this worker has passed on.
    rows: u64,
}

impl SinkState for Checked {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        self.checks.look_at(&morsel, self.rows)?;
        self.rows += morsel.chunk.rows as u64;
        self.inner.push(morsel)
    }

    fn combine(self: Box<Self>) -> Result<()> {
        self.inner.combine()
    }
}
