//! Joins. Of a hash join, the right side is the build side, the left side is the probe side.
//!
//! Roles: [`build`] collects the right side and turns it into one table once all rows have arrived.
//! [`probe`] is the operator on the left side, [`pairs`] what it outputs. [`unmatched`] is the
//! source of right rows without a match, which is read after the left side has ended. Rows with a
//! NULL key match nothing. What does not fit into memory goes to disk and is joined at the end, see
//! [`spilled`].
//!
//! The planner says how rows are found: by a hash table, by several of them ([`alternatives`]), by
//! one that a table keeps ([`direct`]), by asking a table ([`lookup`]), or by inequalities
//! ([`band`]). A merge join ([`merge`]) has
//! neither a build side nor a probe side.

mod alternatives;
mod band;
mod build;
mod built;
mod direct;
mod in_order;
mod left_first;
mod lookup;
mod merge;
mod pairs;
mod paste;
mod probe;
mod sideways;
mod spilled;
mod stored;
mod table;
mod unmatched;

use std::sync::Arc;

use entasis_base::Result;
use entasis_column::{Chunk, Column};
use entasis_expr::{ColumnId, Program};
use entasis_pipeline::Operator;
use entasis_plan::{Columns, Inequality, Join, JoinAlgorithm, JoinKind, Strictness};
use entasis_types::DataType;

use crate::build::{Builder, Stream, add, positions, typed_positions};
use crate::kept::Place;
use alternatives::Branch;
use band::BandSpec;
use build::{Build, BuildSink};
use left_first::LeftFirst;
use probe::Probe;
use unmatched::Unmatched;

/// Which pairs of matching rows the join outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JoinStrictness {
    /// Every pair.
    All,
    /// The first match of each left row.
    First,
    /// The first pair of each key.
    FirstOfKey,
    /// The first match of each right row.
    OncePerRight,
    /// The closest match of each left row (ASOF).
    Asof,
    /// No pairs: only rows without a match are output.
    None,
}

/// The parameters of a join, with positions instead of column ids.
struct Spec {
    strictness: JoinStrictness,
    /// Whether left rows without a match are output, with defaults on the right.
    keep_left: bool,
    /// Whether right rows without a match are output, with defaults on the left.
    keep_right: bool,
    /// The types of the keys, without Nullable: a NULL matches nothing.
    key_types: Vec<DataType>,
    /// Positions of the keys in the chunks of either side; on the left, also of other columns by
    /// which rows are looked up.
    left_keys: Vec<usize>,
    right_keys: Vec<usize>,
    /// Positions of the columns of the right side that are kept, and their types.
    stored: Vec<usize>,
    stored_types: Vec<DataType>,
    left_outputs: Vec<(usize, DataType)>,
    /// Positions among `stored`, with the output types.
    right_outputs: Vec<(usize, DataType)>,
    residual: Option<Residual>,
    find: FindBy,
    closest: Option<AsofKey>,
    /// Whether of several matches the last one counts.
    takes_last: bool,
    max_block_size: usize,
}

/// How the rows of the right side are found, besides by `left_keys` and `right_keys`.
enum FindBy {
    /// By equal keys; without keys every row matches.
    Keys,
    Band(BandSpec),
    Alternatives(Vec<Branch>),
}

impl FindBy {
    /// `compared` are the left side's columns besides the keys, `kept` those that are kept of the
    /// right side.
    fn new(join: &Join, compared: &[ColumnId], kept: &[ColumnId]) -> Result<Self> {
        Ok(match &join.algorithm {
            JoinAlgorithm::Hash
            | JoinAlgorithm::Direct
            | JoinAlgorithm::Lookup
            | JoinAlgorithm::Merge(_) => Self::Keys,
            JoinAlgorithm::Band(band) => Self::Band(BandSpec::new(band, kept)?),
            JoinAlgorithm::Alternatives(lists) => {
                let typed = typed_positions(&join.left.header()?, compared)?;
                let types: Vec<DataType> = typed.into_iter().map(|(_, ty)| ty).collect();
                Self::Alternatives(Branch::all(lists, &types, kept)?)
            }
        })
    }
}

/// The columns that ASOF compares: positions in the chunks of either side, and among `stored`.
struct AsofKey {
    left: usize,
    right: usize,
    stored: usize,
    inequality: Inequality,
}

/// A further condition on pairs. Its inputs are the left columns, then the stored right columns.
struct Residual {
    program: Program,
    left: Vec<usize>,
    right: Vec<usize>,
}

