//! Writes overlays: a mask of the rows that are left, new columns, or a patch of single values.
//!
//! Invariant: a file is synced before this module answers what it is; its directory entry is not.

use std::sync::Arc;

use entasis_base::{Result, scope};
use entasis_codec::EncodeOptions;
use entasis_column::{Bitmap, Column};
use entasis_types::DataType;

use super::rows::OfPart;
use crate::fill::{Filler, GranuleReader};
use crate::insert::empty_summary;
use crate::layers::{Layers, POSITION, ROW_EXISTS, scattered};
use crate::log::record::{Overlay, OverlayKind, PartSummary};
use crate::prepared::Unfinished;
use crate::schema::SchemaVersion;
use crate::segment::writer::ColumnSpec;
use crate::segment::{SegmentInfo, SegmentWriter};
use crate::table::TableCore;

/// Rows of a granule of a patch.
const PATCH_GRANULE: usize = 8192;

/// Writes the overlays of one part.
pub(super) struct OverlayWriter<'a> {
    pub(super) table: &'a Arc<TableCore>,
    pub(super) schema: &'a SchemaVersion,
    pub(super) unfinished: &'a mut Unfinished,
}

fn system_column(id: u32, name: &str, ty: DataType) -> ColumnSpec {
    ColumnSpec { id, name: name.into(), ty, options: EncodeOptions::default() }
}

impl OverlayWriter<'_> {
    /// Writes a mask of the rows of a part that exist.
    pub(super) fn mask(
        &mut self,
        base: &PartSummary,
        granules: &[u32],
        mask: &Bitmap,
        kind: OverlayKind,
    ) -> Result<Overlay> {
        let columns = [system_column(ROW_EXISTS, "_row_exists", DataType::UInt8)];
        self.file(base, granules, &columns, kind, &mut |writer| {
            let mut start = 0;
            for &rows in granules {
                let bytes = mask.slice(start, rows as usize).to_bytes();
                writer.push(0, &Column::from(bytes))?;
                start += rows as usize;
            }
            writer.close(0)
        })
    }

    /// Writes the values of the columns at `positions` for all rows of a part: the old ones, and
    /// those of `changes`, whose columns are the first ones.
    pub(super) fn columns(
        &mut self,
        base: &PartSummary,
        layers: &Layers,
        positions: &[usize],
        changes: &OfPart,
    ) -> Result<Overlay> {
        let granules = &layers.base.granules;
        let columns: Vec<ColumnSpec> =
            positions.iter().map(|at| self.schema.stored[*at].clone()).collect();
        let all = layers.with_all_rows();
        let mut filler = Filler::new(self.schema, positions.to_vec())?;
        let origins = filler.origins(&all, 0)?;
        let mut reader = GranuleReader::new(&all, origins)?;
        self.file(base, granules, &columns, OverlayKind::Columns, &mut |writer| {
            for at in 0..positions.len() {
                let (mut start, mut done) = (0u32, 0);
                for (granule, &rows) in granules.iter().enumerate() {
                    scope::check()?;
                    let rest = &changes.positions[done..];
                    let count = rest.partition_point(|position| *position < start + rows);
                    let values = match changes.values.get(at).filter(|_| count > 0) {
                        Some(new) if count == rows as usize => new.slice(done, count),
                        Some(new) => {
                            let old = reader.read(at, granule)?;
                            let new = new.slice(done, count);
                            scattered(old, &new, &rest[..count], start)
                        }
                        None => reader.read(at, granule)?,
                    };
                    writer.push(at, &values)?;
                    done += count;
                    start += rows;
                }
                writer.close(at)?;
            }
            Ok(())
        })
    }

    /// Writes the new values of some rows.
    pub(super) fn patch(
        &mut self,
        base: &PartSummary,
        positions: &[usize],
        changes: &OfPart,
    ) -> Result<Overlay> {
        let mut columns = vec![system_column(POSITION, "_part_offset", DataType::UInt32)];
        columns.extend(positions.iter().map(|at| self.schema.stored[*at].clone()));
        let rows = changes.positions.len();
        let granules: Vec<u32> = (0..rows)
            .step_by(PATCH_GRANULE)
            .map(|start| PATCH_GRANULE.min(rows - start) as u32)
            .collect();
        let rows_changed = Column::from(changes.positions.clone());
        self.file(base, &granules, &columns, OverlayKind::Patch, &mut |writer| {
            let all = std::iter::once(&rows_changed).chain(&changes.values);
            for (at, column) in all.enumerate() {
                let mut start = 0;
                for &rows in &granules {
                    writer.push(at, &column.slice(start, rows as usize))?;
                    start += rows as usize;
                }
                writer.close(at)?;
            }
            Ok(())
        })
    }

    /// Writes a file of these columns.
    fn file(
        &mut self,
        base: &PartSummary,
        granules: &[u32],
        columns: &[ColumnSpec],
        kind: OverlayKind,
        write: &mut dyn FnMut(&mut SegmentWriter) -> Result<()>,
    ) -> Result<Overlay> {
        let (file, path) = self.table.new_overlay();
        self.unfinished.add(PartSummary { file: file.clone(), ..empty_summary() });
        let rows: u64 = granules.iter().map(|&rows| u64::from(rows)).sum();
        let disk = &*self.table.core.disk;
        let mut writer = SegmentWriter::create(disk, &path, columns, rows as usize, true)?;
        write(&mut writer)?;
        let finished = writer.finish(SegmentInfo {
            granules: granules.to_vec(),
            sorting_key: base.file.clone(),
            schema_version: self.schema.columns.version(),
            created: self.table.core.now(),
            ..SegmentInfo::default()
        })?;
        Ok(Overlay { file, rows, bytes: finished.bytes, checksum: finished.checksum, kind })
    }
}
