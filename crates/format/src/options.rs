//! Groups of options: how JSON is written, and how values of text formats are. Defaults are the
//! reference's.

use crate::escape::JsonStrings;

/// How JSON is written (`output_format_json_*`).
#[derive(Clone, Copy, Debug)]
pub struct JsonOutput {
    /// Tuples with names are objects; else arrays (`..._named_tuples_as_objects`).
    pub named_tuples_as_objects: bool,
    /// `/` gets a backslash (`..._escape_forward_slashes`).
    pub escape_slashes: bool,
    /// U+FFFD takes the place of what is not UTF-8 in the formats of lines, too
    /// (`..._validate_utf8`).
    pub validate_utf8: bool,
    /// `"nan"` and `"inf"` instead of null (`..._quote_denormals`).
    pub quote_denormals: bool,
    /// Lines of objects are the elements of one array (`..._array_of_rows`).
    pub array_of_rows: bool,
    /// Nested values of JSON stand over several lines (`..._pretty_print`).
    pub pretty_print: bool,
    /// A map is an array of objects with `keys` and `values` (`..._map_as_array_of_tuples`).
    pub maps_as_arrays: bool,
    /// Elements of tuples with names that are NULL are left out
    /// (`..._skip_null_value_in_named_tuples`).
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
    /// How strings are written by a format that always validates, or only if the option says so.
    pub(crate) fn strings(&self, validate: bool) -> JsonStrings {
        let validate = validate || self.validate_utf8;
        JsonStrings { validate, escape_slashes: self.escape_slashes }
    }
}

/// What stands for true and false in text formats, outside of arrays and tuples
/// (`bool_true_representation`, `bool_false_representation`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoolWords {
    /// For true.
    pub yes: Vec<u8>,
    /// For false.
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
    /// What stands for true and false.
    pub bool_words: BoolWords,
    /// Decimals are written with all digits of their scale
    /// (`output_format_decimal_trailing_zeros`).
    pub decimal_trailing_zeros: bool,
    /// Zero bytes at the end of a FixedString are left out (`output_format_trim_fixed_string`).
    pub trim_fixed_string: bool,
    /// Values of enums in CSV are their numbers only (`input_format_csv_enum_as_number`).
    pub csv_enum_as_number: bool,
    /// The same in TSV (`input_format_tsv_enum_as_number`).
    pub tsv_enum_as_number: bool,
    /// Elements of a tuple are fields of their own in CSV
    /// (`output_format_csv_serialize_tuple_into_separate_columns`).
    pub csv_flat_tuples: bool,
    /// The names and types of the elements stand in the header, too, if their values are fields
    /// of their own (`output_format_csv_header_serialize_tuple_into_separate_columns`).
    pub csv_flat_headers: bool,
    /// The same of CSV that is read (`input_format_csv_deserialize_separate_columns_into_tuple`).
    pub csv_read_flat_tuples: bool,
    /// Punctuation gets a backslash in Markdown
    /// (`output_format_markdown_escape_special_characters`).
    pub markdown_escape: bool,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self {
            bool_words: BoolWords::default(),
            decimal_trailing_zeros: false,
            trim_fixed_string: false,
            csv_enum_as_number: false,
            tsv_enum_as_number: false,
            csv_flat_tuples: true,
            csv_flat_headers: true,
            csv_read_flat_tuples: true,
            markdown_escape: false,
        }
    }
}

/// How JSON is read (`input_format_json_*`).
#[derive(Clone, Copy, Debug)]
pub struct JsonInput {
    /// `true` and `false` are numbers where a float is wanted (`..._read_bools_as_numbers`).
    pub bools_as_numbers: bool,
    /// They are text where a String is wanted (`..._read_bools_as_strings`).
    pub bools_as_strings: bool,
    /// The same of numbers (`..._read_numbers_as_strings`).
    pub numbers_as_strings: bool,
    /// The same of arrays (`..._read_arrays_as_strings`).
    pub arrays_as_strings: bool,
    /// The same of objects (`..._read_objects_as_strings`).
    pub objects_as_strings: bool,
    /// Tuples with names are objects; else arrays (`..._named_tuples_as_objects`).
    pub named_tuples_as_objects: bool,
    /// Keys that the tuple does not have are skipped
    /// (`..._ignore_unknown_keys_in_named_tuple`).
    pub ignore_unknown_keys: bool,
    /// Elements that the object does not have are defaults
    /// (`..._defaults_for_missing_elements_in_named_tuple`).
    pub defaults_for_missing: bool,
    /// A map is an array of objects with `keys` and `values` (`..._map_as_array_of_tuples`).
    pub maps_as_arrays: bool,
    /// An empty string stands for the default of what is no String (`..._empty_as_default`).
    pub empty_as_default: bool,
    /// A `\u` that four digits do not follow is an error
    /// (`..._throw_on_bad_escape_sequence`).
    pub strict_escapes: bool,
    /// Rows that are arrays may be shorter or longer
    /// (`..._compact_allow_variable_number_of_columns`).
    pub variable_columns: bool,
    /// Types in the head of a document must be those of the columns
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
            validate_types: true,
        }
    }
}
