//! Reads from text where a profile found a function at work: one sample per line.

use std::collections::BTreeMap;

use super::super::symbol;
use super::object::Function;

/// Samples at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The function that `at` is counted from; `None` if it is an address of the file.
    pub function: Option<String>,
    /// The address, or the distance from the function's beginning.
    pub at: u64,
    /// How many.
    pub weight: u64,
}

/// Reads `NAME+0x1f [WEIGHT]` (as `perf script -F sym,symoff` prints) or `0x1234 [WEIGHT]`, one a
/// line; a file's name in parentheses at the end is left out. The addresses of the second form are
/// those of the binary, not of a process. Also answers how many other lines there were.
pub fn parse_samples(text: &str) -> (Vec<Sample>, usize) {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let (mut samples, mut left_out) = (Vec::new(), 0);
    for line in lines {
        match sample(line) {
            Some(sample) => samples.push(sample),
            None => left_out += 1,
        }
    }
    (samples, left_out)
}

fn sample(line: &str) -> Option<Sample> {
    let line = match line.rfind(" (") {
        Some(at) if line.ends_with(')') && line[at..].contains('/') => &line[..at],
        _ => line,
    };
    let (function, rest) = match line.rsplit_once("+0x") {
        Some((name, rest)) => (Some(name.trim().to_owned()), rest),
        None => (None, line.strip_prefix("0x")?),
    };
    let mut words = rest.split_whitespace();
    let at = u64::from_str_radix(words.next()?, 16).ok()?;
    let weight = words.next().map_or(Some(1), |word| word.parse().ok())?;
    words.next().is_none().then_some(Sample { function, at, weight })
}

/// The samples that are in a function, by address.
pub(super) fn by_address(samples: &[Sample], function: &Function) -> BTreeMap<u64, u64> {
    let mut weights = BTreeMap::new();
    let own = symbol::normal(&function.symbol);
    for sample in samples {
        let address = match &sample.function {
            None => Some(sample.at),
            Some(name) if *name == function.symbol || symbol::normal(name) == own => {
                function.address.checked_add(sample.at)
            }
            Some(_) => None,
        };
        let inside =
            address.filter(|&at| at >= function.address && at - function.address < function.size);
        if let Some(address) = inside {
            let weight: &mut u64 = weights.entry(address).or_default();
            *weight = weight.saturating_add(sample.weight);
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_perf_and_addresses() {
        let text = "  <a::B as c::D>::run+0x1f (/usr/bin/x)\nsum+0x2 7\n\n0x1010 3\nmain\n0xzz\n";
        let (samples, left_out) = parse_samples(text);
        assert_eq!((samples.len(), left_out), (3, 2));
        assert_eq!(samples[0].function.as_deref(), Some("<a::B as c::D>::run"));
        assert_eq!((samples[0].at, samples[0].weight, samples[1].weight), (0x1f, 1, 7));
        let (section, symbol) = (".text".to_owned(), "sum".to_owned());
        let function = Function { address: 0x1000, section, size: 0x20, symbol };
        assert_eq!(by_address(&samples, &function), [(0x1002, 7), (0x1010, 3)].into());
    }
}
