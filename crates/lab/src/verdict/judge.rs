//! Verdicts.

use std::iter::repeat_n;

use entasis_base::Result;
use entasis_stats::distribution::{normal_above, t_quantile};
use entasis_stats::location::median;
use entasis_stats::multiplicity::benjamini_hochberg;
use entasis_stats::paired::{self, Paired};
use entasis_stats::permutation::{Parity, parity};
use entasis_stats::rng::Resampling;
use entasis_stats::sample::Interval;
use entasis_stats::sequential::Decision;
use entasis_stats::variance::{HODGES_LEHMANN_FACTOR, Prior};
use entasis_stats::verdict::{Evidence, Verdict, decide, unstable};

use super::modes::{one_way, two_modes};
use super::outlook::Outlook;
use super::prior::{common, pair_variance};
use super::{Known, Rules, Screened, common_noise, screen};
use crate::measure::Sides;

/// One query's samples of one metric.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Which, in the caller's numbers.
    pub subject: Subject,
    /// Stage 1.
    pub first: Sides,
    /// Stage 2; empty if it was not a candidate, or not confirmed for want of time.
    pub second: Sides,
    /// What history knew.
    pub known: Known,
}

/// What a trial is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Subject {
    /// The query, by position in the plan.
    pub unit: u32,
    /// Smallest effect of interest, a log ratio.
    pub least_effect: f64,
}

/// What is said of a query's metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Which.
    pub subject: Subject,
    /// Median of the old side's runs, in the metric's unit.
    pub old: f64,
    /// And the new side's.
    pub new: f64,
    /// Log ratio, new over old.
    pub theta: f64,
    /// Its interval.
    pub interval: Interval,
    /// p of stage 2; `None` if it was not a candidate.
    pub p: Option<f64>,
    /// p of the sign-flip test of these pairs, which assumes symmetry only; 2 / 2^n of n pairs at
    /// least. It stands beside `p` and decides nothing.
    pub p_randomisation: Option<f64>,
    /// p of the look at half of the pairs, which all candidates have: unlike `p`, where those that
    /// left early are those without effect, it is uniform if nothing differs.
    pub half_p: Option<f64>,
    /// After Benjamini and Hochberg, over all queries.
    pub adjusted_p: f64,
    /// The effect that would have been found nine times of ten, a log ratio.
    pub mde: f64,
    /// The pairs of processes to plan so that it is twice the smallest of interest; none if there
    /// are too many.
    pub needed: Option<u64>,
    /// The word.
    pub verdict: Verdict,
    /// Whether a side's processes have two modes: the word is that, or all pairs differ one way.
    pub modes: bool,
    /// Pairs of processes that it rests on.
    pub pairs: usize,
    /// Variance of one pair's difference in stage 2, and its degrees of freedom; none without one.
    pub own: Option<(f64, f64)>,
    /// The prior that was used.
    pub prior: Prior,
    /// ClickHouse's own comparison of stage 1's runs: D, S.
    pub parity: Parity,
    /// Whether more pairs were to be measured: there was no time for them.
    pub open: bool,
    /// Whether stage 1 made it a candidate.
    pub candidate: bool,
    /// What history knew.
    pub known: Known,
}

impl Judged {
    /// Whether a change of 10 %, or of twice the smallest effect of interest if that is more, would
    /// not have been seen.
    pub fn unstable(&self) -> bool {
        unstable(self.mde, self.subject.least_effect)
    }
}

/// Draws of randomisation tests.
fn draws(seed: u64, unit: u32) -> Resampling {
    Resampling::new(seed ^ u64::from(unit))
}

/// What a look at the pairs that stage 2 has so far decides. `others` is [`common`] of all queries.
pub fn interim(
    sides: &Sides,
    known: &Known,
    others: Option<Prior>,
    rules: &Rules,
    seed: u64,
) -> Result<Decision> {
    let prior = known.prior(others, pair_variance(&sides.0, &sides.1)?);
    let found = paired::compare(&sides.0, &sides.1, prior, rules.confidence, draws(seed, 0))?;
    Ok(look(&found, &outlook(&found, prior, known.least_pairs(others)), rules))
}

