//! Documents of columns and rows, as the oracle writes and reads them.

use crate::testing::{convert, damage, read, schema};

const BOTH: &str = "a Int32, b String";

#[test]
fn columns_out_and_in() {
    let rows = b"1\tx\n2\ty\n";
    let written = |format: &str, rows: &[u8]| {
        String::from_utf8(convert("TSV", format, BOTH, rows).unwrap()).unwrap()
    };
    assert_eq!(written("JSONColumns", rows), "{\n\t\"a\": [1, 2],\n\t\"b\": [\"x\", \"y\"]\n}\n");
    assert_eq!(written("JSONCompactColumns", rows), "[\n\t[1, 2],\n\t[\"x\", \"y\"]\n]\n");
    assert_eq!(written("JSONColumns", b""), "{\n\t\"a\": [],\n\t\"b\": []\n}\n");
    assert_eq!(written("JSONCompactColumns", b""), "[\n\n]\n");
    let document = written("JSONColumnsWithMetadata", rows);
    assert!(document.ends_with(
        "\t],\n\n\t\"data\":\n\t{\n\t\t\"a\": [1, 2],\n\t\t\"b\": [\"x\", \"y\"]\n\t},\n\n\t\
         \"rows\": 2\n}\n"
    ));
    assert!(written("JSONColumnsWithMetadata", b"").contains("\"data\":\n\t{\n\n\t},\n"));
    for format in
        ["JSONColumns", "JSONCompactColumns", "JSONColumnsWithMetadata", "JSON", "JSONCompact"]
    {
        let bytes = convert("TSV", format, BOTH, rows).unwrap();
        assert_eq!(read(format, BOTH, &bytes).as_deref(), Ok("1\tx\n2\ty\n"), "{format}");
        assert_eq!(read(format, BOTH, b" \n").as_deref(), Ok(""), "{format}");
        let header = schema(format, &bytes).unwrap();
        assert_eq!(header.len(), 2, "{format}");
        damage(&bytes, |bytes| {
            let _ = schema(format, bytes);
            let _ = read(format, BOTH, bytes);
        });
    }
}

#[test]
fn columns_by_name() {
    let named = |text: &str| read("JSONColumns", BOTH, text.as_bytes());
    assert_eq!(named(r#"{"b":["x"], "z":[[1,{}]], "a":[5]}"#).as_deref(), Ok("5\tx\n"));
    assert_eq!(named(r#"{"a":[1,2]}"#).as_deref(), Ok("1\t\n2\t\n"));
    let e = named(r#"{"a":[1,2],"b":["x"]}"#).unwrap_err();
    assert!(e.contains("Number of rows differs in different columns: 2 != 1"), "{e}");
    let e = named(r#"{"a":[1,"x"]}"#).unwrap_err();
    assert!(e.contains("(at row 2)") && e.contains("name: a"), "{e}");
    let header = schema("JSONColumns", br#"{"a":[1,null],"b":["x"]}"#);
    let types: Vec<String> = header.unwrap().iter().map(|f| f.ty.to_string()).collect();
    assert_eq!(types, ["Nullable(Int64)", "Nullable(String)"]);
}
