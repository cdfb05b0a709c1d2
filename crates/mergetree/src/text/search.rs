//! Looks tokens up in the file of a text index.

use std::collections::HashMap;

use entasis_base::{Result, scope};
use entasis_column::{Column, Strings};

use super::hits::Hits;
use super::postings;
use super::wanted::Wanted;
use crate::bytes::corrupted;
use crate::index::IndexFile;

/// A file, and what was read from it.
pub(super) struct Search<'a> {
    file: &'a IndexFile,
    first: Option<Column>,
    read: HashMap<(usize, usize), Column>,
}

fn strings(column: &Column) -> Result<&Strings> {
    match column {
        Column::String(strings) => Ok(strings),
        _ => Err(corrupted("a text index has a column of another type")),
    }
}

impl<'a> Search<'a> {
    pub(super) fn new(file: &'a IndexFile) -> Result<Self> {
        let first = file.first_values()?.map(Column::full);
        Ok(Self { file, first, read: HashMap::new() })
    }

    fn column(&mut self, column: usize, granule: usize) -> Result<&Column> {
        let place = (column, granule);
        if !self.read.contains_key(&place) {
            self.read.insert(place, self.file.read(column, granule)?);
        }
        self.read.get(&place).ok_or_else(|| corrupted("a column that was not read"))
    }

    /// The rows of a token in those granules of the part that are wanted.
    fn token(&mut self, token: &[u8], wanted: &dyn Fn(u32) -> bool) -> Result<Hits> {
        scope::check()?;
        let granules = self.file.granules().len();
        if granules == 0 {
            return Ok(Hits::default());
        }
        let first =
            self.first.as_ref().ok_or_else(|| corrupted("a text index without an order"))?;
        let first = strings(first)?;
        if first.len() != granules + 1 {
            return Err(corrupted("a text index with another number of granules"));
        }
        if token > first.get(granules) {
            return Ok(Hits::default());
        }
        let (mut low, mut high) = (0, granules);
        while low < high {
            let middle = usize::midpoint(low, high);
            if first.get(middle) <= token { low = middle + 1 } else { high = middle }
        }
        let Some(granule) = low.checked_sub(1) else { return Ok(Hits::default()) };
        let tokens = strings(self.column(0, granule)?)?;
        let (mut low, mut high) = (0, tokens.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if tokens.get(middle) < token { low = middle + 1 } else { high = middle }
        }
        if low >= tokens.len() || tokens.get(low) != token {
            return Ok(Hits::default());
        }
        let mut hits = Hits::default();
        let mut add = |granule, rows| hits.0.push((granule, rows));
        let short = strings(self.column(1, granule)?)?;
        if low < short.len() && !short.get(low).is_empty() {
            postings::read(short.get(low), wanted, &mut add)?;
            return Ok(hits);
        }
        let long = strings(self.column(2, granule)?)?;
        if low >= long.len() || long.get(low).is_empty() {
            return Err(corrupted("a text index has a token without rows"));
        }
        postings::read(long.get(low), wanted, &mut add)?;
        Ok(hits)
    }

    /// The rows that can be wanted; `None` if all of them can.
    pub(super) fn rows(
        &mut self,
        what: &Wanted,
        granules: &dyn Fn(u32) -> bool,
    ) -> Result<Option<Hits>> {
        match what {
            Wanted::Anything => Ok(None),
            Wanted::Token(token) => self.token(token, granules).map(Some),
            Wanted::All(list) => {
                let mut all: Option<Hits> = None;
                for what in list {
                    let hits = match &all {
                        Some(all) => self.rows(what, &|granule| all.rows(granule).is_some())?,
                        None => self.rows(what, granules)?,
                    };
                    all = match (all, hits) {
                        (Some(all), Some(hits)) => Some(all.and(&hits)),
                        (all, hits) => all.or(hits),
                    };
                    if all.as_ref().is_some_and(|all| all.0.is_empty()) {
                        break;
                    }
                }
                Ok(all)
            }
            Wanted::Any(list) => {
                let mut any = Hits::default();
                for what in list {
                    match self.rows(what, granules)? {
                        Some(hits) => any = any.or(hits),
                        None => return Ok(None),
                    }
                }
                Ok(Some(any))
            }
        }
    }
}
