//! JSONExtract and similar functions: a document, a path of names and numbers, and what is computed
//! from the value there.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, ColumnBuilder};
use entasis_types::text_type::enum_number;
use entasis_types::{DataType, EnumType, TimeZone};

use super::parse::Tape;
use super::push::{float, push, text_of, truth, whole};
use super::value::{Json, Step, Value, place};
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::kernel::Side;
use entasis_function_kernel::text::{Text, constant_string};

/// One argument of a path.
enum Steps<'a> {
    Names(Text<'a>),
    Indices(Side<i64>),
}

impl<'a> Steps<'a> {
    fn of(column: &'a Column) -> Result<Self> {
        match Text::of(column) {
            Ok(text) => Ok(Self::Names(text)),
            Err(_) => Ok(Self::Indices(Side::read(column)?)),
        }
    }

    fn get(&self, row: usize) -> Step<'a> {
        match self {
            Self::Names(text) => Step::Name(text.get(row)),
            Self::Indices(side) => Step::Index(side.get(row)),
        }
    }
}

fn check(name: &str, args: &[Arg]) -> Result<()> {
    let Some((json, path)) = args.split_first() else {
        let message = format!("Function {name} requires at least one argument");
        return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
    };
    if json.ty != DataType::String {
        let message = format!(
            "The first argument of function {name} should be a string containing JSON, illegal \
             type: {}",
            json.ty
        );
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    let is_step = |arg: &&Arg| arg.ty.is_string() || arg.ty.is_native_integer();
    match path.iter().find(|arg| !is_step(arg)) {
        None => Ok(()),
        Some(arg) => {
            let message = format!(
                "The path of function {name} is made of strings (names) and integers (indices), \
                 illegal type: {}",
                arg.ty
            );
            Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message))
        }
    }
}

/// Visits every row's document; `None` where the text is none.
fn each_document(text: Text, rows: usize, mut visit: impl FnMut(usize, Option<Json>)) {
    let mut tape = Tape::default();
    match text {
        // The same document often stands in all rows.
        Text::One(text) => {
            let json = tape.read(text);
            (0..rows).for_each(|row| visit(row, json));
        }
        Text::Many(strings) => {
            let mut valid = vec![0u64; rows.div_ceil(64)];
            entasis_simd::utf8::valid_mask(strings.data(), strings.offsets(), &mut valid);
            for (row, text) in strings.iter().enumerate() {
                let is_valid = valid[row / 64] >> (row % 64) & 1 != 0;
                visit(row, if is_valid { tape.read_valid(text) } else { None });
            }
        }
        Text::Fixed(fixed) => (0..rows).for_each(|row| visit(row, tape.read(fixed.get(row)))),
    }
}

/// A function that appends one value per row, given what is at the end of the path.
fn bind(
    name: &'static str,
    args: &[Arg],
    ty: DataType,
    f: impl Fn(Option<Json>, &mut ColumnBuilder) + Send + Sync + 'static,
) -> Result<BoundKernel> {
    check(name, args)?;
    let result = ty.clone();
    Ok(BoundKernel::new(ty, move |args, rows| {
        let text = Text::of(&args[0])?;
        let path = args[1..].iter().map(Steps::of).collect::<Result<Vec<_>>>()?;
        let mut out = ColumnBuilder::new(&result, rows);
        each_document(text, rows, |row, json| {
            f(json.and_then(|json| json.at(path.iter().map(|step| step.get(row)))), &mut out);
        });
        let column = out.finish();
        check_members(&column, &result)?;
        Ok(column)
    }))
}

/// Fails where a default, which is 0, is no member of its Enum.
fn check_members(column: &Column, ty: &DataType) -> Result<()> {
    match (ty.storage(), column) {
        (DataType::Enum(names), column) => {
            (0..column.len()).try_for_each(|i| enum_number(names, column.bits(i)).map(|_| ()))
        }
        (DataType::Nullable(inner), Column::Nullable(n)) => {
            check_members(&n.values.filter(&n.validity), inner)
        }
        (DataType::Array(inner), Column::Array(array)) => check_members(&array.flat().1, inner),
        (DataType::Tuple(tuple), Column::Tuple(columns)) => {
            let mut pairs = columns.columns.iter().zip(&tuple.types);
            pairs.try_for_each(|(column, ty)| check_members(column, ty))
        }
        _ => Ok(()),
    }
}

