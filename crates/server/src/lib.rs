//! The HTTP server: sockets, requests, pages, authentication, configuration.
//!
//! 1. [`Server::bind`] checks the configuration (no password: loopback only) and opens sockets.
//! 2. A connection is a task of the async runtime; `handler` routes a request after `guard` has
//!    looked at Host, Origin and credentials.
//! 3. A statement runs on a blocking thread (`query`): it reads the body through `body`, and writes
//!    its answer through `output`, which holds back the first bytes so that an early error still
//!    sets the status.
//! 4. What the answer is too large for goes through a bounded channel; a client that reads slowly
//!    slows the query down, and one that goes away ends it.
//!
//! The only crate with futures. Absent on purpose: SQL (it asks `engine`), terminals, TLS.
#![forbid(unsafe_code)]

mod answer;
mod blocks;
mod body;
mod client;
pub mod config;
mod encoding;
mod encryption;
mod flamegraph;
mod form;
mod graphite;
mod guard;
mod handler;
mod idle;
mod io;
mod lab;
mod login;
mod output;
mod password;
mod printer;
mod prometheus;
mod query;
mod request;
mod server;
mod sessions;
mod status;

pub use config::Config;
pub use password::hash_password;
pub use printer::Printer;
pub use server::{Server, Stopper, open_engine};
