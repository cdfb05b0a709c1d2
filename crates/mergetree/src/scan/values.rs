//! The columns of a part for one scan: where they come from, and the dictionaries and constants
//! that are loaded once per scan.

use std::sync::{Arc, Mutex, OnceLock};

use entasis_base::Result;
use entasis_base::events::{self, Event};
use entasis_base::sync::lock;
use entasis_column::subcolumn::subcolumn;
use entasis_column::{Column, Dictionary};
use entasis_table_api::ScanColumn;
use entasis_types::SubcolumnPath;

use crate::fill::Origin;
use crate::layers::Layers;
use crate::part::Part;
use crate::segment::subcolumn::PartReader;
use crate::segment::{ColumnMeta, Segment};

/// The columns of a scan within one part.
pub(super) struct PartColumns {
    pub(super) layers: Arc<Layers>,
    /// The origins of `spec.columns`, followed by those of the columns that defaults read.
    pub(super) origins: Vec<Origin>,
    /// The wanted subcolumn of each column.
    paths: Vec<SubcolumnPath>,
    /// Readers of subcolumns that are stored as they are wanted; `None` for all other columns.
    parts: Vec<Option<PartReader>>,
    /// For subcolumns: the place in `spec.columns` of the whole column.
    wholes: Vec<Option<usize>>,
    values: Vec<OnceLock<Arc<Dictionary>>>,
    loading: Mutex<()>,
    /// Keeps the file open.
    _part: Arc<Part>,
}

impl PartColumns {
    /// Prepares the columns of a scan; `origins` are their origins in the part.
    pub(super) fn new(
        pinned: Arc<Part>,
        columns: &[ScanColumn],
        origins: Vec<Origin>,
    ) -> Result<Self> {
        let layers = Arc::clone(pinned.layers()?);
        let mut paths: Vec<SubcolumnPath> = columns.iter().map(|c| c.path.clone()).collect();
        paths.resize_with(origins.len(), SubcolumnPath::default);
        let part = |(origin, path): (&Origin, &SubcolumnPath)| match origin {
            Origin::Stored { segment, place, convert: None } if !path.is_whole() => {
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
        Ok(Self { layers, origins, paths, parts, wholes, values, loading, _part: pinned })
    }

    /// The metadata of a column of the scan; `None` if nothing is known without reading it.
    pub(super) fn meta(&self, at: usize) -> Result<Option<&Arc<ColumnMeta>>> {
        self.origins[at].meta()
    }

    /// The place of the whole column, if the column of the scan is a subcolumn of it.
    pub(super) fn whole(&self, at: usize) -> Option<usize> {
        self.wholes[at]
    }

    /// The reader of a column of the scan that is a subcolumn; `None` for whole columns.
    pub(super) fn part(&self, at: usize) -> Option<&PartReader> {
        self.parts[at].as_ref()
    }

    /// The dictionary, or the constant as a dictionary of one value; loaded by the first caller.
    pub(super) fn values(
        &self,
        at: usize,
        segment: &Segment,
        place: usize,
    ) -> Result<&Arc<Dictionary>> {
        if let Some(values) = self.values[at].get() {
            return Ok(values);
        }
        let _one = lock(&self.loading);
        if let Some(values) = self.values[at].get() {
            return Ok(values);
        }
        events::one(Event::DictionariesLoaded);
        let values = segment.read_dictionary(place)?;
        Ok(self.values[at].get_or_init(|| values))
    }

    /// Whether this is the segment's dictionary of a column, and not one of a granule.
    pub(super) fn is_segment_dictionary(&self, at: usize, dictionary: &Dictionary) -> bool {
        self.values[at].get().is_some_and(|values| values.id == dictionary.id)
    }

    /// The subcolumn that the scan wants of a column whose whole values are at hand.
    pub(super) fn part_of(&self, at: usize, whole: Column) -> Result<Column> {
        let path = &self.paths[at];
        if path.is_whole() { Ok(whole) } else { subcolumn(&whole, path.steps()) }
    }
}
