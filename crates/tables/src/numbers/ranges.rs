//! Which rows of a sequence of numbers a condition leaves.
//!
//! Ranges of rows are halved, and halves in which no row can match are dropped, until all rows of
//! the rest match or there are many ranges. So a condition on the number reads only the rows that
//! it selects, whatever functions it consists of, if the range analysis understands them.

use std::ops::Range;

use entasis_expr::{ColumnId, Expr, RangeAnalysis};
use entasis_types::Value;

/// Most ranges that are distinguished.
const MOST_RANGES: usize = 64;

/// The rows that may match, as ascending ranges with gaps between them.
#[derive(Debug, PartialEq, Eq)]
pub struct Matching {
    /// The ranges of row numbers.
    pub ranges: Vec<Range<u64>>,
    /// Whether all rows of the ranges match.
    pub all: bool,
}

/// The rows of `0 .. count` whose numbers, `start + row * step`, may match the conjuncts; `column`
/// is the id of the number. `None` if the conditions say nothing or the numbers wrap around.
pub fn matching(
    conjuncts: &[Expr],
    column: ColumnId,
    (start, step, count): (u64, u64, u64),
) -> Option<Matching> {
    let analysis = RangeAnalysis::new(conjuncts, &[]);
    let last = count.checked_sub(1)?.checked_mul(step)?.checked_add(start)?;
    if conjuncts.is_empty() || analysis.is_useless() || last < start {
        return None;
    }
    let number = |row: u64| Value::UInt(start + row * step);
    let may = |rows: &Range<u64>| {
        let bounds = (number(rows.start), number(rows.end - 1), false);
        analysis.may_match(&|id| (id == column).then(|| bounds.clone()))
    };
    let must = |rows: &Range<u64>| {
        let bounds = (number(rows.start), number(rows.end - 1), false);
        analysis.must_match(&|id| (id == column).then(|| bounds.clone()))
    };
    let mut ranges: Vec<(Range<u64>, bool)> = vec![(0..count, false)];
    loop {
        let halves = ranges.iter().flat_map(|(rows, certain)| match *certain {
            true => vec![rows.clone()],
            false => halves(rows),
        });
        let next: Vec<(Range<u64>, bool)> = halves
            .filter(|rows| may(rows))
            .map(|rows| {
                let certain = must(&rows);
                (rows, certain)
            })
            .collect();
        let is_done = next.iter().all(|(rows, certain)| *certain || rows.end - rows.start == 1);
        let is_enough = next.len() > MOST_RANGES;
        ranges = next;
        if is_done || is_enough {
            break;
        }
    }
    let all = ranges.iter().all(|(_, certain)| *certain);
    let mut merged: Vec<Range<u64>> = Vec::new();
    for (rows, _) in ranges {
        match merged.last_mut() {
            Some(last) if last.end == rows.start => last.end = rows.end,
            _ => merged.push(rows),
        }
    }
    Some(Matching { ranges: merged, all })
}

fn halves(rows: &Range<u64>) -> Vec<Range<u64>> {
    let middle = rows.start + (rows.end - rows.start) / 2;
    let parts = [rows.start..middle, middle..rows.end];
    parts.into_iter().filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::states::NoSession;
    use entasis_base::clock::Rng;
    use entasis_function::{Arg, BoundFunction, registry};
    use entasis_types::{DataType, TimeZone};

    const COLUMN: ColumnId = ColumnId(3);

    fn compare(name: &str, constant: u64) -> Expr {
        entasis_functions::register();
        let number = Expr::column(COLUMN, DataType::UInt64);
        let constant = Expr::literal(Value::UInt(constant), DataType::UInt64);
        let types = [Arg::column(DataType::UInt64), Arg::column(DataType::UInt64)];
        let context = NoSession { time_zone: TimeZone::utc() };
        let function =
            BoundFunction::bind(registry::scalar(name).unwrap(), &types, &context).unwrap();
        Expr::call(function, vec![number, constant])
    }

    fn passes(name: &str, number: u64, constant: u64) -> bool {
        match name {
            "less" => number < constant,
            "greaterOrEquals" => number >= constant,
            "equals" => number == constant,
            _ => number != constant,
        }
    }

    #[test]
    fn against_all_rows() {
        let mut rng = Rng::new(9);
        for _ in 0..300 {
            let (start, step, count) = (rng.below(20), 1 + rng.below(3), 1 + rng.below(40));
            let names = ["less", "greaterOrEquals", "equals", "notEquals"];
            let tests: Vec<(&str, u64)> = (0..=rng.below(2))
                .map(|_| (names[rng.below(4) as usize], rng.below(100)))
                .collect();
            let conjuncts: Vec<Expr> = tests.iter().map(|(n, c)| compare(n, *c)).collect();
            let found = matching(&conjuncts, COLUMN, (start, step, count)).unwrap();
            let rows: Vec<u64> = found.ranges.iter().cloned().flatten().collect();
            let wanted: Vec<u64> = (0..count)
                .filter(|row| tests.iter().all(|(n, c)| passes(n, start + row * step, *c)))
                .collect();
            assert!(found.all);
            assert_eq!(rows, wanted);
        }
    }

    #[test]
    fn endless_and_wrapping() {
        let few = matching(&[compare("less", 10)], COLUMN, (0, 1, u64::MAX)).unwrap();
        let first = 0..10;
        assert_eq!(few, Matching { ranges: vec![first], all: true });
        assert_eq!(matching(&[compare("less", 10)], COLUMN, (5, 1, u64::MAX)), None);
        assert_eq!(matching(&[], COLUMN, (0, 1, 10)), None);
        assert_eq!(matching(&[compare("less", 10)], COLUMN, (0, 1, 0)), None);
    }
}
