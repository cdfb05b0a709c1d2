//! Binds calls of aggregate functions, and enforces that expressions after GROUP BY read only keys
//! and aggregates.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_expr::{ColumnId, Expr};
use entasis_function::{Aggregate, registry};
use entasis_sql::ast::{self, ExprKind, NullTreatment};
use entasis_types::{DataType, Value};

use crate::query::AggregateCall;
use crate::{AnalyzeSettings, Analyzer, bind, tree};

/// The name under which a call is bound: for `countDistinct` the function that the setting names,
/// otherwise `name` itself.
pub(crate) fn distinct_name(name: &str, settings: &AnalyzeSettings) -> String {
    let count = name.get(..5).is_some_and(|head| head.eq_ignore_ascii_case("count"));
    match name.get(5..) {
        Some(rest) if count && rest.starts_with("Distinct") => {
            format!("{}{}", settings.count_distinct_implementation, &rest["Distinct".len()..])
        }
        _ => name.to_string(),
    }
}

/// Functions that count distinct values.
const UNIQ: &[&str] = &["uniq", "uniqExact", "uniqHLL12", "uniqCombined", "uniqCombined64"];

/// The arguments without one-to-one functions around them, which do not change the number of
/// distinct values. The reference does this too, and its estimates would otherwise differ.
fn one_to_one(args: Vec<Expr>) -> Vec<Expr> {
    let inner = |mut arg: Expr| {
        while let Expr::Call { function, args, .. } = &arg
            && function.properties.injective
            && let [inside] = &args[..]
        {
            arg = inside.clone();
        }
        arg
    };
    args.into_iter().map(inner).collect()
}

impl<'a> Analyzer<'a> {
    /// Binds a call of an aggregate function and returns the column of the grouping that holds its
    /// result.
    pub(crate) fn aggregate(&mut self, f: &'a ast::Function) -> Result<Expr> {
        let scope = self.scope();
        if scope.in_aggregate {
            return Err(nested(&f.name));
        }
        if let Some(clause) = scope.no_aggregates {
            return Err(Error::new(
                codes::ILLEGAL_AGGREGATION,
                format!("Aggregate function {} is found in {clause} in query", f.name),
            ));
        }
        let mut name = distinct_name(&f.name, self.settings);
        if f.nulls == NullTreatment::Respect {
            name.push_str("_respect_nulls");
        }
        let mut params = self.parameters(&f.name, f.parameters.as_deref().unwrap_or(&[]))?;
        let mut args = self.aggregate_args(f, &name)?;
        separator_first(&name, &mut params, &mut args)?;
        self.add_aggregate(name, params, args)
    }

    /// Binds an aggregate function that `APPLY f` applies to a column.
    pub(crate) fn aggregate_over(
        &mut self,
        name: &str,
        parameters: &'a [ast::Expr],
        column: Expr,
    ) -> Result<Expr> {
        let name = distinct_name(name, self.settings);
        if !registry::is_aggregate_name(&name) {
            return Err(crate::expr::unknown_function(&name));
        }
        let params = self.parameters(&name, parameters)?;
        self.add_aggregate(name, params, vec![column])
    }

    fn add_aggregate(&mut self, name: String, params: Vec<Value>, args: Vec<Expr>) -> Result<Expr> {
        let (name, args) = self.as_called(name, args);
        let known = self.scope().aggregates.iter().find(|a| {
            *a.name == *name
                && a.params == params
                && a.args.len() == args.len()
                && a.args.iter().zip(&args).all(|(x, y)| tree::same(x, y))
        });
        if let Some(call) = known {
            return Ok(Expr::column(call.id, call.function.return_type()));
        }
        let function = self.bind_to(&name, &params, &args)?;
        let (id, ty) = (self.new_id(), function.return_type());
        let name = Arc::from(name);
        self.scope_mut().aggregates.push(AggregateCall { id, name, params, function, args });
        Ok(Expr::column(id, ty))
    }

