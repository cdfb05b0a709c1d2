//! Tables whose columns were altered: parts of several schema versions are read alike, and compared
//! with a table that has all values stored.

use std::sync::Arc;

use entasis_base::clock::Rng;
use entasis_base::{Result, codes};
use entasis_column::{Chunk, Column, Strings};
use entasis_disk::{Disk, FaultDisk, MemoryDisk};
use entasis_expr::{ColumnId, Expr};
use entasis_function::{Arg, BoundFunction, registry};
use entasis_pipeline::QueryContext;
use entasis_table_api::{ScanColumn, ScanSpec, Table};
use entasis_types::{DataType, Value};

use super::support::*;
use crate::{
    BindDefaults, ColumnIds, KeptRow, MergeAlgorithm, MergeTreeTable, RepairOptions, Store,
    TableConfig, repair,
};

const BEFORE: [(&str, &str); 3] = [("k", "UInt64"), ("v", "UInt32"), ("s", "String")];
/// Columns that are added later: with one value, computed, computed twice, and type defaults.
const ADDED: [(&str, &str); 6] = [
    ("seven", "UInt16"),
    ("twice", "UInt64"),
    ("more", "UInt64"),
    ("text", "String"),
    ("n", "Nullable(UInt8)"),
    ("e", "Enum8('x' = 3, 'y' = 5)"),
];

fn call(name: &str, args: Vec<Expr>) -> Expr {
    entasis_functions::register();
    let arg = |expr: &Expr| match expr {
        Expr::Literal { value, ty } => Arg::constant(ty.clone(), value.clone()),
        other => Arg::column(other.ty().clone()),
    };
    let bound: Vec<Arg> = args.iter().map(arg).collect();
    let function = registry::scalar(name).unwrap();
    Expr::call(BoundFunction::bind(function, &bound, &NoContext).unwrap(), args)
}

fn cast(expr: Expr, ty: &str) -> Expr {
    call("CAST", vec![expr, Expr::literal(Value::from(ty), DataType::String)])
}

fn number(value: u64) -> Expr {
    Expr::literal(Value::UInt(value), DataType::UInt64)
}

/// Default expressions by column name.
#[derive(Debug)]
struct Defaults(Arc<entasis_table_api::Schema>);

impl BindDefaults for Defaults {
    fn default(&self, position: usize, _: Option<usize>) -> Result<Option<Expr>> {
        let column = |name: &str| {
            let at = self.0.position(name).unwrap();
            Expr::column(ColumnId(at as u32), self.0.columns[at].ty.clone())
        };
        Ok(match &*self.0.columns[position].name {
            "seven" => Some(Expr::literal(Value::UInt(7), DataType::UInt16)),
            "twice" => Some(cast(call("multiply", vec![column("k"), number(2)]), "UInt64")),
            "more" => {
                let sum = call("plus", vec![column("twice"), column("seven")]);
                Some(cast(call("plus", vec![sum, column("twice")]), "UInt64"))
            }
            "text" => Some(call("concat", vec![column("s"), column("s")])),
            "loop" => Some(call("plus", vec![column("loop"), number(1)])),
            _ => None,
        })
    }

    fn convert(&self, position: usize, from: &DataType) -> Result<Expr> {
        let ty = self.0.columns[position].ty.to_string();
        Ok(cast(Expr::column(ColumnId(position as u32), from.clone()), &ty))
    }
}

fn config_of(columns: &[(&str, &str)], folds: bool) -> TableConfig {
    let mut config = TableConfig::sorted_by(schema(columns), &[0]);
    config.defaults = Some(Arc::new(Defaults(Arc::clone(&config.schema))));
    config.settings.index_granularity = 16;
    if folds {
        let pick = KeptRow::Latest { version: None, deleted: None };
        let aggregates = vec![None; columns.len()];
        config.merging = Some(Arc::new(MergeAlgorithm { pick, aggregates }));
    }
    config
}

fn all_columns() -> Vec<(&'static str, &'static str)> {
    [&BEFORE[..], &ADDED[..]].concat()
}

/// Adds columns by name at the end of the schema.
fn added(table: &MergeTreeTable, names: &[&str]) -> ColumnIds {
    let mut ids = table.column_ids().next_version();
    names.iter().for_each(|name| ids.add(name).unwrap());
    ids
}

