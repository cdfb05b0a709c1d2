//! Queries without a single time: their processes fall into two groups, which are fixed when a
//! process starts.

use entasis_base::Result;
use entasis_stats::bimodal::{Rule, two_clusters};
use entasis_stats::location::median;
use entasis_stats::paired;
use entasis_stats::sample::logs;

/// Fewer processes show two modes by chance (see [`Rule::bimodal`]).
const PROCESSES: usize = 8;

/// Whether a side's processes fall into two groups further apart than an effect of interest, and
/// the differences between the sides go with the groups: an hour in which the host is slow moves
/// both sides of a pair, and says nothing of the query. Where both sides have groups each draws its
/// own, so that differences have three heights.
pub(super) fn two_modes(old: &[Vec<f64>], new: &[Vec<f64>], least_effect: f64) -> Result<bool> {
    if old.len().min(new.len()) < PROCESSES {
        return Ok(false);
    }
    // Modes of a few percent are noise that the pairs' variance covers.
    let rule = Rule::new((3.0 * least_effect).max(0.03));
    let [old_modes, new_modes] = [modes(old, &rule)?, modes(new, &rule)?];
    let gap = old_modes.gap.max(new_modes.gap);
    let moves = new_modes.heights.iter().zip(&old_modes.heights).map(|(new, old)| new - old);
    let moves: Vec<f64> = moves.collect();
    let apart = moves.iter().copied().fold(f64::NEG_INFINITY, f64::max)
        - moves.iter().copied().fold(f64::INFINITY, f64::min);
    if gap <= 0.0 || apart < gap / 2.0 {
        return Ok(false);
    }
    let differences = paired::differences(old, new)?;
    let left: Vec<f64> = differences.iter().zip(&moves).map(|(d, moved)| d - moved).collect();
    let rest = paired::pair_variance(&left).map_or(f64::INFINITY, |(variance, _)| variance.sqrt());
    Ok(gap > rule.ratio * rest)
}

/// Whether all pairs of processes differ the same way by an effect of interest or more: whichever
/// modes they drew, the answer is one.
pub(super) fn one_way(old: &[Vec<f64>], new: &[Vec<f64>], least_effect: f64) -> Result<bool> {
    let differences = paired::differences(old, new)?;
    let beyond = |way: f64| differences.iter().all(|d| way * d >= least_effect);
    Ok(!differences.is_empty() && (beyond(1.0) || beyond(-1.0)))
}

/// The groups of a side's processes.
struct Modes {
    /// How far they are apart, a log ratio; 0 where there is one.
    gap: f64,
    /// Of each process, how far its group lies above the lower one.
    heights: Vec<f64>,
}

fn modes(side: &[Vec<f64>], rule: &Rule) -> Result<Modes> {
    let levels = side.iter().map(|runs| median(&logs("process", runs)?));
    let levels: Vec<f64> = levels.collect::<Result<_>>()?;
    let found = two_clusters(&levels)?.filter(|clusters| rule.bimodal(clusters));
    let Some(found) = found else {
        return Ok(Modes { gap: 0.0, heights: vec![0.0; levels.len()] });
    };
    let (gap, middle) = (found.high - found.low, f64::midpoint(found.low, found.high));
    let heights = levels.iter().map(|level| if *level > middle { gap } else { 0.0 });
    Ok(Modes { gap, heights: heights.collect() })
}

#[cfg(test)]
mod tests {
    use entasis_base::clock::Rng;
    use entasis_stats::rng::{normal, stream};
    use entasis_stats::verdict::Verdict;

    use crate::verdict::{Judged, Known, Rules, Subject, Trial, judge};

    /// So many processes of each side, which draw one of two modes when they start: new ones are
    /// slower by `effect`.
    fn drawn(rng: &mut Rng, effect: f64, [old_gap, new_gap]: [f64; 2]) -> Judged {
        let mut side = |pairs: usize, level: f64, gap: f64| -> Vec<Vec<f64>> {
            let mut process = || {
                let mode = if normal(rng) > 0.0 { gap } else { 0.0 };
                let level = level + mode + 0.003 * normal(rng);
                (0..3).map(|_| (level + 0.005 * normal(rng)).exp()).collect()
            };
            (0..pairs).map(|_| process()).collect()
        };
        let first = (side(1, 0.0, 0.0), side(1, effect, 0.0));
        let second = (side(8, 0.0, old_gap), side(8, effect, new_gap));
        let rules = Rules::default();
        let subject = Subject { unit: 0, least_effect: rules.least_effect };
        let trial = Trial { subject, first, second, known: Known::default() };
        judge(&[trial], 0, &rules, 1).unwrap().remove(0)
    }

    #[test]
    fn modes_that_both_sides_draw_are_told() {
        let mut rng = stream(11, &[]);
        let (mut told, mut chance) = (0, 0);
        for _ in 0..400 {
            let mut bimodal = |gap| drawn(&mut rng, 0.0, [gap; 2]).verdict == Verdict::Bimodal;
            told += u32::from(bimodal(0.17));
            chance += u32::from(bimodal(0.0));
        }
        // One side or the other shows both modes twice or more in 99 of 100 cases.
        assert!(told >= 380 && chance == 0, "{told} {chance}");
    }

    #[test]
    fn modes_of_equal_sides_are_hardly_ever_flagged() {
        let mut rng = stream(12, &[]);
        let (mut flagged, mut noted) = (0, 0);
        for gap in [0.1, 0.15, 0.2] {
            for _ in 0..400 {
                let judged = drawn(&mut rng, 0.0, [gap; 2]);
                let wrong = matches!(judged.verdict, Verdict::Slower | Verdict::Faster);
                flagged += u32::from(wrong);
                noted += u32::from(wrong && judged.modes);
            }
        }
        // Modes that no side shows twice are no modes: 15 of 12,000 are flagged so.
        assert!(flagged <= 8 && noted == 0, "{flagged} {noted}");
    }

    #[test]
    fn a_slowdown_of_any_size_is_told_whatever_the_modes() {
        let mut rng = stream(13, &[]);
        let (mut slower, mut noted) = (0, 0);
        for _ in 0..200 {
            // 100 ms, and 200 or 208.
            let judged = drawn(&mut rng, 2f64.ln(), [0.0, 1.04f64.ln()]);
            slower += u32::from(judged.verdict == Verdict::Slower);
            noted += u32::from(judged.modes);
        }
        // Nearly half of them were called bimodal, and nothing slower.
        assert!(slower == 200 && (50..150).contains(&noted), "{slower} {noted}");
    }
}
