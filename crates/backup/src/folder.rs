//! A backup that is a folder. Files on the same disk get a second name there (a hard link), because
//! parts of tables never change; others are copied.
//!
//! Invariants: the manifest gets its name after all files and names are durable; a folder in which
//! this module did not begin a backup is not touched.

use std::collections::BTreeSet;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_disk::{Disk, DiskLock, Entry, join, parent};

use crate::manifest::NAME;
use crate::store::{
    Content, Location, StoreReader, StoreWriter, already_exists, no_file, not_found, read_file,
};

/// The file that is locked while a backup is written. If the folder has it but no manifest, a
/// backup was begun there and not finished.
const LOCK: &str = ".lock";

/// The names that a backup has in its folder.
fn is_ours(entry: &Entry) -> bool {
    match entry.name.as_str() {
        "data" | "metadata" => entry.is_dir,
        LOCK | ".backup.tmp" => !entry.is_dir,
        _ => false,
    }
}

/// Removes the files of a backup that was not finished.
fn clear(disk: &dyn Disk, path: &str) -> Result<()> {
    for entry in disk.list(path)?.iter().filter(|entry| is_ours(entry) && entry.name != LOCK) {
        let name = join(path, &entry.name);
        if entry.is_dir { disk.remove_dir_all(&name)? } else { disk.remove(&name)? }
    }
    Ok(())
}

pub(crate) struct FolderWriter {
    disk: Arc<dyn Disk>,
    path: String,
    /// All folders below `path` in which something was written.
    folders: BTreeSet<String>,
    bytes: u64,
    is_finished: bool,
    /// Whether the folder did not exist before.
    is_new: bool,
    lock: Option<DiskLock>,
}

impl FolderWriter {
    pub(crate) fn create(to: &Location) -> Result<Self> {
        let (disk, path) = (Arc::clone(&to.disk), to.path.clone());
        let manifest = join(&path, NAME);
        if disk.exists(&manifest)? {
            return Err(already_exists(&to.shown));
        }
        let is_new = !disk.exists(&path)?;
        let lock_path = join(&path, LOCK);
        if is_new {
            disk.create_dir_all(&path)?;
        } else {
            let entries = disk.list(&path)?;
            let begun = entries.iter().any(|entry| entry.name == LOCK && !entry.is_dir);
            let foreign = entries.iter().find(|entry| !begun || !is_ours(entry));
            if let Some(foreign) = foreign {
                let message = format!(
                    "{} is a folder with other things in it, such as `{}`: choose a new folder",
                    to.shown, foreign.name
                );
                return Err(Error::new(codes::BACKUP_ALREADY_EXISTS, message));
            }
        }
        let lock = disk.lock(&lock_path).map_err(|e| {
            let message = format!("Another backup is being written to {}: {e}", to.shown);
            Error::new(codes::BACKUP_ALREADY_EXISTS, message)
        })?;
        if disk.exists(&manifest)? {
            return Err(already_exists(&to.shown));
        }
        // Whatever is found here after a crash is found together with this name.
        disk.sync_dir(&path)?;
        let folders = BTreeSet::new();
        let lock = Some(lock);
        let writer = Self { disk, path, folders, bytes: 0, is_finished: false, is_new, lock };
        clear(&*writer.disk, &writer.path)?;
        Ok(writer)
    }

    fn folder(&mut self, path: &str) -> Result<()> {
        if self.folders.contains(path) {
            return Ok(());
        }
        self.disk.create_dir_all(path)?;
        let mut at = path;
        while at != self.path && self.folders.insert(at.to_owned()) {
            at = parent(at);
        }
        Ok(())
    }
}

impl StoreWriter for FolderWriter {
    fn add(&mut self, name: &str, size: u64, content: Content<'_>) -> Result<()> {
        let to = join(&self.path, name);
        self.folder(parent(&to))?;
        self.bytes += size;
        if let Content::File { disk, path } = content
            && std::ptr::addr_eq(Arc::as_ptr(disk), Arc::as_ptr(&self.disk))
        {
            return self.disk.link(path, &to);
        }
        let mut file = self.disk.create(&to)?;
        content.read(&mut |piece| file.write_all(piece))?;
        file.sync()
    }

    fn finish(mut self: Box<Self>, manifest: &[u8]) -> Result<u64> {
        // The deepest folders first.
        for folder in self.folders.iter().rev() {
            self.disk.sync_dir(folder)?;
        }
        self.disk.sync_dir(&self.path)?;
        let mut above = self.path.as_str();
        while !above.is_empty() {
            above = parent(above);
            self.disk.sync_dir(above)?;
        }
        self.disk.write_atomically(&join(&self.path, NAME), manifest)?;
        self.is_finished = true;
        Ok(self.bytes + manifest.len() as u64)
    }
}

impl Drop for FolderWriter {
    /// If something cannot be removed here, the next backup to this folder removes it.
    fn drop(&mut self) {
        let manifest = join(&self.path, NAME);
        // A manifest whose name may be durable must keep its files.
        let is_there = self.is_finished || self.disk.exists(&manifest).unwrap_or(true);
        if !is_there {
            let _ = clear(&*self.disk, &self.path);
        }
        self.lock = None;
        let _ = self.disk.remove(&join(&self.path, LOCK));
        if !is_there && self.is_new {
            let _ = self.disk.remove_dir(&self.path);
        }
    }
}

pub(crate) struct FolderReader {
    disk: Arc<dyn Disk>,
    path: String,
}

impl FolderReader {
    pub(crate) fn open(from: &Location) -> Result<Self> {
        let (disk, path) = (Arc::clone(&from.disk), from.path.clone());
        match disk.exists(&join(&path, NAME))? {
            true => Ok(Self { disk, path }),
            false => Err(not_found(&from.shown)),
        }
    }
}

impl StoreReader for FolderReader {
    fn read(&self, name: &str, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let path = join(&self.path, name);
        if !self.disk.exists(&path)? {
            return Err(no_file(name));
        }
        read_file(&*self.disk.open(&path)?, take)
    }

    fn stored_bytes(&self) -> u64 {
        bytes_below(&*self.disk, &self.path)
    }
}

fn bytes_below(disk: &dyn Disk, dir: &str) -> u64 {
    let entries = disk.list(dir).unwrap_or_default();
    let bytes = |entry: &Entry| match entry.is_dir {
        true => bytes_below(disk, &join(dir, &entry.name)),
        false => entry.len,
    };
    entries.iter().map(bytes).sum()
}