/// A value of a type, or its default.
fn typed(name: &'static str, args: &[Arg], ty: &DataType, zone: TimeZone) -> Result<BoundKernel> {
    let wanted = ty.clone();
    bind(name, args, ty.clone(), move |json, out| {
        if !json.is_some_and(|json| push(json, &wanted, zone, out)) {
            out.push_default();
        }
    })
}

/// The type that the last argument names.
fn named_type(name: &str, args: &[Arg]) -> Result<DataType> {
    let Some(last) = args.last().filter(|_| args.len() > 1) else {
        let message = format!("Function {name} requires at least two arguments");
        return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
    };
    let text = constant_string(name, last, "The type in the last argument")?;
    DataType::parse(&String::from_utf8_lossy(text))
}

fn extract(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let ty = named_type("JSONExtract", args)?;
    let rest = &args[..args.len() - 1];
    let bound = typed("JSONExtract", rest, &ty, context.time_zone())?;
    Ok(without_last(bound))
}

/// The type's name is no step of the path.
fn without_last(bound: BoundKernel) -> BoundKernel {
    let entasis_function::Run::Columns(run) = bound.run else { return bound };
    BoundKernel::new(bound.return_type, move |args: &[Column], rows| {
        run(&args[..args.len() - 1], rows)
    })
}

fn pair(value: DataType) -> DataType {
    DataType::array(DataType::tuple(vec![DataType::String, value]))
}

/// Appends pairs of names and what `f` makes of the values; `f` says false where it makes nothing.
fn push_pairs(
    json: Option<Json>,
    out: &mut ColumnBuilder,
    f: impl Fn(Json, &mut ColumnBuilder) -> bool,
) {
    let ColumnBuilder::Array { offsets, values } = out else { return };
    if let (Some(Value::Object(members)), ColumnBuilder::Tuple { columns, len }) =
        (json.map(Json::value), &mut **values)
        && let [ColumnBuilder::String(names), second] = &mut columns[..]
    {
        for (name, value) in members {
            if f(value, second) {
                names.push(name.string());
                *len += 1;
            }
        }
    }
    offsets.push(values.len() as u32);
}

fn pairs(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let (name, zone) = ("JSONExtractKeysAndValues", context.time_zone());
    let ty = named_type(name, args)?;
    let bound = bind(name, &args[..args.len() - 1], pair(ty.clone()), move |json, out| {
        push_pairs(json, out, |value, second| push(value, &ty, zone, second));
    })?;
    Ok(without_last(bound))
}

fn raw(json: Json, out: &mut ColumnBuilder) -> bool {
    let ColumnBuilder::String(out) = out else { return false };
    json.write(&mut out.data);
    out.close();
    true
}

/// Lists of strings: `strings` appends those of a value.
fn list(
    name: &'static str,
    args: &[Arg],
    strings: fn(Json, &mut ColumnBuilder),
) -> Result<BoundKernel> {
    bind(name, args, DataType::array(DataType::String), move |json, out| {
        let ColumnBuilder::Array { offsets, values } = out else { return };
        if let Some(json) = json {
            strings(json, values);
        }
        offsets.push(values.len() as u32);
    })
}

/// Texts of an array's elements.
fn raw_items(json: Json, out: &mut ColumnBuilder) {
    if let Value::Array(mut items) = json.value() {
        items.all(|item| raw(item, out));
    }
}

/// Names of an object's members.
fn names(json: Json, out: &mut ColumnBuilder) {
    if let (Value::Object(members), ColumnBuilder::String(out)) = (json.value(), out) {
        members.for_each(|(name, _)| out.push(name.string()));
    }
}

fn number(name: &'static str, args: &[Arg], f: fn(Option<Json>) -> u64) -> Result<BoundKernel> {
    bind(name, args, DataType::UInt64, move |json, out| {
        if let ColumnBuilder::UInt64(out) = out {
            out.push(f(json));
        }
    })
}

