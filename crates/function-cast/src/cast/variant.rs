//! Conversion to a Variant, from one, and between two.
//!
//! A value becomes a Variant only as the alternative of its own type. Text is read as the first
//! alternative that accepts it, in the order of [`entasis_types::variant::reading_order`]. A
//! Variant is converted to another type by the conversions of its alternatives. NULL stays NULL, or
//! becomes the default of a type without NULL.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::variant::NULL;
use entasis_column::{Bitmap, Column, Strings, VariantColumn};
use entasis_types::variant::{discriminator_of, reading_order};
use entasis_types::{DataType, Value};

use super::{Cast, Mode, Session, bind_full, nested};

/// To a Variant with these alternatives.
///
/// Fails with CANNOT_CONVERT_TYPE for a type that is none of them.
pub(super) fn to_variant(
    from: &DataType,
    to: &DataType,
    types: &Arc<[DataType]>,
    session: Session,
) -> Result<Cast> {
    let (all, types) = (to.clone(), Arc::clone(types));
    if from.is_null_literal() || *from == DataType::Nothing {
        return Ok(Arc::new(move |column| Ok(Column::default_of(&all, column.len()))));
    }
    if let DataType::Variant(own) = from {
        return between(from, own, to, types);
    }
    let plain = from.without_nullable();
    if plain.is_string() && session.infers_variants {
        return from_text(types, session);
    }
    let same = |t: &DataType| t.without_low_cardinality() == *plain;
    let found =
        discriminator_of(&types, plain).or_else(|| types.iter().position(same).map(|at| at as u8));
    let Some(d) = found else {
        let message = format!(
            "Cannot convert type {from} to {to}. Conversion to Variant allowed only for types from \
             this Variant: convert the value to one of them first"
        );
        return Err(Error::new(codes::CANNOT_CONVERT_TYPE, message));
    };
    Ok(Arc::new(move |column| {
        let (validity, values) = column.split_nullable();
        Ok(Column::variant(VariantColumn::of_one(&types, d, values, validity)))
    }))
}

fn between(
    from: &DataType,
    own: &[DataType],
    to: &DataType,
    types: Arc<[DataType]>,
) -> Result<Cast> {
    let numbers: Option<Vec<u8>> = own.iter().map(|t| discriminator_of(&types, t)).collect();
    let Some(numbers) = numbers else {
        let message = format!(
            "Cannot convert type {from} to {to}. Conversion between Variant types is allowed only \
             when new Variant type is an extension of an initial one"
        );
        return Err(Error::new(codes::CANNOT_CONVERT_TYPE, message));
    };
    Ok(Arc::new(move |column| Ok(Column::variant(of(column)?.widen(&types, &numbers)))))
}

fn of(column: &Column) -> Result<Arc<VariantColumn>> {
    match column.full() {
        Column::Variant(variant) => Ok(variant),
        other => Err(Error::logical(format!("no Variant: {:?}", other.physical()))),
    }
}

/// Every text as the first alternative that it spells.
fn from_text(types: Arc<[DataType]>, session: Session) -> Result<Cast> {
    let order = reading_order(&types);
    let mut readers: Vec<(u8, Reader)> = Vec::with_capacity(order.len());
    for d in order {
        let ty = &types[usize::from(d)];
        readers.push((d, reader(ty, session)?));
    }
    Ok(Arc::new(move |column| {
        let (validity, plain) = column.split_nullable();
        let as_text = super::bind(&plain_type(plain), &DataType::String, session)?(plain)?.full();
        let Column::String(texts) = &as_text else {
            return Err(Error::logical("text is no strings"));
        };
        let is_null = |i: usize| validity.is_some_and(|v| !v.get(i)) || is_null_text(texts.get(i));
        let mut left: Vec<u32> =
            (0..texts.len() as u32).filter(|i| !is_null(*i as usize)).collect();
        let mut discriminators = vec![NULL; texts.len()];
        let mut found = Vec::with_capacity(readers.len());
        for (d, reader) in &readers {
            if left.is_empty() {
                break;
            }
            let (values, read) = reader(&as_text.take(&left))?;
            let rows = read.indices();
            for &at in &rows {
                discriminators[left[at as usize] as usize] = *d;
            }
            found.push((*d, values.take(&rows)));
            let mut next = 0;
            left.retain(|_| {
                next += 1;
                !read.get(next - 1)
            });
        }
        if let Some(&row) = left.first() {
            return Err(unread(&types, texts.get(row as usize)));
        }
        let mut variants: Vec<Column> = types.iter().map(|t| Column::default_of(t, 0)).collect();
        found.into_iter().for_each(|(d, values)| variants[usize::from(d)] = values);
        let column = VariantColumn::from_dense(discriminators.into(), variants);
        Ok(Column::variant(column.ok_or_else(|| Error::logical("texts were read twice"))?))
    }))
}

