//! Subqueries in expressions that read columns of the queries around them. A name of a query around
//! a subquery becomes a parameter of the subquery: within it, a column of its own. The parameter's
//! value is an argument of the expression that stands for the subquery, so what is done to
//! expressions after grouping is done to it as well. `plan` replaces such expressions by joins.

use std::sync::Arc;

use entasis_base::{Error, Position, Result};
use entasis_expr::{ColumnId, Correlated, CorrelatedKind, Expr};
use entasis_sql::ast::{self, Ident};
use entasis_types::{DataType, Value};

use crate::query::{Body, Query};
use crate::subquery::project;
use crate::{Analyzer, bind, tree};

/// A subquery of an expression that is being resolved.
pub(crate) struct Correlation {
    /// The scope in which the expression stands.
    outer: usize,
    /// The first scope that can belong to the subquery.
    first: usize,
    /// The parameters so far: their columns, and their values in the scope `outer`.
    pub params: Params,
}

/// The parameters of a subquery and their values.
pub(crate) type Params = Vec<(ColumnId, Expr)>;

impl<'a> Analyzer<'a> {
    /// A subquery in an expression, with its parameters. Without parameters it is computed before
    /// the query starts.
    pub(crate) fn inner_query(&mut self, query: &'a ast::Query) -> Result<(Query, Params)> {
        self.number(query);
        self.inner_depth += 1;
        let result = self.with_parameters(query);
        self.inner_depth -= 1;
        result
    }

    /// A query that may read columns of the queries around it, with its parameters.
    pub(crate) fn with_parameters(&mut self, query: &'a ast::Query) -> Result<(Query, Params)> {
        let (outer, first) = (self.current, self.scopes.len());
        self.correlations.push(Correlation { outer, first, params: Vec::new() });
        let result = self.query(query, Some(self.current));
        let params = self.correlations.pop().map(|c| c.params).unwrap_or_default();
        Ok((result?, params))
    }

    /// Resolves a name in the scopes around the current one.
    pub(crate) fn outer_name(
        &mut self,
        parts: &[Ident],
        position: Position,
    ) -> Result<Option<Expr>> {
        let here = self.current;
        let found = self.search_outwards(parts, position);
        self.current = here;
        found
    }

    fn search_outwards(&mut self, parts: &[Ident], position: Position) -> Result<Option<Expr>> {
        let here = self.current;
        let around = self.correlations.iter().take_while(|c| c.first <= here).count();
        let mut beside = false;
        while let Some(parent) = self.scope().parent {
            self.current = parent;
            let Some(expr) = self.local(parts)? else { continue };
            if !tree::any(&expr, &mut |e| matches!(e, Expr::Column { .. })) {
                return Ok(Some(expr));
            }
            self.refuse_lambda(&expr, parts, position)?;
            let from = self.correlations[..around].iter().rposition(|c| c.outer == parent);
            match from {
                Some(from) => return Ok(Some(self.as_parameter(expr, from..around))),
                // A table of FROM does not see the tables beside it.
                None => beside = true,
            }
        }
        if beside {
            let name = crate::identifier::dotted(parts);
            let what = format!("A table of FROM that uses `{name}`, a column of another table,");
            let error = Error::not_implemented(what);
            return Err(error
                .append(": write a JOIN, or LATERAL before the subquery")
                .at(position));
        }
        Ok(None)
    }

    /// Fails if an expression reads a parameter of a lambda around the subquery: the subquery
    /// would have a result for each element of an array.
    fn refuse_lambda(&self, expr: &Expr, parts: &[Ident], position: Position) -> Result<()> {
        let mut ids = Vec::new();
        expr.columns(&mut ids);
        let is_param = |param: &Expr| matches!(param, Expr::Column { id, .. } if ids.contains(id));
        let mut params = self.scope().lambdas.iter().flat_map(|frame| &frame.params);
        if !params.any(|(_, param)| is_param(param)) {
            return Ok(());
        }
        let name = crate::identifier::dotted(parts);
        let what = format!("A subquery that uses `{name}`, a parameter of a lambda,");
        let error = Error::not_implemented(what);
        Err(error.append(": unfold the array with ARRAY JOIN instead").at(position))
    }

    /// An expression of the scope around the first of several nested subqueries, as the innermost
    /// of them reads it.
    fn as_parameter(&mut self, mut expr: Expr, subqueries: std::ops::Range<usize>) -> Expr {
        self.parameters_read += 1;
        for at in subqueries {
            let ty = expr.ty().clone();
            let known = self.correlations[at].params.iter().find(|(_, e)| tree::same(e, &expr));
            let id = match known {
                Some((id, _)) => *id,
                None => {
                    let id = self.new_id();
                    self.correlations[at].params.push((id, expr));
                    id
                }
            };
            expr = Expr::column(id, ty);
        }
        expr
    }

    /// The expression that stands for a correlated subquery.
    pub(crate) fn correlated(
        &mut self,
        query: Query,
        params: Params,
        kind: CorrelatedKind,
        ty: DataType,
    ) -> Expr {
        let (params, args): (Vec<ColumnId>, Vec<Expr>) = params.into_iter().unzip();
        let subquery = Arc::new(Correlated { params, kind, ty });
        self.correlated.push((Arc::clone(&subquery), query));
        Expr::Correlated { args: args.into(), subquery }
    }

    /// `left IN (query)` for a correlated query: whether there is a row that is equal to the left
    /// side. As for other sets, values are converted to the types of the left side, and NULL is
    /// equal to nothing, unless `transform_null_in` says otherwise.
    pub(crate) fn in_correlated(
        &mut self,
        left: Vec<Expr>,
        query: Query,
        mut params: Params,
        negated: bool,
    ) -> Result<Expr> {
        let null_equals = self.has_flag("transform_null_in");
        let mut equal = Vec::with_capacity(left.len());
        for (arg, output) in left.iter().zip(&query.outputs) {
            let id = self.new_id();
            params.push((id, arg.clone()));
            let mut column = Expr::column(output.id, output.ty.clone());
            let wanted = arg.ty().without_nullable();
            if wanted != output.ty.without_nullable() && *wanted != DataType::Nothing {
                let name =
                    Expr::literal(Value::from(wanted.to_string().as_str()), DataType::String);
                column = bind::call("accurateCastOrNull", vec![column, name], self.context)?;
            }
            let function = if null_equals { "isNotDistinctFrom" } else { "equals" };
            let sides = vec![column, Expr::column(id, arg.ty().clone())];
            equal.push(bind::call(function, sides, self.context)?);
        }
        let mut among = project(query, Vec::new(), Vec::new());
        if let Body::Select(select) = &mut among.body {
            select.filter = equal;
        }
        let mut found = self.correlated(among, params, CorrelatedKind::Exists, DataType::UInt8);
        if let [arg] = &left[..]
            && arg.ty().is_nullable()
            && !null_equals
        {
            let is_null = bind::call("isNull", vec![arg.clone()], self.context)?;
            let null = Expr::literal(Value::Null, DataType::nullable(DataType::UInt8));
            found = bind::call("if", vec![is_null, null, found], self.context)?;
        }
        if negated { bind::call("not", vec![found], self.context) } else { Ok(found) }
    }
}
