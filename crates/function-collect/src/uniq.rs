//! `uniq`: the number of distinct values, estimated from at most 65,536 hashes of 32 bits. When
//! there are more, only those with one more low zero bit are kept. Values, estimates and states are
//! those of the reference.

use std::any::Any;
use std::ops::Range;

use entasis_base::Result;
use entasis_base::varint::{read_varint, write_varint};
use entasis_column::{Column, StringsBuilder};
use entasis_types::DataType;

use super::sets::Sets;
use super::uniq_exact::spread;
use entasis_function::aggregate::args::{Bytes, expect_no_params, wrong_count};
use entasis_function::aggregate::binary::write_value;
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext, States};
use entasis_function_kernel::aggregates::fold::same;
use entasis_function_kernel::aggregates::known::number_bits;
use entasis_function_kernel::hashing::crc32c;
use entasis_function_kernel::hashing::{Sip128, city_hash64, hash_128_to_64, int_hash64, sip128};
use entasis_function_kernel::layout::each_bytes;

/// Most hashes kept.
const MOST: usize = 1 << 16;
/// Hashes that are chosen at a time.
const BLOCK: usize = 1024;
/// Low bits that may come to be zero.
const SKIP_BITS: u32 = 15;

#[derive(Clone, Debug)]
struct Uniq {
    /// The argument is an integer of 128 or 256 bits.
    wide: bool,
}

impl Aggregate for Uniq {
    fn return_type(&self) -> DataType {
        DataType::UInt64
    }

    fn states(&self) -> Box<dyn States> {
        Box::new(UniqStates { wide: self.wide, ..UniqStates::default() })
    }
}

#[derive(Default)]
struct UniqStates {
    wide: bool,
    sets: Sets<u32>,
    /// Low bits that must be zero, by group.
    skips: Vec<u8>,
    dictionary: (u64, Vec<u32>),
}

/// Rows as 64 bits before they are mixed, and whether they still must be mixed. A single number is
/// itself, and a single string is its hash; for several arguments (or a tuple or a list) the hash
/// is final.
pub fn hash_rows(args: &[Column], rows: usize) -> Result<(Vec<u64>, bool)> {
    if let [one] = args {
        let raw = match one.full() {
            Column::String(strings) => Some(strings.iter().map(city_hash64).collect()),
            Column::Fixed(f) => Some(f.data.chunks_exact(f.width).map(city_hash64).collect()),
            Column::Int128(v) => Some(v.iter().map(|x| city_hash64(&x.to_le_bytes())).collect()),
            wide @ (Column::UInt128(_) | Column::UInt256(_) | Column::Int256(_)) => {
                let mut hashes = Vec::with_capacity(rows);
                each_bytes(&wide, |bytes| {
                    let hash = sip128(bytes);
                    hashes.push(hash as u64 ^ (hash >> 64) as u64);
                });
                return Ok((hashes, false));
            }
            Column::Int8(v) => Some(v.iter().map(|&x| x as u64).collect()),
            Column::Int16(v) => Some(v.iter().map(|&x| x as u64).collect()),
            Column::Int32(v) => Some(v.iter().map(|&x| x as u64).collect()),
            Column::Float32(v) => Some(v.iter().map(|&x| u64::from(x.to_bits())).collect()),
            Column::Float64(v) => Some(v.iter().map(|&x| x.to_bits()).collect()),
            Column::Array(_) | Column::Nullable(_) | Column::Tuple(_) | Column::Variant(_) => None,
            numbers => Some(number_bits(&numbers)?),
        };
        if let Some(raw) = raw {
            return Ok((raw, true));
        }
    }
    Ok((hash_several(args, rows), false))
}

