//! `sumMap`, `minMap`, `maxMap`: a state of another aggregate for each key, where keys and values
//! are arrays of the same length. Also the combinator `-Map`, which does the same for maps. The
//! result contains the sorted keys and the nested result for each.

use std::any::Any;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;
use std::sync::Arc;

use entasis_base::varint::write_varint;
use entasis_base::{Error, Result, codes};
use entasis_column::compare::{compare_nested, compare_values};
use entasis_column::{Column, ColumnBuilder, StringsBuilder};
use entasis_types::{DataType, Value};

use crate::array::flatten;
use entasis_function::aggregate::args::{expect_no_params, mismatch, wrong_count};
use entasis_function::aggregate::binary::{read_len, read_value, write_value};
use entasis_function::combinator::Nested;
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext, States, registry};
use entasis_function_kernel::aggregates::fold::same;
use entasis_function_kernel::aggregates::tally::NumberHasher;

#[derive(Clone, Debug)]
struct Maps {
    key: DataType,
    inner: Vec<Arc<dyn Aggregate>>,
    /// Whether keys all of whose results are zero are left out.
    drops_zeros: bool,
    /// Whether argument and result are a Map instead of arrays.
    of_map: bool,
}

impl Maps {
    fn over(&self, inner: Vec<Box<dyn States>>) -> Box<dyn States> {
        Box::new(MapStates { of: self.clone(), inner, ids: vec![], next: 0, done: None })
    }
}

impl Aggregate for Maps {
    fn return_type(&self) -> DataType {
        if let (true, [inner]) = (self.of_map, &self.inner[..]) {
            return DataType::map(self.key.clone(), inner.return_type());
        }
        let values = self.inner.iter().map(|i| DataType::array(i.return_type()));
        let keys = DataType::array(self.key.clone());
        DataType::tuple(std::iter::once(keys).chain(values).collect())
    }

    fn states(&self) -> Box<dyn States> {
        self.over(self.inner.iter().map(|i| i.states()).collect())
    }

    fn portable_states(&self) -> Box<dyn States> {
        self.over(self.inner.iter().map(|i| i.portable_states()).collect())
    }
}

/// Inner states by the key's bytes.
type Ids = HashMap<Box<[u8]>, u32, BuildHasherDefault<NumberHasher>>;

struct MapStates {
    of: Maps,
    inner: Vec<Box<dyn States>>,
    /// Inner states of every group, by the key's bytes.
    ids: Vec<Ids>,
    next: u32,
    /// All inner results, once asked for.
    done: Option<Vec<Column>>,
}

/// The columns of keys and values: arguments, or the elements of a tuple.
fn columns(args: &[Column]) -> Result<Vec<Column>> {
    let [one] = args else { return Ok(args.to_vec()) };
    match one.full() {
        Column::Tuple(tuple) => Ok(tuple.columns.clone()),
        Column::Array(array) => {
            let (offsets, Column::Tuple(entries)) = array.flat() else { return Err(mismatch()) };
            let list = |c: &Column| Column::array(offsets.clone(), c.clone());
            Ok(entries.columns.iter().map(list).collect())
        }
        _ => Err(mismatch()),
    }
}

/// A group's keys in order, as bytes, with their inner states.
fn sorted<'a>(ids: &'a Ids, ty: &DataType) -> Result<Vec<(&'a [u8], u32)>> {
    let entries: Vec<(&[u8], u32)> = ids.iter().map(|(bytes, &id)| (&**bytes, id)).collect();
    let mut keys = ColumnBuilder::new(ty, entries.len());
    entries.iter().try_for_each(|entry| read_value(&mut &*entry.0, &mut keys))?;
    let keys = keys.finish();
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by(|&a, &b| compare_nested(&keys, a, &keys, b, true));
    Ok(order.into_iter().map(|i| entries[i]).collect())
}

impl MapStates {
    /// The inner state of a key with these bytes.
    fn id(&mut self, group: usize, bytes: &[u8]) -> u32 {
        if let Some(&id) = self.ids[group].get(bytes) {
            return id;
        }
        let id = self.next;
        self.next += 1;
        self.ids[group].insert(bytes.into(), id);
        id
    }

    fn grow_inner(&mut self) {
        self.done = None;
        let count = self.next as usize;
        self.inner.iter_mut().for_each(|inner| inner.resize(count));
    }
}

impl States for MapStates {
    fn resize(&mut self, groups: usize) {
        if groups > self.ids.len() {
            self.ids.resize_with(groups, Ids::default);
        }
    }

