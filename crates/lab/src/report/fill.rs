//! The page: a frame, a style, a script, and the data.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use entasis_profile::flamegraph::escape;
use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::words::sentence;
use super::{Extras, data};
use crate::compare::Outcome;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// Helpers, tables, pictures, the overview, the view of one query.
const SCRIPTS: [&str; 5] = [
    include_str!("base.js"),
    include_str!("table.js"),
    include_str!("picture.js"),
    include_str!("query.js"),
    include_str!("overview.js"),
];

/// Stacks are added to a page up to this size, because a page shall stay below 500 KB.
const MOST: usize = 490_000;

/// The page of a run. It needs no other file and no network. Costs a sort of all samples; below
/// 500 KB for 3,000 queries.
pub fn page(outcome: &Outcome, extras: &Extras) -> String {
    let shell = PAGE.len() + STYLE.len() + SCRIPTS.iter().map(|script| script.len()).sum::<usize>();
    let (sections, data) = data::data(outcome, extras, MOST.saturating_sub(shell));
    let status = outcome.status().to_string();
    let sentence = sentence(outcome, &sections);
    let sides = outcome.run.sides.join(" \u{2192} ");
    let mut page = String::new();
    // The parts are put in one by one: a name that looks like a mark is not replaced.
    for part in PAGE.split("@@") {
        match part {
            "title" => escape(&format!("{}: {sides}", outcome.run.id), &mut page),
            "status" => escape(&status, &mut page),
            "state" => page.push_str(state(outcome)),
            "sentence" => escape(&sentence, &mut page),
            "style" => page.push_str(STYLE),
            "script" => SCRIPTS.iter().for_each(|script| page.push_str(script)),
            "data" => page.push_str(&packed(&data.to_string())),
            text => page.push_str(text),
        }
    }
    page
}

/// What ClickHouse's report says to machines: `success` or `failure`.
fn state(outcome: &Outcome) -> &'static str {
    if outcome.status().exit_code() == 0 { "success" } else { "failure" }
}

/// Bytes of zlib in base64, which the script's browser unpacks. Writing to memory does not fail.
pub(super) fn packed(text: &str) -> String {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(text.as_bytes());
    STANDARD.encode(written.and_then(|()| encoder.finish()).unwrap_or_default())
}
