//! Whether sides that filled their own tables have the same ones: other rows are other data, and
//! the same rows in other parts are read in other ways. Sides that share their parts need none of
//! this.
//!
//! Only what cannot be chance is an alarm. Rows are counted where every row that was inserted
//! stays: an engine that merges rows away has as many as its merges have left, and rows that expire
//! are gone at a time of their own. Parts are compared between servers of one kind: by their hashes
//! where both have them, by rows and bytes where neither has. What cannot be asked is not compared.

use std::collections::BTreeMap;
use std::time::Duration;

use entasis_base::Result;

use super::volatile::{Volatile, copy_of, quoted, unescaped};
use super::{Deadline, Plan, Prepared, Skipped, Tables, Watch};
use crate::target::{Ask, Options, Session, Target};

/// How long a statement may take: none reads a table's rows.
const LIMIT: Duration = Duration::from_mins(1);
/// Seconds that must be left for one more test.
const LEAST: f64 = 0.001;

/// Engines that keep every row, as literals.
const WHOLE: &str = "'MergeTree', 'ReplicatedMergeTree', 'SharedMergeTree', 'Memory', 'Log', \
                     'TinyLog', 'StripeLog'";
/// Columns of `system.parts` that a part is known by, wherever and whenever it was written.
const HASH: &str = "hash_of_all_files";
/// The same of a server without hashes.
const SIZES: &str = "rows, bytes_on_disk";
/// Tables that a test's reason names at most.
const NAMED: usize = 3;

/// Compares the tables of all tests that both sides have filled: tests whose tables differ join
/// those that are skipped, and parts that differ are noted and said.
pub fn check(
    plan: &Plan,
    sides: &[Target; 2],
    options: &Options,
    prepared: &mut Prepared,
    deadline: Deadline,
    watch: &mut dyn Watch,
) -> Result<()> {
    // Tables of a database that tests share may be anybody's, those of before may have had rows
    // inserted by what was measured then.
    if plan.shared_database.is_some() || plan.tables == Tables::Existing {
        return Ok(());
    }
    let filled = |test: &usize| {
        let name = &plan.tests[*test].name;
        let skipped = prepared.skipped.iter().any(|skipped| skipped.test == *name);
        plan.uses(*test) && !skipped && !prepared.new_only.contains_key(test)
    };
    let tests: Vec<usize> = (0..plan.tests.len()).filter(filled).collect();
    if tests.is_empty() || watch.stopped() || !deadline.fits(LEAST) {
        return Ok(());
    }
    let start = |side: usize| sides[side].start(&prepared.data[side], options);
    let sessions = [start(0)?, start(1)?];
    let mut both = Both::new(sessions, &prepared.volatile, deadline);
    let (mut skipped, mut notes) = (Vec::new(), Vec::<String>::new());
    for (done, &test) in tests.iter().enumerate() {
        watch.progress("comparing tables of both sides", done, tests.len());
        if watch.stopped() || !deadline.fits(LEAST) {
            break;
        }
        let name = &plan.tests[test].name;
        match both.compare(&plan.database(test)) {
            Ok(parts) => notes.extend(parts.iter().map(|note| format!("{name}: {note}"))),
            Err(reason) => skipped.push(Skipped { test: name.clone(), query: None, reason }),
        }
    }
    // It borrows of what is changed now.
    drop(both);
    notes.iter().for_each(|note| watch.say(note));
    prepared.skipped.extend(skipped);
    prepared.other_parts = notes;
    Ok(())
}

/// Notes on tables of a database that differ in parts only, or why it cannot be measured.
type Compared = std::result::Result<Vec<String>, String>;

/// Two sides at work on their tables.
struct Both<'a> {
    sessions: [Box<dyn Session>; 2],
    /// Tables whose rows are in copies.
    kept: &'a [Volatile; 2],
    deadline: Deadline,
    /// What parts are known by on both sides; none if they are not of one kind.
    known_by: Option<&'static str>,
}

impl<'a> Both<'a> {
    /// Stops merges, as they are while something is measured: parts must not change between one
    /// side's answer and the other's.
    fn new(sessions: [Box<dyn Session>; 2], kept: &'a [Volatile; 2], deadline: Deadline) -> Self {
        let mut both = Self { sessions, kept, deadline, known_by: None };
        if both.sessions.iter().all(|session| session.has_system_tables()) {
            let text = format!("SELECT {HASH} FROM system.parts LIMIT 0");
            let hashed = [0, 1].map(|side| {
                // A server that does not know it has not stopped them either.
                let _ = both.lines(side, "", "SYSTEM STOP MERGES");
                both.lines(side, "", &text).is_ok()
            });
            both.known_by = match hashed {
                [true, true] => Some(HASH),
                [false, false] => Some(SIZES),
                _ => None,
            };
        }
        both
    }

