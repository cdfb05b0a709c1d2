//! Mutations: changes of rows that parts already have.
//!
//! 1. [`RunningMutation::begin`] takes the lock that merges take, and pins the parts. INSERTs go
//!    on; what they commit from now on is not changed.
//! 2. The engine runs queries over the pinned parts ([`target`]). They answer which rows change,
//!    and how. For every part concerned, an overlay is written ([`write`]), and the next query
//!    reads the parts with it. The base segments stay as they are.
//! 3. One record of the log names the overlays of all parts, so that readers see all changes or
//!    none. Files that are no longer named are removed when their last reader has ended.
//!
//! A DELETE writes a mask of the rows that are left. An UPDATE writes the changed columns, or, if
//! it should cost little and changes few rows, a patch. When a part has many patches, or patches of
//! many rows, the next UPDATE writes whole columns, which include them.
//!
//! Invariants: a file and its name are durable before the log names it; files that are not
//! committed are deleted, unless the log may have recorded them all the same.

pub(crate) mod at_work;
mod projections;
mod record;
mod rows;
mod target;
mod write;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::{CancelToken, Error, Reservation, Result, message};
use entasis_column::Chunk;
use entasis_pipeline::QueryContext;
use entasis_table_api::{Mutation, MutationSpec, Rewrite, Table};

use self::at_work::{MutationAtWork, Mutations};
use self::rows::{OfPart, by_part};
use self::target::MutationTarget;
use self::write::OverlayWriter;
use crate::in_memory::HeldParts;
use crate::index::BoundIndex;
use crate::index::build::IndexWriter;
use crate::layers::combine;
use crate::log::record::{Companion, CompanionKind, OverlayKind, PartSummary};
use crate::merge::Place;
use crate::part::Part;
use crate::prepared::Unfinished;
use crate::schema::SchemaVersion;
use crate::store::Version;
use crate::table::MergeTreeTable;

/// A light UPDATE of at most one in so many rows of a part writes a patch.
const PATCH_SHARE: u64 = 8;
/// Most patches of a part.
const MOST_PATCHES: usize = 8;
/// Most bytes of all patches of a part.
const MOST_PATCH_BYTES: u64 = 64 << 20;

/// A mutation that has begun.
pub(crate) struct RunningMutation {
    table: MergeTreeTable,
    light: bool,
    /// How many parts have new overlays.
    touched: u64,
    /// Places in `parts` of the parts in the table that [`Mutation::rows`] has answered last.
    shown: Vec<usize>,
    /// The parts as they were when the mutation began, by file.
    pinned: HashMap<String, Arc<PartSummary>>,
    /// The parts with all changes so far. Their numbers in addresses are their places here.
    parts: Vec<Arc<Part>>,
    /// Which parts of which partitions are rewritten at the end; `None` for all partitions.
    to_rewrite: Vec<(Rewrite, Option<String>)>,
    /// Partitions to whose parts the rules of the TTL are applied at the end; `None` for all.
    to_expire: Vec<Option<String>>,
    cancel: CancelToken,
    /// Parts that a heavy DELETE has left without rows.
    emptied: Vec<Arc<Part>>,
    written: Unfinished,
    /// The projections that parts are to have at the end: the part's file, the place in the schema.
    projected: HashSet<(String, usize)>,
    listed: Arc<MutationAtWork>,
    began: Instant,
    _held: HeldParts,
}

impl RunningMutation {
    pub(crate) fn begin(
        table: &MergeTreeTable,
        spec: MutationSpec,
        context: &QueryContext,
    ) -> Result<Self> {
        let began = Instant::now();
        let core = &table.core;
        let held = core.hold_parts(&mut || context.cancel.check())?;
        let is_meant = |part: &&Arc<Part>| {
            spec.partitions.as_ref().is_none_or(|ids| ids.contains(&part.summary.partition))
        };
        let parts: Vec<Arc<Part>> =
            core.version().parts.iter().filter(is_meant).map(Arc::clone).collect();
        held.only(&parts);
        let number = core.core.log.with_state(|state| state.table(core.id()).map(|t| t.next_block));
        let names = parts.iter().map(|part| part.summary.name()).collect();
        let (now, cancel) = (core.core.now(), context.cancel.clone());
        let listed = Mutations::entry(core.id(), number?, spec.commands, now, names, cancel);
        core.core.mutations.enter(&listed);
        let written = Unfinished::new(core);
        let table = MergeTreeTable { core: Arc::clone(core), schema: Arc::clone(&table.schema) };
        let pinned =
            parts.iter().map(|part| (part.summary.file.clone(), Arc::clone(&part.summary)));
        let pinned = pinned.collect();
        let projected = projections::kept(&table.schema, &parts, spec.light);
        Ok(Self {
            table,
            projected,
            light: spec.light,
            touched: 0,
            shown: Vec::new(),
            pinned,
            parts,
            to_rewrite: Vec::new(),
            to_expire: Vec::new(),
            cancel: context.cancel.clone(),
            emptied: Vec::new(),
            written,
            listed,
            began,
            _held: held,
        })
    }

