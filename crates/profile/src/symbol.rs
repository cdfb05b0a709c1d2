//! The function, file and line of an address of this process.
//!
//! An address is looked up in `/proc/self/maps`, which names the file from which it was loaded (so
//! position-independent executables and shared objects need no special care), then in the symbols
//! and line tables of that file. Line tables may be in a separate file, see `image`. Files are
//! mapped when they are first needed, and stay mapped.
//!
//! Nothing here fails. Unknown parts are left out: a file without line tables has names, one
//! without names has `file+0xoffset`, and an address outside of all code has nothing.

mod image;
mod modules;

use std::sync::{Mutex, MutexGuard};

use entasis_base::sync::lock;
use image::Image;
use modules::Modules;

/// A place in a source that an address stands for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The function's name in readable form.
    pub function: Option<String>,
    /// The source file, as the compiler was told.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<u32>,
}

impl Place {
    /// `file:line`, or as much of it as is known.
    pub fn file_and_line(&self) -> Option<String> {
        let file = self.file.as_ref()?;
        Some(self.line.map_or_else(|| file.clone(), |line| format!("{file}:{line}")))
    }
}

/// The mangled name of the function at an address; `file+0xoffset` if the file has no name for it;
/// nothing for an address outside of all code.
pub fn symbol(address: u64) -> Option<String> {
    let mut symbols = symbols();
    let found = symbols.find(address)?;
    let Found { address, name: file, image } = found;
    let name = image.and_then(|image| image.symbol(address));
    Some(name.map_or_else(|| format!("{file}+{address:#x}"), str::to_owned))
}

/// The name of the program or shared object that an address belongs to.
pub fn object(address: u64) -> Option<String> {
    symbols().find(address).map(|found| found.name.to_owned())
}

/// `file:line` of an address, of the innermost function inlined there.
pub fn line(address: u64) -> Option<String> {
    places(address).first()?.file_and_line()
}

/// All functions that an address is in, innermost first: those inlined there, then the one that
/// they were inlined into. Empty without line tables.
pub fn places(address: u64) -> Vec<Place> {
    let mut symbols = symbols();
    let Some(found) = symbols.find(address) else { return Vec::new() };
    found.image.map(|image| image.places(found.address)).unwrap_or_default()
}

/// The names to show for an address, innermost first: of all functions that were inlined there, or
/// else the symbol's. Without a name it is `[file]`; an address outside of all code is its number.
pub fn names(address: u64) -> Vec<String> {
    let places = places(address);
    let names: Vec<String> = places.into_iter().filter_map(|place| place.function).collect();
    if !names.is_empty() {
        return names;
    }
    let mut symbols = symbols();
    let Some(Found { address: own, name: file, image }) = symbols.find(address) else {
        return vec![format!("{address:#x}")];
    };
    let name = image.and_then(|image| image.symbol(own));
    vec![name.map_or_else(|| format!("[{file}]"), |name| crate::demangle(name).into_owned())]
}

/// Gives back the memory that look-ups of lines took (tens of megabytes for a large program): for
/// when nobody has asked for a while. Later look-ups load again what they need.
pub fn release() {
    symbols().images.iter_mut().flatten().for_each(Image::release);
}

/// The bounds of the code that is mapped around an address.
pub(crate) fn code_around(address: u64) -> Option<(u64, u64)> {
    let mapping = symbols().modules.find(address)?;
    Some((mapping.start, mapping.end))
}

/// All that was loaded so far.
struct Symbols {
    modules: Modules,
    /// By the module's number; `None` for a file that is no ELF file or cannot be read.
    images: Vec<Option<Image>>,
}

/// Where an address belongs.
struct Found<'a> {
    /// The file's own address for it, as its tables have it; its offset if there is no image.
    address: u64,
    name: &'a str,
    image: Option<&'a mut Image>,
}

/// The tables are not shared: one look-up at a time.
fn symbols() -> MutexGuard<'static, Symbols> {
    static SYMBOLS: Mutex<Symbols> =
        Mutex::new(Symbols { modules: Modules::new(), images: Vec::new() });
    lock(&SYMBOLS)
}

impl Symbols {
    fn find(&mut self, address: u64) -> Option<Found<'_>> {
        let mapping = self.modules.find(address)?;
        while self.images.len() <= mapping.module {
            let file = self.modules.file(self.images.len());
            self.images.push(Image::open(file));
        }
        let offset = address - mapping.start + mapping.offset;
        let image = self.images[mapping.module].as_mut();
        let address = image.as_ref().and_then(|image| image.address(offset)).unwrap_or(offset);
        Some(Found { address, name: self.modules.name(mapping.module), image })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_outside_of_code_have_no_name() {
        for address in [0, 1, 0x1234, u64::MAX, &raw const address_of_data as u64] {
            assert_eq!(symbol(address), None, "{address:x}");
            assert_eq!((line(address), places(address)), (None, vec![]));
            assert_eq!(names(address), [format!("{address:#x}")]);
        }
    }

    #[allow(non_upper_case_globals)]
    static address_of_data: u8 = 1;

    #[test]
    fn functions_of_shared_objects_are_named() {
        let address = libc::getpid as *const () as u64;
        assert!(
            symbol(address).is_some_and(|name| name.contains("getpid")),
            "{:?}",
            symbol(address)
        );
    }
}
