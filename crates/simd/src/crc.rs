//! CRC-32C (Castagnoli 1993), of which processors have an instruction.

#![allow(unsafe_code)]

#[cfg(not(target_feature = "sse4.2"))]
const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let (mut crc, mut bit) = (i as u32, 0);
        while bit < 8 {
            crc = crc >> 1 ^ (0x82F6_3B78 & 0u32.wrapping_sub(crc & 1));
            bit += 1;
        }
        table[i] = crc;
        i += 1;
    }
    table
}

#[cfg(not(target_feature = "sse4.2"))]
static TABLE: [u32; 256] = table();

/// CRC-32C of eight bytes from `start` on, not inverted, as the instruction of x86-64 computes it.
#[inline]
#[cfg(not(target_feature = "sse4.2"))]
pub fn crc32c(start: u32, value: u64) -> u32 {
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("crc") && !crate::portable() {
        // SAFETY: the processor has the instruction.
        return unsafe { with_instruction(start, value) };
    }
    let step = |crc: u32, byte: u8| crc >> 8 ^ TABLE[usize::from(crc as u8 ^ byte)];
    value.to_le_bytes().into_iter().fold(start, step)
}

/// As [`crc32c`]. Every processor since version 8.1 of the architecture has the instruction, but
/// builds are for 8.0.
///
/// # Safety
/// The processor must have it.
#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "crc")]
unsafe fn with_instruction(start: u32, value: u64) -> u32 {
    std::arch::aarch64::__crc32cd(start, value)
}

/// CRC-32C of eight bytes from `start` on, not inverted, as the instruction of x86-64 computes it.
#[inline]
#[cfg(target_feature = "sse4.2")]
pub fn crc32c(start: u32, value: u64) -> u32 {
    // SAFETY: the feature is enabled for the build.
    unsafe { std::arch::x86_64::_mm_crc32_u64(start.into(), value) as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_checksums() {
        crate::testing::every_form(known);
    }

    fn known() {
        // Eight zero bytes, and eight bytes of ones, from the usual start.
        assert_eq!(!crc32c(u32::MAX, 0), 0x8C28_B28A);
        assert_eq!(crc32c(0, 0), 0);
        // "123456789" has the checksum 0xE3069283; its last byte is put in bit by bit.
        let mut crc = crc32c(u32::MAX, u64::from_le_bytes(*b"12345678")) ^ u32::from(b'9');
        for _ in 0..8 {
            crc = crc >> 1 ^ (0x82F6_3B78 & 0u32.wrapping_sub(crc & 1));
        }
        assert_eq!(!crc, 0xE306_9283);
    }
}
