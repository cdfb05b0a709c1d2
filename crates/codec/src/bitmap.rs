//! Blocks of bits: validity and other masks.
//!
//! Payload by encoding tag, all of it compressed: 0 plain (the 64-bit words), 1 constant (one byte,
//! 0 or 1), 2 and 3 the positions of set, of clear bits (count (u32), nested positions).
//!
//! Invariant: the bits past the end of a decoded mask are zero.

use crate::block::{BlockKind, Writer, open};
use crate::compress::{Method, decompress, decompress_append};
use crate::input::{Input, corrupted, put_int};
use crate::ints::{put_nested, take_nested};
use crate::options::{Compression, EncodeOptions, Light};
use entasis_base::Result;
use entasis_simd::bits;
use entasis_simd::cast::{as_bytes, as_bytes_mut};

const PLAIN: u8 = 0;
const CONSTANT: u8 = 1;
const SET: u8 = 2;
const CLEAR: u8 = 3;

/// Appends a block of the first `len` bits of `words` to `out`.
pub fn encode_bits(
    words: &[u64],
    len: usize,
    options: EncodeOptions,
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut words = words[..bits::words_for(len)].to_vec();
    bits::clear_tail(&mut words, len);
    let writer = Writer::new(BlockKind::Bits, 0, len, words.len() * 8, out)?;
    let mut writer = writer.encrypted(options.ciphers);
    let set = bits::count_ones(&words, len);
    let few = set.min(len - set);
    let mut light = Vec::new();
    let encoding = if options.light == Light::None || len == 0 {
        PLAIN
    } else if few == 0 {
        light.push(u8::from(set > 0));
        CONSTANT
    } else if few < len / 32 {
        let encoding = if few == set { SET } else { CLEAR };
        if encoding == CLEAR {
            bits::not_into(&mut words, len);
        }
        let mut positions = Vec::new();
        bits::indices_from_mask(&words, len, &mut positions);
        put_int(positions.len() as u32, &mut light);
        put_nested(&positions, &mut light);
        encoding
    } else {
        PLAIN
    };
    let raw = if encoding == PLAIN { as_bytes(&words) } else { &light };
    let compression = if encoding == CONSTANT { Compression::None } else { options.compression };
    let method = writer.squeeze(raw, compression)?;
    writer.seal(encoding, method, raw.len())
}

/// Decodes a block of `len` bits into a mask of its own.
pub fn decode_bits(block: &[u8], len: usize) -> Result<Vec<u64>> {
    let (header, payload) = open(block, BlockKind::Bits, 0, len)?;
    let payload = &*payload;
    if header.encoding == PLAIN {
        let mut words = vec![0; bits::words_for(len)];
        decompress(header.method, payload, as_bytes_mut(&mut words))?;
        bits::clear_tail(&mut words, len);
        return Ok(words);
    }
    let mut buffer = Vec::new();
    let light = if header.method == Method::None {
        payload
    } else {
        decompress_append(header.method, payload, header.raw as usize, &mut buffer)?;
        &buffer
    };
    let mut input = Input(light);
    let words = match header.encoding {
        CONSTANT => bits::filled(len, input.byte()? != 0),
        SET | CLEAR => {
            let count = input.u32()? as usize;
            if count > len {
                return Err(corrupted("more positions than bits"));
            }
            let positions = take_nested::<u32>(&mut input, count)?;
            if positions.iter().fold(0, |m, &p| m.max(p)) as usize >= len {
                return Err(corrupted("position of a bit"));
            }
            let mut words = bits::mask_from_indices(&positions, len);
            if header.encoding == CLEAR {
                bits::not_into(&mut words, len);
            }
            words
        }
        _ => return Err(corrupted("unknown bit encoding")),
    };
    input.finish()?;
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_base::clock::Rng;

    #[test]
    fn round_trip_and_damage() {
        let mut rng = Rng::new(6);
        for len in [0, 1, 63, 64, 65, 1000, 8192] {
            for kind in 0..6 {
                let words: Vec<u64> = (0..bits::words_for(len))
                    .map(|_| match kind {
                        0 => 0,
                        1 => !0,
                        2 => rng.next_u64(),
                        3 => (rng.below(10) == 0).into(),
                        4 => !u64::from(rng.below(10) == 0),
                        _ => 0x00FF_00FF_00FF_00FF,
                    })
                    .collect();
                let mut want = words.clone();
                bits::clear_tail(&mut want, len);
                for options in [EncodeOptions::default(), EncodeOptions::PLAIN] {
                    let mut block = vec![];
                    encode_bits(&words, len, options, &mut block).unwrap();
                    assert_eq!(decode_bits(&block, len).unwrap(), want, "{len} {kind}");
                    assert!(decode_bits(&block, len + 1).is_err());
                    crate::block::forge(&block, &mut rng, |bad| {
                        let _ = decode_bits(bad, len);
                    });
                }
            }
        }
    }
}
