//! One ELF file: its segments, its names, its line tables.
//!
//! Names and line tables may have been moved to a separate file (`objcopy --only-keep-debug`). It
//! is looked for as `<binary>.debug` and, by build id, `.build-id/xx/yyy.debug`, both beside the
//! binary, and it must have the binary's build id. Else the binary's own sections are taken.
//! Compressed sections count as absent.
//!
//! Nothing is loaded before it is asked for. The release binary of 2026-11 (21 MiB of code, 130 MiB
//! of line tables; two cores, files in the page cache): names take 7 ms and 1.3 MiB, the first line
//! 0.12 s (0.6 s from disk) and 57 MiB of ranges, each unit that an address is found in some more
//! (a function out of every ten: 150 MiB in all). So line tables can be given back, see `release`.

use std::path::{Path, PathBuf};

use addr2line::Context;
use gimli::{EndianSlice, RunTimeEndian, Section};
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol, SymbolKind};

use super::Place;

type Slice = EndianSlice<'static, RunTimeEndian>;
type File = object::File<'static, &'static [u8]>;

/// See the module.
pub(super) struct Image {
    file: File,
    /// The separate file, if there is one.
    debug: Option<File>,
    segments: Vec<Segment>,
    /// Sorted by address, without empty ones; made when first asked for.
    symbols: Option<Vec<Symbol>>,
    /// The line tables; made when first asked for.
    lines: Option<Lines>,
}

/// Line tables that were looked for.
struct Lines(Option<Context<Slice>>);

struct Segment {
    offset: u64,
    size: u64,
    address: u64,
}

struct Symbol {
    address: u64,
    size: u64,
    name: &'static str,
}

impl Image {
    /// The file of a mapping's path; `None` if it is none or no ELF file.
    pub(super) fn open(mapped: &str) -> Option<Self> {
        let path = mapped.strip_suffix(" (deleted)").unwrap_or(mapped);
        // The program itself can be read although its file was replaced.
        let own = std::fs::read_link("/proc/self/exe").is_ok_and(|exe| exe == Path::new(mapped));
        let bytes = crate::map::bytes(Path::new(if own { "/proc/self/exe" } else { mapped }))?;
        let file = File::parse(bytes).ok()?;
        let debug = debug_file(Path::new(path), &file);
        let segments = file
            .segments()
            .map(|segment| {
                let (offset, size) = segment.file_range();
                Segment { offset, size, address: segment.address() }
            })
            .collect();
        Some(Self { file, debug, segments, symbols: None, lines: None })
    }

    /// The address in the file's tables for an offset in the file.
    pub(super) fn address(&self, offset: u64) -> Option<u64> {
        let inside = |s: &&Segment| (s.offset..s.offset.saturating_add(s.size)).contains(&offset);
        let segment = self.segments.iter().find(inside)?;
        Some(segment.address.wrapping_add(offset - segment.offset))
    }

    /// The name of the function at an address.
    pub(super) fn symbol(&mut self, address: u64) -> Option<&'static str> {
        let (file, debug) = (&self.file, self.debug.as_ref());
        let symbols = self.symbols.get_or_insert_with(|| symbols(file, debug));
        let after = symbols.partition_point(|symbol| symbol.address <= address);
        let symbol = symbols[..after].last()?;
        (address - symbol.address < symbol.size).then_some(symbol.name)
    }

    /// Gives the memory of the line tables back; they are made again when asked for.
    pub(super) fn release(&mut self) {
        self.lines = None;
    }

    /// The functions and lines of an address, innermost first.
    pub(super) fn places(&mut self, address: u64) -> Vec<Place> {
        let outermost = self.symbol(address);
        let file = self.debug.as_ref().unwrap_or(&self.file);
        let lines = self.lines.get_or_insert_with(|| Lines(context(file)));
        let Lines(Some(context)) = lines else { return Vec::new() };
        let mut places = Vec::new();
        let Ok(mut frames) = context.find_frames(address).skip_all_loads() else { return places };
        while let Ok(Some(frame)) = frames.next() {
            let name = frame.function.as_ref().and_then(|function| function.raw_name().ok());
            let location = frame.location.as_ref();
            places.push(Place {
                function: name.map(|name| crate::demangle(&name).into_owned()),
                file: location.and_then(|l| l.file).map(str::to_owned),
                line: location.and_then(|l| l.line),
            });
        }
        // Tables of lines alone name a function without its path; the symbol has it.
        if let (Some(place), Some(name)) = (places.last_mut(), outermost) {
            place.function = Some(crate::demangle(name).into_owned());
        }
        places
    }
}

/// The separate debug file of the binary at `path`.
fn debug_file(path: &Path, file: &File) -> Option<File> {
    let id = file.build_id().ok().flatten();
    let mut candidates = Vec::new();
    if let Some(name) = path.file_name() {
        let mut name = name.to_owned();
        name.push(".debug");
        candidates.push(path.with_file_name(name));
    }
    if let (Some(folder), Some([first, rest @ ..])) = (path.parent(), id) {
        candidates.push(folder.join(by_build_id(*first, rest)));
    }
    candidates.iter().find_map(|candidate| {
        let debug = File::parse(crate::map::bytes(candidate)?).ok()?;
        (debug.build_id().ok().flatten() == id).then_some(debug)
    })
}

fn by_build_id(first: u8, rest: &[u8]) -> PathBuf {
    let hex: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
    PathBuf::from(format!(".build-id/{first:02x}/{hex}.debug"))
}

/// The functions of the fullest table there is.
fn symbols(file: &File, debug: Option<&File>) -> Vec<Symbol> {
    let mut list: Vec<Symbol> =
        debug.into_iter().flat_map(Object::symbols).filter_map(function).collect();
    if list.is_empty() {
        list = file.symbols().filter_map(function).collect();
    }
    if list.is_empty() {
        list = file.dynamic_symbols().filter_map(function).collect();
    }
    list.sort_by_key(|symbol| symbol.address);
    list.dedup_by_key(|symbol| symbol.address);
    list.shrink_to_fit();
    list
}

fn function(symbol: object::Symbol<'static, '_, &'static [u8]>) -> Option<Symbol> {
    let code = symbol.kind() == SymbolKind::Text && symbol.size() > 0;
    let name = symbol.name().ok().filter(|name| code && !name.is_empty())?;
    Some(Symbol { address: symbol.address(), size: symbol.size(), name })
}

/// The line tables of a file, if it has any.
fn context(file: &File) -> Option<Context<Slice>> {
    let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let section = |id: gimli::SectionId| {
        let section = file.section_by_name(id.name());
        let plain = section.filter(|section| {
            section
                .compressed_file_range()
                .is_ok_and(|range| range.format == object::CompressionFormat::None)
        });
        let data = plain.and_then(|section| section.data().ok()).unwrap_or_default();
        Ok::<_, gimli::Error>(EndianSlice::new(data, endian))
    };
    let dwarf = gimli::Dwarf::load(section).ok()?;
    if dwarf.debug_info.reader().is_empty() {
        return None;
    }
    Context::from_dwarf(dwarf).ok()
}
