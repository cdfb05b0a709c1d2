//! The statistics of a column in the footer: registers of the sketch of distinct values, and the
//! summary of a sample.

use entasis_base::Result;
use entasis_base::varint::write_varint;
use entasis_column::Column;
use entasis_table_api::statistics::{
    CommonValue, DistinctSketch, Histogram, Sampler, Summary, SummaryLimits, summarize,
};
use entasis_types::{DataType, Physical as P};

use crate::bytes::{Input, corrupted, put_value};

/// Parts with fewer rows have no summary, which would be large beside them: their rows are read
/// instead when somebody asks.
pub(crate) const FEWEST_ROWS: usize = 4096;
/// One row of so many is sampled, within the bounds below.
const ROWS_PER_SAMPLE: usize = 128;
const SMALLEST_SAMPLE: usize = 256;
const LARGEST_SAMPLE: usize = 2048;
/// The shares of a histogram are stored as parts of this number.
const WHOLE: f64 = 65535.0;
/// Stands in the place of the least rank if only pairs follow.
const PAIRS: u8 = 255;
/// A difference that does not fit into half a byte, or just does.
const FURTHER: u8 = 15;

/// How much the summary of a column may hold in a segment of so many columns: less in wide ones.
pub(crate) fn limits(columns: usize) -> SummaryLimits {
    match columns {
        ..=64 => SummaryLimits { common: 24, buckets: 32 },
        65..=256 => SummaryLimits { common: 12, buckets: 16 },
        _ => SummaryLimits { common: 6, buckets: 8 },
    }
}

/// A sampler for a column of a new segment of about so many rows; `None` if it gets no summary.
pub(crate) fn sampler(ty: &DataType, rows: usize) -> Option<Sampler> {
    let wanted = (rows / ROWS_PER_SAMPLE).clamp(SMALLEST_SAMPLE, LARGEST_SAMPLE);
    (rows >= FEWEST_ROWS && has_order(ty)).then(|| Sampler::new(rows, wanted))
}

/// Whether the values of a type can be compared, so that a summary says something of them.
pub(crate) fn has_order(ty: &DataType) -> bool {
    let plain = ty.without_low_cardinality();
    let plain = plain.without_nullable();
    let is_state = matches!(plain, DataType::AggregateFunction(_));
    let layout = plain.physical();
    !is_state && !matches!(layout, P::Nothing | P::Array | P::Tuple | P::Variant | P::Nullable)
}

/// The summary of a short column from all of its values.
pub(crate) fn of_column(column: &Column, distinct: u64) -> Option<Summary> {
    summarize(column, distinct, limits(1))
}

/// Encodes the registers: as pairs of place and rank if few are set, otherwise by half a byte each,
/// the difference to the least rank. Greater differences follow as pairs.
pub(crate) fn encode_sketch(sketch: &DistinctSketch) -> Vec<u8> {
    let registers = sketch.registers();
    let mut out = vec![registers.len().trailing_zeros() as u8, PAIRS];
    let pairs = |least: u8| {
        let places = registers.iter().enumerate().filter(move |(_, rank)| **rank >= least);
        places.flat_map(|(place, &rank)| [place as u8, rank])
    };
    if pairs(1).count() < registers.len() / 2 {
        out.extend(pairs(1));
        return out;
    }
    let least = registers.iter().copied().min().unwrap_or(0);
    out[1] = least;
    let half = |rank: u8| (rank - least).min(FURTHER);
    out.extend(registers.chunks_exact(2).map(|two| half(two[0]) | half(two[1]) << 4));
    out.extend(pairs(least + FURTHER));
    out
}

/// Decodes the registers that [`encode_sketch`] has encoded; `None` if they make no sense.
pub(crate) fn decode_sketch(bytes: &[u8]) -> Option<DistinctSketch> {
    let ([precision, kind], mut rest) = bytes.split_first_chunk::<2>()?;
    // The place of a register takes one byte.
    let count = 1_usize.checked_shl(u32::from(*precision)).filter(|count| *count <= 256)?;
    let mut registers = vec![0; count];
    if *kind != PAIRS {
        let halves;
        (halves, rest) = rest.split_at_checked(count / 2)?;
        for (two, half) in registers.chunks_exact_mut(2).zip(halves) {
            two[0] = kind.checked_add(half & FURTHER)?;
            two[1] = kind.checked_add(half >> 4)?;
        }
    }
    for pair in rest.chunks(2) {
        *registers.get_mut(usize::from(pair[0]))? = *pair.get(1)?;
    }
    DistinctSketch::of_registers(&registers)
}

