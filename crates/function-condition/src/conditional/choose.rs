//! Selects rows from several columns by masks: the kernel of `if`, `multiIf`, `coalesce`,
//! `greatest`, `transform`.

use std::sync::Arc;

use entasis_column::{Column, Dictionary, Mask, Native, StringsBuilder, match_physical};
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
    let value = |c: &Column| c.as_const().and_then(|v| T::values(v).map(|v| v[0]));
    let last = &branches[branches.len() - 1];
    let mut out: Vec<T> = match (value(last), T::values(last)) {
        (Some(v), _) => vec![v; rows],
        (None, Some(values)) => values.to_vec(),
        _ => vec![T::default(); rows],
    };
    for (mask, branch) in masks.iter().zip(branches).rev() {
        let bytes = mask.to_bytes();
        if let Some(v) = value(branch) {
            for (out, &set) in out.iter_mut().zip(&bytes) {
                *out = if set != 0 { v } else { *out };
            }
        } else if let Some(values) = T::values(branch) {
            for ((out, &set), &v) in out.iter_mut().zip(&bytes).zip(values.iter()) {
                *out = if set != 0 { v } else { *out };
            }
        }
    }
    T::column(out.into())
}

/// Which branch every row takes.
pub fn codes(masks: &[Mask], rows: usize) -> Vec<u32> {
    let mut out = vec![masks.len() as u32; rows];
    for (code, mask) in masks.iter().enumerate().rev() {
        for (out, set) in out.iter_mut().zip(mask.to_bytes()) {
            *out = if set != 0 { code as u32 } else { *out };
        }
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
