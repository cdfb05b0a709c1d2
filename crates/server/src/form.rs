//! Requests of the type `multipart/form-data`: they bring tables for a statement, and parameters
//! that are too long for a URL.
//!
//! A part with a file name is a table with the part's own name, which the statement can read. The
//! URL (or another part) describes its bytes: `NAME_format` (TabSeparated by default), and
//! `NAME_structure` (`a UInt8, b String`) or `NAME_types` (`UInt8,String`, for columns that are
//! called `_1`, `_2`, ...). A part without a file name is a parameter like those of the URL. The
//! whole form is kept in memory, so a request of more than 256 MiB is refused.

use std::io::{Cursor, Read};

use entasis_base::{Error, Result, codes};
use entasis_engine::Session;

use crate::request::Parameters;

/// Most bytes of a form.
const MOST: u64 = 256 << 20;

/// A table that a form brings.
pub(crate) struct External {
    name: String,
    data: Vec<u8>,
}

/// The boundary between the parts, if the content type is that of a form.
pub(crate) fn boundary(content_type: &str) -> Option<String> {
    let (kind, rest) = content_type.split_once(';')?;
    if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    rest.split(';').find_map(|part| {
        let (name, value) = part.trim().split_once('=')?;
        let value = value.trim().trim_matches('"');
        (name.trim().eq_ignore_ascii_case("boundary") && !value.is_empty())
            .then(|| value.to_string())
    })
}

/// Reads a form: returns its tables, and adds its parameters to those of the URL.
pub(crate) fn read(
    body: &mut dyn Read,
    boundary: &str,
    parameters: &mut Parameters,
) -> Result<Vec<External>> {
    let mut bytes = Vec::new();
    let read = body.take(MOST + 1).read_to_end(&mut bytes);
    read.map_err(|e| Error::from(e).context("Cannot read the request's body"))?;
    if bytes.len() as u64 > MOST {
        let message = format!(
            "Data that is sent along with a query has more than {MOST} bytes: INSERT it into a \
             table"
        );
        return Err(Error::new(codes::TOO_LARGE_ARRAY_SIZE, message));
    }
    let mut tables = Vec::new();
    for part in parts(&bytes, boundary)? {
        match part.file {
            true => tables.push(External { name: part.name, data: part.data.to_vec() }),
            false => {
                let value = String::from_utf8_lossy(part.data).into_owned();
                parameters.push(part.name, value);
            }
        }
    }
    Ok(tables)
}

impl External {
    /// Whether a parameter describes this table and is therefore not a setting.
    pub fn is_about(&self, parameter: &str) -> bool {
        let rest = parameter.strip_prefix(self.name.as_str());
        matches!(rest, Some("_format" | "_structure" | "_types"))
    }

    /// Adds the table to the session.
    pub fn add(self, session: &mut Session, parameters: &Parameters) -> Result<()> {
        let of = |what: &str| parameters.last(&format!("{}_{what}", self.name));
        let format = of("format").unwrap_or("TabSeparated").to_string();
        let structure = match (of("structure"), of("types")) {
            (Some(structure), _) => structure.to_string(),
            (None, Some(types)) => numbered(types),
            (None, None) => {
                let message = format!(
                    "Neither '{0}_structure' nor '{0}_types' says what columns the data of `{0}` \
                     has: add one to the URL",
                    self.name
                );
                return Err(Error::new(codes::BAD_ARGUMENTS, message));
            }
        };
        let data = Box::new(Cursor::new(self.data));
        session.add_input(&self.name, &format, Some(&structure), data)
    }
}

/// `UInt8, Array(String)` as `_1 UInt8, _2 Array(String)`.
fn numbered(types: &str) -> String {
    let (mut out, mut depth, mut count) = (String::from("_1 "), 0_i32, 1);
    for c in types.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        out.push(c);
        if c == ',' && depth == 0 {
            count += 1;
            out.push_str(&format!(" _{count} "));
        }
    }
    out
}

