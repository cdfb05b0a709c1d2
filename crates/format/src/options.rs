//! Groups of options: how JSON is written, and how values of text formats are written and read.
//! Defaults are those of the reference.

use std::sync::Arc;

use crate::escape::JsonStrings;

/// How JSON is written (`output_format_json_*`).
#[derive(Clone, Copy, Debug)]
pub struct JsonOutput {
    /// Whether named tuples are objects, and not arrays (`..._named_tuples_as_objects`).
    pub named_tuples_as_objects: bool,
    /// Whether `/` gets a backslash (`..._escape_forward_slashes`).
    pub escape_slashes: bool,
    /// Whether U+FFFD replaces bytes that are not UTF-8 in the formats of lines, too
    /// (`..._validate_utf8`).
    pub validate_utf8: bool,
    /// Whether nan and inf are written as `"nan"` and `"inf"`, and not as null
    /// (`..._quote_denormals`).
    pub quote_denormals: bool,
    /// Whether objects on lines are elements of one array (`..._array_of_rows`).
    pub array_of_rows: bool,
    /// Whether nested values of JSON are written over several lines (`..._pretty_print`).
    pub pretty_print: bool,
    /// Whether a map is an array of objects with `keys` and `values`, and not an object
    /// (`..._map_as_array_of_tuples`).
    pub maps_as_arrays: bool,
    /// Whether NULL elements of named tuples are left out (`..._skip_null_value_in_named_tuples`).
    pub skip_nulls_of_tuples: bool,
}

impl Default for JsonOutput {
    fn default() -> Self {
        Self {
            named_tuples_as_objects: true,
            escape_slashes: true,
            validate_utf8: false,
            quote_denormals: false,
            array_of_rows: false,
            pretty_print: true,
            maps_as_arrays: false,
            skip_nulls_of_tuples: false,
        }
    }
}

impl JsonOutput {
    /// How strings are written by a format that always validates, or validates only if the option
    /// is set.
    pub(crate) fn strings(&self, validate: bool) -> JsonStrings {
        let validate = validate || self.validate_utf8;
        JsonStrings { validate, escape_slashes: self.escape_slashes }
    }
}

/// The words for true and false in text formats, outside of arrays and tuples
/// (`bool_true_representation`, `bool_false_representation`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoolWords {
    /// The word for true.
    pub yes: Vec<u8>,
    /// The word for false.
    pub no: Vec<u8>,
}

impl Default for BoolWords {
    fn default() -> Self {
        Self { yes: b"true".to_vec(), no: b"false".to_vec() }
    }
}

impl BoolWords {
    /// The word for a value.
    pub(crate) fn of(&self, value: bool) -> &[u8] {
        if value { &self.yes } else { &self.no }
    }

    /// Takes one of the words from the front of `input`, if no letter or digit follows it.
    pub(crate) fn take(&self, input: &mut &[u8]) -> Option<bool> {
        let word = [(&self.yes, true), (&self.no, false)].into_iter().find(|(word, _)| {
            let rest = input.strip_prefix(word.as_slice());
            let goes_on = |rest: &[u8]| rest.first().is_some_and(u8::is_ascii_alphanumeric);
            !word.is_empty() && rest.is_some_and(|rest| !goes_on(rest))
        });
        let (word, value) = word?;
        *input = &input[word.len()..];
        Some(value)
    }
}

/// How values of text formats are written and read.
#[derive(Clone, Debug)]
pub struct TextOptions {
    /// The words for true and false.
    pub bool_words: Arc<BoolWords>,
    /// Whether decimals are written with all digits of their scale
    /// (`output_format_decimal_trailing_zeros`).
    pub decimal_trailing_zeros: bool,
    /// Whether zero bytes at the end of a FixedString are left out
    /// (`output_format_trim_fixed_string`).
    pub trim_fixed_string: bool,
    /// Whether enums in CSV are read as numbers only (`input_format_csv_enum_as_number`).
    pub csv_enum_as_number: bool,
    /// Whether enums in TSV are read as numbers only (`input_format_tsv_enum_as_number`).
    pub tsv_enum_as_number: bool,
    /// Whether each element of a tuple is a field of its own in CSV
    /// (`output_format_csv_serialize_tuple_into_separate_columns`).
    pub csv_flat_tuples: bool,
    /// Whether the header has the names and types of the elements, if these are fields of their own
    /// (`output_format_csv_header_serialize_tuple_into_separate_columns`).
    pub csv_flat_headers: bool,
    /// Whether each element of a tuple is a field of its own in CSV that is read
    /// (`input_format_csv_deserialize_separate_columns_into_tuple`).
    pub csv_read_flat_tuples: bool,
    /// Whether punctuation gets a backslash in Markdown
    /// (`output_format_markdown_escape_special_characters`).
    pub markdown_escape: bool,
    /// How SQLInsert writes its statements.
    pub sql_insert: SqlInsert,
}

