//! `entasis lab compare`: what becomes of sides and their tables before and after measuring.
#![allow(clippy::unwrap_used)]

#[path = "support/comparison.rs"]
mod comparison;
#[path = "support/repository.rs"]
mod repository;
mod support;

use std::process::Command;

use comparison::Folder;
use repository::{BUILD, git, repository};
use support::{BINARY, Server};

/// A test, for those who bring another query.
const ONE: &str = "<test><query>SELECT 1</query></test>";

/// For sides that differ.
const ANY_EFFECT: [&str; 2] = ["--min-effect", "0.01"];

/// Two revisions, old and new.
const REVISIONS: [&str; 4] = ["--left", "git:HEAD~1", "--right", "git:HEAD"];

#[test]
fn what_the_old_side_need_not_know_runs_on_the_new_one() {
    let folder = Folder::new("incompatible");
    let repository = repository(&folder.0, "time", &[0, 1]);
    let test = "<test><create_query>CREATE TABLE t (x UInt8) ENGINE = Memory</create_query>\
        <fill_query do_not_check_in_pr=\"7\">INSERT INTO t \
        SELECT throwIf(endsWith(getSetting('log_comment'), '=0')) + 5</fill_query>\
        <query>SELECT throwIf(sum(x) != 5) FROM t</query></test>";
    let compare = |pr: &str| {
        let line = [&REVISIONS[..], &["--build", BUILD, "--pairs", "1", "--pr", pr]].concat();
        folder.compare(test, &repository, &line)
    };
    let (code, report, said) = compare("7");
    assert_eq!(code, 0, "{said}");
    assert!(report["status"].as_str().unwrap().ends_with("1 backward-incompatible"), "{said}");
    let alone = &report["sections"]["partial"][0];
    assert!(alone["test"] == "test" && alone["seconds"].as_f64().unwrap() > 0.0, "{alone}");
    let (code, report, said) = compare("8");
    assert_eq!(code, 2, "{said}");
    assert!(report["sections"]["partial"].as_array().unwrap().is_empty(), "{said}");
}

#[test]
fn what_one_side_cannot_do_is_timed_on_the_other() {
    let folder = Folder::new("partial");
    let repository = repository(&folder.0, "time", &[0, 1]);
    let test =
        "<test><query>SELECT throwIf(endsWith(getSetting('log_comment'), '=1'))</query></test>";
    let line = [&REVISIONS[..], &["--build", BUILD, "--pairs", "1"]].concat();
    let (code, report, said) = folder.compare(test, &repository, &line);
    assert!(code == 2 && said.contains("partial: fails on the new side"), "{said}");
    assert!(report["sections"]["partial"][0]["seconds"].as_f64().unwrap() > 0.0, "{said}");
    assert!(report["verdicts"].as_array().unwrap().is_empty(), "{report}");
}

#[test]
fn tables_stay_on_a_running_server_where_they_are_wanted() {
    let folder = Folder::new("kept");
    let server = Server::start();
    let url = format!("http://127.0.0.1:{}", server.port);
    let test = "<test><create_query>CREATE TABLE t (x UInt32) ENGINE = Memory</create_query>\
        <fill_query>INSERT INTO t SELECT number FROM numbers(1000)</fill_query>\
        <query>SELECT throwIf(sum(x) != 499500) FROM t</query>\
        <query type=\"shell\">exec 3&lt;&gt;/dev/tcp/$CLICKHOUSE_HOST/$CLICKHOUSE_PORT_HTTP
        printf 'GET /?query=SELECT+sum(x)+FROM+%s.t HTTP/1.1\\r\\nHost: localhost\\r\\n' \
        $CLICKHOUSE_DATABASE &gt;&amp;3
        printf 'Connection: close\\r\\n\\r\\n' &gt;&amp;3
        grep -q 499500 &lt;&amp;3</query>\
        <drop_query>DROP TABLE t</drop_query></test>";
    let compare = |more: &[&str]| {
        let line = [&["--left", &url, "--right", &url, "--pairs", "1"], more].concat();
        let (code, report, said) = folder.compare(test, &folder.0, &line);
        (code, report["troubles"].to_string(), said)
    };
    let (_, troubles, said) = compare(&["--use-existing-tables"]);
    assert!(troubles.contains("lab_test"), "nothing is there yet: {troubles}, {said}");
    for more in [&["--keep-created-tables"][..], &["--use-existing-tables"], &[]] {
        let (code, troubles, said) = compare(more);
        assert!(code == 0 && troubles == "[]", "{more:?}: {troubles}, {said}");
    }
    let (_, troubles, said) = compare(&["--use-existing-tables"]);
    assert!(troubles.contains("lab_test"), "all is gone again: {troubles}, {said}");
}

