//! `ALTER TABLE t ADD STATISTICS a, b TYPE uniq, minmax` and the other commands for statistics.

use entasis_base::Result;

use super::Parser;
use crate::ast::{AlterCommand, AlterStatistics, Ident, StatisticsVerb};
use crate::keyword::Kw;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// At a verb before STATISTICS. `None`, without reading anything, if it is none of theirs.
    pub(super) fn alter_statistics(&mut self, verb: Kw) -> Result<Option<AlterCommand>> {
        let verb = match verb {
            Kw::ADD => StatisticsVerb::Add,
            Kw::DROP => StatisticsVerb::Drop,
            Kw::MODIFY => StatisticsVerb::Modify,
            Kw::CLEAR => StatisticsVerb::Clear,
            Kw::MATERIALIZE => StatisticsVerb::Materialize,
            _ => return Ok(None),
        };
        self.bump();
        self.bump();
        let conditional = match verb {
            StatisticsVerb::Add => self.if_not_exists(),
            _ => self.if_exists(),
        };
        let takes_all = verb == StatisticsVerb::Materialize;
        let is_all = takes_all && self.eat_kw(Kw::ALL);
        let columns: Vec<Ident> =
            if is_all { Vec::new() } else { self.before_command(Self::dotted_ident)? };
        let kinds = match verb {
            StatisticsVerb::Add | StatisticsVerb::Modify => {
                self.expect_kw(Kw::TYPE)?;
                self.before_command(Self::bare_or_call)?
            }
            _ => Vec::new(),
        };
        let partition = self.in_partition()?;
        let command = AlterStatistics { verb, conditional, columns, kinds, partition };
        Ok(Some(AlterCommand::Statistics(Box::new(command))))
    }

    /// Items with commas between them, up to a comma that starts the next command.
    fn before_command<T>(&mut self, item: fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.kind() == TokenKind::Comma && !self.command_follows() {
            self.bump();
            items.push(item(self)?);
        }
        Ok(items)
    }
}
