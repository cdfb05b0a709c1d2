//! `ENGINE = EmbeddedRocksDB` and `ENGINE = KeeperMap`: key-value tables on this machine. An INSERT
//! replaces the rows of its keys. The rows are in memory with an index, and durable on disk.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_expr::Expr;
use entasis_tables::keyed::{Duplicates, Keyed, KeyedOptions, Purpose};

use super::log::OWN_FILES;
use super::{Attach, EngineArgs, EngineDef, arguments};
use crate::definition::features::{Features, Support};
use crate::settings::merge_tree::OfEngine;

pub(super) static ROCKS: EngineDef = EngineDef {
    name: "EmbeddedRocksDB",
    description: "A key-value table: INSERT replaces rows by key, and conditions on the key are \
                  looked up.",
    syntax: "ENGINE = EmbeddedRocksDB([ttl, rocksdb_dir, read_only]) PRIMARY KEY key",
    related: &["KeeperMap"],
    features: FEATURES,
    own_files: Some(OWN_FILES),
    create: |args| create("EmbeddedRocksDB", args),
};

pub(super) static KEEPER: EngineDef = EngineDef {
    name: "KeeperMap",
    description: "The same as EmbeddedRocksDB: on this one machine no Keeper is needed.",
    syntax: "ENGINE = KeeperMap(root_path[, keys_limit]) PRIMARY KEY key",
    related: &["EmbeddedRocksDB"],
    features: Features { settings: OfEngine::Nothing, ..FEATURES },
    own_files: Some(OWN_FILES),
    create: |args| create("KeeperMap", args),
};

const FEATURES: Features = Features {
    arguments: true,
    settings: OfEngine::Anything,
    sort_order: Support::Yes,
    key_without_order: true,
    parallel_insert: true,
    own_data: true,
    ..Features::NONE
};

fn create(engine: &'static str, args: &EngineArgs<'_>) -> Result<Attach> {
    let (given, definition) = (arguments::of(args), args.definition);
    if engine == "KeeperMap" && !(1..=2).contains(&given.len()) {
        let message = "Engine KeeperMap requires 1-2 arguments: root_path and optionally \
                       keys_limit, the most keys that are allowed";
        return Err(arguments::wrong_number(message));
    }
    if engine == "EmbeddedRocksDB" && given.len() > 3 {
        let message = format!(
            "Engine EmbeddedRocksDB requires at most 3 parameters ({} given): \
             EmbeddedRocksDB([ttl, rocksdb_dir, read_only])",
            given.len()
        );
        return Err(arguments::wrong_number(&message));
    }
    if engine == "EmbeddedRocksDB" && args.is_new {
        check_rocks(args)?;
    }
    if definition.primary_key.as_ref().is_none_or(Vec::is_empty) {
        let message = format!("Storage{engine} requires at least one column in primary key");
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    if engine == "KeeperMap" && definition.keys.sorting.len() != 1 {
        let message = "StorageKeeperMap requires one column in primary key";
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    let position = |key: &Expr| match key {
        Expr::Column { id, .. } => Ok(id.0 as usize),
        _ => {
            let message = format!("The primary key of {engine} must consist of plain columns");
            Err(Error::new(codes::BAD_ARGUMENTS, message))
        }
    };
    let keys = definition.keys.sorting.iter().map(position).collect::<Result<Vec<usize>>>()?;
    let most = match (engine, given.get(1)) {
        ("KeeperMap", Some(most)) => arguments::number(most, args.function_context)?,
        _ => 0,
    };
    let schema = Arc::clone(&definition.schema);
    let (purpose, duplicates) = (Purpose::KeyValue, Duplicates::Last);
    let options = KeyedOptions { engine, purpose, keys, duplicates, most: (most, 0) };
    Ok(Box::new(move |place| Ok(Keyed::open(options, schema, Some(place.directory()?))?)))
}

/// Refuses what would change the meaning of a table: rows that expire, and another directory.
fn check_rocks(args: &EngineArgs<'_>) -> Result<()> {
    let given = arguments::of(args);
    let ttl = given.first().map(|ttl| arguments::number(ttl, args.function_context));
    if ttl.transpose()?.unwrap_or(0) > 0 {
        let error = Error::not_implemented("The argument ttl of EmbeddedRocksDB");
        return Err(error.append(": leave it at 0, and delete rows by TRUNCATE or by INSERT"));
    }
    let dir = given.get(1).map(|dir| arguments::text(dir, args.function_context)).transpose()?;
    if dir.is_some_and(|dir| !dir.is_empty()) {
        let error = Error::not_implemented("The argument rocksdb_dir of EmbeddedRocksDB");
        return Err(error.append(": leave it out, the table has a directory of its own"));
    }
    Ok(())
}
