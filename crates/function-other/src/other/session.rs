//! Facts about the query, the session and the machine: `now`, `version`, `currentDatabase`, ...

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::{DataType, TimeZone, Value};

use entasis_function::{
    Arg, BoundKernel, COMPATIBLE_VERSION, Determinism, Fails, FunctionContext, FunctionDef, Nulls,
    Properties,
};
use entasis_function_kernel::arguments::{constant_string, zone_argument};

/// Revision of the protocol; drivers read the form of blocks from it.
const REVISION: u64 = 54460;

/// The same value in every row.
fn constant(ty: DataType, value: &Value) -> BoundKernel {
    let column = Column::from_value(&ty, value, 1).full();
    BoundKernel::new(ty, move |_, rows| Ok(Column::constant(column.clone(), rows)))
}

fn text(value: &str) -> Result<BoundKernel> {
    Ok(constant(DataType::String, &Value::from(value)))
}

fn now(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let zone = zone_argument("now", args.first())?;
    Ok(constant(DataType::DateTime(zone), &Value::UInt(context.now().as_secs())))
}

fn day(back: i64, args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let zone = zone_argument("today", args.first())?.unwrap_or(context.time_zone());
    let days = zone.to_local(context.now().as_secs() as i64).div_euclid(86_400) - back;
    Ok(constant(DataType::Date, &Value::UInt(days.max(0) as u64)))
}

static HOST_NAME: LazyLock<String> = LazyLock::new(|| {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "localhost".into() } else { name.to_string() }
});

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

fn get_setting(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let name = constant_string("getSetting", &args[0], "name")?;
    let value = match (context.setting(&name), args.get(1)) {
        (Some(value), _) => value,
        (None, Some(Arg { constant: Some(default), ty, .. })) => {
            return Ok(constant(ty.clone(), default));
        }
        _ => {
            let message = format!("Unknown setting '{name}'");
            return Err(Error::new(codes::UNKNOWN_SETTING, message));
        }
    };
    let ty = context.setting_type(&name).unwrap_or(match &value {
        Value::UInt(_) => DataType::UInt64,
        Value::Int(_) => DataType::Int64,
        Value::Float(_) => DataType::Float64,
        _ => DataType::String,
    });
    Ok(constant(ty, &value))
}

const MAX_SLEEP: f64 = 3.0;

