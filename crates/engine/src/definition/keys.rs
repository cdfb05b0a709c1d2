//! The keys of a table, made from the clauses of CREATE TABLE: expressions over its columns.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_expr::{ColumnId, Expr};
use entasis_function::FunctionContext;
use entasis_sql::ast;
use entasis_table_api::Schema;
use entasis_types::DataType;

use super::columns::known_of;
use crate::settings::merge_tree::OfTable;

/// Keys over the stored columns of a schema; a column's id is its position. All are empty if the
/// table's engine takes no keys.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys {
    /// The sorting key, most significant first.
    pub sorting: Vec<Expr>,
    /// The primary key consists of this many expressions at the start of the sorting key.
    pub primary: usize,
    /// The partition key; `None` if there is none, so that all rows are in one partition.
    pub partition: Option<Expr>,
}

impl Keys {
    /// Binds the keys of a statement.
    pub(super) fn bind(
        storage: &ast::Storage,
        schema: &Schema,
        function_context: &dyn FunctionContext,
    ) -> Result<Self> {
        // As in the reference, a table without any key keeps rows in the order of insertion.
        let order = storage.order_by.as_deref().unwrap_or_default();
        if order.iter().any(|item| item.descending) {
            return Err(Error::not_implemented("ORDER BY ... DESC in a MergeTree key"));
        }
        let known = known_of(schema.stored());
        let settings = OfTable::new(&storage.settings);
        let nullable = settings.is_ok_and(|settings| settings.flag("allow_nullable_key"));
        let sorting = bind(order.iter().map(|item| &item.expr), &known, function_context)?;
        check_nullable(nullable, "Sorting", &sorting)?;
        let primary = match &storage.primary_key {
            Some(primary) => {
                let keys = bind(primary, &known, function_context)?;
                let is_prefix = keys.len() <= sorting.len()
                    && keys.iter().zip(&sorting).all(|(a, b)| entasis_analyze::tree::same(a, b));
                if !is_prefix {
                    let message = "Primary key must be a prefix of the sorting key";
                    return Err(Error::new(codes::BAD_ARGUMENTS, message));
                }
                keys.len()
            }
            None => sorting.len(),
        };
        let partition = storage.partition_by.as_ref();
        let partition = partition
            .map(|expr| entasis_analyze::bind_expression(expr, &known, function_context))
            .transpose()?;
        check_nullable(nullable, "Partition", partition.as_slice())?;
        Ok(Self { sorting, primary, partition })
    }

    /// Positions of the columns that the sorting key reads.
    pub(crate) fn sorting_columns(&self) -> Vec<usize> {
        positions(&self.sorting)
    }

    /// Positions of the columns that the primary key reads.
    pub(crate) fn primary_columns(&self) -> Vec<usize> {
        positions(&self.sorting[..self.primary])
    }

    /// Positions of the columns that the partition key reads.
    pub(crate) fn partition_columns(&self) -> Vec<usize> {
        positions(self.partition.as_slice())
    }

    /// Positions of the columns that the sorting key or the partition key reads.
    pub(crate) fn all_columns(&self) -> Vec<usize> {
        let mut all = self.sorting_columns();
        all.extend(self.partition_columns());
        all
    }
}

fn check_nullable(allowed: bool, key: &str, exprs: &[Expr]) -> Result<()> {
    if allowed || !exprs.iter().any(|expr| expr.ty().is_nullable()) {
        return Ok(());
    }
    let message = format!(
        "{key} key contains nullable columns, but the table's setting allow_nullable_key is 0: use \
         ifNull() or assumeNotNull() in the key, or set it to 1"
    );
    Err(Error::new(codes::ILLEGAL_COLUMN, message))
}

fn positions(exprs: &[Expr]) -> Vec<usize> {
    let mut ids: Vec<ColumnId> = Vec::new();
    exprs.iter().for_each(|e| e.columns(&mut ids));
    ids.into_iter().map(|id| id.0 as usize).collect()
}

fn bind<'a>(
    exprs: impl IntoIterator<Item = &'a ast::Expr>,
    known: &[(Arc<str>, DataType)],
    function_context: &dyn FunctionContext,
) -> Result<Vec<Expr>> {
    let mut keys = Vec::new();
    for expr in exprs {
        keys.extend(entasis_analyze::bind_key(expr, known, function_context)?);
    }
    Ok(keys)
}

/// Moves keys that are written among the columns to the engine's clauses. A table without ORDER BY
/// is ordered by its primary key.
pub(super) fn move_behind_engine(create: &mut ast::CreateTable) {
    let (elements, storage) = (&mut create.elements, &mut create.storage);
    let mut marked = Vec::new();
    for column in elements.columns.iter_mut().filter(|c| c.primary_key) {
        column.primary_key = false;
        let name = ast::ExprKind::Identifier(vec![column.name.clone()]);
        marked.push(ast::Expr::new(name, column.position));
    }
    let marked = Some(marked).filter(|keys| !keys.is_empty());
    let among_columns = elements.primary_key.take().or(marked);
    storage.primary_key = storage.primary_key.take().or(among_columns);
    if let (None, Some(key)) = (&storage.order_by, &storage.primary_key) {
        let item = |expr: &ast::Expr| ast::KeyItem { expr: expr.clone(), descending: false };
        storage.order_by = Some(key.iter().map(item).collect());
    }
}
