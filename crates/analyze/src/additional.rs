//! Conditions that settings add to a query: `additional_table_filters` to the tables that it reads,
//! `additional_result_filter` to its result.
//!
//! Such a condition is analysed in a scope of its own that has one source. It therefore sees the
//! columns of the table or of the result, and neither aliases nor other tables of the query.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_expr::Expr;
use entasis_sql::ast;

use crate::query::{Body, Query};
use crate::subquery::{empty_select, new_query};
use crate::{Analyzer, bind, tree};

impl<'a> Analyzer<'a> {
    /// What the settings add as a condition on this table: named with its database, without it if
    /// it is in the current one, or by its alias.
    pub(crate) fn table_filter(
        &self,
        (database, table): &(Arc<str>, Arc<str>),
        alias: Option<&str>,
    ) -> Option<&'a ast::Expr> {
        let filters = &self.settings.table_filters;
        let is_current = **database == *self.context.database();
        let is_meant = |name: &str| {
            let full = name.strip_prefix(&**database).and_then(|rest| rest.strip_prefix('.'));
            full == Some(&**table) || (is_current && name == &**table) || alias == Some(name)
        };
        filters.iter().find(|(name, _)| is_meant(name)).map(|(_, filter)| filter)
    }

    /// The condition over the columns of the scope's last source, as conjuncts.
    pub(crate) fn filter_of_last(&mut self, filter: &'a ast::Expr) -> Result<Vec<Expr>> {
        let Some(mut source) = self.scope_mut().sources.pop() else { return Ok(Vec::new()) };
        let alias = source.alias.take();
        let (filter, mut source) = self.in_scope(None, |a| {
            a.scope_mut().sources.push(source);
            let filter = a.additional(filter)?;
            let source = a.scope_mut().sources.pop();
            Ok((filter, source.ok_or_else(|| Error::logical("a scope without its source"))?))
        })?;
        source.alias = alias;
        self.scope_mut().sources.push(source);
        Ok(filter)
    }

    /// The rows of a query for which the condition holds.
    pub(crate) fn filtered(&mut self, query: Query, filter: &'a ast::Expr) -> Result<Query> {
        let outputs = query.outputs.clone();
        self.in_scope(None, |a| {
            let from = a.add_derived(query, None, &[])?;
            let mut select = empty_select(from);
            select.filter = a.additional(filter)?;
            let column = |o: &crate::query::Output| (o.id, Expr::column(o.id, o.ty.clone()));
            select.projection = outputs.iter().map(column).collect();
            Ok(new_query(Body::Select(Box::new(select)), outputs))
        })
    }

    /// The conjuncts of a condition in the current scope.
    fn additional(&mut self, filter: &'a ast::Expr) -> Result<Vec<Expr>> {
        let clause = "an additional filter";
        self.scope_mut().no_aggregates = Some(clause);
        self.collect_aliases(filter)?;
        // Positions are those in the setting's text, and mean nothing in the statement's.
        let condition = self.aliased(filter).map_err(Error::without_position)?;
        bind::check_condition(&condition, clause)?;
        if !self.scope().array_joins.is_empty() {
            let message = "arrayJoin is not allowed in an additional filter";
            return Err(Error::new(codes::ILLEGAL_PREWHERE, message));
        }
        let mut conjuncts = Vec::new();
        tree::conjuncts(condition, &mut conjuncts);
        Ok(conjuncts)
    }
}
