//! ALTER TABLE of a table's definition: columns, keys, settings, indices and so on. All commands of
//! a statement are one record of the log, or none is recorded.
//!
//! The commands are applied to a [`Draft`] of the definition, one after the other. The result is
//! bound anew, as CREATE TABLE binds it, and compared with the old definition ([`checks`]): what
//! would make stored rows unreadable or unsorted is refused. No rows are written, except where
//! the storage has to convert them.

mod checks;
mod columns;
mod draft;
mod enums;
mod keys;
mod modify;
mod secondary;
mod settings;
mod target;
mod view;

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_sql::ast::{self, AlterCommand};

use self::draft::Draft;
pub(super) use self::modify::is_comment;
use super::temporary::{self, missing};
use crate::catalog::{Alteration, Entry, refuse_system};
use crate::settings::function_context::StatementContext;
use crate::statement::mutation::is_mutation;
use crate::statement::partitions::is_partition_command;
use crate::{QueryOptions, Session, settings as names};

impl Session {
    /// Runs the commands of an ALTER TABLE: all of them or, if one fails, none.
    /// Commands that move parts run after those that change the definition, and then those that
    /// change rows, as one mutation.
    pub(crate) fn alter(&mut self, alter: &ast::AlterTable, options: &QueryOptions) -> Result<()> {
        let mut alter = self.expanded_alter(alter);
        let table = self.changed_table(&alter.table, &alter.commands);
        if table != alter.table {
            alter.to_mut().table = table;
        }
        let alter = &*alter;
        let (parts, others): (Vec<AlterCommand>, Vec<AlterCommand>) =
            alter.commands.iter().cloned().partition(is_partition_command);
        let (mut rows, definition): (Vec<AlterCommand>, Vec<AlterCommand>) =
            others.into_iter().partition(is_mutation);
        if self.settings.flag(names::MATERIALIZE_TTL) && self.changes_ttl(alter, &definition) {
            rows.push(AlterCommand::MaterializeTtl { partition: None });
        }
        if !definition.is_empty() || alter.commands.is_empty() {
            self.alter_definition(alter, &definition)?;
        }
        if !parts.is_empty() {
            self.change_partitions(&alter.table, &parts, options)?;
        }
        rows.extend(without_files(&definition));
        if rows.is_empty() { Ok(()) } else { self.mutate(&alter.table, &rows, false, options) }
    }

    /// Whether commands give a table, or a column of it, another TTL.
    fn changes_ttl(&self, alter: &ast::AlterTable, commands: &[AlterCommand]) -> bool {
        let (database, table) = self.full_name(&alter.table);
        let entry = match self.temporary_table(&alter.table) {
            Some(entry) => Some(Arc::clone(entry)),
            None => self.engine.catalog.entry(&database, &table).ok(),
        };
        let Some(definition) = entry.as_ref().and_then(|entry| entry.definition.as_ref()) else {
            return false;
        };
        commands.iter().any(|command| match command {
            AlterCommand::ModifyTtl(items) => *items != definition.ttl,
            AlterCommand::ModifyColumn { column, .. } => {
                let mut known = definition.elements.columns.iter();
                let known = known.find(|known| known.name == column.name);
                column.ttl.is_some() && known.is_some_and(|known| known.ttl != column.ttl)
            }
            _ => false,
        })
    }

    fn alter_definition(
        &mut self,
        alter: &ast::AlterTable,
        commands: &[AlterCommand],
    ) -> Result<()> {
        let function_context = self.function_context(&self.settings);
        let flattens = self.settings.flag(names::FLATTEN_NESTED);
        let change = |entry: &Entry| altered(entry, commands, flattens, &function_context);
        if let Some(entry) = self.temporary_table(&alter.table) {
            if let Some(alteration) = change(entry)? {
                let entry = Arc::new(temporary::altered(entry, alteration, &function_context)?);
                self.temporary.insert(alter.table.table.name.clone(), entry);
            }
            return Ok(());
        }
        if alter.temporary {
            return Err(missing(&alter.table));
        }
        let (database, table) = self.full_name(&alter.table);
        let catalog = &self.engine.catalog;
        let entry = catalog.entry(&database, &table)?;
        if let (None, None, Some(first)) = (&entry.definition, entry.id, commands.first()) {
            return Err(unsupported(kind_of(first), entry.table.engine()));
        }
        refuse_system(&database)?;
        let columns: Vec<ast::ColumnDef> = commands.iter().filter_map(column_of).cloned().collect();
        let used = crate::catalog::dictionary::looked_up(&database, &columns);
        self.refuse_circle(&(database.clone(), table.clone()), &used)?;
        if let Some(view) = entry.view.as_ref().filter(|view| view.materialized.is_some()) {
            let new = self.altered_view(view, &database, commands)?;
            catalog.replace_view(&database, &table, view, new)?;
            super::refresher::look_again(&self.engine);
            return Ok(());
        }
        if entry.view.is_some() {
            return catalog.alter_view(&database, &table, |definition| {
                view::altered(definition, commands, &function_context)
            });
        }
        catalog.alter_table(&database, &table, change)
    }
}

