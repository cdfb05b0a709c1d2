//! Files behind one trait, so that a crash and a full disk are ordinary test cases.
//!
//! [`Disk`] is what tables and the commit log see: names below one root, immutable files read by
//! batches of ranges, files written by appending, and an explicit step (`sync`, `sync_dir`) for
//! every promise of durability. Three disks implement it: [`LocalDisk`] (a directory),
//! [`MemoryDisk`], and [`FaultDisk`] (a memory disk that fails and crashes when told to).
//! [`UserFiles`] is something else: the one door for paths that come out of a query's text.
//!
//! Durability contract, as POSIX gives it and no more:
//! - bytes survive a crash once `sync` of their file has returned;
//! - names (creation, renaming, removal) survive once `sync_dir` of their directory has returned,
//!   and only if the directory's own name is durable;
//! - `rename` is atomic: after a crash the target is either the old or the new file, never none.
//!
//! Absent on purpose: parts, tables, checksums, caches, futures, memory maps.

#![forbid(unsafe_code)]

use std::fmt;
use std::sync::Arc;

use entasis_base::Result;

mod completion;
mod directory;
mod failure;
mod fault;
mod glob;
mod local;
mod memory;
mod new_file;
mod path;
mod temporary;
mod user_files;

pub use completion::{Completer, Completion};
pub use directory::Directory;
pub use fault::{Fault, FaultDisk, OpCounts, OpKind};
pub use glob::Glob;
pub use local::LocalDisk;
pub use memory::MemoryDisk;
pub use new_file::NewFile;
pub use path::{check_path, file_name, join, parent};
pub use temporary::{Temporary, TemporaryFile};
pub use user_files::{CreateMode, FileInfo, UserFiles};

/// A run of bytes in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ByteRange {
    /// First byte, from the start of the file.
    pub offset: u64,
    /// Number of bytes.
    pub len: usize,
}

impl ByteRange {
    /// `len` bytes from `offset`.
    pub fn new(offset: u64, len: usize) -> Self {
        Self { offset, len }
    }

    /// One past the last byte (saturating: such a range fails when read).
    pub fn end(self) -> u64 {
        self.offset.saturating_add(self.len as u64)
    }
}

/// One name in a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The last component of the path.
    pub name: String,
    /// Whether it is a directory.
    pub is_dir: bool,
    /// Size in bytes; 0 for a directory.
    pub len: u64,
}

/// A tree of files. Paths are relative UTF-8 with `/` between components and no `.` or `..`; the
/// root is `""`. Every path is checked by [`check_path`], in every implementation.
pub trait Disk: fmt::Debug + Send + Sync {
    /// Opens a file for reading; it stays readable when its name is removed or replaced.
    fn open(&self, path: &str) -> Result<Arc<dyn ReadFile>>;
    /// Creates a new file; fails with `FILE_ALREADY_EXISTS` if the name is taken.
    fn create(&self, path: &str) -> Result<Box<dyn WriteFile>>;
    /// Opens a file to write at its end, and creates it if it is missing.
    fn append(&self, path: &str) -> Result<Box<dyn WriteFile>>;
    /// The entries of a directory, sorted by name; names that are not UTF-8 are left out.
    fn list(&self, dir: &str) -> Result<Vec<Entry>>;
    /// Whether a file or directory of that name is there.
    fn exists(&self, path: &str) -> Result<bool>;
    /// Creates a directory with all its missing parents.
    fn create_dir_all(&self, dir: &str) -> Result<()>;
    /// Removes a file.
    fn remove(&self, path: &str) -> Result<()>;
    /// Removes a directory, which must be empty.
    fn remove_dir(&self, dir: &str) -> Result<()>;
    /// Removes a directory and everything below it; fails if it is missing. Not atomic.
    fn remove_dir_all(&self, dir: &str) -> Result<()>;
    /// Renames a file or a directory atomically; replaces a file (or an empty directory).
    fn rename(&self, from: &str, to: &str) -> Result<()>;
    /// Gives a file a second name. Neither name may be written to afterwards.
    fn link(&self, from: &str, to: &str) -> Result<()>;
    /// Makes the names in `dir` durable.
    fn sync_dir(&self, dir: &str) -> Result<()>;
    /// Claims `path` for one owner until the lock is dropped; the parent directory must exist.
    fn lock(&self, path: &str) -> Result<DiskLock>;
    /// Device and number of the file that a path leads to; `None` if there is none, or the disk has
    /// no such numbers.
    fn identity(&self, _path: &str) -> Option<(u64, u64)> {
        None
    }
    /// Bytes that can still be written.
    fn free_space(&self) -> Result<u64>;

