//! `entasis lab`: what it prints, and that a bad file does not stand in the way of others.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

const BINARY: &str = env!("CARGO_BIN_EXE_entasis");

/// Exit code and what was printed.
fn lab(line: &[&str]) -> (i32, String, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let done = Command::new(BINARY).arg("lab").args(line).current_dir(root).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (done.status.code().unwrap(), text(done.stdout), text(done.stderr))
}

#[test]
fn own_tests_are_read_without_a_warning() {
    let (code, out, messages) = lab(&["queries", "--strict", "tests/performance"]);
    assert_eq!((code, messages.as_str()), (0, ""));
    let lines: Vec<Vec<&str>> = out.lines().map(|line| line.split('\t').collect()).collect();
    assert!(lines.len() >= 600, "{} queries", lines.len());
    let mut tests: Vec<&str> = lines.iter().map(|columns| columns[0]).collect();
    tests.dedup();
    assert!(tests.len() >= 60, "{} tests", tests.len());
    assert!(lines.iter().all(|columns| columns.len() == 3 && columns[1].parse::<u32>().is_ok()));
}

#[test]
fn what_is_wrong_is_said() {
    let (code, out, messages) =
        lab(&["queries", "--names", "there/is/no.xml", "tests/performance/tuples.xml"]);
    assert_eq!(code, 1);
    assert!(out.starts_with("tuples\t0\t") && messages.contains("there/is/no.xml"), "{messages}");
    for (line, wanted) in [
        (&["queries"][..], "FILE"),
        (&["compare"], "`lab compare`"),
        (&["queries", "--stric", "x.xml"], "--stric"),
    ] {
        let (code, out, messages) = lab(line);
        assert!(code != 0 && out.is_empty() && messages.contains(wanted), "{line:?}: {messages}");
    }
    assert!(lab(&[]).1.contains("entasis lab queries FILE"));
}

const TEST: &str = "\
<test>
    <create_query>CREATE TABLE t (k UInt32, v UInt64) ENGINE = MergeTree ORDER BY k</create_query>
    <fill_query>INSERT INTO t SELECT number, number % 7 FROM numbers(300000)</fill_query>
    <query>SELECT v, count(), sum(k) FROM t GROUP BY v FORMAT Null</query>
    <query>SELECT max(sipHash64(k)) FROM t FORMAT Null</query>
    <query>SELECT nonsense FROM t</query>
    <drop_query>DROP TABLE IF EXISTS t</drop_query>
</test>
";

/// A folder with a test file, gone at the end.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("entasis-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join("small.xml"), TEST).unwrap();
        Self(path)
    }

    fn lab(&self, line: &[&str]) -> (i32, String, String) {
        let (dir, file) = (self.0.join("lab"), self.0.join("small.xml"));
        let common = ["--dir", dir.to_str().unwrap(), "--left", BINARY, "--least-run", "0.001"];
        let sizes = ["--pairs", "2", "--runs", "1", "--first-runs", "2", "--seed", "7"];
        let mut all = line.to_vec();
        all.extend(common);
        all.extend(sizes);
        all.push(file.to_str().unwrap());
        lab(&all)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_planted_slowdown_is_found_and_judged_again_from_the_store() {
    let folder = Folder::new("compare");
    let planted = ["compare", "--right-settings", "plant_time_percent=900"];
    let (code, out, messages) = folder.lab(&planted);
    // Two pairs of processes are few: that both are slower is in the lines, not in the verdicts.
    assert!(out.contains("geometric mean of 2 queries: +"), "{out}\n{messages}");
    assert!(out.contains("small #2: broken: ") && messages.contains("nonsense"), "{out}");
    assert_eq!(code, 2, "{out}");
    let status = |text: &str| {
        let line = text.lines().last().unwrap();
        line.split_once(" (run").unwrap().0.to_owned()
    };
    let (_, again, _) = folder.lab(&["recompute", "last"]);
    assert_eq!(status(&again), status(&out), "{again}");
    assert_eq!(again.lines().next(), out.lines().next());
    let line = again.lines().find_map(|line| line.strip_prefix("report: ")).unwrap();
    let page = std::fs::read_to_string(line).unwrap();
    assert!(page.contains("<!-- status: failure -->"), "{line}");
    let file = folder.0.join("page.html");
    let (code, out, _) = folder.lab(&["report", "last", "--report", file.to_str().unwrap()]);
    assert_eq!((code, out), (0, format!("report: {}\n", file.display())));
    assert_eq!(std::fs::read_to_string(file).unwrap(), page);
    let (_, runs, _) = folder.lab(&["runs"]);
    assert!(runs.contains("compare") && runs.contains("finished"), "{runs}");
}

#[test]
fn rounds_of_equal_sides_add_up() {
    let folder = Folder::new("aa");
    let (code, out, _) = folder.lab(&["aa", "--rounds", "2", "--queries-to-run", "0,1"]);
    assert_eq!(code, 0);
    assert!(out.contains("4 comparisons of equal sides in 2 runs"), "{out}");
    let (_, again, _) = folder.lab(&["aa", "--summary"]);
    assert_eq!(again, out);
    let power = ["power", "--levels", "0,1000", "--queries-to-run", "0,1", "--seed", "3"];
    let (code, out, _) = folder.lab(&power);
    assert_eq!(code, 0);
    assert!(out.contains("truth within the interval"), "{out}");
}

#[test]
fn what_cannot_be_compared_is_an_error() {
    for (line, part) in [
        (vec!["compare"], "Name a side"),
        (vec!["compare", "--left", "no-such-binary"], "nothing that can be measured"),
        (vec!["compare", "--left", BINARY, "--budget", "soon"], "such as 18m"),
        (vec!["compare", "--left", "git:no-such-revision"], "knows no revision"),
        (vec!["compare", "--left", BINARY, "--only", "no such test"], "No query is left"),
        (vec!["compare", "--left", BINARY, "--pairs", "0"], "1 or more"),
        (vec!["explode"], "there is compare"),
    ] {
        let (code, _, messages) = lab(&line);
        assert!(code != 0 && messages.contains(part), "{line:?}: {messages}");
    }
}
