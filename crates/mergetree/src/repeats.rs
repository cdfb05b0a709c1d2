//! INSERTs that are sent again: what one is known by.
//!
//! By its token, if the client gives it one; else by its rows, where the table is set to look at
//! them. A token is kept as it is if it is short, and as two checksums if it is long; rows are kept
//! as two checksums over the chunks as the input cut them.

use std::sync::atomic::{AtomicU64, Ordering};

use entasis_codec::checksum;
use entasis_column::{Chunk, wire};
use entasis_table::Repeats;

use crate::config::TableSettings;
use crate::log::record::{Op, TableId};

/// Longer tokens are kept as checksums.
const LONGEST: usize = 100;

/// What an INSERT is known by.
#[derive(Debug)]
pub(crate) struct Repeated {
    window: u64,
    by: By,
}

#[derive(Debug)]
enum By {
    Token(String),
    /// Sums of two checksums of each chunk, which do not depend on who wrote it, and rows.
    Content([AtomicU64; 3]),
}

impl Repeated {
    /// `None` if the INSERT is stored in any case.
    pub(crate) fn new(repeats: Repeats, window: Option<u64>) -> Option<Self> {
        let (by, window) = match (repeats, window) {
            (Repeats::Stored, _) | (_, Some(0)) | (Repeats::ByContent, None) => return None,
            (Repeats::ByToken(token), window) => {
                let token = By::Token(short(token));
                (token, window.unwrap_or(TableSettings::REMEMBERED_TOKENS))
            }
            (Repeats::ByContent, Some(window)) => (By::Content(Default::default()), window),
        };
        Some(Self { window, by })
    }

    /// Takes notice of rows.
    pub(crate) fn add(&self, sequence: u64, chunk: &Chunk) {
        let By::Content(sums) = &self.by else { return };
        let mut bytes = sequence.to_le_bytes().to_vec();
        wire::write_chunk(chunk, &mut bytes);
        sums[0].fetch_add(checksum(&bytes), Ordering::Relaxed);
        bytes.push(1);
        sums[1].fetch_add(checksum(&bytes), Ordering::Relaxed);
        sums[2].fetch_add(chunk.rows as u64, Ordering::Relaxed);
    }

    /// What the log is to say.
    pub(crate) fn remember(&self, table: TableId) -> Op {
        let token = match &self.by {
            By::Token(token) => format!("t:{token}"),
            By::Content(sums) => {
                let [a, b, rows] = sums.each_ref().map(|sum| sum.load(Ordering::Relaxed));
                format!("c:{a:016x}{b:016x}:{rows}")
            }
        };
        Op::RememberInsert { table, token, window: self.window }
    }
}

/// A token that is short enough to be kept.
fn short(token: String) -> String {
    if token.len() <= LONGEST {
        return token;
    }
    let (len, one) = (token.len(), checksum(token.as_bytes()));
    let two = checksum(&[token.as_bytes(), &[1]].concat());
    format!("#{len}:{one:016x}{two:016x}")
}
