//! All settings of the reference: the rows of `query.tsv` and `merge_tree.tsv`, which
//! `scripts/settings_table.py` writes, sorted by name.
//!
//! Every statement reads settings that work, and few statements name others. Therefore [`WORKING`]
//! has only the rows of settings that work, each found in the file by binary search. All rows are
//! read when another setting is looked up for the first time.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use entasis_analyze::names::{add_hint, near};
use entasis_base::{Error, ErrorCode, Result, codes};
use entasis_types::Value;

use super::kind::{EnumDef, Kind};
use super::list::{SETTINGS, SettingDef};

/// How Entasis treats a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The setting does what it says.
    Works,
    /// It is accepted and ignored, because ignoring it cannot change an answer.
    None,
    /// It is accepted and ignored, as in the reference.
    Obsolete,
    /// It is refused with other values than its default, because they would change answers.
    Refused,
}

impl Effect {
    /// The name in `system.settings`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Works => "works",
            Self::None => "no effect",
            Self::Obsolete => "obsolete",
            Self::Refused => "refused",
        }
    }
}

/// The definition of a setting.
#[derive(Debug)]
pub struct Known {
    /// Name of the setting.
    pub name: &'static str,
    /// Its type, which converts texts to values.
    pub kind: Kind,
    /// Name of the type in the reference.
    pub type_name: &'static str,
    /// The value that it has if it is not set.
    pub default: Value,
    /// The setting of which this is another name; empty if it is none.
    pub alias_for: &'static str,
    /// How mature it is, in the words of the reference.
    pub tier: &'static str,
    /// What becomes of it here.
    pub effect: Effect,
    /// Further values that a refused setting takes, with `|` between them.
    allowed: &'static str,
    /// What to do instead of setting it, if it is refused.
    note: &'static str,
    /// What it does, if it works.
    own_description: &'static str,
    /// Place of its value: its own, or that of the setting of which it is an alias.
    target: usize,
}

impl Known {
    /// A sentence about it, for `system.settings`.
    pub fn description(&self) -> String {
        match self.effect {
            Effect::Works if self.own_description.is_empty() => {
                format!("Another name of {}.", self.alias_for)
            }
            Effect::Works => self.own_description.to_string(),
            Effect::None => {
                "Accepted but ignored, which cannot change the result of a query.".to_string()
            }
            Effect::Obsolete => "Obsolete: accepted but ignored.".to_string(),
            Effect::Refused => {
                format!("Not supported: only the default is accepted. Instead: {}", self.note)
            }
        }
    }

    /// The default as text.
    pub fn default_text(&self) -> String {
        self.kind.text(&self.default)
    }

    /// Fails for a value that would change answers but is not implemented.
    pub fn check(&self, value: &Value) -> Result<()> {
        if self.effect != Effect::Refused || *value == self.default {
            return Ok(());
        }
        let text = self.kind.text(value);
        let mut allowed = self.allowed.split('|').filter(|v| !v.is_empty());
        if allowed.any(|v| v == text) {
            return Ok(());
        }
        let mut works = format!("'{}'", self.default_text());
        for value in self.allowed.split('|').filter(|v| !v.is_empty() && *v != self.default_text())
        {
            works.push_str(&format!(" or '{value}'"));
        }
        let message = format!(
            "Setting {} = '{text}' is not supported: only {works} is accepted. Instead: {}",
            self.name, self.note
        );
        Err(Error::new(codes::NOT_IMPLEMENTED, message))
    }
}

/// Settings by place and by name.
pub struct Table {
    /// All settings, by place.
    pub all: Vec<Known>,
    by_name: HashMap<&'static str, usize>,
}

impl Table {
    fn new(mut all: Vec<Known>) -> Self {
        let by_name: HashMap<_, _> = all.iter().enumerate().map(|(i, k)| (k.name, i)).collect();
        for at in 0..all.len() {
            let target = by_name.get(all[at].alias_for).copied().unwrap_or(at);
            let (effect, default) = (all[target].effect, all[target].default.clone());
            (all[at].target, all[at].default) = (target, default);
            if target != at {
                all[at].effect = effect;
            }
        }
        Self { all, by_name }
    }

    /// The setting with this name, and the place of its value. An alias has the place of its
    /// target.
    pub fn find(&self, name: &str) -> Option<(&Known, usize)> {
        let known = &self.all[*self.by_name.get(name)?];
        Some((known, known.target))
    }

