//! A backup that is an archive: one file, written under a temporary name that it loses with its
//! last byte. The only place that knows the crates for archives.

use std::collections::HashMap;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

use entasis_base::{Error, Result, codes, scope};
use entasis_disk::{Disk, DiskLock, ReadFile, Temporary, WriteFile, parent};
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::manifest::NAME;
use crate::store::{
    Content, Location, Packing, STEP, StoreReader, StoreWriter, TarCompression, already_exists,
    no_file, not_found,
};

/// How the files in an archive are compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArchiveOptions {
    /// Whether the files in a zip archive are compressed. Parts of tables are compressed already.
    pub deflate: bool,
    /// The level; `None` is the default of the method.
    pub level: Option<i32>,
}

/// An error of a library for archives; one of ours that went through it comes out again.
#[cold]
fn failed(what: &str, e: io::Error) -> Error {
    match e.downcast::<Error>() {
        Ok(own) => own,
        Err(e) => Error::from(e).context(what),
    }
}

/// The file of the archive as the libraries want it.
struct Out(Box<dyn WriteFile>);

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(bytes).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(io::Error::other)
    }
}

/// A file as the libraries want it.
#[derive(Clone)]
struct In {
    file: Arc<dyn ReadFile>,
    len: u64,
    at: u64,
}

impl In {
    fn new(file: Arc<dyn ReadFile>) -> Self {
        let len = file.len();
        Self { file, len, at: 0 }
    }
}

impl Read for In {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        scope::check().map_err(io::Error::other)?;
        let len = self.len.saturating_sub(self.at).min(buffer.len() as u64) as usize;
        self.file.read_exact_at(self.at, &mut buffer[..len]).map_err(io::Error::other)?;
        self.at += len as u64;
        Ok(len)
    }
}

impl Seek for In {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.len.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or_else(|| io::Error::other("a place before the start of the file"))?;
        Ok(self.at)
    }
}

enum Pack {
    Zip(Box<ZipWriter<StreamWriter<Out>>>),
    Tar(tar::Builder<Out>),
    Gzip(tar::Builder<GzEncoder<Out>>),
    Zstd(tar::Builder<zstd::Encoder<'static, Out>>),
}

impl Pack {
    fn new(out: Out, packing: Packing, level: Option<i32>) -> Result<Self> {
        Ok(match packing {
            Packing::Folder | Packing::Zip => Self::Zip(Box::new(ZipWriter::new_stream(out))),
            Packing::Tar(TarCompression::None) => Self::Tar(tar::Builder::new(out)),
            Packing::Tar(TarCompression::Gzip) => {
                let level = level.map_or_else(Compression::default, |level| {
                    Compression::new(level.clamp(0, 9) as u32)
                });
                Self::Gzip(tar::Builder::new(GzEncoder::new(out, level)))
            }
            Packing::Tar(TarCompression::Zstd) => {
                let encoder = zstd::Encoder::new(out, level.unwrap_or(1).clamp(-7, 22));
                Self::Zstd(tar::Builder::new(encoder.map_err(|e| failed("The archive", e))?))
            }
        })
    }

    fn add(
        &mut self,
        name: &str,
        size: u64,
        read: &mut dyn Read,
        options: ArchiveOptions,
    ) -> io::Result<()> {
        match self {
            Self::Zip(zip) => {
                let mut of = SimpleFileOptions::default()
                    .compression_method(CompressionMethod::Stored)
                    .large_file(size >= u64::from(u32::MAX));
                if options.deflate {
                    let level = options.level.map(|level| i64::from(level.clamp(1, 9)));
                    of = of.compression_method(CompressionMethod::Deflated);
                    of = of.compression_level(level);
                }
                zip.start_file(name, of)?;
                io::copy(read, zip).map(drop)
            }
            Self::Tar(tar) => append(tar, name, size, read),
            Self::Gzip(tar) => append(tar, name, size, read),
            Self::Zstd(tar) => append(tar, name, size, read),
        }
    }

    fn finish(self) -> io::Result<Out> {
        match self {
            Self::Zip(zip) => Ok(zip.finish()?.into_inner()),
            Self::Tar(tar) => tar.into_inner(),
            Self::Gzip(tar) => tar.into_inner()?.finish(),
            Self::Zstd(tar) => tar.into_inner()?.finish(),
        }
    }
}

fn append<W: Write>(
    tar: &mut tar::Builder<W>,
    name: &str,
    size: u64,
    read: &mut dyn Read,
) -> io::Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_size(size);
    header.set_mode(0o640);
    header.set_mtime(0);
    header.set_entry_type(tar::EntryType::Regular);
    tar.append_data(&mut header, name, read)
}

pub(crate) struct ArchiveWriter {
    disk: Arc<dyn Disk>,
    path: String,
    temporary: String,
    options: ArchiveOptions,
    /// `None` once the archive is closed.
    pack: Option<Pack>,
    lock: Option<DiskLock>,
}

impl ArchiveWriter {
    pub(crate) fn create(to: &Location, packing: Packing, options: ArchiveOptions) -> Result<Self> {
        let (disk, path) = (Arc::clone(&to.disk), to.path.clone());
        if disk.exists(&path)? {
            return Err(already_exists(&to.shown));
        }
        disk.create_dir_all(parent(&path))?;
        let lock = disk.lock(&format!("{path}.lock")).map_err(|e| {
            let message = format!("Another backup is being written to {}: {e}", to.shown);
            Error::new(codes::BACKUP_ALREADY_EXISTS, message)
        })?;
        if disk.exists(&path)? {
            return Err(already_exists(&to.shown));
        }
        let temporary = format!("{path}.tmp");
        if disk.exists(&temporary)? {
            disk.remove(&temporary)?;
        }
        let out = Out(disk.create(&temporary)?);
        let mut writer = Self { disk, path, temporary, options, pack: None, lock: Some(lock) };
        writer.pack = Some(Pack::new(out, packing, options.level)?);
        Ok(writer)
    }