impl Spec {
    /// Whether only the number of pairs matters, as for `count()` over a join.
    fn only_counts(&self) -> bool {
        self.left_outputs.is_empty() && self.right_outputs.is_empty() && self.is_plain()
    }

    /// Whether the right side's rows are needed one by one. They are not if there are no keys and
    /// only the number of pairs matters.
    fn needs_rows(&self) -> bool {
        !(self.is_cross() && self.only_counts())
    }

    /// Whether every row of the right side is looked at for each left row.
    fn is_cross(&self) -> bool {
        self.key_types.is_empty() && matches!(self.find, FindBy::Keys)
    }

    /// Whether all pairs are output, without further conditions and without marking right rows.
    fn is_plain(&self) -> bool {
        let asks = self.residual.is_some() || self.closest.is_some();
        self.strictness == JoinStrictness::All && !asks && !self.keep_right
    }

    /// The columns of left rows by which right rows are looked up.
    fn left_columns(&self, chunk: &Chunk) -> Vec<Column> {
        self.left_keys.iter().map(|at| chunk.columns[*at].clone()).collect()
    }

    /// Whether one match decides about a left row, or about the key of several.
    fn decides_left(&self) -> bool {
        matches!(
            self.strictness,
            JoinStrictness::First | JoinStrictness::FirstOfKey | JoinStrictness::None
        )
    }

    /// Whether a left row marks all right rows that it matches, also if the first one decides.
    fn marks_all(&self) -> bool {
        let one = self.strictness != JoinStrictness::None && self.residual.is_none();
        self.keep_right && !one
    }

    /// Whether it matters which of several right rows comes first.
    fn needs_order(&self) -> bool {
        matches!(
            self.strictness,
            JoinStrictness::First | JoinStrictness::FirstOfKey | JoinStrictness::Asof
        )
    }

    fn new(join: &Join, max_block_size: usize) -> Result<Self> {
        let (left, right) = (join.left.outputs(), join.right.outputs());
        let (left_header, right_header) = join.headers()?;
        let (strictness, keep_left, keep_right) = rules(join.kind, join.strictness);
        let compared = join.algorithm.pairs();
        let mut left_keys: Vec<ColumnId> = join.keys.iter().map(|k| k.0).collect();
        let right_keys: Vec<ColumnId> = join.keys.iter().map(|k| k.1).collect();
        let mut of_residual = Vec::new();
        if let Some(residual) = &join.residual {
            residual.columns(&mut of_residual);
        }
        let (of_left, of_right): (Vec<ColumnId>, Vec<ColumnId>) =
            of_residual.into_iter().partition(|id| left.contains(id));
        let mut kept: Vec<ColumnId> = Vec::new();
        let closest_right = join.closest.as_ref().map(|c| c.right);
        let outputs = &join.right_outputs;
        let of_band = compared.iter().map(|(_, right)| right);
        for id in outputs.iter().chain(&of_right).chain(&closest_right).chain(of_band) {
            if !kept.contains(id) {
                kept.push(*id);
            }
        }
        let residual = match &join.residual {
            Some(expr) => {
                let input = [&of_left[..], &of_right[..]].concat();
                Some(Residual {
                    program: Program::new(std::slice::from_ref(expr), &input)?,
                    left: positions(&left, &of_left)?,
                    right: positions(&kept, &of_right)?,
                })
            }
            None => None,
        };
        let closest = match &join.closest {
            Some(c) => Some(AsofKey {
                left: positions(&left, &[c.left])?[0],
                right: positions(&right, &[c.right])?[0],
                stored: positions(&kept, &[c.right])?[0],
                inequality: c.inequality,
            }),
            None => None,
        };
        let more: Vec<ColumnId> = compared.iter().map(|(left, _)| *left).collect();
        left_keys.extend(&more);
        let typed = |places: Vec<usize>, header: Columns| {
            places.into_iter().zip(header.into_iter().map(|(_, ty)| ty)).collect()
        };
        let stored = typed_positions(&join.right.header()?, &kept)?;
        let find = FindBy::new(join, &more, &kept)?;
        // The rows of a band are in the order of its column.
        let has_order = !matches!(find, FindBy::Band(_))
            && matches!(strictness, JoinStrictness::First | JoinStrictness::FirstOfKey);
        Ok(Self {
            strictness,
            keep_left,
            keep_right,
            key_types: join.key_types()?,
            left_keys: positions(&left, &left_keys)?,
            right_keys: positions(&right, &right_keys)?,
            stored: stored.iter().map(|(at, _)| *at).collect(),
            stored_types: stored.into_iter().map(|(_, ty)| ty).collect(),
            left_outputs: typed(positions(&left, &join.left_outputs)?, left_header),
            right_outputs: typed(positions(&kept, outputs)?, right_header),
            residual,
            find,
            closest,
            takes_last: join.takes_last && has_order,
            max_block_size: max_block_size.max(1),
        })
    }
}

