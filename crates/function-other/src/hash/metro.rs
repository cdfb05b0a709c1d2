//! MetroHash64 after J. Andrew Rogers, first variant, seed 0.

const K0: u64 = 0xC83A_91E1;
const K1: u64 = 0x8648_DBDB;
const K2: u64 = 0x7BDE_C03B;
const K3: u64 = 0x2F58_70A5;

fn le(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b))
}

/// Takes a number of so many bytes off the front.
fn next(s: &mut &[u8], bytes: usize) -> u64 {
    let (head, rest) = s.split_at(bytes);
    *s = rest;
    le(head)
}

fn lanes(s: &mut &[u8], hash: u64) -> u64 {
    let [mut v0, mut v1, mut v2, mut v3] = [hash; 4];
    while s.len() >= 32 {
        v0 = v0.wrapping_add(next(s, 8).wrapping_mul(K0)).rotate_right(29).wrapping_add(v2);
        v1 = v1.wrapping_add(next(s, 8).wrapping_mul(K1)).rotate_right(29).wrapping_add(v3);
        v2 = v2.wrapping_add(next(s, 8).wrapping_mul(K2)).rotate_right(29).wrapping_add(v0);
        v3 = v3.wrapping_add(next(s, 8).wrapping_mul(K3)).rotate_right(29).wrapping_add(v1);
    }
    let turned = |a: u64, b: u64, k: u64, c: u64, by: u64| {
        a.wrapping_add(b).wrapping_mul(k).wrapping_add(c).rotate_right(33).wrapping_mul(by)
    };
    v2 ^= turned(v0, v3, K0, v1, K1);
    v3 ^= turned(v1, v2, K1, v0, K0);
    v0 ^= turned(v0, v2, K0, v3, K1);
    v1 ^= turned(v1, v3, K1, v2, K0);
    hash.wrapping_add(v0 ^ v1)
}

/// The hash of a byte string.
pub fn hash64(text: &[u8]) -> u64 {
    let mut s = text;
    let mut hash = K2.wrapping_mul(K0).wrapping_add(text.len() as u64);
    if s.len() >= 32 {
        hash = lanes(&mut s, hash);
    }
    if s.len() >= 16 {
        let mut v0 = hash.wrapping_add(next(&mut s, 8).wrapping_mul(K0));
        v0 = v0.rotate_right(33).wrapping_mul(K1);
        let mut v1 = hash.wrapping_add(next(&mut s, 8).wrapping_mul(K1));
        v1 = v1.rotate_right(33).wrapping_mul(K2);
        v0 ^= v0.wrapping_mul(K0).rotate_right(35).wrapping_add(v1);
        v1 ^= v1.wrapping_mul(K3).rotate_right(35).wrapping_add(v0);
        hash = hash.wrapping_add(v1);
    }
    for (bytes, by) in [(8, 33), (4, 15), (2, 13), (1, 25)] {
        if s.len() >= bytes {
            hash = hash.wrapping_add(next(&mut s, bytes).wrapping_mul(K3));
            hash ^= hash.rotate_right(by).wrapping_mul(K1);
        }
    }
    hash ^= hash.rotate_right(33);
    hash = hash.wrapping_mul(K0);
    hash ^ hash.rotate_right(33)
}
