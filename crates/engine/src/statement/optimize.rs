//! OPTIMIZE TABLE: merges parts at once.

use entasis_base::{Error, Result, codes};
use entasis_sql::ast;

use crate::{QueryOptions, Session};

impl Session {
    pub(crate) fn optimize(&self, optimize: &ast::Optimize, options: &QueryOptions) -> Result<()> {
        let (database, table) = self.full_name(&optimize.table);
        let entry = self.engine.catalog.entry(&database, &table)?;
        if optimize.deduplicate {
            let message = "OPTIMIZE ... DEDUPLICATE is not implemented in Entasis yet: make a table \
                           of the same columns, fill it by INSERT INTO new SELECT * FROM old \
                           LIMIT 1 BY columns, and EXCHANGE TABLES old AND new; or use a \
                           ReplacingMergeTree";
            return Err(Error::new(codes::NOT_IMPLEMENTED, message));
        }
        if optimize.cleanup {
            let message = "OPTIMIZE ... CLEANUP is not implemented in Entasis yet: leave it out, \
                           merges drop no rows for good";
            return Err(Error::new(codes::NOT_IMPLEMENTED, message));
        }
        if optimize.dry_run {
            let message = "OPTIMIZE ... DRY RUN is not implemented in Entasis yet: look at \
                           system.parts instead";
            return Err(Error::new(codes::NOT_IMPLEMENTED, message));
        }
        let context = self.context(&self.settings, options);
        entry.table.optimize(optimize.is_final, &context)
    }
}
