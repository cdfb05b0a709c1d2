//! Native against bytes that the oracle wrote.

use crate::testing::{convert, damage, hex, read, schema};

/// Columns, rows as TSV, and the reference's Native of them.
const CASES: &[(&str, &str, &str)] = &[
    (
        "u8 UInt8, i16 Int16, s String, fs FixedString(3), arr Array(UInt8), t Tuple(UInt8, \
         String), n Nullable(UInt8), ns Nullable(String), b Bool, d Date, dt DateTime('UTC'), f \
         Float32",
        "1\t-2\tab\tx\\0\\0\t[1,2]\t(1,'z')\t5\t\\N\ttrue\t2020-01-02\t2020-01-02 03:04:05\t1.5\n",
        "0c010275380555496e7438010369313605496e743136feff017306537472696e670261620266730e466978656453\
         7472696e67283329780000036172720c41727261792855496e74382902000000000000000102017414547570\
         6c652855496e74382c20537472696e672901017a016e0f4e756c6c61626c652855496e7438290005026e7310\
         4e756c6c61626c6528537472696e67290100016204426f6f6c01016404446174655747026474084461746554\
         696d65a55d0d5e016607466c6f617433320000c03f",
    ),
    (
        "x Array(Array(UInt8)), y Array(Array(Nullable(UInt8)))",
        "[[],[1,2]]\t[[NULL,1]]\n",
        "020101781341727261792841727261792855496e7438292902000000000000000000000000000000020000000000\
         0000010201791d4172726179284172726179284e756c6c61626c652855496e7438292929010000000000000002\
         0000000000000001000001",
    ),
    (
        "v Variant(String, UInt64)",
        "42\nabc\n\\N\n43\n",
        "010401761756617269616e7428537472696e672c2055496e7436342900000000000000000100ff01036162632a00\
         0000000000002b00000000000000",
    ),
    (
        "v Array(Variant(String, UInt64))",
        "[42]\n['abc']\n[NULL]\n[43]\n",
        "010401761e41727261792856617269616e7428537472696e672c2055496e74363429290000000000000000010000\
         00000000000200000000000000030000000000000004000000000000000100ff01036162632a00000000000000\
         2b00000000000000",
    ),
    (
        "v Variant(Array(LowCardinality(String)), String)",
        "['a']\nabc\n\\N\n43\n",
        "010401762e56617269616e74284172726179284c6f7743617264696e616c69747928537472696e6729292c205374\
         72696e6729000000000000000001000000000000000001ff01010000000000000000060000000000000200000\
         00000000000016101000000000000000103616263023433",
    ),
    ("x Nullable(Nothing)", "\\N\n", "01010178114e756c6c61626c65284e6f7468696e67290130"),
    (
        "x Array(Nullable(Nothing))",
        "[NULL]\n",
        "01010178184172726179284e756c6c61626c65284e6f7468696e67292901000000000000000130",
    ),
    (
        "x Tuple(a UInt8, b String)",
        "(1,'x')\n",
        "01010178185475706c6528612055496e74382c206220537472696e6729010178",
    ),
    (
        "x UInt64",
        "0\n1\n2\n",
        "010301780655496e743634000000000000000001000000000000000200000000000000",
    ),
    (
        "x Array(DateTime('UTC')), y Nullable(DateTime('UTC')), z DateTime",
        "['2020-01-02 03:04:05']\t1970-01-01 00:00:01\t1970-01-01 00:00:01\n",
        "03010178164172726179284461746554696d6528275554432729290100000000000000a55d0d5e0179194e756c6c\
         61626c65284461746554696d6528275554432729290001000000017a084461746554696d6501000000",
    ),
    (
        "y Array(Tuple(UInt8, String)), z Tuple(Array(UInt8), Nullable(UInt8))",
        "[(1,'a'),(2,'b')]\t([1],3)\n",
        "020101791b4172726179285475706c652855496e74382c20537472696e6729290200000000000000010201610162\
         017a245475706c652841727261792855496e7438292c204e756c6c61626c652855496e743829290100000000000000010003",
    ),
    (
        "x LowCardinality(String)",
        "b\n\na\nb\n",
        "01040178164c6f7743617264696e616c69747928537472696e672901000000000000000006000000000000030000\
         00000000000001620161040000000000000001000201",
    ),
    (
        "x LowCardinality(Nullable(String))",
        "\\N\nb\n\n\\N\na\n",
        "01050178204c6f7743617264696e616c697479284e756c6c61626c6528537472696e672929010000000000000000\
         06000000000000040000000000000000000162016105000000000000000002010003",
    ),
    (
        "x Array(LowCardinality(String)), y Array(LowCardinality(String))",
        "['b','a','b']\t[]\n",
        "020101781d4172726179284c6f7743617264696e616c69747928537472696e672929010000000000000003000000\
         00000000000600000000000003000000000000000001620161030000000000000001020101791d417272617928\
         4c6f7743617264696e616c69747928537472696e67292901000000000000000000000000000000",
    ),
    (
        "x Tuple(LowCardinality(String), LowCardinality(String))",
        "('a','b')\n",
        "01010178355475706c65284c6f7743617264696e616c69747928537472696e67292c204c6f7743617264696e616c\
         69747928537472696e672929010000000000000001000000000000000006000000000000020000000000000000\
         016101000000000000000100060000000000000200000000000000000162010000000000000001",
    ),
    (
        "x LowCardinality(FixedString(2)), y LowCardinality(Date)",
        "a\\0\t1970-01-04\n",
        "020101781e4c6f7743617264696e616c697479284669786564537472696e67283229290100000000000000000600\
         00000000000200000000000000000061000100000000000000010179144c6f7743617264696e616c6974792844\
         6174652901000000000000000006000000000000020000000000000000000300010000000000000001",
    ),
    (
        "x Map(String, Array(UInt8)), y Map(String, UInt8), e Enum16('a' = 1, 'b' = 300)",
        "{'k':[1,2]}\t{}\tb\n",
        "03010178194d617028537472696e672c2041727261792855496e743829290100000000000000016b020000000000\
         000001020179124d617028537472696e672c2055496e743829000000000000000001651a456e756d3136282761\
         27203d20312c20276227203d20333030292c01",
    ),
    (
        "x Array(Nullable(Decimal(9, 2))), y Decimal(38, 3), z DateTime64(3, 'UTC'), u UUID, d Date32",
        "[1.25]\t-1.5\t2020-01-01 00:00:00.123\t00112233-4455-6677-8899-aabbccddeeff\t1900-01-01\n",
        "050101781e4172726179284e756c6c61626c6528446563696d616c28392c20322929290100000000000000007d00\
         000001790e446563696d616c2833382c20332924faffffffffffffffffffffffffffff017a144461746554696d\
         65363428332c202755544327297be8665e6f010000017504555549447766554433221100ffeeddccbbaa998801\
         6406446174653332219cffff",
    ),
];

