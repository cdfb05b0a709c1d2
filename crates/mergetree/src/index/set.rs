//! `set(max_rows)`: the distinct rows of a block, unless there are more than `max_rows`.
//!
//! The conditions of a query are evaluated over these rows, so every function can exclude blocks,
//! as long as it reads nothing but the expressions of the index.

use entasis_base::{Error, Result};
use entasis_column::{Bitmap, Chunk, Column};
use entasis_expr::program::can_fail;
use entasis_expr::{ColumnId, Expr, Program};
use entasis_function::Determinism;
use entasis_types::DataType;

use super::logic::Logic;
use super::{Ask, IndexBuilder, IndexCondition, IndexData, IndexFile, SkipIndex};
use crate::sort;

/// The type `set` with its argument: most rows of a block's set, 0 for any number.
#[derive(Clone, Copy, Debug)]
pub struct Set(pub u64);

/// The type in which the values of an expression are kept.
fn kept_type(ty: &DataType) -> DataType {
    ty.without_low_cardinality().clone()
}

impl SkipIndex for Set {
    fn has_values(&self) -> bool {
        true
    }

    fn columns(&self, types: &[DataType]) -> Vec<(&'static str, DataType)> {
        let values = types.iter().map(|ty| ("values", DataType::array(kept_type(ty))));
        std::iter::once(("whole", DataType::UInt8)).chain(values).collect()
    }

    fn builder(&self, types: &[DataType]) -> Box<dyn IndexBuilder> {
        Box::new(Builder {
            most: if self.0 == 0 { usize::MAX } else { self.0 as usize },
            whole: Vec::new(),
            offsets: vec![0],
            blocks: vec![Vec::new(); types.len()],
            types: types.iter().map(kept_type).collect(),
            current: Vec::new(),
            count: 0,
            kept: 0,
            is_over: false,
        })
    }

    fn condition(&self, ask: &Ask<'_>) -> Result<Option<Box<dyn IndexCondition>>> {
        let ids: Vec<ColumnId> = (0..ask.exprs.len()).map(|i| ColumnId(i as u32)).collect();
        let mut leaf = |expr: &Expr, negated: bool| {
            if !is_askable(expr) {
                return None;
            }
            let program = Program::new(std::slice::from_ref(expr), &ids).ok()?;
            Some(Leaf { program, negated })
        };
        let logic = Logic::all(&ask.over_exprs(), &mut leaf);
        if logic.is_useless() {
            return Ok(None);
        }
        Ok(Some(Box::new(Condition { logic, exprs: ids.len() })))
    }
}

/// Whether a condition can be computed from the rows of a set alone, now, and without an error that
/// the query itself would not make.
fn is_askable(expr: &Expr) -> bool {
    let mut ids = Vec::new();
    expr.columns(&mut ids);
    !ids.is_empty() && Ask::is_known(expr) && !can_fail(expr) && is_ready(expr)
}

/// Whether an expression always has the same value, and its sets and subqueries are there.
fn is_ready(expr: &Expr) -> bool {
    let here = match expr {
        Expr::Call { function, .. } => function.determinism != Determinism::PerRow,
        Expr::InSet { set, .. } => set.set.get().is_some(),
        Expr::Scalar(slot) => slot.value.get().is_some(),
        _ => true,
    };
    here && expr.children().into_iter().all(is_ready)
}

struct Builder {
    types: Vec<DataType>,
    most: usize,
    /// By block: 1 if the set holds all values of the block.
    whole: Vec<u8>,
    /// Where the rows of the blocks begin and end.
    offsets: Vec<u32>,
    /// For each expression, the rows of the blocks.
    blocks: Vec<Vec<Column>>,
    /// The distinct rows of each granule of the current block, and the number of all of them. The
    /// first `kept` rows are the distinct ones of several granules.
    current: Vec<Vec<Column>>,
    count: usize,
    kept: usize,
    is_over: bool,
}

/// The distinct rows of some full columns.
fn distinct(columns: Vec<Column>) -> Vec<Column> {
    let rows = columns.first().map_or(0, Column::len);
    let order = sort::permutation(&columns, &[]);
    let mut starts = sort::group_starts(&columns, order.as_deref(), rows);
    if starts.len() == rows {
        return columns;
    }
    if let Some(order) = &order {
        starts.iter_mut().for_each(|start| *start = order[*start as usize]);
    }
    columns.iter().map(|column| column.take(&starts)).collect()
}

