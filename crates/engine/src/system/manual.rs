//! `system.completions` and `system.documentation`: the names that this build knows, for shells and
//! editors, and what is known about each. `system.codecs` and
//! `system.aggregate_function_combinators` list what has no registry of its own.

use std::sync::{Arc, Weak};

use entasis_base::Result;
use entasis_base::events::EVENTS;
use entasis_dictionary::layout::{LAYOUTS, Layout};
use entasis_format::registry as formats;
use entasis_function::dictionary::KeyKind;
use entasis_function::registry::{aggregate_functions, scalar_functions};
use entasis_mergetree::{CODECS, CodecDef, CodecEffect as Effect};
use entasis_table_api::Table;
use entasis_tables::TABLE_FUNCTIONS;
use entasis_types::Value;

use super::catalog::over;
use super::layout::laid_out;
use super::system_table::ColumnOf;
use crate::catalog::EngineCatalog;
use crate::engines::ENGINES;
use crate::settings::{merge_tree, table};

fn text(value: &str) -> Value {
    Value::from(value)
}

/// A word, the kind of thing that it names, and the thing that it belongs to.
struct Completion {
    word: String,
    context: &'static str,
    belongs: Option<Arc<str>>,
}

impl Completion {
    fn new(word: impl Into<String>, context: &'static str) -> Self {
        Self { word: word.into(), context, belongs: None }
    }

    fn of(word: &str, context: &'static str, owner: &Arc<str>) -> Self {
        Self { word: word.to_owned(), context, belongs: Some(Arc::clone(owner)) }
    }
}

const COMPLETIONS: &[ColumnOf<Completion>] = &[
    ("word", "String", Some(|c| text(&c.word))),
    ("context", "String", Some(|c| text(c.context))),
    ("belongs", "Nullable(String)", Some(|c| c.belongs.as_deref().map_or(Value::Null, text))),
];

/// The table `system.completions`.
pub(super) fn completions(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    let words = |catalog: &EngineCatalog| {
        let mut words = of_catalog(catalog)?;
        words.extend(of_build());
        Ok(words)
    };
    laid_out("completions", COMPLETIONS, over(catalog, words))
}

/// Databases, tables and columns.
fn of_catalog(catalog: &EngineCatalog) -> Result<Vec<Completion>> {
    let mut words = Vec::new();
    for database in catalog.database_names() {
        let owner = Arc::clone(&database);
        for (table, entry) in catalog.tables(&database)? {
            words.push(Completion::of(&table, "table", &owner));
            let table = Arc::clone(&table);
            let schema = entry.table.schema();
            words.extend(schema.declared().map(|c| Completion::of(&c.name, "column", &table)));
        }
        words.push(Completion::new(&*database, "database"));
    }
    Ok(words)
}

/// What the build knows by name, whatever the databases hold.
fn of_build() -> impl Iterator<Item = Completion> {
    let named = |context| move |name: &str| Completion::new(name, context);
    let types = entasis_types::name::families();
    let functions = scalar_functions().map(|f| f.name).chain(aggregate_functions().map(|f| f.name));
    (functions.map(named("function")))
        .chain(entasis_sql::keywords().map(named("keyword")))
        .chain(types.into_iter().map(|(name, _)| Completion::new(name, "data type")))
        .chain(formats::names().map(|format| Completion::new(format.name, "format")))
        .chain(table::all().iter().map(|known| Completion::new(known.name, "setting")))
        .chain(merge_tree::all().into_iter().map(|k| Completion::new(k.name, "merge tree setting")))
        .chain(TABLE_FUNCTIONS.iter().map(|f| Completion::new(f.name, "table function")))
        .chain(ENGINES.iter().map(|engine| Completion::new(engine.name, "table engine")))
        .chain(["default"].into_iter().map(named("policy")))
}

/// What is known about a name.
struct Page {
    name: String,
    kind: Kind,
    description: String,
}

/// The kinds of things that have a page, with the reference's numbers.
#[derive(Clone, Copy)]
enum Kind {
    Function = 1,
    Aggregate = 2,
    TableFunction = 3,
    TableEngine = 4,
    DataType = 6,
    Combinator = 9,
    Setting = 12,
    MergeTreeSetting = 13,
    Format = 15,
    Codec = 16,
    ProfileEvent = 17,
}

const PAGES: &[ColumnOf<Page>] = &[
    ("name", "String", Some(|page| text(&page.name))),
    ("type", "String", Some(|page| Value::Int(page.kind as i64))),
    ("description", "String", Some(|page| text(&page.description))),
];

/// The table `system.documentation`.
pub(super) fn documentation() -> Arc<dyn Table> {
    laid_out("documentation", PAGES, || Ok(pages().collect()))
}

