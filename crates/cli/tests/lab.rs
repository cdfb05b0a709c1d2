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
