//! MODIFY ORDER BY, SAMPLE BY and TTL, and their removal.

use entasis_base::{Error, Result, codes};
use entasis_sql::ast;

use super::draft::Draft;
use super::unsupported;

impl Draft<'_> {
    /// MODIFY ORDER BY. The primary key stays what it was. [`super::checks`] decides whether stored
    /// rows are in the new order.
    pub(super) fn modify_order_by(&mut self, key: &[ast::KeyItem]) -> Result<()> {
        self.need_sort_order("MODIFY_ORDER_BY")?;
        self.refuse_old_style("ALTER MODIFY ORDER BY")?;
        let storage = &mut self.create.storage;
        if storage.primary_key.is_none() && storage.order_by.as_deref() != Some(key) {
            let old = storage.order_by.iter().flatten().map(|item| item.expr.clone());
            storage.primary_key = Some(old.collect());
        }
        storage.order_by = Some(key.to_vec());
        self.change_storage();
        Ok(())
    }

    /// MODIFY SAMPLE BY.
    pub(super) fn modify_sample_by(&mut self, key: &ast::Expr) -> Result<()> {
        self.need_sort_order("MODIFY_SAMPLE_BY")?;
        self.refuse_old_style("ALTER MODIFY SAMPLE BY")?;
        self.create.storage.sample_by = Some(key.clone());
        self.change_storage();
        Ok(())
    }

    /// REMOVE SAMPLE BY.
    pub(super) fn remove_sample_by(&mut self) -> Result<()> {
        if self.create.storage.sample_by.take().is_none() {
            let message = "Table doesn't have SAMPLE BY, cannot remove";
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        self.change_storage();
        Ok(())
    }

    /// MODIFY TTL. [`crate::engines::check`] refuses it, as it refuses the TTL of CREATE TABLE.
    pub(super) fn modify_ttl(&mut self, items: &[ast::TtlItem]) -> Result<()> {
        self.refuse_old_style("ALTER MODIFY TTL")?;
        self.create.storage.ttl = items.to_vec();
        self.refuse_ttl()?;
        self.change_storage();
        Ok(())
    }

    /// REMOVE TTL.
    pub(super) fn remove_ttl(&mut self) -> Result<()> {
        if self.create.storage.ttl.is_empty() {
            let message = "Table doesn't have any table TTL expression, cannot remove";
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        self.create.storage.ttl.clear();
        self.change_storage();
        Ok(())
    }

    /// Fails as CREATE TABLE does if the engine takes no TTL.
    fn refuse_ttl(&self) -> Result<()> {
        let engine = crate::engines::of_statement(&self.create)?;
        crate::engines::check(engine, &self.create)
    }

    /// Fails for a table whose keys stand among the arguments of its engine.
    pub(super) fn refuse_old_style(&self, what: &str) -> Result<()> {
        if !self.old.is_old_style {
            return Ok(());
        }
        let message = format!(
            "{what} is not supported for default-partitioned tables created with the old syntax: \
             make a table with ORDER BY, and INSERT the rows into it"
        );
        Err(Error::new(codes::BAD_ARGUMENTS, message))
    }

    fn need_sort_order(&self, kind: &str) -> Result<()> {
        if self.entry.features().sort_order.is_there() {
            return Ok(());
        }
        Err(unsupported(kind, self.entry.table.engine()))
    }
}
