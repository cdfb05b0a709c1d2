//! Suggestions for misspelt names, and the search for aliases in the text.

use entasis_base::words::edits;
use entasis_base::{Error, Position, Result, codes};
use entasis_sql::ast::{Expr, ExprKind, Over};

/// At most three names similar to `wanted`, the most similar first; never `wanted` itself.
pub fn near<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let folded = wanted.to_lowercase();
    let limit = (wanted.chars().count() / 3).max(1);
    let mut found: Vec<(usize, &str)> = names
        .filter(|n| *n != wanted && n.len().abs_diff(wanted.len()) <= limit + 1)
        .map(|n| (edits(&folded, &n.to_lowercase()), n))
        .filter(|(d, _)| *d <= limit)
        .collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().map(|(_, n)| n).take(3).collect()
}

/// Appends `Maybe you meant: ['a', 'b']` to a message.
pub fn add_hint(message: &mut String, near: &[&str]) {
    if !near.is_empty() {
        let quoted: Vec<String> = near.iter().map(|n| format!("'{n}'")).collect();
        message.push_str(&format!(". Maybe you meant: [{}]", quoted.join(", ")));
    }
}

/// The error UNKNOWN_IDENTIFIER, which suggests similar names.
#[cold]
pub(crate) fn unknown_identifier(name: &str, near: &[&str], position: Position) -> Error {
    let mut message = format!("Unknown expression identifier `{name}`");
    add_hint(&mut message, near);
    Error::new(codes::UNKNOWN_IDENTIFIER, message).at(position)
}

/// Calls `f` for `expr` and all expressions in it that belong to the same SELECT and lambda, in
/// order of the text.
pub(crate) fn walk<'a>(
    expr: &'a Expr,
    depth: usize,
    f: &mut impl FnMut(&'a Expr) -> Result<()>,
) -> Result<()> {
    if depth == 0 {
        return Err(too_deep().at(expr.position));
    }
    f(expr)?;
    if let ExprKind::Function(function) = &expr.kind {
        for arg in function.args.iter().chain(function.parameters.iter().flatten()) {
            walk(arg, depth - 1, f)?;
        }
        if let Some(Over::Spec(spec)) = &function.over {
            let order = spec.order_by.iter().map(|o| &o.expr);
            for part in spec.partition_by.iter().chain(order) {
                walk(part, depth - 1, f)?;
            }
        }
    }
    Ok(())
}

/// The error TOO_DEEP_RECURSION.
#[cold]
pub(crate) fn too_deep() -> Error {
    Error::new(codes::TOO_DEEP_RECURSION, "Expression is nested too deeply")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_come_first() {
        let names = ["UserID", "URL", "UserAgent", "userid2"];
        assert_eq!(near("userid", names.into_iter()), ["UserID", "userid2"]);
        assert_eq!(near("UsreID", names.into_iter())[0], "UserID");
        assert!(near("zz", names.into_iter()).is_empty());
    }
}
