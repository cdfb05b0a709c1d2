//! `entasis lab`: what it prints, and that a bad file does not stand in the way of others.
#![allow(clippy::unwrap_used)]

#[path = "support/repository.rs"]
mod repository;

use std::path::{Path, PathBuf};
use std::process::Command;

use repository::{BUILD, git, repository};

const BINARY: &str = env!("CARGO_BIN_EXE_entasis");

/// Exit code and what was printed.
fn lab(line: &[&str]) -> (i32, String, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let done = Command::new(BINARY).arg("lab").args(line).current_dir(root).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (done.status.code().unwrap(), text(done.stdout), text(done.stderr))
}

/// Whether equal sides look equal is up to what else the machine does: only a hundredfold counts.
const ALL_EQUAL: [&str; 2] = ["--min-effect", "100"];

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
        (&["kompare"], "`lab kompare`"),
        (&["queries", "--stric", "x.xml"], "--stric"),
    ] {
        let (code, out, messages) = lab(line);
        assert!(code != 0 && out.is_empty() && messages.contains(wanted), "{line:?}: {messages}");
    }
    assert!(lab(&[]).1.contains("entasis lab queries "));
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
struct Folder(PathBuf);

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
        let quick = ["--seconds", "0", "--first-seconds", "0"];
        let sizes = ["--pairs", "2", "--runs", "1", "--first-runs", "2", "--seed", "7"];
        let mut all = line.to_vec();
        all.extend(common);
        all.extend(quick);
        all.extend(sizes);
        all.push(file.to_str().unwrap());
        lab(&all)
    }

    /// A command that reads what others have stored, and measures nothing.
    fn read(&self, line: &[&str]) -> (i32, String, String) {
        let dir = self.0.join("lab");
        lab(&[line, &["--dir", dir.to_str().unwrap()]].concat())
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
    let planted = ["compare", "--right-settings", "log_comment=cost injection: time=900"];
    let (code, out, messages) = folder.lab(&planted);
    // Two pairs of processes are few: that both are slower is in the lines, not in the verdicts.
    assert!(out.contains("geometric mean of 2 queries: +"), "{out}\n{messages}");
    assert!(out.contains("small #2: broken: ") && messages.contains("nonsense"), "{out}");
    assert_eq!(code, 2, "{out}");
    let status = |text: &str| {
        let line = text.lines().last().unwrap();
        line.split_once(" (run").unwrap().0.to_owned()
    };
    let (_, again, _) = folder.read(&["recompute", "last"]);
    assert_eq!(status(&again), status(&out), "{again}");
    assert_eq!(again.lines().next(), out.lines().next());
    let line = again.lines().find_map(|line| line.strip_prefix("report: ")).unwrap();
    let page = std::fs::read_to_string(line).unwrap();
    assert!(page.contains("<!-- status: failure -->"), "{line}");
    let file = folder.0.join("page.html");
    let (code, out, _) = folder.read(&["report", "last", "--report", file.to_str().unwrap()]);
    assert_eq!((code, out), (0, format!("report: {}\n", file.display())));
    assert_eq!(std::fs::read_to_string(file).unwrap(), page);
    let (_, runs, _) = folder.read(&["runs"]);
    assert!(runs.contains("compare") && runs.contains("finished"), "{runs}");
}

#[test]
fn tables_in_memory_are_there_in_every_process() {
    let folder = Folder::new("volatile");
    let test = "\
<test>
    <create_query>CREATE TABLE m ENGINE = Memory
        AS SELECT number AS k FROM numbers(1000)</create_query>
    <create_query>CREATE TABLE `it``s` (k UInt32) ENGINE = Memory</create_query>
    <fill_query>INSERT INTO `it``s` SELECT k FROM m WHERE k &lt; 300</fill_query>
    <query>SELECT throwIf(count() != 1000 OR max(k) != 999) FROM m FORMAT Null</query>
    <query>SELECT throwIf(count() != 300) FROM `it``s` FORMAT Null</query>
</test>
";
    std::fs::write(folder.0.join("small.xml"), test).unwrap();
    let driver = format!("driver:{BINARY} local --path {{path}} --bench-driver");
    for right in [BINARY, "in-process", driver.as_str()] {
        let (_, out, messages) = folder.lab(&["compare", "--right", right]);
        let whole = out.contains("geometric mean of 2 queries") && !out.contains("broken");
        assert!(whole, "{right}: {out}\n{messages}");
    }
}