/// The statements of the format SQLInsert (`output_format_sql_insert_*`).
#[derive(Clone, Debug)]
pub struct SqlInsert {
    /// Rows of one statement (`..._max_batch_size`).
    pub batch: usize,
    /// The name of the table, which is written as it is (`..._table_name`).
    pub table: String,
    /// Whether the names of the columns are written (`..._include_column_names`).
    pub columns: bool,
    /// Whether these names are quoted (`..._quote_names`).
    pub quoted: bool,
    /// The statements are REPLACE instead of INSERT (`..._use_replace`).
    pub replace: bool,
}

impl Default for SqlInsert {
    fn default() -> Self {
        Self {
            batch: 65_409,
            table: "table".to_string(),
            columns: true,
            quoted: true,
            replace: false,
        }
    }
}

impl Default for TextOptions {
    fn default() -> Self {
        Self {
            bool_words: Arc::default(),
            decimal_trailing_zeros: false,
            trim_fixed_string: false,
            csv_enum_as_number: false,
            tsv_enum_as_number: false,
            csv_flat_tuples: true,
            csv_flat_headers: true,
            csv_read_flat_tuples: true,
            markdown_escape: false,
            sql_insert: SqlInsert::default(),
        }
    }
}

/// How JSON is read (`input_format_json_*`).
#[derive(Clone, Copy, Debug)]
pub struct JsonInput {
    /// Whether `true` and `false` are accepted for Float columns (`..._read_bools_as_numbers`).
    pub bools_as_numbers: bool,
    /// Whether `true` and `false` are accepted for String columns (`..._read_bools_as_strings`).
    pub bools_as_strings: bool,
    /// Whether numbers are accepted for String columns (`..._read_numbers_as_strings`).
    pub numbers_as_strings: bool,
    /// Whether arrays are accepted for String columns (`..._read_arrays_as_strings`).
    pub arrays_as_strings: bool,
    /// Whether objects are accepted for String columns (`..._read_objects_as_strings`).
    pub objects_as_strings: bool,
    /// Whether named tuples are read from objects, and not from arrays
    /// (`..._named_tuples_as_objects`).
    pub named_tuples_as_objects: bool,
    /// Whether keys that the tuple does not have are skipped
    /// (`..._ignore_unknown_keys_in_named_tuple`).
    pub ignore_unknown_keys: bool,
    /// Whether elements that the object does not have get defaults
    /// (`..._defaults_for_missing_elements_in_named_tuple`).
    pub defaults_for_missing: bool,
    /// Whether a map is an array of objects with `keys` and `values`, and not an object
    /// (`..._map_as_array_of_tuples`).
    pub maps_as_arrays: bool,
    /// Whether an empty string means the default of a column that is not a String
    /// (`..._empty_as_default`).
    pub empty_as_default: bool,
    /// Whether a `\u` without four digits is an error (`..._throw_on_bad_escape_sequence`).
    pub strict_escapes: bool,
    /// Whether rows that are arrays may be shorter or longer
    /// (`..._compact_allow_variable_number_of_columns`).
    pub variable_columns: bool,
    /// An object stands for the columns of a group: its key `a` in `n` is the column `n.a`
    /// (`input_format_import_nested_json`).
    pub import_nested: bool,
    /// Whether the types in the metadata of a document must be those of the columns
    /// (`..._validate_types_from_metadata`).
    pub validate_types: bool,
}

