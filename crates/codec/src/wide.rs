//! Blocks of values of a fixed number of bytes: 128- and 256-bit integers, UUID, FixedString.
//!
//! Payload by encoding tag, all of it compressed: 0 plain (rows * width bytes), 1 constant (one
//! value), 2 lanes: each 64-bit lane of the values (width divisible by 8) as nested integers, lane
//! 0 first. Lanes make a narrow Decimal128 as small as the numbers in it.

use crate::block::{BlockKind, Writer, open};
use crate::compress::{Method, decompress, decompress_append};
use crate::input::{Input, corrupted};
use crate::ints::{put_nested, take_nested};
use crate::options::{Compression, EncodeOptions, Light};
use entasis_base::Result;

const PLAIN: u8 = 0;
const CONSTANT: u8 = 1;
const LANES: u8 = 2;

/// The widest value with its own width byte and lanes; wider ones are stored without lanes.
const MAX_LANES_WIDTH: usize = 64;

/// The stored width: 0 for values too wide for one byte, whose width the reader knows anyway.
fn width_byte(width: usize) -> usize {
    if u8::try_from(width).is_ok() { width } else { 0 }
}

/// Appends a block of the values of `width` bytes each (`width > 0`) in `bytes` to `out`.
pub fn encode_wide(
    bytes: &[u8],
    width: usize,
    options: EncodeOptions,
    out: &mut Vec<u8>,
) -> Result<()> {
    assert!(width > 0 && bytes.len().is_multiple_of(width), "wide values");
    let rows = bytes.len() / width;
    let writer = Writer::new(BlockKind::Wide, width_byte(width), rows, bytes.len(), out)?;
    let mut writer = writer.encrypted(options.ciphers);
    if options.light == Light::Auto && rows > 0 {
        let first = &bytes[..width];
        if bytes.chunks_exact(width).all(|v| v == first) {
            let method = writer.squeeze(first, Compression::None)?;
            return writer.seal(CONSTANT, method, width);
        }
        if width.is_multiple_of(8) && width <= MAX_LANES_WIDTH {
            let mut light = Vec::new();
            for lane in 0..width / 8 {
                put_nested(&lane_of(bytes, width, lane), &mut light);
            }
            if light.len() < bytes.len() / 10 * 9 {
                let method = writer.squeeze(&light, options.compression)?;
                return writer.seal(LANES, method, light.len());
            }
        }
    }
    let method = writer.squeeze(bytes, options.compression)?;
    writer.seal(PLAIN, method, bytes.len())
}

fn lane_of(bytes: &[u8], width: usize, lane: usize) -> Vec<u64> {
    let at = lane * 8;
    let words = bytes.chunks_exact(width).filter_map(|v| v[at..].first_chunk());
    words.map(|w| u64::from_le_bytes(*w)).collect()
}

/// Decodes a block of values of `width` bytes into `out` (rows * width bytes).
pub fn decode_wide_into(block: &[u8], width: usize, out: &mut [u8]) -> Result<()> {
    assert!(width > 0 && out.len().is_multiple_of(width), "wide values");
    let rows = out.len() / width;
    let (header, payload) = open(block, BlockKind::Wide, width_byte(width), rows)?;
    let payload = &*payload;
    if header.encoding == PLAIN {
        return decompress(header.method, payload, out);
    }
    let mut buffer = Vec::new();
    let light = if header.method == Method::None {
        payload
    } else {
        decompress_append(header.method, payload, header.raw as usize, &mut buffer)?;
        &buffer
    };
    let mut input = Input(light);
    match header.encoding {
        CONSTANT => {
            let value = input.take(width)?;
            out.chunks_exact_mut(width).for_each(|v| v.copy_from_slice(value));
        }
        LANES if width.is_multiple_of(8) => {
            for lane in 0..width / 8 {
                let words = take_nested::<u64>(&mut input, rows)?;
                for (v, word) in out.chunks_exact_mut(width).zip(words) {
                    v[lane * 8..lane * 8 + 8].copy_from_slice(&word.to_le_bytes());
                }
            }
        }
        _ => return Err(corrupted("unknown encoding of wide values")),
    }
    input.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_base::clock::Rng;

    #[test]
    fn round_trip_and_damage() {
        let mut rng = Rng::new(7);
        for width in [1, 3, 16, 20, 32, 300] {
            for rows in [0, 1, 2, 300] {
                for kind in 0..3 {
                    let bytes: Vec<u8> = (0..rows * width)
                        .map(|i| match kind {
                            0 => (i % width) as u8,
                            1 => rng.next_u64() as u8,
                            _ if i % width < 2 => rng.next_u64() as u8,
                            _ => 0,
                        })
                        .collect();
                    for options in [EncodeOptions::default(), EncodeOptions::PLAIN] {
                        let mut block = vec![];
                        encode_wide(&bytes, width, options, &mut block).unwrap();
                        let mut back = vec![9; bytes.len()];
                        decode_wide_into(&block, width, &mut back).unwrap();
                        assert_eq!(back, bytes);
                        crate::block::forge(&block, &mut rng, |bad| {
                            let _ = decode_wide_into(bad, width, &mut back);
                        });
                    }
                }
            }
        }
    }

    #[test]
    fn narrow_decimals_are_small() {
        let bytes: Vec<u8> = (0..8192i128).flat_map(|i| (i * 7 % 1000).to_le_bytes()).collect();
        let mut block = vec![];
        encode_wide(&bytes, 16, EncodeOptions::default(), &mut block).unwrap();
        assert!(block.len() < 8192 * 10 / 8 + 200, "{}", block.len());
    }
}
