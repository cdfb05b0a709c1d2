//! Frames of the log file: where a record begins and ends, and whether a crash has cut the last
//! one. The bytes are described in `docs/format/log.md`.

use std::ops::Range;

use entasis_base::{Error, Result, codes};
use entasis_codec::checksum;

use crate::bytes::Input;

/// First bytes of the file; the last is the format's version.
pub(crate) const MAGIC: [u8; 8] = *b"ENTLOG\0\x01";
/// Payload length (u32), inverted payload length (u32), sequence number, checksum.
pub(crate) const FRAME_LEN: usize = 24;

/// Appends a frame with its payload.
pub(crate) fn put(out: &mut Vec<u8>, sequence: u64, payload: &[u8]) -> Result<()> {
    let len = u32::try_from(payload.len()).map_err(|_| {
        Error::new(codes::LIMIT_EXCEEDED, "A record of the commit log exceeds 4 GiB")
    })?;
    out.extend_from_slice(&len.to_le_bytes());
    out.extend_from_slice(&(!len).to_le_bytes());
    out.extend_from_slice(&sequence.to_le_bytes());
    out.extend_from_slice(&sum(sequence, payload).to_le_bytes());
    out.extend_from_slice(payload);
    Ok(())
}

fn sum(sequence: u64, payload: &[u8]) -> u64 {
    let position =
        checksum(&[sequence.to_le_bytes(), (payload.len() as u64).to_le_bytes()].concat());
    checksum(payload) ^ position.rotate_left(32)
}

/// The frame at the beginning of `bytes`: sequence, payload. `None` if there is no valid one.
pub(crate) fn take(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut input = Input(bytes);
    let lengths = input.u64().ok()?;
    let (len, inverse) = (lengths as u32, (lengths >> 32) as u32);
    if len != !inverse {
        return None;
    }
    let (sequence, expected) = (input.u64().ok()?, input.u64().ok()?);
    let payload = input.take(len as usize).ok()?;
    (sum(sequence, payload) == expected).then_some((sequence, payload))
}

/// The frames that a log's bytes hold.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Scan {
    /// Sequence number and payload range of every valid frame, in file order.
    pub(crate) frames: Vec<(u64, Range<usize>)>,
    /// Ranges of bytes that belong neither to the magic nor to a valid frame.
    pub(crate) bad: Vec<Range<usize>>,
}

impl Scan {
    /// The first range of bad bytes.
    pub(crate) fn first_bad(&self) -> Option<&Range<usize>> {
        self.bad.first()
    }

    /// Sequence number and offset of the first valid frame that does not follow the one before it.
    pub(crate) fn out_of_sequence(&self) -> Option<(u64, usize)> {
        let pair = self.frames.windows(2).find(|pair| pair[1].0 != pair[0].0 + 1)?;
        Some((pair[1].0, pair[1].1.start - FRAME_LEN))
    }

    /// The highest sequence number of a valid frame; 0 if there is none.
    pub(crate) fn last(&self) -> u64 {
        self.frames.iter().map(|(sequence, _)| *sequence).max().unwrap_or(0)
    }

    /// The offset at which the bytes of an interrupted last write begin, which is the end of the
    /// valid frames; `None` if the file has any other damage, or none.
    pub(crate) fn torn_at(&self, len: usize) -> Option<usize> {
        match &self.bad[..] {
            [only] if only.end == len && only.start >= MAGIC.len() => Some(only.start),
            _ => None,
        }
    }
}

/// Finds all valid frames, including those behind damage. The two lengths of a frame are compared
/// first, so that a checksum is computed only where a frame is likely.
pub(crate) fn scan(bytes: &[u8]) -> Scan {
    let mut found = Scan::default();
    let mut at = MAGIC.len().min(bytes.len());
    if bytes[..at] != MAGIC {
        found.bad.push(0..at);
    }
    while at < bytes.len() {
        if let Some((sequence, payload)) = take(&bytes[at..]) {
            let start = at + FRAME_LEN;
            found.frames.push((sequence, start..start + payload.len()));
            at = start + payload.len();
            continue;
        }
        let next = (at + 1..bytes.len()).find(|&start| take(&bytes[start..]).is_some());
        let end = next.unwrap_or(bytes.len());
        match found.bad.last_mut() {
            Some(before) if before.end == at => before.end = end,
            _ => found.bad.push(at..end),
        }
        at = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(n: u64) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        for i in 0..n {
            put(&mut out, 10 + i, format!("record {i}").as_bytes()).unwrap();
        }
        out
    }

    #[test]
    fn a_cut_or_changed_file_keeps_its_other_frames() {
        let bytes = log(3);
        let record = (bytes.len() - MAGIC.len()) / 3;
        for cut in 0..=bytes.len() {
            let scan = scan(&bytes[..cut]);
            let whole = cut.saturating_sub(MAGIC.len()) / record;
            assert_eq!(scan.frames.len(), whole, "{cut}");
            let end = MAGIC.len() + whole * record;
            match cut {
                _ if cut == end => assert!(scan.bad.is_empty()),
                _ if cut < MAGIC.len() => assert_eq!(scan.torn_at(cut), None),
                _ => assert_eq!(scan.torn_at(cut), Some(end)),
            }
        }
        for bit in 0..bytes.len() * 8 {
            let (at, mut bad) = (bit / 8, bytes.clone());
            bad[at] ^= 1 << (bit % 8);
            let scan = scan(&bad);
            if at < MAGIC.len() {
                assert_eq!((scan.frames.len(), scan.bad.len(), scan.bad[0].clone()), (3, 1, 0..8));
                continue;
            }
            let hit = (at - MAGIC.len()) / record;
            let start = MAGIC.len() + hit * record;
            assert_eq!(scan.frames.len(), 2, "bit {bit}");
            assert_eq!(scan.first_bad(), Some(&(start..start + record)));
            assert_eq!(scan.torn_at(bad.len()).is_some(), hit == 2);
            assert_eq!(scan.out_of_sequence().is_some(), hit == 1);
        }
    }
}
