//! `ENGINE = URL(address, format)`: rows at an address of the web, which every query asks for anew.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_disk::UserFiles;
use entasis_sql::ast;
use entasis_tables::TableFunctionContext;
use entasis_tables::file::UrlArguments;

use super::{Attach, EngineArgs, EngineDef, arguments};
use crate::definition::features::Features;
use crate::settings::merge_tree::OfEngine;
use crate::settings::{formats, web};

pub(super) static ENGINE: EngineDef = EngineDef {
    name: "URL",
    description: "Reads rows from an address of the web, and sends INSERTed rows there.",
    syntax: "ENGINE = URL(url[, format[, compression]][, headers('name'='value')])",
    related: &["File"],
    features: Features { arguments: true, settings: OfEngine::Anything, ..Features::NONE },
    own_files: None,
    create,
};

fn create(args: &EngineArgs<'_>) -> Result<Attach> {
    let context = args.function_context;
    let (mut texts, mut headers) = (Vec::new(), Vec::new());
    for arg in arguments::of(args) {
        match arg.as_function().filter(|call| call.name.eq_ignore_ascii_case("headers")) {
            Some(call) => {
                for pair in &call.args {
                    headers.push(header(pair, args)?);
                }
            }
            None => texts.push(arguments::text(arg, context)?),
        }
    }
    if !(1..=3).contains(&texts.len()) {
        return Err(arguments::wrong_number(
            "Storage URL requires 1-4 arguments: url, name of used format (taken from file \
             extension by default), optional compression method, optional headers (specified as \
             `headers('name'='value', 'name2'='value2')`).",
        ));
    }
    let given = |i: usize| texts.get(i).filter(|text| *text != "auto").cloned();
    let schema = &args.definition.schema;
    if schema.declared().any(|column| {
        column.default_kind().is_some_and(|kind| kind != entasis_table_api::DefaultKind::Default)
    }) {
        let message = "Table engine URL doesn't support special columns like MATERIALIZED, ALIAS \
                       or EPHEMERAL: use a view over the table";
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    let path = texts[0].split(['?', '#']).next().unwrap_or_default();
    if given(1).is_none() && entasis_format::format_by_extension(path).is_none() {
        let message = "The data format of the engine URL cannot be told from the address: name it, \
                       as in URL('http://...', 'CSV')";
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    let url = UrlArguments {
        url: texts[0].clone(),
        format: given(1),
        compression: given(2),
        structure: Some(schema.header()),
        headers,
    };
    if args.is_new {
        url.check(&*context.server.web)?;
    }
    let table = url.table(&TableFunctionContext {
        files: Arc::new(UserFiles::free(".")),
        time_zone: args.definition.time_zone,
        truncate_files: false,
        new_files: false,
        empty_if_missing: false,
        skip_empty: false,
        hive_partitioning: false,
        web: Arc::clone(&context.server.web),
        web_options: &|| web::options(&context.settings),
        format: &|| formats::options(&context.settings, args.definition.time_zone),
    })?;
    Ok(Box::new(move |_| Ok(table)))
}

/// Name and value of `'name'='value'`.
fn header(pair: &ast::Expr, args: &EngineArgs<'_>) -> Result<(String, String)> {
    if let Some(call) = pair.as_function()
        && call.name == "equals"
        && let [name, value] = &call.args[..]
    {
        let text = |expr| arguments::text(expr, args.function_context);
        return Ok((text(name)?, text(value)?));
    }
    let message = "headers() takes pairs: headers('name'='value')";
    Err(Error::new(codes::BAD_ARGUMENTS, message).at(pair.position))
}