    fn writer(&mut self) -> OverlayWriter<'_> {
        let (table, schema) = (&self.table.core, &self.table.schema);
        OverlayWriter { table, schema, unfinished: &mut self.written }
    }

    /// Divides rows by parts.
    fn divided(&self, rows: &[Chunk], columns: usize) -> Result<Vec<OfPart>> {
        let mut divided = by_part(rows, columns)?;
        for rows in &mut divided {
            let place = self.shown.get(rows.part);
            rows.part = *place.ok_or_else(unknown_part)?;
        }
        Ok(divided)
    }

    fn part(&self, number: usize) -> Result<Arc<Part>> {
        let part = self.parts.get(number).map(Arc::clone);
        part.ok_or_else(unknown_part)
    }

    /// Removes rows of one part; answers whether rows are left that anything shows.
    fn delete_in(&mut self, rows: &OfPart) -> Result<bool> {
        let part = self.part(rows.part)?;
        let (layers, old) = (part.layers()?, &part.summary);
        let mask = combine(layers, &rows.positions)?;
        let live = mask.count_ones() as u64;
        if live == 0 && !self.light {
            return Ok(false);
        }
        let shown = if self.light { old.shown_rows() } else { live };
        let kind = OverlayKind::Mask { live, shown };
        let overlay = self.writer().mask(old, &layers.base.granules, &mask, kind)?;
        let mut new = PartSummary::clone(old);
        new.overlays.retain(|known| !matches!(known.kind, OverlayKind::Mask { .. }));
        new.overlays.push(overlay);
        new.companions.retain(|companion| companion.kind == CompanionKind::Index);
        self.parts[rows.part] = part.changed(Arc::new(new));
        self.touched += 1;
        Ok(true)
    }

    /// Gives rows of one part new values.
    fn update_in(&mut self, columns: &[usize], rows: &OfPart) -> Result<()> {
        let part = self.part(rows.part)?;
        let (layers, old) = (part.layers()?, &part.summary);
        let mut new = PartSummary::clone(old);
        let mut rebuilt = Vec::new();
        projections::drop_changed(&self.table.schema, &mut new, columns);
        // A patch of a column that the part lacks would have nothing to replace.
        let id = |at: &usize| self.table.schema.stored[*at].id;
        let has_all = columns.iter().all(|at| layers.stored(id(at)).is_some());
        if self.light && has_all && may_patch(old, rows) {
            let overlay = self.writer().patch(old, columns, rows)?;
            new.overlays.push(overlay);
        } else {
            // The columns of older patches are written along, so that the patches can go.
            let mut all = columns.to_vec();
            let is_patched = |at: &usize| layers.is_patched(self.table.schema.stored[*at].id);
            let others = 0..self.table.schema.stored.len();
            all.extend(others.filter(|at| !columns.contains(at)).filter(is_patched));
            let overlay = self.writer().columns(old, layers, &all, rows)?;
            let ids: Vec<u32> = all.iter().map(|at| self.table.schema.stored[*at].id).collect();
            let covered = layers.covered(&ids);
            let mut at = 0;
            new.overlays.retain(|_| {
                at += 1;
                !covered[at - 1]
            });
            new.overlays.push(overlay);
            rebuilt = drop_stale(&self.table.schema, &mut new, &all);
        }
        let mut changed = part.changed(Arc::new(new));
        for index in rebuilt {
            changed = self.with_index(&changed, index)?;
        }
        self.parts[rows.part] = changed;
        self.touched += 1;
        Ok(())
    }

    /// The part with an index of the table, by its place in the schema.
    fn with_index(&mut self, part: &Arc<Part>, index: usize) -> Result<Arc<Part>> {
        let (table, schema) = (&self.table.core, &self.table.schema);
        let (unfinished, place) = (&mut self.written, Place::File);
        let mut writer = IndexWriter { table, schema, unfinished, place };
        let layers = part.layers()?;
        let companion = writer.build(&schema.indices[index], &part.summary.file, layers)?;
        let mut new = PartSummary::clone(&part.summary);
        new.companions.retain(|c| c.kind != companion.kind || c.name != companion.name);
        new.companions.push(companion);
        Ok(part.changed(Arc::new(new)))
    }
}

