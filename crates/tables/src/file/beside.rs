//! Columns of file tables whose values are not in the file: the file's name, path and size, the
//! row's number, and the values of directories of the form `key=value`.
//!
//! A file's rows come in pieces ([`Piece`]) that record their origin; [`Placed`] assembles the
//! wanted columns.

use std::sync::Arc;

use entasis_base::{Error, Event, Result};
use entasis_column::{Chunk, Column, Field, Header};
use entasis_pipeline::Morsel;
use entasis_table_api::{ColumnDef, Schema};
use entasis_types::{DataType, Value};

use super::Target;
use crate::raw::{RawReader, RawRows};

/// Where a column of the table comes from.
#[derive(Clone, Debug)]
enum From {
    /// The file's column at this place of [`Layout::stored`].
    File(usize),
    Path,
    Name,
    Size,
    Time,
    RowNumber,
    /// The address of the row: the file's number in the upper half, the row's in the lower.
    Address,
    /// The value of this key in the path.
    Key(String),
}

/// The columns of a table over files.
pub(super) struct Layout {
    /// The columns that are read from the files.
    pub(super) stored: Header,
    /// The columns and their origins, by position in the schema.
    places: Vec<(Field, From)>,
}

impl Layout {
    /// The layout and schema for the columns that the files have, or that the query declares, plus
    /// the keys in the first path.
    pub(super) fn new(
        fields: &[Field],
        is_given: bool,
        path: Option<&str>,
    ) -> Result<(Arc<Schema>, Self)> {
        let keys = path.map(keys_of).unwrap_or_default();
        let of_key = |name: &str| keys.iter().any(|(key, _)| *key == name);
        let mut stored: Vec<Field> = Vec::new();
        let mut columns: Vec<ColumnDef> = Vec::new();
        let mut places: Vec<(Field, From)> = Vec::new();
        for field in fields {
            let from = if of_key(&field.name) {
                From::Key(field.name.to_string())
            } else {
                stored.push(field.clone());
                From::File(stored.len() - 1)
            };
            columns.push(ColumnDef::new(Arc::clone(&field.name), field.ty.clone()));
            places.push((field.clone(), from));
        }
        let mut behind = Vec::new();
        for (key, value) in &keys {
            if fields.iter().any(|f| *f.name == **key) {
                continue;
            }
            let ty = type_of(value);
            let place = (Field::new(*key, ty.clone()), From::Key((*key).to_string()));
            if is_given {
                behind.push(place);
            } else {
                columns.push(ColumnDef::new(*key, ty));
                places.push(place);
            }
        }
        for (name, ty, from) in known() {
            behind.push((Field::new(name, ty), from));
        }
        for (field, from) in behind {
            if !columns.iter().any(|c| c.name == field.name) {
                let name = Arc::clone(&field.name);
                columns.push(ColumnDef::virtual_column(name, field.ty.clone()));
                places.push((field, from));
            }
        }
        Ok((Schema::new(columns), Self { stored: Header::new(stored), places }))
    }

    /// The position by which addresses of rows are asked for, behind all columns.
    pub(super) fn address(&self) -> usize {
        self.places.len()
    }

    /// How many columns there are before the first one that is not in the files.
    pub(super) fn first_columns(&self) -> usize {
        self.places.iter().take_while(|(_, from)| matches!(from, From::File(_))).count()
    }

    fn place(&self, position: usize) -> Option<(Field, From)> {
        match position == self.address() {
            true => Some((Field::new("address", DataType::UInt64), From::Address)),
            false => self.places.get(position).cloned(),
        }
    }

    /// The column of the files behind the column at a position of the schema.
    pub(super) fn of_file(&self, position: usize) -> Option<&Field> {
        match self.places.get(position)?.1 {
            From::File(place) => Some(&self.stored[place]),
            _ => None,
        }
    }
}

/// The virtual columns of every file.
fn known() -> [(&'static str, DataType, From); 5] {
    let text = || DataType::LowCardinality(Arc::new(DataType::String));
    [
        ("_path", text(), From::Path),
        ("_file", text(), From::Name),
        ("_size", DataType::nullable(DataType::UInt64), From::Size),
        ("_time", DataType::nullable(DataType::DateTime(None)), From::Time),
        ("_row_number", DataType::nullable(DataType::Int64), From::RowNumber),
    ]
}

/// The directories of a path that have the form `key=value`, as pairs.
fn keys_of(path: &str) -> Vec<(&str, &str)> {
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    let mut keys: Vec<(&str, &str)> = Vec::new();
    for (key, value) in parts.iter().filter_map(|part| part.split_once('=')) {
        if !key.is_empty() && !keys.iter().any(|(known, _)| *known == key) {
            keys.push((key, value));
        }
    }
    keys.sort_unstable();
    keys
}

/// The type that is inferred for a value in a path.
fn type_of(value: &str) -> DataType {
    match entasis_format::guess_type(value.as_bytes()) {
        None | Some(DataType::String) => DataType::LowCardinality(Arc::new(DataType::String)),
        Some(ty) => ty,
    }
}

/// Consecutive rows of one file.
pub(super) struct Piece {
    pub(super) morsel: Morsel,
    /// The index of the file among the paths.
    pub(super) file: usize,
    /// The number of rows of the file before these.
    pub(super) first_row: u64,
}

/// The rows of files, without the virtual columns.
pub(super) trait FileRows: Send + Sync + 'static {
    /// The name in plans and profiles.
    fn name(&self) -> String;

    /// A reader of the columns at these places of [`Layout::stored`]. With `counts`,
    /// [`Piece::first_row`] must be exact.
    fn reader(
        &self,
        columns: &[usize],
        max_rows: usize,
        counts: bool,
    ) -> Result<Box<dyn FileReader>>;

    /// Number of morsels; `None` if it is unknown.
    fn morsels(&self) -> Option<usize>;
}

