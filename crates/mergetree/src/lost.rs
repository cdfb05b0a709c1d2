//! `lost/`: where files go that the log does not name, when it is not certain that it should not.
//! Nothing in there is read or removed by the store.

use entasis_base::Result;
use entasis_disk::{Disk, join, parent};

/// The directory.
pub(crate) const LOST: &str = "lost";

/// A name in `lost/` that is free.
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

/// Moves a file or a directory; answers where it is now.
pub(crate) fn move_there(disk: &dyn Disk, path: &str) -> Result<String> {
    let to = free_name(disk, &path.replace('/', "-"))?;
    disk.rename(path, &to)?;
    disk.sync_dir(LOST)?;
    disk.sync_dir(parent(path))?;
    disk.sync_dir("")?;
    Ok(to)
}

/// Keeps bytes that are about to be cut off a file.
pub(crate) fn keep_bytes(disk: &dyn Disk, base: &str, bytes: &[u8]) -> Result<()> {
    let mut file = disk.create(&free_name(disk, base)?)?;
    file.write_all(bytes)?;
    file.sync()?;
    disk.sync_dir(LOST)?;
    disk.sync_dir("")
}
