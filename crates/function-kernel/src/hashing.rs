//! Hash functions whose values are part of results and states, as the reference uses them:
//! CityHash64 1.0.2 (Geoff Pike, Jyrki Alakuijala 2011), SipHash-2-4 with 128 bits (Aumasson,
//! Bernstein 2012), the finaliser of MurmurHash3 (Austin Appleby 2011) and CRC-32C (Castagnoli
//! 1993).

use entasis_column::Column;
use entasis_column::match_native;

use entasis_function::aggregate::args::Bytes;

/// The finaliser of MurmurHash3: `intHash64`.
#[inline(always)]
pub fn int_hash64(mut x: u64) -> u64 {
    x ^= x >> 33;
    x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
    x ^= x >> 33;
    x = x.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ x >> 33
}

pub use entasis_simd::crc::crc32c;

const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K2: u64 = 0x9ae1_6a3b_2f90_404f;
const K3: u64 = 0xc949_d7c7_509e_6557;

/// After Thomas Wang, "64 bit to 32 bit Hash Functions".
#[inline]
pub fn fold_64_to_32(mut x: u64) -> u32 {
    x = (!x).wrapping_add(x << 18);
    x ^= x.rotate_right(31);
    x = x.wrapping_mul(21);
    x ^= x.rotate_right(11);
    x = x.wrapping_add(x << 6);
    x ^= x.rotate_right(22);
    x as u32
}

#[inline(always)]
fn fetch64(s: &[u8], at: usize) -> u64 {
    s[at..].first_chunk::<8>().map_or(0, |c| u64::from_le_bytes(*c))
}

#[inline(always)]
fn fetch32(s: &[u8], at: usize) -> u64 {
    s[at..].first_chunk::<4>().map_or(0, |c| u64::from(u32::from_le_bytes(*c)))
}

#[inline(always)]
fn shift_mix(v: u64) -> u64 {
    v ^ v >> 47
}

/// Mixes two 64-bit words into one.
#[inline(always)]
pub fn hash_128_to_64(low: u64, high: u64) -> u64 {
    const MUL: u64 = 0x9ddf_ea08_eb38_2d69;
    let a = shift_mix((low ^ high).wrapping_mul(MUL));
    let b = shift_mix((high ^ a).wrapping_mul(MUL));
    b.wrapping_mul(MUL)
}

fn city_to_16(s: &[u8]) -> u64 {
    let n = s.len();
    if n > 8 {
        let (a, b) = (fetch64(s, 0), fetch64(s, n - 8));
        let rotated = b.wrapping_add(n as u64).rotate_right(n as u32);
        return hash_128_to_64(a, rotated) ^ b;
    }
    if n >= 4 {
        return hash_128_to_64((n as u64).wrapping_add(fetch32(s, 0) << 3), fetch32(s, n - 4));
    }
    if n > 0 {
        let y = u64::from(s[0]) + (u64::from(s[n >> 1]) << 8);
        let z = n as u64 + (u64::from(s[n - 1]) << 2);
        return shift_mix(y.wrapping_mul(K2) ^ z.wrapping_mul(K3)).wrapping_mul(K2);
    }
    K2
}

fn city_to_32(s: &[u8]) -> u64 {
    let n = s.len();
    let a = fetch64(s, 0).wrapping_mul(K1);
    let b = fetch64(s, 8);
    let c = fetch64(s, n - 8).wrapping_mul(K2);
    let d = fetch64(s, n - 16).wrapping_mul(K0);
    hash_128_to_64(
        a.wrapping_sub(b).rotate_right(43).wrapping_add(c.rotate_right(30)).wrapping_add(d),
        a.wrapping_add((b ^ K3).rotate_right(20)).wrapping_sub(c).wrapping_add(n as u64),
    )
}

