//! `system.session_log`: logins, refused logins and logouts.
//!
//! Over HTTP, each request adds a row when it comes and one when it has been answered, as in the
//! reference. The log is therefore kept only if the configuration names it.

use std::time::Duration;

use entasis_base::clock::{Clock, SystemClock};
use entasis_types::Value;

use super::common::{Dated, TEXT, TEXTS, host_and_port, text_map, uuid};
use super::log::{Columns, Spec};
use crate::process::random;

/// The kind of event; the numbers are those of the column `type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SessionKind {
    LoginFailure = 0,
    LoginSuccess = 1,
    Logout = 2,
}

/// A method of authentication; the numbers are those of the column `auth_type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum AuthKind {
    NoPassword = 0,
    PlaintextPassword = 1,
    Sha256Password = 2,
    /// Any salted and slow hash. The reference has this name for one of them.
    BcryptPassword = 7,
}

/// A login, or an attempt at one.
#[derive(Clone, Debug)]
pub struct Login {
    /// Number of the login; all rows about one login have the same.
    pub id: u128,
    /// Id of an HTTP session, which lasts longer than the request; empty without one.
    pub session_id: String,
    /// The name that the user gives; `None` if it cannot be read from the request.
    pub user: Option<String>,
    /// The method with which the user is authenticated; `None` if there is no such user.
    pub auth: Option<AuthKind>,
    /// Settings that the user's sessions start with.
    pub settings: Vec<(&'static str, String)>,
    /// Host and port of the client.
    pub address: String,
}

impl Login {
    /// A login from an address, with a new id; nothing else is known yet.
    pub fn new(address: &str) -> Self {
        Self {
            id: u128::from(random()) << 64 | u128::from(random()),
            session_id: String::new(),
            user: None,
            auth: None,
            settings: Vec::new(),
            address: address.to_string(),
        }
    }
}

/// A row of the log.
pub(super) struct SessionRow {
    at: Duration,
    kind: SessionKind,
    reason: String,
    login: Login,
}

impl SessionRow {
    /// A row about an event that happens now.
    pub(super) fn new(kind: SessionKind, login: Login, reason: &str) -> Self {
        Self { at: SystemClock.now(), kind, reason: reason.to_string(), login }
    }
}

impl Dated for SessionRow {
    fn at(&self) -> Duration {
        self.at
    }
}

fn settings(row: &SessionRow) -> Value {
    text_map(row.login.settings.iter().map(|(name, value)| (*name, value.as_str())))
}

const AUTHS: &str = "Nullable(Enum8('NO_PASSWORD' = 0, 'PLAINTEXT_PASSWORD' = 1, 'SHA256_PASSWORD' = 2, \
     'DOUBLE_SHA1_PASSWORD' = 3, 'LDAP' = 4, 'KERBEROS' = 5, 'SSL_CERTIFICATE' = 6, \
     'BCRYPT_PASSWORD' = 7, 'SSH_KEY' = 8, 'HTTP' = 9, 'JWT' = 10, 'SCRAM_SHA256_PASSWORD' = 11, \
     'NO_AUTHENTICATION' = 12))";

/// As `INTERFACES`, without 'Unknown': the interface of a login is always known.
const OF_SESSIONS: &str = "Enum8('TCP' = 1, 'HTTP' = 2, 'gRPC' = 3, 'MySQL' = 4, 'PostgreSQL' = 5, 'Local' = 6, \
     'TCP_Interserver' = 7, 'Prometheus' = 8, 'Background' = 9, 'ArrowFlight' = 10)";

const FIRST: Columns<SessionRow> = &[
    (
        "type",
        "Enum8('LoginFailure' = 0, 'LoginSuccess' = 1, 'Logout' = 2)",
        Some(|r| Value::Int(r.kind as i64)),
    ),
    ("auth_id", "UUID", Some(|r| uuid(r.login.id))),
    ("session_id", "String", Some(|r| Value::from(r.login.session_id.as_str()))),
];

const REST: Columns<SessionRow> = &[
    (
        "user",
        "Nullable(String)",
        Some(|r| r.login.user.as_deref().map_or(Value::Null, Value::from)),
    ),
    (
        "auth_type",
        AUTHS,
        Some(|r| r.login.auth.map_or(Value::Null, |auth| Value::Int(auth as i64))),
    ),
    ("profiles", TEXTS, None),
    ("roles", TEXTS, None),
    ("settings", "Array(Tuple(LowCardinality(String), String))", Some(settings)),
    ("client_address", "String", Some(|r| Value::from(host_and_port(&r.login.address).0))),
    ("client_port", "UInt16", Some(|r| Value::UInt(host_and_port(&r.login.address).1.into()))),
    ("interface", OF_SESSIONS, Some(|_| Value::Int(2))),
    ("client_hostname", "String", None),
    ("client_name", "String", None),
    ("client_revision", "UInt32", None),
    ("client_version_major", "UInt32", None),
    ("client_version_minor", "UInt32", None),
    ("client_version_patch", "UInt32", None),
    ("failure_reason", "String", Some(|r| Value::from(r.reason.as_str()))),
    ("certificate_subjects", TEXTS, None),
    ("certificate_serial", TEXT, None),
    ("certificate_issuer", TEXT, None),
    ("certificate_not_before", "Nullable(DateTime64(0, 'UTC'))", None),
    ("certificate_not_after", "Nullable(DateTime64(0, 'UTC'))", None),
];

/// The log.
pub(super) const LOG: Spec<SessionRow> = Spec {
    by_default: false,
    ..Spec::new(
        "session_log",
        &[SessionRow::HOST, FIRST, SessionRow::TIME, SessionRow::MICROS, REST],
    )
};
