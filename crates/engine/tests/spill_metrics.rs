//! The gauges of temporary files. They count the files of the whole process, so this test has a
//! process of its own: no other test may spill beside it.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use entasis_disk::MemoryDisk;
use entasis_engine::{Engine, EngineConfig};

#[test]
fn no_temporary_file_is_counted_after_the_statement() {
    let local = EngineConfig::local(None).unwrap();
    entasis_functions::register();
    let disk = Some(Arc::new(MemoryDisk::new()) as _);
    let engine = Engine::open(EngineConfig { disk, threads: 2, ..local }).unwrap();
    let mut session = engine.session();
    let query = "SELECT number AS k, sum(number) FROM numbers_mt(600000) GROUP BY k ORDER BY k \
                 SETTINGS max_bytes_before_external_group_by = 2000000, \
                 max_bytes_before_external_sort = 2000000";
    let mut result = session.execute(query).unwrap();
    let mut rows = 0;
    let mut most = 0.0;
    while let Some(chunk) = result.next_chunk().unwrap() {
        rows += chunk.rows;
        most = f64::max(most, open_files(&engine));
    }
    drop(result);
    assert_eq!(rows, 600_000);
    assert!(most > 0.0, "the statement has spilled");
    assert_eq!(open_files(&engine), 0.0);
}

fn open_files(engine: &Engine) -> f64 {
    let metrics = engine.metrics().unwrap();
    metrics.iter().filter(|m| m.name.starts_with("TemporaryFiles")).map(|m| m.value).sum()
}
