//! What a store answers about its names and objects, and the check of one table.

use entasis_base::{Error, Result};

use crate::check::check_part;
use crate::log::record::{CompanionKind, PartSummary, TableId, TableRecord};
use crate::log::state::TableState;
use crate::part::all_files;
use crate::segment::Segment;
use crate::store::Store;

/// The size of what was built of a skipping index, for system.data_skipping_indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexSize {
    /// Compressed bytes of the values.
    pub stored: u64,
    /// Uncompressed bytes of the values.
    pub raw: u64,
    /// Bytes of the files besides the values.
    pub footers: u64,
}

impl IndexSize {
    pub(crate) fn add(&mut self, file: &Segment, bytes: u64) -> Result<()> {
        let mut stored = 0;
        for column in 0..file.column_count() {
            let meta = file.meta(column)?;
            stored += meta.stored_bytes.max(meta.values.len);
            self.raw += meta.stats.raw_bytes;
        }
        self.stored += stored;
        self.footers += bytes.saturating_sub(stored);
        Ok(())
    }
}

impl Store {
    /// The table of this name, if there is one.
    pub fn table_named(&self, database: &str, name: &str) -> Option<TableRecord> {
        let is_it =
            |table: &&TableState| table.record.database == database && table.record.name == name;
        let copy = |table: &TableState| table.record.clone();
        self.core.log.with_state(|state| state.tables.values().find(is_it).map(copy))
    }

    /// The tables whose names begin with `prefix`.
    pub fn tables_named(&self, prefix: &str) -> Vec<TableRecord> {
        let is_one = |table: &&TableState| table.record.name.starts_with(prefix);
        let copy = |table: &TableState| table.record.clone();
        self.core.log.with_state(|state| state.tables.values().filter(is_one).map(copy).collect())
    }

    /// Whether a table has this name.
    pub fn has_name(&self, database: &str, name: &str) -> bool {
        let name = (database.to_owned(), name.to_owned());
        self.core.log.with_state(|state| state.names.contains(&name))
    }

    /// The definition of a database; `None` if there is none with this name.
    pub fn database_definition(&self, name: &str) -> Option<String> {
        self.core.log.with_state(|state| state.databases.get(name).cloned())
    }

    /// The size of what was built of a skipping index, over all active parts.
    pub fn index_size(&self, id: TableId, name: &str) -> Result<IndexSize> {
        let version = self.core.tables.get(id).map(|table| table.version).unwrap_or_default();
        let mut size = IndexSize::default();
        for part in &version.parts {
            for (place, companion) in part.summary.companions.iter().enumerate() {
                if companion.kind == CompanionKind::Index && companion.name == name {
                    size.add(part.companion(place)?, companion.bytes)?;
                }
            }
        }
        Ok(size)
    }

    /// The current time, in seconds since 1970.
    pub fn now(&self) -> u64 {
        self.core.now()
    }

    /// The objects of a kind that [`Op::PutObject`] has recorded: name and definition.
    pub fn objects(&self, kind: &str) -> Vec<(String, String)> {
        let is_of_kind = |((of, _), _): &(&(String, String), &String)| of == kind;
        let copy = |((_, name), text): (&(String, String), &String)| (name.clone(), text.clone());
        self.core
            .log
            .with_state(|state| state.objects.iter().filter(is_of_kind).map(copy).collect())
    }

    /// Reads everything in the parts of a table that `which` accepts, and calls `each` with every
    /// part and what is wrong with it; the text is empty if nothing is.
    pub fn check_parts(
        &self,
        id: TableId,
        which: impl Fn(&PartSummary) -> bool,
        mut each: impl FnMut(&PartSummary, &str) -> Result<()>,
    ) -> Result<()> {
        // The version keeps the files of the parts until the check ends.
        let version = self.core.tables.get(id).map(|table| table.version).unwrap_or_default();
        let mut parts: Vec<_> = version.parts.iter().filter(|part| which(&part.summary)).collect();
        parts.sort_by_key(|part| part.summary.name());
        for part in parts {
            let mut wrong = Vec::new();
            let found = &mut |error: Error| wrong.push(error.message().to_owned());
            let (disk, summary) = (&*self.core.disk, &part.summary);
            for (file, expected) in all_files(summary) {
                let content = summary.content_of(file);
                check_part(disk, (&part.path_of(file), content), expected, found);
            }
            each(&part.summary, &wrong.join("; "))?;
        }
        Ok(())
    }
}
