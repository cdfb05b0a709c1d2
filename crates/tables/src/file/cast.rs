//! Columns of a file to the types that the table promises.

use std::sync::Arc;

use entasis_base::Result;
use entasis_column::{Chunk, Column, Header};
use entasis_function::{Arg, BoundFunction, registry};
use entasis_types::{DataType, TimeZone, Value};

use crate::states::NoSession;

/// The casts of one file; none where nothing has to be done.
pub(super) struct Casts(Vec<Option<Cast>>);

struct Cast {
    function: Arc<BoundFunction>,
    /// The wanted type's name, the second argument.
    name: Column,
}

impl Casts {
    /// Casts from the types of `from` to those of `to`, by position.
    pub(super) fn new(from: &Header, to: &Header, time_zone: TimeZone) -> Result<Self> {
        let pairs = from.iter().zip(to.iter());
        let casts = pairs.map(|(from, to)| Cast::new(&from.ty, &to.ty, time_zone));
        Ok(Self(casts.collect::<Result<_>>()?))
    }

    /// A chunk of the wanted types.
    pub(super) fn apply(&self, mut chunk: Chunk) -> Result<Chunk> {
        for (column, cast) in chunk.columns.iter_mut().zip(&self.0) {
            if let Some(Cast { function, name }) = cast {
                let name = Column::constant(name.clone(), chunk.rows);
                *column = function.call(&[column.clone(), name], chunk.rows)?;
            }
        }
        Ok(chunk)
    }
}

impl Cast {
    fn new(from: &DataType, to: &DataType, time_zone: TimeZone) -> Result<Option<Self>> {
        if from == to {
            return Ok(None);
        }
        let name = Value::from(to.to_string().as_str());
        let args = [Arg::column(from.clone()), Arg::constant(DataType::String, name.clone())];
        let facts = NoSession { time_zone };
        let function = BoundFunction::bind(registry::scalar("CAST")?, &args, &facts)?;
        let name = Column::from_value(&DataType::String, &name, 1).full();
        Ok(Some(Self { function, name }))
    }
}
