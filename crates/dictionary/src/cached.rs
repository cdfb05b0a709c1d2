//! Dictionaries that ask their source for keys: with a cache of the answers, or without one.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use entasis_base::sync::lock;
use entasis_base::{Result, scope};
use entasis_column::{Chunk, Column};
use entasis_function::dictionary::{Contents, Found, Rows, Structure};

use crate::index::Index;
use crate::key::{KeyForm, Keys};
use crate::loaded::{Loaded, Options};
use crate::{Duplicates, Layout};

/// Reads a source.
pub trait Source: Send + Sync {
    /// The rows with these keys, in the columns of the dictionary: keys, then attributes.
    fn read(&self, keys: &[Column], rows: usize) -> Result<Chunk>;

    /// All rows.
    fn read_all(&self) -> Result<Chunk>;
}

/// A dictionary that asks its source.
pub struct Cached {
    structure: Structure,
    layout: Layout,
    defaults: Vec<Column>,
    source: Box<dyn Source>,
    /// Most keys that are kept, and for how long.
    bounds: Option<(usize, Duration)>,
    cells: Mutex<Cells>,
}

/// What a cache knows.
struct Cells {
    /// Numbers of the keys that the source was asked for.
    index: Arc<Index>,
    /// The columns of the known keys.
    keys: Vec<Column>,
    /// Row `n + 1` has the attributes of key `n`, and row 0 the defaults.
    attributes: Arc<Vec<Column>>,
    /// Whether the source has key `n`.
    is_there: Arc<Vec<bool>>,
    /// When the oldest answer is too old.
    until: Option<Instant>,
}

impl Cached {
    /// A dictionary without anything in its cache. `bounds` are most keys and how long they are
    /// kept; `None` keeps nothing.
    pub fn new(
        structure: Structure,
        layout: Layout,
        defaults: Vec<Column>,
        source: Box<dyn Source>,
        bounds: Option<(usize, Duration)>,
    ) -> Self {
        let cells = Mutex::new(Cells::empty(&structure, &defaults));
        Self { structure, layout, defaults, source, bounds, cells }
    }

    /// Number of keys that are kept and that the source has.
    pub fn elements(&self) -> usize {
        self.lock().is_there.iter().filter(|there| **there).count()
    }

    /// Bytes held.
    pub fn byte_size(&self) -> usize {
        let cells = self.lock();
        let columns = cells.keys.iter().chain(cells.attributes.iter());
        cells.index.byte_size() + columns.map(Column::byte_size).sum::<usize>()
    }

    fn lock(&self) -> MutexGuard<'_, Cells> {
        lock(&self.cells)
    }

    /// What the source answers for these keys.
    fn ask(&self, keys: &[Column], rows: usize) -> Result<Loaded> {
        let chunk = self.source.read(keys, rows)?;
        let layout = Layout { duplicates: Duplicates::Last, ..self.layout };
        Loaded::build(&self.structure, &layout, Options::default(), &self.defaults, &chunk)
    }

    fn form(&self) -> KeyForm {
        KeyForm::of(&self.structure.key_types())
    }
}

impl Cells {
    fn empty(structure: &Structure, defaults: &[Column]) -> Self {
        let types = structure.key_types();
        Self {
            index: Arc::new(Index::empty(KeyForm::of(&types))),
            keys: types.iter().map(|ty| Column::default_of(ty, 0)).collect(),
            attributes: Arc::new(defaults.iter().map(Column::full).collect()),
            is_there: Arc::default(),
            until: None,
        }
    }

    /// The row of each number, where 0 is a key that is not known; `None` if there is such a key.
    fn rows(&self, numbers: &[u32]) -> Option<Vec<u32>> {
        let row = |&number: &u32| match number {
            0 => None,
            number => Some(if self.is_there[number as usize - 1] { number } else { 0 }),
        };
        numbers.iter().map(row).collect()
    }
}

/// One row for each distinct key.
fn distinct(form: KeyForm, keys: &[Column], rows: usize) -> Result<(Vec<Column>, usize)> {
    let (_, numbers) = Index::build(&form.keys(keys, rows)?)?;
    let mut firsts = Vec::new();
    for (row, &number) in numbers.iter().enumerate() {
        if number as usize == firsts.len() {
            firsts.push(row as u32);
        }
    }
    if firsts.len() < rows {
        return Ok((keys.iter().map(|key| key.full().take(&firsts)).collect(), firsts.len()));
    }
    Ok((keys.iter().map(Column::full).collect(), rows))
}

