//! An INSERT into a table that has dependents: its rows, and the rows computed from them, become
//! visible together.
//!
//! Every worker pushes each chunk through the operators of each dependent into that dependent's
//! sink, and then into the sink of the table itself. Any error fails the INSERT, which then leaves
//! nothing in any table. A dependent's sink may itself be a fan-out.

use std::sync::{Arc, Mutex};

use entasis_base::sync::lock;
use entasis_base::{Error, Result, scope};
use entasis_column::Chunk;
use entasis_pipeline::{
    Blocked, Flow, Morsel, Operator, OperatorState, Output, QueryContext, Report, Sink, SinkState,
    Waker,
};

use crate::{InsertSink, Prepared};

/// A table that receives rows with every INSERT into another table.
pub struct Dependent {
    /// The dependent's name, for error messages.
    pub name: String,
    /// The operators that compute the dependent's chunks, in order. Each worker of the INSERT has
    /// its own states, so an operator that aggregates rows emits a result per worker.
    pub operators: Vec<Arc<dyn Operator>>,
    /// The sink for the dependent's rows. It recognises INSERTs by
    /// [`crate::Repeats::of_dependent`], and remembers them only if no earlier table of the same
    /// store can.
    pub sink: Arc<dyn InsertSink>,
}

/// The sink of an INSERT into a table and its dependents.
pub struct FanOut {
    table: Arc<dyn InsertSink>,
    dependents: Vec<Dependent>,
}

impl FanOut {
    /// A sink that writes to `table` and to its dependents. Without dependents it is the sink of
    /// the table itself.
    pub fn sink(table: Arc<dyn InsertSink>, dependents: Vec<Dependent>) -> Arc<dyn InsertSink> {
        if dependents.is_empty() {
            return table;
        }
        Arc::new(Self { table, dependents })
    }
}

impl Sink for FanOut {
    fn name(&self) -> String {
        self.table.name()
    }

    fn report(&self) -> Report {
        self.table.report()
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        let open = |dependent: &Dependent| {
            Ok(Branch {
                name: dependent.name.clone(),
                operators: dependent.operators.iter().map(|o| o.open()).collect::<Result<_>>()?,
                sink: dependent.sink.open()?,
                has_enough: false,
            })
        };
        let dependents = self.dependents.iter().map(open).collect::<Result<_>>()?;
        let (table, has_enough) = (self.table.open()?, false);
        Ok(Box::new(Worker { table, has_enough, dependents, sequence: None }))
    }

    fn finalize(&self, context: &QueryContext) -> Result<()> {
        self.table.finalize(context)?;
        for dependent in &self.dependents {
            let done = dependent.sink.finalize(context);
            done.map_err(|e| in_dependent(e, &dependent.name))?;
        }
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.table.is_full() && self.dependents.iter().all(|d| d.sink.is_full())
    }
}

impl InsertSink for FanOut {
    fn keeps_order(&self) -> bool {
        self.table.keeps_order() || self.dependents.iter().any(|d| d.sink.keeps_order())
    }

    /// The table's own rows come first, because the first table of a store decides whether an
    /// INSERT is stored again.
    fn prepared(&self) -> Result<Vec<Prepared>> {
        let mut prepared = self.table.prepared()?;
        for dependent in &self.dependents {
            prepared.extend(dependent.sink.prepared()?);
        }
        Ok(prepared)
    }
}

#[cold]
fn in_dependent(error: Error, name: &str) -> Error {
    error.context(format!("While writing to {name}, which depends on the table"))
}

/// The state of one worker.
struct Worker {
    table: Box<dyn SinkState>,
    has_enough: bool,
    dependents: Vec<Branch>,
    /// The sequence number of the last chunk's morsel.
    sequence: Option<u64>,
}

/// A worker's operators and sink for one dependent.
struct Branch {
    name: String,
    operators: Vec<Box<dyn OperatorState>>,
    sink: Box<dyn SinkState>,
    has_enough: bool,
}

/// The operators that remain, and the sink.
struct Downstream<'a> {
    operators: &'a mut [Box<dyn OperatorState>],
    sink: &'a mut dyn SinkState,
    sequence: u64,
}

impl Output for Downstream<'_> {
    fn push(&mut self, chunk: Chunk) -> Result<Flow> {
        if chunk.is_empty() {
            return Ok(Flow::More);
        }
        scope::check()?;
        let sequence = self.sequence;
        match self.operators.split_first_mut() {
            None => self.sink.push(Morsel { sequence, chunk }),
            Some((first, operators)) => {
                first.push(chunk, &mut Downstream { operators, sink: self.sink, sequence })
            }
        }
    }
}

impl Branch {
    fn push(&mut self, sequence: u64, chunk: Chunk) -> Result<Flow> {
        if self.has_enough {
            return Ok(Flow::Enough);
        }
        let (operators, sink) = (&mut self.operators[..], &mut *self.sink);
        let pushed = Downstream { operators, sink, sequence }.push(chunk);
        let flow = pushed.map_err(|e| in_dependent(e, &self.name))?;
        self.has_enough = matches!(flow, Flow::Enough);
        Ok(flow)
    }

