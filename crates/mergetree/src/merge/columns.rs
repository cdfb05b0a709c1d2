//! Merges columns: assembles the rows of several parts by the runs that the keys gave.

use std::sync::Arc;

use entasis_base::events::{self, Event};
use entasis_base::{Error, Result};
use entasis_column::{Column, Dictionary};

use super::{GoOn, stopped};
use crate::fill::{Filler, GranuleReader};
use crate::interleave::{Run, interleave};
use crate::layers::Layers;
use crate::schema::SchemaVersion;
use crate::segment::stats;

/// A column of one part, read granule by granule.
struct Cursor {
    reader: GranuleReader,
    /// The segment's dictionary. With `combined`, its codes are shifted.
    values: Option<Arc<Dictionary>>,
    combined: Option<(Arc<Dictionary>, u32)>,
    granule: usize,
    /// The granule that rows are taken from, and how many of its rows were taken.
    current: Column,
    taken: usize,
}

impl Cursor {
    fn open(layers: &Arc<Layers>, filler: &mut Filler) -> Result<Self> {
        let reader = GranuleReader::new(layers, filler.origins(layers, 0)?)?;
        let values = reader.dictionary(0)?.cloned();
        Ok(Self {
            reader,
            values,
            combined: None,
            granule: 0,
            current: Column::Nothing(0),
            taken: 0,
        })
    }

    fn load(&mut self) -> Result<()> {
        let Some((granule, _)) = self.reader.next(self.granule)? else {
            return Err(Error::logical("A merge reads past the end of a part"));
        };
        let column = self.reader.read(0, granule)?;
        self.granule = granule + 1;
        self.taken = 0;
        let segment_id = self.values.as_ref().map(|v| v.id);
        self.current = match (&self.combined, column) {
            // A block of plain strings may have a dictionary of its own, whose codes are not
            // shifted.
            (Some((combined, shift)), Column::Dict(d)) if Some(d.dictionary.id) == segment_id => {
                let codes: Vec<u32> = d.codes.iter().map(|c| c + shift).collect();
                Column::dict(codes.into(), Arc::clone(combined))
            }
            (_, column) => column,
        };
        Ok(())
    }
}

/// Combines the dictionaries of all parts into one, so that rows can be assembled by code.
fn combine_dictionaries(cursors: &mut [Cursor]) {
    let dictionaries: Option<Vec<Arc<Dictionary>>> =
        cursors.iter().map(|c| c.values.clone()).collect();
    let Some(dictionaries) = dictionaries else { return };
    let values = Column::concat(&dictionaries.iter().map(|d| &d.values).collect::<Vec<_>>());
    let combined = Dictionary::new(values);
    let mut shift = 0;
    for (cursor, dictionary) in cursors.iter_mut().zip(&dictionaries) {
        cursor.combined = Some((Arc::clone(&combined), shift));
        shift += dictionary.values.len() as u32;
    }
}

/// A column of all parts, whose rows come in the order of the result.
pub(super) struct MergedColumn<'a> {
    cursors: Vec<Cursor>,
    /// The remaining runs: part and number of rows. The next field counts the rows used of the
    /// first run.
    runs: &'a [(u16, u32)],
    used: u32,
}

impl<'a> MergedColumn<'a> {
    /// Opens the stored column at this position of the schema.
    pub(super) fn open(
        schema: &SchemaVersion,
        segments: &[Arc<Layers>],
        position: usize,
        runs: &'a [(u16, u32)],
    ) -> Result<Self> {
        let mut filler = Filler::new(schema, vec![position])?;
        let mut cursors: Vec<Cursor> =
            segments.iter().map(|s| Cursor::open(s, &mut filler)).collect::<Result<_>>()?;
        combine_dictionaries(&mut cursors);
        Ok(Self { cursors, runs, used: 0 })
    }

    /// Writes all rows, granule by granule.
    pub(super) fn write(
        &mut self,
        granules: &[u32],
        go_on: GoOn,
        push: &mut dyn FnMut(&Column) -> Result<()>,
    ) -> Result<()> {
        for &rows in granules {
            if !go_on() {
                return Err(stopped());
            }
            push(&self.next(rows as usize)?)?;
        }
        Ok(())
    }

    /// Assembles the next `rows` rows.
    pub(super) fn next(&mut self, rows: usize) -> Result<Column> {
        let (mut columns, mut places): (Vec<Column>, Vec<Run>) = (Vec::new(), Vec::new());
        // For each part, the index of its current granule in `columns`.
        let mut slots: Vec<Option<usize>> = vec![None; self.cursors.len()];
        let mut missing = rows;
        while missing > 0 {
            let Some((&(part, len), later)) = self.runs.split_first() else {
                return Err(Error::logical("A merge ran out of rows"));
            };
            let source = usize::from(part);
            let cursor = &mut self.cursors[source];
            if cursor.taken == cursor.current.len() {
                cursor.load()?;
                slots[source] = None;
            }
            let slot = *slots[source].get_or_insert_with(|| {
                columns.push(cursor.current.clone());
                columns.len() - 1
            });
            let left = (len - self.used) as usize;
            let take = missing.min(left).min(cursor.current.len() - cursor.taken);
            places.push(Run { column: slot, start: cursor.taken, len: take });
            cursor.taken += take;
            missing -= take;
            self.used += take as u32;
            if self.used == len {
                self.runs = later;
                self.used = 0;
            }
        }
        let column = interleave(&columns, &places);
        events::add(Event::MergedUncompressedBytes, stats::raw_bytes(&column));
        Ok(column)
    }
}
