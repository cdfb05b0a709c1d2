//! Configurations that must not change a result, and a small set of them that covers all pairs of
//! choices.
//!
//! Bugs that depend on settings nearly always depend on one or two of them. Therefore not all
//! combinations are run, but a covering array, in which every choice of one factor occurs with
//! every choice of every other factor. It is built greedily and deterministically, starting with
//! the default configuration.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

/// The engine of tables that a case declares with `ENGINE = Memory`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Storage {
    /// As the case says.
    AsWritten,
    /// Rewritten to MergeTree.
    MergeTree,
    /// Rewritten to MergeTree, and the catalog is closed and opened between statements.
    Reopened,
}

/// One way to run a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Config {
    /// `max_threads`; 0 is the default.
    pub threads: u32,
    /// `max_block_size`; 0 is the default.
    pub block: u32,
    /// Whether the plan is optimised.
    pub optimise: bool,
    /// The tables' engine.
    pub storage: Storage,
    /// Whether the portable kernels are forced.
    pub portable: bool,
    /// Whether operators write everything possible to temporary files.
    pub spill: bool,
}

impl Config {
    /// The configuration of a user who sets nothing.
    pub const DEFAULT: Self = Self {
        threads: 0,
        block: 0,
        optimise: true,
        storage: Storage::AsWritten,
        portable: false,
        spill: false,
    };

    /// Arguments for `entasis local`; `path` is used when the catalog is opened again.
    pub fn args(&self, path: &Path) -> Vec<OsString> {
        let mut args: Vec<OsString> = Vec::new();
        if self.threads > 0 {
            args.push(format!("--max_threads={}", self.threads).into());
        }
        if self.block > 0 {
            args.push(format!("--max_block_size={}", self.block).into());
        }
        if !self.optimise {
            args.push("--query_plan_enable_optimizations=0".into());
        }
        if self.portable {
            args.push("--force_portable_kernels=1".into());
        }
        if self.spill {
            args.push("--max_bytes_before_external_group_by=1".into());
            args.push("--max_bytes_before_external_sort=1".into());
            args.push("--max_bytes_before_external_distinct=1".into());
            args.push("--max_bytes_before_external_join=1".into());
        }
        if self.storage == Storage::Reopened {
            args.push("--path".into());
            args.push(path.into());
            args.push("--reopen-between-statements".into());
        }
        args
    }

    /// The same configuration for a case that states the engines of its tables.
    #[must_use]
    pub fn as_written(self) -> Self {
        Self { storage: Storage::AsWritten, ..self }
    }

    /// The choice of each factor, as a number.
    fn choices(self) -> [usize; 6] {
        [
            self.threads as usize,
            self.block as usize,
            usize::from(self.optimise),
            self.storage as usize,
            usize::from(self.portable),
            usize::from(self.spill),
        ]
    }

    fn pairs(self) -> Vec<Pair> {
        let choices = self.choices();
        let mut pairs = Vec::new();
        for a in 0..choices.len() {
            for b in a + 1..choices.len() {
                pairs.push((a, choices[a], b, choices[b]));
            }
        }
        pairs
    }
}

type Pair = (usize, usize, usize, usize);

impl std::fmt::Display for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if *self == Self::DEFAULT {
            return f.write_str("default");
        }
        let path: Vec<_> = self.args(Path::new("DIR")).into_iter().collect();
        let words: Vec<_> = path.iter().map(|a| a.to_string_lossy().into_owned()).collect();
        let engine = if self.storage == Storage::AsWritten { "" } else { " (MergeTree)" };
        write!(f, "{}{engine}", words.join(" "))
    }
}

const FLAGS: [(bool, bool); 4] = [(false, false), (true, false), (false, true), (true, true)];

/// All combinations of choices.
fn product() -> Vec<Config> {
    let mut all = Vec::new();
    for threads in [0, 1, 4] {
        for block in [0, 1, 7] {
            for optimise in [true, false] {
                for storage in [Storage::AsWritten, Storage::MergeTree, Storage::Reopened] {
                    for (portable, spill) in FLAGS {
                        all.push(Config { threads, block, optimise, storage, portable, spill });
                    }
                }
            }
        }
    }
    all
}

/// Configurations that cover all pairs of choices; the default one is first.
pub fn covering() -> Vec<Config> {
    let all = product();
    let mut open: BTreeSet<Pair> = all.iter().flat_map(|c| c.pairs()).collect();
    let mut chosen = Vec::new();
    let mut next = Some(Config::DEFAULT);
    while let Some(config) = next {
        for pair in config.pairs() {
            open.remove(&pair);
        }
        chosen.push(config);
        let gain = |c: &&Config| c.pairs().iter().filter(|p| open.contains(p)).count();
        next = all.iter().max_by_key(gain).filter(|c| gain(c) > 0).copied();
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_is_covered_by_few() {
        let chosen = covering();
        assert_eq!(chosen[0], Config::DEFAULT);
        assert!((9..=13).contains(&chosen.len()), "{}", chosen.len());
        let covered: BTreeSet<Pair> = chosen.iter().flat_map(|c| c.pairs()).collect();
        for config in product() {
            for pair in config.pairs() {
                assert!(covered.contains(&pair), "{pair:?}");
            }
        }
    }

    #[test]
    fn arguments_say_what_differs_from_the_default() {
        assert!(Config::DEFAULT.args(Path::new("x")).is_empty());
        let config = Config {
            threads: 1,
            block: 7,
            optimise: false,
            storage: Storage::Reopened,
            portable: true,
            spill: true,
        };
        assert_eq!(
            config.to_string(),
            "--max_threads=1 --max_block_size=7 --query_plan_enable_optimizations=0 \
             --force_portable_kernels=1 --max_bytes_before_external_group_by=1 \
             --max_bytes_before_external_sort=1 --max_bytes_before_external_distinct=1 \
             --max_bytes_before_external_join=1 --path DIR --reopen-between-statements (MergeTree)"
        );
    }
}