/// The column that a command adds or changes.
fn column_of(command: &AlterCommand) -> Option<&ast::ColumnDef> {
    match command {
        AlterCommand::AddColumn { column, .. } | AlterCommand::ModifyColumn { column, .. } => {
            Some(column)
        }
        _ => None,
    }
}

/// The commands that remove the files of dropped indices and projections. Parts keep the files that
/// the definition no longer has until they are told.
fn without_files(definition: &[AlterCommand]) -> impl Iterator<Item = AlterCommand> + '_ {
    let drops_files = |command: &&AlterCommand| {
        matches!(command, AlterCommand::DropIndex { .. } | AlterCommand::DropProjection { .. })
    };
    definition.iter().filter(drops_files).cloned()
}

/// What the commands make of a table; `None` if they change nothing.
fn altered(
    entry: &Entry,
    commands: &[AlterCommand],
    flattens: bool,
    function_context: &StatementContext,
) -> Result<Option<Alteration>> {
    let Some(definition) = &entry.definition else {
        return Err(Error::not_implemented("ALTER of this table"));
    };
    let function_context = function_context.in_zone(definition.time_zone);
    let mut draft = Draft::new(entry, definition, flattens, &function_context);
    draft.refuse_renamed_twice(commands)?;
    for command in commands {
        draft.apply(command)?;
    }
    draft.refuse_empty()?;
    commands.iter().try_for_each(|command| draft.check_engine(command))?;
    checks::check(&draft, commands)?;
    draft.finish()
}

impl Draft<'_> {
    /// Applies one command.
    fn apply(&mut self, command: &AlterCommand) -> Result<()> {
        use AlterCommand as C;
        match command {
            C::AddColumn { if_not_exists, column, place } => {
                self.add_column(column, place.as_ref(), *if_not_exists)
            }
            C::DropColumn { if_exists, name } => self.drop_column(name.as_str(), *if_exists),
            C::ClearColumn { if_exists, name, .. } => self.clear_column(name.as_str(), *if_exists),
            C::RenameColumn { if_exists, from, to } => {
                self.rename_column(from.as_str(), to.as_str(), *if_exists)
            }
            C::CommentColumn { if_exists, name, comment } => {
                self.comment_column(name.as_str(), comment, *if_exists)
            }
            C::ModifyColumn { if_exists, column, place } => {
                self.modify_column(column, place.as_ref(), *if_exists)
            }
            C::AddEnumValues { if_exists, name, values } => {
                self.add_enum_values(name.as_str(), values, *if_exists)
            }
            C::ModifyColumnRemove { if_exists, name, property } => {
                self.remove_property(name.as_str(), property, *if_exists)
            }
            C::ModifyColumnSetting { if_exists, name, settings } => {
                self.modify_column_settings(name.as_str(), settings, *if_exists)
            }
            C::ResetColumnSetting { if_exists, name, settings } => {
                self.reset_column_settings(name.as_str(), settings, *if_exists)
            }
            C::ModifyOrderBy(key) => self.modify_order_by(key),
            C::ModifySampleBy(key) => self.modify_sample_by(key),
            C::RemoveSampleBy => self.remove_sample_by(),
            C::ModifyTtl(items) => self.modify_ttl(items),
            C::RemoveTtl => self.remove_ttl(),
            C::ModifySetting(changes) => self.modify_settings(changes),
            C::ResetSetting(names) => self.reset_settings(names),
            C::ModifyComment(comment) => {
                self.create.comment = Some(comment.clone()).filter(|c| !c.is_empty());
                self.is_changed = true;
                Ok(())
            }
            _ => self.apply_secondary(command),
        }
    }

    /// Applies a command for constraints, indices, projections or statistics.
    fn apply_secondary(&mut self, command: &AlterCommand) -> Result<()> {
        use AlterCommand as C;
        // The reference asks the engine before it looks at these commands.
        self.check_engine(command)?;
        match command {
            C::AddConstraint { if_not_exists, constraint } => {
                self.add_constraint(constraint, *if_not_exists)
            }
            C::DropConstraint { if_exists, name } => {
                self.drop_constraint(name.as_str(), *if_exists)
            }
            C::AddIndex { if_not_exists, index, place } => {
                self.add_index(index, place.as_ref(), *if_not_exists)
            }
            C::DropIndex { if_exists, name } => self.drop_index(name.as_str(), *if_exists),
            C::AddProjection { if_not_exists, projection, place } => {
                self.add_projection(projection, place.as_ref(), *if_not_exists)
            }
            C::DropProjection { if_exists, name } => {
                self.drop_projection(name.as_str(), *if_exists)
            }
            C::Statistics(command) => self.statistics(command),
            // What is kept and not built needs no work.
            C::ModifyQuery(_) | C::ModifySecurity(_) => {
                Err(unsupported(kind_of(command), self.entry.table.engine()))
            }
            _ => Err(Error::not_implemented("This command of ALTER TABLE")),
        }
    }

    /// Fails if the engine does not support a command.
    fn check_engine(&self, command: &AlterCommand) -> Result<()> {
        let features = self.entry.features();
        if features.alter {
            return Ok(());
        }
        let is_supported = match command {
            AlterCommand::AddColumn { .. }
            | AlterCommand::DropColumn { .. }
            | AlterCommand::ClearColumn { .. } => features.alter_columns,
            AlterCommand::ModifyColumn { column, place, .. } => {
                features.alter_columns || is_comment(column) && place.is_none()
            }
            AlterCommand::AddEnumValues { .. } => features.alter_columns,
            AlterCommand::ModifyColumnRemove { property, .. } => {
                features.alter_columns || property == "COMMENT"
            }
            AlterCommand::ModifyColumnSetting { .. } | AlterCommand::ResetColumnSetting { .. } => {
                features.alter_columns
            }
            AlterCommand::RenameColumn { .. } => features.renames_columns,
            AlterCommand::CommentColumn { .. } | AlterCommand::ModifyComment(_) => true,
            AlterCommand::MaterializeColumn { .. } => features.renames_columns,
            AlterCommand::ModifySetting(_) => features.renames_columns,
            _ => false,
        };
        match is_supported {
            true => Ok(()),
            false => Err(unsupported(kind_of(command), self.entry.table.engine())),
        }
    }
}

