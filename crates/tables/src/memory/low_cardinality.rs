//! LowCardinality columns of tables in memory: dictionaries, so that functions run once per value.

use std::collections::HashMap;

use entasis_base::scope::Ticker;
use entasis_column::{Column, Dictionary, Strings, StringsBuilder};
use entasis_types::DataType;

/// Fewest rows for which a dictionary pays.
const LEAST_ROWS: usize = 256;
/// A dictionary may hold one value for every this many rows.
const ROWS_PER_VALUE: usize = 8;

/// The column as a table keeps it: full, or codes and values if it is LowCardinality and its
/// strings repeat.
pub(super) fn stored(column: &Column, ty: &DataType) -> Column {
    let rows = column.len();
    let wants = matches!(ty, DataType::LowCardinality(_)) && rows >= LEAST_ROWS;
    match column {
        Column::Dict(dict) if wants && dict.dictionary.values.len() <= rows / ROWS_PER_VALUE => {
            column.clone()
        }
        other => {
            let full = other.full();
            let encoded = match &full {
                Column::String(strings) if wants => encoded(strings),
                _ => None,
            };
            encoded.unwrap_or(full)
        }
    }
}

/// Codes and distinct values; `None` if there are too many values.
fn encoded(strings: &Strings) -> Option<Column> {
    let most = strings.len() / ROWS_PER_VALUE;
    let mut known: HashMap<&[u8], u32> = HashMap::new();
    let mut values = StringsBuilder::default();
    let mut codes = Vec::with_capacity(strings.len());
    let mut ticker = Ticker::default();
    for text in strings.iter() {
        ticker.check_or_unwind(1);
        let next = known.len() as u32;
        let code = *known.entry(text).or_insert(next);
        if code == next {
            if known.len() > most {
                return None;
            }
            values.push(text);
        }
        codes.push(code);
    }
    Some(Column::dict(codes.into(), Dictionary::new(values.finish().into())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn strings_that_repeat_become_codes() {
        let ty = DataType::LowCardinality(Arc::new(DataType::String));
        let column = |values: usize| -> Column {
            (0..1000).map(|i| format!("value {}", i % values)).collect::<Strings>().into()
        };
        for (values, is_dict) in [(1, true), (125, true), (126, false), (1000, false)] {
            let plain = column(values);
            let kept = stored(&plain, &ty);
            assert_eq!(matches!(kept, Column::Dict(_)), is_dict, "{values}");
            assert!((0..1000).all(|i| kept.value(i) == plain.value(i)));
            assert!(matches!(stored(&plain, &DataType::String), Column::String(_)));
        }
    }
}
