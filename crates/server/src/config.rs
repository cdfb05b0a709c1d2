//! The configuration: one readable TOML file in which all keys are optional. Unknown keys are
//! errors.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use entasis_base::log::Level;
use entasis_base::{Error, Result, codes};
use serde::Deserialize;

use crate::encryption::EncryptionCodecs;
use crate::graphite::Graphite;
use crate::password;

/// The configuration of the server. Options of the command line override the values of the file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Addresses to listen on.
    pub listen: Vec<String>,
    /// HTTP port; 0 takes a free one.
    pub http_port: u16,
    /// Folder that holds the tables and `user_files`.
    pub path: PathBuf,
    /// Folders in which BACKUP and RESTORE may use absolute paths. Relative paths are beneath the
    /// folder `backups` of `path`.
    pub backup_paths: Vec<PathBuf>,
    /// Time zone of DateTime values whose type names none.
    pub time_zone: String,
    /// Number of threads of the pool; 0 means one per core.
    pub threads: usize,
    /// Most bytes of memory for the process, such as `"8 GiB"`; 0 means that only the ratio counts.
    #[serde(alias = "max_memory")]
    pub max_server_memory_usage: Size,
    /// The share of the memory of the machine, or of the control group, that is never exceeded; 0
    /// means no limit.
    pub max_server_memory_usage_to_ram_ratio: f64,
    /// Number of connections beyond which new ones wait.
    pub max_connections: usize,
    /// Number of statements that may run at a time; further ones are refused with error 202.
    pub max_concurrent_queries: usize,
    /// Most bytes to which a compressed request may unpack.
    pub max_decompressed: Size,
    /// Seconds that an idle connection is kept.
    pub keep_alive_seconds: u64,
    /// Seconds that running statements get to finish when the server is stopped.
    pub shutdown_seconds: u64,
    /// Longest timeout of an idle session, in seconds.
    pub max_session_seconds: u64,
    /// Names of this server that clients may use, besides addresses and localhost.
    pub allowed_hosts: Vec<String>,
    /// Hosts that the table function `url` may reach: names or addresses, also with a port, or
    /// `*.example.org`. None are allowed by default.
    pub url_hosts: Vec<String>,
    /// Web origins besides the server's own whose pages may send requests, such as
    /// `https://grafana.example.org`.
    pub allowed_origins: Vec<String>,
    /// The value of `X-ClickHouse-Server-Display-Name`; empty means the name of the machine.
    pub display_name: String,
    /// The logs that are kept in `system`: the usual ones, none, or those in a list.
    pub logs: Logs,
    /// Milliseconds between writes of the logs.
    pub log_interval_ms: u64,
    /// Days for which logs are kept; 0 means for ever.
    pub log_days: u64,
    /// Milliseconds between rows of the logs that are written at intervals, such as `metric_log`.
    pub log_metrics_ms: u64,
    /// Messages of this and more serious levels are written; `none` writes no messages.
    pub log_level: Verbosity,
    /// The file to which messages are appended; empty means stderr.
    pub log_file: PathBuf,
    /// Settings that every session starts with.
    pub settings: BTreeMap<String, toml::Value>,
    /// The rules of GraphiteMergeTree tables, by name.
    pub graphite: BTreeMap<String, Graphite>,
    /// The keys of the codecs of encryption.
    pub encryption_codecs: EncryptionCodecs,
    /// The users. Without an entry there is a user `default` without a password.
    pub users: BTreeMap<String, User>,
}

/// A user.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct User {
    /// The password itself.
    pub password: Option<String>,
    /// The SHA-256 digest of the password, in hexadecimal digits.
    pub password_sha256_hex: Option<String>,
    /// The Argon2id hash of the password, `$argon2id$...`. It is the best choice, because it is
    /// salted and slow to guess.
    pub password_hash: Option<String>,
    /// Settings with which this user's sessions start, for example `readonly = 1`.
    pub settings: BTreeMap<String, toml::Value>,
    /// Bounds of the settings that this user may change.
    pub constraints: BTreeMap<String, Constraint>,
}

