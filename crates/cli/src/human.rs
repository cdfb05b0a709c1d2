//! Numbers for people: `1.23 million`, `8.00 MB`.

/// A count; from a thousand on with two digits behind the point and its power of a thousand.
pub fn quantity(value: f64) -> String {
    const POWERS: [&str; 6] =
        ["", " thousand", " million", " billion", " trillion", " quadrillion"];
    with_unit(value, &POWERS)
}

/// Bytes with a decimal unit; from a thousand on with two digits behind the point.
pub fn bytes(value: f64) -> String {
    const UNITS: [&str; 6] = [" B", " KB", " MB", " GB", " TB", " PB"];
    with_unit(value, &UNITS)
}

fn with_unit(mut value: f64, units: &[&str]) -> String {
    let mut power = 0;
    while value >= 1000.0 && power + 1 < units.len() {
        value /= 1000.0;
        power += 1;
    }
    let digits = if power == 0 { 0 } else { 2 };
    format!("{value:.digits$}{}", units[power])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_a_thousand() {
        assert_eq!((&*quantity(0.0), &*quantity(7.0), &*bytes(114.0)), ("0", "7", "114 B"));
        assert_eq!(quantity(1000.0), "1.00 thousand");
        assert_eq!(quantity(1_234_567.0), "1.23 million");
        assert_eq!(bytes(8e6), "8.00 MB");
        assert_eq!(bytes(1e30), "1000000000000000.00 PB");
    }
}