fn alter(table: &MergeTreeTable, folds: bool) -> Arc<MergeTreeTable> {
    let names: Vec<&str> = ADDED.iter().map(|(name, _)| *name).collect();
    let config = config_of(&all_columns(), folds);
    table.alter("CREATE TABLE t -- altered", config, added(table, &names)).unwrap()
}

/// Rows from before the columns are added.
fn rows_before(rng: &mut Rng, keys: u64) -> Chunk {
    let rows = 1 + rng.below(120) as usize;
    let mut of = |most: u64| (0..rows).map(|_| rng.below(most)).collect::<Vec<_>>();
    let (k, v) = (of(keys), of(9).into_iter().map(|v| v as u32).collect::<Vec<_>>());
    let s: Strings = of(30).into_iter().map(|n| "abc".repeat(n as usize % 7)).collect();
    Chunk::new(vec![k.into(), v.into(), s.into()], rows)
}

/// The same rows, with the values that the added columns have in them.
fn with_added(before: &Chunk) -> Chunk {
    let rows = before.rows;
    let k = |i: usize| before.columns[0].value(i).as_u64().unwrap();
    let twice: Vec<u64> = (0..rows).map(|i| k(i) * 2).collect();
    let more: Vec<u64> = twice.iter().map(|twice| twice * 2 + 7).collect();
    let text = |i: usize| match before.columns[2].value(i) {
        Value::String(s) => [&s[..], &s[..]].concat(),
        _ => Vec::new(),
    };
    let text: Strings = (0..rows).map(text).collect();
    let default = |place: usize| {
        let ty = DataType::parse(ADDED[place].1).unwrap();
        Column::from_value(&ty, &ty.column_default(), rows).full()
    };
    let mut columns = before.columns.clone();
    columns.push(vec![7u16; rows].into());
    columns.extend([Column::from(twice), more.into(), text.into(), default(4), default(5)]);
    Chunk::new(columns, rows)
}

/// Rows with values of their own in all columns.
fn rows_after(rng: &mut Rng, keys: u64) -> Chunk {
    let before = rows_before(rng, keys);
    let rows = before.rows;
    let mut columns = before.columns;
    for (_, ty) in ADDED {
        let ty = DataType::parse(ty).unwrap();
        columns.push(match ty {
            DataType::Enum(_) => {
                let mark = |_| if rng.below(2) == 0 { 3i8 } else { 5 };
                (0..rows).map(mark).collect::<Vec<_>>().into()
            }
            ty => random_column(rng, &ty, rows),
        });
    }
    Chunk::new(columns, rows)
}

/// A table with parts of both versions, and a table with the same rows and parts in which all
/// values are stored.
fn pair(rng: &mut Rng, folds: bool) -> (Vec<Store>, Arc<MergeTreeTable>, Arc<MergeTreeTable>) {
    let (one, _, table_of_old) = table(config_of(&BEFORE, folds));
    let (two, _, whole) = table(config_of(&all_columns(), folds));
    let keys = [5, 200, 100_000][rng.below(3) as usize];
    for _ in 0..=rng.below(3) {
        let rows = rows_before(rng, keys);
        insert(&table_of_old, std::slice::from_ref(&rows)).unwrap();
        insert(&whole, &[with_added(&rows)]).unwrap();
    }
    let altered = alter(&table_of_old, folds);
    for _ in 0..rng.below(3) {
        let rows = rows_after(rng, keys);
        insert(&altered, std::slice::from_ref(&rows)).unwrap();
        insert(&whole, &[rows]).unwrap();
    }
    (vec![one, two], altered, whole)
}

fn scan(table: &MergeTreeTable, spec: &ScanSpec) -> Chunk {
    let context = QueryContext { max_block_size: 50, ..context() };
    collect(&*table.snapshot().unwrap(), spec, &context).unwrap()
}

/// A scan of some columns with some conditions on any of them.
fn random_spec(rng: &mut Rng, sample: &Chunk) -> ScanSpec {
    let columns = all_columns();
    let id = |at: usize| ColumnId(100 + at as u32);
    let mut spec = ScanSpec::default();
    let mut read: Vec<usize> = Vec::new();
    for _ in 0..rng.below(3) {
        let at = rng.below(columns.len() as u64) as usize;
        let ty = DataType::parse(columns[at].1).unwrap();
        let value = sample.columns[at].value(rng.below(sample.rows as u64) as usize);
        if value.is_null() || matches!(ty, DataType::Enum(_)) {
            continue;
        }
        let name = COMPARISONS[rng.below(6) as usize];
        spec.filter.push(compare(name, id(at), &ty, value));
        read.push(at);
    }
    for at in 0..columns.len() {
        if rng.below(2) == 0 {
            spec.outputs.push(id(at));
            read.push(at);
        }
    }
    read.sort_unstable();
    read.dedup();
    spec.columns = read.into_iter().map(|at| ScanColumn::whole(id(at), at)).collect();
    spec
}

