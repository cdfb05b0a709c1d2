//! The contents of the commit log: operations on databases, tables and parts.

use std::sync::Arc;

pub use super::companion::{Companion, CompanionKind};
pub use super::overlay::{MutationRecord, Overlay, OverlayKind};
use crate::column_ids::ColumnIds;

/// The identity of a table within its store. Ids are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TableId(pub u64);

/// What the log records of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartSummary {
    /// Name of the segment file within the table's directory.
    pub file: String,
    /// Number of rows.
    pub rows: u64,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Checksum of the file's footer.
    pub checksum: u64,
    /// Partition id in the reference's notation: `202101`, `all`.
    pub partition: String,
    /// The partition key's value as text.
    pub partition_value: String,
    /// Block number of the first insert whose rows the part holds.
    pub min_block: u64,
    /// Block number of the last such insert.
    pub max_block: u64,
    /// How often its rows were merged.
    pub level: u32,
    /// Creation time, in seconds since 1970.
    pub created: u64,
    /// Number of granules.
    pub granules: u64,
    /// Number of the last mutation that has seen the part; 0 if there was none.
    pub mutation: u64,
    /// Files that change rows of the segment, oldest first.
    pub overlays: Vec<Overlay>,
    /// Files that were derived from the part: skipping indices and projections.
    pub companions: Vec<Companion>,
    /// The content of the segment of a part in memory. The log keeps it, and there is no file.
    pub content: Option<Content>,
}

/// The bytes of a segment that has no file.
#[derive(Clone, PartialEq, Eq)]
pub struct Content(pub Arc<[u8]>);

impl std::fmt::Debug for Content {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Content({} bytes)", self.0.len())
    }
}

impl PartSummary {
    /// The part's name, such as `all_1_1_0`: partition, first and last block, level; and behind
    /// them the number of its last mutation, if there was one.
    pub fn name(&self) -> String {
        let Self { partition, min_block, max_block, level, mutation, .. } = self;
        match mutation {
            0 => format!("{partition}_{min_block}_{max_block}_{level}"),
            _ => format!("{partition}_{min_block}_{max_block}_{level}_{mutation}"),
        }
    }

    /// The mask of the rows that exist, if some were deleted: how many exist, and how many
    /// `system.parts` shows.
    fn mask(&self) -> Option<(u64, u64)> {
        self.overlays.iter().rev().find_map(|overlay| match overlay.kind {
            OverlayKind::Mask { live, shown } => Some((live, shown)),
            _ => None,
        })
    }

    /// The number of rows that exist.
    pub fn live_rows(&self) -> u64 {
        self.mask().map_or(self.rows, |(live, _)| live)
    }

    /// The number of rows that `system.parts` shows.
    pub fn shown_rows(&self) -> u64 {
        self.mask().map_or(self.rows, |(_, shown)| shown)
    }

    /// Whether a lightweight DELETE has removed rows that no merge has dropped yet.
    pub fn has_lightweight_delete(&self) -> bool {
        self.mask().is_some_and(|(live, shown)| live < shown)
    }

    /// The size of all files of the part, in bytes.
    pub fn total_bytes(&self) -> u64 {
        self.bytes
            + self.overlays.iter().map(|overlay| overlay.bytes).sum::<u64>()
            + self.companions.iter().map(|companion| companion.bytes).sum::<u64>()
    }

    /// Bytes of the part that are in memory because they have no files.
    pub(crate) fn memory_bytes(&self) -> u64 {
        self.contents().map(|(_, content)| content.0.len() as u64).sum()
    }

    /// What has a name of a file and is in memory: the segment, and companions.
    pub(crate) fn contents(&self) -> impl Iterator<Item = (&str, &Content)> {
        let companions = self.companions.iter();
        let companions = companions.filter_map(|c| Some((&*c.file, c.content.as_ref()?)));
        self.content.iter().map(|content| (&*self.file, content)).chain(companions)
    }

    /// The content of one of its files, if that is in memory.
    pub(crate) fn content_of(&self, file: &str) -> Option<&Content> {
        self.contents().find(|(name, _)| *name == file).map(|(_, content)| content)
    }

    /// This part with the contents that an older state of it has in memory. Records do not repeat
    /// them.
    pub(crate) fn with_contents_of(&self, known: &Self) -> Self {
        let mut part = Self { content: known.content.clone(), ..self.clone() };
        for companion in &mut part.companions {
            companion.content = known.content_of(&companion.file).cloned();
        }
        part
    }

    /// This part after all of it was written to files.
    pub(crate) fn written(&self) -> Self {
        let mut part = Self { content: None, ..self.clone() };
        part.companions.iter_mut().for_each(|companion| companion.content = None);
        part
    }

    /// The names of the files that there are: [`Self::files`] without what is in memory.
    pub(crate) fn written_files(&self) -> impl Iterator<Item = &str> {
        self.files().filter(|file| self.content_of(file).is_none())
    }

    /// Whether the segment is in memory and in the log, and has no file.
    pub fn is_in_memory(&self) -> bool {
        self.content.is_some()
    }

