//! `IN`: builds its set from constants at once, or from a subquery or table before the query runs.

use std::sync::{Arc, OnceLock};

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, ColumnBuilder};
use entasis_expr::set::SetBuilder;
use entasis_expr::{Expr, SetSlot};
use entasis_function::Operation;
use entasis_sql::ast::{self, ExprKind, Literal};
use entasis_types::{CastTo, DataType, TextType, Value};

use crate::query::{Output, Query, Subquery};
use crate::subquery::project;
use crate::{Analyzer, bind, literal, tree};

impl<'a> Analyzer<'a> {
    /// `left IN right`, `left NOT IN right`.
    pub(crate) fn in_call(&mut self, args: &'a [ast::Expr], negated: bool) -> Result<Expr> {
        let [left, right] = args else {
            return Err(Error::new(
                codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                "Number of arguments for function in doesn't match: should be 2",
            ));
        };
        let query = match &right.kind {
            ExprKind::Subquery(query) => {
                let (query, params) = self.inner_query(query)?;
                if !params.is_empty() {
                    let left = self.expr(left)?;
                    let left = self.split(left, query.outputs.len())?;
                    if left.len() != query.outputs.len() {
                        return Err(columns_differ(left.len(), query.outputs.len()));
                    }
                    return self.in_correlated(left, query, params, negated);
                }
                Some((query, false))
            }
            ExprKind::Identifier(parts) => self.named_set(parts)?,
            _ => None,
        };
        let left = self.expr(left)?;
        if let Some((query, as_set)) = query {
            return self.in_query(left, query, as_set, negated);
        }
        let members = match &right.kind {
            ExprKind::Literal(array @ Literal::Array(items))
                if left.ty().as_array().is_some()
                    && !items.iter().any(|item| matches!(item, Literal::Array(_))) =>
            {
                vec![literal::literal(array)?]
            }
            ExprKind::Literal(Literal::Tuple(items) | Literal::Array(items)) => {
                items.iter().map(literal::literal).collect::<Result<Vec<_>>>()?
            }
            _ if let Some(elements) = tree::written_tuple(right) => {
                let items = self.exprs(elements)?;
                match items.iter().map(constant).collect() {
                    Some(members) => members,
                    None => return self.in_columns(left, items, negated),
                }
            }
            _ => match self.expr(right)? {
                Expr::Literal { value, ty } => members_of(value, ty),
                other if other.ty().as_array().is_some() => {
                    let found = bind::call("has", vec![other, left], self.context)?;
                    return self.negate(found, negated);
                }
                Expr::Call { function, args, .. } if function.operation() == Operation::Tuple => {
                    return self.in_columns(left, args.to_vec(), negated);
                }
                other => return self.in_columns(left, vec![other], negated),
            },
        };
        self.in_members(left, members, negated).map_err(|e| e.at(right.position))
    }

