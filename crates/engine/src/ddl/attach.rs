//! ATTACH and UNDROP: bring back what DETACH and DROP took away.

use entasis_base::{Error, Result, codes};
use entasis_sql::ast::{self, ObjectKind};

use crate::Session;
use crate::settings::function_context::StatementContext;

impl Session {
    /// ATTACH without a definition, and UNDROP.
    pub(crate) fn attach(&self, attach: &ast::Attach) -> Result<()> {
        let catalog = &self.engine.catalog;
        // A table is opened in the server's time zone, as when the catalog is opened; its own is
        // in its definition.
        let function_context = StatementContext::of_engine(&self.server_context());
        match attach.object {
            ObjectKind::Database => {
                let name = attach.name.table.as_str();
                catalog.attach_database(name, attach.if_not_exists, &function_context)
            }
            _ if attach.undrop => {
                catalog.undrop_table(&self.full_name(&attach.name), &function_context)
            }
            _ => {
                let name = self.full_name(&attach.name);
                catalog.attach_table(&name, attach.if_not_exists, &function_context)
            }
        }
    }
}

/// Refuses ATTACH with a definition unless it makes a new table: one that names a UUID. The
/// definition of a detached table is the one that it had.
pub(super) fn check_attached(create: &ast::CreateTable) -> Result<()> {
    if !create.mode.attach {
        return Ok(());
    }
    if create.uuid.is_none() {
        let name = create.name.table.as_str();
        let message = format!(
            "Incorrect ATTACH TABLE query for Atomic database engine. Use one of the following \
             queries instead: ATTACH TABLE {name}, or CREATE TABLE {name} <table definition>"
        );
        return Err(Error::new(codes::INCORRECT_QUERY, message));
    }
    Ok(())
}
