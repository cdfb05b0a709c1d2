//! `ENGINE = Log`: appends rows to one file per column.

use std::sync::Arc;

use entasis_mergetree::OwnReport;
use entasis_tables::log::{self, Log, Repair};

use super::{EngineDef, OwnFiles};
use crate::definition::features::Features;
use crate::settings::merge_tree::OfEngine;

pub(super) static ENGINE: EngineDef = EngineDef {
    name: "Log",
    description: "Rows in files that only grow, one per column: for many small tables.",
    syntax: "ENGINE = Log",
    related: &[],
    features: Features { settings: OfEngine::Anything, own_data: true, ..Features::NONE },
    own_files: Some(OwnFiles {
        check: |schema, directory, found| {
            let checked = log::check(schema, directory, found)?;
            Ok(OwnReport { bytes: checked.bytes, unnamed: checked.unfinished })
        },
        repair: |schema, directory, options| {
            let (drop_rows, move_away) = (options.drop_rows, options.move_away);
            log::repair(schema, directory, Repair { drop_rows, move_away, said: options.said })
        },
    }),
    create: |args| {
        let schema = Arc::clone(&args.definition.schema);
        Ok(Box::new(|place| Ok(Log::open(schema, place.directory()?)?)))
    },
};
