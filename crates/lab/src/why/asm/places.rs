//! From addresses of processes to places in a function: a process maps its binary somewhere, at the
//! beginning of a page, and its samples together tell where.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::MOST_BYTES;
use super::object::Function;
use super::samples::Sample;

/// Binaries are mapped at multiples of this, whatever the size of the system's pages.
const PAGE: u64 = 4096;

/// Samples of a process at one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// The function, as symbol tables name it.
    pub symbol: &'a str,
    /// The instruction's address in the process.
    pub address: u64,
    /// How many.
    pub samples: u64,
}

/// The samples of all processes in `function`, at their distance from its beginning. Those of a
/// process that does not tell where its binary lies are left out. `functions` are all of the
/// binary; several may have one name.
pub(super) fn samples(
    functions: &[Function],
    function: &Function,
    processes: &[Vec<Place<'_>>],
) -> Vec<Sample> {
    let mut table: HashMap<&str, Vec<&Function>> = HashMap::new();
    for function in functions.iter().filter(|f| !processes.is_empty() && f.size <= MOST_BYTES) {
        table.entry(&function.symbol).or_default().push(function);
    }
    let mut found = Vec::new();
    for places in processes {
        let known: Vec<(&[&Function], Place<'_>)> = places
            .iter()
            .filter_map(|place| Some((table.get(place.symbol)?.as_slice(), *place)))
            .collect();
        let Some(base) = base(&known) else { continue };
        let own = places.iter().filter(|place| place.symbol == function.symbol);
        found.extend(own.filter_map(|place| {
            let at = place.address.checked_sub(base)?.checked_sub(function.address)?;
            let function = Some(function.symbol.clone()).filter(|_| at < function.size);
            function.is_some().then_some(Sample { function, at, weight: place.samples })
        }));
    }
    found
}

/// Where a binary lies: at the page that puts more samples into their functions than any other, and
/// more than half of them. A function of less than a page leaves one choice, a longer one several.
fn base(places: &[(&[&Function], Place<'_>)]) -> Option<u64> {
    let mut votes: BTreeMap<u64, u64> = BTreeMap::new();
    for (functions, place) in places {
        let pages: BTreeSet<u64> =
            functions.iter().flat_map(|function| pages(function, place.address)).collect();
        for page in pages {
            *votes.entry(page).or_default() += place.samples;
        }
    }
    let all: u64 = places.iter().map(|(_, place)| place.samples).sum();
    let most = *votes.values().max()?;
    let mut first = votes.iter().filter(|(_, count)| **count == most);
    let (base, _) = first.next()?;
    (first.next().is_none() && most > all / 2).then_some(*base)
}

/// Where the binary may lie if this address is in this function.
fn pages(function: &Function, address: u64) -> impl Iterator<Item = u64> {
    let last = address.checked_sub(function.address);
    let first = last.and_then(|last| {
        last.saturating_sub(function.size.saturating_sub(1)).checked_next_multiple_of(PAGE)
    });
    let range = first.zip(last).map(|(first, last)| (first..=last).step_by(PAGE as usize));
    range.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(symbol: &str, address: u64, size: u64) -> Function {
        Function { address, section: ".text".to_owned(), size, symbol: symbol.to_owned() }
    }

    fn place(symbol: &str, address: u64) -> Place<'_> {
        Place { symbol, address, samples: 1 }
    }

    #[test]
    fn samples_tell_where_a_binary_lies() {
        let functions = [
            function("short", 0x1f80, 0x40),
            function("long", 0x2000, 0x5000),
            function("x", 8, 8),
        ];
        let long = &functions[1];
        let at = |places: &[Place<'_>]| -> Vec<u64> {
            samples(&functions, long, &[places.to_vec()]).iter().map(|sample| sample.at).collect()
        };
        let base = 0x5555_0000_0000_u64;
        let of_long = place("long", base + 0x2000 + 0x1234);
        assert!(at(&[of_long]).is_empty(), "five pages would do");
        // A short function leaves one, and a library's function says nothing.
        let of_short = place("short", base + 0x1f90);
        assert_eq!(at(&[of_long, of_short, place("malloc", 77)]), [0x1234]);
        // Samples at both ends of the long one leave one page, too.
        let ends = [0x10, 0x4ff0].map(|at| place("long", base + 0x2000 + at));
        assert_eq!(at(&ends), [0x10, 0x4ff0]);
        // One that was named after another function does not count against the others.
        let wrong = place("short", base + 0x2f90);
        assert_eq!(at(&[of_short, of_long, of_short, wrong]), [0x1234]);
        assert!(at(&[of_short, wrong]).is_empty(), "two pages would do");
        // Nor do addresses that no process has, and sizes that no function has.
        let long_one = function("endless", 0, u64::MAX);
        let all = [functions[1].clone(), long_one];
        let odd = [ends[0], ends[1], place("endless", base), place("long", u64::MAX)];
        assert_eq!(samples(&all, long, &[odd.to_vec()]).len(), 2);
        // A file that is not moved.
        assert_eq!(at(&[place("long", 0x2004), place("short", 0x1f80)]), [4]);
        assert!(at(&[place("long", 3)]).is_empty());
    }

    #[test]
    fn copies_of_a_name_are_told_apart() {
        let copies = [function("drop", 0x1000, 0x40), function("drop", 0x9100, 0x40)];
        let functions = [copies[0].clone(), copies[1].clone(), function("sum", 0x3000, 0x20)];
        let base = 0x7f00_0000_u64;
        let process = vec![
            place("drop", base + 0x9108),
            place("sum", base + 0x3004),
            place("sum", base + 0x3008),
        ];
        let of =
            |function: &Function| samples(&functions, function, std::slice::from_ref(&process));
        assert!(of(&copies[0]).is_empty());
        assert_eq!(of(&copies[1]).iter().map(|sample| sample.at).collect::<Vec<_>>(), [8]);
    }

    #[test]
    fn each_process_lies_elsewhere() {
        let functions = [function("f", 0x1000, 0x100)];
        let processes =
            [vec![place("f", 0x70_1010)], vec![place("f", 0x90_1010), place("f", 0x90_1014)]];
        let found = samples(&functions, &functions[0], &processes);
        let found: Vec<u64> = found.iter().map(|sample| sample.at).collect();
        assert_eq!(found, [0x10, 0x10, 0x14]);
    }
}
