//! Flame graphs as pages: of one profile, or of the difference of two.
//!
//! A page is one text that needs nothing else: the frames as data, a style, and a script that draws
//! them. A policy in its head forbids it to load anything. Names come from programs and from SQL.
//! They are in the page as JSON in which `<` cannot occur, and the script inserts them as text.

use std::fmt::Write;

use crate::difference::{Difference, Normalisation};
use crate::folded::Folded;
use crate::tree::Tree;

const PAGE: &str = include_str!("flamegraph/page.html");
const STYLE: &str = include_str!("flamegraph/page.css");
const SCRIPT: &str = include_str!("flamegraph/page.js");

/// Frames of a page at most; the lightest are left out, and the page says so.
const MOST_FRAMES: usize = 50_000;

/// What a weight is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Samples of a timer with this period, in nanoseconds; 0 if it is not known.
    Samples {
        /// The period.
        period_ns: u64,
    },
    /// Nanoseconds.
    Time,
    /// Bytes.
    Bytes,
    /// Something counted.
    Count,
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Self::Samples { .. } => "samples",
            Self::Time => "time",
            Self::Bytes => "bytes",
            Self::Count => "count",
        }
    }

    fn period(self) -> u64 {
        match self {
            Self::Samples { period_ns } => period_ns,
            Self::Time | Self::Bytes | Self::Count => 0,
        }
    }
}

/// The page of one profile. `query` names it (its id), `kind` says what was sampled ("CPU").
pub fn page(folded: &Folded, query: &str, kind: &str, unit: Unit) -> String {
    let tree = Tree::new(&[folded]);
    fill(&tree, &[(query, folded.total())], kind, unit, 1.0)
}

/// The page of the difference between two profiles, `(id, profile)` each: widths and colours by
/// raw or scaled weights (a switch), frames that are in one only, functions that changed most.
pub fn difference_page(
    before: (&str, &Folded),
    after: (&str, &Folded),
    kind: &str,
    unit: Unit,
) -> String {
    let tree = Tree::new(&[before.1, after.1]);
    let factor = Difference::new(before.1, after.1).factor(Normalisation::Scaled);
    let sides = [(before.0, before.1.total()), (after.0, after.1.total())];
    fill(&tree, &sides, kind, unit, factor)
}

/// The page of a difference in two parts, for a page that shows several of them: a frame with the
/// mark `@@data@@` in place of the data, and the data, which may replace it. Of more than `most`
/// frames the lightest are left out.
pub fn difference_parts(
    before: (&str, &Folded),
    after: (&str, &Folded),
    kind: &str,
    unit: Unit,
    most: usize,
) -> (String, String) {
    let tree = Tree::new(&[before.1, after.1]);
    let factor = Difference::new(before.1, after.1).factor(Normalisation::Scaled);
    let frame = frame(kind, "@@data@@");
    (frame, data(&tree, &[before.0, after.0], kind, unit, factor, most))
}

fn fill(tree: &Tree, sides: &[(&str, i64)], kind: &str, unit: Unit, factor: f64) -> String {
    let queries: Vec<&str> = sides.iter().map(|side| side.0).collect();
    let title = match sides.len() {
        1 => format!("{kind} flame graph of {}", queries[0]),
        _ => format!("{kind}: {}", queries.join(" \u{2192} ")),
    };
    frame(&title, &data(tree, &queries, kind, unit, factor, MOST_FRAMES))
}

fn frame(title: &str, data: &str) -> String {
    let mut page = String::with_capacity(PAGE.len() + STYLE.len() + SCRIPT.len() + data.len());
    // The parts are put in one by one: a name that looks like a mark is not replaced.
    for part in PAGE.split("@@") {
        match part {
            "title" => escape(title, &mut page),
            "style" => page.push_str(STYLE),
            "script" => page.push_str(SCRIPT),
            "data" => page.push_str(data),
            text => page.push_str(text),
        }
    }
    page
}

/// The data of the script: frames as four lists, names once.
fn data(tree: &Tree, queries: &[&str], kind: &str, unit: Unit, factor: f64, most: usize) -> String {
    let least = lightest(tree, most);
    let kept: Vec<_> =
        tree.nodes.iter().filter(|node| node.total[0].max(node.total[1]) >= least).collect();
    let mut out = String::from("{\"queries\":");
    list(&mut out, queries, |out, query| json(query, out));
    out.push_str(",\"kind\":");
    json(kind, &mut out);
    let (name, period) = (unit.name(), unit.period());
    let left_out = tree.nodes.len() - kept.len();
    let _ = write!(out, ",\"unit\":\"{name}\",\"period\":{period},\"factor\":{factor}");
    let _ = write!(out, ",\"leftOut\":{left_out},\"depths\":");
    list(&mut out, &kept, |out, node| number(out, node.depth as i64));
    out.push_str(",\"frames\":");
    list(&mut out, &kept, |out, node| number(out, node.name as i64));
    for (side, key) in ["before", "after"].into_iter().enumerate().take(queries.len()) {
        let _ = write!(out, ",\"{key}\":");
        list(&mut out, &kept, |out, node| number(out, node.total[side]));
    }
    out.push_str(",\"names\":");
    list(&mut out, &tree.names, |out, name| json(name, out));
    out.push('}');
    out
}

