//! `ENGINE = Buffer(database, table, ...)`: collects rows in memory before they are written to
//! another table.

use std::sync::Arc;
use std::time::Duration;

use entasis_base::{Error, Result, codes};
use entasis_sql::ast;
use entasis_tables::buffer::{Buffer, BufferOptions, Limits};

use super::{Attach, EngineArgs, EngineDef, arguments};
use crate::definition::features::Features;
use crate::settings::function_context::StatementContext;

pub(super) static ENGINE: EngineDef = EngineDef {
    name: "Buffer",
    description: "Collects rows in memory and writes them to another table later. Rows that were \
                  not written yet are lost in a crash.",
    syntax: "ENGINE = Buffer(database, table, num_layers, min_time, max_time, min_rows, max_rows, \
             min_bytes, max_bytes[, flush_time[, flush_rows[, flush_bytes]]])",
    related: &["Merge", "Memory"],
    features: Features {
        arguments: true,
        parallel_insert: true,
        alter_columns: true,
        ..Features::NONE
    },
    own_files: None,
    create,
};

/// Fails if a new table is a buffer of itself.
pub(crate) fn refuse_itself(
    storage: &ast::Storage,
    own: (&str, &str),
    context: &StatementContext,
) -> Result<()> {
    let engine = storage.engine.as_ref().filter(|engine| engine.name == "Buffer");
    let Some([database, table, ..]) = engine.and_then(|engine| engine.args.as_deref()) else {
        return Ok(());
    };
    let (database, table) = (arguments::text(database, context)?, arguments::text(table, context)?);
    let database = if database.is_empty() { own.0 } else { &database };
    if (database, &*table) == own {
        let message = "Destination table is myself: rows would go around in circles";
        return Err(Error::new(codes::INFINITE_LOOP, message));
    }
    Ok(())
}

fn create(args: &EngineArgs<'_>) -> Result<Attach> {
    let (given, context) = (arguments::of(args), args.function_context);
    if !(9..=12).contains(&given.len()) {
        return Err(arguments::wrong_number(
            "Storage Buffer requires from 9 to 12 parameters: destination_database, \
             destination_table, num_buckets, min_time, max_time, min_rows, max_rows, min_bytes, \
             max_bytes[, flush_time, flush_rows, flush_bytes]",
        ));
    }
    let (database, table) =
        (arguments::text(&given[0], context)?, arguments::text(&given[1], context)?);
    let numbers = given[2..].iter().map(|expr| arguments::number(expr, context));
    let numbers = numbers.collect::<Result<Vec<u64>>>()?;
    let number = |at: usize| numbers.get(at).copied().unwrap_or(0);
    let limits = |time: usize, step: usize| Limits {
        time: Duration::from_secs(number(time)),
        rows: number(time + step),
        bytes: number(time + 2 * step),
    };
    let destination = (!table.is_empty()).then(|| match database.is_empty() {
        true => (context.database.clone(), table.clone()),
        false => (database.clone(), table.clone()),
    });
    let options = BufferOptions {
        destination,
        least: limits(1, 2),
        most: limits(2, 2),
        flush: limits(7, 1),
        time_zone: context.time_zone,
    };
    let schema = Arc::clone(&args.definition.schema);
    let tables = Arc::new(context.server.tables.clone());
    let inserts = Arc::new(context.server.dictionaries.clone());
    Ok(Box::new(move |place| {
        if let Some(altered) = &place.altered {
            // The rows that it has are of the old columns.
            altered.table.close()?;
            place.store.alter_table(place.id, altered.definition.clone())?;
        }
        Ok(Buffer::new(schema, options, tables, inserts)?)
    }))
}
