//! Files for what does not fit into memory: they have no name, so that nothing is left of them
//! when the process is gone, however it goes.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use entasis_base::Result;

use crate::{Disk, LocalDisk, ReadFile, WriteFile, join};

/// End of the names that files have between being created and losing them.
const END: &str = ".tmp";

/// A place for temporary files.
#[derive(Debug)]
pub struct Temporary {
    place: Location,
    next: AtomicU64,
}

#[derive(Debug)]
enum Location {
    /// A directory of a disk.
    On(Arc<dyn Disk>, String),
    /// The system's temporary directory.
    System,
}

/// A file without a name: what is written through one end is read through the other, and the space
/// is free again once both are dropped.
pub struct TemporaryFile {
    /// The name it had, for messages.
    pub path: String,
    /// Where it is written. What was not flushed cannot be read.
    pub writer: Box<dyn WriteFile>,
    /// Where it is read.
    pub reader: Arc<dyn ReadFile>,
}

impl Temporary {
    /// Files in a directory of a disk, which is made with the first of them.
    pub fn on(disk: Arc<dyn Disk>, dir: &str) -> Self {
        Self { place: Location::On(disk, dir.to_owned()), next: AtomicU64::new(0) }
    }

    /// Files in the system's temporary directory.
    pub fn system() -> Self {
        Self { place: Location::System, next: AtomicU64::new(0) }
    }

    /// Removes what a process has left that was killed before a file had lost its name. Only for
    /// the owner of the directory.
    pub fn clean(&self) -> Result<()> {
        let Location::On(disk, dir) = &self.place else { return Ok(()) };
        if !disk.exists(dir)? {
            return Ok(());
        }
        let left = disk.list(dir)?.into_iter().filter(|e| !e.is_dir && is_own_name(&e.name));
        for entry in left {
            disk.remove(&join(dir, &entry.name))?;
        }
        Ok(())
    }

    /// A new file.
    pub fn create(&self) -> Result<TemporaryFile> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        match &self.place {
            Location::On(disk, dir) => {
                disk.create_dir_all(dir)?;
                let path = join(dir, &format!("{}-{number}{END}", std::process::id()));
                disk.create_unnamed(&path)
            }
            Location::System => {
                // The address tells this place apart from others of the process.
                let (id, place) = (std::process::id(), std::ptr::from_ref(self) as usize);
                let path = format!("entasis-{id}-{place:x}-{number}{END}");
                LocalDisk::new(std::env::temp_dir())?.create_unnamed(&path)
            }
        }
    }

    /// Bytes that can still be written.
    pub fn free_space(&self) -> Result<u64> {
        match &self.place {
            Location::On(disk, _) => disk.free_space(),
            Location::System => LocalDisk::new(std::env::temp_dir())?.free_space(),
        }
    }
}

/// Whether [`Temporary::create`] gives such names: `<process>-<number>.tmp`.
fn is_own_name(name: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let numbers = name.strip_suffix(END).and_then(|name| name.split_once('-'));
    numbers.is_some_and(|(process, number)| digits(process) && digits(number))
}

impl fmt::Debug for TemporaryFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TemporaryFile({})", self.path)
    }
}

#[cfg(test)]
mod tests {
    use entasis_base::codes;

    use super::*;
    use crate::{Fault, FaultDisk, MemoryDisk};

    fn round_trip(temporary: &Temporary) {
        let mut file = temporary.create().unwrap();
        let mut other = temporary.create().unwrap();
        other.writer.write_all(b"other").unwrap();
        file.writer.write_all(b"some bytes").unwrap();
        file.writer.flush().unwrap();
        let mut back = Vec::new();
        file.reader.read_range_into(5, 5, &mut back).unwrap();
        assert_eq!(back, b"bytes");
        let error = file.reader.read_range_into(5, 6, &mut back).unwrap_err();
        assert_eq!(error.code(), codes::CANNOT_READ_ALL_DATA);
    }

    #[test]
    fn files_have_no_name() {
        let root = std::env::temp_dir().join(format!("entasis-unnamed-{}", std::process::id()));
        let local = Arc::new(LocalDisk::new(&root).unwrap());
        let disks: [Arc<dyn Disk>; 3] =
            [Arc::new(MemoryDisk::new()), local, Arc::new(FaultDisk::new())];
        for disk in disks {
            let temporary = Temporary::on(Arc::clone(&disk), "tmp");
            round_trip(&temporary);
            let _open = temporary.create().unwrap();
            assert_eq!(disk.list("tmp").unwrap(), []);
            drop(disk.create("tmp/1-2.tmp").unwrap());
            drop(disk.create("tmp/kept").unwrap());
            drop(disk.create("tmp/notes-1.tmp").unwrap());
            temporary.clean().unwrap();
            assert_eq!(disk.list("tmp").unwrap().len(), 2);
        }
        std::fs::remove_dir_all(root).unwrap();
        round_trip(&Temporary::system());
    }

    #[test]
    fn a_full_disk_is_an_error_and_leaves_nothing() {
        for call in 0..8 {
            let disk = Arc::new(FaultDisk::new());
            disk.fail_at(call, Fault::Error);
            let temporary = Temporary::on(disk.clone(), "tmp");
            let _ = temporary.create();
            let _ = temporary.create();
            let _ = temporary.clean();
            assert_eq!(disk.list("tmp").unwrap_or_default(), [], "{call}");
        }
    }
}