impl RunningMutation {
    /// Rewrites the parts, and those with expired rows, that the statement has named.
    fn rewrite_named(&self) -> Result<()> {
        let is_in = |part: &PartSummary, partitions: &[Option<String>]| {
            let mut partitions = partitions.iter();
            partitions.any(|only| only.as_ref().is_none_or(|only| part.partition == *only))
        };
        let go_on = || !self.cancel.is_cancelled();
        let core = &self.table.core;
        let mut done = Ok(());
        if !self.to_rewrite.is_empty() {
            let is_meant = |part: &PartSummary| {
                self.to_rewrite.iter().any(|(which, partition)| {
                    is_in(part, std::slice::from_ref(partition)) && is_rewritten(part, *which)
                })
            };
            done = core.rewrite_parts(&is_meant, &go_on);
        }
        if !self.to_expire.is_empty() && done.is_ok() {
            done = core.rewrite_expired(&|part| is_in(part, &self.to_expire), &go_on);
        }
        self.cancel.check()?;
        done
    }
}

/// Drops the indices that read one of these columns, whose values change, and those that the table
/// has no longer. Answers the places in the schema of those that are to be built again.
fn drop_stale(schema: &SchemaVersion, part: &mut PartSummary, columns: &[usize]) -> Vec<usize> {
    let mut rebuilt = Vec::new();
    part.companions.retain(|companion| {
        if companion.kind != CompanionKind::Index {
            return true;
        }
        let is_it = |index: &BoundIndex| index.is(companion);
        let Some(place) = schema.indices.iter().position(is_it) else { return false };
        let is_stale = schema.indices[place].reads.iter().any(|at| columns.contains(at));
        rebuilt.extend(is_stale.then_some(place));
        !is_stale
    });
    rebuilt
}

/// Whether a command rewrites a part.
fn is_rewritten(part: &PartSummary, which: Rewrite) -> bool {
    match which {
        Rewrite::Deleted => part.live_rows() < part.rows,
        Rewrite::Patched => part.overlays.iter().any(|o| o.kind == OverlayKind::Patch),
        Rewrite::All => true,
    }
}

#[cold]
fn unknown_part() -> Error {
    Error::logical("A mutation changes rows of an unknown part")
}

/// Whether the new values of some rows of a part may be kept as a patch.
fn may_patch(part: &PartSummary, rows: &OfPart) -> bool {
    let patches = || part.overlays.iter().filter(|o| o.kind == OverlayKind::Patch);
    let changed: u64 =
        rows.positions.len() as u64 + patches().map(|overlay| overlay.rows).sum::<u64>();
    let new: usize = rows.values.iter().map(|column| column.byte_size()).sum();
    let bytes = new as u64 + patches().map(|overlay| overlay.bytes).sum::<u64>();
    changed * PATCH_SHARE <= part.rows
        && patches().count() < MOST_PATCHES
        && bytes <= MOST_PATCH_BYTES
}

impl Mutation for RunningMutation {
    fn rows(&mut self, partition: Option<&str>) -> Arc<dyn Table> {
        let is_meant = |at: &usize| {
            partition.is_none_or(|partition| self.parts[*at].summary.partition == *partition)
        };
        self.shown = (0..self.parts.len()).filter(is_meant).collect();
        // The parts stay in the order of a version.
        let parts = self.shown.iter().map(|at| Arc::clone(&self.parts[*at])).collect();
        let version = Arc::new(Version { parts, ..Version::default() });
        MutationTarget::table("MergeTree", self.table.snapshot_of(version))
    }

    fn delete(&mut self, rows: Vec<Chunk>, context: &QueryContext) -> Result<()> {
        let mut emptied = Vec::new();
        for rows in self.divided(&rows, 0)? {
            context.cancel.check()?;
            events::add(Event::MutationAffectedRowsUpperBound, rows.positions.len() as u64);
            if !self.delete_in(&rows)? {
                emptied.push(rows.part);
            }
        }
        for number in emptied.into_iter().rev() {
            self.emptied.push(self.parts.remove(number));
        }
        Ok(())
    }

    fn update(
        &mut self,
        columns: &[usize],
        rows: Vec<Chunk>,
        context: &QueryContext,
    ) -> Result<()> {
        let mut held = Reservation::new(&context.memory);
        held.set(rows.iter().map(Chunk::byte_size).sum())?;
        let divided = self.divided(&rows, columns.len())?;
        drop(rows);
        for rows in divided {
            context.cancel.check()?;
            events::add(Event::MutationAffectedRowsUpperBound, rows.positions.len() as u64);
            self.update_in(columns, &rows)?;
        }
        Ok(())
    }

