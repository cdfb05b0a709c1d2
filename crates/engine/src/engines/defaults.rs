//! Computes the columns that an older part does not have, or has with another type.

use std::sync::Arc;

use entasis_analyze::bind;
use entasis_base::{Error, Result, codes};
use entasis_expr::{ColumnId, Expr};
use entasis_mergetree::BindDefaults;
use entasis_table_api::Schema;
use entasis_types::{DataType, TimeZone};

use crate::definition::defaults::{Defaults, Given, default_of_type, defaults_as_long_as};
use crate::settings::function_context::{ServerContext, StatementContext};

/// The default expressions of a schema. They are bound anew for each scan or merge that needs them,
/// with the current time and the table's time zone, so that all readers see the same values.
#[derive(Debug)]
pub(crate) struct TableDefaults {
    schema: Arc<Schema>,
    server: ServerContext,
    time_zone: TimeZone,
}

impl TableDefaults {
    /// `function_context` have the table's time zone.
    pub(crate) fn of(
        schema: &Arc<Schema>,
        function_context: &StatementContext,
    ) -> Arc<dyn BindDefaults> {
        let (schema, server) = (Arc::clone(schema), function_context.server.clone());
        Arc::new(Self { schema, server, time_zone: function_context.time_zone })
    }

    fn function_context(&self) -> StatementContext {
        StatementContext::of_engine(&self.server).in_zone(self.time_zone)
    }

    fn column(&self, position: usize) -> Expr {
        let ty = self.schema.columns[position].ty.clone();
        Expr::column(ColumnId(position as u32), ty)
    }
}

impl BindDefaults for TableDefaults {
    fn default(&self, position: usize, lengths: Option<usize>) -> Result<Option<Expr>> {
        let (columns, stored) = (&self.schema.columns, self.schema.stored().len());
        let function_context = self.function_context();
        if columns[position].default.is_none() {
            let ty = &columns[position].ty;
            return match lengths {
                Some(other) => {
                    defaults_as_long_as(self.column(other), ty, &function_context).map(Some)
                }
                None => default_of_type(ty, &function_context).map(Some),
            };
        }
        // A part has values of the stored columns only. Those that it lacks are computed from their
        // defaults.
        let given = |at: usize| Given { expr: self.column(at), null_as_default: false };
        let given = (0..columns.len()).map(|at| (at < stored).then(|| given(at))).collect();
        Defaults::new(&self.schema, given, &function_context).default(position).map(Some)
    }

    fn convert(&self, position: usize, from: &DataType) -> Result<Expr> {
        let stored = Expr::column(ColumnId(position as u32), from.clone());
        let function_context = self.function_context();
        let column = &self.schema.columns[position];
        let holds_null = |ty: &DataType| ty.without_low_cardinality().is_nullable();
        if column.default.is_none() || !holds_null(from) || holds_null(&column.ty) {
            return bind::cast(stored, &column.ty, &function_context);
        }
        // NULLs that the column cannot hold any more become its DEFAULT.
        let stored_columns = self.schema.stored().len();
        let other = |at: usize| Given { expr: self.column(at), null_as_default: false };
        let all = 0..self.schema.columns.len();
        let mut given: Vec<_> = all.map(|at| (at < stored_columns).then(|| other(at))).collect();
        given[position] = Some(Given { expr: stored, null_as_default: true });
        let value = Defaults::new(&self.schema, given, &function_context).value(position)?;
        let mut read: Vec<ColumnId> = Vec::new();
        value.columns(&mut read);
        if read.iter().all(|id| id.0 as usize == position) {
            return Ok(value);
        }
        let message = format!(
            "Column {} has NULLs, and its DEFAULT, which would replace them, reads other columns: give \
             it a constant DEFAULT first",
            column.name
        );
        Err(Error::new(codes::UNKNOWN_IDENTIFIER, message))
    }
}