fn hash_several(args: &[Column], rows: usize) -> Vec<u64> {
    let columns = spread(args);
    if let [Column::Array(lists)] = &columns[..] {
        if number_bits(&lists.values).is_ok() {
            let mut bytes = Vec::new();
            let hash = |i: usize| {
                bytes.clear();
                lists.range(i).for_each(|k| write_value(&lists.values, k, &mut bytes));
                city_hash64(&bytes)
            };
            return (0..rows).map(hash).collect();
        }
    }
    let nested = |c: &Column| {
        matches!(c, Column::Array(_) | Column::Nullable(_) | Column::Tuple(_) | Column::Variant(_))
    };
    if columns.iter().any(nested) {
        return hash_nested(&columns, rows);
    }
    let mut out: Vec<u64> = Vec::new();
    for column in &columns {
        let mut bytes = Vec::new();
        let hash = |i: usize| match column {
            Column::String(strings) => city_hash64(strings.get(i)),
            column => {
                bytes.clear();
                write_value(column, i, &mut bytes);
                city_hash64(&bytes)
            }
        };
        let hashes: Vec<u64> = (0..rows).map(hash).collect();
        if out.is_empty() {
            out = hashes;
        } else {
            out.iter_mut().zip(hashes).for_each(|(o, h)| *o = hash_128_to_64(h, *o));
        }
    }
    out
}

fn hash_nested(columns: &[Column], rows: usize) -> Vec<u64> {
    let hash = |i| {
        let mut sip = Sip128::default();
        columns.iter().for_each(|c| sip.update_value(c, i));
        sip.finish() as u64
    };
    (0..rows).map(hash).collect()
}

/// Whether there is one argument, an integer of 128 or 256 bits.
pub fn is_wide(types: &[DataType]) -> bool {
    matches!(types, [ty] if ty.without_nullable().is_wide_integer())
}

/// Integers of 128 or 256 bits as one word each, combined as in the reference, which ignores the
/// highest word of 256 bits.
pub fn fold_words(column: &Column) -> Vec<u64> {
    let mut out = Vec::with_capacity(column.len());
    each_bytes(column, |bytes| {
        let (words, _) = bytes.as_chunks::<8>();
        out.push(words.iter().take(3).fold(0, |folded, word| folded ^ u64::from_le_bytes(*word)));
    });
    out
}

fn elements(args: &[Column], rows: usize, wide: bool) -> Result<Vec<u32>> {
    if let (true, [one]) = (wide, args) {
        let hash = |&word: &u64| int_hash64(int_hash64(word)) as u32;
        return Ok(fold_words(&one.full()).iter().map(hash).collect());
    }
    if let [one] = args {
        if let Column::UInt64(values) = one.full() {
            return Ok(values.iter().map(|&value| int_hash64(value) as u32).collect());
        }
    }
    let (hashes, raw) = hash_rows(args, rows)?;
    let mix = |&h: &u64| if raw { int_hash64(h) as u32 } else { h as u32 };
    Ok(hashes.iter().map(mix).collect())
}

/// Whether the low `skip` bits are zero.
#[inline(always)]
fn good(hash: u32, skip: u8) -> bool {
    hash & ((1 << skip) - 1) == 0
}

/// Drops hashes of a set until few enough are left, and at least up to `skip` zero bits; returns
/// the number of bits.
#[cold]
fn thin_out(sets: &mut Sets<u32>, group: usize, skip: u8) -> u8 {
    let mut skip = skip;
    let mut kept = sets.take(group);
    kept.retain(|&h| good(h, skip));
    while kept.len() > MOST {
        skip += 1;
        kept.retain(|&h| good(h, skip));
    }
    for hash in kept {
        sets.insert(group, hash);
    }
    skip
}

impl UniqStates {
    fn elements(&mut self, args: &[Column], rows: usize) -> Result<Vec<u32>> {
        if let [Column::Dict(dict)] = args {
            let values = &dict.dictionary.values;
            if dict.dictionary.id == self.dictionary.0 || values.len() <= 4 * rows {
                if dict.dictionary.id != self.dictionary.0 {
                    let all = elements(std::slice::from_ref(values), values.len(), self.wide)?;
                    self.dictionary = (dict.dictionary.id, all);
                }
                return Ok(dict.codes.iter().map(|&c| self.dictionary.1[c as usize]).collect());
            }
        }
        elements(args, rows, self.wide)
    }

