//! What settings say about formats, for everything that reads or writes one: INSERT, results,
//! table functions, data sent along.

use entasis_format::FormatOptions;
use entasis_types::TimeZone;

use crate::Settings;
use crate::settings as s;

/// The options that settings ask for.
pub(crate) fn options(settings: &Settings, time_zone: TimeZone) -> FormatOptions {
    FormatOptions {
        time_zone,
        max_rows: settings.u64(s::PRETTY_MAX_ROWS) as usize,
        max_value_width: settings.u64(s::PRETTY_MAX_VALUE_WIDTH) as usize,
        row_numbers: settings.flag(s::PRETTY_ROW_NUMBERS),
        null_as_default: settings.flag(s::NULL_AS_DEFAULT),
        csv_empty_as_default: settings.flag(s::CSV_EMPTY_AS_DEFAULT),
        tsv_empty_as_default: settings.flag(s::TSV_EMPTY_AS_DEFAULT),
        skip_unknown_fields: settings.flag(s::SKIP_UNKNOWN_FIELDS),
        infer_rows: settings.u64(s::INFER_ROWS) as usize,
        json_quote_64bit_integers: settings.flag(s::QUOTE_64BIT),
        csv_delimiter: settings.text(s::CSV_DELIMITER).bytes().next().unwrap_or(b','),
        states: Some(entasis_tables::states::reader()),
        arrow_strings: settings.flag(s::ARROW_STRINGS),
        parquet_strings: settings.flag(s::PARQUET_STRINGS),
        ..FormatOptions::default()
    }
}
