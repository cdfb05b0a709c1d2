//! Runs `tests/sql` and the hits suite with the built `entasis` binary.
//!
//! A case is a pair of files, which the reference engine fills (`scripts/oracle.py`). A run is one
//! child process, so a crash, a hang or a leak affects only its case. Each case runs under a
//! covering array of configurations ([`config`]): threads, block size, optimiser, storage, kernels.
//! `tests/sql/README.md` describes the files.
//!
//! Absent on purpose: any crate of the engine. The runner uses only the command line, so it can
//! test any build (`ENTASIS_BIN`).
#![forbid(unsafe_code)]

pub mod binary;
pub mod case;
pub mod config;
pub mod corpus;
pub mod diff;
pub mod hits;
pub mod indices;
pub mod memory;
pub mod seeds;
