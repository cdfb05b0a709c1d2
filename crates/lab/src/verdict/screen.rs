//! Stage 1: which queries are worth fresh processes.

use entasis_base::Result;
use entasis_stats::location::hodges_lehmann;
use entasis_stats::sample::{logs, variance};

use super::{Known, Rules};
use crate::measure::Sides;

/// What one pair of processes says of a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Screened {
    /// Log ratio, new over old, by Hodges and Lehmann over pairs of runs.
    pub theta: f64,
    /// What `theta` may be off by: runs' deviation, and that of processes.
    pub sd: f64,
    /// Whether it goes to stage 2.
    pub candidate: bool,
}

/// Deviation between processes where history has none: the median of lab.md 3.9.
const PROCESS_SD: f64 = 0.003;

/// Screens the runs of one pair of processes, `[pair of processes][run]` with one pair: runs of
/// both sides in the order in which they took place. An error for values that are not positive.
pub fn screen(sides: &Sides, known: &Known, least_effect: f64, rules: &Rules) -> Result<Screened> {
    let (old, new) = (logs("old side", &sides.0[0])?, logs("new side", &sides.1[0])?);
    let differences: Vec<f64> = new.iter().zip(&old).map(|(new, old)| new - old).collect();
    let theta = hodges_lehmann(&differences)?;
    let within = variance(&differences).unwrap_or(0.0) / differences.len() as f64;
    let own = within + 2.0 * PROCESS_SD * PROCESS_SD;
    // History's variance has both in it already.
    let variance = known.pair.map_or(own, |(variance, _)| variance.max(within));
    let sd = variance.sqrt();
    let candidate = rules.screening(least_effect).candidate(theta, sd);
    Ok(Screened { theta, sd, candidate })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_noisy_effects_stay_behind() {
        let rules = Rules::default();
        let of = |old: &[f64], new: &[f64], pair| {
            let known = Known { pair, ..Known::default() };
            screen(&(vec![old.to_vec()], vec![new.to_vec()]), &known, 0.01, &rules).unwrap()
        };
        let quiet = [1.0, 1.001, 0.999, 1.0, 1.0];
        let slower = quiet.map(|x| x * 1.03);
        let found = of(&quiet, &slower, None);
        assert!(found.candidate && (found.theta - 1.03f64.ln()).abs() < 1e-3, "{found:?}");
        assert!(!of(&quiet, &quiet.map(|x| x * 1.004), None).candidate);
        // 3 % is little for a query that moves by 10 % from process to process.
        assert!(!of(&quiet, &slower, Some((0.01, 12.0))).candidate);
        let noisy = [1.0, 1.2, 0.8, 1.1, 0.95];
        assert!(!of(&quiet, &noisy, None).candidate);
    }
}
