//! `entasis lab`: how revisions are built.
#![allow(clippy::unwrap_used)]

#[path = "support/comparison.rs"]
#[allow(dead_code)]
mod comparison;
#[path = "support/repository.rs"]
mod repository;

use std::path::Path;
use std::process::{Child, Command, Stdio};

use comparison::{BINARY, Folder};
use repository::{BUILD, git, repository};
use serde_json::Value;

/// A test, for those who bring another query.
const ONE: &str = "<test><query>SELECT 1</query></test>";

/// For sides that differ.
const ANY_EFFECT: [&str; 2] = ["--min-effect", "0.01"];

/// Two revisions, old and new.
const REVISIONS: [&str; 4] = ["--left", "git:HEAD~1", "--right", "git:HEAD"];

#[test]
fn a_revision_is_built_without_the_configuration_of_the_checkout() {
    let folder = Folder::new("flags");
    let repository = repository(&folder.0, "time", &[0, 0]);
    std::fs::create_dir_all(repository.join(".cargo")).unwrap();
    std::fs::write(repository.join(".cargo/config.toml"), "[build]\n").unwrap();
    // Where Cargo looks as well.
    let build = format!(
        "folder=$PWD; while folder=${{folder%/*}}; [ -n \"$folder\" ]; do \
         [ ! -e \"$folder/.cargo/config.toml\" ] || exit 1; done; {BUILD}"
    );
    let line = [&REVISIONS[..], &["--build", &build, "--pairs", "1"]].concat();
    let (code, _, said) = folder.compare(ONE, &repository, &line);
    assert_eq!(code, 0, "{said}");
    // Where that cannot be, nothing is built.
    let done = Command::new(BINARY)
        .args(["lab", "asm", "f", "--left", "git:HEAD", "--right", "git:HEAD"])
        .env("XDG_CACHE_HOME", repository.join("cache"))
        .current_dir(&repository)
        .output()
        .unwrap();
    let messages = String::from_utf8_lossy(&done.stderr);
    assert!(messages.contains("have XDG_CACHE_HOME name a folder without"), "{messages}");
}

/// A comparison of both revisions that keeps its builds in this folder of the repository.
fn start(folder: &Folder, repository: &Path, dir: &str, build: &str, flags: &str) -> Child {
    Command::new(BINARY)
        .args(["lab", "compare", "-q", "SELECT 1", "--dir", dir, "--build", build, "--pairs", "1"])
        .args(["--runs", "2", "--first-runs", "2", "--seconds", "0", "--first-seconds", "0"])
        .args(["--profile-seconds", "0", "--min-effect", "100"])
        .args(REVISIONS)
        .env("XDG_CACHE_HOME", folder.0.join("cache"))
        .env("RUSTFLAGS", flags)
        .current_dir(repository)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn one_laboratory_builds_at_a_time_and_keeps_what_it_built() {
    let folder = Folder::new("builds");
    let repository = repository(&folder.0, "time", &[0, 0, 0]);
    // A second one in the worktree has its build fail.
    let build = format!("mkdir busy && sleep 0.2 && {BUILD} && rmdir busy");
    let both = ["a", "b"].map(|dir| start(&folder, &repository, dir, &build, ""));
    for child in both {
        let done = child.wait_with_output().unwrap();
        let messages = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(0), "{messages}");
    }
    let kept = |dir: &str, commit: &str| -> Vec<String> {
        let files = std::fs::read_dir(repository.join(dir).join("builds")).unwrap().flatten();
        let own = files.filter(|file| file.file_name().to_str().unwrap().starts_with(commit));
        own.map(|file| std::fs::read_to_string(file.path()).unwrap()).collect()
    };
    let commits = ["HEAD~1", "HEAD"].map(|name| git(&repository, &["rev-parse", name]));
    for dir in ["a", "b"] {
        for (number, commit) in commits.iter().enumerate() {
            let of_commit = format!("\n# {}\n", number + 1);
            let kept = kept(dir, commit);
            assert!(kept.len() == 1 && kept[0].contains(&of_commit), "{dir}, {number}: {kept:?}");
        }
    }
    // Other flags make another program.
    let other = start(&folder, &repository, "a", &build, "-g").wait_with_output().unwrap();
    assert_eq!(other.status.code(), Some(0), "{}", String::from_utf8_lossy(&other.stderr));
    assert_eq!(commits.each_ref().map(|commit| kept("a", commit).len()), [2, 2]);
    // What is not the commit's is not kept under its name.
    let moving = format!("{BUILD} && git checkout --quiet --detach HEAD~1");
    let wrong = start(&folder, &repository, "c", &moving, "").wait_with_output().unwrap();
    let messages = String::from_utf8_lossy(&wrong.stderr);
    assert!(messages.contains("nothing of it is kept"), "{messages}");
    assert!(!repository.join("c/builds").exists(), "{messages}");
}

