//! `-Distinct`: every combination of arguments counts once. The distinct rows are kept, and passed
//! to the function at the end.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use entasis_base::Result;
use entasis_base::varint::{read_varint, write_varint};
use entasis_column::{Column, ColumnBuilder, StringsBuilder};
use entasis_types::DataType;

use super::nulls::{filter_all, filter_groups};
use entasis_function::aggregate::args::cut_off;
use entasis_function::aggregate::binary::{read_value, write_value};
use entasis_function::combinator::Nested;
use entasis_function::{Aggregate, States};
use entasis_function_kernel::aggregates::fold::same;
use entasis_function_kernel::aggregates::known::Known;
use entasis_function_kernel::aggregates::lists::Lists;

#[derive(Debug)]
struct Distinct {
    inner: Arc<dyn Aggregate>,
    types: Vec<DataType>,
}

/// Binds `nameDistinct(args...)`.
pub fn bind(nested: Nested<'_>) -> Result<Arc<dyn Aggregate>> {
    if nested.types.is_empty() {
        return Err(nested.too_few("Distinct"));
    }
    let inner = nested.bind(nested.types)?;
    Ok(Arc::new(Distinct { inner, types: nested.types.to_vec() }))
}

impl Aggregate for Distinct {
    fn return_type(&self) -> DataType {
        self.inner.return_type()
    }

    fn states(&self) -> Box<dyn States> {
        Box::new(DistinctStates {
            known: Known::new(&self.types),
            rows: self.types.iter().map(Lists::new).collect(),
            inner: Arc::clone(&self.inner),
            types: self.types.clone(),
            done: None,
        })
    }
}

struct DistinctStates {
    /// Group and row of everything met.
    known: Known,
    /// The distinct rows, a list per argument.
    rows: Vec<Lists>,
    inner: Arc<dyn Aggregate>,
    types: Vec<DataType>,
    done: Option<Box<dyn States>>,
}

impl States for DistinctStates {
    fn resize(&mut self, groups: usize) {
        self.rows.iter_mut().for_each(|l| l.resize(groups));
    }

    fn update(&mut self, args: &[Column], groups: &[u32]) -> Result<()> {
        self.done = None;
        let args: Vec<Column> = args.iter().map(Column::full).collect();
        let mask = self.known.firsts(&args, groups)?;
        let kept = filter_groups(groups, &mask);
        for (list, column) in self.rows.iter_mut().zip(filter_all(&args, &mask)) {
            list.append(&column, &kept)?;
        }
        Ok(())
    }

    fn merge(&mut self, other: &mut dyn States, from: &[u32], groups: &[u32]) -> Result<()> {
        let other = same::<Self>(other)?;
        let mut of = Vec::new();
        let mut args = Vec::new();
        for list in &mut other.rows {
            let (column, groups) = list.of_groups(from, groups);
            args.push(column);
            of = groups;
        }
        self.update(&args, &of)
    }

    fn serialize(&self, groups: Range<usize>, out: &mut StringsBuilder) -> Result<()> {
        let mut lists = Vec::new();
        for list in &self.rows {
            let mut copy = Lists::new(&DataType::Nothing);
            copy.copy_from(list)?;
            lists.push(copy);
        }
        for group in groups {
            let starts = lists[0].read(group, group + 1).0.to_vec();
            write_varint(&mut out.data, u64::from(starts[1] - starts[0]));
            for row in starts[0]..starts[1] {
                for list in &mut lists {
                    write_value(list.read(group, group + 1).1, row as usize, &mut out.data);
                }
            }
            out.check_room(0)?;
            out.close();
        }
        Ok(())
    }

    fn merge_one(&mut self, input: &mut &[u8], group: u32) -> Result<()> {
        let rows = read_varint(input)?;
        if rows > input.len() as u64 {
            return Err(cut_off());
        }
        let mut builders: Vec<ColumnBuilder> =
            self.types.iter().map(|ty| ColumnBuilder::new(ty, 8)).collect();
        for _ in 0..rows {
            for builder in &mut builders {
                read_value(input, builder)?;
            }
        }
        let args: Vec<Column> = builders.into_iter().map(ColumnBuilder::finish).collect();
        self.update(&args, &vec![group; rows as usize])
    }

    fn finish(&mut self, groups: Range<usize>) -> Result<Column> {
        if self.done.is_none() {
            let count = self.rows[0].groups();
            let mut states = self.inner.states();
            states.resize(count);
            let all: Vec<u32> = (0..count as u32).collect();
            let mut of = Vec::new();
            let mut args = Vec::new();
            for list in &mut self.rows {
                let (column, groups) = list.of_groups(&all, &all);
                args.push(column);
                of = groups;
            }
            states.update(&args, &of)?;
            self.done = Some(states);
        }
        match &mut self.done {
            Some(states) => states.finish(groups),
            None => Err(entasis_function::aggregate::args::mismatch()),
        }
    }

    fn byte_size(&self) -> usize {
        self.known.byte_size() + self.rows.iter().map(Lists::byte_size).sum::<usize>()
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}
