//! What the methods promise, held against simulated measurements: coverage of intervals, levels of
//! tests, uniform p values. Seeds are fixed; limits are about four standard errors wide.

use entasis_base::clock::Rng;
use entasis_stats::distribution::{binomial_cdf, wilson};
use entasis_stats::equivalence::tost;
use entasis_stats::geomean::{Weight, geometric_mean};
use entasis_stats::location::hodges_lehmann_interval;
use entasis_stats::mde::Demand;
use entasis_stats::multiplicity::benjamini_hochberg;
use entasis_stats::permutation::{difference_of_means, parity, sign_flip};
use entasis_stats::ranks::{rank_sum, signed_rank};
use entasis_stats::rng::{Resampling, normal, stream};
use entasis_stats::sample::{mean, variance};
use entasis_stats::sequential::{Anytime, Bounds, Decision};
use entasis_stats::uniform::ks_uniform;
use entasis_stats::variance::{Prior, moderate};

const DRAWS: Resampling = Resampling { seed: 1, draws: 1000 };

/// The share of rounds in which something holds.
fn share(seed: u64, rounds: u32, mut holds: impl FnMut(&mut Rng) -> bool) -> f64 {
    let mut rng = stream(seed, &[]);
    let count = (0..rounds).filter(|_| holds(&mut rng)).count();
    count as f64 / f64::from(rounds)
}

fn normals(rng: &mut Rng, n: usize) -> Vec<f64> {
    (0..n).map(|_| normal(rng)).collect()
}

/// Symmetric with heavy tails: a normal over the square root of an exponential.
fn heavy(rng: &mut Rng) -> f64 {
    normal(rng) / (-(1.0 - rng.unit()).ln()).sqrt()
}

#[track_caller]
fn within(value: f64, low: f64, high: f64) {
    assert!((low..=high).contains(&value), "{value}, expected {low} to {high}");
}

#[test]
fn hodges_lehmann_intervals_cover() {
    for n in [6, 8, 12, 30, 100] {
        let covered = |heavy_tails: bool| {
            share(n as u64, 3000, |rng| {
                let draw = |rng: &mut Rng| if heavy_tails { heavy(rng) } else { normal(rng) };
                let d: Vec<f64> = (0..n).map(|_| 3.0 + draw(rng)).collect();
                hodges_lehmann_interval(&d, 0.95).unwrap().contains(3.0)
            })
        };
        // Exact for few samples: never below 95 %, and at most what the next rank would give.
        within(covered(false), 0.934, 0.985);
        within(covered(true), 0.934, 0.985);
    }
}

#[test]
fn moderated_t_intervals_cover() {
    // Variances from the prior's own family: s0^2 d0 / chi2(d0).
    let prior = Prior { df: 12.0, variance: 4.0 };
    let covered = share(2, 6000, |rng| {
        let chi2: f64 = normals(rng, 12).iter().map(|z| z * z).sum();
        let sd = (prior.variance * prior.df / chi2).sqrt();
        let d: Vec<f64> = normals(rng, 4).iter().map(|z| 1.0 + sd * z).collect();
        let known = moderate(variance(&d).unwrap(), 3.0, prior).unwrap();
        known.interval(mean(&d), 4, 0.95).unwrap().contains(1.0)
    });
    within(covered, 0.939, 0.961);
}

#[test]
fn p_values_are_uniform_under_the_null() {
    let mut rng = stream(3, &[]);
    let mut of = |test: &dyn Fn(&mut Rng) -> f64| -> Vec<f64> {
        (0..2000).map(|_| test(&mut rng)).collect()
    };
    let signs = of(&|rng| sign_flip(&normals(rng, 14), DRAWS).unwrap().p);
    let heavy_signs = of(&|rng| {
        let d: Vec<f64> = (0..14).map(|_| heavy(rng)).collect();
        sign_flip(&d, DRAWS).unwrap().p
    });
    let drawn_signs = of(&|rng| sign_flip(&normals(rng, 40), DRAWS).unwrap().p);
    let means =
        of(&|rng| difference_of_means(&normals(rng, 7), &normals(rng, 7), DRAWS).unwrap().p);
    let ranks = of(&|rng| signed_rank(&normals(rng, 100)).unwrap().p);
    let sums = of(&|rng| rank_sum(&normals(rng, 40), &normals(rng, 50)).unwrap().p);
    for p in [signs, heavy_signs, drawn_signs, means, ranks, sums] {
        let found = ks_uniform(&p).unwrap();
        assert!(found.p > 1e-4, "{found:?}");
        for level in [0.01, 0.05, 0.2] {
            let below = p.iter().filter(|p| **p <= level).count() as f64;
            let se = (level * (1.0 - level) * 2000.0f64).sqrt();
            assert!(below <= level * 2000.0 + 4.0 * se, "{below} at {level}");
        }
    }
}

