//! The projections of parts whose rows a mutation changes, and MATERIALIZE and CLEAR PROJECTION.
//!
//! A change of rows drops the projections that show it. Those that a part had, or is to get, are
//! computed at the end, once for all commands of the statement.

use std::collections::HashSet;
use std::sync::Arc;

use entasis_base::Result;

use super::RunningMutation;
use crate::config::AfterChange;
use crate::log::record::{CompanionKind, PartSummary};
use crate::merge::Place;
use crate::part::Part;
use crate::projection::build;
use crate::schema::SchemaVersion;

/// The projections that the parts have and keep, whatever happens to their rows.
pub(super) fn kept(
    schema: &SchemaVersion,
    parts: &[Arc<Part>],
    light: bool,
) -> HashSet<(String, usize)> {
    let mut kept = HashSet::new();
    if light && schema.config.settings.changed_projections != AfterChange::Rebuild {
        return kept;
    }
    for part in parts {
        for (place, projection) in schema.projections.iter().enumerate() {
            if projection.of_part(part).is_some() {
                kept.insert((part.summary.file.clone(), place));
            }
        }
    }
    kept
}

/// Drops the projections that read one of these columns, whose values change, and those that the
/// table has no longer.
pub(super) fn drop_changed(schema: &SchemaVersion, part: &mut PartSummary, columns: &[usize]) {
    part.companions.retain(|companion| {
        let mut projections = schema.projections.iter();
        let is_it = projections.find(|projection| projection.made(companion));
        companion.kind != CompanionKind::Projection
            || is_it.is_some_and(|p| !p.reads.iter().any(|at| columns.contains(at)))
    });
}

impl RunningMutation {
    /// Files of the parts in a partition, or of all.
    fn files_of(&self, partition: Option<&str>) -> Vec<String> {
        let is_meant =
            |part: &&Arc<Part>| partition.is_none_or(|only| part.summary.partition == *only);
        self.parts.iter().filter(is_meant).map(|part| part.summary.file.clone()).collect()
    }

    pub(super) fn want_projection(&mut self, name: &str, partition: Option<&str>) {
        let place = self.table.schema.projections.iter().position(|p| p.name() == name);
        let Some(place) = place else { return };
        let files = self.files_of(partition);
        self.projected.extend(files.into_iter().map(|file| (file, place)));
    }

    pub(super) fn drop_projection(&mut self, name: &str, partition: Option<&str>) {
        let files = self.files_of(partition);
        let place = self.table.schema.projections.iter().position(|p| p.name() == name);
        self.projected.retain(|(file, at)| Some(*at) != place || !files.contains(file));
        for part in &mut self.parts {
            let summary = &part.summary;
            let is_it = |companion: &crate::log::record::Companion| {
                companion.kind == CompanionKind::Projection && companion.name == name
            };
            if !files.contains(&summary.file) || !summary.companions.iter().any(is_it) {
                continue;
            }
            let mut new = PartSummary::clone(summary);
            new.companions.retain(|companion| !is_it(companion));
            *part = part.changed(Arc::new(new));
            self.touched += 1;
        }
    }

    /// Computes the projections that parts are to have and do not.
    pub(super) fn build_projections(&mut self) -> Result<()> {
        let (table, schema) = (&self.table.core, &self.table.schema);
        for part in &mut self.parts {
            for (place, projection) in schema.projections.iter().enumerate() {
                let is_wanted = self.projected.contains(&(part.summary.file.clone(), place));
                if !is_wanted || projection.of_part(part).is_some() {
                    continue;
                }
                self.cancel.check()?;
                let to = (Place::File, &mut self.written);
                let built = build::of_part((table, schema), projection, part, to)?;
                let Some(companion) = built else { continue };
                let mut new = PartSummary::clone(&part.summary);
                new.companions.retain(|c| c.kind != companion.kind || c.name != companion.name);
                new.companions.push(companion);
                *part = part.changed(Arc::new(new));
            }
        }
        Ok(())
    }
}
