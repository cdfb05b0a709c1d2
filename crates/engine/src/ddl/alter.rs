//! ALTER TABLE of constraints and columns. All commands of a statement are one record of the log.
//!
//! A constraint is part of the table's definition only. If columns are added, the definition is
//! bound anew, and the engine makes the next version of the table; no rows are written.

use entasis_analyze::names::{add_hint, near};
use entasis_base::{Error, Result, codes};
use entasis_function::FunctionContext;
use entasis_sql::ast::{self, AlterCommand};

use super::alter_columns::add_column;
use crate::catalog::{Entry, make, refuse_system};
use crate::definition::TableDefinition;
use crate::definition::columns::check_types;
use crate::definition::constraints::{check_definition, checks_of, columns_of};
use crate::engines::Attach;
use crate::settings::function_context::StatementContext;
use crate::{Session, settings};

impl Session {
    /// Runs the commands of an ALTER TABLE: all of them or, if one fails, none.
    pub(crate) fn alter(&self, alter: &ast::AlterTable) -> Result<()> {
        let (database, table) = self.full_name(&alter.table);
        refuse_system(&database)?;
        let function_context = self.function_context(&self.settings);
        let flattens = self.settings.flag(settings::FLATTEN_NESTED);
        let change = |entry: &Entry| altered(entry, &alter.commands, flattens, &function_context);
        self.engine.catalog.alter_table(&database, &table, change)
    }
}

/// The definition after all commands, applied one after the other. If the columns change, also the
/// way the new version of the table is made.
fn altered(
    entry: &Entry,
    commands: &[AlterCommand],
    flattens: bool,
    function_context: &StatementContext,
) -> Result<(TableDefinition, Option<Attach>)> {
    check_engine(entry, commands)?;
    if entry.view.is_some() {
        let message = "ALTER is not supported by storage View: use CREATE OR REPLACE VIEW";
        return Err(Error::new(codes::NOT_IMPLEMENTED, message));
    }
    let Some(definition) = &entry.definition else {
        return Err(Error::not_implemented("ALTER of this table"));
    };
    let mut definition = TableDefinition::clone(definition);
    let elements = &mut definition.elements;
    let (mut has_new_columns, mut added) = (false, Vec::new());
    for command in commands {
        let constraints = &mut elements.constraints;
        match command {
            AlterCommand::AddConstraint { if_not_exists, constraint } => {
                let is_new = constraints.iter().all(|c| c.name != constraint.name);
                if is_new {
                    constraints.push(constraint.clone());
                    added.push(constraint);
                } else if !if_not_exists {
                    return Err(exists(constraint));
                }
            }
            AlterCommand::DropConstraint { if_exists, name } => {
                let place = constraints.iter().position(|c| c.name == *name);
                match place {
                    Some(place) => drop(constraints.remove(place)),
                    None if *if_exists => {}
                    None => return Err(unknown(name.as_str(), constraints)),
                }
            }
            AlterCommand::AddColumn { if_not_exists, column, place } => {
                let columns = &mut elements.columns;
                if add_column(columns, column, place.as_ref(), *if_not_exists, flattens)? {
                    check_types([column], function_context)?;
                    has_new_columns = true;
                }
            }
            AlterCommand::DropColumn { if_exists, name } => {
                check_drop(name.as_str(), *if_exists, entry, constraints, function_context)?;
                return Err(Error::not_implemented("ALTER TABLE ... DROP COLUMN"));
            }
            _ => return Err(Error::not_implemented("This command of ALTER TABLE")),
        }
    }
    if has_new_columns {
        let function_context = function_context.in_zone(definition.time_zone);
        let (definition, attach) = make::checked(definition.statement(), &function_context, false)?;
        return Ok((definition, Some(attach)));
    }
    for constraint in added {
        check_definition(constraint, &definition.schema, function_context)?;
    }
    definition.checks = checks_of(&definition.elements);
    Ok((definition, None))
}

/// Fails if the engine does not support one of the commands. As in the reference, the constraints
/// of tables outside the MergeTree family cannot be changed.
fn check_engine(entry: &Entry, commands: &[AlterCommand]) -> Result<()> {
    let features = entry.features();
    let refused = |command: &AlterCommand| match command {
        AlterCommand::AddConstraint { .. } if !features.alter => Some("ADD_CONSTRAINT"),
        AlterCommand::DropConstraint { .. } if !features.alter => Some("DROP_CONSTRAINT"),
        AlterCommand::AddColumn { .. } if !features.alter_columns => Some("ADD_COLUMN"),
        _ => None,
    };
    match commands.iter().find_map(refused) {
        Some(kind) => {
            let engine = entry.table.engine();
            let message = format!("Alter of type '{kind}' is not supported by storage {engine}");
            Err(Error::new(codes::NOT_IMPLEMENTED, message))
        }
        None => Ok(()),
    }
}

fn exists(constraint: &ast::ConstraintDef) -> Error {
    let name = constraint.name.as_str();
    let message = format!("Cannot add constraint {name}: constraint with this name already exists");
    Error::new(codes::ILLEGAL_COLUMN, message)
}

fn unknown(name: &str, constraints: &[ast::ConstraintDef]) -> Error {
    let mut message = format!("Wrong constraint name. Cannot find constraint `{name}` to drop");
    add_hint(&mut message, &near(name, constraints.iter().map(|c| c.name.as_str())));
    Error::new(codes::BAD_ARGUMENTS, message)
}

/// Fails, as the reference does, if there is no such column or a constraint reads it.
fn check_drop(
    name: &str,
    if_exists: bool,
    entry: &Entry,
    constraints: &[ast::ConstraintDef],
    function_context: &dyn FunctionContext,
) -> Result<()> {
    let schema = entry.table.schema();
    let Some(position) = schema.position(name) else {
        let mut message = format!("Wrong column name. Cannot find column `{name}` to drop");
        add_hint(&mut message, &near(name, schema.columns.iter().map(|c| &*c.name)));
        let error = Error::new(codes::NOT_FOUND_COLUMN_IN_BLOCK, message);
        return if if_exists { Ok(()) } else { Err(error) };
    };
    for constraint in constraints {
        if columns_of(constraint, &schema, function_context)?.contains(&position) {
            let of = constraint.name.as_str();
            let message = format!(
                "Cannot drop column {name}: constraint {of} reads it; drop the constraint first"
            );
            return Err(Error::new(codes::UNKNOWN_IDENTIFIER, message));
        }
    }
    Ok(())
}
