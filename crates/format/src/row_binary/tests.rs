//! RowBinary against bytes that the oracle wrote.

use crate::testing::{convert, hex, read, schema};

/// Columns, rows as TSV, and the reference's RowBinary of them.
const CASES: &[(&str, &str, &str)] = &[
    (
        "u8 UInt8, i16 Int16, s String, fs FixedString(3), arr Array(UInt8), t Tuple(UInt8, \
         String), n Nullable(UInt8), ns Nullable(String), b Bool, d Date, dt DateTime('UTC'), f \
         Float32",
        "1\t-2\tab\tx\\0\\0\t[1,2]\t(1,'z')\t5\t\\N\ttrue\t2020-01-02\t2020-01-02 03:04:05\t1.5\n",
        "01feff02616278000002010201017a000501015747a55d0d5e0000c03f",
    ),
    (
        "x Array(Array(UInt8)), y Array(Array(Nullable(UInt8)))",
        "[[],[1,2]]\t[[NULL,1]]\n",
        "02000201020102010001",
    ),
    ("x Nullable(Nothing)", "\\N\n", "01"),
    ("x Tuple(a UInt8, b String)", "(1,'x')\n", "010178"),
    ("x Int64", "3\n", "0300000000000000"),
    ("x Variant(String, UInt64)", "42\nabc\n\\N\n", "01 2a00000000000000 00 03616263 ff"),
    (
        "x LowCardinality(Nullable(String)), y Map(String, UInt8)",
        "q\t{'a':1,'b':2}\n\\N\t{}\n",
        "0001710201610101620201 00",
    ),
    ("x UUID", "00112233-4455-6677-8899-aabbccddeeff\n", "7766554433221100ffeeddccbbaa9988"),
    ("x Decimal(38, 2), y Decimal(9, 2)", "1.5\t1.5\n", "9600000000000000000000000000000096000000"),
    (
        "x Enum8('a' = 1), y DateTime64(3, 'UTC'), z Date32",
        "a\t2020-01-01 00:00:00.123\t1900-01-01\n",
        "01 7be8665e6f010000 219cffff",
    ),
    ("x UInt64", "0\n1\n2\n", "000000000000000001000000000000000200000000000000"),
];

#[test]
fn bytes_are_the_oracles() {
    for (columns, rows, bytes) in CASES {
        let bytes = hex(bytes);
        assert_eq!(
            convert("TSV", "RowBinary", columns, rows.as_bytes()).unwrap(),
            bytes,
            "{columns}"
        );
        let text = convert("RowBinary", "TSV", columns, &bytes).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), *rows, "{columns}");
        for format in ["RowBinaryWithNames", "RowBinaryWithNamesAndTypes"] {
            let written = convert("TSV", format, columns, rows.as_bytes()).unwrap();
            assert!(written.ends_with(&bytes));
            let text = convert(format, "TSV", columns, &written).unwrap();
            assert_eq!(String::from_utf8(text).unwrap(), *rows, "{columns}");
        }
    }
    let columns = "u8 UInt8, dt DateTime('UTC'), t Tuple(UInt8, String)";
    let row = b"1\t1970-01-01 00:00:00\t(1,'z')\n";
    let names = hex("03027538026474017401000000000101 7a");
    assert_eq!(convert("TSV", "RowBinaryWithNames", columns, row).unwrap(), names);
    let types = hex("03027538026474017405 55496e74380f4461746554696d6528275554432729 14 \
         5475706c652855496e74382c20537472696e672901000000000101 7a");
    assert_eq!(convert("TSV", "RowBinaryWithNamesAndTypes", columns, row).unwrap(), types);
}

#[test]
fn headers_and_flags() {
    let read = |format: &str, columns: &str, bytes: &str| read(format, columns, &hex(bytes));
    let both = "a UInt8, b UInt8";
    assert_eq!(read("RowBinaryWithNames", both, "02 0162 0161 0102").as_deref(), Ok("2\t1\n"));
    assert_eq!(read("RowBinaryWithNames", both, "01 0162 07").as_deref(), Ok("0\t7\n"));
    assert_eq!(read("RowBinaryWithNames", both, "").as_deref(), Ok(""));
    let e = read("RowBinaryWithNames", both, "02 0162 0163 0707").unwrap_err();
    assert!(e.starts_with("Code: 626."), "{e}");
    let typed = "02 0162 0161 06 55496e743136 05 55496e7438 010203";
    let got = read("RowBinaryWithNamesAndTypes", "a UInt8, b UInt16", typed);
    assert_eq!(got.as_deref(), Ok("3\t513\n"));
    assert_eq!(read("RowBinaryWithNamesAndTypes", "a UInt8", typed).as_deref(), Ok("3\n"));
    let e = read("RowBinaryWithNamesAndTypes", "a UInt16", typed).unwrap_err();
    assert!(e.contains("Type of 'a' must be UInt16, not UInt8"), "{e}");
    let sample = hex(typed);
    let header = schema("RowBinaryWithNamesAndTypes", &sample);
    let header = header.unwrap();
    assert_eq!((&*header[0].name, header[0].ty.to_string().as_str()), ("b", "UInt16"));
    let e = schema("RowBinary", &sample).unwrap_err();
    assert_eq!(e.code(), entasis_base::codes::BAD_ARGUMENTS);
    let flags = read("RowBinaryWithDefaults", "a UInt8, b String", "0005 01 01 000178");
    assert_eq!(flags.as_deref(), Ok("5\t\n0\tx\n"));
}

