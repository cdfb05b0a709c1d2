//! Names of tables within expressions: on the right side of IN, and in `joinGet`.

use entasis_base::Result;
use entasis_expr::Expr;
use entasis_sql::ast;
use entasis_table_api::Role;
use entasis_types::{DataType, Value};

use crate::Analyzer;
use crate::query::Query;
use crate::view::Relation;

impl<'a> Analyzer<'a> {
    /// Treats the right side as a table or a common table expression, unless the name means a
    /// value. Answers its rows, and whether it is a table of the engine Set.
    pub(crate) fn named_set(&mut self, parts: &'a [ast::Ident]) -> Result<Option<(Query, bool)>> {
        let scope = self.scope();
        let is_value = scope.aliases.contains_key(parts[0].as_str())
            || scope.lambdas.iter().any(|l| l.params.iter().any(|(n, _)| *n == parts[0].name))
            || self.find_column(parts)?.is_some();
        if is_value {
            return Ok(None);
        }
        if let [name] = parts
            && let Some((scope, cte)) = self.find_cte(name.as_str())
        {
            return self.cte_query(scope, cte).map(|query| Some((query, false)));
        }
        let (database, table) = match parts {
            [table] => (None, table),
            [database, table] => (Some(database.as_str()), table),
            _ => return Ok(None),
        };
        match self.catalog.relation(database, table.as_str()) {
            Ok(found) => {
                let as_set = matches!(&found, Relation::Table(t) if matches!(t.role(), Role::Set));
                let query = self.whole_table(&found, database, table.as_str())?;
                Ok(Some((query, as_set)))
            }
            // The name is then resolved like any other, and reported as unknown.
            Err(_) => Ok(None),
        }
    }

    /// The arguments of a call. The first one of `joinGet` is the name of a table, quoted or not.
    pub(crate) fn arguments(&mut self, call: &'a ast::Function) -> Result<Vec<Expr>> {
        let [table, others @ ..] = &call.args[..] else { return Ok(Vec::new()) };
        match table.as_identifier() {
            Some(parts) if call.name.starts_with("joinGet") => {
                let name = crate::identifier::dotted(parts);
                let mut args = vec![Expr::literal(Value::from(name.as_str()), DataType::String)];
                args.extend(self.exprs(others)?);
                Ok(args)
            }
            _ => self.exprs(&call.args),
        }
    }
}
