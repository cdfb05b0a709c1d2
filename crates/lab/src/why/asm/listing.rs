//! Instructions of a function, read from the text of a disassembler: LLVM's or GNU's `objdump -d
//! -r --no-show-raw-insn`, in AT&T syntax on x86-64.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::super::{hash, symbol};
use super::object::Machine;

/// How control goes on after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// To the next one.
    Plain,
    /// To the next one, by way of another function.
    Call,
    /// To its target or the next one.
    Branch,
    /// To its target.
    Jump,
    /// To somewhere.
    Indirect,
    /// Out of the function.
    End,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Instruction {
    pub address: u64,
    /// As printed, without comments; blanks in place of tabs. A target has no name behind it.
    pub text: String,
    pub kind: Kind,
    /// The address that a jump, a call or a literal names.
    pub target: Option<u64>,
    /// The name of the target, as far as the tool knows it, or that of a relocation.
    pub symbol: Option<String>,
    /// Where a call finds its target's address.
    pub slot: Option<u64>,
    /// Whether the linker fills something in.
    relocated: bool,
}

/// Prefixes that LLVM prints as instructions of their own.
const PREFIXES: [&str; 10] =
    ["lock", "rep", "repe", "repz", "repne", "repnz", "notrack", "bnd", "xacquire", "xrelease"];

/// Parts of names of functions that do not come back.
const NO_RETURN: [&str; 7] = [
    "core::panicking::",
    "core::slice::index::",
    "core::option::unwrap_failed",
    "_Unwind_Resume",
    "handle_alloc_error",
    "__stack_chk_fail",
    "abort",
];

/// Reads all instructions; other lines are left out.
pub(super) fn read(text: &str, machine: Machine) -> Vec<Instruction> {
    let mut found: Vec<Instruction> = Vec::new();
    let mut prefix: Option<(u64, String)> = None;
    for line in text.lines() {
        let Some((address, rest)) = line.trim_start().split_once(':') else { continue };
        let Ok(address) = u64::from_str_radix(address, 16) else { continue };
        let rest = rest.trim().replace('\t', " ");
        if rest.starts_with("R_") {
            if let Some(last) = found.last_mut() {
                let name = rest.split_whitespace().next_back().unwrap_or("");
                last.symbol = Some(name_of(name));
                last.relocated = true;
            }
            continue;
        }
        if rest.is_empty() {
            continue;
        }
        if PREFIXES.contains(&rest.as_str()) {
            let (start, words) = prefix.take().unwrap_or((address, String::new()));
            prefix = Some((start, format!("{words}{rest} ")));
            continue;
        }
        let (start, words) = prefix.take().unwrap_or((address, String::new()));
        found.push(instruction(start, &format!("{words}{rest}"), machine));
    }
    found
}

fn instruction(address: u64, line: &str, machine: Machine) -> Instruction {
    let comment = match machine {
        Machine::X86 => line.find('#'),
        Machine::Arm => line.find("//"),
    };
    let (code, remark) = line.split_at(comment.unwrap_or(line.len()));
    let (code, named) = without_name(code);
    let text = code.split_whitespace().collect::<Vec<_>>().join(" ");
    let kind = kind(&text, machine);
    let literal = named.is_some() || kind != Kind::Plain;
    let target = if literal { address_of(&text) } else { None };
    // The comment's name is that of whatever symbol lies before the slot.
    let remark = remark.trim_start_matches('#').split_whitespace().next().unwrap_or("");
    let slot = u64::from_str_radix(remark.trim_start_matches("0x"), 16).ok();
    let slot = slot.filter(|_| kind == Kind::Call && text.contains("(%rip)"));
    let symbol = named.map(|name| name_of(&name));
    Instruction { address, text, kind, target, symbol, slot, relocated: false }
}

/// Names the targets of calls through slots.
pub(super) fn resolve(code: &mut [Instruction], pointers: &HashMap<u64, String>) {
    for instruction in code.iter_mut().filter(|instruction| instruction.symbol.is_none()) {
        let name = instruction.slot.and_then(|slot| pointers.get(&slot));
        instruction.symbol = name.cloned();
    }
}

