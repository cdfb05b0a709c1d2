//! `*`, `t.*`, `COLUMNS(...)` and their transformers: syntax that stands for several columns.

use entasis_base::{Error, Result, codes};
use entasis_expr::Expr;
use entasis_sql::ast::{self, ColumnsMatcher, ExprKind, Ident, Transformer};
use entasis_types::{DataType, Value};

use crate::scope::Kinds;
use crate::{Analyzer, bind};
use entasis_function::registry;

/// Whether a call is `untuple(...)`, which stands for several columns.
pub(crate) fn is_untuple(f: &ast::Function) -> bool {
    f.name == "untuple" && f.parameters.is_none() && f.over.is_none()
}

/// Whether an expression stands for columns by their names: `*`, `t.*`, `COLUMNS(...)`.
pub(crate) fn is_matcher(kind: &ExprKind) -> bool {
    matches!(kind, ExprKind::Asterisk(_) | ExprKind::QualifiedAsterisk(_) | ExprKind::Columns(_))
}

/// Whether an expression may stand for several.
pub(crate) fn is_list(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ExprKind::Function(f) => is_untuple(f),
        kind => is_matcher(kind),
    }
}

/// The error for `untuple` where one expression is wanted.
#[cold]
pub(crate) fn misplaced_untuple() -> Error {
    let message = "Function 'untuple' stands for several columns: it is only allowed in a list of \
                   result columns or of arguments";
    Error::new(codes::UNSUPPORTED_METHOD, message)
}

/// A column that an asterisk or a matcher stands for.
struct Matched {
    /// Its name in the result, which may contain the table.
    title: String,
    /// Its name without the table, to which transformers and patterns apply.
    name: String,
    /// The text of the expression that REPLACE put there; APPLY shows it.
    replaced: Option<String>,
    expr: Expr,
}

impl Matched {
    fn new(title: String, name: String, expr: Expr) -> Self {
        Self { title, name, replaced: None, expr }
    }

    /// Gives the column the value of an APPLY. Transformers behind it do not find it by its name.
    fn applied(&mut self, title: String, expr: Expr) {
        *self = Self::new(title, String::new(), expr);
    }

    /// What stands in the place of the column in the title of an APPLY.
    fn text(&self) -> &str {
        self.replaced.as_ref().unwrap_or(&self.title)
    }
}

impl<'a> Analyzer<'a> {
    /// `untuple(t)`: a result column or an argument for each element. `text` is the call.
    pub(crate) fn untuple(
        &mut self,
        text: &'a ast::Expr,
        call: &'a ast::Function,
    ) -> Result<Vec<(String, Expr)>> {
        let [arg] = &call.args[..] else {
            let message = "Function 'untuple' must have 1 argument";
            return Err(Error::new(codes::UNSUPPORTED_METHOD, message).at(text.position));
        };
        let expr = self.aliased(arg)?;
        let DataType::Tuple(tuple) = expr.ty().clone() else {
            let message = format!(
                "Function 'untuple' argument must have compound type. Actual type {}",
                expr.ty()
            );
            return Err(Error::new(codes::UNSUPPORTED_METHOD, message).at(arg.position));
        };
        let title = self.title(arg)?;
        let element = |k: usize| {
            let short = match &tuple.names {
                Some(names) => names[k].to_string(),
                None => (k + 1).to_string(),
            };
            let name = match &text.alias {
                Some(alias) => format!("{}.{short}", alias.name),
                None => format!("tupleElement({title}, '{short}')"),
            };
            let number = Expr::literal(Value::UInt(k as u64 + 1), DataType::UInt64);
            let part = bind::call("tupleElement", vec![expr.clone(), number], self.context)?;
            Ok((name, part))
        };
        (0..tuple.types.len()).map(element).collect()
    }

    /// The names and expressions of the columns that an asterisk or `COLUMNS(...)` stands for.
    pub(crate) fn expand_matcher(&mut self, expr: &'a ast::Expr) -> Result<Vec<(String, Expr)>> {
        let columns = self.matched_columns(expr)?.into_iter();
        Ok(columns.map(|column| (column.title, column.expr)).collect())
    }

