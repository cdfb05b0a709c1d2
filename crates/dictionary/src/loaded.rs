//! A dictionary that was read as a whole.

use std::ops::Range;
use std::sync::Arc;

use entasis_base::{Error, Result, codes, scope};
use entasis_column::{Bitmap, Chunk, Column, match_native};
use entasis_function::dictionary::{Contents, Found, KeyKind, Rows, Structure};
use entasis_simd::sum::Bounded;
use entasis_types::DataType;

use crate::address::Prefixes;
use crate::index::Index;
use crate::key::{KeyForm, Keys};
use crate::polygon::Polygons;
use crate::range::Ranges;
use crate::{Duplicates, Layout};

/// The rows of a dictionary with an index from keys to rows.
pub struct Loaded {
    finder: Finder,
    form: KeyForm,
    /// Row `n` has the key of row `n + 1` of the attributes; bounds of ranges follow the keys.
    keys: Vec<Column>,
    /// Row 0 has the default values.
    attributes: Arc<Vec<Column>>,
    elements: usize,
}

/// From keys to rows.
enum Finder {
    Keys(Index),
    Ranges(Index, Ranges),
    Prefixes(Prefixes),
    Polygons(Polygons),
}

/// What a layout is told besides its rows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// No key of a flat dictionary may be this great or greater.
    pub max_array_size: Option<u64>,
    /// Whether of several ranges the one with the greatest lower bound counts.
    pub takes_max: bool,
    /// Whether rows with a bound that is NULL are left out. If not, that end of the range is open.
    pub skips_open: bool,
}

impl Loaded {
    /// Builds a dictionary of rows. Their columns are the keys, the two bounds of ranges if the
    /// structure has a range, and the attributes. `defaults` has one row for each attribute.
    pub fn build(
        structure: &Structure,
        layout: &Layout,
        options: Options,
        defaults: &[Column],
        rows: &Chunk,
    ) -> Result<Self> {
        if rows.rows >= u32::MAX as usize {
            let message = "A dictionary has at most 4294967294 rows";
            return Err(Error::new(codes::LIMIT_EXCEEDED, message));
        }
        let form = KeyForm::of(&structure.key_types());
        let key_count = structure.keys.len();
        let bound_count = if structure.range.is_some() { 2 } else { 0 };
        let rows = &match options.skips_open && bound_count > 0 {
            true => without_open(rows, key_count..key_count + bound_count),
            false => rows.clone(),
        };
        let columns: Vec<Column> = rows.columns.iter().map(Column::full).collect();
        let (keys, values) = columns.split_at(key_count + bound_count);
        let all = |finder, keys: &[Column]| {
            let attributes = with_defaults(defaults, values);
            Ok(Self {
                finder,
                form,
                keys: keys.to_vec(),
                attributes: Arc::new(attributes),
                elements: rows.rows,
            })
        };
        match layout.key {
            KeyKind::Address => {
                let (prefixes, shown) = Prefixes::build(&keys[0])?;
                return all(Finder::Prefixes(prefixes), &[shown]);
            }
            KeyKind::Point => return all(Finder::Polygons(Polygons::build(&keys[0])?), keys),
            KeyKind::Simple | KeyKind::Complex => {}
        }
        let hashed = form.keys(&keys[..key_count], rows.rows)?;
        if let (Some(most), Keys::Word(words)) = (options.max_array_size, &hashed)
            && words.iter().any(|&key| key >= most)
        {
            let message = format!("identifier should be less than {most}: raise MAX_ARRAY_SIZE");
            return Err(Error::new(codes::ARGUMENT_OUT_OF_BOUND, message));
        }
        let (index, numbers) = Index::build(&hashed)?;
        if structure.range.is_some() {
            let count = numbers.iter().max().map_or(0, |&most| most as usize + 1);
            let bounds = [&keys[key_count], &keys[key_count + 1]];
            let ranges = Ranges::build(&numbers, count, bounds, options.takes_max)?;
            return all(Finder::Ranges(index, ranges), &shown(keys, structure));
        }
        let chosen = chosen(&numbers, layout.duplicates);
        if chosen.len() == rows.rows {
            return all(Finder::Keys(index), keys);
        }
        scope::check()?;
        let pick = |columns: &[Column]| columns.iter().map(|c| c.take(&chosen)).collect::<Vec<_>>();
        Ok(Self {
            finder: Finder::Keys(index),
            form,
            keys: pick(keys),
            attributes: Arc::new(with_defaults(defaults, &pick(values))),
            elements: chosen.len(),
        })
    }

