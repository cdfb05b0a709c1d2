//! The interface of a format: the writer, the reader, and the options of both.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, Column, Mask};
use entasis_types::{DataType, TimeZone, Value};

use crate::options::{Guesses, JsonInput, JsonOutput, PrettyOptions, TextOptions};

/// The kinds of rows beside a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TotalsAndExtremes {
    /// The single row of WITH TOTALS.
    Totals,
    /// The least values of all columns, then the greatest values.
    Extremes,
}

/// Writes chunks with one header: `start`, any number of `write`, `finish`. Each appends to `out`,
/// which the caller may empty between calls.
pub trait OutputFormat: Send {
    /// Writes the bytes before the first row.
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()>;
    /// Writes a chunk, which may have any representation. A format may hold rows back until
    /// `finish`.
    fn write(&mut self, chunk: &Chunk, out: &mut Vec<u8>) -> Result<()>;
    /// Writes rows beside the result, after its last chunk. A format that cannot show them ignores
    /// them.
    fn totals_and_extremes(
        &mut self,
        _what: TotalsAndExtremes,
        _chunk: &Chunk,
        _out: &mut Vec<u8>,
    ) -> Result<()> {
        Ok(())
    }
    /// Tells how many rows the result would at least have without its LIMIT. It is called before
    /// `finish`, and only if there is a LIMIT. A format that cannot show the number ignores it.
    fn rows_before_limit(&mut self, _rows: u64) {}
    /// Writes the rows that were held back, and the bytes after the last row.
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()>;
}

/// Cells for which the input had no value, as masks of rows by position in the header. Columns
/// without such cells are absent.
pub type Omitted = Vec<(usize, Mask)>;

/// Reads chunks with the header for which it was made.
pub trait InputFormat: Send {
    /// Reads up to `max_rows` rows (at least one), or returns `None` at the end. It must not be
    /// called again after an error.
    fn next(&mut self, max_rows: usize) -> Result<Option<Chunk>>;

    /// The cells of the last chunk from `next` that contain the default of their type, because the
    /// input had no value, or NULL for a column that cannot hold it.
    fn omitted(&mut self) -> Omitted {
        Omitted::new()
    }
}

/// A file that several threads can read at any position at the same time. Files that `disk` opens
/// implement it with three lines.
pub trait ReadAt: Send + Sync {
    /// Bytes in the file.
    fn len(&self) -> u64;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Fills `buffer` from `offset`; fails if the file ends before.
    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()>;
}

impl ReadAt for Vec<u8> {
    fn len(&self) -> u64 {
        self.as_slice().len() as u64
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        let end = offset.checked_add(buffer.len() as u64).and_then(|e| usize::try_from(e).ok());
        let part = end.and_then(|end| self.get(offset as usize..end));
        buffer.copy_from_slice(part.ok_or_else(|| {
            Error::new(codes::CANNOT_READ_ALL_DATA, "Attempt to read after the end of the data")
        })?);
        Ok(())
    }
}

/// Computes expressions among the literals of Values.
#[derive(Clone)]
pub struct Evaluator(Arc<dyn Fn(&str, &DataType) -> Result<Value> + Send + Sync>);

impl Evaluator {
    /// Makes an evaluator from a function of the expression's text and the wanted type.
    pub fn new(f: impl Fn(&str, &DataType) -> Result<Value> + Send + Sync + 'static) -> Self {
        Self(Arc::new(f))
    }

    /// The value of the expression, which must be a value of the type.
    pub fn evaluate(&self, expression: &str, ty: &DataType) -> Result<Value> {
        (self.0)(expression, ty)
    }
}

impl std::fmt::Debug for Evaluator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Evaluator")
    }
}

/// The function that a [`Caster`] calls: with a column, its type, the wanted type, and the number
/// of rows.
type CastFn = dyn Fn(Column, &DataType, &DataType, usize) -> Result<Column> + Send + Sync;

/// Converts columns from the types of a file to the wanted ones, as CAST does. Formats themselves
/// contain no conversions.
#[derive(Clone)]
pub struct Caster(Arc<CastFn>);