/// What makes a program of a [`repository`]'s script by way of the linker.
const PROGRAM: &str = r#"
use std::os::unix::process::CommandExt;
fn main() {
    let words = std::env::args_os().skip(1);
    let shell = ["-c", include_str!("entasis"), "entasis"];
    panic!("{}", std::process::Command::new("sh").args(shell).args(words).exec());
}
"#;

#[test]
fn builds_with_functions_in_other_places_take_turns() {
    let folder = Folder::new("layouts");
    // Bytes, not seconds: four builds are few to be sure of anything on a machine in use.
    let repository = repository(&folder.0, "allocation", &[0, 900]);
    let program = folder.0.join("main.rs");
    std::fs::write(&program, PROGRAM).unwrap();
    let test = "<test><query metric=\"allocated\">SELECT max(sipHash64(number)) \
        FROM numbers(100000)</query></test>";
    let compare = |dir: &str, build: &str| {
        let line = ["--layouts", "4", "--pairs", "8", "--dir", dir, "--build", build];
        let line = [&line[..], &ANY_EFFECT].concat();
        folder.compare(test, &repository, &[&REVISIONS[..], &line].concat())
    };
    // Whoever takes no notice of the linker's name is not believed.
    let (code, _, said) = compare("copied", BUILD);
    assert!(code == 36 && said.contains("was not linked by way of `cc`"), "{code}: {said}");
    let build = format!(
        "cp {} . && mkdir -p $CARGO_TARGET_DIR/release && \
         rustc -o $CARGO_TARGET_DIR/release/entasis main.rs",
        program.display()
    );
    let (code, report, said) = compare("linked", &build);
    assert_eq!(code, 1, "{said}");
    assert_eq!(report["facts"]["layouts"], "4");
    let slower = |v: &&Value| v["verdict"] == "slower" && v["metric"] == "allocated";
    let own = report["verdicts"].as_array().unwrap().iter().find(slower);
    let noise = &own.unwrap()["noise"];
    assert!(noise["build"].is_number() && noise["process"].is_number(), "{noise}");
    assert!(own.unwrap()["pairs"] == 4, "pairs of the same builds are one: {report}");
    let own = std::fs::read_dir(folder.0.join("cache/entasis-lab")).unwrap().next().unwrap();
    let shuffled = own.unwrap().path().join("target/release/entasis");
    assert!(!shuffled.exists(), "it would pass for the build itself");
    let builds = repository.join("linked/builds");
    let commit = git(&repository, &["rev-parse", "HEAD"]);
    let [plain, moved] = [false, true].map(|moved| {
        let files = std::fs::read_dir(&builds).unwrap().flatten();
        let mut names = files.map(|file| file.file_name().into_string().unwrap());
        let name = names.find(|name| {
            name.starts_with(&commit)
                && if moved { name.ends_with("-layout3") } else { !name.contains("-layout") }
        });
        std::fs::read(builds.join(name.unwrap())).unwrap()
    });
    assert!(plain.len().abs_diff(moved.len()) < plain.len() / 20 && plain != moved);
}
