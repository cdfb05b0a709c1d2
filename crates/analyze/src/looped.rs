//! The table function `loop`: the rows of a table again and again.

use entasis_base::{Error, Result, codes};
use entasis_sql::ast::{self, ExprKind};
use entasis_table_api::Role;
use entasis_types::Value;

use crate::Analyzer;
use crate::query::From;

impl<'a> Analyzer<'a> {
    /// `loop([database,] table)` or `loop(function(...))`.
    pub(crate) fn looped(
        &mut self,
        function: &'a ast::Function,
        alias: Option<&'a str>,
        renamed: &'a [ast::Ident],
    ) -> Result<From> {
        let table = match &function.args[..] {
            [ast::Expr { kind: ExprKind::Function(inner), .. }]
                if inner.name != "currentDatabase" =>
            {
                let mut args = Vec::with_capacity(inner.args.len());
                for arg in &inner.args {
                    args.extend(self.constant(arg)?.map(|(value, _)| value));
                }
                self.catalog.table_function(&inner.name, &args)?
            }
            names => {
                let mut parts = Vec::new();
                for name in names {
                    match &name.kind {
                        ExprKind::Identifier(path) => {
                            parts.extend(path.iter().map(|part| part.as_str().to_owned()));
                        }
                        _ => {
                            let value = self.constant(name)?.map(|(value, _)| value);
                            let bytes = value.as_ref().and_then(Value::as_bytes);
                            parts.extend(bytes.map(|b| String::from_utf8_lossy(b).into_owned()));
                        }
                    }
                }
                match &parts[..] {
                    [table] => self.catalog.table(None, table)?,
                    [database, table] => self.catalog.table(Some(database), table)?,
                    _ => {
                        let message = "Table function loop takes a table or a table function";
                        return Err(Error::new(codes::BAD_ARGUMENTS, message));
                    }
                }
            }
        };
        if !matches!(table.role(), Role::Rows | Role::Join(_)) {
            let error = Error::not_implemented(format!("loop of a {} table", table.engine()));
            return Err(error.append(": name the tables that it reads"));
        }
        let table = self.catalog.looped(table)?;
        self.add_table(&table, None, alias, renamed)
    }
}