impl Caster {
    /// Makes a caster from a function of the column, its type, the wanted type and the number of
    /// rows.
    pub fn new(
        f: impl Fn(Column, &DataType, &DataType, usize) -> Result<Column> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(f))
    }

    /// Converts the column to another type.
    pub fn cast(
        &self,
        column: Column,
        from: &DataType,
        to: &DataType,
        rows: usize,
    ) -> Result<Column> {
        (self.0)(column, from, to, rows)
    }
}

impl std::fmt::Debug for Caster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Caster")
    }
}

/// Returns the number of bytes of the aggregate function's state at the front of the bytes. If they
/// end too early, the error is `CANNOT_READ_ALL_DATA`. The bytes are untrusted.
pub type StateLen = Arc<dyn Fn(&[u8]) -> Result<usize> + Send + Sync>;

/// Finds the end of states of aggregate functions, which have no delimiter and which only the
/// function knows.
#[derive(Clone)]
pub struct StateReader(Arc<dyn Fn(&DataType) -> StateLen + Send + Sync>);

impl StateReader {
    /// Makes a reader of states from a function of the type.
    pub fn new(f: impl Fn(&DataType) -> StateLen + Send + Sync + 'static) -> Self {
        Self(Arc::new(f))
    }

    /// The function for states of this type.
    pub fn of(&self, ty: &DataType) -> StateLen {
        (self.0)(ty)
    }
}

impl std::fmt::Debug for StateReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StateReader")
    }
}

/// How CustomSeparated writes fields (`format_custom_escaping_rule`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Escaping {
    /// As in TSV.
    #[default]
    Escaped,
    /// Without any escaping.
    Raw,
    /// As in CSV.
    Csv,
    /// As in Values.
    Quoted,
    /// As in JSON.
    Json,
}

/// The texts around rows and fields of CustomSeparated (`format_custom_*`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Custom {
    /// How fields are written.
    pub escaping: Escaping,
    /// The text between fields.
    pub field: Vec<u8>,
    /// The text before the first field of a row.
    pub row_before: Vec<u8>,
    /// The text after the last field of a row.
    pub row_after: Vec<u8>,
    /// The text between rows.
    pub row_between: Vec<u8>,
    /// The text before the first row.
    pub result_before: Vec<u8>,
    /// The text after the last row.
    pub result_after: Vec<u8>,
}

impl Default for Custom {
    fn default() -> Self {
        Self {
            escaping: Escaping::Escaped,
            field: b"\t".to_vec(),
            row_before: Vec::new(),
            row_after: b"\n".to_vec(),
            row_between: Vec::new(),
            result_before: Vec::new(),
            result_after: Vec::new(),
        }
    }
}

