//! Whether the functions that explain a difference have the same machine code in both builds: then
//! it is where they lie, not what they do.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use entasis_base::Result;

use super::causes::Evidence;
use crate::measure::Leaves;
use crate::target::{Source, Target};
use crate::why::{asm, symbol};

/// Names of one function in both symbol tables; empty where a side has no samples of it.
type Names = [String; 2];

/// By unit: whether its functions, and those that call them, are the same on both sides. A unit of
/// which nothing can be said is left out, as are all where the sides are not two binaries.
pub(super) fn identical(
    sides: &[Target; 2],
    explained: &BTreeMap<u32, Vec<String>>,
    evidence: &HashMap<u32, Evidence>,
) -> Result<HashMap<u32, bool>> {
    let [Source::Binary(old), Source::Binary(new)] = sides.each_ref().map(|side| &side.source)
    else {
        return Ok(HashMap::new());
    };
    let mut pairs: BTreeMap<u32, BTreeSet<Names>> = BTreeMap::new();
    for (unit, functions) in explained {
        if let Some(of) = evidence.get(unit) {
            let names = functions.iter().flat_map(|function| hottest(&of.leaves, function));
            pairs.insert(*unit, names.collect());
        }
    }
    let all: BTreeSet<Names> = pairs.values().flatten().cloned().collect();
    if all.is_empty() {
        return Ok(HashMap::new());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let binaries: [&Path; 2] = [old, new];
    let same = asm::same_code(binaries, &all, &path)?;
    let of_unit = |(unit, pairs): (u32, BTreeSet<Names>)| {
        let answers: Vec<bool> = pairs.iter().filter_map(|pair| same[pair]).collect();
        (!answers.is_empty()).then(|| (unit, answers.iter().all(|same| *same)))
    };
    Ok(pairs.into_iter().filter_map(of_unit).collect())
}

/// A function's instance with the most samples on each side, and the instance that calls it most.
fn hottest(leaves: &[Leaves; 2], function: &str) -> Vec<Names> {
    let mut found: [Names; 2] = Default::default();
    for (side, leaves) in leaves.iter().enumerate() {
        let of_function: Vec<(&Names, u64)> = leaves
            .iter()
            .filter(|(names, _)| symbol::normal(&names[0]) == function)
            .map(|(names, samples)| (names, *samples))
            .collect();
        let leaf = most(of_function.iter().map(|(names, samples)| (&names[0], *samples)));
        let callers = of_function.iter().filter(|(names, _)| Some(&names[0]) == leaf.as_ref());
        let caller = most(callers.map(|(names, samples)| (&names[1], *samples)));
        found[0][side] = leaf.unwrap_or_default();
        found[1][side] = caller.unwrap_or_default();
    }
    found.into_iter().filter(|names| names.iter().any(|name| !name.is_empty())).collect()
}

/// The name with the most samples, the first of those with as many.
fn most<'a>(samples: impl Iterator<Item = (&'a String, u64)>) -> Option<String> {
    let mut sums: BTreeMap<&String, u64> = BTreeMap::new();
    for (name, count) in samples {
        *sums.entry(name).or_default() += count;
    }
    let first = sums.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(a.0)));
    first.map(|(name, _)| name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(rows: &[(&str, &str, u64)]) -> Leaves {
        rows.iter().map(|(leaf, caller, n)| ([(*leaf).into(), (*caller).into()], *n)).collect()
    }

    #[test]
    fn the_instance_with_the_most_samples_stands_for_a_function() {
        let [a, b] = ["_ZN4simd3sum17h0123456789abcdefE", "_ZN4simd3sum17h1123456789abcdefE"];
        let old = leaves(&[(a, "x", 3), (b, "x", 2), (b, "y", 4), ("other", "x", 90)]);
        let new = leaves(&[(a, "z", 3)]);
        let names = |old: &str, new: &str| [old.to_owned(), new.to_owned()];
        let both = [old, new];
        assert_eq!(hottest(&both, "simd::sum"), [names(b, a), names("y", "z")]);
        assert_eq!(hottest(&both, "other"), [names("other", ""), names("x", "")]);
        assert!(hottest(&both, "nothing").is_empty());
    }

    #[test]
    fn sides_without_binaries_say_nothing() {
        let sides = ["in-process", "in-process"].map(|text| Target::parse(text).unwrap());
        let explained = BTreeMap::from([(0, vec!["f".to_owned()])]);
        assert!(identical(&sides, &explained, &HashMap::new()).unwrap().is_empty());
    }
}
