//! `sequenceMatch`, `sequenceCount`: patterns over events that are sorted by time.
//!
//! `(?1)` is an event for which the first condition is true, `.` is any event, `.*` any number of
//! events, and `(?t<=3)` limits the time up to the next event.

use std::marker::PhantomData;

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::{DataType, Value};

use super::events::{Events, Time, condition_bits, expect_conditions};
use entasis_function::aggregate::args::{Bytes, illegal_type, native};
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext};
use entasis_function_kernel::aggregates::fold::{Fold, FoldAggregate};

/// Number of steps after which the search for a match is given up.
const MOST_STEPS: usize = 1_000_000;

/// How the time between two events is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Span {
    LessOrEqual,
    Less,
    GreaterOrEqual,
    Greater,
    Equal,
}

impl Span {
    fn holds(self, time: u64, limit: u64) -> bool {
        match self {
            Self::LessOrEqual => time <= limit,
            Self::Less => time < limit,
            Self::GreaterOrEqual => time >= limit,
            Self::Greater => time > limit,
            Self::Equal => time == limit,
        }
    }

    /// Whether a later event may satisfy the condition if this one does not.
    fn may_come(self) -> bool {
        matches!(self, Self::GreaterOrEqual | Self::Greater | Self::Equal)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Event(u32),
    Any,
    Star,
    Time(Span, u64),
}

struct Parser<'a> {
    pattern: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn eat(&mut self, text: &[u8]) -> bool {
        let found = self.pattern[self.at..].starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    #[cold]
    fn wrong(&self, what: &str) -> Error {
        let found = self.pattern.get(self.at).map(|b| char::from(*b).to_string());
        let message = format!("{what} '{}' at position {}", found.unwrap_or_default(), self.at);
        Error::new(codes::SYNTAX_ERROR, message)
    }

    fn number(&mut self) -> Result<u64> {
        let digits = self.pattern[self.at..].iter().take_while(|b| b.is_ascii_digit()).count();
        let text = String::from_utf8_lossy(&self.pattern[self.at..self.at + digits]).into_owned();
        let number = text.parse().map_err(|_| self.wrong("Could not parse number, found"))?;
        self.at += digits;
        Ok(number)
    }

    fn span(&mut self) -> Result<Span> {
        let spans: [(&[u8], Span); 6] = [
            (b"<=", Span::LessOrEqual),
            (b"<", Span::Less),
            (b">=", Span::GreaterOrEqual),
            (b">", Span::Greater),
            (b"==", Span::Equal),
            (b"=", Span::Equal),
        ];
        let found = spans.iter().find(|(text, _)| self.eat(text)).map(|s| s.1);
        found.ok_or_else(|| self.wrong("Unknown time condition, found"))
    }

    fn action(&mut self, conditions: usize) -> Result<Action> {
        if self.eat(b".*") {
            return Ok(Action::Star);
        }
        if self.eat(b".") {
            return Ok(Action::Any);
        }
        if !self.eat(b"(?") {
            return Err(self.wrong("Could not parse pattern, unexpected starting symbol"));
        }
        let action = if self.eat(b"t") {
            let span = self.span()?;
            Action::Time(span, self.number()?)
        } else {
            let event = self.number()?;
            if event == 0 || event > conditions as u64 {
                let message = format!("Event number {event} is out of range");
                return Err(Error::new(codes::BAD_ARGUMENTS, message));
            }
            Action::Event(event as u32 - 1)
        };
        if !self.eat(b")") {
            return Err(self.wrong("Expected closing parenthesis, found"));
        }
        Ok(action)
    }
}

/// Parses a pattern. Because it may match anywhere, any number of events is allowed before it.
fn parse(pattern: &[u8], conditions: usize) -> Result<Vec<Action>> {
    let mut parser = Parser { pattern, at: 0 };
    let mut actions = vec![Action::Star];
    while parser.at < pattern.len() {
        let before = parser.at;
        let action = parser.action(conditions)?;
        if matches!(action, Action::Time(..)) && !matches!(actions.last(), Some(Action::Event(_))) {
            parser.at = before;
            return Err(parser.wrong("Time condition must stand behind an event, found"));
        }
        actions.push(action);
    }
    Ok(actions)
}

/// A point to which the search can return: the action, the event, and the event from which times
/// are counted.
type Choice = (usize, usize, usize);

/// Searches for the pattern from event `at` on; moves `at` behind the match.
fn find<T: Time>(actions: &[Action], events: &[(T, u32)], at: &mut usize) -> Result<bool> {
    let start = *at;
    let (mut action, mut event, mut base) = (0, start, start);
    let mut choices: Vec<Choice> = Vec::new();
    let mut steps = 0;
    while action < actions.len() && event < events.len() {
        let (time, bits) = events[event];
        let (taken, retry) = match actions[action] {
            Action::Event(k) => (bits >> k & 1 != 0, false),
            Action::Any => (true, false),
            Action::Star => (true, true),
            Action::Time(span, ticks) => {
                let limit = events[base].0.ticks().saturating_add(ticks);
                let holds = span.holds(time.ticks(), limit);
                if !holds && span.may_come() && event + 1 < events.len() {
                    event += 1;
                    continue;
                }
                (holds, true)
            }
        };
        if taken {
            if retry {
                choices.push((action, event, base));
            } else {
                event += 1;
            }
            base = if retry { event } else { event - 1 };
            action += 1;
        } else if let Some((to, from, of)) = choices.pop() {
            (action, event, base) = (to, from + 1, of);
        } else {
            break;
        }
        steps += 1;
        if steps > MOST_STEPS {
            let message = "Pattern application proves too difficult, exceeding max iterations \
                           (1000000)";
            return Err(Error::new(codes::TOO_SLOW, message));
        }
    }
    *at = event.max(start + 1);
    Ok(actions[action..].iter().all(|a| *a == Action::Star))
}

#[derive(Clone, Debug)]
struct Sequence<T> {
    actions: Vec<Action>,
    count: bool,
    of: PhantomData<T>,
}

impl<T: Time> Sequence<T> {
    fn matches(&self, events: &[(T, u32)]) -> Result<u64> {
        let (mut at, mut count) = (0, 0);
        while at < events.len() && find(&self.actions, events, &mut at)? {
            count += 1;
            if !self.count {
                break;
            }
        }
        Ok(count)
    }
}

impl<T: Time> Fold for Sequence<T> {
    type State = Events<T, u32>;

