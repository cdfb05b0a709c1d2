//! The parts of a comparison that are stored: texts and numbers that have columns in a table.

use super::super::symbol;
use super::{Comparison, Loop, Side};

/// The hot loops of a function in two builds, and what a model of processors says of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Excerpt {
    /// The function, as people write the symbol that was looked at.
    pub function: String,
    /// Whether all of it has the same instructions in both builds, addresses aside.
    pub same: bool,
    /// The loop of the old and of the new build: an instruction a line, with its distance from the
    /// function's beginning. Empty where there is no loop.
    pub loops: [String; 2],
    /// Processors that the model was asked about, by LLVM's names.
    pub cpus: Vec<String>,
    /// Cycles of an iteration of the old and of the new loop, by processor; NaN where the model has
    /// none.
    pub cycles: [Vec<f64>; 2],
    /// What the model leaves out and what it refuses, a line each.
    pub note: String,
}

impl Excerpt {
    /// Of a comparison; `function` is its name where the builds do not agree on one, as they
    /// number closures differently.
    pub fn new(function: &str, found: &Comparison) -> Self {
        let sides = found.sides.each_ref();
        let [old, new] = sides.map(|side| symbol::readable(&side.function.symbol));
        let any = sides.iter().any(|side| side.hot.is_some());
        let cpus = if any { found.cpus.clone() } else { Vec::new() };
        Self {
            function: if old == new { old } else { function.to_owned() },
            same: found.same_code(),
            loops: sides.map(|side| side.hot.as_ref().map(text).unwrap_or_default()),
            cycles: sides.map(|side| cycles(side, cpus.len())),
            cpus,
            note: notes(found).join("\n"),
        }
    }
}

fn text(hot: &Loop) -> String {
    let lines = hot.body.iter().map(|(offset, text)| format!("+{offset:<#7x} {text}"));
    lines.collect::<Vec<String>>().join("\n")
}

fn cycles(side: &Side, cpus: usize) -> Vec<f64> {
    let of = |at: usize| {
        let prediction = side.hot.as_ref()?.predictions.get(at)?.as_ref().ok()?;
        Some(prediction.cycles)
    };
    (0..cpus).map(|at| of(at).unwrap_or(f64::NAN)).collect()
}

/// What is to be known beside the numbers.
fn notes(found: &Comparison) -> Vec<String> {
    let mut notes = Vec::new();
    for (name, side) in ["old", "new"].iter().zip(&found.sides) {
        let Some(hot) = &side.hot else {
            notes.push(format!("{name}: no loop"));
            continue;
        };
        if side.loops > 1 {
            let (number, count, why) = (hot.number, side.loops, hot.choice.words());
            notes.push(format!("{name}: loop {number} of {count}: {why}"));
        }
        let refused = hot.predictions.iter().filter_map(|prediction| prediction.as_ref().err());
        notes.extend(hot.warnings.iter().chain(refused).map(|text| format!("{name}: {text}")));
    }
    notes.extend(found.lengths().filter(|_| found.sides.iter().all(|side| side.hot.is_some())));
    notes
}

#[cfg(test)]
mod tests {
    use super::super::{Choice, Function, Prediction};
    use super::*;

    fn side(hash: &str, code: u64, hot: Option<Loop>) -> Side {
        let function = Function {
            address: 0x1000,
            section: ".text".to_owned(),
            size: 0x20,
            symbol: format!("_ZN4simd3sum17h{hash}E"),
        };
        Side { binary: "a".into(), function, instructions: 9, code, loops: 2, hot }
    }

    fn hot(body: &[(u64, &str)], cycles: Option<f64>) -> Loop {
        let prediction = |cycles| Prediction {
            cycles,
            block_throughput: 1.0,
            uops: 2.0,
            ipc: 2.0,
            bottleneck: "none found".to_owned(),
        };
        Loop {
            number: 2,
            choice: Choice::Longest,
            body: body.iter().map(|(at, text)| (*at, (*text).to_owned())).collect(),
            warnings: vec!["1 call left out of the model: f".to_owned()],
            predictions: vec![cycles.map(prediction).ok_or("no such cpu".to_owned())],
        }
    }

    #[test]
    fn loops_become_texts_and_numbers() {
        let old = hot(&[(0x10, "incq %rax"), (0x13, "jne +0x10")], Some(1.25));
        let new = hot(&[(0x14, "jne +0x14")], None);
        let sides =
            [side("0123456789abcdef", 1, Some(old)), side("1123456789abcdef", 2, Some(new))];
        let mut found = Comparison { sides, cpus: vec!["skylake".to_owned()], note: None };
        let excerpt = Excerpt::new("sum", &found);
        assert_eq!((excerpt.function.as_str(), excerpt.same), ("simd::sum", false));
        let texts = ["+0x10    incq %rax\n+0x13    jne +0x10", "+0x14    jne +0x14"];
        assert_eq!(excerpt.loops, texts);
        assert_eq!((excerpt.cycles[0][0], excerpt.cycles[1][0].is_nan()), (1.25, true));
        let lines: Vec<&str> = excerpt.note.lines().collect();
        let why = "the longest innermost one, as there are no samples in any";
        assert_eq!(lines[0], format!("old: loop 2 of 2: {why}"));
        assert_eq!(lines[1], "old: 1 call left out of the model: f");
        assert_eq!(lines[4], "new: no such cpu");
        assert!(lines[5].starts_with("The loops have 2 and 1 instructions"), "{lines:?}");
        // Without loops there is nothing to model.
        for side in &mut found.sides {
            (side.code, side.hot) = (7, None);
        }
        let bare = Excerpt::new("sum", &found);
        assert!(bare.same && bare.cpus.is_empty(), "{bare:?}");
        assert!(bare.loops.iter().all(String::is_empty), "{bare:?}");
        assert!(bare.cycles.iter().all(Vec::is_empty), "{bare:?}");
        assert_eq!(bare.note, "old: no loop\nnew: no loop");
    }
}
