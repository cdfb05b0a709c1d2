//! Queries inside queries: UNION, scalar subqueries, EXISTS.

use std::sync::{Arc, OnceLock};

use entasis_base::{Error, Result, codes};
use entasis_expr::{ColumnId, CorrelatedKind, Expr, ScalarSlot};
use entasis_sql::ast::{self, SetOperator, SetQuantifier};
use entasis_types::{DataType, TupleType, Value, common_type_or_variant};

use crate::correlated::Params;
use crate::query::{Body, Count, From, Group, Output, Query, Select, SetKind, Subquery, Union};
use crate::{Analyzer, bind};

impl<'a> Analyzer<'a> {
    /// Analyses a SELECT in a scope of its own inside `parent`.
    fn select_in(
        &mut self,
        parent: Option<usize>,
        select: &'a ast::Select,
        with: bool,
    ) -> Result<Query> {
        if self.selects > self.settings.max_subquery_depth {
            return Err(crate::too_deep(self.settings.max_subquery_depth));
        }
        self.selects += 1;
        let result = self.in_scope(parent, |a| a.select(select, with));
        self.selects -= 1;
        result
    }

    /// Analyses a query inside the scope `parent`.
    pub(crate) fn query(&mut self, query: &'a ast::Query, parent: Option<usize>) -> Result<Query> {
        match query {
            ast::Query::Select(select) => self.select_in(parent, select, true),
            ast::Query::SetOperation(operation) => self.in_scope(parent, |a| {
                a.with_clause(first_with(&operation.branches[0]))?;
                let mut branches = Vec::with_capacity(operation.branches.len());
                for i in 0..operation.branches.len() {
                    branches.push(a.branch(operation, i)?);
                }
                let (kind, distinct) = a.set_kind(operation)?;
                a.unite(branches, kind, distinct, None)
            }),
        }
    }

    /// The kind of a set operation, and whether equal rows appear only once.
    pub(crate) fn set_kind(&self, operation: &ast::SetOperation) -> Result<(SetKind, bool)> {
        let (kind, mode) = match operation.operator {
            SetOperator::Union => (SetKind::Union, self.settings.union_default_mode),
            SetOperator::Intersect => (SetKind::Intersect, self.settings.intersect_default_mode),
            SetOperator::Except => (SetKind::Except, self.settings.except_default_mode),
        };
        let written = match operation.quantifier {
            SetQuantifier::Default => mode,
            written => written,
        };
        let distinct = match written {
            SetQuantifier::All => false,
            SetQuantifier::Distinct => true,
            SetQuantifier::Default => {
                let word = format!("{kind:?}").to_uppercase();
                let setting = word.to_lowercase();
                let message = format!(
                    "Expected ALL or DISTINCT after {word}. Write `{word} ALL` to keep duplicate \
                     rows or `{word} DISTINCT` to remove them, or set `{setting}_default_mode` to \
                     choose what a bare {word} means"
                );
                return Err(Error::new(codes::EXPECTED_ALL_OR_DISTINCT, message));
            }
        };
        Ok((kind, distinct))
    }

    /// Analyses a branch of a set operation, in the scope of the operation.
    pub(crate) fn branch(&mut self, operation: &'a ast::SetOperation, i: usize) -> Result<Query> {
        let here = Some(self.current);
        match &operation.branches[i] {
            // The WITH of the first branch already belongs to this scope.
            ast::Query::Select(select) if i == 0 => self.select_in(here, select, false),
            other => self.query(other, here),
        }
    }

