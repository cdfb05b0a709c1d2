//! `topK`, `topKWeighted`: the most frequent values by the space-saving algorithm (Metwally,
//! Agrawal, El Abbadi 2005) with a filter before it (Homem, Carvalho 2010). The result is exact
//! while the distinct values fit, and estimated beyond.

use std::sync::Arc;

use entasis_base::varint::{read_varint, write_varint};
use entasis_base::{Error, Result, codes};
use entasis_column::{Column, ColumnBuilder};
use entasis_simd::hash::hash_bytes;
use entasis_types::{DataType, TupleType, Value};

use entasis_function::aggregate::args::{
    cut_off, expect_count, illegal_type, mismatch, wrong_count,
};
use entasis_function::aggregate::binary::{read_len, read_value, write_value};
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext};
use entasis_function_kernel::aggregates::fold::{Fold, FoldAggregate};
use entasis_function_kernel::kernel::Number;

/// Most values asked for.
const MOST: u64 = 0x00FF_FFFF;

#[derive(Clone, Debug)]
struct TopK {
    ty: DataType,
    count: usize,
    /// Counters kept.
    reserved: usize,
    weighted: bool,
    /// Whether counts and errors are part of the result.
    counts: bool,
}

/// A value by its bytes, with the greatest number of times that it may have been seen, and how much
/// this may be too high.
#[derive(Clone, Debug, Default)]
struct Counter {
    key: Box<[u8]>,
    hash: u64,
    count: u64,
    error: u64,
    /// Where it stands in the order.
    place: u32,
}

/// Counters, their order, and a hash table of them.
#[derive(Debug, Default)]
struct Counters {
    list: Vec<Counter>,
    /// The numbers of the counters, greatest first.
    order: Vec<u32>,
    /// The number of a counter and 1, or 0: at most half full, with linear probing.
    table: Vec<u32>,
    /// By hash, how often values without a counter were seen.
    filter: Vec<u64>,
}

const LEAST_SLOTS: usize = 64;

impl Counters {
    fn new(reserved: usize) -> Self {
        let filter = vec![0; (reserved * 6 + 1).next_power_of_two()];
        Self { filter, table: vec![0; LEAST_SLOTS], ..Self::default() }
    }

    /// The counters, greatest first.
    fn ranked(&self) -> impl DoubleEndedIterator<Item = &Counter> {
        self.order.iter().map(|&number| &self.list[number as usize])
    }

    fn last(&self) -> Option<&Counter> {
        self.order.last().map(|&number| &self.list[number as usize])
    }