fn flag(name: &'static str, args: &[Arg], f: fn(Option<Json>) -> bool) -> Result<BoundKernel> {
    bind(name, args, DataType::UInt8, move |json, out| {
        if let ColumnBuilder::UInt8(out) = out {
            out.push(u8::from(f(json)));
        }
    })
}

const KINDS: [(i16, &str); 8] = [
    (0, "Null"),
    (34, "String"),
    (91, "Array"),
    (98, "Bool"),
    (100, "Double"),
    (105, "Int64"),
    (117, "UInt64"),
    (123, "Object"),
];

fn kind_type() -> DataType {
    let values = KINDS.iter().map(|(number, name)| (*number, Arc::from(*name))).collect();
    DataType::Enum(Arc::new(EnumType { wide: false, values }))
}

fn kind(json: Option<Json>) -> i8 {
    match json.map_or(Value::Null, Json::value) {
        Value::Null => 0,
        Value::String(_) => 34,
        Value::Array(_) => 91,
        Value::Bool(_) => 98,
        Value::Float(_) => 100,
        Value::Int(_) => 105,
        Value::UInt(_) => 117,
        Value::Object(_) => 123,
    }
}

/// `JSONKey(json, path..., n)`: the name of an object's n-th member.
fn key(args: &[Arg]) -> Result<BoundKernel> {
    check("JSONKey", args)?;
    Ok(BoundKernel::new(DataType::String, |args, rows| {
        let text = Text::of(&args[0])?;
        let path = args[1..].iter().map(Steps::of).collect::<Result<Vec<_>>>()?;
        let mut out = entasis_column::StringsBuilder::with_capacity(rows, rows * 8);
        each_document(text, rows, |row, json| {
            let name = path.split_last().and_then(|(last, inner)| {
                let at = json?.at(inner.iter().map(|s| s.get(row)))?;
                match (at.value(), last.get(row)) {
                    (Value::Object(mut members), Step::Index(i)) => {
                        members.nth(place(i, members.len())?).map(|(name, _)| name.string())
                    }
                    _ => None,
                }
            });
            out.push(name.unwrap_or_default());
        });
        Ok(out.finish().into())
    }))
}

/// A number that is not a truth value.
fn no_truth(json: Json) -> Option<i128> {
    if matches!(json.value(), Value::Bool(_)) { None } else { whole(json) }
}

