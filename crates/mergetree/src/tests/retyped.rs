//! Columns whose types are altered: values are checked before the record is written, each part is
//! converted in one step, and statements that began before end well or fail with ABORTED.

use std::sync::Arc;

use entasis_base::{Result, codes};
use entasis_column::{Chunk, Column, Strings};
use entasis_disk::{Disk, FaultDisk, MemoryDisk};
use entasis_expr::{ColumnId, Expr};
use entasis_function::{Arg, BoundFunction, registry};
use entasis_pipeline::Morsel;
use entasis_table_api::{Schema, Table};
use entasis_types::{DataType, Value};

use super::support::*;
use crate::{BindDefaults, MergeTreeTable, Store, TableConfig};

/// Conversions by CAST.
#[derive(Debug)]
struct Casts(Arc<Schema>);

impl BindDefaults for Casts {
    fn default(&self, _: usize, _: Option<usize>) -> Result<Option<Expr>> {
        Ok(None)
    }

    fn convert(&self, position: usize, from: &DataType) -> Result<Expr> {
        entasis_functions::register();
        let ty = self.0.columns[position].ty.to_string();
        let name = Expr::literal(Value::from(ty.as_str()), DataType::String);
        let column = Expr::column(ColumnId(position as u32), from.clone());
        let args =
            [Arg::column(from.clone()), Arg::constant(DataType::String, Value::from(ty.as_str()))];
        let cast = BoundFunction::bind(registry::scalar("CAST").unwrap(), &args, &NoContext)?;
        Ok(Expr::call(cast, vec![column, name]))
    }
}

fn config(value: &str) -> TableConfig {
    let mut config = TableConfig::sorted_by(schema(&[("k", "UInt64"), ("v", value)]), &[0]);
    config.defaults = Some(Arc::new(Casts(Arc::clone(&config.schema))));
    config.settings.index_granularity = 3;
    config
}

fn texts(rows: &[(u64, &str)]) -> Chunk {
    let keys: Vec<u64> = rows.iter().map(|(key, _)| *key).collect();
    let values: Strings = rows.iter().map(|(_, value)| *value).collect();
    Chunk::new(vec![keys.into(), values.into()], rows.len())
}

fn retype(table: &MergeTreeTable, value: &str) -> Result<Arc<MergeTreeTable>> {
    table.alter("altered", config(value), table.column_ids().next_version())
}

fn values(table: &MergeTreeTable) -> Vec<String> {
    let rows = read_all(table);
    let mut shown: Vec<String> =
        (0..rows.rows).map(|i| format!("{:?}", rows.columns[1].value(i))).collect();
    shown.sort_unstable();
    shown
}

fn numbers(values: &[u64]) -> Vec<String> {
    let mut shown: Vec<String> = values.iter().map(|v| format!("UInt({v})")).collect();
    shown.sort_unstable();
    shown
}

#[test]
fn a_value_that_cannot_be_converted_leaves_the_table_as_it_was() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let store = Store::open_with(Arc::clone(&disk), options()).unwrap();
    let (id, table) = create(&store, config("String"));
    insert(&table, &[texts(&[(1, "5"), (2, "6"), (3, "7"), (4, "8")])]).unwrap();
    insert(&table, &[texts(&[(5, "9"), (6, "10"), (7, "11"), (8, "x")])]).unwrap();
    let before = (values(&table), store.tables(), table.total_bytes());
    let error = retype(&table, "UInt8").err().unwrap();
    assert_eq!(error.code(), codes::UNFINISHED, "{error}");
    assert!(error.message().contains("all_2_2_0"), "{error}");
    let now = store.table(id).unwrap();
    assert_eq!((values(&now), store.tables(), now.total_bytes()), before);
    assert_eq!(now.column_ids().version(), 1);
    // INSERTs are not disturbed by an ALTER that has failed.
    insert(&table, &[texts(&[(9, "y")])]).unwrap();
    now.truncate().unwrap();
    let altered = retype(&now, "UInt8").unwrap();
    assert_eq!(values(&altered), numbers(&[]));
}

