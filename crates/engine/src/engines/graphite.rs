//! `ENGINE = GraphiteMergeTree`: merges thin out and aggregate the values of metrics by rules of
//! the server's configuration.

use std::sync::Arc;

use entasis_analyze::bind;
use entasis_base::{Error, Result, codes};
use entasis_expr::{ColumnId, Expr};
use entasis_function::registry;
use entasis_mergetree::{Graphite, GraphiteRule, KeptRow, MergeAlgorithm, RollupFunction};
use entasis_sql::ast;
use entasis_types::{DataType, Value};

use super::merge_tree::{self, FEATURES, stored_column};
use super::{EngineArgs, EngineDef};
use crate::definition::features::Features;
use crate::settings::rollups::{RollupRule, Rollups};

pub(super) static ENGINE: EngineDef = DEF;

pub(super) const DEF: EngineDef = EngineDef {
    name: "GraphiteMergeTree",
    description: "A MergeTree for metrics whose merges thin out and aggregate older values by rules.",
    syntax: "ENGINE = GraphiteMergeTree('rules') ORDER BY (Path, Time)",
    related: &["MergeTree", "AggregatingMergeTree"],
    features: Features { arguments: true, ..FEATURES },
    own_files: None,
    create: |args| merge_tree::create_merging(args, merging),
};

/// The name of the rules that the argument of an engine gives.
pub(crate) fn rules_name(engine: &ast::Engine) -> Result<&str> {
    match crate::definition::family::parameters(engine) {
        [] => {
            let message = "GraphiteMergeTree requires 1 parameter: the name of its rules in the \
                           server's configuration";
            Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message))
        }
        [one] => one.as_literal().and_then(ast::Literal::as_str).ok_or_else(|| {
            let message = "Last parameter of GraphiteMergeTree must be the name (in single quotes) \
                           of the element in configuration file with the Graphite options";
            Error::new(codes::BAD_ARGUMENTS, message)
        }),
        _ => Err(merge_tree::too_many("GraphiteMergeTree", "one: the name of its rules")),
    }
}

