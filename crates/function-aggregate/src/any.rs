//! Aggregates that keep values they have seen: `any`, `anyLast`, `argMin`, `argMax`, and `min` and
//! `max` of values that are not numbers.

use std::any::Any;
use std::ops::Range;

use entasis_base::{Error, Result};
use entasis_column::{Column, ColumnBuilder, Native, StringsBuilder, match_native};
use entasis_simd::sum::{Bounded, min_max};
use entasis_types::DataType;

use entasis_function::aggregate::args::{Bytes, expect_plain, mismatch, refuse_variants};
use entasis_function::aggregate::binary::{read_single, read_value, write_single, write_value};
use entasis_function::window::Frames;
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext, States};
use entasis_function_kernel::aggregates::fold::same;
use entasis_function_kernel::aggregates::sliding;
use entasis_function_kernel::aggregates::store::{Store, ValueChoice, Win, store_for};

/// Keeps one value per group. With `by`, it is the value of the row whose other argument wins.
#[derive(Clone, Debug)]
pub struct Picked {
    ty: DataType,
    by: Option<DataType>,
    pick: ValueChoice,
    /// Whether states have the form of the functions that respect NULLs.
    respects_nulls: bool,
}

impl Picked {
    /// Keeps the winner of a single argument.
    pub fn one(ty: DataType, pick: ValueChoice) -> Self {
        Self { ty, by: None, pick, respects_nulls: false }
    }
}

impl Aggregate for Picked {
    fn return_type(&self) -> DataType {
        self.ty.clone()
    }

    fn states(&self) -> Box<dyn States> {
        Box::new(PickedStates {
            of: self.clone(),
            values: store_for(&self.ty),
            by: self.by.as_ref().map(store_for),
            wins: Vec::new(),
        })
    }

    fn frames(&self, args: &[Column], frames: &Frames) -> Result<Option<Column>> {
        let last = match self.pick {
            _ if self.by.is_some() => return Ok(None),
            ValueChoice::First => false,
            ValueChoice::Last => true,
            ValueChoice::Least | ValueChoice::Greatest => return Ok(None),
        };
        let none = Column::default_of(&self.ty, 1);
        let values = args.first().ok_or_else(mismatch)?;
        Ok(Some(sliding::picked(values, frames, last, &none)))
    }
}

struct PickedStates {
    of: Picked,
    values: Box<dyn Store>,
    by: Option<Box<dyn Store>>,
    wins: Vec<Win>,
}

impl PickedStates {
    fn apply(&mut self, args: &[Column], groups: &[u32]) -> Result<()> {
        self.wins.clear();
        let value = args.first().ok_or_else(mismatch)?.full();
        let Some(by) = &mut self.by else {
            return self.values.pick(&value, groups, self.of.pick, &mut self.wins);
        };
        let key = args.get(1).ok_or_else(mismatch)?.full();
        by.pick(&key, groups, self.of.pick, &mut self.wins)?;
        self.values.set(&value, &self.wins)
    }

    /// The first of the rows with the best number, if numbers decide.
    fn best_row(&self, args: &[Column]) -> Option<u32> {
        let least = match self.of.pick {
            ValueChoice::Least => true,
            ValueChoice::Greatest => false,
            ValueChoice::First | ValueChoice::Last => return None,
        };
        match_native!(args.last()?, values => best_of(values, least), _ => None)
    }

    /// The store that decides whether a group has a value.
    fn decider(&self) -> &dyn Store {
        self.by.as_deref().unwrap_or(&*self.values)
    }
}

/// The first row with the least or the greatest number; `None` if all are NaN.
fn best_of<T: Native + Bounded>(values: &[T], least: bool) -> Option<u32> {
    let (min, max) = min_max(values)?;
    let best = if least { min } else { max };
    values.iter().position(|value| *value == best).map(|row| row as u32)
}

impl States for PickedStates {
    fn resize(&mut self, groups: usize) {
        self.values.resize(groups);
        if let Some(by) = &mut self.by {
            by.resize(groups);
        }
    }

    fn update(&mut self, args: &[Column], groups: &[u32]) -> Result<()> {
        self.apply(args, groups)
    }

    fn update_one(&mut self, args: &[Column], rows: usize, group: u32) -> Result<()> {
        if self.by.is_none() && rows > 0 {
            let at = match self.of.pick {
                ValueChoice::First if self.values.has(group as usize) => return Ok(()),
                ValueChoice::First => Some(0),
                ValueChoice::Last => Some(rows - 1),
                _ => None,
            };
            if let Some(at) = at {
                let value = args.first().ok_or_else(mismatch)?.slice(at, 1).full();
                return self.values.set(&value, &[(group, 0)]);
            }
        }
        if let Some(row) = self.best_row(args) {
            let one: Vec<Column> = args.iter().map(|arg| arg.take(&[row])).collect();
            return self.apply(&one, &[group]);
        }
        self.apply(args, &vec![group; rows])
    }

    fn merge(&mut self, other: &mut dyn States, from: &[u32], groups: &[u32]) -> Result<()> {
        let other = same::<Self>(other)?;
        let pairs = from.iter().zip(groups).filter(|(f, _)| other.decider().has(**f as usize));
        let (from, groups): (Vec<u32>, Vec<u32>) = pairs.unzip();
        let column = |s: &dyn Store| s.column(&mut from.iter().map(|&f| f as usize));
        let mut args = vec![column(&*other.values)];
        args.extend(other.by.as_deref().map(column));
        self.apply(&args, &groups)
    }

