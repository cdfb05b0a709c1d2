//! Groups of arrays: columns `n.a` and `n.b` of arrays are the elements of the nested structure `n`
//! and have the same lengths in every row, however they were declared.
//!
//! An INSERT puts a sink before the table's own that compares the lengths, after defaults are
//! filled in. The first chunk in which they differ fails the statement before any of its rows is
//! visible. Tables without two arrays of one group have no such sink.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, Column};
use entasis_pipeline::{Flow, Morsel, QueryContext, Report, Sink, SinkState};
use entasis_table_api::{InsertSink, Prepared, Schema};
use entasis_types::nested::group_of;

/// Two arrays of a group.
#[derive(Debug)]
struct Pair {
    group: String,
    /// Name and position.
    first: (Arc<str>, usize),
    second: (Arc<str>, usize),
}

/// The pairs of arrays that must have the same lengths: each array of a group with the group's
/// first one.
fn pairs(schema: &Schema) -> Vec<Pair> {
    let stored = schema.stored();
    let group = |at: usize| group_of(&stored[at].name, &stored[at].ty);
    let pair = |second: usize| {
        let of = group(second)?;
        let first = (0..second).find(|&at| group(at) == Some(of))?;
        let column = |at: usize| (Arc::clone(&stored[at].name), at);
        Some(Pair { group: of.to_string(), first: column(first), second: column(second) })
    };
    (0..stored.len()).filter_map(pair).collect()
}

impl Pair {
    fn check(&self, chunk: &Chunk) -> Result<()> {
        let ((a, first), (b, second)) = (&self.first, &self.second);
        if same_lengths(&chunk.columns[*first], &chunk.columns[*second]) {
            return Ok(());
        }
        let message = format!(
            "Elements '{a}' and '{b}' of Nested data structure '{}' (Array columns) have different \
             array sizes: give them as many elements in every row",
            self.group
        );
        Err(Error::new(codes::SIZES_OF_ARRAYS_DONT_MATCH, message))
    }
}

/// Whether two columns of arrays have the same lengths in every row.
fn same_lengths(a: &Column, b: &Column) -> bool {
    match (a.full(), b.full()) {
        (Column::Array(a), Column::Array(b)) => {
            let (x, y) = (&a.offsets, &b.offsets);
            let (p, q) = (x.first().copied().unwrap_or(0), y.first().copied().unwrap_or(0));
            x.len() == y.len() && x.iter().zip(y.iter()).all(|(x, y)| x - p == y - q)
        }
        _ => true,
    }
}

/// Puts a sink before `inner`, which takes all stored columns of `schema`, that compares the
/// lengths of arrays of a group, if there are such groups.
pub(crate) fn checked(inner: Arc<dyn InsertSink>, schema: &Schema) -> Arc<dyn InsertSink> {
    let pairs = pairs(schema);
    if pairs.is_empty() { inner } else { Arc::new(GroupsSink { inner, pairs: pairs.into() }) }
}

/// A sink that passes on rows only if the arrays of each group have the same lengths.
struct GroupsSink {
    inner: Arc<dyn InsertSink>,
    pairs: Arc<[Pair]>,
}

impl Sink for GroupsSink {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn report(&self) -> Report {
        self.inner.report()
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        Ok(Box::new(Groups { inner: self.inner.open()?, pairs: Arc::clone(&self.pairs) }))
    }

    fn finalize(&self, context: &QueryContext) -> Result<()> {
        self.inner.finalize(context)
    }

    fn is_full(&self) -> bool {
        self.inner.is_full()
    }
}

impl InsertSink for GroupsSink {
    fn keeps_order(&self) -> bool {
        self.inner.keeps_order()
    }

    fn prepared(&self) -> Result<Vec<Prepared>> {
        self.inner.prepared()
    }
}

struct Groups {
    inner: Box<dyn SinkState>,
    pairs: Arc<[Pair]>,
}

impl SinkState for Groups {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        self.pairs.iter().try_for_each(|pair| pair.check(&morsel.chunk))?;
        self.inner.push(morsel)
    }

    fn combine(self: Box<Self>) -> Result<()> {
        self.inner.combine()
    }
}
