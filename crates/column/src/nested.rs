//! Columns made of columns: nullable, array, tuple, constant, dictionary.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Bitmap, Buffer, Column};

/// Values with one validity bit each. Values under NULL are initialised, but have no meaning.
#[derive(Clone, Debug)]
pub struct NullableColumn {
    /// 1 = not NULL.
    pub validity: Bitmap,
    /// One value per bit. It is never Nullable, Const or Dict itself.
    pub values: Column,
}

/// `n` lists: list `i` is `values[offsets[i] .. offsets[i + 1]]`. As with strings, the first offset
/// need not be 0 and `values` may be longer.
#[derive(Clone, Debug)]
pub struct ArrayColumn {
    /// `n + 1` offsets.
    pub offsets: Buffer<u32>,
    /// Elements of all lists; a full column.
    pub values: Column,
}

impl ArrayColumn {
    /// Number of lists.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements of list `i`, as a range of `values`.
    #[inline]
    pub fn range(&self, i: usize) -> std::ops::Range<usize> {
        self.offsets[i] as usize..self.offsets[i + 1] as usize
    }

    /// The elements of exactly these lists, and offsets that start at 0, which is the form that
    /// lambdas and kernels for whole columns need. O(1) unless the column is a slice.
    pub fn flat(&self) -> (Buffer<u32>, Column) {
        let (first, last) = (self.offsets[0], self.offsets[self.len()]);
        let values = self.values.slice(first as usize, (last - first) as usize);
        if first == 0 {
            return (self.offsets.clone(), values);
        }
        (self.offsets.iter().map(|o| o - first).collect(), values)
    }
}

/// Rows of several columns; an empty tuple still has a length.
#[derive(Clone, Debug)]
pub struct TupleColumn {
    /// The elements, each of `len` rows and full.
    pub columns: Vec<Column>,
    /// Number of rows.
    pub len: usize,
}

/// One value, `len` times.
#[derive(Clone, Debug)]
pub struct ConstColumn {
    /// A full column of one row.
    pub value: Column,
    /// Number of rows.
    pub len: usize,
}

/// Mostly distinct values with an identity, so that work per value can be remembered across chunks.
#[derive(Debug)]
pub struct Dictionary {
    /// The values; a full column. Values may repeat and may be unused.
    pub values: Column,
    /// Unique per dictionary in this process.
    pub id: u64,
}

impl Dictionary {
    /// A dictionary with a fresh identity.
    pub fn new(values: Column) -> Arc<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Arc::new(Self { values, id: NEXT.fetch_add(1, Ordering::Relaxed) })
    }
}

/// Codes into a shared dictionary: row `i` is `dictionary.values[codes[i]]`.
#[derive(Clone, Debug)]
pub struct DictColumn {
    /// One code per row, each below the dictionary's length.
    pub codes: Buffer<u32>,
    /// The values.
    pub dictionary: Arc<Dictionary>,
}
