//! WITH FILL: rows for values that are missing between the sorted rows of the input.
//!
//! The input is kept, as the sort below keeps it. The rows are made block by block when the next
//! step asks for them, so that a LIMIT ends a filling that would never end, and memory holds one
//! block beside the input. One reader makes all rows, as each depends on the row before.

mod row;
mod step;

use std::cmp::Ordering;
use std::slice;
use std::sync::{Arc, Mutex, OnceLock};

use entasis_base::sync::lock;
use entasis_base::{Error, Result};
use entasis_column::compare::compare_values;
use entasis_column::{Bitmap, Chunk, Column, ColumnBuilder, match_native};
use entasis_expr::{ColumnId, Program};
use entasis_pipeline::{Morsel, QueryContext, Read, Reader, Source};
use entasis_plan::{Fill, FillValue};
use entasis_types::{CastTo, DataType};

use row::{Row, Values};

/// The rows of the input, which a sink puts here.
pub type Rows = Arc<OnceLock<Vec<Chunk>>>;

/// What is made: positions of columns, their types, the values of new rows.
struct Spec {
    types: Vec<DataType>,
    prefix: Vec<usize>,
    filled: Vec<usize>,
    /// Columns that INTERPOLATE gives a value, in the order of the program's results.
    interpolated: Vec<usize>,
    programs: Vec<Program>,
}

/// A source of the filled rows.
pub struct FillSource(Mutex<Option<Filler>>);

impl FillSource {
    pub fn create(fill: &Fill, rows: Rows, context: &QueryContext) -> Result<Arc<dyn Source>> {
        let header = fill.input.header()?;
        let ids: Vec<ColumnId> = header.iter().map(|(id, _)| *id).collect();
        let filled: Vec<ColumnId> = fill.columns.iter().map(|(id, _)| *id).collect();
        let targets: Vec<ColumnId> = fill.interpolate.iter().map(|(id, _)| *id).collect();
        let programs = fill.interpolate.iter().map(|(_, v)| Program::new(slice::from_ref(v), &ids));
        let types: Vec<DataType> = header.iter().map(|(_, ty)| ty.clone()).collect();
        let filled = crate::build::positions(&ids, &filled)?;
        let columns = filled.iter().zip(&fill.columns).map(|(at, (_, rule))| {
            let ty = types[*at].without_nullable().clone();
            row::Column { rule: *rule, ty }
        });
        let row = Row::new(columns.collect());
        let spec = Spec {
            prefix: crate::build::positions(&ids, &fill.prefix)?,
            interpolated: crate::build::positions(&ids, &targets)?,
            programs: programs.collect::<Result<_>>()?,
            filled,
            types,
        };
        let filler = Filler {
            spec,
            row,
            rows,
            context: context.clone(),
            phase: Phase::Begin(Place::default()),
            loaded: None,
            input: Vec::new(),
            group: None,
            out: Vec::new(),
            made: 0,
            last: Vec::new(),
            values: Vec::new(),
            copied: None,
            sequence: 0,
        };
        Ok(Arc::new(Self(Mutex::new(Some(filler)))))
    }
}

impl Source for FillSource {
    fn name(&self) -> String {
        "Filling".into()
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        match lock(&self.0).take() {
            Some(filler) => Ok(Box::new(filler)),
            None => Ok(Box::new(Exhausted)),
        }
    }

    fn morsels(&self) -> Option<usize> {
        Some(1)
    }
}

struct Exhausted;

impl Reader for Exhausted {
    fn next(&mut self) -> Result<Read> {
        Ok(Read::Done)
    }
}

/// A row of the input.
#[derive(Clone, Copy, Default)]
struct Place {
    chunk: usize,
    row: usize,
}

/// What is made next.
#[derive(Clone, Copy)]
enum Phase {
    /// A group begins with this row, if there is one.
    Begin(Place),
    /// A row of the grid that lies before this row may be left from the row before.
    Enter(Place),
    /// Rows before this row, then the row.
    Before(Place),
    /// A row of the grid behind the last row of a group may be left; the next group begins there.
    Leave(Place),
    /// Rows behind the last row of a group.
    After(Place),
    Done,
}

struct Filler {
    spec: Spec,
    row: Row,
    rows: Rows,
    context: QueryContext,
    phase: Phase,
    /// The values of the filled columns in a chunk of the input, and its number.
    loaded: Option<(usize, Vec<Values>)>,
    /// The values of the row of the input that was met last.
    input: Values,
    /// The first row of the current group.
    group: Option<Place>,
    out: Vec<ColumnBuilder>,
    made: usize,
    /// The last row that was made, if it is no row of the input: without the values of
    /// INTERPOLATE, and these.
    last: Vec<Column>,
    values: Vec<Column>,
    /// Rows of the input that are yet to be copied to `out`, or that were copied last.
    copied: Option<(Place, usize)>,
    sequence: u64,
}

