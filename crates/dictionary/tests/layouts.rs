//! Each layout against a map: random rows, with keys that come twice, and random look-ups.

use std::collections::HashMap;
use std::time::Duration;

use entasis_base::Result;
use entasis_base::clock::Rng;
use entasis_column::{Chunk, Column, Field, Strings};
use entasis_dictionary::{Cached, Duplicates, Layout, Loaded, Options, Source};
use entasis_function::dictionary::{Attribute, Contents, KeyKind, Structure};
use entasis_types::DataType;

fn structure(keys: &[DataType], kind: KeyKind, range: Option<DataType>) -> Structure {
    Structure {
        key_kind: kind,
        keys: keys
            .iter()
            .enumerate()
            .map(|(i, ty)| Field::new(format!("k{i}"), ty.clone()))
            .collect(),
        range,
        attributes: vec![Attribute { name: "v".into(), ty: DataType::UInt64, injective: false }],
        parent: None,
        is_tree: false,
        is_complete: true,
    }
}

fn defaults() -> Vec<Column> {
    vec![Column::from(vec![u64::MAX])]
}

fn texts(values: &[String]) -> Column {
    Column::String(values.iter().map(String::as_bytes).collect::<Strings>())
}

/// The values that a dictionary answers.
fn answers(
    contents: &dyn Contents,
    keys: &[Column],
    range: Option<&Column>,
    rows: usize,
) -> Vec<u64> {
    let found = contents.find(keys, range, rows).expect("found");
    let values = found.attributes[0].take(&found.rows);
    values.native::<u64>().expect("numbers").to_vec()
}

/// The value that counts for each key.
fn naive<K: std::hash::Hash + Eq + Clone>(keys: &[K], which: Duplicates) -> HashMap<K, u64> {
    let mut map = HashMap::new();
    for (row, key) in keys.iter().enumerate() {
        if which == Duplicates::Last || !map.contains_key(key) {
            map.insert(key.clone(), row as u64);
        }
    }
    map
}

fn values(rows: usize) -> Column {
    Column::from((0..rows as u64).collect::<Vec<u64>>())
}

/// Keys that count up, that lie close together, that lie far apart, and at the ends.
fn words(rng: &mut Rng, shape: usize, rows: usize) -> Vec<u64> {
    (0..rows as u64)
        .map(|i| match shape {
            0 => 7 + i,
            1 => 1000 + rng.below(rows as u64 * 2),
            2 => rng.below(rows as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15),
            _ => u64::MAX - rng.below(3),
        })
        .collect()
}

#[test]
fn simple_keys() {
    let mut rng = Rng::new(1);
    for name in ["FLAT", "HASHED", "SPARSE_HASHED", "HASHED_ARRAY"] {
        let layout = Layout::find(name).unwrap();
        let structure = structure(&[DataType::UInt64], KeyKind::Simple, None);
        for shape in 0..4 {
            for rows in [0, 1, 2, 300, 5000] {
                let keys = words(&mut rng, shape, rows);
                let chunk = Chunk::new(vec![Column::from(keys.clone()), values(rows)], rows);
                let built =
                    Loaded::build(&structure, &layout, Options::default(), &defaults(), &chunk);
                let map = naive(&keys, layout.duplicates);
                let built = built.unwrap();
                assert_eq!(built.elements(), map.len());
                let mut asked = keys.clone();
                asked.extend([0, 1, 6, 7, u64::MAX, u64::MAX - 1]);
                asked.extend((0..200).map(|_| rng.below(3 * rows as u64 + 2)));
                let count = asked.len();
                let got = answers(&built, &[Column::from(asked.clone())], None, count);
                for (key, value) in asked.iter().zip(got) {
                    assert_eq!(value, map.get(key).copied().unwrap_or(u64::MAX), "{name} {key}");
                }
            }
        }
    }
}

#[test]
fn complex_keys() {
    let mut rng = Rng::new(2);
    let layout = Layout::find("COMPLEX_KEY_HASHED").unwrap();
    for rows in [0, 1, 500, 4000] {
        let a: Vec<u16> = (0..rows).map(|_| rng.below(50) as u16).collect();
        let b: Vec<i32> = (0..rows).map(|_| rng.below(40) as i32 - 20).collect();
        let s: Vec<String> = (0..rows).map(|_| "x".repeat(rng.below(30) as usize)).collect();
        let columns = [Column::from(a.clone()), Column::from(b.clone()), texts(&s)];
        let types = [DataType::UInt16, DataType::Int32, DataType::String];
        // Packed numbers, one text, and any columns.
        for picked in [&[0, 1][..], &[2][..], &[0, 2, 1][..], &[1][..]] {
            let keys: Vec<Column> = picked.iter().map(|&i: &usize| columns[i].clone()).collect();
            let types: Vec<DataType> = picked.iter().map(|&i| types[i].clone()).collect();
            let structure = structure(&types, KeyKind::Complex, None);
            let row_key = |i: usize| -> Vec<String> {
                let part = |&c: &usize| match c {
                    0 => a[i].to_string(),
                    1 => b[i].to_string(),
                    _ => s[i].clone(),
                };
                picked.iter().map(part).collect()
            };
            let all: Vec<Vec<String>> = (0..rows).map(row_key).collect();
            let map = naive(&all, Duplicates::First);
            let half = rows / 2;
            let mut first: Vec<Column> = keys.iter().map(|key| key.slice(0, half)).collect();
            first.push(values(half));
            let chunk = Chunk::new(first, half);
            let built = Loaded::build(&structure, &layout, Options::default(), &defaults(), &chunk);
            let got = answers(&built.unwrap(), &keys, None, rows);
            for (i, value) in got.into_iter().enumerate() {
                let wanted = map[&all[i]];
                let wanted = if wanted < half as u64 { wanted } else { u64::MAX };
                assert_eq!(value, wanted);
            }
        }
    }
}

