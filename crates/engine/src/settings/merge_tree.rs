//! SETTINGS of CREATE TABLE: which of them belong to the table and which to the statement, and the
//! values of those of MergeTree tables.

use entasis_base::{Error, Result, codes};
use entasis_sql::ast;
use entasis_types::Value;

use super::table::{self, Effect, Known, OF_MERGE_TREE};
use super::value::setting_value;

/// Settings that cannot be changed after a table was created, because parts depend on them.
pub(crate) const READ_ONLY: [&str; 7] = [
    "add_minmax_index_for_numeric_columns",
    "add_minmax_index_for_string_columns",
    "add_minmax_index_for_temporal_columns",
    "enable_mixed_granularity_parts",
    "index_granularity",
    "index_granularity_bytes",
    "table_disk",
];

/// Settings of tables of the Memory engine that bound the rows that are kept.
const BOUNDS_OF_MEMORY: [&str; 4] =
    ["min_bytes_to_keep", "max_bytes_to_keep", "min_rows_to_keep", "max_rows_to_keep"];

/// Values of the settings of a MergeTree table.
#[derive(Clone, Debug, Default)]
pub struct OfTable {
    changed: Vec<(&'static str, Value)>,
}

impl OfTable {
    /// Reads the settings in a table's definition. Fails for an unknown name, for a value that the
    /// setting does not take, and for a value that would change answers but is not implemented.
    pub fn new(changes: &[ast::SettingChange]) -> Result<Self> {
        let mut changed = Vec::new();
        for change in changes {
            let Some((known, _)) = OF_MERGE_TREE.find(&change.name) else {
                return Err(unknown(&change.name, "MergeTree"));
            };
            let Some(expr) = &change.value else { continue };
            let value = setting_value(change, expr)?;
            let value = known.kind.convert(&value).map_err(|e| e.context(known.name))?;
            if known.name == "storage_policy" && value.as_bytes() != Some(b"default") {
                let message = format!(
                    "Unknown storage policy `{}`: leave the setting out, tables are stored in the \
                     data folder",
                    known.kind.text(&value)
                );
                return Err(Error::new(codes::UNKNOWN_POLICY, message));
            }
            known.check(&value)?;
            changed.push((known.name, value));
        }
        let settings = Self { changed };
        settings.check()?;
        Ok(settings)
    }

    fn check(&self) -> Result<()> {
        let wrong = |message: String| Err(Error::new(codes::BAD_ARGUMENTS, message));
        if self.u64("index_granularity") == 0 {
            return wrong("index_granularity must be greater than 0".to_string());
        }
        let (bytes, least) =
            (self.u64("index_granularity_bytes"), self.u64("min_index_granularity_bytes"));
        if bytes > 0 && bytes < least {
            return wrong(format!(
                "index_granularity_bytes = {bytes} is less than min_index_granularity_bytes = {least}: \
                 set it to 0 (no limit) or to at least {least}"
            ));
        }
        let given = |name: &str| self.changed.iter().any(|(n, _)| *n == name);
        if given("storage_policy") && given("disk") {
            return wrong(
                "MergeTree settings `storage_policy` and `disk` cannot be specified at the same \
                 time"
                    .to_string(),
            );
        }
        Ok(())
    }

    fn get(&self, name: &str) -> Option<&Value> {
        let set = self.changed.iter().rev().find(|(n, _)| *n == name).map(|(_, value)| value);
        set.or_else(|| OF_MERGE_TREE.find(name).map(|(known, _)| &known.default))
    }

    /// Whether the table's definition has this setting.
    pub fn is_changed(&self, name: &str) -> bool {
        self.changed.iter().any(|(n, _)| *n == name)
    }

    /// The value as a whole number; 0 for an unknown name.
    pub fn u64(&self, name: &str) -> u64 {
        self.get(name).and_then(Value::as_u64).unwrap_or(0)
    }

    /// The value of a setting that is one of several words; empty for an unknown name.
    pub fn text(&self, name: &str) -> String {
        let bytes = self.get(name).and_then(Value::as_bytes).unwrap_or_default();
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// The value of a limit for which everything below 1 means no limit.
    pub fn limit(&self, name: &str) -> usize {
        let value = self.get(name).and_then(Value::as_i64).unwrap_or(0);
        usize::try_from(value).unwrap_or(0)
    }

    /// The value as a flag.
    pub fn flag(&self, name: &str) -> bool {
        self.u64(name) != 0
    }
}

/// Which settings the tables of an engine have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfEngine {
    /// No settings: a SETTINGS clause of CREATE TABLE is an error.
    Nothing,
    /// The settings of MergeTree tables.
    MergeTree,
    /// The settings of Memory tables.
    Memory,
    /// The settings in the list, which the engine checks itself.
    Named(&'static [&'static str]),
    /// Any settings, as in the reference: they are kept with the definition and have no effect.
    Anything,
}

impl OfEngine {
    /// Whether a setting in the SETTINGS clause of CREATE TABLE belongs to the statement and not to
    /// the table.
    pub fn is_of_statement(self, name: &str) -> bool {
        let of_table = match self {
            Self::Nothing | Self::Anything => false,
            Self::Named(known) => known.contains(&name),
            Self::Memory => name == "compress" || BOUNDS_OF_MEMORY.contains(&name),
            Self::MergeTree => OF_MERGE_TREE.has(name),
        };
        !of_table && table::find(name).is_some()
    }

