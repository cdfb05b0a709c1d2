//! The disk that is a directory.
//!
//! The root is trusted: symbolic links below it are followed. Paths that come from users go
//! through [`crate::UserFiles`] instead.

mod file;
mod pool;

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::{Error, Result, codes};

use crate::failure::{Op, failed, io_error};
use crate::path::{check_dir, check_path, parent};
use crate::{Disk, DiskLock, Entry, ReadFile, TemporaryFile, WriteFile};
pub(crate) use file::{LocalReader, LocalWriter};
pub(crate) use pool::IoPool;

/// How many threads serve `read_ranges_async`; they start with the first such call.
pub(crate) const IO_THREADS: usize = 4;

/// Files and directories that are made are the owner's and, for reading, the group's.
const FILE_MODE: u32 = 0o640;
const DIR_MODE: u32 = 0o750;

/// A directory of the local file system.
#[derive(Debug)]
pub struct LocalDisk {
    root: PathBuf,
    pool: Arc<IoPool>,
}

impl LocalDisk {
    /// The disk below `root`, which is created if it is missing, and whose name is then durable.
    pub fn new(root: impl Into<PathBuf>) -> Result<Self> {
        let root = root.into();
        create_durably(&root).map_err(|e| io_error(Op::CreateDir, &root.to_string_lossy(), e))?;
        Ok(Self { root, pool: Arc::new(IoPool::new(IO_THREADS)) })
    }

    /// The disk below `root`, which must be there.
    pub fn existing(root: impl Into<PathBuf>) -> Result<Self> {
        let root = root.into();
        let error = |e| io_error(Op::Open, &root.to_string_lossy(), e);
        if !fs::metadata(&root).map_err(error)?.is_dir() {
            let why = "is not a directory";
            return Err(failed(Op::Open, &root.to_string_lossy(), ErrorKind::NotADirectory, why));
        }
        Ok(Self { root, pool: Arc::new(IoPool::new(IO_THREADS)) })
    }

    /// The directory this disk lives in.
    pub fn root(&self) -> &Path {
        &self.root
    }

    fn file_path(&self, path: &str) -> Result<PathBuf> {
        check_path(path)?;
        Ok(self.root.join(path))
    }

    fn dir_path(&self, dir: &str) -> Result<PathBuf> {
        check_dir(dir)?;
        Ok(if dir.is_empty() { self.root.clone() } else { self.root.join(dir) })
    }

    /// The name shown in errors: with the root, so that an operator finds the file.
    fn shown(full: &Path) -> String {
        full.to_string_lossy().into_owned()
    }
}

impl Disk for LocalDisk {
    fn open(&self, path: &str) -> Result<Arc<dyn ReadFile>> {
        let full = self.file_path(path)?;
        let shown = Self::shown(&full);
        let file = File::open(&full).map_err(|e| io_error(Op::Open, &shown, e))?;
        Ok(Arc::new(LocalReader::new(file, shown, Some(self.pool.clone()))?))
    }

    fn create(&self, path: &str) -> Result<Box<dyn WriteFile>> {
        let full = self.file_path(path)?;
        let shown = Self::shown(&full);
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(FILE_MODE)
            .open(&full)
            .map_err(|e| io_error(Op::Create, &shown, e))?;
        Ok(Box::new(LocalWriter::new(file, shown, 0)))
    }

