//! `entasis lab compare`: what becomes of a run of which a side dies, or that goes on later.
#![allow(clippy::unwrap_used)]

#[path = "support/comparison.rs"]
mod comparison;
mod support;

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use comparison::Folder;
use support::{BINARY, Server};

/// What a server says to a statement.
fn ask(server: &Server, text: &str) -> String {
    let done = Command::new(BINARY)
        .args(["client", "--host", "127.0.0.1", "--port", &server.port, "-q", text])
        .output()
        .unwrap();
    assert!(done.status.success(), "{text}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

/// Databases that tests have on a server.
const MADE: &str = "SELECT count() FROM system.databases WHERE startsWith(name, 'lab_')";

/// A test that leaves nothing of its tables, whose query is long enough to be profiled.
const TABLE: &str = "<test>\
    <create_query>CREATE TABLE t (x UInt64) ENGINE = MergeTree ORDER BY x</create_query>\
    <fill_query>INSERT INTO t SELECT number FROM numbers(1000000)</fill_query>\
    <query>SELECT max(sipHash64(x)) FROM t</query><drop_query>DROP TABLE t</drop_query></test>";

#[test]
fn a_server_that_is_both_sides_counts_each_for_itself() {
    let folder = Folder::new("one-server");
    let server = Server::start();
    let url = format!("http://127.0.0.1:{}", server.port);
    let line = [
        "--left",
        &url,
        "--right-settings",
        "log_comment=cost injection: time=900",
        "--pairs",
        "5",
    ];
    let more = ["--profile-seconds", "0.2", "--min-effect", "0.01"];
    let (code, _, said) = folder.compare(TABLE, &folder.0, &[&line[..], &more].concat());
    assert_eq!(code, 1, "{said}");
    assert!(!said.contains("could not be cleaned up"), "{said}");
    let values = "SELECT max(n) FROM (SELECT count() AS n FROM lab.measure \
         GROUP BY query_index, stage, process, run, side, metric)";
    assert_eq!(folder.stored(values), "1\n", "{said}");
    let burning = "SELECT DISTINCT side FROM lab.stack \
         WHERE arrayExists(frame -> position(frame, 'burn_planted') > 0, path)";
    assert_eq!(folder.stored(burning), "new\n", "{said}");
    assert_eq!(ask(&server, MADE), "0\n");
}

#[test]
fn a_server_is_left_as_it_was_however_a_run_ends() {
    let folder = Folder::new("left");
    let server = Server::start();
    let url = format!("http://127.0.0.1:{}", server.port);
    std::fs::write(folder.0.join("test.xml"), TABLE).unwrap();
    let profile = ["profile", "--queries", "--left", &url, "--profile-seconds", "0.1"];
    // Its other side does not start.
    let sides = ["--left", &url, "--right", BINARY, "--start", "false {path}"];
    let [compare, aa] = ["compare", "aa"].map(|name| [&[name], &sides[..]].concat());
    for line in [&profile[..], &compare, &aa] {
        let mut lab = Command::new(BINARY);
        lab.arg("lab").args(line).arg("test.xml").current_dir(&folder.0);
        let done = lab.output().unwrap();
        let messages = String::from_utf8_lossy(&done.stderr);
        let fails = line.contains(&"--start");
        assert!(!fails || messages.contains("ended: "), "{line:?}: {messages}");
        assert_eq!(ask(&server, MADE), "0\n", "{line:?}: {messages}");
        ask(&server, "SYSTEM FLUSH LOGS");
        let last = "SELECT query FROM system.query_log WHERE type = 'QueryFinish' \
             AND query LIKE 'SYSTEM ST% MERGES' ORDER BY event_time_microseconds DESC LIMIT 1";
        assert_eq!(ask(&server, last), "SYSTEM START MERGES\n", "{line:?}: {messages}");
    }
}

/// Ends the server of the side whose program is named `right`, and fails there.
const KILL: &str = "case $CLICKHOUSE_BINARY in */right)
            for p in /proc/[0-9]*; do
                if tr '\\0' ' ' 2&gt;/dev/null &lt; $p/cmdline |
                    grep -q -- \"--http-port $CLICKHOUSE_PORT_HTTP \"; then
                    kill -9 ${p#/proc/}
                    sleep 0.2
                fi
            done;;
        esac
        exec 3&lt;&gt;/dev/tcp/$CLICKHOUSE_HOST/$CLICKHOUSE_PORT_HTTP";

#[test]
fn a_side_that_dies_is_told_and_the_rest_is_measured() {
    let folder = Folder::new("dies");
    let right = folder.0.join("right");
    std::os::unix::fs::symlink(BINARY, &right).unwrap();
    // The first query ends the new side's server.
    let others = (1..=4).map(|n| format!("<query>SELECT {n} FORMAT Null</query>"));
    let others: String = others.collect();
    let test = format!("<test><query type=\"shell\">{KILL}</query>{others}</test>");
    let sides = ["--left", BINARY, "--right", right.to_str().unwrap(), "--pairs", "1"];
    let (code, report, said) = folder.compare(&test, &folder.0, &sides);
    assert!(code == 2, "{said}");
    let troubles = report["troubles"].as_array().unwrap();
    assert_eq!(troubles.len(), 1, "{troubles:?}");
    assert!(troubles[0].to_string().contains("partial: fails on the new side"), "{troubles:?}");
    let timed = folder.stored(
        "SELECT DISTINCT query_index FROM lab.verdict FINAL \
         WHERE metric = 'client_time' AND query_index > 0 ORDER BY query_index",
    );
    assert_eq!(timed, "1\n2\n3\n4\n", "{said}");
}

#[test]
fn a_side_that_does_not_start_again_ends_the_run_in_order() {
    let folder = Folder::new("stays-away");
    let (right, gone) = (folder.0.join("right"), folder.0.join("gone"));
    let script =
        format!("#!/bin/sh\n[ -e '{}' ] && exit 1\nexec {BINARY} \"$@\"\n", gone.display());
    std::fs::write(&right, script).unwrap();
    std::fs::set_permissions(&right, Permissions::from_mode(0o755)).unwrap();
    // Whatever the order is, one of the two that end the new side has another query after it.
    let ends = format!("<query type=\"shell\">touch '{}'; {KILL}</query>", gone.display());
    let others = (1..=3).map(|n| format!("<query>SELECT {n} FORMAT Null</query>"));
    let others: String = others.collect();
    let test = format!("<test>{ends}{others}{}</test>", ends.replace("touch", "true; touch"));
    let sides = ["--left", BINARY, "--right", right.to_str().unwrap(), "--pairs", "1"];
    let (code, report, said) = folder.compare(&test, &folder.0, &sides);
    assert!(code == 2 && report["state"] == "partial", "{said}");
    let problems = report["problems"].to_string();
    assert!(problems.contains("stage 1 ended early: "), "{said} {problems}");
    let fates = report["queries"].as_array().unwrap().iter().map(|q| q["fate"].as_str().unwrap());
    let count = |wanted: &str| fates.clone().filter(|fate| *fate == wanted).count();
    let (failed, untested) = (count("failed"), count("not tested"));
    assert!(failed == 1 && untested >= 1 && untested + count("measured") == 4, "{said}");
    let state = folder.stored("SELECT state FROM lab.run FINAL");
    assert_eq!(state, "partial\n", "{said}");
    // Rounds of equal sides end with the first that it ends.
    let mut lab = Command::new(BINARY);
    lab.args(["lab", "aa", "--rounds", "3", "test.xml"]).args(sides).current_dir(&folder.0);
    let done = lab.output().unwrap();
    let messages = String::from_utf8_lossy(&done.stderr);
    assert!(!done.status.success() && messages.contains("round 1: stage 1 ended"), "{messages}");
    let rounds = folder.stored("SELECT count() FROM lab.run FINAL WHERE kind = 'aa'");
    assert_eq!(rounds, "1\n", "{messages}");
}

#[test]
fn a_run_that_goes_on_is_the_same_run() {
    let folder = Folder::new("goes-on");
    let test = "<test><query>SELECT count() FROM numbers(10)</query></test>";
    let sides = ["--left", BINARY, "--versus", "SELECT 2", "--pairs", "1"];
    let (code, _, said) = folder.compare(test, &folder.0, &sides);
    assert!(code == 2 && said.contains("test #0: the answers differ"), "{said}");
    let go_on = |line: &[&str]| {
        let mut lab = Command::new(BINARY);
        lab.args(["lab", "compare", "--resume", "last"]).args(line).current_dir(&folder.0);
        let done = lab.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (done.status.code() == Some(0), text(&done.stdout) + &text(&done.stderr))
    };
    let spent = || folder.stored("SELECT spent FROM lab.run FINAL").trim().parse::<f64>().unwrap();
    let before = spent();
    // What it found wrong stays wrong, though nothing is measured again.
    let (fine, said) = go_on(&[]);
    assert!(!fine && said.contains("test #0: the answers differ"), "{said}");
    assert!(spent() > before, "both sessions' time");
    let (fine, said) = go_on(&["--left", "in-process"]);
    assert!(!fine && said.contains("the old side is another build"), "{said}");
    let (fine, said) = go_on(&["--seed", "9"]);
    assert!(!fine && said.contains("another --seed"), "{said}");
    let (fine, said) = go_on(&["--right-settings", "max_threads=1"]);
    assert!(!fine && said.contains("other settings"), "{said}");
    let (fine, said) = go_on(&["--max_threads=1"]);
    assert!(!fine && said.contains("its settings, tables or --data are others"), "{said}");
    // Samples are filed by a query's number: they are not another query's.
    let other = test.replace("<test>", "<test><query>SELECT 3</query>");
    std::fs::write(folder.0.join("test.xml"), other).unwrap();
    let (fine, said) = go_on(&[]);
    assert!(!fine && said.contains("its 1 queries are not these 2"), "{said}");
}

#[test]
fn a_set_up_that_works_when_a_run_goes_on_is_no_trouble_any_more() {
    let folder = Folder::new("set-up");
    let data = folder.0.join("data");
    let local = |query: &str| {
        let mut local = Command::new(BINARY);
        let done = local.args(["local", "-q", query, "--path"]).arg(&data).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    local("CREATE DATABASE d");
    let test = "<test>
        <create_query>CREATE TABLE t ENGINE = MergeTree ORDER BY x
            AS SELECT * FROM d.source</create_query>
        <query>SELECT sum(x) FROM t</query>
        <query>SELECT nonsense FROM t</query>
    </test>";
    let sides = ["--left", BINARY, "--pairs", "1", "--data", data.to_str().unwrap()];
    let (code, report, said) = folder.compare(test, &folder.0, &sides);
    assert!(code == 2 && report["troubles"].to_string().contains("source"), "{said}");
    local("CREATE TABLE d.source (x UInt32) ENGINE = MergeTree ORDER BY x");
    local("INSERT INTO d.source SELECT number FROM numbers(1000)");
    let mut lab = Command::new(BINARY);
    let done = lab.args(["lab", "compare", "--resume", "last"]).current_dir(&folder.0).output();
    let said = String::from_utf8_lossy(&done.unwrap().stdout).into_owned();
    assert!(said.contains("1 errors, ") && !said.contains("source"), "{said}");
    // What a query itself is in trouble with stays.
    assert!(said.contains("test #1: broken: "), "{said}");
}

#[test]
fn answers_of_two_settings_are_compared() {
    let folder = Folder::new("settings");
    let test = "<test><query>SELECT number FROM numbers(9)</query></test>";
    let sides = ["--left", BINARY, "--right-settings", "limit=1", "--pairs", "1"];
    let (code, _, said) = folder.compare(test, &folder.0, &sides);
    assert!(code == 2 && said.contains("test #0: the answers differ"), "{said}");
    let (code, _, said) =
        folder.compare(test, &folder.0, &[&sides[..], &["--no-answers"]].concat());
    assert!(code == 0, "{said}");
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_and_the_others_run() {
    let folder = Folder::new("unread");
    let tests = folder.0.join("tests");
    std::fs::create_dir_all(&tests).unwrap();
    for name in ["sort", "sort_whole"] {
        let text = "<test><query>SELECT count() FROM numbers(10)</query></test>";
        std::fs::write(tests.join(format!("{name}.xml")), text).unwrap();
    }
    let line = ["--left", BINARY, "--pairs", "1", "tests", "--only", "=sort"];
    let one = "<test><query>SELECT 1</query></test>";
    let (code, report, said) = folder.compare(one, &folder.0, &line);
    let tested = report["queries"].as_array().unwrap().iter().map(|q| q["test"].as_str().unwrap());
    assert!(code == 0 && tested.collect::<Vec<_>>() == ["sort"], "{said}");
    let replay = report["queries"][0]["replay"].as_str().unwrap();
    assert!(replay.ends_with(" --only '=sort' --queries-to-run 0"), "{replay}");
    std::fs::write(tests.join("bad.xml"), "<test><query>SELECT {x}</query></test>").unwrap();
    let (code, report, said) = folder.compare(one, &folder.0, &line);
    assert!(code == 2 && said.contains("1 errors, ") && said.contains("bad.xml"), "{said}");
    let unread = report["problems"][0].as_str().unwrap();
    assert!(unread.contains("bad.xml") && report["queries"].as_array().unwrap().len() == 1);
}

#[test]
fn answers_that_nobody_wants_are_compared_too() {
    let folder = Folder::new("null");
    let sides = ["--left", BINARY, "--versus", "SELECT 2 FORMAT Null", "--pairs", "1"];
    let test = "<test><query>SELECT 1 FORMAT Null</query></test>";
    let (code, _, said) = folder.compare(test, &folder.0, &sides);
    assert!(code == 2 && said.contains("test #0: the answers differ"), "{said}");
}

#[test]
fn a_time_limit_of_the_test_is_no_way_round_the_runs() {
    let folder = Folder::new("limits");
    let test = "<test><settings><max_execution_time>0</max_execution_time></settings>\
        <query>SELECT sum(sleepEachRow(1)) FROM numbers(3) SETTINGS max_block_size = 1</query>\
        <query>SELECT 1</query></test>";
    let line = ["--left", BINARY, "--right-settings", "max_threads=1", "--pairs", "1"];
    let line = [&line[..], &["--prewarm-max-query-seconds", "0.5"]].concat();
    let (code, report, said) = folder.compare(test, &folder.0, &line);
    assert!(code == 2 && said.contains("test #0: broken: "), "{said}");
    let last = report["queries"].as_array().unwrap().last().unwrap();
    assert_eq!(last["fate"], "measured", "{said}");
}

#[test]
fn a_file_may_have_a_name_that_no_database_has() {
    let folder = Folder::new("names");
    let file = folder.0.join("if-else.v2.xml");
    let table = "<create_query>CREATE TABLE t (a Int64) ENGINE = Memory</create_query>";
    let test = format!("<test>{table}<query>SELECT count() FROM t</query></test>");
    std::fs::write(&file, test).unwrap();
    let line = ["--left", BINARY, "--right-settings", "max_threads=1", "--pairs", "1"];
    let line = [&line[..], &[file.to_str().unwrap(), "--only", "=if-else.v2"]].concat();
    let (code, _, said) = folder.compare("<test><query>SELECT 2</query></test>", &folder.0, &line);
    assert!(code == 0 && said.contains("0 slower"), "{said}");
}
