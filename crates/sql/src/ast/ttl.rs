//! Rules of TTL.

use super::{Expr, Function, Ident};

/// One rule of TTL.
#[derive(Clone, Debug, PartialEq)]
pub struct TtlItem {
    /// The time at which the action is taken, as an expression over columns.
    pub expr: Expr,
    /// The action that is taken then.
    pub action: TtlAction,
    /// `WHERE`.
    pub where_clause: Option<Expr>,
}

/// What a TTL rule does.
#[derive(Clone, Debug, PartialEq)]
pub enum TtlAction {
    /// `DELETE`, or nothing written.
    Delete,
    /// `TO DISK 'd'`.
    ToDisk(String),
    /// `TO VOLUME 'v'`.
    ToVolume(String),
    /// `RECOMPRESS CODEC(...)`.
    Recompress(Vec<Function>),
    /// `GROUP BY a SET b = max(b)`.
    GroupBy {
        /// The keys.
        keys: Vec<Expr>,
        /// The assignments.
        set: Vec<(Ident, Expr)>,
    },
}
