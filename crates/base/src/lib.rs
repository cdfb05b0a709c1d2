//! What every crate may use, and nothing that knows of another crate: errors with the reference's
//! code numbers, profile events, messages, memory accounts, cancellation, clock and randomness,
//! varints.
//!
//! Left out on purpose: paths (except those of the system's own figures), SQL, columns, settings.
//! An item belongs here only if several crates of rank 1 need it and must not depend on each other.
#![deny(unsafe_code)]

#[allow(unsafe_code)]
pub mod alloc;
pub mod cancel;
pub mod clock;
pub mod error;
pub mod events;
pub mod log;
pub mod machine;
pub mod memory;
pub mod meter;
pub mod scope;
pub mod sync;
pub mod thread;
pub mod varint;
pub mod words;

pub use cancel::CancelToken;
pub use error::{Error, ErrorCode, Position, Result, codes};
pub use events::Event;
pub use machine::MachineMemory;
pub use memory::{MemoryAccount, Reservation};
pub use scope::Scope;
