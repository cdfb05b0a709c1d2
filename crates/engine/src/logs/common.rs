//! Columns that several logs share: where and when a row was written, and about which statement.

use std::sync::OnceLock;
use std::time::Duration;

use entasis_function::COMPATIBLE_VERSION;
use entasis_types::Value;
use entasis_types::text_type::swap_uuid;

use super::log::Columns;
use super::log_entry::QueryLogEntry;
use crate::process::client::Method;

pub(super) const TEXT: &str = "LowCardinality(String)";
pub(super) const TEXTS: &str = "Array(LowCardinality(String))";
pub(super) const COUNTS: &str = "Map(LowCardinality(String), UInt64)";
pub(super) const INTERFACES: &str = "Enum8('Unknown' = 0, 'TCP' = 1, 'HTTP' = 2, 'gRPC' = 3, 'MySQL' = 4, 'PostgreSQL' = 5, \
     'Local' = 6, 'TCP_Interserver' = 7, 'Prometheus' = 8, 'Background' = 9, 'ArrowFlight' = 10)";
const METHODS: &str = "Enum8('UNKNOWN' = 0, 'GET' = 1, 'POST' = 2, 'OPTIONS' = 3, 'PUT' = 4, \
                       'DELETE' = 5, 'HEAD' = 6)";

/// The machine's name.
fn host_name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        let name = std::fs::read_to_string("/proc/sys/kernel/hostname");
        name.map_or_else(|_| "localhost".into(), |name| name.trim().to_string())
    })
}

/// A time in microseconds, the unit of DateTime64(6).
pub(super) fn micros(time: Duration) -> Value {
    Value::Int(time.as_micros() as i64)
}

/// A UUID whose text consists of the hexadecimal digits of this number.
pub(super) fn uuid(digits: u128) -> Value {
    Value::string(&swap_uuid(digits).to_be_bytes())
}

/// Texts as an array.
pub(super) fn list<'a>(items: impl Iterator<Item = &'a str>) -> Value {
    Value::Array(items.map(Value::from).collect())
}

