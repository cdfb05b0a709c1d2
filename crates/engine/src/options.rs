//! Options of statements that are written for nothing are errors: those of EXPLAIN that its kind
//! does not have, and ON CLUSTER on a single machine.

use entasis_base::{Error, Result, codes};
use entasis_sql::ast::{self, ExplainKind, StatementKind};
use entasis_types::Value;

use crate::set::setting_value;

/// An option of EXPLAIN: its name, and the values that are taken.
type ExplainOption = (&'static str, &'static [u64]);

/// Only what the answer shows without it.
const OFF: &[u64] = &[0];
const ON: &[u64] = &[1];
const BOTH: &[u64] = &[0, 1];

const OF_PLAN: &[ExplainOption] = &[
    ("actions", OFF),
    ("column_structure", OFF),
    ("compact", BOTH),
    ("description", ON),
    ("distributed", OFF),
    ("estimates", OFF),
    ("header", OFF),
    ("indexes", OFF),
    ("indices", OFF),
    ("input_headers", OFF),
    ("json", OFF),
    ("keep_logical_steps", OFF),
    ("optimize", BOTH),
    ("pretty", BOTH),
    ("projections", OFF),
    ("sorting", OFF),
];

const OF_PIPELINE: &[ExplainOption] = &[
    ("compact", BOTH),
    ("compact_repeated_processor_chains", BOTH),
    ("distributed", OFF),
    ("graph", OFF),
    ("header", OFF),
];

const OF_AST: &[ExplainOption] = &[("graph", OFF), ("optimize", OFF)];

const OF_SYNTAX: &[ExplainOption] = &[
    ("oneline", BOTH),
    ("query_tree_passes", OFF),
    ("run_query_tree_passes", OFF),
    ("single_record", BOTH),
];

const OF_QUERY_TREE: &[ExplainOption] = &[
    ("dump_ast", OFF),
    ("dump_passes", OFF),
    ("dump_tree", ON),
    ("passes", ON),
    ("run_passes", ON),
];

/// Options and the words of a kind of EXPLAIN. EXPLAIN ANALYZE checks its own.
fn options_of(kind: ExplainKind) -> Option<(&'static [ExplainOption], &'static str)> {
    match kind {
        ExplainKind::Plan | ExplainKind::Estimate => Some((OF_PLAN, "PLAN")),
        ExplainKind::Pipeline => Some((OF_PIPELINE, "PIPELINE")),
        ExplainKind::Ast => Some((OF_AST, "AST")),
        ExplainKind::Syntax => Some((OF_SYNTAX, "SYNTAX")),
        ExplainKind::QueryTree => Some((OF_QUERY_TREE, "QUERY TREE")),
        _ => None,
    }
}

