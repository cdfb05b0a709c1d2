//! The record of the log that makes the changes of a mutation visible.
//!
//! Other statements may move the parts of the table while a mutation runs. A part that has gone
//! needs no change; one that was detached and attached again gets it under its new numbers.

use std::collections::HashSet;

use entasis_base::{Error, Result, codes};

use super::RunningMutation;
use crate::log::record::{MutationRecord, Op, PartSummary};
use crate::log::state::{State, TableState};
use crate::part::Part;

/// Most bytes of a command in the log.
const MOST_COMMAND_BYTES: usize = 16 << 10;

impl RunningMutation {
    /// The operations that make the changes visible. `named` receives the files that they name.
    pub(super) fn ops(&self, state: &State, named: &mut HashSet<String>) -> Result<Vec<Op>> {
        let table = self.table.id();
        let known = state.table(table)?;
        self.table.core.check_writer(&self.table.schema)?;
        let number = known.next_block;
        let mut ops = Vec::with_capacity(self.parts.len() + self.emptied.len() + 1);
        for part in &self.parts {
            let Some(now) = self.present(known, part)? else { continue };
            named.extend(part.summary.files().map(str::to_owned));
            // A part that was detached and attached again has other blocks, and the same rows.
            let part = PartSummary {
                min_block: now.min_block,
                max_block: now.max_block,
                level: now.level,
                mutation: number,
                ..PartSummary::clone(&part.summary)
            };
            ops.push(Op::ChangePart { table, part });
        }
        for part in &self.emptied {
            if let Some(now) = self.present(known, part)? {
                ops.push(Op::RemovePart { table, file: now.file.clone() });
            }
        }
        let mutation = MutationRecord {
            number,
            commands: self.listed.commands.iter().map(|command| shortened(command)).collect(),
            created: self.listed.created,
            finished: self.table.core.core.now(),
        };
        ops.push(Op::Mutated { table, mutation });
        Ok(ops)
    }

    /// What the log says of a part now; `None` if it was dropped, truncated or detached meanwhile,
    /// so that it needs no change any more.
    fn present<'a>(&self, known: &'a TableState, part: &Part) -> Result<Option<&'a PartSummary>> {
        let file = &part.summary.file;
        let Some(now) = known.parts.get(file) else { return Ok(None) };
        let is_same = self.pinned.get(file).is_some_and(|before| {
            before.overlays == now.overlays && before.companions == now.companions
        });
        if !is_same {
            let message = "A part was changed by another statement meanwhile: run the statement \
                           again";
            return Err(Error::new(codes::ABORTED, message));
        }
        Ok(Some(&**now))
    }
}

/// A command as the log keeps it: a long list of values is cut off.
fn shortened(command: &str) -> String {
    if command.len() <= MOST_COMMAND_BYTES {
        return command.to_owned();
    }
    format!("{}...", &command[..command.floor_char_boundary(MOST_COMMAND_BYTES)])
}
