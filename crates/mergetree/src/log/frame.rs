//! Frames of the log file: where a record begins and ends, and what a crash may have done to the
//! last of them. Byte by byte in `docs/format/log.md`.

use entasis_base::{Error, Result, codes};
use entasis_codec::checksum;

use crate::bytes::Input;

/// First bytes of the file; the last is the format's version.
pub(crate) const MAGIC: [u8; 8] = *b"ENTLOG\0\x01";
/// Payload length (u32), payload length again inverted (u32), sequence number, checksum.
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

/// All frames of a log's bytes, which must be in sequence, and the length of the valid part. A bad
/// end is left out if nothing valid follows it; else it is corruption, with its offset.
pub(crate) fn scan(bytes: &[u8], path: &str) -> Result<(Vec<(u64, Vec<u8>)>, usize)> {
    let mut frames: Vec<(u64, Vec<u8>)> = Vec::new();
    let mut at = MAGIC.len();
    while at < bytes.len() {
        let expected = frames.last().map(|(sequence, _)| sequence + 1);
        match take(&bytes[at..]) {
            Some((sequence, payload)) if expected.is_none_or(|e| e == sequence) => {
                frames.push((sequence, payload.to_vec()));
                at += FRAME_LEN + payload.len();
            }
            Some((sequence, _)) => {
                let message = format!(
                    "Commit log `{path}`: record {sequence} at offset {at} is out of sequence"
                );
                return Err(Error::new(codes::CORRUPTED_DATA, message));
            }
            None => {
                refuse_if_more_follows(bytes, at, path)?;
                break;
            }
        }
    }
    Ok((frames, at))
}

/// Corruption, rather than a torn end, shows by a valid record behind it.
fn refuse_if_more_follows(bytes: &[u8], bad: usize, path: &str) -> Result<()> {
    for start in bad + 1..bytes.len() {
        // The two lengths rule out nearly every place before a checksum is computed.
        if let Some((sequence, _)) = take(&bytes[start..]) {
            return Err(Error::new(
                codes::CORRUPTED_DATA,
                format!(
                    "Commit log `{path}` is corrupted at offset {bad}: the record there is not \
                     valid, but record {sequence} at offset {start} behind it is"
                ),
            ));
        }
    }
    Ok(())
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
    fn every_torn_tail_is_cut_and_every_hole_is_corruption() {
        let bytes = log(3);
        let record = (bytes.len() - MAGIC.len()) / 3;
        for cut in MAGIC.len()..bytes.len() {
            let (frames, len) = scan(&bytes[..cut], "l").unwrap();
            assert_eq!(frames.len(), (cut - MAGIC.len()) / record);
            assert_eq!(len, MAGIC.len() + frames.len() * record);
        }
        for at in MAGIC.len()..bytes.len() {
            let mut bad = bytes.clone();
            bad[at] ^= 0x40;
            let hit = (at - MAGIC.len()) / record;
            match scan(&bad, "l") {
                Ok((frames, _)) => assert!(hit == 2 && frames.len() == 2, "byte {at}"),
                Err(e) => {
                    assert!(hit < 2, "byte {at}: {e}");
                    assert_eq!(e.code(), codes::CORRUPTED_DATA);
                    let offset = MAGIC.len() + hit * record;
                    assert!(e.message().contains(&format!("offset {offset}")), "{e}");
                }
            }
        }
    }

    #[test]
    fn a_record_that_is_missing_is_noticed() {
        let mut bytes = log(1);
        put(&mut bytes, 12, b"x").unwrap();
        assert_eq!(scan(&bytes, "l").unwrap_err().code(), codes::CORRUPTED_DATA);
    }
}
