//! The rules of GraphiteMergeTree tables, as the server's configuration gives them.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};

/// The name of the rules that exist without any configuration.
const USUAL: &str = "graphite_rollup";

/// Rules under a name, which the argument of the engine gives.
#[derive(Clone, Debug)]
pub struct Rollups {
    /// The name.
    pub name: String,
    /// The column of the names of metrics.
    pub path_column: String,
    /// The column of times.
    pub time_column: String,
    /// The column of values.
    pub value_column: String,
    /// The column of versions.
    pub version_column: String,
    /// The rules in the order in which they are tried; the default is the last one.
    pub rules: Vec<RollupRule>,
}

/// A rule for some metrics.
#[derive(Clone, Debug, Default)]
pub struct RollupRule {
    /// `all`, `plain`, `tagged` or `tag_list`; empty means `all`.
    pub rule_type: String,
    /// The regular expression, or the list of tags; `None` is the default rule.
    pub regexp: Option<String>,
    /// The aggregate function.
    pub function: Option<String>,
    /// Ages and precisions in seconds.
    pub retentions: Vec<(u64, u64)>,
}

impl Rollups {
    /// Rules with the usual names of columns.
    pub fn new(name: impl Into<String>, rules: Vec<RollupRule>) -> Self {
        Self {
            name: name.into(),
            path_column: "Path".to_string(),
            time_column: "Time".to_string(),
            value_column: "Value".to_string(),
            version_column: "Timestamp".to_string(),
            rules,
        }
    }

    /// The rules that the reference's documentation gives as an example.
    fn usual() -> Self {
        let rule = |regexp: Option<&str>, function: &str, retentions: &[(u64, u64)]| RollupRule {
            regexp: regexp.map(str::to_owned),
            function: Some(function.to_owned()),
            retentions: retentions.to_vec(),
            ..RollupRule::default()
        };
        let rules = vec![
            rule(Some("click_cost"), "any", &[(0, 5), (86400, 60)]),
            rule(None, "max", &[(0, 60), (3600, 300), (86400, 3600)]),
        ];
        Self::new(USUAL, rules)
    }
}

/// All rules of the configuration.
#[derive(Clone, Debug, Default)]
pub(crate) struct AllRollups(pub(crate) Arc<[Rollups]>);

impl AllRollups {
    /// The rules of this name.
    pub(crate) fn find(&self, name: &str) -> Result<Rollups> {
        if let Some(found) = self.0.iter().find(|rollups| rollups.name == name) {
            return Ok(found.clone());
        }
        if name == USUAL {
            return Ok(Rollups::usual());
        }
        let message = format!(
            "No '{name}' element in configuration file: write its rules under [graphite.{name}] in the \
             server's configuration"
        );
        Err(Error::new(codes::NO_ELEMENTS_IN_CONFIG, message))
    }
}
