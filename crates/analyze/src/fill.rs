//! `ORDER BY ... WITH FILL` and INTERPOLATE: which values the missing rows of a column have.
//!
//! Bounds and steps are numbers in the units in which the column is stored: days of a Date, ticks
//! of a DateTime64. Types and signs are checked here, so that the execution only counts.

use entasis_base::{Error, Result, codes};
use entasis_expr::Expr;
use entasis_sql::ast;
use entasis_types::{DataType, IntervalKind, TimeZone, Value};

use crate::query::OrderKey;
use crate::{Analyzer, bind, tree};

/// The filling of a result.
#[derive(Clone, Debug, Default)]
pub struct Fill {
    /// For each key of ORDER BY, how its missing values are found; `None` for a key without
    /// WITH FILL.
    pub rules: Vec<Option<FillRule>>,
    /// Result columns that have a value in the new rows: the column, and its value over the
    /// columns of the row before. The other columns have default values.
    pub interpolate: Vec<(Expr, Expr)>,
    /// Whether rows with equal keys before the first filled one are filled for themselves.
    pub by_prefix: bool,
}

impl Fill {
    /// Whether there is nothing to fill.
    pub fn is_empty(&self) -> bool {
        self.rules.iter().all(Option::is_none)
    }
}

/// The filling of one key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FillRule {
    /// The first value.
    pub from: Option<FillValue>,
    /// The value before which it ends.
    pub to: Option<FillValue>,
    /// The distance of two values.
    pub step: FillStep,
    /// How far the values go on after a row.
    pub staleness: Option<FillStep>,
    /// Whether values become smaller.
    pub descending: bool,
    /// The time zone in which days and longer units are counted.
    pub zone: TimeZone,
}

/// A value of a column that is filled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FillValue {
    /// An integer, or the number that stands for a time.
    Int(i128),
    /// A float.
    Float(f64),
}

impl FillValue {
    fn as_f64(self) -> f64 {
        match self {
            Self::Int(n) => n as f64,
            Self::Float(f) => f,
        }
    }

    /// Whether it lies before another value in this direction.
    pub fn is_before(self, other: Self, descending: bool) -> bool {
        let (a, b) = if descending { (other, self) } else { (self, other) };
        match (a, b) {
            (Self::Int(a), Self::Int(b)) => a < b,
            (a, b) => a.as_f64() < b.as_f64(),
        }
    }
}

/// A distance of two values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FillStep {
    /// The number of units.
    pub size: FillValue,
    /// The unit; `None` stands for that of the column.
    pub unit: Option<IntervalKind>,
}

fn invalid(message: String) -> Error {
    Error::new(codes::INVALID_WITH_FILL_EXPRESSION, message)
}

fn incompatible(ty: &DataType) -> Error {
    invalid(format!("Incompatible types of WITH FILL expression values with column type {ty}"))
}

fn is_time(ty: &DataType) -> bool {
    use DataType::{Date, Date32, DateTime, DateTime64};
    matches!(ty, Date | Date32 | DateTime(_) | DateTime64(..))
}

fn is_number(ty: &DataType) -> bool {
    ty.is_any_integer() || matches!(ty, DataType::Bool | DataType::Float32 | DataType::Float64)
}

/// Whether a constant of the type `given` can be a bound of a column of times.
fn same_time(given: &DataType, column: &DataType) -> bool {
    match (given, column) {
        (DataType::DateTime(_), DataType::DateTime(_)) => true,
        (DataType::DateTime64(a, _), DataType::DateTime64(b, _)) => a == b,
        _ => given == column,
    }
}

/// A number in the units of a column of this type.
fn number(value: &Value, given: &DataType, ty: &DataType) -> Result<FillValue> {
    let whole = || match value {
        Value::UInt(n) => Some(i128::from(*n)),
        Value::Int(n) => Some(i128::from(*n)),
        _ => None,
    };
    if is_time(given) && !same_time(given, ty) {
        return Err(incompatible(ty));
    }
    match (ty, whole()) {
        (DataType::Float32 | DataType::Float64, _) => {
            value.as_f64().map(FillValue::Float).ok_or_else(|| incompatible(ty))
        }
        (DataType::DateTime64(scale, _), Some(n)) if !is_time(given) => {
            Ok(FillValue::Int(n.saturating_mul(10i128.pow(u32::from(*scale)))))
        }
        (DataType::DateTime64(scale, _), None) => match value.as_f64() {
            Some(f) => Ok(FillValue::Int((f * 10f64.powi(i32::from(*scale))).round() as i128)),
            None => Err(incompatible(ty)),
        },
        (_, Some(n)) => Ok(FillValue::Int(n)),
        _ => Err(incompatible(ty)),
    }
}

