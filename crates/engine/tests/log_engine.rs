//! Tables of the engine Log in a store: restarts, DROP and damage.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use entasis_base::codes;
use entasis_disk::{Disk, MemoryDisk};
use entasis_engine::{Engine, EngineConfig, Session};

fn session_on(disk: &Arc<dyn Disk>, read_only: bool) -> Session {
    entasis_functions::register();
    let config = EngineConfig::local(None).unwrap();
    let disk = Some(Arc::clone(disk));
    Engine::open(EngineConfig { disk, read_only, threads: 2, ..config }).unwrap().session()
}

fn run(session: &mut Session, statement: &str) {
    session.execute(statement).and_then(|result| result.collect()).expect(statement);
}

fn number(session: &mut Session, query: &str) -> Option<u64> {
    session.execute(query).unwrap().first_number().unwrap()
}

#[test]
fn rows_survive_a_restart_and_go_with_the_table() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    {
        let mut session = session_on(&disk, false);
        run(&mut session, "CREATE TABLE t (a UInt64, b String) ENGINE = Log");
        run(&mut session, "INSERT INTO t SELECT number, toString(number) FROM numbers(1000)");
        run(&mut session, "INSERT INTO t VALUES (5, 'five')");
        run(&mut session, "CREATE TABLE never_filled AS t");
    }
    {
        let mut session = session_on(&disk, true);
        assert_eq!(number(&mut session, "SELECT sum(a) FROM t"), Some(499_505));
        let error = session.execute("INSERT INTO t VALUES (1, '')").map(drop).unwrap_err();
        assert_eq!(error.code(), codes::TABLE_IS_READ_ONLY);
    }
    assert!(disk.exists("tables/1/data/marks").unwrap());
    {
        let mut session = session_on(&disk, false);
        let reader = session.execute("SELECT * FROM t SETTINGS max_block_size = 10").unwrap();
        run(&mut session, "DROP TABLE t SYNC");
        assert_eq!(reader.collect().unwrap().rows, 1001);
        assert_eq!(number(&mut session, "SELECT count() FROM never_filled"), Some(0));
    }
    assert!(!disk.exists("tables/1").unwrap());
}

#[test]
fn a_damaged_table_does_not_take_the_others_with_it() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    {
        let mut session = session_on(&disk, false);
        run(&mut session, "CREATE TABLE t (a UInt64) ENGINE = Log");
        run(&mut session, "CREATE TABLE u (a UInt64) ENGINE = Log");
        run(&mut session, "INSERT INTO t VALUES (1)");
        run(&mut session, "INSERT INTO u VALUES (2)");
    }
    disk.write_atomically("tables/1/data/marks", b"no marks at all").unwrap();
    let mut session = session_on(&disk, false);
    let error = session.execute("SELECT * FROM t").map(drop).unwrap_err();
    assert_eq!(error.code(), codes::CORRUPTED_DATA);
    assert_eq!(number(&mut session, "SELECT a FROM u"), Some(2));
    let of_engine = "SELECT count() FROM system.tables WHERE engine = 'Log'";
    assert_eq!(number(&mut session, of_engine), Some(2));
    run(&mut session, "DROP TABLE t SYNC");
    drop(session);
    assert!(!disk.exists("tables/1").unwrap());
}
