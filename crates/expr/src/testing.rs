//! Functions for the tests of this crate, so that they do not depend on the registry.

use std::time::Duration;

use entasis_base::{Error, Result, codes};
use entasis_column::{Bitmap, Column};
use entasis_function::{
    Arg, BoundFunction, BoundKernel, Comparison, Determinism, FunctionContext, FunctionDef,
    Monotonicity, Nulls, Operation, Properties,
};
use entasis_types::{DataType, TimeZone, Value};

use crate::{ColumnId, Expr};

pub struct NoContext;

impl FunctionContext for NoContext {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
    fn time_zone(&self) -> TimeZone {
        TimeZone::utc()
    }
    fn database(&self) -> &'static str {
        "default"
    }
    fn user(&self) -> &'static str {
        "default"
    }
    fn seed(&self) -> u64 {
        0
    }
    fn setting(&self, _: &str) -> Option<Value> {
        None
    }
}

fn ints(c: &Column) -> Vec<i64> {
    match c.full() {
        Column::Int64(v) => v.to_vec(),
        Column::UInt8(v) => v.iter().map(|x| i64::from(*x)).collect(),
        other => panic!("{other:?}"),
    }
}

fn zip(args: &[Column], f: impl Fn(i64, i64) -> Result<i64>) -> Result<Column> {
    let (a, b) = (ints(&args[0]), ints(&args[1]));
    Ok(Column::from(a.iter().zip(&b).map(|(x, y)| f(*x, *y)).collect::<Result<Vec<_>>>()?))
}

macro_rules! comparison {
    ($name:literal, $comparison:ident, $op:tt) => {
        FunctionDef {
            name: $name,
            properties: Properties::comparison(Comparison::$comparison),
            arity: (2, 2),
            bind: |_, _| {
                Ok(BoundKernel::predicate(|args, rows| {
                    let (a, b) = (args[0].full(), args[1].full());
                    if let (Some(a), Some(b)) = (a.strings(), b.strings()) {
                        return Ok(Bitmap::from_fn(rows, |i| a.get(i) $op b.get(i)));
                    }
                    let (a, b) = (ints(&a), ints(&b));
                    Ok(Bitmap::from_fn(rows, |i| a[i] $op b[i]))
                }))
            },
            ..FunctionDef::DEFAULT
        }
    };
}

