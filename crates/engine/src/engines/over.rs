//! Engines whose tables answer the rows of other tables: Merge, Alias and Distributed.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_sql::ast;
use entasis_table_api::{Names, Over};
use entasis_tables::over::OverTable;

use super::{Attach, EngineArgs, EngineDef, arguments};
use crate::definition::features::Features;
use crate::settings::function_context::StatementContext;
use crate::settings::merge_tree::OfEngine;

pub(super) static MERGE: EngineDef = EngineDef {
    name: "Merge",
    description: "Reads all tables of a database whose names match a regular expression.",
    syntax: "ENGINE = Merge(db_name | REGEXP('db'), 'tables_regexp')",
    related: &["Buffer", "Distributed"],
    features: Features { arguments: true, alter_columns: true, ..Features::NONE },
    own_files: None,
    create: |args| {
        let over = merge_of(arguments::of(args), args.function_context)?;
        if args.is_new {
            check_pattern(&over.databases, args.function_context)?;
            check_pattern(&over.tables, args.function_context)?;
        }
        made("Merge", over, args)
    },
};

pub(crate) static ALIAS: EngineDef = EngineDef {
    name: "Alias",
    description: "Another name of a table: reads and INSERTs go to that table.",
    syntax: "ENGINE = Alias([database, ]table)",
    related: &["Merge", "Distributed"],
    features: Features { arguments: true, ..Features::NONE },
    own_files: None,
    create: |args| {
        let over = alias_of(arguments::of(args), args.function_context)?;
        made("Alias", over, args)
    },
};

pub(super) static DISTRIBUTED: EngineDef = EngineDef {
    name: "Distributed",
    description: "Reads and writes a table of a cluster. The only machine of a cluster is this one.",
    syntax: "ENGINE = Distributed(cluster, database, table[, sharding_key[, policy_name]])",
    related: &["Merge", "Alias"],
    features: Features {
        arguments: true,
        settings: OfEngine::Anything,
        parallel_insert: true,
        alter_columns: true,
        renames_columns: true,
        ..Features::NONE
    },
    own_files: None,
    create: |args| {
        let over = distributed_of(arguments::of(args), args.function_context)?;
        if args.is_new {
            check_sharding(args)?;
        }
        made("Distributed", over, args)
    },
};

const REMOTE_RELATED: &[&str] = &["Distributed", "Alias"];
const REMOTE_FEATURES: Features = Features {
    arguments: true,
    settings: OfEngine::Anything,
    parallel_insert: true,
    ..Features::NONE
};

pub(super) static REMOTE: EngineDef = EngineDef {
    name: "Remote",
    description: "Reads and writes a table of this server under an address of it.",
    syntax: "ENGINE = Remote(address, database, table[, user[, password]][, sharding_key])",
    related: REMOTE_RELATED,
    features: REMOTE_FEATURES,
    own_files: None,
    create: |args| {
        let over = remote_of(arguments::of(args), args.function_context)?;
        made("Remote", over, args)
    },
};

pub(super) static REMOTE_SECURE: EngineDef = EngineDef {
    name: "RemoteSecure",
    description: "The same as Remote.",
    syntax: "ENGINE = RemoteSecure(address, database, table[, user[, password]][, sharding_key])",
    related: REMOTE_RELATED,
    features: REMOTE_FEATURES,
    own_files: None,
    create: |args| {
        let over = remote_of(arguments::of(args), args.function_context)?;
        made("RemoteSecure", over, args)
    },
};

/// What the arguments of Remote mean: those of the table function `remote`.
pub(crate) fn remote_of(given: &[ast::Expr], context: &StatementContext) -> Result<Over> {
    let call = ast::Function::new("remote", given.to_vec());
    let mut text = |arg| arguments::text(arg, context).map(Some);
    let remote = entasis_analyze::remote::resolve(&call, &context.database, &mut text)?;
    match remote.table {
        ast::TableExprKind::Table(name) if remote.shards == 1 => {
            let database = name.database.map_or_else(|| context.database.clone(), |d| d.name);
            Ok(one_table(database, name.table.name, true))
        }
        _ => {
            let what = "Engine Remote with several shards, a query or a table function (make a view \
                        over the table function remote)";
            Err(Error::not_implemented(what))
        }
    }
}

/// Clusters that consist of this machine.
const CLUSTERS: [&str; 4] =
    ["default", "test_shard_localhost", "test_cluster_one_shard", "localhost"];

