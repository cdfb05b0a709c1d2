//! Dictionaries of regular expressions, in which a key may have several values of an attribute:
//! `dictGetAll`, and what `dictGet` and `dictGetOrDefault` do with them.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_function::cast::{self, Cast, Mode, Session};
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Nulls};
use entasis_types::{DataType, TupleType};

use crate::arguments::{KeyArgument, Target, Wanted};
use crate::get::DEFAULT;

/// `dictGet`, or with `has_default` `dictGetOrDefault`: the first value of each attribute.
pub(crate) fn first_values(
    function: &str,
    (target, wanted): (Target, Wanted),
    args: &[Arg],
    has_default: bool,
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let key = KeyArgument::bind(function, &args[2], &*target.dictionary, context)?;
    let convert: Option<Cast> = match (has_default, args.last()) {
        (true, Some(last)) if last.ty != wanted.ty => {
            Some(cast::bind_mode(&last.ty, &wanted.ty, Session::of(context), Mode::Accurate)?)
        }
        _ => None,
    };
    Ok(BoundKernel::new(wanted.ty.clone(), move |args, rows| {
        let contents = target.contents()?;
        let keys: Vec<Column> = key.columns(&args[2], rows)?.iter().map(Column::full).collect();
        let given = match (has_default, args.last()) {
            (true, Some(last)) => {
                let last = last.full();
                Some(convert.as_ref().map_or_else(|| Ok(last.clone()), |c| c(&last))?.full())
            }
            _ => None,
        };
        let mut columns = Vec::with_capacity(wanted.positions.len());
        for (i, &position) in wanted.positions.iter().enumerate() {
            let found = contents.all_values(&keys, rows, position, 1)?;
            // The defaults come first: one for all rows, or one for each.
            let default = match (&given, wanted.is_tuple()) {
                (None, _) => found.default.full(),
                (Some(Column::Tuple(tuple)), true) => tuple.columns[i].full(),
                (Some(default), _) => default.clone(),
            };
            let (before, step) = (default.len(), usize::from(given.is_some()));
            let pick = |row: usize| match found.offsets[row] < found.offsets[row + 1] {
                true => before as u32 + found.offsets[row],
                false => (row * step) as u32,
            };
            let picks: Vec<u32> = (0..rows).map(pick).collect();
            columns.push(Column::concat(&[&default, &found.values]).take(&picks));
        }
        Ok(wanted.joined(columns, rows))
    }))
}

fn bind_all(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let target = Target::bind("dictGetAll", &args[0], context)?;
    let wanted = Wanted::bind("dictGetAll", &args[1], &*target.dictionary)?;
    if !target.dictionary.structure().is_tree {
        let message = format!(
            "Method getColumnAllValues is not supported for {} dictionary: only the layout \
             REGEXP_TREE has several values for a key",
            target.dictionary.name()
        );
        return Err(Error::new(codes::NOT_IMPLEMENTED, message));
    }
    if args[2].ty.is_nullable() {
        let message = "Function dictGetAll does not support nullable keys";
        return Err(Error::new(codes::UNSUPPORTED_METHOD, message));
    }
    let most = match args.get(3) {
        None => usize::MAX,
        Some(arg) => match arg.constant.as_ref().map(|value| value.as_u64()) {
            Some(Some(most)) => usize::try_from(most).unwrap_or(usize::MAX),
            Some(None) => {
                let message = "The limit of dictGetAll must be a whole number from 0";
                return Err(Error::new(codes::NOT_IMPLEMENTED, message));
            }
            None => {
                let message = "Argument at index 3 for function dictGetAll must be constant";
                return Err(Error::new(codes::ILLEGAL_COLUMN, message));
            }
        },
    };
    let key = KeyArgument::bind("dictGetAll", &args[2], &*target.dictionary, context)?;
    let array = |ty: &DataType| DataType::Array(Arc::new(ty.clone()));
    let ty = match &wanted.ty {
        DataType::Tuple(tuple) if wanted.is_tuple() => DataType::Tuple(Arc::new(TupleType {
            types: tuple.types.iter().map(array).collect(),
            names: tuple.names.clone(),
        })),
        one => array(one),
    };
    Ok(BoundKernel::new(ty, move |args, rows| {
        let contents = target.contents()?;
        let keys: Vec<Column> = key.columns(&args[2], rows)?.iter().map(Column::full).collect();
        let mut columns = Vec::with_capacity(wanted.positions.len());
        for &position in &wanted.positions {
            let found = contents.all_values(&keys, rows, position, most)?;
            columns.push(Column::array(found.offsets.into(), found.values));
        }
        Ok(wanted.joined(columns, rows))
    }))
}

/// The functions of this file.
pub const FUNCTIONS: &[FunctionDef] = &[FunctionDef {
    name: "dictGetAll",
    description: "All values of an attribute, or of several, for a key in a dictionary with the \
                  layout REGEXP_TREE: dictGetAll('dictionary', attributes, key[, limit]).",
    nulls: Nulls::Custom,
    arity: (3, 4),
    bind: bind_all,
    ..DEFAULT
}];
