//! Options of formats as settings say.

use entasis_format::FormatOptions;
use entasis_types::TimeZone;

use crate::{Settings, settings};

/// The options for reading and writing with these settings.
pub(crate) fn options(settings: &Settings, time_zone: TimeZone) -> FormatOptions {
    FormatOptions {
        time_zone,
        max_rows: settings.u64(settings::PRETTY_MAX_ROWS) as usize,
        null_as_default: settings.flag(settings::NULL_AS_DEFAULT),
        csv_empty_as_default: settings.flag(settings::CSV_EMPTY_AS_DEFAULT),
        tsv_empty_as_default: settings.flag(settings::TSV_EMPTY_AS_DEFAULT),
        skip_unknown_fields: settings.flag(settings::SKIP_UNKNOWN_FIELDS),
        json_quote_64bit_integers: settings.flag(settings::QUOTE_64BIT),
        csv_delimiter: settings.text(settings::CSV_DELIMITER).bytes().next().unwrap_or(b','),
        states: Some(entasis_tables::states::reader()),
        caster: Some(entasis_tables::cast::caster(time_zone)),
        arrow_strings: settings.flag(settings::ARROW_STRINGS),
        parquet_strings: settings.flag(settings::PARQUET_STRINGS),
        ..FormatOptions::default()
    }
}
