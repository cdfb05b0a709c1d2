//! DROP, DETACH and TRUNCATE. All names of a DROP are one record of the commit log: either all of
//! them go, or none.

use entasis_base::{Error, Result, codes};
use entasis_sql::ast::{self, ObjectKind};

use super::{dictionary, temporary};
use crate::Session;
use crate::catalog::Entry;
use crate::catalog::hidden::DropMode;
use crate::catalog::unknown_database;
use crate::definition::view::Name;
use crate::engines::called::CalledTable;

impl Session {
    pub(crate) fn drop_object(&mut self, drop: &ast::DropObject) -> Result<()> {
        let Some(first) = drop.names.first() else { return Ok(()) };
        match drop.object {
            ObjectKind::Database => self.drop_database(drop, first.table.as_str()),
            ObjectKind::Function => {
                self.engine.catalog.drop_function(first.table.as_str(), drop.if_exists)
            }
            _ => self.drop_tables(drop),
        }
    }

    fn drop_database(&self, drop: &ast::DropObject, name: &str) -> Result<()> {
        let catalog = &self.engine.catalog;
        if drop.if_empty {
            let what = "DROP IF EMPTY of a database (drop its tables with IF EMPTY first)";
            return Err(Error::not_implemented(what));
        }
        if !drop.detach {
            self.check_dependents(|of, _| of == name)?;
            return catalog.drop_database(name, drop.if_exists);
        }
        if drop.permanently {
            let what = "DETACH PERMANENTLY of a database (detach its tables permanently)";
            return Err(Error::not_implemented(what));
        }
        match catalog.detach_database(name) {
            Err(error) if drop.if_exists && error.code() == codes::UNKNOWN_DATABASE => Ok(()),
            done => done,
        }
    }

    fn drop_tables(&mut self, drop: &ast::DropObject) -> Result<()> {
        let mut names: Vec<Name> = Vec::new();
        let mut temporaries = Vec::new();
        for name in &drop.names {
            let is_table = drop.object == ObjectKind::Table;
            if is_table && self.temporary_table(name).is_some() {
                temporaries.push(name.table.as_str());
            } else if is_table && drop.temporary {
                if !drop.if_exists {
                    return Err(temporary::missing(name));
                }
            } else {
                names.push(self.full_name(name));
            }
        }
        for name in &names {
            let entry = self.engine.catalog.entry(&name.0, &name.1);
            dictionary::check_drop(drop.object, &name.0, &name.1, entry.as_ref().ok())?;
            self.check_kind(drop.object, name)?;
        }
        if drop.detach {
            return self.detach(drop, &names, &temporaries);
        }
        let is_dropped = |of: &str, table: &str| names.iter().any(|n| n.0 == of && n.1 == table);
        self.check_dependents(is_dropped)?;
        let mode = DropMode { if_exists: drop.if_exists, if_empty: drop.if_empty, sync: drop.sync };
        if !names.is_empty() {
            self.engine.catalog.drop_tables(&names, mode)?;
        }
        for name in temporaries {
            self.temporary.remove(name);
        }
        Ok(())
    }

    fn detach(&self, drop: &ast::DropObject, names: &[Name], temporaries: &[&str]) -> Result<()> {
        if !temporaries.is_empty() {
            let message = "DETACH of TEMPORARY tables is not supported: use DROP";
            return Err(Error::new(codes::SYNTAX_ERROR, message));
        }
        names.iter().try_for_each(|name| {
            match self.engine.catalog.detach_table(name, drop.permanently) {
                Err(error) if drop.if_exists && error.code() == codes::UNKNOWN_TABLE => Ok(()),
                done => done,
            }
        })
    }

