//! ALTER of a table: a new version of its schema, in one record of the log.
//!
//! Parts stay as they are. [`crate::fill`] reads them with the new schema, and merges write it. A
//! changed type is the only thing that concerns stored values:
//!
//! - Every value is converted once before the record is written. If one cannot be converted, the
//!   ALTER fails, and not a later query. While INSERTs add parts faster than that, the ALTER lets
//!   all commits wait for the values of the last few parts.
//! - A part is converted in one step only, as its values would differ after several: from 300 to 44
//!   to '44'. Parts that still have an older type than the current one are rewritten first.
//! - A part that an older version of the schema has written cannot be committed afterwards: the
//!   INSERT fails with ABORTED, and the merge is repeated.
//! - NULLs that become a DEFAULT get the one of this statement: such parts are rewritten at once.

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, RwLockWriteGuard};
use std::time::Instant;

use entasis_base::sync::{self, lock};
use entasis_base::{Error, Result, codes, message, scope};
use entasis_table_api::{MergeRequest, WorkLock};

use crate::column_ids::ColumnIds;
use crate::config::TableConfig;
use crate::fill::{Filler, GranuleReader};
use crate::layers::Layers;
use crate::log::record::{DefinitionText, Op};
use crate::log::state::State;
use crate::merge::Place;
use crate::part::Part;
use crate::schema::SchemaVersion;
use crate::table::{MergeTreeTable, TableCore};

/// How often an ALTER looks for parts that were added meanwhile. In the last two attempts no part
/// is merged, so that few parts are left to the last one, in which all commits wait.
const ATTEMPTS: usize = 4;

/// A column whose type an ALTER changes.
struct Retyped {
    id: u32,
    /// Position in the new schema.
    position: usize,
    /// Whether NULLs are replaced by the DEFAULT.
    loses_null: bool,
}

/// Parts whose values were converted before an ALTER.
#[derive(Debug)]
pub(crate) struct Rehearsed {
    /// What the values were converted to: see [`signature`].
    of: String,
    /// The names of the parts.
    parts: HashSet<String>,
}

/// The conversions of an ALTER as a text: the version that they begin with, and for each column its
/// id, its new type and its default.
fn signature(schema: &SchemaVersion, retyped: &[Retyped]) -> String {
    let mut out = schema.columns.version().to_string();
    for column in retyped {
        let def = &schema.config.schema.columns[column.position];
        out.push_str(&format!(" {} {} {:?}", column.id, def.ty, def.default));
    }
    out
}

impl MergeTreeTable {
    /// Replaces definition and schema with one record of the log, and returns the handle of the new
    /// version. A new column that a part lacks is read from its default. Fails if a stored value
    /// cannot be converted to the new type of its column.
    pub fn alter(
        &self,
        definition: impl Into<DefinitionText>,
        config: TableConfig,
        columns: ColumnIds,
    ) -> Result<Arc<Self>> {
        let schema = Arc::new(SchemaVersion::new(config, columns)?);
        let definition = definition.into();
        let retyped = retyped(&self.schema, &schema);
        if retyped.is_empty() {
            self.record(&schema, &definition, &HashSet::new(), (false, None))?;
            return Ok(self.with_schema(schema));
        }
        let ids: Vec<u32> = retyped.iter().map(|column| column.id).collect();
        self.core.rewrite_older(&self.schema, &ids)?;
        let rehearsed = lock(&self.core.rehearsed).take();
        let is_same = |known: &Rehearsed| known.of == signature(&schema, &retyped);
        let mut checked = rehearsed.filter(is_same).map(|known| known.parts).unwrap_or_default();
        let mut parts_held = None;
        for attempt in 1..=ATTEMPTS {
            if attempt + 1 == ATTEMPTS {
                parts_held = Some(self.core.hold_parts(&mut scope::check)?);
            }
            let held = (attempt == ATTEMPTS).then(|| self.core.core.hold_commits());
            for part in &self.core.version().parts {
                if !checked.contains(&part.summary.name()) {
                    check_part(&schema, part, &retyped)?;
                    checked.insert(part.summary.name());
                }
            }
            if self.record(&schema, &definition, &checked, (true, held.as_ref()))? {
                drop((held, parts_held));
                let altered = self.with_schema(Arc::clone(&schema));
                let lose_null = retyped.iter().filter(|column| column.loses_null);
                let ids: Vec<u32> = lose_null.map(|column| column.id).collect();
                if let Err(error) = self.core.rewrite_older(&schema, &ids) {
                    // The values are converted whenever they are read.
                    message!(Warning, "MergeTree", "A converted column is not written: {}", error);
                }
                return Ok(altered);
            }
        }
        Err(Error::logical("A part was added while all commits waited"))
    }

    /// Converts all values as [`Self::alter`] would do it, and changes nothing. An ALTER that
    /// follows need not convert them again.
    pub fn rehearse_alter(&self, config: TableConfig, columns: ColumnIds) -> Result<()> {
        let schema = SchemaVersion::new(config, columns)?;
        let retyped = retyped(&self.schema, &schema);
        if retyped.is_empty() {
            return Ok(());
        }
        let ids: Vec<u32> = retyped.iter().map(|column| column.id).collect();
        self.core.rewrite_older(&self.schema, &ids)?;
        let mut parts = HashSet::new();
        for part in &self.core.version().parts {
            check_part(&schema, part, &retyped)?;
            parts.insert(part.summary.name());
        }
        let of = signature(&schema, &retyped);
        *lock(&self.core.rehearsed) = Some(Rehearsed { of, parts });
        Ok(())
    }

