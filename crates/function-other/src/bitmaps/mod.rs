//! Functions of bitmaps, which are the states of `groupBitmap`.

mod change;
mod combine;
mod inspect;

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, StringsBuilder};
use entasis_types::{AggregateType, DataType};

use entasis_function::Arg;
use entasis_function_kernel::bitmap::{Bitmap, width_of};
use entasis_function_kernel::kernel::bytes_at;
use entasis_function_kernel::text::finish;

pub use change::FUNCTIONS as CHANGE;
pub use combine::FUNCTIONS as COMBINE;
pub use inspect::FUNCTIONS as INSPECT;

/// The type of the integers in a bitmap argument, and their bytes.
fn expect_bitmap(name: &str, args: &[Arg], at: usize) -> Result<(DataType, usize)> {
    let ty = &args[at].ty;
    let place = ["First", "Second"][at];
    let DataType::AggregateFunction(of) = ty else {
        let message =
            format!("{place} argument for function {name} must be a bitmap but it has type {ty}");
        return Err(illegal(message));
    };
    // The state of a function that combines bitmaps holds the integers of its argument.
    let inner = match of.args.first() {
        Some(DataType::AggregateFunction(bitmap)) => bitmap.args.first(),
        inner => inner,
    };
    match inner.and_then(|inner| Some((inner.clone(), width_of(inner)?))) {
        Some(found) if of.name.starts_with("groupBitmap") => Ok(found),
        _ => Err(illegal(format!("Unexpected type {ty} of argument of function {name}"))),
    }
}

#[cold]
fn illegal(message: String) -> Error {
    Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message)
}

/// The type of a bitmap of such integers.
fn bitmap_type(integer: DataType) -> DataType {
    DataType::AggregateFunction(Arc::new(AggregateType {
        name: "groupBitmap".into(),
        params: Vec::new(),
        args: vec![integer],
    }))
}

/// The bitmaps of a column; a constant is read once.
struct Bitmaps<'a> {
    column: &'a Column,
    width: usize,
    one: Option<Bitmap>,
}

impl<'a> Bitmaps<'a> {
    fn of(column: &'a Column, width: usize, rows: usize) -> Result<Self> {
        let one = match column {
            Column::Const(_) if rows > 0 => Some(Bitmap::read(width, &mut bytes_at(column, 0))?),
            _ => None,
        };
        Ok(Self { column, width, one })
    }

    /// Calls `f` with the bitmap of row `i`.
    fn with<R>(&self, i: usize, f: impl FnOnce(&Bitmap) -> Result<R>) -> Result<R> {
        match &self.one {
            Some(bitmap) => f(bitmap),
            None => f(&Bitmap::read(self.width, &mut bytes_at(self.column, i))?),
        }
    }
}

/// A column of bitmaps.
fn write_all(
    rows: usize,
    width: usize,
    mut bitmap: impl FnMut(usize) -> Result<Bitmap>,
) -> Result<Column> {
    let mut out = StringsBuilder::with_capacity(rows, rows * 16);
    for i in 0..rows {
        bitmap(i)?.write(width, &mut out.data);
        out.check_room(0)?;
        out.close();
    }
    finish(out)
}
