//! `dictGet` and its variants, and `dictHas`.

use entasis_base::{Error, Result, codes};
use entasis_column::{Bitmap, Column};
use entasis_function::cast::{self, Cast, Mode, Session};
use entasis_function::dictionary::Found;
use entasis_function::{
    Arg, BoundKernel, Determinism, FunctionContext, FunctionDef, Nulls, Properties,
};
use entasis_types::DataType;

use crate::arguments::{KeyArgument, Target, Wanted};

/// What happens with keys that are not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Missing {
    /// The attribute's own default.
    Default,
    /// The last argument.
    Argument,
    /// NULL.
    Null,
}

/// The arguments that say where to look.
struct LookUp {
    target: Target,
    key: KeyArgument,
    /// Position of the argument with the value for ranges, and its conversion.
    range: Option<(usize, Option<Cast>)>,
}

impl LookUp {
    /// `first` is the position of the key among the arguments; the value for ranges follows it.
    fn bind(
        function: &str,
        target: Target,
        args: &[Arg],
        first: usize,
        context: &dyn FunctionContext,
    ) -> Result<Self> {
        let structure = target.dictionary.structure();
        let key = KeyArgument::bind(function, &args[first], &*target.dictionary, context)?;
        let range = match &structure.range {
            None => None,
            Some(ty) => {
                let given = &args[first + 1].ty;
                if given.without_nullable().is_string() {
                    let message = format!(
                        "Illegal type {given} of fourth argument of function {function} must be \
                         convertible to Int64"
                    );
                    return Err(Error::new(codes::ILLEGAL_COLUMN, message));
                }
                let plain = ty.without_nullable();
                let convert = match given == plain {
                    true => None,
                    false => Some(cast::bind(given, plain, Session::of(context))?),
                };
                Some((first + 1, convert))
            }
        };
        Ok(Self { target, key, range })
    }

    fn find(&self, args: &[Column], first: usize, rows: usize) -> Result<Found> {
        let contents = self.target.contents()?;
        let keys = self.key.columns(&args[first], rows)?;
        let range = match &self.range {
            None => None,
            Some((at, None)) => Some(args[*at].full()),
            Some((at, Some(convert))) => Some(convert(&args[*at].full())?),
        };
        contents.find(&keys, range.as_ref(), rows)
    }
}

#[cold]
fn wrong_count(function: &str, passed: usize, wanted: usize) -> Error {
    let message = format!(
        "Number of arguments for function {function} doesn't match: passed {passed} should be \
         {wanted}"
    );
    Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message)
}

fn bind_get(
    function: &'static str,
    missing: Missing,
    expected: Option<&DataType>,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let target = Target::bind(function, &args[0], context)?;
    let wanted = Wanted::bind(function, &args[1], &*target.dictionary)?;
    let ranged = usize::from(target.dictionary.structure().range.is_some());
    let count = 3 + ranged + usize::from(missing == Missing::Argument);
    if args.len() != count {
        return Err(wrong_count(function, args.len(), count));
    }
    if let Some(expected) = expected.filter(|expected| !same_kind(&wanted.ty, expected)) {
        let message = format!(
            "Function {function} dictionary attribute has different type {} expected {expected}",
            wanted.ty
        );
        return Err(Error::new(codes::TYPE_MISMATCH, message));
    }
    if target.dictionary.structure().is_tree {
        if missing == Missing::Null {
            return Err(no_keys());
        }
        let has_default = missing == Missing::Argument;
        return crate::tree::first_values(function, (target, wanted), args, has_default, context);
    }
    if missing == Missing::Default && args[2].ty.is_nullable() {
        return nullable_get(target, wanted, args, context);
    }
    let look_up = LookUp::bind(function, target, args, 2, context)?;
    match missing {
        Missing::Default => Ok(BoundKernel::new(wanted.ty.clone(), move |args, rows| {
            let found = look_up.find(args, 2, rows)?;
            Ok(wanted.joined(wanted.gather(&found), rows))
        })),
        Missing::Null => Ok(BoundKernel::new(wanted.nullable(), move |args, rows| {
            let found = look_up.find(args, 2, rows)?;
            let is_there = Bitmap::from_fn(rows, |i| found.rows[i] != 0);
            Ok(wanted.joined(or_null(&look_up, &wanted, &found, &is_there), rows))
        })),
        Missing::Argument => {
            let (from, to) = (&args[count - 1].ty, &wanted.ty);
            let convert = match from == to {
                true => None,
                false => Some(cast::bind_mode(from, to, Session::of(context), Mode::Accurate)?),
            };
            Ok(BoundKernel::new(wanted.ty.clone(), move |args, rows| {
                let found = look_up.find(args, 2, rows)?;
                let values = wanted.joined(wanted.gather(&found), rows);
                or_default(values, &found, &args[count - 1], convert.as_ref(), rows)
            }))
        }
    }
}

