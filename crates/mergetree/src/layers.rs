//! A part as it is read: the base segment with the overlays that mutations have written over it.
//!
//! - The newest *column overlay* that has a column replaces the column of the base.
//! - *Patches* replace single values. They count only if they are newer than the column overlay
//!   that holds the column, because that overlay was computed from them.
//! - The newest *row mask* says which rows still exist. A granule is read as if the others had
//!   never been there: all columns of a granule have [`Layers::rows`] rows.
//!
//! Positions of granules, the sparse index and the bounds of columns are those of the stored rows.
//! They remain right, if not tight, when rows are missing. A part without overlays has neither a
//! mask nor patches, and pays for them with one comparison per granule.

use std::sync::{Arc, OnceLock};

use entasis_base::events::{self, Event};
use entasis_base::{Error, Result};
use entasis_column::bitmap::BitmapBuilder;
use entasis_column::{Bitmap, Column, Native, match_native};
use entasis_types::DataType;

use crate::bytes::corrupted;
use crate::interleave::{Run, interleave};
use crate::log::record::OverlayKind;
use crate::segment::{Mode, Segment};

/// The id of the column of a row mask: 1 for a row that exists. Columns of tables have lower ids.
pub(crate) const ROW_EXISTS: u32 = u32::MAX;
/// The id of the column of a patch that holds the positions of its rows within the part.
pub(crate) const POSITION: u32 = u32::MAX - 1;

/// The open files of a part.
#[derive(Debug)]
pub(crate) struct Layers {
    pub(crate) base: Arc<Segment>,
    /// The overlays of the part, oldest first; `None` stands for a mask.
    all: Vec<Option<Changes>>,
    mask: Option<Arc<RowMask>>,
}

#[derive(Clone, Debug)]
enum Changes {
    Columns(Arc<Segment>),
    Patch(Arc<Patch>),
}

/// The rows that exist, granule by granule.
#[derive(Debug)]
struct RowMask {
    segment: Arc<Segment>,
    /// By granule; `None` if all of its rows exist.
    granules: OnceLock<Vec<Option<Bitmap>>>,
}

/// A file with new values of single rows.
#[derive(Debug)]
pub(crate) struct Patch {
    segment: Arc<Segment>,
    /// The first row of each granule of the part, and the number of its rows.
    starts: Vec<u32>,
    positions: OnceLock<Vec<u32>>,
}

/// Where a column of a part is stored: in a segment at a place, and in patches of newer dates,
/// oldest first.
pub(crate) struct Stored {
    pub(crate) segment: Arc<Segment>,
    pub(crate) place: usize,
    pub(crate) patches: Vec<(Arc<Patch>, usize)>,
}

impl Stored {
    /// Whether some of the values have another type.
    pub(crate) fn has_other_type(&self, ty: &DataType) -> bool {
        self.segment.column_type(self.place) != ty
            || self.patches.iter().any(|(patch, place)| patch.column_type(*place) != ty)
    }
}

impl Layers {
    /// Opens a part; `overlays` are its overlays, oldest first.
    pub(crate) fn new(
        base: Arc<Segment>,
        overlays: Vec<(OverlayKind, Arc<Segment>)>,
    ) -> Result<Self> {
        let (mut all, mut mask) = (Vec::with_capacity(overlays.len()), None);
        for (kind, segment) in overlays {
            let has_other_granules =
                kind != OverlayKind::Patch && segment.granules != base.granules;
            if has_other_granules {
                return Err(corrupted("an overlay has other granules than its part"));
            }
            all.push(match kind {
                OverlayKind::Columns => Some(Changes::Columns(segment)),
                OverlayKind::Patch => Some(Changes::Patch(Patch::new(segment, &base))),
                OverlayKind::Mask { .. } => {
                    mask = Some(Arc::new(RowMask { segment, granules: OnceLock::new() }));
                    None
                }
            });
        }
        Ok(Self { base, all, mask })
    }

    /// Whether the part has a mask, so that rows may be missing.
    pub(crate) fn has_mask(&self) -> bool {
        self.mask.is_some()
    }

    /// The same files with all stored rows, also those that do not exist any more.
    pub(crate) fn with_all_rows(&self) -> Arc<Self> {
        let (base, all) = (Arc::clone(&self.base), self.all.clone());
        Arc::new(Self { base, all, mask: None })
    }

