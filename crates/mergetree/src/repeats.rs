//! Recognises INSERTs that are sent again.
//!
//! An INSERT is identified by its token, if the client gives one; otherwise by its rows, if the
//! table is set to compare them. A short token is kept as it is, a long one as two checksums. Rows
//! are kept as two checksums over the chunks in which the input delivered them.

use std::sync::atomic::{AtomicU64, Ordering};

use entasis_codec::checksum;
use entasis_column::{Chunk, wire};
use entasis_table_api::Repeats;

use crate::config::TableSettings;
use crate::log::record::{Op, TableId};

/// Longer tokens are kept as checksums. In bytes.
const LONGEST: usize = 100;

/// The identity of an INSERT, by which it is recognised.
#[derive(Debug)]
pub(crate) struct Repeated {
    window: u64,
    by: By,
}

#[derive(Debug)]
enum By {
    Token(String),
    /// Two sums over the chunks' checksums, and the number of rows. Sums do not depend on which
    /// worker got which chunk.
    Content([AtomicU64; 3]),
}

impl Repeated {
    /// `None` if the INSERT is always stored.
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

    /// Adds rows to the checksums, if the INSERT is identified by its rows.
    pub(crate) fn add(&self, sequence: u64, chunk: &Chunk) {
        let By::Content(sums) = &self.by else { return };
        let mut bytes = sequence.to_le_bytes().to_vec();
        wire::write_chunk(chunk, &mut bytes);
        sums[0].fetch_add(checksum(&bytes), Ordering::Relaxed);
        bytes.push(1);
        sums[1].fetch_add(checksum(&bytes), Ordering::Relaxed);
        sums[2].fetch_add(chunk.rows as u64, Ordering::Relaxed);
    }

    /// The operation by which the log remembers the INSERT.
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

/// The token itself if it is short, else its length and checksums.
fn short(token: String) -> String {
    if token.len() <= LONGEST {
        return token;
    }
    let (len, one) = (token.len(), checksum(token.as_bytes()));
    let two = checksum(&[token.as_bytes(), &[1]].concat());
    format!("#{len}:{one:016x}{two:016x}")
}
