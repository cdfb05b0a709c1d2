//! `-Array`: every element of the arrays is a row.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, StringsBuilder};
use entasis_types::DataType;

use entasis_function::aggregate::args::mismatch;
use entasis_function::combinator::Nested;
use entasis_function::{Aggregate, States};
use entasis_function_kernel::aggregates::fold::same;

#[derive(Debug)]
struct OverArrays(Arc<dyn Aggregate>);

/// Element types of arguments that must all be arrays.
pub fn element_types(nested: Nested<'_>, suffix: &str) -> Result<Vec<DataType>> {
    if nested.types.is_empty() {
        return Err(nested.too_few(suffix));
    }
    let element = |ty: &DataType| match ty {
        DataType::Array(inner) => Ok((**inner).clone()),
        other => Err(nested.illegal(suffix, other, "array")),
    };
    nested.types.iter().map(element).collect()
}

/// Elements of all lists and their common offsets, from 0.
pub fn flatten(args: &[Column], message: &str) -> Result<(Vec<u32>, Vec<Column>)> {
    let mut offsets: Option<Vec<u32>> = None;
    let mut columns = Vec::with_capacity(args.len());
    for arg in args {
        let Column::Array(array) = arg.full() else { return Err(mismatch()) };
        let (ends, values) = array.flat();
        if offsets.as_ref().is_some_and(|o| o[..] != ends[..]) {
            return Err(Error::new(codes::SIZES_OF_ARRAYS_DONT_MATCH, message));
        }
        offsets.get_or_insert_with(|| ends.to_vec());
        columns.push(values);
    }
    Ok((offsets.ok_or_else(mismatch)?, columns))
}

/// Binds `nameArray(arrays...)`.
pub fn bind(nested: Nested<'_>) -> Result<Arc<dyn Aggregate>> {
    let types = element_types(nested, "Array")?;
    Ok(Arc::new(OverArrays(nested.bind(&types)?)))
}

impl Aggregate for OverArrays {
    fn return_type(&self) -> DataType {
        self.0.return_type()
    }

    fn states(&self) -> Box<dyn States> {
        Box::new(OverArraysStates(self.0.states()))
    }

    fn portable_states(&self) -> Box<dyn States> {
        Box::new(OverArraysStates(self.0.portable_states()))
    }
}

struct OverArraysStates(Box<dyn States>);

impl States for OverArraysStates {
    fn resize(&mut self, groups: usize) {
        self.0.resize(groups);
    }

    fn update(&mut self, args: &[Column], groups: &[u32]) -> Result<()> {
        let message = "Lengths of all arrays passed to aggregate function must be equal";
        let (offsets, columns) = flatten(args, message)?;
        let mut of = Vec::with_capacity(columns[0].len());
        for (window, &group) in offsets.windows(2).zip(groups) {
            of.resize(of.len() + (window[1] - window[0]) as usize, group);
        }
        self.0.update(&columns, &of)
    }

    fn merge(&mut self, other: &mut dyn States, from: &[u32], groups: &[u32]) -> Result<()> {
        self.0.merge(&mut *same::<Self>(other)?.0, from, groups)
    }

    fn serialize(&self, groups: Range<usize>, out: &mut StringsBuilder) -> Result<()> {
        self.0.serialize(groups, out)
    }

    fn merge_one(&mut self, input: &mut &[u8], group: u32) -> Result<()> {
        self.0.merge_one(input, group)
    }

    fn finish(&mut self, groups: Range<usize>) -> Result<Column> {
        self.0.finish(groups)
    }

    fn byte_size(&self) -> usize {
        self.0.byte_size()
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}