fn rules(kind: JoinKind, strictness: Strictness) -> (JoinStrictness, bool, bool) {
    let keep_left = matches!(kind, JoinKind::Left | JoinKind::Full);
    let keep_right = matches!(kind, JoinKind::Right | JoinKind::Full);
    match (strictness, kind) {
        (Strictness::All, _) => (JoinStrictness::All, keep_left, keep_right),
        (Strictness::Any, JoinKind::Right) => (JoinStrictness::OncePerRight, false, true),
        (Strictness::Any, JoinKind::Inner | JoinKind::Cross) => {
            (JoinStrictness::FirstOfKey, false, false)
        }
        (Strictness::Any, _) => (JoinStrictness::First, keep_left, keep_right),
        (Strictness::Asof, _) => (JoinStrictness::Asof, keep_left, false),
        (Strictness::Semi, JoinKind::Right) => (JoinStrictness::OncePerRight, false, false),
        (Strictness::Semi, _) => (JoinStrictness::First, false, false),
        (Strictness::Anti, JoinKind::Right) => (JoinStrictness::None, false, true),
        (Strictness::Anti, _) => (JoinStrictness::None, true, false),
    }
}

/// Builds the right side and adds the probe to the left side's streams.
pub fn streams(builder: &mut Builder<'_>, join: &Join, ordered: bool) -> Result<Vec<Stream>> {
    if join.kind == JoinKind::Paste {
        return paste::streams(builder, join);
    }
    let spec = Arc::new(Spec::new(join, builder.context.max_block_size)?);
    if let JoinAlgorithm::Merge(merging) = &join.algorithm {
        return merge::streams(builder, join, merging, spec);
    }
    if let JoinAlgorithm::Lookup = join.algorithm
        && let Some(operator) = lookup::operator(join, &spec)
    {
        let mut streams = builder.streams(&join.left, ordered)?;
        add(&mut streams, &operator);
        streams.iter_mut().for_each(|stream| stream.selective = true);
        return Ok(streams);
    }
    let place = direct::place(join, &spec);
    if let Some(built) = place.as_ref().and_then(Place::get) {
        return direct::streams(builder, join, Build::of(spec, built, builder.context), ordered);
    }
    let targets = sideways::targets(join);
    let filters = targets.iter().map(|of| (of.key, Arc::clone(&of.filter))).collect();
    let scheduler = &builder.runtime.scheduler;
    let shared = (scheduler, &builder.runtime.spill);
    let build = Build::create(Arc::clone(&spec), filters, place, builder.context, shared);
    let first_counts = join.strictness != Strictness::All;
    let read_left = |builder: &mut Builder<'_>, after: &[usize]| {
        sideways::filtered(builder, &targets, after, |b| b.streams(&join.left, ordered))
    };
    let read_right = |builder: &mut Builder<'_>| builder.streams(&join.right, first_counts);
    let first = match ordered {
        true => None,
        false => LeftFirst::begin(builder, join, &spec, |builder| read_left(builder, &[]))?,
    };
    let right = match &first {
        Some(first) => first.right(builder, read_right)?,
        None => read_right(builder)?,
    };
    let no_left = first.as_ref().map(LeftFirst::emptiness);
    let sink: Arc<dyn entasis_pipeline::Sink> =
        Arc::new(BuildSink { build: Arc::clone(&build), no_left });
    let built = builder.end(right, &sink, first_counts);
    let mut streams = match first {
        Some(first) => first.left(),
        None => read_left(builder, &built)?,
    };
    let probe: Arc<dyn Operator> = Arc::new(Probe { build: Arc::clone(&build), ordered });
    add(&mut streams, &probe);
    for stream in &mut streams {
        stream.after.extend(&built);
        stream.selective = true;
    }
    let later = |source, operators| {
        let (after_previous, selective) = (true, true);
        Stream { operators, after_previous, selective, ..Stream::new(source) }
    };
    if spec.keep_right {
        streams.push(later(Arc::new(Unmatched::new(Arc::clone(&build))), Vec::new()));
    }
    let (source, operator) = spilled::tasks::create(&build, builder.context);
    streams.push(later(source, vec![operator]));
    Ok(streams)
}

#[cfg(test)]
mod tests;