    fn create_unnamed(&self, path: &str) -> Result<TemporaryFile> {
        let full = self.file_path(path)?;
        let shown = Self::shown(&full);
        let error = |e| io_error(Op::Create, &shown, e);
        // For the owner alone: the directory may be everybody's.
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&full)
            .map_err(error)?;
        fs::remove_file(&full).map_err(|e| io_error(Op::Remove, &shown, e))?;
        let other = file.try_clone().map_err(error)?;
        let reader = Arc::new(LocalReader::new(other, shown.clone(), Some(self.pool.clone()))?);
        Ok(TemporaryFile {
            path: shown.clone(),
            writer: Box::new(LocalWriter::new(file, shown, 0)),
            reader,
        })
    }

    fn append(&self, path: &str) -> Result<Box<dyn WriteFile>> {
        let full = self.file_path(path)?;
        let shown = Self::shown(&full);
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(FILE_MODE)
            .open(&full)
            .map_err(|e| io_error(Op::Open, &shown, e))?;
        let len = file.metadata().map_err(|e| io_error(Op::Open, &shown, e))?.len();
        Ok(Box::new(LocalWriter::new(file, shown, len)))
    }

    fn list(&self, dir: &str) -> Result<Vec<Entry>> {
        let full = self.dir_path(dir)?;
        let error = |e| io_error(Op::List, &Self::shown(&full), e);
        events::one(Event::DirectoryListings);
        let mut entries = Vec::new();
        for entry in fs::read_dir(&full).map_err(error)? {
            let entry = entry.map_err(error)?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            // Follows links; a file that went away meanwhile, or a dangling link, is left out.
            let meta = match fs::metadata(entry.path()) {
                Ok(meta) => meta,
                Err(e) if e.kind() == ErrorKind::NotFound => continue,
                Err(e) => return Err(error(e)),
            };
            let is_dir = meta.is_dir();
            entries.push(Entry { name, is_dir, len: if is_dir { 0 } else { meta.len() } });
        }
        entries.sort_unstable();
        Ok(entries)
    }

    fn exists(&self, path: &str) -> Result<bool> {
        let full = self.dir_path(path)?;
        match fs::metadata(&full) {
            Ok(_) => Ok(true),
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                Ok(false)
            }
            Err(e) => Err(io_error(Op::Open, &Self::shown(&full), e)),
        }
    }

    fn create_dir_all(&self, dir: &str) -> Result<()> {
        let full = self.dir_path(dir)?;
        events::one(Event::DirectoriesCreated);
        let done = DirBuilder::new().recursive(true).mode(DIR_MODE).create(&full);
        done.map_err(|e| io_error(Op::CreateDir, &Self::shown(&full), e))
    }

    fn remove(&self, path: &str) -> Result<()> {
        let full = self.file_path(path)?;
        events::one(Event::FilesRemoved);
        fs::remove_file(&full).map_err(|e| io_error(Op::Remove, &Self::shown(&full), e))
    }

    fn remove_dir(&self, dir: &str) -> Result<()> {
        let full = self.file_path(dir)?;
        events::one(Event::DirectoriesRemoved);
        fs::remove_dir(&full).map_err(|e| io_error(Op::Remove, &Self::shown(&full), e))
    }

    fn remove_dir_all(&self, dir: &str) -> Result<()> {
        let full = self.file_path(dir)?;
        events::one(Event::DirectoriesRemoved);
        fs::remove_dir_all(&full).map_err(|e| io_error(Op::Remove, &Self::shown(&full), e))
    }

    fn rename(&self, from: &str, to: &str) -> Result<()> {
        let (source, target) = (self.file_path(from)?, self.file_path(to)?);
        events::one(Event::FilesRenamed);
        fs::rename(&source, &target).map_err(|e| {
            let both = format!("{}` to `{}", source.display(), target.display());
            io_error(Op::Rename, &both, e)
        })
    }

    fn link(&self, from: &str, to: &str) -> Result<()> {
        let (source, target) = (self.file_path(from)?, self.file_path(to)?);
        fs::hard_link(&source, &target).map_err(|e| {
            let both = format!("{}` to `{}", source.display(), target.display());
            io_error(Op::Link, &both, e)
        })
    }

    fn sync_dir(&self, dir: &str) -> Result<()> {
        let full = self.dir_path(dir)?;
        let began = Instant::now();
        let done = File::open(&full).and_then(|dir| dir.sync_all());
        events::one(Event::DirectorySync);
        events::elapsed(Event::DirectorySyncElapsedMicroseconds, began);
        done.map_err(|e| io_error(Op::Sync, &Self::shown(&full), e))
    }

    fn lock(&self, path: &str) -> Result<DiskLock> {
        let full = self.file_path(path)?;
        let shown = Self::shown(&full);
        let error = |e| io_error(Op::Lock, &shown, e);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(FILE_MODE)
            .open(&full)
            .map_err(error)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(locked(&mut file, &shown)),
            Err(TryLockError::Error(e)) => return Err(error(e)),
        }
        // The name may have been removed while its holder lives on; the directory has not.
        let above = match parent(path) {
            "" => self.root.clone(),
            dir => self.root.join(dir),
        };
        let above = File::open(above).map_err(error)?;
        match above.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(locked(&mut file, &shown)),
            // A file system whose directories cannot be locked: the file alone must do.
            Err(TryLockError::Error(_)) => {}
        }
        // The number is for the second opener's error message; the lock itself is the kernel's.
        file.set_len(0).map_err(error)?;
        file.seek(SeekFrom::Start(0)).map_err(error)?;
        writeln!(file, "{}", std::process::id()).map_err(error)?;
        Ok(DiskLock::new(path, Box::new((file, above))))
    }

    fn identity(&self, path: &str) -> Option<(u64, u64)> {
        let meta = fs::metadata(self.file_path(path).ok()?).ok()?;
        Some((meta.dev(), meta.ino()))
    }

    fn free_space(&self) -> Result<u64> {
        let stat = rustix::fs::statvfs(&self.root)
            .map_err(|e| io_error(Op::Space, &Self::shown(&self.root), e.into()))?;
        Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
    }
}

/// Makes a directory with all that lead to it, and makes the new names durable.
fn create_durably(root: &Path) -> io::Result<()> {
    let missing = |dir: &&Path| !dir.as_os_str().is_empty() && !dir.exists();
    let new: Vec<&Path> = root.ancestors().take_while(missing).collect();
    DirBuilder::new().recursive(true).mode(DIR_MODE).create(root)?;
    for dir in new {
        let above = match dir.parent() {
            Some(above) if !above.as_os_str().is_empty() => above,
            _ => Path::new("."),
        };
        match File::open(above).and_then(|above| above.sync_all()) {
            // A directory that may be entered and not read, or one that cannot be synced.
            Err(e) if e.kind() == ErrorKind::PermissionDenied => {}
            Err(e) if e.kind() == ErrorKind::InvalidInput => {}
            done => done?,
        }
    }
    Ok(())
}

/// The error of the second opener, which names the first.
fn locked(file: &mut File, shown: &str) -> Error {
    let mut holder = String::new();
    // Best effort: the holder may be between its lock and its note.
    let _ = file.take(32).read_to_string(&mut holder);
    let who = match holder.trim().parse::<u32>() {
        Ok(pid) => format!("process {pid}"),
        Err(_) => "another process".to_owned(),
    };
    Error::new(
        codes::CANNOT_OPEN_FILE,
        format!("Cannot lock `{shown}`: {who} is using this directory; stop it first"),
    )
}

/// The error for a directory where a file is wanted, which the system would report on first read.
pub(crate) fn must_be_file(is_dir: bool, shown: &str) -> Result<()> {
    if is_dir {
        return Err(failed(Op::Open, shown, ErrorKind::IsADirectory, "is a directory"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