    /// Refuses settings that tables of this engine do not have. [`OfTable`] checks those of
    /// MergeTree tables.
    pub fn check(self, changes: &[ast::SettingChange]) -> Result<()> {
        if self != Self::Memory {
            return Ok(());
        }
        for change in changes {
            match change.name.as_str() {
                "compress" => {}
                name if BOUNDS_OF_MEMORY.contains(&name) => {}
                name => return Err(unknown(name, "Memory")),
            }
        }
        Ok(())
    }

    /// Adds to a definition the settings that the reference always shows.
    pub fn write_down(self, settings: &mut Vec<ast::SettingChange>) -> Result<()> {
        let name = "index_granularity";
        if self == Self::MergeTree && !settings.iter().any(|s| s.name == name) {
            let value = OfTable::default().u64(name).to_string();
            let value = Some(entasis_sql::parse_expression(&value)?);
            settings.push(ast::SettingChange { name: name.into(), value });
        }
        Ok(())
    }
}

/// All settings of MergeTree tables, sorted by name.
pub fn all() -> Vec<&'static Known> {
    OF_MERGE_TREE.all.iter().collect()
}

/// A sentence about a setting of MergeTree tables.
pub fn description(known: &Known) -> String {
    let of = match known.name {
        "index_granularity" => "Most rows of a granule.",
        "index_granularity_bytes" => "Most bytes of a granule; 0: no bound.",
        "min_index_granularity_bytes" => "Least value of index_granularity_bytes.",
        "parts_to_throw_insert" => "Parts of a partition beyond which an INSERT is refused.",
        "parts_to_delay_insert" => {
            "Parts of a partition beyond which an INSERT waits; 0: none does."
        }
        "max_delay_to_insert" => "Longest such wait, in seconds.",
        "min_delay_to_insert_ms" => "Shortest such wait, in milliseconds.",
        "in_memory_parts_enable_wal" => {
            "Small INSERTs become parts in memory, whose rows are durable in the commit log; 0: \
             every INSERT writes files."
        }
        "min_bytes_for_compact_part" => {
            "The rows of an INSERT with at most this many bytes become a part in memory; 0: 65536."
        }
        "max_parts_in_total" => "Parts of the whole table beyond which an INSERT is refused.",
        "max_partitions_to_read" => "Most partitions that a query reads; -1: no bound.",
        "allow_nullable_key" => "Keys may be Nullable; NULLs are sorted last.",
        "allow_part_offset_column_in_projections" => "Projections may name _part_offset.",
        "max_bytes_to_merge_at_max_space_in_pool" => "Background merges make no larger parts.",
        "allow_dimensions_outside_sorting_key" => {
            "An AggregatingMergeTree may have columns that are neither in the sorting key nor \
             aggregates."
        }
        "materialize_skip_indexes_on_merge" => "Merges build skipping indices.",
        "non_replicated_deduplication_window" => {
            "Number of INSERTs that a table remembers, to recognise repeated ones by their tokens \
             or rows. If not set, it remembers the tokens of 1000; 0 stores every INSERT."
        }
        "allow_floating_point_partition_key" => "The partition key may be a Float.",
        _ if known.effect == Effect::Works => "The setting works as in ClickHouse.",
        _ => return known.description(),
    };
    of.to_string()
}

#[cold]
fn unknown(name: &str, engine: &str) -> Error {
    let error = OF_MERGE_TREE.unknown(name);
    error.append(format_args!(": for storage {engine}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Result<OfTable> {
        let sql = format!("CREATE TABLE t (a Int8) ENGINE = MergeTree ORDER BY a SETTINGS {text}");
        match entasis_sql::parse_statement(&sql)?.kind {
            ast::StatementKind::CreateTable(create) => OfTable::new(&create.storage.settings),
            _ => Err(Error::logical("no CREATE TABLE")),
        }
    }

    #[test]
    fn every_setting_of_the_reference_is_taken_with_its_default() {
        for known in all() {
            let text = format!("{} = '{}'", known.name, known.default_text());
            assert!(settings(&text).is_ok(), "{text}: {:?}", settings(&text).err());
        }
    }

    #[test]
    fn values_are_parsed_and_checked() {
        let code = |text: &str| settings(text).map(|_| ()).map_err(|e| e.code());
        assert_eq!(settings("index_granularity = '1K'").unwrap().u64("index_granularity"), 1000);
        assert_eq!(settings("a = 1").unwrap_err().code(), codes::UNKNOWN_SETTING);
        assert_eq!(code("min_bytes_for_wide_part = '10M'"), Ok(()));
        assert_eq!(code("index_granularity = 0"), Err(codes::BAD_ARGUMENTS));
        assert_eq!(code("index_granularity_bytes = 10"), Err(codes::BAD_ARGUMENTS));
        assert_eq!(code("index_granularity_bytes = 0"), Ok(()));
        assert_eq!(code("storage_policy = 'x'"), Err(codes::UNKNOWN_POLICY));
        assert_eq!(code("table_disk = 1"), Err(codes::NOT_IMPLEMENTED));
        assert_eq!(code("index_granularity = DEFAULT"), Ok(()));
    }

    #[test]
    fn settings_of_statements_are_told_from_those_of_tables() {
        assert!(OfEngine::MergeTree.is_of_statement("max_threads"));
        assert!(!OfEngine::MergeTree.is_of_statement("index_granularity"));
        assert!(!OfEngine::MergeTree.is_of_statement("nonsense"));
        assert!(OfEngine::Nothing.is_of_statement("max_threads"));
        assert!(OfEngine::Anything.is_of_statement("max_threads"));
        assert!(!OfEngine::Anything.is_of_statement("nonsense"));
        assert!(!OfEngine::Memory.is_of_statement("min_rows_to_keep"));
    }
}
