//! Names of functions that two builds share.
//!
//! A compiler's names carry what changes from build to build: Rust's hashes, the numbers of
//! closures, the clones that optimisers make (`.llvm.123`, `.cold`, `.part.0`). A comparison by
//! such names would find every function removed and added again. Types in angle brackets stay, as
//! `sum::<u8>` and `sum::<f64>` are different code; Rust's older mangling never had them.

use std::borrow::Cow;

use entasis_profile::demangle;

/// What optimisers put after a dot, alone or with a number behind it.
const CLONES: [&str; 14] = [
    "llvm",
    "cold",
    "part",
    "isra",
    "constprop",
    "clone",
    "lto_priv",
    "localalias",
    "specialized",
    "warm",
    "hot",
    "unlikely",
    "exit",
    "resolver",
];

/// Ways to write a closure as a part of a path.
const CLOSURES: [&str; 3] = ["{{closure}}", "{closure}", "{closure_env}"];

/// The name as people write it, without hash and marks of clones: `a::b::{closure#0}`. Closures and
/// instances stay apart. Takes mangled names of Rust (both schemes) and C++, and names that were
/// demangled already.
pub fn readable(name: &str) -> String {
    let name = without_clones(name.trim());
    let text = demangle(name);
    let text = without_bracketed_clones(&text);
    let text = text.rsplit_once("::h").filter(|(_, hash)| is_hash(hash)).map_or(text, |(t, _)| t);
    without_crate_hashes(text)
}

/// The name under which both builds' frames meet: [`readable`], and closures count as the function
/// that they are written in, numbers of closures and lambdas are gone, addresses in code without
/// symbols are one name for each file.
pub fn normal(name: &str) -> String {
    let text = without_numbers(&readable(name));
    let mut text = text.replace("[abi:cxx11]", "").replace("> >", ">>");
    for closure in CLOSURES {
        text = text.replace(&format!("::{closure}"), "");
    }
    without_address(&text).into_owned()
}

/// The last part of a path, without types and arguments: `f` of `<A as B<C>>::f::<D>`, of
/// `a::f(int)` and of `void f<int>()`. The whole name where it has no such part.
pub fn last_segment(name: &str) -> &str {
    let parts = segments(name);
    let last = parts.iter().rev().find(|part| !part.starts_with('<')).copied().unwrap_or(name);
    let bare = last.split(['<', '(']).next().unwrap_or(last).trim();
    let bare = bare.rsplit(' ').next().unwrap_or(bare);
    if bare.is_empty() { name } else { bare }
}

/// The parts of a path between `::` that no bracket encloses.
fn segments(name: &str) -> Vec<&str> {
    let bytes = name.as_bytes();
    let (mut parts, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for at in 0..bytes.len() {
        match bytes[at] {
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            // The arrow of a function's type closes nothing.
            b'>' if at > 0 && bytes[at - 1] == b'-' => {}
            b'>' | b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b':' if depth == 0 && at >= start && bytes.get(at + 1) == Some(&b':') => {
                parts.push(&name[start..at]);
                start = at + 2;
            }
            _ => {}
        }
    }
    parts.push(&name[start.min(name.len())..]);
    parts.retain(|part| !part.is_empty());
    parts
}

/// Takes `.llvm.123`, `.cold`, `.part.0`, `@plt`, `@@GLIBC_2.2` and the like off the end.
fn without_clones(name: &str) -> &str {
    let mut name = name;
    if !name.starts_with('@') {
        name = name.split('@').next().unwrap_or(name);
    }
    loop {
        let Some((head, last)) = name.rsplit_once('.') else { return name };
        let number = !last.is_empty() && last.bytes().all(|b| b.is_ascii_hexdigit());
        let cut = if CLONES.contains(&last) {
            head
        } else if number {
            match head.rsplit_once('.') {
                Some((before, word)) if CLONES.contains(&word) => before,
                // LLVM numbers functions whose names meet: `f.123`.
                _ if last.bytes().all(|b| b.is_ascii_digit()) && is_plain(head) => head,
                _ => return name,
            }
        } else {
            return name;
        };
        if cut.is_empty() {
            return name;
        }
        name = cut;
    }
}

fn is_plain(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.'))
        && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// Takes ` [clone .cold]` and ` (.cold)` off, which demanglers of C++ write.
fn without_bracketed_clones(text: &str) -> &str {
    let cut = [" [clone .", " (."].iter().filter_map(|mark| text.find(mark)).min();
    cut.map_or(text, |at| &text[..at])
}

fn is_hash(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit() && !b.is_ascii_uppercase())
}

/// Takes the hash of a crate off its name: `core[846817f741e54dfd]::slice`.
fn without_crate_hashes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let close = rest[open..].find(']').map(|at| open + at);
        let inner = close.map_or("", |close| &rest[open + 1..close]);
        let hash = (8..=16).contains(&inner.len()) && inner.bytes().all(|b| b.is_ascii_hexdigit());
        match close {
            Some(close) if hash => {
                out.push_str(&rest[..open]);
                rest = &rest[close + 1..];
            }
            _ => {
                out.push_str(&rest[..=open]);
                rest = &rest[open + 1..];
            }
        }
    }
    out + rest
}

