//! Common table expressions. Each use is analysed anew, so that it has columns of its own. The uses
//! of one expression are known to `plan`, which may compute the rows once for all of them.

use entasis_base::Result;
use entasis_sql::ast;

use crate::Analyzer;
use crate::query::{CteUse, Query, SharedUse};
use crate::scope::Cte;

impl<'a> Analyzer<'a> {
    /// Finds the common table expression `name`, and the scope that defines it.
    pub(crate) fn find_cte(&self, name: &str) -> Option<(usize, Cte<'a>)> {
        let mut at = Some(self.current);
        while let Some(scope) = at {
            let level = &self.scopes[scope];
            let found =
                level.ctes.iter().rev().find(|c| {
                    c.name == name && !self.busy_ctes.contains(&std::ptr::from_ref(c.query))
                });
            if let Some(cte) = found {
                return Some((scope, *cte));
            }
            at = level.parent;
        }
        None
    }

    /// Analyses a common table expression anew for one of its uses.
    pub(crate) fn cte_query(&mut self, scope: usize, cte: Cte<'a>) -> Result<Query> {
        let (parameters, first) = (self.parameters_read, self.subqueries.len());
        self.busy_ctes.push(std::ptr::from_ref(cte.query));
        let result = match cte.query {
            ast::Query::SetOperation(operation) if cte.recursive => {
                self.recursive(scope, cte, operation)
            }
            other => self.query(other, Some(scope)),
        };
        self.busy_ctes.pop();
        let mut query = result?;
        if self.parameters_read == parameters {
            query.shared = Some(self.use_of(scope, cte, first));
        }
        Ok(query)
    }

    /// Notes a use of a common table expression, whose subqueries start at `first`.
    fn use_of(&mut self, scope: usize, cte: Cte<'a>, first: usize) -> SharedUse {
        let serial = self.scopes[scope].serial;
        let key = (std::ptr::from_ref(cte.query), serial, std::ptr::from_ref(self.settings));
        let known = self.known_ctes.iter().position(|known| *known == key);
        let cte = known.unwrap_or_else(|| {
            self.known_ctes.push(key);
            self.known_ctes.len() - 1
        });
        let subqueries = first..self.subqueries.len();
        self.cte_uses.push(CteUse { cte, subqueries });
        SharedUse { cte, at: self.cte_uses.len() - 1 }
    }
}
