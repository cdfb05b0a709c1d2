//! Detects the format of a file whose name does not tell it: by its first bytes, then by trying
//! which format finds a structure in them.

use entasis_base::Result;
use entasis_format::{FormatOptions, find};

/// The format that a sample suggests; `None` if no format fits.
pub(super) fn format_of(
    sample: &[u8],
    complete: bool,
    options: &FormatOptions,
) -> Option<&'static str> {
    if sample.starts_with(b"PAR1") {
        return Some("Parquet");
    }
    if sample.starts_with(b"ARROW1") {
        return Some("Arrow");
    }
    let fits = |name: &str| -> Result<usize> {
        Ok(entasis_format::infer_schema(name, sample, complete, options)?.len())
    };
    let candidates: &[&str] = match sample.trim_ascii_start().first() {
        Some(b'{') => &["JSON", "JSONEachRow", "JSONColumns"],
        Some(b'[') => &["JSONEachRow", "JSONCompactEachRow", "JSONCompactColumns"],
        _ => &[],
    };
    let found = candidates.iter().find(|name| fits(name).is_ok());
    if let Some(name) = found {
        return Some(find(name).ok()?.name);
    }
    if sample.contains(&0) {
        return fits("Native").is_ok().then_some("Native");
    }
    // If two formats fit, the one that finds more columns is chosen, and TSV if they find equally
    // many.
    let columns = |name: &str| fits(name).unwrap_or(0);
    let (csv, tsv) = (columns("CSV"), columns("TabSeparated"));
    match (csv, tsv) {
        (0, 0) => None,
        (csv, tsv) if csv > tsv => Some("CSV"),
        _ => Some("TabSeparated"),
    }
}
