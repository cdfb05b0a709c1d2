//! The table of days, and reading Date and DateTime columns with it.

use std::sync::LazyLock;

use entasis_base::{Error, Result, codes};
use entasis_column::{Buffer, Column, Native};
use entasis_types::time_zone::{civil_from_days, days_from_civil, weekday};
use entasis_types::{DataType, TimeZone};

use entasis_function::{Arg, BoundKernel, FunctionContext, Monotonicity};
use entasis_function_kernel::arguments::zone_argument;
use entasis_function_kernel::ticks::ticks_per_second;

/// Seconds of a day.
pub const DAY: i64 = 86_400;

/// Seconds for which the zone is asked at once: few enough that most blocks lie between two changes
/// of the clock, and many enough that asking costs little.
const BLOCK: usize = 4096;

/// Calendar fields of one day.
#[derive(Clone, Copy, Debug, Default)]
pub struct Day {
    /// Year.
    pub year: u16,
    /// Day of the year, from 1.
    pub of_year: u16,
    /// Month, from 1.
    pub month: u8,
    /// Day of the month, from 1.
    pub day: u8,
    /// 1 = Monday to 7 = Sunday.
    pub weekday: u8,
    /// Day of the quarter, from 1.
    pub of_quarter: u8,
}

/// Every day that can occur, from 1969-12-31 (local time west of Greenwich) to 2149-06-06.
static DAYS: LazyLock<Vec<Day>> = LazyLock::new(|| (-1..=65_536).map(compute).collect());

fn compute(d: i32) -> Day {
    let (year, month, day) = civil_from_days(d);
    let quarter = (month - 1) / 3 * 3 + 1;
    Day {
        year: year as u16,
        of_year: (d - days_from_civil(year, 1, 1) + 1) as u16,
        month: month as u8,
        day: day as u8,
        weekday: weekday(d) as u8,
        of_quarter: (d - days_from_civil(year, quarter, 1) + 1) as u8,
    }
}

/// The table: index = days since 1969-12-31.
#[inline]
pub fn days() -> &'static [Day] {
    &DAYS
}

/// Fields of a day number since 1970-01-01.
#[inline]
pub fn day_of(days: i64) -> Day {
    match DAYS.get((days + 1) as usize) {
        Some(day) => *day,
        None => compute(days.clamp(-719_528, 2_932_896) as i32), // years 0 to 9999
    }
}

impl Day {
    /// 1 to 4.
    #[inline]
    pub fn quarter(self) -> u8 {
        (self.month - 1) / 3 + 1
    }

    /// Days of the month.
    #[inline]
    pub fn month_len(self) -> u8 {
        match self.month {
            4 | 6 | 9 | 11 => 30,
            2 if self.year.is_multiple_of(4)
                && (!self.year.is_multiple_of(100) || self.year.is_multiple_of(400)) =>
            {
                29
            }
            2 => 28,
            _ => 31,
        }
    }
}

/// What a date function needs to know of its first argument.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// Date or Date32 rather than a time.
    pub is_date: bool,
    /// Ticks of the argument per second: 1 but for DateTime64.
    pub unit: i64,
    /// The zone whose clock is read.
    pub zone: TimeZone,
    /// The zone written in the argument's or the result's type.
    pub own: Option<TimeZone>,
}

impl Moment {
    /// Reads the type of the first argument and the zone argument at `zone_at`. `function` is for
    /// messages.
    pub fn of(
        function: &str,
        args: &[Arg],
        zone_at: usize,
        context: &dyn FunctionContext,
    ) -> Result<Self> {
        let wanted = zone_argument(function, args.get(zone_at))?;
        let ty = &args[0].ty;
        if !ty.is_date_or_time() {
            return Err(not_a_date(function, ty));
        }
        let own = wanted.or(ty.own_zone());
        let zone = own.unwrap_or_else(|| context.time_zone());
        Ok(Self { is_date: ty.is_date(), unit: ticks_per_second(ty), zone, own })
    }