impl Contents for Cached {
    fn find(&self, keys: &[Column], _range: Option<&Column>, rows: usize) -> Result<Found> {
        let form = self.form();
        let Some((most, lifetime)) = self.bounds else {
            let (asked, count) = distinct(form, keys, rows)?;
            return self.ask(&asked, count)?.find(keys, None, rows);
        };
        let hashed = form.keys(keys, rows)?;
        {
            let mut cells = self.lock();
            if cells.until.is_some_and(|until| Instant::now() >= until) {
                *cells = Cells::empty(&self.structure, &self.defaults);
            }
            let numbers = cells.index.find(&hashed);
            if let Some(found) = cells.rows(&numbers) {
                return Ok(Found { attributes: Arc::clone(&cells.attributes), rows: found });
            }
        }
        // The lock is not held while the source is read.
        let missing = self.missing(&hashed);
        let pick = |key: &Column| key.full().take(&missing);
        let unknown: Vec<Column> = keys.iter().map(pick).collect();
        let (asked, count) = distinct(form, &unknown, missing.len())?;
        let answer = self.ask(&asked, count)?;
        scope::check()?;
        self.keep(&asked, count, &answer, most, lifetime)?;
        let cells = self.lock();
        let numbers = cells.index.find(&hashed);
        if let Some(found) = cells.rows(&numbers) {
            return Ok(Found { attributes: Arc::clone(&cells.attributes), rows: found });
        }
        drop(cells);
        // There are more keys than the cache may keep.
        let (asked, count) = distinct(form, keys, rows)?;
        self.ask(&asked, count)?.find(keys, None, rows)
    }

    fn all(&self) -> Result<Rows> {
        let key_count = self.structure.keys.len();
        if self.bounds.is_none() {
            let chunk = self.source.read_all()?;
            let (keys, attributes) = chunk.columns.split_at(key_count);
            let (keys, attributes) = (keys.to_vec(), attributes.to_vec());
            return Ok(Rows { keys, attributes, rows: chunk.rows });
        }
        let cells = self.lock();
        let there = cells.is_there.iter().enumerate().filter(|(_, there)| **there);
        let numbers: Vec<u32> = there.map(|(number, _)| number as u32).collect();
        let rows: Vec<u32> = numbers.iter().map(|number| number + 1).collect();
        Ok(Rows {
            keys: cells.keys.iter().map(|key| key.take(&numbers)).collect(),
            attributes: cells.attributes.iter().map(|values| values.take(&rows)).collect(),
            rows: rows.len(),
        })
    }
}

impl Cached {
    /// The positions of keys that the cache does not know.
    fn missing(&self, keys: &Keys) -> Vec<u32> {
        let numbers = self.lock().index.find(keys);
        let unknown = numbers.iter().enumerate().filter(|(_, number)| **number == 0);
        unknown.map(|(row, _)| row as u32).collect()
    }

    /// Keeps an answer. If the cache is full, it first forgets everything.
    fn keep(
        &self,
        keys: &[Column],
        count: usize,
        answer: &Loaded,
        most: usize,
        lifetime: Duration,
    ) -> Result<()> {
        if count > most {
            return Ok(());
        }
        let found = answer.find(keys, None, count)?;
        let values: Vec<Column> = found.attributes.iter().map(|c| c.take(&found.rows)).collect();
        let mut cells = self.lock();
        if cells.is_there.len() + count > most {
            *cells = Cells::empty(&self.structure, &self.defaults);
        }
        // Another thread may have asked for the same keys.
        let known = cells.index.find(&self.form().keys(keys, count)?);
        let fresh: Vec<u32> = (0..count as u32).filter(|&row| known[row as usize] == 0).collect();
        let join = |old: &Column, new: &Column| Column::concat(&[old, &new.take(&fresh)]).full();
        let all: Vec<Column> = cells.keys.iter().zip(keys).map(|(a, b)| join(a, b)).collect();
        let total = cells.is_there.len() + fresh.len();
        let (index, _) = Index::build(&self.form().keys(&all, total)?)?;
        let attributes = cells.attributes.iter().zip(&values).map(|(a, b)| join(a, b)).collect();
        let there = fresh.iter().map(|&row| found.rows[row as usize] != 0);
        let is_there = cells.is_there.iter().copied().chain(there).collect();
        *cells = Cells {
            index: Arc::new(index),
            keys: all,
            attributes: Arc::new(attributes),
            is_there: Arc::new(is_there),
            until: cells.until.or_else(|| Instant::now().checked_add(lifetime)),
        };
        Ok(())
    }
}