    /// With `as_set`, the left side is converted to the types of the query, which is a table of the
    /// engine Set; otherwise the rows of the query are.
    fn in_query(&mut self, left: Expr, query: Query, as_set: bool, negated: bool) -> Result<Expr> {
        let width = query.outputs.len();
        let is_tuple = matches!(left.ty(), DataType::Tuple(_));
        let null_equals = self.has_flag("transform_null_in");
        if left.ty().is_null_literal() && !null_equals {
            return Ok(Expr::literal(Value::Null, DataType::null()));
        }
        let mut args = self.split(left, width)?;
        if args.len() != width {
            return Err(columns_differ(args.len(), width));
        }
        if let ([arg], [output]) = (&args[..], &query.outputs[..])
            && let DataType::Tuple(tuple) = arg.ty()
            && !matches!(output.ty, DataType::Tuple(_))
        {
            return Err(columns_differ(tuple.types.len(), 1));
        }
        let mut types = Vec::with_capacity(width);
        let mut exprs = Vec::with_capacity(width);
        for (arg, output) in args.iter_mut().zip(&query.outputs) {
            let (l, r) = (arg.ty().without_nullable(), output.ty.without_nullable());
            let column = Expr::column(output.id, output.ty.clone());
            if l == r || *l == DataType::Nothing || *r == DataType::Nothing {
                types.push(if *l == DataType::Nothing { r.clone() } else { l.clone() });
                exprs.push(column);
                continue;
            }
            if as_set {
                let ty = match arg.ty().is_nullable() {
                    true => DataType::nullable(r.clone()),
                    false => r.clone(),
                };
                types.push(r.clone());
                exprs.push(column);
                let name = Expr::literal(Value::from(ty.to_string().as_str()), DataType::String);
                *arg = bind::call("accurateCast", vec![arg.clone(), name], self.context)?;
                continue;
            }
            // A value that the type on the left side cannot hold is not among its values.
            let name = Expr::literal(Value::from(l.to_string().as_str()), DataType::String);
            exprs.push(bind::call("accurateCastOrNull", vec![column, name], self.context)?);
            types.push(l.clone());
        }
        let null_equals = null_equals && args.iter().any(|a| a.ty().has_null());
        if null_equals && !as_set {
            let sides = self.null_in_query_sides(args, exprs, types, &query.outputs)?;
            (args, exprs, types) = (sides.args, sides.members, sides.types);
        }
        let query = self.with_columns(query, exprs);
        let slot = Arc::new(SetSlot { types, set: OnceLock::new() });
        self.subqueries.push(Subquery::Set(Arc::clone(&slot), query));
        if null_equals && as_set {
            // A table of the engine Set does not contain NULL.
            let found = in_set(args, slot, false, is_tuple);
            let zero = Expr::literal(Value::UInt(0), DataType::UInt8);
            let found = bind::call("ifNull", vec![found, zero], self.context)?;
            return self.negate(found, negated);
        }
        Ok(in_set(args, slot, negated, is_tuple || null_equals))
    }

    /// The query with its columns converted to the given types, if a conversion is needed.
    fn with_columns(&mut self, query: Query, exprs: Vec<Expr>) -> Query {
        if exprs.iter().all(|e| matches!(e, Expr::Column { .. })) {
            return query;
        }
        let mut columns = Vec::with_capacity(exprs.len());
        let mut outputs = Vec::with_capacity(exprs.len());
        for expr in exprs {
            let id = match &expr {
                Expr::Column { id, .. } => *id,
                _ => self.new_id(),
            };
            let (name, ty) = (Arc::clone(&query.outputs[0].name), expr.ty().clone());
            outputs.push(Output { id, name, ty });
            if !columns.iter().any(|(known, _)| *known == id) {
                columns.push((id, expr));
            }
        }
        project(query, columns, outputs)
    }

