//! `ENGINE = Log` and its relatives: appends rows to one file per column.
//!
//! TinyLog and StripeLog keep their rows in the same way. In the reference they differ in their
//! files and in how many threads may read them, which no query can tell.

use std::sync::Arc;

use entasis_base::Result;
use entasis_mergetree::OwnReport;
use entasis_tables::log::{self, Log, Repair};

use super::{Attach, EngineArgs, EngineDef, OwnFiles};
use crate::definition::features::Features;
use crate::settings::merge_tree::OfEngine;

pub(super) static LOG: EngineDef = EngineDef {
    name: "Log",
    description: "Appends rows to one file per column, without an index: for many small tables.",
    syntax: "ENGINE = Log",
    related: &["StripeLog", "TinyLog"],
    features: FEATURES,
    own_files: Some(OWN_FILES),
    create: |args| create("Log", args),
};

pub(super) static STRIPE_LOG: EngineDef = EngineDef {
    name: "StripeLog",
    description: "The same as Log, under another name of the reference.",
    syntax: "ENGINE = StripeLog",
    related: &["Log", "TinyLog"],
    features: FEATURES,
    own_files: Some(OWN_FILES),
    create: |args| create("StripeLog", args),
};

pub(super) static TINY_LOG: EngineDef = EngineDef {
    name: "TinyLog",
    description: "The same as Log, under another name of the reference.",
    syntax: "ENGINE = TinyLog",
    related: &["Log", "StripeLog"],
    features: FEATURES,
    own_files: Some(OWN_FILES),
    create: |args| create("TinyLog", args),
};

const FEATURES: Features =
    Features { settings: OfEngine::Anything, own_data: true, ..Features::NONE };

/// Also for engines that keep their rows in the files of a Log table.
pub(super) const OWN_FILES: OwnFiles = OwnFiles {
    check: |schema, directory, found| {
        let checked = log::check(schema, directory, found)?;
        Ok(OwnReport { bytes: checked.bytes, unnamed: checked.unfinished })
    },
    repair: |schema, directory, options| {
        let (drop_rows, move_away) = (options.drop_rows, options.move_away);
        log::repair(schema, directory, Repair { drop_rows, move_away, said: options.said })
    },
};

fn create(engine: &'static str, args: &EngineArgs<'_>) -> Result<Attach> {
    let schema = Arc::clone(&args.definition.schema);
    Ok(Box::new(move |place| {
        let Some(altered) = &place.altered else {
            return Ok(Log::open(engine, schema, place.directory()?)?);
        };
        // Only comments can be altered.
        let table = altered.of_engine::<Log>()?.with_comments(schema);
        place.store.alter_table(place.id, altered.definition.clone())?;
        Ok(table)
    }))
}