    /// Whether there is a setting with this name.
    pub fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// The error for an unknown name, which suggests similar names.
    #[cold]
    pub fn unknown(&self, name: &str) -> Error {
        let mut message = format!("Unknown setting '{name}'");
        add_hint(&mut message, &near(name, self.all.iter().map(|k| k.name)));
        Error::new(codes::UNKNOWN_SETTING, message)
    }
}

static ENUMS: LazyLock<Vec<EnumDef>> = LazyLock::new(|| {
    let defs = include_str!("enums.tsv").lines().filter_map(|line| {
        let mut columns = line.split('\t');
        let (name, code, values) = (columns.next()?, columns.next()?, columns.next()?);
        let is_list = matches!(name, "JoinAlgorithm" | "MySQLDataTypesSupport");
        let values = values.split('|').collect();
        Some(EnumDef { name, code: ErrorCode(code.parse().ok()?), values, is_list })
    });
    defs.collect()
});

fn kind_of(name: &str) -> Option<Kind> {
    Some(match name {
        "UInt64" => Kind::UInt64,
        "NonZeroUInt64" => Kind::NonZeroUInt64,
        "UInt32" => Kind::UInt32,
        "Int64" => Kind::Int64,
        "Int32" => Kind::Int32,
        "Bool" => Kind::Bool,
        "BoolAuto" => Kind::BoolAuto,
        "UInt64Auto" => Kind::UInt64Auto,
        "FloatAuto" => Kind::FloatAuto,
        "MaxThreads" => Kind::MaxThreads,
        "Float" => Kind::Float,
        "Double" => Kind::Double,
        "Seconds" => Kind::Seconds,
        "Milliseconds" => Kind::Milliseconds,
        "String" | "URI" => Kind::String,
        "Timezone" => Kind::Timezone,
        "Char" => Kind::Char,
        "Map" => Kind::Map,
        other => Kind::Enum(ENUMS.iter().find(|def| def.name == other)?),
    })
}

/// Parses a row of a file. `None` if it is damaged, which a test would find.
fn row(line: &'static str, has_alias: bool) -> Option<Known> {
    let mut columns = line.split('\t');
    let (name, type_name, default) = (columns.next()?, columns.next()?, columns.next()?);
    let alias_for = if has_alias { columns.next()? } else { "" };
    let (tier, effect) = (columns.next()?, columns.next()?);
    let (allowed, note) = (columns.next()?, columns.next()?);
    let kind = kind_of(type_name)?;
    Some(Known {
        name,
        kind,
        type_name,
        default: kind.parse(&unescaped(default)).ok()?,
        alias_for,
        tier,
        effect: match effect {
            "works" => Effect::Works,
            "none" => Effect::None,
            "obsolete" => Effect::Obsolete,
            _ => Effect::Refused,
        },
        allowed,
        note,
        own_description: "",
        target: 0,
    })
}

/// Replaces the escapes in a text of the files: `
/// `, `\t`, `\0`, `\\`.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('0') => out.push('\0'),
                Some(other) => out.push(other),
                None => {}
            },
            (c, false) => out.push(c),
        }
    }
    out
}

const QUERY: &str = include_str!("query.tsv");
const MERGE_TREE: &str = include_str!("merge_tree.tsv");

/// The settings of [`SETTINGS`], at the places of their constants.
static WORKING: LazyLock<Table> = LazyLock::new(|| Table::new(working()));

/// The settings of statements and sessions.
static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut all = working();
    let names: HashSet<&str> = SETTINGS.iter().map(|def| def.name).collect();
    let rest =
        QUERY.lines().filter(|line| !line.split('\t').next().is_some_and(|n| names.contains(n)));
    all.extend(rest.filter_map(|line| row(line, true)));
    Table::new(all)
});

fn working() -> Vec<Known> {
    let known = |def: &SettingDef| {
        let found = line_of(QUERY, def.name).and_then(|line| row(line, true));
        let mut known = found.unwrap_or_else(|| own(def.name, def.own_type));
        known.effect = Effect::Works;
        known.own_description = def.description;
        if !def.own_default.is_empty() || !def.own_type.is_empty() {
            known.default = known.kind.parse(def.own_default).unwrap_or(Value::Null);
        }
        known
    };
    SETTINGS.iter().map(known).collect()
}

