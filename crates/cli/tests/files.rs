//! Files as people have them: pipes and names that say how they are packed, FROM 'path', FROM
//! INFILE, keys in paths, and the table and files of ClickBench.
#![allow(clippy::unwrap_used)]

mod support;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use support::{BINARY, Server};

/// A folder of the test's own.
struct Folder(PathBuf);

struct Done {
    code: i32,
    out: String,
    messages: String,
}

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("entasis-files-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Runs the binary in the folder with this standard input.
    fn run(&self, line: &[&str], input: &[u8]) -> Done {
        let mut child = Command::new(BINARY)
            .args(line)
            .current_dir(&self.0)
            .env("TZ", "UTC")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // One that does not read its input closes the pipe.
        let _ = child.stdin.take().unwrap().write_all(input);
        let done = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Done {
            code: done.status.code().unwrap(),
            out: text(done.stdout),
            messages: text(done.stderr),
        }
    }

    /// What statements in this process print; they must not fail.
    fn local(&self, query: &str) -> String {
        let done = self.run(&["local", "-q", query], b"");
        assert_eq!(done.code, 0, "{query}: {}", done.messages);
        done.out
    }

    /// The message of statements that fail.
    fn fails(&self, query: &str) -> String {
        let done = self.run(&["local", "-q", query], b"");
        assert_ne!(done.code, 0, "{query}: {}", done.out);
        done.messages
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const METHODS: [&str; 8] = ["gz", "br", "xz", "zst", "lz4", "bz2", "snappy", "deflate"];

#[test]
fn every_compression_is_written_and_read_by_name() {
    let folder = Folder::new("methods");
    for method in METHODS {
        let name = format!("x.csv.{method}");
        folder.local(&format!("SELECT number, 'text' FROM numbers(100000) INTO OUTFILE '{name}'"));
        let sum = folder.local(&format!("SELECT count(), sum(c1) FROM '{name}'"));
        assert_eq!(sum, "100000\t4999950000\n", "{method}");
        folder.local(&format!(
            "INSERT INTO FUNCTION file('y.tsv', TSV, 'a UInt64', '{method}') SETTINGS \
             engine_file_truncate_on_insert = 1 SELECT number FROM numbers(100000)"
        ));
        let sum =
            folder.local(&format!("SELECT sum(a) FROM file('y.tsv', TSV, 'a UInt64', '{method}')"));
        assert_eq!(sum, "4999950000\n", "{method}");
        folder.local(&format!(
            "SELECT 1 INTO OUTFILE 'z.tsv' TRUNCATE COMPRESSION '{method}' LEVEL 1"
        ));
        // What is cut off is an error, not the end of the file.
        let whole = folder.bytes(&name);
        std::fs::write(folder.0.join(&name), &whole[..whole.len() / 2]).unwrap();
        folder.fails(&format!("SELECT count() FROM '{name}'"));
    }
}

#[test]
fn pipes_are_unpacked_or_refused() {
    let folder = Folder::new("pipes");
    folder.put("x.csv", "a,b\n1,x\n2,y\n");
    let server = Server::start();
    let client = ["client", "--host", "127.0.0.1", "--port", &server.port];
    let ask = |query: &str, input: &[u8]| {
        let mut line = client.to_vec();
        line.extend(["-q", query]);
        folder.run(&line, input)
    };
    assert_eq!(ask("CREATE TABLE t (a UInt8, b String) ENGINE = Memory", b"").code, 0);
    for method in ["gz", "xz", "zst", "lz4", "bz2"] {
        let name = format!("x.csv.{method}");
        folder.local(&format!("SELECT * FROM 'x.csv' INTO OUTFILE '{name}' FORMAT CSVWithNames"));
        let packed = folder.bytes(&name);
        let done = ask("INSERT INTO t FORMAT CSVWithNames", &packed);
        assert_eq!((done.code, &*done.messages), (0, ""), "{method}");
        let done = ask("SELECT sum(a), max(b), count() FROM t; TRUNCATE TABLE t", b"");
        assert_eq!(done.out, "3\ty\t2\n", "{method}");
        let query = "CREATE TABLE t (a UInt8, b String) ENGINE = Memory; \
                     INSERT INTO t FORMAT CSVWithNames";
        let done = folder.run(&["local", "-q", query, "-q", "SELECT sum(a) FROM t"], &packed);
        assert_eq!((done.code, &*done.out), (0, "3\n"), "{method}: {}", done.messages);
        let line = ["local", "--input-format", "CSVWithNames", "-q", "SELECT sum(a) FROM table"];
        assert_eq!(folder.run(&line, &packed).out, "3\n", "{method}");
        // A text format that is announced for packed bytes is no text.
        let line = ["local", "-q", "SELECT 1 FROM format(CSV, 'a UInt8', unhex('1F8B0800'))"];
        assert_ne!(folder.run(&line, b"").code, 0);
    }
}

#[test]
fn from_infile_here_and_there() {
    let folder = Folder::new("infile");
    folder.put("p1.tsv", "1\tx\n");
    folder.put("p2.tsv", "2\ty\n");
    folder.local("SELECT 3 AS a, 'z' AS b INTO OUTFILE 'n.csv.gz' FORMAT CSVWithNames");
    folder.local("SELECT 4::Int64 AS a, 'p' AS b INTO OUTFILE 'q.parquet'");
    let inserts = "INSERT INTO t FROM INFILE 'p*.tsv'; \
                   INSERT INTO t FROM INFILE 'n.csv.gz' COMPRESSION 'gzip' FORMAT CSVWithNames; \
                   INSERT INTO t (b, a) FROM INFILE 'q.parquet' FORMAT Parquet; \
                   SELECT * FROM t ORDER BY a";
    let create = "CREATE TABLE t (a UInt8, b String) ENGINE = Memory; ";
    let wanted = "1\tx\n2\ty\n3\tz\n4\tp\n";
    assert_eq!(folder.local(&format!("{create}{inserts}")), wanted);
    let server = Server::start();
    let client = |query: &str| {
        let line = ["client", "--host", "127.0.0.1", "--port", &server.port, "-q", query];
        folder.run(&line, b"")
    };
    let done = client(&format!("{create}{inserts}"));
    assert_eq!((&*done.out, &*done.messages), (wanted, ""));
    let done = client("INSERT INTO t FROM INFILE 'none.tsv'");
    assert!(done.code != 0 && done.messages.contains("doesn't exist"), "{}", done.messages);
    let message = folder.fails(&format!("{create}INSERT INTO t FROM INFILE 'p1.none'"));
    assert!(message.contains("doesn't exist"), "{message}");
}

#[test]
fn several_files_of_infile_are_one_insert() {
    let folder = Folder::new("infiles");
    for (name, text) in [("a1", "1\n"), ("a2", "2\n"), ("b1", "3\n"), ("b2", "x\n")] {
        folder.put(&format!("{name}.tsv"), text);
    }
    let run = |query: &str| folder.run(&["local", "--path", "store", "-q", query], b"");
    assert_eq!(run("CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a").code, 0);
    // The second file cannot be read: the rows of the first are not there either.
    let done = run("INSERT INTO t FROM INFILE 'b*.tsv'");
    assert!(done.code != 0 && done.messages.contains("CANNOT_PARSE"), "{}", done.messages);
    assert_eq!(run("SELECT count() FROM t").out, "0\n");
    // The token is the statement's, and not that of one file.
    let token = "SET insert_deduplication_token = 'x'";
    let insert = "INSERT INTO t FROM INFILE 'a*.tsv'";
    let done = run(&format!("{token}; {insert}; {insert}; SELECT a FROM t ORDER BY a"));
    assert_eq!((&*done.out, &*done.messages), ("1\n2\n", ""));
}

#[test]
fn names_of_files_keys_in_paths_and_columns_beside_the_rows() {
    let folder = Folder::new("paths");
    folder.put("h/y=2024/m=01/f.csv", "a,b\n1,x\n2,y\n");
    folder.put("h/y=2024/m=02/f.csv", "a,b\n3,z\n");
    folder.put("n", "a,b\n1,x\n2,y\n");
    folder.put("o", "{\"a\":1}\n");
    let rows = folder.local("SELECT * FROM 'h/*/*/*.csv' ORDER BY 1");
    assert_eq!(rows, "1\tx\t1\t2024\n2\ty\t1\t2024\n3\tz\t2\t2024\n");
    let rows =
        folder.local("SELECT a, y FROM file('h/**/*.csv', CSVWithNames, 'a Int8') WHERE m = 2");
    assert_eq!(rows, "3\t2024\n");
    folder.fails("SELECT y FROM file('h/*/*/*.csv') SETTINGS use_hive_partitioning = 0");
    let rows = folder.local(
        "SELECT a, _file, _size, _row_number, endsWith(_path, 'h/y=2024/m=01/f.csv'), _time > 0, \
         toTypeName(_path), toTypeName(_time) FROM `h/y=2024/m=01/f.csv` ORDER BY a",
    );
    let types = "LowCardinality(String)\tNullable(DateTime)\n";
    assert_eq!(rows, format!("1\tf.csv\t12\t0\t1\t1\t{types}2\tf.csv\t12\t1\t1\t1\t{types}"));
    assert_eq!(folder.local("DESCRIBE file('n')").lines().count(), 2);
    assert_eq!(folder.local("SELECT * FROM file('n') ORDER BY a"), "1\tx\n2\ty\n");
    assert_eq!(folder.local("SELECT a FROM file('o')"), "1\n");
    let message = folder.fails("SELECT * FROM 'none.csv'");
    assert!(message.contains("UNKNOWN_TABLE"), "{message}");
    // --file finds out what it is not told.
    folder.local("SELECT number AS n FROM numbers(5) INTO OUTFILE 'f.parquet'");
    let done = folder.run(&["local", "--file", "f.parquet", "-q", "SELECT sum(n) FROM table"], b"");
    assert_eq!(done.out, "10\n", "{}", done.messages);
    folder.local("SELECT number AS n FROM numbers(5) INTO OUTFILE 'f.csv.gz'");
    let line = ["local", "--file", "f.csv.gz", "-S", "n UInt8", "-N", "u", "-q"];
    let done = folder.run(&[&line[..], &["SELECT sum(n) FROM u"]].concat(), b"");
    assert_eq!(done.out, "10\n", "{}", done.messages);
}

#[test]
fn types_of_files_are_cast_as_tables_have_them() {
    let folder = Folder::new("casts");
    for format in ["Parquet", "Arrow", "Native"] {
        folder.local(&format!(
            "INSERT INTO FUNCTION file('f', {format}) SELECT \
             arrayJoin(['1', '-1', '300', '5000000000'])::Int64 AS i, 1.25::Decimal(10, 2) AS d, \
             '7' AS s, NULL::Nullable(Int32) AS n, 'more' AS z \
             SETTINGS engine_file_truncate_on_insert = 1"
        ));
        let read = |columns: &str| {
            folder.local(&format!("SELECT * FROM file('f', {format}, '{columns}')"))
        };
        let times =
            "1970-01-01 00:00:01\n1970-01-01 00:00:00\n1970-01-01 00:05:00\n2106-02-07 06:28:15\n";
        assert_eq!(read("i DateTime"), times, "{format}");
        assert_eq!(read("i UInt8"), "1\n255\n44\n0\n", "{format}");
        let row = |row: &str| format!("{row}\n").repeat(4);
        assert_eq!(
            read("d Float64, s UInt32, n UInt8, none String"),
            row("1.25\t7\t0\t"),
            "{format}"
        );
        assert_eq!(read("d Int32, i LowCardinality(String)").lines().next(), Some("1\t1"));
        // The same behind an INSERT: what is missing is the table's default, and so is NULL.
        folder.local(&format!(
            "SELECT * FROM file('f', {format}) INTO OUTFILE 'g' TRUNCATE FORMAT {format}"
        ));
        let query = format!(
            "CREATE TABLE t (i DateTime, d Float64, n Int8 DEFAULT 5, m UInt8 DEFAULT n + 1) ENGINE \
             = Memory; INSERT INTO t FROM INFILE 'g' FORMAT {format}; SELECT * FROM t ORDER BY i LIMIT 1"
        );
        assert_eq!(folder.local(&query), "1970-01-01 00:00:00\t1.25\t5\t6\n", "{format}");
        let message = folder.fails(&format!("SELECT * FROM file('f', {format}, 'z UInt8')"));
        assert!(message.contains("CANNOT_PARSE_TEXT"), "{format}: {message}");
        let message = folder.fails(&format!(
            "SELECT * FROM file('f', {format}, 'n UInt8') SETTINGS input_format_null_as_default = 0"
        ));
        assert!(message.contains("CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN"), "{format}: {message}");
    }
    folder.local("INSERT INTO FUNCTION file('d.parquet') SELECT toDate32('1969-12-27') AS d");
    let message = folder.fails("SELECT * FROM file('d.parquet', Parquet, 'd Date')");
    assert!(message.contains("VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE"), "{message}");
    let message = folder.fails(
        "SELECT * FROM file('d.parquet', Parquet, 'd Date32, e Int8') SETTINGS \
         input_format_parquet_allow_missing_columns = 0",
    );
    assert!(message.contains("THERE_IS_NO_COLUMN"), "{message}");
}

#[test]
fn clickbench_loads_its_files_into_its_table() {
    let folder = Folder::new("clickbench");
    let create = include_str!("clickbench/create.sql");
    // As the official files are: times as seconds, days as numbers, text without being called so.
    for (part, first) in [(0, 0), (1, 400), (2, 800)] {
        folder.local(&format!(
            "SELECT * REPLACE (toInt64(toUnixTimestamp(EventTime)) AS EventTime, \
             toInt64(toUnixTimestamp(ClientEventTime)) AS ClientEventTime, \
             toInt64(toUnixTimestamp(LocalEventTime)) AS LocalEventTime, \
             toUInt16(EventDate) AS EventDate) FROM hits(1200, 1, {first}, {}) \
             INTO OUTFILE 'hits_{part}.parquet' SETTINGS output_format_parquet_string_as_string = 0",
            first + 400
        ));
    }
    let sums =
        "SELECT count(), sum(cityHash64(*)), min(EventTime), max(EventDate), uniqExact(URL) FROM";
    let load = |insert: &str| folder.local(&format!("{create}; {insert}; {sums} hits"));
    let wanted = load("INSERT INTO hits SELECT * FROM hits(1200, 1)");
    assert!(wanted.starts_with("1200\t"), "{wanted}");
    assert_eq!(load("INSERT INTO hits SELECT * FROM file('hits_*.parquet')"), wanted);
    assert_eq!(load("INSERT INTO hits SELECT * FROM file('hits_{0..2}.parquet')"), wanted);
    assert_eq!(load("INSERT INTO hits FROM INFILE 'hits_*.parquet' FORMAT Parquet"), wanted);
    let seen = folder.local(
        "SELECT count(), uniqExact(URL), min(toDateTime(EventTime)), max(toDate(EventDate)) FROM \
         'hits_*.parquet'",
    );
    // The 43 queries run on the table, and on the files with times and days as they are meant.
    let queries = include_str!("clickbench/queries.sql");
    let rows_of = |script: &str| {
        let done = folder.run(&["local", "-f", "TSV"], script.as_bytes());
        assert_eq!(done.code, 0, "{}", done.messages);
        done.out.lines().count()
    };
    let on_table =
        format!("{create}; INSERT INTO hits SELECT * FROM file('hits_*.parquet');\n{queries}");
    let view = "(SELECT * REPLACE (toDateTime(EventTime) AS EventTime, \
                toDateTime(ClientEventTime) AS ClientEventTime, \
                toDateTime(LocalEventTime) AS LocalEventTime, \
                toDate(EventDate) AS EventDate) FROM 'hits_*.parquet')";
    let on_files = queries.replace(" FROM hits", &format!(" FROM {view}"));
    assert_eq!(rows_of(&on_table), rows_of(&on_files));
    let figures: Vec<&str> = wanted.trim_end().split('\t').collect();
    let [rows, _, time, date, urls] = figures[..] else { panic!("{wanted}") };
    assert_eq!(seen, format!("{rows}\t{urls}\t{time}\t{date}\n"));
}

#[test]
fn a_file_has_the_columns_of_the_table_that_is_filled() {
    let folder = Folder::new("structure");
    folder.put("x.tsv", "01\t007\t1e3\n");
    folder.put("x.jsonl", "{\"a\":\"2024-01-01\",\"b\":1}\n");
    let filled = |table: &str, insert: &str| {
        folder
            .local(&format!("CREATE TABLE t ({table}) ENGINE = Memory; {insert}; SELECT * FROM t"))
    };
    let three = "a String, b UInt32, c String";
    let file = "file('x.tsv')";
    let setting = "SETTINGS use_structure_from_insertion_table_in_table_functions";
    assert_eq!(filled(three, &format!("INSERT INTO t SELECT * FROM {file}")), "01\t7\t1e3\n");
    let reversed = format!("INSERT INTO t (c, b, a) SELECT f.* FROM {file} AS f");
    assert_eq!(filled(three, &reversed), "1e3\t7\t01\n");
    let named = format!("INSERT INTO t SELECT a, b, c FROM {file} WHERE b > 1 {setting} = 1");
    assert_eq!(filled(three, &named), "01\t7\t1e3\n");
    let numbered = format!("INSERT INTO t SELECT c1, c2, c3 FROM {file} {setting} = 1");
    assert_eq!(filled(three, &numbered), "01\t7\t1e3\n");
    // Columns with names are found by name, and those that are missing get their DEFAULT.
    let all = "INSERT INTO t SELECT * FROM file('x.jsonl')";
    assert_eq!(filled("b String, a String", all), "1\t2024-01-01\n");
    assert_eq!(filled("a String, z UInt32 DEFAULT 7, y String", all), "2024-01-01\t7\t\n");
}

/// PARTITION BY of an INSERT into files: a file for each value.
#[test]
fn an_insert_is_divided_into_files() {
    let folder = Folder::new("partitions");
    let csv = "CSV, 'a Int32, b String'";
    folder.local(&format!(
        "INSERT INTO FUNCTION file('p_{{_partition_id}}.csv', {csv}) PARTITION BY b \
         VALUES (1, 'x'), (2, 'y'), (3, 'x')"
    ));
    let of = |path: &str| format!("SELECT _file, a, b FROM file('{path}', {csv}) ORDER BY a");
    let all = folder.local(&of("p_*.csv"));
    assert_eq!(all, "p_x.csv\t1\tx\np_y.csv\t2\ty\np_x.csv\t3\tx\n");
    // An INSERT that follows is appended, and expressions and tuples are written as texts.
    folder.local(&format!(
        "INSERT INTO FUNCTION file('p_{{_partition_id}}.csv', {csv}) PARTITION BY b \
         SELECT 9, 'x'"
    ));
    assert_eq!(folder.local(&of("p_x.csv")).lines().count(), 3);
    folder.local(&format!(
        "INSERT INTO FUNCTION file('r_{{_partition_id}}.csv', {csv}) PARTITION BY (a % 2, b) \
         VALUES (1, 'x'), (2, 'z')"
    ));
    assert_eq!(folder.bytes("r_(1,'x').csv"), b"1,\"x\"\n");
    folder.local(
        "INSERT INTO FUNCTION file('n_{_partition_id}.parquet') PARTITION BY n % 3 \
         SELECT number AS n FROM numbers(1000)",
    );
    let counts = "SELECT _file, count() FROM file('n_*.parquet') GROUP BY ALL ORDER BY ALL";
    assert_eq!(folder.local(counts), "n_0.parquet\t334\nn_1.parquet\t333\nn_2.parquet\t333\n");
    // Without the word in the path there is one file.
    folder.local(&format!(
        "INSERT INTO FUNCTION file('one.csv', {csv}) PARTITION BY b VALUES (1, 'x'), (2, 'y')"
    ));
    assert_eq!(folder.local(&of("one.csv")).lines().count(), 2);
    // If a part of an INSERT cannot be written, no file is.
    let path = format!("file('q_{{_partition_id}}.csv', {csv})");
    for (by, values, message) in [
        ("b", "(1, 'fine'), (2, 'a*b')", "Illegal character"),
        ("nullIf(b, 'x')", "(1, 'fine'), (2, 'x')", "PARTITION BY is NULL"),
        ("nosuch", "(1, 'fine')", "nosuch"),
    ] {
        let told =
            folder.fails(&format!("INSERT INTO FUNCTION {path} PARTITION BY {by} VALUES {values}"));
        assert!(told.contains(message), "{told}");
        assert!(!folder.0.join("q_fine.csv").exists(), "{by}");
    }
    let told = folder.fails("INSERT INTO FUNCTION null('a Int8') PARTITION BY a VALUES (1)");
    assert!(told.contains("PARTITION BY clause is not supported"), "{told}");
}

/// ENGINE = File with a path, and tables that stand for table functions, also after a restart.
#[test]
fn a_table_stands_for_a_file() {
    let folder = Folder::new("engine");
    let kept = |query: &str| {
        let done = folder.run(&["local", "--path", "kept", "-q", query], b"");
        assert_eq!(done.code, 0, "{query}: {}", done.messages);
        done.out
    };
    kept(
        "CREATE TABLE f (a Int32, b String) ENGINE = File(CSV, 'my.csv'); \
          CREATE TABLE g AS file('my.csv', CSV, 'a Int32, b String'); \
          CREATE TABLE n AS numbers(3);\
          INSERT INTO f VALUES (1, 'x'); INSERT INTO g SELECT 2, 'y'",
    );
    assert_eq!(std::fs::read_to_string(folder.0.join("my.csv")).unwrap(), "1,\"x\"\n2,\"y\"\n");
    let shown = kept("SHOW CREATE TABLE f; SHOW CREATE TABLE g; SHOW CREATE TABLE n");
    assert_eq!(
        shown,
        "CREATE TABLE default.f\\n(\\n    `a` Int32,\\n    `b` String\\n)\\nENGINE = \
         File(\\'CSV\\', \\'my.csv\\')\n\
         CREATE TABLE default.g\\n(\\n    `a` Int32,\\n    `b` String\\n) AS file(\\'my.csv\\', \
         \\'CSV\\', \\'a Int32, b String\\')\n\
         CREATE TABLE default.n\\n(\\n    `number` UInt64\\n) AS numbers(3)\n"
    );
    assert_eq!(kept("SELECT * FROM f ORDER BY a; SELECT sum(a) FROM g"), "1\tx\n2\ty\n3\n");
    assert_eq!(
        kept(
            "SELECT sum(number), count() FROM n; SELECT max(a), any(_file) FROM file('my.csv', CSV, 'a Int32, b String')"
        ),
        "3\t3\n2\tmy.csv\n"
    );
    kept("CREATE TABLE inferred ENGINE = File(CSV, 'my.csv')");
    assert_eq!(kept("SELECT c2 FROM inferred WHERE c1 = 2"), "y\n");
    kept("INSERT INTO f SETTINGS engine_file_truncate_on_insert = 1 VALUES (5, 'z')");
    assert_eq!(kept("SELECT a FROM g"), "5\n");
    kept("TRUNCATE TABLE f");
    assert_eq!(kept("SELECT count() FROM f; SELECT count() FROM g"), "0\n0\n");
    // A name, an ATTACH and a DROP concern the table, and not the file.
    kept(
        "RENAME TABLE f TO h; DETACH TABLE h; ATTACH TABLE h; INSERT INTO h VALUES (7, 'w'); DROP TABLE h",
    );
    assert_eq!(std::fs::read_to_string(folder.0.join("my.csv")).unwrap(), "7,\"w\"\n");
    kept("CREATE TABLE missing (a Int8) ENGINE = File(CSV, 'nosuch.csv'); TRUNCATE TABLE missing");
    let done = folder.run(&["local", "--path", "kept", "-q", "SELECT * FROM missing"], b"");
    assert!(done.messages.contains("FILE_DOESNT_EXIST"), "{}", done.messages);
    assert_eq!(kept("SELECT * FROM missing SETTINGS engine_file_empty_if_not_exists = 1"), "");
    kept(
        "CREATE TABLE packed (a Int32) ENGINE = File('TSV', 'packed.bin', 'gz'); INSERT INTO packed VALUES (3)",
    );
    assert_eq!(kept("SELECT * FROM packed"), "3\n");
    assert_eq!(std::fs::read(folder.0.join("packed.bin")).unwrap()[..2], [0x1f, 0x8b]);
}
