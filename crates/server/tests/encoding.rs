//! Compression both ways.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::io::{Cursor, Read};

use common::{server, url};
use entasis_format::Compression;
use entasis_format::compression::Encoder;

const METHODS: [(&str, Compression); 5] = [
    ("gzip", Compression::Gzip),
    ("zstd", Compression::Zstd),
    ("lz4", Compression::Lz4),
    ("br", Compression::Brotli),
    ("deflate", Compression::Deflate),
];

fn unpacked(method: Compression, bytes: &[u8]) -> Vec<u8> {
    let reader = Box::new(Cursor::new(bytes.to_vec()));
    let mut out = Vec::new();
    entasis_format::decompress(method, reader, 1 << 30).unwrap().read_to_end(&mut out).unwrap();
    out
}

fn packed(method: Compression, bytes: &[u8]) -> Vec<u8> {
    let (mut out, mut encoder) = (Vec::new(), Encoder::new(method, None).unwrap());
    encoder.write(bytes, &mut out).unwrap();
    encoder.finish(&mut out).unwrap();
    out
}

/// Reads blocks of ClickHouse's own, hashes checked.
fn unblocked(mut bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    while !bytes.is_empty() {
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let (size, raw) = (word(17), word(21));
        let hash = cityhash_rs::cityhash_102_128(&bytes[16..16 + size]);
        assert_eq!(bytes[..8], ((hash >> 64) as u64).to_le_bytes());
        assert_eq!(bytes[8..16], (hash as u64).to_le_bytes());
        let stored = &bytes[25..16 + size];
        match bytes[16] {
            0x82 => out.extend(lz4_flex::block::decompress(stored, raw).unwrap()),
            0x90 => out.extend(zstd::stream::decode_all(stored).unwrap()),
            0x02 => out.extend_from_slice(stored),
            other => panic!("method {other:x}"),
        }
        bytes = &bytes[16 + size..];
    }
    out
}

fn blocked(raw: &[u8]) -> Vec<u8> {
    let stored = lz4_flex::block::compress(raw);
    let mut block = vec![0x82];
    block.extend((stored.len() as u32 + 9).to_le_bytes());
    block.extend((raw.len() as u32).to_le_bytes());
    block.extend(stored);
    let hash = cityhash_rs::cityhash_102_128(&block);
    let mut out = ((hash >> 64) as u64).to_le_bytes().to_vec();
    out.extend((hash as u64).to_le_bytes());
    out.extend(block);
    out
}

#[test]
fn answers_as_accept_encoding_asks() {
    let server = server("");
    for rows in [3, 500_000] {
        let query = format!("SELECT number, 'text' FROM numbers({rows})");
        let plain = server.post("", &query);
        assert!(plain.complete && plain.header("content-encoding").is_empty());
        for (name, method) in METHODS {
            let headers = [("Accept-Encoding", name)];
            let without = server.send("POST", "enable_http_compression=0", &headers, &query);
            assert_eq!(without.header("content-encoding"), "", "unless it is turned off");
            let answer = server.send("POST", "", &headers, &query);
            assert_eq!(answer.header("content-encoding"), name);
            assert!(answer.complete);
            assert!(unpacked(method, &answer.body) == plain.body, "{name} {rows}");
        }
        for method in ["LZ4", "ZSTD", "NONE"] {
            let parameters = format!("compress=1&network_compression_method={method}");
            let answer = server.post(&parameters, &query);
            assert!(unblocked(&answer.body) == plain.body, "{method} {rows}");
        }
    }
    // Errors are wrapped as well.
    let error = server.post("compress=1", "SELECT nothing");
    assert_eq!(error.header("x-clickhouse-exception-code"), "47");
    assert!(unblocked(&error.body).starts_with(b"Code: 47. DB::Exception: "));
    let gzip = [("Accept-Encoding", "gzip")];
    let error = server.send("POST", "", &gzip, "SELECT nothing");
    assert_eq!((error.status, error.header("content-encoding")), (404, "gzip"));
    assert!(unpacked(Compression::Gzip, &error.body).starts_with(b"Code: 47."));
}

#[test]
fn bodies_as_content_encoding_says() {
    let server = server("");
    server.query("CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a");
    let rows: String = (0..100_000).map(|i| format!("{i}\n")).collect();
    let insert = format!("query={}", url("INSERT INTO t FORMAT TSV"));
    for (name, method) in METHODS {
        let headers = [("Content-Encoding", name)];
        let answer = server.send("POST", &insert, &headers, packed(method, rows.as_bytes()));
        assert_eq!(answer.status, 200, "{name}: {}", answer.text());
        let answer = server.send("POST", "", &headers, packed(method, b"SELECT 42"));
        assert_eq!(answer.text(), "42\n");
        let damaged = server.send("POST", &insert, &headers, b"certainly not compressed");
        assert!(damaged.status >= 400, "{name}");
    }
    let answer = server.post(&format!("{insert}&decompress=1"), blocked(rows.as_bytes()));
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(server.post("decompress=1", blocked(b"SELECT 43")).text(), "43\n");
    assert_eq!(server.query("SELECT count() FROM t"), "600000\n");
    let mut damaged = blocked(b"SELECT 43");
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    server.post("decompress=1", damaged).expect_error(500, 40);
    server.post("decompress=1", "SELECT 1, and no block at all").expect_error(500, 89);
    let unknown = [("Content-Encoding", "rot13")];
    let error = server.send("POST", "", &unknown, "x").expect_error(500, 89);
    assert!(error.contains("gzip, deflate, br"), "{error}");
    // The methods that answers do not use are read, too.
    for (name, method) in
        [("xz", Compression::Xz), ("bz2", Compression::Bzip2), ("snappy", Compression::Snappy)]
    {
        let body = packed(method, b"SELECT 44");
        let answer = server.send("POST", "", &[("Content-Encoding", name)], body);
        assert_eq!(answer.text(), "44\n", "{name}");
    }
    // Packed rows that nobody announced are no text.
    let answer = server.post(&insert, packed(Compression::Gzip, b"1\n2\n"));
    assert!(answer.status >= 400, "{}", answer.text());
    assert!(answer.text().contains("Content-Encoding"), "{}", answer.text());
    assert_eq!(server.query("SELECT count() FROM t"), "600000\n");
}

#[test]
fn bombs_are_refused() {
    let server = server("max_decompressed = '1 MiB'");
    server.query("CREATE TABLE t (a String) ENGINE = Memory");
    let bomb = vec![b'0'; 20 << 20];
    let insert = format!("query={}", url("INSERT INTO t FORMAT TSV"));
    for (name, method) in METHODS {
        let headers = [("Content-Encoding", name)];
        let answer = server.send("POST", &insert, &headers, packed(method, &bomb));
        assert!(answer.status >= 400, "{name}");
        assert!(answer.text().contains("larger than"), "{}", answer.text());
    }
    let answer = server.post(&format!("{insert}&decompress=1"), blocked(&bomb));
    assert!(answer.status >= 400 && answer.text().contains("larger"), "{}", answer.text());
    assert_eq!(server.query("SELECT count() FROM t"), "0\n");
}
