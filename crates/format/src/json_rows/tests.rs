//! JSON rows against the oracle.

use entasis_column::{Field, Header};
use entasis_types::DataType;

use crate::FormatOptions;

fn convert(from: &str, to: &str, columns: &str, text: &str) -> Result<String, String> {
    let DataType::Tuple(tuple) = DataType::parse(&format!("Tuple({columns})")).unwrap() else {
        panic!("a tuple")
    };
    let names = tuple.names.clone().unwrap();
    let fields = names.iter().zip(&tuple.types).map(|(n, t)| Field::new(&**n, t.clone())).collect();
    let header = Header::new(fields);
    let options = FormatOptions::default();
    let bytes = std::io::Cursor::new(text.as_bytes().to_vec());
    let mut reader =
        crate::input(from, &header, Box::new(bytes), &options).map_err(|e| e.to_string())?;
    let mut writer = crate::output(to, &header, &options).unwrap();
    let mut out = Vec::new();
    writer.start(&mut out).unwrap();
    while let Some(chunk) = reader.next(2).map_err(|e| e.to_string())? {
        writer.write(&chunk, &mut out).unwrap();
    }
    writer.finish(&mut out).unwrap();
    Ok(String::from_utf8_lossy(&out).into_owned())
}

#[test]
fn values_as_the_oracle_reads_them() {
    let both = "a Int32, b String";
    for (columns, text, want) in [
        (both, r#"{"b":"x","a":1}{"a":2}"#, "1\tx\n2\t\n"),
        (both, "{}\n{\"a\":null,\"b\":null}\n", "0\t\n0\t\n"),
        (both, r#"{"a":"5","b":7},{"a":1,"z":{"q":[1,"}"]}}"#, "5\t7\n1\t\n"),
        (both, r#"[{"a":1},{"a":2}]"#, "1\t\n2\t\n"),
        (
            both,
            r#"{"a":true,"b":true}{"b":{"x":1}}{"b":[1,2]}{"b":1.50}"#,
            "1\ttrue\n0\t{\"x\":1}\n0\t[1,2]\n0\t1.50\n",
        ),
        (
            both,
            r#"{ "a" : 300000000000 , "b" : "\u0436\ud83d\ude00\n\/" }"#,
            "-647710720\tж😀\\n/\n",
        ),
        ("x Nullable(Int32)", r#"{"x":null}{}{"x":""}"#, "\\N\n\\N\n0\n"),
        (
            "x Array(Nullable(Int32))",
            r#"{"x":[1,null]}{"x":[ ]}{"x":[1,"2"]}{"x":null}"#,
            "[1,NULL]\n[]\n[1,2]\n[]\n",
        ),
        ("x Tuple(Int32,String)", r#"{"x":[1,"x"]}"#, "(1,'x')\n"),
        (
            "x Tuple(p Int32,q String)",
            r#"{"x":{"q":"r","p":1}}{"x":{"q":"r"}}{"x":{"z":1}}"#,
            "(1,'r')\n(0,'r')\n(0,'')\n",
        ),
        (
            "x Bool, y Date, z DateTime('UTC')",
            r#"{"x":true,"y":"2020-01-01","z":"2020-01-01T00:00:00Z"}
               {"x":1,"y":18000,"z":1577836800}"#,
            "true\t2020-01-01\t2020-01-01 00:00:00\ntrue\t2019-04-14\t2020-01-01 00:00:00\n",
        ),
        ("x Float64", r#"{"x":"1.5"}{"x":null}{"x":"nan"}{"x":true}"#, "1.5\n0\nnan\n1\n"),
    ] {
        assert_eq!(convert("JSONEachRow", "TSV", columns, text).as_deref(), Ok(want), "{text}");
    }
    let compact = convert("JSONCompactEachRow", "TSV", both, "[1, \"x\"]\n[2, \"y\"]\n");
    assert_eq!(compact.as_deref(), Ok("1\tx\n2\ty\n"));
}

#[test]
fn errors() {
    let both = "a Int32, b String";
    for (columns, text, code) in [
        (both, r#"{"a":1,"a":2}"#, 117),
        (both, r#"{"a":1.5}"#, 27),
        (both, r#"{"a":"x"}"#, 27),
        (both, r#"{"a":1"#, 33),
        (both, "x", 27),
        (both, r"{'b':1}", 26),
        (both, r#"{"a":1,}"#, 26),
        (both, r#"{"a":1 "b":2}"#, 27),
        (both, r#"{"b":"\ud83d"}"#, 25),
        ("x UInt8", r#"{"x":-1}"#, 72),
        ("x Bool", r#"{"x":"true"}"#, 467),
        ("x Date", r#"{"x":""}"#, 38),
        ("x Array(Int8)", r#"{"x":"[1]"}"#, 130),
    ] {
        let e = convert("JSONEachRow", "TSV", columns, text).unwrap_err();
        assert!(e.starts_with(&format!("Code: {code}.")), "{text}: {e}");
    }
}

#[test]
fn written_rows_read_back() {
    let columns = "n UInt64, s String, x Nullable(String), arr Array(UInt8), t Tuple(UInt8, \
                   String), nt Tuple(a UInt8), bo Bool, d Date, f Float64";
    let row = concat!(
        r#"{"n":18446744073709551615,"s":"a\tb'\"c<&\n\\ж","x":null,"arr":[1,2],"t":[1,"x"],"#,
        r#""nt":{"a":1},"bo":true,"d":"2020-01-01","f":1.5}"#,
        "\n"
    );
    assert_eq!(convert("JSONEachRow", "JSONEachRow", columns, row).as_deref(), Ok(row));
    let document = convert(
        "JSONEachRow",
        "JSON",
        "a Array(Tuple(Int8, String)), c Array(Int8)",
        r#"{"a":[[1,"x"]],"c":[1,2]}"#,
    )
    .unwrap();
    assert_eq!(
        document,
        "{\n\t\"meta\":\n\t[\n\t\t{\n\t\t\t\"name\": \"a\",\n\t\t\t\"type\": \"Array(Tuple(Int8, \
         String))\"\n\t\t},\n\t\t{\n\t\t\t\"name\": \"c\",\n\t\t\t\"type\": \"Ar\
         ray(Int8)\"\n\t\t}\n\
         \t],\n\n\
         \t\"data\":\n\t[\n\t\t{\n\t\t\t\"a\": [\n\t\t\t\t[\n\t\t\t\t\t1\
         ,\n\t\t\t\t\t\"x\"\n\t\t\t\t]\n\
         \t\t\t],\n\
         \t\t\t\"c\": [1,2]\n\t\t}\n\t],\n\n\t\"rows\": 1\n}\n"
    );
    let empty = convert("JSONEachRow", "JSON", "a Int8", "").unwrap();
    assert!(empty.ends_with("\t\"data\":\n\t[\n\n\t],\n\n\t\"rows\": 0\n}\n"), "{empty}");
}

#[test]
fn cells_without_a_value_are_reported() {
    let header = crate::testing::header("a UInt8, b Nullable(UInt8), c String");
    let omitted = |format: &str, bytes: &[u8], options: &FormatOptions| {
        let bytes = Box::new(std::io::Cursor::new(bytes.to_vec()));
        let mut reader = crate::input(format, &header, bytes, options).unwrap();
        let (mut found, mut before) = (Vec::new(), 0);
        while let Some(chunk) = reader.next(2).unwrap() {
            for (column, mask) in reader.omitted() {
                assert_eq!(mask.len(), chunk.rows);
                found.extend(mask.ones().map(|row| (column, before + row)));
            }
            before += chunk.rows;
        }
        found.sort_unstable();
        found
    };
    let of = |format: &str, bytes: &[u8]| omitted(format, bytes, &FormatOptions::default());
    let rows = br#"{"a":1,"b":null,"c":"x"} {"a":null,"c":"x"} {"b":1} {"a":1,"b":2,"c":"x"}"#;
    assert_eq!(of("JSONEachRow", rows), [(0, 1), (0, 2), (1, 1), (2, 2)]);
    assert_eq!(of("JSONEachRow", br#"{"a":1,"b":null,"c":"x"}"#), []);
    assert_eq!(of("CSV", b"1,,\n,\\N,\"\"\n\\N,3,x\n"), [(0, 1), (0, 2), (1, 0), (2, 0)]);
    assert_eq!(of("TSV", b"1\t\\N\t\n\\N\t2\t\\N\n1\t2\tx\n"), [(0, 1), (2, 1)]);
    assert_eq!(
        of("TSVWithNames", b"c\nx\ny\nz\n"),
        [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    );
    assert_eq!(
        of("Values", b"(DEFAULT, DEFAULT, 'x'), (NULL, NULL, NULL)"),
        [(0, 0), (0, 1), (1, 0), (2, 1)]
    );
    assert_eq!(of("TSKV", b"a=1\tc=x\n\n"), [(0, 1), (1, 0), (1, 1), (2, 1)]);
    assert_eq!(of("RowBinaryWithDefaults", b"\x01\x00\x01\x00\x00"), [(0, 0),]);
    assert_eq!(
        of("JSONColumns", br#"{"a":[1,2,3]}"#),
        [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]
    );
    let tsv = FormatOptions { tsv_empty_as_default: true, ..FormatOptions::default() };
    assert_eq!(omitted("TSV", b"1\t\t\n", &tsv), [(1, 0), (2, 0)]);
    let csv = FormatOptions { csv_empty_as_default: false, ..FormatOptions::default() };
    assert_eq!(omitted("CSV", b"1,,\n", &csv), []);
}
