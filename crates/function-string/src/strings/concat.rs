//! Joining strings: `concat` of values of any type, with a separator or without.

use std::sync::Arc;

use entasis_base::Result;
use entasis_column::{Column, StringsBuilder};
use entasis_types::{DataType, TupleType};

use entasis_function::cast::{self, Cast, Session};
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Properties, registry};
use entasis_function_kernel::kernel::illegal_type;
use entasis_function_kernel::text::{Pieces, Text, finish};

/// How each argument becomes text; `None` where it is text.
pub fn casts(args: &[Arg], context: &dyn FunctionContext) -> Result<Vec<Option<Cast>>> {
    args.iter()
        .map(|arg| {
            if arg.ty.is_string() {
                return Ok(None);
            }
            cast::bind(&arg.ty, &DataType::String, Session::of(context)).map(Some)
        })
        .collect()
}

/// The arguments as text.
pub fn apply(casts: &[Option<Cast>], args: &[Column]) -> Result<Vec<Column>> {
    casts
        .iter()
        .zip(args)
        .map(|(cast, arg)| cast.as_ref().map_or_else(|| Ok(arg.clone()), |cast| cast(arg)))
        .collect()
}

/// Rows of all `parts` one after the other, `between` them a separator.
pub fn join(parts: &[Text<'_>], between: Option<Text<'_>>, rows: usize) -> Result<Column> {
    let bytes: usize = parts.iter().map(|p| p.bytes(rows)).sum();
    let more = between.map_or(0, |b| b.bytes(rows) * parts.len());
    let mut out = StringsBuilder::with_capacity(rows, bytes + more);
    let mut pieces = Vec::new();
    for part in parts {
        if let (Some(between), false) = (between, pieces.is_empty()) {
            pieces.push(Pieces::of(between));
        }
        pieces.push(Pieces::of(*part));
    }
    for i in 0..rows {
        pieces.iter().for_each(|piece| piece.append(i, &mut out.data));
        out.close();
    }
    finish(out)
}

fn concat(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    if !args.is_empty() && args.iter().all(|a| matches!(a.ty, DataType::Array(_))) {
        return (registry::scalar("arrayConcat")?.bind)(args, context);
    }
    if !args.is_empty() && args.iter().all(|a| matches!(a.ty, DataType::Tuple(_))) {
        return Ok(concat_tuples(args));
    }
    let casts = casts(args, context)?;
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        let args = apply(&casts, args)?;
        let parts = args.iter().map(Text::of).collect::<Result<Vec<_>>>()?;
        join(&parts, None, rows)
    }))
}

fn concat_tuples(args: &[Arg]) -> BoundKernel {
    let mut types = Vec::new();
    for arg in args {
        if let DataType::Tuple(tuple) = &arg.ty {
            types.extend(tuple.types.iter().cloned());
        }
    }
    let ty = DataType::Tuple(Arc::new(TupleType { types, names: None }));
    BoundKernel::new(ty, |args, rows| {
        let mut columns = Vec::new();
        for arg in args {
            if let Column::Tuple(tuple) = &arg.full() {
                columns.extend(tuple.columns.iter().cloned());
            }
        }
        Ok(Column::tuple(columns, rows))
    })
}

fn concat_with_separator(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    if !args[0].ty.is_string() {
        return Err(illegal_type("concatWithSeparator", &args[0].ty));
    }
    let casts = casts(args, context)?;
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        let args = apply(&casts, args)?;
        let parts = args.iter().map(Text::of).collect::<Result<Vec<_>>>()?;
        join(&parts[1..], Some(parts[0]), rows)
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "concat",
        aliases: &["concatAssumeInjective"],
        case_insensitive: true,
        description: "Joins the arguments to one text; arrays and tuples are joined to one array \
                      or tuple.",
        examples: &[("concat('a', 1, 'b')", "a1b"), ("concat([1], [2])", "[1,2]")],
        bind: concat,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "concatWithSeparator",
        properties: Properties::NEVER_FOLDED,
        aliases: &["concat_ws", "concatWithSeparatorAssumeInjective"],
        case_insensitive: true,
        description: "Joins the arguments after the first to one text, with the first between \
                      them.",
        examples: &[("concatWithSeparator('-', 'a', 'b', 3)", "a-b-3")],
        arity: (1, usize::MAX),
        bind: concat_with_separator,
        ..FunctionDef::DEFAULT
    },
];