/// Cuts `<name+0x1f>` off the end of a text.
fn without_name(text: &str) -> (&str, Option<String>) {
    let name = text.trim_end().strip_suffix('>').and_then(|text| {
        let at = text.find(" <")?;
        Some((at, text[at + 2..].to_owned()))
    });
    match name {
        Some((at, name)) => (&text[..at], Some(name)),
        None => (text, None),
    }
}

/// A readable name without the distance to it.
fn name_of(name: &str) -> String {
    let at = name.rfind("+0x").or_else(|| name.rfind("-0x"));
    symbol::readable(&name[..at.unwrap_or(name.len())])
}

/// The last operand as an address in hexadecimal.
fn address_of(text: &str) -> Option<u64> {
    let last = text.rsplit([' ', ',']).next()?;
    u64::from_str_radix(last.strip_prefix("0x").unwrap_or(last), 16).ok()
}

fn kind(text: &str, machine: Machine) -> Kind {
    let mut words = text.split(' ').filter(|word| !PREFIXES.contains(word));
    let (name, operand) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    match machine {
        Machine::X86 if name.starts_with("call") => Kind::Call,
        // Through a slot: the last call of a function.
        Machine::X86 if name.starts_with("jmp") && text.ends_with("(%rip)") => Kind::End,
        Machine::X86 if name.starts_with("jmp") && operand.starts_with('*') => Kind::Indirect,
        Machine::X86 if name.starts_with("jmp") => Kind::Jump,
        Machine::X86 if name.starts_with('j') || name.starts_with("loop") => Kind::Branch,
        Machine::X86 if name.starts_with("ret") || ["ud2", "int3", "hlt"].contains(&name) => {
            Kind::End
        }
        Machine::Arm if name.starts_with("bl") => Kind::Call,
        Machine::Arm if name == "b" => Kind::Jump,
        Machine::Arm if name.starts_with("br") && name != "brk" => Kind::Indirect,
        Machine::Arm if name.starts_with("b.") || name.starts_with("bc.") => Kind::Branch,
        Machine::Arm if ["cbz", "cbnz", "tbz", "tbnz"].contains(&name) => Kind::Branch,
        Machine::Arm if name.starts_with("ret") || ["brk", "udf", "eret"].contains(&name) => {
            Kind::End
        }
        _ => Kind::Plain,
    }
}

impl Instruction {
    /// Whether it does nothing: padding in front of loops.
    pub fn is_nop(&self) -> bool {
        let mut words = self.text.split(' ');
        let skipped = ["data16", "cs"];
        let name = words.find(|word| !skipped.contains(word)).unwrap_or("");
        name.starts_with("nop") || self.text == "xchg %ax,%ax" || self.text == "xchgw %ax, %ax"
    }

    /// Whether what follows it is not executed, although it is a call.
    pub fn never_returns(&self) -> bool {
        let name = self.symbol.as_deref().unwrap_or("");
        self.kind == Kind::Call && NO_RETURN.iter().any(|part| name.contains(part))
    }

    /// The text for people, of an instruction in a function that lies at `place`: a call says whom,
    /// a jump how far from the beginning it goes.
    pub fn shown(&self, place: &Range<u64>) -> String {
        let mnemonic = self.text.split(' ').next().unwrap_or("");
        match (&self.symbol, self.target) {
            (Some(name), _) if self.kind == Kind::Call => format!("{mnemonic} {name}"),
            (_, Some(target)) if place.contains(&target) => {
                format!("{}+{:#x}", self.before_target(), target - place.start)
            }
            (Some(name), Some(_)) => format!("{}{name}", self.before_target()),
            _ => self.text.clone(),
        }
    }

    /// The text in front of the last operand, if that is a target.
    pub fn before_target(&self) -> &str {
        let at = self.text.rfind([' ', ',']).map_or(self.text.len(), |at| at + 1);
        if self.target.is_some() { &self.text[..at] } else { &self.text }
    }
}