    /// The number of the counter of a key.
    #[inline]
    fn find(&self, key: &[u8], hash: u64) -> Option<usize> {
        let mask = self.table.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let number = (self.table[at] as usize).checked_sub(1)?;
            let counter = &self.list[number];
            if counter.hash == hash && *counter.key == *key {
                return Some(number);
            }
            at = (at + 1) & mask;
        }
    }

    /// Enters a counter, which is not in the table, into it.
    fn enter(&mut self, number: usize) {
        let mask = self.table.len() - 1;
        let mut at = self.list[number].hash as usize & mask;
        while self.table[at] != 0 {
            at = (at + 1) & mask;
        }
        self.table[at] = number as u32 + 1;
    }

    /// Takes a counter out of the table, and moves those behind it to where they are found.
    fn leave(&mut self, number: usize) {
        let mask = self.table.len() - 1;
        let home = |list: &[Counter], entry: u32| list[entry as usize - 1].hash as usize & mask;
        let mut hole = self.list[number].hash as usize & mask;
        while self.table[hole] != number as u32 + 1 {
            hole = (hole + 1) & mask;
        }
        let mut at = hole;
        loop {
            self.table[hole] = 0;
            loop {
                at = (at + 1) & mask;
                if self.table[at] == 0 {
                    return;
                }
                let from_home = at.wrapping_sub(home(&self.list, self.table[at])) & mask;
                if from_home >= at.wrapping_sub(hole) & mask {
                    break;
                }
            }
            self.table[hole] = self.table[at];
            hole = at;
        }
    }

    /// Makes a table of all counters with room for some more.
    fn make_table(&mut self) {
        let slots = (self.list.len() * 4).next_power_of_two().max(LEAST_SLOTS);
        self.table.clear();
        self.table.resize(slots, 0);
        (0..self.list.len()).for_each(|number| self.enter(number));
    }

    /// Moves the counter at `place` forward to where it belongs.
    fn percolate(&mut self, mut place: usize) {
        let better = |a: &Counter, b: &Counter| (a.count, b.error) > (b.count, a.error);
        let number = self.order[place];
        while place > 0 {
            let before = self.order[place - 1];
            if !better(&self.list[number as usize], &self.list[before as usize]) {
                break;
            }
            self.order[place] = before;
            self.list[before as usize].place = place as u32;
            place -= 1;
        }
        self.order[place] = number;
        self.list[number as usize].place = place as u32;
    }

    fn push(&mut self, counter: Counter) {
        let number = self.list.len();
        self.list.push(counter);
        self.order.push(number as u32);
        if self.list.len() * 2 > self.table.len() {
            self.make_table();
        } else {
            self.enter(number);
        }
        self.percolate(number);
    }

    /// Puts a counter in the place of the last one, whose memory it uses; returns that one's hash
    /// and count.
    fn replace_last(&mut self, key: &[u8], hash: u64, count: u64, error: u64) -> (u64, u64) {
        let Some(&number) = self.order.last() else { return (hash, 0) };
        self.leave(number as usize);
        let counter = &mut self.list[number as usize];
        let seen = (counter.hash, counter.count);
        match counter.key.len() == key.len() {
            true => counter.key.copy_from_slice(key),
            false => counter.key = key.into(),
        }
        (counter.hash, counter.count, counter.error) = (hash, count, error);
        self.enter(number as usize);
        self.percolate(self.order.len() - 1);
        seen
    }

    fn add(&mut self, key: &[u8], weight: u64, reserved: usize) {
        let hash = hash_bytes(key);
        if let Some(number) = self.find(key, hash) {
            let counter = &mut self.list[number];
            counter.count = counter.count.wrapping_add(weight);
            let place = counter.place;
            return self.percolate(place as usize);
        }
        let least = self.last().map_or(0, |c| c.count);
        if self.list.len() < reserved {
            return self.push(Counter { key: key.into(), hash, count: weight, error: 0, place: 0 });
        }
        if weight > least {
            self.replace_last(key, hash, weight, 0);
            return;
        }
        let mask = self.filter.len() - 1;
        let seen = self.filter[hash as usize & mask];
        if seen.saturating_add(weight) < least {
            self.filter[hash as usize & mask] += weight;
            return;
        }
        let (last, count) = self.replace_last(key, hash, seen.saturating_add(weight), seen);
        self.filter[last as usize & mask] = count;
    }

    fn merge(&mut self, other: &Self, reserved: usize) {
        let least = |c: &Self| match c.last() {
            Some(last) if c.list.len() >= reserved => last.count,
            _ => 0,
        };
        // If one side has no counter for a value, it may have seen the value as often as its least
        // counter says.
        let (mine, theirs) = (least(self), least(other));
        for counter in &mut self.list {
            counter.count += theirs;
            counter.error += theirs;
        }
        for counter in other.ranked().rev() {
            if let Some(number) = self.find(&counter.key, counter.hash) {
                let own = &mut self.list[number];
                own.count += counter.count - theirs;
                own.error = (own.error + counter.error).saturating_sub(theirs);
            } else {
                let (count, error) = (counter.count + mine, counter.error + mine);
                self.order.push(self.list.len() as u32);
                self.list.push(Counter { count, error, ..counter.clone() });
            }
        }
        let list = &mut self.list;
        self.order.sort_by_key(|&number| {
            let counter = &list[number as usize];
            (std::cmp::Reverse(counter.count), counter.error)
        });
        self.order.truncate(reserved);
        let kept = self.order.iter().zip(0..).map(|(&number, place)| Counter {
            place,
            ..std::mem::take(&mut list[number as usize])
        });
        self.list = kept.collect();
        self.order = (0..self.list.len() as u32).collect();
        self.make_table();
    }
}

