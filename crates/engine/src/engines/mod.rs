//! Table engines: the implementations of `ENGINE = name`. One file per engine, and a list of them
//! all.
//!
//! An engine is an [`EngineDef`]: its name, its [`Features`], and a function that makes a table.
//! CREATE TABLE and the opening of the catalog go through the same function, in two steps:
//!
//! 1. [`EngineDef::create`] checks the definition. Errors in a statement are found here, before
//!    anything is recorded.
//! 2. The [`Attach`] that it answers makes the table at its [`TableLocation`]: in the store, under
//!    the table's id, with a directory for its own data.
//!
//! [`check`] refuses clauses that are not among the engine's features.

mod aggregating;
mod arguments;
pub(crate) mod buffer;
pub(crate) mod called;
mod coalescing;
mod collapsing;
pub(crate) mod defaults;
pub(crate) mod dictionary;
mod elsewhere;
mod file;
mod generate_random;
pub(crate) mod graphite;
mod join;
mod key_value;
mod log;
pub(crate) mod memory;
mod merge_tree;
mod not_created;
mod null;
pub(crate) mod over;
pub(crate) mod projections;
mod replacing;
mod replicated;
mod set;
mod summing;
mod url;

pub(crate) use merge_tree::check_sampling;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_disk::Directory;
use entasis_mergetree::{DefinitionText, OwnRepair, OwnReport, Store, TableId};
use entasis_sql::ast;
use entasis_table_api::{Schema, Table};

use crate::definition::TableDefinition;
use crate::definition::family;
use crate::definition::features::{Features, Support};
use crate::settings::function_context::StatementContext;
use crate::settings::merge_tree::OfEngine;

/// All engines, by name.
pub(crate) const ENGINES: &[&EngineDef] = &[
    &aggregating::ENGINE,
    &over::ALIAS,
    &buffer::ENGINE,
    &coalescing::ENGINE,
    &collapsing::ENGINE,
    &dictionary::ENGINE,
    &over::DISTRIBUTED,
    &key_value::ROCKS,
    &file::ENGINE,
    &generate_random::ENGINE,
    &graphite::ENGINE,
    &join::ENGINE,
    &key_value::KEEPER,
    &log::LOG,
    &not_created::LOOP,
    &not_created::MATERIALIZED_VIEW,
    &memory::ENGINE,
    &over::MERGE,
    &merge_tree::ENGINE,
    &null::ENGINE,
    &over::REMOTE,
    &over::REMOTE_SECURE,
    &replacing::ENGINE,
    &replicated::REPLICATED_AGGREGATING,
    &replicated::REPLICATED_COALESCING,
    &replicated::REPLICATED_COLLAPSING,
    &replicated::REPLICATED_GRAPHITE,
    &replicated::REPLICATED,
    &replicated::REPLICATED_REPLACING,
    &replicated::REPLICATED_SUMMING,
    &replicated::REPLICATED_VERSIONED_COLLAPSING,
    &set::ENGINE,
    &replicated::SHARED_AGGREGATING,
    &replicated::SHARED_COALESCING,
    &replicated::SHARED_COLLAPSING,
    &replicated::SHARED_GRAPHITE,
    &replicated::SHARED,
    &replicated::SHARED_REPLACING,
    &replicated::SHARED_SUMMING,
    &replicated::SHARED_VERSIONED_COLLAPSING,
    &log::STRIPE_LOG,
    &summing::ENGINE,
    &log::TINY_LOG,
    &url::ENGINE,
    &collapsing::VERSIONED,
    &not_created::VIEW,
];

/// A table engine.
pub(crate) struct EngineDef {
    /// Name as the reference spells it.
    pub name: &'static str,
    /// One sentence for the manual.
    pub description: &'static str,
    /// Its syntax in CREATE TABLE, for the manual.
    pub syntax: &'static str,
    /// Names of similar engines, for the manual.
    pub related: &'static [&'static str],
    /// Which clauses of CREATE TABLE it takes, and what its tables can do.
    pub features: Features,
    /// How the files that its tables keep themselves are checked and repaired, if they keep any.
    pub own_files: Option<OwnFiles>,
    /// Checks a definition and answers the function that makes its table.
    pub create: fn(&EngineArgs<'_>) -> Result<Attach>,
}

