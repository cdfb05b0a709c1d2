//! The faulty disk and its files: each call asks the plan first, then does what memory does.

use std::sync::Arc;

use entasis_base::Result;

use super::{Control, Fault, OpCounts, OpKind, crash};
use crate::failure::{broken, poisoned};
use crate::memory::{FileNode, MemoryFile, Names, Tree};
use crate::{Disk, DiskLock, Entry, ReadFile, WriteFile};

/// A disk in memory that counts, fails and crashes. See the module for the model.
#[derive(Debug)]
pub struct FaultDisk {
    tree: Tree,
    control: Arc<Control>,
}

impl FaultDisk {
    /// An empty disk without faults.
    pub fn new() -> Self {
        Self { tree: Tree::new(Names::new(true)), control: Arc::default() }
    }

    /// Makes call number `n` (from 0, over all kinds) fail, or the first one after it that this
    /// fault applies to. Can be called several times.
    pub fn fail_at(&self, n: u64, fault: Fault) {
        self.control.state().plan.push((n, fault));
    }

    /// Stops the world at changing call number `n` (from 0): that call is not carried out.
    pub fn crash_at(&self, n: u64) {
        self.control.state().crash_at = Some(n);
    }

    /// Stops the world now.
    pub fn crash(&self) {
        self.control.state().crashed = true;
    }

    /// Whether the world has stopped.
    pub fn is_crashed(&self) -> bool {
        self.control.state().crashed
    }

    /// Whether all faults of the plan have struck; false ends a loop over `fail_at(n)`.
    pub fn faults_struck(&self) -> bool {
        self.control.state().plan.is_empty()
    }

    /// Calls so far, of all kinds.
    pub fn calls(&self) -> u64 {
        self.control.state().calls
    }

    /// Calls so far that change something: the number of crash points.
    pub fn changes(&self) -> u64 {
        self.control.state().changes
    }

    /// Calls so far by kind.
    pub fn counts(&self) -> OpCounts {
        self.control.state().counts
    }

    /// Bytes that were asked of files so far.
    pub fn read_bytes(&self) -> u64 {
        self.control.state().read_bytes
    }

    /// Stops the world and yields the disk as a later process finds it: a function of what was done
    /// and `seed`. Counters start from 0, the plan is empty. May be called again with another seed.
    pub fn restart(&self, seed: u64) -> Self {
        self.crash();
        let names = crash::survivors(&self.tree.names(), seed);
        Self { tree: Tree::new(names), control: Arc::default() }
    }

    /// As `restart`, with nothing lost: the end of a process, not of the machine.
    pub fn restart_clean(&self) -> Self {
        self.crash();
        let names = crash::everything(&self.tree.names());
        Self { tree: Tree::new(names), control: Arc::default() }
    }

    fn writer(&self, path: &str, or_open: bool) -> Result<Box<dyn WriteFile>> {
        self.control.pass(OpKind::Create, path)?;
        let node = self.tree.create(path, or_open)?;
        Ok(Box::new(FaultWriter {
            inner: MemoryFile::new(node.clone(), path),
            node,
            control: self.control.clone(),
            path: path.to_owned(),
            broken: false,
            poisoned: false,
        }))
    }
}

impl Default for FaultDisk {
    fn default() -> Self {
        Self::new()
    }
}

