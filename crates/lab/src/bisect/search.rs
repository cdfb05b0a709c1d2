//! The search for the commit of a step when every look may err: a posterior over commits, and the
//! sequential test that answers for one of them.
//!
//! A look asks whether a commit already has the step. The probability ratio test (Wald 1945) takes
//! pairs of processes until one answer is ninety-nine times as likely as the other; the posterior
//! (as in probabilistic bisection: Horstein 1963; Waeber, Frazier and Henderson 2013) takes the
//! answer at what the ratio is worth, so an answer that was wrong can be outvoted.

use entasis_stats::variance::{Moderated, Prior, moderate};

use entasis_base::Result;
use entasis_stats::sample::variance;

/// An answer errs less often than one time of a hundred.
const LEAST_RATIO: f64 = 99.0;

/// What a sequence of paired differences says: has the step, has it not, or go on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Logarithm of the ratio of likelihoods, for the step over against it.
    pub log_ratio: f64,
}

impl Look {
    /// Looks at differences of log times (commit less the good end), for a step of `step` and the
    /// variance that comparing both ends has shown.
    pub fn at(differences: &[f64], step: f64, prior: Prior) -> Result<Self> {
        let own = variance(differences).unwrap_or(0.0);
        let df = differences.len().saturating_sub(1) as f64;
        let Moderated { variance, .. } = moderate(own, df, prior)?;
        // Two normal distributions with the same variance, at 0 and at the step.
        let sum: f64 = differences.iter().map(|d| d * step - step * step / 2.0).sum();
        // What does not vary decides at once, unless it lies in the middle.
        Ok(Self { log_ratio: sum / variance.max(f64::MIN_POSITIVE) })
    }

    /// The answer, if it is sure enough: whether the commit has the step.
    pub fn answer(&self) -> Option<bool> {
        let bound = LEAST_RATIO.ln();
        (self.log_ratio.abs() >= bound).then_some(self.log_ratio > 0.0)
    }

    /// How likely it is that the commit has the step, by this look alone.
    pub fn probability(&self) -> f64 {
        1.0 / (1.0 + (-self.log_ratio.clamp(-40.0, 40.0)).exp())
    }
}

/// Which commit brought the step, as probabilities.
#[derive(Clone, Debug, PartialEq)]
pub struct Posterior(Vec<f64>);

impl Posterior {
    /// Any of `commits` may have brought it.
    pub fn new(commits: usize) -> Self {
        Self(vec![1.0 / commits as f64; commits])
    }

    /// Takes in that commit `at` has the step with a probability.
    pub fn update(&mut self, at: usize, has: f64) {
        // It has the step if it or one before it brought it.
        for (commit, weight) in self.0.iter_mut().enumerate() {
            *weight *= if commit <= at { has } else { 1.0 - has };
        }
        let sum: f64 = self.0.iter().sum();
        self.0.iter_mut().for_each(|weight| *weight /= sum);
    }

    /// The commit to look at next: it halves what is open. None if one commit is sure enough, or
    /// only its neighbour could be looked at.
    pub fn next(&self) -> Option<usize> {
        if self.best().1 >= LEAST_RATIO / (LEAST_RATIO + 1.0) {
            return None;
        }
        // Of the last one it is known that it has the step.
        let mut sum = 0.0;
        let below = self.0.iter().take(self.0.len() - 1).map(|weight| {
            sum += weight;
            (sum - 0.5f64).abs()
        });
        below.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at)
    }

    /// The likeliest commit and its probability.
    pub fn best(&self) -> (usize, f64) {
        let all = self.0.iter().copied().enumerate();
        all.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0))
    }

    /// All probabilities.
    pub fn all(&self) -> &[f64] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use entasis_stats::rng::{normal, stream};

    use super::*;

    /// Finds a step among commits, with noise; answers the commit and the pairs that it took.
    fn find(commits: usize, truth: usize, step: f64, sd: f64, seed: u64) -> (usize, usize) {
        let mut rng = stream(seed, &[]);
        let prior = Prior { df: 7.0, variance: sd * sd };
        let mut posterior = Posterior::new(commits);
        let mut pairs = 0;
        while let Some(at) = posterior.next() {
            let mut differences = Vec::new();
            let look = loop {
                let effect = if at >= truth { step } else { 0.0 };
                differences.push(effect + sd * normal(&mut rng));
                let look = Look::at(&differences, step, prior).unwrap();
                if look.answer().is_some() || differences.len() == 40 {
                    break look;
                }
            };
            pairs += differences.len();
            posterior.update(at, look.probability());
            assert!(pairs < 10_000);
        }
        (posterior.best().0, pairs)
    }

    #[test]
    fn what_does_not_vary_decides_at_once() {
        let none = Prior { df: 7.0, variance: 0.0 };
        let at = |difference: f64| Look::at(&[difference; 2], 0.1, none).unwrap();
        assert_eq!([0.1, 0.0].map(|d| at(d).answer()), [Some(true), Some(false)]);
        let middle = at(0.05);
        assert!(middle.answer().is_none() && middle.probability() == 0.5, "{middle:?}");
    }

    #[test]
    fn the_commit_of_a_step_is_found() {
        let (mut found, mut pairs) = (0, 0);
        for seed in 0..300 {
            let truth = seed as usize % 40;
            let (commit, took) = find(40, truth, 0.05, 0.03, seed);
            found += usize::from(commit == truth);
            pairs += took;
        }
        // Six looks that err one time of a hundred each.
        assert!(found >= 285, "{found}");
        assert!(pairs / 300 < 60, "{pairs}");
    }

    #[test]
    fn clear_answers_take_a_look_each() {
        for truth in [0, 1, 17, 31] {
            let (commit, pairs) = find(32, truth, 0.5, 0.001, 1);
            assert_eq!((commit, pairs), (truth, 5));
        }
        assert_eq!(find(1, 0, 0.1, 0.01, 1), (0, 0));
    }

    #[test]
    fn wrong_answers_are_outvoted() {
        let mut posterior = Posterior::new(8);
        posterior.update(3, 0.01);
        for _ in 0..4 {
            posterior.update(2, 0.99);
        }
        assert!(posterior.best().0 <= 2, "{posterior:?}");
    }
}
