//! `groupArray`, `groupUniqArray`, `groupArrayLast`: values as arrays.

use std::any::Any;
use std::ops::Range;

use entasis_base::varint::{read_varint, write_varint};
use entasis_base::{Error, Result, codes};
use entasis_column::{Column, ColumnBuilder, StringsBuilder};
use entasis_simd::filter::filter;
use entasis_types::DataType;

use entasis_function::aggregate::args::{
    cut_off, expect_count, mismatch, positive_param, take, wrong_count,
};
use entasis_function::aggregate::binary::{read_arena, read_value, write_arena, write_value};
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext, States};
use entasis_function_kernel::aggregates::fold::same;
use entasis_function_kernel::aggregates::known::Known;
use entasis_function_kernel::aggregates::lists::Lists;

/// Which values of a group are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keep {
    First,
    Last,
    Distinct,
}

#[derive(Clone, Debug)]
struct GroupArray {
    ty: DataType,
    keep: Keep,
    /// Most elements.
    most: Option<u32>,
}

impl Aggregate for GroupArray {
    fn return_type(&self) -> DataType {
        DataType::array(self.ty.clone())
    }

    fn states(&self) -> Box<dyn States> {
        if self.keep == Keep::Distinct
            && let Some(sets) = super::group_uniq::states(&self.ty, self.most)
        {
            return sets;
        }
        let known =
            (self.keep == Keep::Distinct).then(|| Known::new(std::slice::from_ref(&self.ty)));
        Box::new(GroupArrayStates { of: self.clone(), lists: Lists::new(&self.ty), known })
    }
}

struct GroupArrayStates {
    of: GroupArray,
    lists: Lists,
    /// Only for `Distinct`.
    known: Option<Known>,
}

impl GroupArrayStates {
    fn append(&mut self, column: &Column, groups: &[u32]) -> Result<()> {
        let column = column.full();
        if let Some(known) = &mut self.known {
            let mask = known.firsts(std::slice::from_ref(&column), groups)?;
            let mut kept = Vec::new();
            filter(groups, mask.words(), &mut kept);
            return self.append_first(&column.filter(&mask), &kept);
        }
        self.append_first(&column, groups)
    }

    /// Appends as many values as the limit allows; for `Last`, all of them.
    fn append_first(&mut self, column: &Column, groups: &[u32]) -> Result<()> {
        let (Some(most), false) = (self.of.most, self.of.keep == Keep::Last) else {
            return self.lists.append(column, groups);
        };
        let mut more = std::collections::HashMap::new();
        let kept: Vec<u32> = (0..groups.len() as u32)
            .filter(|&i| {
                let group = groups[i as usize];
                let had = self.lists.len(group as usize) as u32;
                if had >= most {
                    return false;
                }
                let more = more.entry(group).or_insert(had);
                *more += 1;
                *more <= most
            })
            .collect();
        let of: Vec<u32> = kept.iter().map(|&i| groups[i as usize]).collect();
        self.lists.append(&column.take(&kept), &of)
    }

    /// Start and end of the elements that count, within a list's.
    fn trimmed(&self, start: u32, end: u32) -> Range<usize> {
        match (self.of.keep, self.of.most) {
            (Keep::Last, Some(most)) => end.saturating_sub(most).max(start) as usize..end as usize,
            _ => start as usize..end as usize,
        }
    }

    /// Numbers and strings are written plainly, and all else as in an arena after its length.
    fn is_simple(&self) -> bool {
        self.of.ty == DataType::String
            || self.of.ty.fixed_width().is_some_and(|_| !self.of.ty.is_string())
    }
}

impl States for GroupArrayStates {
    fn resize(&mut self, groups: usize) {
        self.lists.resize(groups);
    }

    fn update(&mut self, args: &[Column], groups: &[u32]) -> Result<()> {
        self.append(args.first().ok_or_else(mismatch)?, groups)
    }

    fn update_one(&mut self, args: &[Column], rows: usize, group: u32) -> Result<()> {
        let values = args.first().ok_or_else(mismatch)?;
        // Of one list, only so many of the last values of a chunk can stay.
        match (self.of.keep, self.of.most) {
            (Keep::Last, Some(most)) if rows > most as usize => {
                let last = values.slice(rows - most as usize, most as usize);
                // A slice would keep the whole chunk alive.
                let rows: Vec<u32> = (0..most).collect();
                self.append(&last.take(&rows), &vec![group; most as usize])
            }
            (Keep::First, Some(most)) => {
                let left = (most as usize).saturating_sub(self.lists.len(group as usize)).min(rows);
                let first: Vec<u32> = (0..left as u32).collect();
                self.lists.append(&values.take(&first), &vec![group; left])
            }
            _ => self.append(values, &vec![group; rows]),
        }
    }

