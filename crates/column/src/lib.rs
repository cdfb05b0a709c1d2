//! Columns: a closed enum over typed, immutable buffers that are cheap to slice; chunks and
//! headers; builders; filter, take, concat, compare; hash tables and arenas.
//!
//! A [`Column`] knows its physical layout, but not its data type: `DateTime` and `UInt32` are one
//! variant. `Const` and `Dict` are representations for which a kernel may have a fast path. Every
//! kernel can call [`Column::full`] and support the plain layout only. Slices share memory, so the
//! offsets of a sliced string or array column need not start at 0.
//!
//! Absent on purpose: the meaning of data types, expressions, I/O.
#![deny(unsafe_code)]

pub mod bitmap;
#[allow(unsafe_code)]
pub mod buffer;
pub mod builder;
pub mod chunk;
pub mod column;
pub mod compare;
#[allow(unsafe_code)]
pub mod hash;
pub mod nested;
pub mod ops;
pub mod strings;
pub mod subcolumn;
pub mod value;
pub mod variant;
pub mod wire;

pub use bitmap::{Bitmap, Mask};
pub use buffer::Buffer;
pub use builder::ColumnBuilder;
pub use chunk::{Chunk, Field, Header};
pub use column::{Column, Native};
pub use nested::{ArrayColumn, ConstColumn, DictColumn, Dictionary, NullableColumn, TupleColumn};
pub use strings::{FixedStrings, Strings, StringsBuilder};
pub use variant::{VariantBuilder, VariantColumn};
