//! Counts of statements are exact, and each event counts once with any number of threads.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;
use std::thread;

use entasis_base::codes;
use entasis_base::events::{self, Counts, Event};
use entasis_engine::{Engine, EngineConfig, Session};

fn engine() -> Arc<Engine> {
    entasis_functions::register();
    Engine::open(EngineConfig { threads: 4, ..EngineConfig::local(None).unwrap() }).unwrap()
}

fn session(engine: &Arc<Engine>, user: &str) -> Session {
    let mut session = engine.session();
    session.set_user(user);
    session
}

/// Runs a statement to its end; answers its counts, and the peak of its memory.
fn counts(session: &mut Session, text: &str) -> (Counts, u64) {
    let mut result = session.execute(text).unwrap();
    let process = Arc::clone(result.running.as_ref().unwrap().process());
    while result.next_chunk().unwrap().is_some() {}
    drop(result);
    (process.counts(), process.memory().1)
}

#[test]
fn a_statement_counts_what_it_reads() {
    let engine = engine();
    let mut session = session(&engine, "reader");
    let (c, peak) = counts(&mut session, "SELECT sum(number) FROM numbers_mt(1000000)");
    assert_eq!(c.get(Event::SelectedRows), 1_000_000);
    assert_eq!(c.get(Event::SelectedBytes), 8_000_000);
    assert_eq!(c.get(Event::GeneratedRowsRead), 1_000_000);
    assert_eq!(c.get(Event::AggregationRowsWithoutKey), 1_000_000);
    assert_eq!((c.get(Event::Query), c.get(Event::SelectQuery)), (1, 1));
    assert_eq!((c.get(Event::ResultRows), c.get(Event::FailedQuery)), (1, 0));
    assert!(c.get(Event::RealTimeMicroseconds) > 0);
    let text = "SELECT number AS k, count() FROM numbers(300000) GROUP BY k";
    let (c, grouped) = counts(&mut session, text);
    assert_eq!(c.get(Event::AggregationResultRows), 300_000);
    assert!(c.get(Event::HashTableGrowths) > 0 && grouped > peak, "{grouped} {peak}");
    let text = "SELECT a.number FROM numbers(1000) AS a JOIN numbers(10) AS b USING number";
    let (c, _) = counts(&mut session, text);
    assert_eq!(c.get(Event::JoinBuildTableRowCount), 10);
    // The scan of the left side has dropped the rows without a match.
    assert_eq!(c.get(Event::JoinProbeTableRowCount), 10);
    assert_eq!(c.get(Event::JoinResultRowCount), 10);
}

#[test]
fn granules_are_read_or_left_out() {
    let engine = engine();
    let mut session = session(&engine, "pruner");
    session.execute("CREATE TABLE t (a UInt64, b UInt64) ENGINE = MergeTree ORDER BY a").unwrap();
    let insert = "INSERT INTO t SELECT number, number % 7 FROM numbers(100000)";
    let (c, _) = counts(&mut session, insert);
    assert_eq!((c.get(Event::InsertQuery), c.get(Event::InsertedRows)), (1, 100_000));
    assert_eq!(c.get(Event::MergeTreeDataWriterRows), 100_000);
    assert_eq!((c.get(Event::InsertedParts), c.get(Event::CommitLogCommits)), (1, 1));
    assert!(c.get(Event::BlocksWritten) > 0);
    let (c, _) = counts(&mut session, "SELECT sum(b) FROM t WHERE a >= 90000");
    let (total, read) = (c.get(Event::SelectedMarksTotal), c.get(Event::SelectedMarks));
    let skipped = c.get(Event::MarksSkippedByPrimaryKey) + c.get(Event::MarksSkippedByBounds);
    assert_eq!((total, read + skipped), (13, 13), "8,192 rows per granule");
    assert_eq!((read, c.get(Event::GranulesRead)), (3, 3));
    assert_eq!(c.get(Event::SelectedRows), 100_000 - 10 * 8192);
    assert_eq!(c.get(Event::MergeTreeRowsPassed), 10_000);
    assert_eq!((c.get(Event::SelectedParts), c.get(Event::SelectedRanges)), (1, 1));
    let (c, _) = counts(&mut session, "SELECT sum(b) FROM t WHERE a >= 1000000");
    assert_eq!((c.get(Event::PartsSkippedByBounds), c.get(Event::SelectedMarks)), (1, 0));
    assert_eq!(c.get(Event::MarksSkippedByPartBounds), 13);
}

