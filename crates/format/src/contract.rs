//! What a format looks like from outside: the writer, the reader, and the options of both.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, Column, Mask};
use entasis_types::{DataType, TimeZone, Value};

use crate::options::{Guesses, JsonInput, JsonOutput, PrettyOptions, TextOptions};

/// What rows beside a result are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TotalsAndExtremes {
    /// The one row of WITH TOTALS.
    Totals,
    /// The least values of all columns, then the greatest.
    Extremes,
}

/// Writes chunks of one header. `start`, any number of `write`, `finish`, each appending to `out`,
/// which the caller may empty between calls.
pub trait OutputFormat: Send {
    /// What comes before the first row.
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()>;
    /// A chunk, in any representation. A format may hold rows back until `finish`.
    fn write(&mut self, chunk: &Chunk, out: &mut Vec<u8>) -> Result<()>;
    /// Rows beside the result, after its last chunk. A format that cannot show them leaves them
    /// out.
    fn totals_and_extremes(
        &mut self,
        _what: TotalsAndExtremes,
        _chunk: &Chunk,
        _out: &mut Vec<u8>,
    ) -> Result<()> {
        Ok(())
    }
    /// How many rows the result would at least have without its LIMIT; called before `finish`, and
    /// only for a result with one. A format that cannot show it leaves it out.
    fn rows_before_limit(&mut self, _rows: u64) {}
    /// What was held back, and what comes after the last row.
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()>;
}

/// Cells that the input had no value for, as masks of rows by position in the header. A column
/// without such cells is not there.
pub type Omitted = Vec<(usize, Mask)>;

/// Reads chunks of the header it was made for.
pub trait InputFormat: Send {
    /// Up to `max_rows` rows (and at least one), or `None` at the end. After an error the reader
    /// must not be asked again.
    fn next(&mut self, max_rows: usize) -> Result<Option<Chunk>>;

    /// The cells of the chunk that `next` gave last in which the type's default stands because the
    /// input had no value, or NULL for a column that cannot hold it.
    fn omitted(&mut self) -> Omitted {
        Omitted::new()
    }
}

/// A file read at any place by several threads at a time. What `disk` opens fits with three lines.
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

/// Computes the expressions that stand among the literals of Values.
#[derive(Clone)]
pub struct Evaluator(Arc<dyn Fn(&str, &DataType) -> Result<Value> + Send + Sync>);

impl Evaluator {
    /// From a function of the expression's text and the wanted type.
    pub fn new(f: impl Fn(&str, &DataType) -> Result<Value> + Send + Sync + 'static) -> Self {
        Self(Arc::new(f))
    }

    /// The expression's value, which must be one of the type.
    pub fn evaluate(&self, expression: &str, ty: &DataType) -> Result<Value> {
        (self.0)(expression, ty)
    }
}

impl std::fmt::Debug for Evaluator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Evaluator")
    }
}

/// What a [`Caster`] calls: a column, its type, the wanted type, the number of rows.
type CastFn = dyn Fn(Column, &DataType, &DataType, usize) -> Result<Column> + Send + Sync;

/// Converts columns from a file's types to those that are wanted, as CAST does. Formats know no
/// conversions themselves.
#[derive(Clone)]
pub struct Caster(Arc<CastFn>);

impl Caster {
    /// From a function of the column, its type, the wanted type and the number of rows.
    pub fn new(
        f: impl Fn(Column, &DataType, &DataType, usize) -> Result<Column> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(f))
    }

    /// The column as one of another type.
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

/// Answers how many of the bytes in front of it a state of an aggregate function takes. Bytes that
/// end too early are `CANNOT_READ_ALL_DATA`; they are untrusted.
pub type StateLen = Arc<dyn Fn(&[u8]) -> Result<usize> + Send + Sync>;

/// Tells where states of aggregate functions end: nothing delimits them, only the function knows.
#[derive(Clone)]
pub struct StateReader(Arc<dyn Fn(&DataType) -> StateLen + Send + Sync>);

impl StateReader {
    /// From a function of the type.
    pub fn new(f: impl Fn(&DataType) -> StateLen + Send + Sync + 'static) -> Self {
        Self(Arc::new(f))
    }

