//! Infers names and types from the first rows of a text file, as the reference does.
//!
//! A value suggests a type, or none if it is NULL or empty. A column has the type on which all its
//! values agree, and otherwise String. A first row that consists only of text, above columns with
//! other types, is a header line.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Field, Header};
use entasis_types::text::read_datetime;
use entasis_types::{DataType, TupleType};

use crate::quoted::{quoted_text, skip_space, take, take_word};
use crate::{FormatOptions, Guesses};

/// What a value suggests; `None`: nothing.
pub(crate) type Guess = Option<DataType>;

/// What differs between formats.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Tsv,
    Csv,
}

/// The type of plain text.
pub(crate) fn guess_text(text: &[u8], dialect: Dialect, effort: Effort) -> Guess {
    match text {
        b"" | b"\\N" => return None,
        [b'[', ..] => return Some(guess_nested(text, effort).unwrap_or(DataType::String)),
        [b'(', ..] if dialect == Dialect::Tsv => {
            return Some(guess_nested(text, effort).unwrap_or(DataType::String));
        }
        _ => {}
    }
    let is_bool = match dialect {
        Dialect::Tsv => text.eq_ignore_ascii_case(b"true") || text.eq_ignore_ascii_case(b"false"),
        Dialect::Csv => matches!(text, b"true" | b"false"),
    };
    if is_bool {
        return Some(DataType::Bool);
    }
    Some(
        guess_date(text, effort)
            .or_else(|| guess_number(text, dialect, effort))
            .unwrap_or(DataType::String),
    )
}

/// The type that a text suggests which is all of a value: in a path, as an example.
pub fn guess_type(text: &[u8]) -> Option<DataType> {
    guess_text(text, Dialect::Csv, Effort::plain())
}

/// What values may suggest.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    /// The reader of times that are not in the plain form, if they count as times.
    pub(crate) times: Option<crate::BestEffort>,
    /// What settings say.
    pub(crate) may: Guesses,
}

impl Effort {
    /// As options say.
    pub(crate) fn of(options: &FormatOptions) -> Self {
        Self { times: options.best_effort, may: options.guesses }
    }

    /// The usual, without unusual forms of times.
    pub(crate) fn plain() -> Self {
        Self { times: None, may: Guesses::default() }
    }

    /// A time without and with a fraction.
    fn time(self, has_fraction: bool) -> Guess {
        let is_wide = has_fraction || self.may.only_datetime64;
        let ty = if is_wide { DataType::DateTime64(9, None) } else { DataType::DateTime(None) };
        self.may.datetimes.then_some(ty)
    }

    /// A date, which may be a time at midnight if dates are not looked for.
    fn date(self) -> Guess {
        if self.may.dates { Some(DataType::Date) } else { self.time(false) }
    }
}

/// Date, DateTime or DateTime64, where the whole text is one.
pub(crate) fn guess_date(text: &[u8], effort: Effort) -> Guess {
    plain_date(text, effort).or_else(|| {
        let read = effort.times?;
        // Numbers, times of day and years with a month are none, although they could be read.
        if !has_date(text) {
            return None;
        }
        let mut rest = text;
        let is_date = entasis_types::text::read_date(&mut rest).is_some() && rest.is_empty();
        if is_date {
            return effort.date();
        }
        read(text, entasis_types::TimeZone::utc())?;
        let has_fraction =
            text.windows(3).any(|w| w[1] == b'.' && w[0].is_ascii_digit() && w[2].is_ascii_digit());
        effort.time(has_fraction)
    })
}

/// Whether a text holds a date: three numbers with `-` or `/` between them, or a month's name.
fn has_date(text: &[u8]) -> bool {
    const MONTHS: [&[u8; 3]; 12] = [
        b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov",
        b"dec",
    ];
    if !(8..=60).contains(&text.len()) {
        return false;
    }
    let digits = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_digit()).count();
    let numbers = || {
        let year = digits(text);
        let separator = *text.get(year)?;
        let month = digits(&text[year + 1..]);
        let is_second = text.get(year + 1 + month) == Some(&separator);
        let day = digits(text.get(year + month + 2..)?);
        let is_long = year == 4 || day == 4;
        Some(matches!(separator, b'-' | b'/') && is_second && month > 0 && day > 0 && is_long)
    };
    let is_month = |word: &[u8]| MONTHS.iter().any(|month| word.eq_ignore_ascii_case(&month[..]));
    let has_number = text.iter().filter(|b| b.is_ascii_digit()).count() > 2;
    numbers() == Some(true) || (has_number && text.windows(3).any(is_month))
}

