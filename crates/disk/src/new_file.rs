//! A user's file that is written: whole under its name, or not there.
//!
//! What is new is written beside its name under a temporary one, synced, and renamed by
//! [`NewFile::commit`]. Rows that are appended go to the end of the file that is there, which gets
//! its length back unless they are committed. The process's death can leave a temporary file, or a
//! part of the rows that were being appended.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};

use entasis_base::Result;
use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use crate::WriteFile;
use crate::failure::{Op, failed, io_error};
use crate::local::LocalWriter;

/// Makes temporary names differ within the process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// A file under construction. Dropping it takes back what was written.
#[derive(Debug)]
pub struct NewFile {
    out: Out,
    /// Where it is going; `None` once it is there.
    way: Option<Way>,
    /// Nothing was written since the last sync.
    is_synced: bool,
}

#[derive(Debug)]
enum Out {
    File(LocalWriter),
    /// A pipe or a device, and its name.
    Stream(File, String),
}

#[derive(Debug)]
enum Way {
    /// From a temporary name to its own.
    Rename { dir: OwnedFd, temporary: String, name: String, path: String, replaces: bool },
    /// At the end of a file that had this length.
    Append(u64),
}

impl NewFile {
    /// A file that will be called `name` in the open directory.
    pub(crate) fn beside(
        dir: OwnedFd,
        name: &str,
        path: &str,
        (replaces, mode): (bool, u32),
    ) -> Result<Self> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let temporary = format!(".{name}.{}-{number}.tmp", std::process::id());
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(&dir, &temporary, flags, Mode::from_raw_mode(mode))
            .map_err(|e| io_error(Op::Create, path, e.into()))?;
        let (name, path) = (name.to_owned(), path.to_owned());
        let out = Out::File(LocalWriter::new(File::from(fd), path.clone(), 0));
        let way = Some(Way::Rename { dir, temporary, name, path, replaces });
        Ok(Self { out, way, is_synced: false })
    }

    /// The end of a file that has `len` bytes; a pipe or a device without.
    pub(crate) fn at_end(file: File, path: &str, len: Option<u64>) -> Self {
        let path = path.to_owned();
        match len {
            Some(len) => {
                let out = Out::File(LocalWriter::new(file, path, len));
                Self { out, way: Some(Way::Append(len)), is_synced: false }
            }
            None => Self { out: Out::Stream(file, path), way: None, is_synced: false },
        }
    }

    /// Appends bytes.
    pub fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
        self.is_synced = false;
        match &mut self.out {
            Out::File(writer) => writer.write_all(bytes),
            Out::Stream(file, path) => {
                file.write_all(bytes).map_err(|e| io_error(Op::Write, path, e))
            }
        }
    }

    /// Makes what was written durable. It is taken back all the same unless it is committed.
    pub fn sync(&mut self) -> Result<()> {
        if let Out::File(writer) = &mut self.out
            && !self.is_synced
        {
            writer.sync()?;
            self.is_synced = true;
        }
        Ok(())
    }

    /// Makes what was written durable, and seen under the file's name.
    pub fn commit(mut self) -> Result<()> {
        self.sync()?;
        self.rename()?;
        self.way = None;
        Ok(())
    }

    fn rename(&self) -> Result<()> {
        let Some(Way::Rename { dir, temporary, name, path, replaces }) = &self.way else {
            return Ok(());
        };
        let done = match replaces {
            true => rustix::fs::renameat(dir, temporary, dir, name),
            false => rename_to_new(dir, temporary, name),
        };
        match done {
            Ok(()) => {}
            Err(Errno::EXIST) => {
                let why = "another one of this name was made meanwhile: repeat the statement";
                return Err(failed(Op::Create, path, ErrorKind::AlreadyExists, why));
            }
            Err(e) => return Err(io_error(Op::Create, path, e.into())),
        }
        rustix::fs::fsync(dir).map_err(|e| io_error(Op::Sync, path, e.into()))
    }
}

/// Renames unless there is a file of the new name.
fn rename_to_new(dir: &OwnedFd, from: &str, to: &str) -> Result<(), Errno> {
    match rustix::fs::renameat_with(dir, from, dir, to, RenameFlags::NOREPLACE) {
        // A file system without the flag.
        Err(Errno::INVAL | Errno::NOSYS) => {
            match rustix::fs::statat(dir, to, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(_) => Err(Errno::EXIST),
                Err(Errno::NOENT) => rustix::fs::renameat(dir, from, dir, to),
                Err(e) => Err(e),
            }
        }
        done => done,
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // The statement failed already: a second error has nobody to tell.
        match self.way.take() {
            Some(Way::Rename { dir, temporary, .. }) => {
                let _ = rustix::fs::unlinkat(&dir, &temporary, AtFlags::empty());
            }
            Some(Way::Append(len)) => {
                if let Out::File(writer) = &mut self.out {
                    let _ = writer.truncate(len);
                }
            }
            None => {}
        }
    }
}
