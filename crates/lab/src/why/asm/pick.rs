//! What a request means: which function of each binary, and which of its loops.

use std::collections::BTreeMap;

use entasis_base::{Error, Result};

use super::listing::Instruction;
use super::{Binary, Choice, Code, Request, bad, flow, object};

/// Functions of one name that are told apart by their code at most.
const MOST_INSTANCES: usize = 32;
/// Candidates that an error lists at most.
const MOST_LISTED: usize = 20;

/// The function on both sides. Where several have the name, those with the same code on both sides
/// are pairs, and what is left is the pair that differs.
pub(super) fn functions<'a>(
    binaries: &'a [Binary; 2],
    request: &Request,
) -> Result<([Code<'a>; 2], Option<String>)> {
    let wanted = &request.function;
    let mut found = Vec::new();
    for binary in binaries {
        let matching = object::matching(&binary.functions, wanted);
        if matching.is_empty() {
            return Err(bad(format!(
                "No function `{wanted}` in {}: it may be inlined into its callers; ask for one of them",
                binary.path.display()
            )));
        }
        let names = object::names(&matching);
        if names.len() > 1 {
            let shown: Vec<&str> = names.iter().take(MOST_LISTED).map(String::as_str).collect();
            let more = names.len().saturating_sub(MOST_LISTED);
            let more = if more > 0 { format!("\n  and {more} more") } else { String::new() };
            return Err(bad(format!(
                "`{wanted}` means {} functions of {}; give more of the name:\n  {}{more}",
                names.len(),
                binary.path.display(),
                shown.join("\n  ")
            )));
        }
        if matching.len() > MOST_INSTANCES {
            return Err(bad(format!(
                "{} functions of {} are called {wanted} (instances for different types); name one \
                 by its symbol, as `nm` prints it",
                matching.len(),
                binary.path.display()
            )));
        }
        let codes: Result<Vec<Code>> = matching.into_iter().map(|f| binary.read(f)).collect();
        found.push(codes?);
    }
    let (Some(new), Some(old)) = (found.pop(), found.pop()) else {
        return Err(Error::logical("a comparison has two sides"));
    };
    pair([old, new], request)
}

fn pair<'a>(
    sides: [Vec<Code<'a>>; 2],
    request: &Request,
) -> Result<([Code<'a>; 2], Option<String>)> {
    for side in 0..2 {
        let count = sides[side].len();
        if let Some(pick) = request.picks[side].filter(|&pick| pick == 0 || pick > count) {
            let message = format!("There is no number {pick}: {count} functions have this name");
            return Err(bad(message));
        }
    }
    let asked = [0, 1].map(|side: usize| match request.picks[side] {
        Some(pick) => Some(pick - 1),
        None => (sides[side].len() == 1).then_some(0),
    });
    let undecided = asked.contains(&None) && request.picks == [None, None];
    let (places, note) = if undecided { by_code(&sides) } else { (asked, None) };
    let [Some(old), Some(new)] = places else {
        let hashes = |side: usize| sides[side].iter().map(|c| c.hash).collect::<Vec<_>>();
        return Err(bad(format!(
            "Several functions have this name (instances for different types); choose with \
             --pick LEFT,RIGHT:\n{}{}",
            instances("left", &sides[0], &hashes(1)),
            instances("right", &sides[1], &hashes(0))
        )));
    };
    let [mut left, mut right] = sides;
    Ok(([left.swap_remove(old), right.swap_remove(new)], note))
}

/// The pair that differs if the others have the same code on both sides, the largest if all have,
/// and why.
fn by_code(sides: &[Vec<Code>; 2]) -> ([Option<usize>; 2], Option<String>) {
    let alone = [0, 1].map(|side: usize| {
        let other = |code: &Code| sides[1 - side].iter().any(|c| c.hash == code.hash);
        let all = sides[side].iter().enumerate();
        all.filter(|(_, code)| !other(code)).map(|(at, _)| at).collect::<Vec<usize>>()
    });
    let counts = format!("{} and {} functions have this name", sides[0].len(), sides[1].len());
    match (&alone[0][..], &alone[1][..]) {
        (&[old], &[new]) => {
            let note = format!("{counts}; shown is the one pair whose code differs");
            ([Some(old), Some(new)], Some(note))
        }
        ([], []) => {
            let largest = sides[0].iter().enumerate().max_by_key(|(_, c)| c.instructions.len());
            let old = largest.map(|(at, _)| at);
            let new =
                largest.and_then(|(_, code)| sides[1].iter().position(|c| c.hash == code.hash));
            let note = "each with the same code on both sides; shown is the largest";
            ([old, new], Some(format!("{counts}, {note}")))
        }
        _ => ([None, None], None),
    }
}

/// A list of functions of one name, for who has to choose.
fn instances(side: &str, codes: &[Code], others: &[u64]) -> String {
    let line = |(at, code): (usize, &Code)| {
        let function = code.function;
        let same = if others.contains(&code.hash) { ", also on the other side" } else { "" };
        format!(
            "  {side} {}: {} bytes at {:#x}, code {:016x}{same}, {}\n",
            at + 1,
            function.size,
            function.address,
            code.hash,
            function.symbol
        )
    };
    codes.iter().enumerate().map(line).collect()
}

/// The loop to look at: its place, and why.
pub(super) fn hot_loop(
    loops: &[flow::Loop],
    code: &[Instruction],
    number: Option<usize>,
    weights: &BTreeMap<u64, u64>,
) -> Result<Option<(usize, Choice)>> {
    if let Some(number) = number {
        if number == 0 || number > loops.len() {
            return Err(bad(format!(
                "There is no loop {number}: the function has {}",
                loops.len()
            )));
        }
        return Ok(Some((number - 1, Choice::Number)));
    }
    let weight = |at: usize| -> u64 {
        // A sample's address may lie within an instruction, never beyond the next one.
        let hits = |place: &usize| {
            let end = code.get(place + 1).map_or(u64::MAX, |next| next.address);
            weights.range(code[*place].address..end).map(|(_, weight)| weight).sum::<u64>()
        };
        loops[at].body.iter().map(hits).sum()
    };
    let innermost = (0..loops.len()).filter(|&at| loops[at].innermost);
    let hottest = innermost.clone().max_by_key(|&at| (weight(at), std::cmp::Reverse(at)));
    if let Some(at) = hottest.filter(|&at| weight(at) > 0) {
        return Ok(Some((at, Choice::Samples(weight(at)))));
    }
    let longest = innermost.max_by_key(|&at| (loops[at].body.len(), std::cmp::Reverse(at)));
    Ok(longest.map(|at| (at, Choice::Longest)))
}
