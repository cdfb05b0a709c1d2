//! `minmax`: the least and the greatest value of each expression in a block.

use std::cmp::Ordering;

use entasis_base::{Error, Result};
use entasis_column::{Column, ColumnBuilder};
use entasis_expr::{Bounds, ColumnId, RangeAnalysis};
use entasis_types::{DataType, Value};

use super::{Ask, IndexBuilder, IndexCondition, IndexData, IndexFile, SkipIndex};
use crate::segment::stats::{Extent, extent};

/// The block's values have bounds.
const HAS_BOUNDS: u8 = 1;
/// The block has NULLs.
const HAS_NULLS: u8 = 2;

/// The type `minmax`.
#[derive(Clone, Copy, Debug, Default)]
pub struct MinMax;

/// The names of the columns of the file, for the expressions of an index in turn.
const NAMES: [&str; 3] = ["flags", "min", "max"];

/// The type of the bounds of an expression.
fn bound_type(ty: &DataType) -> DataType {
    match ty.without_low_cardinality().without_nullable() {
        DataType::String | DataType::FixedString(_) => DataType::String,
        plain if plain.fixed_width().is_some() => plain.clone(),
        // Other types have no bounds.
        _ => DataType::UInt8,
    }
}

impl SkipIndex for MinMax {
    fn compares(&self) -> bool {
        true
    }

    fn columns(&self, types: &[DataType]) -> Vec<(&'static str, DataType)> {
        let of = |ty: &DataType| {
            let types = [DataType::UInt8, bound_type(ty), bound_type(ty)];
            NAMES.into_iter().zip(types)
        };
        types.iter().flat_map(of).collect()
    }

    fn builder(&self, types: &[DataType]) -> Box<dyn IndexBuilder> {
        Box::new(Builder(types.iter().map(BlockBounds::new).collect()))
    }

    fn condition(&self, ask: &Ask<'_>) -> Result<Option<Box<dyn IndexCondition>>> {
        let analysis = RangeAnalysis::new(&ask.over_exprs(), &[]);
        let known = ask.exprs.len();
        let uses = analysis.columns().iter().any(|id| (id.0 as usize) < known);
        if analysis.is_useless() || !uses {
            return Ok(None);
        }
        Ok(Some(Box::new(Condition { analysis, exprs: known })))
    }
}

/// The bounds of one expression.
struct BlockBounds {
    ty: DataType,
    flags: Vec<u8>,
    min: ColumnBuilder,
    max: ColumnBuilder,
    /// The bounds of the current block.
    current: Extent,
    has_nulls: bool,
}

impl BlockBounds {
    fn new(ty: &DataType) -> Self {
        let ty = bound_type(ty);
        let builder = || ColumnBuilder::new(&ty, 16);
        let (min, max) = (builder(), builder());
        Self { ty, flags: Vec::new(), min, max, current: Extent::Empty, has_nulls: false }
    }

    fn end_block(&mut self) {
        let mut flags = if self.has_nulls { HAS_NULLS } else { 0 };
        match std::mem::replace(&mut self.current, Extent::Empty) {
            Extent::Range { min, max, .. } => {
                flags |= HAS_BOUNDS;
                self.min.push_value(&self.ty, &min);
                self.max.push_value(&self.ty, &max);
            }
            Extent::Empty | Extent::Unknown => {
                self.min.push_default();
                self.max.push_default();
            }
        }
        self.flags.push(flags);
        self.has_nulls = false;
    }
}

struct Builder(Vec<BlockBounds>);

impl IndexBuilder for Builder {
    fn add(&mut self, columns: &[Column]) -> Result<()> {
        for (bounds, column) in self.0.iter_mut().zip(columns) {
            bounds.has_nulls |= (0..column.len()).any(|row| column.is_null(row));
            bounds.current.widen(extent(column));
        }
        Ok(())
    }

    fn end_block(&mut self) -> Result<()> {
        self.0.iter_mut().for_each(BlockBounds::end_block);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<IndexData> {
        let columns = self.0.into_iter().flat_map(|bounds| {
            [Column::from(bounds.flags), bounds.min.finish(), bounds.max.finish()]
        });
        Ok(IndexData::of_blocks(columns.collect()))
    }
}

struct Condition {
    analysis: RangeAnalysis,
    exprs: usize,
}

impl IndexCondition for Condition {
    fn narrow(&self, file: &IndexFile, blocks: &mut [bool]) -> Result<()> {
        file.narrow_blocks(blocks, &mut |columns, row| {
            if columns.len() != NAMES.len() * self.exprs {
                return Err(Error::logical("A minmax index with other columns"));
            }
            let bounds = |id: ColumnId| -> Option<Bounds> {
                let of = columns.chunks_exact(NAMES.len()).nth(id.0 as usize)?;
                let flags = of[0].value(row).as_u64()? as u8;
                let (min, max) = (of[1].value(row), of[2].value(row));
                let in_order = matches!((&min, &max), (Value::String(_), _))
                    || min.compare_numbers(&max).is_some_and(Ordering::is_le);
                (flags & HAS_BOUNDS != 0 && in_order).then_some((min, max, flags & HAS_NULLS != 0))
            };
            Ok(self.analysis.may_match(&bounds))
        })
    }
}