    fn materialize(
        &mut self,
        column: usize,
        partition: Option<&str>,
        context: &QueryContext,
    ) -> Result<()> {
        let id = self.table.schema.stored.get(column).map(|spec| spec.id);
        let id = id.ok_or_else(|| Error::logical("A column is materialized that is not stored"))?;
        for number in 0..self.parts.len() {
            context.cancel.check()?;
            let part = self.part(number)?;
            if partition.is_some_and(|partition| part.summary.partition != *partition) {
                continue;
            }
            if part.layers()?.stored(id).is_none() {
                let rows = OfPart { part: number, positions: Vec::new(), values: Vec::new() };
                let light = std::mem::replace(&mut self.light, false);
                let done = self.update_in(&[column], &rows);
                self.light = light;
                done?;
            }
        }
        Ok(())
    }

    fn build_index(
        &mut self,
        name: &str,
        partition: Option<&str>,
        context: &QueryContext,
    ) -> Result<()> {
        let schema = Arc::clone(&self.table.schema);
        let Some(at) = schema.indices.iter().position(|index| index.def.name == name) else {
            return Ok(());
        };
        let index = &schema.indices[at];
        // A part that lacks a column would show other values after its DEFAULT was changed.
        for column in &index.reads {
            self.materialize(*column, partition, context)?;
        }
        for number in 0..self.parts.len() {
            context.cancel.check()?;
            let part = self.part(number)?;
            let is_built = part.summary.companions.iter().any(|c| index.is(c));
            if !is_built && partition.is_none_or(|only| part.summary.partition == *only) {
                self.parts[number] = self.with_index(&part, at)?;
                self.touched += 1;
            }
        }
        Ok(())
    }

    fn clear_index(&mut self, name: &str, partition: Option<&str>) -> Result<()> {
        let is_it = |c: &Companion| c.kind == CompanionKind::Index && c.name == name;
        for number in 0..self.parts.len() {
            let part = self.part(number)?;
            let is_meant = partition.is_none_or(|only| part.summary.partition == *only);
            if is_meant && part.summary.companions.iter().any(is_it) {
                let mut new = PartSummary::clone(&part.summary);
                new.companions.retain(|companion| !is_it(companion));
                self.parts[number] = part.changed(Arc::new(new));
                self.touched += 1;
            }
        }
        Ok(())
    }

    fn rewrite(&mut self, which: Rewrite, partition: Option<&str>) {
        self.to_rewrite.push((which, partition.map(str::to_owned)));
    }

    fn materialize_projection(&mut self, name: &str, partition: Option<&str>) -> Result<()> {
        self.want_projection(name, partition);
        Ok(())
    }

    fn clear_projection(&mut self, name: &str, partition: Option<&str>) -> Result<()> {
        self.drop_projection(name, partition);
        Ok(())
    }

    fn materialize_ttl(&mut self, partition: Option<&str>) {
        self.to_expire.push(partition.map(str::to_owned));
    }

    fn commit(mut self: Box<Self>) -> Result<()> {
        self.build_projections()?;
        let core = Arc::clone(&self.table.core);
        if !self.written.is_empty() {
            core.core.disk.sync_dir(&core.parts.dir.path)?;
        }
        let commit_began = Instant::now();
        let mut named = HashSet::new();
        let committed = core.core.commit(self.began, |state| self.ops(state, &mut named));
        match &committed {
            Ok(()) => {
                // Files that a later change of this mutation has replaced are deleted, and those of
                // parts that were dropped meanwhile.
                self.written.keep_only(|file| !named.contains(file));
            }
            Err(error) if error.unknown => drop(self.written.take()),
            Err(_) => {}
        }
        committed.map_err(Error::from)?;
        let parts = self.listed.parts.len() as u64;
        let emptied = self.emptied.len() as u64;
        events::add(Event::MutationTotalParts, parts);
        events::add(Event::MutationUntouchedParts, parts.saturating_sub(self.touched + emptied));
        events::add(Event::MutationCreatedEmptyParts, emptied);
        let millis = commit_began.elapsed().as_millis() as u64;
        events::add(Event::MutationCommitMilliseconds, millis);
        let millis = self.began.elapsed().as_millis() as u64;
        events::add(Event::MutationTotalMilliseconds, millis);
        message!(Debug, "MergeTree", "A mutation of {} parts took {} ms", self.parts.len(), millis);
        self.rewrite_named()
    }
}

impl Drop for RunningMutation {
    fn drop(&mut self) {
        let core = &self.table.core.core;
        core.mutations.leave(&self.listed);
        core.merger.wake();
    }
}