    /// A new file for both writing and reading, which has lost its name `path` when this returns.
    fn create_unnamed(&self, path: &str) -> Result<TemporaryFile> {
        let writer = self.create(path)?;
        let reader = self.open(path);
        self.remove(path)?;
        Ok(TemporaryFile { path: path.to_owned(), writer, reader: reader? })
    }

    /// The whole file, or `LIMIT_EXCEEDED` if it has more than `cap` bytes.
    fn read_to_end(&self, path: &str, cap: u64) -> Result<Vec<u8>> {
        read_whole(&*self.open(path)?, path, cap)
    }

    /// Creates `path` with `bytes` in it so that a crash leaves either the old or the new file:
    /// writes `path.tmp`, syncs it, renames it, and syncs the directory.
    fn write_atomically(&self, path: &str, bytes: &[u8]) -> Result<()> {
        let temporary = format!("{path}.tmp");
        if self.exists(&temporary)? {
            self.remove(&temporary)?;
        }
        let mut file = self.create(&temporary)?;
        file.write_all(bytes)?;
        file.sync()?;
        drop(file);
        self.rename(&temporary, path)?;
        self.sync_dir(parent(path))
    }
}

/// A file open for reading, shared by any number of threads.
pub trait ReadFile: fmt::Debug + Send + Sync {
    /// Bytes in the file when it was opened.
    fn len(&self) -> u64;

    /// Whether the file was empty when it was opened.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `buffer` from `offset`; `CANNOT_READ_ALL_DATA` if the file ends before.
    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()>;

    /// Appends `len` bytes from `offset` to `buffer`, and nothing if it fails.
    fn read_range_into(&self, offset: u64, len: usize, buffer: &mut Vec<u8>) -> Result<()> {
        let start = buffer.len();
        buffer.resize(start + len, 0);
        let done = self.read_exact_at(offset, &mut buffer[start..]);
        if done.is_err() {
            buffer.truncate(start);
        }
        done
    }

    /// Reads a batch, one buffer per range in the order of `ranges`. A disk whose reads are short
    /// (a local one: mostly page cache) answers on the calling thread with a finished completion.
    fn read_ranges(&self, ranges: &[ByteRange]) -> Completion {
        let mut all = Vec::with_capacity(ranges.len());
        for range in ranges {
            let mut bytes = Vec::new();
            if let Err(e) = self.read_range_into(range.offset, range.len, &mut bytes) {
                return Completion::ready(Err(e));
            }
            all.push(bytes);
        }
        Completion::ready(Ok(all))
    }

    /// As `read_ranges`, but never on the calling thread if the disk has threads of its own.
    fn read_ranges_async(self: Arc<Self>, ranges: Vec<ByteRange>) -> Completion {
        self.read_ranges(&ranges)
    }
}

/// A file open for writing at its end, by one owner. What was written is in the hands of the
/// system after `flush`, and on the medium after `sync`; dropping flushes, but swallows errors.
///
/// After a failed write only `truncate` is possible, which makes the file usable again. After a
/// failed `sync` nothing is: what the medium holds is unknown, and the system may have forgotten
/// which pages were dirty, so that a second `sync` would lie.
pub trait WriteFile: fmt::Debug + Send {
    /// Appends.
    fn write_all(&mut self, bytes: &[u8]) -> Result<()>;
    /// Bytes in the file, counting what was written through this handle.
    fn len(&self) -> u64;
    /// Whether the file is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Hands buffered bytes to the system, so that readers see them.
    fn flush(&mut self) -> Result<()>;
    /// Makes content and length durable (not the name: see [`Disk::sync_dir`]).
    fn sync(&mut self) -> Result<()>;
    /// Cuts the file to `len` bytes, which must not be more than it has.
    fn truncate(&mut self, len: u64) -> Result<()>;
    /// Device and number of the file, to tell whether a name still leads to it; see
    /// [`Disk::identity`].
    fn identity(&self) -> Option<(u64, u64)> {
        None
    }
}

/// Ownership of a locked path; dropping it releases the lock, and so does the process's death.
pub struct DiskLock {
    path: String,
    _held: Box<dyn Send + Sync>,
}

impl DiskLock {
    pub(crate) fn new(path: &str, held: Box<dyn Send + Sync>) -> Self {
        Self { path: path.to_owned(), _held: held }
    }

    /// The locked path.
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl fmt::Debug for DiskLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DiskLock({})", self.path)
    }
}

/// Reads all of `file`, checking its size against `cap` before allocating.
pub(crate) fn read_whole(file: &dyn ReadFile, path: &str, cap: u64) -> Result<Vec<u8>> {
    let len = file.len();
    if len > cap {
        return Err(failure::too_large(path, len, cap));
    }
    let mut bytes = Vec::new();
    file.read_range_into(0, len as usize, &mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests;
