//! A part's columns as one scan needs them: where they come from, and what is loaded once per scan
//! (dictionaries, constants).

use std::sync::{Arc, Mutex, OnceLock};

use entasis_base::Result;
use entasis_base::events::{self, Event};
use entasis_base::sync::lock;
use entasis_column::Dictionary;

use crate::fill::Origin;
use crate::part::Part;
use crate::segment::{ColumnMeta, Segment};

/// The columns of a scan within one part.
pub(super) struct PartColumns {
    pub(super) segment: Arc<Segment>,
    /// Of `spec.columns`, and behind them of what their defaults read.
    pub(super) origins: Vec<Origin>,
    values: Vec<OnceLock<Arc<Dictionary>>>,
    loading: Mutex<()>,
    /// Pins the file.
    _part: Arc<Part>,
}

impl PartColumns {
    pub(super) fn new(part: Arc<Part>, origins: Vec<Origin>) -> Result<Self> {
        let segment = Arc::clone(part.segment()?);
        let values = origins.iter().map(|_| OnceLock::new()).collect();
        Ok(Self { segment, origins, values, loading: Mutex::default(), _part: part })
    }

    /// What is known of a column of the scan without reading it, if anything is.
    pub(super) fn meta(&self, at: usize) -> Result<Option<&Arc<ColumnMeta>>> {
        self.origins[at].meta(&self.segment)
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
}