    /// The name and the arguments with which the function is bound, which settings may change.
    fn as_called(&self, name: String, args: Vec<Expr>) -> (String, Vec<Expr>) {
        let args = if UNIQ.contains(&name.as_str()) { one_to_one(args) } else { args };
        let name =
            if self.settings.aggregates_null_for_empty { null_for_empty(name) } else { name };
        (inside_states(name), args)
    }

    fn bind_to(&self, name: &str, params: &[Value], args: &[Expr]) -> Result<Arc<dyn Aggregate>> {
        let types: Vec<DataType> = args.iter().map(|a| a.ty().clone()).collect();
        registry::bind_aggregate(name, params, &types, self.context)
    }

    /// Binds an aggregate function for a window. Returns it with the name and the arguments that it
    /// was bound to.
    pub(crate) fn bind_aggregate(
        &self,
        name: String,
        params: &[Value],
        args: Vec<Expr>,
    ) -> Result<(String, Arc<dyn Aggregate>, Vec<Expr>)> {
        let (name, args) = self.as_called(name, args);
        let function = self.bind_to(&name, params, &args)?;
        Ok((name, function, args))
    }

    pub(crate) fn parameters(&mut self, name: &str, list: &'a [ast::Expr]) -> Result<Vec<Value>> {
        let mut out = Vec::new();
        for parameter in list {
            let Some((value, _)) = self.constant(parameter)? else {
                return Err(Error::new(
                    codes::BAD_ARGUMENTS,
                    format!("Parameter for function '{name}' expected to have constant value"),
                )
                .at(parameter.position));
            };
            out.push(value);
        }
        Ok(out)
    }

    fn aggregate_args(&mut self, f: &'a ast::Function, name: &str) -> Result<Vec<Expr>> {
        let scope = self.scope_mut();
        scope.in_aggregate = true;
        let is_row = scope.lambdas.iter().any(|frame| !frame.of_call);
        let lambdas = is_row.then(|| std::mem::take(&mut scope.lambdas));
        let args = self.call_args(f, name);
        let scope = self.scope_mut();
        scope.in_aggregate = false;
        if let Some(lambdas) = lambdas {
            scope.lambdas = lambdas;
        }
        let args = args?;
        let mut ids = Vec::new();
        for arg in &args {
            arg.columns(&mut ids);
            self.refuse_windows(arg, "inside an aggregate function")?;
        }
        if let Some(inner) = self.scope().aggregates.iter().find(|a| ids.contains(&a.id)) {
            return Err(nested(&inner.name));
        }
        Ok(args)
    }

    /// Resolves the arguments of an aggregate function. The asterisk of `count(*)` gives none.
    pub(crate) fn call_args(&mut self, f: &'a ast::Function, name: &str) -> Result<Vec<Expr>> {
        let is_count = name.eq_ignore_ascii_case("count");
        let star = |e: &ast::Expr| matches!(&e.kind, ExprKind::Asterisk(t) if t.is_empty());
        let counts_rows = name.get(..5).is_some_and(|n| n.eq_ignore_ascii_case("count"));
        let written = match &f.args[..] {
            [first, rest @ ..] if counts_rows && star(first) && !f.name.contains("Distinct") => {
                rest
            }
            all => all,
        };
        let mut args = self.exprs(written)?;
        if is_count && args.len() == 1 && !args[0].ty().is_nullable() {
            // As in the reference, counting an expression that is never NULL counts rows.
            let counted = tree::is_deterministic(&args[0]);
            if counted && self.scope().array_joins.is_empty() {
                args.clear();
            }
        }
        Ok(args)
    }
}

/// The second argument of `groupConcat(x, ',')` is its first parameter.
pub(crate) fn separator_first(
    name: &str,
    params: &mut Vec<Value>,
    args: &mut Vec<Expr>,
) -> Result<()> {
    let joins = registry::base_aggregate(name).is_some_and(|def| {
        let names = || std::iter::once(&def.name).chain(def.aliases);
        def.name == "groupConcat" && names().any(|own| own.eq_ignore_ascii_case(name))
    });
    if !joins || args.len() != 2 {
        return Ok(());
    }
    let Some(Expr::Literal { value: separator @ Value::String(_), .. }) = args.pop() else {
        let message = "If groupConcat is used with two arguments, the second argument must be a \
                       constant String";
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    };
    params.splice(..params.len().min(1), [separator]);
    Ok(())
}

