//! Values of a Variant in text. The alternative of a field is found by trying one after the other,
//! in the order of [`entasis_types::variant::reading_order`]. The first that accepts the whole
//! field is its type.

use std::sync::Arc;

use entasis_base::codes;
use entasis_column::{ColumnBuilder, VariantBuilder};
use entasis_types::text::{read_date, read_f64};
use entasis_types::variant::reading_order;
use entasis_types::{DataType, TextType};

use crate::FormatOptions;
use crate::fault::{Parse, fault};
use crate::field::{
    FieldKind, boolean_or, date, datetime, mismatch, push_text, push_text_of, rollback,
};
use crate::quoted::{quoted_text, read_quoted, take_plain, take_word};

/// The alternatives of a Variant, in the order in which they are tried.
#[derive(Debug)]
pub(crate) struct Alternatives {
    /// The type's name, for errors.
    name: String,
    /// Discriminators and how their values are read.
    pub(crate) kinds: Vec<(u8, FieldKind)>,
}

impl Alternatives {
    pub(crate) fn new(ty: &DataType, types: &[DataType], options: &FormatOptions) -> Arc<Self> {
        let kind = |d: u8| (d, FieldKind::new(&types[usize::from(d)], options));
        let kinds = reading_order(types).into_iter().map(kind).collect();
        Arc::new(Self { name: ty.to_string(), kinds })
    }

    #[cold]
    fn unread<T>(&self, text: &[u8]) -> Parse<T> {
        let shown = String::from_utf8_lossy(&text[..text.len().min(100)]);
        let message = format!("Cannot parse value of type {} here: {shown}", self.name);
        fault(codes::INCORRECT_DATA, message)
    }

    /// Appends the value that `read` makes of the first alternative that it does not refuse;
    /// whether there was one.
    pub(crate) fn first(
        &self,
        out: &mut VariantBuilder,
        mut read: impl FnMut(&FieldKind, &mut ColumnBuilder) -> bool,
    ) -> bool {
        self.kinds.iter().any(|(d, kind)| {
            let builder = &mut out.variants[usize::from(*d)];
            let before = builder.len();
            let found = read(kind, builder);
            match found {
                true => out.close(*d),
                false => rollback(builder, before),
            }
            found
        })
    }

    /// Appends the value that a whole field spells.
    pub(crate) fn push_text(&self, builder: &mut ColumnBuilder, text: &[u8]) -> Parse {
        let ColumnBuilder::Variant(out) = builder else { return mismatch() };
        match self.first(out, |kind, builder| spells(kind, builder, text)) {
            true => Ok(()),
            false => self.unread(text),
        }
    }

    /// Reads a value as it stands inside arrays and tuples, and in Values.
    pub(crate) fn read_quoted(
        &self,
        builder: &mut ColumnBuilder,
        input: &mut &[u8],
        depth: usize,
    ) -> Parse {
        if take_word(input, b"NULL") {
            builder.push_default();
            return Ok(());
        }
        let ColumnBuilder::Variant(out) = builder else { return mismatch() };
        let start = *input;
        let found = match start.first() {
            Some(b'[' | b'(' | b'{') => self.first(out, |kind, builder| {
                *input = start;
                is_nested(kind) && read_quoted(kind, builder, input, depth + 1).is_ok()
            }),
            Some(b'\'') => {
                let mut text = Vec::new();
                quoted_text(&mut text, input, b'\'')?;
                self.first(out, |kind, builder| is_quoted(kind) && spells(kind, builder, &text))
            }
            _ => {
                let word = take_plain(input);
                self.first(out, |kind, builder| !is_quoted(kind) && spells(kind, builder, word))
            }
        };
        if found { Ok(()) } else { self.unread(start) }
    }
}

/// Whether values stand in brackets.
pub(crate) fn is_nested(kind: &FieldKind) -> bool {
    matches!(kind, FieldKind::Array(_) | FieldKind::Tuple(..) | FieldKind::Map(..))
}

/// Whether values stand in quotes where they are elements.
fn is_quoted(kind: &FieldKind) -> bool {
    match kind {
        FieldKind::String | FieldKind::Fixed | FieldKind::Date | FieldKind::DateTime(_) => true,
        FieldKind::TextType(spelled, _) => {
            spelled.is_quoted() || matches!(spelled, TextType::Enum(_))
        }
        _ => false,
    }
}

/// Appends the value of the kind if the text is one from its first byte to its last.
pub(crate) fn spells(kind: &FieldKind, builder: &mut ColumnBuilder, text: &[u8]) -> bool {
    let mut rest = text;
    match kind {
        FieldKind::String | FieldKind::Fixed => push_text(builder, text).is_ok(),
        FieldKind::Number => number(builder, text),
        FieldKind::Bool(words) => {
            let is_usual = matches!(text, b"true" | b"false");
            let is_chosen = words.as_ref().is_some_and(|words| {
                let mut rest = text;
                words.take(&mut rest).is_some() && rest.is_empty()
            });
            (is_usual || is_chosen)
                && boolean_or(words.as_deref(), builder, &mut rest).is_ok()
                && rest.is_empty()
        }
        FieldKind::Date => {
            read_date(&mut rest).is_some()
                && rest.is_empty()
                && date(builder, &mut { text }).is_ok()
        }
        FieldKind::DateTime(times) => {
            datetime(builder, *times, &mut rest).is_ok() && rest.is_empty()
        }
        FieldKind::TextType(..) => !text.is_empty() && push_text_of(kind, builder, text).is_ok(),
        FieldKind::Array(_) | FieldKind::Tuple(..) | FieldKind::Map(..) => {
            read_quoted(kind, builder, &mut rest, 0).is_ok() && rest.is_empty()
        }
        FieldKind::Nullable(_)
        | FieldKind::Variant(_)
        | FieldKind::EnumNumber(_)
        | FieldKind::Nothing => false,
    }
}

/// Appends a number if the text is one that the builder's type holds.
fn number(builder: &mut ColumnBuilder, text: &[u8]) -> bool {
    fn push<T: std::str::FromStr>(values: &mut Vec<T>, text: &str) -> bool {
        text.parse().map(|value| values.push(value)).is_ok()
    }
    let Ok(word) = std::str::from_utf8(text) else { return false };
    let float = || {
        let mut rest = text;
        read_f64(&mut rest).filter(|_| rest.is_empty())
    };
    match builder {
        ColumnBuilder::UInt8(values) => push(values, word),
        ColumnBuilder::UInt16(values) => push(values, word),
        ColumnBuilder::UInt32(values) => push(values, word),
        ColumnBuilder::UInt64(values) => push(values, word),
        ColumnBuilder::Int8(values) => push(values, word),
        ColumnBuilder::Int16(values) => push(values, word),
        ColumnBuilder::Int32(values) => push(values, word),
        ColumnBuilder::Int64(values) => push(values, word),
        ColumnBuilder::Int128(values) => push(values, word),
        ColumnBuilder::UInt128(values) => push(values, word),
        ColumnBuilder::Int256(values) => push(values, word),
        ColumnBuilder::UInt256(values) => push(values, word),
        ColumnBuilder::Float32(values) => float().map(|v| values.push(v as f32)).is_some(),
        ColumnBuilder::Float64(values) => float().map(|v| values.push(v)).is_some(),
        _ => false,
    }
}
