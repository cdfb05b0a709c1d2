//! Conversion between types for all families. It is bound through the registry, so no family is
//! compiled against the kernels (`function-cast`), and a change of the kernels recompiles no other
//! family.

use std::sync::Arc;
use std::time::Duration;

use entasis_base::Result;
use entasis_column::{Column, Mask};
use entasis_types::{DataType, Physical, TimeZone};

use crate::{FunctionContext, registry};

/// A bound conversion.
pub type Cast = Arc<dyn Fn(&Column) -> Result<Column> + Send + Sync>;

/// The facts about the session that a conversion needs.
#[derive(Clone, Copy, Debug)]
pub struct Session {
    /// The time zone of DateTime values whose type names none.
    pub zone: TimeZone,
    /// The current time, for times that are written without a year.
    pub now: Duration,
    /// Whether text that becomes a Variant takes the alternative as which it can be read. Otherwise
    /// it becomes a String.
    pub infers_variants: bool,
}

impl Session {
    /// Takes the facts from those that a binder has.
    pub fn of(context: &dyn FunctionContext) -> Self {
        let infers = context.setting("cast_string_to_variant_use_inference");
        Self {
            zone: context.time_zone(),
            now: context.now(),
            infers_variants: infers.is_none_or(|v| v.as_u64() != Some(0)),
        }
    }
}

/// How values that do not fit are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Numbers wrap around, and text that does not parse is an error: CAST and `toUInt8`.
    Wrap,
    /// A conversion that changes the value is an error: `accurateCast`.
    Accurate,
    /// Like `Accurate`, but such values become NULL: `accurateCastOrNull`, `toUInt8OrNull`. The
    /// result is Nullable if its type can be.
    OrNull,
}

/// The kernels of conversion, for the registry.
#[derive(Clone, Copy, Debug)]
pub struct CastKernels {
    /// See [`bind_mode`].
    pub bind: fn(&DataType, &DataType, Session, Mode) -> Result<Cast>,
    /// See [`convert`].
    pub convert: fn(&Column, Physical, bool) -> Result<Column>,
    /// See [`equal`].
    pub equal: fn(&Column, &Column) -> Result<Mask>,
    /// See [`read_time`].
    pub read_time: fn(&[u8], Session, bool) -> Option<(i64, u32)>,
}

/// Binds the conversion from one type to another with [`Mode::Wrap`].
pub fn bind(from: &DataType, to: &DataType, session: Session) -> Result<Cast> {
    bind_mode(from, to, session, Mode::Wrap)
}

/// Binds the conversion from one type to another.
pub fn bind_mode(from: &DataType, to: &DataType, session: Session, mode: Mode) -> Result<Cast> {
    (registry::cast_kernels().bind)(from, to, session, mode)
}

/// Converts a full numeric column to another numeric layout. NaN and infinity become integers only
/// if `lossy`; otherwise the conversion fails.
pub fn convert(column: &Column, to: Physical, lossy: bool) -> Result<Column> {
    (registry::cast_kernels().convert)(column, to, lossy)
}

/// The rows in which two full numeric columns of the same length, with any layouts, contain the
/// same number.
pub fn equal(a: &Column, b: &Column) -> Result<Mask> {
    (registry::cast_kernels().equal)(a, b)
}

/// Reads a time in any usual form as seconds since 1970 and nanoseconds; `None` if the text is not
/// a time. `01/02/2020` is the first of February, or the second of January if the month comes
/// first.
pub fn read_time(text: &[u8], session: Session, month_first: bool) -> Option<(i64, u32)> {
    (registry::cast_kernels().read_time)(text, session, month_first)
}
