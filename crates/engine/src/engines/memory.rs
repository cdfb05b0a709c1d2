//! `ENGINE = Memory`: keeps rows in memory only.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, Column};
use entasis_expr::{ColumnId, Program};
use entasis_mergetree::BindDefaults;
use entasis_table_api::{Schema, Table};
use entasis_tables::memory::{Bounds, Continued, Memory};

use super::defaults::TableDefaults;
use super::{EngineArgs, EngineDef, Lineage, arguments};
use crate::definition::features::Features;
use crate::settings::merge_tree::OfEngine;

pub(super) static ENGINE: EngineDef = EngineDef {
    name: "Memory",
    description: "Keeps rows in memory only; they are lost when the process ends.",
    syntax: "ENGINE = Memory",
    related: &[],
    features: Features {
        settings: OfEngine::Memory,
        parallel_insert: true,
        alter_columns: true,
        renames_columns: true,
        ..Features::NONE
    },
    own_files: None,
    create: |args| {
        let schema = Arc::clone(&args.definition.schema);
        let defaults = TableDefaults::of(&schema, args.function_context);
        let bounds = bounds(args)?;
        Ok(Box::new(move |place| {
            let Some(altered) = &place.altered else { return Ok(Memory::bounded(schema, bounds)) };
            let table = altered.of_engine::<Memory>()?;
            let record = || place.store.alter_table(place.id, altered.definition.clone());
            Ok(alter(table, schema, altered.lineage, &*defaults, record)?)
        }))
    },
};

/// The table with the columns of `schema`; `record` is called when nothing else can fail.
pub(crate) fn alter(
    table: &Memory,
    schema: Arc<Schema>,
    lineage: &Lineage,
    defaults: &dyn BindDefaults,
    record: impl FnOnce() -> Result<()>,
) -> Result<Arc<Memory>> {
    let old = table.schema();
    let mut programs = Vec::new();
    for (position, column) in schema.stored().iter().enumerate() {
        let origin = lineage.get(&*column.name).and_then(Option::as_deref);
        let is_stored = |position: &usize| *position < old.stored().len();
        let from = origin.and_then(|origin| old.position(origin)).filter(is_stored);
        let ty = from.map(|from| &old.columns[from].ty);
        let convert = match ty.filter(|ty| **ty != column.ty) {
            Some(ty) => {
                let expr = defaults.convert(position, ty)?;
                Some(Program::new(&[expr], &[ColumnId(position as u32)])?)
            }
            None => None,
        };
        programs.push((from, convert));
    }
    let converts: Vec<_> = programs
        .iter()
        .map(|(_, program)| {
            program.as_ref().map(|program| {
                move |column: Column| {
                    let rows = column.len();
                    let converted = program.run(&Chunk::new(vec![column], rows))?.pop();
                    converted.ok_or_else(|| Error::logical("A conversion without a result"))
                }
            })
        })
        .collect();
    let continued = programs.iter().zip(&converts).map(|((from, _), convert)| Continued {
        from: *from,
        convert: convert.as_ref().map(|convert| convert as &dyn Fn(Column) -> Result<Column>),
    });
    table.altered(schema, &continued.collect::<Vec<_>>(), record)
}

/// How many rows the settings of the table let it keep. The setting `compress` is accepted: rows in
/// memory are never compressed.
pub(crate) fn bounds(args: &EngineArgs<'_>) -> Result<Bounds> {
    let number = |name: &str| -> Result<u64> {
        let value = arguments::setting(args, name)?;
        Ok(value.and_then(|value| value.as_u64()).unwrap_or(0))
    };
    let bounds = Bounds {
        min_rows: number("min_rows_to_keep")?,
        max_rows: number("max_rows_to_keep")?,
        min_bytes: number("min_bytes_to_keep")?,
        max_bytes: number("max_bytes_to_keep")?,
    };
    let pairs =
        [("rows", bounds.min_rows, bounds.max_rows), ("bytes", bounds.min_bytes, bounds.max_bytes)];
    for (of, least, most) in pairs {
        if least > most {
            let message = format!(
                "Setting `min_{of}_to_keep` cannot be higher than the `max_{of}_to_keep`. \
                 `min_{of}_to_keep`: {least}, `max_{of}_to_keep`: {most}."
            );
            return Err(Error::new(codes::SETTING_CONSTRAINT_VIOLATION, message));
        }
    }
    Ok(bounds)
}
