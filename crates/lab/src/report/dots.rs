//! The runs of one query and metric in a form that is small enough for a page: 16 bits each.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use entasis_stats::location::median;
use entasis_stats::schedule::Side;
use serde_json::{Value, json};

use crate::measure::Sample;

/// Steps of a value's log ratio to the median: 0.012 % each; 16 bits reach a factor of 54.
const STEPS: f64 = 8192.0;
/// What stands for a value that has no logarithm.
const NONE: i16 = i16::MIN;

/// `[median, [stage, process, sides, ...], values]`: `sides` has a 0 (old) or a 1 (new) per run in
/// the order in which the runs took place, `values` their steps from the median as 16-bit
/// little-endian integers in base64. Samples come in the order stage, process, run. `None` without
/// any, or if no value is positive.
pub fn dots(samples: &[&Sample]) -> Option<Value> {
    let values: Vec<f64> = samples.iter().map(|s| s.value).filter(|value| *value > 0.0).collect();
    let middle = median(&values).ok()?;
    let mut blocks = Vec::new();
    for block in samples.chunk_by(|a, b| (a.stage, a.process) == (b.stage, b.process)) {
        let digit = |s: &&Sample| if s.side == Side::Old { '0' } else { '1' };
        blocks.push(json!(block[0].stage));
        blocks.push(json!(block[0].process));
        blocks.push(json!(block.iter().map(digit).collect::<String>()));
    }
    let bytes: Vec<u8> = samples.iter().flat_map(|s| step(s.value, middle).to_le_bytes()).collect();
    Some(json!([middle, blocks, STANDARD.encode(bytes)]))
}

fn step(value: f64, middle: f64) -> i16 {
    let most = f64::from(i16::MAX);
    let steps = ((value / middle).ln() * STEPS).round();
    if steps.is_nan() || value <= 0.0 { NONE } else { steps.clamp(-most, most) as i16 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_again() {
        let values = [0.1, 0.2, 0.0, 0.1001];
        let samples: Vec<Sample> = (0u16..)
            .zip(values)
            .map(|(run, value)| {
                let side = if run % 2 == 0 { Side::Old } else { Side::New };
                let process = u16::from(run > 1);
                Sample { unit: 0, side, stage: 2, process, run, metric: 0, value }
            })
            .collect();
        let found = dots(&samples.iter().collect::<Vec<_>>()).unwrap();
        assert_eq!(found[1], json!([2, 0, "01", 2, 1, "01"]));
        let bytes = STANDARD.decode(found[2].as_str().unwrap()).unwrap();
        let middle = found[0].as_f64().unwrap();
        for (pair, value) in bytes.chunks(2).zip(values) {
            let step = i16::from_le_bytes([pair[0], pair[1]]);
            if value == 0.0 {
                assert_eq!(step, NONE);
            } else {
                let back = middle * (f64::from(step) / STEPS).exp();
                assert!((back / value - 1.0).abs() < 1e-4, "{back} {value}");
            }
        }
        assert!(dots(&[]).is_none());
    }
}
