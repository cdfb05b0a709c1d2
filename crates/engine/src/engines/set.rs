//! `ENGINE = Set`: rows for the right side of IN, in memory with an index and durable on disk.

use std::sync::Arc;

use entasis_base::{Result, codes};
use entasis_tables::keyed::{Duplicates, Keyed, KeyedOptions, Purpose};

use super::log::OWN_FILES;
use super::{Attach, EngineArgs, EngineDef, arguments};
use crate::definition::features::Features;
use crate::settings::merge_tree::OfEngine;

pub(super) static ENGINE: EngineDef = EngineDef {
    name: "Set",
    description: "Keeps distinct rows for the right side of IN, in memory and on disk.",
    syntax: "ENGINE = Set",
    related: &["Join"],
    features: Features { settings: OfEngine::Named(SETTINGS), own_data: true, ..Features::NONE },
    own_files: Some(OWN_FILES),
    create,
};

const SETTINGS: &[&str] = &["persistent", "disk"];

fn create(args: &EngineArgs<'_>) -> Result<Attach> {
    arguments::known_settings(args, SETTINGS, codes::UNKNOWN_SETTING)?;
    let schema = Arc::clone(&args.definition.schema);
    let keys = (0..schema.stored().len()).collect();
    let (purpose, duplicates) = (Purpose::Set, Duplicates::First);
    let options = KeyedOptions { engine: "Set", purpose, keys, duplicates, most: (0, 0) };
    let persistent = arguments::flag(args, "persistent", true)?;
    Ok(Box::new(move |place| {
        let directory = persistent.then(|| place.directory()).transpose()?;
        Ok(Keyed::open(options, schema, directory)?)
    }))
}
