//! The answers of both sides, to be compared.

use std::borrow::Cow;
use std::time::Duration;

use entasis_base::{Error, Result, codes};
use entasis_stats::schedule::Side;

use super::pair::{Pair, at, settings_of};
use crate::target::{Answer, Ask};

impl Pair<'_> {
    /// The answers' hashes, of old and new; a query of several statements has its last one's. One
    /// that says `FORMAT Null` is asked for its rows, as far as they come soon: they may be all of
    /// a table. Not of drivers, which would end with what takes too long.
    pub fn answers(&mut self, unit: usize) -> Result<[Answer; 2]> {
        let plan = self.spec.plan;
        let (test, query) = (plan.test(unit), plan.query(unit));
        let database = plan.database(plan.units[unit].test);
        let limit = self.limit(unit, self.spec.limits.warm_up);
        let mut both = [Answer::default(); 2];
        for side in [Side::Old, Side::New] {
            let settings = settings_of(test, &self.spec.settings[at(side)]);
            let own = query.statements.last().map_or("", String::as_str);
            let text = match &self.spec.versus {
                Some(versus) if side == Side::New => versus,
                _ => own,
            };
            let rows = written(text);
            let silent = rows.len() < text.len() && query.expect.is_none();
            let limit = if silent { limit.min(SILENT) } else { limit };
            if silent && !self.sessions[at(side)].has_system_tables() {
                let message = "the rows of FORMAT Null are not asked of a driver";
                return Err(Error::new(codes::NOT_IMPLEMENTED, message));
            }
            let ask = Ask { text: &rows, database: &database, settings: &settings, id: "", limit };
            both[at(side)] = self.sessions[at(side)].answer(&ask)?;
        }
        Ok(both)
    }
}

/// What the rows of a query that drops them may take.
const SILENT: Duration = Duration::from_secs(2);

/// A query without the `FORMAT Null` at its end (or before its last SETTINGS), so that its rows
/// come.
fn written(text: &str) -> Cow<'_, str> {
    let end = text.trim_end_matches(|c: char| c.is_whitespace() || c == ';');
    let lower = end.to_ascii_lowercase();
    let Some(at) = lower.rfind("format").filter(|at| lower[..*at].ends_with(char::is_whitespace))
    else {
        return Cow::Borrowed(text);
    };
    let rest = &lower[at + "format".len()..];
    let Some(more) = rest.trim_start().strip_prefix("null").filter(|_| rest != rest.trim_start())
    else {
        return Cow::Borrowed(text);
    };
    let settings =
        more.starts_with(char::is_whitespace) && more.trim_start().starts_with("settings");
    match more.is_empty() || settings {
        true => Cow::Owned(format!("{}{}", &end[..at], &end[end.len() - more.len()..])),
        false => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::written;

    #[test]
    fn rows_that_are_dropped_are_asked_for() {
        for (text, rows) in [
            ("SELECT 1 FORMAT Null", "SELECT 1 "),
            ("SELECT 1\nformat\tnull ;\n", "SELECT 1\n"),
            ("SELECT 1 FORMAT Null SETTINGS a = 1", "SELECT 1  SETTINGS a = 1"),
            ("SELECT 1 FORMAT Nullable", "SELECT 1 FORMAT Nullable"),
            ("SELECT 'x FORMAT Null'", "SELECT 'x FORMAT Null'"),
            ("SELECT 1 FORMAT TSV;", "SELECT 1 FORMAT TSV;"),
            ("SELECT myformat null", "SELECT myformat null"),
        ] {
            assert_eq!(written(text), rows);
        }
    }
}