#[test]
fn a_yardstick_is_always_asked_and_what_it_took_is_in_the_report() {
    let folder = Folder::new("yardstick");
    let test = TEST.replace("<test>", "<test>\n    <calibration/>");
    std::fs::write(folder.0.join("small.xml"), test).unwrap();
    let json = folder.0.join("report.json");
    let (_, out, messages) = folder.lab(&[
        "compare",
        "--max-queries",
        "1",
        "--queries-to-run",
        "0,1",
        "--json",
        json.to_str().unwrap(),
    ]);
    assert!(out.contains("geometric mean of 2 queries"), "{out}\n{messages}");
    let report = std::fs::read_to_string(json).unwrap();
    let fact = report.split("\"calibration\":").nth(1).unwrap();
    assert!(fact.trim_start().starts_with("\"small #0: "), "{fact:.200}");
    assert!(fact.contains(" ms at minute 0 (+0 %); small #1: "), "{fact:.200}");
}

#[test]
fn a_run_without_time_goes_on_later() {
    let folder = Folder::new("resume");
    let line = ["compare", "--budget", "0.0001", "--queries-to-run", "0,1"];
    let (code, out, _) = folder.lab(&[&line[..], &ALL_EQUAL].concat());
    assert_eq!(code, 2, "nothing was judged");
    assert!(out.contains("2 not tested"), "{out}");
    let (_, runs, _) = folder.read(&["runs"]);
    assert!(runs.contains("partial"), "{runs}");
    // Options that are given again go over those of the stopped run.
    let (code, out, messages) = folder.lab(&["compare", "--resume", "last", "--budget", "10m"]);
    assert_eq!(code, 0, "{out}\n{messages}");
    assert!(out.contains("geometric mean of 2 queries") && !out.contains("not tested"), "{out}");
    let (_, runs, _) = folder.read(&["runs"]);
    assert_eq!(runs.lines().count(), 1, "{runs}");
    assert!(runs.contains("finished"), "{runs}");
    let (_, again, _) = folder.read(&["recompute", "last"]);
    assert!(!again.contains("not tested"), "{again}");
}

#[test]
fn servers_engines_and_drivers_are_measured_alike() {
    let folder = Folder::new("targets");
    let driver = format!("driver:{BINARY} local --path {{path}} --bench-driver");
    for right in ["in-process", driver.as_str()] {
        let (_, out, messages) = folder.lab(&["compare", "--right", right]);
        assert!(out.contains("geometric mean of 2 queries"), "{right}: {out}\n{messages}");
        assert!(out.contains("small #2: broken: "), "{right}: {out}");
    }
}

#[test]
fn rounds_of_equal_sides_add_up() {
    let folder = Folder::new("aa");
    let (code, out, _) = folder.lab(&["aa", "--rounds", "2", "--queries-to-run", "0,1"]);
    assert_eq!(code, 0);
    assert!(out.contains("4 comparisons of equal sides in 2 runs"), "{out}");
    let (_, again, _) = folder.lab(&["aa", "--summary"]);
    assert_eq!(again, out);
    // A round of them is no comparison that could go on.
    let (code, out, messages) = folder.lab(&["compare", "--resume", "last"]);
    assert!(code != 0 && out.is_empty() && messages.contains("begun by `lab aa`"), "{messages}");
    let power = ["power", "--levels", "0,1000", "--queries-to-run", "0,1", "--seed", "3"];
    let (code, out, _) = folder.lab(&power);
    assert_eq!(code, 0);
    assert!(out.contains("truth within the interval"), "{out}");
}

#[test]
fn queries_of_a_suite_are_profiled() {
    let folder = Folder::new("profiles");
    let (code, out, messages) =
        folder.lab(&["profile", "--queries", "--profile-seconds", "0.2", "--functions", "3"]);
    assert!(code == 2 && messages.contains("small #2: ") && messages.contains("nonsense"));
    let lines: Vec<Vec<&str>> = out.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(lines.len(), 2, "{out}{messages}");
    for (number, line) in lines.iter().enumerate() {
        assert_eq!(line[..2], ["small", &number.to_string()]);
        let shares: Vec<f64> = line[3..].iter().step_by(2).map(|p| p.parse().unwrap()).collect();
        assert!(line.len() == 9 && line[2].parse::<f64>().unwrap() > 0.0, "{out}");
        assert!(shares.is_sorted_by(|a, b| a >= b), "{out}");
    }
    assert!(lines[1][4].contains("hash"), "{out}");
}

