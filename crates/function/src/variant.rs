//! Functions over Variants: the function is bound to each alternative and runs over the rows that
//! contain it.
//!
//! The result has the one type that all alternatives return, made Nullable, or is a Variant of
//! their types. If the function does not take an alternative, a row with this alternative is an
//! error, or NULL if `variant_throw_on_type_mismatch` is off.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Bitmap, Column, VariantColumn};
use entasis_types::variant::{discriminator_of, variant_of};
use entasis_types::{DataType, Value};

use crate::{Arg, BoundFunction, BoundKernel, FunctionContext, FunctionDef};

/// The function bound to an alternative, or the reason why it cannot be bound.
type Alternative = Result<Arc<BoundFunction>>;

/// Binds a function to arguments of which at least one is a Variant.
///
/// Fails with ILLEGAL_TYPE_OF_ARGUMENT if it takes none of the alternatives.
pub(crate) fn bind(
    def: &'static FunctionDef,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let found = args.iter().enumerate().find_map(|(i, a)| Some((i, a.ty.as_variant()?)));
    let Some((at, types)) = found else {
        return Err(Error::logical("no argument is a Variant"));
    };
    let alternatives: Vec<Alternative> = (0..types.len())
        .map(|d| BoundFunction::bind(def, &with_alternative(args, at, types, d), context))
        .collect();
    let answers: Vec<DataType> =
        alternatives.iter().flatten().map(|f| f.return_type.clone()).collect();
    if answers.is_empty() {
        return Err(none_fits(def.name, types));
    }
    if alternatives.iter().flatten().any(|f| f.takes_lambda()) {
        let what = format!("Function {} with a lambda over a Variant", def.name);
        return Err(Error::not_implemented(what));
    }
    let return_type = result_type(&answers)?;
    let strict = context.setting("variant_throw_on_type_mismatch");
    let strict = strict.is_none_or(|v| v.as_u64() != Some(0));
    let kernel = Kernel { at, alternatives, return_type: return_type.clone(), strict };
    Ok(BoundKernel::new(return_type, move |args, rows| kernel.run(args, rows)))
}

#[cold]
fn none_fits(name: &str, types: &[DataType]) -> Error {
    let names: Vec<String> = types.iter().map(ToString::to_string).collect();
    let message = format!(
        "None of the Variant alternatives ({}) are compatible with function '{name}'. Use \
         variantElement to choose one, or convert the Variant to another type",
        names.join(", ")
    );
    Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message)
}

/// The arguments with alternative `d` in place of the Variant.
fn with_alternative(args: &[Arg], at: usize, types: &[DataType], d: usize) -> Vec<Arg> {
    let constant = match &args[at].constant {
        Some(Value::Variant(own, value)) if usize::from(*own) == d => Some(value.as_ref().clone()),
        _ => None,
    };
    let mut args = args.to_vec();
    args[at] = Arg { ty: types[d].clone(), constant, is_lambda: false };
    args
}

/// The one type of all results, made Nullable; otherwise a Variant of their types.
fn result_type(answers: &[DataType]) -> Result<DataType> {
    let mut known = answers.iter().filter(|ty| !ty.is_null_literal());
    let Some(first) = known.next() else { return Ok(DataType::null()) };
    if known.all(|ty| ty.without_nullable() == first.without_nullable()) {
        return Ok(first.without_nullable().when_missing());
    }
    variant_of(answers)
}

struct Kernel {
    /// Position of the argument that is a Variant.
    at: usize,
    alternatives: Vec<Alternative>,
    return_type: DataType,
    strict: bool,
}

impl Kernel {
    fn run(&self, args: &[Column], rows: usize) -> Result<Column> {
        let Column::Variant(variant) = args[self.at].full() else {
            return Err(Error::logical("a Variant's column is none"));
        };
        let mut parts = Vec::with_capacity(self.alternatives.len());
        for (d, function) in self.alternatives.iter().enumerate() {
            parts.push(match (function, self.args_of(args, &variant, d as u8)) {
                (_, (_, 0)) => None,
                (Ok(function), (args, count)) => {
                    let part = function.call(&args, count)?.full();
                    self.converted(part, &function.return_type)
                }
                (Err(e), _) if self.strict => {
                    return Err(Error::new(e.code(), e.message()));
                }
                (Err(_), _) => None,
            });
        }
        debug_assert_eq!(variant.len(), rows);
        Ok(variant.assemble(&Column::default_of(&self.return_type, 1), &parts))
    }

    /// The arguments for the rows that contain alternative `d`, and the number of these rows.
    fn args_of(&self, args: &[Column], variant: &VariantColumn, d: u8) -> (Vec<Column>, usize) {
        let rows = variant.rows_of(d);
        if rows.is_empty() {
            return (Vec::new(), 0);
        }
        let of = |(i, arg): (usize, &Column)| match arg {
            _ if i == self.at => variant.values_of(d),
            arg if rows.len() == arg.len() => arg.clone(),
            arg => arg.take(&rows),
        };
        (args.iter().enumerate().map(of).collect(), rows.len())
    }

    /// The result for an alternative as a full column of the result's type; `None` if it is always
    /// NULL.
    fn converted(&self, part: Column, ty: &DataType) -> Option<Column> {
        if ty.is_null_literal() {
            return None;
        }
        let Some(types) = self.return_type.as_variant() else {
            let plain = self.return_type.is_nullable() && !matches!(part, Column::Nullable(_));
            let all = || Bitmap::constant(true, part.len());
            return Some(if plain { Column::nullable(part.clone(), all()) } else { part });
        };
        let number = |ty: &DataType| discriminator_of(types, ty.without_nullable());
        if let (Some(own), Column::Variant(variant)) = (ty.as_variant(), &part) {
            let to: Vec<u8> = own.iter().filter_map(number).collect();
            return Some(Column::variant(variant.widen(types, &to)));
        }
        let (validity, values) = part.split_nullable();
        let column = VariantColumn::of_one(types, number(ty)?, values, validity);
        Some(Column::variant(column))
    }
}
