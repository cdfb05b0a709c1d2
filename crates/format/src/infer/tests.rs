//! Schemas against the oracle's.

use crate::FormatOptions;

fn schema(format: &str, text: &str) -> String {
    match crate::infer_schema(format, text.as_bytes(), true, &FormatOptions::default()) {
        Ok(header) => {
            header.iter().map(|f| format!("{} {}", f.name, f.ty)).collect::<Vec<_>>().join(", ")
        }
        Err(e) => e.to_string(),
    }
}

/// One row; the types alone, without `Nullable` around scalars.
fn types(format: &str, row: &str) -> String {
    let schema = schema(format, &format!("{row}\n"));
    let types = schema.split(", c").map(|f| f.split_once(' ').map_or(f, |p| p.1));
    types.collect::<Vec<_>>().join("; ").replace("Nullable(", "").replace(')', "")
}

#[test]
fn single_values() {
    for (row, want) in [
        (
            "1\tx\t1.5\ttrue\t2020-01-01\t2020-01-01 00:00:00",
            "Int64; String; Float64; Bool; Date; DateTime",
        ),
        ("[1,2]\t\\N\t\t-5\t18446744073709551615", "Array(Int64; String; String; Int64; UInt64"),
        ("1e5\tnan\tinf\tNULL\t+5\t007", "String; Float64; Float64; String; Int64; String"),
        (
            "0x10\t1.5x\t99999999999999999999\tFalse\t2020-01-01T00:00:00",
            "String; String; String; Bool; DateTime",
        ),
        ("2020-1-1\t1.\t.5\t-\t20200101", "Date; Float64; Float64; String; Int64"),
        (
            "['a','b']\t[]\t[1,1.5]\t[NULL]\t[[1],[]]",
            "Array(String; String; Array(Float64; String; Array(Array(Int64",
        ),
        ("(1,'a')", "Tuple(Int64, String"),
    ] {
        assert_eq!(types("TSV", row), want, "{row}");
    }
    for (row, want) in [
        ("1,x,1.5,true,2020-01-01,007", "Int64; String; Float64; Bool; Date; Int64"),
        (
            "\"5\",\"2020-01-01\",\"[1,2]\",False,99999999999999999999",
            "String; Date; Array(Int64; String; Float64",
        ),
    ] {
        assert_eq!(types("CSV", row), want, "{row}");
    }
}

#[test]
fn rows_agree() {
    for (a, b, want) in [
        ("1", "1.5", "Float64"),
        ("1", "x", "String"),
        ("1", "\\N", "Int64"),
        ("2020-01-01", "2020-01-01 00:00:00", "DateTime"),
        ("true", "1", "String"),
        ("1", "18446744073709551615", "UInt64"),
        ("\\N", "\\N", "String"),
    ] {
        for format in ["TSV", "CSV"] {
            let got = schema(format, &format!("{a}\n{b}\n"));
            assert_eq!(got, format!("c1 Nullable({want})"), "{format} {a} {b}");
        }
    }
}

#[test]
fn header_lines_are_found() {
    for (format, tab) in [("TSV", '\t'), ("CSV", ',')] {
        let s = |text: &str| schema(format, &text.replace(',', &tab.to_string()));
        assert_eq!(s("a,b\n1,2\n"), "a Nullable(Int64), b Nullable(Int64)");
        assert_eq!(s("a,b\nx,y\n"), "c1 Nullable(String), c2 Nullable(String)");
        assert_eq!(s("a,b\nx,2\n"), "a Nullable(String), b Nullable(Int64)");
        assert_eq!(s("a,1\nb,2\n"), "c1 Nullable(String), c2 Nullable(Int64)");
        assert!(s("1,2\n3\n").starts_with("Code: 636.") && s("").contains("the file is empty"));
        assert!(s("a,a\n1,2\n").contains("Duplicate column name"));
    }
    assert_eq!(schema("TSVWithNames", "a\tb\n1\tx\n"), "a Nullable(Int64), b Nullable(String)");
    assert_eq!(schema("TSVWithNamesAndTypes", "a\tb\nInt8\tString\n"), "a Int8, b String");
    assert_eq!(
        schema("CSVWithNames", "\"a b\",b\n1,x\n"),
        "a b Nullable(Int64), b Nullable(String)"
    );
}

#[test]
fn json_objects() {
    for (text, want) in [
        (
            "{\"a\":1,\"b\":\"x\",\"c\":1.5,\"d\":true,\"e\":\"2020-01-01\",\"g\":null}",
            "a Nullable(Int64), b Nullable(String), c Nullable(Float64), \
             d Nullable(Bool), e Nullable(Date), g Nullable(String)",
        ),
        (
            "{\"h\":[1,2],\"i\":[\"x\"],\"j\":[],\"m\":[[1]],\"o\":[1,null]}",
            "h Array(Nullable(Int64)), i Array(Nullable(String)), j Array(Nullable(String)), \
             m Array(Array(Nullable(Int64))), o Array(Nullable(Int64))",
        ),
        ("{\"a\":1}\n{\"b\":2}", "a Nullable(Int64), b Nullable(Int64)"),
        ("{\"a\":true}\n{\"a\":1}", "a Nullable(Int64)"),
        ("{\"a\":1}\n{\"a\":\"x\"}", "a Nullable(String)"),
        ("[{\"a\":1},{\"a\":2.5}]", "a Nullable(Float64)"),
        ("{\"a\":1e5,\"b\":18446744073709551615}", "a Nullable(Float64), b Nullable(UInt64)"),
        (
            "{\"a\":{\"x\":1}}\n{\"a\":{\"y\":\"s\"}}",
            "a Tuple(x Nullable(Int64), y Nullable(String))",
        ),
        ("{\"k\":[1,\"x\"]}", "k Tuple(Nullable(Int64), Nullable(String))"),
    ] {
        assert_eq!(schema("JSONEachRow", text), want, "{text}");
    }
}