    fn init(&self) -> Self::State {
        Events::default()
    }

    fn return_type(&self) -> DataType {
        if self.count { DataType::UInt64 } else { DataType::UInt8 }
    }

    fn update(&self, states: &mut [Self::State], args: &[Column], groups: &[u32]) -> Result<()> {
        let bits = condition_bits(args, 1, groups.len())?;
        for ((&time, &bits), &group) in native::<T>(args, 0)?.iter().zip(&bits).zip(groups) {
            if bits != 0 {
                states[group as usize].push(time, bits);
            }
        }
        Ok(())
    }

    fn merge(&self, into: &mut Self::State, from: &mut Self::State) -> Result<()> {
        into.append(from);
        Ok(())
    }

    fn write(&self, state: &Self::State, out: &mut Vec<u8>) {
        state.write(out, |bits, out| u64::from(bits).put(out));
    }

    fn read(&self, input: &mut &[u8]) -> Result<Self::State> {
        Events::read(input, |input| Ok(u64::get(input)? as u32))
    }

    fn finish(&self, states: &mut [Self::State]) -> Result<Column> {
        let mut counts = Vec::with_capacity(states.len());
        for events in states {
            events.sort();
            counts.push(self.matches(&events.list)?);
        }
        if self.count {
            return Ok(counts.into());
        }
        Ok(counts.iter().map(|&n| n as u8).collect::<Vec<u8>>().into())
    }

    fn heap(&self, state: &Self::State) -> usize {
        state.list.capacity() * size_of::<(T, u32)>()
    }
}

fn bind(name: &str, count: bool, args: AggregateArgs<'_>) -> Result<Box<dyn Aggregate>> {
    let [pattern] = args.params else {
        let message = format!("Aggregate function {name} requires exactly one parameter");
        return Err(entasis_function::aggregate::args::wrong_count(message));
    };
    if args.types.len() < 3 {
        let message = format!("Aggregate function {name} requires at least 3 arguments");
        return Err(Error::new(codes::TOO_FEW_ARGUMENTS_FOR_FUNCTION, message));
    }
    expect_conditions(name, args, 1)?;
    let pattern = Value::as_bytes(pattern).ok_or_else(|| {
        let message = format!("The pattern of aggregate function {name} must be a string");
        Error::new(codes::BAD_ARGUMENTS, message)
    })?;
    let actions = parse(pattern, args.types.len() - 1)?;
    match &args.types[0] {
        DataType::UInt8 => FoldAggregate::boxed(Sequence::<u8> { actions, count, of: PhantomData }),
        DataType::UInt16 | DataType::Date => {
            FoldAggregate::boxed(Sequence::<u16> { actions, count, of: PhantomData })
        }
        DataType::UInt32 | DataType::DateTime(_) => {
            FoldAggregate::boxed(Sequence::<u32> { actions, count, of: PhantomData })
        }
        DataType::UInt64 => {
            FoldAggregate::boxed(Sequence::<u64> { actions, count, of: PhantomData })
        }
        other => Err(illegal_type(name, other)),
    }
}

fn bind_match(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    bind("sequenceMatch", false, args)
}

fn bind_count(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    bind("sequenceCount", true, args)
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[
    AggregateDef {
        name: "sequenceMatch",
        description: "Whether a chain of events, given by conditions, matches a pattern.",
        examples: &[(
            "SELECT sequenceMatch('(?1).*(?2)')(number, number = 1, number = 3) FROM numbers(5)",
            "1",
        )],
        bind: bind_match,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "sequenceCount",
        description: "Number of times that a chain of events, given by conditions, matched a \
                      pattern, without overlaps.",
        examples: &[(
            "SELECT sequenceCount('(?1)(?2)')(number, number % 2 = 0, number % 2 = 1) FROM \
             numbers(6)",
            "3",
        )],
        bind: bind_count,
        ..AggregateDef::DEFAULT
    },
];
