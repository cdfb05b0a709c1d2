//! Backups are written and read back in every packing, and writing is cut at every step.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_disk::{Disk, Fault, FaultDisk, MemoryDisk};

use crate::manifest::{Base, NAME};
use crate::{
    ArchiveOptions, BackupReader, BackupWriter, Content, FileEntry, Location, Manifest, Object,
    ObjectKind, Options, Packing, Place,
};

fn at(disk: &Arc<dyn Disk>, path: &str) -> Location {
    let packing = Packing::of_path(path).unwrap();
    Location {
        disk: Arc::clone(disk),
        path: path.into(),
        packing,
        shown: format!("File('{path}')"),
    }
}

fn no_base(_: &str) -> Result<Arc<BackupReader>> {
    Err(Error::logical("there is no base"))
}

fn put(disk: &dyn Disk, path: &str, bytes: &[u8]) {
    let mut file = disk.create(path).unwrap();
    file.write_all(bytes).unwrap();
    file.sync().unwrap();
}

/// Bytes that no method makes small.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    };
    (0..len).map(|_| next()).collect()
}

fn write(to: &Location, source: &Arc<dyn Disk>, options: Options) -> Result<()> {
    let mut writer = BackupWriter::create(Some(to), options)?;
    writer.add("metadata/t.sql", Content::Bytes(b"CREATE TABLE t"))?;
    writer.add("data/t/1", Content::File { disk: source, path: "tables/1" })?;
    writer.add("data/t/2", Content::File { disk: source, path: "tables/2" })?;
    writer.add("data/t/empty", Content::Bytes(b""))?;
    writer.finish().map(drop)
}

fn options(identity: &str) -> Options {
    Options { identity: identity.into(), deduplicate: true, ..Options::default() }
}

fn source() -> Arc<dyn Disk> {
    let disk = MemoryDisk::new();
    disk.create_dir_all("tables").unwrap();
    put(&disk, "tables/1", &noise(3 << 20));
    put(&disk, "tables/2", &noise(3 << 20));
    Arc::new(disk)
}

#[test]
fn every_packing_is_read_back() {
    for path in ["b", "deep/er/b", "b.zip", "x/b.tar", "b.tar.gz", "b.tgz", "b.tar.zst"] {
        for deflate in [false, true] {
            let to: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
            let (location, source) = (at(&to, path), source());
            let archive = ArchiveOptions { deflate, level: Some(3) };
            write(&location, &source, Options { archive, ..options("one") }).unwrap();
            let again = write(&location, &source, options("two")).unwrap_err();
            assert_eq!(again.code(), codes::BACKUP_ALREADY_EXISTS);
            let reader = BackupReader::open(&location, &no_base).unwrap();
            assert_eq!(reader.bytes("data/t/1").unwrap(), noise(3 << 20), "{path}");
            assert_eq!(reader.bytes("data/t/2").unwrap(), noise(3 << 20));
            assert_eq!(reader.bytes("data/t/empty").unwrap(), b"");
            let place = &reader.manifest().file("data/t/2").unwrap().place;
            assert_eq!(*place, Place::Same("data/t/1".into()));
            let missing = reader.bytes("data/t/3").unwrap_err();
            assert_eq!(missing.code(), codes::BACKUP_ENTRY_NOT_FOUND);
            reader.check(&mut |name, e| panic!("{path}: {name}: {e}"));
            let missing = BackupReader::open(&at(&to, "none.zip"), &no_base).err().unwrap();
            assert_eq!(missing.code(), codes::BACKUP_NOT_FOUND);
        }
    }
}

#[test]
fn an_increment_has_only_what_is_new() {
    let to: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let source = source();
    let first = at(&to, "first");
    write(&first, &source, options("one")).unwrap();
    let base = || Ok(Arc::new(BackupReader::open(&at(&to, "first"), &no_base)?));
    let second = at(&to, "second.zip");
    let of_base = Some((base().unwrap(), "File('first')".to_owned()));
    let mut writer =
        BackupWriter::create(Some(&second), Options { base: of_base, ..options("two") }).unwrap();
    writer.add("data/new", Content::Bytes(b"new")).unwrap();
    writer.add("data/t/9", Content::File { disk: &source, path: "tables/1" }).unwrap();
    let totals = writer.finish().unwrap();
    assert_eq!((totals.files, totals.own_files, totals.own_bytes), (2, 1, 3));
    let open = |shown: &str| {
        assert_eq!(shown, "File('first')");
        base()
    };
    let reader = BackupReader::open(&second, &open).unwrap();
    assert_eq!(reader.bytes("data/t/9").unwrap(), noise(3 << 20));
    to.remove_dir_all("first").unwrap();
    let lost = BackupReader::open(&second, &open).err().unwrap();
    assert_eq!(lost.code(), codes::BACKUP_NOT_FOUND);
    write(&first, &source, options("other")).unwrap();
    let wrong = BackupReader::open(&second, &open).err().unwrap();
    assert_eq!(wrong.code(), codes::WRONG_BASE_BACKUP);
}