#[test]
fn a_part_of_a_column_is_read_without_the_rest() {
    let engine = engine();
    let mut session = session(&engine, "parts");
    let create =
        "CREATE TABLE p (a Array(String), n Nullable(UInt64)) ENGINE = MergeTree ORDER BY tuple()";
    session.execute(create).unwrap();
    let insert = "INSERT INTO p SELECT [hex(cityHash64(number)), 'x'], if(number % 2, NULL, number) \
                  FROM numbers(50000)";
    counts(&mut session, insert);
    let read = |session: &mut Session, text: &str| {
        let (c, _) = counts(session, text);
        assert_eq!(c.get(Event::SelectedRows), 50_000);
        (c.get(Event::SelectedBytes), c.get(Event::ReadCompressedBytes))
    };
    for (part, function, width) in [
        ("sum(a.size0)", "sum(length(a))", 8),
        ("sum(n.null)", "sum(isNull(n))", 1),
        ("sum(not n.null)", "count(n)", 1),
    ] {
        let part = read(&mut session, &format!("SELECT {part} FROM p"));
        assert_eq!(part.0, 50_000 * width);
        let rewritten = read(&mut session, &format!("SELECT {function} FROM p"));
        assert_eq!(rewritten.0, part.0);
        let off = "SETTINGS optimize_functions_to_subcolumns = 0";
        let whole = read(&mut session, &format!("SELECT {function} FROM p {off}"));
        // How much is read ahead depends on which thread takes which granules.
        assert!(part.0 < whole.0 && part.1.max(rewritten.1) < whole.1, "{part:?} {whole:?}");
    }
}

#[test]
fn failures_are_counted_by_their_cause() {
    let engine = engine();
    let mut session = session(&engine, "failing");
    let before = events::of_user("failing");
    session.execute("SELECT nothing").err().unwrap();
    session.execute("INSERT INTO nowhere VALUES (1)").err().unwrap();
    let late = "SELECT throwIf(number = 100000) FROM numbers(200000) SETTINGS max_threads = 1";
    session.execute(late).unwrap().collect().unwrap_err();
    let slow = "SELECT count() FROM system.numbers WHERE number % 2 = 5 SETTINGS max_execution_time = 0.01";
    session.execute(slow).and_then(|r| r.collect().map(drop)).unwrap_err();
    let c = events::of_user("failing").since(&before);
    let of = |event| c.get(event);
    assert_eq!((of(Event::Query), of(Event::FailedQuery)), (4, 4));
    assert_eq!((of(Event::FailedSelectQuery), of(Event::FailedInsertQuery)), (3, 1));
    assert_eq!((of(Event::QueriesTimedOut), of(Event::QueriesCancelled)), (1, 0));
}

#[test]
fn a_users_statements_share_a_limit() {
    let engine = engine();
    let mut session = session(&engine, "hungry");
    session.set_text("max_memory_usage_for_user", "2000000").unwrap();
    let text = "SELECT number AS k, count() FROM numbers(1000000) GROUP BY k";
    let error = session.execute(text).and_then(|r| r.collect().map(drop)).unwrap_err();
    assert_eq!(error.code(), codes::MEMORY_LIMIT_EXCEEDED);
    assert!(error.message().contains("Memory limit (user) exceeded"), "{error}");
    assert!(error.message().contains("max_memory_usage_for_user"), "{error}");
    assert!(events::of_user("hungry").get(Event::UserMemoryLimitExceeded) > 0);
    session.set_text("max_memory_usage_for_user", "0").unwrap();
    assert_eq!(counts(&mut session, text).0.get(Event::ResultRows), 1_000_000);
}

#[test]
fn nothing_is_lost_or_counted_twice_under_load() {
    let engine = engine();
    let (sessions, rounds) = (6, 25);
    thread::scope(|s| {
        for i in 0..sessions {
            let engine = Arc::clone(&engine);
            s.spawn(move || {
                let user = format!("load{}", i % 2);
                let mut session = session(&engine, &user);
                for _ in 0..rounds {
                    let text = "SELECT sum(number) FROM numbers_mt(100000)";
                    let (c, _) = counts(&mut session, text);
                    assert_eq!(c.get(Event::SelectedRows), 100_000);
                    assert_eq!(c.get(Event::SinkRows), 100_001);
                }
            });
        }
    });
    for user in ["load0", "load1"] {
        let c = events::of_user(user);
        assert_eq!(c.get(Event::Query), sessions / 2 * rounds);
        assert_eq!(c.get(Event::SelectedRows), sessions / 2 * rounds * 100_000);
    }
}

#[test]
fn unknown_events_and_counters_are_refused() {
    let engine = engine();
    let mut session = session(&engine, "wrong");
    for (settings, text) in [
        ("trace_profile_events = 1, trace_profile_events_list = 'Query,Nothing'", "`Nothing`"),
        ("metrics_perf_events_enabled = 1, metrics_perf_events_list = 'Cycles'", "PerfCPUCycles"),
    ] {
        let error = session.execute(&format!("SELECT 1 SETTINGS {settings}")).err().unwrap();
        assert_eq!(error.code(), codes::BAD_ARGUMENTS, "{error}");
        assert!(error.message().contains(text), "{error}");
    }
    // The list is not parsed while the counters are off.
    session.execute("SELECT 1 SETTINGS metrics_perf_events_list = 'Cycles'").unwrap();
    let counted = "SELECT sum(number) FROM numbers(1000000) SETTINGS \
                   metrics_perf_events_enabled = 1, metrics_perf_events_list = 'PerfTaskClock'";
    let (c, _) = counts(&mut session, counted);
    let warnings = session.execute("SELECT message FROM system.warnings").unwrap();
    let missing = warnings.collect().unwrap().rows > 0;
    assert!(missing || c.get(Event::PerfTaskClock) > 0);
}