    fn in_members(
        &mut self,
        left: Expr,
        members: Vec<(Value, DataType)>,
        negated: bool,
    ) -> Result<Expr> {
        let null_equals = self.has_flag("transform_null_in");
        let has_null = members.iter().any(|(value, _)| value.is_null());
        if left.ty().is_null_literal() {
            if null_equals {
                return Ok(tree::bool_literal(has_null != negated, DataType::UInt8));
            }
            return Ok(Expr::literal(Value::Null, DataType::null()));
        }
        let is_tuple = matches!(left.ty(), DataType::Tuple(_));
        let args = if is_tuple { self.split(left, usize::MAX)? } else { vec![left] };
        let types: Vec<DataType> = args.iter().map(|a| a.ty().without_nullable().clone()).collect();
        let rows = if is_tuple { rows_of(members, &types)? } else { single(members) };
        let null_equals = null_equals && args.iter().any(|a| a.ty().has_null());
        let mut columns: Vec<Vec<Option<Value>>> =
            types.iter().map(|_| Vec::with_capacity(rows.len())).collect();
        'rows: for row in rows {
            let mut converted = Vec::with_capacity(types.len());
            for (((value, from), to), arg) in row.iter().zip(&types).zip(&args) {
                match self.member(value, from, to)? {
                    Some(value) => converted.push(Some(value)),
                    None if null_equals && value.is_null() && arg.ty().has_null() => {
                        converted.push(None);
                    }
                    None => continue 'rows,
                }
            }
            columns.iter_mut().zip(converted).for_each(|(c, v)| c.push(v));
        }
        let (args, types, columns) = if null_equals {
            let sides = self.null_in_member_sides(args, types, columns)?;
            (sides.args, sides.types, sides.members)
        } else {
            let values = |column: Vec<Option<Value>>| column.into_iter().flatten().collect();
            (args, types, columns.into_iter().map(values).collect::<Vec<Vec<Value>>>())
        };
        let count = columns.first().map_or(0, Vec::len);
        let columns: Vec<Column> =
            types.iter().zip(&columns).map(|(t, values)| column_of(t, values)).collect();
        let mut builder = SetBuilder::new(&types);
        builder.push(&columns, count)?;
        self.check_set(builder.len() as u64)?;
        let slot = SetSlot { types, set: OnceLock::from(builder.finish()) };
        fold(in_set(args, Arc::new(slot), negated, is_tuple || null_equals))
    }

    fn check_set(&self, rows: u64) -> Result<()> {
        let most = self.settings.max_rows_in_set;
        if most == 0 || rows <= most {
            return Ok(());
        }
        let message = format!(
            "Limit for the set of IN exceeded: {rows} rows, at most {most} are allowed by the \
             setting max_rows_in_set"
        );
        Err(Error::new(codes::SET_SIZE_LIMIT_EXCEEDED, message))
    }

    /// Converts a member to the type of the left side; `None` if the left side can never equal it.
    fn member(&self, value: &Value, from: &DataType, to: &DataType) -> Result<Option<Value>> {
        if value.is_null() || *to == DataType::Nothing {
            return Ok(None);
        }
        let from = from.without_nullable();
        if from == to {
            return Ok(Some(value.clone()));
        }
        if let Some(types) = to.as_variant() {
            return Ok(bind::variant_member(value, from, (to, types), self.context));
        }
        let number = value.as_f64().is_some();
        if let Some(spelled) = TextType::of(to, self.context.time_zone()) {
            return self.spelled_member(value, from, to, &spelled);
        }
        let to_number = to.fixed_width().is_some() && !to.is_string();
        if number && to_number && (from.is_any_number() || from.physical() == to.physical()) {
            return Ok(literal::exact_number(value, to));
        }
        let text = value.as_bytes().map(|b| String::from_utf8_lossy(b).into_owned());
        let cast = bind::cast(Expr::literal(value.clone(), from.clone()), to, self.context);
        match (cast, text) {
            (Ok(Expr::Literal { value, .. }), _) => Ok(Some(value)),
            (Ok(_), _) => Err(Error::logical("a constant was not folded")),
            (Err(_), Some(text)) if to.is_any_number() => Err(Error::new(
                codes::TYPE_MISMATCH,
                format!("Cannot convert string '{text}' to type {to}"),
            )),
            (Err(e), _) => Err(e),
        }
    }

    /// Converts a member for enums, decimals and similar types. A name that the enum lacks, or a
    /// number with too many digits for the decimal, equals no row.
    fn spelled_member(
        &self,
        value: &Value,
        from: &DataType,
        to: &DataType,
        spelled: &TextType,
    ) -> Result<Option<Value>> {
        let member = Expr::literal(value.clone(), from.clone());
        let cast = match bind::cast(member.clone(), to, self.context) {
            Err(_) if matches!(spelled, TextType::Enum(_) | TextType::Decimal(..)) => {
                return Ok(None);
            }
            cast => cast?,
        };
        let Expr::Literal { value: converted, .. } = cast.clone() else {
            return Err(Error::logical("a constant was not folded"));
        };
        let is_exact = !to.is_decimal()
            || matches!(
                bind::call("equals", vec![cast, member], self.context)?,
                Expr::Literal { value: Value::UInt(1), .. }
            );
        Ok(is_exact.then_some(converted))
    }

    /// `IN` with members that are not all constants becomes several equalities connected by OR.
    fn in_columns(&mut self, left: Expr, members: Vec<Expr>, negated: bool) -> Result<Expr> {
        let zero = || Expr::literal(Value::UInt(0), DataType::UInt8);
        let null_equals = self.has_flag("transform_null_in");
        let equals = if null_equals { "isNotDistinctFrom" } else { "equals" };
        let mut equal = Vec::with_capacity(members.len());
        for member in members {
            let same = bind::call(equals, vec![left.clone(), member], self.context)?;
            // A NULL member equals nothing.
            equal.push(match same.ty().is_nullable() {
                true if same.ty().is_null_literal() => zero(),
                true => bind::call("ifNull", vec![same, zero()], self.context)?,
                false => same,
            });
        }
        let mut found = match equal.len() {
            1 => equal.remove(0),
            _ => bind::connect(bind::Connective::Or, equal)?,
        };
        let ty = DataType::nullable(DataType::UInt8);
        if left.ty().is_nullable() {
            let unknown = bind::call("isNull", vec![left], self.context)?;
            let null = Expr::literal(Value::Null, ty.clone());
            let known = bind::cast(found, &ty, self.context)?;
            found = bind::call("if", vec![unknown, null, known], self.context)?;
        }
        self.negate(bind::cast(found, &ty, self.context)?, negated)
    }

    fn negate(&mut self, found: Expr, negated: bool) -> Result<Expr> {
        if negated { bind::call("not", vec![found], self.context) } else { Ok(found) }
    }

    /// The elements of a tuple as separate expressions. Other expressions, and those for which one
    /// column is wanted, stay whole.
    fn split(&mut self, expr: Expr, wanted: usize) -> Result<Vec<Expr>> {
        let DataType::Tuple(tuple) = expr.ty().clone() else { return Ok(vec![expr]) };
        if wanted == 1 && tuple.types.len() != 1 {
            return Ok(vec![expr]);
        }
        match &expr {
            Expr::Call { function, args, .. } if function.operation() == Operation::Tuple => {
                Ok(args.to_vec())
            }
            Expr::Literal { value: Value::Tuple(items), .. } => Ok(items
                .iter()
                .zip(&tuple.types)
                .map(|(v, t)| Expr::literal(v.clone(), t.clone()))
                .collect()),
            _ => (1..=tuple.types.len() as u64)
                .map(|i| {
                    let index = Expr::literal(Value::UInt(i), literal::unsigned(i));
                    bind::call("tupleElement", vec![expr.clone(), index], self.context)
                })
                .collect(),
        }
    }
}

