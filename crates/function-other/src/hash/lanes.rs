//! Digests of many short texts at once, for hashes whose blocks have 64 bytes (MD5, SHA-1).
//!
//! The steps of such a hash depend on each other, so a processor is mostly idle while it hashes one
//! text. Sixteen texts go through the steps side by side, block by block, in loops over lanes that
//! the compiler turns into vector instructions. Texts of many blocks are hashed alone.

/// Texts that are hashed side by side.
pub const LANES: usize = 16;

/// Bytes that are hashed in one step.
const BLOCK: usize = 64;

/// Longest text for a lane: with a longer one, the other lanes would mostly be idle.
const MOST: usize = 8 * BLOCK - 9;

/// One word of every lane.
pub type Word = [u32; LANES];

/// A hash with a state of `N` words.
pub trait Hash<const N: usize> {
    /// The state before the first block.
    const START: [u32; N];
    /// Whether words are read and written with the most significant byte first.
    const BIG_ENDIAN: bool;

    /// The states after one more block each. The blocks are scratch afterwards.
    fn compress(state: &mut [Word; N], message: &mut [Word; 16]);

    /// The digest of a text that is too long for a lane.
    fn long(text: &[u8], take: &mut impl FnMut(&[u8]));
}

/// Blocks of a text with its end mark and its length; 0 if it is too long for lanes.
fn blocks_of(text: &[u8]) -> usize {
    if text.len() > MOST { 0 } else { (text.len() + 9).div_ceil(BLOCK) }
}

/// Puts a block of a text into a lane.
#[inline]
fn place<const BIG: bool>(text: &[u8], number: usize, message: &mut [Word; 16], lane: usize) {
    let rest = text.get(number * BLOCK..).unwrap_or_default();
    let (words, tail) = rest[..rest.len().min(BLOCK)].as_chunks::<4>();
    let read = |bytes| if BIG { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) };
    for (word, bytes) in message.iter_mut().zip(words) {
        word[lane] = read(*bytes);
    }
    let mut others = message[words.len()..].iter_mut();
    if let Some(word) = others.next() {
        let mut bytes = [0; 4];
        bytes.iter_mut().zip(tail).for_each(|(byte, own)| *byte = *own);
        if text.len() / BLOCK == number {
            bytes[tail.len()] = 0x80;
        }
        word[lane] = read(bytes);
    }
    others.for_each(|word| word[lane] = 0);
    if blocks_of(text) == number + 1 {
        let bits = text.len() as u32 * 8;
        message[if BIG { 15 } else { 14 }][lane] = bits;
        message[if BIG { 14 } else { 15 }][lane] = 0;
    }
}

/// The digests of at most as many texts as there are lanes.
fn side_by_side<const N: usize, H: Hash<N>>(texts: &[&[u8]], take: &mut impl FnMut(&[u8])) {
    let mut state = H::START.map(|word| [word; LANES]);
    let mut message = [[0; LANES]; 16];
    let mut digests = [[[0u8; 4]; N]; LANES];
    let most = texts.iter().map(|text| blocks_of(text)).max().unwrap_or(0);
    for number in 0..most {
        for (lane, text) in texts.iter().enumerate().filter(|(_, text)| number < blocks_of(text)) {
            match H::BIG_ENDIAN {
                true => place::<true>(text, number, &mut message, lane),
                false => place::<false>(text, number, &mut message, lane),
            }
        }
        H::compress(&mut state, &mut message);
        for (lane, text) in texts.iter().enumerate() {
            if blocks_of(text) == number + 1 {
                digests[lane] = state.map(|word| match H::BIG_ENDIAN {
                    true => word[lane].to_be_bytes(),
                    false => word[lane].to_le_bytes(),
                });
            }
        }
    }
    for (text, digest) in texts.iter().zip(&digests) {
        if text.len() > MOST {
            H::long(text, take);
        } else {
            take(digest.as_flattened());
        }
    }
}

/// The digests of all texts, in order.
pub fn digests<'a, const N: usize, H: Hash<N>>(
    texts: impl Iterator<Item = &'a [u8]>,
    take: &mut impl FnMut(&[u8]),
) {
    let mut batch: [&[u8]; LANES] = [&[]; LANES];
    let mut count = 0;
    for text in texts {
        batch[count] = text;
        count += 1;
        if count == LANES {
            side_by_side::<N, H>(&batch, take);
            count = 0;
        }
    }
    side_by_side::<N, H>(&batch[..count], take);
}

#[cfg(test)]
pub mod tests {
    use super::{Hash, digests};

    /// Compares the digests of texts of all lengths around those of blocks with another
    /// implementation.
    pub fn agree<const N: usize, H: Hash<N>>(one: impl Fn(&[u8]) -> Vec<u8>) {
        let bytes: Vec<u8> = (0..700u32).map(|i| (i * 7) as u8).collect();
        for count in [0, 1, 15, 16, 17, 701] {
            let texts: Vec<&[u8]> = (0..count).map(|i| &bytes[..i * 11 % bytes.len()]).collect();
            let mut got = Vec::new();
            digests::<N, H>(texts.iter().copied(), &mut |digest| got.push(digest.to_vec()));
            let expected: Vec<Vec<u8>> = texts.iter().map(|text| one(text)).collect();
            assert_eq!(got, expected, "{count} texts");
        }
    }
}