/// Bounds of a setting: `max_memory_usage = { max = "4G" }`, `log_queries = { readonly = true }`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Constraint {
    /// The least value.
    pub min: Option<toml::Value>,
    /// The greatest value. If 0 means no limit, it is not allowed either.
    pub max: Option<toml::Value>,
    /// Whether the value may not be changed.
    pub readonly: bool,
}

/// Which logs are kept.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Logs {
    /// The usual ones (true), or none (false).
    All(bool),
    /// The logs in this list.
    These(Vec<String>),
}

/// The least level of messages that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Verbosity(pub Option<Level>);

impl TryFrom<String> for Verbosity {
    type Error = String;

    fn try_from(name: String) -> std::result::Result<Self, String> {
        if name.eq_ignore_ascii_case("none") {
            return Ok(Self(None));
        }
        Level::parse(&name).map(|level| Self(Some(level))).ok_or_else(|| {
            let names = Level::ALL.map(|level| level.name().to_ascii_lowercase()).join(", ");
            format!("`{name}` is no level of messages: there are {names}, none")
        })
    }
}

/// A number of bytes: `1_000_000` or `"8 GiB"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "toml::Value")]
pub struct Size(pub u64);

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: vec!["127.0.0.1".to_string()],
            http_port: 8123,
            path: PathBuf::from("entasis-data"),
            backup_paths: Vec::new(),
            time_zone: "UTC".to_string(),
            threads: 0,
            max_server_memory_usage: Size(0),
            max_server_memory_usage_to_ram_ratio: entasis_engine::MEMORY_RATIO,
            max_connections: 1024,
            max_concurrent_queries: 100,
            max_decompressed: Size(64 << 30),
            keep_alive_seconds: 30,
            shutdown_seconds: 10,
            max_session_seconds: 3600,
            allowed_hosts: Vec::new(),
            url_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            display_name: String::new(),
            logs: Logs::All(true),
            log_interval_ms: 7500,
            log_days: 30,
            log_metrics_ms: 1000,
            log_level: Verbosity(Some(Level::Information)),
            log_file: PathBuf::new(),
            settings: BTreeMap::new(),
            graphite: BTreeMap::new(),
            encryption_codecs: EncryptionCodecs::default(),
            users: BTreeMap::new(),
        }
    }
}

impl TryFrom<toml::Value> for Size {
    type Error = String;

    fn try_from(value: toml::Value) -> std::result::Result<Self, String> {
        const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
        let wrong = || format!("`{value}` is no size: write bytes as a number, or \"8 GiB\"");
        match &value {
            toml::Value::Integer(n) => u64::try_from(*n).map(Self).map_err(|_| wrong()),
            toml::Value::String(text) => {
                let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).trim_end();
                let unit = text[digits.len()..].trim();
                let power = UNITS.iter().position(|u| *u == unit).ok_or_else(wrong)?;
                let number: f64 = digits.parse().map_err(|_| wrong())?;
                Ok(Self((number * 1024f64.powi(power as i32)) as u64))
            }
            _ => Err(wrong()),
        }
    }
}