#[test]
fn bytes_are_the_oracles() {
    for (columns, rows, bytes) in CASES {
        let bytes = hex(bytes);
        assert_eq!(convert("TSV", "Native", columns, rows.as_bytes()).unwrap(), bytes, "{columns}");
        assert_eq!(read("Native", columns, &bytes).as_deref(), Ok(*rows), "{columns}");
        let twice = [&bytes[..], &bytes[..]].concat();
        assert_eq!(read("Native", columns, &twice).unwrap(), rows.repeat(2), "{columns}");
        let header = schema("Native", &bytes).unwrap();
        let names: Vec<_> = header.iter().map(|f| format!("{} {}", f.name, f.ty)).collect();
        let names = names.join(", ");
        assert_eq!(names, columns.replace("dt DateTime('UTC')", "dt DateTime"));
    }
    assert_eq!(convert("TSV", "Native", "x UInt8", b"").unwrap(), b"");
}

#[test]
fn nulls_hide_what_is_under_them() {
    let rows = b"1\tab\n\\N\t\\N\n3\tc\n";
    let bytes = convert("TSV", "Native", "n Nullable(UInt16), s Nullable(FixedString(2))", rows);
    let want = "02 03 01 6e 10 4e756c6c61626c652855496e74313629 000100 0100 0000 0300 \
                01 73 18 4e756c6c61626c65284669786564537472696e6728322929 000100 6162 0000 6300";
    assert_eq!(bytes.unwrap(), hex(want));
}

