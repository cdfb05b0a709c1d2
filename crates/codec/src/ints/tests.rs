use super::*;
use entasis_base::clock::Rng;

/// Slices that stress one encoding each, and the edges.
fn samples<T: Int>() -> Vec<Vec<T>> {
    let mut rng = Rng::new(3);
    let bits = T::from_bits;
    let (low, high) = (T::LOWEST, T::HIGHEST);
    let mut all = vec![
        vec![],
        vec![high],
        vec![low, high],
        vec![high, low, high],
        vec![bits(7); 1000],
        [low, high].repeat(300),
        (0..1000).map(|i| bits(i * 3)).collect(),
        (0..1000).map(|i| bits(i * i)).collect(),
        (0..3000).map(|i| bits(i / 100)).collect(),
        (0..3000).map(|i| if i % 97 == 0 { bits(i) } else { bits(5) }).collect(),
        (0..8192).map(|i| bits(i % 13 * 0x0101_0101_0101_0101)).collect(),
    ];
    for n in [1, 2, 3, 255, 256, 257, 5000] {
        all.push((0..n).map(|_| bits(rng.next_u64())).collect());
        all.push((0..n).map(|_| bits(1000 + rng.below(60))).collect());
        all.push((0..n).map(|_| bits(rng.below(3) * 0x1234_5678_9ABC)).collect());
    }
    all
}

fn round_trip<T: Int>() {
    for values in samples::<T>() {
        for wanted in Encoding::ALL.into_iter().chain([choose(&values)]) {
            let mut bytes = vec![];
            let used = encode(&values, wanted, &mut bytes);
            let mut out = vec![T::default(); values.len()];
            decode_into(used, &bytes, &mut out).unwrap();
            assert_eq!(out, values, "{wanted:?}");
            let mut appended = vec![T::HIGHEST];
            decode_append(used, &bytes, values.len(), &mut appended).unwrap();
            assert_eq!(appended[1..], values, "{wanted:?}");
        }
    }
}

#[test]
fn every_encoding_of_every_type() {
    round_trip::<u8>();
    round_trip::<u16>();
    round_trip::<u32>();
    round_trip::<u64>();
    round_trip::<i8>();
    round_trip::<i16>();
    round_trip::<i32>();
    round_trip::<i64>();
}

#[test]
fn the_choice_fits_the_data() {
    let mut rng = Rng::new(4);
    let n = 8192u64;
    let pick = |f: &mut dyn FnMut(u64) -> u64| choose(&(0..n).map(f).collect::<Vec<u64>>());
    assert_eq!(pick(&mut |_| 9), Encoding::Constant);
    assert_eq!(pick(&mut |_| rng.next_u64()), Encoding::Plain);
    assert_eq!(pick(&mut |_| 1 << 40 | rng.below(1000)), Encoding::FrameOfReference);
    let mut t = 1_700_000_000_000;
    assert_eq!(
        pick(&mut |_| {
            t += rng.below(20);
            t
        }),
        Encoding::Delta
    );
    assert_eq!(pick(&mut |i| (i / 500).wrapping_mul(0x9E37_79B9_7F4A_7C15)), Encoding::RunLength);
    assert_eq!(pick(&mut |i| if i % 50 == 3 { rng.next_u64() } else { 0 }), Encoding::Sparse);
    let words: Vec<u64> = (0..50).map(|_| rng.next_u64()).collect();
    assert_eq!(pick(&mut |_| words[rng.below(50) as usize]), Encoding::Dictionary);
}

#[test]
fn chosen_is_never_much_larger_than_plain() {
    for values in samples::<u32>() {
        let mut bytes = vec![];
        encode(&values, choose(&values), &mut bytes);
        assert!(bytes.len() <= values.len() * 4 + 16, "{} of {}", bytes.len(), values.len());
    }
}

#[test]
fn damage_never_panics() {
    let mut rng = Rng::new(5);
    for values in samples::<i32>().into_iter().chain([vec![3; 300]]) {
        for wanted in Encoding::ALL {
            let mut bytes = vec![];
            let used = encode(&values, wanted, &mut bytes);
            for round in 0..60 {
                let mut bad = bytes.clone();
                for _ in 0..=rng.below(3) {
                    if !bad.is_empty() {
                        // Mostly the first bytes: that is where the lengths are.
                        let span = if round % 2 == 0 { bad.len().min(16) } else { bad.len() };
                        let at = rng.below(span as u64) as usize;
                        bad[at] = rng.next_u64() as u8;
                    }
                }
                if round % 3 == 0 {
                    bad.truncate(rng.below(bad.len() as u64 + 1) as usize);
                }
                let mut out = vec![0i32; values.len()];
                let _ = decode_into(used, &bad, &mut out);
                let other = Encoding::ALL[rng.below(8) as usize];
                let _ = decode_into(other, &bad, &mut out);
                let n = rng.below(600) as usize;
                let _ = decode_append(other, &bad, n, &mut out);
            }
            if !bytes.is_empty() {
                let mut out = vec![0i32; values.len()];
                assert!(decode_into(used, &bytes[..bytes.len() - 1], &mut out).is_err());
                bytes.push(0);
                assert!(decode_into(used, &bytes, &mut out).is_err());
            }
        }
    }
}

/// Slowly changing floats become small; noise stays as it is.
#[test]
fn changed_bits_of_floats() {
    let floats: Vec<f64> = (0..8192).map(|i| f64::from(i / 7) / 4.0).collect();
    let bits: Vec<u64> = floats.iter().map(|f| f.to_bits()).collect();
    let mut bytes = vec![];
    assert_eq!(encode(&bits, Encoding::Xor, &mut bytes), Encoding::Xor);
    assert!(bytes.len() < bits.len() * 8 / 8, "{}", bytes.len());
    let mut rng = Rng::new(5);
    let noise: Vec<u64> = (0..100).map(|_| rng.next_u64()).collect();
    assert_eq!(encode(&noise, Encoding::Xor, &mut vec![]), Encoding::Plain);
    // Damaged streams are errors or other values, never more.
    let (mut out, short) = (vec![0u64; 8192], &bytes[..bytes.len() - 1]);
    assert!(decode_into(Encoding::Xor, short, &mut out).is_err());
    for at in 0..200 {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0xFF;
        let _ = decode_into(Encoding::Xor, &damaged, &mut out);
    }
}
