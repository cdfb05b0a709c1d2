//! `groupConcat`: the values as text, one after the other.

use entasis_base::varint::{read_varint, write_varint};
use entasis_base::{Error, Result, codes};
use entasis_column::{Column, StringsBuilder};
use entasis_types::DataType;

use entasis_function::aggregate::args::{expect_count, take, wrong_count};
use entasis_function::aggregate::binary::read_len;
use entasis_function::cast::{self, Cast, Session};
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext};
use entasis_function_kernel::aggregates::fold::{Fold, FoldAggregate};
use entasis_function_kernel::text::Text;

#[derive(Clone)]
struct GroupConcat {
    separator: Vec<u8>,
    /// Most values.
    most: Option<u64>,
    cast: Option<Cast>,
}

impl std::fmt::Debug for GroupConcat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GroupConcat").field("most", &self.most).finish_non_exhaustive()
    }
}

/// The text so far. With a limit, also where each value begins and ends.
#[derive(Default)]
struct Joined {
    text: Vec<u8>,
    ends: Vec<u64>,
    any: bool,
}

impl GroupConcat {
    fn add(&self, state: &mut Joined, value: &[u8]) {
        if self.most.is_some_and(|most| state.ends.len() as u64 / 2 >= most) {
            return;
        }
        if state.any {
            state.text.extend_from_slice(&self.separator);
        }
        let start = state.text.len() as u64;
        state.text.extend_from_slice(value);
        state.any = true;
        if self.most.is_some() {
            state.ends.extend([start, state.text.len() as u64]);
        }
    }
}

impl Fold for GroupConcat {
    type State = Joined;

    fn init(&self) -> Joined {
        Joined::default()
    }

    fn return_type(&self) -> DataType {
        DataType::String
    }

    fn update(&self, states: &mut [Joined], args: &[Column], groups: &[u32]) -> Result<()> {
        let column = match &self.cast {
            Some(cast) => cast(&args[0])?,
            None => args[0].clone(),
        };
        let column = column.full();
        let text = Text::of(&column)?;
        for (i, &group) in groups.iter().enumerate() {
            self.add(&mut states[group as usize], text.get(i));
        }
        Ok(())
    }

    fn merge(&self, into: &mut Joined, from: &mut Joined) -> Result<()> {
        if self.most.is_none() {
            if from.any {
                self.add(into, &from.text);
            }
            return Ok(());
        }
        for range in from.ends.chunks_exact(2) {
            let value = from.text.get(range[0] as usize..range[1] as usize);
            self.add(into, value.unwrap_or_default());
        }
        Ok(())
    }

    fn write(&self, state: &Joined, out: &mut Vec<u8>) {
        write_varint(out, state.text.len() as u64);
        out.extend_from_slice(&state.text);
        if self.most.is_some() {
            write_varint(out, state.ends.len() as u64 / 2);
            state.ends.iter().for_each(|&end| write_varint(out, end));
        }
    }

    fn read(&self, input: &mut &[u8]) -> Result<Joined> {
        let len = read_len(input)?;
        let text = take(input, len)?.to_vec();
        let mut ends = Vec::new();
        if self.most.is_some() {
            for _ in 0..read_len(input)?.saturating_mul(2) {
                ends.push(read_varint(input)?);
            }
        }
        let any = !text.is_empty() || !ends.is_empty();
        Ok(Joined { text, ends, any })
    }

    fn finish(&self, states: &mut [Joined]) -> Result<Column> {
        let bytes = states.iter().map(|s| s.text.len()).sum();
        let mut out = StringsBuilder::with_capacity(states.len(), 0);
        out.check_room(bytes)?;
        states.iter().for_each(|s| out.push(&s.text));
        Ok(out.finish().into())
    }

    fn heap(&self, state: &Joined) -> usize {
        state.text.capacity() + state.ends.capacity() * 8
    }
}

fn bind(args: AggregateArgs<'_>, context: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    let name = "groupConcat";
    if args.params.len() > 2 {
        return Err(wrong_count(
            "Incorrect number of parameters for aggregate function groupConcat",
        ));
    }
    expect_count(name, args, 1)?;
    let separator = match args.params.first() {
        None => Vec::new(),
        Some(param) => param
            .as_bytes()
            .ok_or_else(|| {
                let message = "First parameter for aggregate function groupConcat should be string";
                Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message)
            })?
            .to_vec(),
    };
    let most = match args.params.get(1) {
        None => None,
        Some(param) => Some(param.as_u64().filter(|&n| n > 0).ok_or_else(|| {
            let message = "Second parameter for aggregate function groupConcat should be a \
                           positive number";
            Error::new(codes::BAD_ARGUMENTS, message)
        })?),
    };
    let ty = &args.types[0];
    let cast = match ty {
        ty if ty.is_string() => None,
        ty => Some(cast::bind(ty, &DataType::String, Session::of(context))?),
    };
    FoldAggregate::boxed(GroupConcat { separator, most, cast })
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[AggregateDef {
    name: "groupConcat",
    aliases: &["group_concat", "string_agg"],
    case_insensitive: true,
    description: "All values as one text, with the first parameter between them; at most as many \
                  values as the second parameter.",
    examples: &[("SELECT groupConcat(',')(number) FROM numbers(3)", "0,1,2")],
    bind,
    ..AggregateDef::DEFAULT
}];