    /// As [`Self::of`]; fails for a Date, which has no hours.
    pub fn of_time(
        function: &str,
        args: &[Arg],
        zone_at: usize,
        context: &dyn FunctionContext,
    ) -> Result<Self> {
        let moment = Self::of(function, args, zone_at, context)?;
        if moment.is_date {
            let message = format!("Illegal argument of type Date for function {function}");
            return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
        }
        Ok(moment)
    }

    /// DateTime in the argument's zone.
    pub fn datetime(self) -> DataType {
        DataType::DateTime(self.own)
    }

    /// Whether local time never runs backwards: then what grows with local time is monotone.
    pub fn increasing(self) -> Monotonicity {
        if self.is_date || self.zone.fixed_offset().is_some() {
            Monotonicity::Increasing
        } else {
            Monotonicity::None
        }
    }

    /// The column as Date or DateTime: 64-bit times and 32-bit dates are cut to whole seconds and
    /// to what those types hold. For functions whose results are such.
    pub fn narrow(self, column: &Column) -> Column {
        match &column.full() {
            Column::Int32(days) => {
                days.iter().map(|&d| d.clamp(0, 65_535) as u16).collect::<Vec<_>>().into()
            }
            Column::Int64(ticks) => {
                let second = |&t: &i64| t.div_euclid(self.unit).clamp(0, u32::MAX.into()) as u32;
                ticks.iter().map(second).collect::<Vec<_>>().into()
            }
            other => other.clone(),
        }
    }

    /// The local second of a tick.
    #[inline]
    fn local_of_tick(self, tick: i64) -> i64 {
        self.zone.to_local(tick.div_euclid(self.unit))
    }

    /// `f` of the local day number of every row.
    #[inline(always)]
    pub fn map_days<R: Native>(self, column: &Column, f: impl Fn(i64) -> R) -> Result<Column> {
        match &column.full() {
            Column::UInt16(days) => Ok(R::column(days.iter().map(|&d| f(i64::from(d))).collect())),
            Column::UInt32(_) | Column::Int64(_) => {
                self.map_local(column, |local| f(local.div_euclid(DAY)))
            }
            Column::Int32(days) => Ok(R::column(days.iter().map(|&d| f(i64::from(d))).collect())),
            _ => Err(Error::logical("not a date column")),
        }
    }

    /// `f` of the calendar fields of every row.
    #[inline(always)]
    pub fn map_fields<R: Native>(self, column: &Column, f: impl Fn(Day) -> R) -> Result<Column> {
        let table = days();
        match &column.full() {
            Column::UInt16(days) => {
                Ok(R::column(days.iter().map(|&d| f(table[d as usize + 1])).collect()))
            }
            Column::Int32(days) => {
                Ok(R::column(days.iter().map(|&d| f(day_of(d.into()))).collect()))
            }
            Column::Int64(ticks) => {
                let field = |&t: &i64| f(day_of(self.local_of_tick(t).div_euclid(DAY)));
                Ok(R::column(ticks.iter().map(field).collect()))
            }
            Column::UInt32(seconds) => {
                let field = |local: i64| f(table[((local + DAY) as u64 / DAY as u64) as usize]);
                Ok(R::column(self.map_seconds(
                    seconds,
                    0,
                    |local, _| field(local),
                    |second| field(self.zone.to_local(second)),
                )))
            }
            _ => Err(Error::logical("not a date column")),
        }
    }

    /// `f` of the local second (since local 1970-01-01 00:00:00) of every row; a Date is midnight.
    #[inline(always)]
    pub fn map_local<R: Native>(self, column: &Column, f: impl Fn(i64) -> R) -> Result<Column> {
        match &column.full() {
            Column::UInt16(days) => {
                Ok(R::column(days.iter().map(|&d| f(i64::from(d) * DAY)).collect()))
            }
            Column::Int32(days) => {
                Ok(R::column(days.iter().map(|&d| f(i64::from(d) * DAY)).collect()))
            }
            Column::Int64(ticks) => {
                Ok(R::column(ticks.iter().map(|&t| f(self.local_of_tick(t))).collect()))
            }
            Column::UInt32(seconds) => Ok(R::column(self.map_seconds(
                seconds,
                0,
                |local, _| f(local),
                |second| f(self.zone.to_local(second)),
            ))),
            _ => Err(Error::logical("not a date column")),
        }
    }

