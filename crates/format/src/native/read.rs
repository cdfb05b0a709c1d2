//! Reads Native. The counts in a stream are not trusted: memory is allocated only for bytes that
//! have arrived.

use std::io::Read;

use entasis_base::{Error, Result, codes};
use entasis_column::{
    Bitmap, Chunk, Column, ColumnBuilder, Dictionary, Field, FixedStrings, Header, StringsBuilder,
    VariantColumn,
};
use entasis_types::DataType;

use crate::fit::Found;
use crate::infer::cannot;
use crate::rows::Pieces;
use crate::stream::Stream;
use crate::wire::{MAX_LEN, Wire, push_numbers};

use super::write::{DISCRIMINATORS, KEYS_VERSION};
use crate::{FormatOptions, InputFormat, Omitted, StateReader};

/// Columns of a block, and bytes of a name, at most.
const MAX_COLUMNS: u64 = 1 << 20;

/// A varint that must not be larger than `max`.
fn count(input: &mut Stream<'_>, max: u64, what: &str) -> Result<usize> {
    let count = input.varint()?;
    if count > max {
        let message = format!("Suspiciously many {what} in Native format: {count}");
        return Err(Error::new(codes::TOO_LARGE_ARRAY_SIZE, message));
    }
    Ok(count as usize)
}

fn read_name(input: &mut Stream<'_>) -> Result<String> {
    let len = count(input, MAX_COLUMNS, "bytes of a name")?;
    Ok(String::from_utf8_lossy(input.take(len)?).into_owned())
}

/// `rows` values of `width` bytes, as a number that can be read.
fn size(rows: usize, width: usize) -> Result<usize> {
    match rows.checked_mul(width) {
        Some(size) if size <= 1 << 34 => Ok(size),
        _ => {
            let message = format!("{rows} values of {width} bytes in one column of a Native block");
            Err(Error::new(codes::TOO_LARGE_ARRAY_SIZE, message))
        }
    }
}

/// Reads what comes before the values.
fn read_versions(input: &mut Stream<'_>, wire: &Wire) -> Result<()> {
    match wire {
        Wire::LowCardinality(_) => match word(input)? {
            KEYS_VERSION => Ok(()),
            other => {
                let message = format!("Version {other} of LowCardinality in Native");
                Err(Error::new(codes::INCORRECT_DATA, message))
            }
        },
        Wire::Variant(parts) => match word(input)? {
            DISCRIMINATORS => parts.iter().try_for_each(|part| read_versions(input, part)),
            mode => {
                let what = format!("Discriminators of a Variant in mode {mode} in Native");
                Err(Error::not_implemented(what))
            }
        },
        Wire::Array(inner) => read_versions(input, inner),
        Wire::Tuple(parts) => parts.iter().try_for_each(|part| read_versions(input, part)),
        _ => Ok(()),
    }
}

fn word(input: &mut Stream<'_>) -> Result<u64> {
    Ok(u64::from_le_bytes(input.take(8)?.try_into().unwrap_or_default()))
}

/// Reads `rows` values of a column.
fn read_column(input: &mut Stream<'_>, ty: &DataType, wire: &Wire, rows: usize) -> Result<Column> {
    let ty = if let DataType::Map(stored) | DataType::Nested(stored) = ty { stored } else { ty };
    Ok(match (ty, wire) {
        (_, Wire::Number(width)) => {
            let mut builder = ColumnBuilder::new(ty, 0);
            push_numbers(&mut builder, input.take(size(rows, *width)?)?)?;
            builder.finish()
        }
        (_, Wire::Bool) => {
            Column::from(input.take(rows)?.iter().map(|b| u8::from(*b != 0)).collect::<Vec<u8>>())
        }
        (_, Wire::Text) => read_strings(input, rows)?,
        (_, Wire::Fixed(width)) => {
            let data = input.take(size(rows, *width)?)?.to_vec();
            Column::Fixed(FixedStrings { width: *width, data: data.into() })
        }
        (_, Wire::Uuid) => {
            let values = input.take(size(rows, 16)?)?.chunks(16);
            let data = values.flat_map(|value| value.iter().rev().copied()).collect();
            Column::Fixed(FixedStrings { width: 16, data })
        }
        (DataType::LowCardinality(ty), Wire::LowCardinality(inner)) => {
            read_dictionary(input, ty, inner, rows)?
        }
        (DataType::Nullable(ty), Wire::Nullable(inner)) => {
            let nulls = input.take(rows)?;
            let validity = Bitmap::from_values(&nulls[..rows], |null| null == 0);
            Column::nullable(read_column(input, ty, inner, rows)?, validity)
        }
        (DataType::Array(ty), Wire::Array(inner)) => {
            let offsets = read_offsets(input, rows)?;
            let elements = offsets[rows] as usize;
            Column::array(offsets.into(), read_column(input, ty, inner, elements)?.full())
        }
        (DataType::Tuple(tuple), Wire::Tuple(parts)) => {
            if parts.is_empty() {
                input.take(rows)?;
            }
            let pairs = tuple.types.iter().zip(parts);
            let columns: Result<_> =
                pairs.map(|(ty, part)| Ok(read_column(input, ty, part, rows)?.full())).collect();
            Column::tuple(columns?, rows)
        }
        (DataType::Variant(types), Wire::Variant(parts)) => {
            read_variant(input, types, parts, rows)?
        }
        (_, Wire::State(Some(end))) => {
            let mut states = StringsBuilder::default();
            for _ in 0..rows {
                let state = input.take_measured(|bytes| end.len(bytes))?;
                states.check_room(state.len())?;
                states.push(state);
            }
            states.finish().into()
        }
        (_, Wire::Nothing) => {
            input.take(rows)?;
            Column::Nothing(rows)
        }
        (ty, _) => return Err(Error::not_implemented(format!("Reading {ty} from Native"))),
    })
}

