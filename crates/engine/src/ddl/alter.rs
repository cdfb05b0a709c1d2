//! ALTER TABLE: of constraints. They stand in the table's definition; the table itself and its rows
//! stay as they are.

use std::sync::Arc;

use entasis_analyze::names::{add_hint, near};
use entasis_base::{Error, Result, codes};
use entasis_function::Facts;
use entasis_sql::ast::{self, AlterCommand};

use crate::Session;
use crate::catalog::{Entry, refuse_system};
use crate::definition::TableDefinition;
use crate::definition::constraints::{check_definition, checks_of, columns_of};

impl Session {
    /// Runs the commands of an ALTER TABLE: all of them or, if one fails, none.
    pub(crate) fn alter(&self, alter: &ast::AlterTable) -> Result<()> {
        let (database, table) = self.full_name(&alter.table);
        refuse_system(&database)?;
        let facts = self.facts(&self.settings);
        let change = |entry: &Entry| altered(entry, &alter.commands, &facts);
        self.engine.catalog.alter_table(&database, &table, change)
    }
}

/// The entry after the commands, one after the other.
fn altered(entry: &Entry, commands: &[AlterCommand], facts: &dyn Facts) -> Result<Entry> {
    check_engine(entry, commands)?;
    if entry.view.is_some() {
        let message = "ALTER is not supported by storage View: use CREATE OR REPLACE VIEW";
        return Err(Error::new(codes::NOT_IMPLEMENTED, message));
    }
    let Some(definition) = &entry.definition else {
        return Err(Error::not_implemented("ALTER of this table"));
    };
    let mut definition = TableDefinition::clone(definition);
    let constraints = &mut definition.elements.constraints;
    for command in commands {
        match command {
            AlterCommand::AddConstraint { if_not_exists, constraint } => {
                let is_new = constraints.iter().all(|c| c.name != constraint.name);
                if is_new {
                    check_definition(constraint, &entry.table.schema(), facts)?;
                    constraints.push(constraint.clone());
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
            AlterCommand::DropColumn { if_exists, name } => {
                check_drop(name.as_str(), *if_exists, entry, constraints, facts)?;
                return Err(Error::not_implemented("ALTER TABLE ... DROP COLUMN"));
            }
            _ => return Err(Error::not_implemented("Statement ALTER but of constraints")),
        }
    }
    definition.checks = checks_of(&definition.elements);
    let table = Arc::clone(&entry.table);
    Ok(Entry { table, definition: Some(Arc::new(definition)), view: None, id: entry.id })
}

/// As in the reference, constraints of tables outside the MergeTree family stay as they are made.
fn check_engine(entry: &Entry, commands: &[AlterCommand]) -> Result<()> {
    let of_constraint = |command: &AlterCommand| match command {
        AlterCommand::AddConstraint { .. } => Some("ADD_CONSTRAINT"),
        AlterCommand::DropConstraint { .. } => Some("DROP_CONSTRAINT"),
        _ => None,
    };
    match commands.iter().find_map(of_constraint) {
        Some(kind) if !entry.features().alter => {
            let engine = entry.table.engine();
            let message = format!("Alter of type '{kind}' is not supported by storage {engine}");
            Err(Error::new(codes::NOT_IMPLEMENTED, message))
        }
        _ => Ok(()),
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

/// Fails as the reference does, if there is no such column or a constraint reads it.
fn check_drop(
    name: &str,
    if_exists: bool,
    entry: &Entry,
    constraints: &[ast::ConstraintDef],
    facts: &dyn Facts,
) -> Result<()> {
    let schema = entry.table.schema();
    let Some(position) = schema.position(name) else {
        let mut message = format!("Wrong column name. Cannot find column `{name}` to drop");
        add_hint(&mut message, &near(name, schema.columns.iter().map(|c| &*c.name)));
        let error = Error::new(codes::NOT_FOUND_COLUMN_IN_BLOCK, message);
        return if if_exists { Ok(()) } else { Err(error) };
    };
    for constraint in constraints {
        if columns_of(constraint, &schema, facts)?.contains(&position) {
            let of = constraint.name.as_str();
            let message = format!(
                "Cannot drop column {name}: constraint {of} reads it; drop the constraint first"
            );
            return Err(Error::new(codes::UNKNOWN_IDENTIFIER, message));
        }
    }
    Ok(())
}
