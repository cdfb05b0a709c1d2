use std::collections::HashMap;

use entasis_base::clock::Rng;
use entasis_simd::hash::hash_strings;

use super::*;
use crate::hash::{FixedKey, NONE};
use crate::{Strings, StringsBuilder};

/// Random keys in chunks; every third chunk has gaps between its rows.
fn chunks(rng: &mut Rng, rows: u64, spread: u64) -> Vec<(Vec<u64>, u32, Option<Vec<u32>>)> {
    let (mut chunks, mut first) = (Vec::new(), 0);
    while u64::from(first) < rows {
        let count = 1 + rng.below(90) as u32;
        let keys = (0..count).map(|_| rng.below(spread)).collect();
        let gaps = chunks.len() % 3 == 2;
        chunks.push((keys, first, gaps.then(|| (0..count).map(|i| 2 * i).collect())));
        first += if gaps { 2 * count } else { count };
    }
    chunks
}

fn ids(first: u32, picked: Option<&Vec<u32>>) -> RowIds<'_> {
    picked.map_or(RowIds::From(first), |picked| RowIds::Picked(first, picked))
}

fn naive(chunks: &[(Vec<u64>, u32, Option<Vec<u32>>)]) -> HashMap<u64, Vec<u32>> {
    let mut rows: HashMap<u64, Vec<u32>> = HashMap::new();
    for (keys, first, picked) in chunks {
        let ids = ids(*first, picked.as_ref());
        keys.iter().enumerate().for_each(|(i, key)| rows.entry(*key).or_default().push(ids.get(i)));
    }
    rows
}

fn check(found: &Found, order: &[u32], probed: &[u64], naive: &HashMap<u64, Vec<u32>>) {
    for (i, key) in probed.iter().enumerate() {
        let want = naive.get(key).map_or(&[][..], |rows| rows);
        let start = found.starts[i];
        let got = match (start, order.is_empty()) {
            (NONE, _) => &[][..],
            (_, true) => std::slice::from_ref(&start),
            (start, false) => &order[start as usize..(start + found.counts[i]) as usize],
        };
        assert_eq!(got, want, "{key}");
    }
}

fn check_fixed<K: FixedKey>(make: impl Fn(u64) -> K) {
    let mut rng = Rng::new(5);
    for (rows, spread, parts) in [(1, 1, 1), (900, 10, 1), (9000, 1 << 40, 8), (30_000, 9000, 16)] {
        let chunks = chunks(&mut rng, rows, spread);
        let made: Vec<Vec<K>> =
            chunks.iter().map(|(keys, ..)| keys.iter().map(|k| make(*k)).collect()).collect();
        let bits = usize::trailing_zeros(parts);
        let runs: Vec<JoinRun<K>> = (0..chunks.len())
            .step_by(7)
            .map(|at| {
                let range = at..chunks.len().min(at + 7);
                let lists = range.map(|i| (&made[i][..], ids(chunks[i].1, chunks[i].2.as_ref())));
                JoinRun::scatter(lists, parts, |k| join_partition(k.hash(), bits)).unwrap()
            })
            .collect();
        let mut table: Vec<FixedPart<K>> =
            (0..parts).map(|part| FixedPart::fill(&runs, part).unwrap()).collect();
        let naive = naive(&chunks);
        let unique = table.iter().all(FixedPart::is_unique);
        assert_eq!(unique, naive.values().all(|rows| rows.len() == 1));
        let mut order = Vec::new();
        if !unique {
            for (part, cells) in table.iter_mut().enumerate() {
                order.extend(cells.group(&runs, part, order.len() as u32).unwrap());
            }
        }
        let table = FixedJoin::of(table);
        if !unique {
            let (mut keys, mut all) = (0, 0);
            table.each_key(|_, count| (keys, all) = (keys + 1, all + count));
            assert_eq!((keys, all as usize), (naive.len(), order.len()));
        }
        let mut probed: Vec<u64> = chunks.iter().flat_map(|(keys, ..)| keys.clone()).collect();
        probed.extend(spread..spread + 50);
        let keys: Vec<K> = probed.iter().map(|k| make(*k)).collect();
        let hashes: Vec<u64> = keys.iter().map(|k| k.hash()).collect();
        let mut found = Found::default();
        table.find_all(&keys, &hashes, !unique, &mut found);
        check(&found, &order, &probed, &naive);
    }
}

