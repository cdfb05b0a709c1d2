use std::collections::{BTreeMap, BTreeSet};

use entasis_base::clock::Rng;

use super::*;
use crate::Disk;
use crate::tests::put;

const SEEDS: u64 = 24;

fn get(disk: &FaultDisk, path: &str) -> Vec<u8> {
    disk.read_to_end(path, u64::MAX).unwrap()
}

/// Appends records to a log, syncing some; answers what was acknowledged and all that was tried.
fn write_log(disk: &FaultDisk, seed: u64) -> (usize, Vec<u8>) {
    let mut rng = Rng::new(seed);
    let (mut synced, mut tried) = (0, Vec::new());
    let mut run = || -> Result<()> {
        let mut file = disk.create("log")?;
        disk.sync_dir("")?;
        for _ in 0..12 {
            let record = vec![1 + rng.below(255) as u8; rng.below(2000) as usize];
            tried.extend_from_slice(&record);
            file.write_all(&record)?;
            if rng.below(3) == 0 {
                file.sync()?;
                synced = tried.len();
            }
        }
        Ok(())
    };
    let _ = run();
    (synced, tried)
}

#[test]
fn synced_bytes_survive_every_crash_point() {
    let (mut shorter, mut torn, mut whole) = (0, 0, 0);
    for workload in 0..4 {
        for point in 0.. {
            let disk = FaultDisk::new();
            disk.crash_at(point);
            let (synced, tried) = write_log(&disk, workload);
            for seed in 0..SEEDS {
                let after = disk.restart(seed);
                if !after.exists("log").unwrap() {
                    assert_eq!(synced, 0);
                    continue;
                }
                let bytes = get(&after, "log");
                assert!(bytes.len() >= synced && bytes.len() <= tried.len());
                assert!(bytes[..synced] == tried[..synced], "acknowledged bytes changed");
                let is_prefix = tried.starts_with(&bytes);
                torn += usize::from(!is_prefix);
                shorter += usize::from(is_prefix && bytes.len() < tried.len());
                whole += usize::from(bytes == tried);
                assert!(bytes == get(&disk.restart(seed), "log"), "a function of the seed");
            }
            let clean = disk.restart_clean();
            if clean.exists("log").unwrap() {
                let bytes = get(&clean, "log");
                assert!(tried.starts_with(&bytes) && bytes.len() >= synced);
            }
            if disk.changes() <= point {
                break;
            }
            assert!(disk.exists("log").is_err(), "the world has stopped");
        }
    }
    assert!(shorter > 100 && torn > 100 && whole > 100, "{shorter} {torn} {whole}");
}

/// Replaces a file several times; answers the last acknowledged version.
fn replace_often(disk: &FaultDisk, careful: bool) -> Option<u8> {
    let mut acknowledged = None;
    for version in 0..4u8 {
        let bytes = vec![version; 1500];
        let done = if careful {
            disk.write_atomically("current", &bytes)
        } else {
            let write = || -> Result<()> {
                disk.create("current.tmp")?.write_all(&bytes)?;
                disk.rename("current.tmp", "current")?;
                disk.sync_dir("")
            };
            write()
        };
        if done.is_err() {
            break;
        }
        acknowledged = Some(version);
    }
    acknowledged
}

/// Crash states of `replace_often` that break its promise.
fn broken_promises(careful: bool) -> usize {
    let mut broken = 0;
    for point in 0..40 {
        let disk = FaultDisk::new();
        disk.crash_at(point);
        let acknowledged = replace_often(&disk, careful);
        for seed in 0..SEEDS {
            let after = disk.restart(seed);
            let found = after.exists("current").unwrap().then(|| get(&after, "current"));
            let allowed = [acknowledged, Some(acknowledged.map_or(0, |v| v + 1))];
            let is = |v: &Option<u8>| v.map(|v| vec![v; 1500]) == found;
            broken += usize::from(!allowed.iter().any(is));
        }
    }
    broken
}

#[test]
fn careful_replacement_is_atomic_and_careless_is_caught() {
    assert_eq!(broken_promises(true), 0);
    assert!(broken_promises(false) > 50);
}

