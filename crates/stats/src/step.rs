//! The step score: a cheap scan of a history for places where the mean changed, which `change` then
//! confirms. The same formula can be written in SQL with window functions.

use entasis_base::Result;

use crate::sample::{bad, check, mean, variance};

/// The score of one place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Index of the first point after the step.
    pub at: usize,
    /// Points on each side.
    pub window: usize,
    /// Mean after less mean before.
    pub step: f64,
    /// The step over its standard error; infinite for a step without any variance.
    pub z: f64,
}

/// What counts as a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// Points on each side, several scales; 2 or more each.
    pub windows: Vec<usize>,
    /// |z| must exceed this.
    pub least_z: f64,
    /// |step| must reach this; 2 % for logarithms.
    pub least_step: f64,
}

impl Default for Rules {
    /// Windows of 5, 10 and 20, |z| > 5, 2 %.
    fn default() -> Self {
        Self { windows: vec![5, 10, 20], least_z: 5.0, least_step: 0.02 }
    }
}

/// The score of every place that has `window` points before and from it on:
/// `(after - before) / sqrt((variance before + variance after) / window)`. O(n * window) time,
/// each window anew, so that no rounding builds up along a series.
pub fn scores(series: &[f64], window: usize) -> Result<Vec<Step>> {
    check("step score", series, 0)?;
    if window < 2 {
        return Err(bad(format!("step score with windows of {window}: expected 2 points or more")));
    }
    let pairs = series.windows(window.saturating_mul(2)).enumerate();
    let score = |(start, pair): (usize, &[f64])| {
        let (before, after) = pair.split_at(window);
        let step = mean(after) - mean(before);
        let noise = variance(before).zip(variance(after)).map_or(0.0, |(b, a)| a + b);
        let z = if step == 0.0 { 0.0 } else { step / (noise / window as f64).sqrt() };
        Step { at: start + window, window, step, z }
    };
    Ok(pairs.map(score).collect())
}

/// The steps of a series in ascending order: places whose |z| is the largest within a window on
/// either side, over all windows; of two that are closer than their window, the one with the
/// larger |z| stays. O(n * sum of windows) time, plus the square of the number of steps.
pub fn steps(series: &[f64], rules: &Rules) -> Result<Vec<Step>> {
    let mut found: Vec<Step> = Vec::new();
    for &window in &rules.windows {
        let all = scores(series, window)?;
        let large = |s: &&Step| s.z.abs() > rules.least_z && s.step.abs() >= rules.least_step;
        found.extend(all.iter().filter(large));
    }
    found.sort_by(|a, b| b.z.abs().total_cmp(&a.z.abs()).then(a.at.cmp(&b.at)));
    let mut kept: Vec<Step> = Vec::new();
    for step in found {
        let near = |k: &Step| k.at.abs_diff(step.at) < k.window.max(step.window);
        if !kept.iter().any(near) {
            kept.push(step);
        }
    }
    kept.sort_by_key(|s| s.at);
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{normal, stream};

    #[test]
    fn score_by_hand() {
        let found = scores(&[1.0, 3.0, 5.0, 9.0], 2).unwrap();
        // Variances 2 and 8, step 5: 5 / sqrt(10 / 2).
        assert_eq!(found, [Step { at: 2, window: 2, step: 5.0, z: 5.0 / 5f64.sqrt() }]);
        assert_eq!(scores(&[1.0; 3], 2).unwrap(), []);
        assert_eq!(scores(&[1.0; 4], 2).unwrap()[0].z, 0.0);
        assert_eq!(scores(&[1.0, 1.0, 2.0, 2.0], 2).unwrap()[0].z, f64::INFINITY);
        assert!(scores(&[1.0; 9], 1).is_err() && scores(&[f64::NAN; 9], 2).is_err());
        assert_eq!(scores(&[1.0; 9], usize::MAX).unwrap(), []);
    }

    #[test]
    fn planted_steps_are_found_once() {
        let mut rng = stream(1, &[]);
        let mut series: Vec<f64> = (0..500).map(|_| 0.005 * normal(&mut rng)).collect();
        series[100..].iter_mut().for_each(|x| *x += 0.05);
        series[300..].iter_mut().for_each(|x| *x -= 0.08);
        let found = steps(&series, &Rules::default()).unwrap();
        let at: Vec<usize> = found.iter().map(|s| s.at).collect();
        assert!(at.len() == 2 && at[0].abs_diff(100) <= 1 && at[1].abs_diff(300) <= 1, "{at:?}");
        assert!(found[0].step > 0.0 && found[1].step < 0.0);
        // A step below the smallest of interest is none, however clear.
        let small: Vec<f64> = (0..100).map(|i| if i < 50 { 0.0 } else { 0.01 }).collect();
        assert_eq!(steps(&small, &Rules::default()).unwrap(), []);
    }
}