/// The line of a sorted text whose first column is `name`.
fn line_of(text: &'static str, name: &str) -> Option<&'static str> {
    let bytes = text.as_bytes();
    let start_of = |at: usize| bytes[..at].iter().rposition(|b| *b == b'\n').map_or(0, |p| p + 1);
    // The wanted line begins in `low..high`.
    let (mut low, mut high) = (0, text.len());
    while low < high {
        let start = start_of(low.midpoint(high));
        let line = text[start..].lines().next()?;
        match line.split('\t').next()?.cmp(name) {
            Ordering::Equal => return Some(line),
            Ordering::Less => low = start + line.len() + 1,
            Ordering::Greater => high = start,
        }
    }
    None
}

/// A setting of statements and sessions, and the place of its value. An alias has the place of its
/// target.
pub fn find(name: &str) -> Option<(&'static Known, usize)> {
    WORKING.find(name).or_else(|| TABLE.find(name))
}

/// The setting at a place.
pub fn at(place: usize) -> &'static Known {
    WORKING.all.get(place).unwrap_or_else(|| &TABLE.all[place])
}

/// All settings of statements and sessions: first those of [`SETTINGS`], at the places of their
/// constants, then all others by name.
pub fn all() -> &'static [Known] {
    &TABLE.all
}

/// The error for an unknown name, which suggests similar names.
#[cold]
pub fn unknown(name: &str) -> Error {
    TABLE.unknown(name)
}

/// The settings of MergeTree tables.
pub static OF_MERGE_TREE: LazyLock<Table> =
    LazyLock::new(|| Table::new(MERGE_TREE.lines().filter_map(|line| row(line, false)).collect()));

/// The definition of a setting that the reference does not have.
fn own(name: &'static str, type_name: &'static str) -> Known {
    Known {
        name,
        kind: kind_of(type_name).unwrap_or(Kind::String),
        type_name,
        default: Value::Null,
        alias_for: "",
        tier: "Production",
        effect: Effect::Works,
        allowed: "",
        note: "",
        own_description: "",
        target: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read_and_every_default_is_a_value() {
        let own = SETTINGS.iter().filter(|def| !def.own_type.is_empty()).count();
        assert_eq!(TABLE.all.len(), QUERY.lines().count() + own);
        assert_eq!(OF_MERGE_TREE.all.len(), MERGE_TREE.lines().count());
        for known in TABLE.all.iter().chain(&OF_MERGE_TREE.all) {
            let shown = known.default_text();
            let again = known.kind.parse(&shown);
            assert_eq!(again.ok().as_ref(), Some(&known.default), "{} = {shown}", known.name);
            assert!(known.check(&known.default).is_ok(), "{}", known.name);
            assert!(!known.description().is_empty(), "{}", known.name);
        }
    }

    #[test]
    fn every_setting_is_judged() {
        for known in TABLE.all.iter().chain(&OF_MERGE_TREE.all) {
            let name = known.name;
            // Notes on an alias are in the row of the setting itself.
            if !known.alias_for.is_empty() {
                continue;
            }
            match known.effect {
                Effect::Refused => {
                    assert!(known.note.ends_with('.'), "{name} does not say what to do instead");
                    assert!(!known.note.contains("new in the reference"), "{name} is not judged");
                }
                _ => assert!(known.note.is_empty() && known.allowed.is_empty(), "{name}"),
            }
            for value in known.allowed.split('|').filter(|v| !v.is_empty()) {
                assert!(known.kind.parse(value).is_ok(), "{name} cannot be {value}");
            }
            let is_obsolete = known.tier == "Obsolete" && known.effect != Effect::Works;
            assert_eq!(known.effect == Effect::Obsolete, is_obsolete, "{name}");
        }
    }

    #[test]
    fn the_file_and_the_list_agree_about_what_works() {
        let in_file = |line: &str| {
            let columns: Vec<&str> = line.split('\t').collect();
            (columns[5] == "works").then(|| columns[0].to_string())
        };
        let mut file: Vec<String> = QUERY.lines().filter_map(in_file).collect();
        let of_reference = SETTINGS.iter().filter(|def| def.own_type.is_empty());
        let mut list: Vec<String> = of_reference.map(|def| def.name.to_string()).collect();
        file.sort();
        list.sort();
        assert_eq!(file, list);
    }

    #[test]
    fn aliases_lead_to_settings() {
        let aliases = TABLE.all.iter().filter(|k| !k.alias_for.is_empty());
        for alias in aliases {
            assert!(TABLE.has(alias.alias_for), "{} of {}", alias.name, alias.alias_for);
            assert_eq!(TABLE.all[alias.target].name, alias.alias_for);
        }
    }
}
