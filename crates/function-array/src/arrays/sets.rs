//! Arrays as sets: distinct, uniq, intersect, union, enumerations of repeated elements.

use entasis_base::Result;
use entasis_column::Column;
use entasis_types::DataType;

use super::blocks::counted;
use super::keys::{SHORT, Seen, combine, each_first, keys_of};
use super::lists::{Common, Flat, Lists, element_type, gather};
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Properties};

/// Keys of the (tuples of) elements, and a set large enough for the longest list.
fn keyed(flat: &Flat) -> (Vec<u64>, Seen) {
    let columns: Vec<Vec<u64>> =
        flat.values.iter().map(|v| keys_of(&[&v.full()]).remove(0)).collect();
    let longest = flat.ranges().map(|r| r.len()).max().unwrap_or(0);
    (combine(columns), Seen::new(longest))
}

fn distinct(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let element = element_type("arrayDistinct", &args[0])?;
    // NULL is left out, and with it the reason to be Nullable.
    let plain = element.without_nullable().clone();
    Ok(BoundKernel::new(DataType::array(plain.clone()), move |args, rows| {
        let flat = Flat::of("arrayDistinct", args)?;
        let (keys, mut seen) = keyed(&flat);
        let (validity, values) = flat.values[0].split_nullable();
        let (mut indices, mut ends) =
            (Vec::with_capacity(flat.count()), Vec::with_capacity(rows + 1));
        ends.push(0u32);
        for range in flat.ranges() {
            let start = range.start;
            // All NULLs have one key, so none of them hides another element.
            each_first(&keys[range], &mut seen, |k| {
                if validity.is_none_or(|v| v.get(start + k)) {
                    indices.push((start + k) as u32);
                }
            });
            ends.push(indices.len() as u32);
        }
        Ok(gather(ends, values, &indices, &plain))
    }))
}

fn arrays_only(name: &str, args: &[Arg]) -> Result<()> {
    args.iter().try_for_each(|a| element_type(name, a).map(|_| ()))
}

fn uniq(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    arrays_only("arrayUniq", args)?;
    Ok(BoundKernel::new(DataType::UInt32, |args, _| {
        let flat = Flat::of("arrayUniq", args)?;
        let (keys, mut seen) = keyed(&flat);
        let count = |range: std::ops::Range<usize>| {
            let mut count = 0u32;
            each_first(&keys[range], &mut seen, |_| count += 1);
            count
        };
        Ok(Column::from(flat.ranges().map(count).collect::<Vec<_>>()))
    }))
}

/// How elements that occurred before are numbered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbering {
    /// The how-manieth of its kind it is.
    Occurrence,
    /// The how-manieth kind it is.
    Kind,
}

fn enumerate_by(name: &'static str, numbering: Numbering, args: &[Arg]) -> Result<BoundKernel> {
    arrays_only(name, args)?;
    Ok(BoundKernel::new(DataType::array(DataType::UInt32), move |args, _| {
        let flat = Flat::of(name, args)?;
        let (keys, mut seen) = keyed(&flat);
        let mut out = Vec::with_capacity(flat.count());
        for range in flat.ranges() {
            seen.clear();
            let mut kinds = 0;
            for &key in &keys[range] {
                let number = match (numbering, seen.get(key)) {
                    (Numbering::Occurrence, before) => before.unwrap_or(0) + 1,
                    (Numbering::Kind, Some(kind)) => kind,
                    (Numbering::Kind, None) => {
                        kinds += 1;
                        kinds
                    }
                };
                seen.set(key, number);
                out.push(number);
            }
        }
        Ok(flat.with(Column::from(out)))
    }))
}

fn enumerate(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    arrays_only("arrayEnumerate", args)?;
    Ok(BoundKernel::new(DataType::array(DataType::UInt32), |args, _| {
        let flat = Flat::of("arrayEnumerate", args)?;
        let numbers = counted(&flat.offsets, 1, |k| k as u32, u32::wrapping_add)?;
        Ok(flat.with(Column::from(numbers)))
    }))
}

/// What several arrays share or do not share.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    Intersect,
    Union,
    /// In some array but not in all.
    SymmetricDifference,
}