impl Reader for Filler {
    fn next(&mut self) -> Result<Read> {
        self.context.cancel.check()?;
        let types = &self.spec.types;
        self.out = types.iter().map(|ty| ColumnBuilder::new(ty, 0)).collect();
        self.made = 0;
        let most = self.context.max_block_size.max(1);
        let mut steps = 0u32;
        while self.made < most && !matches!(self.phase, Phase::Done) {
            self.step()?;
            steps += 1;
            if steps.is_multiple_of(4096) {
                self.context.cancel.check()?;
            }
        }
        self.flush()?;
        if self.made == 0 {
            return Ok(Read::Done);
        }
        let columns = std::mem::take(&mut self.out).into_iter().map(ColumnBuilder::finish);
        let chunk = Chunk::new(columns.collect(), self.made);
        self.sequence += 1;
        Ok(Read::Chunk(Morsel { sequence: self.sequence, chunk }))
    }
}

impl Filler {
    /// Makes at most one row.
    fn step(&mut self) -> Result<()> {
        match self.phase {
            Phase::Begin(place) => self.begin(place),
            Phase::Enter(place) => {
                let left = self.row.is_before(&self.input, &self.row.values);
                self.input = self.values_at(place)?;
                self.phase = Phase::Before(place);
                let before = self.row.is_before(&self.row.values, &self.input);
                if left && before && self.row.is_inside(true) {
                    self.make()?;
                }
                Ok(())
            }
            Phase::Before(place) => {
                if is_finite(&self.input) && self.row.advance(&self.input) {
                    return self.make();
                }
                self.row.pass(&self.input);
                self.copy(place)?;
                let next = self.behind(place);
                let same = next.is_some_and(|next| self.in_group(next));
                self.phase = match next {
                    Some(next) if same => Phase::Enter(next),
                    Some(next) => Phase::Leave(next),
                    None => Phase::Leave(Place { chunk: usize::MAX, row: 0 }),
                };
                Ok(())
            }
            Phase::Leave(next) => {
                let known = self.input.iter().any(Option::is_some);
                let behind = self.row.is_before(&self.input, &self.row.values);
                let left = !known || behind && !self.row.is_made;
                self.input = vec![None; self.spec.filled.len()];
                // A grid whose first value is its end has no rows.
                self.phase = match (self.row.is_inside(true), next.chunk) {
                    (true, _) => Phase::After(next),
                    (false, usize::MAX) => Phase::Done,
                    (false, _) => Phase::Begin(next),
                };
                if left && self.row.is_inside(false) {
                    self.make()?;
                }
                Ok(())
            }
            Phase::After(next) => {
                if self.row.advance(&self.input) {
                    return self.make();
                }
                self.phase = match next.chunk {
                    usize::MAX => Phase::Done,
                    _ => Phase::Begin(next),
                };
                Ok(())
            }
            Phase::Done => Ok(()),
        }
    }

    fn begin(&mut self, place: Place) -> Result<()> {
        let Some(place) = self.at_or_behind(place) else {
            // Without any rows, FROM and TO alone define them.
            self.row.restart(0);
            self.phase = Phase::Leave(Place { chunk: usize::MAX, row: 0 });
            return Ok(());
        };
        self.group = Some(place);
        let first = self.values_at(place)?;
        self.input = vec![None; first.len()];
        self.phase = Phase::Enter(place);
        if self.row.begin(&first) { self.make() } else { Ok(()) }
    }

    fn chunks(&self) -> &[Chunk] {
        self.rows.get().map_or(&[], Vec::as_slice)
    }

    fn at_or_behind(&self, mut place: Place) -> Option<Place> {
        while place.row >= self.chunks().get(place.chunk)?.rows {
            place = Place { chunk: place.chunk + 1, row: 0 };
        }
        Some(place)
    }

    fn behind(&self, place: Place) -> Option<Place> {
        self.at_or_behind(Place { row: place.row + 1, ..place })
    }

    /// Whether a row belongs to the current group.
    fn in_group(&self, place: Place) -> bool {
        let Some(first) = self.group else { return false };
        let (a, b) = (&self.chunks()[first.chunk], &self.chunks()[place.chunk]);
        self.spec.prefix.iter().all(|&at| {
            let order = compare_values(&a.columns[at], first.row, &b.columns[at], place.row);
            order == Ordering::Equal
        })
    }

    fn values_at(&mut self, place: Place) -> Result<Values> {
        if self.loaded.as_ref().is_none_or(|(chunk, _)| *chunk != place.chunk) {
            let chunk = &self.chunks()[place.chunk];
            let columns = self.spec.filled.iter().map(|&at| values_of(&chunk.columns[at]));
            let columns = columns.collect::<Result<Vec<_>>>()?;
            self.loaded = Some((place.chunk, columns));
        }
        let columns = self.loaded.iter().flat_map(|(_, columns)| columns);
        Ok(columns.map(|values| values[place.row]).collect())
    }

    /// Adds a row of the input. Neighbours are copied together.
    fn copy(&mut self, place: Place) -> Result<()> {
        self.made += 1;
        self.last.clear();
        match &mut self.copied {
            Some((first, rows))
                if first.chunk == place.chunk && first.row + *rows == place.row && *rows > 0 =>
            {
                *rows += 1;
            }
            _ => {
                self.flush()?;
                self.copied = Some((place, 1));
            }
        }
        Ok(())
    }

