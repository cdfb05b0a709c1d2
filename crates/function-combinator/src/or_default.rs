//! `-OrNull` and `-OrDefault`: the result of a group without rows.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use entasis_base::Result;
use entasis_column::{Bitmap, Column, StringsBuilder};
use entasis_types::DataType;

use entasis_function::aggregate::args::Bytes;
use entasis_function::combinator::{Nested, base_of};
use entasis_function::window::Frames;
use entasis_function::{Aggregate, States};
use entasis_function_kernel::aggregates::fold::same;

#[derive(Debug)]
struct OrElse {
    inner: Arc<dyn Aggregate>,
    null: bool,
}

/// Binds `nameOrNull`.
pub fn bind_null(nested: Nested<'_>) -> Result<Arc<dyn Aggregate>> {
    bind(nested, "OrNull", true)
}

/// Binds `nameOrDefault`.
pub fn bind_default(nested: Nested<'_>) -> Result<Arc<dyn Aggregate>> {
    bind(nested, "OrDefault", false)
}

fn bind(nested: Nested<'_>, suffix: &str, null: bool) -> Result<Arc<dyn Aggregate>> {
    // Rows that a condition rules out are no rows: the condition is asked first, but not, as in
    // the reference, for functions that count, whose result is plain over NULLs.
    let counts = base_of(nested.name).is_none_or(|d| d.plain_over_nulls || d.name == "count");
    if let (true, Some(name)) = (null && !counts, nested.name.strip_suffix("If")) {
        let name = format!("{name}{suffix}If");
        return Nested { name: &name, ..nested }.bind(nested.types);
    }
    Ok(Arc::new(OrElse { inner: nested.bind(nested.types)?, null }))
}

impl OrElse {
    fn over(&self, inner: Box<dyn States>) -> Box<dyn States> {
        let ty = self.return_type();
        Box::new(OrElseStates { inner, seen: Vec::new(), ty })
    }
}

impl Aggregate for OrElse {
    fn return_type(&self) -> DataType {
        let inner = self.inner.return_type();
        if self.null && inner.can_be_nullable() { DataType::nullable(inner) } else { inner }
    }

    fn states(&self) -> Box<dyn States> {
        self.over(self.inner.states())
    }

    fn portable_states(&self) -> Box<dyn States> {
        self.over(self.inner.portable_states())
    }

    fn frames(&self, args: &[Column], frames: &Frames) -> Result<Option<Column>> {
        let results = self.inner.frames(args, frames)?;
        Ok(results.map(|results| or_else(&self.return_type(), results, &frames.filled())))
    }
}

/// Results where there were rows, and of `ty` what stands for none elsewhere.
fn or_else(ty: &DataType, results: Column, seen: &Bitmap) -> Column {
    if ty.is_nullable() {
        return Column::nullable(results, seen.clone());
    }
    if seen.all() {
        return results;
    }
    let with_default = Column::concat(&[&Column::default_of(ty, 1), &results.full()]);
    let at = |i: usize| if seen.get(i) { i as u32 + 1 } else { 0 };
    with_default.take(&(0..seen.len()).map(at).collect::<Vec<_>>())
}

struct OrElseStates {
    inner: Box<dyn States>,
    seen: Vec<bool>,
    /// Type of the result; its default stands for "no rows".
    ty: DataType,
}

impl States for OrElseStates {
    fn resize(&mut self, groups: usize) {
        self.inner.resize(groups);
        if groups > self.seen.len() {
            self.seen.resize(groups, false);
        }
    }

    fn update(&mut self, args: &[Column], groups: &[u32]) -> Result<()> {
        groups.iter().for_each(|&g| self.seen[g as usize] = true);
        self.inner.update(args, groups)
    }

    fn update_one(&mut self, args: &[Column], rows: usize, group: u32) -> Result<()> {
        self.seen[group as usize] |= rows > 0;
        self.inner.update_one(args, rows, group)
    }

    fn update_one_where(&mut self, args: &[Column], kept: &Bitmap, group: u32) -> Result<()> {
        self.seen[group as usize] |= !kept.none();
        self.inner.update_one_where(args, kept, group)
    }

    fn merge(&mut self, other: &mut dyn States, from: &[u32], groups: &[u32]) -> Result<()> {
        let other = same::<Self>(other)?;
        for (&from, &to) in from.iter().zip(groups) {
            self.seen[to as usize] |= other.seen[from as usize];
        }
        self.inner.merge(&mut *other.inner, from, groups)
    }

    fn serialize(&self, groups: Range<usize>, out: &mut StringsBuilder) -> Result<()> {
        let mut inner = StringsBuilder::default();
        self.inner.serialize(groups.clone(), &mut inner)?;
        let inner = inner.finish();
        out.check_room(inner.bytes().len() + inner.len())?;
        for (bytes, group) in inner.iter().zip(groups) {
            out.data.extend_from_slice(bytes);
            out.data.push(u8::from(self.seen[group]));
            out.close();
        }
        Ok(())
    }

    fn merge_one(&mut self, input: &mut &[u8], group: u32) -> Result<()> {
        self.inner.merge_one(input, group)?;
        self.seen[group as usize] |= u8::get(input)? != 0;
        Ok(())
    }

    fn finish(&mut self, groups: Range<usize>) -> Result<Column> {
        let values = self.inner.finish(groups.clone())?;
        let seen = &self.seen[groups];
        Ok(or_else(&self.ty, values, &Bitmap::from_values(seen, |s| s)))
    }

    fn byte_size(&self) -> usize {
        self.inner.byte_size() + self.seen.capacity()
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}
