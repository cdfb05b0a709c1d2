//! Views with parameters: `FROM v(name = value)`.
//!
//! The values are constants of the query that uses the view. They become the texts of the view's
//! query parameters `{name:Type}`, which are read as those of a statement are. The view sees no
//! other parameters.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_expr::Expr;
use entasis_sql::ast::{self, ExprKind};
use entasis_types::{DataType, Value};

use crate::query::From;
use crate::view::View;
use crate::{AnalyzeSettings, Analyzer, Environment, QueryCatalog, bind};

/// The view with parameters that a table function's name means: `v`, or `database.v`.
pub(crate) fn find(catalog: &dyn QueryCatalog, name: &str) -> Option<Arc<View>> {
    let (database, view) = parts(name);
    catalog.view_with_parameters(database, view)
}

fn parts(name: &str) -> (Option<&str>, &str) {
    name.split_once('.').map_or((None, name), |(database, view)| (Some(database), view))
}

/// The error of a view with parameters that is named without any.
#[cold]
pub(crate) fn not_given(view: &View, name: &str) -> Error {
    let given: Vec<String> = view.parameters.iter().map(|name| format!("{name} = ...")).collect();
    let message = format!(
        "The columns of view {name} depend on its parameters: give them, as in {name}({})",
        given.join(", ")
    );
    Error::new(codes::EMPTY_LIST_OF_COLUMNS_QUERIED, message)
}

impl<'a> Analyzer<'a> {
    /// Resolves a view that is used like a table function.
    pub(crate) fn view_with_parameters(
        &mut self,
        view: &View,
        function: &'a ast::Function,
        alias: Option<&'a str>,
        renamed: &'a [ast::Ident],
    ) -> Result<From> {
        let mut values = Vec::with_capacity(function.args.len());
        for arg in &function.args {
            // Arguments that are no `name = value` are ignored, as in the reference.
            if let ExprKind::Function(call) = &arg.kind
                && let ("equals", [name, value]) = (call.name.as_str(), &call.args[..])
                && let Some([name]) = name.as_identifier()
            {
                values.push((name.name.clone(), self.parameter_text(value)?));
            }
        }
        let settings = AnalyzeSettings { parameters: values, ..self.settings.clone() };
        let new = Environment { settings, context: None };
        let new: &'a Environment = self.environments.keep(new, |_, _| false);
        let outer = std::mem::replace(&mut self.settings, &new.settings);
        let (database, name) = parts(&function.name);
        let database = database.unwrap_or(self.context.database());
        let full = (Arc::from(database), Arc::from(name));
        let from = self.view(view, full, alias, renamed);
        self.settings = outer;
        from
    }

    /// The text of a parameter's value, as it would be given to a statement.
    fn parameter_text(&mut self, value: &'a ast::Expr) -> Result<String> {
        if matches!(value.kind, ExprKind::Subquery(_)) {
            let what = "A subquery as the value of a view's parameter (write the value)";
            return Err(Error::not_implemented(what).at(value.position));
        }
        let Some((value, ty)) = self.constant(value)? else {
            let message = "The values of a view's parameters must be constants";
            return Err(Error::new(codes::BAD_ARGUMENTS, message).at(value.position));
        };
        if value == Value::Null {
            return Ok("\\N".to_string());
        }
        let is_string = ty.without_low_cardinality().without_nullable().is_string();
        let text = bind::cast(Expr::literal(value, ty), &DataType::String, self.context)?;
        let text = match text.constant() {
            Some(Value::String(text)) => String::from_utf8_lossy(&text).into_owned(),
            _ => String::new(),
        };
        Ok(if is_string { escaped(&text) } else { text })
    }
}

/// Escapes what the reader of a parameter's text unescapes.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n")
}