/// Reads discriminators, and the values of the alternatives that they name.
fn read_variant(
    input: &mut Stream<'_>,
    types: &[DataType],
    parts: &[Wire],
    rows: usize,
) -> Result<Column> {
    let discriminators = input.take(rows)?.to_vec();
    let mut counts = [0usize; 256];
    discriminators.iter().for_each(|d| counts[usize::from(*d)] += 1);
    let mut variants = Vec::with_capacity(types.len());
    for ((ty, part), &count) in types.iter().zip(parts).zip(&counts) {
        variants.push(match count {
            0 => Column::default_of(ty, 0),
            count => read_column(input, ty, part, count)?,
        });
    }
    let column = VariantColumn::from_dense(discriminators.into(), variants);
    let wrong = || Error::new(codes::INCORRECT_DATA, "A Variant has an unknown discriminator");
    Ok(Column::variant(column.ok_or_else(wrong)?))
}

/// Reads the keys and codes of a LowCardinality.
fn read_dictionary(
    input: &mut Stream<'_>,
    ty: &DataType,
    inner: &Wire,
    rows: usize,
) -> Result<Column> {
    let wrong = |what: String| Error::new(codes::INCORRECT_DATA, what);
    if rows == 0 {
        return Ok(Column::default_of(ty, 0));
    }
    let flags = word(input)?;
    let width = match flags & 0xFF {
        log @ 0..=3 => 1 << log,
        other => return Err(wrong(format!("Codes of kind {other} in a LowCardinality"))),
    };
    if flags & (1 << 8) != 0 || flags & (1 << 9) == 0 {
        return Err(wrong("A LowCardinality without keys of its own in Native".into()));
    }
    let count = word(input)?;
    if count == 0 || count > MAX_LEN {
        return Err(wrong(format!("A LowCardinality with {count} keys")));
    }
    let (ty, inner, is_nullable) = match (ty, inner) {
        (DataType::Nullable(ty), Wire::Nullable(inner)) => (ty.as_ref(), inner.as_ref(), true),
        (ty, inner) => (ty, inner, false),
    };
    let mut keys = read_column(input, ty, inner, count as usize)?;
    let coded = word(input)?;
    if coded != rows as u64 {
        return Err(wrong(format!("A LowCardinality with {coded} codes for {rows} rows")));
    }
    let code = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |all, b| all << 8 | u64::from(*b));
    let codes: Vec<u64> = input.take(size(rows, width)?)?.chunks(width).map(code).collect();
    if let Some(code) = codes.iter().find(|code| **code >= count) {
        return Err(wrong(format!("Code {code} in a LowCardinality of {count} keys")));
    }
    // A few bytes can stand for one long key many times.
    let bytes = match &keys {
        Column::String(strings) => codes.iter().map(|c| strings.get(*c as usize).len()).sum(),
        Column::Fixed(fixed) => rows.saturating_mul(fixed.width),
        _ => 0,
    };
    StringsBuilder::default().check_room(bytes)?;
    if is_nullable {
        let validity = Bitmap::from_fn(keys.len(), |i| i > 0);
        keys = Column::nullable(keys, validity);
    }
    let codes = codes.into_iter().map(|code| code as u32).collect();
    Ok(Column::dict(codes, Dictionary::new(keys)))
}

fn read_strings(input: &mut Stream<'_>, rows: usize) -> Result<Column> {
    let mut strings = StringsBuilder::default();
    for _ in 0..rows {
        let len = input.varint()?;
        if len > MAX_LEN {
            let message = format!("Too large string size: {len}. The maximum is: {MAX_LEN}");
            return Err(Error::new(codes::TOO_LARGE_STRING_SIZE, message));
        }
        strings.check_room(len as usize)?;
        strings.push(input.take(len as usize)?);
    }
    Ok(strings.finish().into())
}

fn read_offsets(input: &mut Stream<'_>, rows: usize) -> Result<Vec<u32>> {
    let ends = input.take(size(rows, 8)?)?;
    let mut offsets = vec![0u32];
    let mut last = 0;
    for end in ends.as_chunks::<8>().0 {
        let end = u64::from_le_bytes(*end);
        if end > MAX_LEN {
            let message = format!("Array sizes are too large: {end}");
            return Err(Error::new(codes::TOO_LARGE_ARRAY_SIZE, message));
        }
        if end < last {
            let message =
                format!("Arrays offsets are not monotonically increasing ({last}, {end})");
            return Err(Error::new(codes::INCORRECT_DATA, message));
        }
        offsets.push(end as u32);
        last = end;
    }
    Ok(offsets)
}

