//! The index of a table: from the bytes of a key to the place of its row.

use entasis_codec::checksum;
use entasis_column::hash::{BytesTable, NONE};
use entasis_column::{Chunk, Column, wire};

use super::Place;

/// The places of all keys.
#[derive(Debug, Default)]
pub(super) struct Index {
    ids: BytesTable,
    /// The place of each key, by its id in the table.
    places: Vec<Place>,
}

impl Index {
    /// The place of a key.
    pub fn find(&self, key: &[u8]) -> Option<Place> {
        let id = self.ids.find(key, checksum(key));
        (id != NONE).then(|| self.places[id as usize])
    }

    /// Adds a key, and answers the place that it had before. With `replaces`, its new place counts
    /// from now on, otherwise the older one.
    pub fn put(&mut self, key: &[u8], place: Place, replaces: bool) -> Option<Place> {
        let id = self.ids.find_or_add(key, checksum(key)) as usize;
        if id == self.places.len() {
            self.places.push(place);
            return None;
        }
        let old = self.places[id];
        if replaces {
            self.places[id] = place;
        }
        Some(old)
    }
}

/// Appends the bytes of a row of full key columns. Rows are equal if and only if their bytes are.
pub(super) fn encode(keys: &[&Column], row: usize, out: &mut Vec<u8>) {
    keys.iter().for_each(|column| encode_one(column, row, out));
}

fn encode_one(column: &Column, row: usize, out: &mut Vec<u8>) {
    macro_rules! numbers {
        ($($layout:ident),*) => {
            match column {
                $(Column::$layout(values) => out.extend_from_slice(&values[row].to_le_bytes()),)*
                // The two zeros are equal.
                Column::Float32(values) => {
                    out.extend_from_slice(&(values[row] + 0.0).to_le_bytes());
                }
                Column::Float64(values) => {
                    out.extend_from_slice(&(values[row] + 0.0).to_le_bytes());
                }
                Column::String(strings) => {
                    let text = strings.get(row);
                    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
                    out.extend_from_slice(text);
                }
                Column::Fixed(strings) => out.extend_from_slice(strings.get(row)),
                Column::Nullable(_) => {
                    let is_null = column.is_null(row);
                    out.push(u8::from(is_null));
                    if !is_null {
                        encode_one(column.split_nullable().1, row, out);
                    }
                }
                other => {
                    let one = Chunk::new(vec![other.slice(row, 1).full()], 1);
                    wire::write_chunk(&one, out);
                }
            }
        };
    }
    numbers!(UInt8, UInt16, UInt32, UInt64, UInt128, Int8, Int16, Int32, Int64, Int128);
}
