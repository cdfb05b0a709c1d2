//! CREATE FUNCTION, and the place of such functions in definitions: tables and views keep what a
//! function stands for when they are created, and do not change with it.

use std::borrow::Cow;
use std::sync::Arc;

use entasis_base::Result;
use entasis_sql::{ast, expand_in_expr, expand_in_query};

use crate::Session;
use crate::catalog::functions::SqlFunctions;

impl Session {
    /// CREATE FUNCTION.
    pub(crate) fn create_function(&self, create: &ast::CreateFunction) -> Result<()> {
        self.engine.catalog.create_function(create)
    }

    /// Replaces the calls of users' functions in the definition of a table.
    pub(super) fn expand_functions(&self, create: &mut ast::CreateTable) {
        let functions = self.engine.catalog.sql_functions();
        if functions.is_empty() {
            return;
        }
        self.expand_in_columns(&mut create.elements.columns);
        let find = |name: &str| lambda_of(&functions, name);
        let elements = &mut create.elements;
        let constraints = elements.constraints.iter_mut().map(|c| &mut c.expr);
        let indices = elements.indices.iter_mut().map(|i| &mut i.expr);
        let keys = elements.primary_key.iter_mut().flatten();
        constraints.chain(indices).chain(keys).for_each(|expr| expand_in_expr(expr, &find));
        let storage = &mut create.storage;
        let order = storage.order_by.iter_mut().flatten().map(|item| &mut item.expr);
        let primary = storage.primary_key.iter_mut().flatten();
        let ttl = storage.ttl.iter_mut().map(|item| &mut item.expr);
        let single = storage.partition_by.iter_mut().chain(&mut storage.sample_by);
        order.chain(primary).chain(ttl).chain(single).for_each(|expr| expand_in_expr(expr, &find));
    }

    /// Replaces the calls of users' functions in the defaults of columns.
    pub(super) fn expand_in_columns<'c>(
        &self,
        columns: impl IntoIterator<Item = &'c mut ast::ColumnDef>,
    ) {
        let functions = self.engine.catalog.sql_functions();
        if functions.is_empty() {
            return;
        }
        let find = |name: &str| lambda_of(&functions, name);
        for column in columns {
            let default = column.default.iter_mut().filter_map(|default| default.expr.as_mut());
            default.chain(&mut column.ttl).for_each(|expr| expand_in_expr(expr, &find));
        }
    }

    /// An ALTER in which the calls of users' functions are replaced.
    pub(crate) fn expanded_alter<'s>(
        &self,
        alter: &'s ast::AlterTable,
    ) -> Cow<'s, ast::AlterTable> {
        if self.engine.catalog.sql_functions().is_empty() {
            return Cow::Borrowed(alter);
        }
        let mut alter = alter.clone();
        self.expand_in_columns(alter.commands.iter_mut().filter_map(|command| match command {
            ast::AlterCommand::AddColumn { column, .. }
            | ast::AlterCommand::ModifyColumn { column, .. } => Some(column),
            _ => None,
        }));
        Cow::Owned(alter)
    }

    /// Replaces the calls of users' functions in the query of a view.
    pub(super) fn expand_in_view(&self, query: &mut ast::Query) {
        let functions = self.engine.catalog.sql_functions();
        if !functions.is_empty() {
            expand_in_query(query, &|name: &str| lambda_of(&functions, name));
        }
    }
}

fn lambda_of(functions: &SqlFunctions, name: &str) -> Option<Arc<ast::Lambda>> {
    functions.get(name).map(|function| Arc::clone(&function.lambda))
}