    fn merge(&mut self, other: &mut dyn States, from: &[u32], groups: &[u32]) -> Result<()> {
        let other = &mut same::<Self>(other)?.lists;
        other.each_of(from, groups, &mut |values, groups| self.append(values, groups))
    }

    fn serialize(&self, groups: Range<usize>, out: &mut StringsBuilder) -> Result<()> {
        // Sorting the log needs a copy of it, because states are read once, at the end.
        let mut sorted = Lists::new(&self.of.ty);
        sorted.copy_from(&self.lists)?;
        let simple = self.is_simple();
        let mut scratch = Vec::new();
        let (starts, values) = sorted.read(groups.start, groups.end);
        for window in starts.windows(2) {
            let range = self.trimmed(window[0], window[1]);
            write_varint(&mut out.data, range.len() as u64);
            for i in range {
                if simple {
                    write_value(values, i, &mut out.data);
                } else {
                    scratch.clear();
                    write_arena(values, i, &mut scratch);
                    write_varint(&mut out.data, scratch.len() as u64);
                    out.data.extend_from_slice(&scratch);
                }
            }
            out.check_room(0)?;
            out.close();
        }
        Ok(())
    }

    fn merge_one(&mut self, input: &mut &[u8], group: u32) -> Result<()> {
        let mut values = ColumnBuilder::new(&self.of.ty, 8);
        let simple = self.is_simple();
        let n = read_varint(input)?;
        if n > input.len() as u64 {
            return Err(cut_off());
        }
        for _ in 0..n {
            if simple {
                read_value(input, &mut values)?;
            } else {
                let size = read_varint(input)? as usize;
                read_arena(&mut take(input, size)?, &mut values)?;
            }
        }
        self.append(&values.finish(), &vec![group; n as usize])
    }

    fn finish(&mut self, groups: Range<usize>) -> Result<Column> {
        if self.of.keep != Keep::Last || self.of.most.is_none() {
            return Ok(self.lists.column(groups.start, groups.end));
        }
        let starts = self.lists.read(groups.start, groups.end).0.to_vec();
        let mut rows = Vec::new();
        let mut offsets = vec![0u32];
        for window in starts.windows(2) {
            rows.extend(self.trimmed(window[0], window[1]).map(|i| i as u32));
            offsets.push(rows.len() as u32);
        }
        let values = self.lists.read(groups.start, groups.end).1.take(&rows);
        Ok(Column::array(offsets.into(), values))
    }

    fn byte_size(&self) -> usize {
        self.lists.byte_size() + self.known.as_ref().map_or(0, Known::byte_size)
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

fn bind(
    name: &str,
    keep: Keep,
    needs_limit: bool,
    args: AggregateArgs<'_>,
) -> Result<Box<dyn Aggregate>> {
    if args.params.len() > 1 || (needs_limit && args.params.is_empty()) {
        let wants = if needs_limit { "1" } else { "0 or 1" };
        return Err(wrong_count(format!(
            "Incorrect number of parameters for aggregate function {name}, should be {wants}"
        )));
    }
    expect_count(name, args, 1)?;
    let limit = args.params.first().map(|p| positive_param(name, p)).transpose()?;
    let most = limit.map(|n| n.min(u64::from(u32::MAX)) as u32);
    let ty = args.types[0].clone();
    if ty == DataType::Nothing {
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, format!("{name} of nothing")));
    }
    Ok(Box::new(GroupArray { ty, keep, most }))
}

fn group_array(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    bind("groupArray", Keep::First, false, args)
}

fn group_array_last(
    args: AggregateArgs<'_>,
    _: &dyn FunctionContext,
) -> Result<Box<dyn Aggregate>> {
    bind("groupArrayLast", Keep::Last, true, args)
}

fn group_uniq_array(
    args: AggregateArgs<'_>,
    _: &dyn FunctionContext,
) -> Result<Box<dyn Aggregate>> {
    bind("groupUniqArray", Keep::Distinct, false, args)
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[
    AggregateDef {
        name: "groupArray",
        description: "Array of all values, or of the first n with a parameter n.",
        examples: &[("SELECT groupArray(2)(number) FROM numbers(1)", "[0]")],
        bind: group_array,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "groupArrayLast",
        description: "Array of the last n values, where n is the parameter.",
        examples: &[("SELECT groupArrayLast(1)(number) FROM numbers(1)", "[0]")],
        bind: group_array_last,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "groupUniqArray",
        description: "Array of the distinct values in no particular order; at most n with a \
                      parameter n.",
        examples: &[("SELECT groupUniqArray(number % 1) FROM numbers(9)", "[0]")],
        bind: group_uniq_array,
        ..AggregateDef::DEFAULT
    },
];