/// `left IN (members)` where all members are numbers, or all are strings, as is the left side.
/// Members that the left side cannot equal are left out.
pub fn one_of(left: Expr, members: Vec<(Value, DataType)>) -> Option<Expr> {
    let ty = left.ty().without_nullable().clone();
    let values: Vec<Value> = if ty == DataType::String {
        members.into_iter().map(|(value, _)| value).collect()
    } else {
        members.iter().filter_map(|(value, _)| literal::exact_number(value, &ty)).collect()
    };
    let mut builder = SetBuilder::new(std::slice::from_ref(&ty));
    builder.push(&[column_of(&ty, &values)], values.len()).ok()?;
    let slot = SetSlot { types: vec![ty], set: OnceLock::from(builder.finish()) };
    Some(in_set(vec![left], Arc::new(slot), false, false))
}

fn constant(expr: &Expr) -> Option<(Value, DataType)> {
    match expr {
        Expr::Literal { value, ty } => Some((value.clone(), ty.clone())),
        _ => None,
    }
}

fn members_of(value: Value, ty: DataType) -> Vec<(Value, DataType)> {
    match (value, ty) {
        (Value::Tuple(items), DataType::Tuple(tuple)) => {
            items.iter().cloned().zip(tuple.types.iter().cloned()).collect()
        }
        (Value::Array(items), DataType::Array(element)) => {
            items.iter().map(|v| (v.clone(), (*element).clone())).collect()
        }
        (value, ty) => vec![(value, ty)],
    }
}

