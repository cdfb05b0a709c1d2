//! Levels of quantile functions: the parameters, and one or several results.

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::{DataType, Value};

use entasis_function::AggregateArgs;
use entasis_function::aggregate::args::wrong_count;

/// Levels asked for.
#[derive(Clone, Debug)]
pub struct Levels {
    /// Each between 0 and 1.
    pub levels: Vec<f64>,
    /// Whether the result is an array.
    pub several: bool,
}

impl Levels {
    /// From the parameters: none means 0.5 for a function of one level.
    pub fn parse(name: &str, several: bool, args: AggregateArgs<'_>) -> Result<Self> {
        if several && args.params.is_empty() {
            return Err(wrong_count(
                "Aggregate function for calculation of multiple quantiles require at least one \
                 parameter",
            ));
        }
        if !several && args.params.len() > 1 {
            return Err(wrong_count(format!(
                "Aggregate function {name} requires one level parameter or less"
            )));
        }
        let mut levels: Vec<f64> = args.params.iter().map(level).collect::<Result<_>>()?;
        if levels.is_empty() {
            levels.push(0.5);
        }
        Ok(Self { levels, several })
    }

    /// Type of the result, given that of one quantile.
    pub fn result(&self, one: DataType) -> DataType {
        if self.several { DataType::array(one) } else { one }
    }

    /// The result column out of the quantiles of `groups` groups, level by level within a group.
    pub fn column(&self, quantiles: Column, groups: usize) -> Column {
        if !self.several {
            return quantiles;
        }
        let n = self.levels.len() as u32;
        Column::array((0..=groups as u32).map(|g| g * n).collect(), quantiles)
    }
}

fn level(value: &Value) -> Result<f64> {
    let level = value.as_f64().ok_or_else(|| {
        Error::new(codes::CANNOT_CONVERT_TYPE, "Cannot convert a quantile's level to double")
    })?;
    if !(0.0..=1.0).contains(&level) {
        let message = "Quantile level is out of range [0..1]";
        return Err(Error::new(codes::PARAMETER_OUT_OF_BOUND, message));
    }
    Ok(level)
}

/// Whether quantiles take this type.
pub fn quantile_type(ty: &DataType) -> bool {
    ty.is_any_number() || ty.is_date_or_time() || ty.is_decimal()
}

/// Interpolated quantiles as the column of their type.
pub fn interpolated(ty: &DataType, values: Vec<f64>) -> Column {
    match ty {
        DataType::Date => values.iter().map(|&v| v as u16).collect::<Vec<_>>().into(),
        DataType::DateTime(_) => values.iter().map(|&v| v as u32).collect::<Vec<_>>().into(),
        DataType::DateTime64(..) | DataType::Decimal(..) | DataType::Date32 => {
            let bits: Column = values.iter().map(|&v| v as i128).collect::<Vec<_>>().into();
            entasis_function::cast::convert(&bits, ty.physical(), true).unwrap_or(bits)
        }
        DataType::Float32 => values.iter().map(|&v| v as f32).collect::<Vec<_>>().into(),
        _ => values.into(),
    }
}
