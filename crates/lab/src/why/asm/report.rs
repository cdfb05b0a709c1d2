//! A comparison as text.

use std::fmt;

use super::super::symbol;
use super::{Choice, Comparison, Loop, Side};

const NAMES: [&str; 2] = ["left", "right"];

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", symbol::readable(&self.sides[0].function.symbol))?;
        if let Some(note) = &self.note {
            writeln!(f, "({note})")?;
        }
        for (name, side) in NAMES.iter().zip(&self.sides) {
            heading(f, name, side)?;
        }
        let same = if self.same_code() { "the same, addresses aside" } else { "differs" };
        writeln!(f, "machine code: {same}")?;
        let bodies = self.sides.each_ref().map(|side| side.hot.as_ref().map(texts));
        for (at, side) in self.sides.iter().enumerate() {
            match &side.hot {
                None => writeln!(f, "\n{}: no loop", NAMES[at])?,
                Some(hot) => {
                    title(f, NAMES[at], side, hot)?;
                    if at == 1 && bodies[0] == bodies[1] {
                        writeln!(f, "  the same instructions as left")?;
                    } else {
                        body(f, hot)?;
                    }
                    for warning in &hot.warnings {
                        writeln!(f, "  note: {warning}")?;
                    }
                }
            }
        }
        self.table(f)
    }
}

fn heading(f: &mut fmt::Formatter<'_>, name: &str, side: &Side) -> fmt::Result {
    let function = &side.function;
    writeln!(
        f,
        "{name:<6}{}: {} bytes, {} instructions at {:#x}, code {:016x}",
        side.binary.display(),
        function.size,
        side.instructions,
        function.address,
        side.code
    )
}

fn title(f: &mut fmt::Formatter<'_>, name: &str, side: &Side, hot: &Loop) -> fmt::Result {
    let (number, count, length) = (hot.number, side.loops, hot.body.len());
    let why = hot.choice.words();
    writeln!(f, "\n{name}: loop {number} of {count}, {length} instructions ({why})")
}

impl Choice {
    /// Why this loop.
    pub(super) fn words(self) -> String {
        match self {
            Self::Number => "as asked for".to_owned(),
            Self::Samples(weight) => format!("{weight} samples"),
            Self::Longest => "the longest innermost one, as there are no samples in any".to_owned(),
        }
    }
}

/// The instructions without what a loop that moved has otherwise: where its jumps go.
fn texts(hot: &Loop) -> Vec<&str> {
    hot.body.iter().map(|(_, text)| text.split("+0x").next().unwrap_or(text)).collect()
}

fn body(f: &mut fmt::Formatter<'_>, hot: &Loop) -> fmt::Result {
    hot.body.iter().try_for_each(|(offset, text)| writeln!(f, "  +{offset:<#7x} {text}"))
}

impl Comparison {
    fn table(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.sides.iter().all(|side| side.hot.is_none()) {
            return Ok(());
        }
        writeln!(f, "\nllvm-mca, a model, not a measurement; of one iteration of the loop:")?;
        let width = self.cpus.iter().map(String::len).max().unwrap_or(0).max(3);
        writeln!(f, "{:width$} side   cycles  if units only    uops    IPC  bottleneck", "cpu")?;
        for (at, cpu) in self.cpus.iter().enumerate() {
            for (name, side) in NAMES.iter().zip(&self.sides) {
                match side.hot.as_ref().and_then(|hot| hot.predictions.get(at)) {
                    None => {}
                    Some(Err(why)) => writeln!(f, "{cpu:width$} {name:<5} {why}")?,
                    Some(Ok(found)) => writeln!(
                        f,
                        "{cpu:width$} {name:<5} {:>7.2} {:>14.2} {:>7.1} {:>6.2}  {}",
                        found.cycles,
                        found.block_throughput,
                        found.uops,
                        found.ipc,
                        found.bottleneck
                    )?,
                }
            }
        }
        match self.lengths() {
            Some(warning) => writeln!(f, "{warning}"),
            None => Ok(()),
        }
    }

    /// What is to be thought of before cycles are compared, where loops are not as long.
    pub(super) fn lengths(&self) -> Option<String> {
        let [old, new] = self.sides.each_ref().map(|s| s.hot.as_ref().map_or(0, |h| h.body.len()));
        (old != new).then(|| {
            format!(
                "The loops have {old} and {new} instructions: an iteration may do different amounts of work."
            )
        })
    }
}
