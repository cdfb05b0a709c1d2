//! Over the whole crate: the corpus is parsed, printed, parsed again; what the reference prints is
//! what we print; bad text gives errors that help; no text breaks anything.

use entasis_base::clock::Rng;
use entasis_base::codes;

use crate::ast::{InsertSource, StatementKind};
use crate::*;

const CORPUS: &str = include_str!("tests/corpus.sql");
const ORACLE: &str = include_str!("tests/oracle.tsv");

fn one_line(text: &str) -> String {
    let statement = parse_statement(text).unwrap_or_else(|e| panic!("{text}\n{e}"));
    format_statement(&statement, FormatOptions { one_line: true, ..FormatOptions::default() })
}

#[test]
fn printed_statements_parse_to_equal_trees() {
    let oracle = ORACLE.lines().filter_map(|l| l.split('\t').next());
    for text in CORPUS.lines().chain(oracle).filter(|l| !l.is_empty() && !l.starts_with("--")) {
        let statement = parse_statement(text).unwrap_or_else(|e| panic!("{text}\n{e}"));
        for one_line in [true, false] {
            let printed = format_statement(
                &statement,
                FormatOptions { one_line, ..FormatOptions::default() },
            );
            let again = parse_statement(&printed)
                .unwrap_or_else(|e| panic!("{text}\nprinted as {printed}\n{e}"));
            assert_eq!(statement, again, "{text}\nprinted as {printed}");
        }
    }
}

/// Each line of the file: a statement, a tab, what the reference's formatQuerySingleLine gives.
#[test]
fn statements_are_printed_as_the_reference_prints_them() {
    for line in ORACLE.lines() {
        let (text, expected) = line.split_once('\t').unwrap();
        assert_eq!(one_line(text), expected, "{text}");
    }
}

#[test]
fn column_names_are_the_references() {
    for (text, expected) in [
        ("1+1", "plus(1, 1)"),
        ("count()", "count()"),
        ("count(*)", "count()"),
        ("COUNT(DISTINCT 1)", "COUNTDistinct(1)"),
        (r"'a\'b\n'", r"'a\'b\n'"),
        ("arrayMap(x -> x+1, [1])", "arrayMap(lambda(tuple(x), plus(x, 1)), [1])"),
        ("CAST(1 AS UInt8)", "CAST(1, 'UInt8')"),
        ("1::UInt8", "CAST('1', 'UInt8')"),
        ("-1::Int8", "CAST('-1', 'Int8')"),
        ("[1,2]::Array(UInt8)[1]", "arrayElement(CAST('[1,2]', 'Array(UInt8)'), 1)"),
        ("[1,2]", "[1, 2]"),
        ("[true]", "[1]"),
        ("true", "true"),
        ("(1, 'a')", "(1, 'a')"),
        ("[1, number]", "[1, number]"),
        ("(1,)", "(1)"),
        ("()", "()"),
        ("-number", "negate(number)"),
        ("-(1)", "negate(1)"),
        ("-0.0", "-0."),
        ("1e20", "100000000000000000000."),
        ("1e21", "1e21"),
        ("1e-5", "0.00001"),
        ("1e-7", "1e-7"),
        ("t.1", "tupleElement(t, 1)"),
        ("not 1", "not(1)"),
        ("1 and 2 and 3", "and(1, 2, 3)"),
        ("1 ? 2 : 3", "if(1, 2, 3)"),
        ("case when 1 then 2 end", "multiIf(1, 2, NULL)"),
        ("case 1 when 1 then 2 else 3 end", "caseWithExpression(1, 1, 2, 3)"),
        ("1 in (1,2)", "in(1, (1, 2))"),
        ("1 in (1)", "in(1, 1)"),
        ("interval 1 day", "toIntervalDay(1)"),
        ("1 between 0 and 2", "and(greaterOrEquals(1, 0), lessOrEquals(1, 2))"),
        ("sum(1) filter (where 1)", "sumIf(1, 1)"),
        ("quantile(0.5)(1)", "quantile(0.5)(1)"),
        ("sum(1) over ()", "sum(1) OVER ()"),
        (
            "sum(a) over (partition by a order by a desc rows between 1 preceding and current row)",
            "sum(a) OVER (PARTITION BY a ORDER BY a DESC ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)",
        ),
        ("any(1) ignore nulls", "any(1)"),
        ("`a b`", "a b"),
        ("'a'||'b'||'c'", "concat('a', 'b', 'c')"),
        ("(1 as x)+x", "plus(x, x)"),
        ("1 as x", "x"),
        ("18446744073709551616", "18446744073709552000."),
        ("date_add(day, 1, a)", "plus(a, toIntervalDay(1))"),
        ("position('a' in b)", "position(b, 'a')"),
    ] {
        assert_eq!(column_name(&parse_expression(text).unwrap()), expected, "{text}");
    }
}