/// Encodes a summary: the number of sampled rows, the common values with their numbers in the
/// sample, and the bounds of the histogram with the shares below them.
pub(crate) fn encode_summary(summary: &Summary) -> Vec<u8> {
    let mut out = Vec::new();
    let count = |share: f64| (share * summary.sampled as f64).round() as u64;
    write_varint(&mut out, summary.sampled);
    write_varint(&mut out, summary.common.len() as u64);
    for known in &summary.common {
        write_varint(&mut out, count(known.share));
        put_value(&mut out, &known.value);
    }
    let Some(histogram) = &summary.histogram else { return out };
    write_varint(&mut out, count(histogram.share));
    write_varint(&mut out, histogram.bounds.len() as u64);
    histogram.bounds.iter().for_each(|bound| put_value(&mut out, bound));
    for below in &histogram.below {
        out.extend(((below * WHOLE).round() as u16).to_le_bytes());
    }
    out
}

/// Decodes a summary.
pub(crate) fn decode_summary(bytes: &[u8]) -> Result<Summary> {
    let mut input = Input(bytes);
    let sampled = input.varint()?;
    let share = |count: u64| count as f64 / sampled.max(1) as f64;
    let mut common = Vec::new();
    for _ in 0..input.count()? {
        let share = share(input.varint()?);
        common.push(CommonValue { value: input.value()?, share });
    }
    if input.0.is_empty() {
        return Ok(Summary { common, histogram: None, sampled });
    }
    let share = share(input.varint()?);
    let count = input.count()?;
    let bounds = (0..count).map(|_| input.value()).collect::<Result<Vec<_>>>()?;
    let below: Vec<f64> = (input.take(2 * count)?.chunks_exact(2))
        .map(|two| f64::from(u16::from_le_bytes([two[0], two[1]])) / WHOLE)
        .collect();
    if !below.is_sorted() || bounds.is_empty() {
        return Err(corrupted("a histogram whose shares do not ascend"));
    }
    Ok(Summary { common, histogram: Some(Histogram { bounds, below, share }), sampled })
}

#[cfg(test)]
mod tests {
    use entasis_base::clock::mix64;
    use entasis_column::Strings;

    use super::*;

    #[test]
    fn sketches_come_back() {
        for n in [0_u64, 1, 50, 65, 70, 75, 80, 85, 90, 150, 1000, 1_000_000] {
            let mut sketch = DistinctSketch::default();
            sketch.add_all((1..=n).map(mix64));
            let bytes = encode_sketch(&sketch);
            assert!(bytes.len() <= 140, "{n}: {}", bytes.len());
            assert_eq!(decode_sketch(&bytes), Some(sketch), "{n}");
        }
        assert_eq!(decode_sketch(&[]), None);
        assert_eq!(decode_sketch(&[40]), None);
        assert_eq!(decode_sketch(&[8]), None);
        assert_eq!(decode_sketch(&[8, 0]), None);
        assert_eq!(decode_sketch(&[8, 255, 3]), None);
        assert_eq!(decode_sketch(&[8, 255, 3, 60]), None);
        assert_eq!(decode_sketch(&[9, 255, 3, 1]), None);
    }

    #[test]
    fn summaries_come_back() {
        let numbers = Column::from((0..2000_i64).map(|n| n * n % 500 - 250).collect::<Vec<_>>());
        let words: Vec<String> = (0..900).map(|n| format!("word number {}", n % 300)).collect();
        let words: Column = words.iter().map(String::as_bytes).collect::<Strings>().into();
        let few = Column::from(vec![1.5_f32, 2.5, 1.5]);
        let nothing = Column::from(Vec::<u8>::new());
        for (column, distinct) in [(numbers, 90), (words, 300), (few, 2), (nothing, 0)] {
            let summary = summarize(&column, distinct, limits(10)).unwrap_or_default();
            let bytes = encode_summary(&summary);
            assert!(bytes.len() < 1500, "{}", bytes.len());
            let back = decode_summary(&bytes).unwrap_or_default();
            assert_eq!((&back.common, back.sampled), (&summary.common, summary.sampled));
            let (a, b) = (back.histogram, summary.histogram);
            assert_eq!(a.is_some(), b.is_some());
            let (Some(a), Some(b)) = (a, b) else { continue };
            assert_eq!((&a.bounds, a.share), (&b.bounds, b.share));
            assert!(a.below.iter().zip(&b.below).all(|(x, y)| (x - y).abs() < 1e-4));
            // Any cut is an error or another summary, and no panic.
            (0..bytes.len()).for_each(|len| drop(decode_summary(&bytes[..len])));
        }
    }
}
