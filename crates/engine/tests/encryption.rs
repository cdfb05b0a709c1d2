//! Encrypted columns: what reaches the disk, and what happens when keys are missing or changed.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::sync::Arc;

use entasis_base::codes;
use entasis_codec::encryption::{Cipher, CipherKeys, install};
use entasis_disk::{Disk, MemoryDisk};
use entasis_engine::{Engine, EngineConfig, Session};

fn open(disk: &Arc<dyn Disk>) -> Session {
    entasis_functions::register();
    let config = EngineConfig {
        disk: Some(Arc::clone(disk)),
        threads: 2,
        merges: false,
        ..EngineConfig::local(None).unwrap()
    };
    Engine::open(config).unwrap().session()
}

fn run(session: &mut Session, statement: &str) {
    session.execute(statement).and_then(|result| result.collect()).expect(statement);
}

fn fails(session: &mut Session, statement: &str) -> entasis_base::Error {
    session.execute(statement).and_then(|result| result.collect()).unwrap_err()
}

fn ask(session: &mut Session, query: &str) -> String {
    let (values, rest) = query.split_once(" FROM ").unwrap();
    let query = format!("SELECT toString(tuple({values})) FROM {rest}");
    let rows = session.execute(&query).and_then(|result| result.collect()).expect(&query);
    String::from_utf8_lossy(rows.columns[0].value(0).as_bytes().unwrap()).into()
}

/// Gives the process the keys of these ids; each consists of one byte.
fn give(cipher: Cipher, ids: &[u64], current: u64) {
    let key = |id: &u64| (*id, vec![*id as u8; cipher.key_len()]);
    let keys: BTreeMap<u64, Vec<u8>> = ids.iter().map(key).collect();
    install(cipher, CipherKeys::new(cipher, keys, Some(current), Some(&[4; 12])).unwrap());
}

fn files_under(disk: &dyn Disk, dir: &str, out: &mut Vec<String>) {
    for entry in disk.list(dir).unwrap() {
        let path =
            if dir.is_empty() { entry.name.clone() } else { format!("{dir}/{}", entry.name) };
        match entry.is_dir {
            true => files_under(disk, &path, out),
            false => out.push(path),
        }
    }
}

/// The files that contain one of the texts.
fn files_with(disk: &dyn Disk, texts: &[&[u8]]) -> Vec<String> {
    let mut files = Vec::new();
    files_under(disk, "", &mut files);
    assert!(files.len() > 2, "{files:?}");
    let has = |path: &String| {
        let bytes = disk.read_to_end(path, u64::MAX).unwrap();
        texts.iter().any(|text| bytes.windows(text.len()).any(|window| window == *text))
    };
    files.into_iter().filter(has).collect()
}

/// A number that no other byte of a file has by accident.
const NUMBER: u64 = 0x7e57_c0de_5eed_f00d;

const ROWS: &str = "INSERT INTO t SELECT number, 'qWErtyPlain' || toString(number % 3), \
                    ['qWErtyPlain'], toNullable('qWErtyPlain' || toString(number)), \
                    0x7e57c0de5eedf00d + number % 2, 'shown' FROM numbers(";

