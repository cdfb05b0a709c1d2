//! The streams of a scan.

use std::sync::Arc;

use entasis_base::Result;
use entasis_plan::physical;
use entasis_table_api::{KeyFilter, ScanSpec};

use crate::breakable;
use crate::build::{Builder, Stream};
use crate::coalesce::Coalesce;

/// The stream of a scan, with the filters by the keys of the joins above it.
pub fn streams(builder: &Builder<'_>, scan: &physical::Scan, ordered: bool) -> Result<Vec<Stream>> {
    let (spec, context) = (&scan.spec, builder.context);
    let is_for_it = |(of, _): &&(*const ScanSpec, _)| std::ptr::eq(*of, spec);
    let filters = builder.key_filters.iter().filter(is_for_it);
    let keys: Vec<Arc<KeyFilter>> = filters.map(|(_, filter)| Arc::clone(filter)).collect();
    let is_selective = !spec.filter.is_empty() || !keys.is_empty();
    let source = match keys.is_empty() {
        true => scan.table.scan(spec, context)?,
        false => scan.table.scan(&ScanSpec { keys, ..spec.clone() }, context)?,
    };
    let mut stream = Stream::new(breakable::source(source, context));
    if is_selective {
        stream.selective = true;
        stream.operators.push(Coalesce::create(context, ordered));
    }
    Ok(vec![stream])
}
