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
    /// Which of them are DESC.
    pub descending: Arc<[bool]>,
    /// The primary key consists of this many expressions at the start of the sorting key.
    pub primary: usize,
    /// The partition key; `None` if there is none, so that all rows are in one partition.
    pub partition: Option<Expr>,
    /// The sampling key, which is one of the primary key's expressions.
    pub sampling: Option<Expr>,
}

impl Keys {
    /// Binds the keys of a statement. `added` is a column that the engine adds to the sorting key.
    pub(super) fn bind(
        storage: &ast::Storage,
        added: Option<&str>,
        schema: &Schema,
        function_context: &dyn FunctionContext,
    ) -> Result<Self> {
        // As in the reference, a table without any key keeps rows in the order of insertion.
        let order = storage.order_by.as_deref().unwrap_or_default();
        let known = known_of(schema.stored());
        let settings = OfTable::new(&storage.settings);
        let nullable = settings.is_ok_and(|settings| settings.flag("allow_nullable_key"));
        let (mut sorting, mut descending) = (Vec::new(), Vec::new());
        for item in order {
            let bound = entasis_analyze::bind_key(&item.expr, &known, function_context)?;
            descending.resize(descending.len() + bound.len(), item.descending);
            sorting.extend(bound);
        }
        check_nullable(nullable, "Sorting", &sorting)?;
        let primary = match &storage.primary_key {
            // Engines without an order have only this key.
            Some(primary) if storage.order_by.is_none() => {
                sorting = bind(primary, &known, function_context)?;
                sorting.len()
            }
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
        if let Some(position) = added.and_then(|name| schema.position(name))
            && !positions(&sorting).contains(&position)
        {
            let ty = schema.columns[position].ty.clone();
            sorting.push(Expr::column(ColumnId(position as u32), ty));
        }
        let partition = storage.partition_by.as_ref();
        let partition = partition
            .map(|expr| entasis_analyze::bind_expression(expr, &known, function_context))
            .transpose()?;
        check_nullable(nullable, "Partition", partition.as_slice())?;
        let sampling = storage.sample_by.as_ref();
        let sampling = sampling
            .map(|expr| entasis_analyze::bind_expression(expr, &known, function_context))
            .transpose()?;
        Ok(Self { sorting, descending: descending.into(), primary, partition, sampling })
    }

    /// The partition key as a tuple, even if it is one value.
    pub(crate) fn partition_value(&self, context: &dyn FunctionContext) -> Result<Option<Expr>> {
        let Some(key) = &self.partition else { return Ok(None) };
        if matches!(key.ty(), DataType::Tuple(_)) {
            return Ok(Some(key.clone()));
        }
        entasis_analyze::bind::call("tuple", vec![key.clone()], context).map(Some)
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

    /// Positions of the columns that the sampling key reads.
    pub(crate) fn sampling_columns(&self) -> Vec<usize> {
        positions(self.sampling.as_slice())
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
/// is ordered by its primary key, or by nothing, unless its engine keeps it `without_order`.
pub(super) fn move_behind_engine(create: &mut ast::CreateTable, without_order: bool) -> Result<()> {
    let (elements, storage) = (&mut create.elements, &mut create.storage);
    let mut marked = Vec::new();
    for column in elements.columns.iter_mut().filter(|c| c.primary_key) {
        column.primary_key = false;
        let name = ast::ExprKind::Identifier(vec![column.name.clone()]);
        marked.push(ast::Expr::new(name, column.position));
    }
    let marked = match marked.len() {
        0 => None,
        1 => {
            // The reference shows the key of one such column as a tuple.
            let position = marked[0].position;
            let tuple = ast::ExprKind::Function(Box::new(ast::Function::new("tuple", marked)));
            Some(vec![ast::Expr::new(tuple, position)])
        }
        _ => Some(marked),
    };
    let own = elements.primary_key.take();
    let given = [&own, &marked, &storage.primary_key].iter().filter(|key| key.is_some()).count();
    if given > 1 {
        let message = "Multiple primary keys are not allowed: write one of them";
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    let among_columns = own.or(marked);
    storage.primary_key = storage.primary_key.take().or(among_columns);
    if without_order || storage.order_by.is_some() {
        return Ok(());
    }
    let item = |expr: &ast::Expr| ast::KeyItem { expr: expr.clone(), descending: false };
    storage.order_by = Some(storage.primary_key.iter().flatten().map(item).collect());
    Ok(())
}
