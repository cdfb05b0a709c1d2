//! Where the files of a backup lie: a folder, or an archive.

use std::sync::Arc;

use entasis_base::{Error, Result, codes, scope};
use entasis_disk::{Disk, ReadFile};

use crate::archive::{ArchiveOptions, ArchiveReader, ArchiveWriter};
use crate::folder::{FolderReader, FolderWriter};

/// Bytes that are copied between two checks whether the statement goes on.
pub(crate) const STEP: usize = 1 << 20;

/// How a backup is packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Packing {
    /// A folder with a file for each file.
    #[default]
    Folder,
    /// A zip archive.
    Zip,
    /// A tar archive, compressed or not.
    Tar(TarCompression),
}

/// How a tar archive is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TarCompression {
    /// Not at all.
    None,
    /// With gzip.
    Gzip,
    /// With ZSTD.
    Zstd,
}

impl Packing {
    /// The packing that the end of a path asks for. Fails for archives that cannot be written.
    pub fn of_path(path: &str) -> Result<Self> {
        let lower = path.to_ascii_lowercase();
        let ends = |ends: &[&str]| ends.iter().any(|end| lower.ends_with(end));
        Ok(match () {
            () if ends(&[".zip", ".zipx"]) => Self::Zip,
            () if ends(&[".tar"]) => Self::Tar(TarCompression::None),
            () if ends(&[".tar.gz", ".tgz"]) => Self::Tar(TarCompression::Gzip),
            () if ends(&[".tar.zst", ".tzst"]) => Self::Tar(TarCompression::Zstd),
            () if ends(&[".tar.bz2", ".tar.lzma", ".tar.xz", ".tar.br", ".7z"]) => {
                let message = format!(
                    "An archive like {path}: the endings .zip, .tar, .tar.gz and .tar.zst are \
                     known"
                );
                return Err(Error::not_implemented(message));
            }
            () => Self::Folder,
        })
    }
}

/// A place for a backup on a disk.
#[derive(Clone, Debug)]
pub struct Location {
    /// The disk.
    pub disk: Arc<dyn Disk>,
    /// The path of the folder or of the archive.
    pub path: String,
    /// How the backup is packed.
    pub packing: Packing,
    /// What the statement calls the place, for messages.
    pub shown: String,
}

/// The content of a file that is added to a backup.
#[derive(Clone, Copy)]
pub enum Content<'a> {
    /// These bytes.
    Bytes(&'a [u8]),
    /// A file that does not change.
    File {
        /// The disk that it is on.
        disk: &'a Arc<dyn Disk>,
        /// Its path there.
        path: &'a str,
    },
}

impl Content<'_> {
    /// Passes the content to `take`, piece by piece.
    pub(crate) fn read(&self, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        match self {
            Self::Bytes(bytes) => take(bytes),
            Self::File { disk, path } => read_file(&*disk.open(path)?, take),
        }
    }
}

/// Passes a file to `take`, piece by piece.
pub(crate) fn read_file(
    file: &dyn ReadFile,
    take: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let mut buffer = Vec::new();
    let mut offset = 0;
    while offset < file.len() {
        scope::check()?;
        let len = (file.len() - offset).min(STEP as u64) as usize;
        buffer.resize(len, 0);
        file.read_exact_at(offset, &mut buffer)?;
        take(&buffer)?;
        offset += len as u64;
    }
    Ok(())
}

/// Writes the files of one backup. One that is dropped before `finish` leaves nothing.
pub(crate) trait StoreWriter: Send {
    /// Adds a file of `size` bytes.
    fn add(&mut self, name: &str, size: u64, content: Content<'_>) -> Result<()>;
    /// Adds the manifest, which makes the backup exist, durably. Answers how many bytes it takes.
    fn finish(self: Box<Self>, manifest: &[u8]) -> Result<u64>;
}

/// Reads the files of one backup.
pub(crate) trait StoreReader: Send + Sync {
    /// Passes a file to `take`, piece by piece. Fails with FILE_DOESNT_EXIST.
    fn read(&self, name: &str, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>;
    /// Bytes that the backup takes.
    fn stored_bytes(&self) -> u64;
}

/// Writes nowhere.
struct Nowhere(u64);

impl StoreWriter for Nowhere {
    fn add(&mut self, _name: &str, size: u64, _content: Content<'_>) -> Result<()> {
        self.0 += size;
        Ok(())
    }

    fn finish(self: Box<Self>, manifest: &[u8]) -> Result<u64> {
        Ok(self.0 + manifest.len() as u64)
    }
}

/// Begins to write a backup; `None` writes nowhere. Fails with BACKUP_ALREADY_EXISTS.
pub(crate) fn create(
    to: Option<&Location>,
    options: ArchiveOptions,
) -> Result<Box<dyn StoreWriter>> {
    let Some(to) = to else { return Ok(Box::new(Nowhere(0))) };
    Ok(match to.packing {
        Packing::Folder => Box::new(FolderWriter::create(to)?),
        packing => Box::new(ArchiveWriter::create(to, packing, options)?),
    })
}

/// Opens a backup. Fails with BACKUP_NOT_FOUND.
pub(crate) fn open(from: &Location) -> Result<Box<dyn StoreReader>> {
    Ok(match from.packing {
        Packing::Folder => Box::new(FolderReader::open(from)?),
        packing => Box::new(ArchiveReader::open(from, packing)?),
    })
}

#[cold]
pub(crate) fn already_exists(shown: &str) -> Error {
    Error::new(codes::BACKUP_ALREADY_EXISTS, format!("Backup {shown} already exists"))
}

#[cold]
pub(crate) fn not_found(shown: &str) -> Error {
    Error::new(codes::BACKUP_NOT_FOUND, format!("Backup {shown} not found"))
}

#[cold]
pub(crate) fn no_file(name: &str) -> Error {
    Error::new(codes::FILE_DOESNT_EXIST, format!("The backup has no file `{name}`"))
}