/// What further pairs of a query show that has had these.
fn outlook(found: &Paired, prior: Prior, least_pairs: usize) -> Outlook {
    let error = found.standard_error * (found.pairs as f64).sqrt();
    Outlook { error, df: prior.df, least_pairs }
}

fn look(found: &Paired, outlook: &Outlook, rules: &Rules) -> Decision {
    if found.pairs < outlook.least_pairs {
        return Decision::Continue;
    }
    let done = found.pairs as f64 / rules.pairs as f64;
    rules.bounds(outlook).decide(done, z(found))
}

/// The normal deviate of the same p.
fn z(found: &Paired) -> f64 {
    if found.p <= 0.0 { f64::INFINITY } else { normal_above((found.p / 2.0).min(0.5)) }
}

/// Judges all queries of a run by one metric, of which so many have no trial: they count as queries
/// without effect. The result does not depend on the order of `trials`.
pub fn judge(trials: &[Trial], untested: usize, rules: &Rules, seed: u64) -> Result<Vec<Judged>> {
    let common = common(trials.iter().map(|trial| &trial.second))?;
    let noise = common_noise(trials.iter().map(|trial| &trial.first))?;
    let found = trials.iter().map(|trial| Found::of(trial, noise, common, rules, seed));
    let found: Vec<Found> = found.collect::<Result<_>>()?;
    let tested = found.iter().map(|f| f.paired.as_ref().map(|p| p.p));
    let p: Vec<Option<f64>> = tested.chain(repeat_n(None, untested)).collect();
    let adjusted = benjamini_hochberg(&p)?;
    trials.iter().zip(found).zip(adjusted).map(|((t, f), a)| f.judged(t, a, rules)).collect()
}

/// What the numbers say of one trial, before the others are looked at.
struct Found {
    screened: Screened,
    half: Option<f64>,
    paired: Option<Paired>,
    prior: Prior,
    outlook: Outlook,
    own: Option<(f64, f64)>,
    bimodal: bool,
    one_way: bool,
    parity: Parity,
}

impl Found {
    /// `noise` and `common` are the run's noise in stage 1 and in stage 2.
    fn of(
        trial: &Trial,
        noise: Prior,
        common: Option<Prior>,
        rules: &Rules,
        seed: u64,
    ) -> Result<Self> {
        let least = trial.subject.least_effect;
        let screened = screen(&trial.first, &trial.known, noise, least, rules)?;
        let (old, new) = &trial.second;
        let draws = draws(seed, trial.subject.unit);
        let own = pair_variance(old, new)?;
        // Without a history stage 1 knows this query better than the other queries do.
        let prior = match old.is_empty() {
            true => trial.known.prior(common, Some((screened.pair, 1.0))),
            false => trial.known.prior(common, own),
        };
        let (mut half, mut paired) = (None, None);
        if !old.is_empty() {
            let look = (rules.pairs / 2).clamp(1, old.len());
            let (old_half, new_half) = (&old[..look], &new[..look.min(new.len())]);
            let prior_half = trial.known.prior(common, pair_variance(old_half, new_half)?);
            let compare = |old: &[Vec<f64>], new: &[Vec<f64>], prior| {
                paired::compare(old, new, prior, rules.confidence, draws)
            };
            half = Some(compare(old_half, new_half, prior_half)?.p);
            paired = Some(compare(old, new, prior)?);
        }
        let (bimodal, one_way) = (two_modes(old, new, least)?, one_way(old, new, least)?);
        let parity = parity(&trial.first.0[0], &trial.first.1[0], draws)?;
        let least_pairs = trial.known.least_pairs(common);
        let one = trial.known.history().map_or(screened.pair, |history| history.variance);
        let alone =
            Outlook { error: (one * HODGES_LEHMANN_FACTOR).sqrt(), df: prior.df, least_pairs };
        let outlook = paired.as_ref().map_or(alone, |found| outlook(found, prior, least_pairs));
        Ok(Self { screened, half, paired, prior, outlook, own, bimodal, one_way, parity })
    }

