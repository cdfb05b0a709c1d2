//! Sparse grams: the substrings whose first and last n-gram have greater hashes than all n-grams
//! between them. Long substrings are rarer than short ones, so an index of them is small and still
//! selective, and a substring's grams are among the grams of every text that contains it.

use entasis_base::Result;
use entasis_function_kernel::hashing::crc32c;
use entasis_function_kernel::text::char_len;

use super::tokenizer::bad;

/// The longest gram that the tokenizer makes.
pub const LONGEST: usize = 100;

/// The lengths of sparse grams, in characters.
#[derive(Clone, Copy, Debug)]
pub struct SparseGrams {
    /// The shortest gram; the hashed n-grams are one shorter.
    pub min: usize,
    /// The longest gram.
    pub max: usize,
    /// Shorter grams are found but left out.
    pub cutoff: usize,
    /// Whether a character may have several bytes.
    pub utf8: bool,
}

/// An n-gram that can begin a gram.
#[derive(Clone, Copy)]
struct Left {
    at: usize,
    symbol: usize,
    hash: u32,
}

/// The n-grams that can begin a gram at the current place: their hashes fall from first to last.
#[derive(Default)]
pub struct Hull(Vec<Left>);

fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

/// The reference's hash of an n-gram, over words of eight bytes. The length of a short last word
/// stands in the byte that it leaves free.
pub fn hash(gram: &[u8]) -> u32 {
    if gram.len() < 8 {
        return crc32c(0, word(gram) | (gram.len() as u64) << 56);
    }
    let (words, rest) = gram.as_chunks::<8>();
    let crc = words.iter().fold(0, |crc, chunk| crc32c(crc, u64::from_le_bytes(*chunk)));
    if rest.is_empty() {
        return crc;
    }
    let left = rest.len();
    let last = word(&gram[gram.len() - 8..]) & u64::MAX << (8 * (8 - left));
    crc32c(crc, last | left as u64)
}

impl SparseGrams {
    /// The tokenizer's parameters: at most three numbers.
    pub fn new(params: &[usize]) -> Result<Self> {
        let min = params.first().copied().unwrap_or(3);
        let max = params.get(1).copied().unwrap_or(LONGEST);
        let cutoff = params.get(2).copied();
        let wrong =
            |what: String| bad(format!("Unexpected parameter of tokenizer 'sparseGrams': {what}"));
        if min < 3 {
            return Err(wrong(format!("minimal length must be at least 3, but got {min}")));
        }
        if max > LONGEST {
            return Err(wrong(format!("maximal length must be at most 100, but got {max}")));
        }
        if min > max {
            let message =
                format!("minimal length {min} cannot be larger than maximal length {max}");
            return Err(wrong(message));
        }
        if let Some(cutoff) = cutoff {
            let what = format!("minimal cutoff length {cutoff} cannot be");
            if cutoff < min {
                return Err(wrong(format!("{what} smaller than minimal length {min}")));
            }
            if cutoff > max {
                return Err(wrong(format!("{what} larger than maximal length {max}")));
            }
        }
        Ok(Self { min, max, cutoff: cutoff.unwrap_or(min), utf8: true })
    }

    fn next(self, s: &[u8], at: usize) -> usize {
        if self.utf8 { (at + char_len(s[at])).min(s.len()) } else { at + 1 }
    }

    /// Calls `f` for the grams of `s`, ordered by their ends, until it answers that it wants no
    /// more.
    pub fn each<'s>(self, s: &'s [u8], hull: &mut Hull, mut f: impl FnMut(&'s [u8]) -> bool) {
        let hull = &mut hull.0;
        hull.clear();
        let mut right = 0;
        for _ in 0..self.min - 2 {
            if right >= s.len() {
                return;
            }
            right = self.next(s, right);
        }
        let (mut left, mut symbol) = (0, 0);
        while right < s.len() {
            let end = self.next(s, right);
            let own = hash(&s[left..end]);
            // The length in characters of the gram that begins at an earlier n-gram.
            let length = |l: &Left| symbol - l.symbol + self.min - 1;
            while let Some(&top) = hull.last() {
                let fits = length(&top) <= self.max;
                if fits && length(&top) >= self.cutoff && !f(&s[top.at..end]) {
                    return;
                }
                if top.hash > own {
                    break;
                }
                if !fits && top.hash < own {
                    // All earlier ones are further away.
                    hull.clear();
                    break;
                }
                hull.pop();
                if top.hash == own {
                    break;
                }
            }
            hull.push(Left { at: left, symbol, hash: own });
            (right, left, symbol) = (end, self.next(s, left), symbol + 1);
        }
    }
}
