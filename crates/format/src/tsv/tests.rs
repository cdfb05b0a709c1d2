//! TSV against the oracle, the real rows, and cut streams.

use std::io::Read;
use std::path::{Path, PathBuf};

use entasis_base::clock::Rng;
use entasis_column::{Chunk, Field, Header};
use entasis_types::DataType;

use crate::{Compression, FormatOptions};

fn header(columns: &str) -> Header {
    let DataType::Tuple(tuple) = DataType::parse(&format!("Tuple({columns})")).unwrap() else {
        panic!("a tuple")
    };
    let names = tuple.names.clone().unwrap();
    Header::new(names.iter().zip(&tuple.types).map(|(n, t)| Field::new(&**n, t.clone())).collect())
}

/// Hands out a few bytes at a time.
struct Dribble(Vec<u8>, usize, Rng);

impl Read for Dribble {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let left = self.0.len() - self.1;
        let len = (1 + self.2.below(7) as usize).min(left).min(out.len());
        out[..len].copy_from_slice(&self.0[self.1..self.1 + len]);
        self.1 += len;
        Ok(len)
    }
}

fn write(format: &str, header: &Header, chunks: &[Chunk]) -> Vec<u8> {
    let mut writer = crate::output(format, header, &FormatOptions::default()).unwrap();
    let mut out = Vec::new();
    writer.start(&mut out).unwrap();
    for chunk in chunks {
        writer.write(chunk, &mut out).unwrap();
    }
    writer.finish(&mut out).unwrap();
    out
}

fn read(format: &str, columns: &str, text: &str) -> Result<String, String> {
    let header = header(columns);
    let options = FormatOptions::default();
    let bytes = Dribble(text.as_bytes().to_vec(), 0, Rng::new(text.len() as u64));
    let mut reader =
        crate::input(format, &header, Box::new(bytes), &options).map_err(|e| e.to_string())?;
    let mut chunks = Vec::new();
    while let Some(chunk) = reader.next(2).map_err(|e| e.to_string())? {
        chunks.push(chunk);
    }
    Ok(String::from_utf8_lossy(&write("TSV", &header, &chunks)).into_owned())
}

#[test]
fn values_as_the_oracle_reads_them() {
    for (columns, text, want) in [
        ("a Int8", "300\n-129\n+5\n007\n\n-\n\\N\n1", "44\n127\n5\n7\n0\n0\n0\n1\n"),
        ("a UInt64", "18446744073709551616\n+1\n", "0\n1\n"),
        (
            "a Float64",
            "1.5\nnan\n-inf\nInfinity\n1e400\n.5\n5.\n+1\n",
            "1.5\nnan\n-inf\ninf\ninf\n0.5\n5\n1\n",
        ),
        ("a Bool", "true\n0\nTRUE\nyes\noff\n", "true\nfalse\ntrue\ntrue\nfalse\n"),
        (
            "a Date",
            "2020-1-2\n20200102\n2020-13-01\n2200-01-01\n1969-01-01\n",
            "2020-01-02\n2020-01-02\n1970-01-01\n2149-06-06\n1970-01-01\n",
        ),
        (
            "a DateTime('UTC')",
            "2020-01-02T03:04:05\n1577934245\n2020-01-02\n20200102030405\n2200-01-01 00:00:00\n",
            "2020-01-02 03:04:05\n2020-01-02 03:04:05\n2020-01-02 00:00:00\n\
             2020-01-02 03:04:05\n2106-02-07 06:28:15\n",
        ),
        (
            "x String",
            "a\\tb\\nc\\\\d\\'e\\0f\\x41\\q\\Nx\n\\N\na\\\nb\n",
            "a\\tb\\nc\\\\d\\'e\\0fA\\\\qx\n\na\\nb\n",
        ),
        ("x Nullable(String)", "\\N\n\\Nx\nNULL\n\n", "\\N\nx\nNULL\n\n"),
        ("x Nullable(Int32)", "\\N\n1\n\n", "\\N\n1\n0\n"),
        ("x FixedString(3)", "ab\n\n", "ab\\0\n\\0\\0\\0\n"),
        ("x Array(Int32)", "[ 1 , 2 ]\n[1,,2]\n[1,]\n[]\n", "[1,2]\n[1,0,2]\n[1]\n[]\n"),
        ("x Array(Nullable(String))", "['a''b',NULL,'c\\'d']\n", "['a\\'b',NULL,'c\\'d']\n"),
        (
            "x Array(Date), y Array(Bool)",
            "['2020-01-01']\t[true,0,FALSE]\n",
            "['2020-01-01']\t[true,false,false]\n",
        ),
        ("x Tuple(Int32,String), y Tuple(z Int8)", "( 1 , 'a' )\t(1,)\n", "(1,'a')\t(1)\n"),
        ("x Array(Array(Int8)), y Int8", "[[1],[]]\t5", "[[1],[]]\t5\n"),
    ] {
        assert_eq!(read("TSV", columns, text).as_deref(), Ok(want), "{columns}");
    }
}

