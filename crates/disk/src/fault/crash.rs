//! What a crash leaves of a disk.

use std::collections::HashMap;
use std::sync::Arc;

use entasis_base::clock::Rng;

use crate::memory::{Change, Content, Dir, DirId, Entries, FileNode, NameChange, Names, Node};

/// The unit that a medium writes in one piece.
const SECTOR: usize = 512;

/// The names and files that a machine finds after losing its memory.
pub(super) fn survivors(names: &Names, seed: u64) -> Names {
    let mut rng = Rng::new(seed);
    let durable = durable_entries(names, &mut rng);
    let empty = Entries::new();
    rebuild(|id| durable.get(&id).unwrap_or(&empty), &mut |content: &Content| {
        surviving_bytes(content, &mut rng)
    })
}

/// The names and files that a new process finds on a machine that kept running.
pub(super) fn everything(names: &Names) -> Names {
    let empty = Entries::new();
    rebuild(|id| names.dirs.get(&id).map_or(&empty, |dir| &dir.now), &mut |content: &Content| {
        content.now.clone()
    })
}

/// The durable names, with some of the pending changes: none, all, a prefix in time, or a random
/// subset that keeps the order within each directory.
fn durable_entries(names: &Names, rng: &mut Rng) -> HashMap<DirId, Entries> {
    let mut copy = Names::new(true);
    copy.dirs.clear();
    for (&id, dir) in &names.dirs {
        let durable = dir.durable.clone();
        copy.dirs.insert(id, Dir { now: Entries::new(), durable });
    }
    copy.pending = names.pending.iter().map(|c| NameChange(c.0.clone())).collect();
    match rng.below(4) {
        0 => {}
        1 => copy.settle(|_| true),
        2 => {
            let keep = rng.below(copy.pending.len() as u64 + 1) as usize;
            copy.pending.truncate(keep);
            copy.settle(|_| true);
        }
        _ => {
            let one_in = 1 + rng.below(8);
            copy.settle(|_| rng.below(one_in + 1) == 0);
        }
    }
    copy.dirs.into_iter().map(|(id, dir)| (id, dir.durable)).collect()
}

/// A new tree of what can be reached from the root, where everything counts as durable.
fn rebuild<'a>(
    entries: impl Fn(DirId) -> &'a Entries,
    bytes: &mut dyn FnMut(&Content) -> Vec<u8>,
) -> Names {
    let mut names = Names::new(true);
    let mut work = vec![(0, 0)];
    while let Some((old, new)) = work.pop() {
        let mut copy = Entries::new();
        for (name, node) in entries(old) {
            let node = match node {
                Node::File(file) => Node::File(Arc::new(FileNode::new(bytes(&file.read()), true))),
                Node::Dir(below) => {
                    let id = names.new_dir();
                    work.push((*below, id));
                    Node::Dir(id)
                }
            };
            copy.insert(name.clone(), node);
        }
        let dir = names.dirs.entry(new).or_default();
        dir.now.clone_from(&copy);
        dir.durable = copy;
    }
    names
}

/// The durable bytes, a random prefix of the un-synced changes, and a torn one after it.
fn surviving_bytes(content: &Content, rng: &mut Rng) -> Vec<u8> {
    let mut left = content.durable.clone();
    let changes = &content.unsynced;
    let keep = rng.below(changes.len() as u64 + 1) as usize;
    for change in &changes[..keep] {
        change.apply(&mut left);
    }
    if let Some(Change::Write { at, bytes }) = changes.get(keep)
        && rng.below(4) != 0
    {
        tear(*at, bytes, rng).apply(&mut left);
    }
    left
}

/// A part of a write: its first sectors, alone or followed by zeros or garbage.
fn tear(at: usize, bytes: &[u8], rng: &mut Rng) -> Change {
    let end = at + bytes.len();
    // Sectors are the file's, not the write's: the first boundary may be anywhere in the write.
    let sectors = end.div_ceil(SECTOR) - at / SECTOR;
    let cut = (at / SECTOR + rng.below(sectors as u64 + 1) as usize) * SECTOR;
    // Within a sector too, now and then: not every medium keeps the promise.
    let cut = if rng.below(4) == 0 { at + rng.below(bytes.len() as u64 + 1) as usize } else { cut };
    let kept = cut.clamp(at, end) - at;
    let mut torn = bytes[..kept].to_vec();
    match rng.below(3) {
        0 => {}
        1 => torn.resize(bytes.len(), 0),
        _ => torn.resize_with(bytes.len(), || rng.next_u64() as u8),
    }
    Change::Write { at, bytes: torn }
}