#[test]
fn parts_that_lack_columns_read_as_if_they_had_them() {
    for seed in 0..40 {
        let mut rng = Rng::new(seed);
        let folds = seed % 2 == 1;
        let (_stores, altered, whole) = pair(&mut rng, folds);
        let sample = read_all(&whole);
        let compare_both = |rng: &mut Rng, what: &str| {
            for round in 0..12 {
                let mut spec = random_spec(rng, &sample);
                let what = format!("seed {seed} {what} {round} {:?}", spec.filter);
                let (got, wanted) = (scan(&altered, &spec), scan(&whole, &spec));
                assert_same(&rows_sorted(&got), &rows_sorted(&wanted), &what);
                spec.sorted_prefix = 1;
                let (got, wanted) = (scan(&altered, &spec), scan(&whole, &spec));
                assert_same(&rows_of(&got), &rows_of(&wanted), &what);
                (spec.sorted_prefix, spec.final_) = (0, folds);
                spec.filter.clear();
                let (got, wanted) = (scan(&altered, &spec), scan(&whole, &spec));
                assert_same(&rows_of(&got), &rows_of(&wanted), &format!("{what} FINAL"));
            }
        };
        compare_both(&mut rng, "before the merge");
        altered.optimize(true, &context()).unwrap();
        whole.optimize(true, &context()).unwrap();
        compare_both(&mut rng, "merged");
        for at in 0..all_columns().len() {
            let size = altered.column_size(at).unwrap();
            let expected = whole.column_size(at).unwrap();
            assert!(size.stored > 0, "merges write column {at}");
            assert_eq!((size.nulls, size.defaults), (expected.nulls, expected.defaults));
        }
    }
}

#[test]
fn what_is_known_without_reading_counts_parts_that_lack_the_column() {
    for seed in 0..20 {
        let mut rng = Rng::new(seed + 100);
        let (_stores, altered, whole) = pair(&mut rng, false);
        let (got, wanted) = (altered.snapshot().unwrap(), whole.snapshot().unwrap());
        assert_eq!(got.row_count(), wanted.row_count());
        for (at, (name, _)) in all_columns().iter().enumerate() {
            let is_computed = ["twice", "more", "text"].contains(name);
            let what = format!("seed {seed} column {name}");
            let known = (got.column_range(at), got.default_count(at), got.distinct_count(at));
            if is_computed {
                assert_eq!(known, (None, None, None), "{what}");
                continue;
            }
            let stored =
                (wanted.column_range(at), wanted.default_count(at), wanted.distinct_count(at));
            assert_eq!(known, stored, "{what}");
        }
        let size = altered.column_size(3).unwrap();
        let expected = whole.column_size(3).unwrap();
        assert_eq!((size.nulls, size.defaults), (expected.nulls, expected.defaults));
    }
}

#[test]
fn a_part_that_lacks_a_column_is_skipped_by_its_default() {
    let (_store, _, old) = table(config_of(&BEFORE, false));
    insert(&old, &[rows_before(&mut Rng::new(1), 100)]).unwrap();
    let altered = alter(&old, false);
    let mut spec = spec_of(&altered);
    let ty = DataType::UInt16;
    spec.filter = vec![compare("greater", ColumnId(103), &ty, Value::UInt(7))];
    let context = context();
    let got = collect(&*altered.snapshot().unwrap(), &spec, &context).unwrap();
    assert_eq!((got.rows, context.progress.get().0), (0, 0));
    spec.filter = vec![compare("equals", ColumnId(103), &ty, Value::UInt(7))];
    let got = collect(&*altered.snapshot().unwrap(), &spec, &context).unwrap();
    assert_eq!(got.rows as u64, context.progress.get().0);
}

