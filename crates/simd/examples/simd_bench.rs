//! Throughput of the kernels in L2, on one core, in every form that the processor can run:
//! `cargo run --release -p entasis-simd --example simd_bench`.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use entasis_simd::blend::Lanes;
use entasis_simd::byte_set::ByteSet;
use entasis_simd::compare::CompareOp;
use entasis_simd::{Form, bitpack, bits, blend, compare, filter, gather, hash, search, sum, utf8};
use std::hint::black_box;
use std::time::Instant;

const N: usize = 8192;

/// Best of many: nanoseconds per call.
fn time(mut f: impl FnMut()) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..40 {
        let start = Instant::now();
        for _ in 0..16 {
            f();
        }
        best = best.min(start.elapsed().as_nanos() as f64 / 16.0);
    }
    best
}

fn report(name: &str, bytes: usize, f: impl FnMut()) {
    let ns = time(f);
    let (rate, values) = (bytes as f64 / ns, N as f64 / ns);
    println!("{name:<28} {rate:>7.2} GB/s {values:>7.2} G rows/s");
}

fn numbers<T: Copy + PartialOrd + Default + sum::Summable + sum::Bounded>(
    name: &str,
    make: impl Fn(u64) -> T,
) {
    let mut state = 1u64;
    let mut next = || {
        state = hash::hash_one_u64(state, 7);
        state
    };
    let values: Vec<T> = (0..N).map(|_| make(next())).collect();
    let other: Vec<T> = (0..N).map(|_| make(next())).collect();
    let coins: Vec<u64> = (0..N / 64).map(|_| next()).collect();
    let runs: Vec<u64> = (0..N / 64).map(|i| if i / 8 % 2 == 0 { !0 } else { 0 }).collect();
    let rare: Vec<u64> = (0..N / 64).map(|_| 1 << (next() % 64)).collect();
    let order: Vec<u32> = (0..N).map(|_| (next() % N as u64) as u32).collect();
    let bytes = N * size_of::<T>();
    let mut mask = vec![0; N / 64];
    let mut out: Vec<T> = Vec::with_capacity(N + 64);
    let c = make(1 << 40);
    report(&format!("{name} compare constant"), bytes, || {
        compare::mask_compare(CompareOp::Lt, black_box(&values), c, &mut mask);
    });
    report(&format!("{name} compare columns"), bytes, || {
        compare::mask_compare_columns(CompareOp::Eq, black_box(&values), &other, &mut mask);
    });
    report(&format!("{name} in range"), bytes, || {
        compare::mask_in_range(black_box(&values), c, other[0], &mut mask);
    });
    for (kind, mask) in [("coins", &coins), ("runs", &runs), ("1/64", &rare)] {
        report(&format!("{name} filter {kind}"), bytes, || {
            out.clear();
            filter::filter(black_box(&values), mask, &mut out);
        });
        report(&format!("{name} sum masked {kind}"), bytes, || {
            black_box(sum::sum_masked(black_box(&values), mask));
        });
    }
    report(&format!("{name} blend"), bytes, || {
        blend::blend(&coins, Lanes::Many(black_box(&values)), Lanes::Many(&other), N, &mut out);
    });
    report(&format!("{name} blend constant"), bytes, || {
        blend::blend(&coins, Lanes::Many(black_box(&values)), Lanes::One(c), N, &mut out);
    });
    let mut blended = other.clone();
    report(&format!("{name} blend into"), bytes, || {
        blend::blend_into(&coins, Lanes::Many(black_box(&values)), &mut blended);
    });
    report(&format!("{name} gather"), bytes, || {
        out.clear();
        gather::gather(black_box(&values), &order, &mut out);
    });
    report(&format!("{name} sum"), bytes, || {
        black_box(sum::sum(black_box(&values)));
    });
    report(&format!("{name} min max"), bytes, || {
        black_box(sum::min_max(black_box(&values)));
    });
}

fn packing() {
    for width in [1, 3, 8, 12, 16, 20, 31, 40, 63] {
        let values: Vec<u64> = (0..N as u64).map(|i| hash::hash_one_u64(i, 0)).collect();
        let mut packed = vec![];
        bitpack::pack(&values, 0, width, &mut packed);
        let mut out64 = vec![0u64; N];
        report(&format!("unpack {width} to u64"), N * 8, || {
            black_box(bitpack::unpack_add(black_box(&packed), width, 17, &mut out64));
        });
        if width <= 32 {
            let mut out32 = vec![0u32; N];
            report(&format!("unpack {width} to u32"), N * 4, || {
                black_box(bitpack::unpack_add(black_box(&packed), width, 17, &mut out32));
            });
        }
        if width <= 16 {
            let mut out16 = vec![0u16; N];
            report(&format!("unpack {width} to u16"), N * 2, || {
                black_box(bitpack::unpack_add(black_box(&packed), width, 17, &mut out16));
            });
        }
        if width <= 8 {
            let mut out8 = vec![0u8; N];
            report(&format!("unpack {width} to u8"), N, || {
                black_box(bitpack::unpack_add(black_box(&packed), width, 17, &mut out8));
            });
        }
        report(&format!("pack {width} from u64"), N * 8, || {
            packed.clear();
            bitpack::pack(black_box(&values), 0, width, &mut packed);
        });
    }
}

