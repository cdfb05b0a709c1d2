//! Table functions in FROM: those that stand for queries and tables are resolved here, and all
//! others are asked of the catalog with the values of their arguments.

use entasis_base::{Error, Result, codes};
use entasis_sql::ast::{self, ExprKind};
use entasis_types::Value;

use crate::query::From;
use crate::{Analyzer, parameters};

impl<'a> Analyzer<'a> {
    /// Resolves a table function in FROM.
    pub(crate) fn table_function(
        &mut self,
        function: &'a ast::Function,
        alias: Option<&'a str>,
        renamed: &'a [ast::Ident],
    ) -> Result<From> {
        if function.name == "viewExplain" {
            let text = self.explained(function)?;
            let table = self.catalog.explain(&text)?;
            return self.add_table(&table, None, alias, renamed);
        }
        if crate::remote::NAMES.contains(&function.name.as_str()) {
            return self.remote(function, alias, renamed);
        }
        let standard = function.name == "SQLStandardValues";
        if standard || function.name.eq_ignore_ascii_case("values") {
            let args = self.values_arguments(&function.args, standard)?;
            let table = self.catalog.table_function("values", &args)?;
            return self.add_table(&table, None, alias, renamed);
        }
        if function.name == "view" {
            return match &function.args[..] {
                [ast::Expr { kind: ExprKind::Subquery(query), .. }] => {
                    self.derived(query, alias, renamed)
                }
                _ => Err(Error::new(codes::BAD_ARGUMENTS, "view() takes one subquery")),
            };
        }
        if function.name == "viewIfPermitted" {
            return self.view_if_permitted(function, alias, renamed);
        }
        if let Some(view) = parameters::find(self.catalog, &function.name) {
            return self.view_with_parameters(&view, function, alias, renamed);
        }
        if function.name == "loop" {
            return self.looped(function, alias, renamed);
        }
        let (args, regexp) = self.table_function_values(function)?;
        if function.name == "merge" {
            return self.merge_tables(&args, regexp, alias, renamed);
        }
        let table = self.catalog.table_function(&function.name, &args)?;
        self.add_table(&table, None, alias, renamed)
    }

    /// The values of the arguments, and whether one of them is `REGEXP('...')`.
    fn table_function_values(&mut self, function: &'a ast::Function) -> Result<(Vec<Value>, bool)> {
        let (mut args, mut regexp) = (Vec::with_capacity(function.args.len()), false);
        for arg in &function.args {
            // `merge(REGEXP('databases'), 'tables')`
            let arg = match arg.as_function() {
                Some(call) if call.name.eq_ignore_ascii_case("REGEXP") && call.args.len() == 1 => {
                    regexp = true;
                    &call.args[0]
                }
                _ => arg,
            };
            if let Some(call) = arg.as_function()
                && call.name.eq_ignore_ascii_case("headers")
            {
                args.push(self.headers(call)?);
                continue;
            }
            if let Some(named) = self.named_argument(arg)? {
                args.push(named);
                continue;
            }
            args.push(match &arg.kind {
                ExprKind::Identifier(parts)
                    if !self.scope().aliases.contains_key(&*parts[0].name) =>
                {
                    Value::from(crate::identifier::dotted(parts).as_str())
                }
                _ => match self.constant(arg).map_err(|e| self.or_unknown(function, e))? {
                    Some((value, _)) => value,
                    None => {
                        let message = format!(
                            "Arguments of table function {} must be constants",
                            function.name
                        );
                        return Err(Error::new(codes::BAD_ARGUMENTS, message).at(arg.position));
                    }
                },
            });
        }
        Ok((args, regexp))
    }

    /// An argument `name = value`: a tuple of both. `None` for other arguments.
    fn named_argument(&mut self, arg: &'a ast::Expr) -> Result<Option<Value>> {
        let Some(call) = arg.as_function().filter(|call| call.name == "equals") else {
            return Ok(None);
        };
        let [name, value] = &call.args[..] else { return Ok(None) };
        let Some([name]) = name.as_identifier() else { return Ok(None) };
        if self.scope().aliases.contains_key(&*name.name) {
            return Ok(None);
        }
        let Some((value, _)) = self.constant(value)? else { return Ok(None) };
        Ok(Some(Value::Tuple([Value::from(name.as_str()), value].into())))
    }

    /// `viewIfPermitted(SELECT ... ELSE function(...))`: the query, or the table function if the
    /// user may not run the query.
    fn view_if_permitted(
        &mut self,
        function: &'a ast::Function,
        alias: Option<&'a str>,
        renamed: &'a [ast::Ident],
    ) -> Result<From> {
        let [first, other] = &function.args[..] else { return Err(not_permitted_view()) };
        let (ExprKind::Subquery(query), Some(other)) = (&first.kind, other.as_function()) else {
            return Err(not_permitted_view());
        };
        match self.query(query, Some(self.current)) {
            Err(error) if error.code() == codes::ACCESS_DENIED => {
                self.table_function(other, alias, renamed)
            }
            query => self.add_derived(query?, alias, renamed),
        }
    }

    /// The pairs of `headers('name' = 'value', ...)`, an argument of `url`.
    fn headers(&mut self, call: &'a ast::Function) -> Result<Value> {
        let mut pairs = Vec::with_capacity(call.args.len());
        for arg in &call.args {
            let sides = arg.as_function().filter(|call| call.name == "equals");
            let mut texts = Vec::with_capacity(2);
            for side in sides.map_or(&[][..], |call| &call.args[..]) {
                texts.extend(self.constant(side)?.map(|(value, _)| value));
            }
            if texts.len() != 2 {
                let message = "headers() takes pairs: headers('name'='value')";
                return Err(Error::new(codes::BAD_ARGUMENTS, message).at(arg.position));
            }
            pairs.push(Value::Tuple(texts.into()));
        }
        Ok(Value::Array(pairs.into()))
    }

    /// The error that a table function is unknown, if it is, in place of one in its arguments.
    #[cold]
    fn or_unknown(&self, function: &ast::Function, error: Error) -> Error {
        let is_unknown = |e: &Error| e.code() == codes::UNKNOWN_FUNCTION;
        let found = self.catalog.table_function(&function.name, &[]);
        found.err().filter(is_unknown).unwrap_or(error)
    }
}

#[cold]
fn not_permitted_view() -> Error {
    let message = "viewIfPermitted takes a query and a table function: viewIfPermitted(SELECT ... \
                   ELSE null('a UInt8'))";
    Error::new(codes::BAD_ARGUMENTS, message)
}
