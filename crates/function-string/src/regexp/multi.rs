//! `multiMatchAny` and the like: which of several constant patterns match.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Mask};
use entasis_types::{DataType, Value};

use super::Pattern;
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::kernel::illegal_type;
use entasis_function_kernel::text::{Text, expect_string};

fn patterns(name: &str, args: &[Arg]) -> Result<Arc<[Pattern]>> {
    expect_string(name, &args[0])?;
    let strings =
        matches!(&args[1].ty, DataType::Array(t) if t.is_string() || **t == DataType::Nothing);
    if !strings {
        return Err(illegal_type(name, &args[1].ty));
    }
    let Some(Value::Array(items)) = &args[1].constant else {
        let message = format!("Second argument of function {name} must be a constant array");
        return Err(Error::new(codes::ILLEGAL_COLUMN, message));
    };
    items.iter().map(|item| Pattern::compile(item.as_bytes().unwrap_or_default())).collect()
}

/// Which rows each pattern matches.
fn masks(patterns: &[Pattern], args: &[Column], rows: usize) -> Result<Vec<Mask>> {
    let text = Text::of(&args[0])?;
    Ok(patterns.iter().map(|p| p.mask(text, rows)).collect())
}

fn any(args: &[Arg]) -> Result<BoundKernel> {
    let patterns = patterns("multiMatchAny", args)?;
    Ok(BoundKernel::predicate(move |args, rows| {
        let none = Mask::constant(false, rows);
        Ok(masks(&patterns, args, rows)?.iter().fold(none, |any, mask| any.or(mask)))
    }))
}

fn any_index(args: &[Arg]) -> Result<BoundKernel> {
    let patterns = patterns("multiMatchAnyIndex", args)?;
    Ok(BoundKernel::new(DataType::UInt64, move |args, rows| {
        let mut first = vec![0u64; rows];
        for (k, mask) in masks(&patterns, args, rows)?.iter().enumerate().rev() {
            mask.ones().for_each(|i| first[i] = k as u64 + 1);
        }
        Ok(first.into())
    }))
}

fn all_indices(args: &[Arg]) -> Result<BoundKernel> {
    let patterns = patterns("multiMatchAllIndices", args)?;
    Ok(BoundKernel::new(DataType::array(DataType::UInt64), move |args, rows| {
        let masks = masks(&patterns, args, rows)?;
        let (mut found, mut ends) = (Vec::new(), vec![0u32]);
        for i in 0..rows {
            let matching = masks.iter().enumerate().filter(|(_, mask)| mask.get(i));
            found.extend(matching.map(|(k, _)| k as u64 + 1));
            ends.push(found.len() as u32);
        }
        Ok(Column::array(ends.into(), found.into()))
    }))
}

const MULTI: FunctionDef = FunctionDef { arity: (2, 2), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "multiMatchAny",
        description: "Whether any of the regular expressions matches.",
        examples: &[("multiMatchAny('abc', ['z', '^a'])", "1")],
        bind: |args, _: &dyn FunctionContext| any(args),
        ..MULTI
    },
    FunctionDef {
        name: "multiMatchAnyIndex",
        description: "Number, from 1, of the first of the regular expressions that matches, or 0.",
        examples: &[("multiMatchAnyIndex('abc', ['z', '^a'])", "2")],
        bind: |args, _| any_index(args),
        ..MULTI
    },
    FunctionDef {
        name: "multiMatchAllIndices",
        description: "Numbers, from 1, of the regular expressions that match.",
        examples: &[("multiMatchAllIndices('abc', ['a', 'z', 'c$'])", "[1,3]")],
        bind: |args, _| all_indices(args),
        ..MULTI
    },
];