    #[inline]
    fn add(&mut self, group: usize, hash: u32) {
        let skip = self.skips[group];
        if good(hash, skip) && self.sets.insert(group, hash) && self.sets.len(group) > MOST {
            self.skips[group] = thin_out(&mut self.sets, group, skip + 1);
        }
    }

    fn estimate(&self, group: usize) -> u64 {
        let (len, skip) = (self.sets.len(group) as u64, self.skips[group]);
        if skip == 0 {
            return len;
        }
        // A pseudo-random remainder instead of a multiple of a power of two, and a correction for
        // collisions of 32-bit hashes.
        let count = (len << skip) + (u64::from(crc32c(u32::MAX, len)) & ((1 << skip) - 1));
        let range = (1u64 << 32) as f64;
        (range * (range.ln() - (range - count as f64).ln())).round() as u64
    }
}

impl States for UniqStates {
    fn resize(&mut self, groups: usize) {
        self.sets.resize(groups);
        if groups > self.skips.len() {
            self.skips.resize(groups, 0);
        }
    }

    fn update(&mut self, args: &[Column], groups: &[u32]) -> Result<()> {
        let hashes = self.elements(args, groups.len())?;
        let skips = &mut self.skips;
        self.sets.for_each_ahead(groups, &hashes, |sets, group, hash| {
            if good(hash, skips[group]) && sets.insert(group, hash) && sets.len(group) > MOST {
                skips[group] = thin_out(sets, group, skips[group] + 1);
            }
        });
        Ok(())
    }

