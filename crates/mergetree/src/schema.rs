//! One version of a table's schema, with everything that is bound to it.
//!
//! A handle of a table keeps the same version for its whole life, and so does everything that is
//! made from it: the snapshot of a query, the sink of an INSERT. An ALTER makes a handle of the
//! next version. Parts of all versions exist side by side; [`crate::fill`] reads them alike.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_codec::Ciphers;
use entasis_column::{Chunk, Column};
use entasis_expr::{ColumnId, Expr, Program};
use entasis_types::DataType;
use entasis_types::nested::group_of;

use crate::codecs::parse_codec;
use crate::column_ids::ColumnIds;
use crate::config::{TableConfig, plain_column};
use crate::index::BoundIndex;
use crate::layers::Layers;
use crate::merge::fold::KeptRow;
use crate::part::Part;
use crate::projection::{Projection, ProjectionConfig};
use crate::segment::writer::ColumnSpec;

/// A version of a table's schema.
#[derive(Debug)]
pub(crate) struct SchemaVersion {
    pub(crate) config: TableConfig,
    pub(crate) columns: ColumnIds,
    /// How the stored columns are written, by position.
    pub(crate) stored: Vec<ColumnSpec>,
    /// The skipping indices.
    pub(crate) indices: Vec<BoundIndex>,
    /// The projections.
    pub(crate) projections: Vec<Arc<Projection>>,
}

impl SchemaVersion {
    /// Fails if a CODEC is unknown, or if `columns` are not the stored columns of `config`.
    pub(crate) fn new(config: TableConfig, columns: ColumnIds) -> Result<Self> {
        if config.primary_key_len > config.order_by.len() {
            let message = "Primary key must be a prefix of the sorting key";
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        let ids = columns.of_names(config.schema.stored().iter().map(|c| &*c.name))?;
        let spec = |(id, c): (u32, &entasis_table_api::ColumnDef)| {
            let options = match &c.codec {
                Some(text) => parse_codec(text, &c.ty)?.1,
                None => entasis_codec::EncodeOptions::default(),
            };
            Ok(ColumnSpec { id, name: c.name.clone(), ty: c.ty.clone(), options })
        };
        let stored: Vec<ColumnSpec> =
            ids.into_iter().zip(config.schema.stored()).map(spec).collect::<Result<_>>()?;
        let indices = config.indices.iter().map(|def| BoundIndex::new(def, &stored)).collect();
        let of = |projection: &ProjectionConfig| {
            Projection::new(projection.clone(), &config.schema, &stored).map(Arc::new)
        };
        let projections = config.projections.iter().map(of).collect::<Result<_>>()?;
        Ok(Self { config, columns, stored, indices, projections })
    }

    /// The column ids of a table whose columns were never altered.
    pub(crate) fn first_ids(config: &TableConfig) -> ColumnIds {
        ColumnIds::first(config.schema.stored().iter().map(|c| &*c.name))
    }

    /// Whether a part may lack a column, which is impossible in the first version.
    pub(crate) fn may_be_lacking(&self) -> bool {
        self.columns.version() > 1
    }

    /// Positions of the columns that a part lacks.
    pub(crate) fn lacking(&self, layers: &Layers) -> impl Iterator<Item = usize> {
        let is_missing = |position: &usize| layers.stored(self.stored[*position].id).is_none();
        (0..self.stored.len()).filter(is_missing)
    }

    /// Whether a part has a column with another type.
    pub(crate) fn converts(&self, layers: &Layers) -> bool {
        let is_older = |column: &ColumnSpec| {
            layers.stored(column.id).is_some_and(|stored| stored.has_other_type(&column.ty))
        };
        self.stored.iter().any(is_older)
    }

    /// The column that gives the arrays of a column their lengths in parts that lack it: the oldest
    /// of its group of arrays (`n` of `n.a`), which every part with arrays of the group has. `None`
    /// for that column itself, and for a column of no group.
    pub(crate) fn lengths_of(&self, position: usize) -> Option<usize> {
        let group = |at: usize| group_of(&self.stored[at].name, &self.stored[at].ty);
        let of = group(position)?;
        let members = (0..self.stored.len()).filter(|&at| group(at) == Some(of));
        let oldest = members.min_by_key(|&at| self.stored[at].id);
        oldest.filter(|at| *at != position)
    }

    /// Whether rows with equal sorting keys are folded. Without a sorting key all rows are one
    /// group, which only some algorithms fold.
    pub(crate) fn folds(&self) -> bool {
        self.config.merging.as_ref().is_some_and(|merging| {
            let sums = matches!(merging.pick, KeptRow::First | KeptRow::NonZero(_));
            !self.config.order_by.is_empty() || !sums
        })
    }

    /// Whether no two rows of a part have equal sorting keys, because the part was folded when it
    /// was written. Its level is then at least 1.
    pub(crate) fn holds_no_key_twice(&self, part: &Part) -> bool {
        let leaves_one = self.config.merging.as_ref().is_some_and(|merging| merging.leaves_one());
        leaves_one && part.summary.level > 0
    }

    /// Positions of the stored columns that expressions read, ascending.
    pub(crate) fn read_by(exprs: &[Expr]) -> Vec<usize> {
        let mut ids: Vec<ColumnId> = Vec::new();
        exprs.iter().for_each(|e| e.columns(&mut ids));
        let mut positions: Vec<usize> = ids.into_iter().map(|id| id.0 as usize).collect();
        positions.sort_unstable();
        positions.dedup();
        positions
    }

    /// Positions of the stored columns that the first `len` expressions of the sort key read.
    pub(crate) fn key_columns(&self, len: usize) -> Vec<usize> {
        Self::read_by(&self.config.order_by[..len])
    }

    /// Types of the primary key.
    pub(crate) fn primary_types(&self) -> Vec<DataType> {
        let key = &self.config.order_by[..self.config.primary_key_len];
        key.iter().map(|e| e.ty().clone()).collect()
    }

    /// The ciphers of the columns of the primary key, which are written like this: those of the
    /// sparse index, which has values of them.
    pub(crate) fn key_ciphers(&self, specs: &[ColumnSpec]) -> Ciphers {
        ciphers_of(specs, &self.key_columns(self.config.primary_key_len))
    }

    /// Evaluates expressions over a chunk of all stored columns.
    pub(crate) fn evaluate(&self, exprs: &[Expr], chunk: &Chunk) -> Result<Vec<Column>> {
        let all: Vec<usize> = (0..self.stored.len()).collect();
        evaluate(exprs, &all, chunk)
    }
}

/// The ciphers for values that are computed from columns: those of the first one that has any.
pub(crate) fn ciphers_of(specs: &[ColumnSpec], positions: &[usize]) -> Ciphers {
    let of = positions.iter().map(|position| specs[*position].options.ciphers);
    of.into_iter().find(|ciphers| !ciphers.is_empty()).unwrap_or_default()
}

/// Evaluates expressions over a chunk of the stored columns at these positions.
pub(crate) fn evaluate(exprs: &[Expr], positions: &[usize], chunk: &Chunk) -> Result<Vec<Column>> {
    let at = |position: usize| positions.iter().position(|p| *p == position);
    let plain: Option<Vec<Column>> = exprs
        .iter()
        .map(|e| plain_column(e).and_then(at).map(|i| chunk.columns[i].full()))
        .collect();
    if let Some(columns) = plain {
        return Ok(columns);
    }
    let ids: Vec<ColumnId> = positions.iter().map(|p| ColumnId(*p as u32)).collect();
    let columns = Program::new(exprs, &ids)?.run(chunk)?;
    Ok(columns.iter().map(Column::full).collect())
}
