//! Comparison of a decimal with a constant number, as a comparison of whole numbers.
//!
//! Beside a floating-point number, a decimal compares as one. The quotient of a decimal's units
//! by the scale grows with the units, so that the numbers which pass are those from some unit on,
//! or up to one. An integer, and a decimal with no more digits behind the point, is some number
//! of units.

use entasis_simd::compare::CompareOp;
use entasis_types::text_type::power_of_ten;
use entasis_types::{DataType, Physical, Value};

/// The operator and the number of units that a decimal's units are compared with instead of a
/// constant. `None` where there is no such number.
pub(super) fn with_constant(
    op: CompareOp,
    ty: &DataType,
    (other, constant): (&DataType, &Value),
) -> Option<(CompareOp, Value)> {
    if other.is_float() {
        return with_float(op, ty, constant.as_f64()?);
    }
    let DataType::Decimal(_, scale) = ty else { return None };
    let of_other = match other {
        DataType::Decimal(_, scale) => *scale,
        other if other.is_native_integer() => 0,
        _ => return None,
    };
    let factor = i64::try_from(power_of_ten(scale.checked_sub(of_other)?)).ok()?;
    let units = constant.as_i64()?.checked_mul(factor)?;
    let fits = match ty.physical() {
        Physical::Int32 => i32::try_from(units).is_ok(),
        physical => physical == Physical::Int64,
    };
    fits.then_some((op, Value::Int(units)))
}

fn with_float(op: CompareOp, ty: &DataType, float: f64) -> Option<(CompareOp, Value)> {
    let DataType::Decimal(_, scale) = ty else { return None };
    let (least, most) = match ty.physical() {
        Physical::Int32 => (i128::from(i32::MIN), i128::from(i32::MAX)),
        Physical::Int64 => (i128::from(i64::MIN), i128::from(i64::MAX)),
        _ => return None,
    };
    let unit = power_of_ten(*scale) as f64;
    // The first units for which the test holds, as it does for all that follow.
    let first = |test: &dyn Fn(f64) -> bool| {
        let (mut low, mut high) = (least, most);
        while low < high {
            let middle = (low + high).div_euclid(2);
            if test(middle as f64 / unit) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        test(low as f64 / unit).then_some(low)
    };
    let (reached, passed) = (first(&|v| v >= float)?, first(&|v| v > float)?);
    let (op, units) = match op {
        CompareOp::Ge => (CompareOp::Ge, reached),
        CompareOp::Lt => (CompareOp::Lt, reached),
        CompareOp::Gt => (CompareOp::Ge, passed),
        CompareOp::Le => (CompareOp::Lt, passed),
        CompareOp::Eq | CompareOp::Ne if passed == reached + 1 => (op, reached),
        CompareOp::Eq | CompareOp::Ne => return None,
    };
    Some((op, Value::signed(units)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPS: [CompareOp; 6] =
        [CompareOp::Eq, CompareOp::Ne, CompareOp::Lt, CompareOp::Le, CompareOp::Gt, CompareOp::Ge];

    #[test]
    fn as_floats() {
        let floats = [0.05, 0.07, -0.05, 1.0, 0.005, 99.995, -1.5, 1e15, 92233720368547758.0, 0.0];
        for ty in [DataType::Decimal(9, 2), DataType::Decimal(18, 2), DataType::Decimal(18, 6)] {
            let DataType::Decimal(_, scale) = &ty else { continue };
            let unit = power_of_ten(*scale) as f64;
            for (op, float) in OPS.iter().flat_map(|op| floats.map(|float| (*op, float))) {
                let Some((whole, units)) = with_float(op, &ty, float) else { continue };
                let units = units.as_i64().unwrap();
                let near = (float * unit) as i64;
                for v in (-40..=40).flat_map(|d: i64| {
                    [near.saturating_add(d), units.saturating_add(d), d, i64::MAX - 40 + d.abs()]
                }) {
                    let fits = ty.physical() == Physical::Int64 || i32::try_from(v).is_ok();
                    let same = op.holds(v as f64 / unit, float) == whole.holds(v, units);
                    assert!(!fits || same, "{v} of {ty} {op:?} {float}: {whole:?} {units}");
                }
            }
        }
    }

    #[test]
    fn as_units() {
        let ty = DataType::Decimal(9, 2);
        let with = |other: DataType, value: Value| {
            with_constant(CompareOp::Lt, &ty, (&other, &value)).map(|(_, units)| units)
        };
        assert_eq!(with(DataType::UInt8, Value::UInt(24)), Some(Value::Int(2400)));
        assert_eq!(with(DataType::Int64, Value::Int(-7)), Some(Value::Int(-700)));
        assert_eq!(with(DataType::Decimal(18, 1), Value::Int(5)), Some(Value::Int(50)));
        assert!(with(DataType::Decimal(18, 3), Value::Int(5)).is_none());
        assert!(with(DataType::UInt32, Value::UInt(30_000_000)).is_none());
        assert!(with(DataType::UInt64, Value::UInt(u64::MAX)).is_none());
        assert!(with(DataType::String, Value::UInt(1)).is_none());
    }

    #[test]
    fn what_no_whole_number_says() {
        let ty = DataType::Decimal(9, 2);
        assert!(with_float(CompareOp::Lt, &ty, f64::NAN).is_none());
        assert!(with_float(CompareOp::Lt, &ty, 1e300).is_none());
        assert!(with_float(CompareOp::Eq, &ty, 0.005).is_none());
        assert!(with_float(CompareOp::Lt, &DataType::Decimal(38, 2), 1.0).is_none());
        assert!(with_float(CompareOp::Lt, &DataType::Int32, 1.0).is_none());
        let found = with_float(CompareOp::Le, &ty, 0.005).unwrap();
        assert_eq!(found, (CompareOp::Lt, Value::signed(1i128)));
    }
}