#[test]
fn tables_have_the_parts_of_their_inserts() {
    let folder = Folder::new("parts");
    let test = |more: &str, parts: u32| {
        let insert = "<fill_query>INSERT INTO t SELECT number FROM numbers(1000)</fill_query>";
        format!(
            "<test>
                <create_query>CREATE TABLE t (k UInt32) ENGINE = MergeTree ORDER BY k</create_query>
                {}{more}
                <query>SELECT throwIf(count() != {parts}) FROM system.parts
                       WHERE active AND table = 't' AND database = currentDatabase()</query>
                <drop_query>DROP TABLE IF EXISTS t</drop_query>
            </test>",
            insert.repeat(12)
        )
    };
    let merge = "<fill_query>OPTIMIZE TABLE t FINAL</fill_query>";
    let merged = folder.0.join("merged.xml");
    std::fs::write(folder.0.join("small.xml"), test("", 12)).unwrap();
    std::fs::write(&merged, test(merge, 1)).unwrap();
    let line = [&["compare", merged.to_str().unwrap()], &ALL_EQUAL[..]].concat();
    let (code, out, messages) = folder.lab(&line);
    assert!(code == 0 && !out.contains("broken"), "{out}{messages}");
}

#[test]
fn servers_of_a_killed_laboratory_end_with_the_next_one() {
    let folder = Folder::new("orphan");
    let dir = folder.0.join("lab");
    let mut killed = Command::new(BINARY)
        .args(["lab", "compare", "--seconds", "60", "--left", BINARY, "--dir"])
        .args([&dir, &folder.0.join("small.xml")])
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let files = || {
        let runs = std::fs::read_dir(dir.join("work")).into_iter().flatten().flatten();
        let files = runs.flat_map(|run| std::fs::read_dir(run.path()).into_iter().flatten());
        files.flatten().map(|file| file.path()).collect::<Vec<_>>()
    };
    let serving = || -> Vec<String> {
        let pids = files().into_iter().filter(|file| file.extension().is_some_and(|e| e == "pid"));
        pids.filter_map(|file| Some(std::fs::read_to_string(file).ok()?.split(' ').next()?.into()))
            .collect()
    };
    // Both sides: stage 1 has begun.
    while serving().len() < 2 {
        assert!(killed.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let servers = serving();
    killed.kill().unwrap();
    killed.wait().unwrap();
    let is_server = |pid: &String| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(dir.to_str().unwrap())
    };
    assert!(servers.iter().all(is_server), "{servers:?}");
    let line = ["compare", "--queries-to-run", "0"];
    let (code, out, messages) = folder.lab(&[&line[..], &ALL_EQUAL].concat());
    assert_eq!(code, 0, "{out}{messages}");
    assert!(!servers.iter().any(is_server), "{servers:?}");
    assert_eq!(files(), Vec::<PathBuf>::new());
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
        (vec!["compare", "--left", BINARY, "--layouts", "2"], "must be git:REV"),
        (vec!["compare", "--left", BINARY, "--queries-to-run", "0,99999"], "has a query 99999"),
        (vec!["aa", "--left", BINARY, "--resume", "last"], "lab aa does not know --resume"),
        (vec!["replay", "--resume", "last"], "lab replay does not know --resume"),
        (vec!["report", "last", "--budget", "9m"], "lab report does not know --budget"),
        (vec!["explode"], "there is compare"),
    ] {
        let (code, _, messages) = lab(&line);
        assert!(code != 0 && messages.contains(part), "{line:?}: {messages}");
    }
    for name in ["recompute", "report", "runs"] {
        let (code, out, messages) = lab(&[name, "--help"]);
        assert!(code == 0 && out.starts_with(&format!("entasis lab {name}")), "{out}{messages}");
        assert!(out.contains("--store") && !out.contains("--budget"), "{out}");
    }
}

