//! `enable_named_columns_in_function_tuple`: `tuple(a, b)` has elements `a` and `b`.

use std::sync::Arc;

use entasis_base::Result;
use entasis_expr::Expr;
use entasis_sql::ast::{self, ExprKind};
use entasis_types::{DataType, TupleType};

use crate::matcher::{is_matcher, is_untuple};
use crate::{Analyzer, bind};

/// Words that are literals and therefore no names of elements.
const LITERALS: [&str; 5] = ["null", "true", "false", "nan", "inf"];

impl<'a> Analyzer<'a> {
    /// Gives a tuple's elements the names of the arguments of its call, if all of them are
    /// different and need no quotes.
    pub(crate) fn with_names(&mut self, tuple: Expr, call: &'a ast::Function) -> Result<Expr> {
        let mut names = Vec::with_capacity(call.args.len());
        for arg in &call.args {
            match &arg.kind {
                kind if is_matcher(kind) => {
                    names.extend(self.expand_matcher(arg)?.into_iter().map(|(name, _)| name));
                }
                ExprKind::Function(f) if is_untuple(f) => {
                    names.extend(self.untuple(arg, f)?.into_iter().map(|(name, _)| name));
                }
                _ => names.push(self.title(arg)?),
            }
        }
        let DataType::Tuple(unnamed) = tuple.ty() else { return Ok(tuple) };
        let are_different = (1..names.len()).all(|i| !names[..i].contains(&names[i]));
        if names.is_empty() || !are_different || !names.iter().all(|name| is_plain_name(name)) {
            return Ok(tuple);
        }
        let names = Some(names.into_iter().map(Arc::from).collect());
        let named = DataType::Tuple(Arc::new(TupleType { types: unnamed.types.clone(), names }));
        bind::cast(tuple, &named, self.context)
    }
}

fn is_plain_name(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.chars().all(|c| c.is_ascii_digit())
        && !LITERALS.iter().any(|word| word.eq_ignore_ascii_case(name))
}