struct Part<'a> {
    name: String,
    file: bool,
    data: &'a [u8],
}

fn malformed(what: &str) -> Error {
    let message = format!("The form of the request is malformed: {what}");
    Error::new(codes::BAD_ARGUMENTS, message)
}

fn find(bytes: &[u8], what: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    rest.windows(what.len()).position(|window| window == what).map(|at| from + at)
}

fn parts<'a>(bytes: &'a [u8], boundary: &str) -> Result<Vec<Part<'a>>> {
    let line = format!("--{boundary}");
    let end_of_part = format!("\r\n{line}");
    let mut at = find(bytes, line.as_bytes(), 0).ok_or_else(|| malformed("no boundary"))?;
    at += line.len();
    let mut out = Vec::new();
    loop {
        if bytes.get(at..).is_none_or(|rest| rest.starts_with(b"--")) {
            return Ok(out);
        }
        let start = find(bytes, b"\r\n", at).ok_or_else(|| malformed("a part without an end"))? + 2;
        // A part may have no headers; the empty line then follows at once.
        let headers_end = match bytes.get(start..start + 2) {
            Some(b"\r\n") => start,
            _ => {
                find(bytes, b"\r\n\r\n", start)
                    .ok_or_else(|| malformed("headers of a part without an end"))?
                    + 2
            }
        };
        let data_start = headers_end + 2;
        let data_end = find(bytes, end_of_part.as_bytes(), data_start - 2)
            .ok_or_else(|| malformed("the last boundary is missing"))?;
        let headers = String::from_utf8_lossy(&bytes[start..headers_end]);
        let data = bytes.get(data_start..data_end).unwrap_or_default();
        if let Some((name, file)) = disposition(&headers) {
            out.push(Part { name, file, data });
        }
        at = data_end + end_of_part.len();
    }
}

/// The name of a part, and whether it has a file name.
fn disposition(headers: &str) -> Option<(String, bool)> {
    let line = headers.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.trim().eq_ignore_ascii_case("content-disposition").then_some(value)
    })?;
    let of = |wanted: &str| {
        line.split(';').find_map(|part| {
            let (name, value) = part.trim().split_once('=')?;
            name.trim().eq_ignore_ascii_case(wanted).then(|| value.trim().trim_matches('"'))
        })
    };
    Some((of("name")?.to_string(), of("filename").is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "--xx\r\nContent-Disposition: form-data; name=\"t\"; filename=\"a.tsv\"\r\n\
                        Content-Type: text/plain\r\n\r\n1\tone\n2\ttwo\n\r\n--xx\r\n\
                        content-disposition: form-data; name=query\r\n\r\nSELECT 1\r\n--xx--\r\n";

    #[test]
    fn forms_are_taken_apart() {
        let mut parameters = Parameters::parse("t_types=UInt8,String");
        let kind = "multipart/form-data; boundary=\"xx\"";
        let boundary = boundary(kind).unwrap();
        let tables = read(&mut BODY.as_bytes(), &boundary, &mut parameters).unwrap();
        assert_eq!(tables.len(), 1);
        assert_eq!((tables[0].name.as_str(), &*tables[0].data), ("t", &b"1\tone\n2\ttwo\n"[..]));
        assert!(tables[0].is_about("t_types") && !tables[0].is_about("max_threads"));
        assert_eq!(parameters.last("query"), Some("SELECT 1"));
    }

    #[test]
    fn a_broken_form_is_an_error() {
        for end in 0..BODY.len() - 6 {
            let mut parameters = Parameters::default();
            let body = BODY.as_bytes();
            assert!(read(&mut &body[..end], "xx", &mut parameters).is_err(), "cut at {end}");
        }
        assert_eq!(boundary("text/plain; boundary=x"), None);
        assert_eq!(boundary("multipart/form-data"), None);
    }

    #[test]
    fn types_become_numbered_columns() {
        assert_eq!(numbered("UInt8,Map(String, Int8)"), "_1 UInt8, _2 Map(String, Int8)");
    }
}
