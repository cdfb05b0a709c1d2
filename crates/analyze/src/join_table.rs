//! Tables of the engine Join on the right side of a JOIN: the join must be the one for which the
//! table is made.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_expr::{ColumnId, Expr};
use entasis_table_api::{JoinShape, Role};
use entasis_types::DataType;

use crate::Analyzer;
use crate::query::{From, Join, JoinKind, Strictness};

impl Analyzer<'_> {
    /// Fails if the right side is a Join table for another kind of join, or for other keys. Its
    /// source has the number `source`.
    pub(crate) fn check_join_table(&mut self, join: &Join, source: usize) -> Result<()> {
        let From::Table(scan) = &join.right else { return Ok(()) };
        let pinned = self.pinned.values().find(|(_, s)| Arc::ptr_eq(s, &scan.snapshot));
        let Some((table, _)) = pinned else { return Ok(()) };
        let Role::Join(shape) = table.role() else { return Ok(()) };
        let shape = shape.clone();
        let name = Arc::clone(&scan.name);
        if matches!(join.kind, JoinKind::Cross | JoinKind::Paste) {
            return Ok(());
        }
        check_kind(join, &shape, &name, self.settings.join_use_nulls)?;
        if join.keys.len() != shape.keys.len() {
            return Err(incompatible(format!(
                "Number of keys in JOIN ON section ({}) doesn't match number of keys in Join engine \
                 ({}) of table {name}",
                join.keys.len(),
                shape.keys.len()
            )));
        }
        let mut left: Vec<_> = Vec::new();
        for key in &shape.keys {
            let position = self.scope().sources[source].position(key);
            let column = position.map(|position| self.column(source, position)).transpose()?;
            if let Some(Expr::Column { id, .. }) = column {
                left.push(id);
            }
        }
        for (_, right) in &join.keys {
            if !is_stored(right, &left) {
                return Err(incompatible(format!(
                    "JOIN with 'Join' table engine should be performed by storage keys [{}] of \
                     table {name}, without a conversion",
                    shape.keys.join(", ")
                )));
            }
        }
        Ok(())
    }
}

/// Whether a key of the right side is one of the table's keys, perhaps made Nullable.
fn is_stored(key: &Expr, stored: &[ColumnId]) -> bool {
    match key {
        Expr::Column { id, .. } => stored.contains(id),
        Expr::Call { function, args, .. } if function.name == "CAST" => match args.first() {
            Some(column @ Expr::Column { ty, .. }) => {
                function.return_type == DataType::nullable(ty.clone()) && is_stored(column, stored)
            }
            _ => false,
        },
        _ => false,
    }
}

fn check_kind(join: &Join, shape: &JoinShape, name: &str, use_nulls: bool) -> Result<()> {
    let kind = match join.kind {
        JoinKind::Left => "LEFT",
        JoinKind::Right => "RIGHT",
        JoinKind::Full => "FULL",
        _ => "INNER",
    };
    let strictness = match join.strictness {
        Strictness::All => "ALL",
        Strictness::Any => "ANY",
        Strictness::Semi => "SEMI",
        Strictness::Anti => "ANTI",
        Strictness::Asof => "ASOF",
    };
    if (strictness, kind) != (shape.strictness, shape.kind) {
        return Err(incompatible(format!(
            "Table {name} has incompatible type of JOIN: it is made for {} {} JOIN, and this is \
             {strictness} {kind} JOIN",
            shape.strictness, shape.kind
        )));
    }
    if matches!(kind, "LEFT" | "FULL") && use_nulls != shape.use_nulls {
        return Err(incompatible(format!(
            "Table {name} needs the same join_use_nulls setting as present in LEFT or FULL JOIN"
        )));
    }
    Ok(())
}

#[cold]
fn incompatible(message: String) -> Error {
    Error::new(codes::INCOMPATIBLE_TYPE_OF_JOIN, message)
}
