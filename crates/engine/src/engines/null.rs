//! `ENGINE = Null`: takes rows and keeps none.

use std::sync::Arc;

use entasis_tables::null::Null;

use super::EngineDef;
use crate::definition::features::Features;

pub(super) static ENGINE: EngineDef = EngineDef {
    name: "Null",
    description: "Discards the rows of INSERTs, and is always empty.",
    syntax: "ENGINE = Null",
    related: &[],
    features: Features { parallel_insert: true, alter_columns: true, ..Features::NONE },
    own_files: None,
    create: |args| {
        let schema = Arc::clone(&args.definition.schema);
        Ok(Box::new(|place| {
            if let Some(altered) = &place.altered {
                place.store.alter_table(place.id, altered.definition.clone())?;
            }
            Ok(Null::new(schema))
        }))
    },
};
