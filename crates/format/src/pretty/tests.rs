//! Tables against the oracle's bytes.

use entasis_column::{Chunk, Column, Field, Header};
use entasis_types::{DataType, Value};

use crate::FormatOptions;

fn column(ty: &str, values: &[Value]) -> (DataType, Column) {
    let ty = DataType::parse(ty).unwrap();
    let parts: Vec<Column> = values.iter().map(|v| Column::from_value(&ty, v, 1)).collect();
    (ty, Column::concat(&parts.iter().collect::<Vec<_>>()))
}

fn show(format: &str, columns: &[(&str, &str, &[Value])], options: &FormatOptions) -> String {
    let made: Vec<_> = columns.iter().map(|(_, ty, values)| column(ty, values)).collect();
    let fields = columns.iter().zip(&made).map(|(c, m)| Field::new(c.0, m.0.clone())).collect();
    let header = Header::new(fields);
    let rows = columns[0].2.len();
    let chunk = Chunk::new(made.into_iter().map(|m| m.1).collect(), rows);
    let mut writer = crate::output(format, &header, options).unwrap();
    let mut out = Vec::new();
    writer.start(&mut out).unwrap();
    for row in 0..rows {
        writer.write(&chunk.slice(row, 1), &mut out).unwrap();
    }
    writer.finish(&mut out).unwrap();
    String::from_utf8_lossy(&out).into_owned()
}

fn numbers(from: u64, count: u64) -> Vec<Value> {
    (from..from + count).map(Value::UInt).collect()
}

#[test]
fn small_tables() {
    let options = FormatOptions::default();
    assert_eq!(
        show("PrettyCompact", &[("1234567", "UInt32", &[Value::UInt(1_234_567)])], &options),
        "   ┌─1234567─┐\n1. │ 1234567 │ -- 1.23 million\n   └─────────┘\n"
    );
    let (one, two) = ([Value::UInt(1), Value::Null], [Value::from("abc"), Value::from("жж")]);
    assert_eq!(
        show(
            "PrettyCompact",
            &[("very_long_name", "Nullable(UInt8)", &one), ("'abc'", "String", &two)],
            &options
        ),
        "   ┌─very_long_name─┬─'abc'─┐\n1. │              1 │ abc   │\n\
         2. │           ᴺᵁᴸᴸ │ жж    │\n   └────────────────┴───────┘\n"
    );
    let text = [Value::from("a\n\nbccccc")];
    assert_eq!(
        show("Pretty", &[("x", "String", &text), ("y", "UInt8", &one[..1])], &options),
        "   ┏━━━━━━━━┳━━━┓\n   ┃ x      ┃ y ┃\n   ┡━━━━━━━━╇━━━┩\n1. │ a     ↴│ 1 │\n   \
         │↳      ↴│   │\n   │↳bccccc │   │\n   └────────┴───┘\n"
    );
    assert_eq!(show("PrettyCompact", &[("x", "UInt8", &[])], &options), "");
}

#[test]
fn long_tables_leave_the_middle_out() {
    let options = FormatOptions { max_rows: 3, ..FormatOptions::default() };
    let values = numbers(0, 60);
    assert_eq!(
        show("PrettyCompact", &[("n1", "UInt64", &values)], &options),
        "    ┌─n1─┐\n 1. │  0 │\n 2. │  1 │\n    ─ ─ ─ \n60. │ 59 │\n    └─n1─\
        ┘\nShowed 3 out of 60 \
         rows.\n"
    );
    let options = FormatOptions { max_rows: 5, ..FormatOptions::default() };
    assert_eq!(
        show("Pretty", &[("number", "UInt64", &numbers(0, 9))], &options),
        "   ┏━━━━━━━━┓\n   ┃ number ┃\n   ┡━━━━━━━━┩\n1. │      0 │\n   ├───────\
        ─┤\n2. │      1 │\n   \
         ├────────┤\n3. │      2 │\n   ├────────┤\n   ─ ─ ─ ─ ─ \n   ├────────┤\n8. │      7 │\n   \
         ├────────┤\n9. │      8 │\n   └────────┘\nShowed 5 out of 9 rows.\n"
    );
}

#[test]
fn colours_only_when_asked() {
    let options = FormatOptions { is_terminal: true, ..FormatOptions::default() };
    let (number, text) = ([Value::UInt(1_234_567)], [Value::from("a  ")]);
    assert_eq!(
        show("PrettyCompact", &[("b", "String", &text), ("a", "UInt32", &number)], &options),
        "   ┌─\x1b[1mb\x1b[0m───┬───────\x1b[1ma\x1b[0m─┐\n\x1b[90m1. \x1b[0m│ a\x1b[31m\x1b[4m  \
         \x1b[0m │ \x1b[4m1\x1b[0m23\x1b[4m4\x1b[0m567 │\x1b[90m -- 1.23 million\x1b[0m\n   \
         └─────┴─────────┘\n"
    );
}

#[test]
fn wide_and_short_becomes_vertical() {
    let wide = [Value::from(&*"x".repeat(246))];
    let one = [Value::UInt(1)];
    let columns: Vec<(&str, &str, &[Value])> = vec![
        ("a", "UInt8", &one),
        ("b", "UInt8", &one),
        ("c", "UInt8", &one),
        ("d", "UInt8", &one),
        ("e", "String", &wide),
    ];
    let text = show("PrettyCompact", &columns, &FormatOptions::default());
    assert!(text.starts_with("Row 1:\n──────\na: 1\nb: 1\n"), "{text}");
    let wide = [Value::from(&*"x".repeat(245))];
    let columns: Vec<_> =
        columns[..4].iter().copied().chain([("e", "String", &wide[..])]).collect();
    assert!(show("PrettyCompact", &columns, &FormatOptions::default()).starts_with("   ┌─a─┬─b─"));
}

#[test]
fn vertical_lines_values_up() {
    let (n, v) = (numbers(2_000_000, 10), vec![Value::from("x"); 10]);
    let text =
        show("Vertical", &[("жbc", "UInt64", &n), ("v", "String", &v)], &FormatOptions::default());
    assert!(
        text.starts_with(
            "Row 1:\n──────\nжbc: 2000000 -- 2.00 million\nv:   x\n\nRow 2:\n──────\n"
        )
    );
    assert!(text.contains("\nRow 9:\n───────\n") && text.contains("\nRow 10:\n───────\n"));
}

#[test]
fn space_around_values() {
    let draw = |columns: &str, rows: &str| {
        let out = crate::testing::convert("TSV", "PrettySpace", columns, rows.as_bytes());
        String::from_utf8(out.unwrap()).unwrap()
    };
    let three = draw("x UInt8, y String, z Nullable(String)", "1\tab\tz\n2\tab\t\\N\n");
    assert_eq!(three, "    x   y    z   \n\n1.  1   ab   z    \n2.  2   ab   ᴺᵁᴸᴸ \n");
    assert_eq!(draw("x String, y UInt8", "a\\nb\t1\n"), "    x   y\n\n1.  a↴  1 \n   ↳b     \n");
    assert_eq!(draw("x UInt32", "1234567\n"), "          x\n\n1.  1234567  -- 1.23 million\n");
    let rows: String = (0..60).map(|i| format!("{i}\n")).collect();
    let long = draw("x UInt8", &rows);
    assert!(
        long.starts_with("      x\n\n 1.   0 \n") && long.ends_with("\n60.  59 \n\n      x\n\n")
    );
}
