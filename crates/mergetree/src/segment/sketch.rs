//! Hashes the values of a column for its sketch of distinct values.

use entasis_base::clock::mix64;
use entasis_column::{Column, match_native, match_number};
use entasis_simd::hash::hash_bytes;
use entasis_table_api::DistinctSketch;

/// Adds every value of a column; a run of equal numbers is hashed once. Values of nested types
/// other than Nullable are not counted.
#[allow(clippy::unnecessary_cast)] // one body for all widths
pub(crate) fn add_column(sketch: &mut DistinctSketch, column: &Column) {
    match column {
        Column::Float32(v) => add_numbers(sketch, v, |x| u64::from(x.to_bits())),
        Column::Float64(v) => add_numbers(sketch, v, f64::to_bits),
        Column::String(s) => sketch.add_all(s.iter().map(hash_bytes)),
        Column::Fixed(f) => sketch.add_all((0..f.len()).map(|i| hash_bytes(f.get(i)))),
        Column::Nullable(n) if n.validity.all() => add_column(sketch, &n.values),
        // What stands in the place of a NULL is no value.
        Column::Nullable(n) => match &n.values {
            Column::String(s) => {
                let valid = (0..s.len()).filter(|&i| n.validity.get(i));
                sketch.add_all(valid.map(|i| hash_bytes(s.get(i))));
            }
            values => add_column(sketch, &values.filter(&n.validity)),
        },
        Column::Const(c) => add_column(sketch, &c.value),
        Column::Dict(d) => add_column(sketch, &d.dictionary.values),
        other => match_number!(other, v => add_numbers(sketch, v, |x| x as u64),
        wide => match_native!(wide, v => {
            sketch.add_all(v.iter().map(|x| hash_bytes(&x.to_le_bytes())));
        }, _ => {})),
    }
}

fn add_numbers<T: Copy>(sketch: &mut DistinctSketch, values: &[T], bits: impl Fn(T) -> u64) {
    let mut last = None;
    sketch.add_all(values.iter().filter_map(|&value| {
        let value = bits(value);
        let is_new = last != Some(value);
        last = Some(value);
        is_new.then(|| mix64(value))
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_near() {
        for n in [1u64, 10, 1000, 100_000] {
            let mut sketch = DistinctSketch::default();
            add_column(&mut sketch, &Column::from((0..n).collect::<Vec<_>>()));
            let estimate = sketch.estimate() as f64;
            assert!((estimate - n as f64).abs() <= 1.0 + 0.2 * n as f64, "{n}: {estimate}");
        }
    }
}
