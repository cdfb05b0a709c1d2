//! CONSTRAINT ... CHECK: what a row must satisfy to be inserted.
//!
//! A table's definition keeps its checks. Every INSERT binds them anew, since `now()` means the
//! statement's, and puts a sink before the table's own that evaluates them on each chunk, after
//! defaults are filled in. The first chunk that violates one fails the statement before any of its
//! rows is made visible. Rows that are there already are never looked at. An ASSUME is a promise
//! that nobody checks: it stands in the definition alone.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, Column};
use entasis_expr::{ColumnId, Expr, Program};
use entasis_function::Facts;
use entasis_pipeline::{Flow, Morsel, QueryContext, Report, Sink, SinkState};
use entasis_sql::{ast, format_expr, format_ident};
use entasis_table::Schema;
use entasis_types::name::quote;
use entasis_types::text::write_value;
use entasis_types::{DataType, TimeZone, Value};

/// Longer values are cut in messages, to so many bytes.
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

/// Fails if the expression of a constraint cannot be bound, or a CHECK is no condition. Asked when
/// a constraint is made, so that statements that insert rows do not find out.
pub(crate) fn check_definition(
    constraint: &ast::ConstraintDef,
    schema: &Schema,
    facts: &dyn Facts,
) -> Result<()> {
    let name = constraint.name.as_str();
    let expr = bind(name, &constraint.expr, schema, facts)?;
    if constraint.assume { Ok(()) } else { check_type(name, &expr) }
}

/// Positions of the stored columns that a constraint reads.
pub(crate) fn columns_of(
    constraint: &ast::ConstraintDef,
    schema: &Schema,
    facts: &dyn Facts,
) -> Result<Vec<usize>> {
    Ok(positions(&bind(constraint.name.as_str(), &constraint.expr, schema, facts)?))
}

/// The expression over the stored columns, whose ids are their positions.
fn bind(name: &str, expr: &ast::Expr, schema: &Schema, facts: &dyn Facts) -> Result<Expr> {
    let known: Vec<(Arc<str>, DataType)> =
        schema.stored().iter().map(|c| (c.name.clone(), c.ty.clone())).collect();
    let bound = entasis_analyze::bind_constraint(expr, &known, facts);
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
    /// Names as SQL writes them, types and positions of what it reads.
    columns: Vec<(String, DataType, usize)>,
}

impl BoundCheck {
    fn new(check: &Check, schema: &Schema, facts: &dyn Facts) -> Result<Self> {
        let expr = bind(&check.name, &check.expr, schema, facts)?;
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

    /// `a = 1, b = 'x'`: what it reads of a row.
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
    /// Workers that have begun.
    workers: AtomicUsize,
}

/// Why a chunk is refused.
enum Failure {
    /// The check is NULL somewhere.
    Null,
    /// It is not 1 in this row, the first of them.
    Row(usize),
}

/// What is wrong with a check's result; as in the reference, numbers above 1 are not true.
fn failure(result: &Column) -> Result<Option<Failure>> {
    match result.full() {
        Column::UInt8(values) => Ok(values.iter().position(|v| *v != 1).map(Failure::Row)),
        Column::Nullable(nullable) if nullable.validity.all() => failure(&nullable.values),
        Column::Nullable(_) => Ok(Some(Failure::Null)),
        // Its type was looked at when it was bound.
        _ => Err(Error::logical("a check that is not a UInt8")),
    }
}

impl Checks {
    /// Fails if a row of the chunk violates a check; `before` are the rows that the worker has seen
    /// before it.
    fn look_at(&self, morsel: &Morsel, before: u64) -> Result<()> {
        let chunk = &morsel.chunk;
        for check in &self.list {
            let result = check.program.run(chunk)?.swap_remove(0);
            if let Some(failure) = failure(&result)? {
                // A row's place among all is known in the first piece of work, whose chunks one
                // worker takes before any other, and where there is but one worker.
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

/// A sink that lets through what satisfies a table's checks.
pub(crate) struct CheckedSink {
    inner: Arc<dyn Sink>,
    checks: Arc<Checks>,
}

impl CheckedSink {
    /// A sink before `inner`, which takes all stored columns of `schema`; `table` is its name in
    /// messages.
    pub(crate) fn new(
        inner: Arc<dyn Sink>,
        table: &str,
        checks: &[Check],
        schema: &Schema,
        facts: &dyn Facts,
    ) -> Result<Self> {
        let bound = checks.iter().map(|check| BoundCheck::new(check, schema, facts));
        let checks = Checks {
            list: bound.collect::<Result<_>>()?,
            table: table.to_string(),
            zone: facts.time_zone(),
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

struct Checked {
    inner: Box<dyn SinkState>,
    checks: Arc<Checks>,
    /// Rows that this worker has let through.
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
