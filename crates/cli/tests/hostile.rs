//! Statements that ask for far more than there is, against a server whose memory is limited: each
//! gets an answer or a clear error, and the server is up at the end. `make hostile` runs it alone.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// What all statements together may use.
const LIMIT: u64 = 1 << 30;

/// Resident bytes that the process may come to: beside what statements hold there are the program
/// itself, and pages that the allocator has not given back yet.
const RESIDENT: u64 = LIMIT + (768 << 20);

struct Server {
    child: Child,
    address: String,
    folder: PathBuf,
}

impl Server {
    fn start(name: &str) -> Self {
        let name = format!("entasis-hostile-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("server.toml");
        let text = format!("http_port = 0\nlogs = false\nmax_server_memory_usage = {LIMIT}\n");
        std::fs::write(&file, text).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_entasis"))
            .args(["server", "--config", file.to_str().unwrap(), "--path"])
            .arg(folder.join("data"))
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let address = loop {
            let line = lines.next().unwrap().unwrap();
            if let Some(address) = line.strip_prefix("Listening on http://") {
                break address.to_string();
            }
        };
        // Its messages must not fill the pipe.
        std::thread::spawn(move || lines.count());
        Self { child, address, folder }
    }

    fn begin(&self, parameters: &str, body: &str) -> TcpStream {
        let mut socket = TcpStream::connect(&self.address).unwrap();
        // Only a statement that hangs takes so long.
        socket.set_read_timeout(Some(Duration::from_mins(2))).unwrap();
        let head = "HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length:";
        let length = body.len();
        let request = format!("POST /?{parameters} {head} {length}\r\n\r\n{body}");
        socket.write_all(request.as_bytes()).unwrap();
        socket
    }

    /// Head and body of the answer: of a long one the first and the last bytes.
    fn ask(&self, parameters: &str, body: &str) -> String {
        let mut socket = self.begin(parameters, body);
        let (mut text, mut piece) = (Vec::new(), vec![0; 1 << 16]);
        loop {
            match socket.read(&mut piece) {
                Ok(0) => break,
                Ok(n) => text.extend_from_slice(&piece[..n]),
                Err(error) => {
                    let text = String::from_utf8_lossy(&text[..text.len().min(500)]);
                    panic!("{error} after {text} in: {}", &body[..body.len().min(200)]);
                }
            }
            if text.len() > 1 << 20 {
                text.drain(1 << 12..text.len() - (1 << 12));
            }
        }
        String::from_utf8_lossy(&text).into_owned()
    }

    /// The most bytes that were ever resident.
    fn peak(&self) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let text = std::fs::read_to_string(path).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap() << 10
    }