fn plain_type(column: &Column) -> DataType {
    match column {
        Column::Fixed(fixed) => DataType::FixedString(fixed.width as u32),
        _ => DataType::String,
    }
}

fn is_null_text(text: &[u8]) -> bool {
    text == b"NULL" || text == b"null"
}

/// The value of the first alternative among those that `may` be one that a text spells.
pub(super) fn read_one(
    types: &[DataType],
    text: &[u8],
    session: Session,
    may: impl Fn(&DataType) -> bool,
) -> Result<Option<Value>> {
    let texts: Column = Strings::from_iter([text]).into();
    for d in reading_order(types) {
        let ty = &types[usize::from(d)];
        if !may(ty) {
            continue;
        }
        let (values, fits) = reader(ty, session)?(&texts)?;
        if fits.get(0) {
            return Ok(Some(Value::Variant(d, Arc::new(values.value(0)))));
        }
    }
    Ok(None)
}

#[cold]
pub(super) fn unread(types: &[DataType], text: &[u8]) -> Error {
    let message = format!(
        "Cannot parse text value of type {} here: {}",
        DataType::Variant(Arc::from(types)),
        String::from_utf8_lossy(text)
    );
    Error::new(codes::INCORRECT_DATA, message)
}

/// Reads all texts of a column: values, and which of them could be read.
type Reader = Box<dyn Fn(&Column) -> Result<(Column, Bitmap)> + Send + Sync>;

fn reader(ty: &DataType, session: Session) -> Result<Reader> {
    let (ty, low) = (ty.clone(), ty.without_low_cardinality());
    if let DataType::Array(_) | DataType::Tuple(_) | DataType::Map(_) = ty {
        return Ok(Box::new(move |texts| {
            let Column::String(strings) = texts else {
                return Err(Error::logical("text is no strings"));
            };
            let read = |i: usize| {
                let one = Strings::from_iter([strings.get(i)]);
                nested::parse(&one, &ty, session).ok()
            };
            let values: Vec<Option<Column>> = (0..strings.len()).map(read).collect();
            let fits = Bitmap::from_fn(values.len(), |i| values[i].is_some());
            let default = Column::default_of(&ty, 1);
            let all: Vec<&Column> = values.iter().map(|v| v.as_ref().unwrap_or(&default)).collect();
            let all =
                if all.is_empty() { Column::default_of(&ty, 0) } else { Column::concat(&all) };
            Ok((all, fits))
        }));
    }
    if ty == DataType::Bool {
        return Ok(Box::new(|texts| {
            let text = |i: usize| super::text_at(texts, i);
            let fits = Bitmap::from_fn(texts.len(), |i| matches!(text(i), b"true" | b"false"));
            let values = Bitmap::from_fn(texts.len(), |i| text(i) == b"true");
            Ok((Column::from_mask(&values), fits))
        }));
    }
    if low == DataType::String {
        return Ok(Box::new(|texts| Ok((texts.clone(), Bitmap::constant(true, texts.len())))));
    }
    let cast = bind_full(&DataType::String, &low, session, Mode::OrNull)?;
    Ok(Box::new(move |texts| {
        let column = cast(texts)?;
        let (validity, values) = column.split_nullable();
        let all = || Bitmap::constant(true, values.len());
        Ok((values.clone(), validity.cloned().unwrap_or_else(all)))
    }))
}

/// From a Variant with these alternatives to what is none.
pub(super) fn from_variant(
    types: &[DataType],
    to: &DataType,
    session: Session,
    mode: Mode,
) -> Result<Cast> {
    let result = match mode {
        Mode::OrNull if to.can_be_nullable() => DataType::nullable(to.clone()),
        _ => to.clone(),
    };
    let casts = types
        .iter()
        .map(|from| match (bind_full(&from.without_low_cardinality(), to, session, mode), mode) {
            (Err(_), Mode::OrNull) => Ok(None),
            (cast, _) => cast.map(Some),
        })
        .collect::<Result<Vec<Option<Cast>>>>()?;
    Ok(Arc::new(move |column| {
        let variant = of(column)?;
        let part = |(d, cast): (usize, &Option<Cast>)| -> Result<Option<Column>> {
            let Some(cast) = cast else { return Ok(None) };
            let values = variant.values_of(d as u8);
            if values.is_empty() { Ok(None) } else { cast(&values).map(|c| Some(c.full())) }
        };
        let parts = casts.iter().enumerate().map(part).collect::<Result<Vec<_>>>()?;
        Ok(variant.assemble(&Column::default_of(&result, 1), &parts))
    }))
}
