//! Profiles a small program twice and writes flame graphs of it: what `make flame-check` looks at.
//!
//!     cargo run --example profile_demo -- FOLDER     writes cpu.html, difference.html and others
#![allow(clippy::print_stdout)] // a program that says what it did

use std::collections::HashMap;
use std::fs;
use std::hint::black_box;
use std::path::PathBuf;

use entasis_profile::flamegraph::{self, Unit};
use entasis_profile::folded::{Folded, Folder};
use entasis_profile::usage::Usage;
use entasis_profile::{AttachOptions, attach, drain};

const PERIOD: u64 = 1_000_000;

mod scan {
    //! Reads rows.
    use std::hint::black_box;

    #[inline(never)]
    pub fn decode(rows: usize) -> Vec<u64> {
        let mut state = 1u64;
        let step = |_| {
            for _ in 0..10 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
            }
            state >> 40
        };
        (0..rows).map(step).collect()
    }

    #[inline(never)]
    pub fn filter(values: &[u64]) -> Vec<u64> {
        values.iter().copied().filter(|v| black_box(*v) % 7 != 0).collect()
    }
}

#[inline(never)]
fn group(values: &[u64]) -> HashMap<u64, u64> {
    let mut counts = HashMap::new();
    for value in values {
        *counts.entry(value % 50_000).or_insert(0) += 1;
    }
    counts
}

#[inline(never)]
fn group_densely(values: &[u64]) -> Vec<u64> {
    let mut counts = vec![0; 50_000];
    for _ in 0..20 {
        values.iter().for_each(|value| counts[(value % 50_000) as usize] += 1);
    }
    counts
}

#[inline(never)]
fn sort_names(values: &[u64]) -> Vec<String> {
    let mut names: Vec<String> = values.iter().take(100_000).map(|v| format!("name {v}")).collect();
    names.sort();
    names
}

#[inline(never)]
fn query(dense: bool) {
    let values = scan::filter(&scan::decode(600_000));
    if dense {
        black_box(group_densely(&values));
    } else {
        black_box(group(&values));
        black_box(sort_names(&values));
    }
    let mut sorted = values;
    sorted.sort_unstable();
    black_box(sorted);
}

fn profile(id: u64, dense: bool) -> Folded {
    let start = Usage::of_this_thread();
    let options = AttachOptions { query: id, cpu_period_ns: PERIOD, ..AttachOptions::default() };
    let mut folder = Folder::new();
    while Usage::of_this_thread().since(&start).user.as_millis() < 900 {
        let attached = attach(&options);
        query(dense);
        drop(attached);
        drain(&mut |sample| folder.add(sample.frames, sample.weight));
    }
    folder.finish()
}

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    fs::create_dir_all(&folder)?;
    let unit = Unit::Samples { period_ns: PERIOD };
    let (before, after) = (profile(1, false), profile(2, true));
    let id = "5f1c2d34-demo-before";
    fs::write(folder.join("cpu.html"), flamegraph::page(&before, id, "CPU", unit))?;
    let sides = ((id, &before), ("77aa01b2-demo-after", &after));
    let page = flamegraph::difference_page(sides.0, sides.1, "CPU", unit);
    fs::write(folder.join("difference.html"), page)?;
    fs::write(folder.join("cpu.folded"), before.to_string())?;
    let mut evil = Folded::new();
    evil.add(["main", "</script><img src=x onerror=document.title='broken'>", "a<b>&\"c\""], 3);
    fs::write(folder.join("names.html"), flamegraph::page(&evil, "SELECT '<b>'", "Real", unit))?;
    println!("{} and {} samples, pages in {}", before.total(), after.total(), folder.display());
    Ok(())
}
