//! What the log records of files that are derived from a part: its skipping indices and its
//! projections.
//!
//! A companion holds nothing that the part does not hold, so it may be dropped at any time, and
//! merges build it anew. It is a segment file of its own, whose columns its kind decides.

use entasis_base::Result;
use entasis_base::varint::write_varint;

use super::record::Content;
use crate::bytes::{Input, corrupted, put_bytes};

/// What a companion is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompanionKind {
    /// A skipping index.
    Index,
    /// A projection.
    Projection,
}

/// A file that was derived from a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Companion {
    /// Name of the segment file within the table's directory.
    pub file: String,
    /// Number of rows in the file.
    pub rows: u64,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Checksum of the file's footer.
    pub checksum: u64,
    /// What it is for.
    pub kind: CompanionKind,
    /// The name of the index or of the projection.
    pub name: String,
    /// What it was made of. A companion is used only if this is what the table's definition says
    /// now.
    pub definition: String,
    /// The content, if it is in memory like the part, and has no file.
    pub content: Option<Content>,
}

impl Companion {
    fn write(&self, out: &mut Vec<u8>) {
        put_bytes(out, self.file.as_bytes());
        write_varint(out, self.rows);
        write_varint(out, self.bytes);
        out.extend_from_slice(&self.checksum.to_le_bytes());
        write_varint(
            out,
            match self.kind {
                CompanionKind::Index => 1,
                CompanionKind::Projection => 2,
            },
        );
        put_bytes(out, self.name.as_bytes());
        put_bytes(out, self.definition.as_bytes());
    }

    fn read(input: &mut Input) -> Result<Self> {
        let file = input.text()?.to_owned();
        let (rows, bytes, checksum) = (input.varint()?, input.varint()?, input.u64()?);
        let kind = match input.varint()? {
            1 => CompanionKind::Index,
            2 => CompanionKind::Projection,
            other => return Err(corrupted(format!("a companion of kind {other}"))),
        };
        let (name, definition) = (input.text()?.to_owned(), input.text()?.to_owned());
        Ok(Self { file, rows, bytes, checksum, kind, name, definition, content: None })
    }
}

/// Writes the companions of a part.
pub(super) fn put_companions(out: &mut Vec<u8>, companions: &[Companion]) {
    write_varint(out, companions.len() as u64);
    companions.iter().for_each(|companion| companion.write(out));
}

/// Reads the companions of a part.
pub(super) fn take_companions(payload: &[u8]) -> Result<Vec<Companion>> {
    let mut input = Input(payload);
    (0..input.count()?).map(|_| Companion::read(&mut input)).collect()
}

/// Writes the contents of the companions that have no file. `false` if there are none.
pub(super) fn put_contents(out: &mut Vec<u8>, companions: &[Companion]) -> bool {
    let contents = companions.iter().filter_map(|c| Some((&c.file, c.content.as_ref()?)));
    let contents: Vec<_> = contents.collect();
    write_varint(out, contents.len() as u64);
    for (file, content) in &contents {
        put_bytes(out, file.as_bytes());
        put_bytes(out, &content.0);
    }
    !contents.is_empty()
}

/// Reads the contents of companions.
pub(super) fn take_contents(payload: &[u8], companions: &mut [Companion]) -> Result<()> {
    let mut input = Input(payload);
    for _ in 0..input.count()? {
        let (file, content) = (input.text()?.to_owned(), Content(input.bytes()?.into()));
        let companion = companions.iter_mut().find(|companion| companion.file == file);
        let companion = companion.ok_or_else(|| corrupted("the content of no companion"))?;
        companion.content = Some(content);
    }
    Ok(())
}
