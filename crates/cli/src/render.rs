//! Results as bytes of a format, written as they come.

use std::io::Write;

use entasis_base::Result;
use entasis_engine::{QueryResult, Session};

/// Bytes gathered before they are written.
const BUFFER: usize = 1 << 18;

/// Writes a result to `out` in its own format or the default one; returns the number of rows.
pub fn write(
    mut result: QueryResult,
    session: &Session,
    default_format: &str,
    is_terminal: bool,
    out: &mut dyn Write,
) -> Result<u64> {
    if result.header.is_empty() {
        return Ok(0);
    }
    let name = result.format.clone().unwrap_or_else(|| default_format.to_string());
    let mut options = session.output_options(&result);
    options.is_terminal = is_terminal;
    let mut format = entasis_format::output(&name, &result.header, &options)?;
    let mut buffer = Vec::with_capacity(BUFFER + BUFFER / 4);
    let mut rows = 0;
    result.write(|| format.start(&mut buffer))?;
    while let Some(chunk) = result.next_chunk()? {
        rows += chunk.rows as u64;
        result.write(|| format.write(&chunk, &mut buffer))?;
        if buffer.len() >= BUFFER {
            out.write_all(&buffer)?;
            buffer.clear();
        }
    }
    for (what, chunk) in result.totals_and_extremes()? {
        result.write(|| format.totals_and_extremes(what, &chunk, &mut buffer))?;
    }
    if let Some(rows) = result.rows_before_limit() {
        format.rows_before_limit(rows);
    }
    result.finish(|| format.finish(&mut buffer))?;
    out.write_all(&buffer)?;
    out.flush()?;
    Ok(rows)
}