    /// Calls `act` on every operator, in order, with the operators and the sink that follow it.
    fn each(
        &mut self,
        sequence: u64,
        act: impl Fn(&mut dyn OperatorState, &mut dyn Output) -> Result<Flow>,
    ) -> Result<()> {
        let mut rest = &mut self.operators[..];
        while let Some((first, operators)) = rest.split_first_mut() {
            let sink = &mut *self.sink;
            let mut out = Downstream { operators: &mut *operators, sink, sequence };
            // A sink that asks to wait has accepted the rows nevertheless.
            act(&mut **first, &mut out).map_err(|e| in_dependent(e, &self.name))?;
            rest = operators;
        }
        Ok(())
    }

    fn combine(mut self, sequence: u64) -> Result<()> {
        self.each(sequence, |state, out| state.finish(out))?;
        self.sink.combine().map_err(|e| in_dependent(e, &self.name))
    }
}

impl SinkState for Worker {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        let sequence = morsel.sequence;
        let previous = self.sequence.replace(sequence).filter(|previous| *previous != sequence);
        let mut waits = Vec::new();
        let mut all_have_enough = true;
        for branch in &mut self.dependents {
            if let Some(previous) = previous {
                branch.each(previous, |state, out| state.flush(out))?;
            }
            match branch.push(sequence, morsel.chunk.clone())? {
                Flow::Enough => continue,
                Flow::Blocked(blocked) => waits.push(blocked),
                Flow::More => {}
            }
            all_have_enough = false;
        }
        if !self.has_enough {
            match self.table.push(morsel)? {
                Flow::Enough => self.has_enough = true,
                Flow::Blocked(blocked) => waits.push(blocked),
                Flow::More => {}
            }
        }
        Ok(match wait_for_all(waits) {
            Some(blocked) => Flow::Blocked(blocked),
            None if all_have_enough && self.has_enough => Flow::Enough,
            None => Flow::More,
        })
    }

    fn combine(self: Box<Self>) -> Result<()> {
        let sequence = self.sequence.unwrap_or(0);
        for branch in self.dependents {
            branch.combine(sequence)?;
        }
        self.table.combine()
    }
}

/// Waits for all of `waits`, one after the other; `None` if the list is empty.
fn wait_for_all(waits: Vec<Blocked>) -> Option<Blocked> {
    waits.into_iter().reduce(|first, second| {
        Box::new(move |waker: Waker| {
            // A waker may be called more than once.
            let second = Mutex::new(Some(second));
            first(Arc::new(move || {
                let second = lock(&second).take();
                if let Some(second) = second {
                    second(Arc::clone(&waker));
                }
            }));
        })
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// A sink that returns its answers in turn: more, wait, enough.
    #[derive(Default)]
    struct Answers {
        pushed: Arc<AtomicUsize>,
        waiting: Arc<Mutex<Vec<Waker>>>,
        has_enough_after: usize,
    }

    impl SinkState for Answers {
        fn push(&mut self, _: Morsel) -> Result<Flow> {
            let pushed = self.pushed.fetch_add(1, Ordering::Relaxed) + 1;
            if pushed >= self.has_enough_after {
                return Ok(Flow::Enough);
            }
            let waiting = Arc::clone(&self.waiting);
            Ok(match pushed {
                2 => Flow::Blocked(Box::new(move |waker| lock(&waiting).push(waker))),
                _ => Flow::More,
            })
        }

        fn combine(self: Box<Self>) -> Result<()> {
            Ok(())
        }
    }

    fn chunk(sequence: u64) -> Morsel {
        Morsel { sequence, chunk: Chunk::new(vec![vec![1u8].into()], 1) }
    }

    #[test]
    fn a_worker_waits_for_all_sinks_and_ends_when_all_have_enough() {
        let answers = |has_enough_after| Answers { has_enough_after, ..Answers::default() };
        let (table, dependent) = (answers(3), answers(4));
        let (pushed, waiting) = (Arc::clone(&table.pushed), Arc::clone(&table.waiting));
        let also_waiting = Arc::clone(&dependent.waiting);
        let branch = Branch {
            name: String::new(),
            operators: Vec::new(),
            sink: Box::new(dependent),
            has_enough: false,
        };
        let dependents = vec![branch];
        let mut worker =
            Worker { table: Box::new(table), has_enough: false, dependents, sequence: None };
        assert!(matches!(worker.push(chunk(0)), Ok(Flow::More)));
        let Ok(Flow::Blocked(blocked)) = worker.push(chunk(1)) else { panic!("does not wait") };
        let woken = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&woken);
        blocked(Arc::new(move || {
            count.fetch_add(1, Ordering::Relaxed);
        }));
        // The dependent's wait ends, which may be signalled twice; then the table's.
        let wakers = std::mem::take(&mut *lock(&also_waiting));
        wakers.iter().chain(&wakers).for_each(|wake| wake());
        assert_eq!((woken.load(Ordering::Relaxed), lock(&waiting).len()), (0, 1));
        lock(&waiting).iter().for_each(|wake| wake());
        assert_eq!(woken.load(Ordering::Relaxed), 1);
        assert!(matches!(worker.push(chunk(2)), Ok(Flow::More)), "the dependent wants more");
        assert!(matches!(worker.push(chunk(3)), Ok(Flow::Enough)));
        assert_eq!(pushed.load(Ordering::Relaxed), 3, "what has enough gets no more");
    }
}