fn pages() -> impl Iterator<Item = Page> {
    let page = |kind, name: &str, description: &str| Page {
        name: name.to_owned(),
        kind,
        description: description.to_owned(),
    };
    let of_functions = scalar_functions().map(move |f| page(Kind::Function, f.name, f.description));
    let types = entasis_types::name::families();
    of_functions
        .chain(aggregate_functions().map(move |f| page(Kind::Aggregate, f.name, f.description)))
        .chain(
            TABLE_FUNCTIONS.iter().map(move |f| page(Kind::TableFunction, f.name, f.description)),
        )
        .chain(ENGINES.iter().map(move |e| page(Kind::TableEngine, e.name, e.description)))
        .chain(types.into_iter().map(move |(name, _)| page(Kind::DataType, name, "")))
        .chain(COMBINATORS.iter().map(move |(n, about)| page(Kind::Combinator, n, about)))
        .chain(table::all().iter().map(move |k| page(Kind::Setting, k.name, &k.description())))
        .chain(merge_tree::all().into_iter().map(move |known| {
            page(Kind::MergeTreeSetting, known.name, &merge_tree::description(known))
        }))
        .chain(formats::names().map(move |format| page(Kind::Format, format.name, "")))
        .chain(CODECS.iter().map(move |codec| page(Kind::Codec, codec.name, codec.description)))
        .chain(EVENTS.iter().map(move |e| page(Kind::ProfileEvent, e.name, e.description)))
}

const CODEC_COLUMNS: &[ColumnOf<CodecDef>] = &[
    ("name", "String", Some(|codec| text(codec.name))),
    ("method_byte", "UInt8", Some(|codec| Value::UInt(codec.method.into()))),
    (
        "is_compression",
        "UInt8",
        Some(|c| flag(!matches!(c.does, Effect::Nothing | Effect::Prepare | Effect::Encrypt))),
    ),
    ("is_generic_compression", "UInt8", Some(|codec| flag(codec.does == Effect::Compress))),
    ("is_encryption", "UInt8", Some(|codec| flag(codec.does == Effect::Encrypt))),
    ("is_timeseries_codec", "UInt8", Some(|codec| flag(codec.does == Effect::ShrinkSeries))),
    // The numbers of the tiers Production and Beta.
    ("tier", "Int8", Some(|codec| Value::Int(if codec.is_beta { 12 } else { 0 }))),
    ("description", "String", Some(|codec| text(codec.description))),
];

fn flag(value: bool) -> Value {
    Value::UInt(u64::from(value))
}

/// The table `system.codecs`.
pub(super) fn codecs() -> Arc<dyn Table> {
    laid_out("codecs", CODEC_COLUMNS, || Ok(CODECS.to_vec()))
}

/// The suffixes of aggregate functions and what they do.
const COMBINATORS: &[(&str, &str)] = &[
    ("ArgMax", "Aggregates only the rows in which another argument is greatest."),
    ("ArgMin", "Aggregates only the rows in which another argument is least."),
    ("Array", "Aggregates the elements of arrays."),
    ("Distinct", "Aggregates each combination of arguments once."),
    ("ForEach", "Aggregates arrays element by element."),
    ("If", "Aggregates only the rows for which a condition holds."),
    ("Map", "Aggregates maps key by key."),
    ("Merge", "Merges states and answers the result."),
    ("MergeState", "Merges states and answers a state."),
    ("OrDefault", "Answers the default of the type if there are no rows."),
    ("OrNull", "Answers NULL if there are no rows."),
    ("Resample", "Aggregates the rows of each interval of a key by themselves."),
    ("SimpleState", "Answers the result in the type SimpleAggregateFunction."),
    ("State", "Answers the state of the function instead of its result."),
];

const COMBINATOR_COLUMNS: &[ColumnOf<(&'static str, &'static str)>] =
    &[("name", "String", Some(|c| text(c.0))), ("description", "String", Some(|c| text(c.1)))];

/// The table `system.aggregate_function_combinators`.
pub(super) fn aggregate_function_combinators() -> Arc<dyn Table> {
    laid_out("aggregate_function_combinators", COMBINATOR_COLUMNS, || Ok(COMBINATORS.to_vec()))
}

const LAYOUT_COLUMNS: &[ColumnOf<Layout>] = &[
    ("name", "String", Some(|layout| text(&layout.name.to_lowercase()))),
    ("is_complex", "UInt8", Some(|layout| flag(layout.key != KeyKind::Simple))),
];

/// The table `system.dictionary_layouts`.
pub(super) fn dictionary_layouts() -> Arc<dyn Table> {
    laid_out("dictionary_layouts", LAYOUT_COLUMNS, || Ok(LAYOUTS.to_vec()))
}

const SOURCE_COLUMNS: &[ColumnOf<(&'static str, &'static str)>] = &[
    ("name", "String", Some(|source| text(source.0))),
    ("description", "String", Some(|source| text(source.1))),
];

/// The table `system.dictionary_sources`: the sources from which dictionaries are loaded.
pub(super) fn dictionary_sources() -> Arc<dyn Table> {
    laid_out("dictionary_sources", SOURCE_COLUMNS, || {
        Ok(vec![
            ("clickhouse", "A table of this engine, or a query over its tables."),
            ("file", "A file that the rules for users' files allow."),
            ("http", "An address of the web, as the table function url reads it."),
            ("null", "No rows."),
            ("yamlregexptree", "A YAML file with regular expressions, for REGEXP_TREE."),
        ])
    })
}
