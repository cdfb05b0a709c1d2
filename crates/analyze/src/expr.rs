//! Expressions: one arm per kind of syntax; calls by the function's name.

use entasis_base::{Error, ErrorCode, Result, codes};
use entasis_expr::Expr;
use entasis_expr::program::can_fail;
use entasis_function::{BranchKind, FunctionDef, Operation, planned, registry};
use entasis_sql::ast::{self, ExprKind};
use entasis_types::variant::check_suspicious;
use entasis_types::{DataType, Value, common_type};

use crate::bind::{self, Connective};
use crate::matcher::is_untuple;
use crate::query::ArrayJoinStep;
use crate::scope::Stage;
use crate::{Analyzer, literal, names, tree};

impl<'a> Analyzer<'a> {
    /// Resolves an expression. An alias that the expression itself carries is ignored.
    pub(crate) fn expr(&mut self, expr: &'a ast::Expr) -> Result<Expr> {
        if self.depth >= self.settings.max_depth {
            return Err(names::too_deep().at(expr.position));
        }
        self.grow(1)?;
        self.depth += 1;
        let result = match &expr.kind {
            ExprKind::Literal(l) => literal::literal(l).map(|(v, ty)| Expr::literal(v, ty)),
            ExprKind::Identifier(parts) => self.identifier(parts, expr.position),
            ExprKind::Function(function) => self.function(function, expr),
            ExprKind::Subquery(query) => self.scalar_subquery(query),
            ExprKind::Parameter(parameter) => self.parameter(parameter),
            ExprKind::Lambda(_) => Err(Error::new(
                codes::BAD_ARGUMENTS,
                "A lambda is only allowed as an argument of a higher-order function such as arrayMap",
            )),
            ExprKind::Asterisk(_) | ExprKind::QualifiedAsterisk(_) | ExprKind::Columns(_) => {
                Err(Error::new(
                    codes::UNKNOWN_IDENTIFIER,
                    "An asterisk is only allowed in a list of result columns or of arguments",
                ))
            }
        };
        self.depth -= 1;
        result.map(|e| self.after_keys(e)).map_err(|e| e.at(expr.position))
    }

    /// Resolves several expressions, with asterisks expanded.
    pub(crate) fn exprs(&mut self, list: &'a [ast::Expr]) -> Result<Vec<Expr>> {
        let mut out = Vec::with_capacity(list.len());
        for item in list {
            match &item.kind {
                ExprKind::Asterisk(_) | ExprKind::QualifiedAsterisk(_) | ExprKind::Columns(_) => {
                    out.extend(self.expand_matcher(item)?.into_iter().map(|(_, e)| e));
                }
                ExprKind::Function(f) if is_untuple(f) => {
                    out.extend(self.untuple(item, f)?.into_iter().map(|(_, e)| e));
                }
                _ => out.push(self.expr(item)?),
            }
        }
        Ok(out)
    }

    fn function(&mut self, f: &'a ast::Function, expr: &'a ast::Expr) -> Result<Expr> {
        if f.over.is_some() {
            return self.window_call(f, expr);
        }
        match f.name.as_str() {
            "and" | "or" | "AND" | "OR" => {
                let args = self.exprs(&f.args)?;
                let is_and = f.name.eq_ignore_ascii_case("and");
                return bind::connect(if is_and { Connective::And } else { Connective::Or }, args);
            }
            "in" | "globalIn" => return self.in_call(&f.args, false),
            "notIn" | "globalNotIn" => return self.in_call(&f.args, true),
            "exists" => return self.exists(&f.args),
            "arrayJoin" => return self.array_join_call(&f.args),
            "untuple" => return Err(crate::matcher::misplaced_untuple()),
            name if name.eq_ignore_ascii_case("grouping") => return self.grouping_call(&f.args),
            "isConstant" if f.args.len() == 1 => {
                let arg = self.expr(&f.args[0])?;
                let constant = bind::is_constant(&arg);
                return Ok(tree::bool_literal(constant, DataType::UInt8));
            }
            _ => {}
        }
        if let Some(def) = registry::find_scalar(&f.name) {
            return self.scalar(def, f);
        }
        if let Some(result) = self.lambda_alias(f)? {
            return Ok(result);
        }
        let name = crate::aggregate::distinct_name(&f.name, self.settings);
        if registry::is_aggregate_name(&name) {
            return self.aggregate(f);
        }
        if let Some(def) = registry::window_under_suffixes(&f.name) {
            return Err(entasis_function::window::only_over(def.name));
        }
        if let Some(result) = self.sql_function_call(f)? {
            return Ok(result);
        }
        match name == f.name {
            true => Err(unknown_function(&f.name)),
            false => Err(crate::window::unknown(&name)),
        }
    }