fn made(engine: &'static str, over: Over, args: &EngineArgs<'_>) -> Result<Attach> {
    let schema = Arc::clone(&args.definition.schema);
    let tables = Arc::new(args.function_context.server.tables.clone());
    let zone = args.function_context.time_zone;
    let database = args.function_context.database.clone();
    Ok(Box::new(move |place| {
        if let Some(altered) = &place.altered {
            place.store.alter_table(place.id, altered.definition.clone())?;
        }
        Ok(OverTable::new(engine, schema, over, tables, database, zone))
    }))
}

/// Fails if a regular expression is none.
fn check_pattern(names: &Names, context: &StatementContext) -> Result<()> {
    let Names::Matching(pattern) = names else { return Ok(()) };
    let call = format!("match('', {})", entasis_sql::format_string(pattern.as_bytes()));
    let call = entasis_sql::parse_expression(&call)?;
    entasis_analyze::bind_expression(&call, &Vec::new(), context).map(drop)
}

/// What the arguments of Merge mean.
pub(crate) fn merge_of(given: &[ast::Expr], context: &StatementContext) -> Result<Over> {
    let [database, tables] = given else {
        return Err(arguments::wrong_number(
            "Storage Merge requires exactly 2 parameters - name of source database and regexp for \
             table names",
        ));
    };
    let databases = match database.as_function() {
        Some(call) if call.name.eq_ignore_ascii_case("REGEXP") && call.args.len() == 1 => {
            Names::Matching(arguments::text(&call.args[0], context)?)
        }
        _ => Names::Exactly(arguments::text(database, context)?),
    };
    let tables = Names::Matching(arguments::text(tables, context)?);
    Ok(Over {
        databases,
        tables,
        has_own_rows: false,
        must_exist: false,
        names_rows: true,
        numbers_shards: false,
    })
}

/// What the arguments of Alias mean.
pub(crate) fn alias_of(given: &[ast::Expr], context: &StatementContext) -> Result<Over> {
    let (database, table) = match given {
        [table] => {
            let name = arguments::text(table, context)?;
            match name.split_once('.') {
                Some((database, table)) => (database.to_owned(), table.to_owned()),
                None => (context.database.clone(), name),
            }
        }
        [database, table] => {
            (arguments::text(database, context)?, arguments::text(table, context)?)
        }
        _ => return Err(arguments::wrong_number("Engine Alias takes [database,] table")),
    };
    Ok(one_table(database, table, false))
}

/// What the arguments of Distributed mean.
pub(crate) fn distributed_of(given: &[ast::Expr], context: &StatementContext) -> Result<Over> {
    if !(3..=5).contains(&given.len()) {
        return Err(arguments::wrong_number(
            "Storage Distributed requires from 3 to 5 parameters - name of configuration section \
             with list of remote servers, name of remote database, name of remote table, sharding \
             key expression (optional), policy to store data in (optional)",
        ));
    }
    let cluster = arguments::text(&given[0], context)?;
    if !CLUSTERS.contains(&cluster.as_str()) {
        let message = format!(
            "Requested cluster '{cluster}' not found: there is only this machine, as cluster {}",
            CLUSTERS.join(", ")
        );
        return Err(Error::new(codes::CLUSTER_DOESNT_EXIST, message));
    }
    let database = match arguments::text(&given[1], context)? {
        name if name.is_empty() => context.database.clone(),
        name => name,
    };
    Ok(one_table(database, arguments::text(&given[2], context)?, true))
}

/// Refuses a sharding key that is no whole number, and a storage policy: there are none.
fn check_sharding(args: &EngineArgs<'_>) -> Result<()> {
    let given = arguments::of(args);
    if let Some(policy) = given.get(4) {
        let name = arguments::text(policy, args.function_context)?;
        if name != "default" {
            let message = format!("Unknown storage policy `{name}`: there is only `default`");
            return Err(Error::new(codes::UNKNOWN_POLICY, message));
        }
    }
    let Some(key) = given.get(3) else { return Ok(()) };
    let columns = args.definition.schema.columns.iter();
    let known: Vec<_> = columns.map(|column| (column.name.clone(), column.ty.clone())).collect();
    let bound = entasis_analyze::bind_expression(key, &known, args.function_context)?;
    if !bound.ty().without_low_cardinality().is_native_integer() {
        let message = format!(
            "Sharding expression has type {}, but should be one of integer type",
            bound.ty()
        );
        return Err(Error::new(codes::TYPE_MISMATCH, message));
    }
    Ok(())
}

fn one_table(database: String, table: String, numbers_shards: bool) -> Over {
    Over {
        databases: Names::Exactly(database),
        tables: Names::Exactly(table),
        has_own_rows: false,
        must_exist: true,
        names_rows: false,
        numbers_shards,
    }
}
