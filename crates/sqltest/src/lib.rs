//! Runs `tests/sql` and the hits suite against the built `entasis` binary.
//!
//! A case is a pair of files, filled by the reference engine (`scripts/oracle.py`); a run is one
//! child process, so that a crash, a hang or a leak stays with its case. Each case runs under a
//! covering array of configurations ([`config`]): threads, block size, optimiser, storage, kernels.
//! What the files may say is written down in `tests/sql/README.md`.
//!
//! Absent on purpose: any crate of the engine. The runner knows the command line only, so it can
//! be pointed at any build (`ENTASIS_BIN`).
#![forbid(unsafe_code)]

pub mod binary;
pub mod case;
pub mod config;
pub mod corpus;
pub mod diff;
pub mod hits;
pub mod memory;
pub mod seeds;
