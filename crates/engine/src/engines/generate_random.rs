//! `ENGINE = GenerateRandom`: an endless table of made-up rows.

use std::sync::Arc;

use entasis_base::Result;
use entasis_tables::random::{Random, Shape};

use super::{Attach, EngineArgs, EngineDef, arguments};
use crate::definition::features::Features;

pub(super) static ENGINE: EngineDef = EngineDef {
    name: "GenerateRandom",
    description: "Answers made-up rows of any types, without an end; equal seeds give equal rows.",
    syntax: "ENGINE = GenerateRandom([random_seed[, max_string_length[, max_array_length]]])",
    related: &["Null"],
    features: Features { arguments: true, ..Features::NONE },
    own_files: None,
    create,
};

fn create(args: &EngineArgs<'_>) -> Result<Attach> {
    let context = args.function_context;
    let values = arguments::of(args).iter().map(|expr| arguments::value(expr, context));
    let values = values.collect::<Result<Vec<_>>>()?;
    let shape = Shape::parse("Engine 'GenerateRandom'", &values)?;
    let schema = Arc::clone(&args.definition.schema);
    Ok(Box::new(move |_| Ok(Random::new("GenerateRandom", schema, shape)?)))
}