#[test]
fn columns_by_name() {
    let block = hex("010201780655496e74363400000000000000000100000000000000");
    let read = |columns: &str| read("Native", columns, &block);
    assert_eq!(read("x Nullable(UInt64), y String").as_deref(), Ok("0\t\n1\t\n"));
    assert_eq!(read("y String").as_deref(), Ok("\n\n"));
    assert!(read("x String").unwrap_err().starts_with("Code: 48."));
}

#[test]
fn bad_bytes_are_errors() {
    let array = "01 02 01 78 0c 41727261792855496e743829";
    let text = "01 02 01 78 06 537472696e67";
    for (bytes, code, part) in [
        (
            "01 02 0178 06 55496e743634 0000000000000000 0100",
            33,
            "Bytes read: 10. Bytes expected: 16",
        ),
        ("ff", 33, "Bytes read: 0"),
        ("01 ffffffffffffffff7f 01 78 06 55496e743634 00", 128, "many rows"),
        ("ffffffffffffffff7f 01 78", 128, "many columns"),
        ("01 01 ffffffff0f", 128, "many bytes of a name"),
        (&format!("{array} 0200000000000000 0100000000000000 0102"), 117, "monotonically"),
        (&format!("{array} 0000000000000000 ffffffffffffffff 0102"), 128, "18446744073709551615"),
        (&format!("{array} 0000000000000000 0000004000000000 0102"), 33, "expected: 1073741824"),
        (&format!("{text} ffffffffff01 61"), 131, "68719476735"),
        (&format!("{text} 0161 8080808004 62"), 33, "rows 1 to 2"),
        ("01 8080808004 0178 0555496e7438 01", 33, "type UInt8"),
        ("01 01 01 78 05 55496e7439 01", 50, "UInt9"),
        ("00 05", 117, "Zero columns"),
    ] {
        let e = read("Native", "x Array(UInt8)", &hex(bytes)).unwrap_err();
        assert!(e.starts_with(&format!("Code: {code}.")) && e.contains(part), "{bytes}: {e}");
    }
    assert_eq!(read("Native", "x UInt8", &hex("0000")).as_deref(), Ok(""));
    assert_eq!(
        read("Native", "b Bool", &hex("01 01 0162 04 426f6f6c 05")).as_deref(),
        Ok("true\n")
    );
}

#[test]
fn damaged_bytes_never_panic() {
    for (columns, _, bytes) in CASES {
        damage(&hex(bytes), |bytes| {
            let _ = schema("Native", bytes);
            let _ = read("Native", columns, bytes);
        });
    }
}

#[test]
fn keys_and_codes_are_checked() {
    let head = "01 02 0178 16 4c6f7743617264696e616c69747928537472696e6729";
    for (bytes, part) in [
        ("0200000000000000", "Version 2"),
        ("0100000000000000 0401000000000000 0100000000000000 00", "kind 4"),
        ("0100000000000000 0004000000000000 0100000000000000 00", "without keys"),
        ("0100000000000000 0006000000000000 0000000000000000", "0 keys"),
        ("0100000000000000 0006000000000000 ffffffffffffffff", "keys"),
        ("0100000000000000 0006000000000000 0100000000000000 00 0300000000000000", "3 codes for 2"),
        (
            "0100000000000000 0006000000000000 0100000000000000 00 0200000000000000 0001",
            "Code 1 in a LowCardinality of 1 keys",
        ),
    ] {
        let e = read("Native", "x String", &hex(&format!("{head} {bytes}"))).unwrap_err();
        assert!(e.contains(part), "{bytes}: {e}");
    }
    let mut keys = String::new();
    (0..70_000).for_each(|i| keys.push_str(&format!("{}\n", i % 66_000)));
    let ty = "x LowCardinality(String)";
    let bytes = convert("TSV", "Native", ty, keys.as_bytes()).unwrap();
    assert_eq!(read("Native", ty, &bytes).unwrap(), keys);
    assert_eq!(read("Native", "x Nullable(String)", &bytes).unwrap(), keys);
}
