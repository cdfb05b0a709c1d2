//! What people see of the sparse index of a table: its granules, with the first key of each.

use entasis_base::Result;
use entasis_column::Column;
use entasis_types::DataType;

use crate::table::MergeTreeTable;

/// The granules of a part.
#[derive(Clone, Debug)]
pub struct PartMarks {
    /// The part's name.
    pub name: String,
    /// Number of rows of each granule.
    pub granules: Vec<u32>,
    /// The columns of the primary key: one row for each granule, and one for the last row of the
    /// part.
    pub index: Vec<Column>,
    /// For each stored column of the table, where each granule begins in the part's file; `None`
    /// for a column that the file does not have.
    pub offsets: Vec<Vec<Option<u64>>>,
}

impl MergeTreeTable {
    /// The types of the primary key.
    pub fn primary_key_types(&self) -> Vec<DataType> {
        self.schema.primary_types()
    }

    /// The granules of all active parts, ordered by the names of the parts.
    pub fn part_marks(&self, with_offsets: bool) -> Result<Vec<PartMarks>> {
        let mut out = Vec::new();
        for part in &self.core.version().parts {
            let base = &part.layers()?.base;
            let mut offsets = Vec::new();
            for spec in self.schema.stored.iter().filter(|_| with_offsets) {
                let position = base.position(spec.id);
                let mut of_column = vec![None; base.granules.len() + 1];
                if let Some(position) = position {
                    let spans = &base.meta(position)?.granules;
                    let starts = spans.iter().map(|span| span.offset);
                    let end = spans.last().map(|span| span.offset + span.len);
                    let places = of_column.iter_mut().zip(starts.chain(end));
                    places.for_each(|(place, offset)| *place = Some(offset));
                }
                offsets.push(of_column);
            }
            out.push(PartMarks {
                name: part.summary.name(),
                granules: base.granules.clone(),
                index: base.index()?.to_vec(),
                offsets,
            });
        }
        out.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(out)
    }
}