#[test]
fn fixed_keys_find_their_rows_in_source_order() {
    check_fixed(|k| k);
    check_fixed(|k| u128::from(k) << 50);
    check_fixed(|k| [k, 1, k * 3, 0]);
}

#[test]
fn strings_find_their_rows_in_source_order() {
    let mut rng = Rng::new(6);
    for (rows, spread, parts) in [(1, 1, 1), (900, 10, 1), (9000, 1 << 40, 8), (30_000, 9000, 16)] {
        let chunks = chunks(&mut rng, rows, spread);
        let text = |keys: &[u64]| {
            let mut out = StringsBuilder::default();
            keys.iter().for_each(|k| {
                out.push(
                    if *k == 3 {
                        String::new()
                    } else {
                        "x".repeat(*k as usize % 40) + &k.to_string()
                    }
                    .as_bytes(),
                )
            });
            out.finish()
        };
        let hashed = |strings: &Strings| {
            let mut hashes = vec![0; strings.len()];
            hash_strings(strings.offsets(), strings.data(), 0, &mut hashes);
            hashes
        };
        let bits = usize::trailing_zeros(parts);
        let runs: Vec<_> = chunks
            .iter()
            .map(|(keys, first, picked)| {
                let strings = text(keys);
                let refs: Vec<BytesRef> = (hashed(&strings).into_iter().zip(0..))
                    .map(|(hash, at)| BytesRef { hash, list: 0, at })
                    .collect();
                let list = std::iter::once((&refs[..], ids(*first, picked.as_ref())));
                let part_of = |key: &BytesRef| join_partition(key.hash, bits);
                (JoinRun::scatter(list, parts, part_of).unwrap(), vec![strings])
            })
            .collect();
        let mut table: Vec<BytesPart> =
            (0..parts).map(|part| BytesPart::fill(&runs, part).unwrap()).collect();
        let naive = naive(&chunks);
        let unique = table.iter().all(BytesPart::is_unique);
        let mut order = Vec::new();
        if !unique {
            for (part, cells) in table.iter_mut().enumerate() {
                order.extend(cells.group(&runs, part, order.len() as u32).unwrap());
            }
        }
        let mut probed: Vec<u64> = chunks.iter().flat_map(|(keys, ..)| keys.clone()).collect();
        probed.extend(spread + 5..spread + 50);
        let (strings, mut found) = (text(&probed), Found::default());
        BytesPart::find_all(&table, &strings, &hashed(&strings), !unique, &mut found);
        check(&found, &order, &probed, &naive);
    }
}

#[test]
fn dense_keys_are_array_indices() {
    let mut rng = Rng::new(7);
    for (rows, spread, shift) in [(1, 1, 0), (900, 10, 4), (20, 1 << 12, 9), (9000, 5000, 6)] {
        let lowest = -7i64 as u64;
        let chunks: Vec<_> = chunks(&mut rng, rows, spread)
            .into_iter()
            .map(|(keys, first, picked)| {
                (keys.iter().map(|k| k.wrapping_add(lowest)).collect::<Vec<_>>(), first, picked)
            })
            .collect();
        let flip = 1 << 63;
        let direct = Direct { flip, base: lowest ^ flip, range: spread, shift };
        let lists =
            chunks.iter().map(|(keys, first, picked)| (&keys[..], ids(*first, picked.as_ref())));
        let runs = [JoinRun::scatter(lists, direct.parts(), |k| direct.part_of(*k)).unwrap()];
        let mut table: Vec<DirectPart> =
            (0..direct.parts()).map(|part| direct.fill(&runs, part).unwrap()).collect();
        let naive = naive(&chunks);
        let unique = table.iter().all(DirectPart::is_unique);
        assert_eq!(unique, naive.values().all(|rows| rows.len() == 1));
        let probed: Vec<u64> =
            (0..spread + 20).map(|k| k.wrapping_add(lowest).wrapping_sub(9)).collect();
        let (mut order, mut found) = (Vec::new(), Found::default());
        if unique {
            direct.find_unique(&table, probed.iter().copied(), &mut found);
        } else {
            for (part, cells) in table.iter_mut().enumerate() {
                order.extend(direct.group(cells, &runs, part, order.len() as u32).unwrap());
            }
            direct.find_grouped(&table, probed.iter().copied(), &mut found);
        }
        check(&found, &order, &probed, &naive);
    }
}
