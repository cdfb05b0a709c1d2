//! Chains of events in time: `windowFunnel`, `retention`; and what they share with `sequenceMatch`:
//! conditions as arguments, and lists of events with times, which are sorted when they are read.

use std::marker::PhantomData;

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Native};
use entasis_types::{DataType, Value};

use entasis_function::aggregate::args::{
    Bytes, cut_off, illegal_type, mismatch, native, wrong_count,
};
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext};
use entasis_function_kernel::aggregates::fold::{Fold, FoldAggregate};

/// Most conditions of one call.
pub const MOST_EVENTS: usize = 32;

/// Times as they are stored: Date, DateTime or unsigned numbers.
pub trait Time: Native + Bytes + Ord {
    /// As a number.
    fn ticks(self) -> u64;
}

macro_rules! time {
    ($($ty:ty),*) => {$(
        impl Time for $ty {
            fn ticks(self) -> u64 {
                self.into()
            }
        }
    )*};
}

time!(u8, u16, u32, u64);

/// Fails unless the arguments from `first` on are conditions, at most [`MOST_EVENTS`].
pub fn expect_conditions(name: &str, args: AggregateArgs<'_>, first: usize) -> Result<()> {
    let conditions = &args.types[first.min(args.types.len())..];
    if conditions.len() > MOST_EVENTS {
        let message = format!("Too many event arguments for aggregate function {name}");
        return Err(wrong_count(message));
    }
    let wrong = conditions.iter().find(|t| !matches!(t, DataType::UInt8 | DataType::Bool));
    wrong.map_or(Ok(()), |ty| Err(illegal_type(name, ty)))
}

/// The conditions of every row as bits, lowest first.
pub fn condition_bits(args: &[Column], first: usize, rows: usize) -> Result<Vec<u32>> {
    let mut bits = vec![0u32; rows];
    for (k, column) in args.iter().skip(first).enumerate() {
        let column = column.full();
        let values = column.native::<u8>().ok_or_else(mismatch)?;
        for (bits, &value) in bits.iter_mut().zip(values.iter()) {
            *bits |= u32::from(value != 0) << k;
        }
    }
    Ok(bits)
}

/// Events in order of arrival until they are sorted.
#[derive(Debug)]
pub struct Events<T, E> {
    /// Time and event.
    pub list: Vec<(T, E)>,
    /// Whether the list is sorted.
    pub sorted: bool,
}

impl<T, E> Default for Events<T, E> {
    fn default() -> Self {
        Self { list: Vec::new(), sorted: true }
    }
}

impl<T: Ord + Copy, E: Ord + Copy> Events<T, E> {
    /// Appends one.
    pub fn push(&mut self, time: T, event: E) {
        self.sorted &= self.list.last().is_none_or(|last| *last <= (time, event));
        self.list.push((time, event));
    }

    /// Sorts by time and event.
    pub fn sort(&mut self) {
        if !self.sorted {
            self.list.sort();
            self.sorted = true;
        }
    }

    /// Appends another's.
    pub fn append(&mut self, other: &mut Self) {
        self.sorted &= other.sorted
            && match (self.list.last(), other.list.first()) {
                (Some(last), Some(first)) => last <= first,
                _ => true,
            };
        self.list.append(&mut other.list);
    }
}

impl<T: Bytes + Copy, E: Copy> Events<T, E> {
    /// Appends the reference's bytes, an event's by `put`.
    pub fn write(&self, out: &mut Vec<u8>, put: impl Fn(E, &mut Vec<u8>)) {
        out.push(u8::from(self.sorted));
        (self.list.len() as u64).put(out);
        for &(time, event) in &self.list {
            time.put(out);
            put(event, out);
        }
    }