    /// Bytes in use, as the server says.
    fn tracked(&self) -> u64 {
        let query = "SELECT value FROM system.metrics WHERE metric = 'MemoryTracking'";
        let answer = self.ask("", query);
        answer
            .trim_end()
            .rsplit(['\n', '\r'])
            .find_map(|line| line.parse().ok())
            .unwrap_or_else(|| panic!("{answer}"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Large numbers, long lists, strings out of nothing.
const VALUES: &[&str] = &[
    "SELECT length(range(10000000000))",
    "SELECT sum(length(range(number * 1000))) FROM numbers(1000000)",
    "SELECT range(100000000) FORMAT Null",
    "SELECT length(repeat('x', 4000000000))",
    "SELECT length(repeat(repeat('x', 1000000), 1000000))",
    "SELECT max(length(repeat('x', number))) FROM numbers(1000000)",
    "SELECT length(space(4000000000))",
    "SELECT length(leftPad('x', 4000000000))",
    "SELECT length(rightPad(toString(number), 1000000, 'ab')) FROM numbers(10000) FORMAT Null",
    "SELECT length(arrayResize([1], 4000000000))",
    "SELECT length(arrayResize([toString(number)], 100000)) FROM numbers(100000) FORMAT Null",
    "SELECT length(arrayWithConstant(4000000000, 'abc'))",
    "SELECT length(arrayWithConstant(100000, range(10000)))",
    "SELECT length(replicate(repeat('x', 1000), range(1000000)))",
    "SELECT length(arrayMap(x -> range(x), range(100000)))",
    "SELECT arraySum(arrayMap(x -> x * 2, range(200000000)))",
    "SELECT length(arrayMap(x -> arrayMap(y -> arrayMap(z -> z, range(y)), range(x)), \
     range(2000)))",
    "SELECT arrayFold((a, x) -> arrayConcat(a, a), range(64), [1])",
    "SELECT length(arrayConcat(range(100000000), range(100000000), range(100000000)))",
    "SELECT length(arrayFlatten([[range(100000000)], [range(100000000)]]))",
    "SELECT length(arraySort(arrayMap(x -> toString(x), range(50000000))))",
    "SELECT length(toString(range(100000000)))",
    "SELECT length(arrayStringConcat(arrayMap(x -> toString(x), range(100000000)), ', '))",
    "SELECT length(concat(repeat(toString(number), 1000000), repeat('y', 1000000))) \
     FROM numbers(100000) FORMAT Null",
    "SELECT length(format('{0}{0}{0}{0}{0}{0}{0}{0}', repeat(toString(number), 500000))) \
     FROM numbers(100000) FORMAT Null",
    "SELECT length(replaceRegexpAll(repeat('a', 1000000), 'a', repeat('b', 100000)))",
    "SELECT length(replaceAll(repeat('a', 1000000), 'a', repeat('b', 1000000)))",
    "SELECT length(replaceRegexpAll(repeat('a', 1000000), '', repeat('c', 10000)))",
    "SELECT length(extractAll(repeat('ab ', 1000000), '[a-z]+')) FROM numbers(10000) FORMAT Null",
    "SELECT length(splitByChar(',', repeat('a,', 1000000))) FROM numbers(10000) FORMAT Null",
    "SELECT length(hex(repeat(toString(number), 1000000))) FROM numbers(100000) FORMAT Null",
    "SELECT length(base64Encode(repeat(toString(number), 1000000))) FROM numbers(9000) FORMAT Null",
    "SELECT JSONExtractString(concat('{\"a\":\"', repeat('x', 1000000), '\"}'), 'a') \
     FROM numbers(100000) FORMAT Null",
    "SELECT JSONExtract(concat(repeat('[', 100000), repeat(']', 100000)), 'Array(Int8)')",
    "SELECT isValidJSON(repeat('[', 1000000))",
    "SELECT bitShiftLeft(toString(number), 1000000000) FROM numbers(10) FORMAT Null",
    "SELECT bitShiftLeft(1, 18446744073709551615), bitShiftRight(toInt128(1), 100000)",
    "SELECT length(bitmapToArray(bitmapBuild(range(100000000))))",
    "SELECT editDistance(repeat('a', 100000), repeat('b', 100000))",
    "SELECT length(toFixedString('x', 16777215)) FROM numbers(100000) FORMAT Null",
    "SELECT groupArray(toFixedString('x', 1000000)) FROM numbers(100000) FORMAT Null",
    "SELECT toDecimal256(repeat('9', 1000000), 10)",
    "SELECT pow(10, 100000), factorial(1000000), exp10(1e10)",
];

/// States of aggregates, windows, sorts and sets that hold everything.
const STATES: &[&str] = &[
    "SELECT length(groupArray(number)) FROM numbers(5000000000)",
    "SELECT length(groupArray(toString(number))) FROM numbers(5000000000)",
    "SELECT length(groupArrayArray(range(1000))) FROM numbers(5000000000)",
    "SELECT uniqExact(number) FROM numbers(5000000000)",
    "SELECT length(groupUniqArray(number)) FROM numbers(5000000000)",
    "SELECT quantileExact(number) FROM numbers(5000000000)",
    "SELECT topK(100000000)(number) FROM numbers(100000000)",
    "SELECT length(groupConcat(',')(toString(number))) FROM numbers(5000000000)",
    "SELECT median(number), groupArray(10000000)(number) FROM numbers(50000000) GROUP BY number \
     % 1000 \
     FORMAT Null",
    "SELECT number, count() FROM numbers(5000000000) GROUP BY number FORMAT Null \
     SETTINGS max_bytes_ratio_before_external_group_by = 0",
    "SELECT groupArray(number) FROM numbers(100000000) GROUP BY number % 10000000 FORMAT Null",
    "SELECT DISTINCT number FROM numbers(5000000000) FORMAT Null \
     SETTINGS max_bytes_ratio_before_external_distinct = 0",
    "SELECT number FROM numbers(5000000000) ORDER BY cityHash64(number) FORMAT Null \
     SETTINGS max_bytes_ratio_before_external_sort = 0",
    "SELECT number, repeat('x', 1000) s FROM numbers(5000000000) ORDER BY s, number LIMIT \
     1000000000 \
     FORMAT Null SETTINGS max_bytes_ratio_before_external_sort = 0",
    "SELECT number FROM numbers(5000000000) LIMIT 1000000 BY number % 1000000 FORMAT Null \
     SETTINGS max_bytes_ratio_before_external_sort = 0",
    "SELECT sum(number) OVER (ORDER BY number) FROM numbers(5000000000) FORMAT Null \
     SETTINGS max_bytes_ratio_before_external_sort = 0",
    "SELECT groupArray(number) OVER (ORDER BY number ROWS UNBOUNDED PRECEDING) FROM \
     numbers(1000000) \
     FORMAT Null",
    "SELECT lag(number, 1000000000) OVER (ORDER BY number) FROM numbers(100000000) FORMAT Null",
    "SELECT count() FROM numbers(10) WHERE number IN (SELECT number FROM numbers(5000000000))",
    "SELECT (SELECT groupArray(number) FROM numbers(1000000000)) AS a FORMAT Null",
    "SELECT sumMap([number], [1]) FROM numbers(1000000000) FORMAT Null",
    "SELECT maxMap(map(toString(number), number)) FROM numbers(1000000000) FORMAT Null",
    "SELECT number, number FROM numbers(1000000000) GROUP BY GROUPING SETS ((number), (number)) \
     FORMAT Null",
    "SELECT count() FROM numbers(1000000000) GROUP BY CUBE(number, number + 1, number + 2) \
     FORMAT Null",
];

/// Rows out of few.
const ROWS: &[&str] = &[
    "SELECT count() FROM numbers(5000) a CROSS JOIN numbers(20000000) b",
    "SELECT count() FROM numbers(5000000000) a CROSS JOIN numbers(5000000000) b",
    "SELECT a.number, b.number FROM numbers(10000000) a CROSS JOIN numbers(10000000) b FORMAT Null",
    "SELECT sum(a.number * b.number) FROM numbers(1000000) a, numbers(1000000) b",
    "SELECT count() FROM numbers(1000000) a, numbers(1000000) b, numbers(1000000) c",
    "SELECT a.number FROM numbers(1000000) a, numbers(1000000) b WHERE a.number > b.number \
     FORMAT Null",
    "SELECT count() FROM (SELECT 1 AS k, number FROM numbers(1000000)) a \
     JOIN (SELECT 1 AS k, number FROM numbers(1000000)) b USING (k)",
    "SELECT a.s, b.s FROM (SELECT 1 k, repeat('x', 1000) s FROM numbers(100000)) a \
     JOIN (SELECT 1 k, repeat('y', 1000) s FROM numbers(100000)) b USING (k) FORMAT Null",
    "SELECT count() FROM numbers(10) a JOIN numbers(5000000000) b ON a.number = b.number",
    "SELECT a.number FROM numbers(10) a LEFT JOIN (SELECT number, repeat('x', 1000) s \
     FROM numbers(100000000)) b ON a.number = b.number ORDER BY b.s",
    "SELECT * FROM numbers(100000000) a FULL JOIN numbers(100000000) b ON a.number = b.number + 1 \
     FORMAT Null",
    "SELECT count() FROM numbers(100000000) a ASOF JOIN numbers(100000000) b \
     ON a.number % 10 = b.number % 10 AND a.number >= b.number",
    "SELECT count() FROM (SELECT arrayJoin(range(10000)) FROM (SELECT arrayJoin(range(10000)) \
     FROM (SELECT arrayJoin(range(10000)))))",
    "SELECT arrayJoin(range(100000000)), arrayJoin(range(100000000)) FORMAT Null",
    "SELECT x FROM numbers(1000000) ARRAY JOIN range(1000000) AS x FORMAT Null",
    "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SELECT count() FROM t",
    "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n FROM t, numbers(1000) AS x) \
     SELECT count() FROM t",
    "SELECT number, repeat('x', 1000) FROM numbers(1000000000)",
    "SELECT repeat('x', 1000000) FROM numbers(1000000000) FORMAT JSON",
    "SELECT * FROM numbers(1000000000) FORMAT Pretty SETTINGS output_format_pretty_max_rows = \
     1000000000",
    "SELECT number, repeat('x', 10000) FROM numbers(1000000000) FORMAT Parquet",
    "SELECT groupArray(number) FROM numbers(10000000) FORMAT JSONColumns",
    "SELECT number, toString(number) FROM numbers(100000000) FORMAT JSONColumns",
    "SELECT count() FROM generateRandom('a Array(Array(String))') LIMIT 1000000000",
    "SELECT count() FROM numbers(18446744073709551615)",
    "SELECT number FROM numbers(1000000000) LIMIT 999999999, 1",
    "CREATE TABLE m ENGINE = Memory AS SELECT repeat('x', 1000) AS s FROM numbers(1000000000)",
    "SELECT sleepEachRow(1) FROM numbers(1000000)",
];

/// A chain of definitions, each out of the last one.
fn chain(first: &str, next: impl Fn(usize) -> String, most: usize, select: &str) -> String {
    let list: Vec<String> = (0..most).map(next).collect();
    format!("WITH {first}, {} SELECT {select}", list.join(", "))
}

/// Texts that are long, deep, or become so.
fn texts() -> Vec<String> {
    let nested = |of: &str, from: &str, levels: usize| {
        (0..levels).fold(from.to_string(), |inner, _| of.replace("{}", &inner))
    };
    let one = "SELECT number AS x FROM numbers(10)";
    let numbers = |n: usize| (0..n).map(|i| i.to_string()).collect::<Vec<_>>().join(",");
    vec![
        chain("1 AS a0", |i| format!("(a{i}, a{i}) AS a{}", i + 1), 39, "a39"),
        chain("number AS a0", |i| format!("a{i} + a{i} AS a{}", i + 1), 39, "a39 FROM numbers(3)"),
        chain("x -> x + 1 AS f0", |i| format!("x -> f{i}(f{i}(x)) AS f{}", i + 1), 39, "f39(1)"),
        chain("range(9000) AS a0", |i| format!("[a{i}, a{i}] AS a{}", i + 1), 16, "length(a16)"),
        chain("'x' AS a0", |i| format!("concat(a{i}, a{i}) AS a{}", i + 1), 39, "length(a39)"),
        chain(
            "a0 AS (SELECT 1 AS x)",
            |i| format!("a{} AS (SELECT * FROM a{i} UNION ALL SELECT * FROM a{i})", i + 1),
            39,
            "count() FROM a39",
        ),
        chain(
            "a0 AS (SELECT 1 AS x)",
            |i| format!("a{} AS (SELECT l.x FROM a{i} AS l JOIN a{i} AS r USING (x))", i + 1),
            39,
            "count() FROM a39",
        ),
        nested("SELECT x + x AS x FROM ({})", one, 60),
        nested("SELECT x + x AS x FROM ({}) WHERE x > 0", one, 60),
        nested("SELECT * FROM ({})", one, 5000),
        nested("SELECT x FROM ({}) AS t ORDER BY x", one, 90),
        format!("SELECT {}1{}", "(".repeat(50_000), ")".repeat(50_000)),
        format!("SELECT {}1", "NOT ".repeat(50_000)),
        format!("SELECT {}", vec!["1"; 100_000].join("+")),
        format!("SELECT {}", vec!["[1]"; 60_000].join(",")),
        format!("SELECT 1 IN ({})", numbers(40_000)),
        format!("SELECT number IN ({}) FROM numbers(1000000000) FORMAT Null", numbers(40_000)),
        format!("SELECT count() FROM ({})", vec!["SELECT 1"; 20_000].join(" UNION ALL ")),
        format!(
            "SELECT count() FROM ({})",
            vec!["SELECT number FROM numbers(100000000)"; 3000].join(" UNION ALL ")
        ),
        format!("SELECT count() FROM {}", vec!["numbers(9)"; 60].join(", ")),
        format!("SELECT multiIf({}1)", "number = 1, 2, ".repeat(15_000)),
        format!("SELECT CASE {} END", "WHEN 1 THEN 2 ".repeat(15_000)),
        format!("SELECT if({}1{}", "if(1, 2, ".repeat(20_000), ")".repeat(20_001)),
    ]
}

/// An answer, or an error with a code: never a bug of ours, never a broken connection without a
/// word.
fn check(statement: &str, answer: &str) {
    let short = &statement[..statement.len().min(200)];
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
    if let Some((before, _)) = body.split_once(". DB::Exception: ") {
        let code = before.rsplit("Code: ").next().and_then(|code| code.parse::<u16>().ok());
        // 49 is what a bug of ours is answered with.
        assert!(code.is_some_and(|code| code != 49), "{short}: {body}");
        return;
    }
    let head = head.to_ascii_lowercase();
    let length = head.split_once("content-length: ").map(|(_, rest)| rest.lines().next());
    let is_whole = match length {
        Some(length) => length == Some(body.len().to_string().as_str()),
        None => body.ends_with("0\r\n\r\n"),
    };
    assert!(head.starts_with("http/1.1 200 ") && is_whole, "{short}: {head}");
}

#[test]
fn the_server_outlives_hostile_statements() {
    let mut server = Server::start("all");
    let texts = texts();
    let all = VALUES.iter().chain(STATES).chain(ROWS).copied();
    let all: Vec<&str> = all.chain(texts.iter().map(String::as_str)).collect();
    assert!(all.len() >= 60);
    for statement in all {
        let answer = server.ask("max_execution_time=0.4", statement);
        check(statement, &answer);
        assert!(server.child.try_wait().unwrap().is_none(), "the server died of: {statement}");
    }
    // Many at once, and answers that nobody reads.
    let sockets: Vec<TcpStream> = STATES
        .iter()
        .map(|statement| server.begin("max_execution_time=2", statement))
        .chain(ROWS.iter().map(|statement| server.begin("max_execution_time=2", statement)))
        .collect();
    for mut socket in sockets {
        let mut first = [0; 9];
        socket.read_exact(&mut first).unwrap();
        assert_eq!(&first, b"HTTP/1.1 ");
    }
    assert!(server.ask("", "SELECT 1").ends_with("\r\n\r\n1\n"));
    assert!(server.ask("", "SELECT count() FROM numbers(1000000)").contains("1000000"));
    let peak = server.peak();
    assert!(peak < RESIDENT, "{peak} bytes were resident");
    server.ask("", "DROP TABLE IF EXISTS m");
    let tracked = server.tracked();
    assert!(tracked < 200 << 20, "{tracked} bytes are said to be in use, though nothing runs");
}

#[test]
fn a_cross_join_that_is_only_counted_takes_seconds() {
    let server = Server::start("cross");
    let query = "SELECT count() FROM numbers(5000) a CROSS JOIN numbers(20000000) b";
    let answer = server.ask("", query);
    assert!(answer.contains("100000000000"), "{answer}");
    assert!(server.peak() < 400 << 20);
}