fn single(members: Vec<(Value, DataType)>) -> Vec<Vec<(Value, DataType)>> {
    members.into_iter().map(|m| vec![m]).collect()
}

/// The members, which are several tuples or a single one, as rows of `width` columns.
fn rows_of(
    members: Vec<(Value, DataType)>,
    types: &[DataType],
) -> Result<Vec<Vec<(Value, DataType)>>> {
    let width = types.len();
    let is_tuple = |ty: &DataType| matches!(ty, DataType::Tuple(_));
    let alike =
        |(ty, (_, member)): (&DataType, &(Value, DataType))| is_tuple(ty) == is_tuple(member);
    let nested = types.iter().any(is_tuple);
    if nested && members.len() == width && types.iter().zip(&members).all(alike) {
        return Ok(vec![members]);
    }
    if width == 1 && !members.iter().any(|(_, ty)| matches!(ty, DataType::Tuple(_))) {
        return Ok(single(members));
    }
    if !members.is_empty() && !members.iter().any(|(_, ty)| matches!(ty, DataType::Tuple(_))) {
        if members.len() != width {
            return Err(columns_differ(width, members.len()));
        }
        return Ok(vec![members]);
    }
    members
        .into_iter()
        .map(|(value, ty)| {
            let row = members_of(value, ty);
            if row.len() == width { Ok(row) } else { Err(columns_differ(width, row.len())) }
        })
        .collect()
}

fn columns_differ(left: usize, right: usize) -> Error {
    Error::new(
        codes::NUMBER_OF_COLUMNS_DOESNT_MATCH,
        format!("Number of columns of IN doesn't match: {left} on the left, {right} on the right"),
    )
}

/// Tests whether `args` is in the set; they are the elements of a tuple if `is_tuple`. A tuple that
/// contains NULL is not in the set, and the result is not NULL.
fn in_set(args: Vec<Expr>, set: Arc<SetSlot>, negated: bool, is_tuple: bool) -> Expr {
    let ty = match &args[..] {
        [one] if !is_tuple => {
            let nullable = one.ty().has_null();
            let plain =
                if nullable { DataType::nullable(DataType::UInt8) } else { DataType::UInt8 };
            match one.ty() {
                DataType::LowCardinality(_) => DataType::LowCardinality(Arc::new(plain)),
                _ => plain,
            }
        }
        _ => DataType::UInt8,
    };
    Expr::InSet { args: args.into(), set, negated, ty }
}

/// Evaluates tests of constants, and tests against the empty set.
fn fold(expr: Expr) -> Result<Expr> {
    let Expr::InSet { args, set, negated, ty } = &expr else { return Ok(expr) };
    let Some(members) = set.set.get() else { return Ok(expr) };
    if members.is_empty() && !ty.is_nullable() {
        return Ok(tree::bool_literal(*negated, ty.clone()));
    }
    let mut columns = Vec::with_capacity(args.len());
    for arg in args.iter() {
        let Expr::Literal { value, ty } = arg else { return Ok(expr) };
        if value.is_null() {
            return Ok(expr);
        }
        columns.push(Column::from_value(ty, value, 1).full());
    }
    let found = members.contains(&columns, 1)?.get(0);
    Ok(tree::bool_literal(found != *negated, ty.clone()))
}

fn column_of(ty: &DataType, values: &[Value]) -> Column {
    entasis_column::match_physical!(ty.physical(), T => {
        Column::from(values.iter().map(|v| match v {
            Value::UInt(v) => CastTo::<T>::cast_to(*v),
            Value::Int(v) => CastTo::<T>::cast_to(*v),
            Value::Wide(v) => CastTo::<T>::cast_to(*v),
            Value::Huge(v) => CastTo::<T>::cast_to(*v),
            Value::Float(v) => CastTo::<T>::cast_to(*v),
            _ => T::default(),
        }).collect::<Vec<T>>())
    }, _ => {
        let mut builder = ColumnBuilder::new(ty, values.len());
        for value in values {
            builder.push_value(ty, value);
        }
        builder.finish()
    })
}
