//! Tables whose reading settings watch. With the overflow modes `break`, a table is read until a
//! limit of time or of reading is passed, and the query then answers with what was read. With
//! limits of speed, a query that reads too slowly fails, and one that reads too fast waits. Other
//! queries read their tables directly.

use std::sync::Arc;
use std::time::Duration;

use entasis_base::{CancelToken, Result};
use entasis_pipeline::{Progress, QueryContext, Read, Reader, Report, Source};

/// The longest time for which a waiting query does not look whether it was cancelled.
const NAP: Duration = Duration::from_millis(10);

struct Breakable {
    source: Arc<dyn Source>,
    progress: Arc<Progress>,
    cancel: CancelToken,
}

/// The source of a table, which ends early or waits if a limit of the query says so.
pub fn source(source: Arc<dyn Source>, context: &QueryContext) -> Arc<dyn Source> {
    let (progress, cancel) = (Arc::clone(&context.progress), context.cancel.clone());
    match progress.breaks() || progress.has_speed_limits() {
        true => Arc::new(Breakable { source, progress, cancel }),
        false => source,
    }
}

impl Source for Breakable {
    fn name(&self) -> String {
        self.source.name()
    }

    fn report(&self) -> Report {
        self.source.report()
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        let (progress, cancel) = (Arc::clone(&self.progress), self.cancel.clone());
        Ok(Box::new(BreakableReader { reader: self.source.reader()?, progress, cancel }))
    }

    fn morsels(&self) -> Option<usize> {
        self.source.morsels()
    }
}

struct BreakableReader {
    reader: Box<dyn Reader>,
    progress: Arc<Progress>,
    cancel: CancelToken,
}

impl Reader for BreakableReader {
    fn next(&mut self) -> Result<Read> {
        if self.progress.is_over() {
            self.progress.cut_short();
            return Ok(Read::Done);
        }
        let read = self.reader.next()?;
        // The table's own reader may have ended for the same reason.
        if matches!(read, Read::Done) && self.progress.is_over() {
            self.progress.cut_short();
        }
        if let Read::Chunk(_) = read {
            let mut left = self.progress.check_speed()?;
            while !left.is_zero() {
                self.cancel.check()?;
                let nap = left.min(NAP);
                std::thread::sleep(nap);
                left -= nap;
            }
        }
        Ok(read)
    }
}
