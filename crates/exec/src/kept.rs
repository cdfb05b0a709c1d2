//! Hash tables of joins and sets of IN that are kept with a table's version, so that the next query
//! need not read the table again. A name says what they were made from.

use std::any::Any;
use std::sync::Arc;

use entasis_expr::ColumnId;
use entasis_pipeline::QueryContext;
use entasis_plan::{Plan, physical};
use entasis_table_api::Snapshot;

/// A place where something is kept.
pub struct Place {
    table: Arc<dyn Snapshot>,
    name: String,
}

impl Place {
    /// The place for what is made of all rows that a plan reads from a table with such places.
    /// `about` says what is made of these columns.
    pub fn of(plan: &Plan, columns: &[ColumnId], about: &str) -> Option<Self> {
        let Plan::Scan(physical::Scan { table, spec, .. }) = plan else { return None };
        let is_whole = spec.filter.is_empty() && spec.limit.is_none() && !spec.final_;
        table.kept().filter(|_| is_whole)?;
        let positions: Option<Vec<usize>> =
            columns.iter().map(|id| spec.whole_position(*id)).collect();
        Some(Self { table: Arc::clone(table), name: format!("{about} of {:?}", positions?) })
    }

    pub fn get<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.table.kept()?.get(&self.name)
    }

    /// Keeps something of so many bytes. A part of the rows, which is all there is if the table's
    /// source was cut short, is no use to other queries.
    pub fn put<T: Any + Send + Sync>(&self, value: &Arc<T>, bytes: usize, context: &QueryContext) {
        if let Some(kept) = self.table.kept().filter(|_| !context.progress.was_cut_short()) {
            kept.put(self.name.clone(), Arc::clone(value), bytes);
        }
    }
}
