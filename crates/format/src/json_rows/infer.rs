//! Schemas of JSON rows: what values suggest, and how rows with different keys are combined.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Field, Header};
use entasis_types::{DataType, TupleType};

use super::value::{MAX_DEPTH, skip_value, string};
use crate::fault::{Parse, fault};
use crate::infer::{
    Dialect, Effort, Guess, cannot, guess_date, guess_number, guess_text, merge, merge_parts,
    nullable, settled,
};
use crate::quoted::{require, skip_space, take};
use crate::{FormatOptions, Guesses};

/// The type that a value suggests.
pub(crate) fn guess(input: &mut &[u8], effort: Effort, depth: usize) -> Parse<Guess> {
    if depth > MAX_DEPTH {
        return fault(codes::TOO_DEEP_RECURSION, "JSON is nested too deep");
    }
    let start = *input;
    Ok(match input.first() {
        Some(b'"') => {
            let mut text = Vec::new();
            string(&mut text, input)?;
            let guess = guess_date(&text, effort).or_else(|| number_in_quotes(&text, effort));
            Some(guess.unwrap_or(DataType::String))
        }
        Some(b'[') => {
            let mut types = Vec::new();
            *input = &input[1..];
            skip_space(input);
            while !take(input, b']') {
                if !types.is_empty() {
                    require(input, b',')?;
                    skip_space(input);
                }
                types.push(guess(input, effort, depth + 1)?);
                skip_space(input);
            }
            array_type(&types)
        }
        Some(b'{') => {
            let mut fields = object::<false>(input, effort, depth)?;
            fields.sort_by(|a, b| a.0.cmp(&b.0));
            let (names, types): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
            let types: Vec<_> =
                types.into_iter().map(|t| nullable(t.unwrap_or(DataType::Nothing))).collect();
            if names.is_empty() {
                None
            } else if !effort.may.json_named_tuples {
                Some(if effort.may.json_objects_as_strings {
                    DataType::String
                } else {
                    let value = types
                        .into_iter()
                        .fold(None, |a, ty| merge_json(a, Some(ty.without_nullable().clone())));
                    DataType::map(DataType::String, nullable(value.unwrap_or(DataType::Nothing)))
                })
            } else {
                Some(DataType::Tuple(Arc::new(TupleType { types, names: Some(names) })))
            }
        }
        _ => {
            skip_value(input, depth)?;
            let text = std::str::from_utf8(&start[..start.len() - input.len()]).unwrap_or("");
            match text {
                "null" => None,
                "true" | "false" => Some(DataType::Bool),
                t if !effort.may.integers && t.parse::<f64>().is_ok() => Some(DataType::Float64),
                t if t.parse::<i64>().is_ok() => Some(DataType::Int64),
                t if t.parse::<u64>().is_ok() => Some(DataType::UInt64),
                t if t.contains(['.', 'e', 'E']) && t.parse::<f64>().is_ok() => {
                    Some(DataType::Float64)
                }
                _ => Some(DataType::String),
            }
        }
    })
}

/// The number that a string holds, if numbers are looked for there.
fn number_in_quotes(text: &[u8], effort: Effort) -> Guess {
    let may = Guesses { exponents: true, ..effort.may };
    let effort = Effort { may, ..effort };
    may.json_numbers_from_strings.then(|| guess_number(text, Dialect::Csv, effort)).flatten()
}

/// An array if the elements agree, else a tuple.
fn array_type(types: &[Guess]) -> Guess {
    let common = types.iter().fold(None, |a, b| merge_json(a, b.clone()));
    let text = Some(DataType::String);
    let is_mixed = common == text && types.iter().any(|t| t.is_some() && *t != text);
    if is_mixed {
        let types = types.iter().map(|t| nullable(t.clone().unwrap_or(DataType::Nothing)));
        return Some(DataType::tuple(types.collect()));
    }
    Some(DataType::array(nullable(common.unwrap_or(DataType::Nothing))))
}

/// As [`merge`], where Bool counts as a number and objects join their keys, in the order of names.
pub(crate) fn merge_json(a: Guess, b: Guess) -> Guess {
    use DataType::{Array, Bool, Float64, Int64, Map, Tuple, UInt64};
    match (&a, &b) {
        (Some(Bool), Some(Int64 | UInt64 | Float64)) => b,
        (Some(Int64 | UInt64 | Float64), Some(Bool)) => a,
        (Some(Array(x)), Some(Array(y))) => Some(DataType::array(merge_parts(x, y, merge_json))),
        (Some(Map(_)), Some(Map(_))) => {
            let parts = a.as_ref().and_then(DataType::as_map);
            let (Some((key, x)), Some((_, y))) = (parts, b.as_ref().and_then(DataType::as_map))
            else {
                return merge(a, b);
            };
            Some(DataType::map(key.clone(), merge_parts(x, y, merge_json)))
        }
        (Some(Tuple(x)), Some(Tuple(y))) => match (&x.names, &y.names) {
            (Some(left), Some(right)) => {
                let mut fields: Vec<_> = left.iter().zip(x.types.iter().cloned()).collect();
                for (name, ty) in right.iter().zip(&y.types) {
                    match fields.iter_mut().find(|f| f.0 == name) {
                        Some(field) => field.1 = merge_parts(&field.1, ty, merge_json),
                        None => fields.push((name, ty.clone())),
                    }
                }
                fields.sort_by_key(|field| field.0);
                let names = fields.iter().map(|field| Arc::clone(field.0)).collect();
                let types = fields.into_iter().map(|field| field.1).collect();
                Some(Tuple(Arc::new(TupleType { types, names: Some(names) })))
            }
            _ => merge(a, b),
        },
        _ => merge(a, b),
    }
}

