//! `multipart/form-data`: tables that a request sends along for its statement.
//!
//! A part with a file name is a table of the part's name; `NAME_format`, `NAME_structure` or
//! `NAME_types` in the URL say how its bytes are to be read. A part without a file name is a
//! parameter, like those of the URL. The whole body is held in memory, at most [`MOST`] bytes.

use std::io::{Cursor, Read};

use entasis_base::{Error, Result, codes};
use entasis_engine::Session;

use crate::request::Parameters;

/// Most bytes of a form.
const MOST: u64 = 256 << 20;

/// What the parts of a form were.
#[derive(Debug, Default)]
pub(crate) struct Form {
    /// Names and texts of those that are parameters.
    pub parameters: Vec<(String, String)>,
    /// Names and bytes of those that are tables.
    tables: Vec<(String, Vec<u8>)>,
}

/// The boundary that a content type names, if it is that of a form.
pub(crate) fn boundary(content_type: &str) -> Option<String> {
    let mut pieces = content_type.split(';').map(str::trim);
    let kind = pieces.next()?;
    if !kind.eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    pieces.find_map(|piece| attribute(piece, "boundary"))
}

/// Whether a parameter of the URL describes a table of a form.
pub(crate) fn describes_table(name: &str) -> bool {
    ["_format", "_types", "_structure"]
        .iter()
        .any(|end| name.strip_suffix(end).is_some_and(|table| !table.is_empty()))
}

/// `name=value`, perhaps in quotes.
fn attribute(piece: &str, wanted: &str) -> Option<String> {
    let (name, value) = piece.split_once('=')?;
    let value = value.trim();
    let value = value.strip_prefix('"').and_then(|v| v.strip_suffix('"')).unwrap_or(value);
    name.trim().eq_ignore_ascii_case(wanted).then(|| value.to_string())
}

impl Form {
    /// Reads a body to its end. Fails if it is no form, or too large.
    pub fn read(body: &mut dyn Read, boundary: &str) -> Result<Self> {
        let mut bytes = Vec::new();
        body.take(MOST + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MOST {
            let message = format!(
                "A form may have {MOST} bytes: INSERT larger tables first, and query those"
            );
            return Err(Error::new(codes::LIMIT_EXCEEDED, message));
        }
        Self::parse(&bytes, boundary).ok_or_else(|| {
            let message = "The body is no multipart/form-data as its Content-Type says: parts \
                           begin with --boundary, a header Content-Disposition with a name and an \
                           empty line, and end before the next --boundary";
            Error::new(codes::INCORRECT_DATA, message)
        })
    }

    fn parse(bytes: &[u8], boundary: &str) -> Option<Self> {
        let first = format!("--{boundary}");
        let next = format!("\r\n--{boundary}");
        let mut rest = bytes.strip_prefix(b"\r\n").unwrap_or(bytes);
        rest = rest.strip_prefix(first.as_bytes())?;
        let mut form = Self::default();
        loop {
            if rest.starts_with(b"--") {
                return Some(form);
            }
            rest = rest.strip_prefix(b"\r\n")?;
            let head_end = find(rest, b"\r\n\r\n")?;
            let head = String::from_utf8_lossy(&rest[..head_end]).into_owned();
            rest = &rest[head_end + 4..];
            let end = find(rest, next.as_bytes())?;
            let content = rest[..end].to_vec();
            rest = &rest[end + next.len()..];
            let disposition = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-disposition").then(|| value.to_string())
            })?;
            let of = |wanted: &str| disposition.split(';').find_map(|p| attribute(p, wanted));
            let name = of("name")?;
            match of("filename") {
                Some(_) => form.tables.push((name, content)),
                None => {
                    form.parameters.push((name, String::from_utf8_lossy(&content).into_owned()));
                }
            }
        }
    }

    /// Gives the session the tables. Answers their names.
    pub fn add_tables(self, session: &mut Session, url: &Parameters) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for (name, bytes) in self.tables {
            let of = |end: &str| url.last(&format!("{name}{end}")).filter(|v| !v.is_empty());
            let format = of("_format").unwrap_or("TabSeparated");
            let types = of("_types").map(|types| {
                let columns = types.split(',').enumerate();
                let columns = columns.map(|(i, ty)| format!("_{} {}", i + 1, ty.trim()));
                columns.collect::<Vec<_>>().join(", ")
            });
            let structure = of("_structure").map(str::to_string).or(types).ok_or_else(|| {
                let message = format!(
                    "Neither structure nor types have been provided for external table {name}: \
                     write {name}_structure=column Type, ... into the URL"
                );
                Error::new(codes::BAD_ARGUMENTS, message)
            })?;
            session.add_input(&name, format, Some(&structure), Box::new(Cursor::new(bytes)))?;
            names.push(name);
        }
        Ok(names)
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] =
        b"--xyz\r\nContent-Disposition: form-data; name=\"t\"; filename=\"a.tsv\"\r\n\
        Content-Type: text/plain\r\n\r\n1\tone\r\n2\ttwo\n\r\n--xyz\r\n\
        content-disposition: form-data; name=query\r\n\r\nSELECT 1\r\n--xyz--\r\n";

    #[test]
    fn parts_are_tables_and_parameters() {
        let form = Form::parse(BODY, "xyz").unwrap();
        assert_eq!(form.tables, [("t".to_string(), b"1\tone\r\n2\ttwo\n".to_vec())]);
        assert_eq!(form.parameters, [("query".to_string(), "SELECT 1".to_string())]);
    }

    #[test]
    fn what_is_no_form_is_refused() {
        for cut in 1..BODY.len() - 4 {
            assert!(Form::parse(&BODY[..cut], "xyz").is_none(), "{cut}");
        }
        assert!(Form::parse(BODY, "other").is_none());
        let read = Form::read(&mut &BODY[..10], "xyz");
        assert_eq!(read.unwrap_err().code(), codes::INCORRECT_DATA);
    }

    #[test]
    fn content_types_name_boundaries() {
        let found = boundary("multipart/form-data; charset=utf-8; boundary=\"a b\"");
        assert_eq!(found.as_deref(), Some("a b"));
        assert_eq!(boundary("Multipart/Form-Data;boundary=x").as_deref(), Some("x"));
        assert_eq!(boundary("text/plain; boundary=x"), None);
        assert!(describes_table("t_format") && !describes_table("_format"));
    }
}
