//! Hashes of any number of arguments of any types: how numbers, strings, arrays and tuples are
//! hashed and combined. It is the same for `cityHash64`, `sipHash64`, `xxHash64` and so on.

use entasis_base::Result;
use entasis_column::{Column, Native, match_native};
use entasis_types::{CastTo, DataType, i256, u256};

use entasis_function::aggregate::binary::write_value;
use entasis_function::{Arg, BoundKernel, FunctionContext};
use entasis_function_kernel::hashing::fold_64_to_32;
use entasis_function_kernel::kernel::illegal_type;
use entasis_function_kernel::text::Text;

/// What a hash function does; 32-bit ones keep to the low half.
#[derive(Clone, Copy)]
pub struct Method {
    /// The function's name.
    pub name: &'static str,
    /// Of bytes.
    pub bytes: Bytes,
    /// Whether numbers are hashed by [`int_hash64`] and not as bytes.
    pub mixes_numbers: bool,
    /// Of two hashes.
    pub combine: fn(u64, u64) -> u64,
    /// Of the hashes in two slices, into the first.
    pub combine_all: fn(&mut [u64], &[u64]),
    /// Whether the result is a UInt32.
    pub narrow: bool,
}

/// A hash of bytes, and the loops that it is compiled into; see [`of_bytes!`].
#[derive(Clone, Copy)]
pub struct Bytes {
    /// Of one text.
    pub one: fn(&[u8]) -> u64,
    /// Of the text in every row.
    pub texts: fn(Text<'_>, usize) -> Vec<u64>,
    /// Of the eight bytes of every number.
    pub words: fn(&[u64]) -> Vec<u64>,
}

/// [`Bytes`] of a hash function.
macro_rules! of_bytes {
    ($hash:expr) => {
        $crate::hash::any::Bytes {
            one: $hash,
            texts: |texts, rows| $crate::hash::any::each_text(texts, rows, $hash),
            words: |words| words.iter().map(|word| ($hash)(&word.to_le_bytes())).collect(),
        }
    };
}

pub(super) use of_bytes;

/// `hash` of the text in every row.
#[inline(always)]
pub fn each_text(texts: Text<'_>, rows: usize, hash: impl Fn(&[u8]) -> u64) -> Vec<u64> {
    match texts {
        Text::Many(strings) => strings.iter().map(hash).collect(),
        texts => (0..rows).map(|i| hash(texts.get(i))).collect(),
    }
}

/// `intHash64`.
#[inline]
pub fn int_hash64(x: u64) -> u64 {
    let mut x = x ^ 0x4cf2d2baae6da887;
    x = (x ^ (x >> 33)).wrapping_mul(0xff51afd7ed558ccd);
    x = (x ^ (x >> 33)).wrapping_mul(0xc4ceb9fe1a85ec53);
    x ^ (x >> 33)
}

/// `intHash32`: with a salt.
#[inline]
pub fn int_hash32(x: u64) -> u32 {
    fold_64_to_32(x ^ 0x75d9543de018bf45)
}

/// What no arguments hash to.
const NOTHING: u64 = 0xe28dbde7fe22e41c;

/// What NULL inside a list, a map or a tuple hashes to, under every method.
const NULL: u64 = 14_234_421_406_067_173_489;

/// Numbers by their bits and their bytes.
trait Hashed: Native {
    fn bits(self) -> u64;
    fn with_bytes<R>(self, f: impl Fn(&[u8]) -> R) -> R;
}

macro_rules! hashed {
    ($($ty:ty => $bits:ty, $convert:expr);*) => {$(
        impl Hashed for $ty {
            #[inline(always)]
            fn bits(self) -> u64 {
                let convert: fn($ty) -> $bits = $convert;
                convert(self) as u64
            }
            #[inline(always)]
            fn with_bytes<R>(self, f: impl Fn(&[u8]) -> R) -> R {
                f(&self.to_le_bytes())
            }
        }
    )*};
}

hashed!(u8 => u8, |v| v; u16 => u16, |v| v; u32 => u32, |v| v; u64 => u64, |v| v;
    i8 => u8, |v| v as u8; i16 => u16, |v| v as u16; i32 => u32, |v| v as u32;
    i64 => u64, |v| v as u64; f32 => u32, f32::to_bits;
    f64 => u64, f64::to_bits);

macro_rules! hashed_wide {
    ($($ty:ty),*) => {$(
        impl Hashed for $ty {
            fn bits(self) -> u64 {
                self.cast_to()
            }
            fn with_bytes<R>(self, f: impl Fn(&[u8]) -> R) -> R {
                f(&self.to_le_bytes())
            }
        }
    )*};
}

hashed_wide!(u128, u256, i128, i256);

fn numbers<T: Hashed>(method: Method, values: &[T], ty: &DataType) -> Vec<u64> {
    let by_bytes = ty.is_decimal()
        || ty.is_wide_integer()
        || matches!(ty, DataType::DateTime64(..) | DataType::Interval(_));
    if method.mixes_numbers && !by_bytes {
        return values.iter().map(|v| int_hash64(v.bits())).collect();
    }
    if size_of::<T>() == size_of::<u64>() {
        let words: Vec<u64> = values.iter().map(|v| v.bits()).collect();
        return (method.bytes.words)(&words);
    }
    values.iter().map(|v| v.with_bytes(|bytes| (method.bytes.one)(bytes))).collect()
}

/// The running hash of every row; `None` before the first argument.
type Running = Option<Vec<u64>>;

fn add(method: Method, running: &mut Running, hashes: Vec<u64>) {
    match running {
        None => *running = Some(hashes),
        Some(all) => (method.combine_all)(all, &hashes),
    }
}

/// Adds a full column that is not Nullable at the top.
fn add_column(method: Method, running: &mut Running, column: &Column, ty: &DataType) {
    let ty = ty.storage();
    let inner = match ty {
        DataType::Nullable(inner) | DataType::Array(inner) => inner,
        other => other,
    };
    let hashes = match_native!(column, values => numbers(method, values, ty), other => match other {
        // The reference's bytes of a UUID are these backwards.
        Column::Fixed(ids) if *ty == DataType::Uuid => {
            let reversed = |i: usize| ids.get(i).iter().rev().copied().collect::<Vec<u8>>();
            (0..other.len()).map(|i| (method.bytes.one)(&reversed(i))).collect()
        }
        Column::String(strings) => (method.bytes.texts)(Text::Many(strings), other.len()),
        Column::Fixed(fixed) => (method.bytes.texts)(Text::Fixed(fixed), other.len()),
        Column::Tuple(tuple) => {
            for (i, column) in tuple.columns.iter().enumerate() {
                let ty = match ty {
                    DataType::Tuple(of) => &of.types[i],
                    other => other,
                };
                add_column(method, running, column, ty);
            }
            return;
        }
        Column::Nullable(n) => {
            let mut of_values = None;
            add_column(method, &mut of_values, &n.values, inner);
            let of_values = of_values.unwrap_or_default();
            (0..other.len()).map(|i| {
                match n.validity.get(i) {
                    true => of_values.get(i).copied().unwrap_or(NOTHING),
                    false if method.narrow => NULL & 0xffff_ffff,
                    false => NULL,
                }
            }).collect()
        }
        // The reference hashes the binary form of the value behind its discriminator.
        Column::Variant(_) => {
            let mut bytes = Vec::new();
            let hash = |i: usize| {
                bytes.clear();
                write_value(other, i, &mut bytes);
                (method.bytes.one)(&bytes)
            };
            (0..other.len()).map(hash).collect()
        }
        Column::Array(array) => {
            let (offsets, values) = array.flat();
            let mut elements = None;
            add_column(method, &mut elements, &values, inner);
            let elements: Vec<u64> = elements.unwrap_or_default();
            return add_arrays(method, running, &offsets, &elements);
        }
        other => vec![0; other.len()],
    });
    add(method, running, hashes);
}

fn add_arrays(method: Method, running: &mut Running, offsets: &[u32], elements: &[u64]) {
    let sizes = offsets.windows(2).map(|w| {
        let size = u64::from(w[1] - w[0]);
        if method.narrow { int_hash32(size).into() } else { int_hash64(size) }
    });
    add(method, running, sizes.collect());
    let Some(all) = running else { return };
    for (all, range) in all.iter_mut().zip(offsets.windows(2)) {
        for element in elements.get(range[0] as usize..range[1] as usize).unwrap_or_default() {
            *all = (method.combine)(*all, *element);
        }
    }
}

fn check(method: Method, ty: &DataType) -> Result<()> {
    match ty {
        DataType::AggregateFunction(_) => Err(illegal_type(method.name, ty)),
        DataType::Array(inner) | DataType::Nullable(inner) => check(method, inner),
        DataType::Tuple(tuple) => tuple.types.iter().try_for_each(|t| check(method, t)),
        _ => Ok(()),
    }
}

/// Binds a hash of any arguments.
pub fn bind(method: Method, args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    args.iter().try_for_each(|a| check(method, &a.ty))?;
    let ty = if method.narrow { DataType::UInt32 } else { DataType::UInt64 };
    let types: Vec<DataType> = args.iter().map(|a| a.ty.clone()).collect();
    Ok(BoundKernel::new(ty, move |args, rows| {
        let mut running: Running = None;
        for (arg, ty) in args.iter().zip(&types) {
            add_column(method, &mut running, &arg.full(), ty);
        }
        let hashes = running.unwrap_or_else(|| vec![NOTHING; rows]);
        Ok(if method.narrow {
            hashes.iter().map(|&h| h as u32).collect::<Vec<u32>>().into()
        } else {
            hashes.into()
        })
    }))
}
