//! Functions of a binary: its symbol table as `objdump -t` prints it (LLVM's or GNU's), and which
//! of them a name means.

use std::collections::{BTreeSet, HashMap};

use super::super::symbol;

/// A processor family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// x86-64.
    X86,
    /// 64-bit ARM.
    Arm,
}

impl Machine {
    /// Its name for LLVM's tools.
    pub(super) fn triple(self) -> &'static str {
        match self {
            Self::X86 => "x86_64",
            Self::Arm => "aarch64",
        }
    }

    /// From `file format elf64-x86-64` in a tool's output; `None` for another family.
    pub(super) fn of(text: &str) -> Option<Self> {
        let format = text.lines().find_map(|line| line.split_once("file format "))?.1;
        match format.trim() {
            "elf64-x86-64" => Some(Self::X86),
            "elf64-littleaarch64" | "elf64-aarch64" => Some(Self::Arm),
            _ => None,
        }
    }
}

/// A function of a binary.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Function {
    /// Where it begins in the file's address space, or in the section of an object file.
    pub address: u64,
    /// The section it lies in.
    pub section: String,
    /// Its length in bytes.
    pub size: u64,
    /// The name in the symbol table.
    pub symbol: String,
}

impl Function {
    /// The name as people write it.
    pub fn name(&self) -> String {
        symbol::readable(&self.symbol)
    }
}

/// Functions with a length, by address.
pub(super) fn functions(table: &str) -> Vec<Function> {
    let mut found: Vec<Function> = table.lines().filter_map(function).collect();
    found.sort();
    found
}

/// `ADDRESS FLAGS SECTION<tab>SIZE [VISIBILITY] NAME`; seven flags, the last one `F` of functions.
fn function(line: &str) -> Option<Function> {
    let (head, rest) = line.split_once('\t')?;
    let (address, flags) = head.split_once(' ')?;
    let section = flags.get(7..)?.trim().to_owned();
    if flags.as_bytes().get(6) != Some(&b'F') {
        return None;
    }
    let address = u64::from_str_radix(address, 16).ok()?;
    let mut words = rest.split_whitespace();
    let size = u64::from_str_radix(words.next()?, 16).ok().filter(|&size| size > 0)?;
    let visibility = |word: &&str| [".hidden", ".internal", ".protected"].contains(word);
    let symbol = words.find(|word| !visibility(word))?;
    Some(Function { address, section, size, symbol: symbol.to_owned() })
}

/// Which function the loader writes into which slot, from `objdump -R`: how position-independent
/// code calls functions that are not near, in other libraries or even in its own file.
pub(super) fn pointers(table: &str, functions: &[Function]) -> HashMap<u64, String> {
    let pointer = |line: &str| {
        let mut words = line.split_whitespace();
        let slot = u64::from_str_radix(words.next()?, 16).ok()?;
        let (kind, value) = (words.next()?, words.next()?);
        if !kind.starts_with("R_") {
            return None;
        }
        let Some(address) = value.strip_prefix("*ABS*+0x") else {
            return Some((slot, symbol::readable(value)));
        };
        let address = u64::from_str_radix(address, 16).ok()?;
        let at = functions.binary_search_by_key(&address, |function| function.address).ok()?;
        Some((slot, functions[at].name()))
    };
    table.lines().filter_map(pointer).collect()
}

/// Functions that a name means, by the first of these that finds any: the name in the symbol table,
/// the whole readable name, the name that both builds share, the end of a path, the words of a path
/// in their order (`Groups::add` of `<impl a::Groups>::add`), any part. Each address is there once.
pub(super) fn matching<'a>(functions: &'a [Function], wanted: &str) -> Vec<&'a Function> {
    let mut found = all_matching(functions, wanted);
    found.dedup_by_key(|function| (function.address, function.section.clone()));
    found
}

