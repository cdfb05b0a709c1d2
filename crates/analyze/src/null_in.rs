//! `transform_null_in = 1`: NULL is a value like any other on both sides of IN. A column that may
//! be NULL becomes two columns of the set: whether it is NULL, and its value or a default. Sets
//! themselves never contain NULL.

use entasis_base::{Error, Result};
use entasis_expr::Expr;
use entasis_types::{DataType, Value};

use crate::query::Output;
use crate::{Analyzer, bind};

/// How a column on the left side appears in the set.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NullForm {
    /// It is never NULL.
    Value,
    /// One of both sides is always NULL, so only that it is NULL matters.
    Flag,
    /// Whether it is NULL, and its value.
    FlagAndValue,
}

fn form(left: &DataType, right: Option<&DataType>) -> NullForm {
    let nothing = |ty: &DataType| *ty.without_nullable() == DataType::Nothing;
    match left.has_null() {
        false => NullForm::Value,
        true if nothing(left) || right.is_some_and(nothing) => NullForm::Flag,
        true => NullForm::FlagAndValue,
    }
}

/// Both sides of IN: what is looked up, the types of the set, and the set's columns.
pub(crate) struct Sides<C> {
    pub args: Vec<Expr>,
    pub types: Vec<DataType>,
    pub members: Vec<C>,
}

impl Analyzer<'_> {
    /// The sides of `args IN (SELECT outputs)`, where `converted` are the outputs in the types of
    /// the left side.
    pub(crate) fn null_in_query_sides(
        &self,
        args: Vec<Expr>,
        converted: Vec<Expr>,
        types: Vec<DataType>,
        outputs: &[Output],
    ) -> Result<Sides<Expr>> {
        let mut sides = Sides { args: Vec::new(), types: Vec::new(), members: Vec::new() };
        for (((arg, member), ty), output) in args.into_iter().zip(converted).zip(types).zip(outputs)
        {
            let form = form(arg.ty(), Some(&output.ty));
            if form != NullForm::Value {
                let written = Expr::column(output.id, output.ty.clone());
                sides.args.push(self.is_null(arg.clone())?);
                sides.types.push(DataType::UInt8);
                sides.members.push(self.flag(written, &member)?);
            }
            match form {
                NullForm::Value => {
                    sides.args.push(arg);
                    sides.members.push(member);
                    sides.types.push(ty);
                }
                NullForm::Flag => {}
                NullForm::FlagAndValue => {
                    sides.args.push(self.or_default(arg, &ty)?);
                    sides.members.push(self.or_default(member, &ty)?);
                    sides.types.push(ty);
                }
            }
        }
        Ok(sides)
    }

    /// The sides of `args IN (members)` with the members column by column, where NULL is `None`.
    pub(crate) fn null_in_member_sides(
        &self,
        args: Vec<Expr>,
        types: Vec<DataType>,
        columns: Vec<Vec<Option<Value>>>,
    ) -> Result<Sides<Vec<Value>>> {
        let mut sides = Sides { args: Vec::new(), types: Vec::new(), members: Vec::new() };
        for ((arg, ty), column) in args.into_iter().zip(types).zip(columns) {
            let form = form(arg.ty(), None);
            if form != NullForm::Value {
                let flags = column.iter().map(|value| Value::UInt(u64::from(value.is_none())));
                sides.args.push(self.is_null(arg.clone())?);
                sides.types.push(DataType::UInt8);
                sides.members.push(flags.collect());
            }
            if form != NullForm::Flag {
                let arg = match form {
                    NullForm::Value => arg,
                    _ => self.or_default(arg, &ty)?,
                };
                let default = self.default_of(&ty)?;
                let Expr::Literal { value: default, .. } = default else {
                    return Err(Error::logical("a constant was not folded"));
                };
                let values = column.into_iter().map(|value| value.unwrap_or(default.clone()));
                sides.args.push(arg);
                sides.members.push(values.collect());
                sides.types.push(ty);
            }
        }
        Ok(sides)
    }

    fn is_null(&self, expr: Expr) -> Result<Expr> {
        bind::call("isNull", vec![expr], self.context)
    }

    /// 1 for NULL, 0 for a value, and 2 for one that the type on the left side cannot hold.
    fn flag(&self, written: Expr, converted: &Expr) -> Result<Expr> {
        let null = self.is_null(written)?;
        if matches!(converted, Expr::Column { .. }) {
            return Ok(null);
        }
        let number = |n| Expr::literal(Value::UInt(n), DataType::UInt8);
        let lost = self.is_null(converted.clone())?;
        let other = bind::call("if", vec![lost, number(2), number(0)], self.context)?;
        bind::call("if", vec![null, number(1), other], self.context)
    }

    fn or_default(&self, expr: Expr, ty: &DataType) -> Result<Expr> {
        bind::call("ifNull", vec![expr, self.default_of(ty)?], self.context)
    }

    fn default_of(&self, ty: &DataType) -> Result<Expr> {
        let name = Expr::literal(Value::from(ty.to_string().as_str()), DataType::String);
        bind::call("defaultValueOfTypeName", vec![name], self.context)
    }
}
