//! Hosts: domain, with and without `www.`, top-level domain, significant subdomain, port.

use entasis_base::Result;
use entasis_types::DataType;

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::text::{expect_integer, expect_string, map_number, map_part};

/// Bytes that no URL has in scheme or host.
const fn is_restricted(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t'
            | b'<'
            | b'>'
            | b'%'
            | b'{'
            | b'}'
            | b'|'
            | b'\\'
            | b'^'
            | b'~'
            | b'['
            | b']'
            | b';'
            | b'='
            | b'&'
    )
}

/// What a byte is within a host.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ByteClass {
    Plain,
    Dot,
    End,
    User,
    Restricted,
}

static KINDS: [ByteClass; 256] = {
    let mut kinds = [ByteClass::Plain; 256];
    let mut i = 0;
    while i < 256 {
        kinds[i] = match i as u8 {
            b'.' => ByteClass::Dot,
            b':' | b'/' | b'?' | b'#' => ByteClass::End,
            b'@' => ByteClass::User,
            byte if is_restricted(byte) => ByteClass::Restricted,
            _ => ByteClass::Plain,
        };
        i += 1;
    }
    kinds
};

/// Where the host may begin: after `scheme://` or `//`, else at 0. `None` if a byte in front
/// forbids a host.
fn host_start(url: &[u8]) -> Option<usize> {
    if url.starts_with(b"https://") {
        return Some(8);
    }
    if url.starts_with(b"http://") {
        return Some(7);
    }
    if url.starts_with(b"//") {
        return Some(2);
    }
    let limit = url.len().min(16);
    let mut at = 1;
    while at < limit {
        let byte = url[at];
        if !byte.is_ascii_alphanumeric() && !matches!(byte, b'.' | b'-' | b'+') {
            if is_restricted(byte) {
                return None;
            }
            break;
        }
        at += 1;
    }
    Some(if at + 2 < limit && &url[at..at + 3] == b"://" { at + 3 } else { 0 })
}

/// The host of a URL; empty if there is none with a dot.
pub fn host(url: &[u8]) -> &[u8] {
    let Some(mut start) = host_start(url) else { return b"" };
    let mut dot = None;
    let mut at = start;
    while at < url.len() {
        match KINDS[url[at] as usize] {
            ByteClass::Plain => {}
            ByteClass::Dot => dot = Some(at),
            ByteClass::End => break,
            ByteClass::User => start = at + 1,
            ByteClass::Restricted => return b"",
        }
        at += 1;
    }
    match dot {
        Some(dot) if start < at && at - dot != 1 => match url.get(dot + 1) {
            Some(b':' | b'/' | b'?' | b'#') => b"",
            _ => &url[start..at],
        },
        _ => b"",
    }
}

fn without_www(url: &[u8]) -> &[u8] {
    let host = host(url);
    if host.len() > 4 && host.starts_with(b"www.") { &host[4..] } else { host }
}

fn top_level(url: &[u8]) -> &[u8] {
    let host = host(url);
    match memchr::memrchr(b'.', host) {
        // The last part of an IPv4 address is no domain.
        Some(dot) if host.get(dot + 1).is_some_and(|b| !b.is_ascii_digit()) => &host[dot + 1..],
        _ => b"",
    }
}

/// The label in front of the public suffix, and where the two begin and end in the host.
fn significant(host: &[u8]) -> (&[u8], usize) {
    let mut dots = memchr::memrchr_iter(b'.', host);
    let Some(last) = dots.next() else { return (host, 0) };
    let Some(second) = dots.next() else { return (&host[..last], 0) };
    let third = dots.next().map_or(0, |d| d + 1);
    if is_public_suffix(&host[second + 1..]) {
        (&host[third..second], third)
    } else {
        (&host[second + 1..last], second + 1)
    }
}

/// Whether names are registered under a two-level name such as `co.uk`.
fn is_public_suffix(name: &[u8]) -> bool {
    psl::suffix(name).is_some_and(|s| s.as_bytes() == name && s.is_known())
}

fn first_significant(url: &[u8]) -> &[u8] {
    significant(without_www(url)).0
}

