//! Files that statements write: INTO OUTFILE and `file()`, whole or not there; states come back.
#![allow(clippy::unwrap_used)]

mod support;

use std::path::PathBuf;
use std::process::Command;

use support::{BINARY, Server};

/// A folder of the test's own.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("entasis-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Runs the binary in the folder; its exit code and what it printed.
    fn run(&self, line: &[&str]) -> (i32, String, String) {
        let done = Command::new(BINARY).args(line).current_dir(&self.0).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (done.status.code().unwrap(), text(done.stdout), text(done.stderr))
    }

    fn local(&self, query: &str) -> (i32, String, String) {
        self.run(&["local", "-q", query])
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const FAILS: &str = "SELECT throwIf(number = 90000) FROM numbers(100000)";

#[test]
fn into_outfile_of_local() {
    let folder = Folder::new("outfile");
    let ok = |query: &str, out: &str| {
        let (code, got, messages) = folder.local(query);
        assert_eq!((code, &*got, &*messages), (0, out, ""), "{query}");
    };
    ok("SELECT number, 'x' FROM numbers(2) INTO OUTFILE 'a.csv'", "");
    assert_eq!(folder.read("a.csv"), "0,\"x\"\n1,\"x\"\n");
    let (code, _, messages) = folder.local("SELECT 1 INTO OUTFILE 'a.csv'");
    assert!(code != 0 && messages.contains("FILE_ALREADY_EXISTS"), "{messages}");
    ok("SELECT 2 INTO OUTFILE 'a.csv' APPEND", "");
    assert_eq!(folder.read("a.csv"), "0,\"x\"\n1,\"x\"\n2\n");
    ok("SELECT 3 AS n INTO OUTFILE 'a.csv' TRUNCATE AND STDOUT FORMAT JSONEachRow", "{\"n\":3}\n");
    assert_eq!(folder.read("a.csv"), "{\"n\":3}\n");
    ok(
        "SELECT 4 AS n INTO OUTFILE 'b.tsv.gz' FORMAT TSVWithNames; SELECT * FROM file('b.tsv.gz')",
        "4\n",
    );
    ok("SELECT 5 INTO OUTFILE '/dev/stdout'", "5\n");
    for clause in ["'c.csv'", "'a.csv' APPEND", "'a.csv' TRUNCATE", "'no/such/folder'"] {
        let (code, ..) = folder.local(&format!("{FAILS} INTO OUTFILE {clause}"));
        assert_ne!(code, 0, "{clause}");
    }
    assert_eq!(folder.read("a.csv"), "{\"n\":3}\n");
    assert_eq!(folder.names(), ["a.csv", "b.tsv.gz"]);
}

#[test]
fn into_outfile_of_a_client() {
    let (server, folder) = (Server::start(), Folder::new("client-outfile"));
    let client = |query: &str| folder.run(&["client", "--port", &server.port, "-q", query]);
    let query = "SELECT 'INTO OUTFILE' AS a INTO OUTFILE 'x.csv' COMPRESSION 'none'; SELECT 2";
    assert_eq!(client(query), (0, "2\n".to_string(), String::new()));
    assert_eq!(folder.read("x.csv"), "\"INTO OUTFILE\"\n");
    let (code, ..) = client(&format!("{FAILS} INTO OUTFILE 'y.csv'"));
    assert_ne!(code, 0);
    let (code, ..) = client("SELECT nosuch INTO OUTFILE 'y.csv'");
    assert_ne!(code, 0);
    assert_eq!(folder.names(), ["x.csv"]);
}

#[test]
fn files_that_inserts_write() {
    let folder = Folder::new("insert-file");
    let ok = |query: &str, out: &str| {
        let (code, got, messages) = folder.local(query);
        assert_eq!((code, &*got, &*messages), (0, out, ""), "{query}");
    };
    ok("INSERT INTO FUNCTION file('a.csv') SELECT number FROM numbers(2)", "");
    let (code, ..) = folder.local(&format!("INSERT INTO FUNCTION file('a.csv') {FAILS}"));
    assert_ne!(code, 0);
    let (code, ..) = folder.local(&format!("INSERT INTO FUNCTION file('b.csv') {FAILS}"));
    assert_ne!(code, 0);
    assert_eq!((folder.read("a.csv"), folder.names()), ("0\n1\n".into(), vec!["a.csv".into()]));
    let replace = "SETTINGS engine_file_truncate_on_insert = 1";
    ok(&format!("INSERT INTO FUNCTION file('a.csv') {replace} SELECT 7"), "");
    assert_eq!(folder.read("a.csv"), "7\n");
}

#[test]
fn states_come_back_from_binary_files() {
    let folder = Folder::new("states");
    for (name, format) in [("s.native", "Native"), ("s.bin", "RowBinaryWithNamesAndTypes")] {
        let states = "sumState(number) AS s, uniqExactState(toString(number)) AS u, \
                      groupArrayState(number) AS g, [maxState(number)] AS m";
        let write = format!(
            "INSERT INTO FUNCTION file('{name}', '{format}') SELECT number % 3 AS k, {states}, 9 \
             AS z FROM numbers(30000) GROUP BY k"
        );
        let finished = "finalizeAggregation(s), finalizeAggregation(u), \
                        length(finalizeAggregation(g)), finalizeAggregation(m[1]), z";
        let read = format!("SELECT {finished} FROM file('{name}', '{format}') ORDER BY k");
        let table = "CREATE TABLE t (s AggregateFunction(sum, UInt64)) ENGINE = Memory";
        let insert = format!("INSERT INTO t SELECT s FROM file('{name}', '{format}')");
        let merge = "SELECT sumMerge(s) FROM t";
        let (code, out, messages) =
            folder.local(&format!("{write}; {read}; {table}; {insert}; {merge}"));
        let wanted = "149985000\t10000\t10000\t29997\t9\n149995000\t10000\t10000\t29998\t9\n\
                      150005000\t10000\t10000\t29999\t9\n449985000\n";
        assert_eq!((code, &*out, &*messages), (0, wanted, ""));
        let mut bytes = std::fs::read(folder.0.join(name)).unwrap();
        bytes.truncate(bytes.len() / 2);
        std::fs::write(folder.0.join(name), bytes).unwrap();
        let (code, _, messages) = folder.local(&read);
        assert!(code != 0 && messages.contains("CANNOT_READ_ALL_DATA"), "{messages}");
    }
}