    /// For states of the type.
    pub fn of(&self, ty: &DataType) -> StateLen {
        (self.0)(ty)
    }
}

impl std::fmt::Debug for StateReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StateReader")
    }
}

/// How fields of CustomSeparated are written (`format_custom_escaping_rule`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Escaping {
    /// As in TSV.
    #[default]
    Escaped,
    /// As they are.
    Raw,
    /// As in CSV.
    Csv,
    /// As in Values.
    Quoted,
    /// As in JSON.
    Json,
}

/// What stands around rows and fields of CustomSeparated (`format_custom_*`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Custom {
    /// How fields are written.
    pub escaping: Escaping,
    /// Between fields.
    pub field: Vec<u8>,
    /// Before the first field of a row.
    pub row_before: Vec<u8>,
    /// Behind the last field of a row.
    pub row_after: Vec<u8>,
    /// Between rows.
    pub row_between: Vec<u8>,
    /// Before the first row.
    pub result_before: Vec<u8>,
    /// Behind the last row.
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

/// What readers and writers are told; `engine` fills it from settings. Defaults are the
/// reference's.
#[derive(Clone, Debug)]
pub struct FormatOptions {
    /// Zone of DateTime columns that name none.
    pub time_zone: TimeZone,
    /// Whether output goes to a terminal: Pretty formats use colours and row numbers' greys.
    pub is_terminal: bool,
    /// Rows after which Pretty formats stop (`output_format_pretty_max_rows`).
    pub max_rows: usize,
    /// Display width after which Pretty cuts a value, if there are several
    /// (`output_format_pretty_max_value_width`).
    pub max_value_width: usize,
    /// Row numbers at the left of Pretty tables (`output_format_pretty_row_numbers`).
    pub row_numbers: bool,
    /// A single number beyond this is followed by `-- 1.23 million`; none is if this is 0
    /// (`output_format_pretty_single_large_number_tip_threshold`).
    pub number_tip: u64,
    /// 64-bit integers in quotes in JSON (`output_format_json_quote_64bit_integers`).
    pub json_quote_64bit_integers: bool,
    /// Seconds and rows for the `statistics` of JSON and XML; `None` leaves the block out
    /// (`output_format_write_statistics`).
    pub statistics: Option<StatisticsSource>,
    /// NULL in the input of a column that is not Nullable becomes its default
    /// (`input_format_null_as_default`).
    pub null_as_default: bool,
    /// An empty field of CSV stands for the default (`input_format_csv_empty_as_default`).
    pub csv_empty_as_default: bool,
    /// An empty field of TSV stands for the default (`input_format_tsv_empty_as_default`).
    pub tsv_empty_as_default: bool,
    /// Unknown names in the input are skipped instead of failing
    /// (`input_format_skip_unknown_fields`).
    pub skip_unknown_fields: bool,
    /// Bytes that a decompressor may produce before it fails.
    pub max_decompressed: u64,
    /// Rows read for schema inference (`input_format_max_rows_to_read_for_schema_inference`).
    pub infer_rows: usize,
    /// Field delimiter of CSV (`format_csv_delimiter`).
    pub csv_delimiter: u8,
    /// What stands for NULL in CSV (`format_csv_null_representation`).
    pub csv_null: Arc<str>,
    /// The same in TSV (`format_tsv_null_representation`).
    pub tsv_null: Arc<str>,
    /// Lines in front of CSV that are passed over (`input_format_csv_skip_first_lines`).
    pub csv_skip_lines: u64,
    /// The same of TSV (`input_format_tsv_skip_first_lines`).
    pub tsv_skip_lines: u64,
    /// Blanks around fields of CSV are no part of them (`input_format_csv_trim_whitespaces`).
    pub csv_trim: bool,
    /// A first line of names is found in CSV without being announced
    /// (`input_format_csv_detect_header`).
    pub csv_detect_header: bool,
    /// The same in TSV (`input_format_tsv_detect_header`).
    pub tsv_detect_header: bool,
    /// Lines of CSV end with a carriage return, too (`output_format_csv_crlf_end_of_line`).
    pub csv_crlf: bool,
    /// The same of TSV (`output_format_tsv_crlf_end_of_line`).
    pub tsv_crlf: bool,
    /// Columns are found by the names in the file, not by their place
    /// (`input_format_with_names_use_header`).
    pub use_header: bool,
    /// Types in the file must be the wanted ones (`input_format_with_types_use_header`).
    pub use_types: bool,
    /// Rows that cannot be parsed and are left out, at most (`input_format_allow_errors_num`).
    pub allow_errors: u64,
    /// The same as a share of all rows (`input_format_allow_errors_ratio`).
    pub allow_errors_ratio: f64,
    /// Names of columns for an inferred schema (`column_names_for_schema_inference`).
    pub column_names: Vec<String>,
    /// Names and types that are known of an inferred schema (`schema_inference_hints`).
    pub hints: Vec<(String, DataType)>,
    /// Delimiters of CustomSeparated.
    pub custom: Arc<Custom>,
    /// Columns of an inferred schema are Nullable (`schema_inference_make_columns_nullable`).
    pub infer_nullable: bool,
    /// 64-bit floats in quotes in JSON (`output_format_json_quote_64bit_floats`).
    pub json_quote_64bit_floats: bool,
    /// Decimals in quotes in JSON (`output_format_json_quote_decimals`).
    pub json_quote_decimals: bool,
    /// How tables for the eye look.
    pub pretty: PrettyOptions,
    /// What values may suggest where a schema is inferred.
    pub guesses: Guesses,
    /// How JSON is written.
    pub json: JsonOutput,
    /// How JSON is read.
    pub json_input: JsonInput,
    /// How values of text formats are written and read.
    pub text: TextOptions,
    /// How times are written (`date_time_output_format`).
    pub times: Times,
    /// Strings are declared as text in Arrow and Parquet, not as bytes
    /// (`output_format_arrow_string_as_string`, `output_format_parquet_string_as_string`).
    pub arrow_strings: bool,
    /// As above.
    pub parquet_strings: bool,
    /// A wanted column that a Parquet file does not have is its default, else an error
    /// (`input_format_parquet_allow_missing_columns`).
    pub parquet_missing_columns: bool,
    /// The same of Arrow (`input_format_arrow_allow_missing_columns`).
    pub arrow_missing_columns: bool,
    /// Columns of types that cannot be read are left out of an inferred schema
    /// (`input_format_parquet_skip_columns_with_unsupported_types_in_schema_inference`).
    pub parquet_skip_unsupported: bool,
    /// The same of Arrow.
    pub arrow_skip_unsupported: bool,
    /// Revision of the protocol that a client of Native asks for (`client_protocol_version`): 0
    /// has blocks without a head and types without zones.
    pub protocol_version: u64,
    /// Reads times in any usual form, as ISO 8601 with an offset (`date_time_input_format`);
    /// without it only the plain form is read.
    pub best_effort: Option<BestEffort>,
    /// For expressions in Values; without it they are an error.
    pub evaluator: Option<Evaluator>,
    /// For columns whose type in a file is not the wanted one; without it only numbers, dates and
    /// NULL are converted.
    pub caster: Option<Caster>,
    /// For states of aggregate functions in binary formats; without it they cannot be read.
    pub states: Option<StateReader>,
}

impl FormatOptions {
    /// Whether tables have colours.
    pub(crate) fn has_colours(&self) -> bool {
        self.pretty.colour.unwrap_or(self.is_terminal)
    }
}

/// Reads the whole of a text as a time of the zone: seconds since 1970 and nanoseconds. `None` if
/// it is none.
pub type BestEffort = fn(&[u8], TimeZone) -> Option<(i64, u32)>;

/// How DateTime and DateTime64 are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Times {
    /// `YYYY-MM-DD hh:mm:ss`, in the type's zone.
    #[default]
    Simple,
    /// `YYYY-MM-DDThh:mm:ssZ`, in UTC.
    Iso,
    /// Seconds since 1970.
    Unix,
}

/// Numbers that JSON shows after the data.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Seconds since the query began.
    pub elapsed: f64,
    /// Rows read.
    pub rows_read: u64,
    /// Bytes read.
    pub bytes_read: u64,
}

/// Answers the numbers when the last row has been written.
#[derive(Clone)]
pub struct StatisticsSource(Arc<dyn Fn() -> Statistics + Send + Sync>);

impl StatisticsSource {
    /// From a function that looks at them.
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
