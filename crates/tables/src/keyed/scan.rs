//! Reads a table with an index: all rows, or those of the keys that the conditions name; and
//! answers `joinGet`.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use entasis_base::Result;
use entasis_column::{Bitmap, Chunk, Column};
use entasis_expr::Expr;
use entasis_function::KeyedRows;
use entasis_pipeline::{QueryContext, Source};
use entasis_table_api::{Kept, Looked, ScanSpec, Snapshot};
use entasis_types::{DataType, Physical, Value};

use super::{Block, Keyed, Place, Purpose, Rows, Shared, index};
use crate::memory::Fixed;

/// The rows as they are now.
pub(super) fn snapshot(table: &Arc<Shared>) -> Arc<dyn Snapshot> {
    let rows = table.read();
    Arc::new(View {
        blocks: Arc::clone(&rows.blocks),
        version: rows.version,
        live: rows.live,
        kept: Arc::clone(&rows.kept),
        index: OnceLock::new(),
        table: Arc::clone(table),
    })
}

/// The rows of one version.
struct View {
    table: Arc<Shared>,
    blocks: Arc<Vec<Block>>,
    version: u64,
    live: u64,
    kept: Arc<Kept>,
    /// The places of this version's keys, made when the table has changed since.
    index: OnceLock<HashMap<Vec<u8>, Place>>,
}

impl Snapshot for View {
    fn row_count(&self) -> Option<u64> {
        Some(self.live)
    }

    fn lookup_key(&self) -> &[usize] {
        &self.table.options.keys
    }

    fn looks_up(&self) -> bool {
        self.table.options.duplicates != super::Duplicates::All
    }

    fn lookup(&self, columns: &[usize], keys: &[Column], rows: usize) -> Result<Looked> {
        let keys: Vec<Column> = keys.iter().map(Column::full).collect();
        let places = self.places(&keys, rows);
        let ty = |position: &usize| &self.table.schema.columns[*position].ty;
        let columns =
            columns.iter().map(|at| values_at(&self.blocks, &places, *at, ty(at))).collect();
        let found = Bitmap::from_fn(rows, |row| places[row].is_some());
        Ok(Looked { columns, found })
    }

    fn kept(&self) -> Option<&Kept> {
        Some(&self.kept)
    }

    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>> {
        let chunks = match self.named_rows(spec)? {
            Some(chunk) => vec![chunk],
            None => self.blocks.iter().map(Block::live).filter(|chunk| chunk.rows > 0).collect(),
        };
        let (engine, schema) = (self.table.options.engine, Arc::clone(&self.table.schema));
        Fixed::table(engine, schema, chunks).snapshot()?.scan(spec, context)
    }
}

impl View {
    /// The places of keys in this version. The table's own index tells them until the table
    /// changes.
    fn places(&self, keys: &[Column], count: usize) -> Vec<Option<Place>> {
        let rows = self.table.read();
        if rows.version == self.version {
            return find(&rows, keys, count);
        }
        drop(rows);
        let index = self.index.get_or_init(|| self.own_index());
        each_key(keys, count, |key| index.get(key).copied())
    }

    fn own_index(&self) -> HashMap<Vec<u8>, Place> {
        let mut index = HashMap::new();
        for (number, block) in (0..).zip(self.blocks.iter()) {
            let columns = &block.chunk.columns;
            let keys = self.table.options.keys.iter().map(|at| columns[*at].full());
            let (keys, mut row) = (keys.collect::<Vec<Column>>(), 0);
            each_key(&keys, block.chunk.rows, |key| {
                if !block.is_dead(row as usize) {
                    index.insert(key.to_vec(), Place { block: number, row });
                }
                row += 1;
                None
            });
        }
        index
    }

    /// The rows of the keys that the conditions name; `None` if they leave the keys open, or if
    /// the table has changed since.
    fn named_rows(&self, spec: &ScanSpec) -> Result<Option<Chunk>> {
        let Some(keys) = self.named_keys(spec) else { return Ok(None) };
        if self.table.options.duplicates == super::Duplicates::All {
            return Ok(None);
        }
        let rows = self.table.read();
        if rows.version != self.version {
            return Ok(None);
        }
        let count = keys.first().map_or(0, Column::len);
        let mut places: Vec<Place> = find(&rows, &keys, count).into_iter().flatten().collect();
        drop(rows);
        places.sort_by_key(|place| (place.block, place.row));
        places.dedup();
        let columns = (0..self.table.schema.stored().len())
            .map(|column| gather(&self.blocks, column, &places))
            .collect::<Option<Vec<_>>>();
        Ok(match columns {
            Some(columns) => Some(Chunk::new(columns, places.len())),
            None => Some(Chunk::new(self.no_rows(), 0)),
        })
    }

    fn no_rows(&self) -> Vec<Column> {
        let stored = self.table.schema.stored().iter();
        stored.map(|column| Column::default_of(&column.ty, 0)).collect()
    }

    /// The columns of the keys that a conjunct of the filter names, or several together.
    fn named_keys(&self, spec: &ScanSpec) -> Option<Vec<Column>> {
        let keys = &self.table.options.keys;
        let mut given: Vec<Option<Column>> = keys.iter().map(|_| None).collect();
        for conjunct in &spec.filter {
            for (place, &position) in keys.iter().enumerate() {
                let ty = &self.table.schema.columns[position].ty;
                let values = named_by(conjunct, ty, |id| spec.whole_position(id) == Some(position));
                given[place] = given[place].take().or(values);
            }
        }
        let given: Vec<Column> = given.into_iter().collect::<Option<_>>()?;
        // Several keys must be given by one value each: lists would have to be multiplied.
        (given.len() == 1 || given.iter().all(|column| column.len() == 1)).then_some(given)
    }
}

