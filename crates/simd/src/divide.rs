//! Division of many 32-bit numbers by one that is known only at run time.

/// What stands for a divisor: the quotient is the upper half of a product with a number of 33 bits
/// (Granlund and Montgomery, "Division by invariant integers using multiplication", 1994, figure
/// 4.1). Loops of such divisions are vectorised by the compiler.
#[derive(Clone, Copy, Debug)]
pub struct Reciprocal {
    /// The number without its highest bit.
    multiplier: u32,
    shifts: (u32, u32),
}

impl Reciprocal {
    /// Of a divisor. Panics if it is 0.
    pub fn of(divisor: u32) -> Self {
        assert!(divisor > 0, "division by zero");
        // The exponent of the least power of two that is not below the divisor: 0 to 32.
        let bits = 32 - (divisor - 1).leading_zeros();
        let divisor = u64::from(divisor);
        let multiplier = (((1u64 << bits) - divisor) << 32) / divisor + 1;
        // It is below 2^32, as the power of two is less than twice the divisor. A product of two
        // numbers of 32 bits has an instruction for vectors, and one of 64 bits has none.
        let multiplier = multiplier as u32;
        Self { multiplier, shifts: (bits.min(1), bits.saturating_sub(1)) }
    }

    /// The quotient of a number.
    #[inline(always)]
    pub fn divide(self, value: u32) -> u32 {
        let high = ((u64::from(value) * u64::from(self.multiplier)) >> 32) as u32;
        (high + ((value - high) >> self.shifts.0)) >> self.shifts.1
    }
}

/// The greatest multiple of `unit` that is not above each value. Panics if the unit is 0.
pub fn multiples(values: &[u32], unit: u32) -> Vec<u32> {
    let by = Reciprocal::of(unit);
    values.iter().map(move |&value| by.divide(value) * unit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Rng;

    #[test]
    fn multiples_are_exact() {
        let mut rng = Rng(3);
        let mut values = vec![0, 1, 59, 60, 61, 3599, 3600, u32::MAX - 1, u32::MAX];
        values.extend((0..1000).map(|_| rng.next() as u32 >> rng.below(32)));
        let units = [1, 2, 3, 5, 7, 60, 300, 420, 3600, 10_800, 1 << 31, u32::MAX - 1, u32::MAX];
        let random: Vec<u32> =
            (0..100).map(|_| (rng.next() as u32 >> rng.below(31)).max(1)).collect();
        for unit in units.into_iter().chain(random) {
            let expected: Vec<u32> = values.iter().map(|v| v - v % unit).collect();
            assert_eq!(multiples(&values, unit), expected, "unit {unit}");
        }
    }
}
