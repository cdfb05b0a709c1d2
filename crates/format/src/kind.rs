//! How values of a type are read from text.

use std::sync::Arc;

use entasis_types::{DataType, EnumType, TextType, TimeZone};

use crate::options::BoolWords;
use crate::variant::Alternatives;
use crate::{BestEffort, FormatOptions};

/// How values of a type are read; joined with a builder of the same layout.
#[derive(Clone, Debug)]
pub(crate) enum FieldKind {
    Number,
    /// With the words that settings choose, if they do.
    Bool(Option<Arc<BoolWords>>),
    Date,
    DateTime(Times),
    String,
    Fixed,
    Nullable(Box<Self>),
    Array(Box<Self>),
    Tuple(Vec<Self>, Vec<String>),
    /// Types whose text is not their layout's.
    TextType(TextType, Option<BestEffort>),
    /// Keys and values.
    Map(Box<Self>, Box<Self>),
    Variant(Arc<Alternatives>),
    /// An enum of which only the number is read.
    EnumNumber(Arc<EnumType>),
    Nothing,
}

/// How times are read: the zone of those without an offset, and the reader of other forms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) zone: TimeZone,
    pub(crate) effort: Option<BestEffort>,
}

impl FieldKind {
    pub(crate) fn new(ty: &DataType, options: &FormatOptions) -> Self {
        let (zone, effort) = (options.time_zone, options.best_effort);
        if let Some((key, value)) = ty.as_map() {
            let boxed = |ty| Box::new(Self::new(ty, options));
            return Self::Map(boxed(key), boxed(value));
        }
        let ty = ty.storage();
        if let Some(spelled) = TextType::of(ty, zone) {
            return Self::TextType(spelled, effort);
        }
        match ty {
            DataType::Nullable(inner) => Self::Nullable(Box::new(Self::new(inner, options))),
            DataType::Array(inner) => Self::Array(Box::new(Self::new(inner, options))),
            DataType::Tuple(tuple) => {
                let names = tuple.names.iter().flatten().map(ToString::to_string).collect();
                Self::Tuple(tuple.types.iter().map(|t| Self::new(t, options)).collect(), names)
            }
            DataType::Variant(types) => Self::Variant(Alternatives::new(ty, types, options)),
            DataType::Bool => {
                let words = &options.text.bool_words;
                Self::Bool((**words != BoolWords::default()).then(|| Arc::clone(words)))
            }
            DataType::Date => Self::Date,
            DataType::DateTime(own) => Self::DateTime(Times { zone: own.unwrap_or(zone), effort }),
            DataType::String | DataType::AggregateFunction(_) => Self::String,
            DataType::FixedString(_) => Self::Fixed,
            DataType::Nothing => Self::Nothing,
            _ => Self::Number,
        }
    }

    /// Whether NULL is a value.
    pub(crate) fn has_null(&self) -> bool {
        matches!(self, Self::Nullable(_) | Self::Variant(_))
    }

    /// Of a field of TSV or CSV, where enums may be numbers only; they are not in arrays.
    pub(crate) fn of_field(ty: &DataType, options: &FormatOptions, enum_as_number: bool) -> Self {
        match Self::new(ty, options) {
            Self::TextType(TextType::Enum(names), _) if enum_as_number => Self::EnumNumber(names),
            Self::Nullable(inner) => match *inner {
                Self::TextType(TextType::Enum(names), _) if enum_as_number => {
                    Self::Nullable(Box::new(Self::EnumNumber(names)))
                }
                inner => Self::Nullable(Box::new(inner)),
            },
            kind => kind,
        }
    }

    /// Whether values are any bytes.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self, Self::String | Self::Fixed)
    }
}
