//! `primes`: the prime numbers in ascending order, found by a sieve that goes from one segment of
//! numbers to the next. One worker sieves; other workers have nothing to do.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use entasis_base::{Error, Event, Result, codes, scope};
use entasis_column::{Chunk, Column};
use entasis_pipeline::{Morsel, QueryContext, Source};
use entasis_table_api::{ColumnDef, ScanSpec, Schema, Snapshot, Table};
use entasis_types::{DataType, Value};

use crate::raw::{self, RawReader, RawRows};

/// How many numbers are sieved at once.
const SEGMENT: u64 = 1 << 18;

/// Some of the prime numbers.
#[derive(Clone, Debug)]
pub struct Primes {
    /// How many primes are left out before the first row.
    offset: u64,
    /// The number of rows; `u64::MAX` if there is no end.
    count: u64,
    /// Every step-th prime is a row.
    step: u64,
    schema: Arc<Schema>,
}

impl Primes {
    /// The primes after the first `offset`, every `step`-th of them, as `count` rows.
    pub fn table(offset: u64, count: u64, step: u64) -> Arc<dyn Table> {
        let schema = Schema::new(vec![ColumnDef::new("prime", DataType::UInt64)]);
        Arc::new(Self { offset, count, step, schema })
    }
}

/// `primes()`, `primes(count)`, `primes(offset, count)`, `primes(offset, count, step)`.
pub(crate) fn primes(args: &[Value]) -> Result<Arc<dyn Table>> {
    let number = |i: usize| {
        args[i].as_u64().ok_or_else(|| {
            let message = "Table function primes takes whole numbers that are not negative";
            Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message)
        })
    };
    let (offset, count, step) = match args.len() {
        0 => (0, u64::MAX, 1),
        1 => (0, number(0)?, 1),
        2 => (number(0)?, number(1)?, 1),
        3 => (number(0)?, number(1)?, number(2)?),
        _ => {
            let message =
                "Table function primes takes at most three arguments: offset, count, step";
            return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
        }
    };
    if step == 0 {
        let message = "Table function primes requires step to be a positive number";
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    Ok(Primes::table(offset, count, step))
}

impl Table for Primes {
    fn engine(&self) -> &'static str {
        "SystemPrimes"
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(Arc::new(self.clone()))
    }
}

impl Snapshot for Primes {
    fn row_count(&self) -> Option<u64> {
        (!self.is_endless()).then_some(self.count)
    }

    fn is_endless(&self) -> bool {
        self.count == u64::MAX
    }

    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>> {
        let mut primes = self.clone();
        if spec.filter.is_empty() {
            primes.count = primes.count.min(spec.limit.unwrap_or(u64::MAX));
        }
        let rows = Rows { primes, is_taken: AtomicBool::new(false) };
        raw::scan(Arc::new(rows), spec, context)
    }
}

struct Rows {
    primes: Primes,
    /// Whether a worker has begun to sieve.
    is_taken: AtomicBool,
}

impl RawRows for Rows {
    fn name(&self) -> String {
        "SystemPrimes".into()
    }

    fn event(&self) -> Event {
        Event::GeneratedRowsRead
    }

    fn reader(&self, columns: &[usize], max_rows: usize) -> Result<Box<dyn RawReader>> {
        let is_first = !self.is_taken.swap(true, Ordering::Relaxed);
        Ok(Box::new(Reader {
            columns: columns.len(),
            max_rows: max_rows.max(1),
            left: if is_first { self.primes.count } else { 0 },
            skip: self.primes.offset,
            step: self.primes.step,
            sieve: Sieve::default(),
            found: Vec::new().into_iter(),
            morsel: 0,
        }))
    }
}

struct Reader {
    columns: usize,
    max_rows: usize,
    /// Rows that are still to come.
    left: u64,
    /// Primes that are left out before the next row.
    skip: u64,
    step: u64,
    sieve: Sieve,
    /// Primes of the current segment that are not used yet.
    found: std::vec::IntoIter<u64>,
    morsel: u64,
}

impl RawReader for Reader {
    fn next(&mut self) -> Result<Option<Morsel>> {
        let wanted = (self.max_rows as u64).min(self.left) as usize;
        let mut rows = Vec::with_capacity(wanted);
        while rows.len() < wanted {
            let Some(prime) = self.found.next() else {
                scope::check()?;
                self.found = self.sieve.segment()?.into_iter();
                continue;
            };
            if self.skip > 0 {
                self.skip -= 1;
                continue;
            }
            self.skip = self.step - 1;
            rows.push(prime);
        }
        if rows.is_empty() {
            return Ok(None);
        }
        self.left -= rows.len() as u64;
        let count = rows.len();
        let chunk = Chunk::new(vec![Column::from(rows); self.columns], count);
        let sequence = self.morsel;
        self.morsel += 1;
        Ok(Some(Morsel { sequence, chunk }))
    }
}

/// A sieve of Eratosthenes over one segment after the other.
#[derive(Default)]
struct Sieve {
    /// The first number of the next segment.
    start: u64,
    /// The primes up to the square root of the last number that was sieved.
    base: Vec<u64>,
}

impl Sieve {
    /// The primes of the next segment.
    fn segment(&mut self) -> Result<Vec<u64>> {
        let (start, end) = (self.start, self.start.checked_add(SEGMENT));
        let Some(end) = end else {
            let message = "Table function primes: there are no larger primes of 64 bits";
            return Err(Error::new(codes::LIMIT_EXCEEDED, message));
        };
        let root = end.isqrt();
        let from = self.base.last().map_or(2, |last| last + 1);
        for number in from..=root {
            let is_prime = self
                .base
                .iter()
                .take_while(|prime| *prime * *prime <= number)
                .all(|prime| number % prime != 0);
            if is_prime {
                self.base.push(number);
            }
        }
        let mut is_composite = vec![false; SEGMENT as usize];
        for prime in &self.base {
            let first = (prime * prime).max(start.div_ceil(*prime) * prime);
            for multiple in (first..end).step_by(*prime as usize) {
                is_composite[(multiple - start) as usize] = true;
            }
        }
        self.start = end;
        let numbers = is_composite.iter().zip(start..);
        let primes = numbers.filter(|(composite, number)| !**composite && *number >= 2);
        Ok(primes.map(|(_, number)| number).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_continue_each_other() {
        let mut sieve = Sieve::default();
        let mut primes = sieve.segment().unwrap();
        assert_eq!(primes[..6], [2, 3, 5, 7, 11, 13]);
        while primes.len() < 100_000 {
            primes.extend(sieve.segment().unwrap());
        }
        assert_eq!(primes[99_999], 1_299_709);
    }
}
