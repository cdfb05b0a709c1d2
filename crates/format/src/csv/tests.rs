//! CSV against the oracle.

use entasis_column::{Field, Header};
use entasis_types::DataType;

use crate::FormatOptions;

fn read(format: &str, columns: &str, text: &str) -> Result<String, String> {
    let DataType::Tuple(tuple) = DataType::parse(&format!("Tuple({columns})")).unwrap() else {
        panic!("a tuple")
    };
    let names = tuple.names.clone().unwrap();
    let fields = names.iter().zip(&tuple.types).map(|(n, t)| Field::new(&**n, t.clone())).collect();
    let header = Header::new(fields);
    let options = FormatOptions::default();
    let bytes = std::io::Cursor::new(text.as_bytes().to_vec());
    let mut reader =
        crate::input(format, &header, Box::new(bytes), &options).map_err(|e| e.to_string())?;
    let mut writer = crate::output("TSV", &header, &options).unwrap();
    let mut out = Vec::new();
    while let Some(chunk) = reader.next(2).map_err(|e| e.to_string())? {
        writer.write(&chunk, &mut out).unwrap();
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

#[test]
fn values_as_the_oracle_reads_them() {
    let all = "a Int32, b String, c Nullable(Int32), d Array(String), e Date, g Bool";
    for (columns, text, want) in [
        (all, "1,x,2,\"['p']\",2020-01-01,true\n", "1\tx\t2\t['p']\t2020-01-01\ttrue\n"),
        (
            all,
            "\"1\",\"a\"\"b\",\"3\",\"['a,''b']\",2020-01-01,0\r\n",
            "1\ta\"b\t3\t['a,\\'b']\t2020-01-01\tfalse\n",
        ),
        (all, "1, \"x y\" ,,\"[]\",2020-01-01,true\n", "1\tx y\t\\N\t[]\t2020-01-01\ttrue\n"),
        (all, ",,,,,\n", "0\t\t\\N\t[]\t1970-01-01\tfalse\n"),
        (
            "x String",
            "abc\n'abc'\n abc \n\" abc \"\n\"\"\n\"a\nb\"\na\"b\n",
            "abc\n\\'abc\\'\nabc\n abc \n\na\\nb\na\"b\n",
        ),
        ("x String", "a\\tb\n\\N\nNULL\na\rb\n", "a\\\\tb\n\nNULL\na\\rb\n"),
        ("x Nullable(String)", "\\N\n\"\\N\"\n\n\"\"\n", "\\N\n\\\\N\n\\N\n\n"),
        ("x Nullable(Int32)", "\\N\n\"5\"\n 5 \n\n", "\\N\n5\n5\n\\N\n"),
        ("x Int32", " 5 \n'5'\n\n\\N\n5,\n6", "5\n5\n0\n0\n5\n6\n"),
        ("x Float64", "\"1.5\"\n\n", "1.5\n0\n"),
        ("x Tuple(Int32,String), y Int8", "1,x,2\n", "(1,'x')\t2\n"),
        (
            "x DateTime('UTC')",
            "2020-01-01 00:00:00\n\"2020-01-01 00:00:00\"\n1577836800\n\n",
            "2020-01-01 00:00:00\n2020-01-01 00:00:00\n2020-01-01 00:00:00\n1970-01-01 00:00:00\n",
        ),
        ("x FixedString(3)", "ab\n\"ab\"\n", "ab\\0\nab\\0\n"),
        ("a Int32, b String", "a,b\n1,x\n", "1\tx\n"),
        ("a Int32, b String", "\"b\",\"a\"\nx,1\n", "1\tx\n"),
    ] {
        assert_eq!(read("CSV", columns, text).as_deref(), Ok(want), "{columns}: {text}");
    }
    assert_eq!(
        read("CSVWithNames", "a Int32, b String", "\"b\",\"z\"\nx,1\n").as_deref(),
        Ok("0\tx\n")
    );
}

#[test]
fn errors() {
    for (columns, text, code) in [
        ("x Int32", "5x\n", 117),
        ("x Int32", "5,6\n", 117),
        ("x Int32, y Int32", "1\n", 27),
        ("x Int32, y Int32", "1,2,3\n", 117),
        ("x Int32, y Int32", "1,2\n\n3,4\n", 27),
        ("x Bool", "\"true\"\n", 467),
        ("x FixedString(3)", "abcd\n", 131),
        ("x Array(Int32)", "[1,2]\n", 27),
    ] {
        let e = read("CSV", columns, text).unwrap_err();
        assert!(e.starts_with(&format!("Code: {code}.")), "{text}: {e}");
    }
}
