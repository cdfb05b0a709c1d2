//! Arrow against a stream that the oracle wrote, and by round trips.

use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::*;
use arrow_ipc::writer::StreamWriter;

use crate::testing::{convert, damage, read, schema};

/// `SELECT` of the columns below `FORMAT ArrowStream`; LZ4.
const ORACLE: &[u8] = include_bytes!("oracle.arrows");
const COLUMNS: &str = "u8 UInt8, i16 Int16, s String, fs FixedString(3), arr Array(UInt8), nt \
                       Tuple(a UInt8, b String), n Nullable(UInt8), ns Nullable(String), b Bool, \
                       d Date, f Float32, an Array(Nullable(UInt8))";
const ROW: &str = "1\t-2\tab\tx\\0\\0\t[1,2]\t(1,'x')\t5\t\\N\ttrue\t2020-01-02\t1.5\t[NULL,1]\n";

fn names(format: &str, bytes: &[u8]) -> String {
    let header = schema(format, bytes).unwrap();
    header.iter().map(|f| format!("{} {}", f.name, f.ty)).collect::<Vec<_>>().join(", ")
}

#[test]
fn the_oracles_stream_is_read() {
    assert_eq!(read("ArrowStream", COLUMNS, ORACLE).as_deref(), Ok(ROW));
    assert_eq!(names("ArrowStream", ORACLE), COLUMNS.replace("d Date", "d Date32"));
    let some = "n UInt64, x String, i16 Float64, b Nullable(Bool), ns String";
    assert_eq!(read("ArrowStream", some, ORACLE).as_deref(), Ok("5\t\t-2\ttrue\t\n"));
    let e = read("ArrowStream", "s Int64", ORACLE).unwrap_err();
    assert!(e.contains("column s of type String as Int64"), "{e}");
}

#[test]
fn written_rows_read_back() {
    let columns = format!("{COLUMNS}, t DateTime('UTC'), aa Array(Array(Int64)), g Float64");
    let row = ROW.replace('\n', "\t1970-01-01 00:00:05\t[[],[1,2]]\t-0.5\n");
    let rows = row.repeat(5000);
    for format in ["Arrow", "ArrowStream", "Parquet"] {
        let bytes = convert("TSV", format, &columns, rows.as_bytes()).unwrap();
        assert_eq!(read(format, &columns, &bytes).unwrap(), rows, "{format}");
        let empty = convert("TSV", format, &columns, b"").unwrap();
        assert_eq!(read(format, &columns, &empty).as_deref(), Ok(""), "{format}");
    }
    let bytes = convert("TSV", "Arrow", &columns, rows.as_bytes()).unwrap();
    assert!(names("Arrow", &bytes).starts_with(&COLUMNS.replace("d Date", "d Date32")));
    assert!(names("Arrow", &bytes).contains("t UInt32, aa Array(Array(Int64))"));
    let bytes = convert("TSV", "ArrowStream", "s String", b"a\xFFb\n").unwrap();
    assert_eq!(convert("ArrowStream", "TSV", "s String", &bytes).unwrap(), b"a\xFFb\n");
    assert_eq!(read("ArrowStream", "s String", b"").as_deref(), Ok(""));
    assert!(read("Arrow", "s String", &bytes).unwrap_err().contains("ARROW1"));
}

#[test]
fn what_other_programs_write() {
    let words: DictionaryArray<Int8Type> =
        [Some("a"), None, Some("b"), Some("a")].into_iter().collect();
    let arrays: Vec<(&str, ArrayRef)> = vec![
        ("d", Arc::new(words)),
        ("l", Arc::new(LargeStringArray::from(vec!["x", "", "yy", "z"]))),
        ("v", Arc::new(StringViewArray::from(vec!["short", "longer than twelve", "", "q"]))),
        ("t", Arc::new(TimestampMicrosecondArray::from(vec![0, 1_000_000, 2_500_000, 3]))),
    ];
    let batch = RecordBatch::try_from_iter(arrays).unwrap();
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    let columns = "d Nullable(String), l String, v String, t DateTime('UTC')";
    let want = "a\tx\tshort\t1970-01-01 00:00:00\n\\N\t\tlonger than twelve\t1970-01-01 00:00:01\n\
                b\tyy\t\t1970-01-01 00:00:02\na\tz\tq\t1970-01-01 00:00:00\n";
    assert_eq!(read("ArrowStream", columns, &bytes).as_deref(), Ok(want));
    damage(&bytes, |bytes| {
        let _ = read("ArrowStream", columns, bytes);
    });
}

#[test]
fn damaged_bytes_never_panic() {
    damage(ORACLE, |bytes| {
        let _ = schema("ArrowStream", bytes);
        let _ = read("ArrowStream", COLUMNS, bytes);
    });
}