struct NativeReader {
    input: Stream<'static>,
    wanted: Header,
    options: FormatOptions,
    /// Rows before the block.
    row: usize,
    /// Read, but not yet handed out.
    rest: Pieces,
}

pub(super) fn reader(
    header: &Header,
    reader: Box<dyn Read + Send>,
    options: &FormatOptions,
) -> Result<Box<dyn InputFormat>> {
    Ok(Box::new(NativeReader {
        input: Stream::new(reader),
        wanted: header.clone(),
        options: options.clone(),
        row: 0,
        rest: Pieces::default(),
    }))
}

/// One column of a block: its field, and its values if there are rows.
fn block_column(
    input: &mut Stream<'_>,
    rows: usize,
    states: Option<&StateReader>,
) -> Result<(Field, Column)> {
    let (name, text) = (read_name(input)?, read_name(input)?);
    let located = |e: Error| {
        let place = format!("{} (column {name}, type {text}, {rows} rows)", e.message());
        Error::new(e.code(), place)
    };
    let ty = DataType::parse(&text).map_err(located)?;
    let column = match rows {
        0 => Column::default_of(&ty, 0),
        _ => {
            let wire = Wire::with_states(&ty, states);
            read_versions(input, &wire).map_err(located)?;
            read_column(input, &ty, &wire, rows).map_err(located)?
        }
    };
    Ok((Field::new(name, ty), column))
}

/// The numbers of columns and rows of the next block; `None` at the end.
fn block_size(input: &mut Stream<'_>) -> Result<Option<(usize, usize)>> {
    if input.is_at_end()? {
        return Ok(None);
    }
    let columns = count(input, MAX_COLUMNS, "columns")?;
    let rows = count(input, MAX_LEN, "rows")?;
    if columns == 0 && rows > 0 {
        return Err(Error::new(codes::INCORRECT_DATA, "Zero columns but some rows in Native"));
    }
    Ok(Some((columns, rows)))
}

impl NativeReader {
    /// The next block that has rows.
    fn block(&mut self) -> Result<Option<Pieces>> {
        loop {
            let Some((columns, rows)) = block_size(&mut self.input)? else { return Ok(None) };
            if columns == 0 {
                return Ok(None);
            }
            let mut found = Found::new(&self.wanted, &self.options);
            for i in 0..columns {
                let (field, column) =
                    block_column(&mut self.input, rows, self.options.states.as_ref())
                        .map_err(|e| Error::new(e.code(), self.place(i, rows, e.message())))?;
                self.accept(&field, column, &mut found)?;
            }
            if rows == 0 {
                continue;
            }
            let found = found.finish(rows);
            self.row += rows;
            return Ok(Some(found));
        }
    }

    #[cold]
    fn place(&self, column: usize, rows: usize, message: &str) -> String {
        let (first, last) = (self.row + 1, self.row + rows.max(1));
        format!("{message}: (in column {column} of the block of rows {first} to {last})")
    }

    fn accept(&self, field: &Field, column: Column, found: &mut Found<'_>) -> Result<()> {
        let Some(i) = self.wanted.position(&field.name) else {
            if self.options.skip_unknown_fields {
                return Ok(());
            }
            let message = format!("Unknown column with name {} found in Native", field.name);
            return Err(Error::new(codes::INCORRECT_DATA, message));
        };
        found.put(i, column, field)
    }
}

impl InputFormat for NativeReader {
    fn next(&mut self, max_rows: usize) -> Result<Option<Chunk>> {
        if self.rest.is_empty() {
            match self.block()? {
                Some(block) => self.rest = block,
                None => return Ok(None),
            }
        }
        Ok(Some(self.rest.take(max_rows)))
    }

    fn omitted(&mut self) -> Omitted {
        self.rest.omitted()
    }
}

/// Names and types of the first block.
fn schema(reader: Box<dyn Read + Send + '_>, states: Option<&StateReader>) -> Result<Header> {
    let mut input = Stream::new(reader);
    let mut fields = || -> Result<Vec<Field>> {
        let Some((columns, rows)) = block_size(&mut input)? else { return Ok(Vec::new()) };
        (0..columns).map(|_| Ok(block_column(&mut input, rows, states)?.0)).collect()
    };
    let fields = fields().map_err(|e| cannot("Native", &e.to_string()))?;
    if fields.is_empty() {
        let why = "The table structure cannot be extracted from a Native format file: the file is \
                   empty";
        return Err(cannot("Native", why));
    }
    Ok(Header::new(fields))
}

pub(super) fn infer(sample: &[u8], _complete: bool, options: &FormatOptions) -> Result<Header> {
    schema(Box::new(sample), options.states.as_ref())
}
