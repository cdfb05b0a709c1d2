//! `uniqExact`: a set per group. Numbers are kept as they are, and everything else as a 128-bit
//! hash: SipHash (like the reference) in states that are serialised, and a faster hash otherwise.

use std::any::Any;
use std::ops::Range;

use entasis_base::varint::{read_varint, write_varint};
use entasis_base::{Result, codes};
use entasis_column::{Column, StringsBuilder};
use entasis_simd::hash::{hash_bytes_seeded, hash_one_u64};
use entasis_types::{DataType, Physical};

use super::sets::{Element, Sets};
use entasis_function::aggregate::args::{cut_off, expect_no_params, mismatch, take, wrong_count};
use entasis_function::aggregate::binary::write_value;
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext, States};
use entasis_function_kernel::aggregates::fold::same;
use entasis_function_kernel::aggregates::known::number_bits;
use entasis_function_kernel::hashing::{Sip128, sip128};

#[derive(Clone, Debug)]
struct UniqExact {
    /// Bytes of the single numeric argument; `None` for hashes.
    width: Option<usize>,
}

impl Aggregate for UniqExact {
    fn return_type(&self) -> DataType {
        DataType::UInt64
    }

    fn states(&self) -> Box<dyn States> {
        self.sets(false)
    }

    fn portable_states(&self) -> Box<dyn States> {
        self.sets(true)
    }
}

impl UniqExact {
    /// Sets whose elements are as narrow as the values.
    fn sets(&self, portable: bool) -> Box<dyn States> {
        match self.width {
            Some(width @ 0..=2) => Box::new(Exact::<u16>::new(width, portable)),
            Some(width @ 3..=4) => Box::new(Exact::<u32>::new(width, portable)),
            Some(width) => Box::new(Exact::<u64>::new(width, portable)),
            None => Box::new(Exact::<u128>::new(16, portable)),
        }
    }
}

struct Exact<E> {
    sets: Sets<E>,
    /// Bytes of an element in a serialised state.
    width: usize,
    portable: bool,
    /// Identity of the last dictionary seen, and its values as elements.
    dictionary: (u64, Vec<E>),
}

/// What a set is made of.
trait Distinct: Element {
    /// Elements of full or Const argument columns.
    fn elements(args: &[Column], rows: usize, portable: bool) -> Result<Vec<Self>>;
    /// Appends the low `width` bytes.
    fn put(self, width: usize, out: &mut Vec<u8>);
    /// From so many bytes.
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! numbers {
    ($($t:ty),*) => {$(impl Distinct for $t {
        fn elements(args: &[Column], _: usize, _: bool) -> Result<Vec<$t>> {
            let bits = number_bits(&args.first().ok_or_else(mismatch)?.full())?;
            Ok(bits.into_iter().map(|bits| bits as $t).collect())
        }

        fn put(self, width: usize, out: &mut Vec<u8>) {
            out.extend_from_slice(&self.to_le_bytes()[..width]);
        }

        fn get(bytes: &[u8]) -> $t {
            let mut word = [0; size_of::<$t>()];
            word[..bytes.len()].copy_from_slice(bytes);
            <$t>::from_le_bytes(word)
        }
    })*};
}

numbers!(u16, u32, u64);

impl Distinct for u128 {
    fn elements(args: &[Column], rows: usize, portable: bool) -> Result<Vec<u128>> {
        Ok(if portable { hash_portable(args, rows) } else { hash_fast(args, rows) })
    }

    fn put(self, _: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    fn get(bytes: &[u8]) -> u128 {
        bytes.first_chunk().map_or(0, |c| u128::from_le_bytes(*c))
    }
}

/// A single tuple stands for its elements.
pub fn spread(args: &[Column]) -> Vec<Column> {
    match args {
        [one] => match one.full() {
            Column::Tuple(t) => t.columns.clone(),
            other => vec![other],
        },
        many => many.iter().map(Column::full).collect(),
    }
}

/// Rows hashed as the reference does: part of states.
pub fn hash_portable(args: &[Column], rows: usize) -> Vec<u128> {
    let columns = spread(args);
    match &columns[..] {
        [Column::String(strings)] => strings.iter().map(sip128).collect(),
        _ => (0..rows)
            .map(|i| {
                let mut hash = Sip128::default();
                columns.iter().for_each(|c| hash.update_value(c, i));
                hash.finish()
            })
            .collect(),
    }
}

const SEEDS: (u64, u64) = (0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344);

#[inline(always)]
fn two_hashes(bytes: &[u8]) -> u128 {
    let (low, high) = (hash_bytes_seeded(bytes, SEEDS.0), hash_bytes_seeded(bytes, SEEDS.1));
    u128::from(low) | u128::from(high) << 64
}

fn hash_fast(args: &[Column], rows: usize) -> Vec<u128> {
    let columns = spread(args);
    let mut out: Vec<u128> = Vec::new();
    for column in &columns {
        let hashes: Vec<u128> = match column {
            Column::String(strings) => strings.iter().map(two_hashes).collect(),
            Column::Fixed(fixed) => fixed.data.chunks_exact(fixed.width).map(two_hashes).collect(),
            column => match number_bits(column) {
                Ok(bits) => bits.iter().map(|&b| two_of_number(b)).collect(),
                Err(_) => {
                    let mut bytes = Vec::new();
                    let mut hash = |i| {
                        bytes.clear();
                        write_value(column, i, &mut bytes);
                        two_hashes(&bytes)
                    };
                    (0..rows).map(&mut hash).collect()
                }
            },
        };
        if out.is_empty() {
            out = hashes;
        } else {
            for (o, h) in out.iter_mut().zip(hashes) {
                let (low, high) = (*o as u64, (*o >> 64) as u64);
                let low = hash_one_u64(low.rotate_left(17) ^ h as u64, SEEDS.1);
                let high = hash_one_u64(high.rotate_left(29) ^ (h >> 64) as u64, SEEDS.0);
                *o = u128::from(low) | u128::from(high) << 64;
            }
        }
    }
    out.resize(rows, 0);
    out
}

fn two_of_number(bits: u64) -> u128 {
    u128::from(hash_one_u64(bits, SEEDS.0)) | u128::from(hash_one_u64(bits, SEEDS.1)) << 64
}

impl<E: Distinct> Exact<E> {
    fn new(width: usize, portable: bool) -> Self {
        Self { sets: Sets::default(), width, portable, dictionary: (0, Vec::new()) }
    }

