//! Literals of every kind as the oracle reads them; expressions; broken input.

use entasis_column::{Field, Header};
use entasis_types::{DataType, Value};

use crate::{Evaluator, FormatOptions};

fn header(columns: &str) -> Header {
    let tuple = DataType::parse(&format!("Tuple({columns})")).unwrap();
    let DataType::Tuple(tuple) = tuple else { panic!("a tuple") };
    let names = tuple.names.clone().unwrap();
    Header::new(names.iter().zip(&tuple.types).map(|(n, t)| Field::new(&**n, t.clone())).collect())
}

fn read_with(columns: &str, text: &str, options: &FormatOptions) -> Result<String, String> {
    let header = header(columns);
    let bytes = std::io::Cursor::new(text.as_bytes().to_vec());
    let mut reader = crate::input("Values", &header, Box::new(bytes), options).unwrap();
    let mut writer = crate::output("TSV", &header, options).unwrap();
    let mut out = Vec::new();
    while let Some(chunk) = reader.next(2).map_err(|e| e.to_string())? {
        writer.write(&chunk, &mut out).unwrap();
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

fn read(columns: &str, text: &str) -> Result<String, String> {
    read_with(columns, text, &FormatOptions::default())
}

#[test]
fn literals_as_the_oracle_reads_them() {
    for (columns, text, want) in [
        ("a Int32, b String", "(1,'x'),(2,'y')", "1\tx\n2\ty\n"),
        ("a Int32, b String", "(1,'x')(2,'y')", "1\tx\n2\ty\n"),
        ("a Int32, b String", "( 1 , 'x' ) , (2,'y');", "1\tx\n2\ty\n"),
        ("a Int32, b String", "(1,'x'),\n", "1\tx\n"),
        ("a Int32, b String", "(1,'x');(2,'y')", "1\tx\n"),
        ("a Int32, b String", "(NULL,NULL),(DEFAULT,default)", "0\t\n0\t\n"),
        ("a Int32, b String", "('5',5),(1.5,1.50)", "5\t5\n1\t1.5\n"),
        ("a Int32, b String", r"(1,'it''s\n\x41\'')", "1\tit\\'s\\nA\\'\n"),
        ("a Int32, b String", "(0x10,true),(1e2,'x'),(+5,'')", "16\ttrue\n100\tx\n5\t\n"),
        ("a Int32, b String", "(300000000000,'x')", "-647710720\tx\n"),
        ("a Int32, b String", "(true /* c */,'x')", "1\tx\n"),
        ("a Int32, b String", "", ""),
        ("a Nullable(Int32)", "(NULL),('NULL'),(5),('5'),(null)", "\\N\n\\N\n5\n5\n\\N\n"),
        (
            "a Array(Int32)",
            "([1,2]),([]),([1,NULL]),('[1,2]'),([1.0])",
            "[1,2]\n[]\n[1,0]\n[1,2]\n[1]\n",
        ),
        ("a Array(Nullable(String))", "(['a',NULL])", "['a',NULL]\n"),
        (
            "a Tuple(Int32,String)",
            "((1,'x')),(tuple(1,'x')),((1,NULL))",
            "(1,'x')\n(1,'x')\n(1,'')\n",
        ),
        (
            "a Date, b DateTime",
            "('2020-01-01','2020-01-01 00:00:00'),(18000,1577836800)",
            "2020-01-01\t2020-01-01 00:00:00\n2019-04-14\t2020-01-01 00:00:00\n",
        ),
        (
            "a Float64",
            "(1),(1.5),(nan),(-inf),('1.5'),(1e3),(.5)",
            "1\n1.5\nnan\n-inf\n1.5\n1000\n0.5\n",
        ),
        ("a Bool", "(true),(1),(0),('true'),(TRUE),(2)", "true\ntrue\nfalse\ntrue\ntrue\ntrue\n"),
        (
            "a UInt8, b FixedString(3)",
            "(-1,'ab'),(256,'abc'),(1.0,'')",
            "255\tab\\0\n0\tabc\n1\t\\0\\0\\0\n",
        ),
    ] {
        assert_eq!(read(columns, text).as_deref(), Ok(want), "{columns}: {text}");
    }
}

#[test]
fn errors_name_the_column() {
    for (columns, text, code, part) in [
        (
            "a Int32, b String",
            "(1)",
            62,
            "Expected ',' after the value of column `a` of type Int32",
        ),
        ("a Int32, b String", "(1,'x',3)", 62, "Expected ')' after the value of column `b`"),
        ("a Int32, b String", "(1,'x'", 62, "Expected ')'"),
        ("a Int32, b String", "x", 27, "expected '(' before: 'x':  at row 0"),
        ("a Int32, b String", "(1+1,'x')", 48, "\"1+1\""),
        ("a Int32, b String", "(1,concat('a',')'))", 48, "concat('a',')')"),
        ("a Int32, b String", "('','')", 32, "column `a`"),
        ("a FixedString(3)", "('abcd')", 131, "Too large value for FixedString(3)"),
        ("a Date", "('x')", 38, "column `a` of type Date"),
    ] {
        let e = read(columns, text).unwrap_err();
        assert!(e.starts_with(&format!("Code: {code}.")) && e.contains(part), "{text}: {e}");
    }
}

#[test]
fn expressions_go_to_the_evaluator() {
    let evaluator = Evaluator::new(|text, _| Ok(Value::UInt(text.len() as u64)));
    let options = FormatOptions { evaluator: Some(evaluator), ..FormatOptions::default() };
    let columns = "a Int32, b Array(Int8), c Nullable(Int8)";
    assert_eq!(
        read_with(columns, "(1 + 1, [1, 2], abs(-1)), (2, [3], f(')', '('))", &options),
        Ok("5\t[1,2]\t7\n2\t[3]\t11\n".into())
    );
}
