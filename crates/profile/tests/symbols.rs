//! Names and lines of this very program, with its line tables, with a separate file, and stripped.

use std::path::Path;
use std::process::Command;

use entasis_profile::{AttachOptions, Kind, attach, demangle, drain, record, symbol};

#[inline(never)]
fn stack_of_an_inlined_function() -> Vec<u64> {
    let mut frames = Vec::new();
    {
        let options = AttachOptions { query: 1, record: true, ..AttachOptions::default() };
        let _attached = attach(&options);
        inlined_function(); // the line that is asked for
    }
    drain(&mut |sample| frames = sample.frames.to_vec());
    frames
}

#[inline(always)]
fn inlined_function() {
    record(Kind::ProfileEvent, 1, 1); // the innermost line
    std::hint::black_box(());
}

/// The line of this file that a mark is on.
fn line_of(mark: &str) -> u32 {
    let source = include_str!("symbols.rs");
    source.lines().position(|line| line.ends_with(mark)).map_or(0, |at| at as u32 + 1)
}

/// Whether the line tables of a program have this file. A build profile may leave them out; then
/// there is nothing to find.
fn has_lines(program: &Path) -> bool {
    let unit = b"tests/symbols.rs/@/symbols.";
    std::fs::read(program).is_ok_and(|bytes| bytes.windows(unit.len()).any(|w| w == unit))
}

/// Also run as a child with other files around it, `PROFILE_EXPECT` saying what they are.
#[test]
fn own_lines_and_inlined_frames() {
    let frames = stack_of_an_inlined_function();
    let name = symbol::symbol(frames[0]).unwrap();
    let expected = std::env::var("PROFILE_EXPECT").ok();
    if expected.as_deref() == Some("nothing") {
        assert!(name.starts_with("program+0x"), "{name}");
        assert_eq!((symbol::line(frames[0]), symbol::places(frames[0])), (None, vec![]));
        assert_eq!(symbol::names(frames[0]), ["[program]"]);
        return;
    }
    assert!(demangle(&name).ends_with("symbols::stack_of_an_inlined_function"), "{name}");
    if expected.is_none() && !has_lines(&std::env::current_exe().unwrap()) {
        return;
    }
    let places = symbol::places(frames[0]);
    assert_eq!(places.len(), 2, "{places:?}");
    let function = |at: usize| places[at].function.clone().unwrap();
    assert!(function(0).ends_with("inlined_function"), "{places:?}");
    assert!(function(1).ends_with("symbols::stack_of_an_inlined_function"), "{places:?}");
    assert_eq!(places[0].line, Some(line_of("// the innermost line")));
    assert_eq!(places[1].line, Some(line_of("// the line that is asked for")));
    let line = symbol::line(frames[0]).unwrap();
    let expected = format!("profile/tests/symbols.rs:{}", line_of("// the innermost line"));
    assert!(line.ends_with(&expected), "{line}");
    assert_eq!(places[0].file_and_line(), Some(line));
    symbol::release();
    assert_eq!(symbol::names(frames[0]), [function(0), function(1)]);
}

#[test]
fn a_stripped_program_finds_its_debug_file() {
    let own = std::env::current_exe().unwrap();
    let folder = std::env::temp_dir().join(format!("entasis-profile-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (program, debug) = (folder.join("program"), folder.join("program.debug"));
    let run = |tool: &str, arguments: &[&Path]| {
        Command::new(tool).args(arguments).status().is_ok_and(|status| status.success())
    };
    let made = run("objcopy", &[Path::new("--only-keep-debug"), &own, &debug])
        && run("objcopy", &[Path::new("--strip-all"), &own, &program]);
    if !made || !has_lines(&own) {
        eprintln!("not tested: needs objcopy and a build with line tables");
        std::fs::remove_dir_all(&folder).unwrap();
        return;
    }
    let check = |expected: &str| {
        let mut child = Command::new(&program);
        child.args(["--exact", "own_lines_and_inlined_frames"]).env("PROFILE_EXPECT", expected);
        let output = child.output().unwrap();
        assert!(output.status.success(), "{expected}: {}", String::from_utf8_lossy(&output.stdout));
        assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
    };
    check("lines");
    let id = build_id(&own);
    let by_id = folder.join(format!(".build-id/{}/{}.debug", &id[..2], &id[2..]));
    std::fs::create_dir_all(by_id.parent().unwrap()).unwrap();
    std::fs::rename(&debug, &by_id).unwrap();
    check("lines");
    std::fs::remove_file(&by_id).unwrap();
    check("nothing");
    std::fs::copy("/proc/self/exe", &by_id).unwrap();
    std::fs::write(&debug, "not an ELF file").unwrap();
    check("lines");
    let of_another_program = std::fs::read("/bin/sh").unwrap();
    std::fs::write(&by_id, of_another_program).unwrap();
    check("nothing");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// The build id that the linker wrote: a note of 20 bytes (or so) for `GNU`.
fn build_id(program: &Path) -> String {
    let bytes = std::fs::read(program).expect("it runs");
    let note = b"\x03\0\0\0GNU\0";
    let at = bytes.windows(note.len()).position(|w| w == note).expect("a build id");
    let length = usize::from(bytes[at - 4]);
    bytes[at + 8..at + 8 + length].iter().map(|byte| format!("{byte:02x}")).collect()
}
