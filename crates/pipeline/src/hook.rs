//! A hook around the work of a statement, for measurements from outside: it is told when each slice
//! of work begins and ends. A statement without a hook pays one check of an `Option` per slice.

use std::any::Any;
use std::sync::Arc;

use entasis_base::MemoryAccount;

use crate::{Pipeline, QueryContext};

/// What a slice of work belongs to.
#[derive(Clone, Copy)]
pub enum Step<'a> {
    /// A slice of a pipeline.
    Pipeline(&'a Pipeline),
    /// The writing of the statement's answer.
    Output,
}

impl Step<'_> {
    /// Whether the name of the source, of an operator or of the sink begins with `prefix`. The
    /// writing of the answer has the name `Output`.
    pub fn has(&self, prefix: &str) -> bool {
        let is = |name: String| name.starts_with(prefix);
        match self {
            Self::Output => "Output".starts_with(prefix),
            Self::Pipeline(pipeline) => {
                is(pipeline.source.name())
                    || is(pipeline.sink.name())
                    || pipeline.operators.iter().any(|operator| is(operator.name()))
            }
        }
    }
}

/// Receives notice of a statement's work.
pub trait WorkHook: Send + Sync {
    /// A slice of work begins on this thread. The returned value is dropped when the slice ends,
    /// before other threads learn that the work is done.
    fn begin(&self, step: Step<'_>) -> Option<Box<dyn Any>>;

    /// All work of the statement is done. Called once, on one thread.
    fn end(&self, _memory: &Arc<MemoryAccount>) {}
}

/// The hook of a statement's answer, which is written after its pipelines have ended.
pub struct AnswerHook {
    hook: Arc<dyn WorkHook>,
    memory: Arc<MemoryAccount>,
}

impl AnswerHook {
    /// If the context has a hook, returns a hook whose [`Self::end`] reports the end of the
    /// statement. The pipelines still report their slices, but no longer the end.
    pub fn take(context: &mut QueryContext) -> Option<Self> {
        let hook = context.hook.take()?;
        context.hook = Some(Arc::new(WithoutEnd(Arc::clone(&hook))));
        Some(Self { hook, memory: Arc::clone(&context.memory) })
    }

    /// Runs a piece of the writing as a slice of work.
    pub fn write<T>(&self, work: impl FnOnce() -> T) -> T {
        let _slice = self.hook.begin(Step::Output);
        work()
    }

    /// The whole answer is written.
    pub fn end(self) {
        self.hook.end(&self.memory);
    }
}

/// Passes slices on to a hook, but not the end of the statement.
struct WithoutEnd(Arc<dyn WorkHook>);

impl WorkHook for WithoutEnd {
    fn begin(&self, step: Step<'_>) -> Option<Box<dyn Any>> {
        self.0.begin(step)
    }
}
