//! `anyHeavy`: the value that more than half of a group's rows have, by the algorithm of Boyer and
//! Moore; any value if there is none.

use std::any::Any;
use std::ops::Range;

use entasis_base::Result;
use entasis_column::compare::compare_values;
use entasis_column::{Column, ColumnBuilder, StringsBuilder};
use entasis_types::DataType;

use entasis_function::aggregate::args::{Bytes, expect_plain, mismatch};
use entasis_function::aggregate::binary::{read_single, write_single};
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext, States};
use entasis_function_kernel::aggregates::fold::same;
use entasis_function_kernel::aggregates::store::{Store, store_for};

#[derive(Clone, Debug)]
struct Heavy(DataType);

impl Aggregate for Heavy {
    fn return_type(&self) -> DataType {
        self.0.clone()
    }

    fn states(&self) -> Box<dyn States> {
        let ty = self.0.clone();
        Box::new(HeavyStates { values: store_for(&ty), ty, votes: Vec::new(), places: Vec::new() })
    }
}

struct HeavyStates {
    ty: DataType,
    values: Box<dyn Store>,
    /// How much more often the value was seen than other values since it was chosen.
    votes: Vec<u64>,
    /// While rows are counted, the candidate of each group that has a row; [`NO_PLACE`] otherwise.
    places: Vec<u32>,
}

const NO_PLACE: u32 = u32::MAX;

/// The row of a candidate that the store has.
const KEPT: u32 = u32::MAX;

/// The value that a group's rows are compared with.
#[derive(Clone, Copy)]
struct Candidate<V> {
    value: V,
    votes: u64,
    /// The row that it came from, or [`KEPT`].
    row: u32,
    /// Whether there is a value at all.
    has: bool,
}

impl<V: Copy> Candidate<V> {
    #[inline(always)]
    fn vote(&mut self, value: V, row: u32, votes: u64, same: impl Fn(V, V) -> bool) {
        if self.votes > 0 && same(self.value, value) {
            self.votes += votes;
        } else if self.votes < votes || !self.has {
            *self = Self { value, votes, row, has: true };
        } else {
            self.votes -= votes;
        }
    }
}

/// The rows of a batch: the candidate that each belongs to, and how often it counts.
struct Ballot<'a> {
    /// The group of each candidate.
    groups: &'a [u32],
    /// The candidate of each row; `None` if there is only one.
    places: Option<&'a [u32]>,
    rows: usize,
    /// Votes of each row; `None` for one each.
    votes: Option<&'a [u64]>,
}

impl HeavyStates {
    /// Counts all rows. `kept` has the candidates' present values, and `value` answers row `i`.
    fn count<V: Copy>(
        &mut self,
        column: &Column,
        ballot: &Ballot<'_>,
        kept: impl Iterator<Item = V>,
        value: impl Fn(usize) -> V,
        same: impl Fn(V, V) -> bool + Copy,
    ) -> Result<()> {
        let candidate = |(value, group): (V, &u32)| {
            let (votes, has) = (self.votes[*group as usize], self.values.has(*group as usize));
            Candidate { value, votes, row: KEPT, has }
        };
        let mut candidates: Vec<Candidate<V>> = kept.zip(ballot.groups).map(candidate).collect();
        match (ballot.places, ballot.votes) {
            (None, None) => {
                let mut only = candidates[0];
                (0..ballot.rows).for_each(|i| only.vote(value(i), i as u32, 1, same));
                candidates[0] = only;
            }
            (Some(places), None) => {
                for (i, &at) in places.iter().enumerate() {
                    candidates[at as usize].vote(value(i), i as u32, 1, same);
                }
            }
            (places, Some(votes)) => {
                for (i, &votes) in votes.iter().enumerate() {
                    let at = places.map_or(0, |places| places[i] as usize);
                    candidates[at].vote(value(i), i as u32, votes, same);
                }
            }
        }
        let mut wins = Vec::new();
        for (candidate, &group) in candidates.iter().zip(ballot.groups) {
            self.votes[group as usize] = candidate.votes;
            if candidate.row != KEPT {
                wins.push((group, candidate.row));
            }
        }
        self.values.set(column, &wins)
    }

