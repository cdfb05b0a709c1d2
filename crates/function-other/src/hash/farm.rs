//! FarmHash64 like the reference's `farmHash64`: for up to 64 bytes and above 96 bytes after
//! `farmhashna`, between them with the variants of `farmhashxo`, and above 256 bytes with the loop
//! of `farmhashuo`. After Geoff Pike, Google 2014; constants as published. The variant with SSE 4.1
//! that the reference uses from 512 bytes on is absent, so the hashes of such strings differ.

const K0: u64 = 0xc3a5c85c97cb3127;
const K1: u64 = 0xb492b66fbe98f273;
const K2: u64 = 0x9ae16a3b2f90404f;

#[inline(always)]
fn word(s: &[u8], at: usize) -> u64 {
    s[at..].first_chunk::<8>().map_or(0, |c| u64::from_le_bytes(*c))
}

#[inline(always)]
fn half(s: &[u8], at: usize) -> u64 {
    s[at..].first_chunk::<4>().map_or(0, |c| u32::from_le_bytes(*c).into())
}

#[inline(always)]
fn mix(v: u64) -> u64 {
    v ^ (v >> 47)
}

#[inline(always)]
fn pair(u: u64, v: u64, mul: u64) -> u64 {
    let a = mix((u ^ v).wrapping_mul(mul));
    mix((v ^ a).wrapping_mul(mul)).wrapping_mul(mul)
}

fn up_to_16(s: &[u8]) -> u64 {
    let n = s.len();
    let mul = K2.wrapping_add(n as u64 * 2);
    match n {
        8.. => {
            let (a, b) = (word(s, 0).wrapping_add(K2), word(s, n - 8));
            let c = b.rotate_right(37).wrapping_mul(mul).wrapping_add(a);
            let d = a.rotate_right(25).wrapping_add(b).wrapping_mul(mul);
            pair(c, d, mul)
        }
        4.. => pair((n as u64).wrapping_add(half(s, 0) << 3), half(s, n - 4), mul),
        1.. => {
            let (a, b, c) = (u64::from(s[0]), u64::from(s[n >> 1]), u64::from(s[n - 1]));
            let (y, z) = (a + (b << 8), n as u64 + (c << 2));
            mix(y.wrapping_mul(K2) ^ z.wrapping_mul(K0)).wrapping_mul(K2)
        }
        0 => K2,
    }
}

fn up_to_32(s: &[u8]) -> u64 {
    let n = s.len();
    let mul = K2.wrapping_add(n as u64 * 2);
    let (a, b) = (word(s, 0).wrapping_mul(K1), word(s, 8));
    let (c, d) = (word(s, n - 8).wrapping_mul(mul), word(s, n - 16).wrapping_mul(K2));
    let u = a.wrapping_add(b).rotate_right(43).wrapping_add(c.rotate_right(30)).wrapping_add(d);
    let v = a.wrapping_add(b.wrapping_add(K2).rotate_right(18)).wrapping_add(c);
    pair(u, v, mul)
}

/// 32 bytes of a longer string.
fn block(s: &[u8], mul: u64, seeds: (u64, u64)) -> u64 {
    let (a, b) = (word(s, 0).wrapping_mul(K1), word(s, 8));
    let (c, d) = (word(s, 24).wrapping_mul(mul), word(s, 16).wrapping_mul(K2));
    let u = a.wrapping_add(b).rotate_right(43).wrapping_add(c.rotate_right(30)).wrapping_add(d);
    let u = u.wrapping_add(seeds.0);
    let v = a.wrapping_add(b.wrapping_add(K2).rotate_right(18)).wrapping_add(c);
    let v = v.wrapping_add(seeds.1);
    let a = mix((u ^ v).wrapping_mul(mul));
    mix((v ^ a).wrapping_mul(mul))
}

fn up_to_64(s: &[u8]) -> u64 {
    let first = K2.wrapping_sub(30);
    let second = first.wrapping_add(2 * s.len() as u64);
    let h0 = block(s, first, (0, 0));
    let h1 = block(&s[s.len() - 32..], second, (0, 0));
    h1.wrapping_mul(second).wrapping_add(h0).wrapping_mul(second)
}

fn up_to_96(s: &[u8]) -> u64 {
    let first = K2.wrapping_sub(114);
    let second = first.wrapping_add(2 * s.len() as u64);
    let h0 = block(s, first, (0, 0));
    let h1 = block(&s[32..], second, (0, 0));
    let h2 = block(&s[s.len() - 32..], second, (h0, h1));
    h2.wrapping_mul(9).wrapping_add(h0 >> 17).wrapping_add(h1 >> 21).wrapping_mul(second)
}

fn weak(s: &[u8], at: usize, a: u64, b: u64) -> (u64, u64) {
    let [w, x, y, z] = [0, 8, 16, 24].map(|k| word(s, at + k));
    let a = a.wrapping_add(w);
    let b = b.wrapping_add(a).wrapping_add(z).rotate_right(21);
    let c = a;
    let a = a.wrapping_add(x).wrapping_add(y);
    (a.wrapping_add(z), b.wrapping_add(a.rotate_right(44)).wrapping_add(c))
}

