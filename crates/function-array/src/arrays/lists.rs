//! What array functions share: argument types, the lists of a column that may be Const, flattened
//! arguments with the same lengths, and rebuilding arrays from indices.

use std::ops::Range;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{ArrayColumn, Buffer, Column};
use entasis_types::{DataType, common_type};

use super::blocks::repeated;
use entasis_function::cast::{self, Cast, Session};
use entasis_function::{Arg, FunctionContext};

/// The element type of an array argument.
pub fn element_type<'a>(function: &str, arg: &'a Arg) -> Result<&'a DataType> {
    arg.ty.as_array().ok_or_else(|| {
        let ty = &arg.ty;
        let message =
            format!("Illegal type {ty} of argument of function {function}, must be Array");
        Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message)
    })
}

/// Lists of a full or Const array column.
pub struct Lists {
    /// The column; one row if constant.
    pub array: Arc<ArrayColumn>,
    constant: bool,
}

impl Lists {
    /// Reads an array column.
    pub fn of(column: &Column) -> Result<Self> {
        match (column.as_const(), column) {
            (Some(Column::Array(array)), _) => Ok(Self { array: array.clone(), constant: true }),
            (None, Column::Array(array)) => Ok(Self { array: array.clone(), constant: false }),
            _ => Err(Error::logical("not an array column")),
        }
    }

    /// Whether all rows have the same list.
    pub fn is_constant(&self) -> bool {
        self.constant
    }

    /// Positions of the elements of row `i`.
    #[inline]
    pub fn range(&self, i: usize) -> Range<usize> {
        self.array.range(if self.constant { 0 } else { i })
    }

    /// Elements of all rows, with those that no row has.
    pub fn values(&self) -> &Column {
        &self.array.values
    }
}

/// Arrays of the same lengths, flattened.
pub struct Flat {
    /// `rows + 1` offsets from 0.
    pub offsets: Buffer<u32>,
    /// Elements of each argument.
    pub values: Vec<Column>,
}

impl Flat {
    /// Flattens array columns; fails if their lists differ in length.
    pub fn of(function: &str, columns: &[Column]) -> Result<Self> {
        let mut values = Vec::with_capacity(columns.len());
        let mut offsets: Option<Buffer<u32>> = None;
        for (k, column) in columns.iter().enumerate() {
            let constant = column.as_const().and_then(|list| repeated(list, column.len()));
            let Column::Array(array) = constant.unwrap_or_else(|| column.full()) else {
                return Err(Error::logical("not an array column"));
            };
            let (own, elements) = array.flat();
            match &offsets {
                Some(first) if **first != *own => return Err(unequal(function, k, first, &own)),
                Some(_) => {}
                None => offsets = Some(own),
            }
            values.push(elements);
        }
        let offsets = offsets.ok_or_else(|| Error::logical("no array argument"))?;
        Ok(Self { offsets, values })
    }

    /// Number of lists.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of elements.
    pub fn count(&self) -> usize {
        self.offsets[self.offsets.len() - 1] as usize
    }

    /// Elements of list `i`.
    #[inline]
    pub fn range(&self, i: usize) -> Range<usize> {
        self.offsets[i] as usize..self.offsets[i + 1] as usize
    }

    /// Every list's elements.
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.offsets.windows(2).map(|w| w[0] as usize..w[1] as usize)
    }

    /// The shape with other elements.
    pub fn with(&self, values: Column) -> Column {
        Column::array(self.offsets.clone(), values)
    }
}

#[cold]
fn unequal(function: &str, k: usize, first: &[u32], own: &[u32]) -> Error {
    let lengths = |o: &[u32]| o.windows(2).map(|w| w[1] - w[0]).collect::<Vec<_>>();
    let (a, b) = (lengths(first), lengths(own));
    let (a, b) = a.iter().zip(&b).find(|(x, y)| x != y).map_or((0, 0), |(x, y)| (*x, *y));
    Error::new(
        codes::SIZES_OF_ARRAYS_DONT_MATCH,
        format!(
            "Arrays passed to {function} must have equal size. Argument {} has size {b} which \
             differs with the size of another argument, {a}",
            k + 1
        ),
    )
}

/// A common type of several, and how each gets there.
pub struct Common {
    /// The type.
    pub ty: DataType,
    casts: Vec<Option<Cast>>,
}

impl Common {
    /// Of these types.
    pub fn of(types: &[DataType], context: &dyn FunctionContext) -> Result<Self> {
        Self::to(common_type(types)?, types, context)
    }

    /// To a given type.
    pub fn to(ty: DataType, types: &[DataType], context: &dyn FunctionContext) -> Result<Self> {
        let session = Session { infers_variants: false, ..Session::of(context) };
        let casts = types
            .iter()
            .map(|from| (*from != ty).then(|| cast::bind(from, &ty, session)).transpose())
            .collect::<Result<_>>()?;
        Ok(Self { ty, casts })
    }

    /// Argument `k`, converted.
    pub fn cast(&self, k: usize, column: &Column) -> Result<Column> {
        match &self.casts[k] {
            Some(cast) => cast(column),
            None => Ok(column.clone()),
        }
    }
}

/// A column of lists whose elements are `values` at `indices`; index `values.len()` means the
/// default value.
pub fn gather(ends: Vec<u32>, values: &Column, indices: &[u32], element: &DataType) -> Column {
    Column::array(ends.into(), take_or_default(values, indices, element))
}

/// `values` at `indices`, where index `values.len()` means the default value.
pub fn take_or_default(values: &Column, indices: &[u32], element: &DataType) -> Column {
    let len = values.len() as u32;
    if indices.iter().fold(0, |most, &i| most.max(i)) < len || indices.is_empty() {
        return values.take(indices);
    }
    let default = Column::default_of(element, 1);
    if len == 0 {
        return default.take(&vec![0; indices.len()]);
    }
    Column::concat(&[&values.full(), &default]).take(indices)
}
