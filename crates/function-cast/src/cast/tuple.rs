//! From one tuple to another: elements with the same names, or else in the same places.

use std::sync::Arc;

use entasis_base::Result;
use entasis_column::Column;
use entasis_types::{DataType, TupleType};

use super::Cast;

/// The place among the elements of `from` that each element of `to` is made of; `None` for an
/// element that becomes a default. As in the reference, names decide if both tuples have them, and
/// at least one in common. `None` if there is no conversion.
pub(super) fn sources(from: &TupleType, to: &TupleType) -> Option<Vec<Option<usize>>> {
    if let (Some(from), Some(to)) = (&from.names, &to.names) {
        let by_name = |name: &Arc<str>| from.iter().position(|known| known == name);
        let sources: Vec<Option<usize>> = to.iter().map(by_name).collect();
        if sources.iter().any(Option::is_some) {
            return Some(sources);
        }
    }
    (from.types.len() == to.types.len()).then(|| (0..to.types.len()).map(Some).collect())
}

/// How an element is made.
enum Element {
    /// Of the element at a place.
    Cast(usize, Cast),
    /// As the default of a type.
    Default(DataType),
}

/// The conversion; `element` binds that of an element.
pub(super) fn bind(
    from: &TupleType,
    to: &TupleType,
    sources: &[Option<usize>],
    element: &dyn Fn(&DataType, &DataType) -> Result<Cast>,
) -> Result<Cast> {
    let bound = |(source, to): (&Option<usize>, &DataType)| match source {
        Some(place) => Ok(Element::Cast(*place, element(&from.types[*place], to)?)),
        None => Ok(Element::Default(to.clone())),
    };
    let elements: Vec<Element> = sources.iter().zip(&to.types).map(bound).collect::<Result<_>>()?;
    Ok(Arc::new(move |column| {
        let Column::Tuple(tuple) = column else { return Ok(column.clone()) };
        let columns = elements.iter().map(|element| match element {
            Element::Cast(place, cast) => cast(&tuple.columns[*place]),
            Element::Default(ty) => Ok(Column::default_of(ty, tuple.len)),
        });
        Ok(Column::tuple(columns.collect::<Result<_>>()?, tuple.len))
    }))
}
