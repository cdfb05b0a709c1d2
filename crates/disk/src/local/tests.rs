use super::*;
use crate::ByteRange;
use crate::tests::{TempDir, put};

#[test]
fn buffered_bytes_arrive_in_order() {
    let dir = TempDir::new();
    let disk = LocalDisk::new(&dir.0).unwrap();
    let mut wanted = Vec::new();
    let mut file = disk.create("f").unwrap();
    for (i, len) in [10, 1 << 19, 700_000, 3 << 20, 1, 1 << 20, (1 << 20) - 1].iter().enumerate() {
        let bytes = vec![i as u8; *len];
        file.write_all(&bytes).unwrap();
        wanted.extend_from_slice(&bytes);
        assert_eq!(file.len(), wanted.len() as u64);
    }
    drop(file);
    assert!(disk.read_to_end("f", u64::MAX).unwrap() == wanted);
}

#[test]
fn pool_serves_many_and_outlives_the_disk() {
    let dir = TempDir::new();
    let disk = LocalDisk::new(&dir.0).unwrap();
    put(&disk, "f", b"0123456789");
    let file = disk.open("f").unwrap();
    let batches: Vec<_> =
        (0..200).map(|i| file.clone().read_ranges_async(vec![ByteRange::new(i % 10, 1)])).collect();
    drop((disk, file));
    for (i, batch) in batches.into_iter().enumerate() {
        assert_eq!(batch.wait().unwrap(), [[b'0' + (i % 10) as u8]]);
    }
}

#[test]
fn full_disk_is_reported_and_can_be_cut() {
    // /dev/full refuses every write.
    let Ok(full) = OpenOptions::new().write(true).open("/dev/full") else { return };
    let mut file = LocalWriter::new(full, "full".into(), 0);
    file.write_all(b"x").unwrap();
    assert_eq!(file.sync().unwrap_err().code(), codes::NOT_ENOUGH_SPACE);
    let again = file.write_all(b"x").unwrap_err();
    assert_eq!(again.code(), codes::CANNOT_WRITE_TO_FILE_DESCRIPTOR);
    assert!(again.message().contains("truncate"), "{again}");
}

#[test]
fn a_failed_sync_poisons() {
    // A pipe cannot be synced.
    let (reader, writer) = io::pipe().unwrap();
    let mut file = LocalWriter::new(File::from(std::os::fd::OwnedFd::from(writer)), "p".into(), 0);
    assert_eq!(file.sync().unwrap_err().code(), codes::CANNOT_FSYNC);
    assert_eq!(file.write_all(b"x").unwrap_err().code(), codes::CANNOT_FSYNC);
    assert_eq!(file.truncate(0).unwrap_err().code(), codes::CANNOT_FSYNC);
    assert_eq!(file.sync().unwrap_err().code(), codes::CANNOT_FSYNC);
    drop(reader);
}

#[test]
fn a_lock_holds_though_its_name_is_removed() {
    let dir = TempDir::new();
    let disk = LocalDisk::new(&dir.0).unwrap();
    let held = disk.lock("lock").unwrap();
    assert!(LocalDisk::new(&dir.0).unwrap().lock("lock").is_err());
    disk.remove("lock").unwrap();
    let error = LocalDisk::new(&dir.0).unwrap().lock("lock").unwrap_err();
    assert_eq!(error.code(), codes::CANNOT_OPEN_FILE);
    drop(held);
    drop(LocalDisk::new(&dir.0).unwrap().lock("lock").unwrap());
}

#[test]
fn files_are_the_owner_s_and_the_group_may_read_them() {
    use std::os::unix::fs::PermissionsExt;
    let dir = TempDir::new();
    let root = dir.0.join("new/folders");
    let disk = LocalDisk::new(&root).unwrap();
    disk.create_dir_all("tables/1").unwrap();
    put(&disk, "tables/1/f", b"x");
    drop(disk.append("log").unwrap());
    drop(disk.lock("lock").unwrap());
    let mode = |path: &str| fs::metadata(root.join(path)).unwrap().permissions().mode() & 0o777;
    for (path, most) in [("..", 0o750), (".", 0o750), ("tables/1", 0o750)] {
        assert_eq!(mode(path) & !most, 0, "{path}");
        assert_eq!(mode(path) & 0o700, 0o700, "{path}");
    }
    for path in ["tables/1/f", "log", "lock"] {
        assert_eq!(mode(path) & !0o640, 0, "{path}");
    }
    assert_eq!(LocalDisk::existing(dir.0.join("no")).unwrap_err().code(), codes::FILE_DOESNT_EXIST);
    assert!(LocalDisk::existing(root.join("log")).is_err());
    assert!(disk.remove_dir("tables").is_err());
    disk.remove("tables/1/f").unwrap();
    disk.remove_dir("tables/1").unwrap();
}