    fn judged(self, trial: &Trial, adjusted_p: f64, rules: &Rules) -> Result<Judged> {
        let Self { screened, half, paired, prior, outlook, own, bimodal, one_way, parity } = self;
        // What stage 1 alone says rests on its own pairs of processes, one for most.
        let pairs = paired.as_ref().map_or(trial.first.0.len(), |p| p.pairs);
        let (theta, se, df, interval) = match &paired {
            Some(p) => (p.theta, p.standard_error, p.df, p.interval),
            None => {
                let Screened { theta, sd, df, .. } = screened;
                let t = t_quantile(0.5 + rules.confidence / 2.0, df);
                (theta, sd, df, Interval::around(theta, t * sd))
            }
        };
        let had = paired.as_ref().map(|p| (p.pairs, look(p, &outlook, rules)));
        let beyond = had.is_some_and(|(_, decision)| decision == Decision::Significant);
        let planned = planned(had, rules);
        let open = is_open(had, &screened, rules);
        // Both must hold: the bound for looking more than once, and the rate over all queries.
        let significant = beyond.then_some(adjusted_p);
        let (standard_error, adjusted) = (se, significant);
        let evidence =
            Evidence { theta, standard_error, df, adjusted_p: adjusted, bimodal, one_way };
        let verdict = decide(&evidence, &rules.words(trial.subject.least_effect))?;
        let (old, new) = medians(trial)?;
        Ok(Judged {
            subject: trial.subject,
            old,
            new,
            theta,
            interval,
            p: paired.map(|p| p.p),
            p_randomisation: paired.map(|p| p.randomisation.p),
            half_p: half,
            adjusted_p,
            mde: detectable(&outlook, planned, &screened, trial, rules),
            needed: outlook.needed(&rules.looks, trial.subject.least_effect),
            verdict,
            modes: bimodal,
            pairs,
            own,
            prior,
            parity,
            open,
            candidate: screened.candidate,
            known: trial.known,
        })
    }
}

/// The effect that would have been found nine times of ten.
fn detectable(
    outlook: &Outlook,
    pairs: usize,
    screened: &Screened,
    trial: &Trial,
    rules: &Rules,
) -> f64 {
    let least = trial.subject.least_effect;
    if rules.confirm {
        return outlook.detectable(&rules.looks, pairs, least);
    }
    outlook.found(&rules.looks, pairs, least, &rules.screening(least), screened.sd)
}

/// Whether a query was to have more pairs than it had.
fn is_open(had: Option<(usize, Decision)>, screened: &Screened, rules: &Rules) -> bool {
    match had {
        None => screened.candidate || rules.confirm,
        Some((pairs, _)) if rules.confirm => pairs < rules.pairs,
        // Between two looks nothing is decided.
        Some((pairs, decision)) => {
            decision == Decision::Continue || pairs < rules.pairs && pairs != rules.pairs / 2
        }
    }
}

/// The pairs that a query's detectable effect is of: the planned ones if it had them, or was sent
/// away at the look at half of them, as what looks find counts on those; what it had if it was cut
/// short. `had` is that, with what is decided by it.
fn planned(had: Option<(usize, Decision)>, rules: &Rules) -> usize {
    match had {
        Some((pairs, decision)) if pairs < rules.pairs => {
            let sent_away = pairs == rules.pairs / 2 && decision != Decision::Continue;
            if sent_away { rules.pairs } else { pairs }
        }
        _ => rules.pairs,
    }
}

fn medians(trial: &Trial) -> Result<(f64, f64)> {
    let (old, new) = if trial.second.0.is_empty() { &trial.first } else { &trial.second };
    let all = |side: &[Vec<f64>]| median(&side.iter().flatten().copied().collect::<Vec<f64>>());
    Ok((all(old)?, all(new)?))
}

#[cfg(test)]
mod tests {
    use entasis_stats::rng::{normal, stream};

    use super::*;

