//! What settings say about formats, for everything that reads or writes one: INSERT, results,
//! table functions, data sent along.

use entasis_format::{FormatOptions, Times};
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
        csv_null: settings.text(s::CSV_NULL),
        tsv_null: settings.text(s::TSV_NULL),
        csv_crlf: settings.flag(s::CSV_CRLF),
        tsv_crlf: settings.flag(s::TSV_CRLF),
        csv_skip_lines: settings.u64(s::CSV_SKIP_LINES) as usize,
        tsv_skip_lines: settings.u64(s::TSV_SKIP_LINES) as usize,
        json_quote_64bit_floats: settings.flag(s::QUOTE_64BIT_FLOATS),
        json_quote_decimals: settings.flag(s::QUOTE_DECIMALS),
        times: match settings.text(s::TIMES).as_str() {
            "iso" => Times::Iso,
            "unix_timestamp" => Times::Unix,
            _ => Times::Simple,
        },
        states: Some(entasis_tables::states::reader()),
        arrow_strings: settings.flag(s::ARROW_STRINGS),
        parquet_strings: settings.flag(s::PARQUET_STRINGS),
        ..FormatOptions::default()
    }
}
