//! Lambdas: arguments of higher-order functions, and `WITH x -> e AS f`.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_expr::{Expr, Lambda};
use entasis_function::{Arg, FunctionDef};
use entasis_sql::ast::{self, ExprKind};

use crate::scope::LambdaFrame;
use crate::{Analyzer, bind, names, tree};

impl<'a> Analyzer<'a> {
    /// `f(x -> body, args...)`.
    pub(crate) fn higher_order(
        &mut self,
        def: &'static FunctionDef,
        lambda: &'a ast::Lambda,
        args: &'a [ast::Expr],
    ) -> Result<Expr> {
        let Some(param_types) = def.lambda else {
            let message = format!("Function {} does not take a lambda", def.name);
            return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
        };
        let args = self.exprs(args)?;
        let bound: Vec<Arg> = args.iter().map(bind::argument).collect();
        let types = param_types(&bound, lambda.params.len())?;
        if types.len() != lambda.params.len() {
            let message = format!(
                "Lambda of function {} has {} parameters, expected {}",
                def.name,
                lambda.params.len(),
                types.len()
            );
            return Err(Error::new(codes::TYPE_MISMATCH, message));
        }
        let params: Vec<_> = types.into_iter().map(|ty| (self.new_id(), ty)).collect();
        let values = params.iter().map(|(id, ty)| Expr::column(*id, ty.clone())).collect();
        let body = self.with_params(lambda, values)?;
        bind::call_with_lambda(def, Lambda { params, body }, args, self.context)
    }

    /// Resolves the body with its parameters replaced by `values`.
    pub(crate) fn with_params(
        &mut self,
        lambda: &'a ast::Lambda,
        values: Vec<Expr>,
    ) -> Result<Expr> {
        self.with_frame(lambda, values, false)
    }

    /// As [`Self::with_params`]. `of_call` says that the values are those of a call `f(values)`,
    /// and not elements of arrays.
    fn with_frame(
        &mut self,
        lambda: &'a ast::Lambda,
        values: Vec<Expr>,
        of_call: bool,
    ) -> Result<Expr> {
        let mut aliases = Vec::new();
        names::walk(&lambda.body, self.settings.max_depth, &mut |e| {
            aliases.extend(e.alias.as_ref().map(|alias| (alias.as_str(), e)));
            Ok(())
        })?;
        let params = lambda.params.iter().map(ast::Ident::as_str).zip(values).collect();
        self.scope_mut().lambdas.push(LambdaFrame { params, aliases, of_call });
        let body = self.expr(&lambda.body);
        self.scope_mut().lambdas.pop();
        body
    }

    /// Whether an expression reads the elements of arrays that the lambdas around it go through.
    pub(crate) fn reads_elements(&self, expr: &Expr) -> bool {
        let frames = self.scope().lambdas.iter().filter(|frame| !frame.of_call);
        let params = frames.flat_map(|frame| frame.params.iter());
        let ids: Vec<_> = params
            .filter_map(|(_, value)| match value {
                Expr::Column { id, .. } => Some(*id),
                _ => None,
            })
            .collect();
        tree::any(expr, &mut |e| matches!(e, Expr::Column { id, .. } if ids.contains(id)))
    }

    /// Looks a name up among the parameters of the lambdas around the expression.
    pub(crate) fn lambda_name(&mut self, name: &str) -> Result<Option<Expr>> {
        for i in (0..self.scope().lambdas.len()).rev() {
            let frame = &self.scope().lambdas[i];
            if let Some((_, value)) = frame.params.iter().find(|(n, _)| *n == name) {
                let value = value.clone();
                self.grow(tree::size(&value) as u64)?;
                return Ok(Some(value));
            }
            if let Some(at) = frame.aliases.iter().position(|(n, _)| *n == name) {
                // The body of an alias sees the lambdas that enclose its definition, but not the
                // alias itself.
                let frames = &mut self.scope_mut().lambdas;
                let inner = frames.split_off(i + 1);
                let (_, expr) = frames[i].aliases.remove(at);
                let result = self.expr(expr);
                let frames = &mut self.scope_mut().lambdas;
                frames[i].aliases.insert(at, (expr.alias.as_ref().map_or("", |a| &a.name), expr));
                frames.extend(inner);
                return result.map(Some);
            }
        }
        Ok(None)
    }

    /// The lambda for which an identifier is an alias.
    pub(crate) fn named_lambda(&self, expr: &ast::Expr) -> Option<&'a ast::Lambda> {
        let [name] = expr.as_identifier()? else { return None };
        let mut at = Some(self.current);
        while let Some(scope) = at {
            if let Some(alias) = self.scopes[scope].aliases.get(name.as_str()) {
                return match &alias.expr.kind {
                    ExprKind::Lambda(lambda) => Some(lambda),
                    _ => None,
                };
            }
            at = self.scopes[scope].parent;
        }
        self.sql_function(name.as_str())
    }

    /// The lambda of a function that a user has defined.
    fn sql_function(&self, name: &str) -> Option<&'a ast::Lambda> {
        let lambda = self.catalog.sql_function(name)?;
        Some(self.functions.keep(lambda, Arc::ptr_eq))
    }

    /// A call of a function that a user has defined; `None` if there is no such function.
    pub(crate) fn sql_function_call(&mut self, f: &'a ast::Function) -> Result<Option<Expr>> {
        let Some(lambda) = self.sql_function(&f.name).filter(|_| f.parameters.is_none()) else {
            return Ok(None);
        };
        let args = self.exprs(&f.args)?;
        if args.len() != lambda.params.len() {
            let (wanted, given) = (lambda.params.len(), args.len());
            let message = format!("Function {} takes {wanted} arguments, not {given}", f.name);
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        if self.busy_functions.contains(&std::ptr::from_ref(lambda)) {
            let message = format!(
                "Function {} calls itself: replace it, or a function that it calls, by one that \
                 does not",
                f.name
            );
            return Err(Error::new(codes::UNSUPPORTED_METHOD, message));
        }
        self.busy_functions.push(lambda);
        let body = self.with_frame(lambda, args, true);
        self.busy_functions.pop();
        // Positions refer to the text of the function.
        body.map(Some).map_err(Error::without_position)
    }

    /// `f(args)` where `f` is an alias of a lambda; `None` if it is not.
    pub(crate) fn lambda_alias(&mut self, f: &'a ast::Function) -> Result<Option<Expr>> {
        let mut at = Some(self.current);
        while let Some(scope) = at {
            if let Some(alias) = self.scopes[scope].aliases.get(f.name.as_str())
                && let ExprKind::Lambda(lambda) = &alias.expr.kind
            {
                let args = self.exprs(&f.args)?;
                if args.len() != lambda.params.len() {
                    let message = format!("Lambda `{}` takes {}", f.name, lambda.params.len());
                    return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
                }
                return self.with_frame(lambda, args, true).map(Some);
            }
            at = self.scopes[scope].parent;
        }
        Ok(None)
    }
}