fn text() {
    let (mut data, mut offsets) = (vec![], vec![0u32]);
    for i in 0..N as u64 {
        let h = hash::hash_one_u64(i, 3);
        data.extend(format!("https://example.com/{h:x}/{}", h % 1000).bytes());
        if h.is_multiple_of(100) {
            data.extend(b"google");
        }
        offsets.push(data.len() as u32);
    }
    let mut mask = vec![0; N / 64];
    let mut hashes = vec![0; N];
    let bytes = data.len();
    println!("strings of {} bytes on average", bytes / N);
    report("contains, rare", bytes, || {
        search::contains_mask(black_box(&data), &offsets, b"google", &mut mask);
    });
    report("contains, everywhere", bytes, || {
        search::contains_mask(black_box(&data), &offsets, b"example", &mut mask);
    });
    report("contains, no case", bytes, || {
        search::contains_mask_ascii_ci(black_box(&data), &offsets, b"GOOGLE", &mut mask);
    });
    report("starts with", bytes, || {
        search::starts_with_mask(black_box(&data), &offsets, b"https://ex", &mut mask);
    });
    report("equals", bytes, || {
        search::equals_mask(black_box(&data), &offsets, b"", &mut mask);
    });
    report("hash strings", bytes, || {
        hash::hash_strings(&offsets, black_box(&data), 0, &mut hashes);
    });
    let short: Vec<u32> = (0..=N as u32).map(|i| i * 12).collect();
    report("hash strings of 12", N * 12, || {
        hash::hash_strings(&short, black_box(&data), 0, &mut hashes);
    });
    let mut lengths = Vec::with_capacity(N);
    report("count chars", bytes, || {
        lengths.clear();
        search::count_chars_each(black_box(&data), &offsets, &mut lengths);
    });
    let mut copy = data.clone();
    report("lower", bytes, || search::ascii_lower(black_box(&mut copy)));
    let coins: Vec<u64> = (0..N as u64 / 64).map(|i| hash::hash_one_u64(i, 9)).collect();
    let mut indices = vec![];
    report("indices from coins", N / 8, || {
        indices.clear();
        bits::indices_from_mask(black_box(&coins), N, &mut indices);
    });
    let mut as_bytes = vec![0; N];
    report("mask to bytes", N, || bits::mask_to_bytes(black_box(&coins), &mut as_bytes));
    report("mask from bytes", N, || bits::mask_from_bytes(black_box(&as_bytes), &mut mask));
}

fn validation() {
    static SET: ByteSet = ByteSet::of(b"\"\\\xE2").with(0, 0x1F);
    let ascii = "A sentence of plain words. ".repeat(400).into_bytes();
    let russian = "Съешь же ещё этих мягких булок. ".repeat(200).into_bytes();
    for (name, text) in [("ascii", &ascii), ("russian", &russian)] {
        report(&format!("utf8 {name}"), text.len(), || {
            black_box(utf8::is_valid(black_box(text)));
        });
        for size in [7, 12, 24, 60] {
            report(&format!("utf8 {name} by {size}"), text.len(), || {
                text.chunks(size).for_each(|t| {
                    black_box(utf8::is_valid(black_box(t)));
                });
            });
            report(&format!("byte set {name} by {size}"), text.len(), || {
                text.chunks(size).for_each(|t| {
                    black_box(SET.find(black_box(t)));
                });
            });
        }
        let offsets: Vec<u32> = (0..=text.len() as u32 / 12).map(|i| i * 12).collect();
        let mut mask = vec![0; bits::words_for(offsets.len() - 1)];
        report(&format!("utf8 mask {name} by 12"), text.len(), || {
            utf8::valid_mask(black_box(text), &offsets, &mut mask);
        });
        report(&format!("byte set {name}"), text.len(), || {
            black_box(SET.find(black_box(text)));
        });
    }
}

fn main() {
    for form in Form::all() {
        form.force();
        println!("{}", form.name());
        let keys: Vec<u64> = (0..N as u64).collect();
        let mut hashes = vec![0; N];
        report("hash u64", N * 8, || hash::hash_u64(black_box(&keys), 0, &mut hashes));
        report("combine u64", N * 8, || hash::combine_keys(black_box(&keys), &mut hashes));
        numbers("u8", |v| (v >> 33) as u8);
        numbers("u16", |v| (v >> 30) as u16);
        numbers("u32", |v| (v >> 20) as u32);
        numbers("i64", |v| v as i64);
        numbers("f64", |v| v as f64);
        packing();
        text();
        validation();
    }
}
