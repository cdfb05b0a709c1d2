use std::fs;
use std::os::unix::fs::symlink;

use super::*;
use crate::tests::TempDir;

/// root/{f1.csv, f2.csv, .h.csv, a/{g.csv, b/h.csv}, in -> a, out -> .., passwd -> /etc/passwd,
/// nowhere -> missing, loop -> .}, and a file beside the root.
fn tree() -> (TempDir, PathBuf) {
    let dir = TempDir::new();
    let root = dir.0.join("root");
    fs::create_dir_all(root.join("a/b")).unwrap();
    fs::write(dir.0.join("secret"), "secret").unwrap();
    for file in ["f1.csv", "f2.csv", ".h.csv", "a/g.csv", "a/b/h.csv"] {
        fs::write(root.join(file), file).unwrap();
    }
    symlink("a", root.join("in")).unwrap();
    symlink("..", root.join("out")).unwrap();
    symlink("/etc/passwd", root.join("passwd")).unwrap();
    symlink("missing", root.join("nowhere")).unwrap();
    symlink(".", root.join("loop")).unwrap();
    (dir, root)
}

#[test]
fn nothing_leads_out() {
    let (dir, root) = tree();
    let files = UserFiles::confined(&root).unwrap();
    let inside = root.to_string_lossy().into_owned();
    for path in [
        "../secret",
        "a/../../secret",
        "out/secret",
        "in/../../secret",
        "loop/out/secret",
        "passwd",
        "/etc/passwd",
        "/proc/self/root/etc/passwd",
        &format!("{inside}/../secret"),
        &format!("{inside}extra/../secret"),
        "..",
        "/",
    ] {
        let read = files.open(path).unwrap_err();
        assert_eq!(read.code(), codes::DATABASE_ACCESS_DENIED, "{path}: {read}");
        assert_eq!(files.read_to_end(path, 9).unwrap_err().code(), codes::DATABASE_ACCESS_DENIED);
        let made = files.create(path, CreateMode::Replace).unwrap_err();
        assert_eq!(made.code(), codes::DATABASE_ACCESS_DENIED, "{path}: {made}");
        assert!(files.glob(path).is_err(), "{path}");
        assert!(files.info(path).is_err(), "{path}");
    }
    assert!(files.create("out/new", CreateMode::New).is_err());
    assert!(files.create("../new", CreateMode::New).is_err());
    assert!(!dir.0.join("new").exists());
    assert_eq!(fs::read(dir.0.join("secret")).unwrap(), b"secret");
    assert!(files.open("nul\0byte").is_err());
    for pattern in ["../*", "out/*", "out/**", "a/../../s*", "/etc/*", "*/../../s*"] {
        let code = files.glob(pattern).unwrap_err().code();
        assert_eq!(code, codes::DATABASE_ACCESS_DENIED, "{pattern}");
    }
    assert!(files.glob("{..,a}/secret").is_err());
    assert_eq!(files.glob("*/secret").unwrap(), [""; 0]);
    assert_eq!(files.glob("*/passwd").unwrap(), [""; 0]);
    assert_eq!(files.glob("*/out/*").unwrap(), [""; 0]);
    assert!(files.glob("**").unwrap().iter().all(|path| !path.contains("secret")));
}

#[test]
fn what_is_inside_works() {
    let (_dir, root) = tree();
    let files = UserFiles::confined(&root).unwrap();
    let absolute = root.join("f1.csv").to_string_lossy().into_owned();
    for path in ["f1.csv", "./f1.csv", "a/../f1.csv", &absolute, "loop/f1.csv", "loop/loop/f1.csv"]
    {
        assert_eq!(files.read_to_end(path, 100).unwrap(), b"f1.csv", "{path}");
    }
    assert_eq!(files.read_to_end("in/g.csv", 100).unwrap(), b"a/g.csv");
    assert_eq!(files.read_to_end("f1.csv", 3).unwrap_err().code(), codes::LIMIT_EXCEEDED);
    assert_eq!(files.open("none").unwrap_err().code(), codes::FILE_DOESNT_EXIST);
    assert!(files.open("a").is_err());
    let mut text = String::new();
    files.open_stream("f2.csv").unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "f2.csv");

    for (mode, wanted) in [
        (CreateMode::New, Some("x")),
        (CreateMode::New, None),
        (CreateMode::Append, Some("xx")),
        (CreateMode::Replace, Some("x")),
    ] {
        match (files.create("a/new", mode), wanted) {
            (Ok(mut file), Some(wanted)) => {
                file.write_all(b"x").unwrap();
                file.commit().unwrap();
                assert_eq!(files.read_to_end("a/new", 9).unwrap(), wanted.as_bytes());
            }
            (Err(e), None) => assert_eq!(e.code(), codes::FILE_ALREADY_EXISTS),
            (done, wanted) => panic!("{mode:?}: {done:?} {wanted:?}"),
        }
    }
    let info = files.info("a/new").unwrap().unwrap();
    assert!((info.len, info.is_dir) == (1, false) && info.modified > 1_600_000_000);
    assert_eq!(files.info("none").unwrap(), None);
}

#[test]
fn pipes_only_when_free() {
    let (_dir, root) = tree();
    let pipe = root.join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let files = UserFiles::confined(&root).unwrap();
    assert!(files.open("pipe").is_err());
    assert!(files.read_to_end("pipe", 9).is_err());
    let free = UserFiles::free(&root);
    let writer = std::thread::spawn(move || fs::write(pipe, "through"));
    assert_eq!(free.read_to_end("pipe", 9).unwrap(), b"through");
    writer.join().unwrap().unwrap();
}

