//! The order of values of one column, and distances between them.

use std::cmp::Ordering;

use entasis_types::Value;

/// Compares two values of one column; `None` if they have no order.
pub(super) fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::UInt(a), Value::UInt(b)) => Some(a.cmp(b)),
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        _ => a.compare_numbers(b),
    }
}

/// Whether `a` comes before `b`.
pub(super) fn is_less(a: &Value, b: &Value) -> bool {
    compare(a, b) == Some(Ordering::Less)
}

/// Where a value lies between two others: 0 at the first and 1 at the second. One half if that
/// cannot be said.
pub(super) fn position(value: &Value, low: &Value, high: &Value) -> f64 {
    let numbers = match (value, low, high) {
        (Value::String(value), Value::String(low), Value::String(high)) => {
            // Texts are compared as fractions with the base 256, after what the bounds share.
            let shared = low.iter().zip(high.iter()).take_while(|(a, b)| a == b).count();
            Some([value, low, high].map(|text| fraction(text.get(shared..).unwrap_or(&[]))))
        }
        _ => match (value.as_f64(), low.as_f64(), high.as_f64()) {
            (Some(value), Some(low), Some(high)) => Some([value, low, high]),
            _ => None,
        },
    };
    let Some([value, low, high]) = numbers else { return 0.5 };
    let part = (value - low) / (high - low);
    if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.5 }
}

/// The first bytes of a text as a number from 0 to 1.
fn fraction(text: &[u8]) -> f64 {
    text.iter().take(7).rev().fold(0.0, |sum, &byte| (sum + f64::from(byte)) / 256.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions() {
        let number = |v: i64| Value::Int(v);
        assert!((position(&number(5), &number(0), &number(10)) - 0.5).abs() < 1e-9);
        assert!(position(&number(-5), &number(0), &number(10)).abs() < 1e-9);
        let text = |t: &str| Value::from(t);
        let at = position(&text("https://n"), &text("https://a"), &text("https://z"));
        assert!((0.45..0.6).contains(&at), "{at}");
        assert!((position(&text("b"), &text("b"), &text("b")) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn the_order_of_kinds() {
        assert_eq!(compare(&Value::UInt(3), &Value::Int(-1)), Some(Ordering::Greater));
        assert_eq!(compare(&Value::Float(f64::NAN), &Value::Float(1.0)), None);
        assert!(is_less(&Value::from("a"), &Value::from("ab")));
    }
}