static FUNCTIONS: &[FunctionDef] = &[
    comparison!("less", Less, <),
    comparison!("lessOrEquals", LessOrEquals, <=),
    comparison!("greater", Greater, >),
    comparison!("greaterOrEquals", GreaterOrEquals, >=),
    comparison!("equals", Equals, ==),
    comparison!("notEquals", NotEquals, !=),
    FunctionDef {
        name: "not",
        properties: Properties::SIMPLE.meaning(Operation::Not),
        arity: (1, 1),
        bind: |_, _| {
            Ok(BoundKernel::new(DataType::UInt8, |args, _| {
                Ok(Column::from(
                    ints(&args[0]).iter().map(|x| u8::from(*x == 0)).collect::<Vec<_>>(),
                ))
            }))
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "isNull",
        properties: Properties::SIMPLE.meaning(Operation::IsNull { negated: false }),
        arity: (1, 1),
        nulls: Nulls::Custom,
        bind: |_, _| {
            Ok(BoundKernel::new(DataType::UInt8, |args, rows| {
                Ok(Column::from(
                    (0..rows).map(|i| u8::from(args[0].is_null(i))).collect::<Vec<_>>(),
                ))
            }))
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "plus",
        properties: Properties::SIMPLE.meaning(Operation::Plus),
        arity: (2, 2),
        bind: |_, _| {
            Ok(BoundKernel::new(DataType::Int64, |args, _| zip(args, |x, y| Ok(x.wrapping_add(y)))))
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "halve",
        arity: (1, 1),
        bind: |_, _| {
            Ok(BoundKernel::new(DataType::Int64, |args, _| {
                Ok(Column::from(ints(&args[0]).iter().map(|x| x.div_euclid(2)).collect::<Vec<_>>()))
            })
            .monotone(Monotonicity::Increasing))
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "negate",
        arity: (1, 1),
        bind: |_, _| {
            Ok(BoundKernel::new(DataType::Int64, |args, _| {
                Ok(Column::from(ints(&args[0]).iter().map(|x| -x).collect::<Vec<_>>()))
            })
            .monotone(Monotonicity::Decreasing))
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "intDiv",
        arity: (2, 2),
        nulls: Nulls::PropagateStrict,
        bind: |_, _| {
            Ok(BoundKernel::new(DataType::Int64, |args, _| {
                zip(args, |x, y| {
                    x.checked_div(y)
                        .ok_or_else(|| Error::new(codes::ILLEGAL_DIVISION, "Division by zero"))
                })
            }))
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "if",
        properties: Properties::DEFAULT.meaning(Operation::Branch),
        arity: (3, 3),
        nulls: Nulls::Custom,
        bind: |args, _| {
            let ty = DataType::nullable(DataType::Int64);
            assert!(args[1..].iter().all(|a| a.ty == ty));
            let nullable = ty.clone();
            Ok(BoundKernel::new(ty, move |args, rows| {
                let mask = args[0].to_mask();
                let both = [args[1].full(), args[2].full()];
                let indices: Vec<u32> = (0..rows)
                    .map(|i| if mask.get(i) { i as u32 } else { (rows + i) as u32 })
                    .collect();
                assert!(nullable.is_nullable());
                Ok(Column::concat(&[&both[0], &both[1]]).take(&indices))
            }))
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "nullable",
        arity: (1, 1),
        nulls: Nulls::Custom,
        bind: |_, _| {
            Ok(BoundKernel::new(DataType::nullable(DataType::Int64), |args, rows| {
                let column = args[0].full();
                match column {
                    Column::Nullable(_) => Ok(column),
                    other => Ok(Column::nullable(
                        Column::from(ints(&other)),
                        Bitmap::constant(true, rows),
                    )),
                }
            }))
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "rand",
        arity: (0, 0),
        determinism: Determinism::PerRow,
        bind: |_, _| {
            Ok(BoundKernel::new(DataType::Int64, |_, rows| {
                static NEXT: std::sync::atomic::AtomicI64 = std::sync::atomic::AtomicI64::new(0);
                let base = NEXT.fetch_add(rows as i64, std::sync::atomic::Ordering::Relaxed);
                Ok(Column::from((0..rows as i64).map(|i| base + i).collect::<Vec<_>>()))
            }))
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "arrayMap",
        arity: (2, 2),
        nulls: Nulls::Custom,
        bind: |args, _| {
            Ok(BoundKernel::with_lambda(DataType::array(args[0].ty.clone()), |lambda, args, _| {
                let Column::Array(array) = args[0].full() else { panic!() };
                let (offsets, values) = array.flat();
                Ok(Column::array(offsets.clone(), lambda.call(&[values], &offsets)?))
            }))
        },
        ..FunctionDef::DEFAULT
    },
];

pub fn bind(name: &str, args: &[Arg]) -> std::sync::Arc<BoundFunction> {
    let def = FUNCTIONS.iter().find(|f| f.name == name).unwrap();
    BoundFunction::bind(def, args, &NoContext).unwrap()
}

pub fn call(name: &str, args: Vec<Expr>) -> Expr {
    let types: Vec<Arg> = args.iter().map(|a| Arg::column(a.ty().clone())).collect();
    Expr::call(bind(name, &types), args)
}

pub fn int(value: i64) -> Expr {
    Expr::literal(Value::Int(value), DataType::Int64)
}

pub fn column(id: u32, ty: DataType) -> Expr {
    Expr::column(ColumnId(id), ty)
}

pub fn logic(is_and: bool, args: Vec<Expr>) -> Expr {
    let nullable = args.iter().any(|a| a.ty().is_nullable());
    let ty = if nullable { DataType::nullable(DataType::UInt8) } else { DataType::UInt8 };
    if is_and { Expr::And(args.into(), ty) } else { Expr::Or(args.into(), ty) }
}
