//! What other statements do to parts while a mutation, a merge or a move is at work on them.

use std::cell::Cell;
use std::sync::Arc;

use entasis_base::codes;
use entasis_column::{Chunk, Column};
use entasis_disk::{Disk, MemoryDisk};
use entasis_expr::ColumnId;
use entasis_table_api::{MergeRequest, Mutation, MutationSpec, ScanSpec, Table};

use super::support::*;
use crate::{MergeTreeTable, PartitionCommand, PartsOf, Store, TableConfig};

fn config() -> TableConfig {
    TableConfig::sorted_by(schema(&[("k", "UInt64"), ("v", "UInt64")]), &[0])
}

fn rows(first: u64, value: u64) -> Chunk {
    let keys: Vec<u64> = (first..first + 4).collect();
    Chunk::new(vec![keys.into(), vec![value; 4].into()], 4)
}

/// A store with a table of two parts: the keys 0 to 3, and 4 to 7.
fn filled(disk: &Arc<dyn Disk>) -> (Store, Arc<MergeTreeTable>) {
    let store = Store::open_with(Arc::clone(disk), options()).unwrap();
    let (_, table) = create(&store, config());
    insert(&table, &[rows(0, 1)]).unwrap();
    insert(&table, &[rows(4, 1)]).unwrap();
    (store, table)
}

fn detach_and_attach(table: &MergeTreeTable, name: &str) {
    let part = || PartsOf::Part(name.to_owned());
    table.change_partitions(&[PartitionCommand::Detach(part())], &context()).unwrap();
    table.change_partitions(&[PartitionCommand::Attach(part())], &context()).unwrap();
}

fn names(table: &MergeTreeTable) -> Vec<String> {
    table.part_summaries().iter().map(crate::PartSummary::name).collect()
}

fn keys(table: &MergeTreeTable) -> Vec<u64> {
    let rows = read_all(table);
    let mut keys: Vec<u64> =
        (0..rows.rows).map(|row| rows.columns[0].value(row).as_u64().unwrap()).collect();
    keys.sort_unstable();
    keys
}

/// Begins a DELETE of all even keys.
fn begin_delete(table: &MergeTreeTable) -> Box<dyn Mutation> {
    let spec = MutationSpec { light: false, commands: vec!["(TEST)".into()], partitions: None };
    let mut mutation = table.mutate(spec, &context()).unwrap();
    let shown = mutation.rows(None);
    let last = shown.schema().columns.len() - 1;
    let spec = ScanSpec::of_columns([(ColumnId(50), 0), (ColumnId(51), last)]);
    let found = collect(&*shown.snapshot().unwrap(), &spec, &context()).unwrap();
    let value = |column: usize, row: usize| found.columns[column].value(row).as_u64().unwrap();
    let even = (0..found.rows).filter(|row| value(0, *row).is_multiple_of(2));
    let addresses: Vec<u64> = even.map(|row| value(1, row)).collect();
    let count = addresses.len();
    let chunk = Chunk::new(vec![Column::from(addresses)], count);
    mutation.delete(vec![chunk], &context()).unwrap();
    mutation
}

#[test]
fn a_mutation_changes_a_part_that_was_detached_and_attached_meanwhile_under_its_new_name() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let (store, table) = filled(&disk);
    let mutation = begin_delete(&table);
    detach_and_attach(&table, "all_1_1_0");
    assert_eq!(names(&table), ["all_2_2_0", "all_3_3_0"]);
    insert(&table, &[rows(8, 1)]).unwrap();
    mutation.commit().unwrap();
    assert_eq!(names(&table), ["all_2_2_0_5", "all_3_3_0_5", "all_4_4_0"]);
    let wanted = [1, 3, 5, 7, 8, 9, 10, 11];
    assert_eq!(keys(&table), wanted);
    drop((table, store));
    let (_store, table) = reopen(&disk, config());
    assert_eq!(names(&table), ["all_2_2_0_5", "all_3_3_0_5", "all_4_4_0"]);
    assert_eq!(keys(&table), wanted);
}

