//! Where the columns that are wanted of a file are found: by their names or, if the file has no
//! such column, as a part of one. `n.a` is the array of the elements `a` of the column `n`, a list
//! of structs, as which a table has the columns of a Nested.

use entasis_base::Result;
use entasis_column::{Column, Field, subcolumn};
use entasis_types::subcolumn::subcolumn as part_of;
use entasis_types::{DataType, Step, SubcolumnPath};

/// A column of a file, or the part of it that is wanted.
#[derive(Clone, Debug)]
pub(crate) struct StoredColumn {
    /// Position of the column.
    pub(crate) at: usize,
    /// Its type.
    pub(crate) ty: DataType,
    /// Name and type of what is wanted.
    pub(crate) field: Field,
    path: SubcolumnPath,
}

impl StoredColumn {
    /// Finds `name` in a file. `column` answers the position and type of the column of a name.
    pub(crate) fn find(
        name: &str,
        column: &dyn Fn(&str) -> Result<Option<(usize, DataType)>>,
    ) -> Result<Option<Self>> {
        if let Some((at, ty)) = column(name)? {
            let (field, path) = (Field::new(name, ty.clone()), SubcolumnPath::default());
            return Ok(Some(Self { at, ty, field, path }));
        }
        let Some((whole, rest)) = name.split_once('.') else { return Ok(None) };
        let Some((at, ty)) = column(whole)? else { return Ok(None) };
        let is_element = |step: &Step| matches!(step, Step::Element(_));
        let part = part_of(&ty, rest).filter(|part| part.path.steps().iter().all(is_element));
        Ok(part.map(|part| {
            let field = Field::new(name, part.ty);
            Self { at, ty, field, path: part.path }
        }))
    }

    /// The same of a column that is at another position.
    pub(crate) fn at(self, at: usize) -> Self {
        Self { at, ..self }
    }

    /// What is wanted of the values of the column.
    pub(crate) fn of(&self, column: &Column) -> Result<Column> {
        subcolumn::subcolumn(column, self.path.steps())
    }
}
