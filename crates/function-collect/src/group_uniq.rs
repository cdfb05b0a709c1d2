//! `groupUniqArray` of numbers: a set per group. Sets of bytes are bits
//! ([`super::group_uniq_bytes`]), and other values are kept as lists ([`super::group_array`]).

use std::any::Any;
use std::ops::Range;

use entasis_base::varint::{read_varint, write_varint};
use entasis_base::{Error, Result, scope};
use entasis_column::{Column, StringsBuilder};
use entasis_types::{DataType, Physical};

use super::group_uniq_bytes::Bytes;
use super::sets::{Element, Sets};
use entasis_function::States;
use entasis_function::aggregate::args::{cut_off, mismatch, take};
use entasis_function_kernel::aggregates::fold::same;
use entasis_function_kernel::aggregates::known::number_bits;

/// The bits of a number, as an element of a set.
trait Bits: Element {
    fn of(bits: u64) -> Self;
    fn bits(self) -> u64;
}

macro_rules! bits {
    ($($t:ty),*) => {$(impl Bits for $t {
        #[inline(always)]
        fn of(bits: u64) -> Self {
            bits as Self
        }
        #[inline(always)]
        fn bits(self) -> u64 {
            self.into()
        }
    })*};
}

bits!(u16, u32, u64);

/// The sets of numbers of up to 8 bytes.
struct Numbers<E> {
    sets: Sets<E>,
    physical: Physical,
    width: usize,
    /// Most elements of a set.
    most: usize,
}

/// States for values of a type, at most so many for each group; `None` if they are no numbers.
pub fn states(ty: &DataType, most: Option<u32>) -> Option<Box<dyn States>> {
    let is_plain = ty.is_native_number() || ty.is_date_or_time();
    let width = ty.fixed_width().filter(|width| is_plain && *width <= 8)?;
    let (physical, most) = (ty.physical(), most.map_or(usize::MAX, |most| most as usize));
    Some(match width {
        0..=1 => Box::new(Bytes::new(physical == Physical::Int8, most)),
        2 => Box::new(Numbers::<u16> { sets: Sets::default(), physical, width, most }),
        3..=4 => Box::new(Numbers::<u32> { sets: Sets::default(), physical, width, most }),
        _ => Box::new(Numbers::<u64> { sets: Sets::default(), physical, width, most }),
    })
}

/// A column of numbers from their bits.
fn column_of(physical: Physical, bits: Vec<u64>) -> Result<Column> {
    macro_rules! cut {
        ($($variant:ident => $t:ty),*) => {
            match physical {
                $(Physical::$variant => {
                    bits.into_iter().map(|b| b as $t).collect::<Vec<_>>().into()
                })*
                Physical::UInt64 => bits.into(),
                Physical::Float32 => {
                    bits.iter().map(|b| f32::from_bits(*b as u32)).collect::<Vec<_>>().into()
                }
                Physical::Float64 => {
                    bits.iter().map(|b| f64::from_bits(*b)).collect::<Vec<_>>().into()
                }
                _ => return Err(Error::logical("a set of other values than numbers")),
            }
        };
    }
    Ok(cut!(UInt8 => u8, UInt16 => u16, UInt32 => u32, Int8 => i8, Int16 => i16, Int32 => i32,
            Int64 => i64))
}

impl<E: Bits> Numbers<E> {
    fn elements(args: &[Column]) -> Result<Vec<E>> {
        let column = args.first().ok_or_else(mismatch)?.full();
        Ok(number_bits(&column)?.into_iter().map(E::of).collect())
    }

    fn insert_each(&mut self, groups: &[u32], elements: &[E]) {
        let most = self.most;
        if most == usize::MAX {
            return self.sets.insert_each(groups, elements);
        }
        self.sets.for_each_ahead(groups, elements, |sets, group, element| {
            if sets.len(group) < most {
                sets.insert(group, element);
            }
        });
    }
}

impl<E: Bits> States for Numbers<E> {
    fn resize(&mut self, groups: usize) {
        self.sets.resize(groups);
    }

    fn update(&mut self, args: &[Column], groups: &[u32]) -> Result<()> {
        self.insert_each(groups, &Self::elements(args)?);
        Ok(())
    }

    fn update_one(&mut self, args: &[Column], rows: usize, group: u32) -> Result<()> {
        let elements = Self::elements(args)?;
        if self.most == usize::MAX {
            self.sets.insert_all(group as usize, &elements);
        } else {
            self.insert_each(&vec![group; rows], &elements);
        }
        Ok(())
    }

    fn merge(&mut self, other: &mut dyn States, from: &[u32], groups: &[u32]) -> Result<()> {
        let other = same::<Self>(other)?;
        if self.most == usize::MAX {
            self.sets.merge(groups, &mut other.sets, from);
            return Ok(());
        }
        for (&from, &group) in from.iter().zip(groups) {
            let theirs = other.sets.take(from as usize);
            self.insert_each(&vec![group; theirs.len()], &theirs);
        }
        Ok(())
    }

    fn serialize(&self, groups: Range<usize>, out: &mut StringsBuilder) -> Result<()> {
        for group in groups {
            out.check_room(10 + self.sets.len(group) * self.width)?;
            write_varint(&mut out.data, self.sets.len(group) as u64);
            self.sets.each(group, |element| {
                out.data.extend_from_slice(&element.bits().to_le_bytes()[..self.width]);
            });
            out.close();
        }
        Ok(())
    }

    fn merge_one(&mut self, input: &mut &[u8], group: u32) -> Result<()> {
        let n = read_varint(input)? as usize;
        let bytes = take(input, n.checked_mul(self.width).ok_or_else(cut_off)?)?;
        let number = |bytes: &[u8]| {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            E::of(u64::from_le_bytes(word))
        };
        let elements: Vec<E> = bytes.chunks_exact(self.width).map(number).collect();
        self.insert_each(&vec![group; n], &elements);
        Ok(())
    }

    fn finish(&mut self, groups: Range<usize>) -> Result<Column> {
        let mut offsets = Vec::with_capacity(groups.len() + 1);
        let total = groups.clone().map(|group| self.sets.len(group)).sum::<usize>();
        scope::ask(total * 8)?;
        let mut bits = Vec::with_capacity(total);
        offsets.push(0);
        for group in groups {
            self.sets.each(group, |element| bits.push(element.bits()));
            offsets.push(bits.len() as u32);
        }
        Ok(Column::array(offsets.into(), column_of(self.physical, bits)?))
    }

    fn byte_size(&self) -> usize {
        self.sets.byte_size()
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}
