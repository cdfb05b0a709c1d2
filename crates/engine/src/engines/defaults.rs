//! Computes the columns that an older part does not have, or has with another type.

use std::sync::Arc;

use entasis_analyze::bind;
use entasis_base::Result;
use entasis_expr::{ColumnId, Expr};
use entasis_mergetree::BindDefaults;
use entasis_table_api::Schema;
use entasis_types::{DataType, TimeZone};

use crate::definition::defaults::{Defaults, Given, default_of_type};
use crate::settings::function_context::{ServerContext, StatementContext};

/// The default expressions of a schema. They are bound anew for each scan or merge that needs them,
/// with the current time and the table's time zone, so that all readers see the same values.
#[derive(Debug)]
pub(super) struct TableDefaults {
    schema: Arc<Schema>,
    server: ServerContext,
    time_zone: TimeZone,
}

impl TableDefaults {
    /// `function_context` have the table's time zone.
    pub(super) fn of(
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

    /// Position of the array that gives a column of a Nested structure its lengths: the first array
    /// of the structure. `None` if the column is that array, is no array, or belongs to no
    /// structure.
    fn lengths(&self, position: usize) -> Option<usize> {
        let columns = self.schema.stored();
        let (nested, _) = columns[position].name.rsplit_once('.')?;
        let is_array = |at: &usize| matches!(columns[*at].ty, DataType::Array(_));
        let is_of_it = |at: &usize| {
            columns[*at].name.rsplit_once('.').is_some_and(|(other, _)| other == nested)
        };
        let first = (0..columns.len()).filter(is_array).find(is_of_it)?;
        (first != position && is_array(&position)).then_some(first)
    }
}

impl BindDefaults for TableDefaults {
    fn default(&self, position: usize) -> Result<Option<Expr>> {
        let (columns, stored) = (&self.schema.columns, self.schema.stored().len());
        let function_context = self.function_context();
        if columns[position].default.is_none() {
            let ty = &columns[position].ty;
            let (Some(first), DataType::Array(element)) = (self.lengths(position), ty) else {
                return default_of_type(ty, &function_context).map(Some);
            };
            let length = bind::call("length", vec![self.column(first)], &function_context)?;
            let value = Expr::literal(element.column_default(), (**element).clone());
            let array = bind::call("arrayWithConstant", vec![length, value], &function_context)?;
            return bind::cast(array, ty, &function_context).map(Some);
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
        bind::cast(stored, &self.schema.columns[position].ty, &function_context)
    }
}
