//! Hints in comments of test scripts: `-- { serverError NAME }`, `-- { echoOn }`, `-- { echoOff }`.

/// What the comments around a statement ask for.
#[derive(Debug, Default, PartialEq)]
pub struct Hints {
    /// Names (or numbers) of the errors of which one must come.
    pub errors: Vec<String>,
    /// Switches echoing on or off from this statement on.
    pub echo: Option<bool>,
}

/// Hints in a stretch of text between or behind statements.
pub fn read(text: &str) -> Hints {
    let mut hints = Hints::default();
    for line in text.lines() {
        let Some(comment) = line.find("--").map(|at| &line[at + 2..]) else { continue };
        let Some(inner) = comment.split_once('{').and_then(|(_, rest)| rest.split_once('}')) else {
            continue;
        };
        let mut words = inner.0.split_whitespace();
        match words.next() {
            Some("echoOn") => hints.echo = Some(true),
            Some("echoOff") => hints.echo = Some(false),
            Some("serverError" | "clientError" | "error") => {
                let names = words.flat_map(|w| w.split(',')).filter(|w| !w.is_empty());
                hints.errors = names.map(str::to_string).collect();
            }
            _ => {}
        }
    }
    hints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lists_and_switches() {
        assert_eq!(read("-- { serverError A, 62 }\n").errors, ["A", "62"]);
        assert_eq!(read("-- { echoOn }").echo, Some(true));
        assert_eq!(read("-- a comment { braces"), Hints::default());
    }
}