#[test]
fn every_changed_byte_is_noticed() {
    for path in ["b", "b.zip", "b.tar"] {
        let to: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
        let source: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
        source.create_dir_all("tables").unwrap();
        put(&*source, "tables/1", &noise(40));
        put(&*source, "tables/2", b"second");
        write(&at(&to, path), &source, options("one")).unwrap();
        let file = if path == "b" { "b/data/t/1" } else { path };
        let good = to.read_to_end(file, 1 << 20).unwrap();
        for byte in 0..good.len() {
            let mut bad = good.clone();
            bad[byte] ^= 1;
            to.remove(file).unwrap();
            put(&*to, file, &bad);
            let Ok(reader) = BackupReader::open(&at(&to, path), &no_base) else { continue };
            // Archives have bytes that nobody reads, such as the times of files.
            if let Ok(bytes) = reader.bytes("data/t/1") {
                assert_eq!(bytes, noise(40), "byte {byte} of {file}");
                assert_ne!(path, "b");
            }
        }
    }
}

#[test]
fn a_manifest_is_a_text_that_is_checked() {
    let manifest = Manifest {
        identity: "i".into(),
        made: 7,
        base: Some(Base { location: "File('a\tb')".into(), identity: "j".into() }),
        objects: vec![Object {
            kind: ObjectKind::View,
            database: "d\n".into(),
            name: "\\t".into(),
            language: 3,
            definition: "metadata/x.sql".into(),
            data: String::new(),
        }],
        files: vec![FileEntry {
            name: "x".into(),
            size: 9,
            checksum: 1 << 100,
            place: Place::Base,
        }],
    };
    let bytes = manifest.to_bytes();
    assert_eq!(Manifest::parse(&bytes).unwrap(), manifest);
    for bit in 0..bytes.len() * 8 {
        let mut bad = bytes.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        // A digit of the checksum may change between `a` and `A`.
        assert!(
            Manifest::parse(&bad)
                .map_or_else(|e| e.code() != codes::LOGICAL_ERROR, |found| found == manifest)
        );
    }
    (0..bytes.len()).for_each(|cut| assert!(Manifest::parse(&bytes[..cut]).is_err()));
}

#[test]
fn a_folder_with_other_things_is_not_touched() {
    let to: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    to.create_dir_all("photos/data").unwrap();
    let error = write(&at(&to, "photos"), &source(), options("one")).unwrap_err();
    assert_eq!(error.code(), codes::BACKUP_ALREADY_EXISTS);
    assert!(to.exists("photos/data").unwrap());
}

/// Writes a backup on a disk that fails or crashes at a step. Answers whether that happened.
fn cut(path: &str, step: u64, crash: bool) -> bool {
    let fault = Arc::new(FaultDisk::new());
    let mut disk: Arc<dyn Disk> = Arc::clone(&fault) as _;
    disk.create_dir_all("tables").unwrap();
    put(&*disk, "tables/1", &noise(5000));
    put(&*disk, "tables/2", &noise(700));
    disk.sync_dir("").unwrap();
    disk.sync_dir("tables").unwrap();
    match crash {
        true => fault.crash_at(fault.changes() + step),
        false => fault.fail_at(fault.calls() + step, Fault::Error),
    }
    let done = write(&at(&disk, path), &disk, options("one"));
    let was_cut = if crash { fault.is_crashed() } else { fault.faults_struck() };
    if !was_cut {
        return false;
    }
    if crash {
        fault.crash();
        disk = Arc::new(fault.restart(step));
    }
    match BackupReader::open(&at(&disk, path), &no_base) {
        Ok(reader) => {
            reader.check(&mut |name, e| panic!("step {step} of {path}: {name}: {e}"));
            assert_eq!(reader.manifest().files.len(), 4);
        }
        Err(e) => {
            assert!(done.is_err(), "an acknowledged backup is gone: {path}, step {step}: {e}");
            assert_eq!(e.code(), codes::BACKUP_NOT_FOUND, "{path}, step {step}: {e}");
            // The place can be used again.
            write(&at(&disk, path), &disk, options("two")).unwrap();
            let reader = BackupReader::open(&at(&disk, path), &no_base).unwrap();
            reader.check(&mut |name, e| panic!("{name}: {e}"));
        }
    }
    assert_eq!(disk.read_to_end("tables/1", 1 << 20).unwrap(), noise(5000));
    was_cut
}

/// More steps than any backup of these tests takes.
const MOST_STEPS: u64 = 10_000;

#[test]
fn a_backup_that_is_cut_at_any_step_is_whole_or_not_there() {
    // An archive is one file, which is written in fewer steps than a folder of files.
    for (path, least) in [("backups/b", 9), ("backups/b.zip", 9), ("b.tar.zst", 8)] {
        for crash in [false, true] {
            let steps = (0..MOST_STEPS).take_while(|step| cut(path, *step, crash)).count();
            assert!(steps >= least, "{path}: {steps} steps");
        }
    }
}

#[test]
fn nothing_is_left_of_a_backup_that_fails() {
    let to: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    for path in ["b", "b.zip"] {
        let mut writer = BackupWriter::create(Some(&at(&to, path)), options("one")).unwrap();
        writer.add("data/a", Content::Bytes(b"a")).unwrap();
        let twice = writer.add("data/a", Content::Bytes(b"a")).unwrap_err();
        assert_eq!(twice.code(), codes::BACKUP_ENTRY_ALREADY_EXISTS);
        assert!(!to.exists(&format!("b/{NAME}")).unwrap());
        drop(writer);
    }
    assert_eq!(to.list("").unwrap(), []);
}
