//! Regular expressions with the syntax and meaning of RE2: linear time, bytes, and `.` matches
//! newlines.
//!
//! There are two engines. Patterns of literals, classes, their repetitions, options and groups
//! (most patterns in queries) run on a small machine in this crate, which takes some nanoseconds
//! per row, including captures. All other patterns, and rows for which the machine gives up, use
//! `regex-automata`.

pub mod functions;
mod machine;
pub mod multi;
mod program;
mod replace;
mod translate;

use std::sync::{Mutex, OnceLock};

use entasis_base::sync::lock;
use entasis_base::{Error, Result, codes};
use entasis_column::{Mask, Strings};
use entasis_simd::search;
use regex_automata::meta::{BuildError, Cache, Regex};
use regex_automata::util::captures::Captures;
use regex_automata::{Input, Span};
use regex_syntax::hir::Hir;

use entasis_function_kernel::kernel::mask_with;
use entasis_function_kernel::text::{Text, row_of};
use machine::{Found, Machine};
use program::{Program, Start};

/// A compiled pattern, shared by all workers.
#[derive(Debug)]
pub struct Pattern {
    hir: Hir,
    program: Option<Program>,
    regex: OnceLock<Regex>,
    caches: Mutex<Vec<(Cache, Captures)>>,
    machines: Mutex<Vec<Machine>>,
    groups: usize,
    /// The pattern is this literal and nothing else.
    literal: Option<Vec<u8>>,
}

#[cold]
fn cannot_compile(pattern: &[u8], reason: &str) -> Error {
    let shown = String::from_utf8_lossy(pattern);
    let message = format!(
        "OptimizedRegularExpression: cannot compile re2: {shown}, error: {reason}. Look at \
         https://github.com/google/re2/wiki/Syntax for reference. Please note that if you specify \
         regex as an SQL string literal, the slashes have to be additionally escaped"
    );
    Error::new(codes::CANNOT_COMPILE_REGEXP, message)
}

impl Pattern {
    /// Compiles; fails with CANNOT_COMPILE_REGEXP.
    pub fn compile(pattern: &[u8]) -> Result<Self> {
        Self::build(pattern, false)
    }

    /// Compiles a pattern that matches letters without case.
    pub fn compile_folded(pattern: &[u8]) -> Result<Self> {
        Self::build(pattern, true)
    }

    fn build(pattern: &[u8], fold: bool) -> Result<Self> {
        let text = translate::to_rust(pattern).map_err(|e| cannot_compile(pattern, e))?;
        let hir = regex_syntax::ParserBuilder::new()
            .utf8(false)
            .dot_matches_new_line(true)
            .case_insensitive(fold)
            .octal(true)
            .nest_limit(200)
            .build()
            .parse(&text)
            .map_err(|e| cannot_compile(pattern, &short_reason(&e.to_string())))?;
        let program = Program::compile(&hir);
        let literal = match hir.kind() {
            regex_syntax::hir::HirKind::Literal(l) => Some(l.0.to_vec()),
            _ => None,
        };
        let groups = hir.properties().explicit_captures_len();
        let pattern_of = Self {
            hir,
            program,
            regex: OnceLock::new(),
            caches: Mutex::default(),
            machines: Mutex::default(),
            groups,
            literal,
        };
        if pattern_of.program.is_none() {
            let regex = pattern_of
                .build_regex()
                .map_err(|e| cannot_compile(pattern, &short_reason(&e.to_string())))?;
            pattern_of.regex.get_or_init(|| regex);
        }
        Ok(pattern_of)
    }

    #[allow(clippy::result_large_err)] // cold: once per pattern
    fn build_regex(&self) -> std::result::Result<Regex, BuildError> {
        let config = Regex::config()
            .utf8_empty(false)
            .nfa_size_limit(Some(64 << 20))
            .hybrid_cache_capacity(4 << 20);
        Regex::builder().configure(config).build_from_hir(&self.hir)
    }

    /// Number of capturing groups.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// The string that the pattern is, if it has nothing but letters.
    pub fn literal(&self) -> Option<&[u8]> {
        self.literal.as_deref()
    }

    /// A matcher for one thread.
    pub fn matcher(&self) -> Matcher<'_> {
        let machine = self.program.as_ref().map(|_| lock(&self.machines).pop().unwrap_or_default());
        Matcher { pattern: self, machine, fallback: None, spans: vec![None; self.groups + 1] }
    }

    /// Rows that match somewhere.
    pub fn mask(&self, text: Text<'_>, rows: usize) -> Mask {
        if let (Text::Many(s), Some(literal)) = (text, &self.literal) {
            return mask_with(rows, |out| {
                search::contains_mask(s.data(), s.offsets(), literal, out);
            });
        }
        let mut matcher = self.matcher();
        if let (Text::Many(s), Some(program)) = (text, &self.program)
            && program.can_sweep()
        {
            return mask_with(rows, |out| matcher.sweep(program, s, out));
        }
        Mask::from_fn(rows, |i| matcher.is_match(text.get(i)))
    }
}

/// The last line of a message that shows the pattern above it.
fn short_reason(message: &str) -> String {
    let last = message.lines().last().unwrap_or_default().trim();
    last.strip_prefix("error: ").unwrap_or(last).to_string()
}

