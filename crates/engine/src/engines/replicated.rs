//! `ENGINE = ReplicatedMergeTree(path, replica, ...)` and `SharedMergeTree`, with all members of
//! the family: tables of these names can be created from statements written for a cluster.
//! There is only this one machine, so each behaves as the engine without the prefix. Nothing is
//! replicated, and `system.warnings` says so.

use super::{
    EngineDef, aggregating, coalescing, collapsing, graphite, merge_tree, replacing, summing,
};
use crate::definition::features::Features;

macro_rules! variants {
    ($($constant:ident = $name:literal, $plain:expr;)*) => {
        $(pub(super) static $constant: EngineDef = EngineDef {
            name: $name,
            description: "As the engine without the prefix: there is one machine, and nothing is replicated.",
            syntax: concat!("ENGINE = ", $name, "(['path', 'replica' [, parameters]]) ORDER BY expr"),
            features: Features { arguments: true, ..$plain.features },
            ..$plain
        };)*
    };
}

variants! {
    REPLICATED = "ReplicatedMergeTree", merge_tree::DEF;
    REPLICATED_AGGREGATING = "ReplicatedAggregatingMergeTree", aggregating::DEF;
    REPLICATED_COALESCING = "ReplicatedCoalescingMergeTree", coalescing::DEF;
    REPLICATED_COLLAPSING = "ReplicatedCollapsingMergeTree", collapsing::DEF;
    REPLICATED_GRAPHITE = "ReplicatedGraphiteMergeTree", graphite::DEF;
    REPLICATED_REPLACING = "ReplicatedReplacingMergeTree", replacing::DEF;
    REPLICATED_SUMMING = "ReplicatedSummingMergeTree", summing::DEF;
    REPLICATED_VERSIONED_COLLAPSING = "ReplicatedVersionedCollapsingMergeTree", collapsing::VERSIONED_DEF;
    SHARED = "SharedMergeTree", merge_tree::DEF;
    SHARED_AGGREGATING = "SharedAggregatingMergeTree", aggregating::DEF;
    SHARED_COALESCING = "SharedCoalescingMergeTree", coalescing::DEF;
    SHARED_COLLAPSING = "SharedCollapsingMergeTree", collapsing::DEF;
    SHARED_GRAPHITE = "SharedGraphiteMergeTree", graphite::DEF;
    SHARED_REPLACING = "SharedReplacingMergeTree", replacing::DEF;
    SHARED_SUMMING = "SharedSummingMergeTree", summing::DEF;
    SHARED_VERSIONED_COLLAPSING = "SharedVersionedCollapsingMergeTree", collapsing::VERSIONED_DEF;
}