/// One worker's reader of [`FileRows`].
pub(super) trait FileReader: Send {
    /// The next rows; `None` at the end.
    fn next(&mut self) -> Result<Option<Piece>>;
}

/// The rows of files, with the virtual columns added.
pub(super) struct Placed {
    pub(super) target: Arc<Target>,
    pub(super) layout: Arc<Layout>,
    pub(super) paths: Arc<[String]>,
    pub(super) rows: Arc<dyn FileRows>,
}

impl RawRows for Placed {
    fn event(&self) -> Event {
        Event::FileRowsRead
    }

    fn name(&self) -> String {
        self.rows.name()
    }

    fn reader(&self, columns: &[usize], max_rows: usize) -> Result<Box<dyn RawReader>> {
        let lost = || Error::logical("lost column of a file");
        let mut wanted = Vec::new();
        let mut places = Vec::new();
        for &position in columns {
            let (field, from) = self.layout.place(position).ok_or_else(lost)?;
            let from = match from {
                From::File(at) => {
                    wanted.push(at);
                    From::File(wanted.len() - 1)
                }
                other => other,
            };
            places.push((field, from));
        }
        let counts = places.iter().any(|(_, from)| matches!(from, From::RowNumber | From::Address));
        let inner = self.rows.reader(&wanted, max_rows, counts)?;
        let (target, paths) = (Arc::clone(&self.target), Arc::clone(&self.paths));
        Ok(Box::new(PlacedReader { target, paths, inner, places, known: None }))
    }

    fn morsels(&self) -> Option<usize> {
        self.rows.morsels()
    }
}

struct PlacedReader {
    target: Arc<Target>,
    paths: Arc<[String]>,
    inner: Box<dyn FileReader>,
    places: Vec<(Field, From)>,
    /// The index of a file, with its value of each virtual column.
    known: Option<(usize, Vec<Option<Column>>)>,
}

impl PlacedReader {
    /// A column with a single value that all rows of the file share.
    fn value(&self, field: &Field, from: &From, path: &str) -> Result<Option<Column>> {
        let info = || self.target.place.info(path);
        let value = match from {
            From::File(_) | From::RowNumber | From::Address => return Ok(None),
            From::Path => Value::from(self.target.place.shown(path).as_str()),
            From::Name => {
                let path = self.target.place.name_of(path);
                Value::from(path.rsplit('/').next().unwrap_or(path))
            }
            From::Size => self.target.place.size(path)?.map_or(Value::Null, Value::UInt),
            From::Time => {
                let seconds = |modified: i64| modified.clamp(0, i64::from(u32::MAX)) as u64;
                info()?.map_or(Value::Null, |info| Value::UInt(seconds(info.modified)))
            }
            From::Key(key) => {
                let found = keys_of(path).into_iter().find(|(name, _)| name == key);
                let Some((_, value)) = found else {
                    return Ok(Some(Column::default_of(&field.ty, 1)));
                };
                let text = Column::from_value(&DataType::String, &Value::from(value), 1).full();
                let caster = crate::cast::caster(self.target.options.time_zone);
                let value = caster.cast(text, &DataType::String, &field.ty, 1);
                return value
                    .map(|column| Some(column.full()))
                    .map_err(|e| super::in_file(e, path));
            }
        };
        Ok(Some(Column::from_value(&field.ty, &value, 1).full()))
    }

    fn known(&mut self, file: usize) -> Result<&[Option<Column>]> {
        if self.known.as_ref().is_none_or(|(of, _)| *of != file) {
            let path = self.paths.get(file).map_or("", String::as_str);
            let values = self.places.iter().map(|(field, from)| self.value(field, from, path));
            self.known = Some((file, values.collect::<Result<_>>()?));
        }
        Ok(self.known.as_ref().map_or(&[], |(_, values)| values))
    }
}

/// The row numbers from `first` on.
fn numbers(first: u64, rows: usize) -> Column {
    let values: Vec<i64> = (first as i64..).take(rows).collect();
    Column::nullable(values.into(), entasis_column::Bitmap::constant(true, rows))
}

impl RawReader for PlacedReader {
    fn next(&mut self) -> Result<Option<Morsel>> {
        let Some(Piece { morsel, file, first_row }) = self.inner.next()? else { return Ok(None) };
        let Morsel { sequence, chunk } = morsel;
        let rows = chunk.rows;
        let mut columns = Vec::with_capacity(self.places.len());
        for (i, value) in self.known(file)?.iter().enumerate() {
            columns.push((i, value.as_ref().map(|value| Column::constant(value.clone(), rows))));
        }
        let column = |(i, value): (usize, Option<Column>)| match (value, &self.places[i].1) {
            (Some(value), _) => value,
            (None, From::File(at)) => chunk.columns[*at].clone(),
            (None, From::Address) => crate::changed::addresses(file, first_row as usize, rows),
            (None, _) => numbers(first_row, rows),
        };
        let columns = columns.into_iter().map(column).collect();
        Ok(Some(Morsel { sequence, chunk: Chunk::new(columns, rows) }))
    }
}
