//! Servers over HTTP.

use std::time::{Duration, Instant};

use entasis_base::{Error, Result, codes};
use entasis_client::{Client, Config, Request};

use super::{Answer, Ask, Rows, Session, TIME_LIMIT, Took};

/// What a server gets beyond a statement's limit before its connection is given up.
const GRACE: Duration = Duration::from_secs(10);

/// One connection to a server.
pub struct Http {
    client: Client,
    host: String,
    port: u16,
}

/// What stands in place of a password.
const MASK: &str = "***";

/// A word of a command line, a URL or an option with one, as it is shown and stored: without the
/// password.
pub fn masked(word: &str) -> String {
    let (option, url) = match word.split_once('=') {
        Some((option, url)) if option.starts_with("--") => (&word[..=option.len()], url),
        _ => ("", word),
    };
    let parts = url.split_once("://").filter(|(scheme, _)| ["http", "https"].contains(scheme));
    let login = parts.and_then(|(scheme, rest)| Some((scheme, rest.rsplit_once('@')?)));
    match login.and_then(|(scheme, (login, place))| Some((scheme, login.split_once(':')?, place))) {
        Some((scheme, (user, _), place)) => format!("{option}{scheme}://{user}:{MASK}@{place}"),
        None => word.to_owned(),
    }
}

/// Reads `http://[USER[:PASSWORD]@]HOST[:PORT]`.
pub fn address(url: &str) -> Result<Config> {
    let wrong = || {
        let message = format!("`{}` is no server: expected http://HOST:PORT", masked(url));
        Error::new(codes::BAD_ARGUMENTS, message)
    };
    let rest = url.strip_prefix("http://").ok_or_else(wrong)?.trim_end_matches('/');
    let (login, place) = rest.rsplit_once('@').unwrap_or(("", rest));
    let (host, port) = match place.rsplit_once(':') {
        Some((host, port)) if !host.ends_with(':') => (host, port.parse().map_err(|_| wrong())?),
        _ => (place, 8123),
    };
    if host.is_empty() || host.contains('/') {
        return Err(wrong());
    }
    let (user, password) = login.split_once(':').unwrap_or((login, ""));
    if password == MASK {
        let message = format!("Passwords are not stored: give `{url}` again with its own");
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    let user = if user.is_empty() { "default" } else { user };
    Ok(Config {
        host: host.trim_matches(['[', ']']).to_owned(),
        port,
        user: user.to_owned(),
        password: password.to_owned(),
        ..Config::default()
    })
}

impl Http {
    /// A client of a server; connects with the first statement.
    pub fn new(config: Config) -> Self {
        let (host, port) = (config.host.clone(), config.port);
        Self { client: Client::new(config), host, port }
    }

    /// Where it connects to.
    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// The connection, for what is no measurement.
    pub(crate) fn client(&mut self) -> &mut Client {
        &mut self.client
    }

    fn send(&mut self, ask: &Ask<'_>, format: &str, each: &mut dyn FnMut(&[u8])) -> Result<Took> {
        let limit = ask.seconds().to_string();
        let mut parameters: Vec<(&str, &str)> =
            vec![("default_format", format), (TIME_LIMIT, &limit)];
        if !ask.database.is_empty() {
            parameters.push(("database", ask.database));
        }
        if !ask.id.is_empty() {
            parameters.push(("query_id", ask.id));
        }
        for (name, value) in ask.settings.iter().filter(|(name, _)| name != TIME_LIMIT) {
            match parameters.iter_mut().find(|(known, _)| known == name) {
                Some(known) => known.1 = value,
                None => parameters.push((name, value)),
            }
        }
        let request = Request { query: ask.text, parameters: &parameters, data: None };
        // A server that hangs answers nothing at all.
        self.client.set_answer_timeout(Some(ask.limit + GRACE));
        let started = Instant::now();
        let mut response = self.client.execute(request)?;
        // The head of an answer without a body is sent when all is done.
        let server = response.summary().elapsed_ns as f64 / 1e9;
        let mut piece = Vec::new();
        while response.read_piece(&mut piece)? {
            each(&piece);
            piece.clear();
            if started.elapsed() > ask.limit + GRACE {
                let message = format!("no end of the answer within {:?}", ask.limit);
                return Err(Error::new(codes::TIMEOUT_EXCEEDED, message));
            }
        }
        let client = started.elapsed().as_secs_f64();
        let known = server > 0.0 && format == "Null";
        Ok(Took { client, server: known.then_some(server) })
    }
}

impl Session for Http {
    fn run(&mut self, ask: &Ask<'_>) -> Result<Took> {
        self.send(ask, "Null", &mut |_| {})
    }

    fn text(&mut self, ask: &Ask<'_>) -> Result<String> {
        let mut text = Vec::new();
        self.send(ask, "TSV", &mut |piece| text.extend_from_slice(piece))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    fn answer(&mut self, ask: &Ask<'_>) -> Result<Answer> {
        let mut rows = Rows::default();
        self.send(ask, "TSV", &mut |piece| rows.push(piece))?;
        Ok(rows.finish())
    }

    fn environment(&self) -> Vec<(String, String)> {
        let (host, port) = (&self.host, self.port);
        let url = format!("http://{host}:{port}/");
        let all = [
            ("CLICKHOUSE_HOST", host.clone()),
            ("CLICKHOUSE_PORT_HTTP", port.to_string()),
            ("CLICKHOUSE_URL", url),
            // An error of the server is one of the script, and no quick success.
            ("CLICKHOUSE_CURL", "curl -q -sS --fail --max-time 120".to_owned()),
        ];
        all.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let of = |url: &str| {
            let c = address(url).unwrap();
            (c.host, c.port, c.user, c.password)
        };
        let plain = |host: &str, port| (host.into(), port, "default".into(), String::new());
        assert_eq!(of("http://a"), plain("a", 8123));
        assert_eq!(of("http://a:9/"), plain("a", 9));
        assert_eq!(of("http://[::1]:9"), plain("::1", 9));
        assert_eq!(of("http://u:p@a:9"), ("a".into(), 9, "u".into(), "p".into()));
        for wrong in ["a:9", "http://", "http://a:b", "http://a/b"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn passwords_are_not_shown() {
        for (word, shown) in [
            ("http://u:p@a:9", "http://u:***@a:9"),
            ("--store=http://u:p:q@r@a/", "--store=http://u:***@a/"),
            ("https://u:p@a", "https://u:***@a"),
            ("http://u@a:9", "http://u@a:9"),
            ("http://a:9", "http://a:9"),
            ("--left", "--left"),
            ("SELECT 'x://u:p@a'", "SELECT 'x://u:p@a'"),
        ] {
            assert_eq!(masked(word), shown);
            assert_eq!(masked(shown), shown);
        }
        let refused = address("http://u:***@a").unwrap_err().to_string();
        assert!(refused.contains("again with its own"), "{refused}");
        assert!(!address("http://u:secret@a/b").unwrap_err().to_string().contains("secret"));
    }
}