/// [`guess_date`] of the plain forms.
fn plain_date(text: &[u8], effort: Effort) -> Guess {
    let digits = |n: usize| text.len() > n && text[..n].iter().all(u8::is_ascii_digit);
    if !digits(4) || text[4] != b'-' || text.contains(&b'.') {
        return None;
    }
    let mut rest = text;
    entasis_types::text::read_date(&mut rest)?;
    if rest.is_empty() {
        return effort.date();
    }
    let mut rest = text;
    read_datetime(&mut rest, entasis_types::TimeZone::utc())?;
    let has_seconds = text.iter().filter(|b| **b == b':').count() == 2;
    if rest.is_empty() && has_seconds { effort.time(false) } else { None }
}

/// An integer or a float without exponent.
pub(crate) fn guess_number(text: &[u8], dialect: Dialect, effort: Effort) -> Guess {
    let unsigned = match text {
        [b'-' | b'+', rest @ ..] => rest,
        rest => rest,
    };
    if unsigned.eq_ignore_ascii_case(b"nan") || unsigned.eq_ignore_ascii_case(b"inf") {
        return Some(DataType::Float64);
    }
    let is_digits = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
    let has_leading_zero = unsigned.len() > 1 && unsigned[0] == b'0' && is_digits(unsigned);
    if unsigned.is_empty() || (has_leading_zero && dialect == Dialect::Tsv) {
        return None;
    }
    let Ok(ascii) = std::str::from_utf8(text) else { return None };
    if is_digits(unsigned) && !effort.may.integers {
        return Some(DataType::Float64);
    }
    if is_digits(unsigned) {
        return match (ascii.parse::<i64>(), ascii.parse::<u64>(), dialect) {
            (Ok(_), ..) => Some(DataType::Int64),
            (_, Ok(_), _) => Some(DataType::UInt64),
            (.., Dialect::Csv) => Some(DataType::Float64),
            _ => None,
        };
    }
    let digits = std::str::from_utf8(unsigned).ok()?;
    if effort.may.exponents && digits.contains(['e', 'E']) && digits.parse::<f64>().is_ok() {
        return Some(DataType::Float64);
    }
    let (whole, fraction) = digits.split_once('.')?;
    let is_float = is_digits(whole.as_bytes())
        && is_digits(fraction.as_bytes())
        && whole.len() + fraction.len() > 0;
    is_float.then_some(DataType::Float64)
}

/// The type of `[...]` or `(...)`, elements in quoted form; `None` if it is no such thing.
pub(crate) fn guess_nested(text: &[u8], effort: Effort) -> Guess {
    let mut input = text;
    let ty = nested(&mut input, effort, 0)??;
    skip_space(&mut input);
    input.is_empty().then_some(ty)
}

/// Outer `None`: no value; inner `None`: a value that suggests nothing.
fn nested(input: &mut &[u8], effort: Effort, depth: usize) -> Option<Guess> {
    if depth > 50 {
        return None;
    }
    skip_space(input);
    if take_word(input, b"NULL") {
        return Some(None);
    }
    match input.first()? {
        b'\'' => {
            let mut text = Vec::new();
            quoted_text(&mut text, input, b'\'').ok()?;
            Some(Some(guess_date(&text, effort).unwrap_or(DataType::String)))
        }
        b'[' => {
            let elements = elements(input, b']', effort, depth)?;
            let mut ty: Guess = None;
            for element in elements {
                ty = merge(ty, element);
            }
            Some(ty.map(|ty| DataType::array(nullable(ty))))
        }
        b'(' => {
            let elements = elements(input, b')', effort, depth)?;
            let types = elements.into_iter().map(|e| Some(nullable(e?))).collect::<Option<_>>();
            Some(types.map(DataType::tuple))
        }
        _ => {
            let end = input.iter().position(|b| b",])".contains(b)).unwrap_or(input.len());
            let text = input[..end].trim_ascii();
            *input = &input[end..];
            match text {
                b"true" | b"false" => Some(Some(DataType::Bool)),
                text => Some(Some(guess_number(text, Dialect::Csv, effort)?)),
            }
        }
    }
}

fn elements(input: &mut &[u8], end: u8, effort: Effort, depth: usize) -> Option<Vec<Guess>> {
    *input = &input[1..];
    let mut out = Vec::new();
    loop {
        skip_space(input);
        if take(input, end) {
            return Some(out);
        }
        if !out.is_empty() && !take(input, b',') {
            return None;
        }
        out.push(nested(input, effort, depth + 1)?);
    }
}

