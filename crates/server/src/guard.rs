//! Decides who may send requests: checks Host against DNS rebinding, Origin against pages of other
//! sites, and passwords.

use std::collections::BTreeMap;
use std::net::IpAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use entasis_base::{Error, Result, codes};
use entasis_engine::{AuthKind, Settings, settings};
use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, HOST, HeaderName, ORIGIN};
use tokio::runtime::RuntimeFlavor;

use crate::config::{Config, Constraint, setting_text};
use crate::password::Secret;
use crate::request::Parameters;

/// A user, as the server keeps it.
pub(crate) struct Account {
    secret: Secret,
    /// The kind of the user's credentials.
    pub auth: AuthKind,
    /// Settings with which the user's sessions start.
    pub settings: Settings,
}

impl Account {
    /// Whether the logs hide the statements of other users, because the configuration restricts
    /// this user to reading.
    pub fn is_restricted(&self) -> bool {
        self.settings.u64(settings::READONLY) > 0
    }
}

/// The checks of a request before its statement.
pub(crate) struct Guard {
    accounts: BTreeMap<String, Account>,
    hosts: Vec<String>,
    origins: Vec<String>,
}

/// Headers that may occur only once. If there were several, a proxy in front might have checked
/// another one.
const ONCE: [HeaderName; 3] = [HOST, ORIGIN, AUTHORIZATION];

/// Checks that each of these headers occurs at most once.
pub(crate) fn check_once(headers: &HeaderMap) -> std::result::Result<(), String> {
    match ONCE.iter().find(|name| headers.get_all(*name).iter().nth(1).is_some()) {
        Some(name) => Err(format!("The header {name} is there more than once.\n")),
        None => Ok(()),
    }
}

/// Whether a host is an address or means this machine, so that no DNS answer can redirect it.
fn is_plain_host(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    host.eq_ignore_ascii_case("localhost")
        || host.to_ascii_lowercase().ends_with(".localhost")
        || host.parse::<IpAddr>().is_ok()
}

/// A host without its port.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port))
            if port.bytes().all(|b| b.is_ascii_digit())
                && (!name.contains(':') || name.ends_with(']')) =>
        {
            name
        }
        _ => host,
    }
}

fn apply(settings: &mut Settings, from: &BTreeMap<String, toml::Value>) -> Result<()> {
    // `readonly` is applied last, because it forbids changing the others.
    let (last, first): (Vec<_>, Vec<_>) = from.iter().partition(|(name, _)| *name == "readonly");
    for (name, value) in first.into_iter().chain(last) {
        let text = setting_text(value);
        settings.set_text(name, &text).map_err(|e| e.context("settings of the configuration"))?;
    }
    Ok(())
}

fn constrain(settings: &mut Settings, from: &BTreeMap<String, Constraint>) -> Result<()> {
    for (name, Constraint { min, max, readonly }) in from {
        let (min, max) = (min.as_ref().map(setting_text), max.as_ref().map(setting_text));
        let done = settings.constrain(name, min.as_deref(), max.as_deref(), *readonly);
        done.map_err(|e| e.context("constraints of the configuration"))?;
    }
    Ok(())
}

impl Guard {
    /// Makes the guard for a configuration.
    pub fn new(config: &Config) -> Result<Self> {
        let mut accounts = BTreeMap::new();
        let mut shared = Settings::default();
        apply(&mut shared, &config.settings)?;
        for (name, user) in &config.users {
            let mut settings = shared.clone();
            apply(&mut settings, &user.settings)?;
            constrain(&mut settings, &user.constraints)?;
            let secret = Secret::of(user);
            let auth = match (&user.password, &secret) {
                (Some(_), _) => AuthKind::PlaintextPassword,
                (None, Secret::Sha256(_)) => AuthKind::Sha256Password,
                (None, Secret::Argon2 { .. }) => AuthKind::BcryptPassword,
                (None, Secret::Open) => AuthKind::NoPassword,
            };
            accounts.insert(name.clone(), Account { secret, auth, settings });
        }
        if accounts.is_empty() {
            let open =
                Account { secret: Secret::Open, auth: AuthKind::NoPassword, settings: shared };
            accounts.insert("default".to_string(), open);
        }
        let lower = |names: &[String]| names.iter().map(|n| n.to_ascii_lowercase()).collect();
        let (hosts, origins) = (lower(&config.allowed_hosts), lower(&config.allowed_origins));
        Ok(Self { accounts, hosts, origins })
    }

