//! Executables and their debug files as bytes in memory.
//!
//! Files are mapped and not read, because the line tables of a large program have over a hundred
//! megabytes, of which a look-up touches little, and touched pages belong to the page cache. A
//! mapping is kept for the life of the process, like the code that it describes.

use std::fs::File;
use std::path::Path;

/// The bytes of a file, or nothing if there is no such file that can be read.
pub(crate) fn bytes(path: &Path) -> Option<&'static [u8]> {
    let file = File::open(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    // SAFETY: the file must not change while it is mapped. The kernel refuses to write to programs
    // that run; a debug file is put in place by linkers and package managers under a new inode.
    let map = unsafe { memmap2::Mmap::map(&file) }.ok()?;
    // Pages are wanted here and there: reading ahead would only fill memory.
    let _ = map.advise(memmap2::Advice::Random);
    Some(Box::leak(Box::new(map)))
}
