//! Writes rows into the store.

use std::collections::HashMap;

use entasis_base::Result;
use entasis_base::clock::mix64;
use entasis_stats::schedule::Side;
use entasis_stats::verdict::Verdict;
use serde_json::{Value, json};

use super::Store;
use crate::compare::{DIFFERS, Evidence, Outcome, rules_of};
use crate::measure::{Sample, Samples, cpu_model, host};
use crate::target::{Source, Target, masked};
use crate::verdict::Judged;

/// Which machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// Its name.
    pub name: String,
    /// Its processor's model.
    pub cpu: String,
}

impl Host {
    /// This one.
    pub fn this() -> Self {
        Self { name: host(), cpu: cpu_model() }
    }

    /// A seed for who names none.
    pub fn clock_seed() -> u64 {
        (now() * 1e3) as u64
    }
}

/// A run as it is stored.
#[derive(Clone, Debug)]
pub struct RunRow {
    /// Its id: names its rows everywhere.
    pub id: String,
    /// When it began: seconds since 1970.
    pub time: f64,
    /// What it was for: `compare`, `aa`, `power`, `profile`.
    pub kind: String,
    /// `running`, `finished`, `partial`.
    pub state: String,
    /// Where.
    pub host: Host,
    /// The sides' labels.
    pub sides: [String; 2],
    /// Their commits, if known.
    pub commits: [String; 2],
    /// Hashes of their binaries, if they have any.
    pub builds: [String; 2],
    /// The seed.
    pub seed: u64,
    /// Seconds allowed; 0 is no limit.
    pub budget: f64,
    /// Seconds taken.
    pub spent: f64,
    /// What was decided by, as text.
    pub rules: String,
    /// The command line, for a replay; without passwords.
    pub arguments: Vec<String>,
    /// The noise checklist, and what programs are told of queries and tests.
    pub facts: Vec<(String, String)>,
}

/// What became of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It has samples of both sides.
    Measured,
    /// There was no time for it.
    Untested,
    /// What its test wants is not there.
    Skipped,
    /// The old side cannot have its tables, which its test allows: the new side alone ran it.
    Incompatible,
    /// It works on one side only, or on neither.
    Failed,
}

impl Fate {
    /// The name: troubles of those that are no failures begin with it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Untested => "not tested",
            Self::Skipped => "skipped",
            Self::Incompatible => "backward-incompatible",
            Self::Failed => "failed",
        }
    }
}

impl QueryRow {
    /// What became of it.
    pub fn fate(&self) -> Fate {
        let known = [Fate::Untested, Fate::Skipped, Fate::Incompatible];
        match known.iter().find(|fate| self.trouble.starts_with(fate.name())) {
            Some(fate) => *fate,
            None if self.trouble.is_empty() => Fate::Measured,
            None => Fate::Failed,
        }
    }
}

impl RunRow {
    /// A run that begins now.
    pub fn new(
        kind: &str,
        seed: u64,
        sides: &[Target; 2],
        commits: [String; 2],
        arguments: &[String],
    ) -> Self {
        let time = now();
        let id = format!("{kind}-{}-{:04x}", time as u64, mix64(seed) as u16);
        Self {
            id,
            time,
            kind: kind.to_owned(),
            state: "running".to_owned(),
            host: Host::this(),
            sides: [sides[0].label.clone(), sides[1].label.clone()],
            commits,
            builds: [build(&sides[0]), build(&sides[1])],
            seed,
            budget: 0.0,
            spent: 0.0,
            rules: String::new(),
            arguments: arguments.iter().map(|word| masked(word)).collect(),
            facts: Vec::new(),
        }
    }
}

/// Hash of a side's binary; empty for what has none.
fn build(side: &Target) -> String {
    match &side.source {
        Source::Binary(path) => std::fs::read(path)
            .map(|bytes| format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&bytes)))
            .unwrap_or_default(),
        _ => String::new(),
    }
}

/// What is measured, as it is stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryRow {
    /// Its number in the run.
    pub unit: u32,
    /// The test.
    pub test: String,
    /// Its number in the test.
    pub index: u32,
    /// What history files it under.
    pub key: u64,
    /// Its text.
    pub text: String,
    /// What it is judged by.
    pub metric: String,
    /// Smallest effect of interest, a log ratio.
    pub least_effect: f64,
    /// Why it was not measured, beginning with the name of its [`Fate`]; empty if it was.
    pub trouble: String,
    /// Percent of a planted cost.
    pub planted: f64,
    /// The metric that is to show it; empty without one.
    pub planted_what: String,
}

/// A verdict with what was found out about it.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The verdict.
    pub judged: Judged,
    /// The metric.
    pub metric: String,
    /// The word that is shown: the verdict's, `quarantined`, or `differs` (the answers do).
    pub word: String,
    /// Class of the cause, and a sentence; empty if unknown.
    pub cause: (String, String),
    /// The functions that explain the difference.
    pub functions: Vec<String>,
}

