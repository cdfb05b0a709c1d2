//! Values of a Variant in JSON.

use entasis_column::ColumnBuilder;

use super::value::{Nest, plain_value, skip_value, string};
use crate::fault::Parse;
use crate::field::{FieldKind, mismatch};
use crate::variant::{Alternatives, is_nested, spells};

/// A value of a Variant: what its text spells, or the first kind of list or object that it is. Text
/// holds any value as it stands, if nothing else does.
pub(super) fn read_variant(
    alternatives: &Alternatives,
    builder: &mut ColumnBuilder,
    input: &mut &[u8],
    nest: Nest,
) -> Parse {
    let ColumnBuilder::Variant(out) = builder else { return mismatch() };
    let start = *input;
    if matches!(start.first(), Some(b'[' | b'{')) {
        let nested = |kind: &FieldKind, builder: &mut ColumnBuilder| {
            *input = start;
            is_nested(kind) && plain_value(kind, builder, input, nest.deeper()).is_ok()
        };
        if alternatives.first(out, nested) {
            return Ok(());
        }
        *input = start;
    }
    let mut text = Vec::new();
    if start.first() == Some(&b'"') {
        string(&mut text, input)?;
    } else {
        skip_value(input, nest.depth)?;
        text.extend_from_slice(&start[..start.len() - input.len()]);
    }
    let number: &[u8] = match &text[..] {
        b"true" => b"1",
        b"false" => b"0",
        text => text,
    };
    let found = alternatives.first(out, |kind, builder| match kind {
        FieldKind::Number => spells(kind, builder, number),
        kind => !is_nested(kind) && spells(kind, builder, &text),
    });
    if found { Ok(()) } else { alternatives.push_text(builder, &text) }
}
