//! `if`, `multiIf`, CASE with and without an expression.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Dictionary, Mask};
use entasis_types::{DataType, common_type};

use super::choose::{choose, codes as branch_codes, dictionary};
use entasis_function::cast::{Cast, Session};
use entasis_function::{
    Arg, BoundFunction, BoundKernel, BranchKind, FunctionContext, FunctionDef, Nulls, Operation,
    Properties, registry,
};
use entasis_function_cast::cast::bind_branch;

/// The branches of one call, brought to their common type.
struct Branches {
    ty: DataType,
    casts: Vec<Cast>,
    /// Where every branch is constant and not a number: their values.
    constants: Option<Arc<Dictionary>>,
}

impl Branches {
    /// Brings the branches to their common type, which may be a Variant if `variants`.
    fn bind(args: &[&Arg], variants: bool, context: &dyn FunctionContext) -> Result<Self> {
        let types: Vec<DataType> = args.iter().map(|a| a.ty.clone()).collect();
        let ty = match variants {
            true => context.type_of_branches(&types)?,
            false => common_type(&types)?,
        };
        let session = Session::of(context);
        let casts =
            types.iter().map(|t| bind_branch(t, &ty, session)).collect::<Result<Vec<_>>>()?;
        let plain = ty.without_nullable();
        let worth_it =
            !plain.is_native_number() && !plain.is_date_or_time() && *plain != DataType::Nothing;
        let values: Option<Vec<Column>> = args
            .iter()
            .zip(&casts)
            .map(|(arg, cast)| {
                let value = Column::from_value(&arg.ty, arg.constant.as_ref()?, 1);
                cast(&value).ok().map(|c| c.full())
            })
            .collect();
        let constants = values.filter(|_| worth_it).map(|v| dictionary(&v));
        Ok(Self { ty, casts, constants })
    }

    fn choose(&self, masks: &[Mask], branches: &[&Column], rows: usize) -> Result<Column> {
        // The first condition that always holds ends the list.
        let known = masks.iter().position(|m| m.all() && rows > 0);
        let never = |m: &Mask| m.none();
        if let Some(at) = known {
            if masks[..at].iter().all(never) {
                return (self.casts[at])(branches[at]);
            }
        } else if masks.iter().all(never) && rows > 0 {
            let last = branches.len() - 1;
            return (self.casts[last])(branches[last]);
        }
        if let Some(constants) = &self.constants {
            return Ok(Column::dict(branch_codes(masks, rows).into(), Arc::clone(constants)));
        }
        let columns = self
            .casts
            .iter()
            .zip(branches)
            .map(|(cast, branch)| cast(branch))
            .collect::<Result<Vec<_>>>()?;
        Ok(choose(masks, &columns, &self.ty, rows))
    }
}

fn check_condition(function: &str, ty: &DataType) -> Result<()> {
    if BranchKind::is_condition(ty) {
        return Ok(());
    }
    let message = format!(
        "Illegal type {ty} of first argument (condition) of function {function}. Must be UInt8"
    );
    Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message))
}

/// Conditions at even positions, branches at odd ones, the last branch for the rest.
fn bind_multi(function: &str, args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    if args.len() < 3 || args.len().is_multiple_of(2) {
        return Err(Error::new(
            codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
            format!("Invalid number of arguments for function {function}"),
        ));
    }
    let count = args.len() / 2;
    for condition in 0..count {
        check_condition(function, &args[2 * condition].ty)?;
    }
    let position = move |branch: usize| if branch < count { 2 * branch + 1 } else { 2 * count };
    let chosen: Vec<&Arg> = (0..=count).map(|b| &args[position(b)]).collect();
    let branches = Branches::bind(&chosen, true, context)?;
    Ok(BoundKernel::new(branches.ty.clone(), move |args, rows| {
        let masks: Vec<Mask> = (0..count).map(|c| args[2 * c].to_mask()).collect();
        let columns: Vec<&Column> = (0..=count).map(|b| &args[position(b)]).collect();
        branches.choose(&masks, &columns, rows)
    }))
}

/// `CASE x WHEN v THEN r ... ELSE e END` as (x, v, r, ..., e).
fn bind_case(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    if args.len() < 4 || !args.len().is_multiple_of(2) {
        return Err(Error::new(
            codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
            "Invalid number of arguments for function caseWithExpression",
        ));
    }
    let count = (args.len() - 2) / 2;
    let same = registry::scalar("isNotDistinctFrom")?;
    let tests = (0..count)
        .map(|i| BoundFunction::bind(same, &[args[0].clone(), args[2 * i + 1].clone()], context))
        .collect::<Result<Vec<_>>>()?;
    let position = move |branch: usize| if branch < count { 2 * branch + 2 } else { 2 * count + 1 };
    let chosen: Vec<&Arg> = (0..=count).map(|b| &args[position(b)]).collect();
    let branches = Branches::bind(&chosen, false, context)?;
    Ok(BoundKernel::new(branches.ty.clone(), move |args, rows| {
        let masks = tests
            .iter()
            .enumerate()
            .map(|(i, test)| test.call_mask(&[args[0].clone(), args[2 * i + 1].clone()], rows))
            .collect::<Result<Vec<_>>>()?;
        let columns: Vec<&Column> = (0..=count).map(|b| &args[position(b)]).collect();
        branches.choose(&masks, &columns, rows)
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "if",
        branches: Some(BranchKind::If),
        properties: Properties::DEFAULT.meaning(Operation::Branch),
        low_cardinality: entasis_function::LowCardinality::Drop,
        case_insensitive: true,
        description: "The second argument if the first is true, otherwise the third: `c ? a : b`.",
        examples: &[("if(1, 'yes', 'no')", "yes"), ("if(NULL, 1, 2)", "2")],
        nulls: Nulls::Custom,
        arity: (3, 3),
        bind: |args, context| bind_multi("if", args, context),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "multiIf",
        branches: Some(BranchKind::MultiIf),
        properties: Properties::DEFAULT.meaning(Operation::Branch),
        low_cardinality: entasis_function::LowCardinality::Drop,
        aliases: &["caseWithoutExpression", "caseWithoutExpr"],
        description: "The value after the first condition that is true, else the last argument: \
                      `CASE WHEN c THEN a ... ELSE b END`.",
        examples: &[("multiIf(0, 'a', 1, 'b', 'c')", "b")],
        nulls: Nulls::Custom,
        arity: (0, usize::MAX),
        bind: |args, context| bind_multi("multiIf", args, context),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "caseWithExpression",
        properties: Properties::NEVER_FOLDED,
        branches: Some(BranchKind::Case),
        low_cardinality: entasis_function::LowCardinality::Drop,
        aliases: &["caseWithExpr"],
        description: "The value after the first argument equal to the first: \
                      `CASE x WHEN v THEN a ... ELSE b END`.",
        examples: &[("caseWithExpression(2, 1, 'a', 2, 'b', 'c')", "b")],
        nulls: Nulls::Custom,
        bind: bind_case,
        ..FunctionDef::DEFAULT
    },
];