/// Options of readers and writers, which `engine` takes from settings. Defaults are those of the
/// reference.
#[derive(Clone, Debug)]
pub struct FormatOptions {
    /// Time zone of DateTime columns whose types name none.
    pub time_zone: TimeZone,
    /// Whether output goes to a terminal. Pretty formats then use colours and grey row numbers.
    pub is_terminal: bool,
    /// Most rows that Pretty formats print (`output_format_pretty_max_rows`).
    pub max_rows: usize,
    /// Width at which Pretty cuts a value, if there are several
    /// (`output_format_pretty_max_value_width`).
    pub max_value_width: usize,
    /// Whether Pretty tables have row numbers at the left (`output_format_pretty_row_numbers`).
    pub row_numbers: bool,
    /// A single number beyond this is followed by `-- 1.23 million`; none is if this is 0
    /// (`output_format_pretty_single_large_number_tip_threshold`).
    pub number_tip: u64,
    /// Whether 64-bit integers are quoted in JSON (`output_format_json_quote_64bit_integers`).
    pub json_quote_64bit_integers: bool,
    /// Seconds and rows for the `statistics` of JSON and XML; `None` leaves the block out
    /// (`output_format_write_statistics`).
    pub statistics: Option<StatisticsSource>,
    /// Whether NULL in the input becomes the default of a column that is not Nullable
    /// (`input_format_null_as_default`).
    pub null_as_default: bool,
    /// Whether an empty field of CSV means the default (`input_format_csv_empty_as_default`).
    pub csv_empty_as_default: bool,
    /// Whether an empty field of TSV means the default (`input_format_tsv_empty_as_default`).
    pub tsv_empty_as_default: bool,
    /// Whether unknown names in the input are skipped (`input_format_skip_unknown_fields`).
    /// Otherwise they are errors.
    pub skip_unknown_fields: bool,
    /// Bytes that a decompressor may produce before it fails.
    pub max_decompressed: u64,
    /// Number of rows from which a schema is inferred
    /// (`input_format_max_rows_to_read_for_schema_inference`).
    pub infer_rows: usize,
    /// Field delimiter of CSV (`format_csv_delimiter`).
    pub csv_delimiter: u8,
    /// The text for NULL in CSV (`format_csv_null_representation`).
    pub csv_null: Arc<str>,
    /// The text for NULL in TSV (`format_tsv_null_representation`).
    pub tsv_null: Arc<str>,
    /// Number of lines at the start of CSV that are skipped (`input_format_csv_skip_first_lines`).
    pub csv_skip_lines: u64,
    /// Number of lines at the start of TSV that are skipped (`input_format_tsv_skip_first_lines`).
    pub tsv_skip_lines: u64,
    /// Whether blanks around fields of CSV are ignored (`input_format_csv_trim_whitespaces`).
    pub csv_trim: bool,
    /// Whether a header line is recognised in CSV without WithNames
    /// (`input_format_csv_detect_header`).
    pub csv_detect_header: bool,
    /// Whether a header line is recognised in TSV without WithNames
    /// (`input_format_tsv_detect_header`).
    pub tsv_detect_header: bool,
    /// Whether lines of CSV end with CR LF (`output_format_csv_crlf_end_of_line`).
    pub csv_crlf: bool,
    /// Whether lines of TSV end with CR LF (`output_format_tsv_crlf_end_of_line`).
    pub tsv_crlf: bool,
    /// Whether columns are matched by the names in the file, and not by position
    /// (`input_format_with_names_use_header`).
    pub use_header: bool,
    /// Whether types in the file must be the wanted ones (`input_format_with_types_use_header`).
    pub use_types: bool,
    /// Most rows that are skipped because they cannot be parsed (`input_format_allow_errors_num`).
    pub allow_errors: u64,
    /// Greatest share of such rows (`input_format_allow_errors_ratio`).
    pub allow_errors_ratio: f64,
    /// Names of columns for an inferred schema (`column_names_for_schema_inference`).
    pub column_names: Vec<String>,
    /// Names and types that are known before a schema is inferred (`schema_inference_hints`).
    pub hints: Vec<(String, DataType)>,
    /// Delimiters of CustomSeparated.
    pub custom: Arc<Custom>,
    /// Whether columns of an inferred schema are Nullable
    /// (`schema_inference_make_columns_nullable`).
    pub infer_nullable: bool,
    /// Whether 64-bit floats are quoted in JSON (`output_format_json_quote_64bit_floats`).
    pub json_quote_64bit_floats: bool,
    /// Whether decimals are quoted in JSON (`output_format_json_quote_decimals`).
    pub json_quote_decimals: bool,
    /// How Pretty tables look.
    pub pretty: PrettyOptions,
    /// Which types are considered when a schema is inferred.
    pub guesses: Guesses,
    /// How JSON is written.
    pub json: JsonOutput,
    /// How JSON is read.
    pub json_input: JsonInput,
    /// How values of text formats are written and read.
    pub text: TextOptions,
    /// How times are written (`date_time_output_format`).
    pub times: Times,
    /// Whether strings are declared as text in Arrow, and not as bytes
    /// (`output_format_arrow_string_as_string`).
    pub arrow_strings: bool,
    /// Whether strings are declared as text in Parquet, and not as bytes
    /// (`output_format_parquet_string_as_string`).
    pub parquet_strings: bool,
    /// Whether a wanted column that a Parquet file does not have gets its default. Otherwise this
    /// is an error (`input_format_parquet_allow_missing_columns`).
    pub parquet_missing_columns: bool,
    /// Whether a wanted column that an Arrow file does not have gets its default
    /// (`input_format_arrow_allow_missing_columns`).
    pub arrow_missing_columns: bool,
    /// Whether columns of Parquet whose types cannot be read are left out of an inferred schema
    /// (`input_format_parquet_skip_columns_with_unsupported_types_in_schema_inference`).
    pub parquet_skip_unsupported: bool,
    /// Whether columns of Arrow whose types cannot be read are left out of an inferred schema.
    pub arrow_skip_unsupported: bool,
    /// The protocol revision that a client of Native asks for (`client_protocol_version`). With 0,
    /// blocks have no head and types no time zones.
    pub protocol_version: u64,
    /// Reads times in any usual form, such as ISO 8601 with an offset (`date_time_input_format`).
    /// Without it, only the plain form is read.
    pub best_effort: Option<BestEffort>,
    /// Evaluates expressions in Values; without it they are an error.
    pub evaluator: Option<Evaluator>,
    /// Converts columns whose type in a file is not the wanted one. Without it, only numbers, dates
    /// and NULL are converted.
    pub caster: Option<Caster>,
    /// Finds the ends of aggregate states in binary formats; without it they cannot be read.
    pub states: Option<StateReader>,
}

