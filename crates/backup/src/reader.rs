//! Reads a backup, and checks each file against the manifest.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use entasis_base::{Error, Result, codes};

use crate::manifest::{FileEntry, Manifest, NAME, Place};
use crate::store::{self, Location, StoreReader};
use crate::writer::{Hasher, Identity, Totals};

/// Most bytes of a manifest that are read.
const MANIFEST_BYTES: usize = 1 << 30;

/// How many backups may be based on each other.
const DEEPEST: usize = 1000;

/// A finished backup.
pub struct BackupReader {
    store: Box<dyn StoreReader>,
    manifest: Manifest,
    base: Option<Arc<Self>>,
    /// The positions of files in the manifest by their content.
    contents: HashMap<Identity, usize>,
    depth: usize,
    files_read: AtomicU64,
    bytes_read: AtomicU64,
}

impl BackupReader {
    /// Opens a backup. `base_of` opens the one that it is based on, given what the statement that
    /// made the backup called it. Fails with BACKUP_NOT_FOUND.
    pub fn open(from: &Location, base_of: &dyn Fn(&str) -> Result<Arc<Self>>) -> Result<Self> {
        let store = store::open(from)?;
        let mut bytes = Vec::new();
        store.read(NAME, &mut |piece| {
            if bytes.len() + piece.len() > MANIFEST_BYTES {
                return Err(Error::new(codes::BACKUP_DAMAGED, "The manifest is too large"));
            }
            bytes.extend_from_slice(piece);
            Ok(())
        })?;
        let manifest = Manifest::parse(&bytes).map_err(|e| e.context(from.shown.clone()))?;
        let base = match &manifest.base {
            None => None,
            Some(needed) => {
                let base = base_of(&needed.location)
                    .map_err(|e| e.context(format!("The base of {}", from.shown)))?;
                if base.manifest.identity != needed.identity {
                    let message = format!(
                        "{} is another backup than the one that {} is based on",
                        needed.location, from.shown
                    );
                    return Err(Error::new(codes::WRONG_BASE_BACKUP, message));
                }
                Some(base)
            }
        };
        let depth = base.as_ref().map_or(0, |base| base.depth + 1);
        if depth > DEEPEST {
            let message = format!("More than {DEEPEST} backups are based on each other");
            return Err(Error::new(codes::LIMIT_EXCEEDED, message));
        }
        let files = manifest.files.iter().enumerate();
        let contents = files.map(|(at, file)| ((file.size, file.checksum), at)).collect();
        let (files_read, bytes_read) = Default::default();
        Ok(Self { store, manifest, base, contents, depth, files_read, bytes_read })
    }

    /// What the backup contains.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Whether a file of the backup has this content.
    pub(crate) fn has(&self, content: Identity) -> bool {
        self.contents.contains_key(&content)
    }

    /// Numbers of the backup.
    pub fn totals(&self) -> Totals {
        let files = &self.manifest.files;
        let own = || files.iter().filter(|file| file.place == Place::Here);
        Totals {
            files: files.len() as u64,
            bytes: files.iter().map(|file| file.size).sum(),
            own_files: own().count() as u64,
            own_bytes: own().map(|file| file.size).sum(),
            stored_bytes: self.store.stored_bytes(),
        }
    }

    /// How many files were read so far, and their bytes.
    pub fn read_so_far(&self) -> (u64, u64) {
        (self.files_read.load(Ordering::Relaxed), self.bytes_read.load(Ordering::Relaxed))
    }

    /// Passes a file to `take`, piece by piece. Fails with BACKUP_DAMAGED at the end if the bytes
    /// were not those that had been backed up.
    pub fn read(&self, name: &str, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let entry = self.manifest.file(name).ok_or_else(|| {
            let message = format!("File `{name}` not found in backup");
            Error::new(codes::BACKUP_ENTRY_NOT_FOUND, message)
        })?;
        let mut hasher = Hasher::default();
        self.read_unchecked(entry, &mut |piece| {
            hasher.add(piece);
            take(piece)
        })?;
        if hasher.identity() != (entry.size, entry.checksum) {
            let message = format!(
                "File `{name}` of the backup is damaged: it has other bytes than were backed up"
            );
            return Err(Error::new(codes::BACKUP_DAMAGED, message));
        }
        self.files_read.fetch_add(1, Ordering::Relaxed);
        self.bytes_read.fetch_add(entry.size, Ordering::Relaxed);
        Ok(())
    }

    /// The whole of a small file.
    pub fn bytes(&self, name: &str) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.read(name, &mut |piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        })?;
        Ok(bytes)
    }

    fn read_unchecked(
        &self,
        entry: &FileEntry,
        take: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let lost = |e: Error| match e.code() {
            codes::FILE_DOESNT_EXIST => {
                let message = format!("File `{}` of the backup is missing", entry.name);
                Error::new(codes::BACKUP_DAMAGED, message)
            }
            _ => e,
        };
        match (&entry.place, &self.base) {
            (Place::Here, _) => self.store.read(&entry.name, take).map_err(lost),
            (Place::Same(other), _) => self.store.read(other, take).map_err(lost),
            (Place::Base, Some(base)) => {
                let identity = (entry.size, entry.checksum);
                let found = base.contents.get(&identity).map(|at| &base.manifest.files[*at]);
                let found = found.ok_or_else(|| {
                    let message = format!("The base backup has no content of `{}`", entry.name);
                    Error::new(codes::BACKUP_DAMAGED, message)
                })?;
                base.read_unchecked(found, take)
            }
            (Place::Base, None) => {
                let message =
                    format!("File `{}` is in a base backup, but there is none", entry.name);
                Err(Error::new(codes::BACKUP_DAMAGED, message))
            }
        }
    }

    /// Reads and checks all files. Calls `found` for each that is damaged.
    pub fn check(&self, found: &mut dyn FnMut(&str, &Error)) {
        for file in &self.manifest.files {
            if let Err(e) = self.read(&file.name, &mut |_| Ok(())) {
                found(&file.name, &e);
            }
        }
    }
}