fn operate(
    name: &'static str,
    operation: Operation,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let types = args.iter().map(|a| element_type(name, a).cloned()).collect::<Result<Vec<_>>>()?;
    let common = Common::of(&types, context)?;
    // An intersection fits the narrowest of its types.
    let ty = match operation {
        Operation::Intersect if types.contains(&DataType::Nothing) => DataType::Nothing,
        Operation::Intersect if common.ty.is_any_number() => {
            let narrowest = types.iter().min_by_key(|t| t.fixed_width().unwrap_or(0));
            narrowest.cloned().unwrap_or(DataType::Nothing)
        }
        Operation::Intersect if !types.iter().all(DataType::is_nullable) => {
            common.ty.without_nullable().clone()
        }
        _ => common.ty.clone(),
    };
    let back = Common::to(ty.clone(), std::slice::from_ref(&common.ty), context)?;
    let element = common.ty.clone();
    Ok(BoundKernel::new(DataType::array(ty), move |args, rows| {
        let lists = args.iter().map(Lists::of).collect::<Result<Vec<_>>>()?;
        let values = lists
            .iter()
            .enumerate()
            .map(|(k, l)| Ok(common.cast(k, l.values())?.full()))
            .collect::<Result<Vec<_>>>()?;
        let refs: Vec<&Column> = values.iter().collect();
        let (keys, all) = (keys_of(&refs), Column::concat(&refs));
        let (indices, ends) = choose(&lists, &keys, rows, operation);
        let Column::Array(result) = gather(ends, &all, &indices, &element) else {
            return Err(entasis_base::Error::logical("not an array"));
        };
        Ok(Column::array(result.offsets.clone(), back.cast(0, &result.values)?))
    }))
}

/// Positions (in the values of all arguments one after the other) of the elements chosen.
fn choose(
    lists: &[Lists],
    keys: &[Vec<u64>],
    rows: usize,
    operation: Operation,
) -> (Vec<u32>, Vec<u32>) {
    let longest = (0..rows).map(|i| lists.iter().map(|l| l.range(i).len()).sum()).max();
    // Number of arguments that hold the key, and the argument that held it last.
    let (mut held, mut last) = (Seen::new(longest.unwrap_or(0)), Seen::new(longest.unwrap_or(0)));
    let (mut indices, mut ends) = (Vec::new(), vec![0u32]);
    let wanted = |count: u32| match operation {
        Operation::Intersect => count as usize == lists.len(),
        Operation::Union => true,
        Operation::SymmetricDifference => (count as usize) < lists.len(),
    };
    for i in 0..rows {
        let short = lists.iter().all(|list| list.range(i).len() <= SHORT);
        if operation == Operation::Intersect && short {
            let first = lists[0].range(i);
            each_first(&keys[0][first.clone()], &mut held, |k| {
                let key = &keys[0][first.start + k];
                let mut others = lists.iter().zip(keys).skip(1);
                if others.all(|(list, keys)| keys[list.range(i)].contains(key)) {
                    indices.push((first.start + k) as u32);
                }
            });
            ends.push(indices.len() as u32);
            continue;
        }
        held.clear();
        last.clear();
        for (a, list) in lists.iter().enumerate() {
            for k in list.range(i) {
                let key = keys[a][k];
                if last.get(key) != Some(a as u32) {
                    last.set(key, a as u32);
                    held.set(key, held.get(key).unwrap_or(0) + 1);
                }
            }
        }
        // Every key once, in the order of its first occurrence.
        last.clear();
        let mut base = 0;
        for (a, list) in lists.iter().enumerate() {
            for k in list.range(i) {
                let key = keys[a][k];
                if last.set(key, 0) && wanted(held.get(key).unwrap_or(0)) {
                    indices.push((base + k) as u32);
                }
            }
            base += keys[a].len();
        }
        ends.push(indices.len() as u32);
    }
    (indices, ends)
}

fn jaccard(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let name = "arrayJaccardIndex";
    let types = args.iter().map(|a| element_type(name, a).cloned()).collect::<Result<Vec<_>>>()?;
    let common = Common::of(&types, context)?;
    Ok(BoundKernel::new(DataType::Float64, move |args, rows| {
        let (a, b) = (Lists::of(&args[0])?, Lists::of(&args[1])?);
        let x = common.cast(0, a.values())?.full();
        let y = common.cast(1, b.values())?.full();
        let keys = keys_of(&[&x, &y]);
        let longest = (0..rows).map(|i| a.range(i).len() + b.range(i).len()).max().unwrap_or(0);
        let mut seen = Seen::new(longest);
        let of = |i: usize| {
            seen.clear();
            let (mut all, mut both) = (0u32, 0u32);
            for &key in &keys[0][a.range(i)] {
                all += u32::from(seen.set(key, 1));
            }
            for &key in &keys[1][b.range(i)] {
                match seen.get(key) {
                    Some(1) => both += 1,
                    Some(_) => {}
                    None => all += 1,
                }
                seen.set(key, 2);
            }
            f64::from(both) / f64::from(all)
        };
        Ok(Column::from((0..rows).map(of).collect::<Vec<_>>()))
    }))
}

