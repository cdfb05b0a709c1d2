//! CityHash64 version 1.0.2, which is the dialect's `cityHash64` (later versions differ). After
//! Geoff Pike and Jyrki Alakuijala, Google 2011; constants as published.

const K0: u64 = 0xc3a5c85c97cb3127;
const K1: u64 = 0xb492b66fbe98f273;
const K2: u64 = 0x9ae16a3b2f90404f;
const K3: u64 = 0xc949d7c7509e6557;
const MUL: u64 = 0x9ddfea08eb382d69;

#[inline(always)]
fn word(s: &[u8], at: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&s[at..at + 8]);
    u64::from_le_bytes(bytes)
}

#[inline(always)]
fn half(s: &[u8], at: usize) -> u64 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&s[at..at + 4]);
    u32::from_le_bytes(bytes).into()
}

#[inline(always)]
fn mix(v: u64) -> u64 {
    v ^ (v >> 47)
}

/// The hash of two hashes.
#[inline(always)]
pub fn combine(low: u64, high: u64) -> u64 {
    let a = mix((low ^ high).wrapping_mul(MUL));
    mix((high ^ a).wrapping_mul(MUL)).wrapping_mul(MUL)
}

fn up_to_16(s: &[u8]) -> u64 {
    let n = s.len();
    match n {
        9.. => {
            let (a, b) = (word(s, 0), word(s, n - 8));
            combine(a, b.wrapping_add(n as u64).rotate_right(n as u32)) ^ b
        }
        4.. => combine((n as u64).wrapping_add(half(s, 0) << 3), half(s, n - 4)),
        1.. => {
            let (a, b, c) = (u32::from(s[0]), u32::from(s[n / 2]), u32::from(s[n - 1]));
            let (y, z) = (a + (b << 8), n as u32 + (c << 2));
            mix(u64::from(y).wrapping_mul(K2) ^ u64::from(z).wrapping_mul(K3)).wrapping_mul(K2)
        }
        0 => K2,
    }
}

fn up_to_32(s: &[u8]) -> u64 {
    let n = s.len();
    let a = word(s, 0).wrapping_mul(K1);
    let b = word(s, 8);
    let c = word(s, n - 8).wrapping_mul(K2);
    let d = word(s, n - 16).wrapping_mul(K0);
    combine(
        a.wrapping_sub(b).rotate_right(43).wrapping_add(c.rotate_right(30)).wrapping_add(d),
        a.wrapping_add((b ^ K3).rotate_right(20)).wrapping_sub(c).wrapping_add(n as u64),
    )
}

fn up_to_64(s: &[u8]) -> u64 {
    let n = s.len();
    let half_of = |start: u64, z: u64, second: u64, third: u64| {
        let mut a = start;
        let b = a.wrapping_add(z).rotate_right(52);
        let mut c = a.rotate_right(37);
        a = a.wrapping_add(second);
        c = c.wrapping_add(a.rotate_right(7));
        a = a.wrapping_add(third);
        (a.wrapping_add(z), b.wrapping_add(a.rotate_right(31)).wrapping_add(c))
    };
    let start = word(s, 0).wrapping_add((n as u64).wrapping_add(word(s, n - 16)).wrapping_mul(K0));
    let (vf, vs) = half_of(start, word(s, 24), word(s, 8), word(s, 16));
    let start = word(s, 16).wrapping_add(word(s, n - 32));
    let (wf, ws) = half_of(start, word(s, n - 8), word(s, n - 24), word(s, n - 16));
    let r = mix(vf
        .wrapping_add(ws)
        .wrapping_mul(K2)
        .wrapping_add(wf.wrapping_add(vs).wrapping_mul(K0)));
    mix(r.wrapping_mul(K0).wrapping_add(vs)).wrapping_mul(K2)
}

fn weak(s: &[u8], mut a: u64, mut b: u64) -> (u64, u64) {
    let (w, x, y, z) = (word(s, 0), word(s, 8), word(s, 16), word(s, 24));
    a = a.wrapping_add(w);
    b = b.wrapping_add(a).wrapping_add(z).rotate_right(21);
    let c = a;
    a = a.wrapping_add(x).wrapping_add(y);
    b = b.wrapping_add(a.rotate_right(44));
    (a.wrapping_add(z), b.wrapping_add(c))
}

/// CityHash64 1.0.2 of the bytes.
pub fn hash64(s: &[u8]) -> u64 {
    let n = s.len();
    match n {
        0..=16 => return up_to_16(s),
        17..=32 => return up_to_32(s),
        33..=64 => return up_to_64(s),
        _ => {}
    }
    let mut x = word(s, 0);
    let mut y = word(s, n - 16) ^ K1;
    let mut z = word(s, n - 56) ^ K0;
    let mut v = weak(&s[n - 64..], n as u64, y);
    let mut w = weak(&s[n - 32..], (n as u64).wrapping_mul(K1), K0);
    z = z.wrapping_add(mix(v.1).wrapping_mul(K1));
    x = z.wrapping_add(x).rotate_right(39).wrapping_mul(K1);
    y = y.rotate_right(33).wrapping_mul(K1);
    for block in s[..(n - 1) & !63].chunks_exact(64) {
        x = x.wrapping_add(y).wrapping_add(v.0).wrapping_add(word(block, 16));
        x = x.rotate_right(37).wrapping_mul(K1);
        y = y.wrapping_add(v.1).wrapping_add(word(block, 48)).rotate_right(42).wrapping_mul(K1);
        x ^= w.1;
        y ^= v.0;
        z = (z ^ w.0).rotate_right(33);
        v = weak(block, v.1.wrapping_mul(K1), x.wrapping_add(w.0));
        w = weak(&block[32..], z.wrapping_add(w.1), y);
        std::mem::swap(&mut z, &mut x);
    }
    combine(
        combine(v.0, w.0).wrapping_add(mix(y).wrapping_mul(K1)).wrapping_add(z),
        combine(v.1, w.1).wrapping_add(x),
    )
}