#[test]
fn errors_as_the_oracle_words_them() {
    for (columns, text, code, part) in [
        (
            "a Int8",
            "abc\n",
            27,
            "expected '\\n' before: 'abc\\n' (at row 1)\n: \nRow 1:\nColumn 0\
            ,   name: a, type: Int8, \
             ERROR: text \"abc<LINE FEED>\" is not like Int8",
        ),
        (
            "a Int8",
            "1\n1x\n",
            27,
            "expected '\\n' before: 'x\\n' (at row 2)\n: \nRow 2:\nColumn 0,   n\
            ame: a, type: Int8, \
             parsed text: \"1\"\nERROR: garbage after Int8: \"x<LINE FEED>\"",
        ),
        ("a Float64", "\n", 72, "Cannot read floating point value here:  (at row 1)"),
        ("a Bool", "2\n", 467, "Cannot parse boolean value here"),
        ("a Date", "abc\n", 38, "Cannot parse date"),
        ("a DateTime", "abc\n", 41, "Cannot read DateTime"),
        ("a FixedString(3)", "abcd\n", 131, "Too large value for FixedString(3)"),
        ("a Array(Int32)", "1,2\n", 130, "Array does not start with '[' character"),
        ("a Array(Int32)", "[1 2]\n", 130, "found '2'"),
        ("a Array(String)", "[a]\n", 26, "expected opening quote ''', got 'a'"),
        ("a Int32, b String", "1\n", 27, "expected '\\t' before: '\\n' (at row 1)"),
        ("a Int32, b String", "1\tx\ty\n", 27, "expected '\\n' before: '\\ty\\n'"),
        ("a Int32, b String", "1\tx\r\n", 117, "carriage return"),
        ("a Nullable(Int32)", "NULL\n", 27, "expected '\\n' before: 'NULL\\n'"),
    ] {
        let e = read("TSV", columns, text).unwrap_err();
        assert!(e.starts_with(&format!("Code: {code}.")) && e.contains(part), "{columns}: {e}");
    }
}

