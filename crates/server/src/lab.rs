//! The page `/lab`: the history that the laboratory left in this server's database `lab`.
//!
//! The server only hands the page out. Its script asks the HTTP interface, with the credentials of
//! who reads it, so it shows what that user may read. Style, helpers and tables are those of the
//! laboratory's report, the statements those of its history: files of the crate `lab`, put in when
//! this is compiled, since no code of that crate is needed here.

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

/// The page. It needs no other file and no network but this server.
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
