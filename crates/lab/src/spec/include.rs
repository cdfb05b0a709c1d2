//! `<include file="x.xml.inc"/>`: the children of a fragment stand in the include's place.
//!
//! Paths are relative to the file that includes. A fragment may include others; a file that comes
//! to include itself is an error that names the way round. Depth, number and bytes are limited, so
//! that a few short files cannot grow to many long ones.

use std::path::{Path, PathBuf};

use super::problem::Problem;
use super::xml::{self, Element};

/// Fragments within fragments.
const MAX_DEPTH: usize = 16;
/// Includes of one test, nested ones too.
const MAX_INCLUDES: usize = 1000;
/// Bytes of all included files of one test.
const MAX_BYTES: usize = 64 << 20;

/// Puts the fragments below `root`, the root of the file `path`, in place. What cannot be included
/// is left out, and said in `errors`.
pub(super) fn splice(root: &mut Element, path: &Path, errors: &mut Vec<Problem>) {
    let way = vec![identity(path)];
    Splice { way, includes: 0, bytes: 0, errors }.children(root);
}

struct Splice<'a> {
    /// The files that are being read, from the test's inwards.
    way: Vec<PathBuf>,
    includes: usize,
    bytes: usize,
    errors: &'a mut Vec<Problem>,
}

impl Splice<'_> {
    fn children(&mut self, element: &mut Element) {
        for mut child in std::mem::take(&mut element.children) {
            if child.name == "include" {
                match self.fragment(&child) {
                    Ok(children) => element.children.extend(children),
                    Err(problem) => self.errors.push(problem),
                }
            } else {
                self.children(&mut child);
                element.children.push(child);
            }
        }
    }

    fn fragment(&mut self, include: &Element) -> Result<Vec<Element>, Problem> {
        let file = include.attribute("file").ok_or_else(|| {
            include.problem("expected the attribute file=\"NAME.xml.inc\", a path from this file")
        })?;
        if include.attributes.len() > 1 || !include.children.is_empty() {
            return Err(include.problem("an include has the attribute `file` and nothing else"));
        }
        let path = beside(include, file);
        let identity = identity(&path);
        if let Some(first) = self.way.iter().position(|open| *open == identity) {
            let round: Vec<String> = self.way[first..]
                .iter()
                .chain([&identity])
                .map(|p| p.display().to_string())
                .collect();
            let message = format!("a file includes itself: {}", round.join(" -> "));
            return Err(include.problem(message));
        }
        self.includes += 1;
        if self.way.len() > MAX_DEPTH || self.includes > MAX_INCLUDES || self.bytes > MAX_BYTES {
            return Err(include.problem(format!(
                "too much is included: at most {MAX_INCLUDES} fragments, {MAX_DEPTH} within each other, \
                 {MAX_BYTES} bytes in all"
            )));
        }
        // Paths within it are relative to where it lies, not to a link to it.
        let (mut root, bytes) =
            xml::file(&identity).map_err(|problem| match problem.place.line {
                0 => include.problem(format!("{} {}", path.display(), problem.message)),
                _ => problem,
            })?;
        self.bytes += bytes;
        if root.name != "fragment" {
            let message = format!("expected the root <fragment>, found <{}>", root.name);
            return Err(root.problem(message));
        }
        self.way.push(identity);
        self.children(&mut root);
        self.way.pop();
        Ok(root.children)
    }
}

/// A path as written in an element, from the folder of the file that the element stands in.
pub(super) fn beside(element: &Element, path: &str) -> PathBuf {
    Path::new(&*element.place.file).parent().unwrap_or(Path::new("")).join(path)
}

/// One name for one file, however it is reached.
fn identity(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}
