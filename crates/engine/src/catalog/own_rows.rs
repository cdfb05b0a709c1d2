//! Hides other users' statements from a restricted user.
//!
//! The logs and the list of processes tell of the statements of all users. For a user whose
//! configuration says `readonly`, such a table answers only the rows of that user if it has a
//! column `user`. A table that holds statements or messages without saying whose they are answers
//! ACCESS_DENIED.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_expr::{ColumnId, Expr};
use entasis_function::{Arg, BoundFunction, FunctionContext, registry};
use entasis_pipeline::{QueryContext, Source};
use entasis_table_api::{PinnedStores, ScanColumn, ScanSpec, Schema, Snapshot, Table};
use entasis_types::{DataType, Value};

use crate::catalog::Entry;

/// Tables of the database `system` that hold texts of statements, or messages about them, without a
/// column that names the user. Older logs are called `text_log_0` and so on.
const WITHOUT_USER: &[&str] = &["text_log", "opentelemetry_span_log", "errors"];

/// Refuses a table of the database `system` that a restricted user must not see.
pub(crate) fn check(name: &str, user: &str) -> Result<()> {
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
    if WITHOUT_USER.contains(&base) {
        let message = format!(
            "{user}: Not enough privileges. system.{name} tells of all users' statements: ask as \
             a user that is not readonly in the server's configuration"
        );
        return Err(Error::new(codes::ACCESS_DENIED, message));
    }
    Ok(())
}

/// A table of the database `system` as a restricted user sees it.
pub(crate) fn of(
    entry: Arc<Entry>,
    user: &str,
    function_context: &dyn FunctionContext,
) -> Result<Arc<Entry>> {
    let schema = entry.table.schema();
    let Some(position) = schema.position("user").filter(|p| *p < schema.stored().len()) else {
        return Ok(entry);
    };
    let condition = Condition::new(position, &schema.columns[position].ty, user, function_context)?;
    let table = OwnRows { table: Arc::clone(&entry.table), condition };
    Ok(Entry::without_definition(Arc::new(table)))
}

/// `user = '...'`, bound to the table's column.
#[derive(Clone)]
struct Condition {
    position: usize,
    ty: DataType,
    equals: Arc<BoundFunction>,
    user: Expr,
}

impl Condition {
    fn new(
        position: usize,
        ty: &DataType,
        user: &str,
        function_context: &dyn FunctionContext,
    ) -> Result<Self> {
        let name = Value::from(user);
        let args = [Arg::column(ty.clone()), Arg::constant(DataType::String, name.clone())];
        let equals = BoundFunction::bind(registry::scalar("equals")?, &args, function_context)?;
        let user = Expr::literal(name, DataType::String);
        Ok(Self { position, ty: ty.clone(), equals, user })
    }

    /// Adds the condition to a query's scan, and the column that the condition reads.
    fn add_to(&self, spec: &mut ScanSpec) {
        let read = spec.columns.iter().find(|c| c.whole_position() == Some(self.position));
        let id = read.map_or_else(
            || ColumnId(spec.columns.iter().map(|c| c.id.0 + 1).max().unwrap_or(0)),
            |column| column.id,
        );
        if read.is_none() {
            spec.columns.push(ScanColumn::whole(id, self.position));
        }
        let args = vec![Expr::column(id, self.ty.clone()), self.user.clone()];
        spec.filter.insert(0, Expr::call(Arc::clone(&self.equals), args));
    }
}

/// The rows of one user.
struct OwnRows {
    table: Arc<dyn Table>,
    condition: Condition,
}

impl Table for OwnRows {
    fn engine(&self) -> &str {
        self.table.engine()
    }

    fn schema(&self) -> Arc<Schema> {
        self.table.schema()
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.snapshot_in(&PinnedStores::default())
    }

    fn snapshot_in(&self, pinned: &PinnedStores) -> Result<Arc<dyn Snapshot>> {
        let (inner, condition) = (self.table.snapshot_in(pinned)?, self.condition.clone());
        Ok(Arc::new(OwnRowsSnapshot { inner, condition }))
    }
}

/// Answers no metadata of the whole table (row counts, ranges), as it would tell of other users'
/// rows.
struct OwnRowsSnapshot {
    inner: Arc<dyn Snapshot>,
    condition: Condition,
}

impl Snapshot for OwnRowsSnapshot {
    fn row_count(&self) -> Option<u64> {
        None
    }

    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>> {
        let mut spec = spec.clone();
        self.condition.add_to(&mut spec);
        self.inner.scan(&spec, context)
    }

    fn sorted_by(&self) -> Vec<usize> {
        self.inner.sorted_by()
    }
}