    /// Checks that the name by which the client called this server is one of its names. A page of
    /// another site whose name was made to point here (DNS rebinding) still sends the name of that
    /// site.
    pub fn check_host(&self, headers: &HeaderMap) -> std::result::Result<(), String> {
        let Some(host) = headers.get(HOST) else { return Ok(()) };
        let host = host.to_str().unwrap_or_default();
        let name = without_port(host).to_ascii_lowercase();
        if is_plain_host(&name) || self.hosts.contains(&name) {
            return Ok(());
        }
        Err(format!(
            "Host `{host}` is not one of this server's names. Use its address, or add \
             allowed_hosts = [\"{name}\"] to its configuration.\n"
        ))
    }

    /// Checks that a page that sends the request is the server's own or an allowed one. Returns the
    /// origin to allow in the answer.
    pub fn check_origin(&self, headers: &HeaderMap) -> std::result::Result<Option<String>, String> {
        let text = |name: &str| headers.get(name).and_then(|v| v.to_str().ok());
        let Some(origin) = headers.get(ORIGIN).and_then(|v| v.to_str().ok()) else {
            // Images and forms of other sites send no Origin, but this header says that they are
            // elsewhere.
            return match text("sec-fetch-site") {
                Some("cross-site" | "same-site") => Err(refused("a page of another site")),
                _ => Ok(None),
            };
        };
        let lower = origin.to_ascii_lowercase();
        let host = headers.get(HOST).and_then(|v| v.to_str().ok()).unwrap_or_default();
        let own = lower.strip_prefix("http://").or(lower.strip_prefix("https://"));
        if own.is_some_and(|own| own == host.to_ascii_lowercase()) {
            return Ok(None);
        }
        if self.origins.contains(&lower) {
            return Ok(Some(origin.to_string()));
        }
        Err(refused(&format!("origin `{origin}`")))
    }

    /// Whether the logs hide other users' statements from this user.
    pub fn is_restricted(&self, user: &str) -> bool {
        self.accounts.get(user).is_none_or(Account::is_restricted)
    }

    /// The user that the request names, before its credentials are checked.
    pub fn named(&self, headers: &HeaderMap, parameters: &Parameters) -> Option<String> {
        let given = credentials(headers, parameters).ok()?;
        Some(given.map_or_else(|| "default".to_string(), |(user, _)| user))
    }

    /// Checks the credentials of the request and returns the user.
    pub fn authenticate(
        &self,
        headers: &HeaderMap,
        parameters: &Parameters,
    ) -> Result<(String, &Account)> {
        let given = credentials(headers, parameters)?;
        let none_given = given.is_none();
        let (user, password) = given.unwrap_or_else(|| ("default".into(), String::new()));
        let account = self.accounts.get(&user);
        let matches = account.is_some_and(|account| {
            let check = || account.secret.matches(&password);
            if account.secret.is_slow() { aside(check) } else { check() }
        });
        match account {
            Some(account) if matches => Ok((user, account)),
            _ if none_given => Err(Error::new(
                codes::REQUIRED_PASSWORD,
                "A password is required: send X-ClickHouse-User and X-ClickHouse-Key, or Basic \
                 authentication",
            )),
            _ => Err(Error::new(
                codes::AUTHENTICATION_FAILED,
                format!(
                    "{user}: Authentication failed: password is incorrect, or there is no user \
                     with such name"
                ),
            )),
        }
    }
}

fn refused(who: &str) -> String {
    format!(
        "Refusing a request from {who}. Add it to allowed_origins in the server's configuration \
         if it may ask.\n"
    )
}