/// Start of the last 64 bytes, and of the last whole block's successor.
fn ends(n: usize) -> (usize, usize) {
    let end = (n - 1) / 64 * 64;
    (end + ((n - 1) & 63) - 63, end)
}

/// Blocks of 64 bytes: the hash of up to 256 bytes, and the fingerprint of more than 64.
fn in_blocks(s: &[u8]) -> u64 {
    let n = s.len();
    let (last, end) = ends(n);
    let mut x = 81u64;
    let mut y = 81u64.wrapping_mul(K1).wrapping_add(113);
    let mut z = mix(y.wrapping_mul(K2).wrapping_add(113)).wrapping_mul(K2);
    let (mut v, mut w) = ((0u64, 0u64), (0u64, 0u64));
    x = x.wrapping_mul(K2).wrapping_add(word(s, 0));
    for at in (0..end).step_by(64) {
        let sum = x.wrapping_add(y).wrapping_add(v.0).wrapping_add(word(s, at + 8));
        x = sum.rotate_right(37).wrapping_mul(K1);
        let sum = y.wrapping_add(v.1).wrapping_add(word(s, at + 48));
        y = sum.rotate_right(42).wrapping_mul(K1);
        x ^= w.1;
        y = y.wrapping_add(v.0).wrapping_add(word(s, at + 40));
        z = z.wrapping_add(w.0).rotate_right(33).wrapping_mul(K1);
        v = weak(s, at, v.1.wrapping_mul(K1), x.wrapping_add(w.0));
        w = weak(s, at + 32, z.wrapping_add(w.1), y.wrapping_add(word(s, at + 16)));
        std::mem::swap(&mut z, &mut x);
    }
    let mul = K1.wrapping_add((z & 0xff) << 1);
    w.0 = w.0.wrapping_add((n as u64 - 1) & 63);
    v.0 = v.0.wrapping_add(w.0);
    w.0 = w.0.wrapping_add(v.0);
    let sum = x.wrapping_add(y).wrapping_add(v.0).wrapping_add(word(s, last + 8));
    x = sum.rotate_right(37).wrapping_mul(mul);
    let sum = y.wrapping_add(v.1).wrapping_add(word(s, last + 48));
    y = sum.rotate_right(42).wrapping_mul(mul);
    x ^= w.1.wrapping_mul(9);
    y = y.wrapping_add(v.0.wrapping_mul(9)).wrapping_add(word(s, last + 40));
    z = z.wrapping_add(w.0).rotate_right(33).wrapping_mul(mul);
    v = weak(s, last, v.1.wrapping_mul(mul), x.wrapping_add(w.0));
    w = weak(s, last + 32, z.wrapping_add(w.1), y.wrapping_add(word(s, last + 16)));
    std::mem::swap(&mut z, &mut x);
    let first = pair(v.0, w.0, mul).wrapping_add(mix(y).wrapping_mul(K0)).wrapping_add(z);
    pair(first, pair(v.1, w.1, mul).wrapping_add(x), mul)
}

fn turned(x: u64, y: u64, mul: u64, by: u32) -> u64 {
    let a = mix((x ^ y).wrapping_mul(mul));
    let b = (y ^ a).wrapping_mul(mul);
    b.rotate_right(by).wrapping_mul(mul)
}

/// The state of the loop over long strings.
struct Long {
    u: u64,
    v: (u64, u64),
    w: (u64, u64),
    x: u64,
    y: u64,
    z: u64,
    mul: u64,
}

impl Long {
    fn new() -> Self {
        let y = 113u64;
        let z = mix(y.wrapping_mul(K2)).wrapping_mul(K2);
        let u = 81u64.wrapping_sub(z);
        let mul = K2.wrapping_add(u & 0x82);
        Self { u, v: (81, 0), w: (0, 0), x: 81u64.wrapping_mul(K2), y, z, mul }
    }

    fn step(&mut self, s: &[u8], at: usize) {
        let a: [u64; 8] = std::array::from_fn(|k| word(s, at + k * 8));
        let Self { u, v, w, x, y, z, mul } = self;
        let add = |to: &mut u64, by: u64| *to = to.wrapping_add(by);
        add(x, a[0].wrapping_add(a[1]));
        add(y, a[2]);
        add(z, a[3]);
        add(&mut v.0, a[4]);
        add(&mut v.1, a[5].wrapping_add(a[1]));
        add(&mut w.0, a[6]);
        add(&mut w.1, a[7]);
        *x = x.rotate_right(26).wrapping_mul(9);
        *y = y.rotate_right(29);
        *z = z.wrapping_mul(*mul);
        v.0 = v.0.rotate_right(33);
        v.1 = v.1.rotate_right(30);
        w.0 = (w.0 ^ *x).wrapping_mul(9);
        *z = z.rotate_right(32);
        add(z, w.1);
        add(&mut w.1, *z);
        *z = z.wrapping_mul(9);
        std::mem::swap(u, y);
        add(z, a[0].wrapping_add(a[6]));
        add(&mut v.0, a[2]);
        add(&mut v.1, a[3]);
        add(&mut w.0, a[4]);
        add(&mut w.1, a[5].wrapping_add(a[6]));
        add(x, a[1]);
        add(y, a[7]);
        add(y, v.0);
        add(&mut v.0, x.wrapping_sub(*y));
        add(&mut v.1, w.0);
        add(&mut w.0, v.1);
        add(&mut w.1, x.wrapping_sub(*y));
        add(x, w.1);
        w.1 = w.1.rotate_right(34);
        std::mem::swap(u, z);
    }

