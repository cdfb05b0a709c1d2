//! Tables that are read until a limit is passed, where the query then answers with what was read:
//! the overflow modes `break` of limits of time and of reading. Other queries read their tables
//! directly.

use std::sync::Arc;

use entasis_base::Result;
use entasis_pipeline::{Progress, QueryContext, Read, Reader, Report, Source};

struct Breakable {
    source: Arc<dyn Source>,
    progress: Arc<Progress>,
}

/// The source of a table, which ends early if a limit of the query says so.
pub fn source(source: Arc<dyn Source>, context: &QueryContext) -> Arc<dyn Source> {
    match context.progress.breaks() {
        true => Arc::new(Breakable { source, progress: Arc::clone(&context.progress) }),
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
        let (reader, progress) = (self.source.reader()?, Arc::clone(&self.progress));
        Ok(Box::new(BreakableReader { reader, progress }))
    }

    fn morsels(&self) -> Option<usize> {
        self.source.morsels()
    }
}

struct BreakableReader {
    reader: Box<dyn Reader>,
    progress: Arc<Progress>,
}

impl Reader for BreakableReader {
    fn next(&mut self) -> Result<Read> {
        match self.progress.is_over() {
            true => Ok(Read::Done),
            false => self.reader.next(),
        }
    }
}
