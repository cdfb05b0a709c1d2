//! A hook around the work of a statement, for those who measure it from outside: it is told of every
//! slice of work where it begins and where it ends. Statements without a hook pay one look at a
//! `None` per slice.

use std::any::Any;
use std::sync::Arc;

use entasis_base::MemoryAccount;

use crate::{Pipeline, QueryContext};

/// What a slice of work belongs to.
#[derive(Clone, Copy)]
pub enum Step<'a> {
    /// A pipeline.
    Pipeline(&'a Pipeline),
    /// The writing of the answer.
    Output,
}

impl Step<'_> {
    /// Whether a source, operator or sink has a name that begins so. The writing of the answer is
    /// called `Output`.
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

/// What is told of a statement's work.
pub trait WorkHook: Send + Sync {
    /// A slice of work begins on this thread. What comes back is dropped at the slice's end, before
    /// other threads hear that the work is done.
    fn begin(&self, step: Step<'_>) -> Option<Box<dyn Any>>;

    /// The statement's last work is done. Called on one thread.
    fn end(&self, _memory: &Arc<MemoryAccount>) {}
}

/// The hook of a statement's answer, which is written after its pipelines have ended.
pub struct AnswerHook {
    hook: Arc<dyn WorkHook>,
    memory: Arc<MemoryAccount>,
}

impl AnswerHook {
    /// Makes the end of the answer the end of the statement, if its context has a hook. The
    /// pipelines go on to tell the hook of their slices.
    pub fn take(context: &mut QueryContext) -> Option<Self> {
        let hook = context.hook.take()?;
        context.hook = Some(Arc::new(WithoutEnd(Arc::clone(&hook))));
        Some(Self { hook, memory: Arc::clone(&context.memory) })
    }

    /// Does a piece of writing as a slice of work.
    pub fn write<T>(&self, work: impl FnOnce() -> T) -> T {
        let _slice = self.hook.begin(Step::Output);
        work()
    }

    /// The answer is written.
    pub fn end(self) {
        self.hook.end(&self.memory);
    }
}

/// A hook that is not told of the end.
struct WithoutEnd(Arc<dyn WorkHook>);

impl WorkHook for WithoutEnd {
    fn begin(&self, step: Step<'_>) -> Option<Box<dyn Any>> {
        self.0.begin(step)
    }
}