    /// A call of a scalar function.
    fn scalar(&mut self, def: &'static FunctionDef, f: &'a ast::Function) -> Result<Expr> {
        if f.parameters.is_some() {
            return Err(Error::new(
                codes::FUNCTION_CANNOT_HAVE_PARAMETERS,
                format!("Function {} is not parametric", f.name),
            ));
        }
        if let Some(ast::Expr { kind: ExprKind::Lambda(lambda), .. }) = f.args.first() {
            return self.higher_order(def, lambda, &f.args[1..]);
        }
        if let (Some(_), Some(first)) = (def.lambda, f.args.first())
            && let Some(lambda) = self.named_lambda(first)
        {
            return self.higher_order(def, lambda, &f.args[1..]);
        }
        let mut args = match self.leading_name(def, f) {
            Some(name) => {
                let mut args = vec![name];
                args.extend(self.exprs(&f.args[1..])?);
                args
            }
            None => self.arguments(f)?,
        };
        if let Some(branches) = def.branches {
            return self.same_typed(def, branches, args);
        }
        if let Some(lazy) = def.lazy_last
            && args.len() > 3
            && args.last().is_some_and(can_fail)
        {
            match self.lazy_last(lazy, args.clone()) {
                // Not every dictionary says whether it has a key.
                Err(error) if error.code() == codes::UNSUPPORTED_METHOD => {}
                done => return done,
            }
        }
        if def.properties.operation == Operation::Cast {
            if !self.has_flag("allow_suspicious_variant_types") {
                check_written_type(&args)?;
            }
            if self.has_flag("cast_keep_nullable") {
                keep_nullable(&mut args);
            }
        }
        let call = bind::call_def(def, args, self.context)?;
        let names = def.properties.operation == Operation::Tuple
            && self.has_flag("enable_named_columns_in_function_tuple");
        if names { self.with_names(call, f) } else { Ok(call) }
    }

    /// The first argument as a text, if it is a bare word that stands for no column and the
    /// function takes a name there: `dictGet(d, 'a', 1)`.
    fn leading_name(&mut self, def: &FunctionDef, f: &'a ast::Function) -> Option<Expr> {
        let first = f.args.first().filter(|_| def.names_first)?;
        let parts = first.as_identifier()?;
        if self.expr(first).is_ok() {
            return None;
        }
        let name = crate::identifier::dotted(parts);
        Some(Expr::literal(Value::from(name.as_str()), DataType::String))
    }

    /// A call whose last argument must be evaluated only for the rows that need it.
    fn lazy_last(&self, (has, get): (&str, &str), mut args: Vec<Expr>) -> Result<Expr> {
        let last = args.pop();
        let mut asked = args.clone();
        asked.remove(1);
        let value = bind::call(get, args, self.context)?;
        let has = bind::call(has, asked, self.context)?;
        let last = last.ok_or_else(|| Error::logical("a call without arguments"))?;
        let last = bind::cast(last, &value.ty().clone(), self.context)?;
        bind::call("if", vec![has, value, last], self.context)
    }

    /// Whether a setting is on.
    pub(crate) fn has_flag(&self, name: &str) -> bool {
        self.context.setting(name).is_some_and(|value| value.as_u64() == Some(1))
    }

    /// Whether a setting is off.
    pub(crate) fn is_off(&self, name: &str) -> bool {
        self.context.setting(name).is_some_and(|value| value.as_u64() == Some(0))
    }

