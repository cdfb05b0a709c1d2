//! ADD, DROP, CLEAR, RENAME and COMMENT of columns. None of them writes rows: storage knows columns
//! by numbers that are never used twice.

use entasis_analyze::names::{add_hint, near};
use entasis_base::{Error, Result, codes};
use entasis_sql::ast::{self, ColumnDef, ColumnPlace, Ident};
use entasis_sql::{is_of_column, names_in, rename_column};
use entasis_types::DataType;

use super::draft::Draft;
use crate::definition::columns::check_types;
use crate::definition::nested;

impl Draft<'_> {
    /// ADD COLUMN: inserts a column at its place in the order of CREATE TABLE, or the arrays of a
    /// Nested column.
    pub(super) fn add_column(
        &mut self,
        column: &ColumnDef,
        place: Option<&ColumnPlace>,
        if_not_exists: bool,
    ) -> Result<()> {
        let name = column.name.as_str();
        if self.columns().iter().any(|known| is_of_column(known.name.as_str(), name)) {
            if if_not_exists {
                return Ok(());
            }
            let message =
                format!("Cannot add column `{name}`: column with this name already exists");
            return Err(Error::new(codes::DUPLICATE_COLUMN, message).at(column.position));
        }
        check_added(column)?;
        check_types([column], self.function_context)?;
        let at = match place {
            None => self.columns().len(),
            Some(ColumnPlace::First) => 0,
            Some(ColumnPlace::After(other)) => place_after(self.columns(), other)?,
        };
        let added = std::slice::from_ref(column);
        let added = if self.flattens { nested::flatten(added)? } else { added.to_vec() };
        self.origins.splice(at..at, added.iter().map(|_| None));
        self.create.elements.columns.splice(at..at, added);
        self.change_storage();
        Ok(())
    }

    /// DROP COLUMN of a column or of all arrays of a Nested structure.
    pub(super) fn drop_column(&mut self, name: &str, if_exists: bool) -> Result<()> {
        let dropped = self.group(name);
        if dropped.is_empty() {
            let missing = self.missing(name, "Wrong column name", "drop");
            return if if_exists { Ok(()) } else { Err(missing) };
        }
        for column in self.columns() {
            let Some(expr) = column.default.as_ref().and_then(|d| d.expr.as_ref()) else {
                continue;
            };
            let own = column.name.as_str();
            if dropped.iter().any(|name| name == own) {
                continue;
            }
            if let Some(read) = dropped.iter().find(|name| reads(expr, name)) {
                let message =
                    format!("Cannot drop column `{read}`, because column `{own}` depends on it");
                return Err(Error::new(codes::ILLEGAL_COLUMN, message));
            }
        }
        for name in &dropped {
            let Some(place) = self.place_of(name) else { continue };
            self.create.elements.columns.remove(place);
            self.origins.remove(place);
        }
        self.change_storage();
        Ok(())
    }

    /// CLEAR COLUMN: all rows get the default value. The column starts anew, with another number.
    pub(super) fn clear_column(&mut self, name: &str, if_exists: bool) -> Result<()> {
        let cleared = self.group(name);
        if cleared.is_empty() {
            let missing = self.missing(name, "Wrong column name", "drop");
            return if if_exists { Ok(()) } else { Err(missing) };
        }
        for name in cleared {
            if let Some(place) = self.place_of(&name) {
                self.origins[place] = None;
            }
            self.cleared.insert(name);
        }
        self.change_storage();
        Ok(())
    }

    /// RENAME COLUMN, also where the definition names it.
    pub(super) fn rename_column(&mut self, from: &str, to: &str, if_exists: bool) -> Result<()> {
        let columns = self.columns();
        let is_part = |c: &ColumnDef| {
            c.name.as_str().strip_prefix(from).is_some_and(|rest| rest.starts_with('.'))
        };
        if columns.iter().any(is_part) {
            let message = "Cannot rename whole Nested struct: rename its columns one by one";
            return Err(Error::new(codes::NOT_IMPLEMENTED, message));
        }
        let Some(place) = self.place_of(from) else {
            let missing = self.missing(from, "Wrong column name", "rename");
            return if if_exists { Ok(()) } else { Err(missing) };
        };
        if columns.iter().any(|c| c.name.as_str() == to) {
            let message = format!("Cannot rename to `{to}`: column with this name already exists");
            return Err(Error::new(codes::DUPLICATE_COLUMN, message));
        }
        if self.modified.contains(from) {
            return Err(renamed_and_modified(from));
        }
        check_groups(from, to)?;
        self.renamed.extend([from.to_owned(), to.to_owned()]);
        let elements = &mut self.create.elements;
        elements.columns[place].name = Ident::new(to);
        for column in &mut elements.columns {
            let default = column.default.as_mut().and_then(|default| default.expr.as_mut());
            for expr in default.into_iter().chain(&mut column.ttl) {
                rename_column(expr, from, to);
            }
        }
        elements.constraints.iter_mut().for_each(|c| rename_column(&mut c.expr, from, to));
        elements.indices.iter_mut().for_each(|i| rename_column(&mut i.expr, from, to));
        self.create.storage.ttl.iter_mut().for_each(|t| rename_column(&mut t.expr, from, to));
        self.change_storage();
        Ok(())
    }

    /// COMMENT COLUMN.
    pub(super) fn comment_column(
        &mut self,
        name: &str,
        comment: &str,
        if_exists: bool,
    ) -> Result<()> {
        let what = ("Wrong column name", "comment");
        if let Some(column) = self.change_column(name, if_exists, what)? {
            column.comment = Some(comment.to_owned()).filter(|comment| !comment.is_empty());
        }
        Ok(())
    }

    /// The names that a command means: a column, or the arrays of a Nested structure.
    fn group(&self, name: &str) -> Vec<String> {
        if self.place_of(name).is_some() {
            return vec![name.to_owned()];
        }
        let members = self.columns().iter().map(|column| column.name.as_str());
        let is_member = |member: &&str| {
            is_of_column(member, name) && *member != name && !self.cleared.contains(*member)
        };
        members.filter(is_member).map(str::to_owned).collect()
    }
}

