//! The page `/lab`: the history that the laboratory has written to the database `lab` of this
//! server.
//!
//! The server only delivers the page. Its script uses the HTTP interface with the credentials of
//! the reader, so it shows what this user may read. Style, helper functions and tables are those of
//! the laboratory's report, and the statements are those of its history. They are files of the
//! crate `lab` that are included when this crate is compiled, because none of that crate's code is
//! needed here.

use std::sync::LazyLock;

const PAGE: &str = include_str!("lab/page.html");
const STYLE: &str = include_str!("../../lab/src/report/page.css");
const SCRIPTS: [&str; 6] = [
    include_str!("../../lab/src/report/base.js"),
    include_str!("../../lab/src/report/table.js"),
    include_str!("../../lab/src/report/picture.js"),
    include_str!("lab/ask.js"),
    include_str!("lab/chart.js"),
    include_str!("lab/page.js"),
];

/// The page. It needs no other file, and no network except this server.
pub(crate) static TEXT: LazyLock<String> = LazyLock::new(|| {
    let mut page = String::new();
    for part in PAGE.split("@@") {
        match part {
            "style" => page.push_str(STYLE),
            "script" => SCRIPTS.iter().for_each(|script| page.push_str(script)),
            "levels" => page.push_str(include_str!("../../lab/src/history/levels.sql")),
            "steps" => page.push_str(include_str!("../../lab/src/history/steps.sql")),
            "points" => page.push_str(include_str!("../../lab/src/history/points.sql")),
            "changes" => page.push_str(include_str!("../../lab/src/history/changes.sql")),
            text => page.push_str(text),
        }
    }
    page
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mark_is_filled_and_nothing_ends_a_script_early() {
        assert!(!TEXT.contains("@@"));
        assert_eq!(TEXT.matches("</script>").count(), PAGE.matches("</script>").count());
        assert!(
            TEXT.contains("quantileExactInclusive(0.5)(middle)")
                && TEXT.contains("async function route")
        );
    }
}
