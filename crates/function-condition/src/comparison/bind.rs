//! Binds comparisons: which types can be compared, and how each side is converted.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, ColumnBuilder, Mask};
use entasis_simd::compare::CompareOp;
use entasis_types::{DataType, TextType, TupleType, Value, common_type_of_two};

use super::compare_columns;
use entasis_function::cast::{self, Cast, Session};
use entasis_function::{Arg, BoundFunction, BoundKernel, FunctionContext, registry};
use entasis_function_cast::cast::parse;
use entasis_function_kernel::kernel::Truth;

/// The function that an operator is.
fn name(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "equals",
        CompareOp::Ne => "notEquals",
        CompareOp::Lt => "less",
        CompareOp::Le => "lessOrEquals",
        CompareOp::Gt => "greater",
        CompareOp::Ge => "greaterOrEquals",
    }
}

/// What one side becomes before the columns are compared.
enum Prepare {
    Nothing,
    /// A literal, read as the other side's type.
    Literal(Column),
    Cast(Cast),
}

impl Prepare {
    fn apply(&self, column: &Column, rows: usize) -> Result<Column> {
        match self {
            Self::Nothing => Ok(column.clone()),
            Self::Literal(value) => Ok(Column::constant(value.clone(), rows)),
            Self::Cast(cast) => cast(column),
        }
    }
}

#[cold]
fn illegal(op: CompareOp, a: &DataType, b: &DataType) -> Error {
    let message = format!("Illegal types of arguments (`{a}`, `{b}`) of function `{}`", name(op));
    Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message)
}

/// Binds a comparison of two arguments that are not Nullable.
pub fn bind(op: CompareOp, args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    if let (DataType::Tuple(x), DataType::Tuple(y)) = (&args[0].ty, &args[1].ty) {
        return bind_tuples(op, args, x, y, context);
    }
    if let Some(bound) = decimal_beside_constant(op, args) {
        return Ok(bound);
    }
    let (left, right) = prepare(op, args, context)?;
    Ok(BoundKernel::predicate(move |args, rows| {
        let (a, b) = (left.apply(&args[0], rows)?, right.apply(&args[1], rows)?);
        compare_columns(op, &a, &b, rows)
    }))
}

/// A decimal beside a constant number, compared as whole numbers if it can be.
fn decimal_beside_constant(op: CompareOp, args: &[Arg]) -> Option<BoundKernel> {
    let is_column = |arg: &Arg| arg.ty.is_decimal() && arg.constant.is_none();
    let (at, op) = if is_column(&args[0]) { (0, op) } else { (1, op.swapped()) };
    let (decimal, other) = (&args[at], &args[1 - at]);
    if !is_column(decimal) {
        return None;
    }
    let constant = (&other.ty, other.constant.as_ref()?);
    let (op, units) = super::decimals::with_constant(op, &decimal.ty, constant)?;
    // The kernel compares integers of any two widths.
    let units = Column::from_value(&DataType::Int64, &units, 1).full();
    Some(BoundKernel::predicate(move |args, rows| {
        compare_columns(op, &args[at], &Column::constant(units.clone(), rows), rows)
    }))
}

/// Pairs that compare as they are stored, and addresses of both versions.
fn prepare_alike(
    a: &DataType,
    b: &DataType,
    session: Session,
) -> Option<Result<(Prepare, Prepare)>> {
    use DataType::{Date, Date32, FixedString, Ipv4, Ipv6, Nothing, String, Uuid};
    let as_is = Ok((Prepare::Nothing, Prepare::Nothing));
    let cast = |from, to| cast::bind(from, to, session).map(Prepare::Cast);
    Some(match (a, b) {
        (Date, Date) | (Date32, Date32) | (Nothing, _) | (_, Nothing) | (Uuid, Uuid) => as_is,
        (String | FixedString(_), String | FixedString(_)) => as_is,
        (Ipv6, Ipv6 | FixedString(16)) | (FixedString(16), Ipv6) => as_is,
        (Ipv4, Ipv6) => cast(a, b).map(|cast| (cast, Prepare::Nothing)),
        (Ipv6, Ipv4) => cast(b, a).map(|cast| (Prepare::Nothing, cast)),
        _ => return None,
    })
}

