//! `topK`, `topKWeighted`: the most frequent values by the space-saving algorithm (Metwally,
//! Agrawal, El Abbadi 2005) with a filter before it (Homem, Carvalho 2010). The result is exact
//! while the distinct values fit, and estimated beyond.

use std::collections::HashMap;
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
#[derive(Clone, Debug)]
struct Counter {
    key: Box<[u8]>,
    hash: u64,
    count: u64,
    error: u64,
}

/// Counters in order, greatest first.
#[derive(Debug, Default)]
struct Counters {
    list: Vec<Counter>,
    places: HashMap<Box<[u8]>, u32>,
    /// By hash, how often values without a counter were seen.
    filter: Vec<u64>,
}

impl Counters {
    fn new(reserved: usize) -> Self {
        let filter = vec![0; (reserved * 6 + 1).next_power_of_two()];
        Self { filter, ..Self::default() }
    }

    /// Moves the counter at `place` forward to where it belongs.
    fn percolate(&mut self, mut place: usize) {
        let better = |a: &Counter, b: &Counter| (a.count, b.error) > (b.count, a.error);
        while place > 0 && better(&self.list[place], &self.list[place - 1]) {
            self.list.swap(place, place - 1);
            self.place(place);
            place -= 1;
        }
        self.place(place);
    }

    fn place(&mut self, at: usize) {
        if let Some(place) = self.places.get_mut(&self.list[at].key) {
            *place = at as u32;
        }
    }

    fn push(&mut self, counter: Counter) {
        self.places.insert(counter.key.clone(), self.list.len() as u32);
        self.list.push(counter);
        self.percolate(self.list.len() - 1);
    }

    fn pop(&mut self) -> Option<Counter> {
        let last = self.list.pop()?;
        self.places.remove(&last.key);
        Some(last)
    }

    fn add(&mut self, key: &[u8], weight: u64, reserved: usize) {
        if let Some(&place) = self.places.get(key) {
            let counter = &mut self.list[place as usize];
            counter.count = counter.count.wrapping_add(weight);
            return self.percolate(place as usize);
        }
        let hash = hash_bytes(key);
        let mut new = Counter { key: key.into(), hash, count: weight, error: 0 };
        let least = self.list.last().map_or(0, |c| c.count);
        if self.list.len() < reserved || weight > least {
            if self.list.len() >= reserved {
                self.pop();
            }
            return self.push(new);
        }
        let mask = self.filter.len() - 1;
        let seen = self.filter[hash as usize & mask];
        if seen.saturating_add(weight) < least {
            self.filter[hash as usize & mask] += weight;
            return;
        }
        if let Some(last) = self.pop() {
            self.filter[last.hash as usize & mask] = last.count;
        }
        (new.count, new.error) = (seen.saturating_add(weight), seen);
        self.push(new);
    }

    fn merge(&mut self, other: &Self, reserved: usize) {
        let least = |c: &Self| match c.list.last() {
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
        for counter in other.list.iter().rev() {
            if let Some(&place) = self.places.get(&counter.key) {
                let own = &mut self.list[place as usize];
                own.count += counter.count - theirs;
                own.error = (own.error + counter.error).saturating_sub(theirs);
            } else {
                let (count, error) = (counter.count + mine, counter.error + mine);
                self.list.push(Counter { count, error, ..counter.clone() });
            }
        }
        self.list.sort_by_key(|c| (std::cmp::Reverse(c.count), c.error));
        self.list.truncate(reserved);
        let places = self.list.iter().enumerate().map(|(i, c)| (c.key.clone(), i as u32));
        self.places = places.collect();
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
        for counter in &state.list {
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
            counters.push(Counter { hash: hash_bytes(&key), key, count, error });
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
            for counter in state.list.iter().take(self.count) {
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
        let keys: usize = state.list.iter().map(|c| c.key.len() * 2 + 96).sum();
        keys + state.filter.capacity() * 8
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
