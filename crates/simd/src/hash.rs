//! 64-bit hashes for hash tables, joins and partitions: two 64-bit words are multiplied to 128 bits
//! and the halves are combined (the core of wyhash, Wang Yi 2019, and its descendants).
//!
//! They are internal: values may change between versions, and are never stored or shown. SQL's hash
//! functions are elsewhere. Both high and low bits are well distributed, for partitions and slots.

const K0: u64 = 0x9E37_79B9_7F4A_7C15;
const K1: u64 = 0xD1B5_4A32_D192_ED03;
const K2: u64 = 0x8CB9_2BA7_2F3D_8DD7;
const K3: u64 = 0xAEF1_7502_1081_6A49;

/// The two halves of the 128-bit product, combined by xor.
#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product >> 64) as u64 ^ product as u64
}

/// Hash of one 64-bit key.
#[inline(always)]
pub fn hash_one_u64(key: u64, seed: u64) -> u64 {
    fold(key ^ seed ^ K0, K1)
}

/// Hash of one 128-bit key.
#[inline(always)]
pub fn hash_one_u128(key: u128, seed: u64) -> u64 {
    fold(fold(key as u64 ^ seed ^ K0, K1) ^ (key >> 64) as u64, K2)
}

/// Mixes the hash of a further column into the hash of a row. The order of columns matters.
#[inline(always)]
pub fn combine(acc: u64, hash: u64) -> u64 {
    fold(acc.rotate_left(23) ^ hash ^ K2, K3)
}

/// A key that fits in 64 bits: hashed by its zero-extended bits.
pub trait HashKey: Copy {
    /// The bits.
    fn bits(self) -> u64;
}

macro_rules! hash_key {
    ($($t:ty as $u:ty),*) => { $(impl HashKey for $t {
        #[inline(always)]
        fn bits(self) -> u64 { self as $u as u64 }
    })* };
}
hash_key!(
    u8 as u8, u16 as u16, u32 as u32, u64 as u64, i8 as u8, i16 as u16, i32 as u32, i64 as u64
);

/// Hashes each key of up to 64 bits into `out`.
pub fn hash_keys<T: HashKey>(keys: &[T], seed: u64, out: &mut [u64]) {
    assert!(keys.len() == out.len(), "hash lengths");
    for (o, &k) in out.iter_mut().zip(keys) {
        *o = hash_one_u64(k.bits(), seed);
    }
}

/// Mixes each key of up to 64 bits into the row hashes in `acc`.
pub fn combine_keys<T: HashKey>(keys: &[T], acc: &mut [u64]) {
    assert!(keys.len() == acc.len(), "hash lengths");
    for (a, &k) in acc.iter_mut().zip(keys) {
        *a = combine(*a, k.bits());
    }
}

/// Hashes each 64-bit key into `out`.
pub fn hash_u64(keys: &[u64], seed: u64, out: &mut [u64]) {
    hash_keys(keys, seed, out);
}

/// Hashes each 32-bit key into `out`; equal numbers hash as in [`hash_u64`].
pub fn hash_u32(keys: &[u32], seed: u64, out: &mut [u64]) {
    hash_keys(keys, seed, out);
}

/// Hashes each 128-bit key into `out`.
pub fn hash_u128(keys: &[u128], seed: u64, out: &mut [u64]) {
    assert!(keys.len() == out.len(), "hash lengths");
    for (o, &k) in out.iter_mut().zip(keys) {
        *o = hash_one_u128(k, seed);
    }
}

/// Mixes hashes of a further column into the row hashes in `acc`.
pub fn combine_hashes(hashes: &[u64], acc: &mut [u64]) {
    assert!(hashes.len() == acc.len(), "hash lengths");
    for (a, &h) in acc.iter_mut().zip(hashes) {
        *a = combine(*a, h);
    }
}

/// Word `at` of a fixed window. The bounds check is resolved at compile time.
#[inline(always)]
fn word<const N: usize>(window: &[u8; N], at: usize) -> u64 {
    window[at * 8..].first_chunk().map_or(0, |c| u64::from_le_bytes(*c))
}

/// Hash of a byte string.
#[inline]
pub fn hash_bytes(bytes: &[u8]) -> u64 {
    hash_bytes_seeded(bytes, 0)
}

/// Hash of a byte string with a seed.
///
/// There are few length classes, each of which reads overlapping words, because lengths of
/// neighbouring strings differ, and a mispredicted branch costs more than a multiplication.
#[inline]
pub fn hash_bytes_seeded(bytes: &[u8], seed: u64) -> u64 {
    let n = bytes.len();
    let seed = seed ^ K0;
    if let (Some(head), Some(tail)) = (bytes.first_chunk::<16>(), bytes.last_chunk::<16>()) {
        if n <= 16 {
            return finish(word(head, 0), word(head, 1), seed, n);
        }
        let mut mixed = fold(word(head, 0) ^ K2, word(head, 1) ^ seed);
        if let (Some(head), Some(end)) = (bytes.first_chunk::<32>(), bytes.last_chunk::<32>()) {
            mixed ^= fold(word(head, 2) ^ K1, word(head, 3) ^ seed).rotate_left(21);
            mixed ^= fold(word(end, 0) ^ K0, word(end, 1) ^ seed).rotate_left(42);
            if n > 64 {
                mixed ^= hash_blocks(&bytes[32..], seed);
            }
        }
        return finish(word(tail, 0), word(tail, 1), mixed, n);
    }
    let (a, b) = if let (Some(a), Some(b)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        (u64::from_le_bytes(*a), u64::from_le_bytes(*b))
    } else if let (Some(a), Some(b)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        (u64::from(u32::from_le_bytes(*a)), u64::from(u32::from_le_bytes(*b)))
    } else if n > 0 {
        (u64::from(bytes[0]) << 16 | u64::from(bytes[n / 2]) << 8 | u64::from(bytes[n - 1]), 0)
    } else {
        (0, 0)
    };
    finish(a, b, seed, n)
}

