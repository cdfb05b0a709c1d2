//! Decides whether a folder is a store: the marker file, and what a folder may hold that becomes a
//! store.
//!
//! The store writes to a folder, or removes files in it, only if the folder holds the marker, or a
//! log (a store of a version without markers), or no foreign files. The marker also holds the
//! number of a record that was acknowledged when the marker was written, so that a log which ends
//! before that record is known to be damaged.

use entasis_base::{Error, Result, codes};
use entasis_codec::checksum;
use entasis_disk::{Disk, Entry};

use crate::log::frame::MAGIC;
use crate::log::recovery::REMEDY;
use crate::log::{COPY, FILE};
use crate::part::TABLES;

/// The name of the marker file.
pub(crate) const MARKER: &str = "entasis.store";
/// Version of the folder's layout that this build writes.
const VERSION: u32 = 2;
/// Most bytes that a marker may have.
const MAX_BYTES: u64 = 4096;
/// The length of the magic without the version byte, which is not compared.
const FAMILY: usize = MAGIC.len() - 1;

/// What a folder is to the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FolderState {
    /// The folder is empty, or holds the remains of a store whose creation was interrupted.
    New,
    /// The folder has a log without a marker: a store of layout version 1.
    Unmarked,
    /// The folder has a marker, so it is a store.
    Marked {
        /// The last record that the marker says was acknowledged.
        acknowledged: u64,
        /// Whether the marker cannot be read.
        damaged: bool,
    },
}

impl FolderState {
    /// The last record that is known to have been acknowledged.
    pub(crate) fn acknowledged(self) -> u64 {
        match self {
            Self::Marked { acknowledged, .. } => acknowledged,
            Self::New | Self::Unmarked => 0,
        }
    }
}

/// Classifies a folder without changing it. Fails if it holds foreign files, or a newer version of
/// the store.
pub(crate) fn look(disk: &dyn Disk) -> Result<FolderState> {
    if disk.exists(MARKER)? {
        return read_marker(disk);
    }
    if has_log(disk, FILE)? || has_log(disk, COPY)? {
        return Ok(FolderState::Unmarked);
    }
    let entries = disk.list("")?;
    let strange: Vec<&Entry> = entries.iter().filter(|entry| !may_be_there(entry)).collect();
    let Some(first) = strange.first() else { return Ok(FolderState::New) };
    if strange.iter().any(|entry| entry.name == TABLES && entry.is_dir) {
        if disk.list(TABLES)?.is_empty() && strange.len() == 1 {
            return Ok(FolderState::New);
        }
        let message = format!(
            "There is a folder `{TABLES}`, but no `{MARKER}` and no readable `{FILE}`: these \
             files were removed, or the folder does not belong to Entasis. {REMEDY}"
        );
        return Err(Error::new(codes::CORRUPTED_DATA, message));
    }
    let message = format!(
        "The folder is not empty, but holds no tables of Entasis: it contains `{}`, and no \
         `{MARKER}`. Nothing in it was changed. Choose a new or an empty folder as --path",
        first.name
    );
    Err(Error::new(codes::BAD_ARGUMENTS, message))
}

/// Whether a folder that becomes a store may hold this name: files of an interrupted creation, what
/// a server prepares, its configuration, and what a new file system creates.
fn may_be_there(entry: &Entry) -> bool {
    match &*entry.name {
        "lock" => !entry.is_dir,
        "user_files" | "tmp" | "lost+found" | "backups" => entry.is_dir,
        // A log no longer than its magic holds no commit.
        FILE | COPY => !entry.is_dir && entry.len <= MAGIC.len() as u64,
        name if std::path::Path::new(name).extension().is_some_and(|e| e == "toml") => {
            !entry.is_dir
        }
        name => {
            let ours = [FILE, COPY, MARKER].into_iter();
            let temporary = name.strip_suffix(".tmp");
            temporary.is_some_and(|name| ours.into_iter().any(|ours| ours == name))
        }
    }
}

/// Whether a file begins like a log of any version.
fn has_log(disk: &dyn Disk, name: &str) -> Result<bool> {
    if !disk.exists(name)? {
        return Ok(false);
    }
    let file = disk.open(name)?;
    let mut head = [0; FAMILY];
    let is_long = file.len() >= MAGIC.len() as u64;
    Ok(is_long && file.read_exact_at(0, &mut head).is_ok() && head == MAGIC[..FAMILY])
}

