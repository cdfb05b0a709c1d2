//! XML as a tree of elements with places; the one room that knows the library.
//!
//! Files are UTF-8. A document type declaration is refused: without one there are no entities but
//! the five of XML and characters by number, so that no text can grow while it is read. Comments
//! and processing instructions are as if absent. An element's text is what stands before its first
//! child; that is how the reference's runner reads it.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use roxmltree::{Document, Error, Node, ParsingOptions};

use super::problem::{Place, Problem};

/// Bytes of a file.
const MAX_FILE: u64 = 4 << 20;
/// Nodes of a file: elements, texts and comments.
const MAX_NODES: u32 = 1 << 20;
/// Elements within elements.
const MAX_DEPTH: usize = 32;
/// Attributes of an element.
const MAX_ATTRIBUTES: usize = 64;

/// An element, and all below it.
#[derive(Clone, Debug)]
pub(super) struct Element {
    /// The name; one of a namespace is `{uri}name`.
    pub name: String,
    /// Names and values, in the file's order.
    pub attributes: Vec<(String, String)>,
    /// Text before the first child; none if there is not a character.
    pub text: Option<String>,
    /// Text that is not white space after a child: read by nobody.
    pub stray: Option<Place>,
    /// Elements within, in order.
    pub children: Vec<Element>,
    /// Where it begins.
    pub place: Place,
}

impl Element {
    /// An attribute's value.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// Children of a name, in order.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The text without white space around it; empty if there is none.
    pub(super) fn trimmed(&self) -> &str {
        self.text.as_deref().unwrap_or_default().trim()
    }

    /// A problem with this element.
    pub(super) fn problem(&self, message: impl std::fmt::Display) -> Problem {
        Problem::new(&self.place, &self.name, message)
    }
}

/// Why a file is no text: what is wrong with it, and where (0: as a whole).
#[derive(Debug)]
pub(super) struct Unreadable {
    pub message: String,
    line: u32,
    column: u32,
}

impl From<String> for Unreadable {
    fn from(message: String) -> Self {
        Self { message, line: 0, column: 0 }
    }
}

/// A file's text, with `\n` for all ends of lines. The message of an error says what to do.
pub(super) fn text(path: &Path) -> Result<String, Unreadable> {
    let unread = |error| format!("cannot be read: {error}");
    let file = File::open(path).map_err(unread)?;
    if !file.metadata().map_err(unread)?.is_file() {
        return Err("is not a regular file".to_owned().into());
    }
    let mut bytes = Vec::new();
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(unread)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(format!("has more than {MAX_FILE} bytes: split the file").into());
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let good = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
        let last = good.rsplit('\n').next().unwrap_or_default();
        Unreadable {
            message: "is not UTF-8 text: save it as UTF-8".into(),
            line: good.matches('\n').count() as u32 + 1,
            column: last.chars().count() as u32 + 1,
        }
    })?;
    Ok(match text.contains('\r') {
        true => text.replace("\r\n", "\n").replace('\r', "\n"),
        false => text,
    })
}

/// Reads a file's root element; also its length in bytes, for budgets.
pub(super) fn file(path: &Path) -> Result<(Element, usize), Problem> {
    let text = text(path).map_err(|Unreadable { message, line, column }| {
        let place = Place { line, column, ..Problem::file(path, "").place };
        Problem { place, element: None, message }
    })?;
    let root = parse(&text, &path.to_string_lossy())?;
    Ok((root, text.len()))
}

/// Reads the root element of a text, which is called `file` in places.
pub(super) fn parse(text: &str, file: &str) -> Result<Element, Problem> {
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let lines = Lines { text, file: file.into(), starts: starts.collect() };
    bounded(text).map_err(|(at, message)| Problem {
        place: lines.place(at),
        element: None,
        message,
    })?;
    let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        let at = error.pos();
        let place = match error {
            // The library does not say where.
            Error::DtdDetected => lines.place(text.find("<!DOCTYPE").unwrap_or(0)),
            _ => Place { file: lines.file.clone(), line: at.row, column: at.col },
        };
        Problem { place, element: None, message: reason(&error) }
    })?;
    Ok(element(document.root_element(), &lines))
}

fn reason(error: &Error) -> String {
    match error {
        Error::DtdDetected => {
            "a document type declaration is not accepted: write what its entities stand for".into()
        }
        Error::UnknownEntityReference(name, _) => format!(
            "`&{name};` is not an entity of XML: for a plain `&` write `&amp;`, or use CDATA"
        ),
        Error::NodesLimitReached => {
            format!("more than {MAX_NODES} elements and texts: split the file")
        }
        _ => format!("not well-formed XML: {error} (write `&lt;` for `<`, `&amp;` for `&`)"),
    }
}

