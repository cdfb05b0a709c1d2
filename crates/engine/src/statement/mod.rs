//! Statements: what each does in a session, but for those that change what tables there are.

pub(crate) mod cluster;
mod commands;
mod defaults;
mod explain;
mod explain_analyze;
pub(crate) mod extremes;
pub(crate) mod infile;
mod insert;
mod kill;
mod optimize;
pub(crate) mod outfile;
pub mod profiles;
pub(crate) mod query;
mod query_tree;
pub mod result;
mod run;
pub(crate) mod set;
mod short;
pub(crate) mod show;
mod show_query;
mod spill;
mod written;