#[test]
fn answers_are_held_against_what_the_test_expects() {
    let folder = Folder::new("expect");
    let test = |hash: &str| {
        format!(
            "<test><query>SELECT number FROM numbers(3)<expect hash=\"{hash}\"/></query></test>"
        )
    };
    let line = ["--left", BINARY, "--right", "in-process", "--pairs", "1"];
    let (code, _, said) = folder.compare(&test("0"), &folder.0, &line);
    let hash = said.split("the answer's hash is ").nth(1).and_then(|text| text.split(',').next());
    assert!(code == 2 && hash.is_some(), "both sides say the same: {said}");
    let (code, report, said) = folder.compare(&test(hash.unwrap()), &folder.0, &line);
    assert!(code == 0 && report["troubles"].as_array().is_some_and(Vec::is_empty), "{said}");
    assert!(report["answers_differ"].as_array().unwrap().is_empty(), "{said}");
}

#[test]
fn engines_of_one_process_count_and_are_profiled_each_for_itself() {
    let folder = Folder::new("in-process");
    let test = "<test><query>SELECT max(sipHash64(number)) FROM numbers(1000000)</query></test>";
    let line = ["--left", "in-process", "--right-settings", "log_comment=cost injection: time=900"];
    let quick = ["--pairs", "5", "--profile-seconds", "0.2"];
    let (code, _, said) =
        folder.compare(test, &folder.0, &[&line[..], &quick, &ANY_EFFECT].concat());
    assert_eq!(code, 1, "{said}");
    let counted = "SELECT side, uniqExact(metric) FROM lab.measure WHERE value > 0 \
        AND metric IN ('allocated', 'cpu_time', 'memory', 'server_time', 'client_time') \
        GROUP BY side ORDER BY side";
    assert_eq!(folder.stored(counted), "old\t5\nnew\t5\n", "{said}");
    let planted = "SELECT DISTINCT side FROM lab.measure WHERE metric = 'InjectedMicroseconds'";
    assert_eq!(folder.stored(planted), "new\n", "{said}");
    let stacks = "SELECT side, sum(samples) > 0 FROM lab.stack GROUP BY side ORDER BY side";
    assert_eq!(folder.stored(stacks), "old\t1\nnew\t1\n", "{said}");
}

#[test]
fn a_driver_that_hangs_is_killed_and_goes_on_with_its_tables() {
    let folder = Folder::new("hangs");
    let quick = "<query>SELECT throwIf(count() != 3) FROM m</query>".repeat(2);
    let slow = "<query>SELECT sum(sipHash64(number)) FROM numbers(100000000000)</query>";
    let table = "CREATE TABLE m ENGINE = Memory AS SELECT number AS k FROM numbers(3)";
    let test = format!(
        "<test max_query_seconds=\"1\"><create_query>{table}</create_query>\
        {quick}{slow}{quick}</test>"
    );
    let driver = format!("driver:{BINARY} local --path {{path}} --bench-driver");
    let line = ["--left", BINARY, "--right", &driver, "--pairs", "1"];
    let (_, report, said) = folder.compare(&test, &folder.0, &line);
    let troubles = report["troubles"].as_array().unwrap();
    let [trouble] = troubles.as_slice() else { panic!("{troubles:?}: {said}") };
    assert!(trouble["trouble"].to_string().contains("within 1s and is killed"), "{trouble}");
}