/// Does slow work in such a way that other connections on this thread of the runtime continue.
fn aside<T>(work: impl FnOnce() -> T) -> T {
    match tokio::runtime::Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}

/// The user and password, from the one method that the request uses.
fn credentials(headers: &HeaderMap, parameters: &Parameters) -> Result<Option<(String, String)>> {
    let text = |name: &str| headers.get(name).and_then(|v| v.to_str().ok()).map(str::to_string);
    let pair = |user: Option<String>, password: Option<String>| {
        let given = user.is_some() || password.is_some();
        given.then(|| {
            let user = user.filter(|u| !u.is_empty()).unwrap_or_else(|| "default".into());
            (user, password.unwrap_or_default())
        })
    };
    let by_header = pair(text("x-clickhouse-user"), text("x-clickhouse-key"));
    let by_basic = match headers.get(AUTHORIZATION).and_then(|v| v.to_str().ok()) {
        Some(header) => Some(basic(header)?),
        None => None,
    };
    let by_url = pair(
        parameters.last("user").map(str::to_string),
        parameters.last("password").map(str::to_string),
    );
    let mut ways = [by_header, by_basic, by_url].into_iter().flatten();
    let first = ways.next();
    if ways.next().is_some() {
        let message = "Invalid authentication: use one of X-ClickHouse-User/-Key headers, Basic \
                       authentication, or user and password in the URL, not several";
        return Err(Error::new(codes::AUTHENTICATION_FAILED, message));
    }
    Ok(first)
}

fn basic(header: &str) -> Result<(String, String)> {
    let wrong = || {
        let message = "Invalid authentication: only `Basic` credentials are understood here";
        Error::new(codes::AUTHENTICATION_FAILED, message)
    };
    let (scheme, coded) = header.split_once(' ').ok_or_else(wrong)?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return Err(wrong());
    }
    let decoded = BASE64.decode(coded.trim()).map_err(|_| wrong())?;
    let text = String::from_utf8(decoded).map_err(|_| wrong())?;
    let (user, password) = text.split_once(':').ok_or_else(wrong)?;
    Ok((user.to_string(), password.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(text: &str) -> Guard {
        Guard::new(&Config::parse(text).unwrap()).unwrap()
    }

    fn headers(list: &[(&'static str, &str)]) -> HeaderMap {
        list.iter().map(|(n, v)| (n.parse().unwrap(), v.parse().unwrap())).collect()
    }

    #[test]
    fn hosts_that_are_addresses_or_known() {
        let guard = guard("allowed_hosts = ['Db.Example.org']");
        for host in [
            "localhost",
            "LOCALHOST:8123",
            "127.0.0.1:1",
            "[::1]:8123",
            "::1",
            "10.0.0.7",
            "x.localhost",
            "db.example.org:8123",
        ] {
            assert!(guard.check_host(&headers(&[("host", host)])).is_ok(), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:8123", ""] {
            assert!(guard.check_host(&headers(&[("host", host)])).is_err(), "{host}");
        }
    }

    #[test]
    fn pages_of_other_sites_are_refused() {
        let guard = guard("allowed_origins = ['https://grafana.example']");
        let check = |list: &[(&'static str, &str)]| guard.check_origin(&headers(list));
        let host = ("host", "localhost:8123");
        assert_eq!(check(&[host]), Ok(None));
        assert_eq!(check(&[host, ("origin", "http://localhost:8123")]), Ok(None));
        assert!(check(&[host, ("origin", "http://localhost:9000")]).is_err());
        assert!(check(&[host, ("origin", "null")]).is_err());
        assert!(check(&[host, ("sec-fetch-site", "cross-site")]).is_err());
        assert_eq!(check(&[host, ("sec-fetch-site", "none")]), Ok(None));
        let allowed = check(&[host, ("origin", "https://grafana.example")]);
        assert_eq!(allowed, Ok(Some("https://grafana.example".to_string())));
    }
}