impl Shown {
    /// Whether the sides differ one way.
    pub fn changed(&self) -> bool {
        matches!(self.word.as_str(), "slower" | "faster")
    }

    /// Whether there is something to explain: a change, two modes, or what answers otherwise takes
    /// another time.
    pub fn asks_why(&self) -> bool {
        let moved = matches!(self.judged.verdict, Verdict::Slower | Verdict::Faster);
        self.changed() || self.word == "bimodal" || self.word == DIFFERS && moved
    }

    /// What a run takes on either side, for who explains the difference: the old side's median, and
    /// what the verdict makes of it. Medians of all runs may differ otherwise, as those of pairs of
    /// processes that had a bad minute count there, too.
    pub fn amounts(&self) -> [f64; 2] {
        [self.judged.old, self.judged.old * self.judged.theta.exp()]
    }

    /// Whether it is a change, also one that is not trusted: wrong where sides are equal.
    pub fn flagged(&self) -> bool {
        self.changed() || self.word == "quarantined"
    }

    /// Whether it stands on the first screen.
    pub fn is_news(&self) -> bool {
        self.asks_why() || self.flagged()
    }
}

impl Store {
    /// Stores a run's row; a later one takes its place.
    pub fn save_run(&mut self, run: &RunRow) -> Result<()> {
        let facts: serde_json::Map<String, Value> =
            run.facts.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        let row = json!({
            "run_id": run.id, "updated": now(), "time": run.time, "kind": run.kind,
            "state": run.state, "host": run.host.name, "cpu": run.host.cpu,
            "old": run.sides[0], "new": run.sides[1],
            "old_commit": run.commits[0], "new_commit": run.commits[1],
            "old_build": run.builds[0], "new_build": run.builds[1],
            "seed": run.seed.to_string(), "budget": run.budget, "spent": run.spent,
            "rules": run.rules, "arguments": run.arguments, "facts": facts,
        });
        self.insert("run", "JSONEachRow", &[row.to_string()])
    }

    /// Stores what is measured.
    pub fn save_queries(&mut self, run: &str, queries: &[QueryRow]) -> Result<()> {
        let row = |q: &QueryRow| {
            json!({
                "run_id": run, "unit": q.unit, "test": q.test, "query_index": q.index,
                "query_hash": q.key.to_string(), "text": q.text, "metric": q.metric,
                "least_effect": q.least_effect, "trouble": q.trouble, "planted": q.planted,
                "planted_what": q.planted_what, "updated": now(),
            })
            .to_string()
        };
        let rows: Vec<String> = queries.iter().map(row).collect();
        self.insert("query", "JSONEachRow", &rows)
    }

    /// Stores samples from one on.
    pub fn save_samples(
        &mut self,
        run: &RunRow,
        queries: &[QueryRow],
        samples: &Samples,
        from: usize,
    ) -> Result<()> {
        let time = run.time as u64;
        let row = |s: &Sample| {
            let side = if s.side == Side::Old { "old" } else { "new" };
            let QueryRow { test, index, key, .. } = &queries[s.unit as usize];
            let (id, metric) = (&run.id, samples.name(s.metric));
            let Sample { unit, stage, process, run, value, .. } = s;
            format!(
                "{id}\t{time}\t{test}\t{index}\t{key}\t{unit}\t{side}\t{stage}\t{process}\t{run}\t{metric}\t{value}"
            )
        };
        let rows: Vec<String> = samples.rows()[from..].iter().map(row).collect();
        self.insert("measure", "TSV", &rows)
    }

    /// Stores verdicts.
    pub fn save_verdicts(
        &mut self,
        run: &RunRow,
        queries: &[QueryRow],
        all: &[Shown],
    ) -> Result<()> {
        let row = |shown: &Shown| {
            let j = &shown.judged;
            let q = &queries[j.subject.unit as usize];
            json!({
                "run_id": run.id, "time": run.time, "kind": run.kind, "cpu": run.host.cpu,
                "test": q.test, "query_index": q.index, "query_hash": q.key.to_string(),
                "unit": q.unit,
                "metric": shown.metric, "old": j.old, "new": j.new, "theta": j.theta,
                "low": finite(j.interval.low), "high": finite(j.interval.high),
                "p": j.p, "adjusted_p": j.adjusted_p, "mde": finite(j.mde),
                "p_randomisation": j.p_randomisation,
                "verdict": shown.word, "pairs": j.pairs, "candidate": j.candidate,
                "own_variance": j.own.map(|own| own.0), "own_df": j.own.map(|own| own.1),
                "prior_variance": j.prior.variance, "prior_df": finite(j.prior.df),
                "known_variance": j.known.pair.map(|known| known.0),
                "known_df": j.known.pair.map(|known| known.1),
                "d": j.parity.difference, "s": j.parity.threshold,
                "class": shown.cause.0, "cause": shown.cause.1, "functions": shown.functions,
                "updated": now(),
            })
            .to_string()
        };
        let rows: Vec<String> = all.iter().map(row).collect();
        self.insert("verdict", "JSONEachRow", &rows)
    }