/// Checks and repairs the files in the directory of a table with this schema.
pub(crate) struct OwnFiles {
    /// Answers what was read, and calls the function with each damaged file and what is wrong.
    pub check: fn(&Schema, &Directory, &mut dyn FnMut(&str, &str)) -> Result<OwnReport>,
    /// Makes the files usable, without removing anything.
    pub repair: fn(&Schema, &Directory, OwnRepair<'_>) -> Result<()>,
}

/// What an engine gets to make a table.
pub(crate) struct EngineArgs<'a> {
    /// Columns, keys, settings, arguments of the engine.
    pub definition: &'a TableDefinition,
    /// The context in which functions are bound.
    pub function_context: &'a StatementContext,
    /// True if a statement creates the table now. False if an existing table is opened or altered:
    /// checks of settings and keys that could fail now are then left out.
    pub is_new: bool,
}

/// Makes a table at its place. If columns are altered, makes the new version of the existing table.
pub(crate) type Attach = Box<dyn FnOnce(&TableLocation<'_>) -> Result<Arc<dyn Table>>>;

/// Where a table is kept.
pub(crate) struct TableLocation<'a> {
    /// The store, in which the table is already registered.
    pub store: &'a Arc<Store>,
    /// The table's id in the store.
    pub id: TableId,
    /// The existing table, if its columns are altered; `None` if it is created or opened.
    pub altered: Option<Altered<'a>>,
}

/// A table whose columns are altered. [`Attach`] makes the same table with other columns.
pub(crate) struct Altered<'a> {
    /// The table before the change.
    pub table: &'a dyn Table,
    /// Its new definition, which [`Attach`] is to record in the store.
    pub definition: &'a DefinitionText,
    /// Whose values the new columns have.
    pub lineage: &'a Lineage,
    /// Whether values are only converted, so that an ALTER that follows takes little time. Only
    /// MergeTree tables are asked to.
    pub rehearses: bool,
}

impl Altered<'_> {
    /// The table, if it is of this type.
    pub(crate) fn of_engine<T: Table>(&self) -> Result<&T> {
        let table: &dyn std::any::Any = self.table;
        table
            .downcast_ref::<T>()
            .ok_or_else(|| Error::logical("A table of another engine is altered"))
    }
}

/// For each column after an ALTER, the name of the column before it whose values it continues;
/// `None` for a column that starts anew.
pub(crate) type Lineage = std::collections::HashMap<String, Option<String>>;

impl TableLocation<'_> {
    /// The directory for data that the engine keeps itself; it is removed with the table.
    pub(crate) fn directory(&self) -> Result<Directory> {
        self.store.own_data(self.id)
    }
}

/// The engine of this name.
pub(crate) fn find(name: &str) -> Option<&'static EngineDef> {
    ENGINES.iter().copied().find(|engine| engine.name == name)
}

/// The settings that tables of an engine have; none, if there is no such engine.
pub(crate) fn settings_of(name: &str) -> OfEngine {
    find(name).map_or(OfEngine::Nothing, |engine| engine.features.settings)
}

pub(crate) use file::quote;

/// Writes the arguments of an engine that are bare words but mean texts as texts.
pub(crate) fn quote_arguments(engine: &mut ast::Engine) {
    let names = [file::ENGINE.name, url::ENGINE.name, dictionary::ENGINE.name];
    if names.contains(&&*engine.name) {
        engine.args.iter_mut().flatten().for_each(quote);
    }
}

/// The engine that a statement names.
pub(crate) fn of_statement(create: &ast::CreateTable) -> Result<&'static EngineDef> {
    if let Some(ast::CreateSource::Function(_)) = &create.source {
        return Ok(&called::ENGINE);
    }
    let Some(engine) = &create.storage.engine else {
        return Err(Error::new(codes::INCORRECT_QUERY, "CREATE TABLE without ENGINE"));
    };
    let name = engine.name.as_str();
    find(name).ok_or_else(|| missing(name).at(engine.position))
}