    /// Makes one query of several branches, with their columns converted to common types or to the
    /// given ones.
    pub(crate) fn unite(
        &mut self,
        branches: Vec<Query>,
        kind: SetKind,
        distinct: bool,
        wanted: Option<&[DataType]>,
    ) -> Result<Query> {
        let width = branches[0].outputs.len();
        if let Some(other) = branches.iter().find(|b| b.outputs.len() != width) {
            let shape = |q: &Query| {
                q.outputs.iter().map(|o| o.name.to_string()).collect::<Vec<_>>().join(", ")
            };
            return Err(Error::new(
                codes::UNION_ALL_RESULT_STRUCTURES_MISMATCH,
                format!(
                    "Different number of columns in UNION elements: {} and {}",
                    shape(&branches[0]),
                    shape(other)
                ),
            ));
        }
        let mut outputs = Vec::with_capacity(width);
        for i in 0..width {
            let ty = match wanted {
                Some(types) => types[i].clone(),
                None => {
                    let types: Vec<DataType> =
                        branches.iter().map(|b| b.outputs[i].ty.clone()).collect();
                    common_type_or_variant(&types, self.context.allows_variants())?
                }
            };
            let name = Arc::clone(&branches[0].outputs[i].name);
            outputs.push(Output { id: self.new_id(), name, ty });
        }
        let mut inputs = Vec::with_capacity(branches.len());
        for branch in branches {
            let mut exprs = Vec::with_capacity(width);
            for (from, to) in branch.outputs.iter().zip(&outputs) {
                let column = Expr::column(from.id, from.ty.clone());
                exprs.push(bind::cast_branch(column, &to.ty, self.context)?);
            }
            inputs.push((branch, exprs));
        }
        let columns = outputs.iter().map(|o| (o.id, o.ty.clone())).collect();
        let union = Union { kind, branches: inputs, columns, distinct };
        Ok(new_query(Body::Union(Box::new(union)), outputs))
    }

    /// `(SELECT ...)` as a value.
    pub(crate) fn scalar_subquery(&mut self, query: &'a ast::Query) -> Result<Expr> {
        let (query, params) = self.inner_query(query)?;
        if !params.is_empty() {
            return self.correlated_scalar(query, params);
        }
        let (query, ty) = match &query.outputs[..] {
            [one] if one.ty.can_be_nullable() => {
                let ty = DataType::nullable(one.ty.clone());
                (query, ty)
            }
            [one] => {
                let ty = one.ty.clone();
                (query, ty)
            }
            _ => self.tuple_of(query)?,
        };
        let slot = Arc::new(ScalarSlot { ty, value: OnceLock::new() });
        self.subqueries.push(Subquery::Scalar(Arc::clone(&slot), query));
        Ok(Expr::Scalar(slot))
    }

    fn correlated_scalar(&mut self, query: Query, params: Params) -> Result<Expr> {
        let [one] = &query.outputs[..] else {
            let message = format!(
                "A correlated subquery used as an expression must return exactly one column, but \
                 it returns {}",
                query.outputs.len()
            );
            return Err(Error::new(codes::NUMBER_OF_COLUMNS_DOESNT_MATCH, message));
        };
        let ty = one.ty.when_missing();
        Ok(self.correlated(query, params, CorrelatedKind::Scalar, ty))
    }

    fn tuple_of(&mut self, query: Query) -> Result<(Query, DataType)> {
        let columns: Vec<Expr> =
            query.outputs.iter().map(|o| Expr::column(o.id, o.ty.clone())).collect();
        let ty = DataType::Tuple(Arc::new(TupleType {
            types: query.outputs.iter().map(|o| o.ty.clone()).collect(),
            names: Some(query.outputs.iter().map(|o| Arc::clone(&o.name)).collect()),
        }));
        let tuple = bind::call("tuple", columns, self.context)?;
        let id = self.new_id();
        let output = Output { id, name: "tuple".into(), ty: tuple.ty().clone() };
        Ok((project(query, vec![(id, tuple)], vec![output]), ty))
    }

