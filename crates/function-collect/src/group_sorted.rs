//! `groupArraySorted`: the least so many values, in order.

use std::any::Any;
use std::ops::Range;

use entasis_base::varint::write_varint;
use entasis_base::{Error, Result, codes};
use entasis_column::compare::compare_values;
use entasis_column::{Bitmap, Column, ColumnBuilder, Native, StringsBuilder, match_native};
use entasis_types::DataType;

use entasis_function::aggregate::args::{expect_count, mismatch};
use entasis_function::aggregate::binary::{read_len, read_value, write_value};
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext, States};
use entasis_function_kernel::aggregates::fold::same;
use entasis_function_kernel::aggregates::lists::Lists;

#[derive(Clone, Debug)]
struct Sorted {
    ty: DataType,
    most: usize,
}

impl Aggregate for Sorted {
    fn return_type(&self) -> DataType {
        DataType::array(self.ty.clone())
    }

    fn states(&self) -> Box<dyn States> {
        Box::new(SortedStates {
            of: self.clone(),
            lists: Lists::new(&self.ty),
            rows: 0,
            kept: 0,
            bound: None,
        })
    }
}

struct SortedStates {
    of: Sorted,
    lists: Lists,
    /// Number of rows in the lists, and how many were left after they were last pruned.
    rows: usize,
    kept: usize,
    /// The greatest value of the only list, once it is full: no greater ones are wanted.
    bound: Option<Column>,
}

/// Least number of rows between two prunings.
const PRUNE_AFTER: usize = 1 << 16;

impl SortedStates {
    fn append(&mut self, column: &Column, groups: &[u32]) -> Result<()> {
        self.lists.append(column, groups)?;
        self.rows += groups.len();
        if self.rows > 2 * self.kept + PRUNE_AFTER {
            self.prune()?;
        }
        Ok(())
    }

    /// Leaves each list its least values.
    fn prune(&mut self) -> Result<()> {
        let count = self.lists.groups();
        let (starts, values) = self.lists.read(0, count);
        let (rows, ends) = self.of.least(starts, values);
        let kept = values.take(&rows);
        let is_full = count == 1 && rows.len() == self.of.most;
        self.bound = is_full.then(|| kept.slice(rows.len() - 1, 1));
        let mut groups = Vec::with_capacity(rows.len());
        for (group, window) in ends.windows(2).enumerate() {
            groups.resize(groups.len() + (window[1] - window[0]) as usize, group as u32);
        }
        self.lists = Lists::new(&self.of.ty);
        self.lists.resize(count);
        (self.rows, self.kept) = (rows.len(), rows.len());
        self.lists.append(&kept, &groups)
    }
}

impl Sorted {
    /// The rows of each list's least values in order, and where each list's end.
    fn least(&self, starts: &[u32], values: &Column) -> (Vec<u32>, Vec<u32>) {
        let compare = |a: &u32, b: &u32| compare_values(values, *a as usize, values, *b as usize);
        let (mut rows, mut ends) = (Vec::new(), vec![0u32]);
        for window in starts.windows(2) {
            let mut list: Vec<u32> = (window[0]..window[1]).collect();
            if list.len() > self.most {
                list.select_nth_unstable_by(self.most, compare);
                list.truncate(self.most);
            }
            list.sort_by(compare);
            rows.append(&mut list);
            ends.push(rows.len() as u32);
        }
        (rows, ends)
    }
}

/// The values that are less than the bound; `None` if that does not order them.
fn below<T: Native>(values: &[T], bound: &Column) -> Option<Bitmap> {
    let bound = *T::values(bound)?.first()?;
    bound.partial_cmp(&bound)?;
    let bits: Vec<u8> = values.iter().map(|value| u8::from(*value < bound)).collect();
    Some(Bitmap::from_bytes(&bits))
}

impl States for SortedStates {
    fn resize(&mut self, groups: usize) {
        self.lists.resize(groups);
    }

    fn update(&mut self, args: &[Column], groups: &[u32]) -> Result<()> {
        self.append(&args.first().ok_or_else(mismatch)?.full(), groups)
    }

    fn update_one(&mut self, args: &[Column], rows: usize, group: u32) -> Result<()> {
        let values = args.first().ok_or_else(mismatch)?.full();
        // The bound is that of the only group, and says nothing about groups that came later.
        let mask =
            self.bound.as_ref().filter(|_| self.lists.groups() == 1).and_then(
                |bound| match_native!(&values, values => below(values, bound), _ => None),
            );
        match mask {
            Some(mask) => self.append(&values.filter(&mask), &vec![group; mask.count_ones()]),
            None => self.append(&values, &vec![group; rows]),
        }
    }

    fn merge(&mut self, other: &mut dyn States, from: &[u32], groups: &[u32]) -> Result<()> {
        let (values, groups) = same::<Self>(other)?.lists.of_groups(from, groups);
        self.append(&values, &groups)
    }

    fn serialize(&self, groups: Range<usize>, out: &mut StringsBuilder) -> Result<()> {
        let mut sorted = Lists::new(&self.of.ty);
        sorted.copy_from(&self.lists)?;
        let (starts, values) = sorted.read(groups.start, groups.end);
        let (rows, ends) = self.of.least(starts, values);
        for window in ends.windows(2) {
            let list = &rows[window[0] as usize..window[1] as usize];
            write_varint(&mut out.data, list.len() as u64);
            // The greatest value comes first, because the reference keeps a heap.
            list.iter().rev().for_each(|&i| write_value(values, i as usize, &mut out.data));
            out.check_room(0)?;
            out.close();
        }
        Ok(())
    }

    fn merge_one(&mut self, input: &mut &[u8], group: u32) -> Result<()> {
        let mut values = ColumnBuilder::new(&self.of.ty, 8);
        let count = read_len(input)?;
        (0..count).try_for_each(|_| read_value(input, &mut values))?;
        self.append(&values.finish(), &vec![group; count])
    }

    fn finish(&mut self, groups: Range<usize>) -> Result<Column> {
        let (starts, values) = self.lists.read(groups.start, groups.end);
        let (rows, ends) = self.of.least(starts, values);
        Ok(Column::array(ends.into(), values.take(&rows)))
    }

    fn byte_size(&self) -> usize {
        self.lists.byte_size()
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

fn bind(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    let name = "groupArraySorted";
    let bad = |what: &str| {
        let message = format!("Parameter for aggregate function {name} should {what}");
        Error::new(codes::BAD_ARGUMENTS, message)
    };
    let [limit] = args.params else { return Err(bad("have limit argument")) };
    let most = limit.as_u64().filter(|&n| n > 0 && n <= 0x00FF_FFFF);
    let most = most.ok_or_else(|| bad("be positive number"))? as usize;
    expect_count(name, args, 1)?;
    Ok(Box::new(Sorted { ty: args.types[0].clone(), most }))
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[AggregateDef {
    name: "groupArraySorted",
    description: "Sorted array of the n least values, where n is the parameter.",
    examples: &[("SELECT groupArraySorted(2)(9 - number) FROM numbers(5)", "[5,6]")],
    bind,
    ..AggregateDef::DEFAULT
}];
