//! Command lines: `--name value`, `--name=value`, `-x value`; whatever is not an option of the
//! command itself is a setting.

use entasis_base::{Error, Result, codes};

/// An option that a command knows.
pub struct Known {
    /// Long name without the dashes.
    pub long: &'static str,
    /// One-letter names.
    pub short: &'static [char],
    /// Whether a value follows.
    pub takes_value: bool,
    /// For `--help`.
    pub help: &'static str,
}

/// Parsed options in the order they were given.
#[derive(Debug, Default)]
pub struct Args {
    /// Known options by long name; flags have the value "".
    pub given: Vec<(&'static str, String)>,
    /// `--name=value` of settings.
    pub settings: Vec<(String, String)>,
    /// Words that belong to no option.
    pub words: Vec<String>,
}

impl Args {
    /// The last value of an option.
    pub fn value(&self, long: &str) -> Option<&str> {
        self.given.iter().rev().find(|(n, _)| *n == long).map(|(_, v)| v.as_str())
    }

    /// All values of an option.
    pub fn values<'a>(&'a self, long: &'a str) -> impl Iterator<Item = &'a str> {
        self.given.iter().filter(move |(n, _)| *n == long).map(|(_, v)| v.as_str())
    }

    /// Whether a flag was given.
    pub fn has(&self, long: &str) -> bool {
        self.value(long).is_some()
    }

    /// A whole number.
    pub fn number(&self, long: &str, default: u64) -> Result<u64> {
        match self.value(long) {
            None => Ok(default),
            Some(text) => text
                .replace('_', "")
                .parse()
                .map_err(|_| bad(format!("Option --{long} takes a whole number, not `{text}`"))),
        }
    }
}

/// Parses `args` against the options that a command knows.
pub fn parse(args: &[String], known: &[Known]) -> Result<Args> {
    let mut out = Args::default();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let (found, value) = match arg.strip_prefix("--") {
            Some(long) => {
                let (name, value) = match long.split_once('=') {
                    Some((name, value)) => (name, Some(value.to_string())),
                    None => (long, None),
                };
                let name = name.replace('_', "-");
                let found = known.iter().find(|k| k.long == name);
                if found.is_none() {
                    let name = name.replace('-', "_");
                    let value = value.or_else(|| rest.next().cloned()).ok_or_else(|| {
                        bad(format!("Option or setting --{name} needs a value: --{name}=VALUE"))
                    })?;
                    out.settings.push((name, value));
                    continue;
                }
                (found, value)
            }
            None => match arg.strip_prefix('-').and_then(|s| s.chars().next()) {
                Some(letter) => {
                    let found = known.iter().find(|k| k.short.contains(&letter));
                    let inline = arg[1 + letter.len_utf8()..].to_string();
                    (found, (!inline.is_empty()).then_some(inline))
                }
                None => {
                    out.words.push(arg.clone());
                    continue;
                }
            },
        };
        let option = found.ok_or_else(|| bad(format!("Unknown option `{arg}`; try --help")))?;
        let value = match (option.takes_value, value) {
            (true, Some(value)) => value,
            (true, None) => rest
                .next()
                .cloned()
                .ok_or_else(|| bad(format!("Option --{} needs a value", option.long)))?,
            (false, value) => value.unwrap_or_default(),
        };
        out.given.push((option.long, value));
    }
    Ok(out)
}

/// The `--help` of a command.
pub fn help(head: &str, known: &[Known]) -> String {
    let mut text = format!("{head}\n\n");
    for option in known {
        let mut names: Vec<String> = option.short.iter().map(|c| format!("-{c}")).collect();
        names.push(format!("--{}", option.long));
        let value = if option.takes_value { " VALUE" } else { "" };
        text.push_str(&format!("  {:<34} {}\n", names.join(", ") + value, option.help));
    }
    text.push_str("  --NAME=VALUE                       any setting, e.g. --max_threads=1");
    text
}

fn bad(message: String) -> Error {
    Error::new(codes::BAD_ARGUMENTS, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[Known] = &[
        Known { long: "query", short: &['q'], takes_value: true, help: "" },
        Known { long: "time", short: &['t'], takes_value: false, help: "" },
    ];

    fn parsed(line: &[&str]) -> Result<Args> {
        parse(&line.iter().map(ToString::to_string).collect::<Vec<_>>(), KNOWN)
    }

    #[test]
    fn options_settings_and_words() {
        let args = parsed(&["-q", "a", "--query=b", "--max_threads=1", "-t", "file"]).unwrap();
        assert_eq!(args.values("query").collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(args.settings, [("max_threads".to_string(), "1".to_string())]);
        assert!(args.has("time"));
        assert_eq!(args.words, ["file"]);
        assert!(parsed(&["-q"]).is_err() && parsed(&["-x"]).is_err());
    }
}
