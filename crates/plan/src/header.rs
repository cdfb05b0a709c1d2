//! Determines the output columns of each node, and their types.
//!
//! Types are stored only where values originate: scans, known rows, expressions. Every other node
//! takes them from its input, so that a pass that moves columns leaves no outdated types.
//! [`verify`] compares the columns that a plan's nodes read with the columns that their inputs
//! have.

use crate::physical::{
    Aggregate, ArrayJoin, Bound, Distinct, Filter, Limit, LimitBy, LimitTies, OrElse, Project,
    Rows, Scan, Sort, Totals, Union, Values,
};
use entasis_base::{Error, Result};
use entasis_expr::{ColumnId, Expr};
use entasis_types::DataType;

use crate::{AggregateCall, Join, JoinKind, Plan, QueryPlan, Window};

/// Columns with their types, in order.
pub type Columns = Vec<(ColumnId, DataType)>;

impl Plan {
    /// The columns of the output chunks, in order, with their types. Fails with LOGICAL_ERROR if a
    /// node reads a column that its input does not have.
    pub fn header(&self) -> Result<Columns> {
        columns_of(self, false)
    }
}

impl Join {
    /// The columns of the left side in the output, and those of the right side.
    pub fn headers(&self) -> Result<(Columns, Columns)> {
        let (left, right) = (self.left.header()?, self.right.header()?);
        self.headers_of(&left, &right)
    }

    /// The types of the keys without Nullable, since rows with NULL in a key have no match.
    pub fn key_types(&self) -> Result<Vec<DataType>> {
        let left = self.left.header()?;
        let plain = |(key, _): &(ColumnId, ColumnId)| {
            type_in(&left, *key).map(|ty| ty.without_nullable().clone())
        };
        self.keys.iter().map(plain).collect()
    }

    /// As [`Self::headers`], for inputs whose headers are known.
    fn headers_of(&self, left: &Columns, right: &Columns) -> Result<(Columns, Columns)> {
        let missing = |kinds: [JoinKind; 2]| self.use_nulls && kinds.contains(&self.kind);
        let left = picked(left, &self.left_outputs)?;
        let right = picked(right, &self.right_outputs)?;
        Ok((
            may_be_missing(left, missing([JoinKind::Right, JoinKind::Full])),
            may_be_missing(right, missing([JoinKind::Left, JoinKind::Full])),
        ))
    }
}

/// Fails with LOGICAL_ERROR unless every column that a node of the plan reads exists in its input,
/// with the type that the node expects.
pub(crate) fn verify(plan: &QueryPlan) -> Result<()> {
    let header = columns_of(&plan.root, true)?;
    for (id, field) in plan.outputs.iter().zip(plan.header.iter()) {
        expect(&header, *id, &field.ty)?;
    }
    if let Some(totals) = &plan.totals {
        columns_of(totals, true)?;
    }
    for subquery in &plan.subqueries {
        verify(subquery.plan())?;
    }
    Ok(())
}

