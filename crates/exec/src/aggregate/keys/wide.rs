//! Packs key columns whose values consist of bytes: fixed strings, and integers of more than 64
//! bits. They take whole words, or a part of one word.

use entasis_column::{Bitmap, Column, FixedStrings, Native};
use entasis_simd::cast::{Number, as_bytes, extend_from_bytes};
use entasis_types::{Physical, i256, u256};

use super::{Field, Packed};

/// The bytes of a column of wide integers or of fixed strings, and how many each value has.
pub fn bytes_of(column: &Column) -> Option<(&[u8], usize)> {
    Some(match column {
        Column::UInt128(values) => (as_bytes(values), 16),
        Column::Int128(values) => (as_bytes(values), 16),
        Column::UInt256(values) => (as_bytes(values), 32),
        Column::Int256(values) => (as_bytes(values), 32),
        Column::Fixed(fixed) => (&fixed.data, fixed.width),
        _ => return None,
    })
}

/// Packs values that consist of bytes, one word after the other. There are as many values as
/// entries in `out`, or a single one for all rows.
pub fn pack_bytes<K: Packed>(
    field: &Field,
    (bytes, width): (&[u8], usize),
    valid: Option<&Bitmap>,
    out: &mut [K],
) {
    let single = bytes.len() == width && out.len() != 1;
    let step = if single { 0 } else { width };
    for start in (0..width).step_by(8) {
        let len = (width - start).min(8);
        let mask = u64::MAX >> (64 - 8 * len);
        let word = field.word + start / 8;
        for (i, o) in out.iter_mut().enumerate() {
            let at = i * step + start;
            let bits = match bytes[at..].first_chunk::<8>() {
                Some(chunk) => u64::from_le_bytes(*chunk) & mask,
                None => {
                    let mut chunk = [0; 8];
                    chunk[..len].copy_from_slice(&bytes[at..at + len]);
                    u64::from_le_bytes(chunk)
                }
            };
            if valid.is_none_or(|valid| valid.get(if single { 0 } else { i })) {
                o.set(word, bits << field.shift);
            }
        }
    }
    if let (Some(valid), Some((word, shift))) = (valid, field.null) {
        for (i, o) in out.iter_mut().enumerate() {
            if !valid.get(if single { 0 } else { i }) {
                o.set(word, 1 << shift);
            }
        }
    }
}

/// The values of a field that [`pack_bytes`] packed.
pub fn unpack_bytes<K: Packed>(field: &Field, physical: Physical, keys: &[K]) -> Column {
    let bytes = |width: usize| {
        let mut bytes = Vec::with_capacity(keys.len() * width);
        for key in keys {
            for start in (0..width).step_by(8) {
                let word = (key.word(field.word + start / 8) >> field.shift).to_le_bytes();
                bytes.extend_from_slice(&word[..(width - start).min(8)]);
            }
        }
        bytes
    };
    fn numbers<T: Native + Number>(bytes: &[u8]) -> Column {
        let mut values: Vec<T> = Vec::new();
        let whole = extend_from_bytes(bytes, &mut values);
        debug_assert!(whole);
        T::column(values.into())
    }
    match physical {
        Physical::UInt128 => numbers::<u128>(&bytes(16)),
        Physical::Int128 => numbers::<i128>(&bytes(16)),
        Physical::UInt256 => numbers::<u256>(&bytes(32)),
        Physical::Int256 => numbers::<i256>(&bytes(32)),
        Physical::Fixed(width) => {
            let width = width as usize;
            Column::Fixed(FixedStrings { width, data: bytes(width).into() })
        }
        _ => Column::Nothing(keys.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::KeyLayout;
    use super::*;
    use entasis_types::DataType;

    #[test]
    fn wide_keys_come_back() {
        let strings = |width: usize| {
            let data: Vec<u8> = (0..40 * width).map(|i| (i * 7 % 251) as u8).collect();
            Column::Fixed(FixedStrings { width, data: data.into() })
        };
        for width in [1, 3, 8, 9, 12, 16, 20, 32] {
            let types = [DataType::FixedString(width as u32)];
            let layout = KeyLayout::choose(&types);
            assert!(!matches!(layout, KeyLayout::Rows(_)));
            let column = strings(width);
            let keys = layout.encode(std::slice::from_ref(&column), 40).unwrap();
            assert_eq!(format!("{:?}", layout.decode(&keys).unwrap()), format!("{:?}", [column]));
        }
        let valid = Bitmap::from_fn(40, |i| i % 3 != 0);
        let types = [
            DataType::UInt16,
            DataType::Nullable(DataType::UInt128.into()),
            DataType::FixedString(5),
        ];
        let wide: Vec<u128> = (0..40).map(|i| if i % 3 == 0 { 0 } else { i << 90 | i }).collect();
        let columns = [
            Column::from((0..40).collect::<Vec<u16>>()),
            Column::nullable(wide.into(), valid),
            Column::constant(strings(5).slice(2, 1), 40).full(),
        ];
        let layout = KeyLayout::choose(&types);
        let keys = layout.encode(&columns, 40).unwrap();
        assert!(matches!(layout, KeyLayout::U256(_)));
        assert_eq!(format!("{:?}", layout.decode(&keys).unwrap()), format!("{columns:?}"));
    }
}