/// The hash of a function's code, wherever it lies: jumps within it go to the n-th instruction,
/// calls go to names, and neither constants' places nor padding count. Equal hashes mean the same
/// instructions at other addresses.
pub(super) fn code_hash(code: &[Instruction], machine: Machine) -> u64 {
    let real = || code.iter().filter(|instruction| !instruction.is_nop());
    let mut places = HashMap::new();
    let mut count = 0usize;
    for instruction in code {
        // A jump to padding reaches what follows it.
        places.insert(instruction.address, count);
        count += usize::from(!instruction.is_nop());
    }
    let mut pages = BTreeSet::new();
    let lines: Vec<String> = real()
        .map(|instruction| {
            let line = comparable(instruction, &places);
            if machine == Machine::Arm {
                without_pages(instruction, line, &mut pages)
            } else {
                line
            }
        })
        .collect();
    hash(lines.iter().map(String::as_str))
}

fn comparable(instruction: &Instruction, places: &HashMap<u64, usize>) -> String {
    let name = instruction.symbol.as_deref().unwrap_or("");
    let inside = instruction.target.and_then(|target| places.get(&target));
    match inside {
        _ if instruction.relocated => {
            let mnemonic = instruction.text.split(' ').next().unwrap_or("");
            format!("{mnemonic} {name}")
        }
        Some(place) => format!("{}@{place}", instruction.before_target()),
        None if instruction.target.is_some() => format!("{}{name}", instruction.before_target()),
        // A call through a table of pointers: the name of its entry, as far as it is known.
        None if instruction.kind == Kind::Call => {
            format!("{} {name}", without_displacement(&instruction.text))
        }
        None => without_displacement(&instruction.text),
    }
}

/// `-26373974(%rip)` is the distance to a constant: another one in each build.
fn without_displacement(text: &str) -> String {
    let Some(at) = text.find("(%rip)") else { return text.to_owned() };
    let number = |c: char| c.is_ascii_hexdigit() || matches!(c, '-' | 'x');
    let start = text[..at].trim_end_matches(number).len();
    format!("{}_{}", &text[..start], &text[at..])
}