#[test]
fn errors_say_where_and_what() {
    for (text, position, parts) in [
        ("SELECT )", 7, &["failed at position 8 (`)`) (line 1, col 8)", "expected expression"][..]),
        ("SELECT a FORM t", 14, &["`t`", "Maybe you meant: FROM"]),
        ("SELCT 1", 0, &["Maybe you meant: SELECT"]),
        ("SELECT 'abc", 7, &["quote is not closed"]),
        ("SELECT 1 /* abc", 9, &["comment is not closed"]),
        ("SELECT 1 FROM", 13, &["end of query", "expected name"]),
        ("SELECT\n  1 +\n", 13, &["(line 3, col 1)"]),
        ("SELECT * FROM a JOIN b", 22, &["ON or USING"]),
        ("CREATE TABLE t (a Int8", 22, &["`,` or `)`"]),
        ("", 0, &["SELECT, INSERT"]),
        ("SELECT 1 WHERE GROUP BY a", 15, &["`GROUP`"]),
    ] {
        let error = parse_statement(text).unwrap_err();
        assert_eq!(error.code(), codes::SYNTAX_ERROR, "{text}");
        assert_eq!(error.position().map(|p| p.start), Some(position), "{text}: {error}");
        for part in parts {
            assert!(error.message().contains(part), "{text}: {error}");
        }
    }
}

