//! The disk in memory, and the tree of names and files that it shares with the faulty one.
//!
//! Every file and every directory has a state that the process sees and one that a crash leaves.
//! With `track` off (a [`MemoryDisk`]) only the former is kept. With it on, writes and changes of
//! names are held back in lists until a sync moves them to the durable side; `fault::crash` decides
//! what of the lists survives.

mod tree;

use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard};

use entasis_base::Result;
use entasis_base::sync;

use crate::failure::{cannot_grow, short_read};
use crate::{Disk, DiskLock, Entry, ReadFile, WriteFile};
pub(crate) use tree::{Dir, DirId, Entries, NameChange, Names, Node, Tree};

/// A change to a file's bytes that was not synced yet.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Write { at: usize, bytes: Vec<u8> },
    Truncate(usize),
}

impl Change {
    /// Applies the change to `content`; a hole before the write reads as zeros.
    pub(crate) fn apply(&self, content: &mut Vec<u8>) {
        match self {
            Self::Write { at, bytes } => {
                let end = at + bytes.len();
                if content.len() < end {
                    content.resize(end, 0);
                }
                content[*at..end].copy_from_slice(bytes);
            }
            Self::Truncate(len) => content.truncate(*len),
        }
    }
}

/// The bytes of a file: as seen now, as durable, and the way from the latter to the former.
#[derive(Debug, Default)]
pub(crate) struct Content {
    pub(crate) now: Vec<u8>,
    pub(crate) durable: Vec<u8>,
    pub(crate) unsynced: Vec<Change>,
}

/// A file without its name.
#[derive(Debug)]
pub(crate) struct FileNode {
    content: RwLock<Content>,
    track: bool,
}

impl FileNode {
    /// A file whose `bytes` are durable.
    pub(crate) fn new(bytes: Vec<u8>, track: bool) -> Self {
        let durable = if track { bytes.clone() } else { Vec::new() };
        let content = Content { now: bytes, durable, unsynced: Vec::new() };
        Self { content: RwLock::new(content), track }
    }

    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Content> {
        sync::read(&self.content)
    }

    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, Content> {
        sync::write(&self.content)
    }

    pub(crate) fn write_at(&self, at: usize, bytes: &[u8]) {
        self.change(Change::Write { at, bytes: bytes.to_vec() });
    }

    pub(crate) fn truncate(&self, len: usize) {
        self.change(Change::Truncate(len));
    }

    fn change(&self, change: Change) {
        let mut content = self.write();
        change.apply(&mut content.now);
        if self.track {
            content.unsynced.push(change);
        }
    }

    pub(crate) fn sync(&self) {
        let mut content = self.write();
        for change in std::mem::take(&mut content.unsynced) {
            change.apply(&mut content.durable);
        }
    }

    /// What Linux does when a write-back fails: pages count as clean, and never reach the medium.
    pub(crate) fn forget_unsynced(&self) {
        self.write().unsynced.clear();
    }
}

/// A disk in memory: for tables without a directory, and for tests.
#[derive(Debug)]
pub struct MemoryDisk(Tree);

impl MemoryDisk {
    /// An empty disk.
    pub fn new() -> Self {
        Self(Tree::new(Names::new(false)))
    }
}

impl Default for MemoryDisk {
    fn default() -> Self {
        Self::new()
    }
}

impl Disk for MemoryDisk {
    fn open(&self, path: &str) -> Result<Arc<dyn ReadFile>> {
        Ok(Arc::new(MemoryFile::new(self.0.open(path)?, path)))
    }
    fn create(&self, path: &str) -> Result<Box<dyn WriteFile>> {
        Ok(Box::new(MemoryFile::new(self.0.create(path, false)?, path)))
    }
    fn append(&self, path: &str) -> Result<Box<dyn WriteFile>> {
        Ok(Box::new(MemoryFile::new(self.0.create(path, true)?, path)))
    }
    fn list(&self, dir: &str) -> Result<Vec<Entry>> {
        self.0.list(dir)
    }
    fn exists(&self, path: &str) -> Result<bool> {
        self.0.exists(path)
    }
    fn create_dir_all(&self, dir: &str) -> Result<()> {
        self.0.create_dir_all(dir)
    }
    fn remove(&self, path: &str) -> Result<()> {
        self.0.remove(path)
    }
    fn remove_dir(&self, dir: &str) -> Result<()> {
        self.0.remove_dir(dir)
    }
    fn remove_dir_all(&self, dir: &str) -> Result<()> {
        self.0.remove_dir_all(dir)
    }
    fn rename(&self, from: &str, to: &str) -> Result<()> {
        self.0.rename(from, to)
    }
    fn link(&self, from: &str, to: &str) -> Result<()> {
        self.0.link(from, to)
    }
    fn sync_dir(&self, dir: &str) -> Result<()> {
        self.0.sync_dir(dir)
    }
    fn lock(&self, path: &str) -> Result<DiskLock> {
        self.0.lock(path)
    }
    fn free_space(&self) -> Result<u64> {
        Ok(u64::MAX)
    }
}

/// A handle on a file in memory, for reading or for writing.
#[derive(Debug)]
pub(crate) struct MemoryFile {
    node: Arc<FileNode>,
    path: String,
    /// For a reader the length when opened; for a writer where the next byte goes.
    len: usize,
}

impl MemoryFile {
    pub(crate) fn new(node: Arc<FileNode>, path: &str) -> Self {
        let len = node.read().now.len();
        Self { node, path: path.to_owned(), len }
    }
}

impl ReadFile for MemoryFile {
    fn len(&self) -> u64 {
        self.len as u64
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        let content = self.node.read();
        let range = bytes_at(&content.now, &self.path, offset, buffer.len())?;
        buffer.copy_from_slice(range);
        Ok(())
    }

    fn read_range_into(&self, offset: u64, len: usize, buffer: &mut Vec<u8>) -> Result<()> {
        let content = self.node.read();
        buffer.extend_from_slice(bytes_at(&content.now, &self.path, offset, len)?);
        Ok(())
    }
}

fn bytes_at<'a>(all: &'a [u8], path: &str, offset: u64, len: usize) -> Result<&'a [u8]> {
    let tail = usize::try_from(offset).ok().and_then(|at| all.get(at..)).unwrap_or(&[]);
    tail.get(..len).ok_or_else(|| short_read(path, offset, len, tail.len()))
}

impl WriteFile for MemoryFile {
    fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
        self.node.write_at(self.len, bytes);
        self.len += bytes.len();
        Ok(())
    }

    fn len(&self) -> u64 {
        self.len as u64
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        self.node.sync();
        Ok(())
    }

    fn truncate(&mut self, len: u64) -> Result<()> {
        if len > self.len as u64 {
            return Err(cannot_grow(&self.path, self.len as u64, len));
        }
        self.node.truncate(len as usize);
        self.len = len as usize;
        Ok(())
    }
}
