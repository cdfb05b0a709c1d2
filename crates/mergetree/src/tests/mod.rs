//! Tests of the whole crate: tables over disks in memory.

mod altered;
mod corrupt;
mod crash;
mod damage;
mod fetched;
mod folding;
mod in_memory;
mod indexed;
mod meanwhile;
mod merges;
mod mutated;
mod partitions;
mod repairs;
mod retyped;
mod scans;
mod several;
mod subcolumns;
mod support;
mod syncs;
mod together;
mod types;