#[test]
fn ranges() {
    let mut rng = Rng::new(3);
    let layout = Layout::find("RANGE_HASHED").unwrap();
    let structure = structure(&[DataType::UInt64], KeyKind::Simple, Some(DataType::Int32));
    for takes_max in [false, true] {
        for rows in [0, 1, 50, 2000] {
            let keys: Vec<u64> = (0..rows).map(|_| rng.below(1 + rows as u64 / 8)).collect();
            let least: Vec<i32> = (0..rows).map(|_| rng.below(400) as i32 - 200).collect();
            let greatest: Vec<i32> = least.iter().map(|l| l + rng.below(60) as i32).collect();
            let columns = vec![
                Column::from(keys.clone()),
                Column::from(least.clone()),
                Column::from(greatest.clone()),
                values(rows),
            ];
            let options = Options { takes_max, ..Options::default() };
            let chunk = Chunk::new(columns, rows);
            let built = Loaded::build(&structure, &layout, options, &defaults(), &chunk).unwrap();
            let asked: Vec<u64> = (0..500).map(|_| rng.below(2 + rows as u64 / 8)).collect();
            let at: Vec<i32> = (0..500).map(|_| rng.below(500) as i32 - 250).collect();
            let got = answers(
                &built,
                &[Column::from(asked.clone())],
                Some(&Column::from(at.clone())),
                500,
            );
            for i in 0..500 {
                let fits = (0..rows).filter(|&row| {
                    keys[row] == asked[i] && least[row] <= at[i] && at[i] <= greatest[row]
                });
                let bounds = |row: &usize| (least[*row], greatest[*row]);
                let best = match takes_max {
                    true => fits.max_by_key(bounds),
                    false => fits.min_by_key(bounds),
                };
                match best {
                    None => assert_eq!(got[i], u64::MAX),
                    Some(row) => assert_eq!(bounds(&(got[i] as usize)), bounds(&row)),
                }
            }
        }
    }
}

/// A source of rows `key -> 10 * key` for even keys, which counts how often it is asked.
struct Even(std::sync::Arc<std::sync::atomic::AtomicUsize>);

impl Source for Even {
    fn read(&self, keys: &[Column], _rows: usize) -> Result<Chunk> {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let keys = keys[0].native::<u64>().expect("numbers").iter().copied();
        let keys: Vec<u64> = keys.filter(|key| key % 2 == 0).collect();
        let values: Vec<u64> = keys.iter().map(|key| key * 10).collect();
        let rows = keys.len();
        Ok(Chunk::new(vec![keys.into(), values.into()], rows))
    }

    fn read_all(&self) -> Result<Chunk> {
        self.read(&[Column::from(vec![2u64, 4])], 2)
    }
}

#[test]
fn sources_that_are_asked() {
    let mut rng = Rng::new(4);
    for (name, cells) in
        [("CACHE", Some(1000)), ("CACHE", Some(20)), ("CACHE", Some(1)), ("DIRECT", None)]
    {
        let layout = Layout::find(name).unwrap();
        let structure = structure(&[DataType::UInt64], KeyKind::Simple, None);
        let asked = std::sync::Arc::default();
        let source = Box::new(Even(std::sync::Arc::clone(&asked)));
        let bounds = cells.map(|cells| (cells, Duration::from_secs(1000)));
        let cached = Cached::new(structure, layout, defaults(), source, bounds);
        for _ in 0..50 {
            let keys: Vec<u64> = (0..rng.below(64)).map(|_| rng.below(100)).collect();
            let got = answers(&cached, &[Column::from(keys.clone())], None, keys.len());
            for (key, value) in keys.iter().zip(got) {
                assert_eq!(value, if key % 2 == 0 { key * 10 } else { u64::MAX });
            }
            assert!(cached.elements() <= cells.unwrap_or(0), "{name}");
        }
        if cells == Some(1000) {
            let before = asked.load(std::sync::atomic::Ordering::Relaxed);
            let all: Vec<u64> = (0..100).collect();
            answers(&cached, &[Column::from(all.clone())], None, 100);
            answers(&cached, &[Column::from(all)], None, 100);
            assert!(asked.load(std::sync::atomic::Ordering::Relaxed) <= before + 1);
        }
    }
}

#[test]
fn prefixes() {
    let structure = structure(&[DataType::String], KeyKind::Address, None);
    let layout = Layout::find("IP_TRIE").unwrap();
    let mut rng = Rng::new(5);
    let prefixes: Vec<(u32, u32)> =
        (0..300).map(|_| (rng.below(1 << 32) as u32 & 0x0303_FFFF, rng.below(33) as u32)).collect();
    let mask = |length: u32| if length == 0 { 0 } else { u32::MAX << (32 - length) };
    let text =
        |&(address, length): &(u32, u32)| format!("{}/{length}", std::net::Ipv4Addr::from(address));
    let keys = texts(&prefixes.iter().map(text).collect::<Vec<_>>());
    let chunk = Chunk::new(vec![keys, values(300)], 300);
    let built =
        Loaded::build(&structure, &layout, Options::default(), &defaults(), &chunk).unwrap();
    let asked: Vec<u32> = (0..1000).map(|_| rng.below(1 << 32) as u32 & 0x0303_FFFF).collect();
    let got = answers(&built, &[Column::from(asked.clone())], None, 1000);
    for (address, value) in asked.iter().zip(got) {
        let fits = prefixes.iter().filter(|(p, l)| p & mask(*l) == address & mask(*l));
        let longest = fits.map(|(_, length)| *length).max();
        let length = prefixes.get(value as usize).map(|(_, length)| *length);
        assert_eq!(length, longest);
    }
}
