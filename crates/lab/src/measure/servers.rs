//! Servers that keep running after a run: what a run changes in them is undone, however it ends.

use std::path::Path;
use std::time::Duration;

use entasis_base::Result;

use super::{Plan, Skipped, Tables, Watch};
use crate::target::{Ask, Options, Session, Setting, Target};

/// How long a statement may take.
const LIMIT: Duration = Duration::from_mins(10);

/// The running servers of a comparison. Made before the first table is filled, it has them cleaned
/// up when it goes, if [`Servers::leave`] has not.
pub struct Servers {
    plan: Plan,
    /// Not yet cleaned up.
    servers: Vec<Target>,
    /// Whether the tests' tables have been made.
    made: bool,
}

impl Servers {
    /// Those among the sides, each once. What is in folders of the laboratory goes with them.
    pub fn of(plan: &Plan, sides: &[Target; 2]) -> Self {
        let mut servers: Vec<Target> = Vec::new();
        for side in sides.iter().filter(|side| !side.has_data()) {
            if !servers.iter().any(|known| known.is_at(side)) {
                servers.push(side.clone());
            }
        }
        Self { plan: plan.clone(), servers, made: false }
    }

    /// Says that the tests have made their tables. Before that what a database has which is not the
    /// laboratory's own may be anybody's, and stays.
    pub fn made(&mut self) {
        self.made = true;
    }

    /// Leaves them as they were, and says what could not be dropped: a server that is gone takes no
    /// report with it.
    pub fn leave(mut self, watch: &mut dyn Watch) {
        self.clean_up(&mut |what| watch.say(what));
    }

    fn clean_up(&mut self, say: &mut dyn FnMut(&str)) {
        for server in std::mem::take(&mut self.servers) {
            match self.clean_one(&server) {
                Ok(left) => left.iter().for_each(|left| {
                    say(&format!("{}: could not be cleaned up: {}", left.test, left.reason));
                }),
                Err(error) => say(&format!("{} could not be cleaned up: {error}", server.label)),
            }
        }
    }

    /// Merges go on, what was made is dropped, unless it is to be kept. Answers what could not be.
    fn clean_one(&self, server: &Target) -> Result<Vec<Skipped>> {
        let mut left = Vec::new();
        let mut session = server.start(Path::new(""), &Options::default())?;
        let start = "SYSTEM START MERGES";
        let ask = Ask { text: start, database: "", settings: &[], id: "", limit: LIMIT };
        // A server that does not know it has not stopped them either.
        let _ = session.run(&ask);
        let own = self.plan.shared_database.is_none();
        let made = self.plan.tables == Tables::Made && (own || self.made);
        for test in (0..self.plan.tests.len()).filter(|test| made && self.plan.uses(*test)) {
            left.extend(self.drop_tables(test, session.as_mut()).err());
        }
        Ok(left)
    }

    /// Drops what a test has made; its own database goes with all that is in it.
    fn drop_tables(
        &self,
        test: usize,
        session: &mut dyn Session,
    ) -> std::result::Result<(), Skipped> {
        let (plan, database) = (&self.plan, self.plan.database(test));
        let test = &plan.tests[test];
        let mut ask = |text: &str, database: &str, settings: &[Setting]| {
            let ask = Ask { text, database, settings, id: "", limit: LIMIT };
            session.run(&ask).map(drop).map_err(|e| Skipped {
                test: test.name.clone(),
                query: None,
                reason: e.to_string(),
            })
        };
        let mut done = Ok(());
        for text in &test.teardown {
            done = done.and(ask(text, &database, &test.settings));
        }
        match plan.shared_database {
            Some(_) => done,
            // What its test has not come to make cannot be dropped.
            None => ask(&format!("DROP DATABASE IF EXISTS {database}"), "", &[]),
        }
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        // The run has failed already, and says why.
        self.clean_up(&mut |_| ());
    }
}
