//! MODIFY COLUMN ... ADD ENUM VALUES: an Enum gets more elements, and keeps those that it has.

use entasis_base::{Error, Result, codes};
use entasis_sql::ast::{AssignName, Literal, TypeArg, TypeName};
use entasis_sql::{format_type, parse_type};
use entasis_types::DataType;

use super::draft::Draft;

impl Draft<'_> {
    /// ADD ENUM VALUES. An element without a number gets the one after its predecessor's.
    pub(super) fn add_enum_values(
        &mut self,
        name: &str,
        values: &[TypeArg],
        if_exists: bool,
    ) -> Result<()> {
        let what = ("Wrong column", "modify");
        let Some(column) = self.change_column(name, if_exists, what)? else { return Ok(()) };
        let written = column.data_type.take().unwrap_or_default();
        // All elements then have numbers, in ascending order.
        let mut ty = parse_type(&DataType::parse(&format_type(&written))?.to_string())?;
        column.data_type = Some(written);
        let of_enum = enum_in(&mut ty).ok_or_else(|| {
            let message = format!("Cannot ADD ENUM VALUES to column {name}");
            Error::new(codes::ILLEGAL_COLUMN, message)
        })?;
        extend(of_enum, values)?;
        column.data_type = Some(parse_type(&DataType::parse(&format_type(&ty))?.to_string())?);
        self.modified.insert(name.to_owned());
        Ok(())
    }
}

/// The Enum that a type is, or that it holds as a Nullable.
fn enum_in(ty: &mut TypeName) -> Option<&mut TypeName> {
    if ty.name.starts_with("Enum") {
        return Some(ty);
    }
    match ty.args.as_mut()?.as_mut_slice() {
        [TypeArg::Type(inner)] if ty.name == "Nullable" => enum_in(inner),
        _ => None,
    }
}

/// An element of an Enum: its name and its number.
fn element(arg: &TypeArg) -> Option<(Vec<u8>, i64)> {
    let TypeArg::Assign(AssignName::String(name), number) = arg else { return None };
    let number = match number {
        Literal::UInt(number) => i64::try_from(*number).ok()?,
        Literal::Int(number) => *number,
        _ => return None,
    };
    Some((name.clone(), number))
}

fn extend(of_enum: &mut TypeName, values: &[TypeArg]) -> Result<()> {
    let args = of_enum.args.get_or_insert_default();
    let mut known: Vec<(Vec<u8>, i64)> = args.iter().filter_map(element).collect();
    if values.is_empty() {
        let message = "Enum data type cannot be empty: name the elements to add";
        return Err(Error::new(codes::EMPTY_DATA_PASSED, message));
    }
    let range = if of_enum.name == "Enum8" { -128..=127 } else { -32768..=32767 };
    let mut last = known.iter().map(|(_, number)| *number).max().unwrap_or(0);
    for value in values {
        let (name, number) = match value {
            TypeArg::Literal(Literal::String(name)) => (name.clone(), last + 1),
            other => element(other).ok_or_else(|| {
                let message = "Elements of Enum data type must be of form: 'name' = number or \
                               'name', where name is string literal and number is an integer";
                Error::new(codes::BAD_ARGUMENTS, message)
            })?,
        };
        last = number;
        let shown = String::from_utf8_lossy(&name).into_owned();
        if let Some((_, old)) = known.iter().find(|(other, _)| *other == name) {
            if *old == number {
                continue;
            }
            let message =
                format!("Enum element '{shown}' has old value {old}, but new value is {number}");
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        if let Some((other, _)) = known.iter().find(|(_, other)| *other == number) {
            let other = String::from_utf8_lossy(other);
            let message = format!(
                "Enum value {number} already used by '{other}', cannot use it for '{shown}'"
            );
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        if !range.contains(&number) {
            let ty = &of_enum.name;
            let message = format!("Value {number} for element '{shown}' exceeds range of {ty}");
            return Err(Error::new(codes::ARGUMENT_OUT_OF_BOUND, message));
        }
        known.push((name, number));
    }
    *args = known
        .into_iter()
        .map(|(name, number)| {
            let number = u64::try_from(number).map_or(Literal::Int(number), Literal::UInt);
            TypeArg::Assign(AssignName::String(name), number)
        })
        .collect();
    Ok(())
}
