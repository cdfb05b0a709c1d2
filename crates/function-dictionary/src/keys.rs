//! `dictGetKeys`, which finds keys by a value.

use std::collections::HashMap;
use std::sync::OnceLock;

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_dictionary::encoded;
use entasis_function::cast::{self, Mode, Session};
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Nulls};
use entasis_types::DataType;

use crate::arguments::{Target, text};
use crate::get::DEFAULT;

/// The rows of each value, which is written to bytes.
type ByValue = HashMap<Vec<u8>, Vec<u32>>;

fn bind_keys(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let function = "dictGetKeys";
    let target = Target::bind(function, &args[0], context)?;
    let structure = target.dictionary.structure();
    let name = args[1].constant.as_ref().and_then(text).ok_or_else(|| {
        let message = format!(
            "Illegal type {} of second argument of function {function}, expected a const string",
            args[1].ty
        );
        Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message)
    })?;
    let attribute = structure.attributes.iter().position(|a| *a.name == *name);
    let attribute = attribute.ok_or_else(|| {
        Error::new(codes::ILLEGAL_COLUMN, format!("Dictionary has no attribute '{name}'"))
    })?;
    let ty = structure.attributes[attribute].ty.clone();
    let convert = match args[2].ty == ty {
        true => None,
        false => Some(cast::bind_mode(&args[2].ty, &ty, Session::of(context), Mode::Accurate)?),
    };
    let mut types = structure.key_types();
    let is_tuple = types.len() > 1;
    let key_type = if is_tuple { DataType::tuple(types) } else { types.swap_remove(0) };
    let index: OnceLock<(ByValue, Column)> = OnceLock::new();
    Ok(BoundKernel::new(DataType::array(key_type), move |args, rows| {
        let built = match index.get() {
            Some(built) => built,
            None => {
                let built = by_value(&target, attribute, is_tuple)?;
                index.get_or_init(|| built)
            }
        };
        let (by_value, keys) = built;
        let wanted = args[2].full();
        let wanted = convert.as_ref().map_or_else(|| Ok(wanted.clone()), |c| c(&wanted))?.full();
        let (mut offsets, mut picks) = (vec![0u32], Vec::new());
        let bytes = encoded(std::slice::from_ref(&wanted), rows)?;
        for row in 0..rows {
            if let Some(found) = by_value.get(bytes.get(row)).filter(|_| !wanted.is_null(row)) {
                picks.extend_from_slice(found);
            }
            offsets.push(picks.len() as u32);
        }
        Ok(Column::array(offsets.into(), keys.take(&picks)))
    }))
}

/// The rows of each value of an attribute, and the keys of all rows.
fn by_value(target: &Target, attribute: usize, is_tuple: bool) -> Result<(ByValue, Column)> {
    let all = target.contents()?.all()?;
    let values = all.attributes[attribute].full();
    let mut by_value: ByValue = HashMap::new();
    let bytes = encoded(&[values], all.rows)?;
    for (row, value) in bytes.iter().enumerate() {
        by_value.entry(value.to_vec()).or_default().push(row as u32);
    }
    let count = target.dictionary.structure().keys.len();
    let keys = &all.keys[..count];
    let keys = if is_tuple { Column::tuple(keys.to_vec(), all.rows) } else { keys[0].full() };
    Ok((by_value, keys))
}

/// The functions of this file.
pub const FUNCTIONS: &[FunctionDef] = &[FunctionDef {
    name: "dictGetKeys",
    description: "The keys for which an attribute has a value.",
    nulls: Nulls::Custom,
    arity: (3, 3),
    bind: bind_keys,
    ..DEFAULT
}];