#[test]
fn the_commit_of_a_step_is_found() {
    let folder = Folder::new("bisect");
    // Bytes, not seconds: a search is sure of nothing on a machine that does other things.
    let repository = repository(&folder.0, "allocation", &[0, 0, 0, 900, 900, 900]);
    let test = TEST.replace("<query>", "<query metric=\"allocated\">");
    std::fs::write(folder.0.join("small.xml"), test).unwrap();
    let bisect = |more: &[&str]| {
        let done = Command::new(BINARY)
            .args(["lab", "bisect", "--left", "git:HEAD~5", "--right", "git:HEAD"])
            .args(["--build", BUILD, "--queries-to-run", "0", "--pairs", "4", "--runs", "1"])
            .args(["--least-run", "0.001", "--seconds", "0", "--seed", "1"])
            .args(more)
            .arg(folder.0.join("small.xml"))
            .env("XDG_CACHE_HOME", folder.0.join("cache"))
            .current_dir(&repository)
            .output()
            .unwrap();
        [done.stdout, done.stderr].map(|text| String::from_utf8(text).unwrap())
    };
    let [_, messages] = bisect(&["--budget", "0s"]);
    assert!(
        messages.contains("ended after 0 pairs of processes of both ends, too few"),
        "{messages}"
    );
    // What it has no use for is refused, the rest counts.
    let [_, messages] = bisect(&["--versus", "SELECT 1"]);
    assert!(messages.contains("lab bisect does not know --versus"), "{messages}");
    let [_, messages] = bisect(&["--no_such_setting=1"]);
    assert!(messages.contains("no_such_setting"), "{messages}");
    let [_, messages] = bisect(&["--budget", "0s", "--data", "no/such/folder"]);
    assert!(!messages.contains("ended after 0 pairs"), "{messages}");
    let [out, messages] = bisect(&[]);
    let fourth = git(&repository, &["rev-parse", "HEAD~2"]);
    let percent = |line: &str| line.trim_start().split(' ').next()?.parse::<f64>().ok();
    let likeliest = out.lines().find(|line| percent(line).is_some_and(|percent| percent >= 99.0));
    assert!(likeliest.is_some_and(|line| line.contains(&fourth)), "{out}\n{messages}");
}

#[test]
fn a_search_wants_a_line_of_commits_and_enough_pairs() {
    let folder = Folder::new("bisect-ends");
    let repository = repository(&folder.0, "allocation", &[0, 0]);
    let git = |line: &[&str]| git(&repository, line);
    let first = git(&["rev-parse", "HEAD~1"]);
    git(&["branch", "line"]);
    git(&["checkout", "--quiet", "-b", "parted", "HEAD~1"]);
    git(&["commit", "--quiet", "--allow-empty", "-m", "elsewhere"]);
    git(&["checkout", "--quiet", "--orphan", "unrelated"]);
    git(&["commit", "--quiet", "--allow-empty", "-m", "a root"]);
    for (left, right, pairs, wanted) in [
        ("git:parted", "git:line", "4", "no ancestor of line".to_owned()),
        ("git:parted", "git:line", "4", format!("give --left git:{first}, where they parted")),
        ("git:unrelated", "git:line", "4", "that --right is built on".to_owned()),
        ("git:line", "git:line~1", "4", "the good revision comes first".to_owned()),
        ("git:line", "git:line", "4", "the good revision comes first".to_owned()),
        ("git:line~1", "git:line", "3", "give --pairs 4 or more".to_owned()),
    ] {
        let done = Command::new(BINARY)
            .args(["lab", "bisect", "--left", left, "--right", right, "--pairs", pairs])
            .args(["--build", "exit 1", "--queries-to-run", "0"])
            .arg(folder.0.join("small.xml"))
            .current_dir(&repository)
            .output()
            .unwrap();
        let messages = String::from_utf8(done.stderr).unwrap();
        assert!(!done.status.success() && messages.contains(&wanted), "{left}: {messages}");
    }
}