impl Config {
    /// Reads a configuration file.
    pub fn read(path: &str) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| {
            Error::new(codes::CANNOT_OPEN_FILE, format!("Cannot read {path}")).with_cause(e)
        })?;
        Self::parse(&text).map_err(|e| e.context(path))
    }

    /// Parses the text of a configuration file.
    pub fn parse(text: &str) -> Result<Self> {
        let config: Self = toml::from_str(text).map_err(|e| {
            let message = e.to_string();
            Error::new(codes::INVALID_CONFIG_PARAMETER, message.trim_end())
        })?;
        for (name, user) in &config.users {
            user.check(name)?;
        }
        let ratio = config.max_server_memory_usage_to_ram_ratio;
        if !(0.0..=1.0).contains(&ratio) {
            let message = format!(
                "max_server_memory_usage_to_ram_ratio: {ratio} is no part of the machine's \
                 memory: write a number from 0 to 1"
            );
            return Err(Error::new(codes::INVALID_CONFIG_PARAMETER, message));
        }
        Ok(config)
    }

    /// Most bytes of memory for the process; 0 means no limit.
    pub fn memory_limit(&self) -> u64 {
        let ratio = self.max_server_memory_usage_to_ram_ratio;
        entasis_engine::memory_limit(self.max_server_memory_usage.0, ratio)
    }

    /// The warning for passwords in clear text in a file that others can read.
    pub fn exposed_passwords(&self, path: &str) -> Option<String> {
        let (user, _) = self.users.iter().find(|(_, user)| user.password.is_some())?;
        let mode = std::fs::metadata(path).ok()?.permissions().mode();
        (mode & 0o077 != 0).then(|| {
            format!(
                "{path} has the password of user {user} in the clear, and other users of this \
                 machine can read the file. Write password_hash instead (made by: entasis \
                 hash-password), or: chmod 600 {path}"
            )
        })
    }

    /// The addresses to listen on. If a user has no password, only addresses of this machine are
    /// allowed.
    pub fn addresses(&self) -> Result<Vec<IpAddr>> {
        let mut addresses = Vec::new();
        for text in &self.listen {
            let address = match text.as_str() {
                "localhost" => IpAddr::from([127, 0, 0, 1]),
                other => other.trim_matches(['[', ']']).parse().map_err(|_| {
                    let message = format!("listen: `{other}` is no IP address");
                    Error::new(codes::INVALID_CONFIG_PARAMETER, message)
                })?,
            };
            addresses.push(address);
        }
        if addresses.is_empty() {
            let message = "listen: name an address, such as 127.0.0.1";
            return Err(Error::new(codes::INVALID_CONFIG_PARAMETER, message));
        }
        let open = addresses.iter().find(|a| !a.to_canonical().is_loopback());
        if let (Some(open), Some(user)) = (open, self.user_without_password()) {
            let message = format!(
                "Refusing to listen on {open}: user {user} has no password, so that anybody on \
                 the network could read and change everything. Listen on 127.0.0.1, or set a \
                 password in the configuration file: [users.{user}] password_hash = \"...\" \
                 (made by: entasis hash-password)"
            );
            return Err(Error::new(codes::REQUIRED_PASSWORD, message));
        }
        Ok(addresses)
    }

    fn user_without_password(&self) -> Option<&str> {
        if self.users.is_empty() {
            return Some("default");
        }
        let open = self.users.iter().find(|(_, u)| !u.has_password());
        open.map(|(name, _)| name.as_str())
    }
}

impl User {
    fn has_password(&self) -> bool {
        self.ways() > 0
    }

    /// The number of keys that give this user a password.
    fn ways(&self) -> usize {
        let all = [&self.password, &self.password_sha256_hex, &self.password_hash];
        all.iter().filter(|given| given.is_some()).count()
    }

    fn check(&self, name: &str) -> Result<()> {
        let wrong = |given: &Option<String>, is_right: fn(&str) -> bool| {
            given.as_deref().is_some_and(|text| !is_right(text))
        };
        let problem = if self.ways() > 1 {
            "give one of password, password_sha256_hex and password_hash, not several"
        } else if wrong(&self.password, |text| !text.is_empty()) {
            "an empty password: leave it out"
        } else if wrong(&self.password_sha256_hex, |hex| password::digest_of_hex(hex).is_some()) {
            "password_sha256_hex takes 64 hexadecimal digits"
        } else if wrong(&self.password_hash, password::is_hash) {
            "password_hash takes what `entasis hash-password` prints"
        } else {
            return Ok(());
        };
        let message = format!("users.{name}: {problem}");
        Err(Error::new(codes::INVALID_CONFIG_PARAMETER, message))
    }
}

