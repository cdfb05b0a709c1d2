//! The table that a statement changes if it names another one: an Alias stands for its table, and a
//! materialised view for the table that keeps its rows.

use entasis_sql::ast::{self, AlterCommand};
use entasis_table_api::Names;

use crate::Session;
use crate::engines::over;
use crate::statement::partitions::is_partition_command;

impl Session {
    /// The table whose rows or definition a statement changes.
    pub(crate) fn changed_table(
        &self,
        name: &ast::TableName,
        commands: &[AlterCommand],
    ) -> ast::TableName {
        self.other_table(name, commands).unwrap_or_else(|| name.clone())
    }

    fn other_table(
        &self,
        name: &ast::TableName,
        commands: &[AlterCommand],
    ) -> Option<ast::TableName> {
        if self.temporary_table(name).is_some() {
            return None;
        }
        let (database, table) = self.full_name(name);
        let entry = self.engine.catalog.entry(&database, &table).ok()?;
        let (database, table) = match (&entry.definition, &entry.view) {
            (Some(definition), _) if definition.engine.name == over::ALIAS.name => {
                let mut context = self.function_context(&self.settings);
                context.database = database;
                let args = definition.engine.args.as_deref().unwrap_or_default();
                let over = over::alias_of(args, &context).ok()?;
                let (Names::Exactly(database), Names::Exactly(table)) =
                    (over.databases, over.tables)
                else {
                    return None;
                };
                (database, table)
            }
            (_, Some(view)) if commands.iter().any(is_of_rows) => {
                view.materialized.as_ref()?.target(&database)
            }
            _ => return None,
        };
        let position = name.table.position;
        let ident = |name: String| ast::Ident { position, ..ast::Ident::new(name) };
        Some(ast::TableName { database: Some(ident(database)), table: ident(table) })
    }
}

/// Whether a command concerns the rows of a view, and not its query.
fn is_of_rows(command: &AlterCommand) -> bool {
    let changes_rows = matches!(command, AlterCommand::Delete { .. } | AlterCommand::Update { .. });
    changes_rows || is_partition_command(command)
}
