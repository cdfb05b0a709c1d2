//! Aggregates of the literal NULL: they keep nothing, and return NULL, or 0 if they count.

use std::sync::Arc;

use entasis_base::Result;
use entasis_column::Column;
use entasis_types::DataType;

use entasis_function::Aggregate;
use entasis_function_kernel::aggregates::fold::{Fold, FoldAggregate};

#[derive(Clone, Debug)]
struct Nothing {
    zero: bool,
}

impl Fold for Nothing {
    type State = ();

    fn init(&self) {}

    fn return_type(&self) -> DataType {
        if self.zero { DataType::UInt64 } else { DataType::null() }
    }

    fn update(&self, _: &mut [()], _: &[Column], _: &[u32]) -> Result<()> {
        Ok(())
    }

    fn update_one(&self, _: &mut (), _: &[Column], _: usize) -> Result<()> {
        Ok(())
    }

    fn merge(&self, _: &mut (), _: &mut ()) -> Result<()> {
        Ok(())
    }

    fn write(&self, _: &(), out: &mut Vec<u8>) {
        out.push(0);
    }

    fn read(&self, _: &mut &[u8]) -> Result<()> {
        Ok(())
    }

    fn finish(&self, states: &mut [()]) -> Result<Column> {
        Ok(Column::default_of(&self.return_type(), states.len()))
    }
}

/// The aggregate of NULL; `zero` for functions that count.
pub fn bind(zero: bool) -> Arc<dyn Aggregate> {
    Arc::new(FoldAggregate(Nothing { zero }))
}
