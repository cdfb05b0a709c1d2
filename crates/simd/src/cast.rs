//! Views slices of numbers as bytes, and floats as integers, without a copy.
//!
//! Storage is little-endian, and so is every target of this build, so the memory of a slice is its
//! stored form.

#![allow(unsafe_code)]

#[cfg(target_endian = "big")]
compile_error!("Entasis stores numbers as little-endian memory; big-endian targets are not built");

mod sealed {
    /// Numbers without padding for which every bit pattern is valid.
    pub trait Number: Copy + Default + 'static {}
    macro_rules! number { ($($t:ty),*) => { $(impl Number for $t {})* }; }
    number!(u8, u16, u32, u64, u128, i8, i16, i32, i64, i128, f32, f64);
    // The type is transparent over two words of 128 bits, with the lower one first on little-endian
    // targets.
    number!(ethnum::U256, ethnum::I256);
    impl<T: Number, const N: usize> Number for [T; N] where [T; N]: Default {}
}

/// A primitive number, an integer of 256 bits, or an array of such: no padding, every bit pattern
/// is a value.
pub trait Number: sealed::Number {}
impl<T: sealed::Number> Number for T {}

/// The memory of `values`.
#[inline]
pub fn as_bytes<T: Number>(values: &[T]) -> &[u8] {
    // SAFETY: `Number` has no padding, so all bytes are initialised; u8 needs no alignment.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// The memory of `values`, to be written: little-endian numbers.
#[inline]
pub fn as_bytes_mut<T: Number>(values: &mut [T]) -> &mut [u8] {
    // SAFETY: as in `as_bytes`; every bit pattern is a value, so any write is allowed.
    unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values)) }
}

/// Appends little-endian numbers to `out`. `false`, with `out` unchanged, when the length is not a
/// multiple of the width.
#[must_use]
pub fn extend_from_bytes<T: Number>(bytes: &[u8], out: &mut Vec<T>) -> bool {
    if !bytes.len().is_multiple_of(size_of::<T>()) {
        return false;
    }
    let count = bytes.len() / size_of::<T>();
    out.reserve(count);
    // SAFETY: the room was reserved, the bytes do not overlap it, and they are valid numbers.
    unsafe {
        let end = out.as_mut_ptr().add(out.len()).cast::<u8>();
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), end, bytes.len());
        out.set_len(out.len() + count);
    }
    true
}

macro_rules! reinterpret {
    ($($(#[$doc:meta])* $name:ident, $name_mut:ident, $from:ty => $to:ty;)*) => { $(
        $(#[$doc])*
        #[inline]
        pub fn $name(values: &[$from]) -> &[$to] {
            // SAFETY: the two types have one size and alignment, and no invalid bit patterns.
            unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
        }

        $(#[$doc])*
        #[inline]
        pub fn $name_mut(values: &mut [$from]) -> &mut [$to] {
            // SAFETY: as above.
            unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), values.len()) }
        }
    )* };
}

reinterpret! {
    /// The bits of 32-bit floats.
    f32_bits, f32_bits_mut, f32 => u32;
    /// The bits of 64-bit floats.
    f64_bits, f64_bits_mut, f64 => u64;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_little_endian() {
        let mut values = [1u32, 0x0201_0403];
        assert_eq!(as_bytes(&values), [1, 0, 0, 0, 3, 4, 1, 2]);
        as_bytes_mut(&mut values)[7] = 0;
        assert_eq!(values[1], 0x0001_0403);
        let mut out = vec![7i16];
        assert!(extend_from_bytes(&[255, 255, 2, 0], &mut out));
        assert!(!extend_from_bytes(&[1], &mut out));
        assert_eq!(out, [7, -1, 2]);
        assert_eq!(f64_bits(&[1.0]), [1.0f64.to_bits()]);
        let mut f = [0.0f32];
        f32_bits_mut(&mut f)[0] = 1.5f32.to_bits();
        assert_eq!(f, [1.5]);
        assert_eq!(as_bytes(&[[1u64, 2]]).len(), 16);
        let wide = [ethnum::U256::from_words(1, 2), ethnum::U256::MAX - 5];
        assert_eq!(as_bytes(&wide[1..]), wide[1].to_le_bytes());
        assert_eq!(as_bytes(&wide)[..32], wide[0].to_le_bytes());
    }
}