/// Converts a value of the file to the text of a setting.
pub(crate) fn setting_text(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Boolean(flag) => u8::from(*flag).to_string(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_is_enough() {
        let config = Config::parse("").unwrap();
        assert_eq!((config.http_port, config.listen.len()), (8123, 1));
        assert_eq!(config.addresses().unwrap(), [IpAddr::from([127, 0, 0, 1])]);
    }

    #[test]
    fn unknown_keys_and_wrong_values_are_named() {
        let error = Config::parse("http_prot = 1").unwrap_err();
        assert_eq!(error.code(), codes::INVALID_CONFIG_PARAMETER);
        assert!(error.message().contains("http_prot") && error.message().contains("http_port"));
        for (text, part) in [
            ("[users.a]\npasword = 'x'", "pasword"),
            ("http_port = 70000", "70000"),
            ("max_memory = '8 GB'", "8 GiB"),
            ("max_server_memory_usage_to_ram_ratio = 80", "from 0 to 1"),
            ("[users.a]\npassword_sha256_hex = 'x'", "64 hexadecimal"),
            ("[users.a]\npassword = ''", "leave it out"),
            ("[users.a]\npassword_hash = 'x'", "entasis hash-password"),
            ("[users.a]\npassword = 'x'\npassword_hash = 'x'", "not several"),
            ("log_level = 'loud'", "no level of messages"),
        ] {
            let error = Config::parse(text).unwrap_err();
            assert!(error.message().contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn logs_are_all_none_or_a_list() {
        let config = Config::parse("logs = ['query_log']\nlog_level = 'Trace'").unwrap();
        assert_eq!(config.logs, Logs::These(vec!["query_log".into()]));
        assert_eq!(config.log_level, Verbosity(Some(Level::Trace)));
        let config = Config::parse("logs = false\nlog_level = 'none'").unwrap();
        assert_eq!((config.logs, config.log_level), (Logs::All(false), Verbosity(None)));
    }

    #[test]
    fn sizes_have_units() {
        let config = Config::parse("max_memory = '1.5 GiB'\nmax_decompressed = 10").unwrap();
        let sizes = (config.max_server_memory_usage, config.max_decompressed);
        assert_eq!(sizes, (Size(3 << 29), Size(10)));
        let config = Config::parse("max_server_memory_usage = '1 GiB'").unwrap();
        assert_eq!(config.memory_limit(), 1 << 30);
        let both = "max_memory = 1\nmax_server_memory_usage = 1";
        assert!(Config::parse(both).is_err());
        let half = Config::parse("max_server_memory_usage_to_ram_ratio = 0.5").unwrap();
        let (half, most) = (half.memory_limit(), Config::default().memory_limit());
        assert!(half > 0 && half.abs_diff(most / 8 * 5) < 100, "{half} of {most}");
        let none = Config::parse("max_server_memory_usage_to_ram_ratio = 0").unwrap();
        assert_eq!(none.memory_limit(), 0);
    }

    #[test]
    fn no_address_but_loopback_without_a_password() {
        for open in ["0.0.0.0", "::", "192.168.1.5", "::ffff:10.0.0.1"] {
            let text = format!("listen = ['127.0.0.1', '{open}']");
            let error = Config::parse(&text).unwrap().addresses().unwrap_err();
            assert!(error.message().contains("password_hash"), "{error}");
            let with = format!("{text}\n[users.default]\npassword = 'x'");
            assert_eq!(Config::parse(&with).unwrap().addresses().unwrap().len(), 2);
            let other = format!("{with}\n[users.other]");
            assert!(Config::parse(&other).unwrap().addresses().is_err());
        }
        for own in ["127.0.0.1", "127.9.9.9", "::1", "localhost", "[::1]", "::ffff:127.0.0.1"] {
            assert!(Config::parse(&format!("listen = ['{own}']")).unwrap().addresses().is_ok());
        }
    }
}