impl FormatOptions {
    /// Whether tables have colours.
    pub(crate) fn has_colours(&self) -> bool {
        self.pretty.colour.unwrap_or(self.is_terminal)
    }
}

/// Reads a whole text as a time in the zone: seconds since 1970 and nanoseconds; `None` if it is
/// not a time.
pub type BestEffort = fn(&[u8], TimeZone) -> Option<(i64, u32)>;

/// How DateTime and DateTime64 are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Times {
    /// `YYYY-MM-DD hh:mm:ss`, in the time zone of the type.
    #[default]
    Simple,
    /// `YYYY-MM-DDThh:mm:ssZ`, in UTC.
    Iso,
    /// Seconds since 1970.
    Unix,
}

/// Numbers that JSON and XML show after the data.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Seconds since the query began.
    pub elapsed: f64,
    /// Rows read.
    pub rows_read: u64,
    /// Bytes read.
    pub bytes_read: u64,
}

/// Provides the numbers after the last row has been written.
#[derive(Clone)]
pub struct StatisticsSource(Arc<dyn Fn() -> Statistics + Send + Sync>);

impl StatisticsSource {
    /// Makes a source from a function that reads the numbers.
    pub fn new(f: impl Fn() -> Statistics + Send + Sync + 'static) -> Self {
        Self(Arc::new(f))
    }

    /// The numbers now.
    pub fn get(&self) -> Statistics {
        (self.0)()
    }
}

impl std::fmt::Debug for StatisticsSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StatisticsSource")
    }
}

impl Default for FormatOptions {
    fn default() -> Self {
        Self {
            time_zone: TimeZone::utc(),
            is_terminal: false,
            max_rows: 1000,
            max_value_width: 10_000,
            row_numbers: true,
            number_tip: 1_000_000,
            json_quote_64bit_integers: false,
            statistics: None,
            null_as_default: true,
            csv_empty_as_default: true,
            tsv_empty_as_default: false,
            skip_unknown_fields: true,
            max_decompressed: u64::MAX,
            infer_rows: 25_000,
            csv_delimiter: b',',
            csv_null: "\\N".into(),
            tsv_null: "\\N".into(),
            csv_skip_lines: 0,
            tsv_skip_lines: 0,
            csv_trim: true,
            csv_detect_header: true,
            tsv_detect_header: true,
            csv_crlf: false,
            tsv_crlf: false,
            use_header: true,
            use_types: true,
            allow_errors: 0,
            allow_errors_ratio: 0.0,
            column_names: Vec::new(),
            hints: Vec::new(),
            custom: Arc::default(),
            infer_nullable: true,
            json_quote_64bit_floats: false,
            json_quote_decimals: false,
            pretty: PrettyOptions::default(),
            guesses: Guesses::default(),
            json: JsonOutput::default(),
            json_input: JsonInput::default(),
            text: TextOptions::default(),
            times: Times::Simple,
            arrow_strings: true,
            parquet_strings: true,
            parquet_missing_columns: true,
            arrow_missing_columns: true,
            parquet_skip_unsupported: false,
            arrow_skip_unsupported: false,
            protocol_version: 0,
            best_effort: None,
            evaluator: None,
            caster: None,
            states: None,
        }
    }
}