    fn put(&mut self, name: &str, size: u64, content: Content<'_>) -> Result<()> {
        let Some(pack) = &mut self.pack else { return Err(Error::logical("a closed archive")) };
        let done = match content {
            Content::Bytes(bytes) => pack.add(name, size, &mut Cursor::new(bytes), self.options),
            Content::File { disk, path } => {
                let file = In::new(disk.open(path)?);
                pack.add(name, size, &mut file.take(size), self.options)
            }
        };
        done.map_err(|e| failed("Cannot write the archive", e))
    }
}

impl StoreWriter for ArchiveWriter {
    fn add(&mut self, name: &str, size: u64, content: Content<'_>) -> Result<()> {
        self.put(name, size, content)
    }

    fn finish(mut self: Box<Self>, manifest: &[u8]) -> Result<u64> {
        self.put(NAME, manifest.len() as u64, Content::Bytes(manifest))?;
        let pack = self.pack.take().ok_or_else(|| Error::logical("a closed archive"))?;
        let Out(mut file) = pack.finish().map_err(|e| failed("Cannot write the archive", e))?;
        file.flush()?;
        file.sync()?;
        let bytes = file.len();
        drop(file);
        self.disk.rename(&self.temporary, &self.path)?;
        let mut above = self.path.as_str();
        while !above.is_empty() {
            above = parent(above);
            self.disk.sync_dir(above)?;
        }
        Ok(bytes)
    }
}

impl Drop for ArchiveWriter {
    /// If something cannot be removed here, the next backup to this place removes it.
    fn drop(&mut self) {
        self.pack = None;
        let _ = self.disk.remove(&self.temporary);
        self.lock = None;
        let _ = self.disk.remove(&format!("{}.lock", self.path));
    }
}

/// The places of the files in a tar archive that is not compressed.
struct TarIndex {
    file: In,
    files: HashMap<String, (u64, u64)>,
}

impl TarIndex {
    fn new(file: In) -> Result<Self> {
        let mut files = HashMap::new();
        let mut archive = tar::Archive::new(file.clone());
        let bad = |e| failed("Cannot read the archive", e);
        for entry in archive.entries_with_seek().map_err(bad)? {
            let entry = entry.map_err(bad)?;
            let name = entry.path().map_err(bad)?.to_string_lossy().into_owned();
            files.insert(name, (entry.raw_file_position(), entry.size()));
        }
        Ok(Self { file, files })
    }

    /// Unpacks a compressed archive into a temporary file.
    fn unpacked(mut packed: impl Read) -> Result<Self> {
        let mut to = Temporary::system().create()?;
        let mut buffer = vec![0; STEP];
        loop {
            let read = packed.read(&mut buffer);
            let read = read.map_err(|e| failed("Cannot read the archive", e))?;
            if read == 0 {
                break;
            }
            to.writer.write_all(&buffer[..read])?;
        }
        to.writer.flush()?;
        Self::new(In { file: Arc::clone(&to.reader), len: to.writer.len(), at: 0 })
    }
}

enum Unpack {
    Zip(ZipArchive<In>),
    Tar(TarIndex),
}

pub(crate) struct ArchiveReader {
    unpack: Unpack,
    bytes: u64,
}

impl ArchiveReader {
    pub(crate) fn open(from: &Location, packing: Packing) -> Result<Self> {
        if !from.disk.exists(&from.path)? {
            return Err(not_found(&from.shown));
        }
        let file = In::new(from.disk.open(&from.path)?);
        let bytes = file.len;
        let bad = |e: Error| {
            let message = format!("{} is damaged, or no such archive: {e}", from.shown);
            Error::new(codes::BACKUP_DAMAGED, message)
        };
        let unpack = match packing {
            Packing::Folder | Packing::Zip => {
                let zip = ZipArchive::new(file).map_err(io::Error::from);
                Unpack::Zip(zip.map_err(|e| bad(failed("zip", e)))?)
            }
            Packing::Tar(compression) => Unpack::Tar(
                match compression {
                    TarCompression::None => TarIndex::new(file),
                    TarCompression::Gzip => TarIndex::unpacked(MultiGzDecoder::new(file)),
                    TarCompression::Zstd => {
                        let decoder =
                            zstd::Decoder::new(file).map_err(|e| bad(failed("zstd", e)))?;
                        TarIndex::unpacked(decoder)
                    }
                }
                .map_err(bad)?,
            ),
        };
        Ok(Self { unpack, bytes })
    }
}

/// Passes all that `from` has to `take`.
fn pass(mut from: impl Read, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let mut buffer = vec![0; STEP];
    loop {
        scope::check()?;
        let damaged = |e| match failed("The archive is damaged", e) {
            e if e.code() == codes::QUERY_WAS_CANCELLED => e,
            e => Error::new(codes::BACKUP_DAMAGED, e.message()),
        };
        let read = from.read(&mut buffer).map_err(damaged)?;
        if read == 0 {
            return Ok(());
        }
        take(&buffer[..read])?;
    }
}

impl StoreReader for ArchiveReader {
    fn read(&self, name: &str, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        match &self.unpack {
            Unpack::Zip(zip) => {
                let mut zip = zip.clone();
                let file = zip.by_name(name).map_err(|_| no_file(name))?;
                pass(file, take)
            }
            Unpack::Tar(index) => {
                let (at, len) = *index.files.get(name).ok_or_else(|| no_file(name))?;
                pass(In { at, ..index.file.clone() }.take(len), take)
            }
        }
    }

    fn stored_bytes(&self) -> u64 {
        self.bytes
    }
}