/// The deepest nesting that is allowed fits into a thread's default stack, also to drop, print and
/// compare; one more level is an error.
#[test]
fn depth_is_limited_and_fits_the_stack() {
    let run = || {
        let nests: [fn(usize) -> String; 10] = [
            |n| format!("SELECT {}1{}", "(".repeat(n), ")".repeat(n)),
            |n| format!("SELECT {}1{}", "[".repeat(n), "]".repeat(n)),
            |n| format!("SELECT {}1{}", "f(".repeat(n), ")".repeat(n)),
            |n| format!("SELECT {}1{}", "(SELECT ".repeat(n), ")".repeat(n)),
            |n| format!("SELECT 1 FROM {}t{}", "(SELECT 1 FROM ".repeat(n), ")".repeat(n)),
            |n| format!("SELECT 1{}", " + 1".repeat(n)),
            |n| format!("SELECT {}1", "NOT ".repeat(n)),
            |n| format!("SELECT x::{}Int8{}", "Array(".repeat(n), ")".repeat(n)),
            |n| format!("SELECT {}1{}", "CASE WHEN ".repeat(n), " THEN 1 END".repeat(n)),
            |n| format!("SELECT {}1{}", "x IN (SELECT ".repeat(n), ")".repeat(n)),
        ];
        for nest in nests {
            let mut low = 1;
            let mut high = 5000;
            while low < high {
                let middle = usize::midpoint(low, high + 1);
                if parse_statement(&nest(middle)).is_ok() {
                    low = middle;
                } else {
                    high = middle - 1;
                }
            }
            assert!((90..=500).contains(&low), "{low} levels: {}", nest(3));
            let deepest = parse_statement(&nest(low)).unwrap();
            let printed = format_statement(&deepest, FormatOptions::default());
            assert!(deepest.clone() == deepest && !printed.is_empty());
            let error = parse_statement(&nest(low + 1)).unwrap_err();
            assert_eq!(error.code(), codes::TOO_DEEP_RECURSION, "{}", nest(3));
            assert!(parse_statement(&nest(100_000)).is_err());
        }
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap().join().unwrap();
}

#[test]
fn doubling_is_limited() {
    let text = |n| format!("SELECT x{}", " BETWEEN 1 AND 2 IS NULL".repeat(n));
    assert!(parse_statement(&text(8)).is_ok());
    assert_eq!(parse_statement(&text(9)).unwrap_err().code(), codes::TOO_DEEP_RECURSION);
    let nested = format!("SELECT {}1{}", "(SELECT ".repeat(40), ") BETWEEN 1 AND 2".repeat(40));
    assert_eq!(parse_statement(&nested).unwrap_err().code(), codes::TOO_DEEP_RECURSION);
}

#[test]
fn insert_data_is_not_read() {
    let text = "INSERT INTO t (a) VALUES ('\u{0}$ unclosed";
    let statement = parse_statement(text).unwrap();
    let StatementKind::Insert(insert) = statement.kind else { panic!() };
    let InsertSource::Data { format, offset } = insert.source else { panic!() };
    assert_eq!((format.unwrap().as_str(), &text[offset..offset + 3]), ("Values", " ('"));

    let text = "INSERT INTO t FORMAT CSV\n1,2\n3,4";
    let StatementKind::Insert(insert) = parse_statement(text).unwrap().kind else { panic!() };
    let InsertSource::Data { offset, .. } = insert.source else { panic!() };
    assert_eq!(&text[offset..], "1,2\n3,4");
}

#[test]
fn scripts_are_split() {
    let text = "SELECT 1; ; -- x\nINSERT INTO t VALUES (1, ';'),\n(2, 'a''b');SELECT 2\n;\
                INSERT INTO t FORMAT CSV\n1;2\nSELECT 3 FORMAT JSON";
    let found: Vec<_> = parse_statements(text).map(|p| p.unwrap()).collect();
    let texts: Vec<_> = found.iter().map(|p| &text[p.range.clone()]).collect();
    assert_eq!(
        texts,
        [
            "SELECT 1",
            "INSERT INTO t VALUES (1, ';'),\n(2, 'a''b')",
            "SELECT 2",
            "INSERT INTO t FORMAT CSV\n1;2",
            "SELECT 3 FORMAT JSON"
        ]
    );
    assert_eq!(&text[found[1].data.clone().unwrap()], " (1, ';'),\n(2, 'a''b')");
    assert_eq!(&text[found[3].data.clone().unwrap()], "1;2");
    assert!(parse_statements("SELECT 1; SELECT )").last().unwrap().is_err());
    assert!(parse_statements("SELECT 1; SELECT 2").count() == 2);
    assert!(parse_statement("SELECT 1; SELECT 2").is_err());
}

#[test]
fn shells_are_told_enough() {
    assert!(is_complete("select 1;  -- done"));
    assert!(!is_complete("select ';"));
    assert!(!is_complete("select 1 /* ; "));
    assert!(!is_complete("select 1"));
    assert_eq!(statement_kind(" /* x */ WITH 1 AS a SELECT a"), StatementClass::Query);
    assert_eq!(statement_kind("insert"), StatementClass::Insert);
    assert_eq!(statement_kind(" "), StatementClass::Empty);
}

/// Token soup from the corpus's own tokens: never panics, never hangs; what parses can be printed
/// and parsed again to the same tree.
#[test]
fn token_soup() {
    let words: Vec<&str> =
        CORPUS.lines().flat_map(|l| lex(l).into_iter().map(move |t| &l[t.range()])).collect();
    let lines: Vec<&str> = CORPUS.lines().filter(|l| !l.is_empty()).collect();
    let mut rng = Rng::new(20_261_121);
    let mut parsed = 0;
    let mut failures = Vec::new();
    for round in 0..30_000 {
        let mut text = String::new();
        if round % 2 == 0 {
            for _ in 0..rng.below(30) {
                text += words[rng.below(words.len() as u64) as usize];
                text.push(' ');
            }
        } else {
            // A statement with a few tokens dropped, doubled or replaced.
            let line = lines[rng.below(lines.len() as u64) as usize];
            for token in lex(line) {
                match rng.below(24) {
                    0 => {}
                    1 => text += words[rng.below(words.len() as u64) as usize],
                    2 => text += &line[token.range()].repeat(2),
                    _ => text += &line[token.range()],
                }
            }
        }
        let Ok(statement) = parse_statement(&text) else { continue };
        parsed += 1;
        let printed = format_statement(&statement, FormatOptions::default());
        match parse_statement(&printed) {
            Ok(again) if again == statement => {}
            Ok(_) => failures.push(format!("{text}\n  differs as {printed}")),
            Err(e) => failures.push(format!("{text}\n  as {printed}\n  {e}")),
        }
    }
    assert!(failures.is_empty(), "{} of {parsed}\n{}", failures.len(), failures.join("\n"));
    assert!(parsed > 1000, "{parsed}");
}

#[test]
fn random_bytes() {
    let mut rng = Rng::new(7);
    for _ in 0..3000 {
        let bytes: Vec<u8> = (0..rng.below(60)).map(|_| rng.next_u64() as u8).collect();
        let text = String::from_utf8_lossy(&bytes);
        let _ = parse_statement(&text);
        let _ = parse_statement_with(&bytes, ParseOptions::default());
        let covered: usize = lex(&text).iter().map(|t| t.range().len()).sum();
        assert_eq!(covered, text.len());
    }
}

#[test]
fn definitions_are_printed_as_the_reference_prints_them() {
    let options = FormatOptions { one_line: false, ..FormatOptions::default() };
    for (text, printed) in [
        (
            "create view v (x, y) as select 1, 2",
            "CREATE VIEW v\n(x, y\n)\nAS SELECT\n    1,\n    2",
        ),
        (
            "create view v SQL SECURITY INVOKER comment 'x' as (select 1)",
            "CREATE VIEW v\nSQL SECURITY INVOKER\nCOMMENT 'x'\nAS SELECT 1",
        ),
        (
            "create table t engine=Memory as select 1",
            "CREATE TABLE t\nENGINE = Memory\nAS SELECT 1",
        ),
        (
            "create materialized view v engine=Memory populate as select 1",
            "CREATE MATERIALIZED VIEW v\nENGINE = Memory POPULATE\nAS SELECT 1",
        ),
        ("select * from view(select 1)", "SELECT *\nFROM view(\n    SELECT 1\n)"),
        ("with 1 as x select x", "WITH\n    1 AS x\nSELECT x"),
    ] {
        assert_eq!(format_statement(&parse_statement(text).unwrap(), options), printed);
    }
}

#[test]
fn backups_are_printed_as_the_reference_prints_them() {
    for (text, printed) in [
        ("backup table p to File('x')", "BACKUP TABLE p TO File('x')"),
        (
            "backup table d.p as q.r partition 1 to Disk('a', 'b') async",
            "BACKUP TABLE d.p AS q.r PARTITION  1 TO Disk('a', 'b') SETTINGS async = true",
        ),
        (
            "restore table p partitions 1, 2 from Memory('x') settings structure_only=1",
            "RESTORE TABLE p PARTITIONS  1, 2 FROM Memory('x') SETTINGS structure_only = 1",
        ),
        (
            "backup database d as e except tables a, b to Null",
            "BACKUP DATABASE d AS e EXCEPT TABLES a, b TO `Null`",
        ),
        (
            "backup all except databases a, b to File('x')",
            "BACKUP ALL EXCEPT DATABASES a,b TO File('x')",
        ),
        (
            "restore all except tables a.b from File('x')",
            "RESTORE ALL EXCEPT TABLE a.b FROM File('x')",
        ),
        (
            "backup temporary table t, view v, dictionary d to File('x') sync",
            "BACKUP TEMPORARY TABLE t, TABLE v, TABLE d TO File('x') SETTINGS async = false",
        ),
        (
            "backup table p on cluster c to File('x') settings base_backup = File('y'), id = 'z'",
            "BACKUP TABLE p ON CLUSTER c TO File('x') SETTINGS base_backup = File('y'), id = 'z'",
        ),
        (
            "backup function f, table t partition id 'a' to Null",
            "BACKUP FUNCTION f, TABLE t PARTITION  ID 'a' TO `Null`",
        ),
    ] {
        let statement = parse_statement(text).unwrap();
        let shown = format_statement(&statement, FormatOptions::default());
        assert_eq!(shown.replace('\n', " "), printed);
        assert_eq!(parse_statement(&shown).unwrap(), statement);
    }
    for text in [
        "backup to Null",
        "backup table t",
        "restore table t to Null",
        "backup all except t to Null",
    ] {
        assert_eq!(parse_statement(text).unwrap_err().code(), codes::SYNTAX_ERROR, "{text}");
    }
}
