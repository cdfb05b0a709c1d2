//! Backups as files: what a backup contains, and where its files lie.
//!
//! A backup is a set of named files and a [`manifest`], which lists them with their sizes and
//! checksums and is written last: what has no manifest is no backup. [`BackupWriter`] adds files,
//! and leaves out those that the backup that it is based on has already. [`BackupReader`] reads a
//! file and checks it. Both use a [`store`]: a folder of a [`entasis_disk::Disk`], or an archive,
//! which is one file of a disk.
//!
//! This crate knows no tables: the names and the contents of the files are the caller's.
//! `docs/format/backup.md` describes the files.
#![forbid(unsafe_code)]

mod archive;
mod folder;
pub mod manifest;
mod reader;
pub mod store;
mod writer;

pub use archive::ArchiveOptions;
pub use manifest::{FileEntry, Manifest, Object, ObjectKind, Place};
pub use reader::BackupReader;
pub use store::{Content, Location, Packing};
pub use writer::{BackupWriter, Options, Totals};

#[cfg(test)]
mod tests;
