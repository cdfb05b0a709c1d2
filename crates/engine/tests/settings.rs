//! Settings in cases that SQL tests cannot express: files, refusals, lists.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;

use entasis_base::{ErrorCode, codes};
use entasis_disk::UserFiles;
use entasis_engine::{Engine, EngineConfig, Session};

/// The answer as text, with commas between columns and semicolons between rows.
fn ask(session: &mut Session, query: &str) -> String {
    let rows = session.execute(query).and_then(|result| result.collect()).expect(query);
    let text = |row: usize| {
        let cell = |c: &entasis_column::Column| match c.value(row) {
            entasis_types::Value::String(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            other => entasis_types::name::literal(&other).trim_end_matches('.').to_string(),
        };
        rows.columns.iter().map(cell).collect::<Vec<_>>().join(",")
    };
    (0..rows.rows).map(text).collect::<Vec<_>>().join(";")
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("entasis-settings-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn session(&self) -> Session {
        entasis_functions::register();
        let files = UserFiles::confined(&self.0).unwrap();
        Engine::open(EngineConfig { files, ..EngineConfig::local(None).unwrap() })
            .unwrap()
            .session()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn code(session: &mut Session, statement: &str) -> ErrorCode {
    let done = session.execute(statement).and_then(|result| result.collect());
    done.map(|_| ()).expect_err(statement).code()
}

#[test]
fn files_obey_the_settings_of_formats() {
    let folder = Folder::new("files");
    let mut session = folder.session();
    let file = |name: &str, text: &str| std::fs::write(folder.0.join(name), text).unwrap();
    file("de.csv", "1;eins\n2;nichts\n");
    let with = "SETTINGS format_csv_delimiter = ';'";
    let query = format!("SELECT c1, c2 FROM file('de.csv') ORDER BY c1 {with}");
    assert_eq!(ask(&mut session, &query), "1,eins;2,nichts");
    let null = "format_csv_null_representation = 'nichts'";
    let structure = "file('de.csv', CSV, 'a Int8, b Nullable(String)')";
    let query = format!("SELECT a FROM {structure} WHERE b IS NULL {with}, {null}");
    assert_eq!(ask(&mut session, &query), "2");
    let query = format!("SELECT b FROM {structure} {with}, input_format_csv_skip_first_lines = 1");
    assert_eq!(ask(&mut session, &query), "nichts");
    let query = "SELECT count() FROM file('de.csv') SETTINGS format_csv_delimiter = ';', \
                 input_format_csv_skip_first_lines = 1";
    assert_eq!(ask(&mut session, query), "1");

    file("rows.json", "{\"a\":1,\"b\":2}\n{\"a\":3,\"c\":4}\n");
    let query = "SELECT sum(a) FROM file('rows.json', JSONEachRow, 'a Int8, b Int8')";
    assert_eq!(ask(&mut session, query), "4");
    let strict = format!("{query} SETTINGS input_format_skip_unknown_fields = 0");
    assert_eq!(code(&mut session, &strict), codes::INCORRECT_DATA);
    let known = "SELECT sum(a) FROM file('rows.json', JSONEachRow, 'a Int8, b Int8, c Int8') \
                 SETTINGS input_format_skip_unknown_fields = 0";
    assert_eq!(ask(&mut session, known), "4");

    let insert = "INSERT INTO FUNCTION file('out.csv', CSV, 'a Int8, b String') SETTINGS \
                  format_csv_delimiter = '|', output_format_csv_crlf_end_of_line = 1 \
                  SELECT 1, 'x'";
    session.execute(insert).unwrap();
    assert_eq!(std::fs::read_to_string(folder.0.join("out.csv")).unwrap(), "1|\"x\"\r\n");
}

#[test]
fn what_does_nothing_is_refused() {
    let mut session = Folder::new("refused").session();
    session.execute("CREATE TABLE t (a Int8) ENGINE = MergeTree ORDER BY a").unwrap();
    session.execute("CREATE TABLE r (a Int8) ENGINE = ReplacingMergeTree ORDER BY a").unwrap();
    for statement in [
        "SELECT 1 SETTINGS dialect = 'kusto'",
        "CREATE TABLE m (a Int8) ENGINE = MergeTree ORDER BY a SETTINGS table_disk = 1",
        "SELECT * FROM t ANY RIGHT JOIN r USING a SETTINGS any_join_distinct_right_table_keys = 1",
    ] {
        assert_eq!(code(&mut session, statement), codes::NOT_IMPLEMENTED, "{statement}");
    }
    session.execute("INSERT INTO t SELECT 1 SETTINGS optimize_on_insert = 0").unwrap();
    assert_eq!(ask(&mut session, "SELECT count() FROM t"), "1");
}

#[test]
fn the_lists_say_what_each_setting_does() {
    let mut session = Folder::new("lists").session();
    let of = |name: &str| {
        format!("SELECT effect, description != '' FROM system.settings WHERE name = '{name}'")
    };
    assert_eq!(ask(&mut session, &of("join_use_nulls")), "works,1");
    assert_eq!(ask(&mut session, &of("max_insert_threads")), "no effect,1");
    assert_eq!(ask(&mut session, &of("allow_experimental_map_type")), "obsolete,1");
    assert_eq!(ask(&mut session, &of("dialect")), "refused,1");
    let tables = "SELECT effect, count() > 0 FROM system.merge_tree_settings GROUP BY effect \
                  ORDER BY effect";
    assert_eq!(ask(&mut session, tables), "no effect,1;obsolete,1;refused,1;works,1");
    // A statement that fails restores the session's settings.
    assert!(session.execute("TRUNCATE TABLE nowhere SETTINGS max_threads = 3").is_err());
    assert_eq!(
        ask(&mut session, "SELECT changed FROM system.settings WHERE name = 'max_threads'"),
        "0"
    );
    session.execute("SET readonly = 2").unwrap();
    assert_eq!(code(&mut session, "SET readonly = 0"), codes::READONLY);
    session.execute("SET readonly = 2").unwrap();
}

#[test]
fn json_ends_with_what_a_query_read() {
    let session = &mut Folder::new("statistics").session();
    let mut document = |settings: &str| {
        let query = format!("SELECT number FROM numbers(7) FORMAT JSON SETTINGS {settings}");
        let mut result = session.execute(&query).unwrap();
        let options = session.output_options(&result);
        let mut format = entasis_format::output("JSON", &result.header, &options).unwrap();
        let mut out = Vec::new();
        format.start(&mut out).unwrap();
        while let Some(chunk) = result.next_chunk().unwrap() {
            format.write(&chunk, &mut out).unwrap();
        }
        format.finish(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let with = document("output_format_write_statistics = 1");
    assert!(with.contains("\"elapsed\": "), "{with}");
    assert!(with.contains("\"rows_read\": 7,"), "{with}");
    assert!(!document("output_format_write_statistics = 0").contains("statistics"));
}

#[test]
fn files_that_do_not_exist_and_files_that_do() {
    let folder = Folder::new("other_files");
    let mut session = folder.session();
    let missing = "SELECT count() FROM file('none.csv', CSV, 'a Int8')";
    assert_eq!(code(&mut session, missing), codes::FILE_DOESNT_EXIST);
    let as_empty = format!("{missing} SETTINGS engine_file_empty_if_not_exists = 1");
    assert_eq!(ask(&mut session, &as_empty), "0");

    let insert = |value: u8, settings: &str| {
        format!(
            "INSERT INTO FUNCTION file('a.x.parquet', Parquet, 'a Int8') {settings} SELECT {value}"
        )
    };
    session.execute(&insert(1, "")).unwrap();
    assert_eq!(code(&mut session, &insert(2, "")), codes::CANNOT_APPEND_TO_FILE);
    let others = "SETTINGS engine_file_allow_create_multiple_files = 1";
    session.execute(&insert(2, others)).unwrap();
    session.execute(&insert(3, others)).unwrap();
    let names = "SELECT _file, a FROM file('a*.parquet') ORDER BY a";
    assert_eq!(ask(&mut session, names), "a.x.parquet,1;a.1.x.parquet,2;a.2.x.parquet,3");
}

#[test]
fn settings_may_stand_behind_the_format_of_an_insert() {
    let mut session = Folder::new("behind_format").session();
    session.execute("CREATE TABLE t (a Int8) ENGINE = Memory").unwrap();
    let insert = "INSERT INTO t FORMAT JSONEachRow SETTINGS input_format_skip_unknown_fields = 0 \
                  {\"a\": 1}";
    assert!(session.execute(insert).is_err());
    session.execute("SET allow_settings_after_format_in_insert = 1").unwrap();
    session.execute(insert).unwrap();
    let unknown = insert.replace("{\"a\"", "{\"b\"");
    assert_eq!(code(&mut session, &unknown), codes::INCORRECT_DATA);
    assert_eq!(ask(&mut session, "SELECT sum(a), count() FROM t"), "1,1");
}