/// The header of a plan. With `checked`, also verifies that expressions and inputs agree in types.
fn columns_of(plan: &Plan, checked: bool) -> Result<Columns> {
    match plan {
        Plan::Values(Values { columns, .. }) | Plan::Rows(Rows { columns, .. }) => {
            Ok(columns.clone())
        }
        Plan::Scan(Scan { types, spec, .. }) => {
            check(types, &spec.filter, checked)?;
            picked(types, &spec.outputs)
        }
        Plan::Filter(Filter { input, predicates }) => {
            let header = columns_of(input, checked)?;
            check(&header, predicates, checked)?;
            Ok(header)
        }
        Plan::Project(Project { input, exprs }) => {
            if checked {
                let header = columns_of(input, true)?;
                exprs.iter().try_for_each(|(_, expr)| check_expr(&header, expr))?;
            }
            Ok(exprs.iter().map(|(id, expr)| (*id, expr.ty().clone())).collect())
        }
        Plan::Aggregate(Aggregate { input, keys, calls, algorithm, .. }) => {
            let header = columns_of(input, checked)?;
            picked(&header, algorithm.sorted())?;
            let results = results(&header, calls)?;
            Ok(picked(&header, keys)?.into_iter().chain(results).collect())
        }
        Plan::Totals(Totals { input, calls, .. }) => {
            let header = columns_of(input, checked)?;
            results(&header, calls)?;
            Ok(header)
        }
        Plan::Sort(Sort { input, keys, .. }) => {
            let header = columns_of(input, checked)?;
            keys.iter().try_for_each(|key| type_in(&header, key.column).map(drop))?;
            Ok(header)
        }
        Plan::LimitBy(LimitBy { input, keys, .. })
        | Plan::LimitTies(LimitTies { input, keys, .. }) => {
            let header = columns_of(input, checked)?;
            picked(&header, keys)?;
            Ok(header)
        }
        Plan::Distinct(Distinct { input, .. })
        | Plan::Limit(Limit { input, .. })
        | Plan::Bound(Bound { input, .. }) => columns_of(input, checked),
        Plan::Join(join) => join_columns(join, checked),
        rare => rare_columns(rare, checked),
    }
}

/// [`columns_of`] for nodes with several inputs and for rarely used clauses.
fn rare_columns(plan: &Plan, checked: bool) -> Result<Columns> {
    match plan {
        Plan::Window(window) => window_columns(window, checked),
        Plan::Fetch(fetch) => {
            let mut header = columns_of(&fetch.input, checked)?;
            type_in(&header, fetch.address)?;
            header.extend(fetch.columns.iter().map(|(column, ty)| (column.id, ty.clone())));
            Ok(header)
        }
        Plan::Slice(slice) => {
            let header = columns_of(&slice.input, checked)?;
            picked(&header, &slice.by)?;
            picked(&header, &slice.ties)?;
            Ok(header)
        }
        Plan::Fill(fill) => {
            let header = columns_of(&fill.input, checked)?;
            picked(&header, &fill.prefix)?;
            fill.columns.iter().try_for_each(|(id, _)| type_in(&header, *id).map(drop))?;
            for (id, value) in &fill.interpolate {
                agree(*id, value.ty(), type_in(&header, *id)?)?;
                check(&header, std::slice::from_ref(value), checked)?;
            }
            Ok(header)
        }
        Plan::OrElse(OrElse { input, otherwise }) => {
            let header = columns_of(input, checked)?;
            if checked {
                check_places(otherwise, &header)?;
            }
            Ok(header)
        }
        Plan::Union(Union { inputs, columns }) => {
            if checked {
                inputs.iter().try_for_each(|input| check_places(input, columns))?;
            }
            Ok(columns.clone())
        }
        Plan::Recursive(recursive) => {
            if checked {
                check_places(&recursive.base, &recursive.columns)?;
                check_places(&recursive.step, &recursive.columns)?;
            }
            Ok(recursive.columns.clone())
        }
        Plan::ArrayJoin(ArrayJoin { input, arrays, .. }) => {
            let mut header = columns_of(input, checked)?;
            let mut elements = Vec::with_capacity(arrays.len());
            for (from, to) in arrays {
                match type_in(&header, *from)?.storage() {
                    DataType::Array(element) => elements.push((*to, (**element).clone())),
                    other => return Err(disagrees(*from, other, "an array")),
                }
            }
            header.retain(|(id, _)| !arrays.iter().any(|(from, _)| from == id));
            header.extend(elements);
            Ok(header)
        }
        _ => Err(Error::logical("a plan node of another kind")),
    }
}

fn window_columns(window: &Window, checked: bool) -> Result<Columns> {
    let mut header = columns_of(&window.input, checked)?;
    picked(&header, &window.partition)?;
    for key in &window.order {
        type_in(&header, key.column)?;
    }
    let mut results = Vec::with_capacity(window.calls.len());
    for call in &window.calls {
        picked(&header, &call.args)?;
        results.push((call.id, call.function.return_type()));
    }
    header.extend(results);
    Ok(header)
}

