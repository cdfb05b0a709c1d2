//! INSERT INTO FUNCTION remote(...): the rows go into the table of this server that it means.

use entasis_analyze::remote;
use entasis_base::{Error, Result, codes};
use entasis_sql::ast::{self, InsertTarget, TableExprKind};

use crate::{Session, Settings};

impl Session {
    /// The table that `remote` and its relatives mean.
    pub(super) fn remote_target(
        &self,
        function: &ast::Function,
        settings: &Settings,
    ) -> Result<InsertTarget> {
        let function_context = self.function_context(settings);
        let mut text = |arg: &ast::Expr| -> Result<Option<String>> {
            let value = entasis_analyze::bind_expression(arg, &[], &function_context)?.constant();
            let bytes = value.as_ref().and_then(|value| value.as_bytes());
            Ok(bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned()))
        };
        let found = remote::resolve(function, &self.database, &mut text)?;
        if found.shards > 1 {
            let message = format!(
                "Table function {} with more than one shard has no sharding key: INSERT into one \
                 address",
                function.name
            );
            return Err(Error::new(codes::STORAGE_REQUIRES_PARAMETER, message));
        }
        match found.table {
            TableExprKind::Table(name) => Ok(InsertTarget::Table(name)),
            TableExprKind::Function(function) => Ok(InsertTarget::Function(function)),
            _ => Err(Error::not_implemented("INSERT into a query (name a table instead)")),
        }
    }
}
