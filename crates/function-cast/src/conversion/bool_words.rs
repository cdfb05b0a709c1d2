//! Bools as text in CAST and toString, with words that settings may choose.

use std::sync::Arc;

use entasis_base::Result;
use entasis_column::{Column, StringsBuilder};
use entasis_function::FunctionContext;
use entasis_types::{DataType, Value};

use crate::cast::{self, Cast, Mode, Session};

/// The words for true and false; `None` where they are the usual ones.
fn words(context: &dyn FunctionContext) -> Option<[Vec<u8>; 2]> {
    let word = |setting: &str| match context.setting(setting) {
        Some(Value::String(text)) => Some(text.to_vec()),
        _ => None,
    };
    let words = [word("bool_true_representation")?, word("bool_false_representation")?];
    (words != USUAL.map(<[u8]>::to_vec)).then_some(words)
}

const USUAL: [&[u8]; 2] = [b"true", b"false"];

/// [`cast::bind_mode`] with the words for true and false that settings choose.
pub(super) fn bind(
    from: &DataType,
    to: &DataType,
    session: Session,
    mode: Mode,
    context: &dyn FunctionContext,
) -> Result<Cast> {
    let cast = cast::bind_mode(from, to, session, mode)?;
    let plain = |ty: &DataType| ty.without_low_cardinality().without_nullable().clone();
    let (prints, parses) = match (plain(from), plain(to)) {
        (DataType::Bool, DataType::String) => (true, false),
        (DataType::String, DataType::Bool) => (false, true),
        _ => return Ok(cast),
    };
    let Some(words) = words(context) else { return Ok(cast) };
    Ok(Arc::new(move |column| match (prints, parses) {
        (true, _) => Ok(replaced(&cast(column)?, &USUAL, &words)),
        _ => cast(&replaced(column, &words, &USUAL)),
    }))
}

/// A column of strings with some of them, and NULL, as they are, and others exchanged.
fn replaced<A: AsRef<[u8]>, B: AsRef<[u8]>>(column: &Column, old: &[A; 2], new: &[B; 2]) -> Column {
    match column {
        Column::Const(c) => Column::constant(replaced(&c.value, old, new), c.len),
        Column::Dict(_) => replaced(&column.full(), old, new),
        Column::Nullable(n) => Column::nullable(replaced(&n.values, old, new), n.validity.clone()),
        Column::String(strings) => {
            let mut out = StringsBuilder::with_capacity(column.len(), strings.data().len());
            for i in 0..column.len() {
                let text = strings.get(i);
                let found = old.iter().position(|word| word.as_ref() == text);
                out.push(found.map_or(text, |k| new[k].as_ref()));
            }
            out.finish().into()
        }
        other => other.clone(),
    }
}
