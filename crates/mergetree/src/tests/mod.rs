//! Tests of the whole crate: tables over disks in memory.

mod altered;
mod corrupt;
mod crash;
mod damage;
mod folding;
mod merges;
mod repairs;
mod scans;
mod subcolumns;
mod support;
mod syncs;
mod together;
mod types;
