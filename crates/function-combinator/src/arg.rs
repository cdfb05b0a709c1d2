//! `-ArgMin` and `-ArgMax`: aggregate only the rows whose last argument is least or greatest.
//!
//! When a better key is found, the group gets a new inner state and the old one is abandoned: at
//! most one per group and chunk.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use entasis_base::Result;
use entasis_column::compare::compare_values;
use entasis_column::{Bitmap, Column, ColumnBuilder, StringsBuilder};
use entasis_types::DataType;

use super::nulls::{filter_all, filter_groups};
use entasis_function::aggregate::args::mismatch;
use entasis_function::aggregate::binary::{read_single, write_single};
use entasis_function::combinator::Nested;
use entasis_function::{Aggregate, States};
use entasis_function_kernel::aggregates::fold::same;
use entasis_function_kernel::aggregates::store::{Store, ValueChoice, store_for};

#[derive(Debug)]
struct Arg {
    inner: Arc<dyn Aggregate>,
    key: DataType,
    pick: ValueChoice,
}

fn bind(nested: Nested<'_>, pick: ValueChoice, suffix: &str) -> Result<Arc<dyn Aggregate>> {
    let Some((key, types)) = nested.types.split_last() else {
        return Err(nested.too_few(suffix));
    };
    Ok(Arc::new(Arg { inner: nested.bind(types)?, key: key.clone(), pick }))
}

/// Binds `nameArgMin(args..., key)`.
pub fn bind_min(nested: Nested<'_>) -> Result<Arc<dyn Aggregate>> {
    bind(nested, ValueChoice::Least, "ArgMin")
}

/// Binds `nameArgMax(args..., key)`.
pub fn bind_max(nested: Nested<'_>) -> Result<Arc<dyn Aggregate>> {
    bind(nested, ValueChoice::Greatest, "ArgMax")
}

impl Arg {
    fn over(&self, inner: Box<dyn States>) -> Box<dyn States> {
        Box::new(ArgStates {
            inner,
            keys: store_for(&self.key),
            ids: Vec::new(),
            next: 0,
            ty: self.key.clone(),
            pick: self.pick,
        })
    }
}

impl Aggregate for Arg {
    fn return_type(&self) -> DataType {
        self.inner.return_type()
    }

    fn states(&self) -> Box<dyn States> {
        self.over(self.inner.states())
    }

    fn portable_states(&self) -> Box<dyn States> {
        self.over(self.inner.portable_states())
    }
}

struct ArgStates {
    inner: Box<dyn States>,
    keys: Box<dyn Store>,
    /// The inner state of every group.
    ids: Vec<u32>,
    next: u32,
    ty: DataType,
    pick: ValueChoice,
}

impl ArgStates {
    /// Offers keys; answers which rows have their group's best key, and those rows' inner states.
    fn offer(&mut self, key: &Column, groups: &[u32]) -> Result<(Bitmap, Vec<u32>)> {
        let mut wins = Vec::new();
        self.keys.pick(key, groups, self.pick, &mut wins)?;
        wins.sort_unstable();
        wins.dedup_by_key(|w| w.0);
        for &(group, _) in &wins {
            self.ids[group as usize] = self.next;
            self.next += 1;
        }
        self.inner.resize(self.next as usize);
        let best = self.keys.column(&mut groups.iter().map(|&g| g as usize));
        let mask = Bitmap::from_fn(groups.len(), |i| compare_values(key, i, &best, i).is_eq());
        let groups = filter_groups(groups, &mask);
        let ids = groups.iter().map(|&g| self.ids[g as usize]).collect();
        Ok((mask, ids))
    }
}

impl States for ArgStates {
    fn resize(&mut self, groups: usize) {
        self.keys.resize(groups);
        while self.ids.len() < groups {
            self.ids.push(self.next);
            self.next += 1;
        }
        self.inner.resize(self.next as usize);
    }

    fn update(&mut self, args: &[Column], groups: &[u32]) -> Result<()> {
        let (key, args) = args.split_last().ok_or_else(mismatch)?;
        let (mask, ids) = self.offer(&key.full(), groups)?;
        if args.is_empty() {
            return self.inner.update(&[], &ids);
        }
        self.inner.update(&filter_all(args, &mask), &ids)
    }

    fn merge(&mut self, other: &mut dyn States, from: &[u32], groups: &[u32]) -> Result<()> {
        let other = same::<Self>(other)?;
        let pairs = from.iter().zip(groups).filter(|(f, _)| other.keys.has(**f as usize));
        let (from, groups): (Vec<u32>, Vec<u32>) = pairs.unzip();
        let keys = other.keys.column(&mut from.iter().map(|&f| f as usize));
        let (mask, ours) = self.offer(&keys, &groups)?;
        let theirs: Vec<u32> =
            filter_groups(&from, &mask).iter().map(|&f| other.ids[f as usize]).collect();
        self.inner.merge(&mut *other.inner, &theirs, &ours)
    }

    fn serialize(&self, groups: Range<usize>, out: &mut StringsBuilder) -> Result<()> {
        let keys = self.keys.column(&mut groups.clone());
        for (i, group) in groups.enumerate() {
            let id = self.ids[group] as usize;
            let mut inner = StringsBuilder::default();
            self.inner.serialize(id..id + 1, &mut inner)?;
            out.data.extend_from_slice(&inner.data);
            write_single(&keys, i, self.keys.has(group), &mut out.data);
            out.check_room(0)?;
            out.close();
        }
        Ok(())
    }

    fn merge_one(&mut self, input: &mut &[u8], group: u32) -> Result<()> {
        // The key stands behind the state: the state is read into one of its own first.
        let apart = self.next;
        self.next += 1;
        self.inner.resize(self.next as usize);
        self.inner.merge_one(input, apart)?;
        let mut key = ColumnBuilder::new(&self.ty, 1);
        if !read_single(&self.ty, input, &mut key)? {
            return Ok(());
        }
        let key = key.finish();
        let had = self.keys.has(group as usize);
        let best = self.keys.column(&mut std::iter::once(group as usize));
        if had && compare_values(&key, 0, &best, 0).is_eq() {
            return Err(entasis_base::Error::not_implemented(
                "merging serialised states of -ArgMin or -ArgMax with equal keys",
            ));
        }
        let mut wins = Vec::new();
        self.keys.pick(&key, &[group], self.pick, &mut wins)?;
        if !wins.is_empty() {
            self.ids[group as usize] = apart;
        }
        Ok(())
    }

    fn finish(&mut self, groups: Range<usize>) -> Result<Column> {
        // Few states are left behind, so all are finished in runs of consecutive ids.
        let ids = &self.ids[groups];
        let mut parts: Vec<Column> = Vec::new();
        let mut start = 0;
        while start < ids.len() {
            let mut end = start + 1;
            while end < ids.len() && ids[end] == ids[end - 1] + 1 {
                end += 1;
            }
            parts.push(self.inner.finish(ids[start] as usize..ids[end - 1] as usize + 1)?.full());
            start = end;
        }
        match parts.is_empty() {
            true => self.inner.finish(0..0),
            false => Ok(Column::concat(&parts.iter().collect::<Vec<_>>())),
        }
    }

    fn byte_size(&self) -> usize {
        self.inner.byte_size() + self.keys.byte_size() + self.ids.capacity() * 4
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}