    fn serialize(&self, groups: Range<usize>, out: &mut StringsBuilder) -> Result<()> {
        let values = self.values.column(&mut groups.clone());
        let by = self.by.as_ref().map(|b| b.column(&mut groups.clone()));
        for (i, group) in groups.enumerate() {
            let has = self.decider().has(group);
            if self.of.respects_nulls {
                let null = values.is_null(i);
                out.data.push(if !has {
                    1
                } else if null {
                    2
                } else {
                    3
                });
                if has && !null {
                    write_value(values.split_nullable().1, i, &mut out.data);
                }
            } else {
                write_single(&values, i, has, &mut out.data);
            }
            if let Some(by) = &by {
                write_single(by, i, has, &mut out.data);
            }
            out.check_room(0)?;
            out.close();
        }
        Ok(())
    }

    fn merge_one(&mut self, input: &mut &[u8], group: u32) -> Result<()> {
        let mut values = ColumnBuilder::new(&self.of.ty, 1);
        let has = if self.of.respects_nulls {
            // 1: empty; 2: NULL; 3: a value follows.
            let kind = u8::get(input)?;
            match (kind, &mut values) {
                (0 | 1, _) => {}
                (2, values) => values.push_default(),
                (3, ColumnBuilder::Nullable { validity, values }) => {
                    validity.push(true);
                    read_value(input, values)?;
                }
                (3, values) => read_value(input, values)?,
                _ => {
                    let message = format!("Aggregate state begins with {kind}");
                    return Err(Error::new(entasis_base::codes::INCORRECT_DATA, message));
                }
            }
            kind > 1
        } else {
            read_single(&self.of.ty, input, &mut values)?
        };
        let mut args = Vec::with_capacity(2);
        if let Some(ty) = &self.of.by {
            let mut keys = ColumnBuilder::new(ty, 1);
            if read_single(ty, input, &mut keys)? != has {
                return Err(Error::new(
                    entasis_base::codes::INCORRECT_DATA,
                    "Aggregate state has a value without its key, or the other way round",
                ));
            }
            args.push(keys.finish());
        }
        if !has {
            return Ok(());
        }
        args.insert(0, values.finish());
        self.apply(&args, &[group])
    }

    fn finish(&mut self, groups: Range<usize>) -> Result<Column> {
        Ok(self.values.column(&mut groups.into_iter()))
    }

    fn byte_size(&self) -> usize {
        self.values.byte_size() + self.by.as_ref().map_or(0, |b| b.byte_size())
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

fn bind_one(
    name: &str,
    pick: ValueChoice,
    respects_nulls: bool,
    args: AggregateArgs<'_>,
) -> Result<Box<dyn Aggregate>> {
    expect_plain(name, args, 1)?;
    Ok(Box::new(Picked { ty: args.types[0].clone(), by: None, pick, respects_nulls }))
}

fn bind_two(name: &str, pick: ValueChoice, args: AggregateArgs<'_>) -> Result<Box<dyn Aggregate>> {
    expect_plain(name, args, 2)?;
    refuse_variants(name, &args.types[1])?;
    let (ty, by) = (args.types[0].clone(), Some(args.types[1].clone()));
    Ok(Box::new(Picked { ty, by, pick, respects_nulls: false }))
}

fn any(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    bind_one("any", ValueChoice::First, false, args)
}

fn any_last(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    bind_one("anyLast", ValueChoice::Last, false, args)
}

fn any_nulls(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    bind_one("any_respect_nulls", ValueChoice::First, true, args)
}

fn any_last_nulls(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    bind_one("anyLast_respect_nulls", ValueChoice::Last, true, args)
}

fn arg_min(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    bind_two("argMin", ValueChoice::Least, args)
}

fn arg_max(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    bind_two("argMax", ValueChoice::Greatest, args)
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[
    AggregateDef {
        name: "any",
        description: "The first value found that is not NULL.",
        examples: &[("SELECT any(number) FROM numbers(1)", "0")],
        bind: any,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "anyLast",
        description: "The last value found that is not NULL.",
        examples: &[("SELECT anyLast(number) FROM numbers(1)", "0")],
        bind: any_last,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "any_respect_nulls",
        aliases: &["anyRespectNulls", "anyValueRespectNulls", "firstValueRespectNulls"],
        description: "The first value found, which may be NULL.",
        examples: &[("SELECT any_respect_nulls(NULL)", "\\N")],
        sees_nulls: true,
        bind: any_nulls,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "anyLast_respect_nulls",
        aliases: &["anyLastRespectNulls", "lastValueRespectNulls"],
        description: "The last value found, which may be NULL.",
        examples: &[("SELECT anyLast_respect_nulls(NULL)", "\\N")],
        sees_nulls: true,
        bind: any_last_nulls,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "argMin",
        description: "The first argument in the row where the second argument is least.",
        examples: &[("SELECT argMin(number, -number) FROM numbers(5)", "4")],
        bind: arg_min,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "argMax",
        description: "The first argument in the row where the second argument is greatest.",
        examples: &[("SELECT argMax(number, -number) FROM numbers(5)", "0")],
        bind: arg_max,
        ..AggregateDef::DEFAULT
    },
];
