//! A program without registered functions. It has its own file, so that no other test registers
//! them.
#![allow(clippy::unwrap_used)]

use entasis_engine::{Engine, EngineConfig};

#[test]
fn no_engine_is_opened_without_functions() {
    let error = Engine::open(EngineConfig::local(None).unwrap()).err().unwrap();
    assert!(error.message().contains("entasis_functions::register()"), "{error}");
}
