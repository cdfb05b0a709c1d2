//! Reading of performance tests, from files: `good/` expands to `good/expected.tsv` (which
//! `scripts/lab_reference.py` agrees with), each file of `bad/` says in its first line which error
//! it is: line, element (`-`: none) and a part of the message.

use std::path::{Path, PathBuf};

use entasis_base::clock::Rng;
use entasis_lab::measure::Plan;
use entasis_lab::spec::{
    Attributes, Language, Listing, Loaded, Metric, Mode, Options, TestFile, list, load,
};

fn fixtures(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(folder)
}

fn read(path: PathBuf, strict: bool) -> Loaded {
    load(&[path], &Options { strict })
}

fn good(name: &str) -> TestFile {
    let loaded = read(fixtures("good").join(name), true);
    assert_eq!(loaded.errors, []);
    loaded.files.into_iter().next().expect("a file without errors is a test")
}

/// A file that lives as long as the value.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str, contents: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("entasis-lab-{}-{name}", std::process::id()));
        std::fs::write(&path, contents).expect("the temporary folder can be written");
        Self(path)
    }

    fn read(text: &str, strict: bool) -> Loaded {
        let hash = text.bytes().fold(7_u64, |h, b| h.wrapping_mul(31).wrapping_add(u64::from(b)));
        let file = Self::new(&format!("{hash}.xml"), text.as_bytes());
        read(file.0.clone(), strict)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn expansion_is_the_reference_runners() {
    let loaded = read(fixtures("good"), true);
    assert_eq!(loaded.errors, []);
    let names: Vec<&str> = loaded.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["everything", "expansion", "pieces"]);
    let mut listed = Vec::new();
    list(&loaded.files, Listing::Text, &mut listed).unwrap();
    let expected = std::fs::read_to_string(fixtures("good/expected.tsv")).unwrap();
    assert_eq!(String::from_utf8(listed).unwrap(), expected);
}

#[test]
fn every_element_arrives() {
    let test = good("everything.xml");
    let attributes = Attributes {
        max_ignored_relative_change: Some(0.25),
        run_all_queries: true,
        keep_merges_running: true,
        max_query_seconds: Some(30.0),
        requires_s3: false,
        requires_s3_read_dataset: true,
        mode: Mode::Duet,
        threads: Some(2),
    };
    assert_eq!(test.attributes, attributes);
    let settings: Vec<String> = test.settings.iter().map(|(n, v)| format!("{n}={v}")).collect();
    let expected =
        ["max_threads=2", "name=a text", "ratio=0.5", "use_it=true", "max_block_size=100"];
    assert_eq!(settings, expected);
    assert_eq!(test.tables, ["numbers(1)", "hits"]);
    assert_eq!(test.tags, ["long", "strings"]);
    assert!(test.is_long() && test.calibration);
    let setup: Vec<_> =
        test.setup.iter().map(|s| (s.text.as_str(), s.do_not_check_in_pr)).collect();
    let expected = [
        ("SELECT 'a fill before a create'", None),
        ("CREATE TABLE t5 (x UInt8) ENGINE = Memory", Some(77)),
        ("CREATE TABLE t50 (x UInt8) ENGINE = Memory", Some(77)),
        ("INSERT INTO t5 SELECT 1", None),
        ("INSERT INTO t50 SELECT 1", None),
    ];
    assert_eq!(setup, expected);
    let drops = ["DROP TABLE IF EXISTS t5", "DROP TABLE IF EXISTS t50", "DROP TABLE IF EXISTS u"];
    assert_eq!(test.teardown, drops);
}

#[test]
fn attributes_of_queries() {
    let test = good("everything.xml");
    let shorts: Vec<bool> = test.queries.iter().map(|query| query.short).collect();
    assert_eq!(shorts, [true, false, false, false, true]);
    let hashes: Vec<_> = test.queries.iter().map(|query| query.expect.as_deref()).collect();
    assert_eq!(hashes, [Some("0a"), Some("0a"), Some("1"), Some("2"), None]);
    assert_eq!(test.queries[1].tag.as_deref(), Some("of x"));
    assert_eq!(test.queries[1].metric, Metric::Time);
    assert_eq!(test.queries[2].metric, Metric::Memory);
    assert_eq!(test.queries[2].min_effect, Some(0.02));
    assert_eq!(test.queries[4].place.line, 25);
}

#[test]
fn fragments_scripts_and_files() {
    let test = good("pieces.xml");
    let last = test.queries.last().unwrap();
    assert_eq!(last.language, Language::Shell);
    assert!(last.text().contains("{1..3}"));
    assert!(test.queries[..test.queries.len() - 1].iter().all(|q| q.language == Language::Sql));
    let two = &test.queries[4];
    assert_eq!(two.statements, ["SELECT \"left;\" AS a", "SELECT 2 -- left"]);
    assert!(two.short && !test.queries[5].short);
    assert_eq!(two.display_name(), "SELECT \"left;\" AS a;\nSELECT 2 -- left");
    assert_eq!(test.settings, [("max_threads".to_owned(), "3".to_owned())]);
    let setup: Vec<&str> =
        test.setup.iter().map(|setup| setup.text.lines().last().unwrap()).collect();
    assert!(setup[0].ends_with("first (x UInt8) ENGINE = Memory"));
    assert!(
        setup[1].starts_with("CREATE VIEW v_left") && setup[2].starts_with("CREATE VIEW v_right")
    );
    assert_eq!(test.teardown, ["DROP TABLE first", "DROP VIEW v_left", "DROP VIEW v_right"]);
}

