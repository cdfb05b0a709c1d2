//! Extracts a subcolumn from a whole column, for tables that have no separate streams for
//! subcolumns.

use entasis_base::{Error, Result};
use entasis_types::Step;

use crate::{Column, Strings};

/// The subcolumn of a column to which `steps` lead (`entasis_types::SubcolumnPath`).
pub fn subcolumn(column: &Column, steps: &[Step]) -> Result<Column> {
    within(column, steps, 0)
}

/// The subcolumn of a column that is inside `depth` arrays.
fn within(column: &Column, steps: &[Step], depth: usize) -> Result<Column> {
    let Some((step, rest)) = steps.split_first() else { return Ok(column.clone()) };
    Ok(match (column, step) {
        (Column::Const(one), _) => Column::constant(within(&one.value, steps, depth)?, one.len),
        (Column::Dict(dict), _) => {
            let values = within(&dict.dictionary.values, steps, depth)?;
            Column::dict(dict.codes.clone(), crate::Dictionary::new(values)).full()
        }
        (Column::Array(array), _) if steps.last() == Some(&Step::Size(depth)) => {
            lengths(&array.offsets)
        }
        (Column::Array(array), _) => {
            let (offsets, elements) = array.flat();
            Column::array(offsets, within(&elements, steps, depth + 1)?)
        }
        (Column::Nullable(nullable), Step::Null) => Column::from_mask(&nullable.validity.not()),
        (Column::Nullable(nullable), _) => {
            let values = within(&nullable.values, steps, depth)?;
            Column::nullable(values, nullable.validity.clone())
        }
        (Column::Tuple(tuple), Step::Element(i)) if *i < tuple.columns.len() => {
            within(&tuple.columns[*i], rest, depth)?
        }
        (Column::String(strings), Step::StringSize) => string_sizes(strings),
        _ => return Err(Error::logical("A column does not have the part that is read of it")),
    })
}

/// The lengths that `n + 1` offsets describe.
pub fn lengths(offsets: &[u32]) -> Column {
    let lengths = offsets.windows(2).map(|w| u64::from(w[1] - w[0]));
    Column::from(lengths.collect::<Vec<u64>>())
}

fn string_sizes(strings: &Strings) -> Column {
    lengths(strings.offsets())
}

#[cfg(test)]
mod tests {
    use entasis_types::{DataType, Value};

    use super::*;

    #[test]
    fn parts_of_slices_and_constants() {
        let ty = DataType::parse("Array(Tuple(a Nullable(String), b Array(UInt8)))").unwrap();
        let text = |s: &str| Value::from(s);
        let pair = |a: Value, n: &[u64]| {
            let list = n.iter().map(|n| Value::UInt(*n)).collect();
            Value::Tuple([a, Value::Array(list)].into())
        };
        let row = Value::Array([pair(text("xy"), &[1, 2]), pair(Value::Null, &[])].into());
        let mut builder = crate::ColumnBuilder::new(&ty, 3);
        for value in [&Value::Array([].into()), &row, &row] {
            builder.push_value(&ty, value);
        }
        let sliced = builder.finish().slice(1, 2);
        let constant = Column::constant(sliced.slice(0, 1), 2);
        for column in [sliced, constant] {
            let part = |name: &str| {
                let part = entasis_types::subcolumn::subcolumn(&ty, name).unwrap();
                subcolumn(&column, part.path.steps()).unwrap().value(1)
            };
            let numbers =
                |list: &[u64]| Value::Array(list.iter().map(|n| Value::UInt(*n)).collect());
            assert_eq!(part("size0"), Value::UInt(2));
            assert_eq!(part("a.null"), numbers(&[0, 1]));
            assert_eq!(part("a.size"), Value::Array([Value::UInt(2), Value::Null].into()));
            assert_eq!(part("b.size1"), numbers(&[2, 0]));
            let outer = [Step::Element(1), Step::Size(0)];
            assert_eq!(subcolumn(&column, &outer).unwrap().value(1), Value::UInt(2));
        }
        assert!(subcolumn(&Column::from(vec![1u8]), &[Step::Null]).is_err());
    }
}