#[test]
fn a_name_may_change_and_an_id_does_not() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let store = Store::open_with(Arc::clone(&disk), options()).unwrap();
    let (_, first) = create(&store, config_of(&BEFORE, false));
    let rows = rows_before(&mut Rng::new(3), 50);
    insert(&first, std::slice::from_ref(&rows)).unwrap();
    // `v` is dropped and added again, `s` is renamed, `v2` gets its old name. No part is rewritten.
    let columns = [("k", "UInt64"), ("text2", "String"), ("v", "UInt32"), ("s", "String")];
    let mut ids = first.column_ids().next_version();
    ids.remove("v").unwrap();
    ids.add("v").unwrap();
    ids.rename("s", "text2").unwrap();
    ids.add("s").unwrap();
    let bytes = first.total_bytes();
    let second = first.alter("", config_of(&columns, false), ids.clone()).unwrap();
    assert_eq!(second.total_bytes(), bytes);
    let rows_now = |rows: &Chunk| {
        let empty: Strings = (0..rows.rows).map(|_| "").collect();
        let columns = vec![
            rows.columns[0].clone(),
            rows.columns[2].clone(),
            vec![0u32; rows.rows].into(),
            empty.into(),
        ];
        rows_sorted(&Chunk::new(columns, rows.rows))
    };
    assert_same(&rows_sorted(&read_all(&second)), &rows_now(&rows), "altered");
    // The old handle stands for a statement that began before the ALTER.
    assert_same(&rows_sorted(&read_all(&first)), &rows_sorted(&rows), "before");
    let stale = first.alter("", config_of(&BEFORE, false), first.column_ids().next_version());
    assert_eq!(stale.err().unwrap().code(), codes::ABORTED);
    drop((first, second, store));
    let (store, again) = reopen(&disk, config_of(&columns, false));
    assert_eq!((again.column_ids(), again.column_ids().version()), (&ids, 2));
    assert_same(&rows_sorted(&read_all(&again)), &rows_now(&rows), "reopened");
    insert(&again, &[read_all(&again)]).unwrap();
    again.optimize(true, &context()).unwrap();
    assert_eq!(read_all(&again).rows, rows.rows * 2);
    drop((again, store));
    // A definition that does not match the ids in the log is an error, not a table of defaults.
    let store = Store::open_with(Arc::clone(&disk), options()).unwrap();
    let e = store.attach(store.tables()[0].id, config_of(&BEFORE, false)).err().unwrap();
    assert_eq!(e.code(), codes::CORRUPTED_DATA);
}

#[test]
fn statements_keep_the_schema_that_they_began_with() {
    let (_store, _, old) = table(config_of(&BEFORE, false));
    let rows = rows_before(&mut Rng::new(5), 50);
    insert(&old, std::slice::from_ref(&rows)).unwrap();
    let (snapshot, spec) = (old.snapshot().unwrap(), spec_of(&old));
    let sink = old.insert(&context()).unwrap();
    let altered = alter(&old, false);
    // An INSERT that began before the ALTER writes the old columns.
    let mut state = sink.open().unwrap();
    state.push(entasis_pipeline::Morsel { sequence: 0, chunk: rows.clone() }).unwrap();
    state.combine().unwrap();
    sink.finalize(&context()).unwrap();
    entasis_table_api::commit(sink.prepared().unwrap()).unwrap();
    assert_eq!(rows_of(&collect(&*snapshot, &spec, &context()).unwrap()).len(), rows.rows);
    let twice = Chunk::concat(&[rows.clone(), rows.clone()]);
    assert_same(&rows_sorted(&read_all(&altered)), &rows_sorted(&with_added(&twice)), "altered");
    altered.optimize(true, &context()).unwrap();
    assert_same(&rows_sorted(&read_all(&old)), &rows_sorted(&twice), "the old handle");
    // Reading a column that newer parts no longer have is an error, not a default.
    let mut ids = altered.column_ids().next_version();
    ids.remove("v").unwrap();
    let columns: Vec<_> = all_columns().into_iter().filter(|(name, _)| *name != "v").collect();
    let dropped = altered.alter("", config_of(&columns, false), ids).unwrap();
    assert_eq!(read_all(&altered).rows, twice.rows);
    insert(&dropped, &[read_all(&dropped)]).unwrap();
    dropped.optimize(true, &context()).unwrap();
    let spec = spec_of(&altered);
    let e = collect(&*altered.snapshot().unwrap(), &spec, &context()).unwrap_err();
    assert_eq!(e.code(), codes::ABORTED);
}