    fn matched_columns(&mut self, expr: &'a ast::Expr) -> Result<Vec<Matched>> {
        let (columns, transformers) = match &expr.kind {
            ExprKind::Asterisk(transformers) => {
                (self.all_columns(&[], self.asterisk_kinds())?, transformers)
            }
            ExprKind::QualifiedAsterisk(star) => {
                (self.all_columns(&star.qualifier, self.asterisk_kinds())?, &star.transformers)
            }
            ExprKind::Columns(columns) => (self.matched(columns)?, &columns.transformers),
            _ => return Err(Error::logical("not an asterisk")),
        };
        let mut columns = columns;
        for transformer in transformers {
            self.transform(transformer, &mut columns)?;
        }
        self.grow(columns.len() as u64)?;
        Ok(columns)
    }

    /// What asterisks include, according to the settings.
    pub(crate) fn asterisk_kinds(&self) -> Kinds {
        Kinds {
            materialized: self.has_flag("asterisk_include_materialized_columns"),
            alias: self.has_flag("asterisk_include_alias_columns"),
        }
    }

    /// The columns of FROM that an asterisk stands for which includes these kinds. If no table is
    /// named, columns of USING come first, those of the last join before those of earlier ones.
    fn all_columns(&mut self, qualifier: &[Ident], kinds: Kinds) -> Result<Vec<Matched>> {
        let mut out = Vec::new();
        let mut first: Vec<(usize, Matched)> = Vec::new();
        let mut matched = false;
        for i in 0..self.scope().sources.len() {
            let source = &self.scope().sources[i];
            if source.hidden {
                continue;
            }
            if !qualifier.is_empty() && source.qualifier(qualifier) != qualifier.len() {
                continue;
            }
            matched = true;
            for column in self.scope().sources[i].asterisk(kinds) {
                let source = &self.scope().sources[i];
                let name = source.name_of(column);
                if qualifier.is_empty() && source.merged.contains(&name) {
                    continue;
                }
                let mut using = self.scope().using.iter().chain(&self.scope().starred);
                let place = using.clone().position(|(n, _)| qualifier.is_empty() && *n == name);
                // If a further table has a column of that name, it is a separate column.
                let known = |place: &usize| first.iter().any(|(p, _)| p == place);
                if let Some(place) = place.filter(|place| !known(place))
                    && let Some((_, expr)) = using.nth(place)
                {
                    let expr = expr.clone();
                    let title = name.to_string();
                    first.push((place, Matched::new(title, name.to_string(), expr)));
                    continue;
                }
                let (expr, title) = (self.column(i, column)?, self.column_title(i, column));
                out.push(Matched::new(title, name.to_string(), expr));
            }
        }
        if !matched && !qualifier.is_empty() {
            return self.tuple_elements(qualifier).map_err(|e| e.at(qualifier[0].position));
        }
        first.sort_by_key(|(place, _)| *place);
        let first = first.into_iter().map(|(_, column)| column);
        Ok(first.chain(out).collect())
    }

    /// `t.*` where `t` is a tuple or an array of tuples: its elements.
    fn tuple_elements(&mut self, name: &[Ident]) -> Result<Vec<Matched>> {
        let title = crate::identifier::dotted(name);
        let Some(whole) = self.local(name)? else {
            let message = format!("Qualified matcher {title}.* does not find table");
            return Err(Error::new(codes::UNKNOWN_IDENTIFIER, message));
        };
        let mut inner = whole.ty();
        while let Some(element) = inner.as_array() {
            inner = element;
        }
        let DataType::Tuple(tuple) = inner else {
            let message = format!(
                "Qualified matcher {title}.* found {title} with type {}. Expected a tuple or an \
                 array of tuples",
                whole.ty()
            );
            return Err(Error::new(codes::UNSUPPORTED_METHOD, message));
        };
        let mut out = Vec::with_capacity(tuple.types.len());
        for i in 0..tuple.types.len() {
            let element = match &tuple.names {
                Some(names) => names[i].to_string(),
                None => (i + 1).to_string(),
            };
            let path = [name, &[Ident::new(element.as_str())]].concat();
            let lost = || Error::logical("a tuple without an element of its type");
            let expr = self.local(&path)?.ok_or_else(lost)?;
            out.push(Matched::new(format!("{title}.{element}"), element, expr));
        }
        Ok(out)
    }