#[test]
fn a_fragments_paths_begin_where_it_lies() {
    let folder = std::env::temp_dir().join(format!("entasis-lab-link-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("far")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("far/a.inc", "<fragment><query file=\"a.sql\"/></fragment>");
    write("far/a.sql", "SELECT 'from far'");
    write("a.xml", "<test><include file=\"near.inc\"/></test>");
    std::os::unix::fs::symlink("far/a.inc", folder.join("near.inc")).unwrap();
    let loaded = read(folder.join("a.xml"), true);
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(loaded.errors, []);
    assert_eq!(loaded.files[0].queries[0].text(), "SELECT 'from far'");
}

#[test]
fn merges_go_on_where_somebody_waits_for_them() {
    for (text, expected) in [
        ("<test><query>SELECT 1</query></test>", false),
        ("<test><query>INSERT INTO t SELECT 1</query></test>", false),
        ("<test><query>/* all */ optimize TABLE t FINAL</query></test>", true),
        ("<test><query>ALTER TABLE t DELETE WHERE 1</query></test>", true),
        ("<test keep_merges_running='1'><query>SELECT 1</query></test>", true),
    ] {
        let loaded = Temporary::read(text, true);
        assert_eq!(loaded.errors, []);
        assert_eq!(Plan::new(loaded.files, |_, _| true).merges(), expected, "{text}");
    }
}

#[test]
fn names_are_cut_after_a_thousand_characters() {
    let test = good("expansion.xml");
    let long: Vec<_> = test.queries.iter().filter(|q| q.text().contains("___")).collect();
    assert_eq!(long.len(), 2);
    for query in long {
        let name = query.display_name();
        let (cut, index) = name.split_once("...(").unwrap();
        assert_eq!(cut.chars().count(), 1000);
        assert_eq!(index, format!("{})", query.index));
    }
}

#[test]
fn bad_files_say_where_and_what() {
    let mut seen = 0;
    for entry in std::fs::read_dir(fixtures("bad")).unwrap() {
        let path = entry.unwrap().path();
        let Some(text) = path.is_file().then(|| std::fs::read_to_string(&path).unwrap()) else {
            continue;
        };
        let expected = text.lines().next().unwrap().strip_prefix("<!-- expects ").unwrap();
        let expected = expected.strip_suffix(" -->").unwrap();
        let [line, element, message] = expected.splitn(3, ' ').collect::<Vec<_>>()[..] else {
            panic!("{path:?}")
        };
        let loaded = read(path.clone(), false);
        assert!(
            loaded.files.is_empty() && loaded.errors.len() == 1,
            "{path:?}: {:?}",
            loaded.errors
        );
        let error = &loaded.errors[0];
        assert_eq!(error.place.line.to_string(), line, "{error}");
        assert_eq!(error.element.as_deref().unwrap_or("-"), element, "{error}");
        assert!(error.message.contains(message), "{error}");
        seen += 1;
    }
    assert!(seen >= 42, "{seen}");
}

#[test]
fn bad_files_do_not_stop_others() {
    let good = fixtures("good/expansion.xml");
    let paths = [fixtures("bad"), fixtures("absent.xml"), good.clone(), good];
    let loaded = load(&paths, &Options::default());
    assert_eq!(loaded.files.len(), 1);
    assert!(
        loaded.errors.iter().any(|error| error.to_string().contains("absent.xml: cannot be read"))
    );
    let twice = loaded.errors.last().unwrap();
    assert!(twice.message.contains("results are filed by name"), "{twice}");
}

#[test]
fn what_is_unknown_warns_or_fails() {
    for (text, line, element, message) in [
        ("<test>\n<fill>1</fill><query>1</query></test>", 2, "fill", "unknown element in <test>"),
        ("<test colour='x'><query>1</query></test>", 1, "test", "unknown attribute `colour`"),
        ("<test><query shot='1'>1</query></test>", 1, "query", "unknown attribute `shot`"),
        ("<test>text<query>1</query></test>", 1, "test", "text here is not read"),
        ("<test><query>1</query>text</test>", 1, "test", "text after a child"),
        ("<test><query>1<b/></query></test>", 1, "b", "unknown element in <query>"),
        ("<test><query type='sh'>1</query></test>", 1, "query", "unknown type `sh`"),
        ("<test/>", 1, "test", "nothing to measure"),
        (
            "<test><settings><a b='1'>1</a></settings><query>1</query></test>",
            1,
            "a",
            "attribute `b`",
        ),
        ("<test xmlns:x='u'><x:tag/><query>1</query></test>", 1, "{u}tag", "unknown element"),
    ] {
        let loaded = Temporary::read(text, false);
        assert_eq!(
            (loaded.files.len(), loaded.errors.len()),
            (1, 0),
            "{text}: {:?}",
            loaded.errors
        );
        let warning = &loaded.warnings[0];
        let found = (warning.place.line, warning.element.as_deref().unwrap());
        assert_eq!((found, loaded.warnings.len()), ((line, element), 1), "{warning}");
        assert!(warning.message.contains(message), "{warning}");
        let strict = Temporary::read(text, true);
        assert_eq!((strict.files.len(), strict.errors.len(), strict.warnings.len()), (0, 1, 0));
    }
}

#[test]
fn an_empty_value_is_pythons_none() {
    let text = "<test><substitutions><substitution><name>a</name><values><value/></values>\
                </substitution></substitutions><query>{a}</query></test>";
    let loaded = Temporary::read(text, false);
    assert_eq!(loaded.files[0].queries[0].text(), "None");
    assert!(loaded.warnings[0].message.contains("None"));
}

#[test]
fn bytes_that_are_no_text_have_a_place() {
    let file = Temporary::new("latin.xml", b"<test>\n <query>\xc3\xa9 \xe9</query></test>");
    let error = &read(file.0.clone(), false).errors[0];
    assert!(error.to_string().contains("latin.xml:2:11: is not UTF-8"), "{error}");
}

/// Whatever the bytes, there is a test or an error, soon.
#[test]
fn any_bytes_are_answered() {
    let mut rng = Rng::new(20);
    let seeds: Vec<Vec<u8>> = ["everything.xml", "expansion.xml", "pieces.xml"]
        .iter()
        .map(|name| std::fs::read(fixtures("good").join(name)).unwrap())
        .collect();
    let tokens: &[&[u8]] = &[
        b"{",
        b"}",
        b"<",
        b">",
        b"</",
        b"{n",
        b"<!--",
        b"<![CDATA[",
        b"]]>",
        b"&lt;",
        b"&#0;",
        b"\"",
        b"'",
        b"\xff",
        b"<include file=\"x\"/>",
        b"short=\"((((\"",
        b"{a:>999999}",
        b"\0",
        b"\xef\xbb\xbf",
    ];
    let mut tests = 0;
    for round in 0..6000 {
        let mut bytes = match round % 4 {
            0 => (0..rng.below(60)).map(|_| rng.next_u64() as u8).collect(),
            seed => seeds[seed - 1].clone(),
        };
        for _ in 0..=rng.below(4) {
            let at = rng.below(bytes.len() as u64 + 1) as usize;
            let end = (at + rng.below(40) as usize).min(bytes.len());
            match rng.below(3) {
                0 => drop(bytes.drain(at..end)),
                1 => bytes.extend_from_within(at..end),
                _ => {
                    let token = tokens[rng.below(tokens.len() as u64) as usize];
                    bytes.splice(at..at, token.iter().copied());
                }
            }
        }
        let file = Temporary::new("any.xml", &bytes);
        let loaded = read(file.0.clone(), false);
        assert_eq!(loaded.files.is_empty(), !loaded.errors.is_empty());
        for query in loaded.files.iter().flat_map(|file| file.queries.iter().enumerate()) {
            assert_eq!(query.0, query.1.index);
            tests += 1;
        }
    }
    assert!(tests > 1000, "{tests}: the mutations leave too little to test");
}

/// The files of `tests/performance` are good, to the last attribute.
#[test]
fn our_own_tests_are_good() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/performance");
    let loaded = read(folder, true);
    assert_eq!(loaded.errors, []);
    let queries: usize = loaded.files.iter().map(|file| file.queries.len()).sum();
    assert!(loaded.files.len() >= 60 && queries >= 600, "{} {queries}", loaded.files.len());
    assert_eq!(loaded.files.iter().filter(|file| file.calibration).count(), 1);
}

/// Every test that the table of topics names is there, and every query with a reason.
#[test]
fn topics_and_reasons_name_what_there_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let loaded = read(root.join("tests/performance"), true);
    let queries = |test: &str| {
        let file = loaded.files.iter().find(|file| file.name == test);
        file.map(|file| file.queries.len())
    };
    let topics = std::fs::read_to_string(root.join("docs/performance-topics.md")).unwrap();
    let covered = topics.split("## Not covered").next().unwrap();
    let rows: Vec<&str> = covered.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    assert!(rows.len() > 200, "{}", rows.len());
    for row in rows {
        let test = row.split('|').nth(2).unwrap().trim();
        assert!(queries(test).is_some(), "{row}");
    }
    let reasons = std::fs::read_to_string(root.join("tests/performance/peers.tsv")).unwrap();
    for line in reasons.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let [test, number, _reason] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("a line is test, number and reason: {line}")
        };
        let count = queries(test).unwrap_or_else(|| panic!("there is no such test: {line}"));
        let found = number == "*" || number.parse::<usize>().unwrap() < count;
        assert!(found, "there is no such query: {line}");
    }
}