fn merging(args: &EngineArgs<'_>) -> Result<MergeAlgorithm> {
    let name = rules_name(&args.definition.engine)?;
    let rollups = args.function_context.server.rollups.find(name)?;
    let schema = &args.definition.schema;
    let column = |name: &str, what: &str| stored_column(schema, name, what);
    let path = column(&rollups.path_column, "of paths")?;
    let time = column(&rollups.time_column, "of times")?;
    let value = column(&rollups.value_column, "of values")?;
    let version = column(&rollups.version_column, "of versions").ok();
    let types = |at: usize| &schema.columns[at].ty;
    let is_time = matches!(types(time), DataType::DateTime(_) | DataType::UInt32);
    let is_number = *types(value) == DataType::Float64;
    let is_text = types(path).without_low_cardinality() == DataType::String;
    for (at, is_right, wanted) in [
        (path, is_text, "String"),
        (time, is_time, "DateTime or UInt32"),
        (value, is_number, "Float64"),
    ] {
        if !is_right {
            let message = format!(
                "Column {} of a GraphiteMergeTree must have the type {wanted}, but has {}",
                schema.columns[at].name,
                types(at)
            );
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
    }
    let sorting = &args.definition.keys.sorting;
    let place = |at: usize| sorting.iter().position(|key| is_column(key, at));
    let (sorted, group_key) = (place(time), place(time).unwrap_or(sorting.len()));
    if args.is_new {
        let is_ascending = !args.definition.keys.descending.contains(&true);
        if place(path).is_none_or(|at| at >= group_key) || !is_ascending {
            let message = format!(
                "The sorting key of a GraphiteMergeTree must have {} before {}, without DESC: ORDER \
                 BY ({}, {})",
                rollups.path_column, rollups.time_column, rollups.path_column, rollups.time_column
            );
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
    }
    let binder = Binder { args, path: types(path) };
    let graphite = Graphite {
        path,
        time,
        value,
        version,
        group_key,
        is_sorted: sorted.is_some(),
        rules: binder.rules(&rollups)?,
        zone: args.definition.time_zone,
        now: 0,
    };
    let aggregates = vec![None; schema.stored().len()];
    Ok(MergeAlgorithm { pick: KeptRow::Graphite(Arc::new(graphite)), aggregates })
}

fn is_column(key: &Expr, position: usize) -> bool {
    matches!(key, Expr::Column { id, .. } if id.0 as usize == position)
}

/// Binds rules to the type of a table's paths.
struct Binder<'a> {
    args: &'a EngineArgs<'a>,
    path: &'a DataType,
}

impl Binder<'_> {
    fn rules(&self, rollups: &Rollups) -> Result<Vec<GraphiteRule>> {
        let is_typed = rollups.rules.iter().any(|rule| !matches!(kind(rule), Ok("all") | Err(_)));
        rollups.rules.iter().map(|rule| self.rule(rule, is_typed)).collect()
    }

    fn rule(&self, rule: &RollupRule, is_typed: bool) -> Result<GraphiteRule> {
        if rule.function.is_none() && rule.retentions.is_empty() {
            let message = "At least one of an aggregate function or retention rules is mandatory for \
                           rollup patterns in GraphiteMergeTree";
            return Err(Error::new(codes::NO_ELEMENTS_IN_CONFIG, message));
        }
        let kind = kind(rule)?;
        let regexp = rule.regexp.as_deref().map(|regexp| match rule.rule_type.as_str() {
            "tag_list" => of_tags(regexp),
            _ => regexp.to_owned(),
        });
        let matches = regexp.as_deref().map(|regexp| self.matches(regexp, kind, is_typed));
        let function = rule.function.as_deref().map(|function| self.function(function));
        let mut retentions = rule.retentions.clone();
        retentions.sort_by_key(|(age, _)| std::cmp::Reverse(*age));
        Ok(GraphiteRule {
            matches: matches.transpose()?,
            function: function.transpose()?,
            retentions,
            kind,
            regexp: regexp.unwrap_or_default().into(),
        })
    }

    /// Whether a path matches. If there are rules for tagged paths, which have a question mark, and
    /// for others, each is only for its own.
    fn matches(&self, regexp: &str, kind: &str, is_typed: bool) -> Result<Expr> {
        let context = self.args.function_context;
        let text = |text: &str| Expr::literal(Value::from(text), DataType::String);
        let path = Expr::column(ColumnId(0), self.path.clone());
        let found = bind::call("match", vec![path.clone(), text(regexp)], context)?;
        if !is_typed || kind == "all" {
            return Ok(found);
        }
        let mark = bind::call("position", vec![path, text("?")], context)?;
        let zero = Expr::literal(Value::UInt(0), DataType::UInt8);
        let compare = if kind == "plain" { "equals" } else { "notEquals" };
        let of_kind = bind::call(compare, vec![mark, zero], context)?;
        bind::call("and", vec![found, of_kind], context)
    }

    fn function(&self, written: &str) -> Result<RollupFunction> {
        let context = self.args.function_context;
        let parsed = entasis_sql::parse_expression(written)?;
        let (name, given) = match &parsed.kind {
            ast::ExprKind::Function(call) => (call.name.as_str(), &call.args[..]),
            _ => (written.trim(), &[][..]),
        };
        let mut params = Vec::new();
        for param in given {
            match entasis_analyze::bind_expression(param, &[], context)? {
                Expr::Literal { value, .. } => params.push(value),
                _ => return Err(Error::new(codes::BAD_ARGUMENTS, "A parameter is no constant")),
            }
        }
        let function = registry::bind_aggregate(name, &params, &[DataType::Float64], context)?;
        let result = Expr::column(ColumnId(0), function.return_type());
        let result = bind::cast(result, &DataType::Float64, context)?;
        Ok(RollupFunction { name: written.into(), function, result })
    }
}

/// The kind of paths that a rule is for.
fn kind(rule: &RollupRule) -> Result<&'static str> {
    match rule.rule_type.as_str() {
        "" | "all" => Ok("all"),
        "plain" => Ok("plain"),
        "tagged" | "tag_list" => Ok("tagged"),
        other => {
            let message = format!("invalid rule type: {other}: all, plain, tagged or tag_list");
            Err(Error::new(codes::BAD_ARGUMENTS, message))
        }
    }
}

/// The regular expression of a list of tags: `name;tag=value;tag=value`, where the name can be
/// missing. Paths have their tags in order: `name?tag=value&tag=value`.
fn of_tags(list: &str) -> String {
    let mut tags: Vec<&str> = list.split(';').filter(|tag| !tag.is_empty()).collect();
    let start = match tags.first() {
        Some(name) if !name.contains('=') => {
            let name = tags.remove(0);
            if tags.is_empty() {
                return format!("^{name}\\?");
            }
            format!("^{name}\\?(.*&)?")
        }
        _ => "[\\?&]".to_string(),
    };
    tags.sort_unstable();
    format!("{start}{}(&.*)?$", tags.join("&(.*&)?"))
}

#[cfg(test)]
mod tests {
    use super::of_tags;

    #[test]
    fn tags_become_a_regular_expression() {
        for (list, expected) in [
            ("b=2;a=1", "[\\?&]a=1&(.*&)?b=2(&.*)?$"),
            ("cpu;b=2", "^cpu\\?(.*&)?b=2(&.*)?$"),
            ("cpu", "^cpu\\?"),
        ] {
            assert_eq!(of_tags(list), expected);
        }
    }
}