    /// Number of rows.
    pub fn elements(&self) -> usize {
        self.elements
    }

    /// Bytes held.
    pub fn byte_size(&self) -> usize {
        let columns = self.keys.iter().chain(self.attributes.iter());
        let rows: usize = columns.map(Column::byte_size).sum();
        rows + match &self.finder {
            Finder::Keys(index) => index.byte_size(),
            Finder::Ranges(index, ranges) => index.byte_size() + ranges.byte_size(),
            Finder::Prefixes(prefixes) => prefixes.byte_size(),
            Finder::Polygons(polygons) => polygons.byte_size(),
        }
    }

    /// The share of places of the index that are used.
    pub fn load_factor(&self) -> f64 {
        match &self.finder {
            Finder::Keys(index) | Finder::Ranges(index, _) => index.load_factor(self.elements),
            Finder::Prefixes(_) | Finder::Polygons(_) => 0.0,
        }
    }
}

/// The rows whose bounds are not NULL.
fn without_open(rows: &Chunk, bounds: Range<usize>) -> Chunk {
    let mut mask = Bitmap::constant(true, rows.rows);
    for column in &rows.columns[bounds] {
        if let (Some(validity), _) = column.full().split_nullable() {
            mask = mask.and(validity);
        }
    }
    rows.filter(&mask)
}

/// The keys, and the bounds behind them as they are shown.
fn shown(keys: &[Column], structure: &Structure) -> Vec<Column> {
    let first = structure.keys.len();
    let is_nullable = structure.range.as_ref().is_some_and(DataType::is_nullable);
    let mut keys = keys.to_vec();
    for (bound, is_upper) in keys[first..].iter_mut().zip([false, true]) {
        *bound = closed(bound, is_upper, is_nullable);
    }
    keys
}

/// Bounds as they are shown: an open end is the least or the greatest value of the type.
fn closed(bounds: &Column, is_upper: bool, is_nullable: bool) -> Column {
    let bounds = bounds.full();
    let (validity, values) = bounds.split_nullable();
    let Some(validity) = validity else { return bounds };
    let filled = match_native!(values, v => {
        let end = if is_upper { Bounded::HIGHEST } else { Bounded::LOWEST };
        let one = |(row, value): (usize, &_)| if validity.get(row) { *value } else { end };
        Column::from(v.iter().enumerate().map(one).collect::<Vec<_>>())
    }, other => other.clone());
    match is_nullable {
        true => Column::nullable(filled, Bitmap::constant(true, bounds.len())),
        false => filled,
    }
}

/// The row that counts for each key, by the numbers of the keys.
fn chosen(numbers: &[u32], duplicates: Duplicates) -> Vec<u32> {
    let count = numbers.iter().max().map_or(0, |&most| most as usize + 1);
    if count == numbers.len() || duplicates == Duplicates::All {
        return (0..numbers.len() as u32).collect();
    }
    let mut rows = vec![u32::MAX; count];
    for (row, &number) in numbers.iter().enumerate() {
        let place = &mut rows[number as usize];
        if duplicates == Duplicates::Last || *place == u32::MAX {
            *place = row as u32;
        }
    }
    rows
}

/// The columns with the defaults in front of them.
fn with_defaults(defaults: &[Column], values: &[Column]) -> Vec<Column> {
    let pairs = defaults.iter().zip(values);
    pairs.map(|(default, values)| Column::concat(&[&default.full(), values]).full()).collect()
}

impl Contents for Loaded {
    fn find(&self, keys: &[Column], range: Option<&Column>, rows: usize) -> Result<Found> {
        let found = match &self.finder {
            Finder::Prefixes(prefixes) => prefixes.find(&keys[0])?,
            Finder::Polygons(polygons) => polygons.find(keys, rows)?,
            Finder::Keys(index) => index.find(&self.form.keys(keys, rows)?),
            Finder::Ranges(index, ranges) => {
                let range = range.ok_or_else(|| Error::logical("a look-up without its range"))?;
                ranges.find(&index.find(&self.form.keys(keys, rows)?), range)?
            }
        };
        Ok(Found { attributes: Arc::clone(&self.attributes), rows: found })
    }

    fn all(&self) -> Result<Rows> {
        let rows = self.elements;
        let attributes = self.attributes.iter().map(|c| c.slice(1, rows)).collect();
        Ok(Rows { keys: self.keys.clone(), attributes, rows })
    }
}