/// Takes numbers off that count closures and lambdas: `{closure#1}`, `{lambda(int)#2}`, `$_3`.
fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['#', '$']) {
        let mark = if rest[at..].starts_with("$_") { 2 } else { 1 };
        let digits = rest[at + mark..].bytes().take_while(u8::is_ascii_digit).count();
        let after = &rest[at + mark + digits..];
        if rest[at..].starts_with('#') && digits > 0 && after.starts_with('}') {
            out.push_str(&rest[..at]);
            rest = after;
        } else if mark == 2 {
            out.push_str(&rest[..at + 2]);
            rest = after;
        } else {
            out.push_str(&rest[..=at]);
            rest = &rest[at + 1..];
        }
    }
    out + rest
}

/// One name for all addresses of a file (`entasis+0x1f`), and for those of none (`0x7f00`).
fn without_address(text: &str) -> Cow<'_, str> {
    let Some(at) = text.rfind("0x") else { return Cow::Borrowed(text) };
    let (head, digits) = (&text[..at], &text[at + 2..]);
    let address = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
    if !address || !(head.is_empty() || head.ends_with('+')) {
        return Cow::Borrowed(text);
    }
    match head.strip_suffix('+') {
        Some(file) if !file.is_empty() => Cow::Owned(format!("[{file}]")),
        _ => Cow::Borrowed("[unknown]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_builds_names_meet() {
        for (name, expected) in [
            ("_ZN12entasis_simd3sum3sum17h7cd13f08cee1542bE", "entasis_simd::sum::sum"),
            ("_ZN3foo3bar17h0123456789abcdefE.llvm.6092852518071213", "foo::bar"),
            ("_ZN3foo3bar28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", "foo::bar"),
            ("_RNvC6_123foo3bar", "123foo::bar"),
            ("_RNCNvC6_123foo3bar0", "123foo::bar"),
            ("_RNCNCNvC6_123foo3bars_00.llvm.12", "123foo::bar"),
            ("_RINvNtC3std3mem8align_ofjE", "std::mem::align_of::<usize>"),
            ("foo::bar::h0123456789abcdef", "foo::bar"),
            ("foo::bar::{{closure}}::{{closure}}", "foo::bar"),
            ("<a::B as c::D>::e::{closure#12}", "<a::B as c::D>::e"),
            ("core[846817f741e54dfd]::slice::sort::<[u8; 4]>", "core::slice::sort::<[u8; 4]>"),
            ("map<a::f::{closure#0}, [u8]>", "map<a::f, [u8]>"),
            ("_ZN2DB10ITransformE.cold.12", "DB::ITransform"),
            ("DB::work(int) [clone .isra.0] [clone .part.3]", "DB::work(int)"),
            ("DB::work(int) (.llvm.77)", "DB::work(int)"),
            (
                "f(std::vector<int, std::allocator<int> >)",
                "f(std::vector<int, std::allocator<int>>)",
            ),
            ("a::name[abi:cxx11]()", "a::name()"),
            (
                "run()::{lambda(int)#2}::operator()(int) const",
                "run()::{lambda(int)}::operator()(int) const",
            ),
            ("DB::f()::$_12::operator()()", "DB::f()::$_::operator()()"),
            ("memcpy@@GLIBC_2.14", "memcpy"),
            ("memcpy@plt", "memcpy"),
            ("quicksort.part.0.cold", "quicksort"),
            ("helper.123", "helper"),
            ("0x7f0012", "[unknown]"),
            ("entasis+0x1f00", "[entasis]"),
            ("[libc.so.6]", "[libc.so.6]"),
            ("libc.so.6", "libc.so"),
            (".cold", ".cold"),
            ("", ""),
            ("a::f32::1.5", "a::f32::1.5"),
        ] {
            assert_eq!(normal(name), expected, "{name}");
            assert_eq!(normal(&normal(name)), normal(name), "again: {name}");
        }
    }

    #[test]
    fn readable_keeps_closures_apart() {
        assert_eq!(readable("_RNCNvC6_123foo3bar0.llvm.5"), "123foo::bar::{closure#0}");
        assert_eq!(readable("_ZN3foo3bar17h0123456789abcdefE"), "foo::bar");
    }

    #[test]
    fn last_parts() {
        for (name, expected) in [
            ("<a::B as c::D<e::F>>::step::<u8>", "step"),
            ("a::b::sum", "sum"),
            ("sum", "sum"),
            ("void a::work<int>(b::c, int)", "work"),
            ("(anonymous namespace)::f(int)", "f"),
            ("call::<fn(a::b) -> c::d>", "call"),
            ("std::vector<int>::push_back(int const&)", "push_back"),
            ("<>", "<>"),
            ("a::", "a"),
            ("::", "::"),
            ("", ""),
            (">>>::<<<:::", ">>>"),
        ] {
            assert_eq!(last_segment(name), expected, "{name}");
        }
    }

    #[test]
    fn any_text_has_a_name() {
        let mut rng = entasis_stats::rng::stream(3, &[]);
        let pieces = [
            "::",
            "<",
            ">",
            "{closure#",
            "1}",
            "[",
            "]",
            "h0123456789abcdef",
            ".llvm.",
            "7",
            "$_",
            "#",
            "0x",
            "+",
            "é",
            "_ZN",
            "E",
            "@",
            " (.",
            "(",
            ")",
            "a",
        ];
        for _ in 0..20_000 {
            let text: String = (0..rng.below(9))
                .map(|_| pieces[rng.below(pieces.len() as u64) as usize])
                .collect();
            let name = normal(&text);
            assert!(name.len() <= text.len() + 9 || text.contains("_ZN"), "{text} {name}");
            assert!(name.contains(last_segment(&name)));
        }
    }
}
