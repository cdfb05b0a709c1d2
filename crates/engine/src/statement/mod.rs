//! Statements: what each kind does in a session. Those that create and change tables are in `ddl`.

pub(crate) mod cluster;
mod commands;
mod explain;
mod explain_analyze;
pub(crate) mod extremes;
pub(crate) mod infile;
mod insert;
mod insertion;
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
mod structure;
mod written;
