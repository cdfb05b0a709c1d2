//! `ENGINE = Memory`: keeps rows in memory only.

use std::sync::Arc;

use entasis_base::Error;
use entasis_tables::memory::Memory;

use super::EngineDef;
use crate::definition::features::Features;
use crate::settings::merge_tree::OfEngine;

pub(super) static ENGINE: EngineDef = EngineDef {
    name: "Memory",
    description: "Keeps rows in memory only; they are lost when the process ends.",
    syntax: "ENGINE = Memory",
    related: &[],
    features: Features {
        settings: OfEngine::Memory,
        parallel_insert: true,
        alter_columns: true,
        ..Features::NONE
    },
    own_files: None,
    create: |args| {
        let schema = Arc::clone(&args.definition.schema);
        Ok(Box::new(|place| {
            let Some(altered) = &place.altered else { return Ok(Memory::new(schema)) };
            let table: &dyn std::any::Any = altered.table;
            let table = table.downcast_ref::<Memory>();
            let missing = || Error::logical("A table of another engine is altered");
            let table = table.ok_or_else(missing)?.with_columns(schema);
            place.store.alter_table(place.id, altered.definition.clone())?;
            Ok(table)
        }))
    },
};
