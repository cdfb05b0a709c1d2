//! The hot loops of the functions that explain a change, as far as a page has room for them.

use serde_json::{Value, json};

use super::Extras;
use super::data::{digits, quoted, within};
use crate::compare::Outcome;
use crate::store::RunRow;
use crate::why::asm::Excerpt;

/// Bytes that loops may take in a page, before compression.
const MOST_CODE: usize = 60_000;
/// Lines of a loop that a page has, the last of which says what is left out.
const LINES: usize = 200;

/// By query: `[function, same, old, new, cpus, old cycles, new cycles, note]`, `new` null where it
/// is the text of `old`; queries that there was no room for; and the sides, as `entasis lab asm`
/// takes them.
pub(super) fn data(run: &RunRow, extras: &Extras, order: &[u32]) -> Value {
    let one = |unit: u32| {
        let Excerpt { function, same, loops: [old, new], cpus, cycles, note } =
            extras.code.get(&unit)?;
        let [before, after] = cycles.each_ref().map(|side| {
            let side = side.iter().map(|cycles| digits(*cycles, 4));
            side.collect::<Value>()
        });
        let other = (new != old).then(|| cut(new));
        Some(json!([function, same, cut(old), other, cpus, before, after, note]))
    };
    let shown = within(MOST_CODE, order, one);
    let left: Vec<&u32> =
        extras.code.keys().filter(|unit| shown.get(unit.to_string()).is_none()).collect();
    json!({"sides": sides(run), "left_out": left, "of": shown})
}

/// The options of `entasis lab asm` that name a run's sides, as the run had them.
fn sides(run: &RunRow) -> String {
    let words = run.again();
    let given = |name: &str| {
        let at = words.iter().position(|word| {
            word.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        })?;
        let value = words[at].split_once('=').map(|(_, value)| value);
        let value = value.or(words.get(at + 1).map(String::as_str))?;
        Some(format!("{name} {}", quoted(value)))
    };
    let options: Vec<String> =
        ["--left", "--right", "--dir"].into_iter().filter_map(given).collect();
    options.join(" ")
}

fn cut(text: &str) -> String {
    let count = text.lines().count();
    if count <= LINES {
        return text.to_owned();
    }
    let mut lines: Vec<&str> = text.lines().take(LINES - 1).collect();
    let rest = format!("... and {} more", count + 1 - LINES);
    lines.push(&rest);
    lines.join("\n")
}

/// For programs: queries that have any, without the loops' texts.
pub(super) fn programs(outcome: &Outcome, extras: &Extras) -> Value {
    let all = extras.code.iter().map(|(unit, found)| {
        let query = &outcome.queries[*unit as usize];
        let [old, new] = &found.cycles;
        let both = found.cpus.iter().zip(old.iter().zip(new));
        let cycles: serde_json::Map<String, Value> =
            both.map(|(cpu, (old, new))| (cpu.clone(), json!({"old": old, "new": new}))).collect();
        json!({
            "test": query.test, "index": query.index, "function": found.function,
            "same": found.same, "cycles": cycles, "note": found.note,
        })
    });
    all.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_loops_are_cut() {
        let lines = |count: usize| vec!["nop"; count].join("\n");
        assert_eq!(cut(&lines(LINES)), lines(LINES));
        let long = cut(&lines(LINES + 1));
        assert_eq!(long.lines().count(), LINES);
        assert_eq!(long.lines().next_back(), Some("... and 2 more"));
    }
}