fn join_columns(join: &Join, checked: bool) -> Result<Columns> {
    let left = columns_of(&join.left, checked)?;
    let right = columns_of(&join.right, checked)?;
    for (l, r) in join.compared() {
        let ty = type_in(&left, l)?;
        expect(&right, r, ty)?;
    }
    if let (true, Some(residual)) = (checked, &join.residual) {
        let both: Columns = left.iter().chain(&right).cloned().collect();
        check_expr(&both, residual)?;
    }
    let (mut all, right) = join.headers_of(&left, &right)?;
    all.extend(right);
    Ok(all)
}

/// The columns with these ids, in the order of `ids`.
fn picked(header: &Columns, ids: &[ColumnId]) -> Result<Columns> {
    ids.iter().map(|id| Ok((*id, type_in(header, *id)?.clone()))).collect()
}

/// The result columns of aggregates. Fails if an argument is missing in the header.
fn results(header: &Columns, calls: &[AggregateCall]) -> Result<Columns> {
    let mut out = Vec::with_capacity(calls.len());
    for call in calls {
        call.args.iter().try_for_each(|arg| type_in(header, *arg).map(drop))?;
        out.push((call.id, call.function.return_type()));
    }
    Ok(out)
}

/// Makes the columns of a join's side Nullable if its rows may be missing.
fn may_be_missing(mut columns: Columns, missing: bool) -> Columns {
    for (_, ty) in columns.iter_mut().filter(|_| missing) {
        *ty = ty.when_missing();
    }
    columns
}

/// The type of a column in the header. Fails if the column is missing.
pub(crate) fn type_in(header: &[(ColumnId, DataType)], id: ColumnId) -> Result<&DataType> {
    match header.iter().find(|(known, _)| *known == id) {
        Some((_, ty)) => Ok(ty),
        None => Err(absent(id)),
    }
}

/// Checks that an input of UNION and similar nodes has the node's types, by position.
fn check_places(input: &Plan, columns: &Columns) -> Result<()> {
    let header = columns_of(input, true)?;
    if header.len() != columns.len() {
        return Err(Error::logical("a plan node's input has another number of columns"));
    }
    header.iter().zip(columns).try_for_each(|((id, ty), (_, wanted))| agree(*id, ty, wanted))
}

fn check(header: &Columns, exprs: &[Expr], checked: bool) -> Result<()> {
    exprs.iter().filter(|_| checked).try_for_each(|expr| check_expr(header, expr))
}

/// Checks that the header has the columns of an expression, with the types that it expects.
fn check_expr(header: &[(ColumnId, DataType)], expr: &Expr) -> Result<()> {
    match expr {
        Expr::Column { id, ty } => expect(header, *id, ty),
        Expr::Call { args, lambda, .. } => {
            args.iter().try_for_each(|arg| check_expr(header, arg))?;
            let Some(lambda) = lambda else { return Ok(()) };
            let mut inside = header.to_vec();
            inside.extend(lambda.params.iter().cloned());
            check_expr(&inside, &lambda.body)
        }
        other => other.children().into_iter().try_for_each(|child| check_expr(header, child)),
    }
}

fn expect(header: &[(ColumnId, DataType)], id: ColumnId, wanted: &DataType) -> Result<()> {
    agree(id, type_in(header, id)?, wanted)
}

fn agree(id: ColumnId, given: &DataType, wanted: &DataType) -> Result<()> {
    if given == wanted { Ok(()) } else { Err(disagrees(id, given, &wanted.to_string())) }
}

#[cold]
fn absent(id: ColumnId) -> Error {
    Error::logical(format!("column #{} is not among a plan node's inputs", id.0))
}

#[cold]
fn disagrees(id: ColumnId, given: &DataType, wanted: &str) -> Error {
    let id = id.0;
    Error::logical(format!("column #{id} is read as {wanted} where a plan node gives {given}"))
}