fn city_to_64(s: &[u8]) -> u64 {
    let n = s.len();
    let half = |mut a: u64, z: u64, next: u64, last: u64| {
        let b = a.wrapping_add(z).rotate_right(52);
        let mut c = a.rotate_right(37);
        a = a.wrapping_add(next);
        c = c.wrapping_add(a.rotate_right(7));
        a = a.wrapping_add(last);
        (a.wrapping_add(z), b.wrapping_add(a.rotate_right(31)).wrapping_add(c))
    };
    let first = (n as u64).wrapping_add(fetch64(s, n - 16)).wrapping_mul(K0);
    let a = fetch64(s, 0).wrapping_add(first);
    let (vf, vs) = half(a, fetch64(s, 24), fetch64(s, 8), fetch64(s, 16));
    let a = fetch64(s, 16).wrapping_add(fetch64(s, n - 32));
    let (wf, ws) = half(a, fetch64(s, n - 8), fetch64(s, n - 24), fetch64(s, n - 16));
    let r = vf.wrapping_add(ws).wrapping_mul(K2).wrapping_add(wf.wrapping_add(vs).wrapping_mul(K0));
    shift_mix(shift_mix(r).wrapping_mul(K0).wrapping_add(vs)).wrapping_mul(K2)
}

#[inline(always)]
fn weak(s: &[u8], at: usize, a: u64, b: u64) -> (u64, u64) {
    let (w, x, y, z) =
        (fetch64(s, at), fetch64(s, at + 8), fetch64(s, at + 16), fetch64(s, at + 24));
    let a = a.wrapping_add(w);
    let b = b.wrapping_add(a).wrapping_add(z).rotate_right(21);
    let c = a;
    let a = a.wrapping_add(x).wrapping_add(y);
    (a.wrapping_add(z), b.wrapping_add(a.rotate_right(44)).wrapping_add(c))
}

/// CityHash64 1.0.2 of a byte string.
#[inline]
pub fn city_hash64(s: &[u8]) -> u64 {
    let n = s.len();
    match n {
        0..=16 => return city_to_16(s),
        17..=32 => return city_to_32(s),
        33..=64 => return city_to_64(s),
        _ => {}
    }
    let mut x = fetch64(s, 0);
    let mut y = fetch64(s, n - 16) ^ K1;
    let mut z = fetch64(s, n - 56) ^ K0;
    let mut v = weak(s, n - 64, n as u64, y);
    let mut w = weak(s, n - 32, (n as u64).wrapping_mul(K1), K0);
    z = z.wrapping_add(shift_mix(v.1).wrapping_mul(K1));
    x = z.wrapping_add(x).rotate_right(39).wrapping_mul(K1);
    y = y.rotate_right(33).wrapping_mul(K1);
    let mut at = 0;
    let mut left = (n - 1) & !63;
    while left != 0 {
        x = x.wrapping_add(y).wrapping_add(v.0).wrapping_add(fetch64(s, at + 16));
        x = x.rotate_right(37).wrapping_mul(K1);
        y = y.wrapping_add(v.1).wrapping_add(fetch64(s, at + 48));
        y = y.rotate_right(42).wrapping_mul(K1);
        x ^= w.1;
        y ^= v.0;
        z = (z ^ w.0).rotate_right(33);
        v = weak(s, at, v.1.wrapping_mul(K1), x.wrapping_add(w.0));
        w = weak(s, at + 32, z.wrapping_add(w.1), y);
        std::mem::swap(&mut z, &mut x);
        at += 64;
        left -= 64;
    }
    let mixed = shift_mix(y).wrapping_mul(K1).wrapping_add(z);
    hash_128_to_64(
        hash_128_to_64(v.0, w.0).wrapping_add(mixed),
        hash_128_to_64(v.1, w.1).wrapping_add(x),
    )
}

/// SipHash-2-4 over pieces, with key 0.
#[derive(Clone, Debug)]
pub struct Sip128 {
    v: [u64; 4],
    tail: [u8; 8],
    len: u64,
}

impl Default for Sip128 {
    #[inline]
    fn default() -> Self {
        Self {
            v: [
                0x736f_6d65_7073_6575,
                0x646f_7261_6e64_6f6d,
                0x6c79_6765_6e65_7261,
                0x7465_6462_7974_6573,
            ],
            tail: [0; 8],
            len: 0,
        }
    }
}

impl Sip128 {
    #[inline(always)]
    fn round(&mut self) {
        let [v0, v1, v2, v3] = &mut self.v;
        *v0 = v0.wrapping_add(*v1);
        *v1 = v1.rotate_left(13) ^ *v0;
        *v0 = v0.rotate_left(32);
        *v2 = v2.wrapping_add(*v3);
        *v3 = v3.rotate_left(16) ^ *v2;
        *v0 = v0.wrapping_add(*v3);
        *v3 = v3.rotate_left(21) ^ *v0;
        *v2 = v2.wrapping_add(*v1);
        *v1 = v1.rotate_left(17) ^ *v2;
        *v2 = v2.rotate_left(32);
    }

