//! Ranges of a key: which of them contain a value, and which of those counts.

use entasis_base::{Error, Result, codes};
use entasis_column::Column;

/// The ranges of all keys. Those of a key stand together, ordered by their bounds.
pub(crate) struct Ranges {
    /// `starts[key]..starts[key + 1]` are the ranges of a key.
    starts: Vec<u32>,
    least: Vec<i128>,
    greatest: Vec<i128>,
    /// The greatest upper bound up to and including this range of the same key.
    reach: Vec<i128>,
    rows: Vec<u32>,
    /// Whether the range with the greatest lower bound counts, and not that with the least one.
    takes_max: bool,
}

impl Ranges {
    /// `keys[row]` is the number of the row's key among `count`, and `bounds` are the columns of
    /// lower and upper bounds, which are inclusive. NULL is an open end.
    pub(crate) fn build(
        keys: &[u32],
        count: usize,
        bounds: [&Column; 2],
        takes_max: bool,
    ) -> Result<Self> {
        let lower = ordered(bounds[0], i128::MIN)?;
        let upper = ordered(bounds[1], i128::MAX)?;
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        order.sort_by_key(|&row| {
            let row = row as usize;
            (keys[row], lower[row], upper[row])
        });
        let mut starts = vec![0u32; count + 1];
        keys.iter().for_each(|&key| starts[key as usize + 1] += 1);
        for key in 0..count {
            starts[key + 1] += starts[key];
        }
        let pick = |from: &[i128]| order.iter().map(|&row| from[row as usize]).collect::<Vec<_>>();
        let (least, greatest) = (pick(&lower), pick(&upper));
        let mut reach = greatest.clone();
        for key in starts.windows(2) {
            for at in key[0] as usize + 1..key[1] as usize {
                reach[at] = reach[at].max(reach[at - 1]);
            }
        }
        Ok(Self { starts, least, greatest, reach, rows: order, takes_max })
    }

    /// The row for each key (one more than its number, or 0) and value; 0 if there is none. Row 1
    /// is the first row that was given to `build`.
    pub(crate) fn find(&self, keys: &[u32], values: &Column) -> Result<Vec<u32>> {
        let values = ordered(values, i128::MIN)?;
        let find = |(&key, &value): (&u32, &i128)| match key {
            0 => 0,
            key => self.find_one(key as usize - 1, value),
        };
        Ok(keys.iter().zip(&values).map(find).collect())
    }

    fn find_one(&self, key: usize, value: i128) -> u32 {
        let (start, end) = (self.starts[key] as usize, self.starts[key + 1] as usize);
        let begun = start + self.least[start..end].partition_point(|&least| least <= value);
        let found = if self.takes_max {
            (start..begun).rev().find(|&at| self.greatest[at] >= value)
        } else {
            let first = start + self.reach[start..begun].partition_point(|&reach| reach < value);
            (first < begun).then_some(first)
        };
        found.map_or(0, |at| self.rows[at] + 1)
    }

    pub(crate) fn byte_size(&self) -> usize {
        self.least.len() * (3 * 16 + 4) + self.starts.len() * 4
    }
}

/// Numbers in the order of the values. NULL becomes `null`.
fn ordered(column: &Column, null: i128) -> Result<Vec<i128>> {
    let column = column.full();
    let (validity, values) = column.split_nullable();
    let mut numbers: Vec<i128> = match values {
        Column::Float32(floats) => floats.iter().map(|&v| of_float(f64::from(v))).collect(),
        Column::Float64(floats) => floats.iter().map(|&v| of_float(v)).collect(),
        Column::UInt128(_) | Column::String(_) | Column::Array(_) | Column::Tuple(_) => {
            let message = "The bounds of a range must be numbers or dates of at most 64 bits";
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        values => (0..values.len()).map(|i| values.bits(i)).collect(),
    };
    if let Some(validity) = validity {
        for (i, number) in numbers.iter_mut().enumerate() {
            if !validity.get(i) {
                *number = null;
            }
        }
    }
    Ok(numbers)
}

/// A number with the order of the float.
fn of_float(value: f64) -> i128 {
    let bits = (value + 0.0).to_bits() as i64;
    i128::from(if bits < 0 { i64::MIN.wrapping_sub(bits) } else { bits })
}
