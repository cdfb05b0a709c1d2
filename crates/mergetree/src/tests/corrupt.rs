//! Damaged files give errors that name the part; they never cause panics or wrong rows.

use std::sync::Arc;

use entasis_base::clock::Rng;
use entasis_base::codes;
use entasis_column::Chunk;
use entasis_disk::{Disk, MemoryDisk};
use entasis_table_api::Table;

use super::support::*;
use crate::{Store, TableConfig};

fn config() -> TableConfig {
    let columns = [
        ("a", "Int32"),
        ("s", "String"),
        ("n", "Nullable(String)"),
        ("z", "Array(UInt8)"),
        ("v", "Variant(String, UInt16)"),
    ];
    let mut config = TableConfig::sorted_by(schema(&columns), &[0]);
    config.settings.index_granularity = 200;
    config
}

fn replace(disk: &dyn Disk, path: &str, bytes: &[u8]) {
    disk.remove(path).unwrap();
    let mut file = disk.create(path).unwrap();
    file.write_all(bytes).unwrap();
}

#[test]
fn every_flipped_byte_of_a_segment_is_noticed() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let config = config();
    let store = Store::open_with(disk.clone(), options()).unwrap();
    let (id, table) = create(&store, config.clone());
    let mut rng = Rng::new(4);
    let columns =
        config.schema.columns.iter().map(|c| random_column(&mut rng, &c.ty, 500)).collect();
    insert(&table, &[Chunk::new(columns, 500)]).unwrap();
    let wanted = rows_of(&read_all(&table));
    let path = format!("tables/{}/{}", id.0, table.part_summaries()[0].file);
    let good = disk.read_to_end(&path, 1 << 30).unwrap();
    drop((table, store));
    for round in 0..600 {
        let at = if round < 100 {
            good.len() - 1 - round
        } else {
            rng.below(good.len() as u64) as usize
        };
        let mut bad = good.clone();
        match round % 10 {
            0 => bad.truncate(at),
            1 => bad.push(0),
            _ => bad[at] ^= 1 << rng.below(8),
        }
        replace(&*disk, &path, &bad);
        let (_store, table) = reopen(&disk, config.clone());
        let snapshot = table.snapshot().unwrap();
        let e = collect(&*snapshot, &spec_of(&table), &context()).map(|c| rows_of(&c));
        match e {
            Err(e) => {
                let expected = [
                    codes::CORRUPTED_DATA,
                    codes::CHECKSUM_DOESNT_MATCH,
                    codes::CANNOT_READ_ALL_DATA,
                    codes::UNKNOWN_COMPRESSION_METHOD,
                ];
                assert!(expected.contains(&e.code()), "{e}");
                assert!(e.message().contains("seg-1.ets"), "{e}");
            }
            Ok(rows) => panic!("byte {at} of {}: {}", good.len(), rows == wanted),
        }
        assert!(table.optimize(true, &context()).is_ok(), "one part: nothing to merge");
    }
    disk.remove(&path).unwrap();
    let (_store, table) = reopen(&disk, config);
    let e = collect(&*table.snapshot().unwrap(), &spec_of(&table), &context()).err().unwrap();
    assert!(e.message().contains("seg-1.ets"), "{e}");
}