    /// Reads them back.
    pub fn read(input: &mut &[u8], get: impl Fn(&mut &[u8]) -> Result<E>) -> Result<Self> {
        u8::get(input)?;
        let len = u64::get(input)?;
        if len > input.len() as u64 {
            return Err(cut_off());
        }
        let list = (0..len).map(|_| Ok((T::get(input)?, get(input)?))).collect::<Result<_>>()?;
        // The input is untrusted, so the events are assumed to be unsorted.
        Ok(Self { list, sorted: false })
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Strictness {
    deduplication: bool,
    order: bool,
    increase: bool,
}

#[derive(Clone, Debug)]
struct Funnel<T> {
    window: u64,
    strict: Strictness,
    levels: usize,
    of: PhantomData<T>,
}

impl<T: Time> Funnel<T> {
    /// The length of the longest chain. `reached[i]` contains, for the latest chain of `i + 1`
    /// events, the times of its first and its last event.
    fn level(&self, events: &[(T, u8)]) -> u8 {
        let mut reached: Vec<Option<(u64, u64)>> = vec![None; self.levels];
        let mut started = false;
        let mut previous = 0;
        for &(time, event) in events {
            let time = time.ticks();
            let before = std::mem::replace(&mut previous, event);
            let Some(at) = usize::from(event).checked_sub(1) else {
                // Under strict order, a row that is none of the events ends the chain.
                if started {
                    break;
                }
                continue;
            };
            if at == 0 {
                (reached[0], started) = (Some((time, time)), true);
                continue;
            }
            if self.strict.deduplication && reached[at].is_some() {
                return before;
            }
            let Some((first, last)) = reached[at - 1] else {
                if self.strict.order && started {
                    return reached.iter().take_while(|r| r.is_some()).count() as u8;
                }
                continue;
            };
            let late = time > first.saturating_add(self.window);
            if late || (self.strict.increase && last >= time) {
                continue;
            }
            reached[at] = Some((first, time));
            if at + 1 == self.levels {
                return self.levels as u8;
            }
        }
        reached.iter().rposition(Option::is_some).map_or(0, |i| i as u8 + 1)
    }
}

impl<T: Time> Fold for Funnel<T> {
    type State = Events<T, u8>;

    fn init(&self) -> Self::State {
        Events::default()
    }

    fn return_type(&self) -> DataType {
        DataType::UInt8
    }

    fn update(&self, states: &mut [Self::State], args: &[Column], groups: &[u32]) -> Result<()> {
        let bits = condition_bits(args, 1, groups.len())?;
        for ((&time, &bits), &group) in native::<T>(args, 0)?.iter().zip(&bits).zip(groups) {
            let events = &mut states[group as usize];
            // The last event comes first, as in the states of the reference.
            let mut rest = bits;
            while rest != 0 {
                let event = rest.ilog2();
                events.push(time, event as u8 + 1);
                rest ^= 1 << event;
            }
            if bits == 0 && self.strict.order {
                events.push(time, 0);
            }
        }
        Ok(())
    }

    fn merge(&self, into: &mut Self::State, from: &mut Self::State) -> Result<()> {
        into.append(from);
        Ok(())
    }

    fn write(&self, state: &Self::State, out: &mut Vec<u8>) {
        state.write(out, |event, out| out.push(event));
    }

    fn read(&self, input: &mut &[u8]) -> Result<Self::State> {
        let events = Events::read(input, u8::get)?;
        if events.list.iter().any(|e: &(T, u8)| usize::from(e.1) > self.levels) {
            return Err(Error::new(codes::INCORRECT_DATA, "Aggregate state has unknown events"));
        }
        Ok(events)
    }

    fn finish(&self, states: &mut [Self::State]) -> Result<Column> {
        let level = |events: &mut Self::State| {
            events.sort();
            self.level(&events.list)
        };
        Ok(states.iter_mut().map(level).collect::<Vec<_>>().into())
    }

    fn heap(&self, state: &Self::State) -> usize {
        state.list.capacity() * size_of::<(T, u8)>()
    }
}

fn strictness(params: &[Value]) -> Result<Strictness> {
    let mut strict = Strictness::default();
    for param in params {
        match param.as_bytes() {
            Some(b"strict_deduplication" | b"strict") => strict.deduplication = true,
            Some(b"strict_order") => strict.order = true,
            Some(b"strict_increase") => strict.increase = true,
            other => {
                let shown = String::from_utf8_lossy(other.unwrap_or_default());
                let message =
                    format!("Aggregate function windowFunnel doesn't support a parameter: {shown}");
                return Err(Error::new(codes::BAD_ARGUMENTS, message));
            }
        }
    }
    Ok(strict)
}

fn bind_funnel(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    let name = "windowFunnel";
    let Some((window, options)) = args.params.split_first() else {
        return Err(wrong_count(
            "Aggregate function windowFunnel requires at least one parameter: <window>, [option, \
             [option, ...]]",
        ));
    };
    if args.types.len() < 2 {
        return Err(wrong_count(
            "Aggregate function windowFunnel requires one timestamp argument and at least one \
             event condition",
        ));
    }
    let window = window.as_u64().ok_or_else(|| {
        let message = "The window of windowFunnel must be a whole number, not below zero";
        Error::new(codes::BAD_ARGUMENTS, message)
    })?;
    expect_conditions(name, args, 1)?;
    let (strict, levels) = (strictness(options)?, args.types.len() - 1);
    match &args.types[0] {
        DataType::UInt8 => {
            FoldAggregate::boxed(Funnel::<u8> { window, strict, levels, of: PhantomData })
        }
        DataType::UInt16 | DataType::Date => {
            FoldAggregate::boxed(Funnel::<u16> { window, strict, levels, of: PhantomData })
        }
        DataType::UInt32 | DataType::DateTime(_) => {
            FoldAggregate::boxed(Funnel::<u32> { window, strict, levels, of: PhantomData })
        }
        DataType::UInt64 => {
            FoldAggregate::boxed(Funnel::<u64> { window, strict, levels, of: PhantomData })
        }
        other => Err(illegal_type(name, other)),
    }
}

/// The conditions that were true in some row, as bits.
#[derive(Clone, Debug)]
struct Retention {
    conditions: usize,
}

impl Fold for Retention {
    type State = u32;

    fn init(&self) -> u32 {
        0
    }

    fn return_type(&self) -> DataType {
        DataType::array(DataType::UInt8)
    }

    fn update(&self, states: &mut [u32], args: &[Column], groups: &[u32]) -> Result<()> {
        let bits = condition_bits(args, 0, groups.len())?;
        bits.iter().zip(groups).for_each(|(bits, &g)| states[g as usize] |= bits);
        Ok(())
    }

    fn merge(&self, into: &mut u32, from: &mut u32) -> Result<()> {
        *into |= *from;
        Ok(())
    }

    fn write(&self, state: &u32, out: &mut Vec<u8>) {
        state.put(out);
    }

    fn read(&self, input: &mut &[u8]) -> Result<u32> {
        u32::get(input)
    }

    fn finish(&self, states: &mut [u32]) -> Result<Column> {
        let held = |bits: u32, k: usize| (bits & 1) as u8 & (bits >> k) as u8 & 1;
        let n = self.conditions;
        let values: Vec<u8> =
            states.iter().flat_map(|&bits| (0..n).map(move |k| held(bits, k))).collect();
        let offsets = (0..=states.len()).map(|i| (i * n) as u32).collect();
        Ok(Column::array(offsets, values.into()))
    }
}

fn bind_retention(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    entasis_function::aggregate::args::expect_no_params("retention", args)?;
    if args.types.len() < 2 {
        return Err(wrong_count("Not enough event arguments for aggregate function retention"));
    }
    expect_conditions("retention", args, 0)?;
    FoldAggregate::boxed(Retention { conditions: args.types.len() })
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[
    AggregateDef {
        name: "windowFunnel",
        description: "How many of the events, given by conditions, happened one after the other \
                      within a window of time.",
        examples: &[(
            "SELECT windowFunnel(10)(number, number = 1, number = 2) FROM numbers(5)",
            "2",
        )],
        bind: bind_funnel,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "retention",
        description: "For each condition, 1 if the first condition and this one were both true in \
                      some row.",
        examples: &[("SELECT retention(number = 1, number = 9) FROM numbers(5)", "[1,0]")],
        bind: bind_retention,
        ..AggregateDef::DEFAULT
    },
];