fn prepare(
    op: CompareOp,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<(Prepare, Prepare)> {
    use DataType::{Array, DateTime, Decimal, Enum, Interval, Ipv4};
    let session = Session::of(context);
    let (a, b) = (&args[0].ty, &args[1].ty);
    if let Some(sides) = prepare_alike(a, b, session) {
        return sides;
    }
    let as_is = (Prepare::Nothing, Prepare::Nothing);
    let numeric =
        |t: &DataType| t.is_any_number() || matches!(t, Interval(_) | DateTime(_) | Enum(_) | Ipv4);
    let both_to = |to: &DataType| -> Result<(Prepare, Prepare)> {
        let side = |ty| cast::bind(ty, to, session).map(Prepare::Cast);
        Ok((side(a)?, side(b)?))
    };
    let to_common = || {
        let common = common_type_of_two(a, b).map_err(|_| illegal(op, a, b))?;
        both_to(&common)
    };
    Ok(match (a, b) {
        (Interval(x), Interval(y)) if x != y => {
            // The unit of which the other is a multiple: kinds are declared from short to long.
            both_to(&Interval(if (*x as u8) < (*y as u8) { *x } else { *y }))?
        }
        (x, y) if numeric(x) && numeric(y) => as_is,
        // A decimal beside a float compares as a float, beside another number exactly.
        (x, y) if x.is_decimal() && y.is_float() || x.is_float() && y.is_decimal() => {
            both_to(&DataType::Float64)?
        }
        // A wide integer beside a decimal becomes one, if it fits.
        (Decimal(_, scale), y) if y.is_wide_integer() => {
            let to = Decimal(38, *scale);
            (Prepare::Nothing, Prepare::Cast(cast::bind(y, &to, session)?))
        }
        (x, Decimal(_, scale)) if x.is_wide_integer() => {
            let to = Decimal(38, *scale);
            (Prepare::Cast(cast::bind(x, &to, session)?), Prepare::Nothing)
        }
        (x, y)
            if x.is_decimal() && y.is_decimal()
                || x.is_decimal() && y.is_native_number()
                || x.is_native_number() && y.is_decimal() =>
        {
            to_common()?
        }
        (x, y)
            if x.is_date_or_time() && y.is_date_or_time() && x.fixed_width() != y.fixed_width()
                || matches!((x, y), (DataType::DateTime64(..), DataType::DateTime64(..))) =>
        {
            to_common()?
        }
        (Enum(_), y) if y.is_string() && args[1].constant.is_none() => {
            (Prepare::Cast(cast::bind(a, &DataType::String, session)?), Prepare::Nothing)
        }
        (x, Enum(_)) if x.is_string() && args[0].constant.is_none() => {
            (Prepare::Nothing, Prepare::Cast(cast::bind(b, &DataType::String, session)?))
        }
        (x, DataType::String) if !x.is_string() => {
            (Prepare::Nothing, read_literal(op, x, &args[1], session)?)
        }
        (DataType::String, y) if !y.is_string() => {
            (read_literal(op, y, &args[0], session)?, Prepare::Nothing)
        }
        (Array(_), Array(_)) | (DataType::Map(_), DataType::Map(_)) => to_common()?,
        _ => return Err(illegal(op, a, b)),
    })
}

/// A string literal as a value that compares with `ty`.
fn read_literal(op: CompareOp, ty: &DataType, arg: &Arg, session: Session) -> Result<Prepare> {
    let Some(text) = arg.constant.as_ref().and_then(Value::as_bytes) else {
        return match common_type_of_two(ty, &arg.ty) {
            Err(e) => Err(e),
            Ok(_) => Err(illegal(CompareOp::Eq, ty, &arg.ty)),
        };
    };
    let mismatch = || {
        let shown = entasis_types::name::quote(text);
        Error::new(codes::TYPE_MISMATCH, format!("Cannot convert string {shown} to type {ty}"))
    };
    let while_converting = |e: Error| {
        let shown = entasis_types::name::quote(text);
        e.append(format!(": while converting {shown} to {ty}"))
    };
    let one = |ty: &DataType, value| Ok(Column::from_value(ty, &value, 1).full());
    if let Some(spelled) = TextType::of(ty, session.zone) {
        return match parse::spelled(text, &spelled, ty, session) {
            Ok(bits) => {
                let mut builder = ColumnBuilder::new(ty, 1);
                builder.push_bits(bits)?;
                Ok(Prepare::Literal(builder.finish()))
            }
            // No value of the enum equals a name that it does not have.
            Err(_) if op == CompareOp::Eq && matches!(ty, DataType::Enum(_)) => {
                Ok(Prepare::Literal(vec![i32::MIN].into()))
            }
            Err(_) if ty.is_decimal() => Err(mismatch()),
            Err(e) => Err(while_converting(e)),
        };
    }
    let column: Result<Column> = match ty {
        DataType::Date => {
            let mut rest = text;
            match entasis_types::text::read_date(&mut rest) {
                None => Err(while_converting(parse::not_a_date())),
                Some(_) if !rest.is_empty() => Err(mismatch()),
                Some(days) => one(ty, Value::UInt(days.clamp(0, 65_535) as u64)),
            }
        }
        DataType::DateTime(zone) => {
            let zone = zone.unwrap_or(session.zone);
            let second = parse::datetime(text, zone, session).map_err(while_converting)?;
            one(ty, Value::UInt(u64::from(second)))
        }
        DataType::Bool => one(ty, Value::UInt(u64::from(parse::bool(text)?))),
        ty if ty.is_float() => match parse::checked::<f64>(text) {
            Some(v) => one(&DataType::Float64, Value::Float(v)),
            None => Err(mismatch()),
        },
        ty if ty.is_native_integer() || matches!(ty, DataType::Interval(_)) => {
            match (parse::checked::<u64>(text), parse::checked::<i64>(text)) {
                (Some(v), _) => one(&DataType::UInt64, Value::UInt(v)),
                (_, Some(v)) => one(&DataType::Int64, Value::Int(v)),
                _ => Err(mismatch()),
            }
        }
        ty if ty.is_wide_integer() => {
            let literal = Column::from_value(&DataType::String, &Value::string(text), 1);
            let read = cast::bind(&DataType::String, ty, session)?(&literal);
            read.map(|c| c.full()).map_err(|_| mismatch())
        }
        ty @ (DataType::Array(_) | DataType::Tuple(_)) => {
            let literal = Column::from_value(&DataType::String, &Value::string(text), 1);
            cast::bind(&DataType::String, ty, session)?(&literal).map(|c| c.full())
        }
        _ => Err(illegal(CompareOp::Eq, ty, &DataType::String)),
    };
    column.map(Prepare::Literal)
}

/// Element `i` of a tuple argument as an argument of its own.
fn element_arg(arg: &Arg, tuple: &TupleType, i: usize) -> Arg {
    let constant = match &arg.constant {
        Some(Value::Tuple(items)) => items.get(i).cloned(),
        _ => None,
    };
    Arg { ty: tuple.types[i].clone(), constant, is_lambda: false }
}

/// Column of element `i` of a full or Const tuple column.
fn element_column(column: &Column, i: usize, rows: usize) -> Column {
    match column {
        Column::Tuple(tuple) => tuple.columns[i].clone(),
        Column::Const(c) => Column::constant(element_column(&c.value, i, 1), rows),
        other => other.clone(),
    }
}

fn bind_tuples(
    op: CompareOp,
    args: &[Arg],
    x: &TupleType,
    y: &TupleType,
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    if x.types.len() != y.types.len() {
        return Err(illegal(op, &args[0].ty, &args[1].ty));
    }
    if x.types.is_empty() {
        return Err(Error::not_implemented("Comparison of zero-sized tuples"));
    }
    let elements = |op: CompareOp| -> Result<Vec<Arc<BoundFunction>>> {
        (0..x.types.len())
            .map(|i| {
                let pair = [element_arg(&args[0], x, i), element_arg(&args[1], y, i)];
                BoundFunction::bind(registry::scalar(name(op))?, &pair, context)
            })
            .collect()
    };
    let (strict, equal) = match op {
        CompareOp::Eq | CompareOp::Ne => (Vec::new(), elements(op)?),
        CompareOp::Lt | CompareOp::Le => (elements(CompareOp::Lt)?, elements(CompareOp::Eq)?),
        CompareOp::Gt | CompareOp::Ge => (elements(CompareOp::Gt)?, elements(CompareOp::Eq)?),
    };
    let nullable = equal.iter().any(|f| f.return_type.is_nullable());
    let unknown = equal.iter().any(|f| f.return_type.is_null_literal());
    let truth: Arc<dyn Fn(&[Column], usize) -> Result<Truth> + Send + Sync> =
        Arc::new(move |args, rows| {
            if unknown {
                let none = Mask::constant(false, rows);
                return Ok(Truth { yes: none.clone(), no: none });
            }
            let call = |f: &BoundFunction, i| -> Result<Truth> {
                let pair = [element_column(&args[0], i, rows), element_column(&args[1], i, rows)];
                Ok(Truth::of(&f.call(&pair, rows)?, rows))
            };
            lexicographic(op, &strict, &equal, call)
        });
    let mask = Arc::clone(&truth);
    let mut bound = BoundKernel::new(
        if nullable { DataType::nullable(DataType::UInt8) } else { DataType::UInt8 },
        move |args, rows| Ok(truth(args, rows)?.column(nullable)),
    );
    bound.mask = Some(Arc::new(move |args, rows| Ok(mask(args, rows)?.yes)));
    Ok(bound)
}

/// Combines comparisons of elements: equality over all, or the first difference decides.
fn lexicographic(
    op: CompareOp,
    strict: &[Arc<BoundFunction>],
    equal: &[Arc<BoundFunction>],
    call: impl Fn(&BoundFunction, usize) -> Result<Truth>,
) -> Result<Truth> {
    let last = equal.len() - 1;
    let mut result = match op {
        CompareOp::Lt | CompareOp::Gt => call(&strict[last], last)?,
        CompareOp::Le | CompareOp::Ge => call(&strict[last], last)?.or(&call(&equal[last], last)?),
        CompareOp::Eq | CompareOp::Ne => call(&equal[last], last)?,
    };
    for i in (0..last).rev() {
        let equals = call(&equal[i], i)?;
        result = match op {
            CompareOp::Eq => equals.and(&result),
            CompareOp::Ne => equals.or(&result),
            _ => call(&strict[i], i)?.or(&equals.and(&result)),
        };
    }
    Ok(result)
}

/// Validity (`None`: no NULL) and plain values of a full or Const column.
fn split(column: &Column, rows: usize) -> (Option<Mask>, Column) {
    match column {
        Column::Const(c) => match c.value.split_nullable() {
            (Some(bits), value) => {
                (Some(Mask::constant(bits.get(0), rows)), Column::constant(value.clone(), rows))
            }
            _ => (None, column.clone()),
        },
        other => {
            let (bits, values) = other.split_nullable();
            (bits.cloned(), values.clone())
        }
    }
}

/// Binds `isDistinctFrom` (`distinct`) or `isNotDistinctFrom`.
pub fn bind_distinct(
    distinct: bool,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let stripped: Vec<Arg> =
        args.iter().map(|a| Arg { ty: a.ty.without_nullable().clone(), ..a.clone() }).collect();
    let either_null = args.iter().any(|a| a.ty.is_null_literal());
    let equals = if either_null { None } else { bind(CompareOp::Eq, &stripped, context)?.mask };
    Ok(BoundKernel::predicate(move |args, rows| {
        let ((va, a), (vb, b)) = (split(&args[0], rows), split(&args[1], rows));
        let all = || Mask::constant(true, rows);
        let (va, vb) = (va.unwrap_or_else(all), vb.unwrap_or_else(all));
        let both_null = va.or(&vb).not();
        let same = match &equals {
            Some(equals) => equals(&[a, b], rows)?.and(&va.and(&vb)).or(&both_null),
            None => both_null,
        };
        Ok(if distinct { same.not() } else { same })
    }))
}
