//! Finds the parts of a version that have a projection.

use std::sync::Arc;

use entasis_table_api::{ProjectionSnapshot, Snapshot};

use super::Projection;
use crate::log::record::{Companion, CompanionKind, PartSummary};
use crate::part::Part;
use crate::store::Version;
use crate::table::TableSnapshot;

impl Projection {
    /// Whether a companion is one of this projection, and up to date.
    pub(crate) fn made(&self, companion: &Companion) -> bool {
        companion.kind == CompanionKind::Projection
            && companion.name == self.name()
            && companion.definition == self.definition
    }

    /// The companion of a part with this projection, as a part of the projection's table; `None` if
    /// the part has none that is up to date.
    pub(crate) fn of_part(&self, part: &Part) -> Option<Arc<Part>> {
        let summary = &part.summary;
        let place = summary.companions.iter().position(|companion| self.made(companion))?;
        let companion = &summary.companions[place];
        let own = PartSummary {
            file: companion.file.clone(),
            rows: companion.rows,
            bytes: companion.bytes,
            checksum: companion.checksum,
            overlays: Vec::new(),
            companions: Vec::new(),
            content: companion.content.clone(),
            // Groups of a companion are folded.
            level: summary.level.max(1),
            ..PartSummary::clone(summary)
        };
        part.companion_part(place, Arc::new(own))
    }
}

impl TableSnapshot {
    /// The projections that at least one part has.
    pub(crate) fn with_projections(&self) -> Vec<ProjectionSnapshot> {
        let of = |projection: &Arc<Projection>| {
            let (mut with, mut without) = (Vec::new(), Vec::new());
            for part in &self.version.parts {
                match projection.of_part(part) {
                    Some(own) => with.push(own),
                    None => without.push(Arc::clone(part)),
                }
            }
            if with.is_empty() {
                return None;
            }
            let mut rows = self.of_parts(Arc::clone(&projection.schema), with);
            rows.projection = Some(Arc::clone(&projection.config.query.name));
            let rest = self.of_parts(Arc::clone(&self.schema), without);
            let query = Arc::clone(&projection.config.query);
            let rest = Some(rest).filter(|rest| !rest.version.parts.is_empty());
            let rest = rest.map(|rest| Arc::new(rest) as Arc<dyn Snapshot>);
            Some(ProjectionSnapshot { query, rows: Arc::new(rows), rest })
        };
        self.schema.projections.iter().filter_map(of).collect()
    }

    /// A snapshot of these parts, which are in the order of a version.
    fn of_parts(&self, schema: Arc<crate::schema::SchemaVersion>, parts: Vec<Arc<Part>>) -> Self {
        let mut snapshot = self.clone();
        (snapshot.schema, snapshot.version) =
            (schema, Arc::new(Version { parts, ..Version::default() }));
        snapshot
    }
}