    /// Calls of functions whose branches are converted to a common type before the function is
    /// bound.
    fn same_typed(
        &mut self,
        def: &'static FunctionDef,
        branches: BranchKind,
        mut args: Vec<Expr>,
    ) -> Result<Expr> {
        match branches {
            BranchKind::FirstNotNull if args.len() > 1 => {
                if let Some(only) = self.first_not_null(&mut args)? {
                    return Ok(only);
                }
            }
            BranchKind::Extreme => {
                let nulls_win = self.has_flag("least_greatest_legacy_null_behavior");
                if nulls_win && args.iter().any(|arg| arg.ty().is_null_literal()) {
                    return Ok(Expr::literal(Value::Null, DataType::null()));
                }
                for arg in &mut args {
                    if *arg.ty().without_nullable() == DataType::Bool {
                        self.convert_branch(arg, &DataType::UInt8)?;
                    }
                }
            }
            _ => {}
        }
        let places: Vec<usize> =
            (0..args.len()).filter(|i| branches.contains(*i, args.len())).collect();
        let mut types: Vec<DataType> = places.iter().map(|i| args[*i].ty().clone()).collect();
        if branches == BranchKind::FirstNotNull {
            // The function makes the result plain if the last argument cannot be NULL.
            for ty in &mut types {
                *ty = ty.without_nullable().clone();
            }
        }
        let are_numbers = types.iter().all(|t| t.without_nullable().is_any_number());
        let plain: Vec<DataType> = types.iter().map(DataType::without_low_cardinality).collect();
        let compared = if branches.wrap_low_cardinality() { &plain } else { &types };
        if !(branches == BranchKind::Extreme && are_numbers)
            && compared.windows(2).any(|w| w[0] != w[1])
        {
            let common = match branches.allow_variant() {
                true => self.context.type_of_branches(&types)?,
                false => common_type(&types)?,
            };
            for i in places {
                let is_fixed = matches!(args[i].ty().without_nullable(), DataType::FixedString(_));
                let is_text = *common.without_nullable() == DataType::String;
                if !(is_fixed && is_text && branches.keep_fixed_strings()) {
                    self.convert_branch(&mut args[i], &common)?;
                }
            }
        }
        // `multiIf` with one condition is `if`.
        if matches!(branches, BranchKind::If | BranchKind::MultiIf)
            && let [condition, then, otherwise] = &args[..]
            && BranchKind::is_condition(condition.ty())
            && let Some(truth) = tree::truth(condition)
        {
            let (branch, other) = if truth { (then, otherwise) } else { (otherwise, then) };
            if !becomes_text(branch.ty(), other.ty()) {
                return self.without_low_cardinality(branch.clone());
            }
        }
        bind::call_def(def, args, self.context)
    }

    /// Removes the arguments that cannot be the first which is not NULL; answers the only one that
    /// is left, or NULL if there is none.
    fn first_not_null(&self, args: &mut Vec<Expr>) -> Result<Option<Expr>> {
        args.retain(|a| !a.ty().is_null_literal());
        let columns = args.iter().filter(|a| !matches!(a, Expr::Literal { .. })).count();
        let only = args.len() == 1;
        // Arguments after the first that cannot be NULL have no effect.
        if let Some(last) = args.iter().position(|a| !a.ty().has_null()) {
            args.truncate(last + 1);
        }
        Ok(match &args[..] {
            [] => Some(Expr::literal(Value::Null, DataType::null())),
            // As in the reference, what is left of several arguments is no constant.
            [one] if !only && columns > 0 && matches!(one, Expr::Literal { .. }) => {
                Some(bind::call("materialize", vec![one.clone()], self.context)?)
            }
            [one] if only || columns < 2 => Some(one.clone()),
            [one] => Some(self.without_low_cardinality(one.clone())?),
            _ => None,
        })
    }

    /// The expression with the type that a function without support for dictionaries gives it.
    fn without_low_cardinality(&self, expr: Expr) -> Result<Expr> {
        match expr.ty().clone() {
            DataType::LowCardinality(plain) => bind::cast(expr, &plain, self.context),
            _ => Ok(expr),
        }
    }

    fn convert_branch(&mut self, arg: &mut Expr, common: &DataType) -> Result<()> {
        let nullable = arg.ty().is_nullable() && common.can_be_nullable();
        let target = if nullable { DataType::nullable(common.clone()) } else { common.clone() };
        *arg = bind::cast_branch(arg.clone(), &target, self.context)?;
        Ok(())
    }

