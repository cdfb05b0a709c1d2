//! Options of formats, made from settings.

use std::sync::LazyLock;

use entasis_format::{BestEffort, Custom, Escaping, FormatOptions, Times};
use entasis_types::{DataType, TimeZone};

use crate::{Settings, settings};

/// The options for default settings, kept ready because most statements use them.
static DEFAULT: LazyLock<FormatOptions> =
    LazyLock::new(|| of_settings(&Settings::default(), TimeZone::utc()));

/// The options for reading and writing formats with these settings.
pub(crate) fn options(settings: &Settings, time_zone: TimeZone) -> FormatOptions {
    if settings.is_default() {
        let caster = Some(entasis_tables::cast::caster(time_zone));
        return FormatOptions { time_zone, caster, ..DEFAULT.clone() };
    }
    of_settings(settings, time_zone)
}

fn of_settings(settings: &Settings, time_zone: TimeZone) -> FormatOptions {
    FormatOptions {
        time_zone,
        max_rows: settings.u64(settings::PRETTY_MAX_ROWS) as usize,
        max_value_width: settings.u64(settings::PRETTY_MAX_VALUE_WIDTH) as usize,
        row_numbers: settings.flag(settings::PRETTY_ROW_NUMBERS),
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
        csv_null: settings.text(settings::CSV_NULL),
        tsv_null: settings.text(settings::TSV_NULL),
        csv_skip_lines: settings.u64(settings::CSV_SKIP_LINES),
        tsv_skip_lines: settings.u64(settings::TSV_SKIP_LINES),
        csv_trim: settings.flag(settings::CSV_TRIM),
        csv_detect_header: settings.flag(settings::CSV_DETECT_HEADER),
        tsv_detect_header: settings.flag(settings::TSV_DETECT_HEADER),
        csv_crlf: settings.flag(settings::CSV_CRLF),
        tsv_crlf: settings.flag(settings::TSV_CRLF),
        use_header: settings.flag(settings::USE_HEADER),
        use_types: settings.flag(settings::USE_TYPES),
        allow_errors: settings.u64(settings::ALLOW_ERRORS),
        allow_errors_ratio: settings.f64(settings::ALLOW_ERRORS_RATIO),
        json_quote_64bit_floats: settings.flag(settings::QUOTE_64BIT_FLOATS),
        json_quote_decimals: settings.flag(settings::QUOTE_DECIMALS),
        times: match settings.text(settings::TIMES).as_str() {
            "iso" => Times::Iso,
            "unix_timestamp" => Times::Unix,
            _ => Times::Simple,
        },
        infer_rows: settings.u64(settings::INFER_ROWS).max(1) as usize,
        column_names: list(&settings.text(settings::INFER_NAMES)),
        hints: hints(&settings.text(settings::INFER_HINTS)),
        custom: custom(settings),
        infer_nullable: settings.text(settings::INFER_NULLABLE) == "auto"
            || settings.flag(settings::INFER_NULLABLE),
        best_effort: best_effort(&settings.text(settings::DATE_TIME_INPUT)),
        parquet_missing_columns: settings.flag(settings::PARQUET_MISSING),
        arrow_missing_columns: settings.flag(settings::ARROW_MISSING),
        parquet_skip_unsupported: settings.flag(settings::PARQUET_SKIP_UNSUPPORTED),
        arrow_skip_unsupported: settings.flag(settings::ARROW_SKIP_UNSUPPORTED),
        ..FormatOptions::default()
    }
}

/// The delimiters of CustomSeparated.
fn custom(settings: &Settings) -> Custom {
    let bytes = |setting| settings.text(setting).into_bytes();
    let escaping = match &*settings.text(settings::CUSTOM_ESCAPING).to_ascii_lowercase() {
        "csv" => Escaping::Csv,
        "json" => Escaping::Json,
        "quoted" => Escaping::Quoted,
        "raw" => Escaping::Raw,
        _ => Escaping::Escaped,
    };
    Custom {
        escaping,
        field: bytes(settings::CUSTOM_FIELD),
        row_before: bytes(settings::CUSTOM_ROW_BEFORE),
        row_after: bytes(settings::CUSTOM_ROW_AFTER),
        row_between: bytes(settings::CUSTOM_ROW_BETWEEN),
        result_before: bytes(settings::CUSTOM_RESULT_BEFORE),
        result_after: bytes(settings::CUSTOM_RESULT_AFTER),
    }
}

/// The names in a list with commas.
fn list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_string).collect()
}

/// The names and types in a list; empty if the text cannot be parsed.
fn hints(text: &str) -> Vec<(String, DataType)> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    let schema = entasis_tables::values::parse_structure(text).ok();
    let columns = schema.iter().flat_map(|schema| schema.stored());
    columns.map(|column| (column.name.to_string(), column.ty.clone())).collect()
}

fn best_effort(name: &str) -> Option<BestEffort> {
    match name {
        "basic" => None,
        "best_effort_us" => Some(entasis_tables::cast::best_effort_us),
        _ => Some(entasis_tables::cast::best_effort),
    }
}