/// The error for a command that an engine does not take.
#[cold]
fn unsupported(kind: &str, engine: &str) -> Error {
    let message = format!("Alter of type '{kind}' is not supported by storage {engine}");
    Error::new(codes::NOT_IMPLEMENTED, message)
}

/// The name of a kind of command in messages.
fn kind_of(command: &AlterCommand) -> &'static str {
    use ast::StatisticsVerb as Verb;
    match command {
        AlterCommand::AddColumn { .. } => "ADD_COLUMN",
        AlterCommand::DropColumn { .. } | AlterCommand::ClearColumn { .. } => "DROP_COLUMN",
        AlterCommand::MaterializeColumn { .. } => "MATERIALIZE_COLUMN",
        AlterCommand::RenameColumn { .. } => "RENAME_COLUMN",
        AlterCommand::CommentColumn { .. } => "COMMENT_COLUMN",
        AlterCommand::ModifyOrderBy(_) => "MODIFY_ORDER_BY",
        AlterCommand::ModifySampleBy(_) => "MODIFY_SAMPLE_BY",
        AlterCommand::RemoveSampleBy => "REMOVE_SAMPLE_BY",
        AlterCommand::ModifyTtl(_) => "MODIFY_TTL",
        AlterCommand::RemoveTtl => "REMOVE_TTL",
        AlterCommand::MaterializeTtl { .. } => "MATERIALIZE_TTL",
        AlterCommand::ModifySetting(_) => "MODIFY_SETTING",
        AlterCommand::ResetSetting(_) => "RESET_SETTING",
        AlterCommand::ModifyComment(_) => "MODIFY_COMMENT",
        AlterCommand::ModifyQuery(_) => "MODIFY_QUERY",
        AlterCommand::ModifySecurity(_) => "MODIFY_SQL_SECURITY",
        AlterCommand::AddIndex { .. } => "ADD_INDEX",
        AlterCommand::DropIndex { .. } | AlterCommand::ClearIndex { .. } => "DROP_INDEX",
        AlterCommand::MaterializeIndex { .. } => "MATERIALIZE_INDEX",
        AlterCommand::AddProjection { .. } => "ADD_PROJECTION",
        AlterCommand::DropProjection { .. } | AlterCommand::ClearProjection { .. } => {
            "DROP_PROJECTION"
        }
        AlterCommand::MaterializeProjection { .. } => "MATERIALIZE_PROJECTION",
        AlterCommand::AddConstraint { .. } => "ADD_CONSTRAINT",
        AlterCommand::DropConstraint { .. } => "DROP_CONSTRAINT",
        AlterCommand::Statistics(command) => match command.verb {
            Verb::Add => "ADD_STATISTICS",
            Verb::Drop | Verb::Clear => "DROP_STATISTICS",
            Verb::Modify => "MODIFY_STATISTICS",
            Verb::Materialize => "MATERIALIZE_STATISTICS",
        },
        _ => "MODIFY_COLUMN",
    }
}
