//! Decode speed and size of blocks of 8,192 rows on one core:
//! `cargo run --release -p entasis-codec --example codec_bench`.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use entasis_base::clock::Rng;
use entasis_codec::block::{self, Header};
use entasis_codec::{Compression, EncodeOptions, strings};
use std::hint::black_box;
use std::time::Instant;

const ROWS: usize = 8192;

/// Best of many: seconds per call.
fn time(mut f: impl FnMut()) -> f64 {
    let best = (0..30).map(|_| {
        let start = Instant::now();
        for _ in 0..8 {
            f();
        }
        start.elapsed().as_secs_f64() / 8.0
    });
    best.fold(f64::MAX, f64::min)
}

fn line(name: &str, raw: usize, block: &[u8], encode: f64, decode: f64) {
    let header = Header::read(block).unwrap();
    let method = format!("{:?}", header.method);
    println!(
        "{name:<22} {:<18} {method:<8} {:>5.1}% encode {:>6.2} decode {:>7.2} GB/s",
        header.encoding_name(),
        100.0 * block.len() as f64 / raw as f64,
        raw as f64 / encode / 1e9,
        raw as f64 / decode / 1e9,
    );
}

fn ints(name: &str, options: EncodeOptions, values: &[u64]) {
    let (mut block, mut out) = (vec![], vec![0u64; ROWS]);
    let encode = time(|| {
        block.clear();
        block::encode_ints(black_box(values), options, &mut block).unwrap();
    });
    let decode = time(|| block::decode_ints_into(black_box(&block), &mut out).unwrap());
    line(name, ROWS * 8, &block, encode, decode);
}

fn text(name: &str, options: EncodeOptions, rows: impl Iterator<Item = String>) {
    let (mut data, mut offsets) = (vec![], vec![0]);
    for row in rows {
        data.extend_from_slice(row.as_bytes());
        offsets.push(data.len() as u32);
    }
    let (mut block, mut o, mut d) = (vec![], vec![], vec![]);
    let encode = time(|| {
        block.clear();
        strings::encode_strings(&offsets, black_box(&data), options, &mut block).unwrap();
    });
    let decode = time(|| {
        o.clear();
        d.clear();
        strings::decode_strings(black_box(&block), ROWS, &mut o, &mut d).unwrap();
    });
    line(name, data.len() + ROWS * 4, &block, encode, decode);
}

fn main() {
    let auto = EncodeOptions::default();
    let lz4 = EncodeOptions { compression: Compression::Lz4, ..EncodeOptions::PLAIN };
    let zstd = EncodeOptions { compression: Compression::Zstd(1), ..EncodeOptions::PLAIN };
    let mut rng = Rng::new(1);
    let n = ROWS as u64;
    let random: Vec<u64> = (0..n).map(|_| rng.next_u64()).collect();
    let small: Vec<u64> = (0..n).map(|_| 1 << 40 | rng.below(1 << 10)).collect();
    let mut now = 1_700_000_000;
    let times: Vec<u64> = (0..n)
        .map(|_| {
            now += rng.below(5);
            now
        })
        .collect();
    let runs: Vec<u64> = (0..n).map(|i| (i / 300).wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
    let sparse: Vec<u64> =
        (0..n).map(|_| if rng.below(50) == 0 { rng.next_u64() } else { 0 }).collect();
    let few: Vec<u64> = (0..n).map(|_| random[rng.below(90) as usize]).collect();
    for (name, options) in [("auto", auto), ("lz4", lz4), ("zstd 1", zstd)] {
        ints(&format!("random u64, {name}"), options, &random);
        ints(&format!("10 bits, {name}"), options, &small);
        ints(&format!("times, {name}"), options, &times);
        ints(&format!("runs, {name}"), options, &runs);
        ints(&format!("sparse, {name}"), options, &sparse);
        ints(&format!("90 distinct, {name}"), options, &few);
        ints(&format!("constant, {name}"), options, &vec![7; ROWS]);
        let mut rng = Rng::new(2);
        let url = |r: &mut Rng| format!("https://site{}.com/p/{}", r.below(40), r.below(100_000));
        text(&format!("urls, {name}"), options, (0..ROWS).map(|_| url(&mut rng)));
        let mut category = |_| format!("category number {}", rng.below(100));
        text(&format!("categories, {name}"), options, (0..ROWS).map(&mut category));
        let mut rare = |_| if rng.below(20) == 0 { url(&mut rng) } else { String::new() };
        text(&format!("mostly empty, {name}"), options, (0..ROWS).map(&mut rare));
    }
}