#[test]
fn other_types_are_converted_and_cycles_refused() {
    let (_store, _, old) = table(config_of(&BEFORE, false));
    let rows = rows_before(&mut Rng::new(7), 50);
    insert(&old, std::slice::from_ref(&rows)).unwrap();
    let columns = [("k", "UInt64"), ("v", "String"), ("s", "String")];
    let ids = old.column_ids().next_version();
    let altered = old.alter("", config_of(&columns, false), ids).unwrap();
    let check = |what: &str| {
        let got = read_all(&altered);
        assert_eq!(got.rows, rows.rows);
        let texts: Vec<String> =
            (0..got.rows).map(|i| format!("{:?}", got.columns[1].value(i))).collect();
        let mut expected: Vec<String> = (0..rows.rows)
            .map(|i| rows.columns[1].value(i).as_u64().unwrap())
            .map(|v| format!("{:?}", Value::from(v.to_string().as_str())))
            .collect();
        let mut texts = texts;
        texts.sort_unstable();
        expected.sort_unstable();
        assert_same(&texts, &expected, what);
    };
    check("converted");
    let snapshot = altered.snapshot().unwrap();
    assert_eq!((snapshot.column_range(1), snapshot.default_count(1)), (None, None));
    insert(&altered, &[read_all(&altered).slice(0, 0)]).unwrap();
    check("still");
    let columns = [&BEFORE[..], &[("loop", "UInt64")]].concat();
    let mut ids = altered.column_ids().next_version();
    ids.add("loop").unwrap();
    let looped = altered.alter("", config_of(&columns, false), ids).unwrap();
    let e = collect(&*looped.snapshot().unwrap(), &spec_of(&looped), &context()).unwrap_err();
    assert_eq!(e.code(), codes::TOO_DEEP_RECURSION);
}

/// The files of a store that a version without column ids wrote: table `t` with the columns `a
/// UInt64, s String, v UInt32` and two parts, `(1, x, 7), (2, y, 7)` and `(3, z, 9)`.
fn store_without_ids() -> Arc<dyn Disk> {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    disk.create_dir_all("tables/1").unwrap();
    macro_rules! file {
        ($path:literal) => {
            let bytes = include_bytes!(concat!("fixtures/without-column-ids/", $path));
            let mut file = disk.create($path).unwrap();
            file.write_all(bytes).unwrap();
            file.sync().unwrap();
        };
    }
    file!("commit.copy");
    file!("commit.log");
    file!("entasis.store");
    file!("tables/1/seg-1.ets");
    file!("tables/1/seg-2.ets");
    disk
}

#[test]
fn a_store_without_ids_opens_and_is_altered() {
    let disk = store_without_ids();
    let columns = [("a", "UInt64"), ("s", "String"), ("v", "UInt32")];
    let (store, table) = reopen(&disk, config_of(&columns, false));
    assert!(store.warnings().is_empty(), "{:?}", store.warnings());
    assert_eq!(*table.column_ids(), ColumnIds::first(["a", "s", "v"]));
    let rows = |table: &MergeTreeTable| rows_sorted(&read_all(table));
    let text = |s: &str| format!("{:?}", Value::from(s));
    let before = |a: u64, s: &str, v: u64| format!("UInt({a})|{}|UInt({v})", text(s));
    assert_eq!(rows(&table), [before(1, "x", 7), before(2, "y", 7), before(3, "z", 9)]);
    let columns = [("v", "UInt8"), ("a", "UInt64"), ("w", "UInt32"), ("seven", "UInt16")];
    let mut ids = table.column_ids().next_version();
    ids.rename("v", "w").unwrap();
    ids.add("v").unwrap();
    ids.remove("s").unwrap();
    ids.add("seven").unwrap();
    let mut config = config_of(&columns, false);
    config.order_by = vec![Expr::column(ColumnId(1), DataType::UInt64)];
    let altered = table.alter("CREATE", config.clone(), ids).unwrap();
    let after = |a: u64, w: u64| format!("UInt(0)|UInt({a})|UInt({w})|UInt(7)");
    let expected = [after(1, 7), after(2, 7), after(3, 9)];
    assert_eq!(rows(&altered), expected);
    drop((table, altered, store));
    let (store, altered) = reopen(&disk, config.clone());
    assert_eq!(rows(&altered), expected);
    altered.optimize(true, &context()).unwrap();
    drop((altered, store));
    let (_store, altered) = reopen(&disk, config);
    assert_eq!(rows(&altered), expected);
}

