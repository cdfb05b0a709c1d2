//! Finds the file from which an address was loaded, with `/proc/self/maps`.

use std::time::{Duration, Instant};

/// How long an unknown address is not reason enough to read the list again.
const PAUSE: Duration = Duration::from_secs(1);

/// A range of addresses with code of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mapping {
    pub(super) start: u64,
    pub(super) end: u64,
    /// Where in the file the range begins.
    pub(super) offset: u64,
    /// The number of the file.
    pub(super) module: usize,
}

/// The process's code, as of when the list was last read.
#[derive(Debug)]
pub(super) struct Modules {
    mappings: Vec<Mapping>,
    /// Files never leave: their numbers stay.
    files: Vec<String>,
    read: Option<Instant>,
}

impl Modules {
    /// Nothing yet.
    pub(super) const fn new() -> Self {
        Self { mappings: Vec::new(), files: Vec::new(), read: None }
    }

    /// The mapping that an address lies in. Reads the list again for an address that it does not
    /// have (a library was loaded since), but not all the time.
    pub(super) fn find(&mut self, address: u64) -> Option<Mapping> {
        if let Some(mapping) = self.known(address) {
            return Some(mapping);
        }
        if self.read.is_some_and(|read| read.elapsed() < PAUSE) {
            return None;
        }
        self.read = Some(Instant::now());
        self.parse(&std::fs::read_to_string("/proc/self/maps").unwrap_or_default());
        self.known(address)
    }

    fn known(&self, address: u64) -> Option<Mapping> {
        let after = self.mappings.partition_point(|mapping| mapping.start <= address);
        let mapping = *self.mappings[..after].last()?;
        (address < mapping.end).then_some(mapping)
    }

    /// The file with a number: its path, or a name in brackets for code that is in no file.
    pub(super) fn file(&self, module: usize) -> &str {
        &self.files[module]
    }

    /// The last part of a file's path.
    pub(super) fn name(&self, module: usize) -> &str {
        let file = self.file(module);
        let file = file.strip_suffix(" (deleted)").unwrap_or(file);
        file.rsplit('/').next().unwrap_or(file)
    }

    fn parse(&mut self, maps: &str) {
        self.mappings.clear();
        for line in maps.lines() {
            if let Some((start, end, offset, file)) = fields(line) {
                let known = self.files.iter().position(|known| known == file);
                let module = known.unwrap_or_else(|| {
                    self.files.push(file.to_owned());
                    self.files.len() - 1
                });
                self.mappings.push(Mapping { start, end, offset, module });
            }
        }
        self.mappings.sort_unstable_by_key(|mapping| mapping.start);
    }
}

/// Bounds, offset and file of a line, if that is code of something that has a name.
fn fields(line: &str) -> Option<(u64, u64, u64, &str)> {
    let mut fields = line.splitn(6, ' ');
    let (start, end) = fields.next()?.split_once('-')?;
    let code = fields.next()?.as_bytes().get(2) == Some(&b'x');
    let offset = fields.next()?;
    let file = fields.nth(2)?.trim_start();
    if !code || file.is_empty() {
        return None;
    }
    let hex = |text| u64::from_str_radix(text, 16).ok();
    Some((hex(start)?, hex(end)?, hex(offset)?, file))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
        5560a0000000-5560a0010000 r--p 00000000 fe:00 123    /opt/my program (deleted)\n\
        5560a0010000-5560a0090000 r-xp 0000f000 fe:00 123    /opt/my program (deleted)\n\
        7f0000000000-7f0000010000 rw-p 00000000 00:00 0 \n\
        7f0000100000-7f0000200000 r-xp 00026000 fe:00 9      /usr/lib/libc.so.6\n\
        7f0000300000-7f0000301000 r-xp 00000000 00:00 0 \n\
        7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0      [vdso]\n\
        not a line\n";

    #[test]
    fn code_is_found_by_address() {
        let mut modules = Modules::new();
        modules.parse(MAPS);
        modules.read = Some(Instant::now());
        let found = modules.find(0x5560_a001_0010).unwrap();
        assert_eq!((found.start, found.offset), (0x5560_a001_0000, 0xf000));
        assert_eq!(modules.name(found.module), "my program");
        let found = modules.find(0x7f00_001f_ffff).unwrap();
        assert_eq!(modules.file(found.module), "/usr/lib/libc.so.6");
        let found = modules.find(0x7ffd_0000_0000).unwrap();
        assert_eq!(modules.name(found.module), "[vdso]");
        for outside in [0, 0x5560_a000_0000, 0x5560_a009_0000, 0x7f00_0020_0000, u64::MAX] {
            assert_eq!(modules.find(outside), None, "{outside:x}");
        }
    }
}