/// `dictGet` for a key that may be NULL. The result is then NULL, if its type can be.
fn nullable_get(
    target: Target,
    wanted: Wanted,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let ty = match wanted.ty.can_be_nullable() {
        true => DataType::nullable(wanted.ty.clone()),
        false => wanted.ty.clone(),
    };
    if args[2].ty.is_null_literal() {
        let result = ty.clone();
        return Ok(BoundKernel::new(ty, move |_, rows| {
            Ok(Column::constant(Column::default_of(&result, 1), rows))
        }));
    }
    let mut plain = args.to_vec();
    plain[2].ty = args[2].ty.without_nullable().clone();
    let look_up = LookUp::bind("dictGet", target, &plain, 2, context)?;
    Ok(BoundKernel::new(ty, move |args, rows| {
        let key = args[2].full();
        let (validity, values) = key.split_nullable();
        let validity = validity.cloned().unwrap_or_else(|| Bitmap::constant(true, rows));
        let known: Vec<Column> = args
            .iter()
            .enumerate()
            .map(|(at, arg)| if at == 2 { values.clone() } else { arg.clone() })
            .map(|arg| if arg.is_const() { arg } else { arg.filter(&validity) })
            .collect();
        let some = validity.count_ones();
        let known: Vec<Column> = known.iter().map(|c| resized(c, some)).collect();
        let found = look_up.find(&known, 2, some)?;
        // Rows without a key have the row of the defaults.
        let mut next = 0;
        let mut row_of = |i: usize| {
            let there = validity.get(i);
            next += usize::from(there);
            if there { found.rows[next - 1] } else { 0 }
        };
        let rows_of: Vec<u32> = (0..rows).map(&mut row_of).collect();
        let all = Found { attributes: found.attributes, rows: rows_of };
        let values = wanted.joined(wanted.gather(&all), rows);
        Ok(if wanted.ty.can_be_nullable() || wanted.ty.is_nullable() {
            Column::nullable(values, validity)
        } else {
            values
        })
    }))
}

/// A constant with another number of rows.
fn resized(column: &Column, rows: usize) -> Column {
    match column.as_const() {
        Some(value) => Column::constant(value.clone(), rows),
        None => column.clone(),
    }
}

/// Whether an attribute's type is the one in the name of a function; times may have a zone.
fn same_kind(ty: &DataType, expected: &DataType) -> bool {
    ty == expected
        || std::mem::discriminant(ty) == std::mem::discriminant(expected)
            && matches!(ty, DataType::DateTime(_))
}

fn or_null(look_up: &LookUp, wanted: &Wanted, found: &Found, is_there: &Bitmap) -> Vec<Column> {
    let structure = look_up.target.dictionary.structure();
    let columns = wanted.gather(found).into_iter().zip(&wanted.positions);
    let nullable = |(values, &at): (Column, &usize)| {
        let ty = &structure.attributes[at].ty;
        match ty.can_be_nullable() || ty.is_nullable() {
            true => Column::nullable(values, is_there.clone()),
            false => values.or_default(is_there),
        }
    };
    columns.map(nullable).collect()
}

/// The values, with those of the last argument where no key was found. The argument is converted
/// only for these rows.
fn or_default(
    values: Column,
    found: &Found,
    default: &Column,
    convert: Option<&Cast>,
    rows: usize,
) -> Result<Column> {
    let missing: Vec<u32> = (0..rows as u32).filter(|&i| found.rows[i as usize] == 0).collect();
    if missing.is_empty() {
        return Ok(values);
    }
    let converted = |column: Column| convert.map_or_else(|| Ok(column.full()), |c| c(&column));
    let (some, step) = match default.as_const() {
        Some(value) => (converted(value.clone())?, 0),
        None => (converted(default.full().take(&missing))?, 1),
    };
    let mut picks: Vec<u32> = (0..rows as u32).collect();
    for (i, &row) in missing.iter().enumerate() {
        picks[row as usize] = rows as u32 + i as u32 * step;
    }
    Ok(Column::concat(&[&values.full(), &some.full()]).take(&picks))
}

#[cold]
fn no_keys() -> Error {
    let message = "Dictionary RegExpTree does not support method `hasKeys`: use dictGet, \
                   dictGetOrDefault or dictGetAll";
    Error::new(codes::UNSUPPORTED_METHOD, message)
}

