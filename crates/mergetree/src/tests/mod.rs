//! Tests of the whole: tables over disks in memory.

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
mod types;