/// What a search leaves behind: start and end per group, group 0 the whole match.
pub struct Matcher<'p> {
    pattern: &'p Pattern,
    machine: Option<Machine>,
    fallback: Option<(Cache, Captures)>,
    spans: Vec<Option<(usize, usize)>>,
}

impl Drop for Matcher<'_> {
    fn drop(&mut self) {
        if let Some(machine) = self.machine.take() {
            lock(&self.pattern.machines).push(machine);
        }
        if let Some(fallback) = self.fallback.take() {
            lock(&self.pattern.caches).push(fallback);
        }
    }
}

impl Matcher<'_> {
    /// Start and end of group `i` after a successful [`Self::captures`].
    #[inline]
    pub fn group(&self, i: usize) -> Option<(usize, usize)> {
        self.spans.get(i).copied().flatten()
    }

    /// The leftmost match that begins at `from` or later; anchors and context are those of `s`.
    pub fn find(&mut self, s: &[u8], from: usize) -> Option<(usize, usize)> {
        if let (Some(machine), Some(program)) = (&mut self.machine, &self.pattern.program) {
            match machine.find(program, s, from) {
                Found::Match(start, end) => return Some((start, end)),
                Found::Nothing => return None,
                Found::GaveUp => {}
            }
        }
        let regex = self.pattern.regex();
        let (cache, _) = self.fallback.get_or_insert_with(|| self.pattern.cache());
        let input = Input::new(s).span(Span { start: from, end: s.len() });
        regex.search_with(cache, &input).map(|m| (m.start(), m.end()))
    }

    /// As [`Self::find`], and remembers the groups.
    pub fn captures(&mut self, s: &[u8], from: usize) -> Option<(usize, usize)> {
        if let (Some(machine), Some(program)) = (&mut self.machine, &self.pattern.program) {
            match machine.find(program, s, from) {
                Found::Match(start, end) => {
                    self.spans[0] = Some((start, end));
                    for i in 1..self.spans.len() {
                        self.spans[i] = machine.group(i);
                    }
                    return Some((start, end));
                }
                Found::Nothing => return None,
                Found::GaveUp => {}
            }
        }
        let regex = self.pattern.regex();
        let (cache, captures) = self.fallback.get_or_insert_with(|| self.pattern.cache());
        let input = Input::new(s).span(Span { start: from, end: s.len() });
        regex.search_captures_with(cache, &input, captures);
        if !captures.is_match() {
            return None;
        }
        for (i, span) in self.spans.iter_mut().enumerate() {
            *span = captures.get_group(i).map(|g| (g.start, g.end));
        }
        self.spans[0]
    }

    /// Whether there is a match.
    pub fn is_match(&mut self, s: &[u8]) -> bool {
        self.find(s, 0).is_some()
    }

    /// Sets the bits of rows that match, looking only where the program's first byte occurs.
    fn sweep(&mut self, program: &Program, strings: &Strings, out: &mut [u64]) {
        let (offsets, data, rows) = (strings.offsets(), strings.data(), strings.len());
        let end = offsets[rows] as usize;
        let (mut at, mut row) = (offsets[0] as usize, 0);
        let mut begun = usize::MAX;
        let plain = !program.wide || strings.bytes().is_ascii();
        while at < end {
            let Some(found) = program.start.next(&data[at..end]) else { return };
            row = row_of(offsets, row, (at + found) as u32);
            let (from, to) = (offsets[row] as usize, offsets[row + 1] as usize);
            let s = &data[from..to];
            let Some(machine) = &mut self.machine else { return };
            if begun != row {
                machine.begin(s.len());
                begun = row;
            }
            let matched = if !plain {
                self.is_match(s)
            } else {
                match machine.at(program, s, at + found - from) {
                    Found::Match(..) => true,
                    Found::Nothing => {
                        at += found + 1;
                        continue;
                    }
                    Found::GaveUp => self.is_match(s),
                }
            };
            out[row / 64] |= u64::from(matched) << (row % 64);
            row += 1;
            if row >= rows {
                return;
            }
            at = to;
        }
    }
}

impl Pattern {
    fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| {
            self.build_regex().expect("a program's pattern is small and compiles as a regex too")
        })
    }

    fn cache(&self) -> (Cache, Captures) {
        if let Some(cache) = lock(&self.caches).pop() {
            return cache;
        }
        let regex = self.regex();
        (regex.create_cache(), regex.create_captures())
    }
}

impl Start {
    /// Offset of the next place where a match may begin.
    #[inline]
    pub fn next(&self, s: &[u8]) -> Option<usize> {
        match self {
            Self::One(a) => memchr::memchr(*a, s),
            Self::Two(a, b) => memchr::memchr2(*a, *b, s),
            Self::Three(a, b, c) => memchr::memchr3(*a, *b, *c, s),
            Self::Literal(finder) => finder.find(s),
            Self::Set(set) => {
                let found = set.members.find(s);
                (found < s.len()).then_some(found)
            }
            Self::Anywhere | Self::Beginning => Some(0),
        }
    }
}

#[cfg(test)]
mod tests;
