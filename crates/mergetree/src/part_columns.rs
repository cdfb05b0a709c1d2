//! Virtual columns: what a query can ask of the part that a row is in.
//!
//! Most have one value for all rows of a part. Its bounds are therefore known without reading, and
//! conditions on such a column skip whole parts.

use std::sync::Arc;

use entasis_column::Column;
use entasis_table_api::ColumnDef;
use entasis_types::{DataType, Value};

use crate::fill::Origin;
use crate::log::record::PartSummary;
use crate::segment::{ColumnMeta, Segment};

/// The virtual columns of tables that consist of parts. A column of a table hides the virtual one
/// of the same name.
pub fn virtual_columns() -> Vec<ColumnDef> {
    let text = || DataType::LowCardinality(Arc::new(DataType::String));
    let number = || DataType::UInt64;
    let version = "Data version of part (either min block number or mutation version)";
    let exists = "Persisted mask created by lightweight delete that show whether row exists or is \
                  deleted";
    let starting = "Cumulative starting row of the part in the query result";
    let uuid = "Unique part identifier (if enabled MergeTree setting assign_part_uuids)";
    let offset = "Persisted original number of row in block that was assigned at insert";
    [
        ("_part", text(), "Name of part"),
        ("_part_index", number(), "Sequential index of the part in the query result"),
        ("_part_starting_offset", number(), starting),
        ("_part_uuid", DataType::Uuid, uuid),
        ("_partition_id", text(), "Name of partition"),
        ("_sample_factor", DataType::Float64, "Sample factor (from the query)"),
        ("_part_offset", number(), "Number of row in the part"),
        ("_part_granule_offset", number(), "Number of granule in the part"),
        ("_part_data_version", number(), version),
        ("_disk_name", text(), "Disk name"),
        ("_table", text(), ""),
        ("_database", text(), ""),
        ("_row_exists", DataType::UInt8, exists),
        (
            "_block_number",
            number(),
            "Persisted original number of block that was assigned at insert",
        ),
        ("_block_offset", number(), offset),
    ]
    .map(|(name, ty, comment)| ColumnDef {
        comment: comment.into(),
        ..ColumnDef::virtual_column(name, ty)
    })
    .into()
}

/// The virtual column that shows the partition key as a tuple.
pub const PARTITION_VALUE: &str = "_partition_value";

/// What the virtual columns show of one part.
pub(crate) struct PartFacts {
    pub(crate) summary: Arc<PartSummary>,
    /// The place of the part among those of the table.
    pub(crate) index: u64,
    /// The number of rows of the parts before it.
    pub(crate) starting_offset: u64,
}

impl PartFacts {
    /// Where the values of a virtual column come from; `None` if there is no such column.
    pub(crate) fn origin(&self, name: &str, segment: &Segment) -> Option<Origin> {
        let text = |text: &str| (DataType::String, Value::from(text));
        let number = |number: u64| (DataType::UInt64, Value::UInt(number));
        let (ty, value) = match name {
            "_part" => text(&self.summary.name()),
            "_partition_id" => text(&self.summary.partition),
            "_part_uuid" => (DataType::Uuid, Value::string(&[0; 16])),
            "_part_index" => number(self.index),
            "_part_starting_offset" => number(self.starting_offset),
            "_part_data_version" => number(self.summary.min_block),
            "_block_number" => number(self.summary.min_block),
            "_row_exists" => (DataType::UInt8, Value::UInt(1)),
            "_disk_name" => text("default"),
            "_block_offset" => return Some(Origin::RowNumber { in_granule: false }),
            "_part_offset" => return Some(Origin::RowNumber { in_granule: false }),
            "_part_granule_offset" => return Some(Origin::RowNumber { in_granule: true }),
            _ => return None,
        };
        let value = Column::from_value(&ty, &value, 1).full();
        let meta = Arc::new(ColumnMeta::of_constant(&value, segment.rows));
        Some(Origin::Constant { value, meta })
    }
}

/// The numbers of the rows of a granule in the part; with `in_granule` the number of the granule.
pub(crate) fn row_numbers(
    segment: &Segment,
    granule: usize,
    rows: usize,
    in_granule: bool,
) -> Column {
    if in_granule {
        return Column::constant(Column::from(vec![granule as u64]), rows);
    }
    let first: u64 = segment.granules[..granule].iter().map(|&rows| u64::from(rows)).sum();
    Column::from((first..first + rows as u64).collect::<Vec<u64>>())
}