    /// `EXISTS (SELECT ...)`: whether the query has at least one row.
    pub(crate) fn exists(&mut self, args: &'a [ast::Expr]) -> Result<Expr> {
        let [ast::Expr { kind: ast::ExprKind::Subquery(query), .. }] = args else {
            return Err(Error::new(codes::BAD_ARGUMENTS, "EXISTS takes a subquery"));
        };
        let (inner, params) = self.inner_query(query)?;
        if !params.is_empty() {
            let (kind, ty) = (CorrelatedKind::Exists, DataType::UInt8);
            return Ok(self.correlated(inner, params, kind, ty));
        }
        let counted = entasis_function::registry::bind_aggregate("count", &[], &[], self.context)?;
        let id = self.new_id();
        let mut limited = project(inner, Vec::new(), Vec::new());
        if let Body::Select(select) = &mut limited.body {
            select.limit = Some(Count::First(1));
        }
        let mut outer = empty_select(From::Subquery(Box::new(limited)));
        outer.group = Some(Group {
            aggregates: vec![crate::query::AggregateCall {
                id,
                name: "count".into(),
                params: Vec::new(),
                function: counted,
                args: Vec::new(),
            }],
            ..Group::default()
        });
        outer.projection.push((id, Expr::column(id, DataType::UInt64)));
        let output = Output { id, name: "count()".into(), ty: DataType::UInt64 };
        let query = new_query(Body::Select(Box::new(outer)), vec![output]);
        let slot = Arc::new(ScalarSlot { ty: DataType::UInt64, value: OnceLock::new() });
        self.subqueries.push(Subquery::Scalar(Arc::clone(&slot), query));
        let zero = Expr::literal(Value::UInt(0), DataType::UInt8);
        bind::call("notEquals", vec![Expr::Scalar(slot), zero], self.context)
    }

    /// The SETTINGS clauses of a query, as written.
    pub(crate) fn settings_of(query: &ast::Query) -> Result<Vec<(String, Value)>> {
        let mut out = Vec::new();
        match query {
            ast::Query::Select(select) => {
                for change in &select.settings {
                    let value = match &change.value {
                        Some(e) => match e.as_literal() {
                            Some(l) => crate::literal::literal(l)?.0,
                            None => Value::from(entasis_sql::column_name(e).as_str()),
                        },
                        None => Value::Null,
                    };
                    out.push((change.name.clone(), value));
                }
            }
            ast::Query::SetOperation(operation) => {
                for branch in &operation.branches {
                    out.extend(Self::settings_of(branch)?);
                }
            }
        }
        Ok(out)
    }
}

pub(crate) fn first_with(query: &ast::Query) -> Option<&ast::With> {
    match query {
        ast::Query::Select(select) => select.with.as_ref(),
        ast::Query::SetOperation(_) => None,
    }
}

/// A query without subqueries and settings.
pub(crate) fn new_query(body: Body, outputs: Vec<Output>) -> Query {
    Query {
        body,
        outputs,
        subqueries: Vec::new(),
        shared: None,
        uses: Vec::new(),
        correlated: Vec::new(),
        settings: Vec::new(),
        next_id: 0,
    }
}

/// `SELECT FROM from` with nothing else.
pub(crate) fn empty_select(from: From) -> Select {
    Select {
        from,
        filter_arrays: Vec::new(),
        filter: Vec::new(),
        group_arrays: Vec::new(),
        group: None,
        result_arrays: Vec::new(),
        having: Vec::new(),
        windows: Vec::new(),
        qualify: Vec::new(),
        projection: Vec::new(),
        distinct: false,
        order_by: Vec::new(),
        limit_by: None,
        limit: None,
        fill: crate::fill::Fill::default(),
        with_ties: false,
        offset: Count::First(0),
        limits: None,
    }
}

/// Expressions over a query's outputs.
pub(crate) fn project(query: Query, exprs: Vec<(ColumnId, Expr)>, outputs: Vec<Output>) -> Query {
    let mut select = empty_select(From::Subquery(Box::new(query)));
    select.projection = exprs;
    new_query(Body::Select(Box::new(select)), outputs)
}