#[test]
fn what_answers_otherwise_is_neither_slower_nor_faster() {
    let folder = Folder::new("differ");
    let line = ["--left", BINARY, "--versus", "SELECT 2", "--pairs", "1", "-q", "SELECT 1"];
    let (code, report, said) = folder.compare(ONE, &folder.0, &line);
    assert!(code == 2 && said.contains("query #0: the answers differ"), "{said}");
    assert_eq!(report["answers_differ"][0]["index"], 0, "{report}");
    assert!(report["status"].as_str().unwrap().starts_with("1 errors, 0 faster, 0 slower, 0 un"));
    let word = folder.stored("SELECT DISTINCT verdict FROM lab.verdict");
    assert_eq!(
        (word.as_str(), report["verdicts"][0]["verdict"].as_str()),
        ("differs\n", Some("differs"))
    );
    // And so it is said of the stored run.
    let done = Command::new(BINARY).args(["lab", "recompute"]).current_dir(&folder.0).output();
    let done = done.unwrap();
    let again = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.code() == Some(2) && again.contains("the answers differ"), "{again}");
}

#[test]
fn an_interrupt_ends_a_run_in_order() {
    let folder = Folder::new("interrupt");
    let queries = "<query>SELECT count() FROM numbers(1000)</query>".repeat(5);
    std::fs::write(folder.0.join("test.xml"), format!("<test>{queries}</test>")).unwrap();
    let mut running = Command::new(BINARY)
        .args(["lab", "compare", "--left", BINARY, "--first-seconds", "1", "test.xml"])
        .current_dir(&folder.0)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let servers = || {
        let runs = std::fs::read_dir(folder.0.join("entasis-lab/work")).into_iter().flatten();
        let files =
            runs.flatten().flat_map(|run| std::fs::read_dir(run.path()).into_iter().flatten());
        files.flatten().filter(|file| file.path().extension().is_some_and(|e| e == "pid")).count()
    };
    // Both sides: stage 1 has begun.
    while servers() < 2 {
        assert!(running.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let pid = running.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let done = running.wait_with_output().unwrap();
    let out = String::from_utf8_lossy(&done.stdout);
    // An error only where nothing at all was measured by then.
    let code = if out.contains("5 not tested") { 2 } else { 0 };
    assert_eq!(done.status.code(), Some(code), "{out}");
    assert!(out.contains(" not tested") && out.contains("report: ") && servers() == 0, "{out}");
}

#[test]
fn who_leaves_at_once_leaves_no_servers_and_no_scripts() {
    let folder = Folder::new("leaves");
    let running = folder.0.join("runs");
    let query = format!(
        "<query type=\"shell\">echo $$ &gt; {0}.new; mv {0}.new {0}; sleep 1000</query>",
        running.display()
    );
    std::fs::write(folder.0.join("test.xml"), format!("<test>{query}</test>")).unwrap();
    let mut lab = Command::new(BINARY)
        .args(["lab", "compare", "--left", BINARY, "test.xml"])
        .current_dir(&folder.0)
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let work = folder.0.join("entasis-lab/work");
    let servers = || -> Vec<String> {
        let runs = std::fs::read_dir(&work).into_iter().flatten().flatten();
        let files = runs.flat_map(|run| std::fs::read_dir(run.path()).into_iter().flatten());
        let paths = files.flatten().map(|file| file.path());
        let pids = paths.filter(|path| path.extension().is_some_and(|e| e == "pid"));
        pids.filter_map(|path| std::fs::read_to_string(path).ok()).collect()
    };
    while !running.exists() {
        assert!(lab.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let mut pids = servers();
    assert_eq!(pids.len(), 2);
    pids.push(std::fs::read_to_string(&running).unwrap());
    // Either one asks for the end; the second time it is at once.
    for signal in ["-TERM", "-INT"] {
        let pid = lab.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    assert_eq!(lab.wait().unwrap().code(), Some(130));
    for pid in pids {
        let line = format!("/proc/{}/cmdline", pid.split_whitespace().next().unwrap());
        // One that is gone and that nobody has asked for has no command line.
        let gone = || std::fs::read(&line).map_or(true, |words| words.is_empty());
        for _ in 0..500 {
            if !gone() {
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
        }
        assert!(gone(), "{pid}");
    }
}

#[test]
fn what_was_found_is_measured_again() {
    let folder = Folder::new("replay");
    let repository = repository(&folder.0, "time", &[0, 9900]);
    let test = "<test><query>SELECT max(sipHash64(number)) FROM numbers(100000)</query>\
        <query>SELECT 1</query></test>";
    let line = ["--build", BUILD, "--pairs", "4", "--queries-to-run", "0"];
    let line = [&REVISIONS[..], &line, &ANY_EFFECT].concat();
    let (code, report, said) = folder.compare(test, &repository, &line);
    assert_eq!(code, 1, "{said}");
    // Its names of revisions mean others by now.
    git(&repository, &["commit", "--quiet", "--allow-empty", "-m", "later"]);
    let done = Command::new(BINARY)
        .args(["lab", "replay"])
        .env("XDG_CACHE_HOME", folder.0.join("cache"))
        .current_dir(&repository)
        .output()
        .unwrap();
    let (out, messages) =
        (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(out.starts_with("test #0: +"), "{out}{messages}");
    let run = report["run"].as_str().unwrap();
    assert!(
        out.contains(" of 1 agree: ") && out.contains(&format!("(run {run}, again replay-")),
        "{out}"
    );
}

#[test]
fn rules_of_test_files_hold_when_they_run() {
    let folder = Folder::new("rules");
    let compare = |test: &str, more: &[&str]| {
        let line = [&["--left", BINARY, "--pairs", "1"], more].concat();
        folder.compare(test, &folder.0, &line)
    };
    let query = "<query>SELECT count() FROM numbers(1000)</query>";
    for (head, status, trouble) in [
        // Not there: no failure, and said.
        (
            "<test><preconditions><table_exists>no_such_table</table_exists></preconditions>",
            "1 skipped",
            "it wants no_such_table",
        ),
        ("<test requires_s3=\"1\">", "1 skipped", "it needs S3"),
        // Settings count for every statement, and must be known.
        ("<test><settings><no_such>1</no_such></settings>", "1 errors", "no_such"),
        // Set-up that fails; a failing DROP before it does not.
        ("<test><drop_query>DROP TABLE t</drop_query>", "0 slower", "[]"),
        ("<test><fill_query>INSERT INTO t SELECT 1</fill_query>", "1 errors", "broken: "),
    ] {
        let (_, report, said) = compare(&format!("{head}{query}</test>"), &[]);
        let [found, troubles] = ["status", "troubles"].map(|name| report[name].to_string());
        assert!(found.contains(status) && troubles.contains(trouble), "{head}: {troubles}{said}");
    }
    // A run may take so long.
    let slow = "<test max_query_seconds=\"0.2\"><query>SELECT sum(sipHash64(number)) \
        FROM numbers(100000000000)</query></test>";
    let (code, report, said) = compare(slow, &[]);
    assert!(code == 2 && report["troubles"][0]["trouble"].to_string().contains("broken"), "{said}");
    // Long tests are for those who ask for them.
    let long = format!("<test><tags><tag>long</tag></tags>{query}</test>");
    let (code, _, said) = compare(&long, &[]);
    assert!(code != 0 && said.contains("No query is left"), "{said}");
    assert_eq!(compare(&long, &["--long"]).1["verdicts"][0]["test"], "test");
    // All queries of some tests run, however few are asked for.
    let all = format!("<test run_all_queries=\"1\">{}</test>", query.repeat(3));
    let (_, report, said) = compare(&all, &["--max-queries", "1"]);
    assert_eq!(report["sections"]["tests"][0]["queries"], 3, "{said}");
    // The budget is hard: what runs when it ends is cut short, and nobody's fault.
    let (code, report, said) = compare(
        "<test><query>SELECT sum(sipHash64(number)) FROM numbers(100000000000)</query></test>",
        &["--budget", "2s"],
    );
    assert!(code == 2 && report["status"].to_string().contains("1 not tested"), "{said}");
    assert!(report["spent"].as_f64().unwrap() < 10.0, "{report}");
}

#[test]
fn what_a_test_calls_short_and_what_its_tables_took_is_in_the_report() {
    let folder = Folder::new("besides");
    let test = "<test><create_query>CREATE TABLE t (x UInt64) ENGINE = MergeTree ORDER BY x</create_query>\
        <fill_query>INSERT INTO t SELECT number FROM numbers(1000)</fill_query>\
        <query short=\"1\">SELECT count() FROM t</query><query>SELECT max(x) FROM t</query></test>";
    let (_, report, said) = folder.compare(test, &folder.0, &["--left", BINARY, "--pairs", "1"]);
    let set_up = report["sections"]["tests"][0]["set_up"].as_f64().unwrap();
    assert!(set_up > 0.0 && set_up < report["spent"].as_f64().unwrap(), "{report} {said}");
    // Another program finds both in the store.
    let facts = "SELECT facts['short_queries'], toFloat64(facts['set_up.test']) FROM lab.run FINAL";
    assert_eq!(folder.stored(facts), format!("0\t{set_up}\n"));
}

#[test]
fn tables_that_sides_fill_by_themselves_are_compared() {
    let folder = Folder::new("same");
    let server = Server::start();
    let url = format!("http://127.0.0.1:{}", server.port);
    // What is counted below is one more on the server.
    let made = Command::new(BINARY)
        .args(["client", "--host", "127.0.0.1", "--port", &server.port])
        .args(["-q", "CREATE DATABASE extra"])
        .status();
    assert!(made.unwrap().success());
    let compare = |engine: &str, rows: &str| {
        let test = format!(
            "<test><create_query>CREATE TABLE t (x UInt64) ENGINE = {engine}</create_query>\
             <fill_query>INSERT INTO t {rows}</fill_query><query>SELECT count() FROM t</query></test>"
        );
        let line = ["--left", BINARY, "--right", &url, "--pairs", "1"];
        folder.compare(&test, &folder.0, &line)
    };
    for engine in ["Memory", "MergeTree ORDER BY x"] {
        let (code, report, said) = compare(engine, "SELECT number FROM numbers(1000)");
        assert!(code == 0 && report["facts"]["differing_parts"].is_null(), "{engine}: {said}");
        let (code, report, said) = compare(engine, "SELECT length(name) FROM system.databases");
        let trouble = report["troubles"][0]["trouble"].to_string();
        let differ = "broken: the sides' tables differ: table t has ";
        assert!(code == 2 && trouble.contains(differ), "{engine}: {trouble} {said}");
    }
    let (code, report, said) = compare(
        "MergeTree PARTITION BY x ORDER BY x",
        "SELECT number % (SELECT count() FROM system.databases) FROM numbers(1000)",
    );
    let parts = report["facts"]["differing_parts"].to_string();
    assert!(code == 0 && parts.contains("test: parts of t differ: "), "{parts} {said}");
}

#[test]
fn a_folder_of_tables_is_read_by_both_sides_and_stays_as_it_was() {
    let folder = Folder::new("data");
    let data = folder.0.join("tables");
    let local = |query: &str| {
        let done = Command::new(BINARY).args(["local", "-q", query, "--path"]).arg(&data).output();
        let done = done.unwrap();
        assert!(done.status.success(), "{query}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    };
    local("CREATE DATABASE d");
    local("CREATE TABLE d.t (x UInt32) ENGINE = MergeTree ORDER BY x");
    local("INSERT INTO d.t SELECT number FROM numbers(1000)");
    let query = "SELECT throwIf(sum(x) != 499500) FROM t";
    let line = ["--left", BINARY, "--right", "in-process", "-q", query, "--pairs", "1"];
    let of = ["--data", data.to_str().unwrap(), "-d", "d"];
    let (code, report, said) = folder.compare(ONE, &folder.0, &[&line[..], &of].concat());
    assert!(code == 0 && report["troubles"].as_array().is_some_and(Vec::is_empty), "{said}");
    assert_eq!(report["verdicts"][0]["test"], "query", "{report}");
    assert_eq!(local("SELECT count(), sum(x) FROM d.t"), "1000\t499500\n");
}

#[test]
fn peaks_that_vary_are_those_of_one_thread_too() {
    let folder = Folder::new("alone");
    // A row of 0.2 to 1.8 megabytes, and one of ten.
    let test = "<test>
        <query>SELECT ignore(repeat('xy', 100000 * (1 + rand() % 9)))</query>
        <query>SELECT ignore(repeat('0123456789', 1000000))</query>
    </test>";
    let sides = ["--left", BINARY, "--right", BINARY, "--first-runs", "8", "--wanted-effect", "0"];
    let (code, report, said) = folder.compare(test, &folder.0, &sides);
    assert!(code == 0, "{said}");
    let verdicts = report["verdicts"].as_array().unwrap();
    let judged = |index: u64, metric: &str| {
        verdicts.iter().filter(|v| v["index"] == index && v["metric"] == metric).count()
    };
    assert_eq!([judged(0, "memory"), judged(1, "memory")], [1, 1], "{report}");
    assert_eq!([judged(0, "memory_one_thread"), judged(1, "memory_one_thread")], [1, 0]);
    // Nothing but the peak is kept of such runs.
    let runs = folder.stored(
        "SELECT metric, uniqExact(run), count() FROM lab.measure \
         WHERE query_index = 0 AND stage = 1 AND metric IN ('memory_one_thread', 'client_time') \
         GROUP BY metric ORDER BY metric",
    );
    assert_eq!(runs, "client_time\t16\t16\nmemory_one_thread\t2\t2\n");
}

#[test]
fn a_planted_peak_is_over_what_was_reserved_or_written() {
    let folder = Folder::new("peak");
    let of = |name: &str, query: &str, percent: u32| -> f64 {
        let planted = format!("{query} SETTINGS log_comment = 'cost injection: peak={percent}'");
        let peak = "SELECT max(memory_usage) FROM system.query_log WHERE type = 'QueryFinish'";
        let texts = ["-q", &planted, "-q", "SYSTEM FLUSH LOGS", "-q", peak];
        let mut local = Command::new(BINARY);
        local.env("ENTASIS_COST_INJECTION", "1");
        local.args(["local", "--logs", "--path"]).arg(folder.0.join(format!("{name}{percent}")));
        let done = local.args(texts).output().unwrap();
        let messages = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{messages}");
        let said = String::from_utf8_lossy(&done.stdout);
        said.lines().last().unwrap().parse().unwrap()
    };
    let grouped = "SELECT number % 1000000 AS k, count() FROM numbers(3000000) GROUP BY k \
                   FORMAT Null";
    // One row, of which the writer holds ten copies: the pipelines know nothing of them.
    let column = "repeat('1234', 1000000)";
    let written = format!("SELECT {} FORMAT Vertical", [column; 10].join(", "));
    for (name, query) in [("reserved", grouped), ("written", &written)] {
        // Two threads do not peak twice at the same height.
        let raised = of(name, query, 100) / of(name, query, 0);
        assert!((1.7..2.4).contains(&raised), "{name}: {raised}");
    }
    // One row is one thread's; what it is raised by is no size class of the allocator.
    let alone = "SELECT length(repeat('0123456789', 1000000)) FORMAT Null";
    let raised = of("alone", alone, 3) / of("alone", alone, 0);
    assert!((1.029..1.032).contains(&raised), "{raised}");
}