    /// Where the column with an id of the table is stored.
    pub(crate) fn stored(&self, id: u32) -> Option<Stored> {
        let mut patches = Vec::new();
        for changes in self.all.iter().rev().flatten() {
            match changes {
                Changes::Columns(segment) => {
                    if let Some(place) = segment.position(id) {
                        patches.reverse();
                        return Some(Stored { segment: Arc::clone(segment), place, patches });
                    }
                }
                Changes::Patch(patch) => {
                    let place = patch.segment.position(id);
                    patches.extend(place.map(|place| (Arc::clone(patch), place)));
                }
            }
        }
        let place = self.base.position(id)?;
        patches.reverse();
        Some(Stored { segment: Arc::clone(&self.base), place, patches })
    }

    /// Whether a patch has values of a column.
    pub(crate) fn is_patched(&self, id: u32) -> bool {
        self.stored(id).is_some_and(|stored| !stored.patches.is_empty())
    }

    /// Marks the granules in which a patch has values of a column. The list stays empty if there is
    /// none.
    pub(crate) fn mark_patched(&self, id: u32, granules: &mut Vec<bool>) -> Result<()> {
        for (patch, _) in self.stored(id).iter().flat_map(|stored| &stored.patches) {
            granules.resize(self.base.granules.len(), false);
            for (granule, is_patched) in granules.iter_mut().enumerate() {
                *is_patched |= !patch.within(granule)?.is_empty();
            }
        }
        Ok(())
    }

    /// For each overlay of the part, oldest first, whether a new column overlay of the columns with
    /// these ids makes it superfluous.
    pub(crate) fn covered(&self, ids: &[u32]) -> Vec<bool> {
        let is_covered = |overlay: &Option<Changes>| match overlay {
            Some(Changes::Columns(segment)) => segment.has_only(ids),
            Some(Changes::Patch(patch)) => patch.segment.has_only(&[ids, &[POSITION]].concat()),
            None => false,
        };
        self.all.iter().map(is_covered).collect()
    }

    /// The number of rows of a granule that exist.
    pub(crate) fn rows(&self, granule: usize) -> Result<usize> {
        Ok(match self.existing(granule)? {
            Some(mask) => mask.count_ones(),
            None => self.base.granules[granule] as usize,
        })
    }

    /// The number of rows of the part that exist.
    pub(crate) fn all_rows(&self) -> Result<u64> {
        if !self.has_mask() {
            return Ok(self.base.rows);
        }
        (0..self.base.granules.len()).try_fold(0, |sum, g| Ok(sum + self.rows(g)? as u64))
    }

    /// Which rows of a granule exist; `None` if all do.
    pub(crate) fn existing(&self, granule: usize) -> Result<Option<&Bitmap>> {
        let Some(mask) = &self.mask else { return Ok(None) };
        let granules = match mask.granules.get() {
            Some(granules) => granules,
            None => {
                let read = mask.read()?;
                mask.granules.get_or_init(|| read)
            }
        };
        granules[granule].as_ref().map_or(Ok(None), |mask| Ok(Some(mask)))
    }

    /// Leaves only the rows of a granule's column that exist.
    pub(crate) fn only_existing(&self, granule: usize, column: Column) -> Result<Column> {
        Ok(match self.existing(granule)? {
            Some(mask) => column.filter(mask),
            None => column,
        })
    }
}

impl RowMask {
    /// Reads the whole mask, which takes a bit per row of granules with missing rows.
    fn read(&self) -> Result<Vec<Option<Bitmap>>> {
        let segment = &self.segment;
        let place = segment.position(ROW_EXISTS);
        let place = place.ok_or_else(|| corrupted("a row mask without its column"))?;
        let mut buffer = Vec::new();
        let granule = |granule: usize| {
            let column = segment.read_granule(place, granule, None, &mut buffer)?.full();
            let Column::UInt8(bytes) = &column else {
                return Err(corrupted("a row mask with another type"));
            };
            let mask = Bitmap::from_bytes(bytes);
            Ok((!mask.all()).then_some(mask))
        };
        (0..segment.granules.len()).map(granule).collect()
    }
}

impl Patch {
    fn new(segment: Arc<Segment>, base: &Segment) -> Arc<Self> {
        let mut starts = Vec::with_capacity(base.granules.len() + 1);
        let mut start = 0;
        starts.push(0);
        for rows in &base.granules {
            start += rows;
            starts.push(start);
        }
        Arc::new(Self { segment, starts, positions: OnceLock::new() })
    }

    /// The type of a column of the patch.
    pub(crate) fn column_type(&self, place: usize) -> &DataType {
        self.segment.column_type(place)
    }

