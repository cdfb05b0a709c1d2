//! What a condition says of the values in a filter: which of them a block must hold.

use std::cmp::Ordering;

use entasis_column::{Column, ColumnBuilder};
use entasis_expr::Expr;
use entasis_function::{BoundFunction, Comparison, Operation};
use entasis_types::text_type::TextType;
use entasis_types::{DataType, TimeZone, Value};

use super::Ask;
use super::filter::Needles;

/// A text that a value contains, and whether the value begins and ends with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'a> {
    pub(super) text: &'a [u8],
    pub(super) at_start: bool,
    pub(super) at_end: bool,
}

/// What a type of filter knows of a value.
pub(super) trait Search {
    /// The hashes of which a block with this value has all; `None` if that says nothing. The column
    /// has one row, and the type of the indexed values.
    fn value(&self, value: &Column) -> Option<Vec<u64>>;

    /// The same of a text that has these pieces.
    fn pieces(&self, _pieces: &[Piece<'_>]) -> Option<Vec<u64>> {
        None
    }

    /// The same of a text that has this word.
    fn word(&self, word: &[u8]) -> Option<Vec<u64>> {
        self.pieces(&[Piece { text: word, at_start: false, at_end: false }])
    }
}

/// What a block must hold so that `expr` may be true, or false if `negated`; `None` if nothing is
/// known.
pub(super) fn leaf(
    ask: &Ask<'_>,
    search: &dyn Search,
    expr: &Expr,
    negated: bool,
) -> Option<Vec<Needles>> {
    let found = match expr {
        Expr::InSet { args, set, negated: not_in, .. } => {
            let members = (negated == *not_in).then(|| set.set.get()?.members())??;
            in_members(ask, search, args, &members, &set.types)
        }
        Expr::Call { function, args, lambda: None } => {
            of_call(ask, search, function, args, negated)
        }
        _ => None,
    };
    found.filter(|needles| !needles.is_empty())
}

fn of_call(
    ask: &Ask<'_>,
    search: &dyn Search,
    function: &BoundFunction,
    args: &[Expr],
    negated: bool,
) -> Option<Vec<Needles>> {
    match (function.operation(), args) {
        (Operation::Compare(Comparison::Equals), [a, b]) if !negated => equals(ask, search, a, b),
        (Operation::Compare(Comparison::NotEquals), [a, b]) if negated => equals(ask, search, a, b),
        (Operation::Like { negated: not_like }, [text, pattern]) if negated == not_like => {
            let pattern = constant(pattern)?;
            let pieces = like_pieces(pattern.as_bytes()?);
            one(text_place(ask, text)?, search.pieces(&borrowed(&pieces)))
        }
        _ if negated => None,
        (Operation::StartsWith, [text, prefix]) => {
            let prefix = constant(prefix)?;
            let piece = Piece { text: prefix.as_bytes()?, at_start: true, at_end: false };
            one(text_place(ask, text)?, search.pieces(&[piece]))
        }
        (_, [a, b]) => of_name(ask, search, function.name, a, b),
        _ => None,
    }
}

/// Functions of two arguments that only their names tell apart.
fn of_name(
    ask: &Ask<'_>,
    search: &dyn Search,
    name: &str,
    a: &Expr,
    b: &Expr,
) -> Option<Vec<Needles>> {
    match name {
        "endsWith" => {
            let suffix = constant(b)?;
            let piece = Piece { text: suffix.as_bytes()?, at_start: false, at_end: true };
            one(text_place(ask, a)?, search.pieces(&[piece]))
        }
        "hasToken" | "hasTokenOrNull" => {
            let word = constant(b)?;
            one(text_place(ask, a)?, search.word(word.as_bytes()?))
        }
        "multiSearchAny" => {
            let place = text_place(ask, a)?;
            let Value::Array(needles) = constant(b)? else { return None };
            let list = |needle: &Value| {
                search.pieces(&[Piece { text: needle.as_bytes()?, at_start: false, at_end: false }])
            };
            let any_of = needles.iter().map(list).collect::<Option<_>>()?;
            Some(vec![Needles { place, any_of }])
        }
        "mapContains" => {
            let place = ask.place_in_map(a, false)?;
            one(place, hashes(search, b, &element_of(ask, place)?))
        }
        "mapContainsValue" => {
            let place = ask.place_in_map(a, true)?;
            one(place, hashes(search, b, &element_of(ask, place)?))
        }
        "has" if b.constant().is_some() => {
            let place = ask.place(a)?;
            one(place, hashes(search, b, &element_of(ask, place)?))
        }
        "has" => {
            // `has([1, 2], x)` is `x IN (1, 2)`.
            let place = ask.place(b)?;
            let any_of = each_of_list(search, a, &plain(b.ty()))?;
            Some(vec![Needles { place, any_of }])
        }
        "hasAny" | "hasAll" => {
            let (list, place) = match ask.place(a) {
                Some(place) => (b, place),
                None => (a, ask.place(b)?),
            };
            if name == "hasAll" && ask.place(a).is_none() {
                return None;
            }
            let each = each_of_list(search, list, &element_of(ask, place)?)?;
            let any_of = if name == "hasAny" { each } else { vec![each.concat()] };
            Some(vec![Needles { place, any_of }])
        }
        _ => None,
    }
}

fn one(place: usize, hashes: Option<Vec<u64>>) -> Option<Vec<Needles>> {
    Some(vec![Needles { place, any_of: vec![hashes?] }])
}

/// The place of an expression of the index that is a text.
fn text_place(ask: &Ask<'_>, expr: &Expr) -> Option<usize> {
    let is_text = matches!(plain(expr.ty()), DataType::String);
    if is_text { ask.place(expr) } else { None }
}

/// The hashes of each element of a constant list; `None` if nothing is known of one of them.
fn each_of_list(search: &dyn Search, list: &Expr, ty: &DataType) -> Option<Vec<Vec<u64>>> {
    let from = list.ty().as_array()?.clone();
    let Value::Array(values) = constant(list)? else { return None };
    values.iter().map(|value| search.value(&converted(value, &plain(&from), ty)?)).collect()
}

/// The type of the elements of an array in the index, without Nullable and LowCardinality.
fn element_of(ask: &Ask<'_>, place: usize) -> Option<DataType> {
    ask.exprs[place].ty().as_array().map(plain)
}

fn hashes(search: &dyn Search, constant_: &Expr, ty: &DataType) -> Option<Vec<u64>> {
    search.value(&converted(&constant(constant_)?, &plain(constant_.ty()), ty)?)
}

fn equals(ask: &Ask<'_>, search: &dyn Search, a: &Expr, b: &Expr) -> Option<Vec<Needles>> {
    let (expr, value) = if b.constant().is_some() { (a, b) } else { (b, a) };
    let given = constant(value)?;
    if let Some(place) = ask.place(expr) {
        let ty = plain(expr.ty());
        return one(place, search.value(&converted(&given, &plain(value.ty()), &ty)?));
    }
    let column = converted(&given, &plain(value.ty()), &plain(expr.ty()))?;
    in_map(ask, search, expr, &[column])
}

/// `m['key']` is one of these values: the key is there, because a missing one would give the
/// default value, and so is one of the values.
fn in_map(
    ask: &Ask<'_>,
    search: &dyn Search,
    expr: &Expr,
    values: &[Column],
) -> Option<Vec<Needles>> {
    let Expr::Call { function, args, lambda: None } = expr else { return None };
    let ("arrayElement", [map, key]) = (function.name, &args[..]) else { return None };
    if !matches!(map.ty(), DataType::Map(_)) {
        return None;
    }
    let default = Column::default_of(&plain(expr.ty()), 1).value(0);
    if values.iter().any(|value| value.value(0) == default) {
        return None;
    }
    let mut out = Vec::new();
    if let Some(place) = ask.place_in_map(map, false) {
        out.extend(one(place, hashes(search, key, &element_of(ask, place)?)).into_iter().flatten());
    }
    if let Some(place) = ask.place_in_map(map, true) {
        let any_of: Option<_> = values.iter().map(|value| search.value(value)).collect();
        out.extend(any_of.map(|any_of| Needles { place, any_of }));
    }
    Some(out)
}

/// `args IN (members)`, with one column of members for each argument.
fn in_members(
    ask: &Ask<'_>,
    search: &dyn Search,
    args: &[Expr],
    members: &[Column],
    types: &[DataType],
) -> Option<Vec<Needles>> {
    let mut out = Vec::new();
    for ((arg, column), ty) in args.iter().zip(members).zip(types) {
        let to = plain(arg.ty());
        let value = |row| converted(&column.value(row), &plain(ty), &to);
        let values: Option<Vec<Column>> =
            (0..column.len()).filter(|row| !column.is_null(*row)).map(value).collect();
        let Some(values) = values else { continue };
        match ask.place(arg) {
            Some(place) => {
                let any_of: Option<_> = values.iter().map(|value| search.value(value)).collect();
                out.extend(any_of.map(|any_of| Needles { place, any_of }));
            }
            None => out.extend(in_map(ask, search, arg, &values).into_iter().flatten()),
        }
    }
    Some(out)
}

/// A constant that is not NULL.
fn constant(expr: &Expr) -> Option<Value> {
    expr.constant().filter(|value| !value.is_null())
}

/// A type without Nullable and LowCardinality.
fn plain(ty: &DataType) -> DataType {
    ty.without_low_cardinality().without_nullable().clone()
}

/// A constant as a column of one row with the type of the indexed values, if equality with it is
/// equality with the constant; `None` if that is not certain.
fn converted(value: &Value, from: &DataType, to: &DataType) -> Option<Column> {
    if value.is_null() {
        return None;
    }
    let column = || Column::from_value(to, value, 1).full();
    if from == to {
        return Some(column());
    }
    let are_numbers = from.is_any_number() && to.is_any_number();
    if are_numbers {
        let column = column();
        let is_exact = column.value(0).compare_numbers(value) == Some(Ordering::Equal);
        return is_exact.then_some(column);
    }
    if *from != DataType::String {
        return None;
    }
    let text = value.as_bytes()?;
    match to {
        // Filters ignore zero bytes at the end.
        DataType::FixedString(_) => Some(Column::from_value(&DataType::String, value, 1).full()),
        DataType::Date if text.len() == 10 => {
            let days = TextType::Date32.parse(text).ok()?;
            let days = u16::try_from(days).ok()?;
            Some(Column::from(vec![days]))
        }
        DataType::Uuid | DataType::Ipv4 | DataType::Ipv6 | DataType::Enum(_) => {
            let bits = TextType::of(to, TimeZone::utc())?.parse(text).ok()?;
            let mut builder = ColumnBuilder::new(to, 1);
            builder.push_bits(bits).ok()?;
            Some(builder.finish())
        }
        _ => None,
    }
}

/// A piece of a pattern that owns its text.
type OwnPiece = (Vec<u8>, bool, bool);

fn borrowed(pieces: &[OwnPiece]) -> Vec<Piece<'_>> {
    let all = pieces.iter();
    all.map(|(text, start, end)| Piece { text, at_start: *start, at_end: *end }).collect()
}

/// The texts between the wildcards of a LIKE pattern.
fn like_pieces(pattern: &[u8]) -> Vec<OwnPiece> {
    let mut out: Vec<OwnPiece> = Vec::new();
    let mut current: OwnPiece = (Vec::new(), true, false);
    let mut rest = pattern.iter().copied();
    while let Some(byte) = rest.next() {
        let literal = match byte {
            b'%' | b'_' => None,
            b'\\' => match rest.next() {
                Some(escaped @ (b'%' | b'_' | b'\\')) => Some(escaped),
                // What else stands behind a backslash is left to LIKE itself.
                _ => None,
            },
            byte => Some(byte),
        };
        match literal {
            Some(byte) => current.0.push(byte),
            None => out.push(std::mem::take(&mut current)),
        }
    }
    current.2 = true;
    out.push(current);
    out.retain(|(text, ..)| !text.is_empty());
    out
}