    /// A value for each UTC second. Where the zone has one offset around a block of them, it is
    /// `same` of the local second and the offset; `each` of the UTC second elsewhere.
    ///
    /// Local seconds given to `same` are those of 32 bits, so that the compiler can make loops of
    /// vectors of `same`, wherever they fit. The offset is the same for `margin` seconds before and
    /// after the block, too, unless it never changes. With a margin they always fit.
    #[inline(always)]
    pub fn map_seconds<R: Native>(
        self,
        seconds: &[u32],
        margin: u32,
        same: impl Fn(i64, i64) -> R,
        each: impl Fn(i64) -> R,
    ) -> Buffer<R> {
        if self.zone.fixed_offset() == Some(0) {
            return seconds.iter().map(|&s| same(i64::from(s), 0)).collect();
        }
        let mut out = Vec::with_capacity(seconds.len());
        for block in seconds.chunks(BLOCK) {
            let Some((offset, fits)) = self.offset_of(block, margin) else {
                out.extend(block.iter().map(|&s| each(i64::from(s))));
                continue;
            };
            let (narrow, wide) = (offset as u32, i64::from(offset));
            if fits {
                let local = move |s: u32| i64::from(s.wrapping_add(narrow));
                out.extend(block.iter().map(|&s| same(local(s), wide)));
            } else if margin == 0 {
                out.extend(block.iter().map(|&s| same(i64::from(s) + wide, wide)));
            } else {
                out.extend(block.iter().map(|&s| each(i64::from(s))));
            }
        }
        out.into()
    }

    /// Offset from UTC that holds for all of these seconds and so many around them, and whether
    /// the local seconds fit 32 bits.
    fn offset_of(self, block: &[u32], margin: u32) -> Option<(i32, bool)> {
        let (low, high) = entasis_simd::sum::min_max(block)?;
        let (low, high) = (i64::from(low) - i64::from(margin), i64::from(high) + i64::from(margin));
        let offset = match self.zone.fixed_offset() {
            Some(offset) => offset,
            None => self.zone.offset_between(low, high)?,
        };
        let range = 0..=i64::from(u32::MAX);
        let local = (low + i64::from(offset), high + i64::from(offset));
        Some((offset, [low, local.0, local.1].iter().all(|second| range.contains(second))))
    }

    /// Offset from UTC that holds for all of these seconds.
    pub fn one_offset(self, seconds: &[u32]) -> Option<i64> {
        if let Some(offset) = self.zone.fixed_offset() {
            return Some(offset.into());
        }
        Some(self.offset_of(seconds, 0)?.0.into())
    }
}

#[cold]
fn not_a_date(function: &str, ty: &DataType) -> Error {
    let message =
        format!("Illegal type {ty} of argument of function {function}. Should be Date or DateTime");
    Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message)
}

/// Binds a function of the local day's fields.
pub fn bind_fields<R: Native>(
    function: &'static str,
    args: &[Arg],
    context: &dyn FunctionContext,
    ty: DataType,
    f: impl Fn(Day) -> R + Copy + Send + Sync + 'static,
) -> Result<(Moment, BoundKernel)> {
    let moment = Moment::of(function, args, 1, context)?;
    Ok((moment, BoundKernel::new(ty, move |args, _| moment.map_fields(&args[0], f))))
}

/// Binds a function of the local second.
pub fn bind_local<R: Native>(
    moment: Moment,
    ty: DataType,
    f: impl Fn(i64) -> R + Copy + Send + Sync + 'static,
) -> BoundKernel {
    BoundKernel::new(ty, move |args, _| moment.map_local(&args[0], f))
}

/// A day number as a Date: before 1970 is 1970-01-01, and what is past a Date's last day is that.
#[inline]
pub fn to_date(day: i64) -> u16 {
    day.clamp(0, i64::from(u16::MAX)) as u16
}

/// A UTC second as a DateTime: clamped to what it holds.
#[inline]
pub fn to_second(second: i64) -> u32 {
    second.clamp(0, i64::from(u32::MAX)) as u32
}