/// Names in two directories against a plain model: after a crash each directory shows one of the
/// states it went through since its last sync, no file has two names, and none is lost.
#[test]
fn names_keep_their_order_within_a_directory() {
    type Listing = BTreeMap<String, Vec<u8>>;
    let dirs = ["x", "y"];
    let listing = |disk: &FaultDisk, dir: &str| -> Listing {
        let name = |name: String| {
            let bytes = get(disk, &format!("{dir}/{name}"));
            (name, bytes)
        };
        disk.list(dir).unwrap().into_iter().map(|e| name(e.name)).collect()
    };
    let mut lost_something = 0;
    for workload in 0..60 {
        let mut rng = Rng::new(workload);
        let disk = FaultDisk::new();
        for dir in dirs {
            disk.create_dir_all(dir).unwrap();
        }
        disk.sync_dir("").unwrap();
        let mut history = [vec![Listing::new()], vec![Listing::new()]];
        let mut settled = [0, 0];
        // Files whose name was durable once and that nothing removed or replaced since.
        let (mut durable, mut gone): (BTreeSet<Vec<u8>>, BTreeSet<Vec<u8>>) = Default::default();
        for step in 0..rng.below(40) {
            let mut pick = || (rng.below(2) as usize, format!("n{}", rng.below(4)));
            let ((d, name), (e, other)) = (pick(), pick());
            let (from, to) = (format!("{}/{name}", dirs[d]), format!("{}/{other}", dirs[e]));
            let now = [0, 1].map(|i| history[i].last().unwrap().clone());
            match rng.below(6) {
                0 | 1 => {
                    if disk.create(&from).map_err(|e| e.code()).is_ok() {
                        disk.remove(&from).unwrap();
                        history[d].push(now[d].clone());
                        put(&disk, &from, &step.to_le_bytes());
                        // Removed and created again: the empty file was a state too.
                        let mut empty = now[d].clone();
                        empty.insert(name.clone(), Vec::new());
                        history[d].insert(history[d].len() - 1, empty);
                    } else {
                        let code = disk.create(&from).unwrap_err().code();
                        assert_eq!(code, codes::FILE_ALREADY_EXISTS);
                    }
                }
                2 => {
                    if let Some(tag) = now[d].get(&name) {
                        disk.remove(&from).unwrap();
                        gone.insert(tag.clone());
                    }
                }
                3 | 4 => {
                    if disk.rename(&from, &to).is_ok() && from != to {
                        gone.extend(now[e].get(&other).cloned());
                    }
                }
                _ => {
                    disk.sync_dir(dirs[d]).unwrap();
                    durable.extend(now[d].values().cloned());
                    settled[d] = history[d].len() - 1;
                }
            }
            for i in 0..2 {
                let new = listing(&disk, dirs[i]);
                if new != *history[i].last().unwrap() {
                    history[i].push(new);
                }
            }
        }
        for seed in 0..SEEDS {
            let after = disk.restart(seed);
            let found = dirs.map(|dir| listing(&after, dir));
            for i in 0..2 {
                let states = &history[i][settled[i]..];
                assert!(states.contains(&found[i]), "{workload} {seed}: {:?} {states:?}", found[i]);
                lost_something += usize::from(found[i] != *states.last().unwrap());
            }
            let tags: Vec<_> =
                found.iter().flat_map(|l| l.values()).filter(|t| !t.is_empty()).collect();
            let distinct: BTreeSet<_> = tags.iter().collect();
            assert_eq!(distinct.len(), tags.len(), "a file with two names");
            for tag in durable.difference(&gone) {
                assert!(tags.contains(&tag), "{workload} {seed}: {tag:?} lost");
            }
        }
    }
    assert!(lost_something > 100, "{lost_something}");
}

#[test]
fn a_directory_needs_its_own_name() {
    let disk = FaultDisk::new();
    disk.create_dir_all("d").unwrap();
    put(&disk, "d/f", b"x");
    disk.sync_dir("d").unwrap();
    let lost = (0..SEEDS).filter(|&seed| !disk.restart(seed).exists("d/f").unwrap()).count();
    assert!(lost > 0 && lost < SEEDS as usize, "{lost}");
    let disk = disk.restart_clean();
    assert_eq!(get(&disk, "d/f"), b"x");
    assert_eq!(get(&disk.restart(1), "d/f"), b"x", "what a restart finds is durable");
}

#[test]
fn every_call_can_fail() {
    for fault in
        [Fault::Error, Fault::NoSpace, Fault::ShortWrite, Fault::SyncFails, Fault::ReadFails]
    {
        let mut failures = 0;
        for n in 0.. {
            let disk = FaultDisk::new();
            disk.fail_at(n, fault);
            let done = disk
                .write_atomically("f", b"abc")
                .and_then(|()| disk.open("f")?.read_exact_at(0, &mut [0; 3]));
            if !disk.faults_struck() {
                assert!(done.is_ok());
                break;
            }
            failures += 1;
            assert!(done.is_err(), "{fault:?} at {n}");
        }
        // exists, create, write, sync, rename, sync_dir, open, read
        let wanted = match fault {
            Fault::Error | Fault::ReadFails => 8,
            Fault::NoSpace | Fault::ShortWrite => 3,
            Fault::SyncFails => 6,
        };
        assert_eq!(failures, wanted, "{fault:?}");
    }
}

#[test]
fn calls_are_counted() {
    let disk = FaultDisk::new();
    let before = disk.counts();
    disk.write_atomically("f", b"abc").unwrap();
    let cost = disk.counts().since(&before);
    assert_eq!((cost.syncs(), cost.of(OpKind::Write), cost.of(OpKind::Rename)), (2, 1, 1));
    assert_eq!((disk.changes(), disk.calls()), (5, 6));
}

#[test]
fn after_a_failed_write_only_truncation_helps() {
    let disk = FaultDisk::new();
    let mut file = disk.create("f").unwrap();
    file.write_all(b"good").unwrap();
    disk.fail_at(0, Fault::ShortWrite);
    assert!(file.write_all(b"abcdef").is_err());
    assert_eq!(get(&disk, "f"), b"goodabc");
    assert!(file.write_all(b"x").is_err());
    assert!(file.sync().is_err());
    file.truncate(4).unwrap();
    file.write_all(b"!").unwrap();
    file.sync().unwrap();
    disk.sync_dir("").unwrap();
    assert_eq!(get(&disk.restart(3), "f"), b"good!");
}

#[test]
fn a_failed_sync_forgets_and_poisons() {
    let disk = FaultDisk::new();
    let mut file = disk.create("f").unwrap();
    disk.sync_dir("").unwrap();
    file.write_all(b"lost").unwrap();
    disk.fail_at(0, Fault::SyncFails);
    assert_eq!(file.sync().unwrap_err().code(), codes::CANNOT_FSYNC);
    assert_eq!(file.write_all(b"x").unwrap_err().code(), codes::CANNOT_FSYNC);
    assert_eq!(file.truncate(0).unwrap_err().code(), codes::CANNOT_FSYNC);
    assert_eq!(get(&disk, "f"), b"lost", "still in the page cache");
    let mut again = disk.append("f").unwrap();
    again.write_all(b"kept").unwrap();
    again.sync().unwrap();
    assert_eq!(get(&disk.restart(0), "f"), b"\0\0\0\0kept", "the second sync lied");
}
