//! Comparison of a decimal with a constant floating-point number.
//!
//! The two compare as floating-point numbers. The quotient of a decimal's units by the scale grows
//! with the units, so that the numbers which pass are those from some unit on, or up to one: the
//! loop compares whole numbers.

use entasis_simd::compare::CompareOp;
use entasis_types::text_type::power_of_ten;
use entasis_types::{DataType, Physical, Value};

/// The operator and the number of units that a decimal's units are compared with instead. `None`
/// where there is no such number.
pub(super) fn with_float(op: CompareOp, ty: &DataType, float: f64) -> Option<(CompareOp, Value)> {
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
