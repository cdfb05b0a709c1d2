//! Combines the log and its copy: which records exist, and which are missing.
//!
//! Both files begin with a state (or with nothing, before the first record), followed by changes to
//! it. A record that one file has lost is taken from the other. Which records must exist follows
//! from two rules: every record before one that either file holds was acknowledged, and the record
//! that the store's marker names was acknowledged when the marker was written. If the files do not
//! lead to all of these records, recovery fails; it never returns an older state. The functions are
//! pure: bytes in, state out.

use std::collections::BTreeMap;

use entasis_base::{Error, Result, codes};

use super::encoding::decode_ops;
use super::frame::{self, FRAME_LEN, MAGIC, Scan};
use super::state::State;
use super::{COPY, FILE};

/// A log file as it was found on disk.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) name: &'static str,
    /// `None` if there is no such file.
    pub(crate) bytes: Option<Vec<u8>>,
    pub(crate) scan: Scan,
}

/// The condition of a log file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// Every byte is as it was written.
    Whole,
    /// There is no such file.
    Missing,
    /// The file ends at this offset within a frame that a crash has cut.
    Torn(usize),
    /// From this offset on the bytes are not those that were written.
    Damaged(usize, String),
}

impl Found {
    pub(crate) fn new(name: &'static str, bytes: Option<Vec<u8>>) -> Self {
        let scan = bytes.as_deref().map(frame::scan).unwrap_or_default();
        Self { name, bytes, scan }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.as_deref().unwrap_or_default()
    }

    pub(crate) fn condition(&self) -> Condition {
        let Some(bytes) = &self.bytes else { return Condition::Missing };
        if bytes.len() < MAGIC.len() {
            return Condition::Damaged(0, format!("it has {} bytes", bytes.len()));
        }
        if let Some((sequence, at)) = self.scan.out_of_sequence() {
            let at = self.scan.first_bad().map_or(at, |bad| bad.start.min(at));
            let what = format!("the records before record {sequence} are not valid or missing");
            return Condition::Damaged(at, what);
        }
        match (self.scan.torn_at(bytes.len()), self.scan.first_bad()) {
            (Some(at), _) => Condition::Torn(at),
            (None, Some(bad)) => {
                let what = format!("{} bytes are not those of a record", bad.len());
                Condition::Damaged(bad.start, what)
            }
            (None, None) => Condition::Whole,
        }
    }

    /// The state that the file begins with: the first frame, if it lies directly behind the magic
    /// and is not record 1, which is a change.
    fn base(&self) -> Option<(u64, &[u8])> {
        let (sequence, place) = self.scan.frames.first()?;
        let is_first = place.start == MAGIC.len() + FRAME_LEN && *sequence > 1;
        is_first.then(|| (*sequence, &self.bytes()[place.clone()]))
    }

    /// The other frames, which are changes.
    fn changes(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let skip = usize::from(self.base().is_some());
        let frames = self.scan.frames.iter().skip(skip);
        frames.map(|(sequence, place)| (*sequence, &self.bytes()[place.clone()]))
    }
}

/// The state that the two files lead to.
#[derive(Debug)]
pub(crate) struct Recovered {
    pub(crate) state: State,
    /// The last record that is in the state.
    pub(crate) last: u64,
    /// Number of records since the base.
    pub(crate) records: u64,
    /// Whether the main file alone leads to this state.
    pub(crate) main_is_enough: bool,
}

/// The state that both files lead to. Fails with CORRUPTED_DATA if an acknowledged record is
/// missing: one up to `acknowledged`, or one before a record that exists.
pub(crate) fn recover(main: &Found, copy: &Found, acknowledged: u64) -> Result<Recovered> {
    let known = acknowledged.max(main.scan.last()).max(copy.scan.last());
    let recovered = furthest(main, copy)?;
    if recovered.last < known {
        return Err(lost(main, copy, recovered.last, known));
    }
    Ok(recovered)
}

/// The latest state that the records lead to, even if later records are known to be missing.
pub(crate) fn furthest(main: &Found, copy: &Found) -> Result<Recovered> {
    let mut changes: BTreeMap<u64, &[u8]> = BTreeMap::new();
    for (sequence, payload) in copy.changes().chain(main.changes()) {
        changes.insert(sequence, payload);
    }
    let reach = |mut base: u64| {
        while changes.contains_key(&(base + 1)) {
            base += 1;
        }
        base
    };
    let bases = [main.base(), copy.base(), Some((0, &[][..]))];
    let best = bases.into_iter().flatten().rev().max_by_key(|(base, _)| reach(*base));
    let (base, payload) = best.unwrap_or((0, &[]));
    let last = reach(base);
    let mut state = State { next_table: 1, ..State::default() };
    let first = (base > 0).then_some((base, payload));
    let rest = (base + 1..=last).filter_map(|at| Some((at, *changes.get(&at)?)));
    for (sequence, payload) in first.into_iter().chain(rest) {
        let done = decode_ops(payload).and_then(|ops| state.replay(&ops));
        done.map_err(|e| e.context(format!("Record {sequence} of `{FILE}`")))?;
    }
    let alone = main.scan.first_bad().is_none() && main.scan.out_of_sequence().is_none();
    let starts = main.base().map_or(main.scan.frames.first().is_none_or(|f| f.0 == 1), |_| true);
    let main_is_enough = main.bytes.is_some()
        && (alone || matches!(main.condition(), Condition::Torn(_)))
        && starts
        && main.scan.last() == last;
    Ok(Recovered { state, last, records: last - base + 1, main_is_enough })
}

#[cold]
fn lost(main: &Found, copy: &Found, last: u64, known: u64) -> Error {
    let mut message = format!(
        "The commit log is damaged: records {} to {known} are known to have been acknowledged and \
         cannot be read",
        last + 1
    );
    for file in [main, copy] {
        message.push_str(&format!(". `{}`: {}", file.name, file.condition()));
    }
    Error::new(codes::CORRUPTED_DATA, format!("{message}. {REMEDY}"))
}

/// The advice for a damaged store, as part of error messages.
pub(crate) const REMEDY: &str = "Nothing has been changed. Restore the folder from a copy, or: \
    `entasis check --path FOLDER` lists what is damaged, `entasis repair --path FOLDER` saves what \
    can be saved and removes nothing";

impl std::fmt::Display for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Whole => f.write_str("no damage found"),
            Self::Missing => f.write_str("the file is missing"),
            Self::Torn(at) => write!(f, "at offset {at}: the last record is cut or not valid"),
            Self::Damaged(at, what) => write!(f, "at offset {at}: {what}"),
        }
    }
}

/// The error for a store that is not new and has lost both files.
#[cold]
pub(crate) fn both_missing() -> Error {
    let message = format!(
        "Both `{FILE}` and `{COPY}`, which list all tables, are missing or empty. {REMEDY}"
    );
    Error::new(codes::CORRUPTED_DATA, message)
}
