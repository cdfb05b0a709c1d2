//! A materialised view as it is read: some columns of its target, under the name of the view.

use std::sync::Arc;

use entasis_base::Result;
use entasis_pipeline::{QueryContext, Source};
use entasis_table_api::{
    Addresses, ColumnStatistics, Fetched, IndexReport, PinnedStores, ScanColumn, ScanSpec, Schema,
    Snapshot, Table,
};
use entasis_types::Value;

/// Some stored columns of a table.
pub(crate) struct TargetColumns {
    schema: Arc<Schema>,
    target: Arc<dyn Table>,
    /// The target's position of each column.
    positions: Arc<[usize]>,
}

impl TargetColumns {
    /// A table with the columns of `schema`, which are columns of `target`; `None` if one of them
    /// has another type there, or is not stored.
    pub fn table(schema: &Arc<Schema>, target: &Arc<dyn Table>) -> Option<Arc<dyn Table>> {
        let theirs = target.schema();
        let place = |name: &str| theirs.position(name);
        let stored = schema.stored();
        let positions = stored.iter().map(|column| {
            let position = place(&column.name)?;
            let other = theirs.stored().get(position)?;
            (other.ty == column.ty).then_some(position)
        });
        let positions: Arc<[usize]> = positions.collect::<Option<_>>()?;
        let schema = Schema::new(stored.to_vec());
        Some(Arc::new(Self { schema, target: Arc::clone(target), positions }))
    }
}

impl Table for TargetColumns {
    fn engine(&self) -> &'static str {
        "MaterializedView"
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.snapshot_in(&PinnedStores::default())
    }

    fn snapshot_in(&self, pinned: &PinnedStores) -> Result<Arc<dyn Snapshot>> {
        let (inner, positions) = (self.target.snapshot_in(pinned)?, Arc::clone(&self.positions));
        Ok(Arc::new(Chosen { inner, positions }))
    }

    fn supports_final(&self) -> bool {
        self.target.supports_final()
    }

    fn total_bytes(&self) -> Option<u64> {
        self.target.total_bytes()
    }
}

struct Chosen {
    inner: Arc<dyn Snapshot>,
    positions: Arc<[usize]>,
}

impl Chosen {
    /// The specification for a scan of the target.
    fn placed(&self, spec: &ScanSpec) -> ScanSpec {
        let mut spec = spec.clone();
        let addresses = spec.columns.iter().find(|c| c.position == self.positions.len());
        let addresses = addresses.and_then(|_| self.inner.addresses(&spec));
        for column in &mut spec.columns {
            match (self.positions.get(column.position), addresses) {
                (Some(position), _) => column.position = *position,
                (None, Some(addresses)) => column.position = addresses.position,
                (None, None) => {}
            }
        }
        spec
    }
}

impl Snapshot for Chosen {
    fn row_count(&self) -> Option<u64> {
        self.inner.row_count()
    }

    fn is_endless(&self) -> bool {
        self.inner.is_endless()
    }

    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>> {
        self.inner.scan(&self.placed(spec), context)
    }

    fn addresses(&self, spec: &ScanSpec) -> Option<Addresses> {
        let addresses = self.inner.addresses(&self.placed(spec))?;
        let has_all = self.positions.iter().all(|position| *position < addresses.columns);
        let columns = self.positions.len();
        has_all.then_some(Addresses { position: columns, columns, ..addresses })
    }

    fn fetch(
        &self,
        columns: &[ScanColumn],
        addresses: &[u64],
        context: &QueryContext,
    ) -> Result<Fetched> {
        let mut columns = columns.to_vec();
        columns.iter_mut().for_each(|c| c.position = self.positions[c.position]);
        self.inner.fetch(&columns, addresses, context)
    }

    fn index_report(&self, spec: &ScanSpec) -> Result<Option<IndexReport>> {
        self.inner.index_report(&self.placed(spec))
    }

    fn sorted_by(&self) -> Vec<usize> {
        // The columns of the key up to the first that the view does not have.
        let own = |theirs: &usize| self.positions.iter().position(|p| p == theirs);
        self.inner.sorted_by().iter().map_while(own).collect()
    }

    fn cuts(&self, pieces: usize) -> Vec<Value> {
        self.inner.cuts(pieces)
    }

    fn column_range(&self, position: usize) -> Option<(Value, Value)> {
        self.inner.column_range(self.positions[position])
    }

    fn default_count(&self, position: usize) -> Option<u64> {
        self.inner.default_count(self.positions[position])
    }

    fn distinct_count(&self, position: usize) -> Option<u64> {
        self.inner.distinct_count(self.positions[position])
    }

    fn column_statistics(&self, position: usize) -> Option<Arc<ColumnStatistics>> {
        self.inner.column_statistics(self.positions[position])
    }

    fn column_bytes(&self, position: usize) -> Option<u64> {
        self.inner.column_bytes(self.positions[position])
    }
}
