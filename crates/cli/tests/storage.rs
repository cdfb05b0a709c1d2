//! Damaged and foreign folders, as people meet them: the binary's answers.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const BINARY: &str = env!("CARGO_BIN_EXE_entasis");

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("entasis-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(BINARY).args(args).arg("--path").arg(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What a query answers.
fn ask(folder: &Path, query: &str) -> String {
    let output = run(folder, &["local", "-q", query]);
    assert!(output.status.success(), "{query}: {}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn a_damaged_folder_is_checked_and_repaired() {
    let folder = Folder::new("storage");
    let path = &folder.0;
    ask(path, "CREATE TABLE t (a UInt64, s String) ORDER BY a; CREATE TABLE u (a Int8) ORDER BY a");
    ask(path, "INSERT INTO t SELECT number, toString(number) FROM numbers(30000)");
    ask(path, "INSERT INTO u VALUES (1)");
    let check = |expected: i32| {
        let output = run(path, &["check"]);
        assert_eq!(output.status.code(), Some(expected), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    assert_eq!(check(0), "");
    // An empty log is healed from its copy, and that is said.
    std::fs::write(path.join("commit.log"), "").unwrap();
    assert!(check(1).contains("commit.log: "));
    let read = run(path, &["local", "--read-only", "-q", "SELECT count() FROM t"]);
    assert_eq!(text(&read.stdout), "30000\n");
    assert_eq!(std::fs::read(path.join("commit.log")).unwrap(), b"");
    let healed = run(path, &["local", "-q", "SELECT count() FROM t"]);
    assert_eq!(text(&healed.stdout), "30000\n");
    assert!(text(&healed.stderr).contains("commit.copy"), "{}", text(&healed.stderr));
    assert_eq!(check(0), "");
    // A damaged part is named, by everybody, and the other table works.
    let segment = path.join("tables/1/seg-1.ets");
    let mut bytes = std::fs::read(&segment).unwrap();
    bytes[12] ^= 1;
    std::fs::write(&segment, &bytes).unwrap();
    assert!(check(1).contains("tables/1/seg-1.ets"));
    let failed = run(path, &["local", "-q", "SELECT sum(a) FROM t"]);
    assert!(text(&failed.stderr).contains("seg-1.ets"), "{}", text(&failed.stderr));
    assert_eq!(ask(path, "SELECT count() FROM u"), "1\n");
    bytes.truncate(40);
    std::fs::write(&segment, &bytes).unwrap();
    let warned = ask(path, "SELECT count() FROM system.warnings WHERE message LIKE '%seg-1.ets%'");
    assert_eq!(warned, "1\n");
    assert_eq!(run(path, &["repair"]).status.code(), Some(1));
    assert!(run(path, &["repair", "--detach-damaged-parts"]).status.success());
    assert!(path.join("lost/tables-1-seg-1.ets").exists());
    assert_eq!(ask(path, "SELECT count() FROM t"), "0\n");
    // Both logs gone: refused, and rebuilt from what is there.
    ask(path, "INSERT INTO t SELECT number, 'x' FROM numbers(3)");
    ask(path, "INSERT INTO t SELECT number + 3, 'x' FROM numbers(2)");
    // Rows of small INSERTs lie in the log until a merge writes them to a file.
    ask(path, "OPTIMIZE TABLE t FINAL");
    for name in ["commit.log", "commit.copy"] {
        std::fs::remove_file(path.join(name)).unwrap();
    }
    let refused = run(path, &["local", "-q", "SELECT 1"]);
    assert!(text(&refused.stderr).contains("entasis repair"), "{}", text(&refused.stderr));
    let repaired = run(path, &["repair"]);
    assert!(repaired.status.success(), "{}", text(&repaired.stderr));
    assert_eq!(ask(path, "SELECT sum(a), any(s) FROM recovered.table_1"), "10\tx\n");
    assert_eq!(check(0), "");
}

#[test]
fn log_tables_are_checked_and_repaired() {
    let folder = Folder::new("log");
    let path = &folder.0;
    ask(path, "CREATE TABLE l (a UInt64, s String) ENGINE = Log");
    ask(path, "INSERT INTO l SELECT number, toString(number) FROM numbers(1000)");
    ask(path, "INSERT INTO l VALUES (1000, 'x')");
    assert!(run(path, &["check"]).status.success());
    let file = path.join("tables/1/data/0-1.col");
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() - 2]).unwrap();
    let checked = run(path, &["check"]);
    assert_eq!(checked.status.code(), Some(1));
    let said = text(&checked.stdout);
    assert!(said.starts_with("tables/1/data/0-1.col: ") && said.contains("1 rows"), "{said}");
    assert_eq!(run(path, &["repair"]).status.code(), Some(1));
    let repaired = run(path, &["repair", "--detach-damaged-parts"]);
    assert!(repaired.status.success(), "{}", text(&repaired.stderr));
    assert!(text(&repaired.stdout).contains("with 1000 rows"), "{}", text(&repaired.stdout));
    assert!(path.join("lost/tables-1-data-0-1.col").exists());
    assert_eq!(ask(path, "SELECT count(), sum(a) FROM l"), "1000\t499500\n");
    assert!(run(path, &["check"]).status.success());
}

#[test]
fn foreign_folders_are_left_alone() {
    let folder = Folder::new("foreign");
    let path = &folder.0;
    std::fs::create_dir_all(path.join("tables/3")).unwrap();
    std::fs::create_dir_all(path.join("tmp")).unwrap();
    for file in ["tables/3/seg-1.ets", "tmp/1-1.tmp", "notes"] {
        std::fs::write(path.join(file), "precious").unwrap();
    }
    for args in [&["local", "-q", "SELECT 1"][..], &["server", "--http-port", "0"], &["repair"]] {
        let output = run(path, args);
        assert!(!output.status.success(), "{args:?}");
        assert!(!output.stderr.is_empty());
    }
    let mut names: Vec<_> =
        std::fs::read_dir(path).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["notes", "tables", "tmp"]);
    for file in ["tables/3/seg-1.ets", "tmp/1-1.tmp", "notes"] {
        assert_eq!(std::fs::read(path.join(file)).unwrap(), b"precious");
    }
    let missing = run(&path.join("no"), &["local", "--read-only", "-q", "SELECT 1"]);
    assert!(!missing.status.success() && !path.join("no").exists());
}

#[test]
fn an_insert_with_a_token_is_stored_once() {
    let folder = Folder::new("token");
    ask(&folder.0, "CREATE TABLE t (a UInt8) ORDER BY a");
    for _ in 0..3 {
        ask(&folder.0, "INSERT INTO t SETTINGS insert_deduplication_token = 'b1' VALUES (1), (2)");
    }
    assert_eq!(ask(&folder.0, "SELECT count() FROM t"), "2\n");
}
