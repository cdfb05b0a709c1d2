use super::*;
use entasis_base::clock::Rng;

const ALL: [Compression; 5] = [
    Compression::Auto,
    Compression::None,
    Compression::Lz4,
    Compression::Zstd(1),
    Compression::Zstd(12),
];
const LIGHT: [Light; 6] =
    [Light::Auto, Light::None, Light::Delta, Light::DoubleDelta, Light::BitPacked, Light::Xor];

fn columns() -> Vec<Vec<u64>> {
    let mut rng = Rng::new(8);
    let mut all = vec![vec![], vec![u64::MAX], vec![5; 4000], vec![0, u64::MAX, 1 << 63]];
    for n in [1, 300, 8192] {
        all.push((0..n).map(|_| rng.next_u64()).collect());
        all.push((0..n).map(|i| i * 1000 + rng.below(50)).collect());
        all.push((0..n).map(|i| if i % 40 == 0 { rng.next_u64() } else { 0 }).collect());
        all.push((0..n).map(|i| (i % 64).pow(9)).collect());
    }
    all
}

#[test]
fn ints_and_floats_round_trip() {
    for column in columns() {
        let small: Vec<i16> = column.iter().map(|&v| v as i16).collect();
        let floats: Vec<f64> = column.iter().map(|&v| f64::from_bits(v)).collect();
        let singles: Vec<f32> = column.iter().map(|&v| v as f32 / 7.0).collect();
        for compression in ALL {
            for light in LIGHT {
                let options = EncodeOptions { compression, light, ..EncodeOptions::default() };
                let (mut block, mut back) = (vec![], vec![7]);
                encode_ints(&column, options, &mut block).unwrap();
                decode_ints(&block, column.len(), &mut back).unwrap();
                assert_eq!(back[1..], column, "{options:?}");
                assert!(decode_ints::<u64>(&block, column.len() + 1, &mut vec![]).is_err());
                assert!(decode_ints::<i32>(&block, column.len(), &mut vec![]).is_err());
                // Two blocks in a row, cut apart by their headers.
                let first = block.len();
                encode_ints(&small, options, &mut block).unwrap();
                let (a, b) = split(&block).unwrap();
                assert_eq!((a.len(), split(b).unwrap().1.len()), (first, 0));
                let mut back = vec![];
                decode_ints::<i16>(b, small.len(), &mut back).unwrap();
                assert_eq!(back, small, "{options:?}");
                let (mut block, mut back) = (vec![], vec![]);
                encode_floats(&floats, options, &mut block).unwrap();
                decode_floats::<f64>(&block, floats.len(), &mut back).unwrap();
                assert_eq!(cast::f64_bits(&back), column, "{options:?}");
                let (mut block, mut back) = (vec![], vec![]);
                encode_floats(&singles, options, &mut block).unwrap();
                decode_floats::<f32>(&block, floats.len(), &mut back).unwrap();
                assert_eq!(cast::f32_bits(&back), cast::f32_bits(&singles));
            }
        }
    }
}

#[test]
fn bytes_round_trip_under_a_limit() {
    for raw in [vec![], vec![1; 5], b"to be or not to be ".repeat(50)] {
        for compression in ALL {
            let (mut block, mut back) = (vec![], vec![]);
            encode_bytes(&raw, compression, &mut block).unwrap();
            decode_bytes(&block, raw.len(), &mut back).unwrap();
            assert_eq!(back, raw);
            if !raw.is_empty() {
                assert!(decode_bytes(&block, raw.len() - 1, &mut back).is_err());
            }
        }
    }
}

#[test]
fn every_flipped_bit_and_every_cut_is_noticed() {
    let values: Vec<u32> = (0..500).map(|i| i * i % 77).collect();
    let mut block = vec![];
    encode_ints(&values, EncodeOptions::default(), &mut block).unwrap();
    let mut out = vec![];
    for bit in 0..block.len() * 8 {
        let mut bad = block.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        assert!(decode_ints::<u32>(&bad, 500, &mut out).is_err(), "bit {bit}");
    }
    for len in 0..block.len() {
        assert!(decode_ints::<u32>(&block[..len], 500, &mut out).is_err(), "cut at {len}");
    }
    let mut bad = block.clone();
    bad[HEADER_LEN + 9] ^= 4;
    let e = decode_ints::<u32>(&bad, 500, &mut out).unwrap_err();
    assert_eq!(e.code(), codes::CHECKSUM_DOESNT_MATCH);
    assert!(out.is_empty());
}

#[test]
fn damage_behind_a_right_checksum_never_panics() {
    let mut rng = Rng::new(9);
    for column in columns() {
        for compression in [Compression::Auto, Compression::Zstd(1)] {
            for light in LIGHT {
                let mut block = vec![];
                encode_ints(
                    &column,
                    EncodeOptions { compression, light, ..EncodeOptions::default() },
                    &mut block,
                )
                .unwrap();
                forge(&block, &mut rng, |bad| {
                    let mut out = vec![0u64; column.len()];
                    let _ = decode_ints_into(bad, &mut out);
                    let _ = decode_bytes(bad, 1 << 16, &mut vec![]);
                });
            }
        }
    }
}

#[test]
fn auto_compresses_only_where_it_pays() {
    let mut rng = Rng::new(10);
    let random: Vec<u64> = (0..8192).map(|_| rng.next_u64()).collect();
    let mut block = vec![];
    encode_ints(&random, EncodeOptions::default(), &mut block).unwrap();
    let header = Header::read(&block).unwrap();
    assert_eq!((header.method, header.encoding_name()), (Method::None, "plain"));
    // A repeated wide pattern: LZ4 over the plain values beats every light encoding.
    let pattern: Vec<u64> = (0..8192).map(|i| random[i % 2000]).collect();
    let mut block = vec![];
    encode_ints(&pattern, EncodeOptions::default(), &mut block).unwrap();
    let header = Header::read(&block).unwrap();
    assert_eq!(header.method, Method::Lz4);
    assert!(block.len() < 20_000, "{}", block.len());
}
