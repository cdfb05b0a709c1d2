//! Which clauses of CREATE TABLE an engine takes, and what its tables can do. The engine's own code
//! never sees a clause that its features refuse.

use crate::settings::merge_tree::OfEngine;

/// Whether an engine takes a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Support {
    /// The engine has no use for the clause.
    No,
    /// The engine takes the clause.
    Yes,
}

impl Support {
    /// Whether the clause can be used.
    pub(crate) fn is_there(self) -> bool {
        self == Self::Yes
    }
}

/// The features of an engine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Features {
    /// Whether arguments may follow the engine's name.
    pub arguments: bool,
    /// Which settings its tables have.
    pub settings: OfEngine,
    /// Support for ORDER BY, PRIMARY KEY and PARTITION BY.
    pub sort_order: Support,
    /// Whether PRIMARY KEY is a key of its own, which neither needs nor gives an ORDER BY.
    pub key_without_order: bool,
    /// Support for SAMPLE BY.
    pub sampling: Support,
    /// Support for TTL of rows and columns.
    pub ttl: Support,
    /// Support for INDEX.
    pub skipping_indices: Support,
    /// Support for PROJECTION.
    pub projections: Support,
    /// Whether several workers of one INSERT write at the same time.
    pub parallel_insert: bool,
    /// Whether ALTER TABLE can change everything: constraints, keys, indices and so on.
    pub alter: bool,
    /// Whether ALTER TABLE can add, drop and modify columns.
    pub alter_columns: bool,
    /// Whether ALTER TABLE can rename columns.
    pub renames_columns: bool,
    /// Whether its tables keep rows in files of their own.
    pub own_data: bool,
    /// Whether its tables consist of parts, which `system.parts` lists.
    pub parts: bool,
}

impl Features {
    /// The features of an engine that takes nothing but columns.
    pub(crate) const NONE: Self = Self {
        arguments: false,
        settings: OfEngine::Nothing,
        sort_order: Support::No,
        key_without_order: false,
        sampling: Support::No,
        ttl: Support::No,
        skipping_indices: Support::No,
        projections: Support::No,
        parallel_insert: false,
        alter: false,
        alter_columns: false,
        renames_columns: false,
        own_data: false,
        parts: false,
    };
}