    /// Samples with deviations of processes and runs, and an effect on the new side.
    fn trial(unit: u32, effect: f64, seed: u64) -> Trial {
        let (between, within) = (0.004, 0.008);
        let mut rng = stream(seed, &[u64::from(unit)]);
        let mut sides = |pairs: usize, runs: usize| -> Sides {
            let mut side = |effect: f64| -> Vec<Vec<f64>> {
                (0..pairs)
                    .map(|_| {
                        let process = effect + between * normal(&mut rng);
                        (0..runs).map(|_| (process + within * normal(&mut rng)).exp()).collect()
                    })
                    .collect()
            };
            (side(0.0), side(effect))
        };
        let rules = Rules::default();
        let first = sides(1, rules.first.pairs);
        let subject = Subject { unit, least_effect: rules.least_effect };
        let known = Known::default();
        let noise = common_noise([]).unwrap();
        let screened = screen(&first, &known, noise, subject.least_effect, &rules);
        let wanted = screened.unwrap().candidate;
        let second = if wanted { sides(rules.pairs, rules.each.pairs) } else { Sides::default() };
        Trial { subject, first, second, known }
    }

    #[test]
    fn equal_sides_are_hardly_ever_flagged_and_effects_are_found() {
        let rules = Rules::default();
        let (mut flagged, mut found, mut covered, mut candidates) = (0, 0, 0, 0);
        for round in 0..40 {
            let equal: Vec<Trial> = (0..60).map(|unit| trial(unit, 0.0, round)).collect();
            let judged = judge(&equal, 0, &rules, round).unwrap();
            let wrong = |j: &&Judged| matches!(j.verdict, Verdict::Slower | Verdict::Faster);
            flagged += judged.iter().filter(wrong).count();
            candidates += judged.iter().filter(|j| j.candidate).count();
            let slower: Vec<Trial> = (0..60).map(|unit| trial(unit, 0.05, 1000 + round)).collect();
            let judged = judge(&slower, 0, &rules, round).unwrap();
            found += judged.iter().filter(|j| j.verdict == Verdict::Slower).count();
            covered += judged.iter().filter(|j| j.p.is_some() && j.interval.contains(0.05)).count();
        }
        // Of 2,400 each.
        assert!(flagged <= 3, "{flagged}");
        assert!((100..1200).contains(&candidates), "{candidates}");
        assert!(found >= 2280, "{found}");
        assert!((2160..=2380).contains(&covered), "{covered}");
    }

    #[test]
    fn a_lone_noisy_query_of_two_pairs_is_hardly_ever_flagged() {
        let rules = Rules { pairs: 1, ..Rules::default() };
        let subject = Subject { unit: 0, least_effect: rules.least_effect };
        let mut rng = stream(5, &[]);
        let mut side = |pairs: usize| -> Vec<Vec<f64>> {
            (0..pairs).map(|_| vec![(0.3 * normal(&mut rng)).exp(); 2]).collect()
        };
        let flagged = (0..2000).filter(|_| {
            let (first, second) = ((side(1), side(1)), (side(2), side(2)));
            let trial = Trial { subject, first, second, known: Known::default() };
            let word = judge(&[trial], 0, &rules, 1).unwrap()[0].verdict;
            matches!(word, Verdict::Slower | Verdict::Faster)
        });
        // A guess of the noise with two degrees of freedom let 75 pass.
        assert_eq!(flagged.count(), 0);
    }

    #[test]
    fn a_lone_noisy_query_is_hardly_ever_flagged() {
        let rules = Rules::default();
        let subject = Subject { unit: 0, least_effect: rules.least_effect };
        let mut rng = stream(5, &[]);
        let mut side = |pairs: usize| -> Vec<Vec<f64>> {
            (0..pairs).map(|_| vec![(0.2 * normal(&mut rng)).exp(); 3]).collect()
        };
        let mut flagged = |pairs: usize, trials: usize| {
            let wrong = (0..trials).filter(|_| {
                let (first, second) = ((side(1), side(1)), (side(pairs), side(pairs)));
                let trial = Trial { subject, first, second, known: Known::default() };
                let word = judge(&[trial], 0, &rules, 1).unwrap()[0].verdict;
                matches!(word, Verdict::Slower | Verdict::Faster)
            });
            wrong.count()
        };
        // By Student's t two of 10,000; beside a guess of the noise 20 and more were flagged.
        let found = [flagged(3, 2_000), flagged(4, 5_000), flagged(8, 10_000)];
        assert!(found[0] == 0 && found[1] <= 4 && found[2] <= 7, "{found:?}");
    }

