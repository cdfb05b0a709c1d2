//! Looking at a running process from inside: where its threads spend time and memory, what the
//! addresses mean, how it looks as a picture, what the processor counts.
//!
//! A thread says for whom it works by [`attach`]; timers of that thread then interrupt it, and the
//! handler writes the stack into a ring that belongs to the thread. [`drain`] collects the rings.
//! [`record`] writes a stack from ordinary code (an allocator, a counter that is traced).
//! [`stacks`] asks every thread of the process where it is, once.
//! [`symbol`] names addresses; [`folded`] and [`flamegraph`] make stacks and pages of them;
//! [`counters`] and [`usage`] read what processor and kernel count for a thread.
//!
//! Nothing here knows queries, tables or SQL: a query is a number that the caller chose. Nothing
//! here fails a query: what cannot be had (a timer, a counter, a line table) is left out, and said
//! in a count or a text. Linux only, as the rest of the workspace.
#![deny(unsafe_code)]

mod attach;
pub mod counters;
pub mod counting;
pub mod demangle;
pub mod difference;
pub mod flamegraph;
pub mod folded;
#[allow(unsafe_code)]
mod map;
#[allow(unsafe_code)]
mod perf;
mod ring;
mod sample;
#[allow(unsafe_code)]
mod signal;
pub mod stacks;
pub mod symbol;
mod thread;
mod timer;
mod tree;
#[allow(unsafe_code)]
mod unwind;
pub mod usage;

pub use attach::{AttachOptions, Attachment, attach, is_attached};
pub use demangle::demangle;
pub use sample::{Kind, Lost, MAX_FRAMES, Sample, drain, record};
pub use timer::MIN_PERIOD_NS;