/// Names and counts as a map.
pub(super) fn count_map(counts: &[(&'static str, u64)]) -> Value {
    let pair = |(name, count): &(&'static str, u64)| {
        Value::Tuple([Value::from(*name), Value::UInt(*count)].into())
    };
    Value::Array(counts.iter().map(pair).collect())
}

/// Names and texts as a map.
pub(super) fn text_map<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Value {
    let pair = |(name, value)| Value::Tuple([Value::from(name), Value::from(value)].into());
    Value::Array(pairs.map(pair).collect())
}

/// Splits an address into host and port; an empty host and 0 if it has no port.
pub(super) fn host_and_port(address: &str) -> (&str, u16) {
    match address.rsplit_once(':') {
        Some((host, port)) => (host.trim_matches(['[', ']']), port.parse().unwrap_or(0)),
        None => ("", 0),
    }
}

/// A row about something that happened at a certain time.
pub(super) trait Dated: Sized + 'static {
    /// Time since 1970.
    fn at(&self) -> Duration;

    /// Columns of the server that wrote the row.
    const HOST: Columns<Self> = &[
        ("hostname", TEXT, Some(|_| Value::from(host_name()))),
        ("clickhouse_version", TEXT, Some(|_| Value::from(COMPATIBLE_VERSION))),
        ("system_processor", TEXT, Some(|_| Value::from(std::env::consts::ARCH))),
    ];

    /// Columns of the time in seconds.
    const TIME: Columns<Self> = &[
        ("event_date", "Date", Some(|r| Value::UInt(r.at().as_secs() / 86_400))),
        ("event_time", "DateTime", Some(|r| Value::UInt(r.at().as_secs()))),
    ];

    /// The column of the time in microseconds.
    const MICROS: Columns<Self> =
        &[("event_time_microseconds", "DateTime64(6)", Some(|r| micros(r.at())))];
}

fn address(log_entry: &QueryLogEntry) -> Value {
    Value::from(host_and_port(&log_entry.address).0)
}

fn port(log_entry: &QueryLogEntry) -> Value {
    Value::UInt(u64::from(host_and_port(&log_entry.address).1))
}

fn method(log_entry: &QueryLogEntry) -> Value {
    Value::Int(log_entry.client.as_ref().map_or(Method::Unknown, |client| client.method) as i64)
}

fn of_client(log_entry: &QueryLogEntry, of: impl Fn(&crate::Client) -> &str) -> Value {
    Value::from(log_entry.client.as_ref().map_or("", |client| of(client)))
}

/// A row about a statement.
pub(super) trait OfStatement: Sized + 'static {
    /// What is known of the statement.
    fn log_entry(&self) -> &QueryLogEntry;

    /// Columns of the time at which the statement began.
    const START: Columns<Self> = &[
        ("query_start_time", "DateTime", Some(|r| Value::UInt(r.log_entry().began.as_secs()))),
        ("query_start_time_microseconds", "DateTime64(6)", Some(|r| micros(r.log_entry().began))),
    ];

    /// Columns of the user and the client. Addresses are text, since there is no type IPv6 yet.
    const WHOSE: Columns<Self> = &[
        ("is_initial_query", "UInt8", Some(|_| Value::UInt(1))),
        ("connection_address", "String", Some(|r| address(r.log_entry()))),
        ("connection_port", "UInt16", Some(|r| port(r.log_entry()))),
        ("user", TEXT, Some(|r| Value::from(&*r.log_entry().user))),
        ("query_id", "String", Some(|r| Value::from(&*r.log_entry().query_id))),
        ("address", "String", Some(|r| address(r.log_entry()))),
        ("port", "UInt16", Some(|r| port(r.log_entry()))),
        ("initial_user", TEXT, Some(|r| Value::from(&*r.log_entry().user))),
        ("initial_query_id", "String", Some(|r| Value::from(&*r.log_entry().query_id))),
        ("initial_address", "String", Some(|r| address(r.log_entry()))),
        ("initial_port", "UInt16", Some(|r| port(r.log_entry()))),
        (
            "initial_query_start_time",
            "DateTime",
            Some(|r| Value::UInt(r.log_entry().began.as_secs())),
        ),
        (
            "initial_query_start_time_microseconds",
            "DateTime64(6)",
            Some(|r| micros(r.log_entry().began)),
        ),
        ("authenticated_user", TEXT, Some(|r| Value::from(&*r.log_entry().user))),
        (
            "interface",
            INTERFACES,
            Some(|r| Value::Int(if r.log_entry().address.is_empty() { 6 } else { 2 })),
        ),
        ("is_secure", "UInt8", None),
        ("os_user", TEXT, None),
        ("client_hostname", TEXT, None),
        ("client_name", TEXT, None),
        ("client_agent", TEXT, None),
        ("client_revision", "UInt32", None),
        ("client_version_major", "UInt32", None),
        ("client_version_minor", "UInt32", None),
        ("client_version_patch", "UInt32", None),
        ("script_query_number", "UInt32", None),
        ("script_line_number", "UInt32", None),
        ("http_method", METHODS, Some(|r| method(r.log_entry()))),
        ("http_user_agent", TEXT, Some(|r| of_client(r.log_entry(), |c| &c.user_agent))),
        ("http_referer", "String", Some(|r| of_client(r.log_entry(), |c| &c.referer))),
        ("forwarded_for", "String", Some(|r| of_client(r.log_entry(), |c| &c.forwarded_for))),
        ("quota_key", "String", Some(|r| of_client(r.log_entry(), |c| &c.quota_key))),
        ("distributed_depth", "UInt64", None),
        ("revision", "UInt32", None),
    ];

    /// Columns of the HTTP request that the statement came with.
    const REQUEST: Columns<Self> = &[
        ("http_handler_name", "String", None),
        ("http_request_url", "String", Some(|r| of_client(r.log_entry(), |c| &c.url))),
    ];
}
