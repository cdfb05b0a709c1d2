//! TTL ... RECOMPRESS: parts whose rows have all reached a time are compressed in another way.

use std::borrow::Cow;
use std::sync::Arc;

use entasis_base::Result;

use super::folded::RowRules;
use crate::codecs::default_options;
use crate::part::Part;
use crate::schema::SchemaVersion;
use crate::segment::writer::ColumnSpec;

/// The list of codecs for a merged part: that of the rule whose time was reached last. `None` for
/// the usual ones.
pub(super) fn codec(
    schema: &SchemaVersion,
    rules: &RowRules,
    parts: &[Arc<Part>],
) -> Result<Option<Arc<str>>> {
    let Some((expiry, now)) = &rules.expiry else { return Ok(None) };
    let mut latest: Option<(u64, &Arc<str>)> = None;
    for (place, rule) in expiry.recompressions.iter().enumerate() {
        let mut last = 0;
        for part in parts {
            last = last.max(part.spans(schema, expiry)?.recompressions[place].last);
        }
        if last > 0 && last <= *now && latest.is_none_or(|(known, _)| known <= last) {
            latest = Some((last, &rule.codec));
        }
    }
    Ok(latest.map(|(_, codec)| Arc::clone(codec)).filter(|codec| **codec != *"Default"))
}

/// How the columns of a part are written that has this list of codecs.
pub(super) fn specs<'a>(schema: &'a SchemaVersion, codec: Option<&str>) -> Cow<'a, [ColumnSpec]> {
    let Some(codec) = codec else { return Cow::Borrowed(&schema.stored) };
    let mut specs = schema.stored.clone();
    for (spec, column) in specs.iter_mut().zip(schema.config.schema.stored()) {
        if column.codec.as_deref().is_none_or(|own| own == "Default") {
            spec.options = default_options(codec, &spec.ty);
        }
    }
    Cow::Owned(specs)
}
