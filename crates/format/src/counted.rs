//! Counts the rows and bytes of formats for profile events, once per chunk or read.

use std::io::{self, Read};
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::{Result, scope};
use entasis_column::Chunk;

use crate::contract::{InputFormat, Omitted, OutputFormat, TotalsAndExtremes};

/// Bytes of a step of [`read_more`], which are not asked for.
const STEP: usize = 1 << 20;

/// At most so many bytes more for a parser: behind those in `into`. Not a reader that counts, since
/// one would hide how the reader within fills a vector without writing zeros first.
///
/// A vector that is full grows in proportion to its length, so that a row of a gigabyte is moved a
/// few times and not once per step. Bytes beyond the first step are asked for before there is room
/// for them: unwinds with the error ([`scope::check_or_unwind`]) if the statement may not have
/// them.
pub(crate) fn read_more(mut reader: impl Read, most: u64, into: &mut Vec<u8>) -> io::Result<usize> {
    let before = into.len();
    let mut left = most;
    while left > 0 {
        let step = (into.len() - before).max(STEP).min(usize::try_from(left).unwrap_or(STEP));
        // The first bytes get room as they come: an INSERT of a few rows needs little.
        let goes_on = into.len() > before || before > 0;
        if goes_on && into.capacity() - into.len() < step && step >= STEP {
            let room = step.max(into.len() / 2);
            if into.len() > STEP {
                // What is there moves to the new place: both exist for a moment.
                scope::check_or_unwind(into.len() + room);
            }
            into.reserve_exact(room);
        }
        let read = reader.by_ref().take(step as u64).read_to_end(into)?;
        left -= read as u64;
        if read < step {
            break;
        }
    }
    let read = into.len() - before;
    events::add(Event::FormatBytesRead, read as u64);
    Ok(read)
}

/// Everything that a reader provides. The memory is asked for as in [`read_more`].
pub fn read_whole(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read_more(reader, u64::MAX, &mut bytes)?;
    Ok(bytes)
}

/// Counts a parsed chunk.
pub(crate) fn count_parsed(chunk: &Chunk, began: Instant) {
    events::elapsed(Event::FormatParseMicroseconds, began);
    events::one(Event::FormatChunksRead);
    events::add(Event::FormatRowsRead, chunk.rows as u64);
}

/// Counts the chunks of a reader.
pub(crate) struct CountedInput(pub Box<dyn InputFormat>);

impl InputFormat for CountedInput {
    fn next(&mut self, max_rows: usize) -> Result<Option<Chunk>> {
        let began = Instant::now();
        let chunk = self.0.next(max_rows)?;
        if let Some(chunk) = &chunk {
            count_parsed(chunk, began);
        }
        Ok(chunk)
    }

    fn omitted(&mut self) -> Omitted {
        self.0.omitted()
    }
}

/// Counts the chunks of a writer.
pub(crate) struct CountedOutput(pub Box<dyn OutputFormat>);

impl CountedOutput {
    fn counted(
        &mut self,
        out: &mut Vec<u8>,
        write: impl FnOnce(&mut dyn OutputFormat, &mut Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        let (began, before) = (Instant::now(), out.len());
        write(&mut *self.0, out)?;
        events::elapsed(Event::FormatWriteMicroseconds, began);
        events::add(Event::FormatBytesWritten, out.len().saturating_sub(before) as u64);
        Ok(())
    }
}

impl OutputFormat for CountedOutput {
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.counted(out, |format, out| format.start(out))
    }

    fn write(&mut self, chunk: &Chunk, out: &mut Vec<u8>) -> Result<()> {
        events::one(Event::FormatChunksWritten);
        events::add(Event::FormatRowsWritten, chunk.rows as u64);
        self.counted(out, |format, out| format.write(chunk, out))
    }

    fn totals_and_extremes(
        &mut self,
        what: TotalsAndExtremes,
        chunk: &Chunk,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.counted(out, |format, out| format.totals_and_extremes(what, chunk, out))
    }

    fn rows_before_limit(&mut self, rows: u64) {
        self.0.rows_before_limit(rows);
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.counted(out, |format, out| format.finish(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_row_is_moved_a_few_times() {
        let (mut bytes, mut moves, mut room) = (Vec::new(), 0, 0);
        for _ in 0..64 {
            let got = read_more(io::repeat(b'x'), STEP as u64, &mut bytes).unwrap();
            assert_eq!(got, STEP);
            moves += usize::from(bytes.capacity() != room);
            room = bytes.capacity();
        }
        assert_eq!(bytes.len(), 64 * STEP);
        assert!(moves < 20, "{moves} moves");
    }
}
