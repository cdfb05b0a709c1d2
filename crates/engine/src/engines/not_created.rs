//! Engines of things that other statements create. They are listed, and CREATE TABLE says what to
//! write instead.

use entasis_base::{Error, Result, codes};

use super::{Attach, EngineArgs, EngineDef};
use crate::definition::features::Features;

pub(super) static LOOP: EngineDef = EngineDef {
    name: "Loop",
    description: "The rows of a table or a table function again and again, as the table function \
                  loop answers them.",
    syntax: "SELECT ... FROM loop(table), which is shown as Loop",
    related: &[],
    features: Features { arguments: true, ..Features::NONE },
    own_files: None,
    create: |args| refused(args, "Loop as a table function only"),
};

pub(super) static MATERIALIZED_VIEW: EngineDef = EngineDef {
    name: "MaterializedView",
    description: "A query over the rows that are INSERTed into a table, or that is refreshed at \
                  times; its rows are kept in a table.",
    syntax: "CREATE MATERIALIZED VIEW name ... AS SELECT ..., which is shown as MaterializedView",
    related: &["View"],
    features: Features { arguments: true, ..Features::NONE },
    own_files: None,
    create: |args| refused(args, "CREATE MATERIALIZED VIEW statement"),
};

pub(super) static VIEW: EngineDef = EngineDef {
    name: "View",
    description: "A query under a name.",
    syntax: "CREATE VIEW name AS SELECT ..., which is shown as View",
    related: &["MaterializedView"],
    features: Features { arguments: true, ..Features::NONE },
    own_files: None,
    create: |args| refused(args, "CREATE VIEW statement"),
};

#[cold]
fn refused(args: &EngineArgs<'_>, instead: &str) -> Result<Attach> {
    let name = &args.definition.engine.name;
    let message =
        format!("Direct creation of tables with ENGINE {name} is not supported, use {instead}");
    Err(Error::new(codes::INCORRECT_QUERY, message).at(args.definition.engine.position))
}