#[cold]
fn missing(name: &str) -> Error {
    if name == "None" {
        let message = "Table engine is not specified in CREATE query";
        return Error::new(codes::ENGINE_REQUIRED, message);
    }
    if let Some(instead) = elsewhere::instead(name) {
        let error = Error::not_implemented(format!("Table engine {name}"));
        return error.append(format_args!(": {instead}"));
    }
    Error::new(codes::UNKNOWN_STORAGE, format!("Unknown table engine {name}"))
}

/// A clause of CREATE TABLE that not every engine takes.
struct Clause {
    /// Name of the clause in messages.
    name: &'static str,
    is_used: fn(&ast::CreateTable) -> bool,
    support: fn(&Features) -> Support,
}

const CLAUSES: &[Clause] = &[
    Clause {
        name: "PARTITION BY, PRIMARY KEY, ORDER BY or SAMPLE BY clauses",
        is_used: |create| {
            let (elements, storage) = (&create.elements, &create.storage);
            storage.partition_by.is_some()
                || storage.primary_key.is_some()
                || storage.order_by.is_some()
                || storage.sample_by.is_some()
                || elements.primary_key.is_some()
                || elements.columns.iter().any(|column| column.primary_key)
        },
        support: |features| features.sort_order,
    },
    Clause {
        name: "SAMPLE BY",
        is_used: |create| create.storage.sample_by.is_some(),
        support: |features| features.sampling,
    },
    Clause {
        name: "TTL clause",
        is_used: |create| {
            let of_column = create.elements.columns.iter().any(|column| column.ttl.is_some());
            of_column || !create.storage.ttl.is_empty()
        },
        support: |features| features.ttl,
    },
    Clause {
        name: "skipping indices",
        is_used: |create| !create.elements.indices.is_empty(),
        support: |features| features.skipping_indices,
    },
    Clause {
        name: "projections",
        is_used: |create| !create.elements.projections.is_empty(),
        support: |features| features.projections,
    },
];

/// Refuses arguments, settings and clauses of a statement that its engine does not take.
pub(crate) fn check(engine: &EngineDef, create: &ast::CreateTable) -> Result<()> {
    let (name, features, storage) = (engine.name, &engine.features, &create.storage);
    let keys = storage.partition_by.is_some()
        || storage.primary_key.is_some()
        || storage.order_by.is_some()
        || storage.sample_by.is_some()
        || !storage.settings.is_empty();
    let given = |e: &ast::Engine| match keys {
        true => e.args.as_ref().map_or(0, Vec::len),
        false => family::parameters(e).len(),
    };
    let given = storage.engine.as_ref().map_or(0, given);
    if given > 0 && !features.arguments {
        let message = format!("Engine {name} doesn't support any arguments ({given} given)");
        let error = Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message);
        return Err(storage.engine.as_ref().map_or(error.duplicate(), |e| error.at(e.position)));
    }
    if !storage.settings.is_empty() && features.settings == OfEngine::Nothing {
        return Err(refused(name, "SETTINGS clause", |f| f.settings != OfEngine::Nothing));
    }
    features.settings.check(&storage.settings)?;
    for clause in CLAUSES.iter().filter(|clause| (clause.is_used)(create)) {
        match (clause.support)(features) {
            Support::Yes => {}
            Support::No => {
                return Err(refused(name, clause.name, |f| (clause.support)(f) != Support::No));
            }
        }
    }
    Ok(())
}

#[cold]
fn refused(engine: &str, clause: &str, takes: impl Fn(&Features) -> bool) -> Error {
    let others = ENGINES.iter().filter(|other| takes(&other.features)).map(|other| other.name);
    let message = format!(
        "Engine {engine} doesn't support {clause}: leave it out, or use an engine that does, such \
         as {}",
        others.collect::<Vec<_>>().join(", ")
    );
    Error::new(codes::BAD_ARGUMENTS, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_says_something_of_each() {
        assert!(ENGINES.is_sorted_by_key(|engine| engine.name));
        for engine in ENGINES {
            assert!(!engine.description.is_empty(), "{}", engine.name);
            assert!(engine.syntax.contains(engine.name), "{}", engine.name);
        }
    }
}
