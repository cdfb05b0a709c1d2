//! How tables reach addresses of the web: a hook, since sockets are not for tables. The engine
//! gives one that speaks HTTP to the hosts that its configuration allows.

use std::io::Read;
use std::time::Duration;

use entasis_base::{Error, Result, codes};

/// Most addresses that a pattern may stand for.
const MOST_ADDRESSES: usize = 1000;

/// What a statement says about its requests.
#[derive(Clone, Debug)]
pub struct WebOptions {
    /// Headers that are sent besides the usual ones.
    pub headers: Vec<(String, String)>,
    /// How long to wait for a connection.
    pub connect_timeout: Duration,
    /// How long to wait for the next bytes.
    pub timeout: Duration,
    /// How many redirects are followed.
    pub redirects: u64,
    /// Whether addresses of a pattern at which there is nothing are left out.
    pub skip_missing: bool,
}

/// The answer to a request.
pub struct Opened {
    /// The number of bytes, if the server says it.
    pub size: Option<u64>,
    /// The bytes.
    pub bytes: Box<dyn Read + Send>,
}

/// Reads and writes addresses.
pub trait Web: Send + Sync {
    /// Fails if the address may not be used, without a request.
    fn check(&self, url: &str) -> Result<()>;

    /// Asks for what is at an address; `None` if the server says that there is nothing.
    fn open(&self, url: &str, options: &WebOptions) -> Result<Option<Opened>>;

    /// Sends rows to an address.
    fn send(&self, url: &str, options: &WebOptions, data: &[u8]) -> Result<()>;
}

/// Reaches no address.
pub struct NoWeb;

impl NoWeb {
    #[cold]
    fn refused<T>(url: &str) -> Result<T> {
        let message = format!("URL \"{url}\" cannot be used: no host is allowed here");
        Err(Error::new(codes::UNACCEPTABLE_URL, message))
    }
}

impl Web for NoWeb {
    fn check(&self, url: &str) -> Result<()> {
        Self::refused(url)
    }

    fn open(&self, url: &str, _options: &WebOptions) -> Result<Option<Opened>> {
        Self::refused(url)
    }

    fn send(&self, url: &str, _options: &WebOptions, _data: &[u8]) -> Result<()> {
        Self::refused(url)
    }
}

/// The addresses that a pattern stands for: `{a,b}` and `{1..3}` stand for several. Braces with `|`
/// are left, as [`alternatives`] of one address.
pub fn addresses(pattern: &str) -> Result<Vec<String>> {
    expanded(pattern, false)
}

/// The addresses of which the first that answers counts.
pub fn alternatives(address: &str) -> Result<Vec<String>> {
    expanded(address, true)
}

fn expanded(pattern: &str, bars: bool) -> Result<Vec<String>> {
    let Some((before, rest)) = pattern.split_once('{') else {
        return Ok(vec![pattern.to_string()]);
    };
    let Some((inside, after)) = rest.split_once('}') else {
        let message = format!("Unclosed brace in the URL `{pattern}`");
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    };
    let own = if inside.contains('|') == bars {
        let separator = if bars { '|' } else { ',' };
        let parts = inside.split(separator).map(|part| ranged(part, pattern));
        parts.collect::<Result<Vec<_>>>()?.concat()
    } else {
        vec![format!("{{{inside}}}")]
    };
    let mut all = Vec::new();
    for first in &own {
        for rest in expanded(after, bars)? {
            all.push(format!("{before}{first}{rest}"));
            if all.len() > MOST_ADDRESSES {
                let message = format!("The pattern stands for more than {MOST_ADDRESSES} URLs");
                return Err(Error::new(codes::BAD_ARGUMENTS, message));
            }
        }
    }
    Ok(all)
}

/// The numbers of `1..3`, with as many digits as the first has if it begins with 0.
fn ranged(part: &str, pattern: &str) -> Result<Vec<String>> {
    let Some((from, to)) = part.split_once("..") else { return Ok(vec![part.to_string()]) };
    match (from.parse::<usize>(), to.parse::<usize>()) {
        (Ok(first), Ok(last)) if first <= last && last - first < MOST_ADDRESSES => {
            let width = if from.starts_with('0') { from.len() } else { 0 };
            Ok((first..=last).map(|number| format!("{number:0width$}")).collect())
        }
        _ => {
            let message = format!("Wrong range in the URL `{pattern}`");
            Err(Error::new(codes::BAD_ARGUMENTS, message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stand_for_addresses() {
        let all = |pattern| addresses(pattern).unwrap();
        assert_eq!(all("http://a/x"), ["http://a/x"]);
        assert_eq!(all("http://a/{1,2}/{08..10}").len(), 6);
        assert_eq!(all("http://a/{08..09}"), ["http://a/08", "http://a/09"]);
        assert_eq!(all("http://{a|b}/{1,2}"), ["http://{a|b}/1", "http://{a|b}/2"]);
        assert_eq!(alternatives("http://{a|b}/1").unwrap(), ["http://a/1", "http://b/1"]);
        assert!(addresses("http://a/{1").is_err() && addresses("http://a/{2..1}").is_err());
    }
}
