//! `ENGINE = Memory`.

use std::sync::Arc;

use entasis_tables::memory::Memory;

use super::EngineDef;
use crate::definition::features::Features;
use crate::settings::merge_tree::OfEngine;

pub(super) static ENGINE: EngineDef = EngineDef {
    name: "Memory",
    description: "Rows in memory, gone with the process.",
    syntax: "ENGINE = Memory",
    related: &[],
    features: Features { settings: OfEngine::Memory, parallel_insert: true, ..Features::NONE },
    create: |args| {
        let schema = Arc::clone(&args.definition.schema);
        Ok(Box::new(|_| Ok(Memory::new(schema))))
    },
};
