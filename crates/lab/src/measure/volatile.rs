//! Tables whose rows end with their process (`ENGINE = Memory`): a copy in parts is made when they
//! are filled, and every process gets the rows back from it before its first query. A server that
//! goes on keeps them itself.

use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

use entasis_base::Result;

use super::Deadline;
use crate::target::{Ask, Session, Setting};

/// How long one table may take.
const LIMIT: Duration = Duration::from_mins(10);

/// Copies the volatile tables of a database but those of `kept` (database and name), which have
/// been copied, and answers their names.
pub fn keep(
    session: &mut dyn Session,
    database: &str,
    settings: &[Setting],
    kept: &[(String, String)],
    limit: Duration,
) -> Result<Vec<String>> {
    let list = format!(
        "SELECT name FROM system.tables WHERE database = '{database}' AND engine = 'Memory'"
    );
    let ask = Ask { text: &list, database, settings, id: "", limit };
    let listed = match session.text(&ask) {
        // An engine of another kind has neither that list nor such tables.
        Err(_) if !session.has_system_tables() => return Ok(Vec::new()),
        listed => listed?,
    };
    let is_new = |name: &String| kept.iter().all(|(of, known)| of != database || known != name);
    let names: Vec<String> = listed.lines().map(unescaped).filter(is_new).collect();
    for name in &names {
        let (table, copy) = (quoted(name), copy_of(name));
        let order = "ENGINE = MergeTree ORDER BY tuple()";
        for text in [
            format!("DROP TABLE IF EXISTS {copy}"),
            format!("CREATE TABLE {copy} {order} AS SELECT * FROM {table}"),
        ] {
            session.run(&Ask { text: &text, ..ask })?;
        }
    }
    Ok(names)
}

/// Volatile tables, and those that a process has got back.
#[derive(Clone, Debug, Default)]
pub struct Volatile {
    /// Database and name.
    tables: BTreeSet<(String, String)>,
    /// Databases whose tables are back.
    back: HashSet<String>,
    /// Databases whose tables may have some rows.
    tried: HashSet<String>,
    /// The session's restarts when they came back.
    restarts: u32,
}

impl Volatile {
    /// Those that [`keep`] has copied; a database that tests share has them once per test.
    pub fn new(tables: Vec<(String, String)>) -> Self {
        Self { tables: tables.into_iter().collect(), ..Self::default() }
    }

    /// Whether a table's rows are in a copy.
    pub fn has(&self, database: &str, table: &str) -> bool {
        self.tables.contains(&(database.to_owned(), table.to_owned()))
    }

    /// Gives a process the rows of a database back, before its first query there. What failed is
    /// done again before the next one.
    pub fn restore(
        &mut self,
        session: &mut dyn Session,
        database: &str,
        deadline: Deadline,
    ) -> Result<()> {
        if session.restarts() != self.restarts {
            self.restarts = session.restarts();
            self.back.clear();
            self.tried.clear();
        }
        if self.tables.is_empty() || self.back.contains(database) {
            return Ok(());
        }
        let again = !self.tried.insert(database.to_owned());
        let one = |name: &str| (name.to_owned(), "1".to_owned());
        let settings = [one("max_threads"), one("max_insert_threads")];
        for (_, name) in self.tables.iter().filter(|(of, _)| of == database) {
            let (table, copy) = (quoted(name), copy_of(name));
            let empty = again.then(|| format!("TRUNCATE TABLE {table}"));
            let fill = format!("INSERT INTO {table} SELECT * FROM {copy}");
            for text in empty.iter().chain([&fill]) {
                let limit = deadline.within(LIMIT);
                session.run(&Ask { text, database, settings: &settings, id: "", limit })?;
            }
        }
        self.back.insert(database.to_owned());
        Ok(())
    }
}

/// The name of a table's copy, in quotes.
pub fn copy_of(name: &str) -> String {
    quoted(&format!("{name}__kept"))
}

/// A name of a table as a field of TSV has it.
pub fn unescaped(line: &str) -> String {
    line.trim_end_matches('\t').replace("\\'", "'").replace("\\\\", "\\")
}

/// A name in quotes.
pub fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`"))
}
