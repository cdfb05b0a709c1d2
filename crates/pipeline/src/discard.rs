//! A sink that drops its rows: for statements that are run only for their work, not their result.

use entasis_base::Result;

use crate::{Flow, Morsel, QueryContext, Sink, SinkState};

/// The sink, with the name under which plans and profiles show it.
#[derive(Clone, Copy, Debug)]
pub struct Discard(pub &'static str);

impl Sink for Discard {
    fn name(&self) -> String {
        self.0.to_string()
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        Ok(Box::new(*self))
    }

    fn finalize(&self, _: &QueryContext) -> Result<()> {
        Ok(())
    }
}

impl SinkState for Discard {
    fn push(&mut self, _: Morsel) -> Result<Flow> {
        Ok(Flow::More)
    }

    fn combine(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}