fn text(acknowledged: u64) -> String {
    let body = format!("Entasis store, version {VERSION}\nrecord {acknowledged}\n");
    let sum = checksum(body.as_bytes());
    format!("{body}checksum {sum:016x}\n")
}

fn read_marker(disk: &dyn Disk) -> Result<FolderState> {
    let bytes = disk.read_to_end(MARKER, MAX_BYTES).or_else(|e| match e.code() {
        codes::LIMIT_EXCEEDED => Ok(Vec::new()),
        _ => Err(e),
    })?;
    match parse(&bytes) {
        Some((version, acknowledged)) if version <= VERSION => {
            Ok(FolderState::Marked { acknowledged, damaged: false })
        }
        Some((version, _)) => {
            let error = Error::not_implemented(format!("Format version {version} of the folder"));
            Err(error.append(format_args!(
                ": this build reads versions up to {VERSION}. Use a newer build"
            )))
        }
        None => Ok(FolderState::Marked { acknowledged: 0, damaged: true }),
    }
}

/// Version and record number of a marker; `None` if its checksum or form is wrong.
fn parse(bytes: &[u8]) -> Option<(u32, u64)> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (body, sum) = text.split_at_checked(text.find("checksum ")?)?;
    let sum = sum.strip_prefix("checksum ")?.strip_suffix('\n')?;
    if sum.len() != 16 || u64::from_str_radix(sum, 16).ok()? != checksum(body.as_bytes()) {
        return None;
    }
    let mut lines = body.lines();
    let version = lines.next()?.strip_prefix("Entasis store, version ")?.parse().ok()?;
    Some((version, lines.next()?.strip_prefix("record ")?.parse().ok()?))
}

/// Writes the marker. `acknowledged` is the number of the last acknowledged record.
pub(crate) fn write_marker(disk: &dyn Disk, acknowledged: u64) -> Result<()> {
    disk.write_atomically(MARKER, text(acknowledged).as_bytes())
}

#[cfg(test)]
mod tests {
    use entasis_disk::MemoryDisk;

    use super::*;

    fn put(disk: &dyn Disk, path: &str, bytes: &[u8]) {
        disk.create(path).unwrap().write_all(bytes).unwrap();
    }

    #[test]
    fn markers_round_trip_and_every_changed_bit_is_noticed() {
        let written = text(u64::MAX).into_bytes();
        assert_eq!(parse(&written), Some((VERSION, u64::MAX)));
        for bit in 0..written.len() * 8 {
            let mut bad = written.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(parse(&bad).is_none_or(|found| found == (VERSION, u64::MAX)), "{bit}");
        }
        (0..written.len()).for_each(|cut| assert_eq!(parse(&written[..cut]), None));
    }

    #[test]
    fn what_a_folder_is() {
        let disk = MemoryDisk::new();
        for dir in ["user_files/deep", "lost+found", "tmp", "tables"] {
            disk.create_dir_all(dir).unwrap();
        }
        put(&disk, "lock", b"1");
        put(&disk, "server.toml", b"http_port = 0");
        put(&disk, FILE, &MAGIC[..7]);
        put(&disk, "entasis.store.tmp", b"Ent");
        assert_eq!(look(&disk).unwrap(), FolderState::New);
        disk.create_dir_all("tables/3").unwrap();
        assert_eq!(look(&disk).unwrap_err().code(), codes::CORRUPTED_DATA);
        put(&disk, COPY, &MAGIC);
        assert_eq!(look(&disk).unwrap(), FolderState::Unmarked);
        write_marker(&disk, 12).unwrap();
        assert_eq!(look(&disk).unwrap(), FolderState::Marked { acknowledged: 12, damaged: false });
        disk.remove(MARKER).unwrap();
        let newer = "Entasis store, version 3\nrecord 1\n";
        let newer = format!("{newer}checksum {:016x}\n", checksum(newer.as_bytes()));
        put(&disk, MARKER, newer.as_bytes());
        assert_eq!(look(&disk).unwrap_err().code(), codes::NOT_IMPLEMENTED);
        for foreign in ["notes.txt", "commit.log.old", "Tables", "tmp.tar"] {
            let disk = MemoryDisk::new();
            put(&disk, foreign, b"precious");
            let error = look(&disk).unwrap_err();
            assert_eq!(error.code(), codes::BAD_ARGUMENTS);
            assert!(error.message().contains(foreign), "{error}");
        }
    }
}