/// What two values of a column agree on. Within a type, `Nothing` stands for a part of which no
/// value is known yet, as in the type of an empty array; see [`settled`].
pub(crate) fn merge(a: Guess, b: Guess) -> Guess {
    use DataType::{
        Array, Date, DateTime, DateTime64, Float64, Int64, Nothing, String, Tuple, UInt64,
    };
    let (a, b) = match (a, b) {
        (Some(a), Some(b)) => (a, b),
        (a, b) => return a.or(b),
    };
    Some(match (a, b) {
        (a, b) if a == b => a,
        (Nothing, other) | (other, Nothing) => other,
        (Int64, UInt64) | (UInt64, Int64) => UInt64,
        (Int64 | UInt64 | Float64, Float64) | (Float64, Int64 | UInt64) => Float64,
        (Date, DateTime(zone)) | (DateTime(zone), Date) => DateTime(zone),
        (Date | DateTime(_), DateTime64(scale, zone))
        | (DateTime64(scale, zone), Date | DateTime(_)) => DateTime64(scale, zone),
        (Array(a), Array(b)) => DataType::array(merge_parts(&a, &b, merge)),
        (Tuple(a), Tuple(b)) if a.names.is_none() && a.types.len() == b.types.len() => {
            let pairs = a.types.iter().zip(&b.types);
            DataType::tuple(pairs.map(|(a, b)| merge_parts(a, b, merge)).collect())
        }
        _ => String,
    })
}

/// What two types agree on that stand at the same place within others.
pub(crate) fn merge_parts(
    a: &DataType,
    b: &DataType,
    merge: impl Fn(Guess, Guess) -> Guess,
) -> DataType {
    let plain = |ty: &DataType| Some(ty.without_nullable().clone());
    nullable(merge(plain(a), plain(b)).unwrap_or(DataType::Nothing))
}

/// The type of a column of which all values were seen: parts without a value are texts.
pub(crate) fn settled(guess: Guess) -> DataType {
    let within = |ty: &DataType| settled(Some(ty.without_nullable().clone()));
    nullable(match guess {
        None | Some(DataType::Nothing) => DataType::String,
        Some(DataType::Array(element)) => DataType::array(within(&element)),
        Some(DataType::Tuple(tuple)) => {
            let types = tuple.types.iter().map(within).collect();
            DataType::Tuple(Arc::new(TupleType { types, names: tuple.names.clone() }))
        }
        Some(other) => match other.as_map() {
            Some((key, value)) => DataType::map(key.clone(), within(value)),
            None => other,
        },
    })
}

/// Nullable, where the type can be.
pub(crate) fn nullable(ty: DataType) -> DataType {
    if ty.can_be_nullable() { DataType::nullable(ty) } else { ty }
}

#[cold]
pub(crate) fn cannot(format: &str, why: &str) -> Error {
    let message = format!(
        "The table structure cannot be extracted from a {format} format file. Error:\n{why}.\nYou \
         can specify the structure manually"
    );
    Error::new(codes::CANNOT_EXTRACT_TABLE_STRUCTURE, message)
}

/// A file's rows as texts and what each suggests.
pub(crate) type GuessedRows = Vec<Vec<(Vec<u8>, Guess)>>;

/// Names and types of a table of text; `lines` header lines are said to be there (0: look).
pub(crate) fn table(
    format: &str,
    rows: GuessedRows,
    lines: u8,
    detects: bool,
    options: &FormatOptions,
) -> Result<Header> {
    let Some(first) = rows.first() else {
        let why = format!(
            "The table structure cannot be extracted from a {format} format file: the file is empty"
        );
        return Err(cannot(format, &why));
    };
    let width = first.len();
    if lines == 2 {
        return typed(format, &rows);
    }
    if rows.iter().any(|row| row.len() != width) {
        return Err(cannot(format, "Rows have different amount of values"));
    }
    let types = |rows: &[Vec<(Vec<u8>, Guess)>]| -> Vec<Guess> {
        let column = |i: usize| rows.iter().fold(None, |ty, row| merge(ty, row[i].1.clone()));
        (0..width).map(column).collect()
    };
    let below = types(&rows[1..]);
    let is_text = |guess: &Guess| *guess == Some(DataType::String);
    let is_header = lines == 1
        || (detects
            && first.iter().all(|(_, guess)| is_text(guess))
            && below.iter().any(|guess| guess.is_some() && !is_text(guess)));
    if lines == 1 && rows.len() == 1 {
        return Err(cannot(format, "Cannot read rows from the data"));
    }
    let names: Vec<String> = if is_header {
        first.iter().map(|(n, _)| String::from_utf8_lossy(n).into_owned()).collect()
    } else {
        let name = |i: usize| options.column_names.get(i - 1).cloned();
        (1..=width).map(|i| name(i).unwrap_or_else(|| format!("c{i}"))).collect()
    };
    if let Some(name) = names.iter().enumerate().find(|(i, n)| names[..*i].contains(n)) {
        let why = format!("Duplicate column name found while schema inference: \"{}\"", name.1);
        return Err(cannot(format, &why));
    }
    let types = if is_header { below } else { types(&rows) };
    let fields = names.into_iter().zip(types);
    let field = |(name, ty): (String, Guess)| Field::new(name, settled(ty));
    Ok(Header::new(fields.map(field).collect()))
}