    /// The names of all files of the part: the segment, its overlays and its companions. The
    /// segment of a part in memory, and companions of it, have a name and no file.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let overlays = self.overlays.iter().map(|overlay| &*overlay.file);
        let companions = self.companions.iter().map(|companion| &*companion.file);
        std::iter::once(&*self.file).chain(overlays).chain(companions)
    }

    /// The companion of this kind and name, if it was made of what `definition` says.
    pub fn companion(
        &self,
        kind: CompanionKind,
        name: &str,
        definition: &str,
    ) -> Option<&Companion> {
        let is_it = |c: &&Companion| c.kind == kind && c.name == name;
        self.companions.iter().find(is_it).filter(|c| c.definition == definition)
    }
}

/// A table's definition as its engine wrote it; the storage does not interpret it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionText {
    /// Version of the language that the text is written in.
    pub version: u32,
    /// The text.
    pub text: String,
}

impl From<&str> for DefinitionText {
    /// A text in the first version of the language.
    fn from(text: &str) -> Self {
        Self { version: 1, text: text.to_owned() }
    }
}

/// What the log records of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRecord {
    /// The identity, which is also the name of the table's directory.
    pub id: TableId,
    /// The database that the table belongs to.
    pub database: String,
    /// The table's name within the database.
    pub name: String,
    /// Version of the language that the definition is written in.
    pub version: u32,
    /// The definition as formatted text; the storage does not interpret it.
    pub definition: String,
}

/// One change. A record of the log is a list of changes, which are applied all or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Creates a database.
    CreateDatabase {
        /// Name of the new database.
        name: String,
        /// The definition as formatted text.
        definition: String,
    },
    /// Drops a database, which must be empty.
    DropDatabase {
        /// Name of the database to drop.
        name: String,
    },
    /// Creates a table.
    CreateTable(TableRecord),
    /// Drops a table with its parts.
    DropTable {
        /// The table to drop.
        id: TableId,
    },
    /// Renames a table or moves it to another database.
    RenameTable {
        /// The table to rename.
        id: TableId,
        /// The database after the change.
        database: String,
        /// The name after the change.
        name: String,
    },
    /// Replaces the definition of a table.
    AlterTable {
        /// The table to alter.
        id: TableId,
        /// Version of the language that the definition is written in.
        version: u32,
        /// The new definition as formatted text.
        definition: String,
    },
    /// Makes a part visible.
    AddPart {
        /// The table that the part belongs to.
        table: TableId,
        /// The summary of the new part.
        part: PartSummary,
    },
    /// Removes a part from the visible ones.
    RemovePart {
        /// The table that the part belongs to.
        table: TableId,
        /// Name of the part's file.
        file: String,
    },
    /// Takes a part out of the table, but keeps its files.
    DetachPart {
        /// The table that the part belongs to.
        table: TableId,
        /// Name of the part's file.
        file: String,
    },
    /// Puts a detached part into the table again, with new block numbers.
    AttachPart {
        /// The table that the part belongs to.
        table: TableId,
        /// The part as it is from now on.
        part: PartSummary,
    },
    /// Removes a detached part.
    DropDetachedPart {
        /// The table that the part belongs to.
        table: TableId,
        /// Name of the part's file.
        file: String,
    },
    /// Raises the counters of a table to at least these values (in checkpoints).
    Counters {
        /// The table that the counters belong to.
        table: TableId,
        /// Block number of the next insert.
        next_block: u64,
        /// Number of the next segment file.
        next_segment: u64,
    },
    /// Reserves all table ids below this one (also written by checkpoints).
    NextTable(TableId),
    /// Remembers an INSERT, so that it is not stored again.
    RememberInsert {
        /// The table that the INSERT wrote to.
        table: TableId,
        /// The token that identifies the INSERT.
        token: String,
        /// How many of the latest INSERTs the table remembers.
        window: u64,
    },
    /// Forgets the INSERTs into a table.
    ForgetInserts {
        /// The table that was truncated.
        table: TableId,
    },
    /// Records a named object that is no table, such as a function, or replaces it.
    PutObject {
        /// The kind of the object; names are unique within it.
        kind: String,
        /// Its name.
        name: String,
        /// Its definition as formatted text.
        definition: String,
    },
    /// Removes a named object.
    RemoveObject {
        /// The kind of the object.
        kind: String,
        /// Its name.
        name: String,
    },
    /// Replaces the definition of a database.
    AlterDatabase {
        /// Name of the database.
        name: String,
        /// The new definition as formatted text.
        definition: String,
    },
    /// Sets the ids of the stored columns of a table's definition.
    Columns {
        /// The table that the columns belong to.
        table: TableId,
        /// The ids, with the version of the schema.
        columns: ColumnIds,
    },
    /// The content of a part in memory is in its file from now on.
    WritePart {
        /// The table that the part belongs to.
        table: TableId,
        /// Name of the part's file.
        file: String,
    },
    /// Replaces what is known of a visible part with the same file: a mutation changed its rows.
    ChangePart {
        /// The table that the part belongs to.
        table: TableId,
        /// The summary of the part after the change.
        part: PartSummary,
    },
    /// Remembers a finished mutation.
    Mutated {
        /// The table that was mutated.
        table: TableId,
        /// The mutation.
        mutation: MutationRecord,
    },
    /// Forgets a finished mutation.
    ForgetMutation {
        /// The table that was mutated.
        table: TableId,
        /// The number of the mutation.
        number: u64,
    },
}