#[test]
fn a_crash_leaves_one_version_or_the_other() {
    let run = |disk: &Arc<dyn Disk>| -> Result<()> {
        let store = Store::open_with(Arc::clone(disk), options())?;
        store.create_database("default", "")?;
        let id = store.create_table("default", "t", "old")?;
        let table = store.attach(id, config_of(&BEFORE, false))?;
        insert(&table, &[rows_before(&mut Rng::new(9), 50)])?;
        let mut ids = table.column_ids().next_version();
        ADDED.iter().try_for_each(|(name, _)| ids.add(name))?;
        let altered = table.alter("new", config_of(&all_columns(), false), ids)?;
        insert(&altered, &[rows_after(&mut Rng::new(10), 50)])?;
        altered.optimize(true, &context())
    };
    let whole = Arc::new(FaultDisk::new());
    run(&(whole.clone() as Arc<dyn Disk>)).unwrap();
    let old = with_added(&rows_before(&mut Rng::new(9), 50));
    let both = Chunk::concat(&[old.clone(), rows_after(&mut Rng::new(10), 50)]);
    let (mut seen_old, mut seen_new) = (false, false);
    for at in 0..whole.changes() {
        let disk = Arc::new(FaultDisk::new());
        disk.crash_at(at);
        let _ = run(&(disk.clone() as Arc<dyn Disk>));
        let disk: Arc<dyn Disk> = Arc::new(disk.restart(at));
        let store = Store::open_with(disk, options()).unwrap();
        let tables = store.tables();
        let Some(record) = tables.first() else { continue };
        let is_new = record.definition == "new";
        let columns = if is_new { all_columns() } else { BEFORE.to_vec() };
        let table = store.attach(record.id, config_of(&columns, false)).unwrap();
        assert_eq!(table.column_ids().version(), if is_new { 2 } else { 1 });
        let rows = rows_sorted(&read_all(&table));
        let is_known = [0, old.rows, both.rows].contains(&rows.len());
        assert!(is_known, "crash at {at}: {} rows", rows.len());
        if is_new {
            let expected = if rows.len() == both.rows { &both } else { &old };
            assert_same(&rows, &rows_sorted(expected), &format!("crash at {at}"));
        }
        seen_old |= !is_new;
        seen_new |= is_new;
    }
    assert!(seen_old && seen_new);
}

#[test]
fn a_repair_puts_the_columns_of_all_versions_together() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let store = Store::open_with(Arc::clone(&disk), options()).unwrap();
    let (_, table) = create(&store, config_of(&BEFORE, false));
    let rows = rows_before(&mut Rng::new(11), 50);
    insert(&table, std::slice::from_ref(&rows)).unwrap();
    let columns = [("k", "UInt64"), ("w", "UInt32"), ("s", "UInt16")];
    let mut ids = table.column_ids().next_version();
    ids.rename("v", "w").unwrap();
    ids.remove("s").unwrap();
    ids.add("s").unwrap();
    let altered = table.alter("", config_of(&columns, false), ids).unwrap();
    let key = vec![7u64; 3];
    let new = vec![key.into(), Column::from(vec![1u32; 3]), vec![5u16; 3].into()];
    insert(&altered, &[Chunk::new(new, 3)]).unwrap();
    drop((table, altered, store));
    for file in ["commit.log", "commit.copy"] {
        disk.remove(file).unwrap();
    }
    assert_eq!(repair(&disk, &NoOwnData, RepairOptions::default(), &mut |_| {}).unwrap(), []);
    // The dropped column is there under another name.
    let store = Store::open_with(Arc::clone(&disk), options()).unwrap();
    let record = store.tables().remove(0);
    let columns = [("k", "UInt64"), ("w", "UInt32"), ("s", "UInt16"), ("s_3", "String")];
    let list = record.definition.split("ENGINE").next().unwrap();
    for (name, ty) in columns {
        assert!(list.contains(&format!("`{name}` {ty}")), "{list}");
    }
    let table = store.attach(record.id, config_of(&columns, false)).unwrap();
    let got = read_all(&table);
    assert_eq!(got.rows, rows.rows + 3);
    let total = |column: &Column| -> u64 {
        (0..column.len()).map(|i| column.value(i).as_u64().unwrap()).sum()
    };
    assert_eq!(total(&got.columns[1]), total(&rows.columns[1]) + 3);
    assert_eq!(total(&got.columns[2]), 15);
}
