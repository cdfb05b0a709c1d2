//! Queries that have no one time: their processes fall into two groups, fixed when they start.

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
    use entasis_stats::rng::{normal, stream};
    use entasis_stats::verdict::Verdict;

    use crate::verdict::{Known, Rules, Subject, Trial, judge};

    #[test]
    fn modes_that_both_sides_draw_are_told() {
        let rules = Rules::default();
        let subject = Subject { unit: 0, least_effect: rules.least_effect };
        let mut rng = stream(11, &[]);
        let (mut told, mut chance) = (0, 0);
        for _ in 0..400 {
            let mut side = |pairs: usize, gap: f64| -> Vec<Vec<f64>> {
                let mut process = || {
                    let mode = if normal(&mut rng) > 0.0 { gap } else { 0.0 };
                    let level = mode + 0.003 * normal(&mut rng);
                    (0..3).map(|_| (level + 0.005 * normal(&mut rng)).exp()).collect()
                };
                (0..pairs).map(|_| process()).collect()
            };
            let mut bimodal = |gap: f64| {
                let (first, second) = ((side(1, 0.0), side(1, 0.0)), (side(8, gap), side(8, gap)));
                let trial = Trial { subject, first, second, known: Known::default() };
                judge(&[trial], 0, &rules, 1).unwrap()[0].verdict == Verdict::Bimodal
            };
            told += u32::from(bimodal(0.17));
            chance += u32::from(bimodal(0.0));
        }
        // One side or the other shows both modes twice or more in 99 of 100 cases.
        assert!(told >= 380 && chance == 0, "{told} {chance}");
    }
}