/// The error for a column that is both renamed and modified.
#[cold]
pub(super) fn renamed_and_modified(name: &str) -> Error {
    let message =
        format!("Cannot rename and modify the same column `{name}` in a single ALTER query");
    Error::new(codes::NOT_IMPLEMENTED, message)
}

/// Whether an expression reads a column or a part of it.
pub(super) fn reads(expr: &ast::Expr, column: &str) -> bool {
    let mut found = false;
    names_in(expr, &mut |name| found |= is_of_column(name, column));
    found
}

/// Fails for a new column without a type, and for clauses that only CREATE TABLE takes.
fn check_added(column: &ColumnDef) -> Result<()> {
    let name = column.name.as_str();
    if column.data_type.is_none() && column.default.is_none() {
        let message = format!("Expected a data type behind the name of column `{name}`");
        return Err(Error::new(codes::SYNTAX_ERROR, message).at(column.position));
    }
    if column.data_type.is_none() {
        let message = format!("Data type have to be specified for column `{name}` to add");
        return Err(Error::new(codes::BAD_ARGUMENTS, message).at(column.position));
    }
    if name == "_row_exists" {
        let message = format!(
            "Cannot add column `{name}`: this column name is reserved for persistent virtual column"
        );
        return Err(Error::new(codes::ILLEGAL_COLUMN, message).at(column.position));
    }
    check_written(column, "ADD COLUMN")
}

/// Fails for clauses of a column that an ALTER cannot have. `verb` is the command in messages.
pub(super) fn check_written(column: &ColumnDef, verb: &str) -> Result<()> {
    if column.primary_key {
        let message = format!(
            "Cannot specify PRIMARY KEY in ALTER TABLE ... {verb}. The primary key can only be \
             defined when the table is created"
        );
        return Err(Error::new(codes::BAD_ARGUMENTS, message).at(column.position));
    }
    let Some(_) = column.nullable else { return Ok(()) };
    let Some(written) = &column.data_type else {
        let message = "NULL / NOT NULL modifier requires an explicit column type";
        return Err(Error::new(codes::SYNTAX_ERROR, message).at(column.position));
    };
    let ty =
        DataType::parse(&entasis_sql::format_type(written)).map_err(|e| e.at(written.position))?;
    if ty.is_nullable() {
        let message = "Can't use [NOT] NULL modifier with Nullable type";
        return Err(Error::new(codes::ILLEGAL_SYNTAX_FOR_DATA_TYPE, message).at(column.position));
    }
    Ok(())
}

/// Fails if a column would move into or out of a Nested structure.
fn check_groups(from: &str, to: &str) -> Result<()> {
    let group = |name: &str| name.split_once('.').map(|(group, _)| group.to_owned());
    let message = match (group(from), group(to)) {
        (Some(from), Some(to)) if from != to => {
            "Cannot rename column from one nested name to another"
        }
        (Some(_), None) | (None, Some(_)) => {
            "Cannot rename column from nested struct to normal column and vice versa"
        }
        _ => return Ok(()),
    };
    Err(Error::new(codes::BAD_ARGUMENTS, message))
}

/// The position behind a column, or behind the adjacent columns of a Nested structure.
pub(super) fn place_after(columns: &[ColumnDef], other: &Ident) -> Result<usize> {
    let name = other.as_str();
    let is_named = |column: &ColumnDef| is_of_column(column.name.as_str(), name);
    let Some(first) = columns.iter().position(is_named) else {
        let mut message = format!("Wrong column name. Cannot find column {name} to insert after");
        add_hint(&mut message, &near(name, columns.iter().map(|column| column.name.as_str())));
        return Err(Error::new(codes::NO_SUCH_COLUMN_IN_TABLE, message));
    };
    let together = columns[first..].iter().take_while(|column| is_named(column)).count();
    Ok(first + together)
}