fn sleep(name: &str, each_row: bool, args: &[Arg]) -> Result<BoundKernel> {
    let ty = &args[0].ty;
    if !(ty.is_unsigned() && ty.is_native_integer() || ty.is_float()) {
        let message = format!(
            "A value of illegal type was provided as 1st argument 'seconds' to function '{name}'. \
             Expected: UInt* or Float*, got: {ty}"
        );
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    let Some(seconds) = args[0].constant.as_ref().and_then(Value::as_f64) else {
        let message = format!("The argument of function {name} must be constant");
        return Err(Error::new(codes::ILLEGAL_COLUMN, message));
    };
    if !seconds.is_finite() || seconds < 0.0 {
        let message = format!("Cannot sleep infinite or negative time: {seconds}");
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    Ok(BoundKernel::new(DataType::UInt8, move |_, rows| {
        let total = if each_row { seconds * rows as f64 } else { seconds };
        if total > MAX_SLEEP && rows > 0 {
            let message = format!(
                "The maximum sleep time is 3000000 microseconds. Requested: {:.0} microseconds",
                total * 1e6
            );
            return Err(Error::new(codes::TOO_SLOW, message));
        }
        if rows > 0 {
            std::thread::sleep(Duration::from_secs_f64(total));
        }
        Ok(entasis_function_kernel::kernel::constant(0u8, rows))
    }))
}

/// Numbers rows or chunks in the order in which they come by.
fn counter(rows_counted: bool) -> BoundKernel {
    let next = AtomicU64::new(0);
    BoundKernel::new(DataType::UInt64, move |_, rows| {
        let step = if rows_counted { rows as u64 } else { 1 };
        let start = next.fetch_add(step, Ordering::Relaxed);
        if !rows_counted {
            return Ok(entasis_function_kernel::kernel::constant(start, rows));
        }
        Ok(Column::from((start..start + rows as u64).collect::<Vec<u64>>()))
    })
}

const PER_QUERY: FunctionDef = FunctionDef {
    determinism: Determinism::PerQuery,
    nulls: Nulls::Custom,
    arity: (0, 0),
    ..FunctionDef::DEFAULT
};
const PER_ROW: FunctionDef =
    FunctionDef { determinism: Determinism::PerRow, by_row: false, ..PER_QUERY };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "now",
        aliases: &["current_timestamp", "localtimestamp"],
        case_insensitive: true,
        description: "The time at which the query started.",
        examples: &[("toTypeName(now('UTC'))", "DateTime('UTC')")],
        arity: (0, 1),
        bind: now,
        ..PER_QUERY
    },
    FunctionDef {
        name: "UTCTimestamp",
        aliases: &["UTC_timestamp"],
        case_insensitive: true,
        description: "The time at which the query started, in UTC.",
        examples: &[("toTypeName(UTCTimestamp())", "DateTime('UTC')")],
        bind: |_, context| {
            let seconds = Value::UInt(context.now().as_secs());
            Ok(constant(DataType::DateTime(Some(TimeZone::utc())), &seconds))
        },
        ..PER_QUERY
    },
    FunctionDef {
        name: "nowInBlock",
        description: "In ClickHouse the time at which a block is processed; in Entasis the time at \
                      which the query started.",
        arity: (0, 1),
        bind: now,
        ..PER_QUERY
    },
    FunctionDef {
        name: "today",
        aliases: &["current_date", "curdate"],
        case_insensitive: true,
        description: "The date on which the query started.",
        examples: &[("toTypeName(today())", "Date")],
        arity: (0, 1),
        bind: |args, context| day(0, args, context),
        ..PER_QUERY
    },
    FunctionDef {
        name: "yesterday",
        description: "The day before the date on which the query started.",
        examples: &[("minus(today(), yesterday())", "1")],
        arity: (0, 1),
        bind: |args, context| day(1, args, context),
        ..PER_QUERY
    },
    FunctionDef {
        name: "currentDatabase",
        aliases: &["database", "schema", "current_database"],
        case_insensitive: true,
        description: "The name of the current database.",
        examples: &[("currentDatabase()", "default")],
        bind: |_, context| text(context.database()),
        ..PER_QUERY
    },
    FunctionDef {
        name: "currentUser",
        aliases: &["user", "current_user", "session_user"],
        case_insensitive: true,
        description: "The name of the user who runs the query.",
        bind: |_, context| text(context.user()),
        ..PER_QUERY
    },
    FunctionDef {
        name: "version",
        case_insensitive: true,
        description: "The version of ClickHouse that Entasis is compatible with.",
        bind: |_, _| text(COMPATIBLE_VERSION),
        ..PER_QUERY
    },
    FunctionDef {
        name: "entasisVersion",
        description: "The version of Entasis.",
        bind: |_, _| text(env!("CARGO_PKG_VERSION")),
        ..PER_QUERY
    },
    FunctionDef {
        name: "timezone",
        aliases: &["timeZone"],
        description: "The session's time zone.",
        examples: &[("timezone()", "UTC")],
        bind: |_, context| text(context.time_zone().name()),
        ..PER_QUERY
    },
    FunctionDef {
        name: "serverTimezone",
        aliases: &["serverTimeZone"],
        description: "The server's time zone.",
        bind: |_, context| text(context.time_zone().name()),
        ..PER_QUERY
    },
    FunctionDef {
        name: "hostName",
        aliases: &["hostname", "fqdn", "FQDN"],
        description: "The name of the machine.",
        bind: |_, _| text(&HOST_NAME),
        ..PER_QUERY
    },
    FunctionDef {
        name: "displayName",
        description: "The name of the server that drivers show, which is the name of the machine.",
        bind: |_, _| text(&HOST_NAME),
        ..PER_QUERY
    },
    FunctionDef {
        name: "revision",
        case_insensitive: true,
        description: "The newest revision of ClickHouse's native protocol for which formats are \
                      written.",
        examples: &[("revision()", "54460")],
        bind: |_, _| Ok(constant(DataType::UInt32, &Value::UInt(REVISION))),
        ..PER_QUERY
    },
    FunctionDef {
        name: "uptime",
        description: "Seconds since the first call of this function in the process.",
        bind: |_, _| Ok(constant(DataType::UInt32, &Value::UInt(START.elapsed().as_secs()))),
        ..PER_QUERY
    },
    FunctionDef {
        name: "tcpPort",
        description: "The port of the native protocol.",
        bind: |_, context| {
            let port = context.setting("tcp_port").and_then(|v| v.as_u64()).unwrap_or(9000);
            Ok(constant(DataType::UInt16, &Value::UInt(port)))
        },
        ..PER_QUERY
    },
    FunctionDef {
        name: "connectionId",
        aliases: &["connection_id"],
        case_insensitive: true,
        description: "The number of the connection, for MySQL's clients; always 0.",
        bind: |_, _| Ok(constant(DataType::UInt64, &Value::UInt(0))),
        ..PER_QUERY
    },
    FunctionDef {
        name: "getSetting",
        description: "The value of a setting.",
        examples: &[("getSetting('max_threads')", "2")],
        arity: (1, 2),
        bind: get_setting,
        ..PER_QUERY
    },
    FunctionDef {
        name: "sleep",
        properties: Properties { fails: Fails::Always, ..Properties::NEVER_FOLDED },
        description: "Waits the given number of seconds (at most 3) for each chunk of rows.",
        examples: &[("sleep(0)", "0")],
        arity: (1, 1),
        bind: |args, _| sleep("sleep", false, args),
        ..PER_ROW
    },
    FunctionDef {
        name: "sleepEachRow",
        properties: Properties { fails: Fails::Always, ..Properties::NEVER_FOLDED },
        description: "Waits the given number of seconds for each row, at most 3 seconds for a \
                      chunk of rows.",
        arity: (1, 1),
        bind: |args, _| sleep("sleepEachRow", true, args),
        ..PER_ROW
    },
    FunctionDef {
        name: "rowNumberInBlock",
        description: "The number of the row within its chunk, from 0.",
        bind: |_, _| {
            Ok(BoundKernel::new(DataType::UInt64, |_, rows| {
                Ok(Column::from((0..rows as u64).collect::<Vec<u64>>()))
            }))
        },
        ..PER_ROW
    },
    FunctionDef {
        name: "rowNumberInAllBlocks",
        description: "The number of the row in the order of processing, from 0.",
        bind: |_, _| Ok(counter(true)),
        ..PER_ROW
    },
    FunctionDef {
        name: "blockNumber",
        description: "The number of the chunk of rows in the order of processing, from 0.",
        bind: |_, _| Ok(counter(false)),
        ..PER_ROW
    },
    FunctionDef {
        name: "blockSize",
        description: "The number of rows in the chunk that is processed.",
        bind: |_, _| {
            Ok(BoundKernel::new(DataType::UInt64, |_, rows| {
                Ok(entasis_function_kernel::kernel::constant(rows as u64, rows))
            }))
        },
        ..PER_ROW
    },
];
