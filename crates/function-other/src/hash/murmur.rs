//! MurmurHash 2 and 3 after Austin Appleby; constants as published.

fn le(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b))
}

/// MurmurHash2, 32 bits.
pub fn hash2_32(s: &[u8], seed: u32) -> u32 {
    const M: u32 = 0x5bd1e995;
    let mut h = seed ^ s.len() as u32;
    let chunks = s.chunks_exact(4);
    let tail = chunks.remainder();
    for chunk in chunks {
        let mut k = (le(chunk) as u32).wrapping_mul(M);
        k = (k ^ (k >> 24)).wrapping_mul(M);
        h = h.wrapping_mul(M) ^ k;
    }
    if !tail.is_empty() {
        h = (h ^ le(tail) as u32).wrapping_mul(M);
    }
    h = (h ^ (h >> 13)).wrapping_mul(M);
    h ^ (h >> 15)
}

/// MurmurHash64A.
pub fn hash2_64(s: &[u8], seed: u64) -> u64 {
    const M: u64 = 0xc6a4a7935bd1e995;
    let mut h = seed ^ (s.len() as u64).wrapping_mul(M);
    let chunks = s.chunks_exact(8);
    let tail = chunks.remainder();
    for chunk in chunks {
        let mut k = le(chunk).wrapping_mul(M);
        k = (k ^ (k >> 47)).wrapping_mul(M);
        h = (h ^ k).wrapping_mul(M);
    }
    if !tail.is_empty() {
        h = (h ^ le(tail)).wrapping_mul(M);
    }
    h = (h ^ (h >> 47)).wrapping_mul(M);
    h ^ (h >> 47)
}

/// MurmurHash3 for x86, 32 bits, seed 0.
pub fn hash3_32(s: &[u8]) -> u32 {
    let scramble = |k: u32| k.wrapping_mul(0xcc9e2d51).rotate_left(15).wrapping_mul(0x1b873593);
    let mut h = 0u32;
    let chunks = s.chunks_exact(4);
    let tail = chunks.remainder();
    for chunk in chunks {
        h ^= scramble(le(chunk) as u32);
        h = h.rotate_left(13).wrapping_mul(5).wrapping_add(0xe6546b64);
    }
    if !tail.is_empty() {
        h ^= scramble(le(tail) as u32);
    }
    h ^= s.len() as u32;
    h = (h ^ (h >> 16)).wrapping_mul(0x85ebca6b);
    h = (h ^ (h >> 13)).wrapping_mul(0xc2b2ae35);
    h ^ (h >> 16)
}

fn finish(mut k: u64) -> u64 {
    k = (k ^ (k >> 33)).wrapping_mul(0xff51afd7ed558ccd);
    k = (k ^ (k >> 33)).wrapping_mul(0xc4ceb9fe1a85ec53);
    k ^ (k >> 33)
}

/// MurmurHash3 for x64, 128 bits, seed 0: the low and the high half.
pub fn hash3_128(s: &[u8]) -> (u64, u64) {
    const C1: u64 = 0x87c37b91114253d5;
    const C2: u64 = 0x4cf5ad432745937f;
    let first = |k: u64| k.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2);
    let second = |k: u64| k.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1);
    let (mut h1, mut h2) = (0u64, 0u64);
    let chunks = s.chunks_exact(16);
    let tail = chunks.remainder();
    for chunk in chunks {
        h1 ^= first(le(&chunk[..8]));
        h1 = h1.rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52dce729);
        h2 ^= second(le(&chunk[8..]));
        h2 = h2.rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x38495ab5);
    }
    if tail.len() > 8 {
        h2 ^= second(le(&tail[8..]));
    }
    h1 ^= first(le(&tail[..tail.len().min(8)]));
    h1 ^= s.len() as u64;
    h2 ^= s.len() as u64;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    (h1, h2) = (finish(h1), finish(h2));
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    (h1, h2)
}
