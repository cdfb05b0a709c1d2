//! Compares the machine code of both builds for the functions that explain a difference. If it is
//! the same, the place of the code is the cause and not its work. Also chooses the functions to
//! show.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;

use entasis_base::Result;

use super::causes::Evidence;
use crate::measure::{Leaf, Leaves};
use crate::target::{Source, Target};
use crate::why::asm::{Builds, Place};
use crate::why::symbol;

/// Names of one function in both symbol tables; empty where a side has no samples of it.
type Names = [String; 2];

/// Functions that are shown at most: each is disassembled and modelled.
const SHOWN: usize = 20;

/// Both sides' binaries, with their symbol tables; none where the sides are not two binaries.
pub(super) fn builds<'a>(sides: &'a [Target; 2], path: &'a OsStr) -> Result<Option<Builds<'a>>> {
    let [Source::Binary(old), Source::Binary(new)] = sides.each_ref().map(|side| &side.source)
    else {
        return Ok(None);
    };
    Builds::open([old, new], path).map(Some)
}

/// By unit: its functions, and those that call them. Units without any are left out.
pub(super) fn names(
    explained: &BTreeMap<u32, Vec<String>>,
    evidence: &HashMap<u32, Evidence>,
) -> BTreeMap<u32, BTreeSet<Names>> {
    let of_unit = |(unit, functions): (&u32, &Vec<String>)| {
        let leaves = &evidence.get(unit)?.leaves;
        let names = functions.iter().flat_map(|function| hottest(leaves, function));
        let names: BTreeSet<Names> = names.collect();
        (!names.is_empty()).then_some((*unit, names))
    };
    explained.iter().filter_map(of_unit).collect()
}

/// By unit: whether all these functions are the same on both sides. A unit of which nothing can be
/// said is left out.
pub(super) fn identical(
    builds: &Builds<'_>,
    names: BTreeMap<u32, BTreeSet<Names>>,
) -> HashMap<u32, bool> {
    let all: BTreeSet<Names> = names.values().flatten().cloned().collect();
    let same = builds.same_code(&all);
    let of_unit = |(unit, names): (u32, BTreeSet<Names>)| {
        let answers: Vec<bool> = names.iter().filter_map(|names| same[names]).collect();
        (!answers.is_empty()).then(|| (unit, answers.iter().all(|same| *same)))
    };
    names.into_iter().filter_map(of_unit).collect()
}

/// A query's function whose code is to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    /// The query.
    pub unit: u32,
    /// The function, as profiles name it.
    pub function: String,
    /// The instance with the most samples on each side, as symbol tables name it.
    pub names: Names,
}

/// What to show of which query: the first of its functions that both builds have, as far as
/// profiles of both sides saw it. Units come in the order of `units`; when there are enough
/// functions, only these are looked for.
pub(super) fn asked(
    units: &[usize],
    explained: &BTreeMap<u32, Vec<String>>,
    evidence: &HashMap<u32, Evidence>,
    has: &dyn Fn(&Names) -> bool,
) -> Vec<Asked> {
    let mut distinct: BTreeSet<Names> = BTreeSet::new();
    let mut all = Vec::new();
    for unit in units.iter().map(|unit| *unit as u32) {
        let known = explained.get(&unit).zip(evidence.get(&unit));
        let first = known.and_then(|(functions, of)| {
            functions.iter().find_map(|function| {
                let names = hottest(&of.leaves, function).into_iter().next()?;
                // Symbol tables are long: they are not asked for what there is no room for.
                let shown = distinct.contains(&names) || distinct.len() < SHOWN && has(&names);
                shown.then(|| Asked { unit, function: function.clone(), names })
            })
        });
        let Some(first) = first else { continue };
        distinct.insert(first.names.clone());
        all.push(first);
    }
    all
}

/// Where both sides' profiles found a query at work, by process.
pub(super) fn places(leaves: &[Vec<Leaves>; 2]) -> [Vec<Vec<Place<'_>>>; 2] {
    leaves
        .each_ref()
        .map(|side| side.iter().map(|leaves| leaves.iter().map(place).collect()).collect())
}

fn place(leaf: &Leaf) -> Place<'_> {
    Place { symbol: &leaf.names[0], address: leaf.address, samples: leaf.samples }
}

/// A function's instance on both sides, and the instance that calls it, where both sides have one:
/// those with the most samples of both sides together. A function that one side has no sample of
/// is that side's with an empty name beside it.
fn hottest(leaves: &[Vec<Leaves>; 2], function: &str) -> Vec<Names> {
    let of = |leaf: &&Leaf| symbol::normal(&leaf.names[0]) == function;
    let found = leaves.each_ref().map(|side| side.iter().flatten().filter(of).collect::<Vec<_>>());
    let own = found.each_ref().map(|side| sums(side.iter().copied(), 0));
    let Some(leaf) = common(&own) else {
        let alone = own.map(|sums| most(&sums).unwrap_or_default());
        return if alone.iter().all(String::is_empty) { Vec::new() } else { vec![alone] };
    };
    let callers = [0, 1]
        .map(|at| sums(found[at].iter().copied().filter(|called| called.names[0] == leaf[at]), 1));
    [Some(leaf), common(&callers)].into_iter().flatten().collect()
}

