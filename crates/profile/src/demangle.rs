//! Readable names of functions.

use std::borrow::Cow;
use std::fmt::Write;

/// Bytes of a name at most: a few bytes of a mangled name can stand for megabytes.
const LONGEST: usize = 4096;

/// The readable form of a mangled name of Rust (either scheme, without its hash) or C++; anything
/// else comes back as it is. Longer names than 4 KiB are cut, with `...` at their end.
pub fn demangle(name: &str) -> Cow<'_, str> {
    let mut text = Limited(String::new());
    if let Ok(symbol) = rustc_demangle::try_demangle(name) {
        let done = write!(text, "{symbol:#}");
        return text.finish(done.is_err());
    }
    if (name.starts_with("_Z") || name.starts_with("__Z"))
        && let Ok(symbol) = cpp_demangle::Symbol::new(name)
    {
        let options = cpp_demangle::DemangleOptions::new();
        let done = symbol.structured_demangle(&mut text, &options);
        if done.is_ok() || text.is_full() {
            return text.finish(done.is_err());
        }
    }
    Cow::Borrowed(name)
}

/// A text that takes so much and no more, which ends the work of whoever writes it.
struct Limited(String);

impl Limited {
    fn is_full(&self) -> bool {
        self.0.len() >= LONGEST
    }

    fn finish(mut self, cut: bool) -> Cow<'static, str> {
        if cut {
            self.0.push_str("...");
        }
        Cow::Owned(self.0)
    }
}

impl Write for Limited {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let room = LONGEST - self.0.len().min(LONGEST);
        if text.len() <= room {
            self.0.push_str(text);
            return Ok(());
        }
        self.0.push_str(&text[..text.floor_char_boundary(room)]);
        // A character that did not fit leaves room that nothing can fill.
        while !self.is_full() {
            self.0.push(' ');
        }
        Err(std::fmt::Error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_rust_and_cpp() {
        for (mangled, expected) in [
            ("_ZN4core3ptr13drop_in_place17h0123456789abcdefE", "core::ptr::drop_in_place"),
            (
                "_ZN50_$LT$T$u20$as$u20$core..convert..Into$LT$U$GT$$GT$4into17h0123456789abcdefE",
                "<T as core::convert::Into<U>>::into",
            ),
            ("_RNvC6_123foo3bar", "123foo::bar"),
            ("_RINvNtC3std3mem8align_ofjE", "std::mem::align_of::<usize>"),
            (
                "_ZNSt6vectorIiSaIiEE9push_backERKi",
                "std::vector<int, std::allocator<int> >::push_back(int const&)",
            ),
            ("_ZN2DB10ITransformE", "DB::ITransform"),
            ("memcpy", "memcpy"),
            ("_Zgarbage", "_Zgarbage"),
            ("_R", "_R"),
            ("", ""),
            ("entasis+0x1f", "entasis+0x1f"),
        ] {
            assert_eq!(demangle(mangled), expected);
        }
    }

    #[test]
    fn a_name_that_explodes_is_cut() {
        let mut name = String::from("_Z1fI1AE");
        for i in 0..24 {
            let s = if i == 0 { "S_".to_owned() } else { format!("S{}_", i - 1) };
            name.push_str(&format!("1BI{s}{s}{s}E"));
        }
        assert!(demangle(&name).len() <= LONGEST + 3);
        let nested = format!("_Z1f{}i", "P".repeat(100_000));
        assert!(demangle(&nested).len() <= nested.len());
    }
}
