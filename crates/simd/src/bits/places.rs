//! What the forms with tables look up for each byte of a mask.

/// Places of the set bits of each byte, first to last; the rest is 0.
pub(crate) static PLACES: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut bit, mut at) = (0, 0);
        while bit < 8 {
            if mask >> bit & 1 == 1 {
                table[mask][at] = bit;
                at += 1;
            }
            bit += 1;
        }
        mask += 1;
    }
    table
};

/// The number of ones in each group of 2, 4 or 8 bits, in the place of the group: AArch64 counts
/// bits only in vector registers, and the way there and back is long.
#[cfg(target_feature = "neon")]
#[inline(always)]
pub(crate) const fn counts(word: u64, bits: usize) -> u64 {
    let mut sums = word - (word >> 1 & 0x5555_5555_5555_5555);
    if bits > 2 {
        sums = (sums & 0x3333_3333_3333_3333) + (sums >> 2 & 0x3333_3333_3333_3333);
    }
    if bits > 4 {
        sums = (sums + (sums >> 4)) & 0x0F0F_0F0F_0F0F_0F0F;
    }
    sums
}
