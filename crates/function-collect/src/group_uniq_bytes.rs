//! `groupUniqArray` of values of one byte: 256 bits per group.

use std::any::Any;
use std::ops::Range;

use entasis_base::varint::{read_varint, write_varint};
use entasis_base::{Error, Result};
use entasis_column::{Column, StringsBuilder};
use entasis_function::States;
use entasis_function::aggregate::args::{mismatch, take};
use entasis_function_kernel::aggregates::fold::same;

/// The bytes of one group.
type Set = [u64; 4];

fn len(set: &Set) -> usize {
    set.iter().map(|word| word.count_ones() as usize).sum()
}

fn add(set: &mut Set, byte: u8) {
    set[usize::from(byte >> 6)] |= 1 << (byte & 63);
}

/// Calls `f` with each byte, in ascending order.
fn each(set: &Set, mut f: impl FnMut(u8)) {
    for (at, word) in (0u8..).zip(set) {
        let mut rest = *word;
        while rest != 0 {
            f(at << 6 | rest.trailing_zeros() as u8);
            rest &= rest - 1;
        }
    }
}

/// The sets of values of one byte.
pub struct Bytes {
    sets: Vec<Set>,
    signed: bool,
    /// Most elements of a set.
    most: usize,
}

impl Bytes {
    /// Sets of at most so many unsigned or signed numbers.
    pub fn new(signed: bool, most: usize) -> Self {
        Self { sets: Vec::new(), signed, most }
    }

    fn insert(&mut self, group: u32, byte: u8) {
        let set = &mut self.sets[group as usize];
        if self.most >= 256 || len(set) < self.most {
            add(set, byte);
        }
    }
}

/// Calls `f` with the bytes of a column.
fn with_bytes(args: &[Column], f: impl FnOnce(&[u8])) -> Result<()> {
    match args.first().ok_or_else(mismatch)?.full() {
        Column::UInt8(values) => f(&values),
        Column::Int8(values) => f(&values.iter().map(|v| *v as u8).collect::<Vec<_>>()),
        _ => return Err(Error::logical("a set of other values than bytes")),
    }
    Ok(())
}

impl States for Bytes {
    fn resize(&mut self, groups: usize) {
        self.sets.resize(groups.max(self.sets.len()), Set::default());
    }

    fn update(&mut self, args: &[Column], groups: &[u32]) -> Result<()> {
        with_bytes(args, |bytes| {
            for (&group, &byte) in groups.iter().zip(bytes) {
                self.insert(group, byte);
            }
        })
    }

    fn update_one(&mut self, args: &[Column], _: usize, group: u32) -> Result<()> {
        with_bytes(args, |bytes| bytes.iter().for_each(|byte| self.insert(group, *byte)))
    }

    fn merge(&mut self, other: &mut dyn States, from: &[u32], groups: &[u32]) -> Result<()> {
        let other = same::<Self>(other)?;
        for (&from, &group) in from.iter().zip(groups) {
            each(&std::mem::take(&mut other.sets[from as usize]), |byte| self.insert(group, byte));
        }
        Ok(())
    }

    fn serialize(&self, groups: Range<usize>, out: &mut StringsBuilder) -> Result<()> {
        for set in &self.sets[groups] {
            out.check_room(2 + len(set))?;
            write_varint(&mut out.data, len(set) as u64);
            each(set, |byte| out.data.push(byte));
            out.close();
        }
        Ok(())
    }

    fn merge_one(&mut self, input: &mut &[u8], group: u32) -> Result<()> {
        let count = read_varint(input)? as usize;
        take(input, count)?.iter().for_each(|byte| self.insert(group, *byte));
        Ok(())
    }

    fn finish(&mut self, groups: Range<usize>) -> Result<Column> {
        let mut offsets = Vec::with_capacity(groups.len() + 1);
        let mut bytes = Vec::with_capacity(self.sets[groups.clone()].iter().map(len).sum());
        offsets.push(0);
        for set in &self.sets[groups] {
            each(set, |byte| bytes.push(byte));
            offsets.push(bytes.len() as u32);
        }
        let values: Column = if self.signed {
            bytes.into_iter().map(|byte| byte as i8).collect::<Vec<_>>().into()
        } else {
            bytes.into()
        };
        Ok(Column::array(offsets.into(), values))
    }

    fn byte_size(&self) -> usize {
        self.sets.capacity() * size_of::<Set>()
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}