/// Names and types from the first two rows.
fn typed(format: &str, rows: &GuessedRows) -> Result<Header> {
    let [names, types, ..] = &rows[..] else {
        return Err(cannot(format, "Cannot read rows with names and types"));
    };
    if names.len() != types.len() {
        return Err(cannot(format, "The numbers of names and types differ"));
    }
    let fields: Result<Vec<Field>> = names
        .iter()
        .zip(types)
        .map(|((name, _), (ty, _))| {
            let ty = DataType::parse(&String::from_utf8_lossy(ty))?;
            Ok(Field::new(String::from_utf8_lossy(name).into_owned(), ty))
        })
        .collect();
    Ok(Header::new(fields?))
}

/// The whole rows of a sample.
pub(crate) fn whole_lines(sample: &[u8], complete: bool) -> &[u8] {
    match memchr::memrchr(b'\n', sample) {
        Some(end) if !complete => &sample[..=end],
        _ => sample,
    }
}

/// Passes over lines.
pub(crate) fn skip_lines(input: &mut &[u8], lines: u64) {
    for _ in 0..lines {
        let end = memchr::memchr(b'\n', input).map_or(input.len(), |n| n + 1);
        *input = &input[end..];
    }
}

/// An inferred schema as the options want it: with the types that are known, with or without
/// Nullable.
pub(crate) fn adjusted(header: Header, options: &FormatOptions) -> Header {
    if options.hints.is_empty() && options.infer_nullable {
        return header;
    }
    let adjusted = |field: &Field| {
        let hint = options.hints.iter().find(|(name, _)| *name == *field.name);
        let ty = match hint {
            Some((_, ty)) => ty.clone(),
            None if options.infer_nullable => field.ty.clone(),
            None => without_nullable(&field.ty),
        };
        Field::new(Arc::clone(&field.name), ty)
    };
    Header::new(header.iter().map(adjusted).collect())
}

/// A type without Nullable anywhere in it.
fn without_nullable(ty: &DataType) -> DataType {
    match ty {
        DataType::Nullable(inner) if **inner == DataType::Nothing => ty.clone(),
        DataType::Nullable(inner) => without_nullable(inner),
        DataType::Array(inner) => DataType::array(without_nullable(inner)),
        DataType::Tuple(tuple) => {
            let mut tuple = (**tuple).clone();
            tuple.types = tuple.types.iter().map(without_nullable).collect();
            DataType::Tuple(Arc::new(tuple))
        }
        other => match other.as_map() {
            Some((key, value)) => DataType::map(without_nullable(key), without_nullable(value)),
            None => other.clone(),
        },
    }
}

/// TSV and its variants.
pub(crate) fn tsv<const IS_RAW: bool, const LINES: u8>(
    sample: &[u8],
    complete: bool,
    options: &FormatOptions,
) -> Result<Header> {
    let name = ["TSV", "TSVWithNames", "TSVWithNamesAndTypes"][LINES as usize];
    let mut sample = whole_lines(sample, complete);
    skip_lines(&mut sample, options.tsv_skip_lines);
    let sample = sample.strip_suffix(b"\n").filter(|s| !s.is_empty()).unwrap_or(sample);
    let guess = |field: &[u8]| {
        let guess = guess_text(field, Dialect::Tsv, Effort::of(options));
        (crate::tsv::plain_text::<IS_RAW>(field), guess)
    };
    let rows = match sample {
        b"" => Vec::new(),
        b"\n" => vec![vec![guess(b"")]],
        sample => sample
            .split(|b| *b == b'\n')
            .take(options.infer_rows)
            .map(|line| line.split(|b| *b == b'\t').map(guess).collect())
            .collect(),
    };
    table(name, rows, LINES, options.tsv_detect_header, options)
}

/// Whether a first row that was not announced as one holds the columns' names: all text, and a
/// wanted name among it.
pub(crate) fn is_header_line(texts: &[Vec<u8>], dialect: Dialect, header: &Header) -> bool {
    let is_text = |t: &Vec<u8>| guess_text(t, dialect, Effort::plain()) == Some(DataType::String);
    let is_name =
        |t: &Vec<u8>| std::str::from_utf8(t).is_ok_and(|name| header.position(name).is_some());
    texts.iter().any(is_name) && texts.iter().all(is_text)
}

#[cfg(test)]
mod tests;