fn integer<T: TryFrom<i128> + Default>(json: Option<Json>) -> T {
    json.and_then(no_truth).and_then(|v| T::try_from(v).ok()).unwrap_or_default()
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "JSONHas",
        description: "Whether the JSON text has a value at the path.",
        examples: &[("JSONHas('{\"a\": [1, 2]}', 'a', 2)", "1")],
        bind: |a, _| flag("JSONHas", a, |json| json.is_some()),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "isValidJSON",
        description: "Whether the text is one JSON value.",
        examples: &[("isValidJSON('{\"a\": 1}')", "1"), ("isValidJSON('{')", "0")],
        arity: (1, 1),
        bind: |a, _| flag("isValidJSON", a, |json| json.is_some()),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "JSONLength",
        description: "Number of elements of a JSON array, or of members of a JSON object.",
        examples: &[("JSONLength('{\"a\": [1, 2]}', 'a')", "2")],
        bind: |a, _| {
            number("JSONLength", a, |json| match json.map(Json::value) {
                Some(Value::Array(items)) => items.len() as u64,
                Some(Value::Object(members)) => members.len() as u64,
                _ => 0,
            })
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "JSONType",
        description: "The type of the value at a path in JSON text, such as Array or String.",
        examples: &[("JSONType('{\"a\": [1, 2]}', 'a')", "Array")],
        bind: |a, _| {
            bind("JSONType", a, kind_type(), |json, out| {
                // The type's layout holds bits.
                let _ = out.push_bits(kind(json).into());
            })
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "JSONKey",
        description: "The name of the n-th member of a JSON object.",
        examples: &[("JSONKey('{\"a\": 1, \"b\": 2}', 2)", "b")],
        bind: |a, _| key(a),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "JSONExtractInt",
        description: "The value at a path in JSON text as an Int64; 0 if it is not a number.",
        examples: &[("JSONExtractInt('{\"a\": [1, -2]}', 'a', -1)", "-2")],
        bind: |a, _| {
            bind("JSONExtractInt", a, DataType::Int64, |json, out| {
                if let ColumnBuilder::Int64(out) = out {
                    out.push(integer(json));
                }
            })
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "JSONExtractUInt",
        description: "The value at a path in JSON text as a UInt64; 0 if it is not a number.",
        examples: &[("JSONExtractUInt('{\"a\": 5}', 'a')", "5")],
        bind: |a, _| number("JSONExtractUInt", a, integer),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "JSONExtractFloat",
        description: "The value at a path in JSON text as a Float64; 0 if it is not a number.",
        examples: &[("JSONExtractFloat('{\"a\": 1.5}', 'a')", "1.5")],
        bind: |a, _| {
            bind("JSONExtractFloat", a, DataType::Float64, |json, out| {
                if let ColumnBuilder::Float64(out) = out {
                    let number = json.filter(|json| !matches!(json.value(), Value::Bool(_)));
                    out.push(number.and_then(float).unwrap_or_default());
                }
            })
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "JSONExtractBool",
        description: "The value at a path in JSON text as 0 or 1; 0 if it is not true.",
        examples: &[("JSONExtractBool('{\"a\": true}', 'a')", "1")],
        bind: |a, _| flag("JSONExtractBool", a, |json| json.and_then(truth).unwrap_or(false)),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "JSONExtractString",
        description: "The string at a path in JSON text, unescaped; other values as JSON text.",
        examples: &[("JSONExtractString('{\"a\": \"x\"}', 'a')", "x")],
        bind: |a, _| {
            bind("JSONExtractString", a, DataType::String, |json, out| {
                if let ColumnBuilder::String(out) = out {
                    if let Some(json) = json.filter(|json| !json.is_null()) {
                        text_of(json, &mut out.data);
                    }
                    out.close();
                }
            })
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "JSONExtractRaw",
        description: "The value at a path in JSON text, as JSON text.",
        examples: &[("JSONExtractRaw('{\"a\": [1, 2]}', 'a')", "[1,2]")],
        bind: |a, _| {
            bind("JSONExtractRaw", a, DataType::String, |json, out| {
                if !json.is_some_and(|json| raw(json, out)) {
                    out.push_default();
                }
            })
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "JSONExtractArrayRaw",
        description: "The elements of a JSON array at a path, each as JSON text.",
        examples: &[("JSONExtractArrayRaw('[1, \"x\"]')", "['1','\"x\"']")],
        bind: |a, _| list("JSONExtractArrayRaw", a, raw_items),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "JSONExtractKeys",
        description: "The names of all members of a JSON object at a path.",
        examples: &[("JSONExtractKeys('{\"a\": 1, \"b\": 2}')", "['a','b']")],
        bind: |a, _| list("JSONExtractKeys", a, names),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "JSONExtractKeysAndValuesRaw",
        description: "The members of a JSON object at a path: pairs of the name and the value as \
                      JSON text.",
        examples: &[("JSONExtractKeysAndValuesRaw('{\"a\": [1]}')", "[('a','[1]')]")],
        bind: |a, _| {
            bind("JSONExtractKeysAndValuesRaw", a, pair(DataType::String), |json, out| {
                push_pairs(json, out, raw);
            })
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "JSONExtractKeysAndValues",
        description: "The members of a JSON object at a path: pairs of the name and the value, \
                      converted to the given type.",
        examples: &[(
            "JSONExtractKeysAndValues('{\"a\": 1, \"b\": 2}', 'Int8')",
            "[('a',1),('b',2)]",
        )],
        bind: pairs,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "JSONExtract",
        description: "The value at a path in JSON text, converted to the type that the last \
                      argument names; the type's default if that fails.",
        examples: &[
            ("JSONExtract('{\"a\": [1, 2]}', 'a', 'Array(Int32)')", "[1,2]"),
            ("JSONExtract('{\"a\": 1}', 'b', 'Nullable(Int32)')", "ᴺᵁᴸᴸ"),
        ],
        bind: extract,
        ..FunctionDef::DEFAULT
    },
];