impl Fold for TopK {
    type State = Counters;

    fn init(&self) -> Counters {
        Counters::new(self.reserved)
    }

    fn return_type(&self) -> DataType {
        if !self.counts {
            return DataType::array(self.ty.clone());
        }
        let names = ["item", "count", "error"].map(Arc::from).to_vec();
        let types = vec![self.ty.clone(), DataType::UInt64, DataType::UInt64];
        DataType::array(DataType::Tuple(Arc::new(TupleType { types, names: Some(names) })))
    }

    fn update(&self, states: &mut [Counters], args: &[Column], groups: &[u32]) -> Result<()> {
        let column = args.first().ok_or_else(mismatch)?.full();
        let weights = match (self.weighted, args.get(1)) {
            (true, Some(weights)) => Some(u64::read(&weights.full()).ok_or_else(mismatch)?),
            _ => None,
        };
        let mut key = Vec::new();
        for (i, &group) in groups.iter().enumerate() {
            key.clear();
            write_value(&column, i, &mut key);
            let weight = weights.as_ref().map_or(1, |w| w[i]);
            states[group as usize].add(&key, weight, self.reserved);
        }
        Ok(())
    }

    fn merge(&self, into: &mut Counters, from: &mut Counters) -> Result<()> {
        if !from.list.is_empty() {
            into.merge(from, self.reserved);
        }
        Ok(())
    }

    fn write(&self, state: &Counters, out: &mut Vec<u8>) {
        write_varint(out, state.list.len() as u64);
        for counter in state.ranked() {
            out.extend_from_slice(&counter.key);
            write_varint(out, counter.count);
            write_varint(out, counter.error);
        }
        write_varint(out, state.filter.len() as u64);
        state.filter.iter().for_each(|&seen| write_varint(out, seen));
    }

    fn read(&self, input: &mut &[u8]) -> Result<Counters> {
        let mut counters = Counters::new(self.reserved);
        for _ in 0..read_len(input)?.min(self.reserved) {
            let mut value = ColumnBuilder::new(&self.ty, 1);
            let before = *input;
            read_value(input, &mut value)?;
            let key: Box<[u8]> = before[..before.len() - input.len()].into();
            let (count, error) = (read_varint(input)?, read_varint(input)?);
            counters.push(Counter { hash: hash_bytes(&key), key, count, error, place: 0 });
        }
        let filter =
            (0..read_len(input)?).map(|_| read_varint(input)).collect::<Result<Vec<_>>>()?;
        if filter.len() != counters.filter.len() {
            return Err(cut_off());
        }
        counters.filter = filter;
        Ok(counters)
    }

    fn finish(&self, states: &mut [Counters]) -> Result<Column> {
        let mut values = ColumnBuilder::new(&self.ty, states.len());
        let (mut counts, mut errors, mut offsets) = (Vec::new(), Vec::new(), vec![0u32]);
        for state in states {
            for counter in state.ranked().take(self.count) {
                read_value(&mut &counter.key[..], &mut values)?;
                counts.push(counter.count);
                errors.push(counter.error);
            }
            offsets.push(counts.len() as u32);
        }
        let (values, rows) = (values.finish(), counts.len());
        if !self.counts {
            return Ok(Column::array(offsets.into(), values));
        }
        let items = Column::tuple(vec![values, counts.into(), errors.into()], rows);
        Ok(Column::array(offsets.into(), items))
    }

    fn heap(&self, state: &Counters) -> usize {
        let keys: usize = state.list.iter().map(|c| c.key.len() + 64).sum();
        keys + state.filter.capacity() * 8 + state.table.capacity() * 4
    }
}