#[test]
fn an_idea_becomes_a_decision_by_its_profile_and_its_figures() {
    let folder = Folder::new("experiment");
    let repository = repository(&folder.0, "time", &[900, 0]);
    let lab = |line: &[&str]| {
        let mut command = Command::new(BINARY);
        command.env("XDG_CACHE_HOME", folder.0.join("cache"));
        let done = command.arg("lab").args(line).current_dir(&repository).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (done.status.code(), text(&done.stdout), text(&done.stderr))
    };
    let workload = "SELECT sum(number % 7) FROM numbers(2000000)";
    let list = format!(
        "no-burning\tburn_planted\tcost_injection.rs:1\ttime\t{workload}\tit burns\n\
         dreams\tnowhere::at_all\tx.rs:1\ttime\t{workload}\tlooks slow\n"
    );
    std::fs::write(repository.join("ideas.tsv"), list).unwrap();
    let (code, out, messages) = lab(&["scan", "ideas.tsv"]);
    assert!(code == Some(0) && out.contains("no profile bears it out"), "{out}{messages}");
    let sides = ["--left=git:HEAD~1", "--right", "git:HEAD", "--build", BUILD];
    let (code, _, messages) = lab(&[&["experiment", "no-burning"], &sides[..]].concat());
    assert!(code != Some(0) && messages.contains("is no candidate"), "{messages}");

    let (_, out, messages) =
        lab(&[&["profile"], &sides[..], &["--profile-seconds", "0.2"]].concat());
    let line =
        |name: &str| out.lines().find(|line| line.starts_with(name)).unwrap_or("").to_owned();
    assert!(line("no-burning: ").ends_with(": candidate"), "{out}{messages}");
    assert!(line("dreams: ").ends_with("no candidate: workload reaches it"), "{out}{messages}");

    let (code, _, messages) =
        lab(&[&["experiment", "no-burning", "--right-settings", "a=1"], &sides[..]].concat());
    assert!(code != Some(0) && messages.contains("differ in code alone"), "{messages}");
    let renamed = ["scan", "--name", "no-burning", "--function", "g", "--workload", workload];
    assert_eq!(lab(&renamed).0, Some(0));
    let (code, _, messages) = lab(&[&["experiment", "no-burning"], &sides[..]].concat());
    assert!(code != Some(0) && messages.contains("another one since its profile"), "{messages}");
    assert_eq!(lab(&["scan", "ideas.tsv"]).0, Some(0));

    let quick = ["--pairs", "5", "--runs", "1", "--first-runs", "2", "--seconds", "0"];
    let line = [&["experiment", "no-burning"], &sides[..], &quick, &["--first-seconds", "0"]];
    let (code, out, messages) = lab(&line.concat());
    assert!(code == Some(0) && out.contains("no-burning: keep: "), "{out}{messages}");
    let left = repository.join("entasis-lab/experiments");
    let read = |name: &str| std::fs::read_to_string(left.join(name)).unwrap();
    assert!(read("results.tsv").contains("\tno-burning\tkeep\ttime\t"));
    assert!(read("no-burning/report.md").contains("## Figures"));
    assert!(read("no-burning/change.diff").contains("-exec"));

    // The script does it again, in a clone that never had the change.
    let again = read("no-burning/replay.sh");
    assert_eq!(again.matches(" --build 'mkdir").count(), 3, "{again}");
    let commands = folder.0.join("commands");
    std::fs::create_dir_all(&commands).unwrap();
    std::os::unix::fs::symlink(BINARY, commands.join("entasis")).unwrap();
    git(&repository, &["branch", "base", "HEAD~1"]);
    git(&folder.0, &["clone", "--quiet", "--single-branch", "-b", "base", "repository", "clone"]);
    let clone = folder.0.join("clone");
    let path = format!("{}:{}", commands.display(), std::env::var("PATH").unwrap());
    let again = Command::new("sh")
        .args([left.join("no-burning/replay.sh")])
        .env("PATH", path)
        .env("XDG_CACHE_HOME", folder.0.join("cache"))
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "test")))
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "test@example.org")))
        .current_dir(&clone)
        .output()
        .unwrap();
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    let results = clone.join("entasis-lab/experiments/results.tsv");
    assert!(std::fs::read_to_string(results).unwrap().contains("\tno-burning\t"));

    // Fewer processes: the same figures, and the table does not admit them.
    let line = [
        &["experiment", "no-burning"],
        &sides[..],
        &quick,
        &["--first-seconds", "0", "--pairs", "2"],
    ];
    let (_, out, _) = lab(&line.concat());
    assert!(out.contains("undecided: would be kept, but not met: five processes"), "{out}");
}
