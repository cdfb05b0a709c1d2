//! Builds the files of indices from a part that was written.
//!
//! The part's columns are read back granule by granule, so an INSERT, a merge and a mutation build
//! an index alike, and hold a granule of the columns and the index in memory. Only tables with
//! indices pay for it.

use std::sync::Arc;

use entasis_base::{Result, scope};
use entasis_codec::EncodeOptions;
use entasis_column::{Chunk, Column};
use entasis_expr::{ColumnId, Program};
use entasis_types::DataType;

use super::{BoundIndex, IndexData};
use crate::fill::{Filler, GranuleReader};
use crate::in_memory::placed;
use crate::layers::Layers;
use crate::log::record::{Companion, CompanionKind, PartSummary};
use crate::merge::Place;
use crate::part::of_part;
use crate::prepared::Unfinished;
use crate::schema::SchemaVersion;
use crate::segment::writer::ColumnSpec;
use crate::segment::{Segment, SegmentInfo};
use crate::table::TableCore;

/// An index of a part in memory that has more bytes is left to merges.
const MOST_IN_MEMORY: u64 = 256 << 10;

/// Builds indices of a table for one part after the other.
pub(crate) struct IndexWriter<'a> {
    pub(crate) table: &'a Arc<TableCore>,
    pub(crate) schema: &'a SchemaVersion,
    pub(crate) unfinished: &'a mut Unfinished,
    /// Where the indices are kept.
    pub(crate) place: Place,
}

impl IndexWriter<'_> {
    /// Adds the indices that `which` accepts to a part whose segment was just written.
    pub(crate) fn add_to(
        &mut self,
        part: &mut PartSummary,
        which: &dyn Fn(&BoundIndex) -> bool,
    ) -> Result<()> {
        if !self.schema.indices.iter().any(which) {
            return Ok(());
        }
        let core = &self.table.core;
        let path = entasis_disk::join(&self.table.parts.dir.path, &part.file);
        let faults = Arc::default();
        let segment = match &part.content {
            Some(content) => Segment::in_memory(content, &path, of_part(part), &faults)?,
            None => Segment::open(&*core.disk, &path, of_part(part), &faults)?,
        };
        let layers = Arc::new(Layers::new(Arc::new(segment), Vec::new())?);
        for index in self.schema.indices.iter().filter(|index| which(index)) {
            let companion = self.build(index, &part.file, &layers)?;
            if self.place == Place::File || companion.bytes <= MOST_IN_MEMORY {
                part.companions.push(companion);
            }
        }
        Ok(())
    }

    /// Builds an index over all stored rows of a part, also over those that a mask hides.
    pub(crate) fn build(
        &mut self,
        index: &BoundIndex,
        of: &str,
        layers: &Arc<Layers>,
    ) -> Result<Companion> {
        let layers = layers.with_all_rows();
        let types = index.types();
        let mut builder = index.def.kind.builder(&types);
        let granules = layers.base.granules.len();
        let mut filler = Filler::new(self.schema, index.reads.clone())?;
        let origins = filler.origins(&layers, 0)?;
        let mut reader = GranuleReader::new(&layers, origins)?;
        let ids: Vec<ColumnId> = index.reads.iter().map(|at| ColumnId(*at as u32)).collect();
        let program = Program::new(&index.def.exprs, &ids)?;
        let per_block = usize::try_from(index.def.granularity).unwrap_or(usize::MAX).max(1);
        for granule in 0..granules {
            scope::check()?;
            let columns = (0..index.reads.len()).map(|at| reader.read(at, granule));
            let rows = layers.base.granules[granule] as usize;
            let chunk = Chunk::new(columns.collect::<Result<_>>()?, rows);
            builder.add(&program.run(&chunk)?)?;
            if (granule + 1).is_multiple_of(per_block) || granule + 1 == granules {
                builder.end_block()?;
            }
        }
        self.write(index, of, &index.def.kind.columns(&types), builder.finish()?)
    }

    fn write(
        &mut self,
        index: &BoundIndex,
        of: &str,
        columns: &[(&'static str, DataType)],
        data: IndexData,
    ) -> Result<Companion> {
        let column = |(id, (name, ty)): (usize, &(&str, DataType))| ColumnSpec {
            id: id as u32 + 1,
            name: (*name).into(),
            ty: ty.clone(),
            options: EncodeOptions { ciphers: index.ciphers, ..EncodeOptions::default() },
        };
        let specs: Vec<ColumnSpec> = columns.iter().enumerate().map(column).collect();
        let (file, path) = placed(self.table.new_companion(), self.place, self.unfinished);
        let granules = data.granules();
        let chunk = &data.rows;
        let size = (chunk.rows, false);
        let mut writer = self.table.segment_writer(path.as_deref(), &specs, size)?;
        for (at, column) in chunk.columns.iter().enumerate() {
            let mut start = 0;
            for &rows in &granules {
                writer.push(at, &column.slice(start, rows as usize))?;
                start += rows as usize;
            }
            writer.close(at)?;
        }
        let info = SegmentInfo {
            index: first_values(&data, &granules, columns),
            index_ciphers: index.ciphers,
            granules,
            sorting_key: of.to_owned(),
            schema_version: self.schema.columns.version(),
            created: self.table.core.now(),
            ..SegmentInfo::default()
        };
        let finished = writer.finish(info)?;
        Ok(Companion {
            file,
            rows: data.rows.rows as u64,
            bytes: finished.bytes,
            checksum: finished.checksum,
            kind: CompanionKind::Index,
            name: index.def.name.clone(),
            definition: index.definition.clone(),
            content: finished.content,
        })
    }
}

/// The sparse index of sorted rows: the first value of each granule, and the last one.
fn first_values(
    data: &IndexData,
    granules: &[u32],
    columns: &[(&'static str, DataType)],
) -> Vec<(DataType, Column)> {
    let (Some(first), Some((_, ty))) = (data.rows.columns.first(), columns.first()) else {
        return Vec::new();
    };
    if !data.sorted || data.rows.rows == 0 {
        return Vec::new();
    }
    let mut rows = Vec::with_capacity(granules.len() + 1);
    let mut start = 0;
    for &count in granules {
        rows.push(start);
        start += count;
    }
    rows.push(start - 1);
    vec![(ty.clone(), first.take(&rows))]
}