impl Disk for FaultDisk {
    fn open(&self, path: &str) -> Result<Arc<dyn ReadFile>> {
        self.control.pass(OpKind::Open, path)?;
        let inner = MemoryFile::new(self.tree.open(path)?, path);
        Ok(Arc::new(FaultReader { inner, control: self.control.clone(), path: path.to_owned() }))
    }
    fn create(&self, path: &str) -> Result<Box<dyn WriteFile>> {
        self.writer(path, false)
    }
    fn append(&self, path: &str) -> Result<Box<dyn WriteFile>> {
        self.writer(path, true)
    }
    fn list(&self, dir: &str) -> Result<Vec<Entry>> {
        self.control.pass(OpKind::Look, dir)?;
        self.tree.list(dir)
    }
    fn exists(&self, path: &str) -> Result<bool> {
        self.control.pass(OpKind::Look, path)?;
        self.tree.exists(path)
    }
    fn create_dir_all(&self, dir: &str) -> Result<()> {
        self.control.pass(OpKind::CreateDir, dir)?;
        self.tree.create_dir_all(dir)
    }
    fn remove(&self, path: &str) -> Result<()> {
        self.control.pass(OpKind::Remove, path)?;
        self.tree.remove(path)
    }
    fn remove_dir(&self, dir: &str) -> Result<()> {
        self.control.pass(OpKind::Remove, dir)?;
        self.tree.remove_dir(dir)
    }
    fn remove_dir_all(&self, dir: &str) -> Result<()> {
        self.control.pass(OpKind::Remove, dir)?;
        self.tree.remove_dir_all(dir)
    }
    fn rename(&self, from: &str, to: &str) -> Result<()> {
        self.control.pass(OpKind::Rename, from)?;
        self.tree.rename(from, to)
    }
    fn link(&self, from: &str, to: &str) -> Result<()> {
        self.control.pass(OpKind::Rename, from)?;
        self.tree.link(from, to)
    }
    fn sync_dir(&self, dir: &str) -> Result<()> {
        self.control.pass(OpKind::SyncDir, dir)?;
        self.tree.sync_dir(dir)
    }
    fn lock(&self, path: &str) -> Result<DiskLock> {
        self.control.pass(OpKind::Lock, path)?;
        self.tree.lock(path)
    }
    fn free_space(&self) -> Result<u64> {
        self.control.pass(OpKind::Look, "")?;
        Ok(u64::MAX)
    }
}

#[derive(Debug)]
struct FaultReader {
    inner: MemoryFile,
    control: Arc<Control>,
    path: String,
}

impl ReadFile for FaultReader {
    fn len(&self) -> u64 {
        ReadFile::len(&self.inner)
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        self.control.pass(OpKind::Read, &self.path)?;
        self.control.state().read_bytes += buffer.len() as u64;
        self.inner.read_exact_at(offset, buffer)
    }

    fn read_range_into(&self, offset: u64, len: usize, buffer: &mut Vec<u8>) -> Result<()> {
        self.control.pass(OpKind::Read, &self.path)?;
        self.control.state().read_bytes += len as u64;
        self.inner.read_range_into(offset, len, buffer)
    }
}

#[derive(Debug)]
struct FaultWriter {
    inner: MemoryFile,
    node: Arc<FileNode>,
    control: Arc<Control>,
    path: String,
    broken: bool,
    poisoned: bool,
}

impl FaultWriter {
    fn check(&self) -> Result<()> {
        match (self.poisoned, self.broken) {
            (true, _) => Err(poisoned(&self.path)),
            (_, true) => Err(broken(&self.path)),
            _ => Ok(()),
        }
    }
}

impl WriteFile for FaultWriter {
    fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
        self.check()?;
        let Some(fault) = self.control.enter(OpKind::Write, &self.path)? else {
            return self.inner.write_all(bytes);
        };
        self.broken = true;
        if fault == Fault::ShortWrite {
            // Behind the handle's back: its length does not count what it was told has failed.
            self.node.write_at(WriteFile::len(&self.inner) as usize, &bytes[..bytes.len() / 2]);
        }
        Err(fault.error(OpKind::Write, &self.path))
    }

    fn len(&self) -> u64 {
        WriteFile::len(&self.inner)
    }

    fn flush(&mut self) -> Result<()> {
        self.check()
    }

    fn sync(&mut self) -> Result<()> {
        self.check()?;
        if let Some(fault) = self.control.enter(OpKind::Sync, &self.path)? {
            self.poisoned = true;
            self.node.forget_unsynced();
            return Err(fault.error(OpKind::Sync, &self.path));
        }
        self.inner.sync()
    }

    fn truncate(&mut self, len: u64) -> Result<()> {
        if self.poisoned {
            return self.check();
        }
        if let Some(fault) = self.control.enter(OpKind::Truncate, &self.path)? {
            self.broken = true;
            return Err(fault.error(OpKind::Truncate, &self.path));
        }
        self.inner.truncate(len)?;
        self.broken = false;
        Ok(())
    }
}