    /// Compares the tables of a database.
    fn compare(&mut self, database: &str) -> Compared {
        let mut other = Vec::new();
        for table in self.whole(database) {
            let rows = [0, 1].map(|side| self.rows(side, database, &table));
            if let [Some(old), Some(new)] = rows
                && old != new
            {
                let on = format!("{old} rows on the old side, {new} on the new");
                other.push(format!("table {table} has {on}"));
            }
        }
        if !other.is_empty() {
            other.truncate(NAMED);
            return Err(format!("broken: the sides' tables differ: {}", other.join("; ")));
        }
        let Some(columns) = self.known_by else { return Ok(Vec::new()) };
        let both = [0, 1].map(|side| self.parts(side, database, columns));
        let [Some(old), Some(mut new)] = both else { return Ok(Vec::new()) };
        // Copies of tables in memory, and tables beneath views, are on one side only.
        let notes = old.into_iter().filter_map(|(table, old)| {
            let new = new.remove(&table)?;
            difference(&table, &old, new, columns)
        });
        Ok(notes.collect())
    }

    /// Tables that keep every row, as the first side says that lists them.
    fn whole(&mut self, database: &str) -> Vec<String> {
        let list = format!(
            "SELECT name FROM system.tables WHERE database = '{database}' \
             AND engine IN ({WHOLE}) AND position(engine_full, 'TTL') = 0 ORDER BY name"
        );
        let listed = [0, 1].into_iter().find_map(|side| self.lines(side, database, &list).ok());
        listed.unwrap_or_default().iter().map(|line| unescaped(line)).collect()
    }

    /// Rows of a table; none of one that the side has not, or of which it does not say.
    fn rows(&mut self, side: usize, database: &str, table: &str) -> Option<u64> {
        let name = if self.kept[side].has(database, table) {
            copy_of(table)
        } else if self.sessions[side].has_system_tables() {
            quoted(table)
        } else {
            // Other engines have other quotes.
            table.to_owned()
        };
        let lines = self.lines(side, database, &format!("SELECT count(*) FROM {name}")).ok()?;
        lines.first()?.trim().parse().ok()
    }

    /// What the parts of a database's tables are known by, by table.
    fn parts(
        &mut self,
        side: usize,
        database: &str,
        columns: &str,
    ) -> Option<BTreeMap<String, Vec<String>>> {
        let text = format!(
            "SELECT table, {columns} FROM system.parts \
             WHERE active = 1 AND database = '{database}'"
        );
        let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for line in self.lines(side, database, &text).ok()? {
            let (table, part) = line.split_once('\t')?;
            all.entry(unescaped(table)).or_default().push(part.to_owned());
        }
        Some(all)
    }

    fn lines(&mut self, side: usize, database: &str, text: &str) -> Result<Vec<String>> {
        let limit = self.deadline.left().unwrap_or(LIMIT).clamp(Duration::from_millis(1), LIMIT);
        let ask = Ask { text, database, settings: &[], id: "", limit };
        Ok(self.sessions[side].text(&ask)?.lines().map(str::to_owned).collect())
    }
}

/// What to say of a table's parts; nothing where both sides have the same ones, in whatever order.
fn difference(table: &str, old: &[String], new: Vec<String>, columns: &str) -> Option<String> {
    let count = new.len();
    let mut left = new;
    let mut alike = 0;
    for part in old {
        if let Some(at) = left.iter().position(|other| other == part) {
            left.swap_remove(at);
            alike += 1;
        }
    }
    (alike < old.len() || !left.is_empty()).then(|| {
        let old = old.len();
        format!(
            "parts of {table} differ: {old} on the old side, {count} on the new, {alike} alike ({columns})"
        )
    })
}

#[cfg(test)]
mod tests {
    use entasis_base::{Error, codes};

    use super::*;
    use crate::target::{Answer, Rows, Took};

    /// A side that answers a statement by the first of these texts that is in it.
    struct Fake {
        answers: Vec<(&'static str, &'static str)>,
        system: bool,
    }

    impl Session for Fake {
        fn run(&mut self, ask: &Ask<'_>) -> Result<Took> {
            self.text(ask).map(|_| Took::default())
        }

        fn text(&mut self, ask: &Ask<'_>) -> Result<String> {
            let known = self.answers.iter().find(|(part, _)| ask.text.contains(*part));
            let unknown = || Error::new(codes::UNKNOWN_IDENTIFIER, ask.text.to_owned());
            known.map(|(_, answer)| (*answer).to_owned()).ok_or_else(unknown)
        }