    /// `arrayJoin(array)` becomes a step of its own. Equal arrays share one step.
    fn array_join_call(&mut self, args: &'a [ast::Expr]) -> Result<Expr> {
        let [arg] = args else {
            return Err(Error::new(
                codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                "Number of arguments for function arrayJoin doesn't match: should be 1",
            ));
        };
        let mut array = self.expr(arg)?;
        if self.reads_elements(&array) {
            let message = "Expression in arrayJoin cannot depend on lambda argument";
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        if let DataType::Map(stored) = array.ty() {
            // A map is stored as an array of pairs. Here the elements of the pairs lose their
            // names.
            let pair =
                array.ty().as_map().map(|(k, v)| DataType::tuple(vec![k.clone(), v.clone()]));
            let wanted = pair.map_or_else(|| stored.as_ref().clone(), DataType::array);
            array = bind::cast(array, &wanted, self.context)?;
        }
        let Some(element) = array.ty().as_array() else {
            return Err(Error::new(
                codes::TYPE_MISMATCH,
                format!("Argument for function arrayJoin must be Array, not {}", array.ty()),
            ));
        };
        let element = element.clone();
        let known = self.scope().array_joins.iter().find(|(_, s)| tree::same(&s.array, &array));
        if let Some((_, step)) = known {
            return Ok(Expr::column(step.id, element));
        }
        let id = self.new_id();
        let scope = self.scope_mut();
        let stage = if scope.in_aggregate { Stage::Group } else { scope.stage };
        scope.array_joins.push((stage, ArrayJoinStep { array, id }));
        Ok(Expr::column(id, element))
    }

    fn parameter(&mut self, parameter: &ast::Parameter) -> Result<Expr> {
        let Some(text) = self.parameter_value(&parameter.name) else {
            return Err(Error::new(
                codes::UNKNOWN_QUERY_PARAMETER,
                format!("Substitution `{}` is not set", parameter.name),
            ));
        };
        let ty = DataType::parse(&entasis_sql::format_type(&parameter.data_type))?;
        if text == "\\N" && ty.is_nullable() {
            return Ok(Expr::literal(Value::Null, ty));
        }
        // Values of parameters are written as in TSV: strings are escaped, and strings within
        // arrays only as their quotes require.
        let plain = ty.without_low_cardinality();
        let text = if plain.without_nullable().is_string() {
            Value::String(entasis_sql::unescape_text(&text).into())
        } else {
            Value::from(text.as_str())
        };
        bind::cast(Expr::literal(text, DataType::String), &ty, self.context).map_err(|error| {
            let message = format!(
                "Value of query parameter '{}' cannot be parsed as {ty}: {}",
                parameter.name,
                error.message()
            );
            Error::new(codes::BAD_QUERY_PARAMETER, message)
        })
    }

    /// The text that was given for a query parameter; fails if there is none.
    pub(crate) fn parameter_value(&self, name: &str) -> Option<String> {
        self.settings.parameters.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone())
    }

    /// Resolves an expression that must be a constant.
    pub(crate) fn constant(&mut self, expr: &'a ast::Expr) -> Result<Option<(Value, DataType)>> {
        Ok(match self.expr(expr)? {
            Expr::Literal { value, ty } => Some((value, ty)),
            _ => None,
        })
    }
}

/// Makes the target type of CAST Nullable if the value may be NULL (`cast_keep_nullable`).
fn keep_nullable(args: &mut [Expr]) {
    if let [value, Expr::Literal { value: name, .. }] = args
        && value.ty().is_nullable()
        && let Some(text) = name.as_bytes().map(String::from_utf8_lossy)
        && let Ok(ty) = DataType::parse(&text)
        && !ty.is_nullable()
        && ty.can_be_nullable()
    {
        *name = Value::from(DataType::nullable(ty).to_string().as_str());
    }
}

/// Fails for a type that a statement may use only with a setting.
fn check_written_type(args: &[Expr]) -> Result<()> {
    if let [_, Expr::Literal { value, .. }] = args
        && let Some(text) = value.as_bytes().map(String::from_utf8_lossy)
        && let Ok(ty) = DataType::parse(&text)
    {
        check_suspicious(&ty)?;
    }
    Ok(())
}

/// Code and message for a function that the reference has and Entasis does not; `None` for others.
#[cold]
pub(crate) fn planned_message(name: &str) -> Option<(ErrorCode, String)> {
    let message = || format!("Function `{name}` is not implemented in Entasis yet");
    planned::is_planned(name).then(|| (codes::NOT_IMPLEMENTED, message()))
}

/// UNKNOWN_FUNCTION with the nearest names, or NOT_IMPLEMENTED if the reference has the function.
#[cold]
pub(crate) fn unknown_function(name: &str) -> Error {
    let scalars = registry::scalar_functions()
        .flat_map(|f| std::iter::once(f.name).chain(f.aliases.iter().copied()));
    let aggregates = registry::aggregate_functions()
        .flat_map(|f| std::iter::once(f.name).chain(f.aliases.iter().copied()));
    let near = names::near(name, scalars.chain(aggregates));
    let (code, mut message) = planned_message(name).unwrap_or_else(|| {
        (codes::UNKNOWN_FUNCTION, format!("Function with name `{name}` does not exist"))
    });
    names::add_hint(&mut message, &near);
    Error::new(code, message)
}

/// Whether a FixedString branch stands beside text. Then the function itself converts it to text
/// that keeps its zero bytes.
fn becomes_text(branch: &DataType, other: &DataType) -> bool {
    let plain = branch.without_nullable();
    matches!(plain, DataType::FixedString(_)) && plain != other.without_nullable()
}
