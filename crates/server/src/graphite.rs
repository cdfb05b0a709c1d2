//! The rules of GraphiteMergeTree tables in the configuration: `[graphite.NAME]`.
//!
//! ```toml
//! [[graphite.graphite_rollup.pattern]]
//! regexp = "click_cost"
//! function = "any"
//! retention = [{ age = 0, precision = 5 }, { age = 86400, precision = 60 }]
//!
//! [graphite.graphite_rollup.default]
//! function = "max"
//! retention = [{ age = 0, precision = 60 }, { age = 3600, precision = 300 }]
//! ```

use entasis_engine::{RollupRule, Rollups};
use serde::Deserialize;

/// The rules of one name.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Graphite {
    /// The column of the names of metrics; `Path` if not given.
    pub path_column_name: Option<String>,
    /// The column of times; `Time` if not given.
    pub time_column_name: Option<String>,
    /// The column of values; `Value` if not given.
    pub value_column_name: Option<String>,
    /// The column of versions; `Timestamp` if not given.
    pub version_column_name: Option<String>,
    /// The rules, in the order in which they are tried.
    pub pattern: Vec<Pattern>,
    /// The rule of all metrics that no other rule is for.
    pub default: Option<Pattern>,
}

/// A rule.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Pattern {
    /// `all`, `plain`, `tagged` or `tag_list`.
    pub rule_type: String,
    /// A regular expression or, for `tag_list`, a list of tags.
    pub regexp: Option<String>,
    /// The aggregate function.
    pub function: Option<String>,
    /// Which precision values have from which age on.
    pub retention: Vec<Retention>,
}

/// The precision of values from an age on.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retention {
    /// Seconds since the time of the value.
    pub age: u64,
    /// Seconds to which times are rounded.
    pub precision: u64,
}

impl Graphite {
    /// The rules as the engine takes them.
    pub(crate) fn rollups(&self, name: &str) -> Rollups {
        let rule = |pattern: &Pattern, regexp: Option<&str>| RollupRule {
            rule_type: pattern.rule_type.clone(),
            regexp: regexp.map(str::to_owned),
            function: pattern.function.clone(),
            retentions: pattern.retention.iter().map(|r| (r.age, r.precision)).collect(),
        };
        // A pattern without a regular expression is for all metrics.
        let rules = self.pattern.iter().map(|p| rule(p, Some(p.regexp.as_deref().unwrap_or(""))));
        let default = self.default.iter().map(|pattern| rule(pattern, None));
        let mut rollups = Rollups::new(name, rules.chain(default).collect());
        for (given, column) in [
            (&self.path_column_name, &mut rollups.path_column),
            (&self.time_column_name, &mut rollups.time_column),
            (&self.value_column_name, &mut rollups.value_column),
            (&self.version_column_name, &mut rollups.version_column),
        ] {
            if let Some(given) = given {
                column.clone_from(given);
            }
        }
        rollups
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    #[test]
    fn rules_are_read_in_their_order() {
        let text = "[graphite.g]\npath_column_name = 'p'\n\
                    [[graphite.g.pattern]]\nregexp = 'a'\nfunction = 'sum'\n\
                    [[graphite.g.pattern]]\nrule_type = 'plain'\nregexp = 'b'\n\
                    retention = [{ age = 0, precision = 5 }]\n\
                    [graphite.g.default]\nfunction = 'max'\n";
        let config = Config::parse(text).unwrap();
        let rollups = config.graphite["g"].rollups("g");
        assert_eq!((&*rollups.path_column, &*rollups.version_column), ("p", "Timestamp"));
        let regexps: Vec<Option<&str>> =
            rollups.rules.iter().map(|rule| rule.regexp.as_deref()).collect();
        assert_eq!(regexps, [Some("a"), Some("b"), None]);
        assert_eq!(rollups.rules[1].retentions, [(0, 5)]);
        assert!(Config::parse("[graphite.g]\npatern = 1").is_err());
    }
}
