//! What the functions share: the dictionary, names of attributes, and keys from arguments.

use std::sync::{Arc, OnceLock};

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_function::cast::{self, Cast, Mode, Session};
use entasis_function::dictionary::{Contents, Dictionary, Found, KeyKind};
use entasis_function::{Arg, FunctionContext};
use entasis_types::{DataType, TupleType, Value};

/// A call's dictionary, with the contents that its statement sees.
pub(crate) struct Target {
    pub dictionary: Arc<dyn Dictionary>,
    contents: OnceLock<Arc<dyn Contents>>,
}

impl Target {
    /// The dictionary that the first argument names.
    pub(crate) fn bind(function: &str, arg: &Arg, context: &dyn FunctionContext) -> Result<Self> {
        let name = arg.constant.as_ref().and_then(text).ok_or_else(|| {
            let message = format!(
                "Illegal type {} of first argument of function {function}, expected a const string",
                arg.ty
            );
            Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message)
        })?;
        let dictionary = context.dictionary(&name)?;
        Ok(Self { dictionary, contents: OnceLock::new() })
    }

    /// The contents; the same for every chunk.
    pub(crate) fn contents(&self) -> Result<&Arc<dyn Contents>> {
        if let Some(contents) = self.contents.get() {
            return Ok(contents);
        }
        let contents = self.dictionary.contents()?;
        Ok(self.contents.get_or_init(|| contents))
    }
}

/// The text of a constant string.
pub(crate) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    }
}

/// The attributes that the second argument names.
pub(crate) struct Wanted {
    pub positions: Vec<usize>,
    /// The type of one attribute, or a tuple of the types of several.
    pub ty: DataType,
}

impl Wanted {
    pub(crate) fn bind(function: &str, arg: &Arg, dictionary: &dyn Dictionary) -> Result<Self> {
        let illegal = |message: String| Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message);
        let names: Vec<String> = match &arg.constant {
            Some(Value::String(bytes)) => vec![String::from_utf8_lossy(bytes).into_owned()],
            Some(Value::Tuple(values)) => {
                let names: Option<Vec<String>> = values.iter().map(text).collect();
                names.filter(|names| !names.is_empty()).ok_or_else(|| {
                    illegal(format!(
                        "Tuple second argument of function {function} must contain multiple \
                         constant string columns"
                    ))
                })?
            }
            _ => {
                return Err(illegal(format!(
                    "Illegal type {} of second argument of function {function}, expected a const \
                     string or const tuple of const strings",
                    arg.ty
                )));
            }
        };
        let structure = dictionary.structure();
        let positions = names.iter().map(|n| structure.attribute(n)).collect::<Result<Vec<_>>>()?;
        let types: Vec<DataType> =
            positions.iter().map(|&at| structure.attributes[at].ty.clone()).collect();
        if let [one] = &types[..] {
            return Ok(Self { positions, ty: one.clone() });
        }
        for (i, name) in names.iter().enumerate() {
            if names[..i].contains(name) {
                let message =
                    format!("Names of tuple elements must be unique. Duplicate name: {name}");
                return Err(Error::new(codes::DUPLICATE_COLUMN, message));
            }
        }
        Ok(Self { positions, ty: named_tuple(&names, types) })
    }

    /// Whether the result is a tuple.
    pub(crate) fn is_tuple(&self) -> bool {
        self.positions.len() > 1
    }

    /// The same attributes with NULL for keys that are not there.
    pub(crate) fn nullable(&self) -> DataType {
        let nullable = |ty: &DataType| match ty.can_be_nullable() {
            true => DataType::nullable(ty.clone()),
            false => ty.clone(),
        };
        match &self.ty {
            DataType::Tuple(tuple) if self.is_tuple() => DataType::Tuple(Arc::new(TupleType {
                types: tuple.types.iter().map(nullable).collect(),
                names: tuple.names.clone(),
            })),
            one => nullable(one),
        }
    }

    /// The values of the rows that were found, one column for each attribute.
    pub(crate) fn gather(&self, found: &Found) -> Vec<Column> {
        self.positions.iter().map(|&at| found.attributes[at].take(&found.rows)).collect()
    }

    /// One column, or a tuple of several.
    pub(crate) fn joined(&self, mut columns: Vec<Column>, rows: usize) -> Column {
        if self.is_tuple() {
            return Column::tuple(columns, rows);
        }
        columns.pop().unwrap_or(Column::Nothing(rows))
    }
}

fn named_tuple(names: &[String], types: Vec<DataType>) -> DataType {
    let names = names.iter().map(|name| Arc::from(name.as_str())).collect();
    DataType::Tuple(Arc::new(TupleType { types, names: Some(names) }))
}

