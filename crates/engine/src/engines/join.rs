//! `ENGINE = Join(strictness, kind, key, ...)`: rows for the right side of joins, in memory with an
//! index and durable on disk.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_sql::ast;
use entasis_table_api::{JoinShape, Schema};
use entasis_tables::keyed::{Duplicates, Keyed, KeyedOptions, Purpose};

use super::log::OWN_FILES;
use super::{Attach, EngineArgs, EngineDef, arguments};
use crate::definition::features::Features;
use crate::settings::merge_tree::OfEngine;

pub(super) static ENGINE: EngineDef = EngineDef {
    name: "Join",
    description: "Keeps rows for the right side of JOIN and for joinGet, in memory and on disk.",
    syntax: "ENGINE = Join(ANY|ALL|SEMI|ANTI, LEFT|INNER|RIGHT|FULL, key[, key, ...])",
    related: &["Set"],
    features: Features {
        arguments: true,
        settings: OfEngine::Named(SETTINGS),
        own_data: true,
        ..Features::NONE
    },
    own_files: Some(OWN_FILES),
    create,
};

const SETTINGS: &[&str] = &[
    "persistent",
    "disk",
    "join_use_nulls",
    "max_rows_in_join",
    "max_bytes_in_join",
    "join_overflow_mode",
    "join_any_take_last_row",
    "any_join_distinct_right_table_keys",
];

const STRICTNESS: [&str; 4] = ["ANY", "ALL", "SEMI", "ANTI"];
const KINDS: [&str; 4] = ["LEFT", "INNER", "RIGHT", "FULL"];

fn create(args: &EngineArgs<'_>) -> Result<Attach> {
    let wrong = |message: String| Error::new(codes::BAD_ARGUMENTS, message);
    let (given, context) = (arguments::of(args), args.function_context);
    let [strictness, kind, names @ ..] = given else {
        return Err(arguments::wrong_number(
            "Storage Join requires at least 3 parameters: Join(ANY|ALL|SEMI|ANTI, \
             LEFT|INNER|RIGHT|FULL, keys...)",
        ));
    };
    if names.is_empty() {
        let message = "Storage Join requires at least 3 parameters: name a key column";
        return Err(arguments::wrong_number(message));
    }
    let one_of = |expr, all: [&'static str; 4], which: &str| {
        let name = arguments::text(expr, context)?;
        all.into_iter().find(|known| known.eq_ignore_ascii_case(&name)).ok_or_else(|| {
            let list = all.join(" or ");
            wrong(format!("{which} parameter of storage Join must be {list} (without quotes)"))
        })
    };
    let strictness = one_of(strictness, STRICTNESS, "First")?;
    let kind = one_of(kind, KINDS, "Second")?;
    if matches!(strictness, "SEMI" | "ANTI") && !matches!(kind, "LEFT" | "RIGHT") {
        return Err(wrong("SEMI|ANTI JOIN should be LEFT or RIGHT".to_string()));
    }
    arguments::known_settings(args, SETTINGS, codes::BAD_ARGUMENTS)?;
    let schema = Arc::clone(&args.definition.schema);
    let (keys, positions) = keys_of(names, &schema)?;
    let keeps_one = match strictness {
        "ALL" => false,
        "ANY" => matches!(kind, "LEFT" | "INNER"),
        _ => kind == "LEFT",
    };
    let takes_last = arguments::flag(args, "join_any_take_last_row", false)?;
    let duplicates = match (keeps_one, takes_last) {
        (false, _) => Duplicates::All,
        (true, false) => Duplicates::First,
        (true, true) => Duplicates::Last,
    };
    let use_nulls = arguments::flag(args, "join_use_nulls", false)?;
    let persistent = arguments::flag(args, "persistent", true)?;
    let purpose = Purpose::Join(JoinShape { strictness, kind, keys, use_nulls });
    let most = limits(args)?;
    let options = KeyedOptions { engine: "Join", purpose, keys: positions, duplicates, most };
    Ok(Box::new(move |place| {
        let directory = persistent.then(|| place.directory()).transpose()?;
        Ok(Keyed::open(options, schema, directory)?)
    }))
}

/// Names and positions of the key columns.
fn keys_of(names: &[ast::Expr], schema: &Schema) -> Result<(Vec<Arc<str>>, Vec<usize>)> {
    let wrong = |message: String| Error::new(codes::BAD_ARGUMENTS, message);
    let (mut keys, mut positions) = (Vec::new(), Vec::new());
    for (number, expr) in (3..).zip(names) {
        let Some([name]) = expr.as_identifier() else {
            return Err(wrong(format!(
                "Parameter {number} of storage Join doesn't look like a column name"
            )));
        };
        let position = schema.position(name.as_str()).filter(|p| *p < schema.stored().len());
        positions.push(position.ok_or_else(|| {
            let message =
                format!("Key column ({}) does not exist in table declaration", name.as_str());
            Error::new(codes::NO_SUCH_COLUMN_IN_TABLE, message)
        })?);
        keys.push(Arc::from(name.as_str()));
    }
    Ok((keys, positions))
}

/// Most rows and bytes; 0 means that there is no limit.
fn limits(args: &EngineArgs<'_>) -> Result<(u64, u64)> {
    let number = |name: &str| -> Result<u64> {
        let value = arguments::setting(args, name)?;
        Ok(value.and_then(|value| value.as_u64()).unwrap_or(0))
    };
    let mode = arguments::setting(args, "join_overflow_mode")?;
    // As in the reference, `break` keeps the rows nevertheless.
    if mode.as_ref().and_then(|mode| mode.as_bytes()) == Some(b"break") {
        return Ok((0, 0));
    }
    Ok((number("max_rows_in_join")?, number("max_bytes_in_join")?))
}
