//! `SAMPLE size OFFSET offset`: reads the rows whose sampling key is in a range of its values.
//!
//! Size and offset are shares of all values that the key's type has. Numbers above 1 are numbers of
//! rows, and are divided by the number of rows of the table. All is computed in exact fractions, so
//! that the same rows are chosen as in the reference.

use entasis_base::{Error, Result, codes};
use entasis_expr::Expr;
use entasis_sql::ast::{Ratio, Sample};
use entasis_types::{DataType, Value};

use crate::query::From;
use crate::scope::{Source, SourceColumns};
use crate::{Analyzer, bind, tree};

impl Analyzer<'_> {
    /// Applies SAMPLE to a table, which is the scope's last source.
    pub(crate) fn sampled(&mut self, from: From, sample: &Sample) -> Result<From> {
        if self.scope().sources.last().is_some_and(Source::is_view) {
            return Ok(from);
        }
        let From::Table(mut scan) = from else {
            let message = "SAMPLE is only allowed after a table, not after a subquery";
            return Err(Error::new(codes::UNSUPPORTED_METHOD, message));
        };
        let pinned = self.pinned.values().find(|(_, s)| std::sync::Arc::ptr_eq(s, &scan.snapshot));
        let Some(key) = pinned.and_then(|(table, _)| table.sampling_key()).cloned() else {
            let message = format!("Storage {} doesn't support sampling", scan.name);
            return Err(Error::new(codes::SAMPLING_NOT_SUPPORTED, message));
        };
        let rows = scan.snapshot.row_count().unwrap_or(0);
        let (size, offset) =
            (share(sample.size, rows)?, share(sample.offset.unwrap_or(ZERO), rows)?);
        let bits = match key.ty() {
            DataType::UInt8 => 8,
            DataType::UInt16 => 16,
            DataType::UInt32 => 32,
            _ => 64,
        };
        if size.numerator == 0 {
            return Ok(From::Table(scan));
        }
        let source = self.scope().sources.len() - 1;
        if let SourceColumns::Table { sample, .. } = &mut self.scope_mut().sources[source].columns {
            *sample = size.denominator as f64 / size.numerator as f64;
        }
        let mut ids = Vec::new();
        key.columns(&mut ids);
        let columns: Vec<(entasis_expr::ColumnId, Expr)> = ids
            .into_iter()
            .map(|id| Ok((id, self.column(source, id.0 as usize)?)))
            .collect::<Result<_>>()?;
        let column = |id| columns.iter().find(|(of, _)| *of == id).map(|(_, expr)| expr.clone());
        let key = tree::substitute(&key, &column);
        let lower = values_below(offset, bits)?;
        let upper = values_below(sum(offset, size)?, bits)?;
        let mut condition = |function: &str, bound: u128| -> Result<()> {
            let bound = Value::UInt(u64::try_from(bound).unwrap_or(u64::MAX));
            let bound = Expr::literal(bound, DataType::UInt64);
            scan.filter.push(bind::call(function, vec![key.clone(), bound], self.context)?);
            Ok(())
        };
        if lower > 0 {
            condition("greaterOrEquals", lower)?;
        }
        if upper < 1 << bits {
            condition("less", upper)?;
        }
        Ok(From::Table(scan))
    }
}

const ZERO: Ratio = Ratio { numerator: 0, denominator: 1 };

/// A share of the rows; a number above 1 is a number of rows.
fn share(given: Ratio, rows: u64) -> Result<Ratio> {
    if given.numerator <= given.denominator {
        return Ok(given);
    }
    let denominator = given.denominator.checked_mul(u128::from(rows)).ok_or_else(too_precise)?;
    if rows == 0 || given.numerator > denominator {
        return Ok(Ratio { numerator: 1, denominator: 1 });
    }
    Ok(Ratio { numerator: given.numerator, denominator })
}

fn sum(a: Ratio, b: Ratio) -> Result<Ratio> {
    let product = |x: u128, y: u128| x.checked_mul(y).ok_or_else(too_precise);
    let left = product(a.numerator, b.denominator)?;
    let right = product(b.numerator, a.denominator)?;
    let numerator = left.checked_add(right).ok_or_else(too_precise)?;
    Ok(Ratio { numerator, denominator: product(a.denominator, b.denominator)? })
}

/// The number of values of so many bits that are a share of all, rounded down.
fn values_below(share: Ratio, bits: u32) -> Result<u128> {
    let divisor = gcd(share.numerator, share.denominator).max(1);
    let (mut over, mut under) = (share.numerator / divisor, share.denominator / divisor);
    // The number of values is a power of two, by which the denominator may be divisible.
    let mut bits = bits;
    while bits > 0 && under % 2 == 0 {
        (under, bits) = (under / 2, bits - 1);
    }
    over = over.checked_mul(1 << bits).ok_or_else(too_precise)?;
    Ok(over / under.max(1))
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cold]
fn too_precise() -> Error {
    let message = "The numbers of SAMPLE have too many digits: use fewer";
    Error::new(codes::ARGUMENT_OUT_OF_BOUND, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_exact() {
        let ratio = |numerator, denominator| Ratio { numerator, denominator };
        assert_eq!(values_below(ratio(1, 10), 32).unwrap(), (1u128 << 32) / 10);
        assert_eq!(values_below(ratio(1, 1), 64).unwrap(), 1 << 64);
        assert_eq!(values_below(ratio(1, 2), 8).unwrap(), 128);
        assert_eq!(sum(ratio(1, 2), ratio(1, 3)).unwrap(), ratio(5, 6));
        assert_eq!(share(ratio(100, 1), 1000).unwrap(), ratio(100, 1000));
        assert_eq!(share(ratio(100, 1), 10).unwrap(), ratio(1, 1));
        assert_eq!(share(ratio(3, 2), 1000).unwrap(), ratio(3, 2000));
    }
}
