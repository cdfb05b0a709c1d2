//! The way of tables to addresses of the web: HTTP, to the hosts that the configuration allows.

use std::io::Read as _;
use std::time::Duration;

use entasis_base::{Error, Result, codes};
use entasis_client::web::{self, Address, Download, WebRequest};
use entasis_tables::web::{Opened, Web, WebOptions};

use super::{
    HTTP_CONNECT_TIMEOUT, HTTP_RECEIVE_TIMEOUT, HTTP_REDIRECTS, HTTP_SKIP_MISSING, Settings,
};

/// Most bytes of an error text that are shown.
const LONGEST_ERROR: u64 = 500;

/// The hosts that queries may reach over HTTP.
#[derive(Clone, Debug)]
pub enum WebHosts {
    /// All hosts.
    Any,
    /// These: names or addresses, also with a port. `*.` at the start stands for any names before.
    Only(Vec<String>),
}

impl WebHosts {
    fn allows(&self, address: &Address) -> bool {
        let Self::Only(hosts) = self else { return true };
        let (host, port) = (address.host.to_ascii_lowercase(), address.port);
        hosts.iter().any(|allowed| {
            let allowed = allowed.to_ascii_lowercase();
            let bare = allowed.strip_suffix(&format!(":{port}")).unwrap_or(&allowed);
            let bare = bare.trim_matches(['[', ']']);
            match bare.strip_prefix("*.") {
                Some(domain) => host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.')),
                None => bare == host,
            }
        })
    }
}

/// HTTP to the allowed hosts.
pub(crate) struct HttpWeb(pub WebHosts);

/// What a statement's settings say about its requests.
pub(crate) fn options(settings: &Settings) -> WebOptions {
    let seconds = |setting| Duration::from_secs(settings.u64(setting).max(1));
    WebOptions {
        headers: Vec::new(),
        connect_timeout: seconds(HTTP_CONNECT_TIMEOUT),
        timeout: seconds(HTTP_RECEIVE_TIMEOUT),
        redirects: settings.u64(HTTP_REDIRECTS),
        skip_missing: settings.flag(HTTP_SKIP_MISSING),
    }
}

impl HttpWeb {
    /// The address of a URL, if it may be used.
    fn address(&self, url: &str) -> Result<Address> {
        let address = Address::parse(url)?;
        if self.0.allows(&address) {
            return Ok(address);
        }
        let message = format!(
            "URL \"{url}\" is not allowed in the configuration: add the host {} to `url_hosts`",
            address.host
        );
        Err(Error::new(codes::UNACCEPTABLE_URL, message))
    }

    /// Asks until the answer is no redirect.
    fn ask(&self, url: &str, request: &WebRequest<'_>, redirects: u64) -> Result<Download> {
        let (mut url, mut left) = (url.to_string(), redirects);
        loop {
            let address = self.address(&url)?;
            let answer = web::get(&address, request)?;
            let (301 | 302 | 303 | 307 | 308, Some(target)) =
                (answer.status(), answer.header("location"))
            else {
                return Ok(answer);
            };
            if left == 0 {
                let message = format!(
                    "{url} is elsewhere, at {target}: name that address, or raise the setting \
                     max_http_get_redirects (now {redirects})"
                );
                return Err(Error::new(codes::TOO_MANY_REDIRECTS, message));
            }
            left -= 1;
            url = match target.contains("://") {
                true => target.to_string(),
                false => {
                    let host = url.find("://").map_or(0, |at| at + 3);
                    let end = url[host..].find(['/', '?']).map_or(url.len(), |at| host + at);
                    let slash = if target.starts_with('/') { "" } else { "/" };
                    format!("{}{slash}{target}", &url[..end])
                }
            };
        }
    }
}

fn request(options: &WebOptions) -> WebRequest<'_> {
    let WebOptions { headers, connect_timeout, timeout, .. } = options;
    WebRequest { headers, connect_timeout: *connect_timeout, timeout: *timeout }
}

/// The error that an answer is.
#[cold]
fn refused(url: &str, mut answer: Download) -> Error {
    let mut text = Vec::new();
    // What can be read of the body is only for the message.
    let _ = answer.by_ref().take(LONGEST_ERROR).read_to_end(&mut text);
    let (status, text) = (answer.status(), String::from_utf8_lossy(&text));
    let message = format!(
        "Received error from remote server {url}. HTTP status code: {status}, body: '{}'",
        text.trim()
    );
    Error::new(codes::RECEIVED_ERROR_FROM_REMOTE_IO_SERVER, message)
}

impl Web for HttpWeb {
    fn check(&self, url: &str) -> Result<()> {
        self.address(url).map(drop)
    }

    fn open(&self, url: &str, options: &WebOptions) -> Result<Option<Opened>> {
        let answer = self.ask(url, &request(options), options.redirects)?;
        match answer.status() {
            404 => Ok(None),
            200..=299 => {
                let size = answer.header("content-length").and_then(|size| size.parse().ok());
                Ok(Some(Opened { size, bytes: Box::new(answer) }))
            }
            _ => Err(refused(url, answer)),
        }
    }

    fn send(&self, url: &str, options: &WebOptions, data: &[u8]) -> Result<()> {
        let answer = web::send(&self.address(url)?, "POST", &request(options), data)?;
        match answer.status() {
            200..=299 => Ok(()),
            _ => Err(refused(url, answer)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hosts_of_the_list_are_reached() {
        let hosts = ["localhost", "127.0.0.1:80", "*.example.org", "[::1]"];
        let web = HttpWeb(WebHosts::Only(hosts.map(String::from).to_vec()));
        for (url, allowed) in [
            ("http://localhost:8123/", true),
            ("http://LOCALHOST/", true),
            ("http://127.0.0.1/x", true),
            ("http://127.0.0.1:81/x", false),
            ("http://a.example.org/", true),
            ("http://a.b.example.org/", true),
            ("http://example.org/", false),
            ("http://badexample.org/", false),
            ("http://[::1]:5/", true),
            ("http://localhost@evil.com/", false),
        ] {
            assert_eq!(web.check(url).is_ok(), allowed, "{url}");
        }
        assert!(HttpWeb(WebHosts::Any).check("http://a/").is_ok());
    }
}