    /// Counts the rows of a full column.
    fn poll(&mut self, column: &Column, ballot: &Ballot<'_>) -> Result<()> {
        if ballot.rows == 0 {
            return Ok(());
        }
        let kept = self.values.column(&mut ballot.groups.iter().map(|g| *g as usize)).full();
        macro_rules! integers {
            ($($kind:ident),*) => {
                match (&kept, column) {
                    (Column::String(kept), Column::String(rows)) => {
                        return self.count(column, ballot, kept.iter(), |i| rows.get(i),
                            |a, b| a == b);
                    }
                    $((Column::$kind(kept), Column::$kind(rows)) => {
                        return self.count(column, ballot, kept.iter().copied(), |i| rows[i],
                            |a, b| a == b);
                    })*
                    _ => {}
                }
            };
        }
        integers!(UInt8, UInt16, UInt32, UInt64, Int8, Int16, Int32, Int64);
        let places = (0..kept.len()).map(|i| (&kept, i));
        self.count(
            column,
            ballot,
            places,
            |i| (column, i),
            |a, b| compare_values(a.0, a.1, b.0, b.1).is_eq(),
        )
    }

    /// Counts row `i` for `groups[i]`, with one vote or `votes[i]`.
    fn count_all(&mut self, column: &Column, groups: &[u32], votes: Option<&[u64]>) -> Result<()> {
        self.places.resize(self.votes.len(), NO_PLACE);
        let (mut of, mut places) = (Vec::new(), Vec::with_capacity(groups.len()));
        for &group in groups {
            let place = &mut self.places[group as usize];
            if *place == NO_PLACE {
                *place = of.len() as u32;
                of.push(group);
            }
            places.push(*place);
        }
        of.iter().for_each(|group| self.places[*group as usize] = NO_PLACE);
        let rows = groups.len();
        self.poll(column, &Ballot { groups: &of, places: Some(&places), rows, votes })
    }
}

impl States for HeavyStates {
    fn resize(&mut self, groups: usize) {
        self.values.resize(groups);
        if groups > self.votes.len() {
            self.votes.resize(groups, 0);
        }
    }

    fn update(&mut self, args: &[Column], groups: &[u32]) -> Result<()> {
        let column = args.first().ok_or_else(mismatch)?.full();
        self.count_all(&column, groups, None)
    }

    fn update_one(&mut self, args: &[Column], rows: usize, group: u32) -> Result<()> {
        let column = args.first().ok_or_else(mismatch)?.full();
        self.poll(&column, &Ballot { groups: &[group], places: None, rows, votes: None })
    }

    fn merge(&mut self, other: &mut dyn States, from: &[u32], groups: &[u32]) -> Result<()> {
        let other = same::<Self>(other)?;
        let pairs = from.iter().zip(groups).filter(|(from, _)| other.values.has(**from as usize));
        let (from, groups): (Vec<usize>, Vec<u32>) = pairs.map(|(f, g)| (*f as usize, *g)).unzip();
        let votes: Vec<u64> = from.iter().map(|from| other.votes[*from]).collect();
        let values = other.values.column(&mut from.into_iter()).full();
        self.count_all(&values, &groups, Some(&votes))
    }

    fn serialize(&self, groups: Range<usize>, out: &mut StringsBuilder) -> Result<()> {
        for group in groups {
            let value = self.values.column(&mut std::iter::once(group));
            write_single(&value, 0, self.values.has(group), &mut out.data);
            self.votes[group].put(&mut out.data);
            out.check_room(0)?;
            out.close();
        }
        Ok(())
    }

    fn merge_one(&mut self, input: &mut &[u8], group: u32) -> Result<()> {
        let mut value = ColumnBuilder::new(&self.ty, 1);
        let has = read_single(&self.ty, input, &mut value)?;
        let votes = u64::get(input)?;
        if has { self.count_all(&value.finish(), &[group], Some(&[votes])) } else { Ok(()) }
    }

    fn finish(&mut self, groups: Range<usize>) -> Result<Column> {
        Ok(self.values.column(&mut groups.into_iter()))
    }

    fn byte_size(&self) -> usize {
        self.values.byte_size() + self.votes.len() * 8 + self.places.len() * 4
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

fn bind(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    expect_plain("anyHeavy", args, 1)?;
    Ok(Box::new(Heavy(args.types[0].clone())))
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[AggregateDef {
    name: "anyHeavy",
    description: "The value that more than half of the rows have; any value if there is none.",
    examples: &[("SELECT anyHeavy(intDiv(number, 4)) FROM numbers(6)", "0")],
    bind,
    ..AggregateDef::DEFAULT
}];
