//! The frames of the rows of a batch, and properties of all of them together.

use entasis_column::Bitmap;

/// One frame per row: rows `starts[i] .. ends[i]`. Neither bound ever decreases from row to row,
/// and no start is greater than its end. An empty frame has equal bounds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frames {
    /// The first row of each frame.
    pub starts: Vec<u32>,
    /// The row after the last row of each frame.
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

    /// The same frames, restricted to the rows of `kept`.
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

    /// A bit for each frame that is not empty.
    pub fn filled(&self) -> Bitmap {
        Bitmap::from_fn(self.len(), |i| self.starts[i] < self.ends[i])
    }

    /// The distinct frames, and for each row the position of its frame; `None` if the frames of all
    /// rows differ.
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