    fn elements(&mut self, args: &[Column], rows: usize) -> Result<Vec<E>> {
        if let [Column::Dict(dict)] = args {
            let values = &dict.dictionary.values;
            if dict.dictionary.id == self.dictionary.0 || values.len() <= 4 * rows {
                if dict.dictionary.id != self.dictionary.0 {
                    let all =
                        E::elements(std::slice::from_ref(values), values.len(), self.portable)?;
                    self.dictionary = (dict.dictionary.id, all);
                }
                return Ok(dict.codes.iter().map(|&c| self.dictionary.1[c as usize]).collect());
            }
        }
        E::elements(args, rows, self.portable)
    }
}

impl<E: Distinct> States for Exact<E> {
    fn resize(&mut self, groups: usize) {
        self.sets.resize(groups);
    }

    fn update(&mut self, args: &[Column], groups: &[u32]) -> Result<()> {
        let elements = self.elements(args, groups.len())?;
        self.sets.insert_each(groups, &elements);
        Ok(())
    }

    fn update_one(&mut self, args: &[Column], rows: usize, group: u32) -> Result<()> {
        if rows > 0 && args.iter().all(Column::is_const) {
            let args: Vec<Column> = args.iter().map(|a| a.slice(0, 1)).collect();
            return self.update(&args, &[group]);
        }
        let elements = self.elements(args, rows)?;
        self.sets.insert_all(group as usize, &elements);
        Ok(())
    }

    fn merge(&mut self, other: &mut dyn States, from: &[u32], groups: &[u32]) -> Result<()> {
        let other = same::<Self>(other)?;
        self.sets.merge(groups, &mut other.sets, from);
        Ok(())
    }

    fn serialize(&self, groups: Range<usize>, out: &mut StringsBuilder) -> Result<()> {
        for group in groups {
            out.check_room(10 + self.sets.len(group) * self.width)?;
            write_varint(&mut out.data, self.sets.len(group) as u64);
            self.sets.each(group, |element| element.put(self.width, &mut out.data));
            out.close();
        }
        Ok(())
    }

    fn merge_one(&mut self, input: &mut &[u8], group: u32) -> Result<()> {
        let n = read_varint(input)? as usize;
        let bytes = take(input, n.checked_mul(self.width).ok_or_else(cut_off)?)?;
        for element in bytes.chunks_exact(self.width) {
            self.sets.insert(group as usize, E::get(element));
        }
        Ok(())
    }

    fn finish(&mut self, groups: Range<usize>) -> Result<Column> {
        Ok(groups.map(|g| self.sets.len(g) as u64).collect::<Vec<_>>().into())
    }

    fn byte_size(&self) -> usize {
        self.sets.byte_size()
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

fn bind(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    expect_no_params("uniqExact", args)?;
    if args.types.is_empty() {
        return Err(wrong_count("Incorrect number of arguments for aggregate function uniqExact"));
    }
    let width = match args.types {
        [ty] if !matches!(ty.physical(), Physical::Fixed(_)) => {
            ty.fixed_width().filter(|width| *width <= 8)
        }
        _ => None,
    };
    if args.types.len() > 100 {
        return Err(entasis_base::Error::new(
            codes::TOO_MANY_ARGUMENTS_FOR_FUNCTION,
            "Too many arguments for aggregate function uniqExact",
        ));
    }
    Ok(Box::new(UniqExact { width }))
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[AggregateDef {
    name: "uniqExact",
    description: "Number of distinct values (or combinations of several arguments), exactly.",
    examples: &[("SELECT uniqExact(number % 7) FROM numbers(100)", "7")],
    plain_over_nulls: true,
    bind,
    unordered: true,
    ..AggregateDef::DEFAULT
}];

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_column::Strings;

    #[test]
    fn hashes_are_the_references() {
        let string = |s: &str| Column::from([s].iter().collect::<Strings>());
        let hex = |args: &[Column]| -> String {
            hash_portable(args, 1)[0].to_le_bytes().iter().map(|b| format!("{b:02X}")).collect()
        };
        assert_eq!(hex(&[string("abc")]), "B6B415A2DA966B6C685A65E54C12A353");
        assert_eq!(hex(&[string("")]), "32B5C1DB56A683E9E5B5B6A8CBED11F7");
        let (one, two) = (Column::from(vec![1u8]), Column::from(vec![2u8]));
        assert_eq!(hex(&[one.clone(), two.clone()]), "E0301C713699B80AEFACB8912A8DC10C");
        assert_eq!(
            hex(&[Column::tuple(vec![one.clone(), two], 1)]),
            hex(&[Column::from(vec![1u8]), Column::from(vec![2u8])])
        );
        assert_eq!(hex(&[one.clone(), string("a")]), "3647CCD29058D05F789CCD714AD42957");
        let list = Column::array(vec![0, 1].into(), one);
        assert_eq!(hex(&[list]), "A9066EBFE09B0E21FEB0B822DC0CF35A");
    }
}