    #[test]
    fn a_metric_that_does_not_vary_is_found_from_the_margin_on() {
        let rules = Rules { confirm: true, ..Rules::default() };
        let subject = Subject { unit: 0, least_effect: 0.05 };
        let sides = |pairs: usize| (vec![vec![100.0; 3]; pairs], vec![vec![104.0; 3]; pairs]);
        let known = Known { pair: Some((0.0, 12.0)), ..Known::default() };
        let trial = Trial { subject, first: sides(1), second: sides(8), known };
        let judged = judge(&[trial], 0, &rules, 1).unwrap().remove(0);
        assert!(judged.p.unwrap() < 1e-9 && judged.verdict == Verdict::Equivalent, "{judged:?}");
        assert!((judged.mde - 0.05).abs() < 1e-9, "{}", judged.mde);
        // By themselves eight pairs that agree show no more than this.
        assert_eq!(judged.p_randomisation, Some(2.0 / 256.0));
    }

    #[test]
    fn what_was_cut_short_shows_less() {
        let rules = Rules::default();
        let of = |pairs, decision| planned(Some((pairs, decision)), &rules);
        assert_eq!(planned(None, &rules), rules.pairs);
        assert_eq!(of(rules.pairs / 2, Decision::Futile), rules.pairs);
        assert_eq!(of(rules.pairs / 2, Decision::Continue), rules.pairs / 2);
        assert_eq!(of(2, Decision::Futile), 2);
        assert_eq!(of(3 * rules.pairs, Decision::Futile), rules.pairs);
    }

    #[test]
    fn verdicts_do_not_depend_on_the_order() {
        let rules = Rules::default();
        let trials: Vec<Trial> =
            (0..30).map(|unit| trial(unit, f64::from(unit % 3) * 0.03, 7)).collect();
        let forward = judge(&trials, 0, &rules, 1).unwrap();
        // Queries that were not tested are queries of the run.
        let of_more = judge(&trials, 90, &rules, 1).unwrap();
        let adjusted = |all: &[Judged]| all.iter().map(|j| j.adjusted_p).fold(1.0, f64::min);
        let (few, more) = (adjusted(&forward), adjusted(&of_more));
        assert!((more / few - 4.0).abs() < 1e-9, "{few} {more}");
        let backward: Vec<Trial> = trials.into_iter().rev().collect();
        let mut again = judge(&backward, 0, &rules, 1).unwrap();
        again.reverse();
        assert_eq!(forward, again);
        assert!(forward.iter().any(|j| j.verdict == Verdict::Slower));
    }

    #[test]
    fn modes_of_processes_are_told() {
        let slower = trial(1, 0.2, 3);
        assert_eq!(slower.second.0.len(), 8);
        // An hour of a slow host is none of them.
        let mut host = slower.clone();
        for side in [&mut host.second.0, &mut host.second.1] {
            side[4..].iter_mut().flatten().for_each(|run| *run *= 1.3);
        }
        let judged = judge(&[host], 0, &Rules::default(), 1).unwrap();
        assert_eq!(judged[0].verdict, Verdict::Slower);
        let drawn = |mut trial: Trial, mode: f64| {
            for process in trial.second.1.iter_mut().step_by(2) {
                process.iter_mut().for_each(|run| *run *= mode);
            }
            judge(&[trial], 0, &Rules::default(), 1).unwrap().remove(0)
        };
        // In one mode slower, in the other one faster.
        let both = drawn(slower, 1.0 / 1.3);
        assert!(both.verdict == Verdict::Bimodal && both.modes, "{both:?}");
        // In both modes slower: how much is unsure, that it is slower is not.
        let one = drawn(trial(1, 0.7, 3), 1.2);
        assert!(one.verdict == Verdict::Slower && one.modes, "{one:?}");
    }
}