/// Values of an EXPLAIN's options, once they are known to be some that it has.
#[derive(Debug, Default)]
pub(crate) struct ExplainOptions(Vec<(&'static str, u64)>);

impl ExplainOptions {
    /// Whether an option was switched on.
    pub fn on(&self, name: &str) -> bool {
        self.0.iter().any(|(n, value)| *n == name && *value == 1)
    }

    /// Reads them. Fails for names that the kind of EXPLAIN does not have, for values that are no
    /// flags, and for what would change nothing.
    pub fn read(kind: ExplainKind, changes: &[ast::SettingChange]) -> Result<Self> {
        let Some((options, words)) = options_of(kind) else { return Ok(Self::default()) };
        let mut out = Vec::new();
        for change in changes {
            let found = options.iter().find(|(name, _)| *name == change.name);
            let &(name, taken) = found.ok_or_else(|| unknown(&change.name, words, options))?;
            let value = match &change.value {
                Some(expr) => setting_value(change, expr)?,
                None => continue,
            };
            let value = flag_of(name, &value)?;
            if !taken.contains(&value) {
                let message = format!(
                    "{name} = {value} of EXPLAIN {words}: leave it out. EXPLAIN ANALYZE shows what \
                     every step did, with format = 'json' for programs"
                );
                return Err(Error::not_implemented(message));
            }
            out.push((name, value));
        }
        Ok(Self(out))
    }
}

fn flag_of(name: &str, value: &Value) -> Result<u64> {
    let message = match value {
        Value::UInt(value @ (0 | 1)) => return Ok(*value),
        Value::UInt(_) | Value::Int(_) => format!(
            "Invalid value {} for setting \"{name}\". Expected boolean type: write 0 or 1",
            entasis_types::name::literal(value)
        ),
        _ => format!("Invalid type of setting \"{name}\": only 0 and 1 are supported"),
    };
    Err(Error::new(codes::INVALID_SETTING_VALUE, message))
}

#[cold]
fn unknown(name: &str, words: &str, options: &[ExplainOption]) -> Error {
    let names: Vec<&str> = options.iter().map(|(name, _)| *name).collect();
    let message = format!(
        "Unknown setting \"{name}\" for EXPLAIN {words} query. Supported settings: {}",
        names.join(", ")
    );
    Error::new(codes::UNKNOWN_SETTING, message)
}

/// Refuses ON CLUSTER, as the reference does where no cluster is configured.
pub(crate) fn refuse_cluster(kind: &StatementKind) -> Result<()> {
    let (cluster, code) = match kind {
        StatementKind::CreateDatabase(s) => (&s.cluster, codes::CLUSTER_DOESNT_EXIST),
        StatementKind::CreateTable(s) => (&s.cluster, codes::CLUSTER_DOESNT_EXIST),
        StatementKind::CreateView(s) => (&s.cluster, codes::CLUSTER_DOESNT_EXIST),
        StatementKind::CreateFunction(s) => (&s.cluster, codes::CLUSTER_DOESNT_EXIST),
        StatementKind::Attach(s) => (&s.cluster, codes::CLUSTER_DOESNT_EXIST),
        StatementKind::Alter(s) => (&s.cluster, codes::QUERY_IS_PROHIBITED),
        StatementKind::Drop(s) => (&s.cluster, codes::QUERY_IS_PROHIBITED),
        StatementKind::Truncate(s) => (&s.cluster, codes::QUERY_IS_PROHIBITED),
        StatementKind::Rename(s) => (&s.cluster, codes::QUERY_IS_PROHIBITED),
        StatementKind::Optimize(s) => (&s.cluster, codes::QUERY_IS_PROHIBITED),
        StatementKind::Delete(s) => (&s.cluster, codes::QUERY_IS_PROHIBITED),
        StatementKind::Update(s) => (&s.cluster, codes::QUERY_IS_PROHIBITED),
        _ => return Ok(()),
    };
    match cluster {
        Some(name) => {
            let message = format!(
                "Requested cluster '{}' not found: this is a single machine, leave out ON CLUSTER",
                name.as_str()
            );
            Err(Error::new(code, message).at(name.position))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ExplainOptions> {
        match entasis_sql::parse_statement(text)?.kind {
            StatementKind::Explain(explain) => {
                ExplainOptions::read(explain.kind, &explain.settings)
            }
            _ => Err(Error::logical("no EXPLAIN")),
        }
    }

    #[test]
    fn options_are_those_of_the_kind() {
        let code = |text: &str| read(text).map(|_| ()).map_err(|e| e.code());
        assert!(read("EXPLAIN SYNTAX oneline = 1 SELECT 1").unwrap().on("oneline"));
        assert_eq!(code("EXPLAIN nonsense = 1 SELECT 1"), Err(codes::UNKNOWN_SETTING));
        assert_eq!(code("EXPLAIN AST oneline = 1 SELECT 1"), Err(codes::UNKNOWN_SETTING));
        assert_eq!(code("EXPLAIN header = 2 SELECT 1"), Err(codes::INVALID_SETTING_VALUE));
        assert_eq!(code("EXPLAIN header = 'x' SELECT 1"), Err(codes::INVALID_SETTING_VALUE));
        assert_eq!(code("EXPLAIN json = 1 SELECT 1"), Err(codes::NOT_IMPLEMENTED));
        assert_eq!(code("EXPLAIN json = 0, description = 1 SELECT 1"), Ok(()));
    }
}
