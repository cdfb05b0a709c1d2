//! What the log records of rows that were changed after their part was written: the overlays of a
//! part, and the mutations of a table.
//!
//! A part is one base segment that never changes, and overlays over it, oldest first. An overlay is
//! a segment file of its own; the newest one that says something about a value or a row wins.
//! Merges fold the overlays into the part that they write.

use entasis_base::Result;
use entasis_base::varint::write_varint;

use crate::bytes::{Input, corrupted, put_bytes};

/// What an overlay says about the rows of its part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverlayKind {
    /// New values of some columns for all rows, in the granules of the base segment.
    Columns,
    /// Which rows still exist, in the granules of the base segment. A newer mask replaces an older
    /// one.
    Mask {
        /// The number of rows that exist.
        live: u64,
        /// The number of rows that `system.parts` shows: rows that a lightweight DELETE has removed
        /// count until a merge or a heavy mutation drops them.
        shown: u64,
    },
    /// The positions of some rows, and new values of some columns in these rows.
    Patch,
}

/// A file that changes rows of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlay {
    /// Name of the segment file within the table's directory.
    pub file: String,
    /// Number of rows in the file.
    pub rows: u64,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Checksum of the file's footer.
    pub checksum: u64,
    /// What it says.
    pub kind: OverlayKind,
}

/// A finished mutation, which `system.mutations` lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MutationRecord {
    /// The block number that the mutation has taken; parts that it has changed show it.
    pub number: u64,
    /// The formatted commands.
    pub commands: Vec<String>,
    /// When it began, in seconds since 1970.
    pub created: u64,
    /// When it was committed, in seconds since 1970.
    pub finished: u64,
}

impl MutationRecord {
    /// How many finished mutations a table remembers.
    pub const REMEMBERED: usize = 100;

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        write_varint(out, self.number);
        write_varint(out, self.created);
        write_varint(out, self.finished);
        write_varint(out, self.commands.len() as u64);
        self.commands.iter().for_each(|command| put_bytes(out, command.as_bytes()));
    }

    pub(super) fn read(input: &mut Input) -> Result<Self> {
        let (number, created, finished) = (input.varint()?, input.varint()?, input.varint()?);
        let commands = (0..input.count()?).map(|_| Ok(input.text()?.to_owned()));
        let commands = commands.collect::<Result<_>>()?;
        Ok(Self { number, commands, created, finished })
    }
}

impl Overlay {
    fn write(&self, out: &mut Vec<u8>) {
        put_bytes(out, self.file.as_bytes());
        write_varint(out, self.rows);
        write_varint(out, self.bytes);
        out.extend_from_slice(&self.checksum.to_le_bytes());
        match self.kind {
            OverlayKind::Columns => write_varint(out, 1),
            OverlayKind::Mask { live, shown } => {
                write_varint(out, 2);
                write_varint(out, live);
                write_varint(out, shown);
            }
            OverlayKind::Patch => write_varint(out, 3),
        }
    }

    fn read(input: &mut Input) -> Result<Self> {
        let file = input.text()?.to_owned();
        let (rows, bytes, checksum) = (input.varint()?, input.varint()?, input.u64()?);
        let kind = match input.varint()? {
            1 => OverlayKind::Columns,
            2 => OverlayKind::Mask { live: input.varint()?, shown: input.varint()? },
            3 => OverlayKind::Patch,
            other => return Err(corrupted(format!("an overlay of kind {other}"))),
        };
        Ok(Self { file, rows, bytes, checksum, kind })
    }
}

/// Writes the overlays of a part.
pub(super) fn put_overlays(out: &mut Vec<u8>, overlays: &[Overlay]) {
    write_varint(out, overlays.len() as u64);
    overlays.iter().for_each(|overlay| overlay.write(out));
}

/// Reads the overlays of a part.
pub(super) fn take_overlays(input: &mut Input) -> Result<Vec<Overlay>> {
    (0..input.count()?).map(|_| Overlay::read(input)).collect()
}
