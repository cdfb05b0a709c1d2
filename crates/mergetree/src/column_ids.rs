//! Column ids: numbers by which the storage identifies stored columns, whatever their names are.
//!
//! A table numbers its stored columns and never reuses a number. Parts record the numbers of the
//! columns that they hold. A renamed column is therefore found in parts that know it by its old
//! name, and a column that was dropped and added again is not found in older parts.
//!
//! A table whose columns were never altered has version 1. Its ids are 1, 2, 3 and so on, in the
//! order of its stored columns, and the log does not record them. A segment without ids has the
//! same ids, because such segments were written before columns could be altered.

use entasis_base::varint::write_varint;
use entasis_base::{Error, Result, codes};

use crate::bytes::{Input, corrupted, put_bytes};

/// The stored columns of one version of a table's schema, by id and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnIds {
    version: u32,
    /// The id of the next column that is added.
    next: u32,
    columns: Vec<(u32, String)>,
}

impl ColumnIds {
    /// The ids of a table whose columns were never altered.
    pub fn first<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let columns: Vec<(u32, String)> = (1..).zip(names.into_iter().map(str::to_owned)).collect();
        Self { version: 1, next: columns.len() as u32 + 1, columns }
    }

    /// The number of the schema's version; each ALTER of columns makes a new one.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The id that the next new column gets.
    pub(crate) fn next(&self) -> u32 {
        self.next
    }

    /// The id of the column with this name.
    pub fn id(&self, name: &str) -> Option<u32> {
        self.columns.iter().find(|(_, known)| known == name).map(|(id, _)| *id)
    }

    /// The names of all columns.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.columns.iter().map(|(_, name)| name.as_str())
    }

    /// The version after this one, with the same columns: the start of an ALTER.
    #[must_use]
    pub fn next_version(&self) -> Self {
        Self { version: self.version + 1, ..self.clone() }
    }

    /// The next version, with these columns in their order: each has a name, and the name of the
    /// column of this version whose values it continues. One without such a column is new.
    pub fn altered<'a>(
        &self,
        columns: impl Iterator<Item = (&'a str, Option<&'a str>)>,
    ) -> Result<Self> {
        let mut ids = Self { version: self.version + 1, next: self.next, columns: Vec::new() };
        for (name, origin) in columns {
            match origin.and_then(|origin| self.id(origin)) {
                Some(id) => ids.columns.push((id, name.to_owned())),
                None => ids.add(name)?,
            }
        }
        Ok(ids)
    }

    /// Adds a column. Existing parts have no values for it.
    pub fn add(&mut self, name: &str) -> Result<()> {
        if self.id(name).is_some() {
            return Err(Error::logical(format!("Column {name} has an id already")));
        }
        let id = self.next;
        let next = id.checked_add(1);
        self.next = next.ok_or_else(|| {
            let message = "The table has used up all column ids: copy its rows to a new table";
            Error::new(codes::LIMIT_EXCEEDED, message)
        })?;
        self.columns.push((id, name.to_owned()));
        Ok(())
    }

    /// Removes a column. A later column with the same name gets another id.
    pub fn remove(&mut self, name: &str) -> Result<()> {
        let place = self.place(name)?;
        self.columns.remove(place);
        Ok(())
    }

    /// Renames a column, which keeps its id.
    pub fn rename(&mut self, from: &str, to: &str) -> Result<()> {
        let place = self.place(from)?;
        if self.id(to).is_some() {
            return Err(Error::logical(format!("Column {to} has an id already")));
        }
        to.clone_into(&mut self.columns[place].1);
        Ok(())
    }

    fn place(&self, name: &str) -> Result<usize> {
        let place = self.columns.iter().position(|(_, known)| known == name);
        place.ok_or_else(|| Error::logical(format!("Column {name} has no id")))
    }

    /// Columns with known ids, for a table that is assembled from segments.
    pub(crate) fn of_segments(version: u32, columns: Vec<(u32, String)>) -> Self {
        let next = columns.iter().map(|(id, _)| id.saturating_add(1)).max().unwrap_or(1);
        Self { version, next, columns }
    }

    /// The ids of the columns with these names. Fails unless they are the columns of this version.
    pub(crate) fn of_names<'a>(
        &self,
        names: impl ExactSizeIterator<Item = &'a str>,
    ) -> Result<Vec<u32>> {
        if names.len() != self.columns.len() {
            let (known, stored) = (self.columns.len(), names.len());
            let message = format!("The log has ids of {known} columns, the table stores {stored}");
            return Err(Error::new(codes::CORRUPTED_DATA, message));
        }
        let id = |name: &str| {
            let message = format!("The log has no id of column {name}");
            self.id(name).ok_or_else(|| Error::new(codes::CORRUPTED_DATA, message))
        };
        names.map(id).collect()
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        write_varint(out, u64::from(self.version));
        write_varint(out, u64::from(self.next));
        write_varint(out, self.columns.len() as u64);
        for (id, name) in &self.columns {
            write_varint(out, u64::from(*id));
            put_bytes(out, name.as_bytes());
        }
    }

    pub(crate) fn read(input: &mut Input) -> Result<Self> {
        let (version, next) = (id(input)?, id(input)?);
        let mut columns: Vec<(u32, String)> = Vec::new();
        for _ in 0..input.count()? {
            columns.push((id(input)?, input.text()?.to_owned()));
        }
        if columns.iter().any(|(id, _)| *id >= next) {
            return Err(corrupted("a column id that was not given out"));
        }
        Ok(Self { version, next, columns })
    }
}

/// Reads a version number or a column id.
pub(crate) fn id(input: &mut Input) -> Result<u32> {
    u32::try_from(input.varint()?).map_err(|_| corrupted("a number beyond 32 bits"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_never_given_again() {
        let mut ids = ColumnIds::first(["a", "b", "c"]);
        assert_eq!((ids.version(), ids.id("a"), ids.id("c")), (1, Some(1), Some(3)));
        ids = ids.next_version();
        ids.remove("c").unwrap();
        ids.add("c").unwrap();
        assert_eq!((ids.version(), ids.id("c")), (2, Some(4)));
        ids.remove("c").unwrap();
        ids.rename("a", "c").unwrap();
        ids.add("a").unwrap();
        assert_eq!((ids.id("c"), ids.id("a"), ids.id("b")), (Some(1), Some(5), Some(2)));
        for (from, to) in [("x", "y"), ("a", "b")] {
            assert!(ids.rename(from, to).is_err());
        }
        assert!(ids.add("a").is_err() && ids.remove("x").is_err());
        assert_eq!(ids.of_names(["a", "b", "c"].into_iter()).unwrap(), [5, 2, 1]);
        assert!(ids.of_names(["a", "b"].into_iter()).is_err());
        assert!(ids.of_names(["a", "b", "d"].into_iter()).is_err());
        let mut bytes = Vec::new();
        ids.write(&mut bytes);
        assert_eq!(ColumnIds::read(&mut Input(&bytes)).unwrap(), ids);
        for cut in 0..bytes.len() {
            assert!(ColumnIds::read(&mut Input(&bytes[..cut])).is_err());
        }
        let last = ColumnIds { version: 9, next: u32::MAX, columns: Vec::new() };
        let error = last.clone().add("z").unwrap_err();
        assert_eq!(error.code(), codes::LIMIT_EXCEEDED);
    }
}
