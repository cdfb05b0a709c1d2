//! The names and arguments of the MergeTree family, as a statement writes them: prefixes of engines
//! that are replicated in a cluster, and arguments that say more than which columns are folded.

use entasis_base::{Error, Result, codes};
use entasis_sql::ast;

use super::old_style;

/// Prefixes of the engines that keep several replicas of a table in the reference.
const PREFIXES: [&str; 2] = ["Replicated", "Shared"];

/// The name without a prefix, if it is that of a replicated engine.
fn without_prefix(name: &str) -> Option<&str> {
    PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix))
}

/// Whether an engine is one of those that the reference replicates.
pub(crate) fn is_replicated(name: &str) -> bool {
    without_prefix(name).is_some_and(|plain| plain.ends_with("MergeTree"))
}

/// The name of the engine that a table has on one machine.
pub(crate) fn plain_name(name: &str) -> &str {
    without_prefix(name).filter(|plain| plain.ends_with("MergeTree")).unwrap_or(name)
}

/// Whether an engine orders the rows of equal keys by a version, and collapses them by sign.
pub(crate) fn is_versioned_collapsing(name: &str) -> bool {
    plain_name(name) == "VersionedCollapsingMergeTree"
}

fn is_text(expr: &ast::Expr) -> bool {
    matches!(&expr.kind, ast::ExprKind::Literal(ast::Literal::String(_)))
}

/// The arguments of the engine without the path and the name of the replica, and without those of
/// the old syntax.
pub(crate) fn parameters(engine: &ast::Engine) -> &[ast::Expr] {
    let own = without_replica(engine);
    if !engine.name.ends_with("MergeTree") {
        return own;
    }
    old_style::of(own).map_or(own, |old| old.rest)
}

/// The arguments of the engine without the path and the name of the replica.
pub(super) fn without_replica(engine: &ast::Engine) -> &[ast::Expr] {
    let all = engine.args.as_deref().unwrap_or_default();
    match all {
        [path, replica, rest @ ..] if is_replicated(&engine.name) && is_text(path) => {
            if is_text(replica) { rest } else { all }
        }
        _ => all,
    }
}

/// The name of the column by which a table is sorted after its ORDER BY, if its engine adds one.
pub(crate) fn added_key(engine: &ast::Engine) -> Option<&str> {
    let [_, version] = parameters(engine) else { return None };
    let [name] = version.as_identifier().filter(|_| is_versioned_collapsing(&engine.name))? else {
        return None;
    };
    Some(name.as_str())
}

/// Writes down the path and the name of the replica, as the reference shows them, if a statement
/// leaves them out.
pub(super) fn write_down(engine: &mut ast::Engine) -> Result<()> {
    if !is_replicated(&engine.name) {
        return Ok(());
    }
    let given = engine.args.get_or_insert_default();
    match &given[..] {
        [path, replica, ..] if is_text(path) && is_text(replica) => {}
        [rules] if is_text(rules) && plain_name(&engine.name) == "GraphiteMergeTree" => {
            given.splice(0..0, places()?);
        }
        [path, ..] if is_text(path) => {
            let message = "Expected two string literal arguments: zookeeper_path and \
                           replica_name: give both, or none of them";
            return Err(Error::new(codes::BAD_ARGUMENTS, message).at(path.position));
        }
        _ => {
            given.splice(0..0, places()?);
        }
    }
    Ok(())
}

/// The path and the name of the replica that the reference takes if none are given.
fn places() -> Result<[ast::Expr; 2]> {
    let path = entasis_sql::parse_expression("'/clickhouse/tables/{uuid}/{shard}'")?;
    Ok([path, entasis_sql::parse_expression("'{replica}'")?])
}
