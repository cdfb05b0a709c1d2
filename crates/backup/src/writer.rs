//! Writes a backup: adds files, and leaves out those whose content is there already.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use xxhash_rust::xxh3::Xxh3;

use crate::archive::ArchiveOptions;
use crate::manifest::{Base, FileEntry, Manifest, Object, Place};
use crate::reader::BackupReader;
use crate::store::{self, Content, Location, StoreWriter};

/// What a backup is to be like.
#[derive(Default)]
pub struct Options {
    /// An identity that no other backup has.
    pub identity: String,
    /// The current time, in seconds since 1970.
    pub made: u64,
    /// The backup that this one is based on, and what the statement calls it.
    pub base: Option<(Arc<BackupReader>, String)>,
    /// Whether files with the same content are written once.
    pub deduplicate: bool,
    /// How an archive is compressed.
    pub archive: ArchiveOptions,
}

/// Numbers of a backup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Files, with those that are in the base.
    pub files: u64,
    /// Bytes of these files.
    pub bytes: u64,
    /// Files that this backup itself has.
    pub own_files: u64,
    /// Bytes of these files.
    pub own_bytes: u64,
    /// Bytes that the backup takes, compressed and with its manifest.
    pub stored_bytes: u64,
}

/// Size and checksum of a content.
pub(crate) type Identity = (u64, u128);

/// Computes the identity of a content.
#[derive(Default)]
pub(crate) struct Hasher {
    size: u64,
    hash: Xxh3,
}

impl Hasher {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.size += bytes.len() as u64;
        self.hash.update(bytes);
    }

    pub(crate) fn identity(&self) -> Identity {
        (self.size, self.hash.digest128())
    }
}

/// A backup that is being written. If it is dropped before [`Self::finish`], nothing of it stays.
pub struct BackupWriter {
    store: Box<dyn StoreWriter>,
    options: Options,
    manifest: Manifest,
    files: BTreeMap<String, FileEntry>,
    /// The files of this backup by their content.
    known: HashMap<Identity, String>,
    totals: Totals,
}

impl BackupWriter {
    /// Begins a backup; without a location it is written nowhere. Fails with
    /// BACKUP_ALREADY_EXISTS.
    pub fn create(to: Option<&Location>, options: Options) -> Result<Self> {
        let store = store::create(to, options.archive)?;
        let base = options.base.as_ref().map(|(base, location)| Base {
            location: location.clone(),
            identity: base.manifest().identity.clone(),
        });
        let (identity, made) = (options.identity.clone(), options.made);
        let manifest = Manifest { identity, made, base, ..Manifest::default() };
        let (files, known, totals) = Default::default();
        Ok(Self { store, options, manifest, files, known, totals })
    }

    /// Adds an object. Its files are added by [`Self::add`].
    pub fn object(&mut self, object: Object) {
        self.manifest.objects.push(object);
    }

    /// Whether a file of this name was added.
    pub fn has(&self, name: &str) -> bool {
        self.files.contains_key(name)
    }

    /// Adds a file.
    pub fn add(&mut self, name: &str, content: Content<'_>) -> Result<()> {
        if self.files.contains_key(name) {
            let message = format!("File `{name}` is in the backup already");
            return Err(Error::new(codes::BACKUP_ENTRY_ALREADY_EXISTS, message));
        }
        let mut hasher = Hasher::default();
        content.read(&mut |piece| {
            hasher.add(piece);
            Ok(())
        })?;
        let identity = hasher.identity();
        let same = self.known.get(&identity).filter(|_| self.options.deduplicate);
        let base = self.options.base.as_ref().filter(|(base, _)| base.has(identity));
        let (size, checksum) = identity;
        let place = match (base, same) {
            (Some(_), _) if size > 0 => Place::Base,
            (_, Some(same)) if size > 0 => Place::Same(same.clone()),
            _ => {
                self.store.add(name, size, content)?;
                self.known.insert(identity, name.to_owned());
                self.totals.own_files += 1;
                self.totals.own_bytes += size;
                Place::Here
            }
        };
        self.totals.files += 1;
        self.totals.bytes += size;
        let entry = FileEntry { name: name.to_owned(), size, checksum, place };
        self.files.insert(name.to_owned(), entry);
        Ok(())
    }

    /// The numbers so far.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Writes the manifest: from now on the backup exists. It is durable when this returns.
    pub fn finish(mut self) -> Result<Totals> {
        self.manifest.files = self.files.into_values().collect();
        self.totals.stored_bytes = self.store.finish(&self.manifest.to_bytes())?;
        Ok(self.totals)
    }
}