    /// Copies rows of the input. The last of them stays known as the row before.
    fn flush(&mut self) -> Result<()> {
        let Some((first, rows)) = self.copied else { return Ok(()) };
        if rows > 0 {
            let Some(chunk) = self.rows.get().and_then(|chunks| chunks.get(first.chunk)) else {
                return Err(Error::logical("rows of WITH FILL are not there"));
            };
            for (out, column) in self.out.iter_mut().zip(&chunk.columns) {
                out.append(&column.slice(first.row, rows));
            }
            let last = Place { row: first.row + rows, ..first };
            self.copied = Some((last, 0));
        }
        Ok(())
    }

    /// Adds the current row of the grid.
    fn make(&mut self) -> Result<()> {
        self.flush()?;
        self.made += 1;
        self.row.is_made = true;
        let mut columns: Vec<Option<Column>> = vec![None; self.spec.types.len()];
        let values = self.interpolated()?;
        if let Some(group) = self.group {
            for &at in &self.spec.prefix {
                let column = &self.chunks()[group.chunk].columns[at];
                columns[at] = Some(column.slice(group.row, 1));
            }
        }
        for (&at, value) in self.spec.filled.iter().zip(&self.row.values) {
            let Some(value) = value else { continue };
            columns[at] = Some(column_of(*value, &self.spec.types[at])?);
        }
        if !values.is_empty() {
            let all = columns.iter().zip(&self.spec.types);
            let full = |(column, ty): (&Option<Column>, &DataType)| match column {
                Some(column) => column.clone(),
                None => Column::default_of(ty, 1),
            };
            self.last = all.map(full).collect();
            for (at, value) in self.spec.interpolated.iter().zip(&values) {
                columns[*at] = Some(value.clone());
            }
            self.values = values;
        }
        for (out, column) in self.out.iter_mut().zip(&columns) {
            match column {
                Some(column) => out.append(column),
                None => out.push_default(),
            }
        }
        self.copied = None;
        Ok(())
    }

    /// The values of INTERPOLATE in the next row. An expression reads its own column of the row
    /// before, but of another interpolated column what it would be without INTERPOLATE.
    fn interpolated(&self) -> Result<Vec<Column>> {
        if self.spec.programs.is_empty() {
            return Ok(Vec::new());
        }
        let mut before = self.before()?;
        let mut out = Vec::with_capacity(self.spec.programs.len());
        for (number, program) in self.spec.programs.iter().enumerate() {
            let at = self.spec.interpolated[number];
            let own = self.values.get(number).filter(|_| !self.last.is_empty());
            let other = own.map(|value| std::mem::replace(&mut before[at], value.clone()));
            out.extend(program.run_columns(&before, 1)?);
            if let Some(other) = other {
                before[at] = other;
            }
        }
        Ok(out)
    }

    /// The columns of the row that was made last; defaults if there is none.
    fn before(&self) -> Result<Vec<Column>> {
        if !self.last.is_empty() {
            return Ok(self.last.clone());
        }
        let row = self.copied.map(|(place, _)| (place.chunk, place.row.wrapping_sub(1)));
        match row.and_then(|(chunk, row)| Some((self.chunks().get(chunk)?, row))) {
            Some((chunk, row)) => Ok(chunk.slice(row, 1).columns.clone()),
            None => Ok(self.spec.types.iter().map(|ty| Column::default_of(ty, 1)).collect()),
        }
    }
}

/// Nothing leads to infinity or NaN, before which the grid waits.
fn is_finite(values: &Values) -> bool {
    values.iter().flatten().all(|value| match value {
        FillValue::Float(f) => f.is_finite(),
        FillValue::Int(_) => true,
    })
}

/// A column of one value.
fn column_of(value: FillValue, ty: &DataType) -> Result<Column> {
    let mut inner = ColumnBuilder::new(ty.without_nullable(), 1);
    match value {
        FillValue::Int(bits) => inner.push_bits(bits)?,
        FillValue::Float(f) => {
            let value = entasis_types::Value::Float(f);
            inner.push_value(ty.without_nullable(), &value);
        }
    }
    let column = inner.finish();
    Ok(match ty {
        DataType::Nullable(_) => Column::nullable(column, Bitmap::constant(true, 1)),
        _ => column,
    })
}

/// The values of a filled column.
fn values_of(column: &Column) -> Result<Values> {
    let full = column.full();
    let (valid, values) = full.split_nullable();
    let mut out: Values = match values {
        Column::Float32(values) => {
            values.iter().map(|v| Some(FillValue::Float(f64::from(*v)))).collect()
        }
        Column::Float64(values) => values.iter().map(|v| Some(FillValue::Float(*v))).collect(),
        Column::Nothing(rows) => vec![None; *rows],
        numbers => match_native!(numbers,
            values => values.iter().map(|v| Some(FillValue::Int((*v).cast_to()))).collect(),
            _ => return Err(Error::logical("WITH FILL over a column of no numbers"))),
    };
    if let Some(valid) = valid {
        for (at, value) in out.iter_mut().enumerate() {
            if !valid.get(at) {
                *value = None;
            }
        }
    }
    Ok(out)
}