    fn update_one(&mut self, args: &[Column], rows: usize, group: u32) -> Result<()> {
        if rows > 0 && args.iter().all(Column::is_const) {
            let args: Vec<Column> = args.iter().map(|a| a.slice(0, 1)).collect();
            return self.update(&args, &[group]);
        }
        let hashes = self.elements(args, rows)?;
        let group = group as usize;
        let mut kept = [0; BLOCK];
        for block in hashes.chunks(BLOCK) {
            // Which hashes are kept cannot be predicted, so they are chosen without a branch.
            let (skip, mut len) = (self.skips[group], 0);
            for &hash in block {
                kept[len % BLOCK] = hash;
                len += usize::from(good(hash, skip));
            }
            for &hash in &kept[..len] {
                self.add(group, hash);
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: &mut dyn States, from: &[u32], groups: &[u32]) -> Result<()> {
        let other = same::<Self>(other)?;
        for (&from, &group) in from.iter().zip(groups) {
            let (from, group) = (from as usize, group as usize);
            if other.skips[from] > self.skips[group] {
                self.skips[group] = thin_out(&mut self.sets, group, other.skips[from]);
            }
            if self.sets.len(group) == 0 {
                self.skips[group] = self.skips[group].max(other.skips[from]);
            }
            for hash in other.sets.take(from) {
                self.add(group, hash);
            }
        }
        Ok(())
    }

    fn serialize(&self, groups: Range<usize>, out: &mut StringsBuilder) -> Result<()> {
        for group in groups {
            let len = self.sets.len(group);
            out.check_room(len * 4 + 10)?;
            out.data.push(self.skips[group]);
            write_varint(&mut out.data, len as u64);
            // In the order of the reference's table, which is at most half full.
            let mask = (len.next_power_of_two().max(8) * 2 - 1) as u32;
            let mut hashes = Vec::with_capacity(len);
            self.sets.each(group, |h| hashes.push(h));
            hashes.sort_unstable_by_key(|&h| (h != 0, h >> SKIP_BITS & mask, h));
            hashes.iter().for_each(|h| h.put(&mut out.data));
            out.close();
        }
        Ok(())
    }

    fn merge_one(&mut self, input: &mut &[u8], group: u32) -> Result<()> {
        let group = group as usize;
        let skip = u8::get(input)?.min(32 - 1);
        let len = read_varint(input)?;
        if skip > self.skips[group] {
            self.skips[group] = thin_out(&mut self.sets, group, skip);
        }
        for _ in 0..len {
            self.add(group, u32::get(input)?);
        }
        Ok(())
    }

    fn finish(&mut self, groups: Range<usize>) -> Result<Column> {
        Ok(groups.map(|g| self.estimate(g)).collect::<Vec<_>>().into())
    }

    fn byte_size(&self) -> usize {
        self.sets.byte_size() + self.skips.capacity()
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

fn bind(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    expect_no_params("uniq", args)?;
    if args.types.is_empty() {
        return Err(wrong_count("Incorrect number of arguments for aggregate function uniq"));
    }
    Ok(Box::new(Uniq { wide: is_wide(args.types) }))
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[AggregateDef {
    name: "uniq",
    description: "Number of distinct values (or combinations of several arguments), estimated \
                  beyond 65,536.",
    examples: &[("SELECT uniq(number) FROM numbers(100000)", "100315")],
    plain_over_nulls: true,
    bind,
    unordered: true,
    ..AggregateDef::DEFAULT
}];

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_column::Strings;

    fn estimate_of(column: Column) -> (u64, UniqStates) {
        let mut states = UniqStates::default();
        states.resize(1);
        let rows = column.len();
        states.update_one(&[column], rows, 0).unwrap();
        (states.estimate(0), states)
    }

    #[test]
    fn estimates_are_the_references() {
        let numbers = |n: u64| Column::from((0..n).collect::<Vec<_>>());
        assert_eq!(estimate_of(numbers(100_000)).0, 100_315);
        assert_eq!(estimate_of(numbers(1_000_000)).0, 1_001_943);
        let strings: Strings = (0..1_000_000).map(|i| i.to_string()).collect();
        assert_eq!(estimate_of(strings.into()).0, 995_890);
    }

    #[test]
    fn merged_as_at_once() {
        let all: Vec<u64> = (0..300_000).collect();
        let (whole, _) = estimate_of(all.clone().into());
        let (_, mut first) = estimate_of(all[..1000].to_vec().into());
        let (_, mut second) = estimate_of(all[1000..].to_vec().into());
        first.merge(&mut second, &[0], &[0]).unwrap();
        assert_eq!(first.estimate(0), whole);
        let (_, mut third) = estimate_of(all[..5].to_vec().into());
        let mut out = StringsBuilder::default();
        first.serialize(0..1, &mut out).unwrap();
        third.merge_serialized(&out.finish(), &[0]).unwrap();
        assert_eq!(third.estimate(0), whole);
    }

    #[test]
    fn hashes_are_the_references() {
        let string = |s: &str| Column::from([s].iter().collect::<Strings>());
        let hash = |args: &[Column]| elements(args, 1, false).unwrap()[0].swap_bytes();
        assert_eq!(hash(&[vec![-1i8].into()]), 0x215F_824B);
        assert_eq!(hash(&[vec![1.5f32].into()]), 0x9CB0_147A);
        assert_eq!(hash(&[vec![1.5f64].into()]), 0xF0B6_754E);
        assert_eq!(hash(&[string("abc")]), 0xC936_B55B);
        assert_eq!(hash(&[string("")]), 0xD20D_13DA);
        assert_eq!(hash(&[vec![1u8].into(), vec![2u8].into()]), 0x64B4_F291);
        assert_eq!(hash(&[vec![1u8].into(), string("a")]), 0x0FEE_2ABF);
        let list = Column::array(vec![0, 1].into(), vec![1u8].into());
        assert_eq!(hash(&[list]), 0x4769_A569);
    }
}
