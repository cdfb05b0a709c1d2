//! `WITH RECURSIVE`: a common table expression that reads itself is split into the branches that do
//! not read it (the base) and those that do (the step).
//!
//! Types: the step first reads columns with the types of the base. If it returns wider types, it is
//! analysed again with these, until the types no longer change.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_expr::ColumnId;
use entasis_sql::ast::{self, SetOperator, SetQuantifier};
use entasis_types::{DataType, common_type};

use crate::Analyzer;
use crate::query::{Body, Output, Query, Recursive, RowsSlot, SetKind};
use crate::scope::Cte;
use crate::subquery::{first_with, new_query};

/// A common table expression whose step is being analysed.
pub(crate) struct Recursion<'a> {
    name: &'a str,
    columns: Vec<(Arc<str>, DataType)>,
    rows: Arc<RowsSlot>,
    /// How many subqueries of expressions enclose it.
    inner_depth: usize,
    used: bool,
}

/// How often the types may become wider before this is an error.
const MAX_WIDENINGS: usize = 16;

impl<'a> Analyzer<'a> {
    /// The columns and the rows that `name` means within its own step.
    pub(crate) fn working_rows(
        &mut self,
        name: &str,
    ) -> Result<Option<(Vec<Output>, Arc<RowsSlot>)>> {
        let Some(found) = self.recursions.iter_mut().rev().find(|r| r.name == name) else {
            return Ok(None);
        };
        found.used = true;
        if self.inner_depth > found.inner_depth {
            let what = "A recursive common table expression in a subquery of an expression";
            return Err(Error::not_implemented(what));
        }
        let (columns, rows) = (found.columns.clone(), Arc::clone(&found.rows));
        let outputs =
            columns.into_iter().map(|(name, ty)| Output { id: self.new_id(), name, ty }).collect();
        Ok(Some((outputs, rows)))
    }

    /// Analyses a set operation that may read its own result.
    pub(crate) fn recursive(
        &mut self,
        scope: usize,
        cte: Cte<'a>,
        operation: &'a ast::SetOperation,
    ) -> Result<Query> {
        self.in_scope(Some(scope), |a| {
            a.with_clause(first_with(&operation.branches[0]))?;
            let base = a.branch(operation, 0)?;
            let mut types: Vec<DataType> = base.outputs.iter().map(|o| o.ty.clone()).collect();
            let mut others = Vec::new();
            let subqueries = a.subqueries.len();
            for _ in 0..MAX_WIDENINGS {
                a.subqueries.truncate(subqueries);
                let (rest, rows) = a.step(cte, operation, &base, &types)?;
                if !rest.iter().any(|(_, reads)| *reads) {
                    others = rest;
                    break;
                }
                a.set_kind(operation)?;
                check_kind(cte.name, operation)?;
                let wider = widened(&types, &rest)?;
                if wider == types {
                    return a.evaluated(cte, base, rest, rows);
                }
                types = wider;
            }
            if others.is_empty() {
                let message = "The column types of a recursive common table expression grow with every step: convert the \
                               columns to fixed types, for example with CAST";
                return Err(Error::new(codes::TYPE_MISMATCH, message));
            }
            // It does not read itself, so it is an ordinary set operation.
            a.subqueries.truncate(subqueries);
            a.query(cte.query, Some(scope))
        })
    }

    /// Analyses the branches after the first over rows of these types, and tells for each whether
    /// it reads them.
    #[allow(clippy::type_complexity)]
    fn step(
        &mut self,
        cte: Cte<'a>,
        operation: &'a ast::SetOperation,
        base: &Query,
        types: &[DataType],
    ) -> Result<(Vec<(Query, bool)>, Arc<RowsSlot>)> {
        let rows = Arc::new(RowsSlot::default());
        let name = |i: usize| match cte.columns.get(i) {
            Some(ident) => Arc::from(ident.as_str()),
            None => Arc::clone(&base.outputs[i].name),
        };
        let columns = types.iter().enumerate().map(|(i, ty)| (name(i), ty.clone())).collect();
        self.recursions.push(Recursion {
            name: cte.name,
            columns,
            rows: Arc::clone(&rows),
            inner_depth: self.inner_depth,
            used: false,
        });
        let mut branches = Vec::with_capacity(operation.branches.len());
        let mut result = Ok(());
        for i in 1..operation.branches.len() {
            match self.branch(operation, i) {
                Ok(query) => {
                    let used = self.recursions.last_mut().map(|r| std::mem::take(&mut r.used));
                    branches.push((query, used.unwrap_or(false)));
                }
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
        }
        self.recursions.pop();
        result.map(|()| (branches, rows))
    }

    fn evaluated(
        &mut self,
        cte: Cte<'a>,
        base: Query,
        rest: Vec<(Query, bool)>,
        rows: Arc<RowsSlot>,
    ) -> Result<Query> {
        let (steps, plain): (Vec<_>, Vec<_>) = rest.into_iter().partition(|(_, reads)| *reads);
        let queries = |list: Vec<(Query, bool)>| list.into_iter().map(|(query, _)| query);
        let names: Vec<Arc<str>> = base.outputs.iter().map(|o| Arc::clone(&o.name)).collect();
        let all: Vec<Query> = std::iter::once(base).chain(queries(plain)).collect();
        let step: Vec<Query> = queries(steps).collect();
        let base = self.unite(all, SetKind::Union, false, None)?;
        let types: Vec<DataType> = {
            let of = |q: &Query| q.outputs.iter().map(|o| o.ty.clone()).collect::<Vec<_>>();
            let lists: Vec<Vec<DataType>> = std::iter::once(&base).chain(&step).map(of).collect();
            (0..names.len())
                .map(|i| common_of(lists.iter().map(|l| &l[i])))
                .collect::<Result<_>>()?
        };
        let base = self.unite(vec![base], SetKind::Union, false, Some(&types))?;
        let step = self.unite(step, SetKind::Union, false, Some(&types))?;
        let outputs: Vec<Output> = names
            .into_iter()
            .zip(types)
            .map(|(name, ty)| Output { id: self.new_id(), name, ty })
            .collect();
        let columns: Vec<(ColumnId, DataType)> =
            outputs.iter().map(|o| (o.id, o.ty.clone())).collect();
        let max_depth = self.settings.max_recursive_depth;
        let name = Arc::from(cte.name);
        let body = Recursive { name, base, step, columns, rows, max_depth };
        Ok(new_query(Body::Recursive(Box::new(body)), outputs))
    }
}

fn common_of<'t>(types: impl Iterator<Item = &'t DataType>) -> Result<DataType> {
    common_type(&types.cloned().collect::<Vec<_>>())
}

/// The types that hold the values of all branches.
fn widened(types: &[DataType], rest: &[(Query, bool)]) -> Result<Vec<DataType>> {
    let mut out = Vec::with_capacity(types.len());
    for (i, ty) in types.iter().enumerate() {
        let others = rest.iter().filter_map(|(query, _)| query.outputs.get(i)).map(|o| &o.ty);
        out.push(common_of(std::iter::once(ty).chain(others))?);
    }
    Ok(out)
}

fn check_kind(name: &str, operation: &ast::SetOperation) -> Result<()> {
    if operation.operator == SetOperator::Union && operation.quantifier != SetQuantifier::Distinct {
        return Ok(());
    }
    let message = format!(
        "Recursive common table expression {name} must be a UNION ALL of a SELECT that does not \
         read it and SELECTs that do"
    );
    Err(Error::new(codes::UNSUPPORTED_METHOD, message))
}