    fn with_schema(&self, schema: Arc<SchemaVersion>) -> Arc<Self> {
        *sync::write(&self.core.current) = Arc::clone(&schema);
        Arc::new(Self { core: Arc::clone(&self.core), schema })
    }

    /// Writes the record. Answers false, and writes nothing, if types are changed and there is a
    /// part that is not among the `checked` ones.
    fn record(
        &self,
        schema: &SchemaVersion,
        definition: &DefinitionText,
        checked: &HashSet<String>,
        (changes_types, held): (bool, Option<&RwLockWriteGuard<'_, ()>>),
    ) -> Result<bool> {
        let (id, before) = (self.core.id(), &self.schema.columns);
        let oldest = &self.core.oldest_writer;
        let was = oldest.load(Ordering::Relaxed);
        let mut is_checked = true;
        let prepare = |state: &State| {
            let table = state.table(id)?;
            if table.columns.as_ref().is_some_and(|current| current != before) {
                let message = "The table was altered by another statement: run this one again";
                return Err(Error::new(codes::ABORTED, message));
            }
            if changes_types {
                is_checked = table.parts.values().all(|part| checked.contains(&part.name()));
                if !is_checked {
                    return Err(Error::new(codes::ABORTED, "Parts were added meanwhile"));
                }
                oldest.store(schema.columns.version(), Ordering::Relaxed);
            }
            let DefinitionText { version, text } = definition.clone();
            let columns = schema.columns.clone();
            Ok(vec![
                Op::AlterTable { id, version, definition: text },
                Op::Columns { table: id, columns },
            ])
        };
        let core = &self.core.core;
        let recorded = match held {
            Some(held) => core.commit_alone(held, prepare),
            None => core.commit(Instant::now(), prepare),
        };
        match recorded {
            Ok(()) => Ok(true),
            Err(_) if !is_checked => Ok(false),
            Err(error) => {
                if !error.unknown {
                    oldest.store(was, Ordering::Relaxed);
                }
                Err(error.into())
            }
        }
    }
}

/// The columns that both schemas have, with different types.
fn retyped(old: &SchemaVersion, new: &SchemaVersion) -> Vec<Retyped> {
    let columns = new.stored.iter().enumerate().filter_map(|(position, column)| {
        let before = old.stored.iter().find(|before| before.id == column.id)?;
        let is_null = |ty: &entasis_types::DataType| ty.without_low_cardinality().is_nullable();
        let loses_null = is_null(&before.ty) && !is_null(&column.ty);
        let id = column.id;
        (before.ty != column.ty).then_some(Retyped { id, position, loses_null })
    });
    columns.collect()
}

/// Converts all values of the columns in a part, and forgets them.
fn check_part(schema: &SchemaVersion, part: &Part, columns: &[Retyped]) -> Result<()> {
    let layers = part.layers()?;
    let stored = columns.iter().filter(|column| layers.stored(column.id).is_some());
    let wanted: Vec<usize> = stored.map(|column| column.position).collect();
    let count = wanted.len();
    let origins = Filler::new(schema, wanted)?.origins(layers, 0)?;
    let mut reader = GranuleReader::new(layers, origins)?;
    let mut from = 0;
    while let Some((granule, _)) = reader.next(from)? {
        scope::check()?;
        from = granule + 1;
        for at in 0..count {
            reader.read(at, granule).map_err(|error| {
                let name = part.summary.name();
                let what =
                    format!("A value in part {name} cannot be converted, so nothing was altered");
                Error::new(codes::UNFINISHED, format!("{what}: {}", error.message()))
            })?;
        }
    }
    Ok(())
}

impl TableCore {
    /// Rewrites the parts in which one of these columns has another type than in `schema`.
    fn rewrite_older(self: &Arc<Self>, schema: &SchemaVersion, ids: &[u32]) -> Result<()> {
        let is_older = |layers: &Layers, id: u32| {
            let wanted = schema.stored.iter().find(|column| column.id == id);
            layers.stored(id).zip(wanted).is_some_and(|(stored, w)| stored.has_other_type(&w.ty))
        };
        loop {
            let version = self.version();
            let mut older = None;
            for part in &version.parts {
                let layers = part.layers()?;
                if ids.iter().any(|id| is_older(layers, *id)) {
                    older = Some(Arc::clone(part));
                    break;
                }
            }
            let Some(part) = older else { return Ok(()) };
            scope::check()?;
            let _one = WorkLock::hold(&self.merging, &mut scope::check)?;
            // A merge or a mutation that has just ended may have taken the part.
            let is_there = |other: &Arc<Part>| Arc::ptr_eq(other, &part);
            if self.version().parts.iter().any(is_there) {
                let rules = self.rules(schema, &MergeRequest::default());
                let go_on = || scope::check().is_ok();
                self.merge(schema, &rules, &[part], Place::File, &go_on)?;
            }
        }
    }

    /// Fails if a part that was written with this schema could have values of an older type.
    pub(crate) fn check_writer(&self, schema: &SchemaVersion) -> Result<()> {
        if schema.columns.version() >= self.oldest_writer.load(Ordering::Relaxed) {
            return Ok(());
        }
        let message = "The type of a column was altered meanwhile: run the statement again";
        Err(Error::new(codes::ABORTED, message))
    }
}
