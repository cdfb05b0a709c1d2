//! The results of an experiment for readers: a report, the change, a script that repeats it, and
//! the table of all experiments.

use std::fmt::Write;

use entasis_base::Result;

use super::idea::{Candidate, Idea};
use super::run::{Change, Done};
use super::{Profile, metric_name};
use crate::measure::Kind;
use crate::store::Store;
use crate::verdict::Judged;

/// The commands that do an experiment again, as a shell takes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// The experiment's words after `entasis lab`; its revisions are `git:$old` and `git:$new`.
    pub experiment: String,
    /// Options of all commands: where the laboratory is, how a revision is built.
    pub options: String,
}

/// Files of one experiment, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files(pub Vec<(&'static str, String)>);

impl Files {
    /// Of an experiment.
    pub fn new(
        idea: &Idea,
        candidate: &Candidate,
        change: &Change,
        done: &Done,
        again: &Replay,
    ) -> Self {
        Self(vec![
            ("report.md", markdown(idea, candidate, change, done)),
            ("change.diff", change.diff.clone()),
            ("replay.sh", replay(idea, done, again)),
        ])
    }
}

/// All experiments as tab-separated lines with a header, oldest first.
pub fn results(store: &mut Store) -> Result<String> {
    store.text(
        "SELECT toDate(time) AS date, name, status, metric, round(100 * (exp(theta) - 1), 2) AS percent, \
                round(100 * (exp(low) - 1), 2) AS low, round(100 * (exp(high) - 1), 2) AS high, \
                processes, p, old, new, round(100 * share, 1) AS profile_percent, \
                aa_flags, answers, old_commit, new_commit, run_id, reason \
         FROM lab.experiment ORDER BY time FORMAT TSVWithNames",
    )
}

fn percent(log: f64) -> String {
    format!("{:+.2} %", log.exp_m1() * 100.0)
}

fn amount(kind: Kind, value: f64) -> String {
    match kind {
        Kind::Time => format!("{:.2} ms", value * 1e3),
        Kind::Memory => format!("{:.2} MB", value / 1e6),
    }
}

fn markdown(idea: &Idea, candidate: &Candidate, change: &Change, done: &Done) -> String {
    let Done { outcome, shown, equal, .. } = done;
    let (j, run) = (&shown.judged, &outcome.run);
    let metric = metric_name(candidate.metric);
    let mut text = format!("# {}: {}\n\n{}\n\n", idea.name, done.status, done.reason);
    let mut part = |title: &str, lines: &[String]| {
        let _ = write!(text, "## {title}\n\n{}\n\n", lines.join("\n"));
    };
    part(
        "Idea",
        &[
            idea.reason.clone(),
            String::new(),
            format!("Function `{}` ({}), to save {metric}.", idea.function, idea.place),
        ],
    );
    part(
        "Profile",
        &[format!(
            "`{}` is in {:.1} % of the samples of the workload's {metric} (profile {}). Workload:\n\n    {}",
            idea.function,
            candidate.share * 100.0,
            candidate.profile,
            outcome.queries[0].text.replace('\n', "\n    ")
        )],
    );
    part(
        "Figures",
        &[
            "| | old | new | change | 95 % interval | p | would have been found | pairs of processes |"
                .into(),
            "|---|---|---|---|---|---|---|---|".into(),
            figures(candidate.metric, "change", j),
            own(equal, &shown.metric)
                .map_or_else(String::new, |j| figures(candidate.metric, "equal sides", j)),
            String::new(),
            format!(
                "Equal sides were told apart {} times. Commits {} and {}, both from {}; {}; answers: {}.",
                done.flags,
                run.commits[0],
                run.commits[1],
                change.bases[1],
                run.host.cpu,
                done.answers
            ),
        ],
    );
    if !shown.cause.0.is_empty() {
        let functions = shown.functions.join(", ");
        part("Why", &[format!("{}: {} {functions}", shown.cause.0, shown.cause.1)]);
    }
    part(
        "Again",
        &["`replay.sh`, from the repository's root; the change is `change.diff`.".to_owned()],
    );
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn own<'a>(outcome: &'a crate::compare::Outcome, metric: &str) -> Option<&'a Judged> {
    outcome.shown.iter().find(|shown| shown.metric == metric).map(|shown| &shown.judged)
}

fn figures(kind: Kind, what: &str, j: &Judged) -> String {
    let p = j.p.map_or_else(|| "-".to_owned(), |p| format!("{p:.2e}"));
    format!(
        "| {what} | {} | {} | {} | {} to {} | {p} | {:.1} % | {} |",
        amount(kind, j.old),
        amount(kind, j.new),
        percent(j.theta),
        percent(j.interval.low),
        percent(j.interval.high),
        j.mde.exp_m1() * 100.0,
        j.pairs
    )
}

fn replay(idea: &Idea, done: &Done, again: &Replay) -> String {
    let Idea { name, function, place, metric, workload, reason } = idea;
    let fields = [name, function, place, metric_name(*metric), workload, reason];
    let names = ["name", "function", "place", "metric", "workload", "reason"];
    let options = names.iter().zip(fields).map(|(name, text)| format!("--{name} {}", quoted(text)));
    let [old, new] = &done.outcome.run.commits;
    let Replay { experiment, options: place } = again;
    format!(
        "#!/bin/sh\n\
         # Does the experiment {name} again: the idea, its profile, equal sides, the change.\n\
         set -e\n\
         old={old}\n\
         new={new}\n\
         {REMAKE}\
         entasis lab scan {}{place}\n\
         entasis lab profile {name} --left git:$old{place}\n\
         entasis lab {experiment}\n",
        options.collect::<Vec<_>>().join(" ")
    )
}

/// Commits of a branch that was given up are in no clone.
const REMAKE: &str = "\
if ! git cat-file -e \"$new^{commit}\" 2>/dev/null; then
    # Its branch is gone: the same change on the same base.
    diff=$(cd \"$(dirname \"$0\")\" && pwd)/change.diff
    export GIT_INDEX_FILE=\"${TMPDIR:-/tmp}/replay.$$\"
    git read-tree \"$old\"
    git apply --cached \"$diff\"
    new=$(git commit-tree -p \"$old\" -m 'an experiment, again' \"$(git write-tree)\")
    rm -f \"$GIT_INDEX_FILE\"
    unset GIT_INDEX_FILE
fi
";

/// A word as a shell takes it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,~^".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

impl Profile {
    /// Its functions with most samples, those on top: lines for people.
    pub fn text(&self, most: usize) -> String {
        let mut text = String::new();
        for (name, share) in self.functions().into_iter().take(most) {
            let own = share.own as f64 / share.all.max(1) as f64 * 100.0;
            let _ = writeln!(text, "  {:5.1} %  {own:5.1} % itself  {name}", share.part() * 100.0);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_a_shell() {
        assert_eq!(quoted("git:abc~1"), "git:abc~1");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }
}
