//! Projections: rows that are computed from those of a part, and kept in a companion of the part in
//! an order of their own.
//!
//! To the storage a projection is a table: its companions are segments of that table, so they are
//! written, merged and scanned like parts. [`rows`] computes the rows of a block, [`build`] writes
//! them when a part is made, and [`read`] finds the parts of a version that have them.
//!
//! Invariant: a companion is used only if it was made of what the definition says now
//! ([`Projection::definition`]), and every work that changes rows of a part builds its projections
//! anew or leaves them out.

pub(crate) mod build;
mod read;
mod rows;
mod seen;

pub use seen::ProjectionPart;
use std::sync::Arc;

use entasis_base::Result;
use entasis_expr::Expr;
use entasis_function::Aggregate;
use entasis_table_api::{Projected, ProjectionQuery, Schema};

use crate::config::TableConfig;
use crate::schema::{SchemaVersion, ciphers_of};
use crate::segment::writer::ColumnSpec;

/// What the `engine` crate tells a table about one of its projections.
#[derive(Clone, Debug)]
pub struct ProjectionConfig {
    /// What the projection computes.
    pub query: Arc<ProjectionQuery>,
    /// The aggregates that make the states, by position of the column; `None` for values.
    pub functions: Vec<Option<Arc<dyn Aggregate>>>,
    /// The projection as a table: its columns, its order, and for groups how they are folded.
    pub table: TableConfig,
    /// The text of the query.
    pub text: String,
    /// The texts of the sorting key.
    pub keys: Vec<String>,
}

/// A projection of one version of a table's schema.
#[derive(Debug)]
pub(crate) struct Projection {
    pub(crate) config: ProjectionConfig,
    /// The schema of the projection's rows.
    pub(crate) schema: Arc<SchemaVersion>,
    /// What a companion must have been made of: the query, and the columns that it reads.
    pub(crate) definition: String,
    /// Positions of the table's stored columns that the projection reads, ascending.
    pub(crate) reads: Vec<usize>,
}

impl Projection {
    /// The projection over the stored columns of a table.
    pub(crate) fn new(
        config: ProjectionConfig,
        schema: &Schema,
        stored: &[ColumnSpec],
    ) -> Result<Self> {
        let ids = SchemaVersion::first_ids(&config.table);
        let mut own = SchemaVersion::new(config.table.clone(), ids)?;
        for (spec, column) in own.stored.iter_mut().zip(&config.query.columns) {
            let exprs = match column {
                Projected::Value(expr) => std::slice::from_ref(expr),
                Projected::State(state) => &state.args[..],
            };
            spec.options.ciphers = ciphers_of(stored, &SchemaVersion::read_by(exprs));
        }
        let own = Arc::new(own);
        let mut exprs: Vec<Expr> = config.query.filter.clone();
        for column in &config.query.columns {
            match column {
                Projected::Value(expr) => exprs.push(expr.clone()),
                Projected::State(state) => exprs.extend(state.args.iter().cloned()),
            }
        }
        let reads = SchemaVersion::read_by(&exprs);
        let definition = definition(&config.text, &reads, schema, stored);
        Ok(Self { config, schema: own, definition, reads })
    }

    /// The projection's name.
    pub(crate) fn name(&self) -> &str {
        &self.config.query.name
    }
}

/// Parts may lack a column that they show all the same, by its DEFAULT. Defaults may read other
/// columns, so all of them count if one does.
fn definition(text: &str, reads: &[usize], schema: &Schema, stored: &[ColumnSpec]) -> String {
    let mut out = text.to_owned();
    for column in reads.iter().map(|position| &stored[*position]) {
        out.push_str(&format!("\n{} {} {}", column.id, column.name, column.ty));
    }
    if reads.iter().any(|position| schema.columns[*position].default.is_some()) {
        for column in &schema.columns {
            if let Some((kind, text)) = &column.default {
                out.push_str(&format!("\n{} {} {text}", column.name, kind.name()));
            }
        }
    }
    out
}