    #[inline(always)]
    fn word(&mut self, word: u64) {
        self.v[3] ^= word;
        self.round();
        self.round();
        self.v[0] ^= word;
    }

    /// Adds bytes.
    #[inline]
    pub fn update(&mut self, mut bytes: &[u8]) {
        let filled = (self.len % 8) as usize;
        self.len += bytes.len() as u64;
        if filled > 0 {
            let n = bytes.len().min(8 - filled);
            self.tail[filled..filled + n].copy_from_slice(&bytes[..n]);
            bytes = &bytes[n..];
            if filled + n < 8 {
                return;
            }
            self.word(u64::from_le_bytes(self.tail));
        }
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.word(u64::from_le_bytes(*word));
        }
        self.tail[..rest.len()].copy_from_slice(rest);
    }

    /// The hash of what was added.
    #[inline]
    pub fn finish(mut self) -> u128 {
        let filled = (self.len % 8) as usize;
        self.tail[filled..].fill(0);
        self.tail[7] = self.len as u8;
        self.word(u64::from_le_bytes(self.tail));
        self.v[2] ^= 0xff;
        for _ in 0..4 {
            self.round();
        }
        let [v0, v1, v2, v3] = self.v;
        u128::from(v0 ^ v1) | u128::from(v2 ^ v3) << 64
    }

    /// Adds row `i` of a column: numbers as they are, lists behind their length,
    /// strings behind theirs and with the reference's closing zero byte, which is counted.
    pub fn update_value(&mut self, column: &Column, i: usize) {
        match_native!(column, values => {
            let mut bytes = Vec::with_capacity(8);
            values[i].put(&mut bytes);
            self.update(&bytes);
        }, other => match other {
            Column::String(strings) => {
                let s = strings.get(i);
                self.update(&(s.len() as u64 + 1).to_le_bytes());
                self.update(s);
                self.update(&[0]);
            }
            Column::Fixed(fixed) => self.update(fixed.get(i)),
            Column::Nullable(n) => {
                self.update(&[u8::from(!n.validity.get(i))]);
                if n.validity.get(i) {
                    self.update_value(&n.values, i);
                }
            }
            Column::Array(a) => {
                self.update(&(a.range(i).len() as u64).to_le_bytes());
                a.range(i).for_each(|k| self.update_value(&a.values, k));
            }
            Column::Tuple(t) => t.columns.iter().for_each(|c| self.update_value(c, i)),
            Column::Variant(v) => {
                self.update(&[v.discriminators[i]]);
                if let Some((values, at)) = v.at(i) {
                    self.update_value(values, at);
                }
            }
            Column::Const(c) => self.update_value(&c.value, 0),
            Column::Dict(d) => self.update_value(&d.dictionary.values, d.codes[i] as usize),
            _ => {}
        });
    }
}

/// SipHash128 of one byte string.
#[inline]
pub fn sip128(bytes: &[u8]) -> u128 {
    let mut hash = Sip128::default();
    hash.update(bytes);
    hash.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_published_and_as_the_reference() {
        assert_eq!(int_hash64(1) as u32, 0x34C2_CB2C);
        // hex(uniqExactState('0')) and ('abc') begin with these.
        assert_eq!(sip128(b"abc").to_le_bytes()[..4], [0xB6, 0xB4, 0x15, 0xA2]);
        assert_eq!(city_hash64(b""), K2);
        let alphabet = b"abcdefghijklmnopqrst".repeat(4);
        let city = [
            (3, 0x3A91_2F48_3A4E_CE31),
            (1, 0x2420_662C_D003_ACFA),
            (20, 0x5B90_8404_A851_21A6),
            (60, 0xD6F2_C9F5_EEDB_F91C),
            (80, 0x269D_3943_908F_9A5D),
        ];
        for (length, hash) in city {
            assert_eq!(city_hash64(&alphabet[..length]), hash, "{length}");
        }
        assert_eq!(int_hash64(city_hash64(b"abc")) as u32, 0x5BB5_36C9);
    }
}