fn bind_has(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let target = Target::bind("dictHas", &args[0], context)?;
    if target.dictionary.structure().is_tree {
        return Err(no_keys());
    }
    let ranged = target.dictionary.structure().range.is_some();
    // As in the reference, an argument too many has no effect.
    if ranged && args.len() != 3 {
        let message =
            "Wrong argument count for function dictHas when dictionary has key type range";
        return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
    }
    let look_up = LookUp::bind("dictHas", target, args, 1, context)?;
    Ok(BoundKernel::new(DataType::UInt8, move |args, rows| {
        let found = look_up.find(args, 1, rows)?;
        Ok(found.rows.iter().map(|&row| u8::from(row != 0)).collect::<Vec<u8>>().into())
    }))
}

/// The usual values of the fields of a dictionary function.
pub(crate) const DEFAULT: FunctionDef = FunctionDef {
    nulls: Nulls::PropagateStrict,
    determinism: Determinism::PerQuery,
    names_first: true,
    properties: Properties { fails: entasis_function::Fails::Always, ..Properties::DEFAULT },
    ..FunctionDef::DEFAULT
};

/// The functions for attributes of any type.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "dictGet",
        description: "The value of an attribute for a key, or a tuple of the values of several \
                      attributes; the attribute's default if the key is not there.",
        nulls: Nulls::Custom,
        arity: (3, 4),
        bind: |args, context| bind_get("dictGet", Missing::Default, None, args, context),
        ..DEFAULT
    },
    FunctionDef {
        name: "dictGetOrDefault",
        lazy_last: Some(("dictHas", "dictGet")),
        description: "As dictGet, with the last argument for keys that are not there.",
        nulls: Nulls::Custom,
        arity: (3, 5),
        bind: |args, context| bind_get("dictGetOrDefault", Missing::Argument, None, args, context),
        ..DEFAULT
    },
    FunctionDef {
        name: "dictGetOrNull",
        description: "As dictGet, with NULL for keys that are not there.",
        nulls: Nulls::Custom,
        arity: (3, 4),
        bind: |args, context| bind_get("dictGetOrNull", Missing::Null, None, args, context),
        ..DEFAULT
    },
    FunctionDef {
        name: "dictHas",
        description: "Whether a dictionary has a key.",
        arity: (2, 3),
        bind: bind_has,
        ..DEFAULT
    },
];

macro_rules! typed {
    ($($name:literal, $or_default:literal => $ty:expr;)*) => {
        /// The functions for attributes of one type.
        pub const TYPED: &[FunctionDef] = &[$(
            FunctionDef {
                name: $name,
                description: concat!(
                    "As dictGet, for an attribute of the type in the name: ", $name, "."
                ),
                nulls: Nulls::Custom,
                arity: (3, 4),
                bind: |args, context| {
                    bind_get($name, Missing::Default, Some(&$ty), args, context)
                },
                ..DEFAULT
            },
            FunctionDef {
                name: $or_default,
                lazy_last: Some(("dictHas", $name)),
                description: concat!(
                    "As dictGetOrDefault, for an attribute of the type in the name: ",
                    $or_default, "."
                ),
                nulls: Nulls::Custom,
                arity: (3, 5),
                bind: |args, context| {
                    bind_get($or_default, Missing::Argument, Some(&$ty), args, context)
                },
                ..DEFAULT
            },
        )*];
    };
}

typed! {
    "dictGetDate", "dictGetDateOrDefault" => DataType::Date;
    "dictGetDateTime", "dictGetDateTimeOrDefault" => DataType::DateTime(None);
    "dictGetFloat32", "dictGetFloat32OrDefault" => DataType::Float32;
    "dictGetFloat64", "dictGetFloat64OrDefault" => DataType::Float64;
    "dictGetInt16", "dictGetInt16OrDefault" => DataType::Int16;
    "dictGetInt32", "dictGetInt32OrDefault" => DataType::Int32;
    "dictGetInt64", "dictGetInt64OrDefault" => DataType::Int64;
    "dictGetInt8", "dictGetInt8OrDefault" => DataType::Int8;
    "dictGetString", "dictGetStringOrDefault" => DataType::String;
    "dictGetUInt16", "dictGetUInt16OrDefault" => DataType::UInt16;
    "dictGetUInt32", "dictGetUInt32OrDefault" => DataType::UInt32;
    "dictGetUInt64", "dictGetUInt64OrDefault" => DataType::UInt64;
    "dictGetUInt8", "dictGetUInt8OrDefault" => DataType::UInt8;
    "dictGetUUID", "dictGetUUIDOrDefault" => DataType::Uuid;
}