impl Default for JsonInput {
    fn default() -> Self {
        Self {
            bools_as_numbers: true,
            bools_as_strings: true,
            numbers_as_strings: true,
            arrays_as_strings: true,
            objects_as_strings: true,
            named_tuples_as_objects: true,
            ignore_unknown_keys: true,
            defaults_for_missing: true,
            maps_as_arrays: false,
            empty_as_default: false,
            strict_escapes: true,
            variable_columns: false,
            import_nested: false,
            validate_types: true,
        }
    }
}

/// Which types are considered when a schema is inferred (`input_format_try_infer_*`).
#[derive(Clone, Copy, Debug)]
pub struct Guesses {
    /// Dates. Without them, a date is a time at midnight.
    pub dates: bool,
    /// Times.
    pub datetimes: bool,
    /// Whether times are DateTime64 even without a fraction.
    pub only_datetime64: bool,
    /// Integers. Without them, all numbers are floats.
    pub integers: bool,
    /// Whether `1e5` is a float in CSV and TSV, too.
    pub exponents: bool,
    /// Whether a quoted number is a number in CSV.
    pub csv_numbers_from_strings: bool,
    /// Whether a quoted number is a number in JSON.
    pub json_numbers_from_strings: bool,
    /// Whether objects are named tuples.
    pub json_named_tuples: bool,
    /// Whether objects that are not tuples are text, and not maps.
    pub json_objects_as_strings: bool,
}

impl Default for Guesses {
    fn default() -> Self {
        Self {
            dates: true,
            datetimes: true,
            only_datetime64: false,
            integers: true,
            exponents: false,
            csv_numbers_from_strings: false,
            json_numbers_from_strings: false,
            json_named_tuples: true,
            json_objects_as_strings: true,
        }
    }
}

/// How Pretty tables look (`output_format_pretty_*`).
#[derive(Clone, Copy, Debug)]
pub struct PrettyOptions {
    /// Whether there are colours; `None` means on a terminal only (`..._color`).
    pub colour: Option<bool>,
    /// Whether the frame is drawn in ASCII (`..._grid_charset`).
    pub ascii: bool,
    /// Greatest width to which a column is padded (`..._max_column_pad_width`).
    pub max_pad: usize,
    /// Number of rows from which on the names are repeated below the table
    /// (`..._display_footer_column_names_min_rows`); `None` means never
    /// (`..._display_footer_column_names`).
    pub footer_rows: Option<usize>,
    /// The tables that are shown in the Vertical form; `None` means none
    /// (`..._fallback_to_vertical`).
    pub vertical: Option<Vertical>,
    /// Width at which long names are cut; 0 means that they are not cut
    /// (`..._max_column_name_width_cut_to`).
    pub name_width: usize,
    /// Least width that must be removed when a name is cut
    /// (`..._max_column_name_width_min_chars_to_cut`).
    pub name_slack: usize,
    /// Whether the only value of a result is cut, too
    /// (`..._max_value_width_apply_for_single_value`).
    pub cuts_single_value: bool,
    /// Whether a value with line feeds takes several lines (`..._multiline_fields`).
    pub multiline: bool,
    /// Whether named tuples are shown as objects (`..._named_tuples_as_json`).
    pub tuples_as_objects: bool,
    /// Whether groups of digits are marked where there are colours (`..._highlight_digit_groups`).
    pub marks_digits: bool,
    /// Whether spaces at the end are marked where there are colours
    /// (`..._highlight_trailing_spaces`).
    pub marks_spaces: bool,
}

/// A table with at most this many rows, and at least this many columns and this width.
#[derive(Clone, Copy, Debug)]
pub struct Vertical {
    /// Most rows (`..._fallback_to_vertical_max_rows_per_chunk`).
    pub max_rows: usize,
    /// Fewest columns (`..._fallback_to_vertical_min_columns`).
    pub min_columns: usize,
    /// Least width (`..._fallback_to_vertical_min_table_width`).
    pub min_width: usize,
}

impl Default for PrettyOptions {
    fn default() -> Self {
        Self {
            colour: None,
            ascii: false,
            max_pad: 250,
            footer_rows: Some(50),
            vertical: Some(Vertical { max_rows: 10, min_columns: 5, min_width: 250 }),
            name_width: 24,
            name_slack: 4,
            cuts_single_value: false,
            multiline: true,
            tuples_as_objects: true,
            marks_digits: true,
            marks_spaces: true,
        }
    }
}
