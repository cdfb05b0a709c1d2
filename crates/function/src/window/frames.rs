//! The frames of a batch's rows, and what can be said of them as a whole.

use entasis_column::Bitmap;

/// One frame per row: rows `starts[i] .. ends[i]`. Neither bound is ever below that of the row
/// before, and no start is above its end; an empty frame has equal bounds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frames {
    /// First rows.
    pub starts: Vec<u32>,
    /// One past the last rows.
    pub ends: Vec<u32>,
}

impl Frames {
    /// Number of rows that have a frame.
    #[inline]
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// The frames, row by row.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.starts.iter().zip(&self.ends).map(|(&s, &e)| (s as usize, e as usize))
    }

    /// The same frames among the rows of `kept` alone.
    #[must_use]
    pub fn among(&self, kept: &Bitmap) -> Self {
        let mut before = Vec::with_capacity(kept.len() + 1);
        let mut count = 0;
        before.push(0);
        before.extend((0..kept.len()).map(|i| {
            count += u32::from(kept.get(i));
            count
        }));
        let mapped = |bounds: &[u32]| bounds.iter().map(|&b| before[b as usize]).collect();
        Self { starts: mapped(&self.starts), ends: mapped(&self.ends) }
    }

    /// Which frames have a row.
    pub fn filled(&self) -> Bitmap {
        Bitmap::from_fn(self.len(), |i| self.starts[i] < self.ends[i])
    }

    /// Frames without repetition, and for each row which of them is its own; `None` where every
    /// row has another.
    pub fn distinct(&self) -> (Self, Option<Vec<u32>>) {
        let mut distinct = Self::default();
        let mut of_row = Vec::with_capacity(self.len());
        let mut last = None;
        for (&start, &end) in self.starts.iter().zip(&self.ends) {
            if last != Some((start, end)) {
                last = Some((start, end));
                distinct.starts.push(start);
                distinct.ends.push(end);
            }
            of_row.push(distinct.len() as u32 - 1);
        }
        let repeats = distinct.len() < self.len();
        (distinct, repeats.then_some(of_row))
    }
}
