//! Functions of URLs. They cut bytes by the reference's simple rules, never validate, and answer
//! the empty string for what is not there.

pub mod component;
pub mod cut;
pub mod domain;
pub mod hierarchy;
pub mod parameters;
pub mod parts;