fn except(name: &'static str, args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let element = element_type(name, &args[0])?.clone();
    let other = element_type(name, &args[1])?.clone();
    let common = Common::of(&[element.clone(), other], context)?;
    Ok(BoundKernel::new(args[0].ty.clone(), move |args, rows| {
        let (a, b) = (Lists::of(&args[0])?, Lists::of(&args[1])?);
        let x = common.cast(0, a.values())?.full();
        let y = common.cast(1, b.values())?.full();
        let keys = keys_of(&[&x, &y]);
        let longest = (0..rows).map(|i| b.range(i).len()).max().unwrap_or(0);
        let mut seen = Seen::new(longest);
        let (mut indices, mut ends) = (Vec::new(), vec![0u32]);
        for i in 0..rows {
            seen.clear();
            keys[1][b.range(i)].iter().for_each(|&k| {
                seen.set(k, 0);
            });
            indices
                .extend(a.range(i).filter(|&k| seen.get(keys[0][k]).is_none()).map(|k| k as u32));
            ends.push(indices.len() as u32);
        }
        Ok(gather(ends, a.values(), &indices, &element))
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "arrayDistinct",
        description: "The different elements of the array, each once, without NULL.",
        examples: &[("arrayDistinct([1, 2, 1, NULL])", "[1,2]")],
        arity: (1, 1),
        bind: distinct,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "arrayUniq",
        description: "Number of different elements, or of tuples of elements of several arrays.",
        examples: &[("arrayUniq([1, 1, 2])", "2"), ("arrayUniq([1, 1], [1, 2])", "2")],
        arity: (1, usize::MAX),
        bind: uniq,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "arrayEnumerate",
        description: "The positions 1, 2, 3 ... of the elements.",
        examples: &[("arrayEnumerate([5, 6])", "[1,2]")],
        arity: (1, usize::MAX),
        bind: enumerate,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "arrayEnumerateUniq",
        description: "For each element, how often it has occurred so far, itself included.",
        examples: &[("arrayEnumerateUniq([5, 6, 5])", "[1,1,2]")],
        arity: (1, usize::MAX),
        bind: |args, _| enumerate_by("arrayEnumerateUniq", Numbering::Occurrence, args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "arrayEnumerateDense",
        description: "Numbers the different elements in the order of their first occurrence, and \
                      returns the number of each element.",
        examples: &[("arrayEnumerateDense([5, 6, 5])", "[1,2,1]")],
        arity: (1, usize::MAX),
        bind: |args, _| enumerate_by("arrayEnumerateDense", Numbering::Kind, args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "arrayIntersect",
        description: "The elements that are in all arrays.",
        examples: &[("arrayIntersect([1, 2], [2, 3])", "[2]")],
        arity: (1, usize::MAX),
        bind: |args, context| operate("arrayIntersect", Operation::Intersect, args, context),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "arrayUnion",
        description: "The elements that are in at least one array, each once.",
        examples: &[("arraySort(arrayUnion([1, 2], [2, 3]))", "[1,2,3]")],
        arity: (1, usize::MAX),
        bind: |args, context| operate("arrayUnion", Operation::Union, args, context),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "arraySymmetricDifference",
        description: "The elements that are not in all arrays, each once.",
        examples: &[("arraySort(arraySymmetricDifference([1, 2], [2, 3]))", "[1,3]")],
        arity: (1, usize::MAX),
        bind: |args, context| {
            operate("arraySymmetricDifference", Operation::SymmetricDifference, args, context)
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "arrayExcept",
        properties: Properties::NEVER_FOLDED,
        description: "The elements of the first array that are not in the second.",
        examples: &[("arrayExcept([1, 2, 1], [2])", "[1,1]")],
        arity: (2, 2),
        bind: |args, context| except("arrayExcept", args, context),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "arrayJaccardIndex",
        description: "The Jaccard index: the number of elements in both arrays divided by the \
                      number of elements in either.",
        examples: &[("arrayJaccardIndex([1, 2], [2, 3])", "0.3333333333333333")],
        arity: (2, 2),
        bind: jaccard,
        ..FunctionDef::DEFAULT
    },
];
