//! `ENGINE = Log`: appends rows to one file per column.

use std::sync::Arc;

use entasis_tables::log::Log;

use super::EngineDef;
use crate::definition::features::Features;
use crate::settings::merge_tree::OfEngine;

pub(super) static ENGINE: EngineDef = EngineDef {
    name: "Log",
    description: "Appends rows to one file per column, without an index: for many small tables.",
    syntax: "ENGINE = Log",
    related: &[],
    features: Features { settings: OfEngine::Anything, own_data: true, ..Features::NONE },
    create: |args| {
        let schema = Arc::clone(&args.definition.schema);
        Ok(Box::new(|place| Ok(Log::open(schema, place.directory()?)?)))
    },
};
