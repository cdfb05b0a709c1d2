//! What a store tells of the TTL of its tables and of their parts, and the switch for it.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use super::Store;
use crate::expiry::Expiry;
use crate::expiry::spans::Spans;
use crate::log::record::TableId;

impl Store {
    /// The rules of an attached table's TTL, and when they concern the rows of a part. `None` if
    /// there are no rules, or if the part does not exist or cannot be read.
    pub fn ttl_of(&self, id: TableId, file: &str) -> Option<(Arc<Expiry>, Arc<Spans>)> {
        let table = self.core.attached().get(&id).and_then(Weak::upgrade)?;
        let (schema, version) = table.pin();
        let expiry = schema.config.expiry.as_ref()?;
        let part = version.parts.iter().find(|part| part.summary.file == file)?;
        Some((Arc::clone(expiry), part.spans(&schema, expiry).ok()?))
    }

    /// The codecs of the columns of a part that have no CODEC; `None` for the usual ones.
    pub fn codec_of(&self, id: TableId, file: &str) -> Option<String> {
        let version = self.core.tables.get(id)?.version;
        let part = version.parts.iter().find(|part| part.summary.file == file)?;
        let codec = &part.layers().ok()?.base.codec;
        Some(codec.clone()).filter(|codec| !codec.is_empty())
    }

    /// SYSTEM STOP TTL MERGES and START TTL MERGES: whether merges of one table, or of all existing
    /// ones, apply the rules of its TTL. The setting is not stored.
    pub fn set_ttl_merges(&self, only: Option<TableId>, run: bool) {
        let is_meant = |id: &TableId| only.is_none_or(|only| only == *id);
        for (_, table) in self.core.tables.pin().iter().filter(|(id, _)| is_meant(id)) {
            table.parts.ttl_stopped.store(!run, Ordering::Relaxed);
        }
        self.core.merger.wake();
    }
}
