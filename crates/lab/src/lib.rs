//! The performance laboratory: it answers whether a change made a query faster or slower, by how
//! much, how sure that is, and why.
//!
//! Rooms, in the order in which data goes through them: [`spec`] reads the files that say what is
//! measured; [`target`] makes sides of binaries, revisions, servers; [`measure`] runs queries on
//! both and answers raw samples; [`verdict`] says what they mean; [`why`] names causes; [`compare`]
//! does all of it within a budget; [`store`] keeps it; [`report`] shows it; [`trust`] holds the
//! laboratory itself to account; [`history`] finds steps over many runs; [`bisect`] finds the
//! commit of one; [`experiment`] leads from an idea to a decision. The crate reaches an engine only
//! from outside, as a server or as a child process, so that two builds can be compared.
#![forbid(unsafe_code)]

pub mod bisect;
pub mod compare;
pub mod cost_injection;
pub mod experiment;
pub mod history;
pub mod measure;
pub mod report;
pub mod spec;
pub mod store;
pub mod target;
pub mod trust;
pub mod verdict;
pub mod why;
