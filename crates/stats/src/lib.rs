//! Statistics of the performance laboratory, and its seeded schedules: pure functions of samples
//! and a seed, so that a published verdict can be computed again from what was stored.
//!
//! Conventions, kept by every module:
//! - An effect is a log ratio, `theta = ln(new / old)`; [`sample::percent`] turns it into what a
//!   report shows. Thresholds of effects are log ratios, too.
//! - Samples must be finite. A function that takes samples answers `BAD_ARGUMENTS`, which names the
//!   place and the value, if one is NaN or infinite, or if there are too few. Sums of numbers close
//!   to the largest double overflow to infinity; nothing panics.
//! - A distribution's function answers NaN outside of its domain, as it has nothing to say there.
//! - What chance decides comes from a seed in the arguments ([`rng`]).
//! - p values are two-sided unless the name says otherwise.
//! - Long loops look at the statement they work for (`base::scope`), so that it can be ended;
//!   outside of the engine there is none.
//!
//! Absent on purpose: clocks, files, threads, state between calls; names of queries and tests.
//! Tests: closed forms beside the functions, simulations in `tests/`, and `scripts/stats_oracle.py`
//! against scipy.
#![forbid(unsafe_code)]

pub mod bimodal;
pub mod change;
pub mod distribution;
pub mod energy;
pub mod equivalence;
pub mod geomean;
pub mod location;
pub mod mde;
pub mod multiplicity;
pub mod paired;
pub mod permutation;
pub mod ranks;
pub mod rng;
pub mod sample;
pub mod schedule;
pub mod sequential;
pub mod shift;
pub mod special;
pub mod step;
pub mod uniform;
pub mod variance;
pub mod verdict;
pub mod welch;
