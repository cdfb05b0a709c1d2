//! Skipping indices: scans with them answer the same rows as scans without, and damaged files of
//! indices lose no row.

use std::sync::Arc;

use entasis_base::clock::Rng;
use entasis_column::Chunk;
use entasis_disk::{Disk, MemoryDisk};
use entasis_expr::{ColumnId, Expr};
use entasis_table_api::{ScanSpec, SkipIndices, Table};
use entasis_types::{DataType, Value};

use super::damage::{disk_of, files};
use super::support::*;
use crate::{MergeTreeTable, RepairOptions, Store, TableConfig, check, repair};

const COLUMNS: [(&str, &str); 6] = [
    ("a", "UInt8"),
    ("b", "Int64"),
    ("c", "Nullable(Int32)"),
    ("d", "String"),
    ("e", "Nullable(String)"),
    ("f", "Float64"),
];

fn config() -> TableConfig {
    let mut config = TableConfig::sorted_by(schema(&COLUMNS), &[1]);
    config.settings.index_granularity = 5;
    indexed(config)
}

fn random_rows(rng: &mut Rng) -> Chunk {
    let rows = 1 + rng.below(60) as usize;
    let types = COLUMNS.iter().map(|(_, ty)| DataType::parse(ty).unwrap());
    Chunk::new(types.map(|ty| random_column(rng, &ty, rows)).collect(), rows)
}

/// A condition on a column: a comparison with one of its values, or with another.
fn condition(rng: &mut Rng, rows: &Chunk) -> Expr {
    let at = rng.below(COLUMNS.len() as u64) as usize;
    let ty = DataType::parse(COLUMNS[at].1).unwrap();
    let value = rows.columns[at].value(rng.below(rows.rows as u64) as usize);
    let value = match value {
        Value::Null if ty.without_nullable().is_string() => Value::from("x"),
        Value::Null => Value::Int(3),
        value => value,
    };
    let name = COMPARISONS[rng.below(COMPARISONS.len() as u64) as usize];
    compare(name, ColumnId(100 + at as u32), &ty, value)
}

fn scanned(table: &MergeTreeTable, filter: &[Expr], enabled: bool) -> Vec<String> {
    let indices = Arc::new(SkipIndices { enabled, ..SkipIndices::default() });
    let spec = ScanSpec { filter: filter.to_vec(), indices, ..spec_of(table) };
    let snapshot = table.snapshot().unwrap();
    rows_sorted(&collect(&*snapshot, &spec, &context()).unwrap())
}

fn assert_alike(rng: &mut Rng, table: &MergeTreeTable, what: &str) {
    let rows = read_all(table);
    for _ in 0..20 {
        let count = 1 + rng.below(3);
        let filter: Vec<Expr> = (0..count).map(|_| condition(rng, &rows)).collect();
        let (with, without) = (scanned(table, &filter, true), scanned(table, &filter, false));
        assert_same(&with, &without, &format!("{what}: {filter:?}"));
    }
}

#[test]
fn scans_with_and_without_indices_answer_the_same() {
    for seed in 0..40 {
        let mut rng = Rng::new(seed);
        let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
        let store = Store::open_with(Arc::clone(&disk), options()).unwrap();
        let (_, table) = create(&store, config());
        for _ in 0..=rng.below(4) {
            insert(&table, &[random_rows(&mut rng)]).unwrap();
        }
        assert_alike(&mut rng, &table, &format!("seed {seed}"));
        if rng.below(2) == 0 {
            table.optimize(true, &context()).unwrap();
            assert_alike(&mut rng, &table, &format!("seed {seed}, merged"));
        }
        drop((table, store));
        let (_store, table) = reopen(&disk, config());
        let parts = table.part_summaries();
        assert!(parts.iter().all(|part| part.companions.len() == 3 * COLUMNS.len()));
        assert_alike(&mut rng, &table, &format!("seed {seed}, opened again"));
    }
}

/// An index of another definition must not be used, though it has the same name.
#[test]
fn index_of_another_definition_is_not_used() {
    let mut rng = Rng::new(7);
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let store = Store::open_with(Arc::clone(&disk), options()).unwrap();
    let (_, table) = create(&store, config());
    insert(&table, &[random_rows(&mut rng)]).unwrap();
    drop((table, store));
    let mut other = config();
    let mut indices = other.indices.to_vec();
    // Every index gets the column of its neighbour.
    let exprs: Vec<Vec<Expr>> = indices.iter().map(|index| index.exprs.clone()).collect();
    indices.iter_mut().zip(exprs.iter().cycle().skip(3)).for_each(|(index, exprs)| {
        index.exprs.clone_from(exprs);
    });
    other.indices = indices.into();
    let (_store, table) = reopen(&disk, other);
    assert_alike(&mut rng, &table, "exchanged");
    table.optimize(true, &context()).unwrap();
    insert(&table, &[random_rows(&mut rng)]).unwrap();
    table.optimize(true, &context()).unwrap();
    assert_alike(&mut rng, &table, "built anew");
}

#[test]
fn damaged_index_loses_no_row() {
    let mut rng = Rng::new(3);
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let store = Store::open_with(Arc::clone(&disk), options()).unwrap();
    let (_, table) = create(&store, config());
    insert(&table, &[random_rows(&mut rng)]).unwrap();
    drop((table, store));
    let whole = files(&*disk);
    let companions: Vec<&String> = whole.keys().filter(|path| path.contains("comp-")).collect();
    assert_eq!(companions.len(), 3 * COLUMNS.len());
    for path in companions {
        let mut damaged = whole.clone();
        let bytes = damaged.get_mut(path).unwrap();
        let at = rng.below(bytes.len() as u64) as usize;
        bytes[at] ^= 1 << rng.below(8);
        if rng.below(4) == 0 {
            damaged.remove(path);
        }
        let disk = disk_of(&damaged);
        let mut found = Vec::new();
        check(&*disk, &NoOwnData, &mut |finding| found.push(finding.path.clone())).unwrap();
        assert!(found.iter().all(|finding| finding == path), "{path}: {found:?}");
        assert!(!found.is_empty(), "{path}: byte {at}");
        let (store, table) = reopen(&disk, config());
        assert_alike(&mut rng, &table, path);
        drop((table, store));
        let options = RepairOptions { detach_damaged: true };
        let left = repair(&disk, &NoOwnData, options, &mut |_| {}).unwrap();
        assert!(left.is_empty(), "{path}: {left:?}");
        let (_store, table) = reopen(&disk, config());
        let parts = table.part_summaries();
        assert!(parts.iter().all(|part| part.companions.len() == 3 * COLUMNS.len() - 1));
        assert_alike(&mut rng, &table, path);
    }
}
