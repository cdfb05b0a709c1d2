//! Command lines: `--name value`, `--name=value`, `-x value`; whatever is not an option of the
//! command itself is a setting.

use entasis_base::Result;

use crate::report::{bad_arguments, with_hint};

/// An option that a command knows.
#[derive(Clone, Copy)]
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

impl Known {
    /// An option that a value follows.
    pub const fn value(long: &'static str, short: &'static [char], help: &'static str) -> Self {
        Self { long, short, takes_value: true, help }
    }

    /// An option that stands for itself.
    pub const fn flag(long: &'static str, short: &'static [char], help: &'static str) -> Self {
        Self { long, short, takes_value: false, help }
    }
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
            Some(text) => text.replace('_', "").parse().map_err(|_| {
                bad_arguments(format!("Option --{long} takes a whole number, not `{text}`"))
            }),
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
                    out.settings.push(setting(&name, value, &mut rest, known)?);
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
        let unknown = || bad_arguments(format!("Unknown option `{arg}`; see --help"));
        let option = found.ok_or_else(unknown)?;
        let value = match (option.takes_value, value) {
            (true, Some(value)) => value,
            (true, None) => rest
                .next()
                .cloned()
                .ok_or_else(|| bad_arguments(format!("Option --{} needs a value", option.long)))?,
            (false, Some(_)) if !arg.starts_with("--") => {
                let message = format!("Option -{} takes no value: `{arg}`", option.short[0]);
                return Err(bad_arguments(message));
            }
            (false, value) => value.unwrap_or_default(),
        };
        out.given.push((option.long, value));
    }
    Ok(out)
}

/// A long name that is no option: a setting, or something misspelt.
fn setting(
    name: &str,
    value: Option<String>,
    rest: &mut std::slice::Iter<'_, String>,
    known: &[Known],
) -> Result<(String, String)> {
    let setting = name.replace('-', "_");
    let is_setting = setting.starts_with("param_")
        || entasis_engine::Settings::default().by_name(&setting).is_some();
    let near = entasis_engine::near(name, known.iter().map(|k| k.long));
    if !is_setting && !near.is_empty() {
        let near: Vec<String> = near.iter().map(|n| format!("--{n}")).collect();
        let near: Vec<&str> = near.iter().map(String::as_str).collect();
        return Err(bad_arguments(with_hint(format!("Unknown option --{name}"), &near)));
    }
    let value = value.or_else(|| rest.next().cloned()).ok_or_else(|| {
        let what = if is_setting { "Setting" } else { "Unknown option; as a setting," };
        bad_arguments(format!("{what} --{setting} needs a value: --{setting}=VALUE. See --help"))
    })?;
    Ok((setting, value))
}

/// The `--help` of a command.
pub fn help(head: &str, known: &[Known]) -> String {
    let mut text = format!("{head}\n\nOptions:\n");
    for option in known {
        let mut names: Vec<String> = option.short.iter().map(|c| format!("-{c}")).collect();
        names.push(format!("--{}", option.long));
        let value = if option.takes_value { " VALUE" } else { "" };
        text.push_str(&format!("  {:<28} {}\n", names.join(", ") + value, option.help));
    }
    text.trim_end().to_string()
}

/// [`help`] of a command that takes settings.
pub fn help_with_settings(head: &str, known: &[Known]) -> String {
    help(head, known)
        + "\n  --NAME=VALUE                 any setting, as in --max_threads=1; system.settings lists all\
           \n  --param_NAME=VALUE           value of the query parameter {NAME:Type}"
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[Known] = &[Known::value("query", &['q'], ""), Known::flag("time", &['t'], "")];

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

    #[test]
    fn misspelt_options_get_a_hint() {
        let error = parsed(&["--qery", "SELECT 1"]).unwrap_err();
        assert!(error.message().contains("Maybe you meant: --query"), "{error}");
        assert!(parsed(&["--max_threads"]).unwrap_err().message().contains("needs a value"));
        assert!(parsed(&["-tx"]).unwrap_err().message().contains("takes no value"));
    }

    #[test]
    fn names_of_settings_take_dashes_and_parameters_keep_underscores() {
        let args = parsed(&["--max-threads", "2", "--param_my_id=7"]).unwrap();
        let settings: Vec<_> = args.settings.iter().map(|(n, v)| (&**n, &**v)).collect();
        assert_eq!(settings, [("max_threads", "2"), ("param_my_id", "7")]);
    }
}