#[test]
fn tests_with_few_samples_keep_their_level() {
    for n in [4, 5, 8] {
        for level in [0.02, 0.05, 0.13] {
            let rejected = |seed: u64, test: &dyn Fn(&mut Rng) -> f64| {
                share(seed, 2000, |rng| test(rng) <= level)
            };
            let limit = level + 4.0 * (level / 2000.0f64).sqrt();
            let d = |rng: &mut Rng| normals(rng, n);
            within(rejected(4, &|rng| signed_rank(&d(rng)).unwrap().p), 0.0, limit);
            within(rejected(5, &|rng| sign_flip(&d(rng), DRAWS).unwrap().p), 0.0, limit);
            within(rejected(6, &|rng| rank_sum(&d(rng), &d(rng)).unwrap().p), 0.0, limit);
        }
    }
}

#[test]
fn parity_flags_one_in_a_hundred() {
    let flagged = share(7, 2000, |rng| {
        let side = |rng: &mut Rng| normals(rng, 7).iter().map(|z| (0.01 * z).exp()).collect();
        let (old, new): (Vec<f64>, Vec<f64>) = (side(rng), side(rng));
        parity(&old, &new, DRAWS).unwrap().significant
    });
    within(flagged, 0.002, 0.025);
    // A shift inside a pair of processes is an effect to it: why processes are the unit.
    let with_processes = share(8, 1000, |rng| {
        let mut side = || {
            let process = 0.01 * normal(rng);
            normals(rng, 7).iter().map(|z| (process + 0.01 * z).exp()).collect::<Vec<f64>>()
        };
        let (old, new) = (side(), side());
        parity(&old, &new, DRAWS).unwrap().significant
    });
    assert!(with_processes > 0.1, "{with_processes}");
}

/// How often bounds show an effect of so many standard errors, and the halves of the planned pairs
/// that it takes on average.
fn looked_at(bounds: &Bounds, effect: f64, stream: u64) -> (f64, f64) {
    let halves = std::cell::Cell::new(0u32);
    let rounds = 40_000;
    let shown = share(stream, rounds, |rng| {
        let (mut sum, mut done) = (0.0, 0u32);
        loop {
            for _ in 0..done.clamp(1, 2) {
                sum += effect / 2f64.sqrt() + normal(rng);
                done += 1;
                halves.set(halves.get() + 1);
            }
            let (share, z) = (f64::from(done) / 2.0, sum / f64::from(done).sqrt());
            match bounds.decide(share, z) {
                Decision::Continue => {}
                decision => return decision == Decision::Significant,
            }
        }
    });
    (shown, f64::from(halves.get()) / rounds as f64)
}

#[test]
fn looks_do_what_their_integral_says() {
    let rare = Bounds::default();
    // Bounds that are reached often enough to count.
    let often = Bounds { z: 2.2, promising: 1.2, ..rare };
    for (bounds, effect) in [(often, 0.0), (often, 1.5), (rare, 2.5), (rare, 3.5), (rare, 4.5)] {
        let (shown, _) = looked_at(&bounds, effect, 9);
        let power = bounds.power(effect);
        assert!((shown - power).abs() < 0.01, "{bounds:?} {effect}: {shown} {power}");
    }
    assert!((4.3e-4..5.3e-4).contains(&rare.power(0.0)), "{}", rare.power(0.0));
    let half_and_whole = Bounds { z: 3.5, futile: 1.0, most: 1, ..rare };
    assert!((4.3e-4..5.3e-4).contains(&half_and_whole.power(0.0)));
    let pairs = 4.0 * looked_at(&rare, 0.0, 9).1;
    assert!((5.9..6.3).contains(&pairs), "{pairs}");
}