        fn answer(&mut self, ask: &Ask<'_>) -> Result<Answer> {
            self.text(ask).map(|text| Rows::of(text.as_bytes()))
        }

        fn has_system_tables(&self) -> bool {
            self.system
        }
    }

    const TABLES: (&str, &str) = ("FROM system.tables", "t\n");

    /// A server without hashes, whose table has so many rows, in these parts.
    fn plain(rows: &'static str, parts: &'static str) -> Fake {
        let answers =
            vec![TABLES, ("count(*) FROM `t`", rows), ("rows, bytes_on_disk FROM", parts)];
        Fake { answers, system: true }
    }

    /// A server with hashes of these parts.
    fn hashed(rows: &'static str, parts: &'static str) -> Fake {
        let hashes = ("hash_of_all_files FROM", parts);
        let answers = vec![TABLES, ("count(*) FROM `t`", rows), ("LIMIT 0", ""), hashes];
        Fake { answers, system: true }
    }

    fn compare_kept(old: Fake, new: Fake, kept: &[Volatile; 2]) -> Compared {
        let sessions: [Box<dyn Session>; 2] = [Box::new(old), Box::new(new)];
        Both::new(sessions, kept, Deadline::after(None)).compare("lab_x")
    }

    fn compare(old: Fake, new: Fake) -> Compared {
        compare_kept(old, new, &[Volatile::default(), Volatile::default()])
    }

    #[test]
    fn equal_tables_say_nothing() {
        let parts = "t\t600\t90\nt\t400\t60\n";
        let turned = "t\t400\t60\nt\t600\t90\n";
        assert_eq!(compare(plain("1000\n", parts), plain("1000\n", turned)), Ok(vec![]));
        let hashes = "t\tab\nother\tcd\n";
        assert_eq!(compare(hashed("5\n", hashes), hashed("5\n", "t\tab\n")), Ok(vec![]));
    }

    #[test]
    fn other_rows_are_other_data() {
        let broken = compare(plain("1000\n", ""), plain("999\n", "")).unwrap_err();
        let expected = "broken: the sides' tables differ: table t has 1000 rows on the old side, \
                        999 on the new";
        assert_eq!(broken, expected);
    }

    #[test]
    fn the_same_rows_in_other_parts_are_noted() {
        let old = plain("1000\n", "t\t600\t90\nt\t400\t60\n");
        let new = plain("1000\n", "t\t600\t90\nt\t200\t30\nt\t200\t30\n");
        let note =
            "parts of t differ: 2 on the old side, 3 on the new, 1 alike (rows, bytes_on_disk)";
        assert_eq!(compare(old, new), Ok(vec![note.to_owned()]));
        let note =
            "parts of t differ: 1 on the old side, 1 on the new, 0 alike (hash_of_all_files)";
        let (old, new) = (hashed("5\n", "t\tab\n"), hashed("5\n", "t\tba\n"));
        assert_eq!(compare(old, new), Ok(vec![note.to_owned()]));
    }

    #[test]
    fn servers_of_two_kinds_are_compared_by_rows_alone() {
        let parts = "t\t1000\t90\n";
        assert_eq!(compare(plain("1000\n", parts), hashed("1000\n", "t\tab\n")), Ok(vec![]));
        assert!(compare(plain("1000\n", parts), hashed("1001\n", "t\tab\n")).is_err());
        // An engine that lists nothing; its names are not in the other's quotes.
        let engine = |rows| Fake { answers: vec![("count(*) FROM t", rows)], system: false };
        assert_eq!(compare(engine("1000\n"), plain("1000\n", parts)), Ok(vec![]));
        assert!(compare(engine("1\n"), plain("1000\n", parts)).is_err());
        let silent = Fake { answers: vec![], system: false };
        assert_eq!(compare(silent, plain("1000\n", parts)), Ok(vec![]));
    }

    #[test]
    fn rows_of_tables_in_memory_are_those_of_their_copies() {
        let of_copy = ("count(*) FROM `t__kept`", "1000\n");
        let of_table = ("count(*) FROM `t`", "0\n");
        let old = Fake { answers: vec![TABLES, of_table, of_copy], system: true };
        let kept = Volatile::new(vec![("lab_x".to_owned(), "t".to_owned())]);
        let kept = [kept, Volatile::default()];
        assert_eq!(compare_kept(old, plain("1000\n", ""), &kept), Ok(vec![]));
    }
}
