//! `ENGINE = Null`.

use std::sync::Arc;

use entasis_tables::null::Null;

use super::EngineDef;
use crate::definition::features::Features;

pub(super) static ENGINE: EngineDef = EngineDef {
    name: "Null",
    description: "Takes every row and keeps none.",
    syntax: "ENGINE = Null",
    related: &[],
    features: Features { parallel_insert: true, ..Features::NONE },
    create: |args| {
        let schema = Arc::clone(&args.definition.schema);
        Ok(Box::new(|_| Ok(Null::new(schema))))
    },
};