/// How a part of an argument becomes a column of the key.
enum Convert {
    /// It is one.
    Nothing,
    /// A smaller number becomes UInt64.
    Widen,
    /// A conversion that may fail.
    Cast(Cast),
}

impl Convert {
    fn bind(from: &DataType, to: &DataType, session: Session) -> Result<Self> {
        let widens = matches!(from, DataType::UInt8 | DataType::UInt16 | DataType::UInt32);
        Ok(match to {
            to if from == to => Self::Nothing,
            DataType::UInt64 if widens => Self::Widen,
            to => Self::Cast(cast::bind_mode(from, to, session, Mode::Accurate)?),
        })
    }

    fn apply(&self, column: &Column) -> Result<Column> {
        let column = column.full();
        Ok(match (self, &column) {
            (Self::Cast(cast), _) => cast(&column)?.full(),
            (Self::Widen, Column::UInt8(values)) => widened(values),
            (Self::Widen, Column::UInt16(values)) => widened(values),
            (Self::Widen, Column::UInt32(values)) => widened(values),
            _ => column,
        })
    }
}

fn widened<T: Copy + Into<u64>>(values: &[T]) -> Column {
    values.iter().map(|&value| value.into()).collect::<Vec<u64>>().into()
}

/// Makes columns of a key from an argument.
pub(crate) struct KeyArgument {
    casts: Vec<Convert>,
    is_tuple: bool,
}

impl KeyArgument {
    pub(crate) fn bind(
        function: &str,
        arg: &Arg,
        dictionary: &dyn Dictionary,
        context: &dyn FunctionContext,
    ) -> Result<Self> {
        let structure = dictionary.structure();
        let parts = match &arg.ty {
            DataType::Tuple(tuple) => Some(&tuple.types),
            _ => None,
        };
        let mut types = structure.key_types();
        match structure.key_kind {
            KeyKind::Simple if parts.is_some() => {
                let message = format!("Illegal type {} of argument of function toUInt64", arg.ty);
                return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
            }
            KeyKind::Complex if parts.is_none() && types.len() > 1 => {
                let message = format!(
                    "Third argument of function {function} must be tuple when dictionary is \
                     complex and key contains more than 1 attribute. Actual type {}",
                    arg.ty
                );
                return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
            }
            KeyKind::Address => return Self::address(arg, parts),
            KeyKind::Point => types = vec![DataType::Float64, DataType::Float64],
            KeyKind::Simple | KeyKind::Complex => {}
        }
        let given = parts.map_or_else(|| vec![arg.ty.clone()], Clone::clone);
        if given.len() != types.len() {
            let names: Vec<String> = types.iter().map(ToString::to_string).collect();
            let message = format!(
                "Dictionary {} key lookup structure does not match, expected ({})",
                dictionary.name(),
                names.join(", ")
            );
            return Err(Error::new(codes::TYPE_MISMATCH, message));
        }
        let session = Session::of(context);
        let convert = |(from, to)| Convert::bind(from, to, session);
        let casts = given.iter().zip(&types).map(convert).collect::<Result<_>>()?;
        Ok(Self { casts, is_tuple: parts.is_some() })
    }

    fn address(arg: &Arg, parts: Option<&Vec<DataType>>) -> Result<Self> {
        let ty = match parts {
            Some(parts) if parts.len() == 1 => &parts[0],
            _ => &arg.ty,
        };
        let fits = matches!(ty, DataType::UInt32 | DataType::FixedString(16))
            || matches!(ty.to_string().as_str(), "IPv4" | "IPv6");
        if !fits {
            let message = "Key does not match, expected either IPv4 (or UInt32) or IPv6 (or \
                           FixedString(16))";
            return Err(Error::new(codes::TYPE_MISMATCH, message));
        }
        Ok(Self { casts: vec![Convert::Nothing], is_tuple: parts.is_some() })
    }

    /// The columns of the key.
    pub(crate) fn columns(&self, arg: &Column, rows: usize) -> Result<Vec<Column>> {
        let parts = match (arg, self.is_tuple) {
            (_, false) => vec![arg.clone()],
            (Column::Const(constant), true) => match &constant.value {
                Column::Tuple(tuple) => {
                    let repeat = |c: &Column| Column::constant(c.clone(), rows);
                    tuple.columns.iter().map(repeat).collect()
                }
                _ => return Err(not_a_tuple()),
            },
            (Column::Tuple(tuple), true) => tuple.columns.clone(),
            _ => return Err(not_a_tuple()),
        };
        parts.iter().zip(&self.casts).map(|(part, convert)| convert.apply(part)).collect()
    }
}

#[cold]
fn not_a_tuple() -> Error {
    Error::logical("the key of a dictionary is not a tuple")
}