fn object<const AS_TEXTS: bool>(
    input: &mut &[u8],
    effort: Effort,
    depth: usize,
) -> Parse<Vec<(Arc<str>, Guess)>> {
    require(input, b'{')?;
    skip_space(input);
    let mut fields: Vec<(Arc<str>, Guess)> = Vec::new();
    while !take(input, b'}') {
        if !fields.is_empty() {
            require(input, b',')?;
            skip_space(input);
        }
        let mut name = Vec::new();
        string(&mut name, input)?;
        skip_space(input);
        require(input, b':')?;
        skip_space(input);
        let name: Arc<str> = String::from_utf8_lossy(&name).into();
        if fields.iter().any(|f| f.0 == name) {
            let message = format!("Duplicate column name found while schema inference: \"{name}\"");
            return fault(codes::INCORRECT_DATA, message);
        }
        fields.push((name, value::<AS_TEXTS>(input, effort, depth + 1)?));
        skip_space(input);
    }
    Ok(fields)
}

/// The type that a value suggests, or its text does.
fn value<const AS_TEXTS: bool>(input: &mut &[u8], effort: Effort, depth: usize) -> Parse<Guess> {
    if !AS_TEXTS {
        return guess(input, effort, depth);
    }
    let mut text = Vec::new();
    string(&mut text, input)?;
    Ok(guess_text(&text, Dialect::Tsv, effort))
}

/// The values of an array; columns beyond `names` are called by their place.
fn array<const AS_TEXTS: bool>(
    input: &mut &[u8],
    names: &[Arc<str>],
    effort: Effort,
) -> Parse<Vec<(Arc<str>, Guess)>> {
    require(input, b'[')?;
    skip_space(input);
    let mut fields = Vec::new();
    while !take(input, b']') {
        if !fields.is_empty() {
            require(input, b',')?;
            skip_space(input);
        }
        let by_place = || format!("c{}", fields.len() + 1).into();
        let name = names.get(fields.len()).cloned().unwrap_or_else(by_place);
        fields.push((name, value::<AS_TEXTS>(input, effort, 0)?));
        skip_space(input);
    }
    Ok(fields)
}

/// The names in a header line, and the types in the one behind it.
fn header_lines(input: &mut &[u8], lines: u8) -> Result<(Vec<Arc<str>>, Option<Header>)> {
    let mut line = || {
        let end = memchr::memchr(b'\n', input).map_or(input.len(), |n| n + 1);
        let (line, rest) = input.split_at(end);
        *input = rest;
        super::texts_of(&mut &line[..])
    };
    let text = |t: &Vec<u8>| String::from_utf8_lossy(t).into_owned();
    let names: Vec<Arc<str>> = line()?.iter().map(|t| text(t).into()).collect();
    if lines < 2 {
        return Ok((names, None));
    }
    let types: Result<Vec<DataType>> = line()?.iter().map(|t| DataType::parse(&text(t))).collect();
    let fields = names.iter().zip(types?).map(|(name, ty)| Field::new(Arc::clone(name), ty));
    let header = Header::new(fields.collect());
    Ok((names, Some(header)))
}

pub(crate) fn infer<const IS_COMPACT: bool, const AS_TEXTS: bool, const LINES: u8>(
    sample: &[u8],
    complete: bool,
    options: &FormatOptions,
) -> Result<Header> {
    let name = if IS_COMPACT { "JSONCompactEachRow" } else { "JSONEachRow" };
    let mut input = sample;
    let mut names = Vec::new();
    if LINES > 0 {
        let failed = |e: Error| cannot(name, &e.to_string());
        let (found, header) = header_lines(&mut input, LINES).map_err(failed)?;
        if let Some(header) = header {
            return Ok(header);
        }
        names = found;
    }
    let mut fields: Vec<(Arc<str>, Guess)> = Vec::new();
    let mut rows = 0;
    skip_space(&mut input);
    if !IS_COMPACT {
        take(&mut input, b'[');
    }
    while rows < options.infer_rows {
        skip_space(&mut input);
        if input.is_empty() || (rows > 0 && take(&mut input, b']')) {
            break;
        }
        if rows > 0 && take(&mut input, b',') {
            skip_space(&mut input);
        }
        let read = match IS_COMPACT {
            true => array::<AS_TEXTS>(&mut input, &names, Effort::of(options)),
            false => object::<AS_TEXTS>(&mut input, Effort::of(options), 0),
        };
        let row = match read {
            Ok(row) => row,
            Err(_) if !complete && rows > 0 => break, // the sample ends inside a row
            Err(fault) => {
                return Err(cannot(name, &Error::new(fault.code, fault.message).to_string()));
            }
        };
        rows += 1;
        for (name, ty) in row {
            match fields.iter_mut().find(|f| f.0 == name) {
                Some(field) => field.1 = merge_json(field.1.take(), ty),
                None => fields.push((name, ty)),
            }
        }
    }
    if rows == 0 {
        let why = "The table structure cannot be extracted from a JSON format file: the file is \
                   empty";
        return Err(cannot(name, why));
    }
    let field = |(name, ty): (Arc<str>, Guess)| Field::new(name, settled(ty));
    Ok(Header::new(fields.into_iter().map(field).collect()))
}
