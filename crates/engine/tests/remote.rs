//! `remote` and `cluster` where the reference would need a network: several addresses of this
//! machine, the cluster of one server, and other servers.
#![allow(clippy::unwrap_used)]

use entasis_base::codes;
use entasis_engine::{Engine, EngineConfig, Session};

fn session() -> Session {
    entasis_functions::register();
    let config = EngineConfig { threads: 2, ..EngineConfig::local(None).unwrap() };
    let mut session = Engine::open(config).unwrap().session();
    for statement in
        ["CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a", "INSERT INTO t VALUES (1), (2)"]
    {
        session.execute(statement).unwrap().collect().unwrap();
    }
    session
}

fn number(session: &mut Session, query: &str) -> u64 {
    let rows = session.execute(query).and_then(|result| result.collect()).expect(query);
    rows.columns[0].value(0).as_u64().unwrap()
}

#[test]
fn each_address_is_a_shard_with_all_rows() {
    let mut session = session();
    for (query, expected) in [
        ("SELECT sum(a) FROM remote('127.0.0.{1,2}', default.t)", 6),
        ("SELECT sum(a) FROM remote('127.0.0.{1..3}', default, t)", 9),
        ("SELECT sum(a) FROM remote('127.0.0.1,localhost:9000', 'default', 't')", 6),
        ("SELECT count() FROM remote('127.0.0.{1,2}', numbers(10)) AS n WHERE n.number > 4", 10),
        ("SELECT sum(number) FROM remote('127.0.0.{1,2}', view(SELECT number FROM numbers(3)))", 6),
        ("SELECT count() FROM remote('127.0.0.{1|2}', default.t) AS x (b) WHERE b = 1", 1),
        ("SELECT sum(a) FROM cluster('default', default.t)", 3),
        ("SELECT sum(a) FROM clusterAllReplicas(default, default, t)", 3),
        ("SELECT count() FROM remote('127.0.0.{1,2}', default.t) AS x JOIN t ON x.a = t.a", 4),
    ] {
        assert_eq!(number(&mut session, query), expected, "{query}");
    }
}

#[test]
fn other_servers_are_errors() {
    let mut session = session();
    for (query, code) in [
        ("SELECT * FROM remote('example.com', default.t)", codes::NOT_IMPLEMENTED),
        ("SELECT * FROM remote('10.0.0.1:9000', default.t)", codes::NOT_IMPLEMENTED),
        ("SELECT * FROM remote('127.0.0.{1', default.t)", codes::BAD_ARGUMENTS),
        ("SELECT * FROM remote('127.{0..9}.{0..9}.{0..99}', default.t)", codes::BAD_ARGUMENTS),
        ("INSERT INTO FUNCTION remote('example.com', default.t) SELECT 1", codes::NOT_IMPLEMENTED),
        ("SELECT * FROM cluster('other', default.t)", codes::CLUSTER_DOESNT_EXIST),
        ("SELECT * FROM mysql('h:1', 'd', 't', 'u', 'p')", codes::NOT_IMPLEMENTED),
        ("CREATE NAMED COLLECTION c AS a = 1", codes::NOT_IMPLEMENTED),
        ("CREATE WORKLOAD all", codes::NOT_IMPLEMENTED),
    ] {
        let failed = session.execute(query).and_then(|result| result.collect());
        assert_eq!(failed.map(drop).unwrap_err().code(), code, "{query}");
    }
}