/// The values that `column = value` or `column IN values` allows for a column, if the expression is
/// of this form.
fn named_by(
    expr: &Expr,
    ty: &DataType,
    is_key: impl Fn(entasis_expr::ColumnId) -> bool,
) -> Option<Column> {
    let is_column = |expr: &Expr| matches!(expr, Expr::Column { id, .. } if is_key(*id));
    match expr {
        Expr::Call { function, args, .. } if function.is_equals() => match &args[..] {
            [column, Expr::Literal { value, ty: of }] if is_column(column) => one(value, of, ty),
            [Expr::Literal { value, ty: of }, column] if is_column(column) => one(value, of, ty),
            _ => None,
        },
        Expr::InSet { args, set, negated: false, .. } => match &args[..] {
            [column] if is_column(column) && set.types[..] == [ty.clone()] => {
                let members = set.set.get()?.members()?.pop()?;
                Some(members.full())
            }
            _ => None,
        },
        _ => None,
    }
}

/// The value as a column of the type, if that has this value exactly.
fn one(value: &Value, of: &DataType, ty: &DataType) -> Option<Column> {
    let is_plain = |ty: &DataType| {
        let physical = ty.physical();
        ty.is_any_number() && !matches!(physical, Physical::Float32 | Physical::Float64)
    };
    if of != ty && !(is_plain(of) && is_plain(ty)) {
        return None;
    }
    let column = Column::from_value(ty, value, 1).full();
    (column.value(0) == *value).then_some(column)
}

/// The places of keys, row by row.
fn find(rows: &Rows, keys: &[Column], count: usize) -> Vec<Option<Place>> {
    each_key(keys, count, |key| rows.index.find(key))
}

/// What `act` makes of the bytes of each key.
fn each_key(
    keys: &[Column],
    count: usize,
    mut act: impl FnMut(&[u8]) -> Option<Place>,
) -> Vec<Option<Place>> {
    let keys: Vec<&Column> = keys.iter().collect();
    let mut key = Vec::new();
    let place = |row| {
        key.clear();
        index::encode(&keys, row, &mut key);
        act(&key)
    };
    (0..count).map(place).collect()
}

/// A column's values at these places, in their order; the type's default where there is no place.
fn values_at(blocks: &[Block], places: &[Option<Place>], position: usize, ty: &DataType) -> Column {
    // Each place once, in order, followed by the default value for keys that are not there.
    let mut ranks: BTreeMap<(u32, u32), u32> =
        places.iter().flatten().map(|place| ((place.block, place.row), 0)).collect();
    (0..).zip(ranks.values_mut()).for_each(|(rank, slot)| *slot = rank);
    let sorted: Vec<Place> = ranks.keys().map(|&(block, row)| Place { block, row }).collect();
    let default = Column::default_of(ty, 1);
    let values = match gather(blocks, position, &sorted) {
        Some(found) => Column::concat(&[&found, &default]),
        None => default,
    };
    let missing = sorted.len() as u32;
    let rank = |place: &Option<Place>| {
        place.and_then(|p| ranks.get(&(p.block, p.row)).copied()).unwrap_or(missing)
    };
    values.take(&places.iter().map(rank).collect::<Vec<u32>>())
}

/// A column's values at these places, which are sorted; `None` if there are none.
fn gather(blocks: &[Block], column: usize, places: &[Place]) -> Option<Column> {
    let mut pieces = Vec::new();
    for group in places.chunk_by(|a, b| a.block == b.block) {
        let rows: Vec<u32> = group.iter().map(|place| place.row).collect();
        let block = blocks.get(group[0].block as usize)?;
        pieces.push(block.chunk.columns[column].take(&rows));
    }
    match &pieces[..] {
        [] => None,
        [_] => pieces.pop(),
        _ => Some(Column::concat(&pieces.iter().collect::<Vec<_>>())),
    }
}

impl KeyedRows for Keyed {
    fn key_types(&self) -> Vec<DataType> {
        let columns = &self.0.schema.columns;
        self.0.options.keys.iter().map(|key| columns[*key].ty.clone()).collect()
    }

    fn value_type(&self, column: &str) -> Option<DataType> {
        let position = self.0.schema.position(column)?;
        let column = &self.0.schema.columns[position];
        (!self.0.options.keys.contains(&position)).then(|| column.ty.clone())
    }

    fn use_nulls(&self) -> bool {
        matches!(&self.0.options.purpose, Purpose::Join(shape) if shape.use_nulls)
    }

    fn find(&self, column: &str, keys: &[Column], rows: usize) -> Result<(Column, Bitmap)> {
        let position = self.0.schema.position(column).unwrap_or(0);
        let keys: Vec<Column> = keys.iter().map(Column::full).collect();
        let (places, blocks) = {
            let held = self.0.read();
            (find(&held, &keys, rows), Arc::clone(&held.blocks))
        };
        let ty = &self.0.schema.columns[position].ty;
        let values = values_at(&blocks, &places, position, ty);
        let found = Bitmap::from_fn(rows, |row| places[row].is_some());
        Ok((values, found))
    }
}
