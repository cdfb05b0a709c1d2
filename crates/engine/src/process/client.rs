//! What a request says besides its statement. Only the logs use it.

use std::sync::Arc;

/// Method of the HTTP request that brought a statement; the numbers are those of the logs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Method {
    #[default]
    Unknown = 0,
    Get = 1,
    Post = 2,
    Options = 3,
    Put = 4,
    Delete = 5,
    Head = 6,
}

/// A client, as its request describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// The method of the request.
    pub method: Method,
    /// The header User-Agent.
    pub user_agent: String,
    /// The header Referer.
    pub referer: String,
    /// The header X-Forwarded-For.
    pub forwarded_for: String,
    /// The parameter `quota_key`.
    pub quota_key: String,
    /// The path of the request, with its parameters but without passwords.
    pub url: String,
    /// The trace that the statement belongs to; `None` if the client has sent none.
    pub trace: Option<TraceContext>,
}

/// A trace of OpenTelemetry that a client has begun, from the headers `traceparent` and
/// `tracestate`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceContext {
    /// Number of the trace.
    pub trace: u128,
    /// Number of the client's span, which is the parent of the statement's span.
    pub span: u64,
    /// Whether the client asks for spans to be kept.
    pub sampled: bool,
    /// The header `tracestate`, which is only passed on to those who read the spans.
    pub state: Arc<str>,
}

impl TraceContext {
    /// Reads `00-<32 hexadecimal digits>-<16>-<2>`. `None` for anything else, and for numbers that
    /// are 0: the standard says that the request then goes on without a trace.
    pub fn parse(parent: &str, state: &str) -> Option<Self> {
        let mut parts = parent.trim().split('-');
        let mut digits = |count: usize| {
            let part = parts.next().filter(|p| p.len() == count)?;
            let hex = part.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
            if hex { u128::from_str_radix(part, 16).ok() } else { None }
        };
        let (version, trace, span, flags) = (digits(2)?, digits(32)?, digits(16)?, digits(2)?);
        // Later versions may add fields behind the flags.
        let ended = version > 0 || parts.next().is_none();
        (version != 0xFF && trace != 0 && span != 0 && ended).then(|| Self {
            trace,
            span: span as u64,
            sampled: flags & 1 == 1,
            state: state.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contexts_of_traces_are_read_as_the_standard_says() {
        let read = TraceContext::parse;
        let context =
            read("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "a=1").unwrap();
        assert_eq!(context.trace, 0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c);
        assert_eq!((context.span, context.sampled), (0xb7ad_6b71_6920_3331, true));
        assert_eq!(&*context.state, "a=1");
        assert!(
            !read("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", "").unwrap().sampled
        );
        assert!(read("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what", "").is_some());
        for wrong in [
            "",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-+af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
        ] {
            assert!(read(wrong, "").is_none(), "{wrong}");
        }
    }
}