#[test]
fn names_and_types_in_the_file() {
    let both = "a Int32, b String";
    assert_eq!(read("TSVWithNames", both, "b\ta\nx\t1\n").as_deref(), Ok("1\tx\n"));
    assert_eq!(read("TSVWithNames", both, "b\tc\nx\t[1\\t\n").as_deref(), Ok("0\tx\n"));
    assert_eq!(read("TSVWithNames", both, "").as_deref(), Ok(""));
    assert!(read("TSVWithNames", both, "a\ta\nx\t1\n").unwrap_err().contains("Duplicate field"));
    let typed = "b\ta\nString\tInt32\nx\t1\n";
    assert_eq!(read("TSVWithNamesAndTypes", both, typed).as_deref(), Ok("1\tx\n"));
    let e = read("TSVWithNamesAndTypes", both, "b\ta\nString\tInt64\nx\t1\n").unwrap_err();
    assert!(e.contains("Type of 'a' must be Int32, not Int64"), "{e}");
    assert_eq!(read("TSV", both, "b\ta\nx\t1\n").as_deref(), Ok("1\tx\n"));
    let raw = read("TSVRaw", "x String, y Nullable(String), z Int8", "a\\tb\t\\N\t5\n");
    assert_eq!(raw.as_deref(), Ok("a\\\\tb\t\\N\t5\n"));
    let header = header("a Int32, `b\tc` DateTime('UTC')");
    assert_eq!(
        write("TSVWithNamesAndTypes", &header, &[]),
        b"a\tb\\tc\nInt32\tDateTime(\\'UTC\\')\n"
    );
}

#[test]
fn unknown_formats_get_hints() {
    let e = crate::find("TabSeparatd").err().unwrap();
    assert!(e.code().0 == 73 && e.message().contains("'TabSeparated'"), "{e}");
    assert_eq!(crate::find("Avro").err().unwrap().code().0, 48);
    assert_eq!(crate::find("tsvwithnames").unwrap().name, "TabSeparatedWithNames");
    let reader = Box::new(std::io::empty());
    let e = crate::input("Pretty", &header("a Int8"), reader, &FormatOptions::default());
    assert_eq!(e.err().unwrap().code().0, 85);
}

fn shared_data() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if path.join("hits_sample.tsv.gz").exists() {
        return Some(path);
    }
    println!("skipped: {} has no hits_sample.tsv.gz", path.display());
    None
}

#[test]
fn the_real_rows_come_out_as_they_went_in() {
    let Some(path) = shared_data() else { return };
    let columns = std::fs::read_to_string(path.join("hits_columns.tsv")).unwrap();
    let fields = columns
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(name, ty)| Field::new(name, DataType::parse(ty).unwrap()))
        .collect();
    let header = Header::new(fields);
    let file = std::fs::File::open(path.join("hits_sample.tsv.gz")).unwrap();
    let mut text = Vec::new();
    crate::decompress(Compression::Gzip, Box::new(file), u64::MAX)
        .unwrap()
        .read_to_end(&mut text)
        .unwrap();
    let options = FormatOptions::default();
    let open = || Box::new(std::io::Cursor::new(text.clone()));

    let mut reader = crate::input("TSV", &header, open(), &options).unwrap();
    let (mut chunks, mut rows) = (Vec::new(), 0);
    while let Some(chunk) = reader.next(1000).unwrap() {
        rows += chunk.rows;
        chunks.push(chunk);
    }
    assert_eq!(rows, text.iter().filter(|b| **b == b'\n').count());
    assert!(write("TSV", &header, &chunks) == text, "streamed rows differ");

    let mut splitter = crate::splitter("TSV", &header, open(), &options).unwrap().unwrap();
    let parser = splitter.parser();
    let mut chunks = Vec::new();
    while let Some(segment) = splitter.next().unwrap() {
        assert_eq!(segment.first_row, chunks.iter().map(|c: &Chunk| c.rows as u64).sum::<u64>());
        chunks.push(parser.parse(&segment).unwrap());
    }
    assert!(chunks.len() > 1, "the sample should take several segments");
    assert!(write("TSV", &header, &chunks) == text, "split rows differ");

    let parquet = write("Parquet", &header, &chunks);
    let parquet = Box::new(std::io::Cursor::new(parquet));
    let mut reader = crate::input("Parquet", &header, parquet, &options).unwrap();
    let mut back = Vec::new();
    while let Some(chunk) = reader.next(8192).unwrap() {
        back.push(chunk);
    }
    assert!(write("TSV", &header, &back) == text, "rows through Parquet differ");
}
