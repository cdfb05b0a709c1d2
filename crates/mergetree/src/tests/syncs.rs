//! Counts the syncs of an INSERT.

use std::sync::Arc;

use entasis_column::Chunk;
use entasis_disk::{Disk, FaultDisk};
use entasis_expr::{ColumnId, Expr};
use entasis_types::DataType;

use super::support::{insert, options, schema};
use crate::{Store, TableConfig};

/// The syncs of one INSERT whose rows fall into this many partitions.
fn syncs(partitions: u8) -> u64 {
    let disk = Arc::new(FaultDisk::new());
    let store = Store::open_with(disk.clone() as Arc<dyn Disk>, options()).unwrap();
    store.create_database("default", "").unwrap();
    let id = store.create_table("default", "t", "").unwrap();
    let mut config = TableConfig::sorted_by(schema(&[("part", "UInt8"), ("row", "UInt64")]), &[1]);
    config.partition_by = Some(Expr::column(ColumnId(0), DataType::UInt8));
    let table = store.attach(id, config).unwrap();
    let rows = Chunk::new(
        vec![
            (0..partitions).collect::<Vec<_>>().into(),
            (0..u64::from(partitions)).collect::<Vec<_>>().into(),
        ],
        partitions.into(),
    );
    // The first INSERT also creates the table's directory.
    insert(&table, std::slice::from_ref(&rows)).unwrap();
    let before = disk.counts();
    insert(&table, &[rows]).unwrap();
    disk.counts().since(&before).syncs()
}

#[test]
fn an_insert_syncs_each_segment_their_folder_and_the_log() {
    for partitions in [1, 2, 7] {
        assert_eq!(syncs(partitions), u64::from(partitions) + 2);
    }
}
