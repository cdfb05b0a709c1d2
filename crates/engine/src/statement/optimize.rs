//! OPTIMIZE TABLE: merges parts at once.

use entasis_base::{Error, Result, codes};
use entasis_sql::ast;
use entasis_table_api::MergeRequest;

use crate::definition::TableDefinition;
use crate::definition::family::plain_name;
use crate::settings::merge_tree::OfTable;
use crate::statement::partition::partition_of;
use crate::{QueryOptions, Session};

impl Session {
    pub(crate) fn optimize(&self, optimize: &ast::Optimize, options: &QueryOptions) -> Result<()> {
        let (database, table) = self.full_name(&optimize.table);
        let entry = self.engine.catalog.entry(&database, &table)?;
        if optimize.dry_run.is_some() {
            check_dry_run(optimize, entry.features().parts)?;
        }
        let rehearsed = optimize.dry_run.clone();
        let mut request =
            MergeRequest { all: optimize.is_final, rehearsed, ..MergeRequest::default() };
        if let Some(definition) = &entry.definition {
            let function_context = self.function_context(&self.settings);
            let partition = optimize.partition.as_ref();
            let id = |partition| partition_of(&*entry.table, partition, &function_context);
            request.partition = partition.map(id).transpose()?;
            if optimize.cleanup {
                check_cleanup(definition)?;
                request.cleanup = true;
            }
            if optimize.deduplicate {
                request.distinct = Some(self.distinct_columns(optimize, definition)?);
            }
        }
        let context = self.context(&self.settings, options);
        let own = entry.view.as_ref().and_then(|view| view.materialized.as_ref());
        if own.is_some() {
            let Some((_, inner)) = self.engine.catalog.inner_of(&database, &entry) else {
                let message = "MATERIALIZED VIEW targets an existing table: execute the statement \
                               directly on it";
                return Err(Error::new(codes::INCORRECT_QUERY, message));
            };
            return inner.table.merge(&request, &context);
        }
        entry.table.merge(&request, &context)
    }

    /// Positions of the columns in which rows are to differ.
    fn distinct_columns(
        &self,
        optimize: &ast::Optimize,
        definition: &TableDefinition,
    ) -> Result<Vec<usize>> {
        let stored = definition.schema.stored();
        if optimize.deduplicate_by.is_empty() {
            return Ok((0..stored.len()).collect());
        }
        // The columns that asterisks and COLUMNS stand for are those that SELECT has.
        let items = optimize.deduplicate_by.iter().map(entasis_sql::format_expr);
        let list = items.collect::<Vec<_>>().join(", ");
        let (database, table) = self.full_name(&optimize.table);
        let quoted = |name: &str| format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`"));
        let sql = format!("SELECT {list} FROM {}.{}", quoted(&database), quoted(&table));
        let statement = entasis_sql::parse_statement(&sql)?;
        let ast::StatementKind::Query(query) = &statement.kind else {
            return Err(Error::logical("A SELECT is no query"));
        };
        let no_column = |error: Error| match error.code() {
            codes::UNKNOWN_IDENTIFIER => {
                Error::new(codes::NO_SUCH_COLUMN_IN_TABLE, error.message().to_string())
            }
            _ => error,
        };
        let context = self.function_context(&self.settings);
        let analyzed = self.analyze(query, &self.settings, &context).map_err(no_column)?;
        let mut chosen = Vec::new();
        for output in &analyzed.outputs {
            let position = definition.schema.position(&output.name);
            let Some(position) = position.filter(|position| *position < stored.len()) else {
                let message = format!(
                    "There is no column with name `{}` in table {database}.{table}: \
                     DEDUPLICATE BY takes names of stored columns",
                    output.name
                );
                return Err(Error::new(codes::NO_SUCH_COLUMN_IN_TABLE, message));
            };
            chosen.push(position);
        }
        for position in definition.keys.all_columns() {
            if !chosen.contains(&position) {
                let message = format!(
                    "DEDUPLICATE BY expression must include all columns used in table's ORDER BY, \
                     PRIMARY KEY, or PARTITION BY but '{}' is missing",
                    stored[position].name
                );
                return Err(Error::new(codes::THERE_IS_NO_COLUMN, message));
            }
        }
        Ok(chosen)
    }
}

/// Refuses what cannot be tried without effect.
fn check_dry_run(optimize: &ast::Optimize, has_parts: bool) -> Result<()> {
    let bad = |message: &str| Err(Error::new(codes::BAD_ARGUMENTS, message));
    if !has_parts {
        return bad("OPTIMIZE DRY RUN is only supported for MergeTree family tables");
    }
    if optimize.partition.is_some() {
        return bad("OPTIMIZE DRY RUN is incompatible with PARTITION: name its parts");
    }
    if optimize.is_final {
        return bad("OPTIMIZE DRY RUN is incompatible with FINAL: leave it out");
    }
    Ok(())
}

fn check_cleanup(definition: &TableDefinition) -> Result<()> {
    if plain_name(&definition.engine.name) != "ReplacingMergeTree" {
        let message = "Cannot OPTIMIZE with CLEANUP table: only ReplacingMergeTree can be CLEANUP";
        return Err(Error::new(codes::CANNOT_ASSIGN_OPTIMIZE, message));
    }
    let setting = "allow_experimental_replacing_merge_with_cleanup";
    if !OfTable::new(&definition.settings)?.flag(setting) {
        let message = format!(
            "Experimental merges with CLEANUP are not allowed: create the table with SETTINGS \
             {setting} = 1"
        );
        return Err(Error::new(codes::SUPPORT_IS_DISABLED, message));
    }
    Ok(())
}