impl<'a> Analyzer<'a> {
    /// The rule of a key of ORDER BY with WITH FILL.
    pub(crate) fn fill_rule(&mut self, item: &'a ast::OrderByItem, key: &Expr) -> Result<FillRule> {
        let fill = item.fill.as_deref().ok_or_else(|| Error::logical("a key without WITH FILL"))?;
        self.fill_rule_of(fill, item.descending, key.ty()).map_err(|e| e.at(item.expr.position))
    }

    fn fill_rule_of(
        &mut self,
        fill: &'a ast::Fill,
        descending: bool,
        written: &DataType,
    ) -> Result<FillRule> {
        let ty = match written {
            DataType::Nullable(inner) => inner,
            other => other,
        };
        let from = self.fill_bound(fill.from.as_ref(), "FROM", ty)?;
        let to = self.fill_bound(fill.to.as_ref(), "TO", ty)?;
        let one = || number(&Value::UInt(1), &DataType::UInt8, ty);
        let step = match self.fill_step(fill.step.as_ref(), "STEP", ty)? {
            Some(step) => step,
            None => FillStep {
                size: match one()? {
                    FillValue::Int(n) if descending => FillValue::Int(-n),
                    FillValue::Float(f) if descending => FillValue::Float(-f),
                    ascending => ascending,
                },
                unit: None,
            },
        };
        if !is_number(ty) && !is_time(ty) {
            return Err(incompatible(written));
        }
        let staleness = self.fill_step(fill.staleness.as_ref(), "STALENESS", ty)?;
        if step.size.as_f64() == 0.0 {
            return Err(invalid("WITH FILL STEP value cannot be zero".into()));
        }
        for (given, clause) in [(Some(step), "STEP"), (staleness, "STALENESS")] {
            let size = given.map_or(0.0, |step| step.size.as_f64());
            let (sign, order) =
                if descending { ("positive", "descending") } else { ("negative", "ascending") };
            if if descending { size > 0.0 } else { size < 0.0 } {
                return Err(invalid(format!(
                    "WITH FILL {clause} value cannot be {sign} for sorting in {order} direction"
                )));
            }
        }
        if from.is_some() && staleness.is_some() {
            let message = "WITH FILL STALENESS cannot be used together with WITH FILL FROM";
            return Err(invalid(message.into()));
        }
        if let (Some(from), Some(to)) = (from, to)
            && to.is_before(from, descending)
        {
            return Err(invalid(match descending {
                true => "WITH FILL FROM value cannot be less than TO value for sorting in \
                         descending direction"
                    .into(),
                false => "WITH FILL TO value cannot be less than FROM value for sorting in \
                          ascending direction"
                    .into(),
            }));
        }
        let zone = match ty {
            DataType::DateTime(Some(zone)) | DataType::DateTime64(_, Some(zone)) => *zone,
            _ => self.context.time_zone(),
        };
        Ok(FillRule { from, to, step, staleness, descending, zone })
    }

    fn fill_bound(
        &mut self,
        expr: Option<&'a ast::Expr>,
        clause: &str,
        ty: &DataType,
    ) -> Result<Option<FillValue>> {
        let Some(expr) = expr else { return Ok(None) };
        let constant = self.constant(expr)?;
        let Some((value, given)) = constant.filter(|(_, ty)| is_number(ty) || is_time(ty)) else {
            return Err(invalid(format!(
                "Sort FILL {clause} expression must be constant with numeric type. Actual: {}",
                entasis_sql::column_name(expr)
            )));
        };
        let value_in_units = number(&value, &given, ty)?;
        if let FillValue::Int(n) = value_in_units
            && n < 0
            && ty.is_unsigned()
        {
            let what = "WITH FILL bound values cannot be negative for unsigned type";
            return Err(invalid(format!("{what} {ty}")));
        }
        Ok(Some(value_in_units))
    }

