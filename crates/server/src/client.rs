//! The facts about the client of a request that the logs record.

use std::sync::Arc;

use entasis_base::message;
use entasis_engine::{Client, Method, TraceContext};
use hyper::http::request::Parts;

use crate::handler::text_of;
use crate::request::{Parameters, decode};

/// Bytes of a URL that are recorded.
const LONGEST: usize = 1000;

/// The client of a request.
pub(crate) fn of(parts: &Parts, parameters: &Parameters) -> Arc<Client> {
    let header = |name| text_of(&parts.headers, name).unwrap_or_default();
    let method = match parts.method {
        hyper::Method::GET => Method::Get,
        hyper::Method::HEAD => Method::Head,
        hyper::Method::POST => Method::Post,
        hyper::Method::PUT => Method::Put,
        _ => Method::Unknown,
    };
    Arc::new(Client {
        method,
        user_agent: header("user-agent"),
        referer: header("referer"),
        forwarded_for: header("x-forwarded-for"),
        quota_key: parameters.last("quota_key").unwrap_or_default().to_string(),
        url: without_password(parts),
        trace: trace(&header("traceparent"), &header("tracestate")),
    })
}

fn trace(parent: &str, state: &str) -> Option<TraceContext> {
    if parent.is_empty() {
        return None;
    }
    let context = TraceContext::parse(parent, state);
    if context.is_none() {
        message!(Debug, "HTTPHandler", "A malformed header traceparent is ignored: {}", parent);
    }
    context
}

/// Path and parameters of the URL, without the value of the password.
fn without_password(parts: &Parts) -> String {
    let path = parts.uri.path();
    let mut url = match parts.uri.query() {
        None => path.to_string(),
        Some(query) => hidden(path, query),
    };
    url.truncate(url.floor_char_boundary(LONGEST));
    url
}

/// The names are decoded before they are compared, as the server does when it reads them.
fn hidden(path: &str, query: &str) -> String {
    let pairs = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, _)) if decode(name) == "password" => "password=[HIDDEN]",
        _ => pair,
    });
    format!("{path}?{}", pairs.collect::<Vec<_>>().join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_hidden_however_their_name_is_written() {
        for name in ["password", "p%61ssword", "%70%61%73%73%77%6F%72%64"] {
            let url = hidden("/", &format!("user=x&{name}=secret&passwords=1&{name}=secret"));
            assert_eq!(url, "/?user=x&password=[HIDDEN]&passwords=1&password=[HIDDEN]");
        }
        assert_eq!(hidden("/", "query=SELECT+1&flag"), "/?query=SELECT+1&flag");
    }
}
