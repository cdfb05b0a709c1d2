//! The figures of one part, for `system.parts` and the tables like it.

use std::sync::Weak;

use entasis_base::Result;
use entasis_types::Value;

use super::Store;
use crate::fill::{Filler, Origin};
use crate::log::record::{CompanionKind, TableId};
use crate::lookup::IndexSize;
use crate::part::Part;
use crate::schema::SchemaVersion;
use crate::segment::stats::Extent;
use crate::statistics::ColumnSize;

/// How large a part is, and what its partition key spans.
#[derive(Clone, Debug, Default)]
pub struct PartFigures {
    /// The size of each stored column, by position in the schema. Values that a mutation has
    /// written over the column count, too.
    pub columns: Vec<ColumnSize>,
    /// The least and the greatest value of each stored column, by position in the schema, as far as
    /// they are known.
    pub ranges: Vec<Option<(Value, Value)>>,
    /// The size of the skipping indices.
    pub indices: IndexSize,
    /// Bytes of the files besides the values: what the reference calls marks.
    pub footers: u64,
    /// Bytes of the sparse index in memory.
    pub primary_key: u64,
    /// Least and greatest value of the columns that the partition key reads, by position in the
    /// schema.
    pub bounds: Vec<(usize, Value, Value)>,
    /// A hash of the contents of all files, without the times of writing.
    pub hash: [u8; 16],
}

impl PartFigures {
    /// Compressed bytes of all columns.
    pub fn stored(&self) -> u64 {
        self.columns.iter().map(|column| column.stored).sum()
    }

    /// Uncompressed bytes of all columns.
    pub fn raw(&self) -> u64 {
        self.columns.iter().map(|column| column.raw).sum()
    }
}

impl Store {
    /// The figures of a part of an attached table; `None` for a part that does not exist or cannot
    /// be read.
    pub fn figures_of(&self, id: TableId, file: &str) -> Option<PartFigures> {
        let table = self.core.attached().get(&id).and_then(Weak::upgrade)?;
        let (schema, version) = table.pin();
        let part = version.parts.iter().find(|part| part.summary.file == file)?;
        figures(part, &schema).ok()
    }
}

fn figures(part: &Part, schema: &SchemaVersion) -> Result<PartFigures> {
    let layers = part.layers()?;
    let positions: Vec<usize> = (0..schema.stored.len()).collect();
    let origins = Filler::new(schema, positions)?.origins(layers, 0)?;
    let mut figures = PartFigures::default();
    for origin in &origins[..schema.stored.len()] {
        figures.columns.push(column_size(origin)?);
        figures.ranges.push(match origin.meta()?.map(|meta| &meta.stats.extent) {
            Some(Extent::Range { min, max, .. }) => Some((min.clone(), max.clone())),
            _ => None,
        });
    }
    for position in SchemaVersion::read_by(schema.config.partition_by.as_slice()) {
        let Some(meta) = origins[position].meta()? else { continue };
        if let Extent::Range { min, max, .. } = &meta.stats.extent {
            figures.bounds.push((position, min.clone(), max.clone()));
        }
    }
    for (place, companion) in part.summary.companions.iter().enumerate() {
        if companion.kind == CompanionKind::Index {
            figures.indices.add(part.companion(place)?, companion.bytes)?;
        }
    }
    let overlays = part.summary.overlays.iter().map(|overlay| overlay.bytes);
    let bytes = part.summary.bytes + overlays.sum::<u64>();
    figures.footers = bytes.saturating_sub(figures.stored());
    figures.primary_key = layers.base.index_bytes();
    figures.hash = part.digest()?;
    Ok(figures)
}

/// The size of a column of a part; nothing if it is not stored.
pub(crate) fn column_size(origin: &Origin) -> Result<ColumnSize> {
    let mut size = ColumnSize::default();
    if let Origin::Stored { segment, place, .. } | Origin::Patched { segment, place, .. } = origin {
        let meta = segment.meta(*place)?;
        size.stored = meta.stored_bytes.max(meta.values.len);
        size.raw = meta.stats.raw_bytes;
        size.nulls = meta.stats.nulls;
        size.defaults = meta.stats.defaults;
        size.distinct = meta.stats.sketch.estimate();
    }
    Ok(size)
}
