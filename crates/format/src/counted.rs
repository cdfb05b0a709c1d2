//! Counts what passes through formats, for profile events: once per chunk or read.

use std::io::{self, Read};
use std::time::Instant;

use entasis_base::Result;
use entasis_base::events::{self, Event};
use entasis_column::Chunk;

use crate::contract::{Beside, InputFormat, Omitted, OutputFormat};

/// At most so many bytes more for a parser: behind those in `into`. Not a reader that counts, since
/// one would hide how the reader within fills a vector without writing zeros first.
pub(crate) fn read_more(reader: impl Read, most: u64, into: &mut Vec<u8>) -> io::Result<usize> {
    let read = reader.take(most).read_to_end(into)?;
    events::add(Event::FormatBytesRead, read as u64);
    Ok(read)
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

    fn beside(&mut self, what: Beside, chunk: &Chunk, out: &mut Vec<u8>) -> Result<()> {
        self.counted(out, |format, out| format.beside(what, chunk, out))
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.counted(out, |format, out| format.finish(out))
    }
}