/// Fewer rows than this are not compared with those of other granules before the block ends.
const FEW: usize = 1 << 15;

impl Builder {
    /// Leaves the distinct rows of the current block, or none if there are too many.
    fn compact(&mut self) {
        let granules = std::mem::take(&mut self.current);
        let whole = |at: usize| {
            let columns: Vec<&Column> = granules.iter().map(|columns| &columns[at]).collect();
            Column::concat(&columns).full()
        };
        let rows = match granules.len() {
            0 => Vec::new(),
            1 => granules.into_iter().next().unwrap_or_default(),
            _ => distinct((0..self.types.len()).map(whole).collect()),
        };
        let count = rows.first().map_or(0, Column::len);
        self.is_over |= count > self.most || count > u32::MAX as usize / 2;
        if self.is_over {
            (self.count, self.kept) = (0, 0);
        } else {
            (self.count, self.kept) = (count, count);
            self.current.push(rows);
        }
    }
}

impl IndexBuilder for Builder {
    fn add(&mut self, columns: &[Column]) -> Result<()> {
        if self.is_over {
            return Ok(());
        }
        let rows = distinct(columns.iter().map(Column::full).collect());
        let count = rows.first().map_or(0, Column::len);
        self.count += count;
        self.current.push(rows);
        // The rows of many granules are compared only when they have become twice as many.
        let bound = self.most.min(FEW).max(self.kept);
        if count > self.most || self.count / 2 >= bound {
            self.compact();
        }
        Ok(())
    }

    fn end_block(&mut self) -> Result<()> {
        self.compact();
        let rows = self.current.pop();
        let count = self.count;
        let last = self.offsets.last().copied().unwrap_or(0);
        let end = u64::from(last) + count as u64;
        // A file cannot have more values than this; the blocks behind them are not indexed.
        let fits = end <= u64::from(u32::MAX);
        self.whole.push(u8::from(!self.is_over && fits));
        self.offsets.push(if fits { end as u32 } else { last });
        if fits {
            for (all, column) in self.blocks.iter_mut().zip(rows.into_iter().flatten()) {
                all.push(column);
            }
        }
        (self.count, self.kept, self.is_over) = (0, 0, false);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<IndexData> {
        let mut columns = vec![Column::from(self.whole)];
        for (blocks, ty) in self.blocks.iter().zip(&self.types) {
            let values = match blocks.len() {
                0 => Column::default_of(ty, 0),
                _ => Column::concat(&blocks.iter().collect::<Vec<_>>()).full(),
            };
            columns.push(Column::array(self.offsets.clone().into(), values));
        }
        Ok(IndexData::of_blocks(columns))
    }
}

/// A condition over the rows of a set, which must be true, or false if it is negated.
#[derive(Debug)]
struct Leaf {
    program: Program,
    negated: bool,
}

impl Leaf {
    fn rows(&self, chunk: &Chunk) -> Result<Bitmap> {
        let result = self.program.run(chunk)?.pop();
        let result = result.ok_or_else(|| Error::logical("A condition without a result"))?;
        let is_true = result.to_mask();
        if !self.negated {
            return Ok(is_true);
        }
        let is_false = |row: usize| !is_true.get(row) && !result.is_null(row);
        Ok(Bitmap::from_fn(chunk.rows, is_false))
    }
}

struct Condition {
    logic: Logic<Leaf>,
    exprs: usize,
}

impl IndexCondition for Condition {
    fn narrow(&self, file: &IndexFile, blocks: &mut [bool]) -> Result<()> {
        file.narrow_blocks(blocks, &mut |columns, row| {
            if columns.len() != self.exprs + 1 {
                return Err(Error::logical("A set index with other columns"));
            }
            if columns[0].value(row).as_u64() != Some(1) {
                return Ok(true);
            }
            let values = columns[1..].iter().map(|column| match column {
                Column::Array(array) => {
                    let range = array.range(row);
                    Ok(array.values.slice(range.start, range.len()).full())
                }
                _ => Err(Error::logical("A set index with columns of another type")),
            });
            let values: Vec<Column> = values.collect::<Result<_>>()?;
            let rows = values.first().map_or(0, Column::len);
            let chunk = Chunk::new(values, rows);
            Ok(self.logic.rows(rows, &|leaf| leaf.rows(&chunk))?.count_ones() > 0)
        })
    }
}
