//! Licences of all linked packages: an allow-list over SPDX expressions.

use crate::Problem;
use crate::metadata::Package;

/// Licences that may be linked into an Apache-2.0 program without further duties than notice.
pub const ALLOWED: &[&str] = &[
    "MIT",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "Unicode-3.0",
    "CC0-1.0",
    "BSL-1.0",
    "0BSD",
    "Unlicense",
    "MIT-0",
    // Like Zlib and BSD-3-Clause together: notices must be kept, and changed versions marked.
    "bzip2-1.0.6",
];

/// Exceptions (`X WITH exception`) that only give more rights.
const ALLOWED_EXCEPTIONS: &[&str] = &["LLVM-exception"];

/// Refuses packages whose licence expression cannot be met from the allow-list.
pub fn check(packages: &[Package]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for package in packages {
        let message = match &package.licence {
            None => "states no licence: look at its files, and do not use it unless it is clear",
            Some(expression) if !acceptable(expression) => {
                "is under a licence that is not on the allow-list (crates/xtask/src/licences.rs): \
                 use another crate"
            }
            Some(_) => continue,
        };
        let licence = package.licence.as_deref().unwrap_or("none");
        problems.push(Problem::new(&package.name, 0, format!("{message} (licence: {licence})")));
    }
    problems
}

/// Whether an SPDX expression can be met: `OR` needs one side, `AND` both. The old form `A/B` means
/// `OR`.
pub fn acceptable(expression: &str) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut parser = Parser { tokens: &tokens, at: 0 };
    parser.either() == Some(true) && parser.at == tokens.len()
}

/// Recursive descent over `OR`, `AND`, `WITH` and parentheses; `None` is a malformed expression.
struct Parser<'a> {
    tokens: &'a [&'a str],
    at: usize,
}

impl Parser<'_> {
    fn eat(&mut self, word: &str) -> bool {
        let found = self.tokens.get(self.at).is_some_and(|t| t.eq_ignore_ascii_case(word));
        self.at += usize::from(found);
        found
    }

    fn either(&mut self) -> Option<bool> {
        let mut value = self.both()?;
        while self.eat("OR") {
            value |= self.both()?;
        }
        Some(value)
    }

    fn both(&mut self) -> Option<bool> {
        let mut value = self.one()?;
        while self.eat("AND") {
            value &= self.one()?;
        }
        Some(value)
    }

    fn one(&mut self) -> Option<bool> {
        if self.eat("(") {
            let value = self.either()?;
            return self.eat(")").then_some(value);
        }
        let licence = *self.tokens.get(self.at)?;
        self.at += 1;
        let mut value = ALLOWED.contains(&licence);
        if self.eat("WITH") {
            value &= ALLOWED_EXCEPTIONS.contains(self.tokens.get(self.at)?);
            self.at += 1;
        }
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions() {
        for good in [
            "MIT",
            "MIT OR Apache-2.0",
            "MIT/Apache-2.0",
            "GPL-3.0 OR MIT",
            "(MIT OR GPL-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR MIT",
        ] {
            assert!(acceptable(good), "{good}");
        }
        for bad in [
            "MPL-2.0",
            "MIT AND GPL-3.0",
            "(MIT AND CDDL-1.0) OR GPL-2.0",
            "",
            "MIT OR",
            "MIT Apache-2.0",
            "(MIT",
            "GPL-2.0 WITH Classpath-exception-2.0",
        ] {
            assert!(!acceptable(bad), "{bad}");
        }
    }

    #[test]
    fn a_package_without_a_licence_is_named() {
        let package = Package { name: "x".into(), licence: None, dependencies: vec![] };
        assert!(crate::report(&check(&[package])).contains("x: states no licence"));
    }
}
