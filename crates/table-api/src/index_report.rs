//! What the indexes of a table do for a scan, for EXPLAIN.

/// What one index does for a scan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexStep {
    /// The kind of index: `Min-Max`, `Partition`, `PrimaryKey`, `Bounds`, `Skip`.
    pub kind: &'static str,
    /// The name of a skipping index.
    pub name: Option<String>,
    /// The type of a skipping index and its granularity.
    pub description: Option<String>,
    /// The elements of the key that the condition uses.
    pub keys: Vec<String>,
    /// What it asks of the rows; `None` for an index that does not compare values.
    pub condition: Option<String>,
    /// How a sorted index is searched, if it is.
    pub search: Option<&'static str>,
    /// Parts before this index is used, and those that remain after it.
    pub parts: (u64, u64),
    /// Granules before this index is used, and those that remain after it.
    pub granules: (u64, u64),
}

/// What all indexes of a table do for a scan, in the order in which they are asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexReport {
    /// One entry for each index.
    pub steps: Vec<IndexStep>,
    /// The number of parts that are read.
    pub parts: u64,
    /// The number of granules that are read.
    pub granules: u64,
    /// The number of runs of adjacent granules that are read.
    pub ranges: u64,
}
