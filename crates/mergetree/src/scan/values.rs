//! A part's columns as one scan needs them: where they come from, and what is loaded once per scan
//! (dictionaries, constants).

use std::sync::{Arc, Mutex, OnceLock};

use entasis_base::Result;
use entasis_base::events::{self, Event};
use entasis_base::sync::lock;
use entasis_column::subcolumn::subcolumn;
use entasis_column::{Column, Dictionary};
use entasis_table::ScanColumn;
use entasis_types::SubcolumnPath;

use crate::fill::Origin;
use crate::part::Part;
use crate::segment::subcolumn::PartReader;
use crate::segment::{ColumnMeta, Segment};

/// The columns of a scan within one part.
pub(super) struct PartColumns {
    pub(super) segment: Arc<Segment>,
    /// Of `spec.columns`, and behind them of what their defaults read.
    pub(super) origins: Vec<Origin>,
    /// Which parts of these columns are wanted.
    paths: Vec<SubcolumnPath>,
    /// How parts of columns are read that are stored as they are wanted; `None` for all others.
    parts: Vec<Option<PartReader>>,
    /// For parts of columns: the place in `spec.columns` of the whole column.
    wholes: Vec<Option<usize>>,
    values: Vec<OnceLock<Arc<Dictionary>>>,
    loading: Mutex<()>,
    /// Pins the file.
    _part: Arc<Part>,
}

impl PartColumns {
    /// The columns of a scan, whose origins in the part these are.
    pub(super) fn new(
        pinned: Arc<Part>,
        columns: &[ScanColumn],
        origins: Vec<Origin>,
    ) -> Result<Self> {
        let segment = Arc::clone(pinned.segment()?);
        let mut paths: Vec<SubcolumnPath> = columns.iter().map(|c| c.path.clone()).collect();
        paths.resize_with(origins.len(), SubcolumnPath::default);
        let part = |(origin, path): (&Origin, &SubcolumnPath)| match origin {
            Origin::Stored { place, convert: None } if !path.is_whole() => {
                segment.part_reader(*place, path).map(Some)
            }
            _ => Ok(None),
        };
        let parts = origins.iter().zip(&paths).map(part).collect::<Result<_>>()?;
        let whole = |part: &ScanColumn| {
            let is_whole = |c: &ScanColumn| c.whole_position() == Some(part.position);
            if part.path.is_whole() { None } else { columns.iter().position(is_whole) }
        };
        let mut wholes: Vec<Option<usize>> = columns.iter().map(whole).collect();
        wholes.resize(origins.len(), None);
        let values = origins.iter().map(|_| OnceLock::new()).collect();
        let loading = Mutex::default();
        Ok(Self { segment, origins, paths, parts, wholes, values, loading, _part: pinned })
    }

    /// What is known of a column of the scan without reading it, if anything is.
    pub(super) fn meta(&self, at: usize) -> Result<Option<&Arc<ColumnMeta>>> {
        self.origins[at].meta(&self.segment)
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

    /// What the scan wants of a column whose values are known as a whole.
    pub(super) fn part_of(&self, at: usize, whole: Column) -> Result<Column> {
        let path = &self.paths[at];
        if path.is_whole() { Ok(whole) } else { subcolumn(&whole, path.steps()) }
    }
}