    /// The rows that the patch changes, ascending.
    pub(crate) fn positions(&self) -> Result<&[u32]> {
        if let Some(positions) = self.positions.get() {
            return Ok(positions);
        }
        let place = self.segment.position(POSITION);
        let place = place.ok_or_else(|| corrupted("a patch without positions"))?;
        let Column::UInt32(positions) = self.values(place)? else {
            return Err(corrupted("a patch whose positions have another type"));
        };
        let last = positions.last().copied().unwrap_or(0);
        if !positions.is_sorted() || Some(&last) >= self.starts.last() {
            return Err(corrupted("a patch of rows that its part does not have"));
        }
        Ok(self.positions.get_or_init(|| positions.to_vec()))
    }

    /// All values of a column of the patch.
    pub(crate) fn values(&self, place: usize) -> Result<Column> {
        let segment = &self.segment;
        let dictionary = match segment.meta(place)?.mode {
            Mode::Plain => None,
            Mode::Constant | Mode::Dictionary => Some(segment.read_dictionary(place)?),
        };
        let mut buffer = Vec::new();
        let granules: Vec<Column> = (0..segment.granules.len())
            .map(|g| segment.read_granule(place, g, dictionary.as_ref(), &mut buffer))
            .collect::<Result<_>>()?;
        Ok(Column::concat(&granules.iter().collect::<Vec<_>>()).full())
    }

    /// The range of the patch's rows that lie in a granule of the part.
    fn within(&self, granule: usize) -> Result<std::ops::Range<usize>> {
        let positions = self.positions()?;
        let below = |row: u32| positions.partition_point(|position| *position < row);
        Ok(below(self.starts[granule])..below(self.starts[granule + 1]))
    }
}

/// The values of a patch for one column of a reader.
#[derive(Clone, Debug)]
pub(crate) struct PatchColumn {
    pub(crate) patch: Arc<Patch>,
    /// One value per position of the patch, of the wanted type.
    pub(crate) values: Arc<Column>,
}

impl PatchColumn {
    /// Replaces the values of all rows of a granule that the patch changes.
    pub(crate) fn apply(&self, granule: usize, column: Column) -> Result<Column> {
        let range = self.patch.within(granule)?;
        if range.is_empty() {
            return Ok(column);
        }
        let start = self.patch.starts[granule];
        let positions = &self.patch.positions()?[range.clone()];
        if range.end > self.values.len() {
            return Err(Error::logical("A patch has fewer values than positions"));
        }
        events::add(Event::PatchesReadRows, range.len() as u64);
        let values = self.values.slice(range.start, range.len());
        Ok(scattered(column, &values, positions, start))
    }
}

/// The values of a granule, with new values at some positions of its part; `start` is the position
/// of the granule's first row.
pub(crate) fn scattered(old: Column, new: &Column, positions: &[u32], start: u32) -> Column {
    let (rows, old, new) = (old.len(), old.full(), new.full());
    let replaced = match_native!(&old,
        old => replaced(old, &new, positions, start).map(Column::from),
        _ => None);
    if let Some(column) = replaced {
        return column;
    }
    let mut runs: Vec<Run> = Vec::with_capacity(2 * positions.len() + 1);
    let mut next = 0;
    for (i, position) in positions.iter().enumerate() {
        let row = (position - start) as usize;
        if row > next {
            runs.push(Run { column: 0, start: next, len: row - next });
        }
        runs.push(Run { column: 1, start: i, len: 1 });
        next = row + 1;
    }
    if next < rows {
        runs.push(Run { column: 0, start: next, len: rows - next });
    }
    interleave(&[old, new], &runs)
}

/// A copy of plain values in which some are replaced; `None` if the new ones are of another kind.
fn replaced<T: Native>(old: &[T], new: &Column, positions: &[u32], start: u32) -> Option<Vec<T>> {
    let new = T::values(new)?;
    let mut out = old.to_vec();
    for (position, value) in positions.iter().zip(new.iter()) {
        out[(position - start) as usize] = *value;
    }
    Some(out)
}

/// A mask in the making: rows of a part that exist, which only become fewer.
pub(crate) fn combine(layers: &Layers, removed: &[u32]) -> Result<Bitmap> {
    let (mut out, mut start, mut at) = (BitmapBuilder::default(), 0u32, 0);
    for (granule, rows) in layers.base.granules.iter().enumerate() {
        let mut bits = match layers.existing(granule)? {
            Some(mask) => mask.words().to_vec(),
            None => Bitmap::constant(true, *rows as usize).words().to_vec(),
        };
        while let Some(position) = removed.get(at).filter(|p| **p < start + rows) {
            let row = position - start;
            bits[row as usize / 64] &= !(1 << (row % 64));
            at += 1;
        }
        out.extend(&Bitmap::from_words(bits, *rows as usize));
        start += rows;
    }
    Ok(out.finish())
}
