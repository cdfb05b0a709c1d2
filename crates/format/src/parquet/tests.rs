//! Round trips of every type, pruning, nulls, damaged files.

use entasis_column::Column;

use super::*;
use entasis_types::Value;

fn column(ty: &DataType, values: &[Value]) -> Column {
    let parts: Vec<Column> = values.iter().map(|v| Column::from_value(ty, v, 1)).collect();
    Column::concat(&parts.iter().collect::<Vec<_>>())
}

fn write(header: &Header, chunk: &Chunk) -> Vec<u8> {
    let mut writer = crate::output("Parquet", header, &FormatOptions::default()).unwrap();
    let mut out = Vec::new();
    writer.start(&mut out).unwrap();
    writer.write(chunk, &mut out).unwrap();
    writer.write(chunk, &mut out).unwrap();
    writer.finish(&mut out).unwrap();
    out
}

fn sample() -> (Header, Chunk) {
    let list = Value::Array([Value::from("x"), Value::Null].into());
    let samples = [
        ("Int16", [Value::Int(-5), Value::Int(300)]),
        ("UInt64", [Value::UInt(u64::MAX), Value::UInt(0)]),
        ("Float64", [Value::Float(1.5), Value::Float(-0.25)]),
        ("String", [Value::string(b"a\xff\xfe"), Value::from("")]),
        ("Nullable(String)", [Value::Null, Value::from("q")]),
        ("Nullable(Int32)", [Value::Int(7), Value::Null]),
        ("FixedString(2)", [Value::from("ab"), Value::from("c")]),
        ("Bool", [Value::UInt(1), Value::UInt(0)]),
        ("Date32", [Value::Int(-18_262), Value::Int(0)]),
        ("DateTime64(3, 'UTC')", [Value::Int(1_577_836_800_123), Value::Int(-1)]),
        ("DateTime64(9, 'UTC')", [Value::Int(1_577_836_800_123), Value::Int(0)]),
        ("Decimal(9, 2)", [Value::Int(-150), Value::Int(0)]),
        ("Decimal(38, 3)", [Value::signed(i128::from(i64::MAX) * 1000), Value::Int(-1)]),
        ("Map(String, UInt8)", {
            let entry = Value::Tuple([Value::from("a"), Value::UInt(1)].into());
            [Value::Array([entry].into()), Value::Array([].into())]
        }),
        ("Array(Nullable(String))", [list, Value::Array([].into())]),
        ("Tuple(a Int8, b String)", {
            let row = |n: i64, s: &str| Value::Tuple([Value::Int(n), Value::from(s)].into());
            [row(1, "x"), row(2, "y")]
        }),
    ];
    let types: Vec<DataType> = samples.iter().map(|s| DataType::parse(s.0).unwrap()).collect();
    let fields =
        types.iter().enumerate().map(|(i, t)| Field::new(format!("c{i}"), t.clone())).collect();
    let columns = types.iter().zip(&samples).map(|(t, s)| column(t, &s.1)).collect();
    (Header::new(fields), Chunk::new(columns, 2))
}

#[test]
fn every_type_round_trips() {
    let (header, chunk) = sample();
    let file = ParquetFile::open(Arc::new(write(&header, &chunk))).unwrap();
    assert_eq!(*file.header(), header);
    assert_eq!((file.row_groups(), file.rows(0), file.total_rows()), (1, 4, 4));
    let mut reader = file.read_row_group(0, &header, &FormatOptions::default()).unwrap();
    for (first, rows) in [(0, 3), (3, 1)] {
        let got = reader.next(3).unwrap().unwrap();
        assert_eq!(got.rows, rows);
        for (i, field) in header.iter().enumerate() {
            for row in 0..rows {
                let want = chunk.columns[i].value((first + row) % 2);
                assert_eq!(got.columns[i].value(row), want, "{}", field.ty);
            }
        }
    }
    assert!(reader.next(3).unwrap().is_none());
}

#[test]
fn wanted_columns_only_in_wanted_order() {
    let (header, chunk) = sample();
    let file = ParquetFile::open(Arc::new(write(&header, &chunk))).unwrap();
    let field = |name: &str, ty: &str| Field::new(name, DataType::parse(ty).unwrap());
    let wanted =
        Header::new(vec![field("c5", "Int64"), field("none", "String"), field("c0", "Int8")]);
    let mut reader = file.read_row_group(0, &wanted, &FormatOptions::default()).unwrap();
    let chunk = reader.next(100).unwrap().unwrap();
    let row = |i: usize| chunk.columns.iter().map(|c| c.value(i)).collect::<Vec<_>>();
    assert_eq!(row(0), [Value::Int(7), Value::from(""), Value::Int(-5)]);
    // Without a caster numbers take the wanted width.
    assert_eq!(row(1), [Value::Int(0), Value::from(""), Value::Int(44)]);
    let strict = FormatOptions { parquet_missing_columns: false, ..FormatOptions::default() };
    assert!(file.read_row_group(0, &wanted, &strict).is_err());
    let nothing = Header::new(vec![]);
    let mut reader = file.read_row_group(0, &nothing, &FormatOptions::default()).unwrap();
    assert_eq!(reader.next(100).unwrap().unwrap().rows, 4);
    assert!(reader.next(100).unwrap().is_none());
}

/// Reads all of a file, which may be damaged.
fn read_all(bytes: Vec<u8>, header: &Header) -> Result<u64> {
    let file = ParquetFile::open(Arc::new(bytes))?;
    let mut rows = 0;
    for group in 0..file.row_groups() {
        let mut reader = file.read_row_group(group, header, &FormatOptions::default())?;
        while let Some(chunk) = reader.next(100)? {
            rows += chunk.rows as u64;
        }
    }
    Ok(rows)
}

#[test]
fn damage_is_an_error() {
    let (header, chunk) = sample();
    let bytes = write(&header, &chunk);
    assert!(ParquetFile::open(Arc::new(bytes[..bytes.len() - 1].to_vec())).is_err());
    assert!(ParquetFile::open(Arc::new(b"PAR1PAR1".to_vec())).is_err());
    assert!(ParquetFile::open(Arc::new(vec![])).is_err());
    // Whatever a byte is changed to, a file is read or refused, and the refusal blames the file.
    for at in 0..bytes.len() {
        for flip in [0x01, 0x80, 0xFF] {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            if let Err(error) = read_all(damaged, &header) {
                assert_ne!(error.code(), codes::LOGICAL_ERROR, "byte {at}: {error}");
            }
        }
    }
    for len in (0..bytes.len()).step_by(7) {
        assert!(read_all(bytes[..len].to_vec(), &header).is_err(), "{len} bytes");
    }
}
