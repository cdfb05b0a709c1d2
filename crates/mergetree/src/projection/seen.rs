//! What people see of projections: their files, and the rows in them.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_table_api::{Schema, Snapshot, Table};

use super::Projection;
use crate::log::record::PartSummary;
use crate::part::Part;
use crate::store::Version;
use crate::table::{MergeTreeTable, TableSnapshot};

/// The file of a projection of a part.
#[derive(Clone, Debug)]
pub struct ProjectionPart {
    /// The part of the table.
    pub parent: PartSummary,
    /// The projection's name.
    pub name: String,
    /// Number of rows.
    pub rows: u64,
    /// Number of granules.
    pub granules: u64,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Name of the file.
    pub file: String,
    /// The columns: name, type, stored and raw bytes.
    pub columns: Vec<(String, String, u64, u64)>,
    /// Why the file cannot be read.
    pub error: Option<String>,
}

impl MergeTreeTable {
    /// The projections of all active parts that are up to date.
    pub fn projection_parts(&self) -> Vec<ProjectionPart> {
        let mut out = Vec::new();
        for part in &self.core.version().parts {
            let own = self.schema.projections.iter();
            let own = own.filter_map(|p| Some((p, p.of_part(part)?)));
            out.extend(own.map(|(projection, own)| seen(projection, part, &own)));
        }
        out.sort_by(|a, b| (a.parent.name(), &a.name).cmp(&(b.parent.name(), &b.name)));
        out
    }

    /// The rows of a projection, as far as parts have them. Fails if there is no such projection.
    pub fn projection_rows(&self, name: &str) -> Result<Arc<dyn Table>> {
        let found = self.schema.projections.iter().find(|projection| projection.name() == name);
        let projection = found.ok_or_else(|| {
            let message = format!("There is no projection {name} in table");
            Error::new(codes::NO_SUCH_PROJECTION_IN_TABLE, message)
        })?;
        let table = self.snapshot_of(Arc::default());
        Ok(Arc::new(ProjectionTable { of: table, projection: Arc::clone(projection) }))
    }
}

fn seen(projection: &Projection, parent: &Part, own: &Part) -> ProjectionPart {
    let mut part = ProjectionPart {
        parent: PartSummary::clone(&parent.summary),
        name: projection.name().to_owned(),
        rows: own.summary.rows,
        granules: 0,
        bytes: own.summary.bytes,
        file: own.summary.file.clone(),
        columns: Vec::new(),
        error: None,
    };
    let mut read = || -> Result<()> {
        let layers = own.layers()?;
        part.granules = layers.base.granules.len() as u64;
        for (place, column) in projection.schema.stored.iter().enumerate() {
            let meta = layers.base.meta(place)?;
            let (stored, raw) = (meta.stored_bytes, meta.stats.raw_bytes);
            part.columns.push((column.name.to_string(), column.ty.to_string(), stored, raw));
        }
        Ok(())
    };
    let error = read().err();
    part.error = error.map(|error| error.message().to_owned());
    part
}

/// The rows of a projection as a table.
struct ProjectionTable {
    /// A snapshot of the table without parts.
    of: TableSnapshot,
    projection: Arc<Projection>,
}

impl Table for ProjectionTable {
    fn engine(&self) -> &'static str {
        "MergeTreeProjection"
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.projection.schema.config.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let mut snapshot = self.of.clone();
        let version = snapshot.current();
        let parts = version.parts.iter().filter_map(|part| self.projection.of_part(part)).collect();
        snapshot.version = Arc::new(Version { parts, ..Version::default() });
        snapshot.schema = Arc::clone(&self.projection.schema);
        let snapshot: Arc<dyn Snapshot> = Arc::new(snapshot);
        Ok(snapshot)
    }
}