#[test]
fn bad_bytes_are_errors() {
    for (columns, bytes, code, part) in [
        ("a UInt32", "0102", 33, "Bytes read: 2. Bytes expected: 4.: (at row 1)"),
        ("a UInt32, b String", "0102030405 61", 33, "(at row 1)\nColumn 1, name: b, type: String"),
        ("a UInt32, b String", "01020304", 32, "end of data"),
        ("a UInt8, b String", "01 00 02 02 61", 33, "(at row 2)\nColumn 1"),
        ("a String", "ffffffffffffffffff01", 131, "18446744073709551615"),
        ("a String", "ffffffffffffffffffff", 131, "maximum"),
        ("a String", "8080808004", 33, "Bytes expected: 1073741824."),
        ("a Array(UInt8)", "ffffffffffffffffff01", 128, "18446744073709551615"),
        ("a Array(UInt64)", "8080808004 00", 33, "Bytes expected: 8589934592."),
        ("a Array(String)", "8080808004 00", 32, "(at row 1)"),
        ("a Array(Tuple())", "03", 48, "take no bytes"),
        ("a Tuple()", "03", 117, "cannot be counted"),
        ("a Nullable(Nothing)", "00", 48, "type Nothing"),
        ("a AggregateFunction(sum, UInt8)", "03", 48, "states"),
    ] {
        let e = read("RowBinary", columns, &hex(bytes)).unwrap_err();
        assert!(e.starts_with(&format!("Code: {code}.")) && e.contains(part), "{columns}: {e}");
    }
    assert_eq!(read("RowBinary", "a Bool", &[2, 0]).as_deref(), Ok("true\nfalse\n"));
    let nulls = read("RowBinary", "a Nullable(UInt8)", &[2, 7, 0, 1]);
    assert_eq!(nulls.as_deref(), Ok("\\N\n\\N\n1\n"));
}

#[test]
fn damaged_bytes_never_panic() {
    for (columns, _, bytes) in CASES {
        crate::testing::damage(&hex(bytes), |bytes| {
            let _ = read("RowBinary", columns, bytes);
        });
        let written = convert("RowBinary", "RowBinaryWithNamesAndTypes", columns, &hex(bytes));
        crate::testing::damage(&written.unwrap(), |bytes| {
            let _ = schema("RowBinaryWithNamesAndTypes", bytes);
            let _ = read("RowBinaryWithNamesAndTypes", columns, bytes);
        });
    }
}

#[test]
fn many_rows_come_out_whole_and_in_segments() {
    use std::fmt::Write;
    let columns = "n UInt64, s String, a Array(UInt16)";
    let mut rows = String::new();
    for i in 0..40_000u64 {
        let _ = writeln!(rows, "{i}\t{}\t[{},7]", "x\\n".repeat((i % 50) as usize), i % 1000);
    }
    let bytes = convert("TSV", "RowBinary", columns, rows.as_bytes()).unwrap();
    assert_eq!(read("RowBinary", columns, &bytes).unwrap(), rows);
    let header = crate::testing::header(columns);
    let options = crate::FormatOptions::default();
    let mut broken = bytes.clone();
    broken.extend_from_slice(&[1, 2]);
    let reader: Box<dyn std::io::Read + Send> = Box::new(std::io::Cursor::new(broken));
    let mut splitter = crate::splitter("RowBinary", &header, reader, &options).unwrap().unwrap();
    let parser = splitter.parser();
    let (mut seen, mut failed) = (0, None);
    while let Some(segment) = splitter.next().unwrap() {
        assert_eq!(segment.first_row, seen);
        match parser.parse(&segment) {
            Ok(chunk) => seen += chunk.rows as u64,
            Err(e) => failed = Some(e.to_string()),
        }
    }
    assert!(failed.unwrap().contains("(at row 40001)"));
}
