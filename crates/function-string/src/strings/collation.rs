//! `collationKey`: bytes whose order is the order of the texts in a language. `ORDER BY x COLLATE`
//! sorts by them. ICU4X, which has the rules of all languages, makes them.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_function::{BoundKernel, FunctionDef, LowCardinality, Nulls};
use entasis_function_kernel::text::{constant_string, map_text};
use entasis_types::{DataType, collation};
use icu_collator::options::{AlternateHandling, CaseLevel, CollatorOptions};
use icu_collator::{Collator, CollatorBorrowed, CollatorPreferences};
use icu_locale_core::Locale;

/// The rules of a language; `None` for those of POSIX, where the bytes themselves are the key.
type Rules = Option<CollatorBorrowed<'static>>;

/// The rules of a name such as `de`, `en_US` or `de@collation=phonebook`.
fn collator(name: &str) -> Result<Rules> {
    let unsupported = || {
        let message = format!("Unsupported collation locale: {}", name.to_ascii_lowercase());
        Error::new(codes::UNSUPPORTED_COLLATION_LOCALE, message)
    };
    let (locale, keywords) = collation::find(name).ok_or_else(unsupported)?;
    if locale == "en_US_POSIX" {
        return Ok(None);
    }
    let mut tag = locale.replace('_', "-");
    let mut options = CollatorOptions::default();
    for keyword in keywords.split(';').filter_map(|keyword| keyword.split_once('=')) {
        let (key, value) = keyword;
        match unicode_keyword(&key.to_ascii_lowercase(), &value.to_ascii_lowercase()) {
            Some(extension) => {
                let mark = if tag.contains("-u-") { "-" } else { "-u-" };
                tag = tag + mark + &extension;
            }
            None => set_option(&mut options, key, value),
        }
    }
    let locale: Locale = tag.parse().map_err(|_| unsupported())?;
    let rules = Collator::try_new(CollatorPreferences::from(&locale), options);
    rules.map(Some).map_err(|_| unsupported())
}

/// The keyword of BCP 47 for one of ICU's that belongs to the locale.
fn unicode_keyword(key: &str, value: &str) -> Option<String> {
    Some(match (key, value) {
        ("collation", "phonebook") => "co-phonebk".into(),
        ("collation", "traditional") => "co-trad".into(),
        ("collation", "dictionary") => "co-dict".into(),
        ("collation", other) if other.len() <= 8 => format!("co-{other}"),
        ("colnumeric", "yes") => "kn-true".into(),
        ("colcasefirst", "upper" | "lower") => format!("kf-{value}"),
        _ => return None,
    })
}

/// Sets an option of comparing. As in the reference, other keywords have no effect.
fn set_option(options: &mut CollatorOptions, key: &str, value: &str) {
    match (key.to_ascii_lowercase().as_str(), value.to_ascii_lowercase().as_str()) {
        ("colcaselevel", "yes") => options.case_level = Some(CaseLevel::On),
        ("colalternate", "shifted") => {
            options.alternate_handling = Some(AlternateHandling::Shifted);
        }
        _ => {}
    }
}

/// The type of the keys: as the type of the values, without dictionaries. `None` if there is no
/// text in it.
fn key_type(ty: &DataType) -> Option<DataType> {
    let inner = match ty {
        DataType::LowCardinality(inner) => return key_type(inner),
        DataType::String => return Some(DataType::String),
        DataType::Nullable(inner) => return key_type(inner).map(DataType::nullable),
        DataType::Array(inner) => return key_type(inner).map(DataType::array),
        DataType::Tuple(tuple) => &tuple.types,
        _ => return None,
    };
    let keys: Vec<Option<DataType>> = inner.iter().map(key_type).collect();
    let known = keys.iter().any(Option::is_some);
    let or_itself = |(key, ty): (Option<DataType>, &DataType)| {
        key.unwrap_or_else(|| ty.without_low_cardinality())
    };
    known.then(|| DataType::tuple(keys.into_iter().zip(inner.iter()).map(or_itself).collect()))
}

/// The keys of a column's texts, wherever in a value they stand. Other values stay as they are.
fn keys(column: &Column, rules: &Rules) -> Result<Column> {
    let rows = column.len();
    Ok(match column {
        Column::String(_) => match rules {
            Some(rules) => map_text(column, rows, |text, out| {
                let Ok(()) = rules.write_sort_key_utf8_to(text, out);
            })?,
            None => column.clone(),
        },
        Column::Nullable(nullable) => {
            Column::nullable(keys(&nullable.values, rules)?, nullable.validity.clone())
        }
        Column::Array(array) => Column::array(array.offsets.clone(), keys(&array.values, rules)?),
        Column::Tuple(tuple) => {
            let columns: Result<Vec<Column>> =
                tuple.columns.iter().map(|column| keys(column, rules)).collect();
            Column::tuple(columns?, rows)
        }
        Column::Const(constant) => Column::constant(keys(&constant.value, rules)?, rows),
        Column::Dict(_) => keys(&column.full(), rules)?,
        other => other.clone(),
    })
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[FunctionDef {
    name: "collationKey",
    description: "Bytes whose order is the order of the texts in a language: `ORDER BY x COLLATE \
                  'de'` is `ORDER BY collationKey(x, 'de')`. Names are in `system.collations`.",
    examples: &[
        ("collationKey('a', 'en') < collationKey('B', 'en')", "1"),
        ("collationKey('ä', 'de') < collationKey('b', 'de')", "1"),
        ("collationKey('ä', 'sv') < collationKey('b', 'sv')", "0"),
    ],
    arity: (2, 2),
    nulls: Nulls::Custom,
    low_cardinality: LowCardinality::Drop,
    bind: |args, _| {
        let name = constant_string("collationKey", &args[1], "name of a collation")?;
        let rules = Arc::new(collator(&String::from_utf8_lossy(name))?);
        let ty = key_type(&args[0].ty).ok_or_else(|| {
            let message = "Collations could be specified only for String, LowCardinality(String), \
                           Nullable(String) or for Array or Tuple, containing them";
            Error::new(codes::BAD_COLLATION, message)
        })?;
        Ok(BoundKernel::new(ty, move |args, _| keys(&args[0], &rules)))
    },
    ..FunctionDef::DEFAULT
}];
