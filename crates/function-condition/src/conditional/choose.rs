//! Selects rows from several columns by masks: the kernel of `if`, `multiIf`, `coalesce`,
//! `greatest`, `transform`.

use std::sync::Arc;

use entasis_column::{Column, Dictionary, Mask, Native, StringsBuilder, match_physical};
use entasis_simd::blend::{Lanes, blend, blend_into};
use entasis_types::DataType;

use entasis_function_kernel::kernel::bytes_at;

/// Row `i` of the first branch whose mask holds, else of the last branch. There is one branch more
/// than masks; branches are full or Const, all of the layout of `ty`.
pub fn choose(masks: &[Mask], branches: &[Column], ty: &DataType, rows: usize) -> Column {
    match ty {
        DataType::Nullable(inner) => {
            let (validity, values) = split_all(branches, rows);
            let values = choose(masks, &values, inner, rows);
            Column::nullable(values, choose_bits(masks, &validity))
        }
        ty => match_physical!(ty.physical(), T => numbers::<T>(masks, branches, rows), _ => {
            let codes = codes(masks, rows);
            match ty.physical() {
                Physical::String => strings(&codes, branches, rows),
                _ => by_index(&codes, branches),
            }
        }),
    }
}

/// Validity and plain values of every branch.
fn split_all(branches: &[Column], rows: usize) -> (Vec<Mask>, Vec<Column>) {
    branches
        .iter()
        .map(|branch| {
            let (validity, values) = match branch {
                Column::Const(c) => {
                    let (validity, value) = c.value.split_nullable();
                    let valid = validity.is_none_or(|v| v.get(0));
                    (Some(Mask::constant(valid, rows)), Column::constant(value.clone(), rows))
                }
                other => {
                    let (validity, values) = other.split_nullable();
                    (validity.cloned(), values.clone())
                }
            };
            (validity.unwrap_or_else(|| Mask::constant(true, rows)), values)
        })
        .unzip()
}

/// Bit `i` of the first branch whose mask holds.
pub fn choose_bits(masks: &[Mask], branches: &[Mask]) -> Mask {
    let last = branches[branches.len() - 1].clone();
    masks
        .iter()
        .zip(branches)
        .rev()
        .fold(last, |result, (mask, branch)| mask.and(branch).or(&result.and_not(mask)))
}

fn numbers<T: Native>(masks: &[Mask], branches: &[Column], rows: usize) -> Column {
    let sides: Option<Vec<Lanes<'_, T>>> = branches.iter().map(lanes).collect();
    let Some((last, sides)) = sides.as_deref().and_then(|s| s.split_last()) else {
        return T::column(vec![T::default(); rows].into());
    };
    if masks.is_empty() {
        return branches[0].full();
    }
    // From the last condition to the first, so that the first one that holds has the last word.
    let mut out = Vec::new();
    for (mask, side) in masks.iter().zip(sides).rev() {
        if out.is_empty() {
            blend(mask.words(), *side, *last, rows, &mut out);
        } else {
            blend_into(mask.words(), *side, &mut out);
        }
    }
    T::column(out.into())
}

/// A branch as the kernel reads it.
fn lanes<T: Native>(branch: &Column) -> Option<Lanes<'_, T>> {
    match branch.as_const() {
        Some(value) => T::values(value).map(|v| Lanes::One(v[0])),
        None => T::values(branch).map(|v| Lanes::Many(v)),
    }
}

/// Which branch every row takes.
pub fn codes(masks: &[Mask], rows: usize) -> Vec<u32> {
    let mut out = vec![masks.len() as u32; rows];
    for (code, mask) in masks.iter().enumerate().rev() {
        blend_into(mask.words(), Lanes::One(code as u32), &mut out);
    }
    out
}

fn strings(codes: &[u32], branches: &[Column], rows: usize) -> Column {
    let mut out = StringsBuilder::with_capacity(rows, rows * 8);
    for (i, &code) in codes.iter().enumerate() {
        out.push(bytes_at(&branches[code as usize], i));
    }
    out.finish().into()
}

/// Nested layouts: all branches after one another, then one gather.
fn by_index(codes: &[u32], branches: &[Column]) -> Column {
    let mut starts = Vec::with_capacity(branches.len());
    let mut next = 0;
    let parts: Vec<Column> = branches
        .iter()
        .map(|branch| {
            let part = branch.as_const().unwrap_or(branch).clone();
            starts.push((next, !branch.is_const()));
            next += part.len() as u32;
            part
        })
        .collect();
    let all = Column::concat(&parts.iter().collect::<Vec<_>>());
    let indices: Vec<u32> = codes
        .iter()
        .enumerate()
        .map(|(i, &code)| match starts[code as usize] {
            (start, true) => start + i as u32,
            (start, false) => start,
        })
        .collect();
    all.take(&indices)
}

/// Constant branches as one dictionary, made once at binding: its identity stays the same from
/// chunk to chunk.
pub fn dictionary(values: &[Column]) -> Arc<Dictionary> {
    Dictionary::new(Column::concat(&values.iter().collect::<Vec<_>>()).full())
}