#[test]
fn no_plain_text_reaches_the_disk() {
    give(Cipher::Aes128GcmSiv, &[1], 1);
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let mut s = open(&disk);
    for (key, rest) in [
        ("k", ""),
        ("(s, n, k)", ""),
        (
            "(n, k)",
            ", INDEX a s TYPE minmax, INDEX b s TYPE set(0), INDEX c s TYPE bloom_filter, \
             INDEX d n TYPE minmax, INDEX e s TYPE text(tokenizer = 'splitByNonAlpha'), \
             INDEX f s TYPE ngrambf_v1(3, 256, 2, 0), \
             PROJECTION p (SELECT s, n, count(), max(o) GROUP BY s, n), \
             PROJECTION q (SELECT k, s, n ORDER BY upper(s))",
        ),
    ] {
        let aes = "CODEC(LZ4, AES_128_GCM_SIV)";
        run(
            &mut s,
            &format!(
                "CREATE TABLE t (k UInt64, s String STATISTICS(uniq) {aes}, \
                 a Array(LowCardinality(String)) CODEC(AES_128_GCM_SIV), o Nullable(String) {aes}, \
                 n UInt64 CODEC(Delta, ZSTD, AES_128_GCM_SIV), shown String CODEC(NONE){rest}) \
                 ENGINE = MergeTree ORDER BY {key}"
            ),
        );
        let secrets: &[&[u8]] = &[
            b"qWErtyPlain",
            b"QWERTYPLAIN",
            b"ErtyPl",
            &NUMBER.to_le_bytes(),
            &NUMBER.to_be_bytes(),
        ];
        // The rows of the small INSERTs lie in the commit log.
        for statement in [format!("{ROWS}1)"), format!("{ROWS}5)"), format!("{ROWS}20000)")] {
            run(&mut s, &statement);
            assert_eq!(files_with(&*disk, secrets), [""; 0], "{key}: {statement}");
        }
        assert_ne!(files_with(&*disk, &[b"shown"]), [""; 0]);
        let all = "count(), uniqExact(s), sum(length(a[1])), max(n), countIf(o = 'qWErtyPlain7')";
        let expected = format!("(20006,3,220066,{},1)", NUMBER + 1);
        assert_eq!(ask(&mut s, &format!("{all} FROM t")), expected);
        let of_key = format!("count() FROM t WHERE s = 'qWErtyPlain1' AND n = {}", NUMBER + 1);
        let by_key = ask(&mut s, &of_key);
        for statement in [
            "ALTER TABLE t UPDATE o = concat(assumeNotNull(o), lower(s)) WHERE k % 7 = 3 \
             SETTINGS mutations_sync = 1",
            "ALTER TABLE t DELETE WHERE k = 100 SETTINGS mutations_sync = 1",
            "OPTIMIZE TABLE t FINAL",
        ] {
            run(&mut s, statement);
            assert_eq!(files_with(&*disk, secrets), [""; 0], "{key}: {statement}");
        }
        drop(s);
        s = open(&disk);
        assert_eq!(ask(&mut s, "count(), uniqExact(s), min(s) FROM t"), "(20005,3,'qWErtyPlain0')");
        assert_eq!(ask(&mut s, &of_key), by_key);
        run(&mut s, "DROP TABLE t SYNC");
    }
}

#[test]
fn without_its_key_a_column_cannot_be_written_or_read_and_others_can() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let mut s = open(&disk);
    run(
        &mut s,
        "CREATE TABLE t (k UInt64, s String CODEC(AES_256_GCM_SIV)) ENGINE = MergeTree ORDER BY k",
    );
    let insert = "INSERT INTO t SELECT number, 'word' || toString(number) FROM numbers(100)";
    let error = fails(&mut s, insert);
    assert_eq!(error.code(), codes::BAD_ARGUMENTS);
    assert!(error.message().contains("[encryption_codecs.aes_256_gcm_siv]"), "{error}");
    assert_eq!(ask(&mut s, "count() FROM t"), "(0)");

    give(Cipher::Aes256GcmSiv, &[1], 1);
    run(&mut s, insert);
    // A new key is used for what is written from now on, and the old one still reads.
    give(Cipher::Aes256GcmSiv, &[1, 2], 2);
    run(&mut s, insert);
    assert_eq!(ask(&mut s, "count(), uniqExact(s) FROM t"), "(200,100)");
    // Without the old key, a part is unreadable, but not damaged.
    give(Cipher::Aes256GcmSiv, &[2], 2);
    let error = fails(&mut s, "SELECT s FROM t");
    assert_eq!(error.code(), codes::BAD_ARGUMENTS);
    assert!(error.message().contains("There is no key 1 of AES_256_GCM_SIV"), "{error}");
    assert_eq!(ask(&mut s, "sum(k) FROM t"), "(9900)");
    assert_eq!(ask(&mut s, "count() FROM system.warnings WHERE message LIKE '%damaged%'"), "(0)");
    let rows = s.execute("CHECK TABLE t SETTINGS check_query_single_value_result = 1");
    assert_eq!(rows.and_then(|r| r.collect()).unwrap().columns[0].value(0).as_u64(), Some(1));
    // A wrong key of the same id is noticed.
    let cipher = Cipher::Aes256GcmSiv;
    let wrong = [(1, vec![9; 32]), (2, vec![2; 32])].into();
    install(cipher, CipherKeys::new(cipher, wrong, Some(2), None).unwrap());
    assert_eq!(fails(&mut s, "SELECT s FROM t").code(), codes::OPENSSL_ERROR);
    // A merge writes everything with the current key, and the old one is no longer needed.
    give(Cipher::Aes256GcmSiv, &[1, 2], 2);
    run(&mut s, "OPTIMIZE TABLE t FINAL");
    give(Cipher::Aes256GcmSiv, &[2], 2);
    drop(s);
    let mut s = open(&disk);
    assert_eq!(ask(&mut s, "count(), uniqExact(s) FROM t"), "(200,100)");
}