#[test]
fn each_part_is_converted_in_one_step() {
    let (_store, _, table) = table(config("UInt64"));
    let chunk = |values: Vec<u64>| {
        let rows = values.len();
        Chunk::new(vec![(0..rows as u64).collect::<Vec<_>>().into(), values.into()], rows)
    };
    insert(&table, &[chunk(vec![300, 44, 257])]).unwrap();
    let files = |table: &MergeTreeTable| -> Vec<String> {
        table.part_summaries().into_iter().map(|part| part.file).collect()
    };
    let first = files(&table);
    let narrow = retype(&table, "UInt8").unwrap();
    assert_eq!(files(&narrow), first, "nothing is rewritten");
    assert_eq!(values(&narrow), numbers(&[44, 44, 1]));
    // The second change needs the values of the first one.
    let wide = retype(&narrow, "UInt32").unwrap();
    assert_ne!(files(&wide), first);
    assert_eq!(values(&wide), numbers(&[44, 44, 1]));
    let again = files(&wide);
    wide.optimize(true, &context()).unwrap();
    assert_ne!(files(&wide), again, "a merge writes the new type");
    let written = files(&wide);
    wide.optimize(true, &context()).unwrap();
    assert_eq!(files(&wide), written, "there is nothing left to do");
    assert_eq!(values(&wide), numbers(&[44, 44, 1]));
}

#[test]
fn an_insert_that_began_before_a_type_was_altered_is_aborted() {
    let (_store, _, table) = table(config("String"));
    insert(&table, &[texts(&[(1, "1")])]).unwrap();
    let begin = |table: &MergeTreeTable, rows: Chunk| {
        let sink = table.insert(&context()).unwrap();
        let mut state = sink.open().unwrap();
        state.push(Morsel { sequence: 0, chunk: rows }).unwrap();
        state.combine().unwrap();
        sink.finalize(&context()).unwrap();
        sink
    };
    let sink = begin(&table, texts(&[(2, "no number")]));
    let snapshot = table.snapshot().unwrap();
    let altered = retype(&table, "UInt32").unwrap();
    let error = entasis_table_api::commit(sink.prepared().unwrap()).err().unwrap();
    assert_eq!(error.code(), codes::ABORTED, "{error}");
    assert_eq!(values(&altered), numbers(&[1]));
    // A SELECT that began before has the values that it began with.
    let rows = collect(&*snapshot, &spec_of(&table), &context()).unwrap();
    assert_eq!(rows.columns[1].value(0), Value::from("1"));
    // An INSERT that begins after the ALTER is not disturbed, and neither is one that begins before
    // an ALTER which changes no type.
    let chunk = |key: u64, value: u32| Chunk::new(vec![vec![key].into(), vec![value].into()], 1);
    let sink = begin(&altered, chunk(3, 3));
    let again =
        altered.alter("again", config("UInt32"), altered.column_ids().next_version()).unwrap();
    entasis_table_api::commit(sink.prepared().unwrap()).unwrap();
    insert(&again, &[chunk(4, 4)]).unwrap();
    again.optimize(true, &context()).unwrap();
    assert_eq!(values(&again), numbers(&[1, 3, 4]));
}

