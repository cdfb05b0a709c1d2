//! `Nested(a A, b B)`: rows of named columns inside a value.
//!
//! It is a name for `Array(Tuple(a A, b B))`, as which its values are stored, converted and
//! compared. The name stays where a value is passed on as it is; functions see the array. A table
//! keeps such a column under its name, or as a group of arrays `n.a`, `n.b`, one for each of its
//! columns, which have the same lengths in every row. Columns belong to the group that their names
//! have in front of the first dot.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};

use crate::{DataType, TupleType};

impl DataType {
    /// `Nested` of columns of these names and types.
    ///
    /// Fails with EMPTY_DATA_PASSED for no columns, and with DUPLICATE_COLUMN for two of one name.
    pub fn nested(names: Vec<Arc<str>>, types: Vec<Self>) -> Result<Self> {
        if names.is_empty() {
            return Err(Error::new(codes::EMPTY_DATA_PASSED, "Nested cannot be empty"));
        }
        let repeated = (1..names.len()).find(|&i| names[..i].contains(&names[i]));
        if let Some(name) = repeated.map(|i| &names[i]) {
            let message = format!("Names of tuple elements must be unique. Duplicate name: {name}");
            return Err(Error::new(codes::DUPLICATE_COLUMN, message));
        }
        let columns = TupleType { types, names: Some(names) };
        Ok(Self::Nested(Arc::new(Self::array(Self::Tuple(Arc::new(columns))))))
    }

    /// Names and types of the columns of a Nested.
    pub fn as_nested(&self) -> Option<impl Iterator<Item = (&Arc<str>, &Self)>> {
        let Self::Nested(stored) = self else { return None };
        let Some(Self::Tuple(columns)) = stored.as_array() else { return None };
        Some(columns.names.iter().flatten().zip(&columns.types))
    }

    /// The element's type of an Array, also of one that is called Nested.
    pub fn as_array(&self) -> Option<&Self> {
        match self {
            Self::Array(element) => Some(element),
            Self::Nested(stored) => stored.as_array(),
            _ => None,
        }
    }
}

/// The group that a column of arrays belongs to: `n` for `n.a`.
pub fn group_of<'a>(name: &'a str, ty: &DataType) -> Option<&'a str> {
    let (group, rest) = name.split_once('.')?;
    let is_member = !group.is_empty() && !rest.is_empty() && ty.as_array().is_some();
    is_member.then_some(group)
}
