use super::*;
use crate::block::forge;
use crate::options::Compression;
use entasis_base::clock::Rng;

fn flat(rows: &[Vec<u8>], first: usize) -> (Vec<u32>, Vec<u8>) {
    let mut data = vec![b'#'; first];
    let mut offsets = vec![first as u32];
    for row in rows {
        data.extend(row);
        offsets.push(data.len() as u32);
    }
    data.extend(b"tail");
    (offsets, data)
}

fn columns() -> Vec<Vec<Vec<u8>>> {
    let mut rng = Rng::new(11);
    let mut all = vec![vec![], vec![vec![]], vec![b"x".to_vec()], vec![b"same".to_vec(); 500]];
    all.push(vec![vec![]; 100]);
    for n in [2, 100, 5000] {
        let mut text = |kind: u64| match kind {
            0 => (0..rng.below(30)).map(|_| rng.next_u64() as u8).collect(),
            1 => format!("https://example.com/page/{}", rng.next_u64()).into_bytes(),
            2 => format!("a rather long category name, number {}", rng.below(7)).into_bytes(),
            _ if rng.below(10) == 0 => format!("rare {}", rng.below(100)).into_bytes(),
            _ => vec![],
        };
        for kind in 0..4 {
            all.push((0..n).map(|_| text(kind)).collect());
        }
    }
    all
}

#[test]
fn round_trip_and_damage() {
    let mut rng = Rng::new(12);
    for rows in columns() {
        let (offsets, data) = flat(&rows, 3);
        for compression in
            [Compression::Auto, Compression::None, Compression::Lz4, Compression::Zstd(1)]
        {
            for light in [Light::Auto, Light::None] {
                let mut block = vec![];
                let options = EncodeOptions { compression, light, ..EncodeOptions::default() };
                encode_strings(&offsets, &data, options, &mut block).unwrap();
                let (mut o, mut d) = (vec![], b"ab".to_vec());
                decode_strings(&block, rows.len(), &mut o, &mut d).unwrap();
                assert_eq!((o.len(), o[0]), (rows.len() + 1, 2));
                assert!((0..rows.len()).all(|i| row(&o, &d, i) == rows[i]), "{options:?}");
                if let Some(dict) = decode_strings_dict(&block, rows.len()).unwrap() {
                    for (want, &code) in rows.iter().zip(&dict.codes) {
                        assert_eq!(row(&dict.offsets, &dict.data, code as usize), want);
                    }
                }
                assert!(decode_strings(&block, rows.len() + 1, &mut o, &mut d).is_err());
                forge(&block, &mut rng, |bad| {
                    let (mut o, mut d) = (vec![], vec![]);
                    if decode_strings(bad, rows.len(), &mut o, &mut d).is_ok() {
                        assert_eq!(o.len(), rows.len() + 1);
                        assert_eq!(*o.last().unwrap() as usize, d.len());
                    } else {
                        assert!(o.is_empty() && d.is_empty());
                    }
                    let _ = decode_strings_dict(bad, rows.len());
                });
            }
        }
    }
}

#[test]
fn few_distinct_strings_become_a_dictionary() {
    let rows: Vec<Vec<u8>> =
        (0..8192).map(|i| format!("category number {}", i * 7 % 100).into_bytes()).collect();
    let (offsets, data) = flat(&rows, 0);
    let mut block = vec![];
    encode_strings(&offsets, &data, EncodeOptions::default(), &mut block).unwrap();
    assert_eq!(Header::read(&block).unwrap().encoding_name(), "dictionary");
    assert!(block.len() < 8192 * 7 / 8 + 2000, "{}", block.len());
    assert_eq!(decode_strings_dict(&block, 8192).unwrap().unwrap().offsets.len(), 101);
}