#[cold]
fn out_of_range(message: String) -> Error {
    Error::new(codes::ARGUMENT_OUT_OF_BOUND, message)
}

fn number(name: &str, value: &Value) -> Result<u64> {
    let found = value.as_u64().filter(|&n| n > 0 && n <= MOST);
    found.ok_or_else(|| {
        let shown = value.as_i64().unwrap_or(-1);
        out_of_range(format!("Parameter {shown} is illegal for aggregate function '{name}'"))
    })
}

fn bind(name: &str, weighted: bool, args: AggregateArgs<'_>) -> Result<Box<dyn Aggregate>> {
    expect_count(name, args, if weighted { 2 } else { 1 })?;
    let (mut count, mut reserved, mut counts) = (10, 30, false);
    if args.params.len() > 3 {
        let message = format!("Aggregate function '{name}' requires three parameters or less");
        return Err(wrong_count(message));
    }
    if let Some(param) = args.params.first() {
        count = number(name, param)?;
        let factor = args.params.get(1).map_or(Ok(3), |p| number(name, p))?;
        reserved = count.saturating_mul(factor);
        if reserved > MOST {
            let message = format!("Too large parameter for aggregate function '{name}'");
            return Err(out_of_range(message));
        }
    }
    if let Some(option) = args.params.get(2) {
        counts = option.as_bytes() == Some(b"counts");
        if !counts {
            let message = format!("The third parameter of '{name}' can only be 'counts'");
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
    }
    if let Some(weight) = args.types.get(1).filter(|t| !t.is_any_integer()) {
        return Err(illegal_type(name, weight));
    }
    let (ty, count, reserved) = (args.types[0].clone(), count as usize, reserved as usize);
    FoldAggregate::boxed(TopK { ty, count, reserved, weighted, counts })
}

fn bind_plain(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    bind("topK", false, args)
}

fn bind_weighted(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    bind("topKWeighted", true, args)
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[
    AggregateDef {
        name: "topK",
        description: "The n most frequent values, approximately, where n is the parameter (10).",
        examples: &[("SELECT topK(1)(number % 7 = 0) FROM numbers(9)", "[0]")],
        bind: bind_plain,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "topKWeighted",
        description: "The n values whose weights, the second argument, have the greatest sums, \
                      approximately.",
        examples: &[("SELECT topKWeighted(1)(number, number) FROM numbers(9)", "[8]")],
        bind: bind_weighted,
        ..AggregateDef::DEFAULT
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_base::clock::Rng;

    fn check(counters: &Counters, reserved: usize) {
        assert!(counters.list.len() <= reserved);
        assert_eq!(counters.list.len(), counters.order.len());
        for (place, &number) in counters.order.iter().enumerate() {
            let counter = &counters.list[number as usize];
            assert_eq!(counter.place as usize, place);
            assert_eq!(counters.find(&counter.key, counter.hash), Some(number as usize));
        }
        let counts: Vec<u64> = counters.ranked().map(|c| c.count).collect();
        assert!(counts.is_sorted_by(|a, b| a >= b));
        assert_eq!(counters.table.iter().filter(|entry| **entry != 0).count(), counts.len());
    }

    #[test]
    fn every_counter_is_found_and_in_order() {
        let mut rng = Rng::new(4);
        for (reserved, values) in [(3, 5), (30, 20), (30, 1000), (200, 1000)] {
            let mut both = [Counters::new(reserved), Counters::new(reserved)];
            for i in 0..20_000 {
                // Small values are more frequent.
                let most = rng.below(values) + 1;
                let value = rng.below(most);
                let key = value.to_le_bytes();
                both[i % 2].add(&key[..=(value % 3) as usize * 3], 1, reserved);
            }
            let [mut a, b] = both;
            check(&a, reserved);
            check(&b, reserved);
            a.merge(&b, reserved);
            check(&a, reserved);
        }
    }
}
