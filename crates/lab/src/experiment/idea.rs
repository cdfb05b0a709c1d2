//! The rows of ideas and candidates.

use entasis_base::{Error, Result, codes};
use serde_json::{Value, json};

use super::profile::Profile;
use super::{metric_name, metric_of};
use crate::measure::Kind;
use crate::store::{Store, number, text, whole};

/// What reading the code suggests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idea {
    /// Its name.
    pub name: String,
    /// The function that is to become cheaper: the end of its path as a profile shows it.
    pub function: String,
    /// File and line.
    pub place: String,
    /// What it is to save.
    pub metric: Kind,
    /// The query that is to show it: `TEST NUMBER`, or SQL.
    pub workload: String,
    /// Why it should be cheaper.
    pub reason: String,
}

/// Columns of a list of ideas.
const COLUMNS: [&str; 6] = ["name", "function", "place", "metric", "workload", "reason"];

impl Idea {
    /// A list: tab-separated lines of name, function, place, metric (`time` or `memory`), workload
    /// and reason. Empty lines, a line of these words, and those that begin with `#` are left out.
    pub fn list(text: &str) -> Result<Vec<Self>> {
        let lines = text.lines().enumerate();
        let lines = lines.filter(|(_, line)| {
            let first = line.split('\t').next().unwrap_or_default();
            !line.trim().is_empty() && !line.starts_with('#') && first != COLUMNS[0]
        });
        lines
            .map(|(at, line)| Self::line(line).map_err(|e| e.context(format!("line {}", at + 1))))
            .collect()
    }

    fn line(line: &str) -> Result<Self> {
        let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
        let [name, function, place, metric, workload, reason] = fields.as_slice() else {
            let message = format!(
                "{} fields: expected {} with a tab between them",
                fields.len(),
                COLUMNS.join(", ")
            );
            return Err(Error::new(codes::CANNOT_PARSE_TEXT, message));
        };
        Self::new([name, function, place, metric, workload, reason])
    }

    /// Of its fields, in the order of a list's. Name, function and workload must say something.
    pub fn new(fields: [&str; 6]) -> Result<Self> {
        let [name, function, place, metric, workload, reason] = fields.map(str::to_owned);
        let wrong = |message: String| Err(Error::new(codes::BAD_ARGUMENTS, message));
        for (what, text) in [("name", &name), ("function", &function), ("workload", &workload)] {
            if text.is_empty() {
                return wrong(format!("an idea without a {what}"));
            }
        }
        // The name becomes a folder's.
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
            || name.starts_with('.')
        {
            return wrong(format!("idea `{name}`: expected letters, digits, - _ . in a name"));
        }
        let Some(metric) = metric_of(&metric) else {
            return wrong(format!("idea `{name}` saves `{metric}`: expected time or memory"));
        };
        Ok(Self { name, function, place, metric, workload, reason })
    }

    /// Keeps ideas; one of the same name is replaced.
    pub fn save(store: &mut Store, ideas: &[Self], time: f64) -> Result<()> {
        let row = |idea: &Self| {
            json!({
                "name": idea.name, "time": time, "function": idea.function, "place": idea.place,
                "metric": metric_name(idea.metric), "workload": idea.workload,
                "reason": idea.reason,
            })
            .to_string()
        };
        store.insert("idea", "JSONEachRow", &ideas.iter().map(row).collect::<Vec<_>>())
    }

    /// All that are kept, by name.
    pub fn all(store: &mut Store) -> Result<Vec<Self>> {
        let rows = store.rows(
            "SELECT name, function, place, metric, workload, reason FROM lab.idea FINAL ORDER BY name",
        )?;
        let fields = |row| COLUMNS.map(|name| text(row, name));
        rows.iter().map(|row| Self::new(fields(row).each_ref().map(String::as_str))).collect()
    }
}

/// An idea whose function a profile has shown to matter.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The idea's name.
    pub name: String,
    /// See [`Idea::function`].
    pub function: String,
    /// See [`Idea::metric`].
    pub metric: Kind,
    /// See [`Idea::workload`].
    pub workload: String,
    /// The profile that shows it.
    pub profile: String,
    /// The function's part of the workload's time or memory, with all it calls.
    pub share: f64,
    /// Hash of the binary that was profiled.
    pub build: String,
    /// What history files the workload's query under.
    pub key: u64,
}

