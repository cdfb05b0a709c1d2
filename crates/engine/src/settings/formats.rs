//! Options of formats, made from settings.

use std::sync::{Arc, LazyLock};

use entasis_format::{
    BestEffort, BoolWords, Custom, Escaping, FormatOptions, Guesses, JsonInput, JsonOutput,
    PrettyOptions, SqlInsert, TextOptions, Times, Vertical,
};
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
        number_tip: settings.u64(settings::PRETTY_TIP),
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
        csv_null: (&*settings.text(settings::CSV_NULL)).into(),
        tsv_null: (&*settings.text(settings::TSV_NULL)).into(),
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
        times: match &*settings.text(settings::TIMES) {
            "iso" => Times::Iso,
            "unix_timestamp" => Times::Unix,
            _ => Times::Simple,
        },
        infer_rows: settings.u64(settings::INFER_ROWS).max(1) as usize,
        column_names: list(&settings.text(settings::INFER_NAMES)),
        hints: hints(&settings.text(settings::INFER_HINTS)),
        custom: Arc::new(custom(settings)),
        infer_nullable: settings.text(settings::INFER_NULLABLE) == "auto"
            || settings.flag(settings::INFER_NULLABLE),
        best_effort: best_effort(&settings.text(settings::DATE_TIME_INPUT)),
        parquet_missing_columns: settings.flag(settings::PARQUET_MISSING),
        arrow_missing_columns: settings.flag(settings::ARROW_MISSING),
        parquet_skip_unsupported: settings.flag(settings::PARQUET_SKIP_UNSUPPORTED),
        arrow_skip_unsupported: settings.flag(settings::ARROW_SKIP_UNSUPPORTED),
        pretty: pretty(settings),
        guesses: guesses(settings),
        json: json_output(settings),
        json_input: json_input(settings),
        text: text(settings),
        ..FormatOptions::default()
    }
}

fn pretty(settings: &Settings) -> PrettyOptions {
    let size = |setting| settings.u64(setting) as usize;
    let has_footer = settings.flag(settings::PRETTY_FOOTER);
    PrettyOptions {
        colour: match &*settings.text(settings::PRETTY_COLOR) {
            "auto" => None,
            _ => Some(settings.flag(settings::PRETTY_COLOR)),
        },
        ascii: settings.text(settings::PRETTY_CHARSET) == "ASCII",
        max_pad: size(settings::PRETTY_PAD),
        footer_rows: has_footer.then(|| size(settings::PRETTY_FOOTER_ROWS)),
        vertical: settings.flag(settings::PRETTY_VERTICAL).then(|| Vertical {
            max_rows: size(settings::PRETTY_VERTICAL_ROWS),
            min_columns: size(settings::PRETTY_VERTICAL_COLUMNS),
            min_width: size(settings::PRETTY_VERTICAL_WIDTH),
        }),
        name_width: size(settings::PRETTY_NAME_WIDTH),
        name_slack: size(settings::PRETTY_NAME_SLACK),
        cuts_single_value: settings.flag(settings::PRETTY_CUT_SINGLE),
        multiline: settings.flag(settings::PRETTY_MULTILINE),
        tuples_as_objects: settings.flag(settings::PRETTY_TUPLES),
        marks_digits: settings.flag(settings::PRETTY_DIGITS),
        marks_spaces: settings.flag(settings::PRETTY_SPACES),
    }
}

fn guesses(settings: &Settings) -> Guesses {
    Guesses {
        dates: settings.flag(settings::INFER_DATES),
        datetimes: settings.flag(settings::INFER_DATETIMES),
        only_datetime64: settings.flag(settings::INFER_DATETIME64),
        integers: settings.flag(settings::INFER_INTEGERS),
        exponents: settings.flag(settings::INFER_EXPONENTS),
        csv_numbers_from_strings: settings.flag(settings::INFER_CSV_NUMBERS),
        json_numbers_from_strings: settings.flag(settings::INFER_JSON_NUMBERS),
        json_named_tuples: settings.flag(settings::INFER_JSON_TUPLES),
        json_objects_as_strings: settings.flag(settings::JSON_IN_OBJECT_STRINGS),
    }
}