/// AArch64 forms an address in two steps, `adrp` and an offset; both vary.
fn without_pages(instruction: &Instruction, line: String, pages: &mut BTreeSet<String>) -> String {
    let mut words = instruction.text.split([' ', ',', '[', ']']).filter(|word| !word.is_empty());
    let (name, first) = (words.next().unwrap_or(""), words.next().unwrap_or("").to_owned());
    if name == "adrp" || name == "adr" {
        pages.insert(first.clone());
        return format!("{name} {first}");
    }
    let uses = words.any(|word| pages.contains(word));
    let offset = uses && (name == "add" || name.starts_with("ldr") || name.starts_with("str"));
    // A store writes no register; anything else ends what was known of its first one.
    if !name.starts_with("st") && !name.starts_with('b') {
        pages.remove(&first);
    }
    match line.rfind('#').filter(|_| offset) {
        Some(at) => format!("{}_", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LLVM: &str = "\n/tmp/a:\tfile format elf64-x86-64\n\nDisassembly of section .text:\n\n\
        0000000000001000 <f>:\n\
        \x20   1000:      \tcmpq\t$896, %rdx              # imm = 0x380\n\
        \x20   1007:      \tjb\t0x1010 <f+0x10>\n\
        \x20   1009:      \tlock\n\
        \x20   100a:      \tdecq\t(%rax)\n\
        \x20   100d:      \tcallq\t*12345(%rip)            # 0x4000 <nearby+0x4000>\n\
        \x20   1010:      \tvaddpd\t-26373974(%rip), %ymm1 # 0x2fcc18 <anon.1.llvm.2+0x8>\n\
        \x20   1018:      \tnopw\t%cs:(%rax,%rax)\n\
        \x20   1020:      \tjmp\t0x1000 <f>\n\
        \x20   1022:      \tjmpq\t*%rax\n\
        \x20   1024:      \tretq\n";

    #[test]
    fn lines_of_llvm() {
        let mut code = read(LLVM, Machine::X86);
        let kinds: Vec<Kind> = code.iter().map(|i| i.kind).collect();
        use Kind::*;
        assert_eq!(kinds, [Plain, Branch, Plain, Call, Plain, Plain, Jump, Indirect, End]);
        assert_eq!((code[2].address, code[2].text.as_str()), (0x1009, "lock decq (%rax)"));
        assert_eq!(code[0].text, "cmpq $896, %rdx");
        assert_eq!((code[1].target, code[1].before_target()), (Some(0x1010), "jb "));
        assert_eq!((code[3].target, code[3].symbol.as_deref()), (None, None));
        resolve(&mut code, &[(0x4000, "foo::bar".to_owned())].into());
        assert_eq!((code[3].slot, code[3].symbol.as_deref()), (Some(0x4000), Some("foo::bar")));
        assert!(code[5].is_nop() && !code[4].is_nop());
    }

    #[test]
    fn lines_of_gnu() {
        let text = " 1c23a0a:\tjne    1c239f0 <_ZN4simd3sum17hc311ad1d2589e8a5E+0x90>\n\
                    \x20 12:\tcs nopw 0x0(%rax,%rax,1)\n  14:\tcall   2000 <memcpy@plt>\n";
        let code = read(text, Machine::X86);
        assert_eq!((code[0].target, code[0].text.as_str()), (Some(0x1c239f0), "jne 1c239f0"));
        assert_eq!(code[0].symbol.as_deref(), Some("simd::sum"));
        assert!(code[1].is_nop());
        assert_eq!((code[2].kind, code[2].symbol.as_deref()), (Kind::Call, Some("memcpy")));
    }

    #[test]
    fn the_hash_forgets_addresses_only() {
        let pointers = [(0x4000, "foo::bar".to_owned()), (0x5000, "foo::bar".to_owned())].into();
        let hash = |text: &str| {
            let mut code = read(text, Machine::X86);
            resolve(&mut code, &pointers);
            code_hash(&code, Machine::X86)
        };
        // Moved by 0x40, other constants, other padding, another hash in a name.
        let moved = LLVM
            .replace("    10", "    20")
            .replace("0x1010 <f+0x10>", "0x2010 <f+0x10>")
            .replace("0x1000 <f>", "0x2000 <f>")
            .replace("-26373974(%rip)", "17(%rip)")
            .replace("nopw\t%cs:(%rax,%rax)", "nop")
            .replace("0x4000", "0x5000");
        assert_eq!(hash(LLVM), hash(&moved));
        for (from, to) in [
            ("$896", "$897"),
            ("0x1010 <f+0x10>", "0x1009 <f+0x9>"),
            ("%ymm1", "%ymm2"),
            ("0x4000", "0x6000"),
            ("retq", "ud2"),
        ] {
            assert_ne!(hash(LLVM), hash(&LLVM.replace(from, to)), "{from}");
        }
    }

    #[test]
    fn pages_and_relocations_of_arm() {
        let text = |page: &str, low: &str| {
            format!(
                "   8:      \tadrp\tx3, {page} <x+0x8>\n   c:      \tadd\tx3, x3, #{low}\n\
                 \x20 10:      \tldr\td2, [x3, #8]\n  14:      \tcbz\tx2, 0x8 <dot+0x8>\n\
                 \x20 2c:      \tbl\t0x2c <dot+0x2c>\n\t\t000000000000002c:  R_AARCH64_CALL26\thelper\n"
            )
        };
        let code = read(&text("0x1000", "291"), Machine::Arm);
        assert_eq!(
            (code.len(), code[4].kind, code[4].symbol.as_deref()),
            (5, Kind::Call, Some("helper"))
        );
        assert_eq!(code[3].before_target(), "cbz x2, ");
        let hash = |text: String| code_hash(&read(&text, Machine::Arm), Machine::Arm);
        let first = hash(text("0x1000", "291"));
        assert_eq!(first, hash(text("0x7000", "16")));
        assert_ne!(first, hash(text("0x1000", "291").replace("[x3, #8]", "[x3, #16]")));
        assert_ne!(first, hash(text("0x1000", "291").replace("helper", "other")));
    }
}