#[test]
fn anytime_holds_at_every_moment() {
    let test = Anytime::new(1.0, 0.3).unwrap();
    let (mut rejected, mut missed) = (0, 0);
    let rounds = 2000;
    let mut rng = stream(10, &[]);
    for _ in 0..rounds {
        let (mut sum, mut ever_rejected, mut ever_missed) = (0.0, false, false);
        for n in 1..=400u64 {
            sum += normal(&mut rng);
            let average = sum / n as f64;
            ever_rejected |= test.p(n, average) <= 0.05;
            ever_missed |= !test.interval(n, average, 0.95).unwrap().contains(0.0);
        }
        rejected += u32::from(ever_rejected);
        missed += u32::from(ever_missed);
    }
    assert_eq!(rejected, missed);
    // A test of 0.05 looked at 400 times without correction would be far above a third.
    within(f64::from(rejected) / f64::from(rounds), 0.005, 0.07);
    let power = share(11, 500, |rng| {
        let mut sum = 0.0;
        (1..=400u64).any(|n| {
            sum += 0.3 + normal(rng);
            test.p(n, sum / n as f64) <= 0.05
        })
    });
    assert!(power > 0.99, "{power}");
}

#[test]
fn false_discoveries_stay_below_q() {
    let mut rng = stream(12, &[]);
    let mut sum = 0.0;
    let rounds = 600;
    for _ in 0..rounds {
        // 300 queries, 30 of them slower by 4 standard errors.
        let p: Vec<Option<f64>> = (0..300)
            .map(|i| normal(&mut rng) + if i < 30 { 4.0 } else { 0.0 })
            .map(|z| Some(2.0 * entasis_stats::distribution::normal_tail(z.abs())))
            .collect();
        let adjusted = benjamini_hochberg(&p).unwrap();
        let found = |range: std::ops::Range<usize>| range.filter(|&i| adjusted[i] <= 0.05).count();
        let (real, wrong) = (found(0..30), found(30..300));
        sum += wrong as f64 / (real + wrong).max(1) as f64;
    }
    // Expected: q times the share of true nulls, 0.045.
    within(sum / f64::from(rounds), 0.035, 0.052);
}

#[test]
fn equivalence_at_the_margin_is_claimed_at_its_level() {
    let claimed = share(13, 8000, |rng| {
        let d: Vec<f64> = normals(rng, 12).iter().map(|z| 0.01 + 0.004 * z).collect();
        let se = (variance(&d).unwrap() / 12.0).sqrt();
        tost(mean(&d), se, 11.0, 0.01, 0.05).unwrap().equivalent
    });
    within(claimed, 0.04, 0.06);
}

#[test]
fn minimum_detectable_effect_is_detected_with_its_power() {
    let demand = Demand { alpha: 0.01, power: 0.9 };
    let effect = demand.mde(0.2).unwrap();
    let bound = 0.2 * entasis_stats::distribution::normal_quantile(0.995);
    let found = share(14, 20_000, |rng| (effect + 0.2 * normal(rng)).abs() >= bound);
    within(found, 0.89, 0.91);
}

#[test]
fn geometric_mean_intervals_cover() {
    let covered = share(15, 800, |rng| {
        let tests: Vec<Vec<f64>> = (0..40)
            .map(|i| {
                let test = 0.02 * normal(rng);
                (0..=(i % 7)).map(|_| 0.01 + test + 0.01 * normal(rng)).collect()
            })
            .collect();
        let found = geometric_mean(&tests, Weight::Test, 0.95, DRAWS).unwrap();
        found.interval.contains(0.01)
    });
    within(covered, 0.91, 0.97);
}

#[test]
fn wilson_covers_every_proportion() {
    // Exactly, by the binomial distribution: its mean coverage is close to the nominal one.
    let n = 200;
    let intervals: Vec<_> = (0..=n).map(|k| wilson(k, n, 0.95).unwrap()).collect();
    let (mut sum, mut least) = (0.0, 1.0f64);
    for i in 1..100 {
        let p = f64::from(i) / 100.0;
        let at =
            |k: u64| binomial_cdf(k, n, p) - if k == 0 { 0.0 } else { binomial_cdf(k - 1, n, p) };
        let covered = (0..=n).filter(|&k| intervals[k as usize].contains(p)).map(at).sum::<f64>();
        sum += covered;
        least = least.min(covered);
    }
    within(sum / 99.0, 0.945, 0.955);
    assert!(least > 0.90, "{least}");
}