#[inline(always)]
fn finish(a: u64, b: u64, seed: u64, n: usize) -> u64 {
    let mixed = fold(a ^ K1 ^ n as u64, b ^ seed);
    // A zero factor would lose the other word. The second fold brings both back in.
    fold(mixed ^ K2, a.wrapping_add(b.rotate_left(32)) ^ K3)
}

/// Blocks of 64 bytes. The last one may lack up to 32 bytes, which the caller has read.
#[inline(never)]
fn hash_blocks(bytes: &[u8], seed: u64) -> u64 {
    let (mut s0, mut s1, mut s2, mut s3) = (seed, seed ^ K1, seed ^ K2, seed ^ K3);
    let (blocks, rest) = bytes.as_chunks::<64>();
    for block in blocks {
        s0 = fold(word(block, 0) ^ K0, word(block, 1) ^ s0);
        s1 = fold(word(block, 2) ^ K1, word(block, 3) ^ s1);
        s2 = fold(word(block, 4) ^ K2, word(block, 5) ^ s2);
        s3 = fold(word(block, 6) ^ K3, word(block, 7) ^ s3);
    }
    if let (Some(half), true) = (rest.first_chunk::<32>(), rest.len() > 32) {
        s0 = fold(word(half, 0) ^ K1, word(half, 1) ^ s0);
        s1 = fold(word(half, 2) ^ K2, word(half, 3) ^ s1);
    }
    s0 ^ s1.rotate_left(13) ^ s2.rotate_left(29) ^ s3.rotate_left(47)
}

/// Hashes each string of (`offsets` of n + 1 entries, `data`) into `out`.
pub fn hash_strings(offsets: &[u32], data: &[u8], seed: u64, out: &mut [u64]) {
    assert!(offsets.len() == out.len() + 1, "hash lengths");
    for (o, pair) in out.iter_mut().zip(offsets.windows(2)) {
        *o = hash_bytes_seeded(&data[pair[0] as usize..pair[1] as usize], seed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// The fullest bucket against the mean, for buckets by the low and by the high bits.
    fn worst_load(hashes: &[u64]) -> f64 {
        let bits = 8;
        let mut counts = [vec![0u32; 1 << bits], vec![0; 1 << bits]];
        for h in hashes {
            counts[0][(h & 0xFF) as usize] += 1;
            counts[1][(h >> 56) as usize] += 1;
        }
        let mean = hashes.len() as f64 / 256.0;
        counts.iter().flatten().map(|&c| f64::from(c) / mean).fold(0.0, f64::max)
    }

    #[test]
    fn patterned_numbers_spread() {
        let n = 1u64 << 16;
        let patterns: [fn(u64) -> u64; 8] = [
            |i| i,
            |i| i << 8,
            |i| i << 20,
            |i| i << 32,
            |i| i << 48,
            |i| i * 3600,
            |i| i * 1_000_000_007,
            |i| (i as f64).to_bits(),
        ];
        for (p, make) in patterns.iter().enumerate() {
            let keys: Vec<u64> = (0..n).map(make).collect();
            let mut out = vec![0; keys.len()];
            hash_u64(&keys, 0, &mut out);
            assert_eq!(out.iter().collect::<HashSet<_>>().len(), keys.len(), "pattern {p}");
            assert!(worst_load(&out) < 1.4, "pattern {p}: {}", worst_load(&out));
            let mut acc = out.clone();
            combine_keys(&keys, &mut acc);
            assert!(worst_load(&acc) < 1.4, "combined {p}: {}", worst_load(&acc));
            let wide: Vec<u128> = keys.iter().map(|&k| u128::from(k) << 40).collect();
            hash_u128(&wide, 1, &mut out);
            assert!(worst_load(&out) < 1.4, "wide {p}: {}", worst_load(&out));
        }
    }

    #[test]
    fn strings_spread_and_every_byte_counts() {
        let mut seen = HashSet::new();
        for len in 0..200usize {
            let base: Vec<u8> = (0..len).map(|i| i as u8).collect();
            assert!(seen.insert(hash_bytes(&base)), "length {len}");
            for at in 0..len {
                let mut changed = base.clone();
                changed[at] ^= 1;
                assert!(seen.insert(hash_bytes(&changed)), "length {len}, byte {at}");
            }
        }
        let zeros = vec![0; 300];
        let lengths: HashSet<u64> = (0..300).map(|n| hash_bytes(&zeros[..n])).collect();
        assert_eq!(lengths.len(), 300);
        let mut data = vec![];
        let mut offsets = vec![0u32];
        for i in 0..50_000 {
            data.extend_from_slice(format!("user-{i}").as_bytes());
            offsets.push(data.len() as u32);
        }
        let mut out = vec![0; 50_000];
        hash_strings(&offsets, &data, 0, &mut out);
        assert_eq!(out.iter().collect::<HashSet<_>>().len(), out.len());
        assert!(worst_load(&out) < 1.4, "{}", worst_load(&out));
        assert_eq!(out[7], hash_bytes(b"user-7"));
    }

    #[test]
    fn combine_depends_on_order() {
        assert_ne!(combine(1, 2), combine(2, 1));
        assert_ne!(combine(combine(0, 1), 2), combine(combine(0, 2), 1));
    }
}