#[test]
fn globs_walk_as_the_reference_does() {
    let (_dir, root) = tree();
    // A walk through links never ends in the reference; here a directory is entered once per path.
    let through_links = "in/b/h.csv in/g.csv";
    for files in [UserFiles::confined(&root).unwrap(), UserFiles::free(&root)] {
        for (pattern, wanted) in [
            ("*.csv", ".h.csv f1.csv f2.csv"),
            ("f{1..2}.csv", "f1.csv f2.csv"),
            ("a/*", "a/g.csv"),
            ("a/**", "a/b/h.csv a/g.csv"),
            ("a/**/*.csv", "a/b/h.csv a/g.csv"),
            ("a/**/h.csv", "a/b/h.csv"),
            ("in/**", through_links),
            ("a/../f*.csv", "f1.csv f2.csv"),
            ("{a,in}/../f1.csv", "f1.csv"),
            ("a/*/../g.csv", "a/g.csv"),
            ("{f1.csv,a/g.csv}", "a/g.csv f1.csv"),
            ("nope*", ""),
            ("none/*", ""),
            ("f1.csv/*", ""),
            ("nowhere*", ""),
            ("a", "a/g.csv"),
            ("f1.csv", "f1.csv"),
        ] {
            assert_eq!(files.glob(pattern).unwrap().join(" "), wanted, "{pattern}");
        }
        let all = files.glob("**/h.csv").unwrap();
        assert!(all.contains(&"a/b/h.csv".to_owned()) && all.contains(&"in/b/h.csv".to_owned()));
        assert_eq!(files.glob("none.csv").unwrap_err().code(), codes::FILE_DOESNT_EXIST);
        let absolute = files.glob(&format!("{}/f*.csv", root.display())).unwrap();
        assert_eq!(absolute, [files.absolute("f1.csv"), files.absolute("f2.csv")]);
    }
}

#[test]
fn steps_refuse_every_link() {
    let (_dir, root) = tree();
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let dir = rustix::fs::open(&root, flags, Mode::empty()).unwrap();
    let open = |path, flags| open_by_steps(&dir, path, flags | OFlags::CLOEXEC, Mode::empty());
    for good in ["f1.csv", "a/g.csv", "a/b/h.csv", "a", "."] {
        assert!(open(good, OFlags::RDONLY).is_ok(), "{good}");
        assert!(open(good, OFlags::PATH).is_ok(), "{good}");
    }
    for bad in ["passwd", "out", "out/secret", "in/g.csv", "loop/f1.csv"] {
        assert_eq!(open(bad, OFlags::RDONLY).unwrap_err(), Errno::LOOP, "{bad}");
        assert_eq!(open(bad, OFlags::PATH).unwrap_err(), Errno::LOOP, "{bad}");
    }
    assert_eq!(open("none/x", OFlags::RDONLY).unwrap_err(), Errno::NOENT);
}

#[test]
fn what_is_not_committed_was_never_there() {
    let (_dir, root) = tree();
    let files = UserFiles::confined(&root).unwrap();
    let names = || fs::read_dir(&root).unwrap().count();
    let before = names();
    for mode in [CreateMode::New, CreateMode::Append, CreateMode::Replace] {
        let path = if mode == CreateMode::New { "fresh" } else { "f1.csv" };
        let mut file = files.create(path, mode).unwrap();
        file.write_all(&vec![b'x'; 1 << 20]).unwrap();
        drop(file);
        assert_eq!(names(), before, "{mode:?}");
        assert_eq!(fs::read(root.join("f1.csv")).unwrap(), b"f1.csv", "{mode:?}");
    }
    // Two that both found nothing: the second must not replace what the first has committed.
    let mut first = files.create("fresh", CreateMode::Append).unwrap();
    let mut second = files.create("fresh", CreateMode::Append).unwrap();
    first.write_all(b"1").unwrap();
    second.write_all(b"2").unwrap();
    assert_eq!(files.info("fresh").unwrap(), None);
    first.commit().unwrap();
    assert_eq!(second.commit().unwrap_err().code(), codes::FILE_ALREADY_EXISTS);
    assert_eq!(fs::read(root.join("fresh")).unwrap(), b"1");
    assert_eq!(names(), before + 1);
    let mut third = files.create("fresh", CreateMode::Replace).unwrap();
    third.write_all(b"3").unwrap();
    third.commit().unwrap();
    assert_eq!(fs::read(root.join("fresh")).unwrap(), b"3");
    for bad in ["a", "a/", "none/x", "", ".", "a/.."] {
        assert!(files.create(bad, CreateMode::Replace).is_err(), "{bad}");
    }
}

#[test]
fn hard_links_are_refused_where_access_is_confined() {
    let (dir, root) = tree();
    fs::hard_link(dir.0.join("secret"), root.join("hard")).unwrap();
    let files = UserFiles::confined(&root).unwrap();
    let error = files.open("hard").unwrap_err();
    assert_eq!(error.code(), codes::DATABASE_ACCESS_DENIED);
    assert!(error.message().contains("hard links"), "{error}");
    assert!(files.read_to_end("hard", 100).is_err());
    assert!(files.create("hard", CreateMode::Append).is_err());
    // A new file takes the name; what the other name stands for stays.
    let mut new = files.create("hard", CreateMode::Replace).unwrap();
    new.write_all(b"new").unwrap();
    new.commit().unwrap();
    assert_eq!(fs::read(dir.0.join("secret")).unwrap(), b"secret");
    assert_eq!(files.read_to_end("hard", 100).unwrap(), b"new");
    assert_eq!(UserFiles::free(&root).read_to_end("f1.csv", 100).unwrap(), b"f1.csv");
}
