//! The differences of two profiles, function by function.
//!
//! Two normalisations answer two questions. Raw weights show what became cheaper or more expensive,
//! but mislead if one run was sampled longer or did more work. Scaled weights (the second profile
//! scaled to the total of the first) show what takes another share. Neither is better, so both are
//! available.

use std::collections::{BTreeMap, HashSet};

use crate::folded::Folded;

/// How the second profile's weights are compared with the first one's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Normalisation {
    /// As they are.
    Raw,
    /// Brought to equal totals.
    Scaled,
}

/// A function in both profiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Weight of stacks that it is the leaf of, before and after.
    pub own: [i64; 2],
    /// Weight of stacks that it is in, before and after.
    pub total: [i64; 2],
}

/// In which of the profiles a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Only in the second.
    Added,
    /// Only in the first.
    Removed,
    /// In both.
    Both,
}

impl Function {
    /// In which of the profiles it is.
    pub fn presence(&self) -> Presence {
        match self.total {
            [0, _] => Presence::Added,
            [_, 0] => Presence::Removed,
            _ => Presence::Both,
        }
    }
}

/// Two profiles, compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Weights of all stacks, before and after.
    pub totals: [i64; 2],
    /// All functions, by name.
    pub functions: Vec<Function>,
}

impl Difference {
    /// Compares two profiles. Stacks with a weight of zero or less do not count.
    pub fn new(before: &Folded, after: &Folded) -> Self {
        let mut functions: BTreeMap<&str, Function> = BTreeMap::new();
        for (side, profile) in [before, after].into_iter().enumerate() {
            for (stack, weight) in profile.stacks().filter(|&(_, weight)| weight > 0) {
                let mut seen = HashSet::new();
                for name in stack.split(';').filter(|name| seen.insert(*name)) {
                    entry(&mut functions, name).total[side] += weight;
                }
                let leaf = stack.rsplit(';').next().unwrap_or(stack);
                entry(&mut functions, leaf).own[side] += weight;
            }
        }
        let functions = functions.into_values().collect();
        Self { totals: [before.total(), after.total()], functions }
    }

    /// What the second profile's weights are multiplied by.
    pub fn factor(&self, normalisation: Normalisation) -> f64 {
        match (normalisation, self.totals) {
            (Normalisation::Scaled, [before, after]) if before > 0 && after > 0 => {
                before as f64 / after as f64
            }
            _ => 1.0,
        }
    }

    /// How much a pair of weights grew.
    pub fn change(&self, [before, after]: [i64; 2], normalisation: Normalisation) -> f64 {
        after as f64 * self.factor(normalisation) - before as f64
    }
}

fn entry<'m, 'a>(
    functions: &'m mut BTreeMap<&'a str, Function>,
    name: &'a str,
) -> &'m mut Function {
    let new = || Function { name: name.to_owned(), own: [0; 2], total: [0; 2] };
    functions.entry(name).or_insert_with(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_normalisations_by_known_numbers() {
        let before = Folded::parse("main;scan 60\nmain;sort 30\nmain;sort;sort 10\n").0;
        let after = Folded::parse("main;scan 40\nmain;sort 150\nmain;hash 10\n").0;
        let difference = Difference::new(&before, &after);
        assert_eq!(difference.totals, [100, 200]);
        let by_name = |name: &str| difference.functions.iter().find(|f| f.name == name).unwrap();
        let (scan, sort, hash) = (by_name("scan"), by_name("sort"), by_name("hash"));
        assert_eq!((sort.own, sort.total), ([40, 150], [40, 150]), "recursion counts once");
        assert_eq!((by_name("main").own, by_name("main").total), ([0, 0], [100, 200]));
        assert_eq!((scan.presence(), hash.presence()), (Presence::Both, Presence::Added));
        let changes = |normalisation| {
            [scan, sort, hash].map(|function| difference.change(function.total, normalisation))
        };
        assert_eq!(changes(Normalisation::Raw), [-20.0, 110.0, 10.0]);
        assert_eq!(changes(Normalisation::Scaled), [-40.0, 35.0, 5.0]);
        let back = Difference::new(&after, &before);
        assert!(back.functions.iter().any(|f| f.presence() == Presence::Removed));
    }

    #[test]
    fn an_empty_profile_scales_nothing() {
        let some = Folded::parse("a 3\n").0;
        let difference = Difference::new(&Folded::new(), &some);
        assert_eq!(difference.change([0, 3], Normalisation::Scaled), 3.0);
        assert_eq!(
            Difference::new(&some, &Folded::new()).functions[0].presence(),
            Presence::Removed
        );
    }
}