fn cut_to_significant(url: &[u8]) -> &[u8] {
    let host = without_www(url);
    let (label, start) = significant(host);
    if label.is_empty() { b"" } else { &host[start..] }
}

fn cut_to_significant_with_www(url: &[u8]) -> &[u8] {
    let host = host(url);
    let (label, start) = significant(host);
    if label.is_empty() { b"" } else { &host[start..] }
}

/// The port behind the host; 0 if there is none or it is no number up to 65535.
fn port_of(url: &[u8]) -> u16 {
    let host = host(url);
    if host.is_empty() {
        return 0;
    }
    let end = host.as_ptr() as usize - url.as_ptr() as usize + host.len();
    let Some(rest) = url[end..].strip_prefix(b":") else { return 0 };
    let mut port = 0u32;
    for &byte in rest {
        match byte {
            b'0'..=b'9' => port = port * 10 + u32::from(byte - b'0'),
            b'/' | b'?' | b'#' => break,
            _ => return 0,
        }
        if port > u32::from(u16::MAX) {
            return 0;
        }
    }
    port as u16
}

fn port(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_string("port", &args[0])?;
    let default = match args.get(1) {
        None => 0,
        Some(arg) => {
            expect_integer("port", arg)?;
            arg.constant.as_ref().and_then(|v| v.as_u64()).unwrap_or(0) as u16
        }
    };
    Ok(BoundKernel::new(DataType::UInt16, move |args, rows| {
        map_number(&args[0], rows, |url| match port_of(url) {
            0 => default,
            port => port,
        })
    }))
}

/// Binds a function that answers a part of the URL.
pub fn bind_part(
    name: &'static str,
    args: &[Arg],
    part: fn(&[u8]) -> &[u8],
) -> Result<BoundKernel> {
    expect_string(name, &args[0])?;
    Ok(BoundKernel::new(DataType::String, move |args, rows| map_part(&args[0], rows, part)))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "domain",
        description: "The host of a URL.",
        examples: &[("domain('http://www.a.com:80/x')", "www.a.com")],
        arity: (1, 1),
        bind: |args, _| bind_part("domain", args, host),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "domainWithoutWWW",
        description: "The host of a URL without a leading `www.`.",
        examples: &[("domainWithoutWWW('http://www.a.com/x')", "a.com")],
        arity: (1, 1),
        bind: |args, _| bind_part("domainWithoutWWW", args, without_www),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "topLevelDomain",
        description: "The last label of a URL's host, such as com.",
        examples: &[("topLevelDomain('http://a.co.uk/x')", "uk")],
        arity: (1, 1),
        bind: |args, _| bind_part("topLevelDomain", args, top_level),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "firstSignificantSubdomain",
        description: "The label of the host before its public suffix: `example` of \
                      https://www.example.com.",
        examples: &[("firstSignificantSubdomain('https://news.site.co.uk/')", "site")],
        arity: (1, 1),
        bind: |args, _| bind_part("firstSignificantSubdomain", args, first_significant),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "cutToFirstSignificantSubdomain",
        description: "The host without subdomains: `example.com` of https://www.example.com.",
        examples: &[("cutToFirstSignificantSubdomain('https://news.site.co.uk/')", "site.co.uk")],
        arity: (1, 1),
        bind: |args, _| bind_part("cutToFirstSignificantSubdomain", args, cut_to_significant),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "cutToFirstSignificantSubdomainWithWWW",
        description: "The host without subdomains, like `cutToFirstSignificantSubdomain`, but \
                      `www` is not removed.",
        examples: &[("cutToFirstSignificantSubdomainWithWWW('https://www.com/')", "www.com")],
        arity: (1, 1),
        bind: |args, _| {
            let name = "cutToFirstSignificantSubdomainWithWWW";
            bind_part(name, args, cut_to_significant_with_www)
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "port",
        description: "The port of a URL, or a default value.",
        examples: &[("port('http://a.com:8080/x')", "8080"), ("port('http://a.com/x', 80)", "80")],
        arity: (1, 2),
        bind: port,
        ..FunctionDef::DEFAULT
    },
];
