//! CREATE TABLE: what a process that ended in the middle of one leaves.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use entasis_disk::{Disk, MemoryDisk};
use entasis_engine::{Engine, EngineConfig, Session};
use entasis_mergetree::Store;

fn engine_on(disk: &Arc<dyn Disk>) -> Arc<Engine> {
    let disk = Some(Arc::clone(disk));
    entasis_functions::register();
    Engine::open(EngineConfig { disk, threads: 2, ..EngineConfig::local(None).unwrap() }).unwrap()
}

fn run(session: &mut Session, statement: &str) {
    session.execute(statement).and_then(|result| result.collect()).expect(statement);
}

#[test]
fn a_table_that_never_got_its_name_goes() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    {
        let engine = engine_on(&disk);
        run(&mut engine.session(), "CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a");
    }
    let definition = "CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a";
    let names = |store: &Store| store.tables().into_iter().map(|t| t.name).collect::<Vec<_>>();
    {
        let store = Store::open(Arc::clone(&disk), false).unwrap();
        store.create_table("default", "\u{0}aside0", definition).unwrap();
        assert_eq!(names(&store).len(), 2);
    }
    {
        let mut session = engine_on(&disk).session();
        run(
            &mut session,
            "CREATE OR REPLACE TABLE t ENGINE = MergeTree ORDER BY a AS SELECT 1 AS a",
        );
        run(&mut session, "INSERT INTO t VALUES (2)");
    }
    assert_eq!(names(&Store::open(Arc::clone(&disk), false).unwrap()), ["t"]);
    let mut session = engine_on(&disk).session();
    let rows = session.execute("SELECT sum(a) FROM t").unwrap().collect().unwrap();
    assert_eq!(rows.columns[0].value(0).as_u64(), Some(3));
}