/// Holds a text against the limits of depth and attributes before the library sees it, which takes
/// quadratic time or memory beyond them. One pass over the bytes; what is not well-formed is left
/// to the library. An error is an offset and what is wrong there.
fn bounded(text: &str) -> Result<(), (usize, String)> {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(found) = text[at..].find('<') {
        at += found;
        let rest = &text[at..];
        let until = |end: &str| rest.find(end).map_or(rest.len(), |found| found + end.len());
        at += if rest.starts_with("<!--") {
            until("-->")
        } else if rest.starts_with("<![CDATA[") {
            until("]]>")
        } else if rest.starts_with("<?") {
            until("?>")
        } else if rest.starts_with("</") {
            depth = depth.saturating_sub(1);
            until(">")
        } else {
            let (length, is_open) = tag(rest).map_err(|message| (at, message))?;
            depth += usize::from(is_open);
            if depth > MAX_DEPTH {
                let message = format!("more than {MAX_DEPTH} elements within each other");
                return Err((at, message + ": no test needs that"));
            }
            length
        };
    }
    Ok(())
}

/// Bytes of the start tag at the start of a text, and whether its element has contents.
fn tag(text: &str) -> Result<(usize, bool), String> {
    let bytes = text.as_bytes();
    let mut quote = None;
    let mut attributes = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => (),
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'>') => return Ok((at + 1, bytes[at - 1] != b'/')),
            (None, b'=') => attributes += 1,
            (None, _) => (),
        }
        if attributes > MAX_ATTRIBUTES {
            return Err(format!("an element has more than {MAX_ATTRIBUTES} attributes"));
        }
    }
    Ok((text.len(), false))
}

/// Turns offsets into places.
struct Lines<'a> {
    text: &'a str,
    file: Arc<str>,
    /// Where lines begin.
    starts: Vec<usize>,
}

impl Lines<'_> {
    fn place(&self, at: usize) -> Place {
        let line = self.starts.partition_point(|&start| start <= at);
        let start = self.starts[line - 1];
        let column = self.text[start..at].chars().count() + 1;
        Place { file: self.file.clone(), line: line as u32, column: column as u32 }
    }
}

/// A name as Python's ElementTree writes it.
fn name(node: Node<'_, '_>) -> String {
    let name = node.tag_name();
    match name.namespace() {
        Some(uri) => format!("{{{uri}}}{}", name.name()),
        None => name.name().to_owned(),
    }
}

fn element(node: Node<'_, '_>, lines: &Lines<'_>) -> Element {
    let place = lines.place(node.range().start);
    let attributes = node.attributes().map(|a| (a.name().to_owned(), a.value().to_owned()));
    let mut element = Element {
        name: name(node),
        attributes: attributes.collect(),
        text: None,
        stray: None,
        children: Vec::new(),
        place,
    };
    for child in node.children() {
        if child.is_element() {
            element.children.push(self::element(child, lines));
        } else if let Some(text) = child.text().filter(|t| child.is_text() && !t.is_empty()) {
            if element.children.is_empty() {
                element.text.get_or_insert_default().push_str(text);
            } else if element.stray.is_none() && !text.trim().is_empty() {
                element.stray = Some(lines.place(child.range().start));
            }
        }
    }
    element
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_before_children_without_comments() {
        let root = parse("<a>x<!-- no -->y<![CDATA[<z>]]>&lt;<b/>later</a>", "f").unwrap();
        assert_eq!(root.text.as_deref(), Some("xy<z><"));
        assert_eq!(root.children.len(), 1);
        assert_eq!(root.stray.unwrap().column, 40);
        assert_eq!(parse("<a></a>", "f").unwrap().text, None);
    }

    #[test]
    fn places_count_characters() {
        let root = parse("<a>\n  é<b\n/></a>", "f").unwrap();
        assert_eq!(root.children[0].place.to_string(), "f:2:4");
        let error = parse("<a>\n <b></a>", "f").unwrap_err();
        assert_eq!(error.place.line, 2);
    }

    #[test]
    fn no_entities() {
        let laughs = "<!DOCTYPE a [<!ENTITY b \"ha\">]><a>&b;</a>";
        assert!(parse(laughs, "f").unwrap_err().message.contains("document type"));
        assert!(parse("<a>&b;</a>", "f").unwrap_err().message.contains("&amp;"));
    }

    #[test]
    fn limits_come_before_the_library() {
        let deep = "<a b='>'>".repeat(200_000);
        let error = parse(&deep, "f").unwrap_err();
        assert_eq!((error.place.line, error.place.column), (1, 9 * MAX_DEPTH as u32 + 1));
        let wide: String = (0..200_000).map(|i| format!(" a{i}=''")).collect();
        assert!(parse(&format!("<a{wide}/>"), "f").unwrap_err().message.contains("attributes"));
        assert!(parse(&format!("<a{wide}"), "f").is_err());
        let flat =
            format!("<a>{}</a>", "<b c=\"/\"/><!-- <b> --><![CDATA[<b>]]><?b <b>?>".repeat(99));
        assert_eq!(parse(&flat, "f").unwrap().children.len(), 99);
    }
}