/// The weight under which frames are left out. A caller weighs no less than what it calls, so
/// what is kept is a tree.
fn lightest(tree: &Tree, most: usize) -> i64 {
    if tree.nodes.len() <= most {
        return 0;
    }
    let mut weights: Vec<i64> =
        tree.nodes.iter().map(|node| node.total[0].max(node.total[1])).collect();
    weights.sort_unstable_by_key(|&weight| std::cmp::Reverse(weight));
    weights[most] + 1
}

fn list<T>(out: &mut String, items: &[T], one: impl Fn(&mut String, &T)) {
    out.push('[');
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        one(out, item);
    }
    out.push(']');
}

fn number(out: &mut String, value: i64) {
    let _ = write!(out, "{value}");
}

/// Appends a text so that it stands as it is within HTML: in elements, attributes and comments.
pub fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
}

/// A text as JSON that may stand in a script element: nothing in it can end that.
fn json(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLES: Unit = Unit::Samples { period_ns: 1000 };

    #[test]
    fn a_page_holds_the_frames_and_loads_nothing() {
        let folded = Folded::parse("main;scan 3\nmain;sort;compare 5\n").0;
        let page = page(&folded, "id-1", "CPU", SAMPLES);
        assert!(page.contains("<title>CPU flame graph of id-1</title>"));
        assert!(page.contains("\"names\":[\"all\",\"main\",\"scan\",\"sort\",\"compare\"]"));
        assert!(page.contains("\"depths\":[0,1,2,2,3]") && page.contains("\"before\":[8,8,3,5,5]"));
        assert!(page.contains("default-src 'none'") && !page.contains("@@"));
        for outside in ["src=\"", "@import", "href=\"http", "fetch(", "XMLHttp"] {
            assert!(!page.contains(outside), "{outside}");
        }
    }

    #[test]
    fn names_cannot_leave_their_place() {
        let evil = "</script><img onerror=alert(1)>\"'\\\u{2028}@@script@@";
        let mut folded = Folded::new();
        folded.add([evil, "<T as U>::f"], 1);
        for page in [
            page(&folded, evil, evil, SAMPLES),
            difference_page((evil, &folded), (evil, &folded), evil, Unit::Bytes),
        ] {
            assert!(!page.contains("<img") && !page.contains("<T as U>"));
            assert!(page.contains("\\u003cT as U\\u003e::f"));
            assert_eq!(page.matches("</script>").count(), 2);
            assert_eq!(page.matches(SCRIPT).count(), 1);
        }
    }

    #[test]
    fn a_difference_has_both_sides_and_the_factor() {
        let before = Folded::parse("main;old 30\nmain;scan 10\n").0;
        let after = Folded::parse("main;scan 20\nmain;new 140\n").0;
        let page = difference_page(("a", &before), ("b", &after), "CPU", SAMPLES);
        assert!(page.contains("\"factor\":0.25,") && page.contains("\"queries\":[\"a\",\"b\"]"));
        assert!(page.contains("\"before\":[40,40,0,30,10],\"after\":[160,160,140,0,20]"));
    }

    #[test]
    fn the_parts_of_a_difference_make_its_page() {
        let before = Folded::parse("main;old 30\n").0;
        let after = Folded::parse("main;new 140\n").0;
        let parts = |most| difference_parts(("a", &before), ("b", &after), "CPU", Unit::Time, most);
        let (frame, data) = parts(100);
        assert_eq!(frame.matches("@@data@@").count(), 1);
        let page = difference_page(("a", &before), ("b", &after), "CPU", Unit::Time);
        assert!(page.contains(&data) && data.contains("\"unit\":\"time\""));
        assert!(parts(2).1.contains("\"leftOut\":"));
    }

    #[test]
    fn light_frames_of_a_huge_profile_are_left_out() {
        let mut folded = Folded::new();
        folded.add(["heavy"], 1000);
        (0..MOST_FRAMES).for_each(|i| folded.add([format!("f{i}")], 1 + (i % 2) as i64));
        let page = page(&folded, "id", "Real", SAMPLES);
        assert!(page.contains(&format!("\"leftOut\":{}", MOST_FRAMES / 2)), "{}", &page[..2000]);
    }

    #[test]
    fn no_stacks_make_a_page_too() {
        assert!(page(&Folded::new(), "id", "Memory", Unit::Count).contains("\"before\":[0]"));
    }
}
