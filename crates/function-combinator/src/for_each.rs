//! `-ForEach`: one state per position of the arrays; the result is an array.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, StringsBuilder};
use entasis_types::DataType;

use super::array::{element_types, flatten};
use entasis_function::aggregate::args::{Bytes, cut_off};
use entasis_function::combinator::Nested;
use entasis_function::{Aggregate, States};
use entasis_function_kernel::aggregates::fold::same;

#[derive(Debug)]
struct ForEach {
    inner: Arc<dyn Aggregate>,
    name: String,
}

/// Binds `nameForEach(arrays...)`.
pub fn bind(nested: Nested<'_>) -> Result<Arc<dyn Aggregate>> {
    let types = element_types(nested, "ForEach")?;
    Ok(Arc::new(ForEach { inner: nested.bind(&types)?, name: format!("{}ForEach", nested.name) }))
}

impl ForEach {
    fn over(&self, inner: Box<dyn States>) -> Box<dyn States> {
        let (name, ty) = (self.name.clone(), self.inner.return_type());
        Box::new(ForEachStates { inner, name, ty, ids: vec![], next: 0, done: None })
    }
}

impl Aggregate for ForEach {
    fn return_type(&self) -> DataType {
        DataType::array(self.inner.return_type())
    }

    fn states(&self) -> Box<dyn States> {
        self.over(self.inner.states())
    }

    fn portable_states(&self) -> Box<dyn States> {
        self.over(self.inner.portable_states())
    }
}

struct ForEachStates {
    inner: Box<dyn States>,
    name: String,
    ty: DataType,
    /// Inner states of every group, by position.
    ids: Vec<Vec<u32>>,
    next: u32,
    /// All inner results, once asked for.
    done: Option<Column>,
}

/// Positions that a state may have.
const MOST_POSITIONS: usize = 0x00FF_FFFF;

impl ForEachStates {
    fn grow(&mut self, group: usize, len: usize) {
        self.done = None;
        let ids = &mut self.ids[group];
        while ids.len() < len {
            ids.push(self.next);
            self.next += 1;
        }
    }
}

impl States for ForEachStates {
    fn resize(&mut self, groups: usize) {
        if groups > self.ids.len() {
            self.ids.resize(groups, Vec::new());
        }
    }

    fn update(&mut self, args: &[Column], groups: &[u32]) -> Result<()> {
        let message =
            format!("Arrays passed to {} aggregate function have different sizes", self.name);
        let (offsets, columns) = flatten(args, &message)?;
        let mut of = Vec::with_capacity(columns[0].len());
        for (window, &group) in offsets.windows(2).zip(groups) {
            let len = (window[1] - window[0]) as usize;
            self.grow(group as usize, len);
            of.extend_from_slice(&self.ids[group as usize][..len]);
        }
        self.inner.resize(self.next as usize);
        self.inner.update(&columns, &of)
    }

    fn merge(&mut self, other: &mut dyn States, from: &[u32], groups: &[u32]) -> Result<()> {
        let other = same::<Self>(other)?;
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        for (&from, &group) in from.iter().zip(groups) {
            let ids = &other.ids[from as usize];
            self.grow(group as usize, ids.len());
            theirs.extend_from_slice(ids);
            ours.extend_from_slice(&self.ids[group as usize][..ids.len()]);
        }
        self.inner.resize(self.next as usize);
        self.inner.merge(&mut *other.inner, &theirs, &ours)
    }

    fn serialize(&self, groups: Range<usize>, out: &mut StringsBuilder) -> Result<()> {
        for ids in &self.ids[groups] {
            let mut inner = StringsBuilder::default();
            for &id in ids {
                self.inner.serialize(id as usize..id as usize + 1, &mut inner)?;
            }
            out.check_room(inner.data.len() + 8)?;
            (ids.len() as u64).put(&mut out.data);
            out.data.extend_from_slice(&inner.data);
            out.close();
        }
        Ok(())
    }

    fn merge_one(&mut self, input: &mut &[u8], group: u32) -> Result<()> {
        let len = u64::get(input)? as usize;
        if len > MOST_POSITIONS {
            let message = format!("Aggregate state of {len} positions");
            return Err(Error::new(codes::INCORRECT_DATA, message));
        }
        // No state takes less than a byte.
        if len > input.len() {
            return Err(cut_off());
        }
        self.grow(group as usize, len);
        self.inner.resize(self.next as usize);
        for at in 0..len {
            self.inner.merge_one(input, self.ids[group as usize][at])?;
        }
        Ok(())
    }

    fn finish(&mut self, groups: Range<usize>) -> Result<Column> {
        if self.done.is_none() {
            let all = self.next as usize;
            self.done = Some(match all {
                0 => Column::default_of(&self.ty, 0),
                _ => self.inner.finish(0..all)?.full(),
            });
        }
        let mut offsets = vec![0u32];
        let mut rows = Vec::new();
        for ids in &self.ids[groups] {
            rows.extend_from_slice(ids);
            offsets.push(rows.len() as u32);
        }
        let results = self.done.as_ref().map_or(Column::Nothing(0), |all| all.take(&rows));
        Ok(Column::array(offsets.into(), results))
    }

    fn byte_size(&self) -> usize {
        self.inner.byte_size() + self.ids.iter().map(|i| 24 + i.capacity() * 4).sum::<usize>()
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}