#[test]
fn rows_that_are_inserted_meanwhile_are_checked_or_refused() {
    for round in 0..6 {
        let (store, id, table) = table(config("String"));
        insert(&table, &[texts(&[(0, "0")])]).unwrap();
        let inserted = std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                let one = |key: u64| {
                    let text = key.to_string();
                    insert(&table, &[texts(&[(key, &text)])])
                };
                (1..40)
                    .map(one)
                    .take_while(|done| match done {
                        Ok(()) => true,
                        Err(error) => {
                            assert_eq!(error.code(), codes::ABORTED, "{error}");
                            false
                        }
                    })
                    .count()
            });
            std::thread::sleep(std::time::Duration::from_millis(round));
            retype(&table, "UInt32").unwrap();
            writer.join().unwrap()
        });
        let altered = store.table(id).unwrap();
        let expected: Vec<u64> = (0..=inserted as u64).collect();
        assert_eq!(values(&altered), numbers(&expected), "round {round}");
        altered.optimize(true, &context()).unwrap();
        assert_eq!(values(&altered), numbers(&expected), "round {round}");
    }
}

#[test]
fn a_crash_leaves_the_old_type_or_the_new_one() {
    let run = |disk: &Arc<dyn Disk>| -> Result<()> {
        let store = Store::open_with(Arc::clone(disk), options())?;
        store.create_database("default", "")?;
        let id = store.create_table("default", "t", "old")?;
        let table = store.attach(id, config("String"))?;
        insert(&table, &[texts(&[(1, "9"), (2, "7")])])?;
        let narrow = table.alter("narrow", config("UInt8"), table.column_ids().next_version())?;
        let wide = narrow.alter("wide", config("Int32"), narrow.column_ids().next_version())?;
        wide.optimize(true, &context())
    };
    // 300 does not fit into UInt8.
    let whole = Arc::new(FaultDisk::new());
    let failed = run(&(whole.clone() as Arc<dyn Disk>)).map_err(|e| e.code());
    let narrow_fails = failed == Err(codes::UNFINISHED);
    let mut seen = Vec::new();
    for at in 0..whole.changes() {
        let disk = Arc::new(FaultDisk::new());
        disk.crash_at(at);
        let _ = run(&(disk.clone() as Arc<dyn Disk>));
        let disk: Arc<dyn Disk> = Arc::new(disk.restart(at));
        let store = Store::open_with(disk, options()).unwrap();
        let tables = store.tables();
        let Some(record) = tables.first() else { continue };
        let (ty, version) = match &*record.definition {
            "narrow" => ("UInt8", 2),
            "wide" => ("Int32", 3),
            _ => ("String", 1),
        };
        let table = store.attach(record.id, config(ty)).unwrap();
        assert_eq!(table.column_ids().version(), version, "crash at {at}");
        let rows = read_all(&table);
        assert!([0, 2].contains(&rows.rows), "crash at {at}");
        for row in 0..rows.rows {
            let (key, value) = (rows.columns[0].value(row), rows.columns[1].value(row));
            let expected = match (key.as_u64(), ty) {
                (Some(1), "String") => Value::from("9"),
                (_, "String") => Value::from("7"),
                (Some(1), _) => continue,
                (_, "Int32") => Value::Int(7),
                _ => Value::UInt(7),
            };
            assert_eq!(value, expected, "crash at {at}");
        }
        seen.push(version);
    }
    seen.dedup();
    assert_eq!(seen, if narrow_fails { vec![1] } else { vec![1, 2, 3] });
}

#[test]
fn columns_of_other_ids_need_no_conversion() {
    let (_store, _, table) = table(config("String"));
    insert(&table, &[texts(&[(1, "x")])]).unwrap();
    // The column is dropped, and another one gets its name.
    let names = [("k", Some("k")), ("v", None)];
    let ids = table.column_ids().altered(names.into_iter()).unwrap();
    assert_eq!((ids.version(), ids.id("k"), ids.id("v")), (2, Some(1), Some(3)));
    let altered = table.alter("", config("UInt8"), ids).unwrap();
    assert_eq!(values(&altered), numbers(&[0]));
    let column: Column = vec![9u8].into();
    insert(&altered, &[Chunk::new(vec![vec![2u64].into(), column], 1)]).unwrap();
    altered.optimize(true, &context()).unwrap();
    assert_eq!(values(&altered), numbers(&[0, 9]));
}