    /// Stores the profiles of queries that changed; their pairs of processes are numbered from
    /// `first` on, as those of a run that goes on are others than it had.
    pub fn save_stacks(
        &mut self,
        run: &RunRow,
        queries: &[QueryRow],
        evidence: &HashMap<u32, Evidence>,
        first: u16,
    ) -> Result<()> {
        let mut rows = Vec::new();
        for (unit, of) in evidence {
            let q = &queries[*unit as usize];
            let sides =
                |kind, stacks| std::iter::repeat(kind).zip(["old", "new"].iter().zip(stacks));
            for (kind, (side, processes)) in
                sides("CPU", &of.stacks).chain(sides("Memory", &of.memory))
            {
                for (process, stacks) in (first..).zip(processes) {
                    rows.extend(stacks.iter().map(|(path, samples)| {
                        json!({
                            "run_id": run.id, "test": q.test, "query_index": q.index,
                            "query_hash": q.key.to_string(), "side": side, "process": process,
                            "kind": kind, "path": path, "samples": samples,
                        })
                        .to_string()
                    }));
                }
            }
        }
        self.insert("stack", "JSONEachRow", &rows)
    }

    /// Stores how both sides plan the queries that changed.
    pub fn save_plans(
        &mut self,
        run: &RunRow,
        queries: &[QueryRow],
        evidence: &HashMap<u32, Evidence>,
    ) -> Result<()> {
        let planned =
            evidence.iter().filter(|(_, of)| of.plans.iter().any(|plan| !plan.is_empty()));
        let row = |(unit, of): (&u32, &Evidence)| {
            let q = &queries[*unit as usize];
            json!({
                "run_id": run.id, "unit": unit, "test": q.test, "query_index": q.index,
                "query_hash": q.key.to_string(), "old": of.plans[0], "new": of.plans[1],
                "updated": now(),
            })
            .to_string()
        };
        let rows: Vec<String> = planned.map(row).collect();
        self.insert("plan", "JSONEachRow", &rows)
    }

    /// Stores the hot loops of queries that changed.
    pub fn save_assembly(
        &mut self,
        run: &RunRow,
        queries: &[QueryRow],
        evidence: &HashMap<u32, Evidence>,
    ) -> Result<()> {
        let row = |(unit, of): (&u32, &Evidence)| {
            let (q, code) = (&queries[*unit as usize], of.code.as_ref()?);
            let row = json!({
                "run_id": run.id, "unit": unit, "test": q.test, "query_index": q.index,
                "query_hash": q.key.to_string(), "function": code.function, "same": code.same,
                "old": code.loops[0], "new": code.loops[1], "cpus": code.cpus,
                "old_cycles": floats(&code.cycles[0]), "new_cycles": floats(&code.cycles[1]),
                "note": code.note, "updated": now(),
            });
            Some(row.to_string())
        };
        let rows: Vec<String> = evidence.iter().filter_map(row).collect();
        self.insert("assembly", "JSONEachRow", &rows)
    }

    /// Stores a comparison of equal sides: how many queries, which of them were flagged.
    pub fn save_aa(&mut self, outcome: &Outcome) -> Result<()> {
        let run = &outcome.run;
        let own: Vec<&Shown> = outcome.own().map(|(_, shown)| shown).collect();
        let candidates: Vec<&&Shown> = own.iter().filter(|s| s.judged.candidate).collect();
        let done = candidates.iter().filter(|s| s.flagged() || !s.judged.open).count();
        // Of a round that was cut short count as many as the share of candidates that was done: to
        // leave such rounds out would leave the long, noisy ones out, and what stage 1 has set
        // aside can hardly be flagged.
        let comparisons = match candidates.len() {
            0 => own.len(),
            all => own.len() * done / all,
        };
        if comparisons == 0 {
            return Ok(());
        }
        let half = rules_of(&run.rules)?.pairs / 2;
        let halves = own.iter().filter(|s| s.judged.pairs >= half);
        let p: Vec<f64> = halves.filter_map(|s| s.judged.half_p).collect();
        let row = json!({
            "run_id": run.id, "time": run.time, "host": run.host.name, "cpu": run.host.cpu,
            "build": run.builds[0], "comparisons": comparisons, "candidates": done,
            "flags": outcome.flags(), "p": p, "seconds": run.spent,
        });
        self.insert("aa", "JSONEachRow", &[row.to_string()])
    }
}

/// JSON has no infinity; the largest numbers stand for it.
fn finite(value: f64) -> f64 {
    value.clamp(f64::MIN, f64::MAX)
}

/// Numbers of an array. JSON has no NaN, and null would become 0 there.
fn floats(values: &[f64]) -> Value {
    let value = |v: &f64| if v.is_nan() { json!("nan") } else { json!(finite(*v)) };
    values.iter().map(value).collect()
}

/// Seconds since 1970.
pub(crate) fn now() -> f64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0.0, |since| (since.as_secs_f64() * 1e3).round() / 1e3)
}
