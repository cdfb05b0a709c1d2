//! NULL handling: rows with a NULL argument are skipped. A group without other rows returns NULL,
//! unless the function is not Nullable over NULLs or its result cannot be Nullable.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use entasis_base::Result;
use entasis_column::{Bitmap, Column, StringsBuilder};
use entasis_types::DataType;

use entasis_function::aggregate::args::Bytes;
use entasis_function::window::Frames;
use entasis_function::{Aggregate, States};
use entasis_function_kernel::aggregates::fold::same;

#[derive(Debug)]
struct OverNulls {
    inner: Arc<dyn Aggregate>,
    /// Result is Nullable: NULL where no row was seen.
    nullable: bool,
    /// States begin with a byte that says whether a row was seen.
    flagged: bool,
}

/// Wraps a function bound to the types without Nullable.
pub fn wrap(inner: Arc<dyn Aggregate>, plain: bool) -> Arc<dyn Aggregate> {
    let nullable = !plain && inner.return_type().can_be_nullable();
    Arc::new(OverNulls { inner, nullable, flagged: nullable || plain })
}

impl OverNulls {
    fn over(&self, inner: Box<dyn States>) -> Box<dyn States> {
        let (nullable, flagged) = (self.nullable, self.flagged);
        Box::new(OverNullsStates { inner, seen: vec![], nullable, flagged })
    }
}

impl Aggregate for OverNulls {
    fn return_type(&self) -> DataType {
        let inner = self.inner.return_type();
        if self.nullable { DataType::nullable(inner) } else { inner }
    }

    fn states(&self) -> Box<dyn States> {
        self.over(self.inner.states())
    }

    fn portable_states(&self) -> Box<dyn States> {
        self.over(self.inner.portable_states())
    }

    fn frames(&self, args: &[Column], frames: &Frames) -> Result<Option<Column>> {
        let rows = args.first().map_or(0, Column::len);
        let (args, valid) = strip_nulls(args, rows);
        let results = frames_among(&*self.inner, &args, frames, valid.as_ref())?;
        let Some((results, filled)) = results else { return Ok(None) };
        Ok(Some(if self.nullable { Column::nullable(results, filled) } else { results }))
    }
}

struct OverNullsStates {
    inner: Box<dyn States>,
    seen: Vec<bool>,
    nullable: bool,
    flagged: bool,
}

/// Arguments without Nullable, and the rows where none is NULL (`None` for all).
pub fn strip_nulls(args: &[Column], rows: usize) -> (Vec<Column>, Option<Bitmap>) {
    let mut valid: Option<Bitmap> = None;
    let mut plain = Vec::with_capacity(args.len());
    for arg in args {
        let (bits, values) = match arg {
            Column::Const(c) => match c.value.split_nullable() {
                (Some(bit), value) => (
                    Some(Bitmap::constant(bit.get(0), rows)),
                    Column::constant(value.clone(), rows),
                ),
                _ => (None, arg.clone()),
            },
            Column::Dict(d) if d.dictionary.values.split_nullable().0.is_none() => {
                (None, arg.clone())
            }
            other => {
                let full = other.full();
                let (bits, values) = full.split_nullable();
                (bits.cloned(), values.clone())
            }
        };
        if let Some(bits) = bits {
            valid = Some(valid.map_or(bits.clone(), |v| v.and(&bits)));
        }
        plain.push(values);
    }
    (plain, valid.filter(|bits| !bits.all()))
}

/// Rows of all columns whose bit is set.
pub fn filter_all(args: &[Column], mask: &Bitmap) -> Vec<Column> {
    args.iter().map(|a| a.filter(mask)).collect()
}

/// Entries of `groups` whose bit is set.
pub fn filter_groups(groups: &[u32], mask: &Bitmap) -> Vec<u32> {
    let mut out = Vec::with_capacity(groups.len());
    entasis_simd::filter::filter(groups, mask.words(), &mut out);
    out
}

/// Results over those rows of frames that are kept, and which frames have any of them.
pub fn frames_among(
    inner: &dyn Aggregate,
    args: &[Column],
    frames: &Frames,
    kept: Option<&Bitmap>,
) -> Result<Option<(Column, Bitmap)>> {
    let Some(kept) = kept else {
        return Ok(inner.frames(args, frames)?.map(|results| (results, frames.filled())));
    };
    let frames = frames.among(kept);
    let results = inner.frames(&filter_all(args, kept), &frames)?;
    Ok(results.map(|results| (results, frames.filled())))
}

impl States for OverNullsStates {
    fn resize(&mut self, groups: usize) {
        self.inner.resize(groups);
        if groups > self.seen.len() {
            self.seen.resize(groups, false);
        }
    }

    fn update(&mut self, args: &[Column], groups: &[u32]) -> Result<()> {
        let (args, valid) = strip_nulls(args, groups.len());
        match valid {
            None => {
                groups.iter().for_each(|&g| self.seen[g as usize] = true);
                self.inner.update(&args, groups)
            }
            Some(mask) => {
                let groups = filter_groups(groups, &mask);
                groups.iter().for_each(|&g| self.seen[g as usize] = true);
                self.inner.update(&filter_all(&args, &mask), &groups)
            }
        }
    }

    fn update_one(&mut self, args: &[Column], rows: usize, group: u32) -> Result<()> {
        let (args, valid) = strip_nulls(args, rows);
        if let Some(mask) = valid {
            self.seen[group as usize] |= !mask.none();
            return self.inner.update_one_where(&args, &mask, group);
        }
        self.seen[group as usize] |= rows > 0;
        self.inner.update_one(&args, rows, group)
    }

    fn update_one_where(&mut self, args: &[Column], kept: &Bitmap, group: u32) -> Result<()> {
        let (args, valid) = strip_nulls(args, kept.len());
        let kept = valid.map_or_else(|| kept.clone(), |valid| valid.and(kept));
        self.seen[group as usize] |= !kept.none();
        self.inner.update_one_where(&args, &kept, group)
    }

    fn merge(&mut self, other: &mut dyn States, from: &[u32], groups: &[u32]) -> Result<()> {
        let other = same::<Self>(other)?;
        for (&from, &to) in from.iter().zip(groups) {
            self.seen[to as usize] |= other.seen[from as usize];
        }
        self.inner.merge(&mut *other.inner, from, groups)
    }

    fn serialize(&self, groups: Range<usize>, out: &mut StringsBuilder) -> Result<()> {
        if !self.flagged {
            return self.inner.serialize(groups, out);
        }
        let mut inner = StringsBuilder::default();
        self.inner.serialize(groups.clone(), &mut inner)?;
        let inner = inner.finish();
        out.check_room(inner.bytes().len() + inner.len())?;
        for (bytes, group) in inner.iter().zip(groups) {
            out.data.push(u8::from(self.seen[group]));
            if self.seen[group] {
                out.data.extend_from_slice(bytes);
            }
            out.close();
        }
        Ok(())
    }

    fn merge_one(&mut self, input: &mut &[u8], group: u32) -> Result<()> {
        if self.flagged {
            if u8::get(input)? == 0 {
                return Ok(());
            }
            self.seen[group as usize] = true;
        }
        self.inner.merge_one(input, group)
    }

    fn finish(&mut self, groups: Range<usize>) -> Result<Column> {
        let values = self.inner.finish(groups.clone())?;
        if !self.nullable {
            return Ok(values);
        }
        let seen = &self.seen[groups];
        Ok(Column::nullable(values, Bitmap::from_values(seen, |s| s)))
    }

    fn byte_size(&self) -> usize {
        self.inner.byte_size() + self.seen.capacity()
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}