    fn fill_step(
        &mut self,
        expr: Option<&'a ast::Expr>,
        clause: &str,
        ty: &DataType,
    ) -> Result<Option<FillStep>> {
        let Some(expr) = expr else { return Ok(None) };
        let constant = self.constant(expr)?;
        let known = |ty: &DataType| is_number(ty) || matches!(ty, DataType::Interval(_));
        let Some((value, given)) = constant.filter(|(_, ty)| known(ty)) else {
            return Err(invalid(format!(
                "Sort FILL {clause} expression must be constant with numeric or interval type. \
                 Actual: {}",
                entasis_sql::column_name(expr)
            )));
        };
        let DataType::Interval(unit) = given else {
            return Ok(Some(FillStep { size: number(&value, &given, ty)?, unit: None }));
        };
        if !is_time(ty) {
            return Err(invalid(format!(
                "{clause} of Interval type can be used only with Date/DateTime types, but got {ty}"
            )));
        }
        let Value::Int(count) = value else { return Err(incompatible(ty)) };
        if matches!(ty, DataType::Date | DataType::Date32) {
            let seconds = average_seconds(unit).saturating_mul(i128::from(count));
            if count != 0 && seconds.abs() < 86_400 {
                return Err(invalid(format!(
                    "Value of step is too low ({seconds} seconds). Must be >= 1 day"
                )));
            }
        }
        let count = i128::from(count);
        Ok(Some(match units(unit, ty) {
            Some(units) => {
                FillStep { size: FillValue::Int(count.saturating_mul(units)), unit: None }
            }
            None => FillStep { size: FillValue::Int(count), unit: Some(unit) },
        }))
    }

    /// The columns of INTERPOLATE with their values. Without a list these are all result columns
    /// that are no keys of ORDER BY.
    pub(crate) fn interpolated(
        &mut self,
        items: &'a [ast::Interpolate],
        results: &[(&str, Expr)],
        keys: &[OrderKey],
    ) -> Result<Vec<(Expr, Expr)>> {
        let is_key = |e: &Expr| keys.iter().any(|key| tree::same(&key.expr, e));
        let mut out: Vec<(Expr, Expr)> = Vec::new();
        if items.is_empty() {
            for (_, result) in results.iter().filter(|(_, e)| !is_key(e)) {
                out.push((result.clone(), result.clone()));
            }
        }
        for item in items {
            let position = item.column.position;
            let column = self.aliased(&item.column)?;
            if is_key(&column) {
                let name = entasis_sql::column_name(&item.column);
                return Err(invalid(format!(
                    "Column '{name}' is participating in ORDER BY expression and can't be \
                     INTERPOLATE output"
                ))
                .at(position));
            }
            let value = match &item.expr {
                Some(expr) => self.aliased(expr)?,
                None => column.clone(),
            };
            let value = bind::cast(value, column.ty(), self.context).map_err(|e| e.at(position))?;
            // Another name of the same column has no effect, as in the reference.
            let name = entasis_sql::column_name(&item.column);
            if !results.iter().any(|(known, _)| *known == name) {
                continue;
            }
            if out.iter().any(|(known, _)| tree::same(known, &column)) {
                let message = "A column stands twice in INTERPOLATE: leave one of them out";
                return Err(invalid(message.into()).at(position));
            }
            out.push((column, value));
        }
        Ok(out)
    }
}

/// The number of units of the column that an interval's unit always has; `None` if that depends on
/// the calendar.
fn units(unit: IntervalKind, ty: &DataType) -> Option<i128> {
    match (ty, unit) {
        (DataType::Date | DataType::Date32, IntervalKind::Day) => Some(1),
        (DataType::Date | DataType::Date32, IntervalKind::Week) => Some(7),
        (DataType::Date | DataType::Date32, _) => None,
        (_, IntervalKind::Second | IntervalKind::Minute | IntervalKind::Hour) => {
            let scale = if let DataType::DateTime64(scale, _) = ty { *scale } else { 0 };
            Some(average_seconds(unit) * 10i128.pow(u32::from(scale)))
        }
        _ => None,
    }
}

/// The length of a unit in seconds, on average; 0 for parts of a second.
fn average_seconds(unit: IntervalKind) -> i128 {
    match unit {
        IntervalKind::Nanosecond | IntervalKind::Microsecond | IntervalKind::Millisecond => 0,
        IntervalKind::Second => 1,
        IntervalKind::Minute => 60,
        IntervalKind::Hour => 3_600,
        IntervalKind::Day => 86_400,
        IntervalKind::Week => 604_800,
        IntervalKind::Month => 2_629_746,
        IntervalKind::Quarter => 7_889_238,
        IntervalKind::Year => 31_556_952,
    }
}
