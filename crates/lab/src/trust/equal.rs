//! Comparisons of equal sides: how often they were reported as different.

use entasis_base::Result;
use entasis_stats::distribution::rate_upper;
use entasis_stats::uniform::ks_uniform;
use serde_json::Value;

use crate::measure::OF_MEMORY;
use crate::store::{Store, quoted, whole};

/// What all comparisons of equal sides in a store say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Equal {
    /// Runs.
    pub runs: u64,
    /// Runs without a flag.
    pub clean: u64,
    /// Comparisons of a query.
    pub comparisons: u64,
    /// Queries that stage 1 let through.
    pub candidates: u64,
    /// Queries called slower or faster.
    pub flags: u64,
    /// Verdicts on peaks of memory and on bytes allocated, and how many of them said more or less.
    pub memory: [u64; 2],
    /// Upper bound of the rate of flags, with 95 % confidence.
    pub bound: f64,
    /// The p values of stage 2: how far they are from uniform, and how likely that is by chance;
    /// none below eight of them.
    pub uniform: Option<(f64, f64)>,
    /// Seconds that all of it took.
    pub seconds: f64,
    /// Queries that were flagged or have modes, most often first.
    pub unlucky: Vec<Unlucky>,
}

/// A query that equal sides were told apart by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unlucky {
    /// The test.
    pub test: String,
    /// Its number.
    pub index: u64,
    /// How often it was compared.
    pub comparisons: u64,
    /// How often it was called slower or faster.
    pub flags: u64,
    /// How often its processes had modes.
    pub modes: u64,
}

/// Fewer p values are not tested.
const LEAST: usize = 8;

impl Equal {
    /// Counts. `since` is a time in seconds since 1970 from which on runs count, `cpu` the model of
    /// processor that they ran on, any if it is empty. A round that was cut short counts with what
    /// it decided.
    pub fn count(store: &mut Store, since: f64, cpu: &str) -> Result<Self> {
        let of_cpu = match cpu {
            "" => String::new(),
            cpu => format!(" AND cpu = {}", quoted(cpu)),
        };
        let which = format!("toFloat64(time) >= {since}{of_cpu}");
        let runs = store.rows(&format!(
            "SELECT comparisons, candidates, flags, p, seconds FROM lab.aa WHERE {which}"
        ))?;
        let mut all = Self { runs: runs.len() as u64, ..Self::default() };
        let mut p = Vec::new();
        for run in &runs {
            all.comparisons += whole(run, "comparisons");
            all.candidates += whole(run, "candidates");
            all.flags += whole(run, "flags");
            all.clean += u64::from(whole(run, "flags") == 0);
            all.seconds += run["seconds"].as_f64().unwrap_or(0.0);
            p.extend(run["p"].as_array().into_iter().flatten().filter_map(Value::as_f64));
        }
        if all.comparisons > 0 {
            all.bound = rate_upper(all.flags, all.comparisons, 0.95)?;
        }
        if p.len() >= LEAST {
            let found = ks_uniform(&p)?;
            all.uniform = Some((found.distance, found.p));
        }
        let rows = store.rows(&format!(
            "SELECT test, query_index, count() AS comparisons, \
                    countIf(verdict IN ('slower', 'faster', 'quarantined')) AS flags, \
                    countIf(verdict = 'bimodal') AS modes \
             FROM lab.verdict FINAL \
             WHERE kind = 'aa' AND metric = 'client_time' AND {which} \
             GROUP BY test, query_index HAVING flags + modes > 0 \
             ORDER BY flags + modes DESC, test, query_index"
        ))?;
        all.unlucky = rows.iter().map(unlucky).collect();
        let memory = OF_MEMORY.map(quoted).join(", ");
        let rows = store.rows(&format!(
            "SELECT count() AS comparisons, \
                    countIf(verdict IN ('slower', 'faster', 'quarantined')) AS flags \
             FROM lab.verdict FINAL \
             WHERE kind = 'aa' AND metric IN ({memory}) AND {which}"
        ))?;
        if let Some(row) = rows.first() {
            all.memory = [whole(row, "comparisons"), whole(row, "flags")];
        }
        Ok(all)
    }
}

fn unlucky(row: &Value) -> Unlucky {
    Unlucky {
        test: row["test"].as_str().unwrap_or_default().to_owned(),
        index: whole(row, "query_index"),
        comparisons: whole(row, "comparisons"),
        flags: whole(row, "flags"),
        modes: whole(row, "modes"),
    }
}

impl std::fmt::Display for Equal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { runs, clean, comparisons, candidates, flags, .. } = self;
        writeln!(
            f,
            "{comparisons} comparisons of equal sides in {runs} runs ({clean} without a flag)"
        )?;
        writeln!(
            f,
            "{flags} flags; at most {:.3} % of comparisons are flagged (95 % bound); \
             {candidates} went to stage 2",
            self.bound * 100.0
        )?;
        match self.uniform {
            None => writeln!(f, "too few p values to test whether they are uniform")?,
            Some((distance, p)) => writeln!(
                f,
                "p values of stage 2 differ from uniform by {distance:.3} (Kolmogorov-Smirnov p {p:.3})"
            )?,
        }
        let [verdicts, more] = self.memory;
        writeln!(f, "{more} flags in {verdicts} verdicts on memory (peaks, bytes allocated)")?;
        for unlucky in &self.unlucky {
            let Unlucky { test, index, comparisons, flags, modes } = unlucky;
            writeln!(
                f,
                "  {test} #{index}: flagged {flags} of {comparisons} times, modes {modes} times"
            )?;
        }
        Ok(())
    }
}
