//! Writes the report of an outcome made of seeds: `report PAGE [QUERIES [SEED [QUERIES WITH
//! STACKS]]]`.
#![allow(clippy::print_stdout)]

mod synthetic;

use std::time::Instant;

use entasis_base::Result;
use entasis_lab::report;

fn main() -> Result<()> {
    let line: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, usual: u64| line.get(at).and_then(|n| n.parse().ok()).unwrap_or(usual);
    let path = line.first().map_or("report.html", String::as_str);
    let (count, seed, deep) = (number(1, 300) as u32, number(2, 7), number(3, 10) as usize);
    let outcome = synthetic::outcome(count, seed)?;
    let extras = synthetic::extras(&outcome, seed, deep);
    let began = Instant::now();
    let page = report::page(&outcome, &extras);
    let took = began.elapsed().as_secs_f64();
    let samples = outcome.samples.rows().len();
    println!(
        "{path}: {} bytes, {count} queries, {samples} samples, made in {took:.2} s",
        page.len()
    );
    std::fs::write(path, page)?;
    std::fs::write(format!("{path}.json"), report::json(&outcome, &extras))?;
    Ok(())
}
