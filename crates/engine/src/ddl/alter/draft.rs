//! The definition of a table while the commands of an ALTER are applied to it.

use std::collections::HashSet;

use entasis_analyze::names::{add_hint, near};
use entasis_base::{Error, Result, codes};
use entasis_sql::ast::{self, AlterCommand};

use crate::catalog::{Alteration, Entry, make};
use crate::definition::{TableDefinition, codecs};
use crate::engines::check_sampling;
use crate::engines::{Lineage, projections};
use crate::settings::function_context::StatementContext;
use crate::settings::merge_tree::OfTable;

/// A definition that is being changed.
pub(super) struct Draft<'a> {
    pub(super) entry: &'a Entry,
    /// The definition before the statement.
    pub(super) old: &'a TableDefinition,
    /// The definition after the commands so far.
    pub(super) create: ast::CreateTable,
    /// For each column of `create`, the column of the old definition whose values it continues.
    pub(super) origins: Vec<Option<String>>,
    /// Names of columns that a MODIFY of this statement has changed.
    pub(super) modified: HashSet<String>,
    /// Old and new names of columns that this statement renames.
    pub(super) renamed: HashSet<String>,
    /// Names of columns that this statement clears. As in the reference, later commands do not find
    /// them.
    pub(super) cleared: HashSet<String>,
    /// Whether anything is changed: a statement whose IF EXISTS and IF NOT EXISTS leave nothing to
    /// do is not recorded.
    pub(super) is_changed: bool,
    /// Whether the storage has to know: columns, keys or settings are changed.
    pub(super) concerns_storage: bool,
    /// Whether Nested columns are replaced by their arrays.
    pub(super) flattens: bool,
    pub(super) function_context: &'a StatementContext,
}

impl<'a> Draft<'a> {
    pub(super) fn new(
        entry: &'a Entry,
        old: &'a TableDefinition,
        flattens: bool,
        function_context: &'a StatementContext,
    ) -> Self {
        let create = old.statement();
        let origins = create.elements.columns.iter().map(|c| Some(c.name.name.clone())).collect();
        Self {
            entry,
            old,
            create,
            origins,
            modified: HashSet::new(),
            renamed: HashSet::new(),
            cleared: HashSet::new(),
            is_changed: false,
            concerns_storage: false,
            flattens,
            function_context,
        }
    }

    /// The columns so far.
    pub(super) fn columns(&self) -> &[ast::ColumnDef] {
        &self.create.elements.columns
    }

    /// The place of a column.
    pub(super) fn place_of(&self, name: &str) -> Option<usize> {
        if self.cleared.contains(name) {
            return None;
        }
        self.columns().iter().position(|column| column.name.as_str() == name)
    }

    /// The column of a name, which a command is about to change; `None` if it does not exist and
    /// the command says IF EXISTS. `message` and `purpose` are parts of the error.
    pub(super) fn change_column(
        &mut self,
        name: &str,
        if_exists: bool,
        (message, purpose): (&str, &str),
    ) -> Result<Option<&mut ast::ColumnDef>> {
        let Some(place) = self.place_of(name) else {
            let missing = self.missing(name, message, purpose);
            return if if_exists { Ok(None) } else { Err(missing) };
        };
        self.change_storage();
        Ok(Some(&mut self.create.elements.columns[place]))
    }

    /// The error for a column that does not exist.
    #[cold]
    pub(super) fn missing(&self, name: &str, message: &str, purpose: &str) -> Error {
        let mut message = format!("{message}. Cannot find column `{name}` to {purpose}");
        add_hint(&mut message, &near(name, self.columns().iter().map(|c| c.name.as_str())));
        Error::new(codes::NOT_FOUND_COLUMN_IN_BLOCK, message)
    }

    /// Notes a change that the storage has to know.
    pub(super) fn change_storage(&mut self) {
        (self.is_changed, self.concerns_storage) = (true, true);
    }

    /// Fails if no column is left. As in the reference, cleared ones do not count.
    pub(super) fn refuse_empty(&self) -> Result<()> {
        let is_left = |c: &ast::ColumnDef| !self.cleared.contains(c.name.as_str());
        if self.columns().iter().any(is_left) {
            return Ok(());
        }
        Err(Error::new(codes::BAD_ARGUMENTS, "Cannot DROP or CLEAR all columns"))
    }

    /// Fails for renames that depend on the order in which they are done.
    pub(super) fn refuse_renamed_twice(&self, commands: &[AlterCommand]) -> Result<()> {
        let rename = |command: &'_ AlterCommand| match command {
            AlterCommand::RenameColumn { from, to, .. } => {
                Some((from.name.clone(), to.name.clone()))
            }
            _ => None,
        };
        let renames: Vec<(String, String)> = commands.iter().filter_map(rename).collect();
        for (at, (from, to)) in renames.iter().enumerate() {
            for (later, _) in &renames[at + 1..] {
                if later == to {
                    let message = "Transitive renames in a single ALTER query are not allowed \
                                   (don't make sense)";
                    return Err(Error::new(codes::NOT_IMPLEMENTED, message));
                }
                if later == from {
                    let message = format!(
                        "Cannot rename column '{from}' to two different names in a single ALTER query"
                    );
                    return Err(Error::new(codes::BAD_ARGUMENTS, message));
                }
            }
        }
        Ok(())
    }

    /// Binds the new definition; `None` if nothing has changed.
    pub(super) fn finish(self) -> Result<Option<Alteration>> {
        if !self.is_changed {
            return Ok(None);
        }
        let names = self.create.elements.columns.iter().map(|c| c.name.name.clone());
        let lineage: Lineage = names.zip(self.origins).collect();
        let (definition, attach) = make::checked(self.create, self.function_context, false)?;
        codecs::check(&definition.schema, Some(&self.old.schema), self.function_context)?;
        if self.concerns_storage {
            projections::check_altered(&definition, self.old, self.function_context)?;
        }
        if definition.sample_by != self.old.sample_by {
            check_sampling(&definition, &OfTable::new(&definition.settings)?)?;
        }
        let attach = self.concerns_storage.then_some(attach);
        Ok(Some(Alteration { definition, attach, lineage }))
    }
}