    /// Fails if `name` is something else than the statement says. DROP TABLE takes every kind.
    fn check_kind(&self, object: ObjectKind, name: &Name) -> Result<()> {
        let (what, ends) = match object {
            ObjectKind::View => ("View", "View"),
            _ => return Ok(()),
        };
        match self.engine.catalog.entry(&name.0, &name.1) {
            Ok(entry) if !entry.table.engine().ends_with(ends) => {
                let message =
                    format!("Table {}.{} is not a {what}: use DROP TABLE", name.0, name.1);
                Err(Error::new(codes::INCORRECT_QUERY, message))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn truncate(&self, truncate: &ast::Truncate) -> Result<()> {
        if truncate.object == ObjectKind::Database {
            return self.truncate_database(truncate);
        }
        if let Some(entry) = self.temporary_table(&truncate.name) {
            return entry.table.truncate();
        }
        if truncate.temporary {
            let missing = temporary::missing(&truncate.name);
            return if truncate.if_exists { Ok(()) } else { Err(missing) };
        }
        let (database, table) = self.full_name(&truncate.name);
        match self.engine.catalog.entry(&database, &table) {
            Ok(entry) if is_materialized(&entry) => {
                // A view over a table that exists on its own leaves that table alone.
                let inner = self.engine.catalog.inner_of(&database, &entry);
                inner.map_or(Ok(()), |(_, inner)| inner.table.truncate())
            }
            Ok(entry) => self.empty(&entry),
            Err(_) if truncate.if_exists => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Removes the rows of a table, or of the file that it names.
    fn empty(&self, entry: &Entry) -> Result<()> {
        match CalledTable::of(&*entry.table).filter(|called| called.can_be_truncated()) {
            Some(called) => {
                let function = ast::InsertTarget::Function(Box::new(called.call.clone()));
                self.insert_target(&function, None, &self.settings)?.table.truncate()
            }
            None => entry.table.truncate(),
        }
    }

    /// TRUNCATE ALL TABLES empties the tables of a database. TRUNCATE DATABASE drops them, as in
    /// the reference.
    fn truncate_database(&self, truncate: &ast::Truncate) -> Result<()> {
        let database = truncate.name.table.as_str();
        let catalog = &self.engine.catalog;
        if !catalog.has_database(database) {
            return if truncate.if_exists { Ok(()) } else { Err(unknown_database(database)) };
        }
        let is_meant = |name: &str| truncate.like.as_ref().is_none_or(|like| is_like(like, name));
        let entries = catalog.tables(database)?.into_iter();
        let entries = entries.filter(|(name, entry)| entry.id.is_some() && is_meant(name));
        if truncate.all_tables {
            let mut tables = entries.filter(|(_, entry)| entry.view.is_none());
            return tables.try_for_each(|(_, entry)| self.empty(&entry));
        }
        let names: Vec<Name> =
            entries.map(|(name, _)| (database.to_string(), name.to_string())).collect();
        catalog.drop_tables(&names, DropMode { if_exists: true, ..DropMode::default() })
    }
}

fn is_materialized(entry: &Entry) -> bool {
    entry.view.as_ref().is_some_and(|view| view.materialized.is_some())
}

/// Whether a name matches LIKE: `%` stands for any text, `_` for one character.
fn is_like(like: &ast::Like, name: &str) -> bool {
    let folded = |text: &str| match like.case_insensitive {
        true => text.to_lowercase().chars().collect(),
        false => text.chars().collect::<Vec<char>>(),
    };
    matches(&folded(&like.pattern), &folded(name)) != like.not
}

/// Compares from the left; where a `%` stands, all rests of the name are possible.
fn matches(pattern: &[char], name: &[char]) -> bool {
    let (mut p, mut n) = (0, 0);
    // Where the last `%` stands, and how much of the name it covers at least.
    let mut any: Option<(usize, usize)> = None;
    while n < name.len() {
        let (wanted, taken) = match pattern.get(p) {
            Some('\\') if p + 1 < pattern.len() => (pattern.get(p + 1), 2),
            Some('%') => {
                any = Some((p + 1, n));
                p += 1;
                continue;
            }
            Some('_') => (Some(&name[n]), 1),
            other => (other, 1),
        };
        if wanted == Some(&name[n]) {
            (p, n) = (p + taken, n + 1);
        } else if let Some((after, covered)) = any {
            any = Some((after, covered + 1));
            (p, n) = (after, covered + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|c| *c == '%')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_of_names() {
        let like = |pattern: &str, name: &str| {
            is_like(&ast::Like { pattern: pattern.into(), ..ast::Like::default() }, name)
        };
        for (pattern, name, expected) in [
            ("a%", "abc", true),
            ("%c", "abc", true),
            ("%b%", "abc", true),
            ("a_c", "abc", true),
            ("a\\_c", "abc", false),
            ("a\\_c", "a_c", true),
            ("", "a", false),
            ("%", "", true),
            ("%a%b", "aabab", true),
            ("%a%b", "aaba", false),
        ] {
            assert_eq!(like(pattern, name), expected, "{pattern} {name}");
        }
    }
}