/// The name with -OrNull appended, unless the function has a result of its own for no rows.
fn null_for_empty(name: String) -> String {
    let plain = registry::base_aggregate(&name).is_some_and(|d| d.plain_over_nulls || d.sees_nulls);
    if plain || name.contains("OrNull") {
        return name;
    }
    inside_states(format!("{name}OrNull"))
}

/// The name with -OrNull and -OrDefault moved before -State and -Merge, because the state must
/// record whether there were any rows.
fn inside_states(name: String) -> String {
    let Some(fill) = ["OrNull", "OrDefault"].into_iter().find(|fill| name.ends_with(fill)) else {
        return name;
    };
    // Functions that have a result for no rows need no other states.
    if registry::base_aggregate(&name).is_some_and(|def| def.plain_over_nulls) {
        return name;
    }
    let mut inner = &name[..name.len() - fill.len()];
    while let Some(shorter) = ["State", "Merge"].iter().find_map(|s| inner.strip_suffix(s)) {
        inner = shorter;
    }
    let outer = &name[inner.len()..name.len() - fill.len()];
    format!("{inner}{fill}{outer}")
}

fn nested(name: &str) -> Error {
    Error::new(
        codes::ILLEGAL_AGGREGATION,
        format!("Aggregate function {name} is found inside another aggregate function in query"),
    )
}

/// Rewrites an expression so that it reads the output of the grouping: parts that equal a key
/// become the key's column. Fails with NOT_AN_AGGREGATE for any other column.
pub(crate) struct AfterGrouping<'q> {
    pub keys: &'q [(ColumnId, Expr)],
    /// Whether the keys' columns are Nullable, and the expressions read them already.
    pub nullable: bool,
    pub aggregates: &'q [AggregateCall],
    /// Columns that hold results of window functions.
    pub windows: &'q [ColumnId],
    /// Columns that hold elements of arrays that are joined after grouping.
    pub elements: &'q [ColumnId],
    /// Parameters of the correlated subqueries around, which are constants here.
    pub params: &'q [ColumnId],
}

impl AfterGrouping<'_> {
    pub fn apply(&self, expr: &Expr, name_of: &dyn Fn(ColumnId) -> String) -> Result<Expr> {
        let mut params = Vec::new();
        collect_params(expr, &mut params);
        let new = tree::rewrite(expr, &mut |e| {
            let key = self.keys.iter().find(|(_, k)| tree::same(k, e));
            if let Some((id, k)) = key
                && !bind::is_constant(k)
            {
                if self.nullable && !matches!(k, Expr::Column { id: own, .. } if own == id) {
                    let message = "group_by_use_nulls with a key in this expression";
                    return Err(Error::not_implemented(message));
                }
                return Ok(Some(Expr::column(*id, k.ty().clone())));
            }
            let Expr::Column { id, .. } = e else { return Ok(None) };
            let known = self.aggregates.iter().any(|a| a.id == *id)
                || self.windows.contains(id)
                || self.elements.contains(id)
                || self.params.contains(id)
                || self.nullable && self.keys.iter().any(|(key, _)| key == id)
                || params.contains(id);
            if known {
                return Ok(None);
            }
            Err(Error::new(
                codes::NOT_AN_AGGREGATE,
                format!(
                    "Column '{}' is not under aggregate function and not in GROUP BY keys",
                    name_of(*id)
                ),
            ))
        })?;
        Ok(new.unwrap_or_else(|| expr.clone()))
    }
}

fn collect_params(expr: &Expr, out: &mut Vec<ColumnId>) {
    tree::any(expr, &mut |e| {
        if let Expr::Call { lambda: Some(lambda), .. } = e {
            out.extend(lambda.params.iter().map(|(id, _)| *id));
        }
        false
    });
}