impl Candidate {
    /// Whether it is of this idea as it stands now: what a profile bore out, not another function
    /// or workload of the same name.
    pub fn is_of(&self, idea: &Idea) -> bool {
        let own = (&self.name, &self.function, self.metric, &self.workload);
        own == (&idea.name, &idea.function, idea.metric, &idea.workload)
    }

    /// Whether an experiment with these sides, on this query, is about what was profiled. An error
    /// says what is another one.
    pub fn check(&self, old_build: &str, key: u64) -> Result<()> {
        let other = if self.key != key {
            "the workload's query"
        } else if self.build != old_build {
            "the old side's build"
        } else {
            return Ok(());
        };
        let name = &self.name;
        let message = format!(
            "{other} is not the one whose profile made `{name}` a candidate: `entasis lab profile \
             {name}` with the old side of the experiment says whether it still is"
        );
        Err(Error::new(codes::BAD_ARGUMENTS, message))
    }

    /// Files what a profile says of an idea. The table refuses what is no candidate: then the
    /// name of the constraint that is not met is answered.
    pub fn file(
        store: &mut Store,
        idea: &Idea,
        profile: &Profile,
        time: f64,
    ) -> Result<std::result::Result<(), String>> {
        let share = profile.share_of(&idea.function);
        let row = json!({
            "name": idea.name, "time": time, "function": idea.function,
            "metric": metric_name(idea.metric), "workload": idea.workload,
            "profile_id": profile.id, "build": profile.build, "share": share.part(),
            "samples": share.samples, "stacks": profile.stacks.len(),
        });
        refused(store.insert("candidate", "JSONEachRow", &[row.to_string()]))
    }

    /// All candidates, by name: those of the newest profile of their workload.
    pub fn all(store: &mut Store) -> Result<Vec<Self>> {
        let rows = store.rows(
            "SELECT name, function, metric, workload, profile_id, share, build, query_hash \
             FROM (SELECT name, function, metric, workload, profile_id, share \
                   FROM lab.candidate FINAL) AS candidates \
             INNER JOIN (SELECT workload, metric, profile_id, build, query_hash \
                         FROM lab.profiled FINAL) AS newest \
             USING (workload, metric, profile_id) ORDER BY name",
        )?;
        let candidate = |row: &Value| Self {
            name: text(row, "name"),
            function: text(row, "function"),
            metric: metric_of(&text(row, "metric")).unwrap_or(Kind::Time),
            workload: text(row, "workload"),
            profile: text(row, "profile_id"),
            share: number(row, "share"),
            build: text(row, "build"),
            key: whole(row, "query_hash"),
        };
        Ok(rows.iter().map(candidate).collect())
    }

    /// The candidate of a name.
    pub fn find(store: &mut Store, name: &str) -> Result<Self> {
        let found = Self::all(store)?.into_iter().find(|candidate| candidate.name == name);
        found.ok_or_else(|| {
            let message = format!(
                "`{name}` is no candidate: an idea is one while the newest `entasis lab profile` \
                 of its workload shows its function with 5 % of the time or memory"
            );
            Error::new(codes::BAD_ARGUMENTS, message)
        })
    }
}

/// The name of the constraint that an INSERT did not meet, apart from other errors.
pub(super) fn refused(done: Result<()>) -> Result<std::result::Result<(), String>> {
    match done {
        Ok(()) => Ok(Ok(())),
        Err(e) if e.code() == codes::VIOLATED_CONSTRAINT => {
            let text = e.to_string();
            let name = text.split('`').nth(1).unwrap_or(&text).to_owned();
            Ok(Err(name.replace('_', " ")))
        }
        Err(e) => Err(e),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_ideas() {
        let text = "name\tfunction\tplace\tmetric\tworkload\treason\n# none\n\n\
                    fast-sort\texec::sort\ta.rs:3\ttime\torder_by 4\tit copies\n";
        let ideas = Idea::list(text).unwrap();
        assert_eq!(ideas.len(), 1);
        assert_eq!((ideas[0].name.as_str(), ideas[0].metric), ("fast-sort", Kind::Time));
        for (line, part) in [
            ("a\tb\tc\ttime\td", "5 fields"),
            ("a\tb\tc\tspace\td\te", "expected time or memory"),
            ("../a\tb\tc\ttime\td\te", "in a name"),
            ("a\t\tc\ttime\td\te", "without a function"),
        ] {
            let error = Idea::list(line).unwrap_err().to_string();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
