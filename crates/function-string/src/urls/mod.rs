//! Functions of URLs. They cut bytes by the simple rules of the reference, never validate, and
//! return the empty string for parts that do not exist.

pub mod component;
pub mod cut;
pub mod domain;
pub mod hierarchy;
pub mod netloc;
pub mod parameters;
pub mod parts;
