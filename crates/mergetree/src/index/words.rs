//! `ngrambf_v1(n, bytes, hashes, seed)` and `tokenbf_v1(bytes, hashes, seed)`: filters of the runs
//! of `n` characters of texts, or of their words.
//!
//! A word is a run of ASCII letters, digits and bytes above ASCII, as in the function `tokens`. A
//! character is a first byte with as many bytes of continuation as it announces, if they are there.
//! So the characters inside a text are the same wherever it stands, even if it is not UTF-8, apart
//! from bytes of continuation at its beginning and a cut character at its end.

use entasis_base::Result;
use entasis_codec::checksum;
use entasis_column::Column;
use entasis_types::DataType;

use super::atoms::{Piece, Search, leaf};
use super::bloom::trimmed;
use super::filter::{self, Builder, Condition, Hashes, Shape, Size};
use super::logic::Logic;
use super::{Ask, IndexBuilder, IndexCondition, SkipIndex};

/// What is looked for in texts.
#[derive(Clone, Copy, Debug)]
pub enum Terms {
    /// Runs of this many characters.
    Ngrams(usize),
    /// Words.
    Words,
}

/// The types `ngrambf_v1` and `tokenbf_v1` with their arguments.
#[derive(Clone, Copy, Debug)]
pub struct TermFilter {
    /// What is in the filter.
    pub terms: Terms,
    /// The size of the filter of a block in bytes.
    pub bytes: usize,
    /// How many bits a term sets.
    pub hashes: u32,
    /// Chooses the hash functions.
    pub seed: u64,
}

impl TermFilter {
    fn shape(&self) -> Shape {
        let hashes = self.hashes.clamp(1, 64);
        Shape { size: Size::Bytes(self.bytes.max(1)), hashes, seed: self.seed }
    }
}

impl SkipIndex for TermFilter {
    fn columns(&self, types: &[DataType]) -> Vec<(&'static str, DataType)> {
        filter::columns(types)
    }

    fn builder(&self, types: &[DataType]) -> Box<dyn IndexBuilder> {
        Box::new(Builder::new(self.shape(), self.terms, types.len()))
    }

    fn condition(&self, ask: &Ask<'_>) -> Result<Option<Box<dyn IndexCondition>>> {
        let terms = self.terms;
        let logic = Logic::all(ask.conjuncts, &mut |expr, not| leaf(ask, &terms, expr, not));
        if logic.is_useless() {
            return Ok(None);
        }
        let (shape, exprs) = (self.shape(), ask.exprs.len());
        Ok(Some(Box::new(Condition { shape, logic, exprs })))
    }
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// The number of bytes that a character should have by its first byte.
fn announced(first: u8) -> usize {
    match first {
        0xF0..=0xF7 => 4,
        0xE0..=0xEF => 3,
        0xC0..=0xDF => 2,
        _ => 1,
    }
}

/// Where the characters of a text begin, and where the last one ends.
fn borders(text: &[u8], out: &mut Vec<usize>) {
    out.clear();
    let mut at = 0;
    while at < text.len() {
        out.push(at);
        let most = (at + announced(text[at])).min(text.len());
        at += 1;
        while at < most && is_continuation(text[at]) {
            at += 1;
        }
    }
    out.push(text.len());
}

fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

impl Terms {
    /// Adds the hashes of all terms of a text.
    fn of_text(self, text: &[u8], places: &mut Vec<usize>, out: &mut Vec<u64>) {
        let text = trimmed(text);
        match self {
            Self::Ngrams(n) => {
                borders(text, places);
                let ends = places.iter().skip(n.max(1));
                out.extend(places.iter().zip(ends).map(|(from, to)| checksum(&text[*from..*to])));
            }
            Self::Words => {
                let words = text.split(|byte| !in_word(*byte));
                out.extend(words.filter(|word| !word.is_empty()).map(checksum));
            }
        }
    }

    /// Adds the hashes of the terms that a text has if it has this piece.
    fn of_piece(self, piece: Piece<'_>, out: &mut Vec<u64>) {
        let mut text = piece.text;
        match self {
            Self::Ngrams(_) => {
                if !piece.at_start {
                    let first = text.iter().position(|byte| !is_continuation(*byte));
                    text = &text[first.unwrap_or(text.len())..];
                }
                if !piece.at_end {
                    // A character at the end may go on behind the piece.
                    let last = text.iter().rposition(|byte| !is_continuation(*byte)).unwrap_or(0);
                    let is_cut = last < text.len() && last + announced(text[last]) > text.len();
                    text = if is_cut { &text[..last] } else { text };
                }
            }
            Self::Words => {
                if !piece.at_start {
                    let first = text.iter().position(|byte| !in_word(*byte));
                    text = &text[first.unwrap_or(text.len())..];
                }
                if !piece.at_end {
                    let last = text.iter().rposition(|byte| !in_word(*byte));
                    text = &text[..last.map_or(0, |last| last + 1)];
                }
            }
        }
        // Filters have the terms of texts without zero bytes at their ends.
        self.of_text(trimmed(text), &mut Vec::new(), out);
    }
}

impl Hashes for Terms {
    fn add(&self, column: &Column, out: &mut Vec<u64>) {
        let mut places = Vec::new();
        match column {
            Column::Const(constant) if constant.len > 0 => self.add(&constant.value, out),
            Column::Dict(_) => self.add(&column.full(), out),
            Column::Nullable(nullable) => {
                self.add(&nullable.values.filter(&nullable.validity), out);
            }
            Column::Array(array) => self.add(&array.flat().1, out),
            Column::String(strings) => {
                strings.iter().for_each(|text| self.of_text(text, &mut places, out));
            }
            Column::Fixed(fixed) => {
                (0..fixed.len()).for_each(|i| self.of_text(fixed.get(i), &mut places, out));
            }
            _ => {}
        }
    }
}

impl Search for Terms {
    fn value(&self, value: &Column) -> Option<Vec<u64>> {
        let text = value.strings().filter(|text| text.len() == 1)?.get(0).to_vec();
        self.pieces(&[Piece { text: &text, at_start: true, at_end: true }])
    }

    fn pieces(&self, pieces: &[Piece<'_>]) -> Option<Vec<u64>> {
        let mut out = Vec::new();
        pieces.iter().for_each(|piece| self.of_piece(*piece, &mut out));
        out.sort_unstable();
        out.dedup();
        (!out.is_empty()).then_some(out)
    }

    fn word(&self, word: &[u8]) -> Option<Vec<u64>> {
        let is_word = matches!(self, Self::Words) && word.iter().all(|byte| in_word(*byte));
        self.pieces(&[Piece { text: word, at_start: is_word, at_end: is_word }])
    }
}