fn all_matching<'a>(functions: &'a [Function], wanted: &str) -> Vec<&'a Function> {
    let exact: Vec<_> = functions.iter().filter(|f| f.symbol == wanted).collect();
    if !exact.is_empty() {
        return exact;
    }
    let wanted = symbol::readable(wanted);
    let piece = longest_word(&wanted);
    // Both of Rust's manglings and C++'s have the words of a path in them as they are.
    let near: Vec<(&Function, String)> = functions
        .iter()
        .filter(|f| f.symbol.contains(piece))
        .map(|f| (f, f.name()))
        .filter(|(_, name)| name.contains(piece))
        .collect();
    let ending = format!("::{wanted}");
    let with_types = format!("::{wanted}::<");
    let with_arguments = format!("::{wanted}(");
    let rules: [&dyn Fn(&str) -> bool; 5] = [
        &|name| name == wanted,
        &|name| symbol::normal(name) == wanted,
        &|name| {
            let ends = name.ends_with(&ending) || name.starts_with(&format!("{wanted}("));
            ends || name.contains(&with_types) || name.contains(&with_arguments)
        },
        &|name| is_abbreviated(name, &wanted),
        &|name| name.contains(&*wanted),
    ];
    for rule in rules {
        let found: Vec<_> = near.iter().filter(|(_, name)| rule(name)).map(|(f, _)| *f).collect();
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// Whether a path is `wanted` with parts left out: the last parts are equal, the others occur.
fn is_abbreviated(name: &str, wanted: &str) -> bool {
    let (path, last) = wanted.rsplit_once("::").unwrap_or(("", wanted));
    let mut rest = name;
    let in_order = path.split("::").all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    });
    in_order && symbol::last_segment(name) == last
}

/// The distinct readable names of functions.
pub(super) fn names(functions: &[&Function]) -> BTreeSet<String> {
    functions.iter().map(|f| f.name()).collect()
}

fn longest_word(text: &str) -> &str {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    // v0 writes closures without this word.
    let words = words.filter(|word| !["closure", "impl", "as"].contains(word));
    words.max_by_key(|word| word.len()).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\n/tmp/a:\tfile format elf64-x86-64\n\nSYMBOL TABLE:\n\
        000000 l    df *ABS*\t000000 a.c\n\
        001000 l     F .text\t000334 .hidden _ZN4simd3sum3sum17h7cd13f08cee1542bE\n\
        002000 l     F .text\t0003af              .hidden _ZN4simd3sum3sum17hc311ad1d2589e8a5E\n\
        003000 g     F .text\t000010 _ZN4exec3sum17h0123456789abcdefE.llvm.77\n\
        003000 g     F .text\t000010 an_alias\n\
        004000 g     F .text\t000000 empty\n\
        005000 l     O .bss\t000001 sum\n\
        006000 g     F .text\t000020 .protected _RNvC6_123foo3bar\n\
        000000         *UND*\t000000 memcpy\n\
        broken line\n";

    #[test]
    fn tables_of_both_tools() {
        assert_eq!(Machine::of(TABLE), Some(Machine::X86));
        assert_eq!(Machine::of("x.o:     file format elf64-littleaarch64\n"), Some(Machine::Arm));
        assert_eq!(Machine::of("x.o:     file format elf32-i386\n"), None);
        let found = functions(TABLE);
        let addresses: Vec<u64> = found.iter().map(|f| f.address).collect();
        assert_eq!(addresses, [0x1000, 0x2000, 0x3000, 0x3000, 0x6000]);
        assert_eq!((found[0].section.as_str(), found[1].section.as_str()), (".text", ".text"));
        assert_eq!((found[1].size, found[1].name().as_str()), (0x3af, "simd::sum::sum"));
    }

    #[test]
    fn slots_of_pointers() {
        let table = "\nx:\tfile format elf64-x86-64\n\nDYNAMIC RELOCATION RECORDS\n\
            OFFSET           TYPE                     VALUE\n\
            0000000000009000 R_X86_64_RELATIVE        *ABS*+0x1000\n\
            0000000000009008 R_X86_64_RELATIVE        *ABS*+0x0000000000001004\n\
            0000000000009010 R_X86_64_GLOB_DAT        memcpy@GLIBC_2.14\n";
        let found = pointers(table, &functions(TABLE));
        let expected = [(0x9000, "simd::sum::sum"), (0x9010, "memcpy")];
        assert_eq!(found, expected.map(|(slot, name)| (slot, name.to_owned())).into());
    }

    #[test]
    fn names_mean_functions() {
        let all = functions(TABLE);
        let of = |wanted: &str| -> Vec<u64> {
            matching(&all, wanted).iter().map(|f| f.address).collect()
        };
        assert_eq!(of("simd::sum::sum"), [0x1000, 0x2000]);
        assert_eq!(of("sum"), [0x1000, 0x2000, 0x3000]);
        assert_eq!(of("exec::sum"), [0x3000]);
        assert_eq!(of("_ZN4simd3sum3sum17hc311ad1d2589e8a5E"), [0x2000]);
        assert_eq!(of("foo::bar"), [0x6000]);
        assert_eq!(of("ba"), [0x6000]);
        assert_eq!(of("123foo::bar"), [0x6000]);
        assert_eq!(of("sim::sum"), [0x1000, 0x2000], "parts in their order");
        assert_eq!(of("nothing"), [0; 0]);
        assert_eq!(names(&matching(&all, "sum")).len(), 2);
    }
}