fn json_output(settings: &Settings) -> JsonOutput {
    JsonOutput {
        named_tuples_as_objects: settings.flag(settings::JSON_TUPLES),
        escape_slashes: settings.flag(settings::JSON_SLASHES),
        validate_utf8: settings.flag(settings::JSON_VALIDATE),
        quote_denormals: settings.flag(settings::JSON_DENORMALS),
        array_of_rows: settings.flag(settings::JSON_ARRAY),
        pretty_print: settings.flag(settings::JSON_PRETTY),
        maps_as_arrays: settings.flag(settings::JSON_MAPS),
        skip_nulls_of_tuples: settings.flag(settings::JSON_SKIP_NULLS),
    }
}

fn json_input(settings: &Settings) -> JsonInput {
    JsonInput {
        bools_as_numbers: settings.flag(settings::JSON_IN_BOOL_NUMBERS),
        bools_as_strings: settings.flag(settings::JSON_IN_BOOL_STRINGS),
        numbers_as_strings: settings.flag(settings::JSON_IN_NUMBER_STRINGS),
        arrays_as_strings: settings.flag(settings::JSON_IN_ARRAY_STRINGS),
        objects_as_strings: settings.flag(settings::JSON_IN_OBJECT_STRINGS),
        named_tuples_as_objects: settings.flag(settings::JSON_IN_TUPLES),
        ignore_unknown_keys: settings.flag(settings::JSON_IN_UNKNOWN),
        defaults_for_missing: settings.flag(settings::JSON_IN_MISSING),
        maps_as_arrays: settings.flag(settings::JSON_IN_MAPS),
        empty_as_default: settings.flag(settings::JSON_IN_EMPTY),
        strict_escapes: settings.flag(settings::JSON_IN_ESCAPES),
        variable_columns: settings.flag(settings::JSON_IN_VARIABLE),
        import_nested: settings.flag(settings::JSON_IN_NESTED),
        validate_types: settings.flag(settings::JSON_IN_TYPES),
    }
}

fn text(settings: &Settings) -> TextOptions {
    let word = |setting| settings.text(setting).into_owned().into_bytes();
    TextOptions {
        bool_words: Arc::new(BoolWords {
            yes: word(settings::BOOL_TRUE),
            no: word(settings::BOOL_FALSE),
        }),
        decimal_trailing_zeros: settings.flag(settings::DECIMAL_ZEROS),
        trim_fixed_string: settings.flag(settings::TRIM_FIXED),
        csv_enum_as_number: settings.flag(settings::CSV_ENUM_NUMBER),
        tsv_enum_as_number: settings.flag(settings::TSV_ENUM_NUMBER),
        csv_flat_tuples: settings.flag(settings::CSV_FLAT_TUPLES),
        csv_flat_headers: settings.flag(settings::CSV_FLAT_HEADERS),
        csv_read_flat_tuples: settings.flag(settings::CSV_READ_FLAT_TUPLES),
        markdown_escape: settings.flag(settings::MARKDOWN_ESCAPE),
        sql_insert: sql_insert(settings),
    }
}

/// The statements of SQLInsert.
fn sql_insert(settings: &Settings) -> SqlInsert {
    SqlInsert {
        batch: settings.u64(settings::SQL_INSERT_BATCH) as usize,
        table: settings.text(settings::SQL_INSERT_TABLE).into(),
        columns: settings.flag(settings::SQL_INSERT_COLUMNS),
        quoted: settings.flag(settings::SQL_INSERT_QUOTED),
        replace: settings.flag(settings::SQL_INSERT_REPLACE),
    }
}

/// The delimiters of CustomSeparated.
fn custom(settings: &Settings) -> Custom {
    let bytes = |setting| settings.text(setting).into_owned().into_bytes();
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
