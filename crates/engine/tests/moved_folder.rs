//! The folder of a store is renamed while the store is open, and a new store gets its name.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use entasis_base::{Result, codes};
use entasis_engine::{Engine, EngineConfig, Session};

fn open(path: &Path) -> Session {
    entasis_functions::register();
    let config = EngineConfig::local(path.to_str()).unwrap();
    Engine::open(EngineConfig { threads: 2, ..config }).unwrap().session()
}

fn run(session: &mut Session, statement: &str) -> Result<()> {
    session.execute(statement).and_then(|result| result.collect()).map(drop)
}

#[test]
fn a_store_whose_folder_was_replaced_writes_nothing_there() {
    let root = std::env::temp_dir().join(format!("entasis-moved-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&root);
    std::fs::create_dir_all(&root).unwrap();
    let (path, elsewhere) = (root.join("data"), root.join("elsewhere"));
    let mut first = open(&path);
    run(&mut first, "CREATE TABLE t (a UInt64) ORDER BY a").unwrap();
    for value in 0..20 {
        run(&mut first, &format!("INSERT INTO t VALUES ({value})")).unwrap();
    }
    std::fs::rename(&path, &elsewhere).unwrap();
    let mut second = open(&path);
    run(&mut second, "CREATE TABLE u (a UInt64) ORDER BY a").unwrap();
    let error = run(&mut first, "INSERT INTO t VALUES (100)").unwrap_err();
    assert_eq!(error.code(), codes::CANNOT_WRITE_TO_FILE_DESCRIPTOR, "{error}");
    run(&mut second, "INSERT INTO u VALUES (7)").unwrap();
    drop(first);
    drop(second);
    let count = |path: &Path, query: &str| {
        open(path).execute(query).unwrap().first_number().unwrap().unwrap()
    };
    assert_eq!(count(&path, "SELECT sum(a) FROM u"), 7);
    assert_eq!(count(&elsewhere, "SELECT sum(a) FROM t"), 190);
    std::fs::remove_dir_all(&root).unwrap();
}