    fn update(&mut self, args: &[Column], groups: &[u32]) -> Result<()> {
        let message = "Sizes of keys and values arrays do not match";
        let (offsets, columns) = flatten(&columns(args)?, message)
            .map_err(|_| Error::new(codes::BAD_ARGUMENTS, message))?;
        let (keys, values) = columns.split_first().ok_or_else(mismatch)?;
        let mut ids = Vec::with_capacity(keys.len());
        let mut bytes = Vec::new();
        for (window, &group) in offsets.windows(2).zip(groups) {
            for k in window[0]..window[1] {
                bytes.clear();
                write_value(keys, k as usize, &mut bytes);
                ids.push(self.id(group as usize, &bytes));
            }
        }
        self.grow_inner();
        for (inner, values) in self.inner.iter_mut().zip(values) {
            let (validity, plain) = values.split_nullable();
            let Some(validity) = validity else {
                inner.update(std::slice::from_ref(values), &ids)?;
                continue;
            };
            let kept: Vec<u32> = validity.ones().map(|i| ids[i]).collect();
            inner.update(&[plain.filter(validity)], &kept)?;
        }
        Ok(())
    }

    fn merge(&mut self, other: &mut dyn States, from: &[u32], groups: &[u32]) -> Result<()> {
        let other = same::<Self>(other)?;
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        for (&from, &group) in from.iter().zip(groups) {
            for (bytes, id) in std::mem::take(&mut other.ids[from as usize]) {
                theirs.push(id);
                ours.push(self.id(group as usize, &bytes));
            }
        }
        self.grow_inner();
        for (inner, other) in self.inner.iter_mut().zip(&mut other.inner) {
            inner.merge(&mut **other, &theirs, &ours)?;
        }
        Ok(())
    }

    fn serialize(&self, groups: Range<usize>, out: &mut StringsBuilder) -> Result<()> {
        for ids in &self.ids[groups] {
            write_varint(&mut out.data, ids.len() as u64);
            for (bytes, id) in sorted(ids, &self.of.key)? {
                let id = id as usize;
                out.data.extend_from_slice(bytes);
                for inner in &self.inner {
                    let mut state = StringsBuilder::default();
                    inner.serialize(id..id + 1, &mut state)?;
                    out.data.extend_from_slice(&state.data);
                }
            }
            out.check_room(0)?;
            out.close();
        }
        Ok(())
    }