    fn matched(&mut self, columns: &'a ast::Columns) -> Result<Vec<Matched>> {
        match &columns.matcher {
            ColumnsMatcher::Regexp(pattern) => {
                let mut out = self.all_columns(&columns.qualifier, Kinds::COMPUTED)?;
                let mut keep = Vec::with_capacity(out.len());
                for column in &out {
                    keep.push(self.matches(&column.name, pattern)?);
                }
                let mut keep = keep.into_iter();
                out.retain(|_| keep.next().unwrap_or(false));
                Ok(out)
            }
            ColumnsMatcher::List(list) if !columns.qualifier.is_empty() => {
                // As in the reference, those of the table that are listed, in the table's order.
                let listed = |column: &Matched| {
                    list.iter().any(|item| match item.as_identifier() {
                        Some([name]) => name.as_str() == column.name,
                        _ => false,
                    })
                };
                let mut out = self.all_columns(&columns.qualifier, Kinds::COMPUTED)?;
                out.retain(listed);
                Ok(out)
            }
            ColumnsMatcher::List(list) => {
                let one = |a: &mut Self, item: &'a ast::Expr| -> Result<Matched> {
                    let title = a.title(item)?;
                    Ok(Matched::new(title.clone(), title, a.expr(item)?))
                };
                list.iter().map(|item| one(self, item)).collect()
            }
        }
    }

    /// Whether a name matches a regular expression, according to the function `match`.
    pub(crate) fn matches(&self, name: &str, pattern: &str) -> Result<bool> {
        let text = |s: &str| Expr::literal(Value::from(s), DataType::String);
        let result = bind::call("match", vec![text(name), text(pattern)], self.context)?;
        Ok(crate::tree::truth(&result) == Some(true))
    }

    fn transform(
        &mut self,
        transformer: &'a Transformer,
        columns: &mut Vec<Matched>,
    ) -> Result<()> {
        match transformer {
            Transformer::Except { strict, names } => {
                if *strict {
                    check_strict(names, columns)?;
                }
                columns.retain(|column| !names.iter().any(|n| n.name == column.name));
            }
            Transformer::ExceptRegexp(pattern) => {
                let mut kept = Vec::with_capacity(columns.len());
                for column in columns.drain(..) {
                    if !self.matches(&column.name, pattern)? {
                        kept.push(column);
                    }
                }
                *columns = kept;
            }
            Transformer::Replace { strict, items } => {
                if *strict {
                    let names: Vec<Ident> = items.iter().map(|(_, n)| n.clone()).collect();
                    check_strict(&names, columns)?;
                }
                for (expr, name) in items {
                    for column in columns.iter_mut().filter(|c| c.name == name.name) {
                        column.expr = self.expr(expr)?;
                        column.title.clone_from(&column.name);
                        column.replaced = Some(entasis_sql::column_name(expr));
                    }
                }
            }
            // As in the reference, the prefix has no effect on the name.
            Transformer::ApplyFunction { name, parameters, prefix: _ } => {
                for column in columns.iter_mut() {
                    let new = self.apply(name, parameters.as_deref(), column.expr.clone())?;
                    let title = match parameters {
                        None => format!("{name}({})", column.text()),
                        Some(list) => {
                            let list: Vec<String> =
                                list.iter().map(entasis_sql::column_name).collect();
                            format!("{name}({})({})", list.join(", "), column.text())
                        }
                    };
                    column.applied(title, new);
                }
            }
            Transformer::ApplyLambda(lambda) => {
                for column in columns.iter_mut() {
                    let new = self.with_params(lambda, vec![column.expr.clone()])?;
                    let param = lambda.params.first().map_or("", |p| p.as_str());
                    let mut body = lambda.body.clone();
                    crate::projection::rename(&mut body, param, &column.title);
                    column.applied(entasis_sql::column_name(&body), new);
                }
            }
        }
        Ok(())
    }

    fn apply(
        &mut self,
        name: &str,
        parameters: Option<&'a [ast::Expr]>,
        column: Expr,
    ) -> Result<Expr> {
        if parameters.is_none() && registry::find_scalar(name).is_some() {
            return bind::call(name, vec![column], self.context);
        }
        self.aggregate_over(name, parameters.unwrap_or(&[]), column)
    }
}

fn check_strict(names: &[Ident], columns: &[Matched]) -> Result<()> {
    match names.iter().find(|n| !columns.iter().any(|c| c.name == n.name)) {
        Some(name) => Err(Error::new(
            codes::BAD_ARGUMENTS,
            format!("Columns transformer expects following column(s): {}", name.name),
        )
        .at(name.position)),
        None => Ok(()),
    }
}
