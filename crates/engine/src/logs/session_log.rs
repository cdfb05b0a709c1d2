//! `system.session_log`: who has logged in, who was not let in, who has gone.
//!
//! Over HTTP that is a row for each request when it comes and one when it has been answered, as in
//! the reference; so the log is kept only where the configuration names it.

use std::time::Duration;

use entasis_base::clock::{Clock, SystemClock};
use entasis_types::Value;

use super::common::{Dated, TEXT, TEXTS, host_and_port, text_map, uuid};
use super::log::{Columns, Spec};
use crate::process::random;

/// What has happened; the numbers are those of the column `type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SessionKind {
    LoginFailure = 0,
    LoginSuccess = 1,
    Logout = 2,
}

/// How a user shows who he is; the numbers are those of the column `auth_type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum AuthKind {
    NoPassword = 0,
    PlaintextPassword = 1,
    Sha256Password = 2,
    /// Any salted and slow hash; the reference's name for one of them.
    BcryptPassword = 7,
}

/// Somebody who asks to be let in.
#[derive(Clone, Debug)]
pub struct Login {
    /// The same for all that is told of one login.
    pub id: u128,
    /// The id of a session that outlives the request.
    pub session_id: String,
    /// Who it is said to be; `None` if that cannot even be read.
    pub user: Option<String>,
    /// How the user shows who he is, where there is such a user.
    pub auth: Option<AuthKind>,
    /// Settings that the user's sessions start with.
    pub settings: Vec<(&'static str, String)>,
    /// From where.
    pub address: String,
}

impl Login {
    /// From an address.
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
    /// Something has happened now.
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

/// Nobody logs in from an unknown side.
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
