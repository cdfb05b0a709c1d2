//! Writes projections when a part is made: by an INSERT, a merge, a mutation or MATERIALIZE
//! PROJECTION.

use std::sync::Arc;

use entasis_base::{Result, scope};
use entasis_column::Chunk;

use super::Projection;
use crate::config::AfterChange;
use crate::fill::{Filler, GranuleReader};
use crate::in_memory::placed;
use crate::insert::{chunk_bytes, write_rows};
use crate::log::record::{Companion, CompanionKind, PartSummary};
use crate::merge::folded::RowRules;
use crate::merge::{Place, merge_projection};
use crate::part::Part;
use crate::prepared::Unfinished;
use crate::schema::SchemaVersion;
use crate::table::TableCore;

/// Writes the projections of the rows of a new part, which are in memory. The chunks hold all
/// stored columns of the table.
pub(crate) fn of_chunks(
    table: &Arc<TableCore>,
    schema: &SchemaVersion,
    chunks: &[Chunk],
    (place, unfinished): (Place, &mut Unfinished),
) -> Result<Vec<Companion>> {
    if !schema.config.settings.projections_on_insert {
        return Ok(Vec::new());
    }
    let all: Vec<usize> = (0..schema.stored.len()).collect();
    let mut out = Vec::with_capacity(schema.projections.len());
    for projection in &schema.projections {
        let written = of_block(table, projection, &all, chunks, (place, unfinished))?;
        out.extend(written.map(|part| projection.companion(part)));
    }
    Ok(out)
}

/// Writes a projection of a block as one file. `None` if it has no rows.
fn of_block(
    table: &Arc<TableCore>,
    projection: &Projection,
    positions: &[usize],
    chunks: &[Chunk],
    (place, unfinished): (Place, &mut Unfinished),
) -> Result<Option<PartSummary>> {
    let rows = projection.rows(positions, chunks)?;
    if rows.is_empty() {
        return Ok(None);
    }
    let (file, path) = placed(table.new_companion(), place, unfinished);
    let part = write_rows((table, &projection.schema), path.as_deref(), rows)?;
    Ok(Some(PartSummary { file, ..part }))
}

/// Computes a projection from the rows that a part shows. The part need not be visible yet.
pub(crate) fn of_part(
    (table, schema): (&Arc<TableCore>, &SchemaVersion),
    projection: &Projection,
    part: &Part,
    (place, unfinished): (Place, &mut Unfinished),
) -> Result<Option<Companion>> {
    let settings = &schema.config.settings;
    let layers = part.layers()?;
    let mut filler = Filler::new(schema, projection.reads.clone())?;
    let mut reader = GranuleReader::new(layers, filler.origins(layers, 0)?)?;
    let mut blocks = Vec::new();
    let (mut chunks, mut rows, mut bytes, mut from) = (Vec::new(), 0, 0, 0);
    // Files of blocks that are merged below; they are removed at the end.
    let mut temporary = Unfinished::new(table);
    while let Some((granule, count)) = reader.next(from)? {
        scope::check()?;
        from = granule + 1;
        let columns = (0..projection.reads.len()).map(|at| reader.read(at, granule));
        let chunk = Chunk::new(columns.collect::<Result<_>>()?, count);
        (rows, bytes) = (rows + count, bytes + chunk_bytes(&chunk));
        chunks.push(chunk);
        if rows >= settings.insert_block_rows || bytes >= settings.insert_block_bytes {
            let block = std::mem::take(&mut chunks);
            (rows, bytes) = (0, 0);
            let to = (Place::File, &mut temporary);
            blocks.extend(of_block(table, projection, &projection.reads, &block, to)?);
        }
    }
    if blocks.is_empty() {
        let to = (place, unfinished);
        let only = of_block(table, projection, &projection.reads, &chunks, to)?;
        return Ok(only.map(|part| projection.companion(part)));
    }
    let to = (Place::File, &mut temporary);
    blocks.extend(of_block(table, projection, &projection.reads, &chunks, to)?);
    let block = |(number, summary): (usize, &PartSummary)| {
        let (min_block, max_block) = (number as u64, number as u64);
        let summary = PartSummary { min_block, max_block, level: 1, ..summary.clone() };
        Part::new(Arc::new(summary), Arc::clone(&table.parts.dir))
    };
    let parts: Vec<Arc<Part>> = blocks.iter().enumerate().map(block).collect();
    let to = (place, unfinished);
    let merged = merge_projection(table, projection, &parts, to, &|| scope::check().is_ok())?;
    Ok(merged.map(|part| projection.companion(part)))
}

/// Writes the projections of a part that was merged from others. The companions of these are merged
/// if all rows stay as they are; otherwise, or where a part has none, the table's settings decide
/// whether a projection is computed anew.
pub(crate) fn of_merge(
    (table, schema, rules): (&Arc<TableCore>, &SchemaVersion, &RowRules),
    parts: &[Arc<Part>],
    merged: &PartSummary,
    (place, unfinished): (Place, &mut Unfinished),
    go_on: &dyn Fn() -> bool,
) -> Result<Vec<Companion>> {
    let settings = &schema.config.settings;
    let mut out = Vec::new();
    for projection in &schema.projections {
        let having = parts.iter().filter(|part| projection.of_part(part).is_some()).count();
        let built = if having == parts.len() && rules.keep_all() {
            of_parts(table, projection, parts, (place, unfinished), go_on)?
        } else if match (having, rules.folds()) {
            (0, _) => settings.projections_on_merge,
            (_, false) => true,
            (_, true) => settings.folded_projections == AfterChange::Rebuild,
        } {
            let part = Part::new(Arc::new(merged.clone()), Arc::clone(&table.parts.dir));
            of_part((table, schema), projection, &part, (place, unfinished))?
        } else {
            None
        };
        out.extend(built);
    }
    Ok(out)
}

/// Merges a projection's companions of the parts that become one; `None` if one of them has none.
fn of_parts(
    table: &Arc<TableCore>,
    projection: &Projection,
    parts: &[Arc<Part>],
    to: (Place, &mut Unfinished),
    go_on: &dyn Fn() -> bool,
) -> Result<Option<Companion>> {
    let own: Option<Vec<Arc<Part>>> = parts.iter().map(|part| projection.of_part(part)).collect();
    let Some(own) = own else { return Ok(None) };
    let merged = merge_projection(table, projection, &own, to, go_on)?;
    Ok(merged.map(|part| projection.companion(part)))
}

impl Projection {
    /// A file of this projection as the log records it.
    fn companion(&self, part: PartSummary) -> Companion {
        Companion {
            file: part.file,
            rows: part.rows,
            bytes: part.bytes,
            checksum: part.checksum,
            kind: CompanionKind::Projection,
            name: self.name().to_owned(),
            definition: self.definition.clone(),
            content: part.content,
        }
    }
}
