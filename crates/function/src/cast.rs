//! Conversion between types as all families see it: bound through the registry, so that no family
//! is compiled against the kernels (`function-cast`) and a change of those recompiles none.

use std::sync::Arc;
use std::time::Duration;

use entasis_base::Result;
use entasis_column::{Column, Mask};
use entasis_types::{DataType, Physical, TimeZone};

use crate::{FunctionContext, registry};

/// A bound conversion.
pub type Cast = Arc<dyn Fn(&Column) -> Result<Column> + Send + Sync>;

/// What a conversion needs to know of its surroundings.
#[derive(Clone, Copy, Debug)]
pub struct Session {
    /// Of DateTime without a zone of its own.
    pub zone: TimeZone,
    /// For times written without a year.
    pub now: Duration,
    /// Whether text becomes the alternative of a Variant that it spells, and not just String.
    pub infers_variants: bool,
}

impl Session {
    /// From what a binder knows.
    pub fn of(context: &dyn FunctionContext) -> Self {
        let infers = context.setting("cast_string_to_variant_use_inference");
        Self {
            zone: context.time_zone(),
            now: context.now(),
            infers_variants: infers.is_none_or(|v| v.as_u64() != Some(0)),
        }
    }
}

/// What happens to values that do not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Numbers wrap, text that does not parse fails: CAST and `toUInt8`.
    Wrap,
    /// Everything that changes its value fails: `accurateCast`.
    Accurate,
    /// As `Accurate`, but such values become NULL: `accurateCastOrNull`, `toUInt8OrNull`. The
    /// result is Nullable where the type can be.
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

/// The conversion from one type to another, [`Mode::Wrap`].
pub fn bind(from: &DataType, to: &DataType, session: Session) -> Result<Cast> {
    bind_mode(from, to, session, Mode::Wrap)
}

/// The conversion from one type to another.
pub fn bind_mode(from: &DataType, to: &DataType, session: Session, mode: Mode) -> Result<Cast> {
    (registry::cast_kernels().bind)(from, to, session, mode)
}

/// A full numeric column as another numeric layout. NaN and infinity become integers only where
/// `lossy`, else the conversion fails.
pub fn convert(column: &Column, to: Physical, lossy: bool) -> Result<Column> {
    (registry::cast_kernels().convert)(column, to, lossy)
}

/// Rows in which two full numeric columns of the same length, of any layouts, hold the same number.
pub fn equal(a: &Column, b: &Column) -> Result<Mask> {
    (registry::cast_kernels().equal)(a, b)
}

/// A time in any usual form as seconds since 1970 and nanoseconds; `None` if the text is none.
/// `01/02/2020` is the first of February, or the second of January where the month comes first.
pub fn read_time(text: &[u8], session: Session, month_first: bool) -> Option<(i64, u32)> {
    (registry::cast_kernels().read_time)(text, session, month_first)
}