    fn finish(self, s: &[u8]) -> u64 {
        let Self { mut u, mut v, mut w, mut x, mut y, mut z, mul } = self;
        let (n, (last, _)) = (s.len(), ends(s.len()));
        u = u.wrapping_mul(9);
        v = (v.0.rotate_right(20), v.1.rotate_right(28));
        w.0 = w.0.wrapping_add((n as u64 - 1) & 63);
        u = u.wrapping_add(y);
        y = y.wrapping_add(u);
        let sum = y.wrapping_sub(x).wrapping_add(v.0).wrapping_add(word(s, last + 8));
        x = sum.rotate_right(37).wrapping_mul(mul);
        y = (y ^ v.1 ^ word(s, last + 48)).rotate_right(42).wrapping_mul(mul);
        x ^= w.1.wrapping_mul(9);
        y = y.wrapping_add(v.0).wrapping_add(word(s, last + 40));
        z = z.wrapping_add(w.0).rotate_right(33).wrapping_mul(mul);
        v = weak(s, last, v.1.wrapping_mul(mul), x.wrapping_add(w.0));
        w = weak(s, last + 32, z.wrapping_add(w.1), y.wrapping_add(word(s, last + 16)));
        let first = pair(v.0.wrapping_add(x), w.0 ^ y, mul).wrapping_add(z).wrapping_sub(u);
        let second = turned(v.1.wrapping_add(y), w.1.wrapping_add(z), K2, 30) ^ x;
        turned(first, second, K2, 31)
    }
}

/// The hash of a byte string.
pub fn hash64(s: &[u8]) -> u64 {
    match s.len() {
        0..=16 => up_to_16(s),
        17..=32 => up_to_32(s),
        33..=64 => up_to_64(s),
        65..=96 => up_to_96(s),
        97..=256 => in_blocks(s),
        n => {
            let mut long = Long::new();
            (0..ends(n).1).step_by(64).for_each(|at| long.step(s, at));
            long.finish(s)
        }
    }
}

/// FarmHash's fingerprint, which never changes with the platform.
pub fn fingerprint64(s: &[u8]) -> u64 {
    match s.len() {
        0..=32 => hash64(s),
        33..=64 => fingerprint_to_64(s),
        _ => in_blocks(s),
    }
}

fn fingerprint_to_64(s: &[u8]) -> u64 {
    let n = s.len();
    let mul = K2.wrapping_add(n as u64 * 2);
    let (a, b) = (word(s, 0).wrapping_mul(K2), word(s, 8));
    let (c, d) = (word(s, n - 8).wrapping_mul(mul), word(s, n - 16).wrapping_mul(K2));
    let sum = |a: u64, b: u64, c: u64, d: u64| {
        a.wrapping_add(b).rotate_right(43).wrapping_add(c.rotate_right(30)).wrapping_add(d)
    };
    let spread = |a: u64, b: u64, c: u64| a.wrapping_add(b.rotate_right(18)).wrapping_add(c);
    let y = sum(a, b, c, d);
    let z = pair(y, spread(a, b.wrapping_add(K2), c), mul);
    let (e, f) = (word(s, 16).wrapping_mul(mul), word(s, 24));
    let g = y.wrapping_add(word(s, n - 32)).wrapping_mul(mul);
    let h = z.wrapping_add(word(s, n - 24)).wrapping_mul(mul);
    pair(sum(e, f, g, h), spread(e, f.wrapping_add(a), g), mul)
}

#[cfg(test)]
mod tests {
    #[test]
    fn as_the_reference() {
        let text = b"abcdefghijklmnopqrstuvwxyz0123456789".repeat(30);
        let expected = [
            (3, 2640714258260161385),
            (7, 4341691227789030229),
            (12, 5676575430734197723),
            (20, 7349542659848948094),
            (40, 4096290097213645567),
            (64, 12992895997547229355),
            (80, 4163248888648791370),
            (96, 13451184080309083512),
            (150, 10831556458625005042),
            (300, 18253132858304895032),
        ];
        for (len, hash) in expected {
            assert_eq!(super::hash64(&text[..len]), hash, "{len}");
        }
    }
}
