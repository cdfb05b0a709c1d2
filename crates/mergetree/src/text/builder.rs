//! Collects the tokens of a part.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use entasis_base::{Error, Result};
use entasis_column::{Chunk, Column, StringsBuilder};

use super::postings::PostingsBuilder;
use crate::index::{IndexBuilder, IndexData};

/// Longer lists are in a column of their own.
const LONG: usize = 512;

/// A quick hash of short strings: eight bytes at a time are multiplied and folded.
#[derive(Default)]
struct TokenHasher(u64);

impl Hasher for TokenHasher {
    fn write(&mut self, bytes: &[u8]) {
        let mut mix = |word: u64| {
            let product = u128::from(self.0 ^ word) * 0x9E37_79B9_7F4A_7C15;
            self.0 = product as u64 ^ (product >> 64) as u64;
        };
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| mix(u64::from_le_bytes(*word)));
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        mix(u64::from_le_bytes(last) ^ (bytes.len() as u64) << 56);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The tokens of a part so far, with their rows.
#[derive(Default)]
pub(super) struct Tokens {
    lists: HashMap<Box<[u8]>, PostingsBuilder, BuildHasherDefault<TokenHasher>>,
    granule: u32,
}

impl IndexBuilder for Tokens {
    fn add(&mut self, columns: &[Column]) -> Result<()> {
        let tokens = columns.last().map(Column::full);
        let Some(Column::Array(tokens)) = tokens else {
            return Err(Error::logical("A text index without tokens"));
        };
        let (ends, values) = tokens.flat();
        let Column::String(values) = values.full() else {
            return Err(Error::logical("Tokens that are no strings"));
        };
        for (row, range) in ends.windows(2).enumerate() {
            for at in range[0] as usize..range[1] as usize {
                let token = values.get(at);
                if let Some(list) = self.lists.get_mut(token) {
                    list.push(self.granule, row as u32);
                } else {
                    let mut list = PostingsBuilder::default();
                    list.push(self.granule, row as u32);
                    self.lists.insert(token.into(), list);
                }
            }
        }
        self.granule += 1;
        Ok(())
    }

    fn end_block(&mut self) -> Result<()> {
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<IndexData> {
        let mut lists: Vec<_> = self.lists.into_iter().collect();
        lists.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        let rows = lists.len();
        let builder = || StringsBuilder::with_capacity(rows, rows * 8);
        let (mut tokens, mut short, mut long) = (builder(), builder(), builder());
        for (token, list) in lists {
            let list = list.finish();
            let (here, other) =
                if list.len() > LONG { (&mut long, &mut short) } else { (&mut short, &mut long) };
            here.push(&list);
            other.push(b"");
            tokens.push(&token);
            for builder in [&tokens, &short, &long] {
                builder.check_room(0)?;
            }
        }
        let columns = [tokens, short, long].map(|builder| Column::from(builder.finish()));
        Ok(IndexData { rows: Chunk::new(columns.to_vec(), rows), sorted: true })
    }
}