/// Samples by the name of a leaf, 0, or of what calls it, 1.
fn sums<'a>(leaves: impl Iterator<Item = &'a Leaf>, name: usize) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for leaf in leaves.filter(|leaf| !leaf.names[name].is_empty()) {
        *sums.entry(leaf.names[name].clone()).or_default() += leaf.samples;
    }
    sums
}

/// What both sides have with the most samples of both: by its symbol, else by its name without
/// hashes, of which each side's symbol with the most samples stands. None where sides share none.
fn common(sides: &[BTreeMap<String, u64>; 2]) -> Option<Names> {
    let shared = |[old, new]: &[BTreeMap<String, u64>; 2]| {
        let sums = old.iter().filter_map(|(name, n)| Some((name.clone(), n + new.get(name)?)));
        most(&sums.collect())
    };
    if let Some(symbol) = shared(sides) {
        return Some([symbol.clone(), symbol]);
    }
    let normal = sides.each_ref().map(|side| {
        let mut sums: BTreeMap<String, u64> = BTreeMap::new();
        side.iter().for_each(|(name, n)| *sums.entry(symbol::normal(name)).or_default() += n);
        sums
    });
    let name = shared(&normal)?;
    let of_name = |side: &BTreeMap<String, u64>| {
        let own = side.iter().filter(|(symbol, _)| symbol::normal(symbol) == name);
        most(&own.map(|(symbol, n)| (symbol.clone(), *n)).collect())
    };
    Some([of_name(&sides[0])?, of_name(&sides[1])?])
}

/// The name with the most samples, the first of those with as many.
fn most(sums: &BTreeMap<String, u64>) -> Option<String> {
    let first = sums.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)));
    first.map(|(name, _)| name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row a sample of a process of its own.
    fn leaves(rows: &[(&str, &str, u64)]) -> Vec<Leaves> {
        let leaf = |(leaf, caller, samples): &(&str, &str, u64)| Leaf {
            names: [leaf, caller].map(|name| (*name).to_owned()),
            address: 0,
            samples: *samples,
        };
        rows.iter().map(|row| vec![leaf(row)]).collect()
    }

    #[test]
    fn the_instance_with_the_most_samples_stands_for_a_function() {
        let [a, b] = ["_ZN4simd3sum17h0123456789abcdefE", "_ZN4simd3sum17h1123456789abcdefE"];
        let old = leaves(&[(a, "x", 3), (b, "x", 2), (b, "y", 4), ("other", "x", 90)]);
        let new = leaves(&[(a, "z", 3)]);
        let names = |old: &str, new: &str| [old.to_owned(), new.to_owned()];
        let both = [old, new];
        assert_eq!(hottest(&both, "simd::sum"), [names(a, a)], "what both have; nobody calls both");
        assert_eq!(hottest(&both, "other"), [names("other", "")]);
        assert!(hottest(&both, "nothing").is_empty());
        // Callers that are nearly as frequent are the same one on both sides, whichever it is.
        let near = [leaves(&[(a, "x", 5), (a, "y", 4)]), leaves(&[(b, "x", 4), (b, "y", 6)])];
        assert_eq!(hottest(&near, "simd::sum"), [names(a, b), names("y", "y")]);
    }

    #[test]
    fn sides_without_binaries_say_nothing() {
        let sides = ["in-process", "in-process"].map(|text| Target::parse(text).unwrap());
        assert!(builds(&sides, OsStr::new("")).unwrap().is_none());
        let explained = BTreeMap::from([(0, vec!["f".to_owned()])]);
        assert!(names(&explained, &HashMap::new()).is_empty());
    }

    #[test]
    fn the_first_function_that_both_builds_have_is_shown() {
        let of = |old: Vec<Leaves>, new: Vec<Leaves>| Evidence {
            leaves: [old, new],
            ..Evidence::default()
        };
        let both = |name: &str| {
            let rows = [(name, "x", 3), ("memcpy", "x", 9)];
            of(leaves(&rows), leaves(&rows))
        };
        let mut evidence: HashMap<u32, Evidence> = HashMap::new();
        let mut explained: BTreeMap<u32, Vec<String>> = BTreeMap::new();
        let count = SHOWN as u32 + 3;
        for unit in 0..count {
            let name = format!("f{unit}");
            evidence.insert(unit, both(&name));
            explained.insert(unit, vec!["memcpy".to_owned(), name]);
        }
        // The same function as another query's; one that one side's profile has; none at all.
        evidence.insert(count, both("f0"));
        explained.insert(count, vec!["f0".to_owned()]);
        evidence.insert(count + 1, of(leaves(&[("g", "x", 1)]), leaves(&[("memcpy", "x", 1)])));
        explained.insert(count + 1, vec!["g".to_owned(), "memcpy".to_owned()]);
        let units: Vec<usize> = (0..count as usize + 3).rev().collect();
        let has = |names: &Names| names.iter().all(|name| !name.is_empty() && name != "memcpy");
        let asked = asked(&units, &explained, &evidence, &has);
        let found: Vec<(u32, &str)> = asked.iter().map(|a| (a.unit, a.function.as_str())).collect();
        assert_eq!(found[..2], [(count, "f0"), (count - 1, "f22")], "the largest change first");
        // The last one has the function of the first one.
        assert_eq!((found.len(), found[SHOWN]), (SHOWN + 1, (0, "f0")));
        assert_eq!(asked[0].names, ["f0", "f0"]);
    }
}
