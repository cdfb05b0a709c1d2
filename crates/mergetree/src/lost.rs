//! `lost/`: the directory for files that the log does not name, if the log may be incomplete. The
//! store neither reads nor removes anything in it.

use entasis_base::Result;
use entasis_disk::{Disk, join, parent};

/// The name of the directory.
pub(crate) const LOST: &str = "lost";

/// A free name in `lost/`.
fn free_name(disk: &dyn Disk, base: &str) -> Result<String> {
    disk.create_dir_all(LOST)?;
    let mut name = join(LOST, base);
    let mut number = 0;
    while disk.exists(&name)? {
        number += 1;
        name = join(LOST, &format!("{base}.{number}"));
    }
    Ok(name)
}

/// Moves a file or a directory to `lost/`; returns its new path.
pub(crate) fn move_there(disk: &dyn Disk, path: &str) -> Result<String> {
    let to = free_name(disk, &path.replace('/', "-"))?;
    disk.rename(path, &to)?;
    disk.sync_dir(LOST)?;
    disk.sync_dir(parent(path))?;
    disk.sync_dir("")?;
    Ok(to)
}

/// Saves bytes that are about to be cut off a file.
pub(crate) fn keep_bytes(disk: &dyn Disk, base: &str, bytes: &[u8]) -> Result<()> {
    let mut file = disk.create(&free_name(disk, base)?)?;
    file.write_all(bytes)?;
    file.sync()?;
    disk.sync_dir(LOST)?;
    disk.sync_dir("")
}
