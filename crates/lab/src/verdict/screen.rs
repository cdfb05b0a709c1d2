//! Stage 1: which queries are worth fresh processes.
//!
//! It is one pair of processes, and up to three more for queries of which it says too little.

use entasis_base::Result;
use entasis_stats::paired::{difference, differences};
use entasis_stats::sample::{logs, mean, variance};
use entasis_stats::variance::{Prior, moderate};

use super::prior::fit_or_assumed;
use super::{Known, Rules};
use crate::measure::{Amount, Sides};

/// What stage 1 says of a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Screened {
    /// Log ratio, new over old: the median over pairs of runs, the mean over processes.
    pub theta: f64,
    /// What `theta` may be off by: runs' deviation, and that of processes.
    pub sd: f64,
    /// Degrees of freedom of `sd`.
    pub df: f64,
    /// Runs in a process of stage 2.
    pub each: Amount,
    /// The variance to be expected of one pair of processes with so many.
    pub pair: f64,
    /// Whether it goes to stage 2.
    pub candidate: bool,
    /// Whether another pair of processes is to screen it: it stays behind for its noise, as an
    /// effect that is wanted might have, too; from the second pair on, as one twice as large might.
    pub unclear: bool,
}

/// Deviation between processes if history knows none: the median of earlier measurements.
const PROCESS_SD: f64 = 0.003;
/// The runs of a process are cut into so many stretches, whose medians show the noise: neighbours
/// in time are alike, so single runs would show too little of it, and outliers too much.
const STRETCHES: usize = 5;

/// Variance of one process's estimate by the spread of its stretches, the mean over processes, and
/// its degrees of freedom; none of fewer than two pairs of runs.
fn noise(sides: &Sides) -> Result<Option<(f64, f64)>> {
    let (mut sum, mut df) = (0.0, 0.0);
    for (old, new) in sides.0.iter().zip(&sides.1) {
        let (old, new) = (logs("old side", old)?, logs("new side", new)?);
        let count = old.len().min(new.len());
        let parts = STRETCHES.min(count);
        let part = |at: usize| at * count / parts..(at + 1) * count / parts;
        let middles = (0..parts).map(|at| difference(&old[part(at)], &new[part(at)]));
        let middles: Vec<f64> = middles.collect::<Result<_>>()?;
        if let Some(v) = variance(&middles) {
            let own = (parts - 1) as f64;
            sum += own * v / parts as f64;
            df += own;
        }
    }
    Ok((df > 0.0).then(|| (sum / df, df)))
}

/// How noisy stage 1 was over all queries of a run.
pub fn common_noise<'a>(all: impl IntoIterator<Item = &'a Sides>) -> Result<Prior> {
    let each = all.into_iter().map(noise).collect::<Result<Vec<_>>>()?;
    fit_or_assumed(&each.into_iter().flatten().collect::<Vec<_>>())
}

/// Screens the runs of stage 1, `[pair of processes][run]`: runs of both sides in the order in
/// which they took place. `others` is [`common_noise`]. An error for
/// values that are not positive.
pub fn screen(
    sides: &Sides,
    known: &Known,
    others: Prior,
    least_effect: f64,
    rules: &Rules,
) -> Result<Screened> {
    let theta = mean(&differences(&sides.0, &sides.1)?);
    let processes = sides.0.len() as f64;
    let (own, df) = noise(sides)?.unwrap_or_default();
    let within = moderate(own, df, others)?;
    // Fewer runs in a process of stage 2 are noisier; what history has beyond that is processes.
    let runs = sides.0[0].len();
    let in_each = within.variance * runs as f64 / rules.runs_within(runs);
    let stretch = rules.stretch(in_each);
    let each = Amount { seconds: rules.each.seconds * stretch, ..rules.each };
    let in_second = in_each / stretch;
    let beyond = known.pair.map_or(0.0, |(variance, _)| variance - in_second);
    let process = beyond.max(2.0 * PROCESS_SD * PROCESS_SD);
    let sd = ((within.variance + process) / processes).sqrt();
    let candidate = rules.screening(least_effect).candidate(theta, sd);
    // Nine times of ten an effect that is wanted must pass.
    let wanted = if sides.0.len() > 1 { 2.0 * rules.wanted } else { rules.wanted };
    let unclear = !candidate && wanted > 0.0 && rules.screen * sd > wanted - 1.28 * sd;
    Ok(Screened { theta, sd, df: within.df, each, pair: in_second + process, candidate, unclear })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_noisy_effects_stay_behind() {
        let rules = Rules::default();
        let of = |old: &[f64], new: &[f64], pair| {
            let known = Known { pair, ..Known::default() };
            let sides = (vec![old.to_vec()], vec![new.to_vec()]);
            screen(&sides, &known, common_noise([]).unwrap(), 0.01, &rules).unwrap()
        };
        let quiet = [1.0, 1.001, 0.999, 1.0, 1.0];
        let slower = quiet.map(|x| x * 1.03);
        let found = of(&quiet, &slower, None);
        assert!(found.candidate && (found.theta - 1.03f64.ln()).abs() < 1e-3, "{found:?}");
        assert!(!of(&quiet, &quiet.map(|x| x * 1.004), None).candidate);
        // 3 % is little for a query that moves by 10 % from process to process.
        assert!(!of(&quiet, &slower, Some((0.01, 12.0))).candidate);
        let noisy = [1.0, 1.3, 0.7, 1.2, 0.9];
        let found = of(&quiet, &noisy, None);
        assert!(!found.candidate && found.unclear);
        // Of two pairs of processes more is not asked for what would show twice as much.
        let twice = |runs: &[f64]| {
            let sides = (vec![quiet.to_vec(); 2], vec![runs.to_vec(); 2]);
            let noise = common_noise([]).unwrap();
            screen(&sides, &Known::default(), noise, 0.01, &rules).unwrap().unclear
        };
        let less = [1.0, 1.1, 0.9, 1.06, 0.94];
        assert!(
            of(&quiet, &less, None).unclear && !twice(&less) && twice(&[1.0, 1.9, 0.5, 1.6, 0.6])
        );
        assert!(!of(&quiet, &quiet.map(|x| x * 1.004), None).unclear);
        // And would get as many runs as there are for anybody.
        assert_eq!(found.each.seconds, 4.0 * rules.each.seconds);
        assert_eq!(of(&quiet, &slower, None).each, rules.each);
    }
}
