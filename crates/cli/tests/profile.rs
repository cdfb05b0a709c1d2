//! What the profiler sees of a server as built: allocator and names are the binary's.
#![allow(clippy::unwrap_used)]

mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};

use support::{BINARY, Server};

/// The body of the answer; HTTP/1.0, so it comes in one piece.
fn ask(server: &Server, target: &str, body: &str) -> String {
    let mut socket = TcpStream::connect(format!("127.0.0.1:{}", server.port)).unwrap();
    let method = if body.is_empty() { "GET" } else { "POST" };
    let head = format!("{method} {target} HTTP/1.0\r\nHost: localhost\r\n");
    write!(socket, "{head}Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    let mut bytes = Vec::new();
    socket.read_to_end(&mut bytes).unwrap();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    assert!(head.contains(" 200 OK"), "{text}");
    body.to_string()
}

/// What `system.trace_log` holds of a statement.
fn traced(server: &Server, what: &str, id: &str, kind: &str) -> String {
    ask(server, "/", "SYSTEM FLUSH LOGS");
    let from = format!("query_id = '{id}' AND trace_type = '{kind}'");
    ask(server, "/", &format!("SELECT {what} FROM system.trace_log WHERE {from}"))
}

const GROUPS: &str = "SELECT sum(length(list)) FROM (SELECT number % 300000 AS k, \
                      groupArray(number) AS list FROM numbers(1500000) GROUP BY k)";

#[test]
fn stacks_of_growing_memory_name_the_aggregation() {
    let server = Server::start();
    let step = 1 << 20;
    let settings = format!("query_id=steps&memory_profiler_step={step}&max_threads=2");
    assert_eq!(ask(&server, &format!("/?{settings}"), GROUPS), "1500000\n");
    let bounds = format!(
        "count() >= 10, min(size) >= {step} / 8, max(ptr), sum(size) >= {step} * (count() - 2)"
    );
    assert_eq!(traced(&server, &bounds, "steps", "Memory"), "1\t1\t0\t1\n");
    let names = "countIf(arrayExists(x -> demangle(addressToSymbol(x)) LIKE '%aggregat%', trace)) \
                 * 2 > count()";
    assert_eq!(traced(&server, names, "steps", "Memory"), "1\n");
    let page = ask(&server, "/flamegraph?query_id=steps&type=Memory", "");
    assert!(page.contains("aggregat"), "no such frame in {} bytes", page.len());

    ask(&server, "/?query_id=off&memory_profiler_step=0&max_threads=2", GROUPS);
    assert_eq!(traced(&server, "count()", "off", "Memory"), "0\n");
}

#[test]
fn releases_are_sampled_where_their_allocations_are() {
    let server = Server::start();
    let settings = "query_id=sampled&memory_profiler_step=0&max_threads=1\
                    &memory_profiler_sample_probability=0.9\
                    &memory_profiler_sample_min_allocation_size=100000";
    ask(&server, &format!("/?{settings}"), GROUPS);
    let bounds = "count() >= 4, min(abs(size)) >= 100000, countIf(ptr = 0), \
                  countIf(size < 0) > 0";
    assert_eq!(traced(&server, bounds, "sampled", "MemorySample"), "1\t1\t0\t1\n");
    assert_eq!(traced(&server, "count()", "sampled", "Memory"), "0\n");
    // Address by address in the order of time: what was allocated is released with its size.
    ask(&server, "/", "SYSTEM FLUSH LOGS");
    let sizes = "SELECT arrayMap(x -> x.2, arraySort(groupArray((timestamp_ns, size)))) AS s \
                 FROM system.trace_log WHERE query_id = 'sampled' AND \
                 trace_type = 'MemorySample' GROUP BY ptr";
    let pairs = |what: &str| {
        format!("sum(arrayCount((a, b) -> {what}, arrayPopBack(s), arrayPopFront(s)))")
    };
    let (matched, not) = (pairs("a > 0 AND b = -a"), pairs("a > 0 AND b != -a"));
    let answer = ask(&server, "/", &format!("SELECT {matched} > 0, {not} FROM ({sizes})"));
    assert_eq!(answer, "1\t0\n");
}

#[test]
fn counters_of_the_processor_are_profile_events_or_a_warning() {
    let server = Server::start();
    let warnings = "SELECT count() FROM system.warnings";
    assert_eq!(ask(&server, "/", warnings), "0\n", "nobody has asked for counters");
    ask(&server, "/?query_id=counted&metrics_perf_events_enabled=1", GROUPS);
    ask(&server, "/?query_id=plain", GROUPS);
    let chosen = "/?query_id=chosen&metrics_perf_events_enabled=1\
                  &metrics_perf_events_list=PerfTaskClock,PerfInstructions";
    ask(&server, chosen, GROUPS);
    ask(&server, "/", "SYSTEM FLUSH LOGS");
    let of = |id: &str, what: &str| {
        let rows = format!("query_id = '{id}' AND type = 'QueryFinish'");
        ask(&server, "/", &format!("SELECT {what} FROM system.query_log WHERE {rows}"))
    };
    let names = "arrayFilter(x -> x LIKE 'Perf%', mapKeys(ProfileEvents))";
    assert_eq!(of("plain", names), "[]\n");
    let warning = ask(&server, "/", "SELECT message FROM system.warnings");
    for counter in ["PerfCPUCycles", "PerfInstructions", "PerfTaskClock", "PerfPageFaults"] {
        let counted = of("counted", &format!("ProfileEvents['{counter}'] > 0"));
        assert!(
            counted == "1\n" || warning.contains(counter),
            "{counter} is neither counted nor said to be missing: {warning}"
        );
    }
    // Processor time by both ways of asking, where the kernel gives the clock.
    let same = "ProfileEvents['PerfTaskClock'] BETWEEN 500 * (ProfileEvents['UserTimeMicroseconds'] \
                + ProfileEvents['SystemTimeMicroseconds']) AND 1500 * \
                ProfileEvents['RealTimeMicroseconds']";
    assert!(warning.contains("PerfTaskClock") || of("counted", same) == "1\n");
    let others = format!("arrayFilter(x -> x NOT LIKE 'PerfMin%', {names})");
    let chosen = of("chosen", &format!("hasAll(['PerfInstructions', 'PerfTaskClock'], {others})"));
    assert_eq!(chosen, "1\n");
}

#[test]
fn client_and_local_write_flame_graphs() {
    let server = Server::start();
    let folder = std::env::temp_dir().join(format!("entasis-flame-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let run = |line: &[&str]| {
        let output = Command::new(BINARY).args(line).stdin(Stdio::null()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let remote = ["client", "--host", "127.0.0.1", "--port", &server.port];
    for (command, kind) in [(&remote[..], "Memory"), (&["local"], "CPU"), (&remote, "real")] {
        let file = folder.join(format!("{}-{kind}.html", command[0]));
        let options = ["--flamegraph", file.to_str().unwrap(), "--flamegraph-type", kind];
        let script = format!("SELECT 1 FORMAT Null; {GROUPS}");
        let done = run(&[command, &options, &["-q", &script]].concat());
        assert_eq!(done, (Some(0), "1500000\n".into(), String::new()));
        let page = std::fs::read_to_string(&file).unwrap();
        assert!(page.starts_with("<!doctype html") || page.starts_with("<!DOCTYPE html"));
        assert!(page.contains("aggregat") && !page.contains("src=\"http"), "{file:?}");
    }
    let flame = |options: &[&str]| run(&[&["local"], options].concat()).2;
    assert!(flame(&["--flamegraph-type", "CPU", "-q", "SELECT 1"]).contains("needs --flamegraph"));
    let unknown = ["--flamegraph", "x", "--flamegraph-type", "Heap", "-q", "SELECT 1"];
    assert!(flame(&unknown).contains("ask for CPU, Real, Memory"));
    let nowhere = ["--flamegraph", "/nowhere/x.html", "--flamegraph-type", "Real", "-q", GROUPS];
    assert!(flame(&nowhere).contains("Cannot write the flame graph to /nowhere/x.html"));
    // Nothing is drawn of what failed, or was too short to be seen.
    let file = folder.join("none.html");
    let to = ["--flamegraph", file.to_str().unwrap(), "-q"];
    assert!(flame(&[&to[..], &["SELECT throwIf(1)"]].concat()).contains("throwIf"));
    let short = ["--query_profiler_cpu_time_period_ns=0", "-q", "SELECT 1"];
    assert!(flame(&[&to[..2], &short].concat()).contains("There are no stacks"));
    assert!(!file.exists());
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Names and lines of a query's stacks: (frames with a function of ours, frames with a line).
fn names_and_lines(program: &Path) -> (u64, u64) {
    let script = format!(
        "{GROUPS}; SYSTEM FLUSH LOGS; SELECT countIf(demangle(addressToSymbol(x)) LIKE \
         '%entasis%::%'), countIf(match(addressToLine(x), '\\.rs:[0-9]+$')) \
         FROM system.trace_log ARRAY JOIN trace AS x WHERE trace_type = 'Memory'"
    );
    let output = Command::new(program)
        .args(["local", "--logs", "--memory_profiler_step=4000000", "-q", &script])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut numbers = text.split_whitespace().skip(1).map(|n| n.parse().unwrap());
    (numbers.next().unwrap(), numbers.next().unwrap())
}

/// What `make strip` does.
#[test]
fn a_stripped_binary_has_its_names_and_lines_in_a_file_beside_it() {
    let folder = std::env::temp_dir().join(format!("entasis-strip-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (program, debug) = (folder.join("entasis"), folder.join("entasis.debug"));
    let objcopy = |options: &[&str], to: &Path| {
        let done = Command::new("objcopy").args(options).arg(BINARY).arg(to).status();
        done.is_ok_and(|status| status.success())
    };
    if !objcopy(&["--only-keep-debug"], &debug) || !objcopy(&["--strip-all"], &program) {
        eprintln!("not tested: needs objcopy");
        std::fs::remove_dir_all(&folder).unwrap();
        return;
    }
    let whole = names_and_lines(Path::new(BINARY));
    assert!(whole.0 > 100, "{whole:?}");
    let beside = names_and_lines(&program);
    assert!(beside.0 > 100, "{beside:?}");
    // A quick build has no line tables to find.
    assert_eq!(beside.1 > 100, whole.1 > 100, "{beside:?} {whole:?}");
    std::fs::remove_file(&debug).unwrap();
    assert_eq!(names_and_lines(&program), (0, 0), "nothing is known, and nothing fails");
    std::fs::write(&debug, "of something else").unwrap();
    assert_eq!(names_and_lines(&program), (0, 0));
    std::fs::remove_dir_all(&folder).unwrap();
}
