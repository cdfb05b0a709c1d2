//! Builds of one revision whose functions lie in other places.
//!
//! Where code lies changes what a query takes, by 40 % in the worst case seen here
//! (`docs/laboratory/examples.md`), and any change of the source moves all that comes after it. So
//! one build is one draw of many; several of them show how much is chance (Curtsinger and Berger
//! 2013, Stabilizer; Mytkowicz et al. 2009). Linkers can shuffle functions by a seed, which takes
//! seconds, and costs nothing when the program runs.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use entasis_base::{Error, Result, codes};

use super::build::{Builder, Built};
use super::places::Places;

/// The seed's variable, read by the script that stands before the linker.
const SEED: &str = "ENTASIS_LAYOUT";

impl Builder {
    /// Builds of a built revision by seed, each linked with functions in an order of its own; kept
    /// as the plain one is. Takes as long as linking, for each. An error if the linker, called by
    /// the name `cc` as Rust's compiler does, cannot shuffle: lld and mold can.
    pub fn layouts(
        &self,
        built: &Built,
        seeds: impl Iterator<Item = usize>,
    ) -> Result<Vec<PathBuf>> {
        let one = |seed: usize| {
            let mut kept = built.binary.clone().into_os_string();
            kept.push(format!("-layout{seed}"));
            let kept = PathBuf::from(kept);
            if !kept.is_file() {
                self.relink(built, &kept, seed)?;
            }
            Ok(kept)
        };
        seeds.map(one).collect()
    }

    fn relink(&self, built: &Built, kept: &Path, seed: usize) -> Result<()> {
        let places = Places::own()?;
        if kept.is_file() {
            // Another laboratory linked it while this one waited.
            return Ok(());
        }
        places.check_out(&built.commit)?;
        self.forget_shuffled(&places)?;
        forget(&places.target.join(&self.binary))?;
        let shim = Shim::of(&places);
        shim.write(&self.binary)?;
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{path}", shim.folder.display());
        self.make(&places, &[("PATH", &path), (SEED, &seed.to_string())])?;
        let shuffled = shim.mark.exists();
        let done = match shuffled {
            true => self.keep(&places, &built.commit, kept),
            false => Err(cannot_shuffle(built)),
        };
        self.forget_shuffled(&places)?;
        done
    }

    /// Removes a program with another order of functions, which Cargo would take for the plain one.
    pub(super) fn forget_shuffled(&self, places: &Places) -> Result<()> {
        let mark = Shim::of(places).mark;
        if mark.exists() {
            forget(&places.target.join(&self.binary))?;
            fs::remove_file(mark)?;
        }
        Ok(())
    }
}

fn cannot_shuffle(built: &Built) -> Error {
    let message = format!(
        "{} was not linked by way of `cc`, the name by which Rust's compiler calls its linker: \
         there are no builds of it with functions in other places",
        built.commit
    );
    Error::new(codes::BAD_ARGUMENTS, message)
}

/// A program `cc` that stands before the real one.
struct Shim {
    folder: PathBuf,
    /// It leaves this file when it has linked the program.
    mark: PathBuf,
}

impl Shim {
    fn of(places: &Places) -> Self {
        let folder = places.folder.join("linker");
        Self { mark: folder.join("linked"), folder }
    }

    /// Writes it: what is linked under the binary's name (Cargo adds a hash to it) gets its
    /// functions in an order that the seed says, all else is as ever.
    fn write(&self, binary: &str) -> Result<()> {
        fs::create_dir_all(&self.folder)?;
        let quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
        let real = quoted(&self.real()?.to_string_lossy());
        let mark = quoted(&self.mark.to_string_lossy());
        let name = Path::new(binary).file_name().unwrap_or_default().to_string_lossy();
        let name = quoted(&name);
        let text = format!(
            "#!/bin/sh\n\
             before= out=\n\
             for word; do [ \"$before\" = -o ] && out=$word; before=$word; done\n\
             case \"$out\" in */{name}|*/{name}-*|{name}) ;; *) exec {real} \"$@\" ;; esac\n\
             case \" $* \" in\n\
             *-fuse-ld=mold*) order=--shuffle-sections=${SEED} ;;\n\
             *) order=--shuffle-sections='.text*'=${SEED} ;;\n\
             esac\n\
             {real} \"$@\" \"-Wl,$order\" && : > {mark}\n"
        );
        let script = self.folder.join("cc");
        fs::write(&script, text)?;
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
        Ok(())
    }

    fn real(&self) -> Result<PathBuf> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut folders = std::env::split_paths(&path).filter(|folder| *folder != self.folder);
        let found = folders.find_map(|folder| Some(folder.join("cc")).filter(|cc| cc.is_file()));
        found.ok_or_else(|| {
            let message = "Other layouts of a build need a linker called by `cc`: there is none";
            Error::new(codes::CANNOT_OPEN_FILE, message)
        })
    }
}

/// Removes what was linked, under all its names, so that it is linked anew: Cargo keeps it twice.
fn forget(linked: &Path) -> Result<()> {
    let Ok(own) = fs::metadata(linked) else { return Ok(()) };
    for entry in fs::read_dir(linked.with_file_name("deps")).into_iter().flatten() {
        let entry = entry?;
        if entry.metadata()?.ino() == own.ino() {
            fs::remove_file(entry.path())?;
        }
    }
    fs::remove_file(linked)?;
    Ok(())
}