#[test]
fn a_mutation_leaves_a_part_that_was_detached_meanwhile_as_it_is() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let (_store, table) = filled(&disk);
    let mutation = begin_delete(&table);
    let part = || PartsOf::Part("all_1_1_0".to_owned());
    table.change_partitions(&[PartitionCommand::Detach(part())], &context()).unwrap();
    mutation.commit().unwrap();
    assert_eq!(keys(&table), [5, 7]);
    table.change_partitions(&[PartitionCommand::Attach(part())], &context()).unwrap();
    assert_eq!(keys(&table), [0, 1, 2, 3, 5, 7]);
}

#[test]
fn a_merge_does_not_take_a_part_back_to_where_it_was() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let (_store, table) = filled(&disk);
    let is_done = Cell::new(false);
    let go_on = || {
        if !is_done.replace(true) {
            detach_and_attach(&table, "all_1_1_0");
            insert(&table, &[rows(0, 2)]).unwrap();
        }
        true
    };
    table.core.merge_all(&MergeRequest { all: true, ..MergeRequest::default() }, &go_on).unwrap();
    assert!(is_done.get());
    // The part comes after the other one now, so a merge of what was before is not recorded.
    assert_eq!(names(&table), ["all_2_2_0", "all_3_3_0", "all_4_4_0"]);
    table.optimize(true, &context()).unwrap();
    assert_eq!(names(&table), ["all_2_4_1"]);
    assert_eq!(read_all(&table).rows, 12);
}

#[test]
fn parts_do_not_move_between_tables_that_were_altered_meanwhile() {
    for alters_target in [true, false] {
        let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
        let (store, source) = filled(&disk);
        let id = store.create_table("default", "target", "").unwrap();
        let target = store.attach(id, config()).unwrap();
        let altered = if alters_target { &target } else { &source };
        altered.alter("", config(), altered.column_ids().next_version()).unwrap();
        let (parts, from) = (PartsOf::Table, Arc::clone(&source));
        let copy = PartitionCommand::CopyFrom { parts, from, replace: false };
        let error = target.change_partitions(&[copy], &context()).unwrap_err();
        assert_eq!(error.code(), codes::ABORTED, "{error}");
        let give = PartitionCommand::MoveTo { parts: PartsOf::Table, to: Arc::clone(&target) };
        let error = source.change_partitions(&[give], &context()).unwrap_err();
        assert_eq!(error.code(), codes::ABORTED, "{error}");
        assert_eq!((read_all(&source).rows, read_all(&target).rows), (8, 0));
        let (source, target) = (store.table(source.id()).unwrap(), store.table(id).unwrap());
        let give = PartitionCommand::MoveTo { parts: PartsOf::Table, to: Arc::new(target) };
        source.change_partitions(&[give], &context()).unwrap();
        assert_eq!(read_all(&source).rows, 0);
    }
}

#[test]
fn parts_of_a_table_that_was_altered_more_often_lack_later_columns_of_their_new_table() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let store = Store::open_with(Arc::clone(&disk), options()).unwrap();
    let (_, mut source) = create(&store, config());
    for _ in 0..3 {
        source = source.alter("", config(), source.column_ids().next_version()).unwrap();
    }
    insert(&source, &[rows(0, 1)]).unwrap();
    let id = store.create_table("default", "target", "").unwrap();
    let target = store.attach(id, config()).unwrap();
    let (parts, from) = (PartsOf::Table, source);
    let copy = PartitionCommand::CopyFrom { parts, from, replace: false };
    target.change_partitions(&[copy], &context()).unwrap();
    let columns = [("k", "UInt64"), ("v", "UInt64"), ("w", "UInt64")];
    let wider = TableConfig::sorted_by(schema(&columns), &[0]);
    let mut ids = target.column_ids().next_version();
    ids.add("w").unwrap();
    let target = target.alter("", wider, ids).unwrap();
    assert_eq!(keys(&target), [0, 1, 2, 3]);
}
