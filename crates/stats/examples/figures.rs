//! Values of this crate's functions for `scripts/stats_oracle.py`, which holds them against scipy.
//!
//! Reads lines `FUNCTION <tab> LIST <tab> LIST ...` from stdin, a list being numbers with commas
//! between; writes the results of each as one line of numbers with tabs between, or `error` and
//! the message.

use std::io::{Read, Write};

use entasis_stats::geomean::{Weight, geometric_mean};
use entasis_stats::rng::Resampling;
use entasis_stats::variance::{Prior, moderate};
use entasis_stats::{change, distribution as dist, energy, equivalence, location, mde};
use entasis_stats::{
    multiplicity, paired, permutation, ranks, sample, sequential, shift, special, step, uniform,
    welch,
};

type Answer = Result<Vec<f64>, Box<dyn std::error::Error>>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let mut out = std::io::stdout().lock();
    for line in text.lines() {
        let mut fields = line.split('\t');
        let name = fields.next().unwrap_or_default();
        let lists: Result<Vec<Vec<f64>>, _> = fields.map(numbers).collect();
        match lists.map_err(Into::into).and_then(|lists| evaluate(name, &lists)) {
            Ok(values) => {
                let words: Vec<String> = values.iter().map(|v| format!("{v:?}")).collect();
                writeln!(out, "{}", words.join("\t"))?;
            }
            Err(e) => writeln!(out, "error\t{e}")?,
        }
    }
    Ok(())
}

fn numbers(field: &str) -> Result<Vec<f64>, std::num::ParseFloatError> {
    field.split(',').filter(|w| !w.is_empty()).map(str::parse).collect()
}

fn evaluate(name: &str, lists: &[Vec<f64>]) -> Answer {
    let list = |i: usize| lists.get(i).map_or(&[][..], |l| l.as_slice());
    // Numbers that are not samples are the last list.
    let given = lists.last().map_or(&[][..], |l| l.as_slice());
    let x = |i: usize| given.get(i).copied().unwrap_or(f64::NAN);
    let draws = Resampling::new(1);
    if let Some(value) = distribution(name, &x) {
        return Ok(vec![value]);
    }
    let test = |t: permutation::Outcome| vec![t.p, f64::from(u8::from(t.exact))];
    let ends = |i: sample::Interval| vec![i.low, i.high];
    Ok(match name {
        "poisson_upper" => vec![dist::poisson_upper(x(0) as u64, x(1))?],
        "wilson" => ends(dist::wilson(x(0) as u64, x(1) as u64, x(2))?),
        "quantile" => vec![location::quantile(list(0), x(0))?],
        "quantile_exact" => vec![location::quantile_exact(list(0), x(0))?],
        "hodges_lehmann" => vec![location::hodges_lehmann(list(0))?],
        "hodges_lehmann_interval" => ends(location::hodges_lehmann_interval(list(0), x(0))?),
        "pair_variance" => {
            let (variance, df) = paired::pair_variance(list(0)).unwrap_or_default();
            vec![variance, df]
        }
        "shift" => vec![shift::shift(list(0), list(1))?],
        "shift_interval" => ends(shift::shift_interval(list(0), list(1), x(0))?),
        "signed_rank" => test(ranks::signed_rank(list(0))?),
        "rank_sum" => test(ranks::rank_sum(list(0), list(1))?),
        "sign_flip" => test(permutation::sign_flip(list(0), draws)?),
        "difference_of_means" => test(permutation::difference_of_means(list(0), list(1), draws)?),
        "welch" => vec![welch::welch(list(0), list(1))?],
        "parity" => {
            let found = permutation::parity(list(0), list(1), draws)?;
            vec![found.difference, found.threshold, found.test.p]
        }
        "benjamini_hochberg" => {
            let p: Vec<Option<f64>> = list(0).iter().copied().map(Some).collect();
            multiplicity::benjamini_hochberg(&p)?
        }
        "ks_uniform" => {
            let found = uniform::ks_uniform(list(0))?;
            vec![found.distance, found.p]
        }
        "tost" => {
            let found = equivalence::tost(x(0), x(1), x(2), x(3), x(4))?;
            vec![found.p, found.interval.low, found.interval.high]
        }
        "t_interval" => {
            let prior = Prior { df: 0.0, variance: 0.0 };
            let s2 = sample::variance(list(0)).ok_or("too few samples")?;
            let known = moderate(s2, list(0).len() as f64 - 1.0, prior)?;
            ends(known.interval(sample::mean(list(0)), list(0).len(), x(0))?)
        }
        "geometric_mean" => {
            let tests: Vec<Vec<f64>> = lists.to_vec();
            vec![geometric_mean(&tests, Weight::Query, 0.95, draws)?.theta]
        }
        "mde_factor" => vec![mde::Demand { alpha: x(0), power: x(1) }.factor()?],
        "log_e" => vec![sequential::Anytime::new(x(0), x(1))?.log_e(x(2) as u64, x(3))],
        "best_split" => {
            let best = energy::best_split(list(0), 3).ok_or("too few samples")?;
            vec![best.at as f64, best.q]
        }
        "step_scores" => step::scores(list(0), x(0) as usize)?.iter().map(|s| s.z).collect(),
        "changes" => {
            let found = change::changes(list(0), &change::Rules::default())?;
            found.iter().map(|c| c.at as f64).collect()
        }
        _ => return Err(format!("no function {name}").into()),
    })
}

/// Functions of numbers alone.
fn distribution(name: &str, x: &dyn Fn(usize) -> f64) -> Option<f64> {
    Some(match name {
        "normal_cdf" => dist::normal_cdf(x(0)),
        "normal_tail" => dist::normal_tail(x(0)),
        "normal_quantile" => dist::normal_quantile(x(0)),
        "t_cdf" => dist::t_cdf(x(0), x(1)),
        "t_tail" => dist::t_tail(x(0), x(1)),
        "t_quantile" => dist::t_quantile(x(0), x(1)),
        "chi2_cdf" => dist::chi2_cdf(x(0), x(1)),
        "chi2_tail" => dist::chi2_tail(x(0), x(1)),
        "chi2_quantile" => dist::chi2_quantile(x(0), x(1)),
        "beta_cdf" => dist::beta_cdf(x(0), x(1), x(2)),
        "beta_tail" => dist::beta_tail(x(0), x(1), x(2)),
        "digamma" => special::digamma(x(0)),
        "trigamma" => special::trigamma(x(0)),
        "ln_gamma" => special::ln_gamma(x(0)),
        "binomial_cdf" => dist::binomial_cdf(x(0) as u64, x(1) as u64, x(2)),
        "binomial_tail" => dist::binomial_tail(x(0) as u64, x(1) as u64, x(2)),
        _ => return None,
    })
}
