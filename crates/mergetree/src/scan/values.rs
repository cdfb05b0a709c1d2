//! A part's columns as one scan needs them: where they are, and what is loaded once per scan
//! (dictionaries, constants).

use std::sync::{Arc, Mutex, OnceLock};

use entasis_base::events::{self, Event};
use entasis_base::sync::lock;
use entasis_base::{Error, Result};
use entasis_column::subcolumn::subcolumn;
use entasis_column::{Column, Dictionary};
use entasis_table::{ScanColumn, ScanSpec};
use entasis_types::{DataType, SubcolumnPath};

use crate::config::TableConfig;
use crate::part::Part;
use crate::segment::subcolumn::PartReader;
use crate::segment::{ColumnMeta, Mode, Segment};

/// The columns of a scan within one part.
pub(super) struct PartColumns {
    pub(super) segment: Arc<Segment>,
    /// Positions in the segment of `spec.columns`; `None` for a column that the part lacks.
    pub(super) places: Vec<Option<usize>>,
    types: Vec<DataType>,
    paths: Vec<SubcolumnPath>,
    /// How parts of columns are read; `None` for whole columns, and for those that the part lacks.
    parts: Vec<Option<PartReader>>,
    /// For parts of columns: the place in `spec.columns` of the whole column.
    wholes: Vec<Option<usize>>,
    values: Vec<OnceLock<Arc<Dictionary>>>,
    loading: Mutex<()>,
    /// Pins the file.
    _part: Arc<Part>,
}

impl PartColumns {
    pub(super) fn new(part: Arc<Part>, spec: &ScanSpec, config: &TableConfig) -> Result<Self> {
        let segment = Arc::clone(part.segment()?);
        let mut places = Vec::with_capacity(spec.columns.len());
        let mut types = Vec::with_capacity(spec.columns.len());
        let mut parts = Vec::with_capacity(spec.columns.len());
        for wanted in &spec.columns {
            let column = config.schema.columns.get(wanted.position).ok_or_else(|| {
                Error::logical("A scan names a column that the table does not have")
            })?;
            let place = segment.position(&column.name);
            if let Some(place) = place
                && *segment.column_type(place) != column.ty
            {
                return Err(Error::not_implemented(format!(
                    "Reading column {} of a part where it has type {}",
                    column.name,
                    segment.column_type(place)
                )));
            }
            parts.push(match place {
                Some(place) if !wanted.path.is_whole() => {
                    Some(segment.part_reader(place, &wanted.path)?)
                }
                _ => None,
            });
            places.push(place);
            types.push(column.ty.clone());
        }
        let values = places.iter().map(|_| OnceLock::new()).collect();
        let wholes = spec.columns.iter().map(|part| {
            let is_whole = |c: &ScanColumn| c.whole_position() == Some(part.position);
            if part.path.is_whole() { None } else { spec.columns.iter().position(is_whole) }
        });
        let wholes = wholes.collect();
        let paths = spec.columns.iter().map(|wanted| wanted.path.clone()).collect();
        let loading = Mutex::default();
        Ok(Self { segment, places, types, paths, parts, wholes, values, loading, _part: part })
    }

    /// Metadata of a column of the scan; `None` where the part lacks it.
    pub(super) fn meta(&self, at: usize) -> Result<Option<(usize, &Arc<ColumnMeta>)>> {
        let Some(place) = self.places[at] else { return Ok(None) };
        Ok(Some((place, self.segment.meta(place)?)))
    }

    /// The place of the whole column that a column of the scan is a part of.
    pub(super) fn whole(&self, at: usize) -> Option<usize> {
        self.wholes[at]
    }

    /// How a column of the scan is read that is a part of a column; `None` for whole columns.
    pub(super) fn part(&self, at: usize) -> Option<&PartReader> {
        self.parts[at].as_ref()
    }

    /// The dictionary, or the constant as a dictionary of one value; loaded by who comes first.
    pub(super) fn values(&self, at: usize, place: usize) -> Result<&Arc<Dictionary>> {
        if let Some(values) = self.values[at].get() {
            return Ok(values);
        }
        let _one = lock(&self.loading);
        if let Some(values) = self.values[at].get() {
            return Ok(values);
        }
        events::one(Event::DictionariesLoaded);
        let values = self.segment.read_dictionary(place)?;
        Ok(self.values[at].get_or_init(|| values))
    }

    /// Whether this is the segment's dictionary of a column, rather than a granule's own.
    pub(super) fn is_segment_dictionary(&self, at: usize, dictionary: &Dictionary) -> bool {
        self.values[at].get().is_some_and(|values| values.id == dictionary.id)
    }

    /// The column without looking at blocks, where that is possible.
    pub(super) fn without_blocks(&self, at: usize, rows: usize) -> Result<Option<Column>> {
        let one = match self.meta(at)? {
            None => Column::default_of(&self.types[at], 1),
            Some((place, meta)) if meta.mode == Mode::Constant => {
                self.values(at, place)?.values.clone()
            }
            Some(_) => return Ok(None),
        };
        Ok(Some(Column::constant(subcolumn(&one, self.paths[at].steps())?, rows)))
    }
}
