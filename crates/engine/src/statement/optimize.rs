//! OPTIMIZE TABLE: merges parts at once.

use entasis_base::{Error, Result};
use entasis_sql::ast;

use crate::{QueryOptions, Session};

impl Session {
    pub(crate) fn optimize(&self, optimize: &ast::Optimize, options: &QueryOptions) -> Result<()> {
        let (database, table) = self.full_name(&optimize.table);
        let entry = self.engine.catalog.entry(&database, &table)?;
        if optimize.deduplicate {
            let error = Error::not_implemented("OPTIMIZE ... DEDUPLICATE");
            return Err(error.append(
                ": create a table with the same columns, fill it with INSERT INTO new SELECT * \
                 FROM old LIMIT 1 BY columns, then EXCHANGE TABLES old AND new; or use a \
                 ReplacingMergeTree",
            ));
        }
        if optimize.cleanup {
            let error = Error::not_implemented("OPTIMIZE ... CLEANUP");
            return Err(error.append(": leave it out; merges do not remove deleted rows"));
        }
        if optimize.dry_run {
            let error = Error::not_implemented("OPTIMIZE ... DRY RUN");
            return Err(error.append(": look at system.parts to see which parts there are"));
        }
        let context = self.context(&self.settings, options);
        entry.table.optimize(optimize.is_final, &context)
    }
}
