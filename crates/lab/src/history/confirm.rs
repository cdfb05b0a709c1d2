//! From candidates of the scan to steps.

use entasis_base::Result;
use entasis_stats::change::{Change, Rules, changes};
use entasis_stats::location::median;
use entasis_stats::shift::{shift, shift_interval};

use super::{Candidate, Point, Step};

/// Smallest step of interest, a log ratio: about 2 %.
const LEAST_STEP: f64 = 0.02;
/// Points on each side that a step's size is taken from. More would mix in slow drift.
const NEAR: usize = 30;
/// A place is known to some points only, the fewer the clearer the step is.
const FEWEST_APART: usize = 3;
/// A ratio stands out if it is so many times the median distance away from the median: three
/// deviations of normal noise.
const OUTSTANDING: f64 = 3.0 * 1.4826;

/// The steps of a series in the order of time: candidates that E-divisive (segments of three points
/// or more, p below 0.001) confirms close by and in the same direction, each at the place that
/// E-divisive gives. Candidates whose run is not among the points are left out. Time is that of
/// `changes`.
pub fn confirm(points: &[Point], candidates: &[Candidate]) -> Result<Vec<Step>> {
    let levels: Vec<f64> = points.iter().map(|point| point.level).collect();
    let rules = Rules { least_step: LEAST_STEP, ..Rules::default() };
    let changes = changes(&levels, &rules)?;
    let mut order: Vec<(usize, &Candidate)> = candidates
        .iter()
        .filter_map(|c| Some((points.iter().position(|point| point.run == c.run)?, c)))
        .collect();
    // The clearest candidate has the first choice; the others of its step find it taken.
    order.sort_by(|a, b| b.1.z.abs().total_cmp(&a.1.z.abs()));
    let mut taken = vec![None; changes.len()];
    for (place, candidate) in order {
        let close = |i: &usize| {
            let change = &changes[*i];
            taken[*i].is_none()
                && change.at.abs_diff(place) <= FEWEST_APART.max(candidate.window / 2)
                && (change.after > change.before) == (candidate.step > 0.0)
        };
        let nearest =
            (0..changes.len()).filter(close).min_by_key(|i| changes[*i].at.abs_diff(place));
        if let Some(i) = nearest {
            taken[i] = Some(candidate);
        }
    }
    let confirmed = taken.iter().enumerate().filter_map(|(i, c)| Some((i, (*c)?)));
    confirmed.map(|(i, candidate)| measure(points, &levels, &changes, i, candidate)).collect()
}

/// Size and evidence of change number `i`.
fn measure(
    points: &[Point],
    levels: &[f64],
    changes: &[Change],
    i: usize,
    candidate: &Candidate,
) -> Result<Step> {
    let at = changes[i].at;
    let start = if i == 0 { 0 } else { changes[i - 1].at }.max(at.saturating_sub(NEAR));
    let end = changes.get(i + 1).map_or(points.len(), |next| next.at).min(at + NEAR);
    let (before, after) = (&levels[start..at], &levels[at..end]);
    let theta = shift(before, after)?;
    let interval = shift_interval(before, after, 0.95)?;
    let paired = paired(&points[start..end], at - start, theta);
    let seen = paired.is_some_and(|ratio| ratio * theta.signum() >= theta.abs() / 2.0);
    Ok(Step {
        at,
        theta,
        interval,
        z: candidate.z,
        window: candidate.window,
        p: changes[i].p,
        paired,
        environment: candidate.everywhere && !seen,
    })
}

