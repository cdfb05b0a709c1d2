//! PROJECTION: queries whose results a table keeps beside its rows.
//!
//! They are checked here as far as names go, and shown wherever the catalog is shown.
//! `engines::projections` binds them for the storage, which builds them. One that cannot be built
//! is kept and shown all the same: a projection only saves time.

use entasis_base::{Error, Position, Result, codes};
use entasis_mergetree::{PARTITION_VALUE, virtual_columns};
use entasis_sql::ast::{self, ExprKind, Query};
use entasis_sql::{is_of_column, names_in_projection};

use crate::settings::merge_tree::OfTable;

/// Checks the projections that a statement gives.
pub(super) fn check(elements: &ast::TableElements) -> Result<()> {
    for (at, projection) in elements.projections.iter().enumerate() {
        if elements.projections[..at].iter().any(|other| other.name == projection.name) {
            return Err(exists(&projection.name));
        }
        check_one(projection, &elements.columns)?;
    }
    Ok(())
}

/// The error for a projection whose name another one has.
#[cold]
pub(crate) fn exists(name: &ast::Ident) -> Error {
    let name = name.as_str();
    let message = format!("Cannot add projection {name}: projection with this name already exists");
    Error::new(codes::ILLEGAL_PROJECTION, message)
}

fn check_one(projection: &ast::ProjectionDef, columns: &[ast::ColumnDef]) -> Result<()> {
    OfTable::new(&projection.settings)?;
    match projection.index.as_ref().map(|(_, kind)| kind.as_str()) {
        None | Some("basic") => {}
        Some("commit_order") => {
            let message = "A projection of the type commit_order stores block numbers, which \
                           MergeTree setting `allow_commit_order_projection` does not allow: use \
                           TYPE basic";
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        Some(other) => {
            let message = format!(
                "Unknown projection index type '{other}'. Available projection index types: basic."
            );
            return Err(Error::new(codes::INCORRECT_QUERY, message));
        }
    }
    let Query::Select(select) = &*projection.query else {
        return Err(refused("UNION, INTERSECT or EXCEPT", projection));
    };
    let clauses = [
        (select.from.is_some(), "FROM"),
        (select.limit.is_some() || select.limit_by.is_some(), "LIMIT"),
        (select.having.is_some(), "HAVING"),
    ];
    if let Some((_, what)) = clauses.iter().find(|(is_there, _)| *is_there) {
        return Err(refused(what, projection));
    }
    if let Some(name) = unknown_column(projection, columns) {
        return Err(unknown(&name));
    }
    let is_sorted = !select.order_by.items.is_empty();
    let groups = select.group_by.is_some() || select.projection.iter().any(aggregates);
    if !is_sorted && !groups {
        return Err(Error::new(codes::BAD_ARGUMENTS, "ORDER BY cannot be empty"));
    }
    Ok(())
}

/// The first name in a projection that no column has, and no virtual one either.
pub(crate) fn unknown_column(
    projection: &ast::ProjectionDef,
    columns: &[ast::ColumnDef],
) -> Option<String> {
    let mut found = None;
    names_in_projection(&projection.query, &mut |name| {
        let is_known = |column: &ast::ColumnDef| is_of_column(name, column.name.as_str());
        let is_virtual =
            || name == PARTITION_VALUE || virtual_columns().iter().any(|c| *c.name == *name);
        if found.is_none() && !columns.iter().any(is_known) && !is_virtual() {
            found = Some(name.to_owned());
        }
    });
    found
}

fn aggregates(expr: &ast::Expr) -> bool {
    let ExprKind::Function(function) = &expr.kind else { return false };
    entasis_function::registry::is_aggregate_name(&function.name)
        || function.args.iter().any(aggregates)
}

#[cold]
fn unknown(name: &str) -> Error {
    let message = format!("Unknown expression identifier `{name}` in a projection");
    Error::new(codes::UNKNOWN_IDENTIFIER, message)
}

#[cold]
fn refused(what: &str, projection: &ast::ProjectionDef) -> Error {
    let name = projection.name.as_str();
    let message = format!("The query of projection {name} cannot have {what}: leave it out");
    Error::new(codes::SYNTAX_ERROR, message).at(Position::default())
}