    fn merge_one(&mut self, input: &mut &[u8], group: u32) -> Result<()> {
        for _ in 0..read_len(input)? {
            let before = *input;
            let mut key = ColumnBuilder::new(&self.of.key, 1);
            read_value(input, &mut key)?;
            let id = self.id(group as usize, &before[..before.len() - input.len()]);
            self.grow_inner();
            for inner in &mut self.inner {
                inner.merge_one(input, id)?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, groups: Range<usize>) -> Result<Column> {
        if self.done.is_none() {
            let count = self.next as usize;
            let finish = |inner: &mut Box<dyn States>| Ok(inner.finish(0..count)?.full());
            self.done = Some(self.inner.iter_mut().map(finish).collect::<Result<_>>()?);
        }
        let results = self.done.as_deref().unwrap_or_default();
        let zero = |i: &Arc<dyn Aggregate>| Column::default_of(&i.return_type(), 1);
        let zeros: Vec<Column> = self.of.inner.iter().map(zero).collect();
        let is_zero = |id: u32| {
            let mut pairs = results.iter().zip(&zeros);
            pairs.all(|(result, zero)| compare_values(result, id as usize, zero, 0).is_eq())
        };
        let mut keys = ColumnBuilder::new(&self.of.key, groups.len());
        let (mut rows, mut offsets) = (Vec::new(), vec![0u32]);
        for ids in &self.ids[groups] {
            for (mut bytes, id) in sorted(ids, &self.of.key)? {
                if !(self.of.drops_zeros && is_zero(id)) {
                    read_value(&mut bytes, &mut keys)?;
                    rows.push(id);
                }
            }
            offsets.push(rows.len() as u32);
        }
        if self.of.of_map {
            let values = results.iter().map(|r| r.take(&rows));
            let entries = std::iter::once(keys.finish()).chain(values).collect();
            return Ok(Column::array(offsets.into(), Column::tuple(entries, rows.len())));
        }
        let list = |values| Column::array(offsets.clone().into(), values);
        let lists = results.iter().map(|r| list(r.take(&rows)));
        let columns = std::iter::once(list(keys.finish())).chain(lists).collect();
        Ok(Column::tuple(columns, offsets.len() - 1))
    }

    fn byte_size(&self) -> usize {
        let keys = self.next as usize * 64;
        keys + self.inner.iter().map(|i| i.byte_size()).sum::<usize>()
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

fn element<'a>(name: &str, ty: &'a DataType) -> Result<&'a DataType> {
    let DataType::Array(element) = ty else {
        let message = format!(
            "Aggregate function {name} requires arrays of keys and of values as arguments, or one \
             tuple of them, not {ty}"
        );
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    };
    Ok(element)
}

fn bind(
    name: &str,
    nested: &str,
    args: AggregateArgs<'_>,
    context: &dyn FunctionContext,
) -> Result<Box<dyn Aggregate>> {
    expect_no_params(name, args)?;
    if let [map @ DataType::Map(_)] = args.types {
        return Ok(Box::new(of_map(nested, &[], map, context)?));
    }
    let types = match args.types {
        [DataType::Tuple(tuple)] => &tuple.types[..],
        types => types,
    };
    let [key, values @ ..] = types else {
        return Err(wrong_count(format!("Aggregate function {name} requires arguments")));
    };
    if values.is_empty() {
        element(name, key)?;
        let message =
            format!("Aggregate function {name} requires at least two arguments, or a tuple");
        return Err(wrong_count(message));
    }
    let bind_one = |ty: &DataType| {
        let ty = element(name, ty)?.without_nullable().clone();
        registry::bind_aggregate(nested, &[], &[ty], context)
    };
    let key = element(name, key)?.clone();
    let inner = values.iter().map(bind_one).collect::<Result<_>>()?;
    Ok(Box::new(Maps { key, inner, drops_zeros: nested.starts_with("sum"), of_map: false }))
}

/// The aggregate `name` over the values of maps, by key.
fn of_map(
    name: &str,
    params: &[Value],
    ty: &DataType,
    context: &dyn FunctionContext,
) -> Result<Maps> {
    let Some((key, value)) = ty.as_map() else { return Err(mismatch()) };
    let inner = vec![registry::bind_aggregate(name, params, std::slice::from_ref(value), context)?];
    Ok(Maps { key: key.clone(), inner, drops_zeros: false, of_map: true })
}

/// Binds `nameMap(map)`.
pub fn bind_values(nested: Nested<'_>) -> Result<Arc<dyn Aggregate>> {
    match nested.types {
        [ty @ DataType::Map(_)] => {
            Ok(Arc::new(of_map(nested.name, nested.params, ty, nested.context)?))
        }
        [ty] => Err(nested.illegal("Map", ty, "a Map")),
        _ => Err(nested.too_few("Map")),
    }
}

fn sum_map(args: AggregateArgs<'_>, context: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    bind("sumMap", "sum", args, context)
}

fn sum_map_overflow(
    args: AggregateArgs<'_>,
    context: &dyn FunctionContext,
) -> Result<Box<dyn Aggregate>> {
    bind("sumMapWithOverflow", "sumWithOverflow", args, context)
}

fn min_map(args: AggregateArgs<'_>, context: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    bind("minMap", "min", args, context)
}

fn max_map(args: AggregateArgs<'_>, context: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    bind("maxMap", "max", args, context)
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[
    AggregateDef {
        name: "sumMap",
        aliases: &["sumMappedArrays"],
        description: "Sums of the values in arrays by the keys beside them; no keys whose sums are \
                      zero.",
        examples: &[("SELECT sumMap([1, 2], [number, 1]) FROM numbers(3)", "([1,2],[3,3])")],
        bind: sum_map,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "sumMapWithOverflow",
        description: "Like sumMap, but in the type of the values, which may overflow.",
        bind: sum_map_overflow,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "minMap",
        aliases: &["minMappedArrays"],
        description: "For each key of the first array, the least of its values in the second.",
        examples: &[("SELECT minMap([1, 2], [number, 1]) FROM numbers(3)", "([1,2],[0,1])")],
        bind: min_map,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "maxMap",
        aliases: &["maxMappedArrays"],
        description: "For each key of the first array, the greatest of its values in the second.",
        examples: &[("SELECT maxMap([1, 2], [number, 1]) FROM numbers(3)", "([1,2],[2,1])")],
        bind: max_map,
        ..AggregateDef::DEFAULT
    },
];
