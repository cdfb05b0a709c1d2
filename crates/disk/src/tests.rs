//! What every disk must do, run over all three.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use entasis_base::clock::Rng;
use entasis_base::codes;

use super::*;

/// A directory of its own that goes away with the test.
pub(crate) struct TempDir(pub(crate) PathBuf);

impl TempDir {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name =
            format!("entasis-disk-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path.canonicalize().unwrap())
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn on_every_disk(test: impl Fn(&dyn Disk)) {
    let dir = TempDir::new();
    test(&LocalDisk::new(&dir.0).unwrap());
    test(&MemoryDisk::new());
    test(&FaultDisk::new());
}

pub(crate) fn put(disk: &dyn Disk, path: &str, bytes: &[u8]) {
    let mut file = disk.create(path).unwrap();
    file.write_all(bytes).unwrap();
    file.sync().unwrap();
}

fn get(disk: &dyn Disk, path: &str) -> Vec<u8> {
    disk.read_to_end(path, u64::MAX).unwrap()
}

fn names(disk: &dyn Disk, dir: &str) -> Vec<String> {
    disk.list(dir).unwrap().into_iter().map(|entry| entry.name).collect()
}

#[test]
fn files_and_names() {
    on_every_disk(|disk| {
        put(disk, "a", b"one");
        assert_eq!(disk.create("a").unwrap_err().code(), codes::FILE_ALREADY_EXISTS);
        assert_eq!(disk.open("no").unwrap_err().code(), codes::FILE_DOESNT_EXIST);
        assert_eq!(disk.create("no/a").unwrap_err().code(), codes::FILE_DOESNT_EXIST);
        assert_eq!(disk.list("no").unwrap_err().code(), codes::DIRECTORY_DOESNT_EXIST);
        assert!(disk.open("no").unwrap_err().message().contains("no"));

        let mut file = disk.append("a").unwrap();
        assert_eq!(file.len(), 3);
        file.write_all(b"two").unwrap();
        assert_eq!(file.len(), 6);
        file.flush().unwrap();
        assert_eq!(get(disk, "a"), b"onetwo");
        file.truncate(4).unwrap();
        assert_eq!(file.truncate(5).unwrap_err().code(), codes::CANNOT_TRUNCATE_FILE);
        file.write_all(b"X").unwrap();
        drop(file);
        assert_eq!(get(disk, "a"), b"onetX");
        assert_eq!(disk.read_to_end("a", 4).unwrap_err().code(), codes::LIMIT_EXCEEDED);

        disk.create_dir_all("d/e").unwrap();
        disk.create_dir_all("d/e").unwrap();
        put(disk, "d/e/f", b"old");
        let open = disk.open("d/e/f").unwrap();
        disk.rename("a", "d/e/f").unwrap();
        let mut kept = [0; 3];
        open.read_exact_at(0, &mut kept).unwrap();
        assert_eq!(&kept, b"old", "an open file outlives its name");
        assert_eq!(get(disk, "d/e/f"), b"onetX");
        assert!(!disk.exists("a").unwrap());
        assert_eq!(disk.rename("a", "b").unwrap_err().code(), codes::FILE_DOESNT_EXIST);
        disk.rename("d/e", "g").unwrap();
        assert_eq!(names(disk, ""), ["d", "g"]);
        assert_eq!(disk.list("g").unwrap(), [Entry { name: "f".into(), is_dir: false, len: 5 }]);
        assert!(disk.list("").unwrap().iter().all(|e| e.is_dir && e.len == 0));
        assert!(disk.rename("d", "g").is_err(), "g is not empty");
        assert!(disk.rename("g", "g/x").is_err());
        assert!(disk.open("g").is_err());
        assert!(disk.remove("g").is_err());
        disk.remove_dir_all("g").unwrap();
        assert!(disk.remove_dir_all("g").is_err());
        disk.sync_dir("").unwrap();
        assert_eq!(names(disk, ""), ["d"]);
        assert!(disk.free_space().unwrap() > 0);
        for bad in ["", "/etc/passwd", "../x", "d/../x", "d//x", "./d"] {
            assert_eq!(disk.open(bad).unwrap_err().code(), codes::INCORRECT_FILE_NAME);
            assert_eq!(disk.create(bad).unwrap_err().code(), codes::INCORRECT_FILE_NAME);
            assert_eq!(disk.rename("d", bad).unwrap_err().code(), codes::INCORRECT_FILE_NAME);
            assert_eq!(disk.remove_dir_all(bad).unwrap_err().code(), codes::INCORRECT_FILE_NAME);
        }
    });
}

#[test]
fn one_owner_per_lock() {
    on_every_disk(|disk| {
        let lock = disk.lock("lock").unwrap();
        let second = disk.lock("lock").unwrap_err();
        assert_eq!(second.code(), codes::CANNOT_OPEN_FILE);
        assert!(second.message().contains(&std::process::id().to_string()), "{second}");
        drop(lock);
        drop(disk.lock("lock").unwrap());
    });
}

#[test]
fn replaced_atomically() {
    on_every_disk(|disk| {
        disk.write_atomically("current", b"1").unwrap();
        put(disk, "current.tmp", b"left over");
        disk.write_atomically("current", b"2").unwrap();
        assert_eq!(
            (get(disk, "current"), names(disk, "")),
            (b"2".to_vec(), vec!["current".into()])
        );
    });
}

#[test]
fn batches_equal_slices() {
    let mut rng = Rng::new(7);
    let content: Vec<u8> = (0..300_000).map(|_| rng.next_u64() as u8).collect();
    on_every_disk(|disk| {
        put(disk, "f", &content);
        let file = disk.open("f").unwrap();
        assert_eq!(file.len(), content.len() as u64);
        let mut rng = Rng::new(8);
        for round in 0..60 {
            let longest = [1, 100, 5000, 100_000][round % 4];
            let ranges: Vec<ByteRange> = (0..rng.below(20))
                .map(|_| {
                    let offset = rng.below(content.len() as u64);
                    let most = (content.len() as u64 - offset).min(longest);
                    ByteRange::new(offset, rng.below(most + 1) as usize)
                })
                .collect();
            let slice = |r: &ByteRange| content[r.offset as usize..r.end() as usize].to_vec();
            let wanted: Vec<Vec<u8>> = ranges.iter().map(slice).collect();
            assert!(file.read_ranges(&ranges).wait().unwrap() == wanted);
            assert!(file.clone().read_ranges_async(ranges.clone()).wait().unwrap() == wanted);
            let (mut buffer, mut joined) = (b"head".to_vec(), b"head".to_vec());
            buffer.reserve(rng.below(20_000) as usize);
            for (range, bytes) in ranges.iter().zip(&wanted) {
                file.read_range_into(range.offset, range.len, &mut buffer).unwrap();
                joined.extend_from_slice(bytes);
            }
            assert!(buffer == joined);
        }
        for (offset, len) in [(300_000, 1), (299_999, 2), (0, 1 << 50), (u64::MAX, 9), (1 << 62, 0)]
        {
            let mut buffer = vec![1];
            let done = file.read_range_into(offset, len, &mut buffer);
            assert_eq!(buffer, [1], "nothing is added by a failure");
            if len > 0 {
                assert_eq!(done.unwrap_err().code(), codes::CANNOT_READ_ALL_DATA);
                let ranges = [ByteRange::new(0, 3), ByteRange::new(offset, len)];
                let failed = file.read_ranges(&ranges).wait().unwrap_err();
                assert_eq!(failed.code(), codes::CANNOT_READ_ALL_DATA);
            }
        }
    });
}
