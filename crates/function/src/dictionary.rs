//! What functions know of dictionaries: their structure, and a way to find rows by keys.
//!
//! `engine` finds a dictionary by its name and loads it; the crate `dictionary` implements the
//! layouts. Functions see neither: they ask [`Dictionary::contents`] once and then look whole
//! columns of keys up. In every table of attributes, row 0 has the default values, so a key that is
//! not there needs no branch.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Field};
use entasis_types::DataType;

/// An attribute.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Its name.
    pub name: Arc<str>,
    /// Its type.
    pub ty: DataType,
    /// Whether different keys have different values.
    pub injective: bool,
}

/// How the argument of a function becomes a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// One UInt64.
    Simple,
    /// A tuple of the key's columns; a single column needs no tuple.
    Complex,
    /// An address, which is looked up among prefixes.
    Address,
    /// A point, which is looked up among polygons.
    Point,
}

/// Names and types of a dictionary.
#[derive(Clone, Debug)]
pub struct Structure {
    /// What a key is.
    pub key_kind: KeyKind,
    /// The columns of the key.
    pub keys: Vec<Field>,
    /// The type of the bounds, if a key has values for ranges.
    pub range: Option<DataType>,
    /// The attributes, without keys and bounds.
    pub attributes: Vec<Attribute>,
    /// The attribute that names the parent of a key.
    pub parent: Option<usize>,
    /// Whether the layout knows the children of a key and all keys with a value.
    pub is_complete: bool,
    /// Whether the keys are regular expressions, so that a key may have several values.
    pub is_tree: bool,
}

impl Structure {
    /// The position of an attribute.
    pub fn attribute(&self, name: &str) -> Result<usize> {
        let found = self.attributes.iter().position(|a| &*a.name == name);
        found.ok_or_else(|| {
            let known: Vec<&str> = self.attributes.iter().map(|a| &*a.name).collect();
            let message = format!("No such attribute '{name}': there are {}", known.join(", "));
            Error::new(codes::BAD_ARGUMENTS, message)
        })
    }

    /// The types of the key's columns.
    pub fn key_types(&self) -> Vec<DataType> {
        self.keys.iter().map(|key| key.ty.clone()).collect()
    }
}

/// A dictionary of the catalog.
pub trait Dictionary: Send + Sync {
    /// Its name with its database.
    fn name(&self) -> String;

    /// Names and types. Does not load the dictionary.
    fn structure(&self) -> &Structure;

    /// Whether each key has at most one row, and rows are found by their key alone.
    fn has_unique_keys(&self) -> bool;

    /// What it contains now. Loads it if that has not happened yet, or if its lifetime is over.
    fn contents(&self) -> Result<Arc<dyn Contents>>;
}

/// Rows that were found for keys.
pub struct Found {
    /// The attributes; row 0 has the default values.
    pub attributes: Arc<Vec<Column>>,
    /// The row of each key; 0 if it was not found.
    pub rows: Vec<u32>,
}

/// All values of an attribute for each of some keys.
pub struct AllValues {
    /// Where the values of each key begin, and their end: one more than there are keys.
    pub offsets: Vec<u32>,
    /// The values of all keys.
    pub values: Column,
    /// The attribute's default, as one row.
    pub default: Column,
}

/// All rows of a dictionary.
pub struct Rows {
    /// The columns of the key, and of the bounds of ranges.
    pub keys: Vec<Column>,
    /// The attributes.
    pub attributes: Vec<Column>,
    /// Number of rows.
    pub rows: usize,
}

/// The contents of a dictionary: they do not change while a statement holds them, except that
/// caches ask the source for what they do not have.
pub trait Contents: Send + Sync {
    /// Looks keys up. The columns have the types of the key, and `range` has the type of the
    /// bounds.
    fn find(&self, keys: &[Column], range: Option<&Column>, rows: usize) -> Result<Found>;

    /// At most `most` values of an attribute for each key. Only dictionaries of regular expressions
    /// have several.
    fn all_values(
        &self,
        _keys: &[Column],
        _rows: usize,
        _attribute: usize,
        _most: usize,
    ) -> Result<AllValues> {
        let message = "Only dictionaries with the layout REGEXP_TREE have several values for a key";
        Err(Error::new(codes::NOT_IMPLEMENTED, message))
    }

    /// All rows.
    fn all(&self) -> Result<Rows>;
}
