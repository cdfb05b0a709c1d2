//! Data types, values, the parser for type names, rules for common types, and time zones.
//!
//! A type is a name and a meaning. Its [`Physical`] layout says how its values lie in memory, and
//! several types share a layout (`DateTime` and `UInt32`). Kernels are instantiated per layout.
//!
//! Absent on purpose: columns, functions, SQL expressions.
#![forbid(unsafe_code)]

pub mod collation;
pub mod common;
pub mod data_type;
mod interval;
pub mod ip;
pub mod name;
pub mod nested;
pub mod subcolumn;
pub mod text;
pub mod text_type;
pub mod time_zone;
pub mod value;
pub mod variant;
pub mod wide;

pub use common::{common_type, common_type_of_two, common_type_or_variant};
pub use data_type::{AggregateType, DataType, EnumType, Physical, TupleType};
pub use interval::IntervalKind;
pub use subcolumn::{Step, Subcolumn, SubcolumnPath};
pub use text_type::TextType;
pub use time_zone::TimeZone;
pub use value::Value;
pub use wide::{AnyNumber, CastTo, i256, u256};