/// What pairs within runs say of a step `at` points into its neighbourhood: the shift of the ratios
/// (runs against one reference show it so), or the ratio of the run itself (runs against the commit
/// before), if that stands out of its neighbours; the one that says more for the step.
fn paired(near: &[Point], at: usize, theta: f64) -> Option<f64> {
    let ratios = |points: &[Point]| -> Vec<f64> { points.iter().filter_map(|p| p.ratio).collect() };
    let moved = shift(&ratios(&near[..at]), &ratios(&near[at..])).ok();
    let all = ratios(near);
    let own = near[at].ratio.filter(|own| {
        let Ok(middle) = median(&all) else { return false };
        let distances: Vec<f64> = all.iter().map(|ratio| (ratio - middle).abs()).collect();
        median(&distances).is_ok_and(|mad| (own - middle).abs() >= OUTSTANDING * mad)
    });
    let more = |a: &f64, b: &f64| (a * theta.signum()).total_cmp(&(b * theta.signum()));
    [own, moved].into_iter().flatten().max_by(more)
}

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_stats::rng::{normal, stream};

    /// Points at levels with noise of 1 %; ratios as of runs that compare a commit with the one
    /// before it: `code` is what changed in each.
    fn points(seed: u64, levels: &[f64], code: &[f64]) -> Vec<Point> {
        let mut rng = stream(seed, &[]);
        let point = |(i, (level, code)): (usize, (&f64, &f64))| {
            let level = level + 0.01 * normal(&mut rng);
            Point {
                run: format!("run-{i}"),
                time: i as f64,
                date: String::new(),
                host: "h".to_owned(),
                commits: [String::new(), String::new()],
                index: 0,
                value: level.exp(),
                interval: None,
                level,
                ratio: Some(code + 0.01 * normal(&mut rng)),
            }
        };
        levels.iter().zip(code).enumerate().map(point).collect()
    }

    fn candidate(at: usize, step: f64, everywhere: bool) -> Candidate {
        let z = 10.0 * step.signum();
        Candidate { run: format!("run-{at}"), window: 10, step, z, everywhere }
    }

    fn levels(n: usize, steps: &[(usize, f64)]) -> Vec<f64> {
        let sum = |i| steps.iter().filter(|(at, _)| i >= *at).map(|(_, step)| step).sum();
        (0..n).map(sum).collect()
    }

    #[test]
    fn a_candidate_needs_a_change_close_by_and_in_its_direction() {
        let nothing = [0.0; 120];
        for seed in 0..20 {
            let all = points(seed, &levels(120, &[(50, 0.06), (90, -0.08)]), &nothing);
            let found = |candidates: &[Candidate]| -> Vec<usize> {
                confirm(&all, candidates).unwrap().iter().map(|step| step.at).collect()
            };
            let near = |at: usize, wanted: usize| at.abs_diff(wanted) <= 1;
            let both = found(&[candidate(51, 0.05, false), candidate(90, -0.08, false)]);
            assert!(both.len() == 2 && near(both[0], 50) && near(both[1], 90), "{both:?}");
            // Twice the same step, the wrong direction, too far away, a run that is not there.
            let twice = found(&[candidate(50, 0.06, false), candidate(52, 0.04, false)]);
            assert!(twice.len() == 1 && near(twice[0], 50), "{twice:?}");
            for wrong in [(50, -0.06), (70, 0.06), (500, 0.06)] {
                assert_eq!(found(&[candidate(wrong.0, wrong.1, false)]), [0usize; 0]);
            }
        }
        assert_eq!(confirm(&[], &[candidate(1, 0.1, false)]).unwrap(), []);
    }

    #[test]
    fn sizes_lie_in_their_intervals() {
        let mut inside = 0;
        for seed in 0..200 {
            let all = points(100 + seed, &levels(80, &[(40, 0.05)]), &[0.0; 80]);
            let found = confirm(&all, &[candidate(40, 0.05, false)]).unwrap();
            let [step] = found.as_slice() else { panic!("seed {seed}: {found:?}") };
            assert!((step.theta - 0.05).abs() < 0.015 && step.p < 0.001, "{step:?}");
            inside += u32::from(step.interval.contains(0.05));
        }
        assert!((180..=199).contains(&inside), "{inside} of 200");
    }

    #[test]
    fn pairs_tell_a_change_of_all_queries_from_one_of_the_machine() {
        let all = levels(80, &[(40, 0.06)]);
        let parent: Vec<f64> = (0..80).map(|i| if i == 40 { 0.06 } else { 0.0 }).collect();
        for (code, everywhere, environment) in [
            (vec![0.0; 80], true, true),
            (vec![0.0; 80], false, false),
            // Each commit with the one before it, and all with one that stays.
            (parent, true, false),
            (all.clone(), true, false),
        ] {
            let found =
                confirm(&points(7, &all, &code), &[candidate(40, 0.06, everywhere)]).unwrap();
            assert_eq!((found.len(), found[0].environment), (1, environment), "{code:?}");
        }
    }
}
