//! The one door for paths that come out of a query's text: file(), INTO OUTFILE, dictionaries'
//! sources. On a server everything stays beneath one directory; a local run is free.
//!
//! Confinement is the kernel's (`openat2` with `RESOLVE_BENEATH`), not a comparison of strings, so
//! that symbolic links and races cannot lead out. Links that stay beneath the directory work. Where
//! the call is missing, the path is walked a component at a time and no link is followed. Confined
//! files must be regular: a pipe or a device would let a query hang or read the machine.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::failure::{Op, failed, io_error, too_large};
use crate::glob::{Component, Glob, Piece};
use crate::local::{IO_THREADS, IoPool, LocalReader, must_be_file};
use crate::path::join;
use crate::{NewFile, ReadFile, read_whole};

/// Directories that one pattern may list: `*/../*/../*/..` must not run for ever.
const MAX_LISTED: usize = 1_000_000;

/// What `create` does with a file that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreateMode {
    /// Fails.
    New,
    /// Writes at its end.
    Append,
    /// Empties it.
    Replace,
}

/// What is known of a file without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileInfo {
    /// Size in bytes.
    pub len: u64,
    /// Whether it is a directory.
    pub is_dir: bool,
    /// Time of the last change, in seconds since 1970.
    pub modified: i64,
}

/// Access to the files that a query names.
#[derive(Debug)]
pub struct UserFiles {
    base: PathBuf,
    /// The open directory that everything stays beneath; `None` if access is free.
    confined: Option<OwnedFd>,
    pool: Arc<IoPool>,
}

impl UserFiles {
    /// Access to what is beneath `root`, which must exist. Absolute paths must begin with it.
    pub fn confined(root: &Path) -> Result<Self> {
        let shown = root.to_string_lossy();
        let base = root.canonicalize().map_err(|e| io_error(Op::Open, &shown, e))?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = rustix::fs::open(&base, flags, Mode::empty())
            .map_err(|e| io_error(Op::Open, &shown, e.into()))?;
        Ok(Self { base, confined: Some(dir), pool: Arc::new(IoPool::new(IO_THREADS)) })
    }

    /// Access to everything that the process may see; relative paths start at `base`.
    pub fn free(base: impl Into<PathBuf>) -> Self {
        Self { base: base.into(), confined: None, pool: Arc::new(IoPool::new(IO_THREADS)) }
    }

    /// The path as the machine knows it, for messages and the `_path` column.
    pub fn absolute(&self, path: &str) -> String {
        self.base.join(path).to_string_lossy().into_owned()
    }

    /// Opens a regular file for reading at any place.
    pub fn open(&self, path: &str) -> Result<Arc<dyn ReadFile>> {
        Ok(Arc::new(self.reader(path)?))
    }

    /// Opens a file for reading from its start to its end; when access is free also a pipe.
    pub fn open_stream(&self, path: &str) -> Result<Box<dyn Read + Send>> {
        Ok(Box::new(self.open_file(path)?.0))
    }

    /// The whole file (when access is free also a pipe), or `LIMIT_EXCEEDED` beyond `cap` bytes.
    pub fn read_to_end(&self, path: &str, cap: u64) -> Result<Vec<u8>> {
        let (file, stat) = self.open_file(path)?;
        // Files of /proc say 0 bytes.
        if is_regular(&stat) && stat.st_size > 0 {
            let reader = LocalReader::new(file, path.to_owned(), None)?;
            return read_whole(&reader, path, cap);
        }
        let mut bytes = Vec::new();
        file.take(cap.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|e| io_error(Op::Read, path, e))?;
        if bytes.len() as u64 > cap {
            return Err(too_large(path, bytes.len() as u64, cap));
        }
        Ok(bytes)
    }

    /// Opens a file for writing. Nothing of it is seen before [`NewFile::commit`], unless rows are
    /// appended to a file that is there, or it is a pipe or a device.
    pub fn create(&self, path: &str, mode: CreateMode) -> Result<NewFile> {
        let there = self.stat(path)?;
        if let Some(stat) = &there {
            must_be_file(is_dir(stat), path)?;
            if mode == CreateMode::New && is_regular(stat) {
                let why = "there is such a file: consider APPEND or TRUNCATE";
                return Err(failed(Op::Create, path, ErrorKind::AlreadyExists, why));
            }
            if mode == CreateMode::Append || !is_regular(stat) {
                let fd = self.resolve(path, OFlags::WRONLY);
                let fd = fd.map_err(|e| self.error(Op::Create, path, e))?;
                let stat = self.checked_stat(&fd, path)?;
                let len = is_regular(&stat).then_some(stat.st_size as u64);
                return Ok(NewFile::at_end(File::from(fd), path, len));
            }
        }
        let (above, name) = split_name(path).ok_or_else(|| {
            failed(Op::Create, path, ErrorKind::InvalidInput, "the path ends without a name")
        })?;
        let dir = self.resolve(above, OFlags::RDONLY | OFlags::DIRECTORY);
        let dir = dir.map_err(|e| self.error(Op::Create, path, e))?;
        let replaces = mode == CreateMode::Replace;
        // On a server files are the server's; a person's own are as the umask says.
        let mode = if self.confined.is_some() { 0o640 } else { 0o666 };
        NewFile::beside(dir, name, path, (replaces, mode))
    }

    /// Size and kind of a file; `None` if there is none.
    pub fn info(&self, path: &str) -> Result<Option<FileInfo>> {
        Ok(self.stat(path)?.map(|stat| FileInfo {
            len: stat.st_size as u64,
            is_dir: is_dir(&stat),
            modified: stat.st_mtime,
        }))
    }

    /// The files that `pattern` names, sorted, relative if the pattern is. A pattern without
    /// anything special must name a file, or a directory, which stands for the files in it.
    pub fn glob(&self, pattern: &str) -> Result<Vec<String>> {
        let glob = Glob::new(pattern)?;
        let start = if glob.absolute { "/" } else { "" };
        if glob.plain {
            let there = self.stat(pattern)?.ok_or_else(|| {
                Error::new(codes::FILE_DOESNT_EXIST, format!("File {pattern} doesn't exist"))
            })?;
            if !is_dir(&there) {
                return Ok(vec![pattern.to_owned()]);
            }
        }
        let mut walk =
            Walk { files: self, found: Vec::new(), above: Vec::new(), listed: 0, wild: false };
        for mut components in glob.alternatives {
            if glob.plain {
                components.push(Component::Pattern(vec![Piece::Stars(1)]));
            }
            walk.wild = false;
            walk.visit(start, &components)?;
        }
        let mut found = walk.found;
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    fn reader(&self, path: &str) -> Result<LocalReader> {
        let (file, stat) = self.open_file(path)?;
        if !is_regular(&stat) {
            let why = "is not a regular file: it can only be read from start to end";
            return Err(failed(Op::Open, path, ErrorKind::InvalidInput, why));
        }
        LocalReader::new(file, path.to_owned(), Some(self.pool.clone()))
    }

    fn open_file(&self, path: &str) -> Result<(File, Stat)> {
        let fd = self.resolve(path, OFlags::RDONLY).map_err(|e| self.error(Op::Open, path, e))?;
        let stat = self.checked_stat(&fd, path)?;
        Ok((File::from(fd), stat))
    }

    /// The status of an open file, which is no directory, and regular if access is confined.
    fn checked_stat(&self, fd: &OwnedFd, path: &str) -> Result<Stat> {
        let stat = rustix::fs::fstat(fd).map_err(|e| self.error(Op::Open, path, e))?;
        must_be_file(is_dir(&stat), path)?;
        if self.confined.is_some() && !is_regular(&stat) {
            return Err(failed(Op::Open, path, ErrorKind::InvalidInput, "is not a regular file"));
        }
        // A hard link may be a second name of a file outside, which no walk of the path can tell.
        if self.confined.is_some() && stat.st_nlink > 1 {
            return Err(Error::new(
                codes::DATABASE_ACCESS_DENIED,
                format!("File `{path}` has several names (hard links): copy it to read it here"),
            ));
        }
        Ok(stat)
    }

    fn stat(&self, path: &str) -> Result<Option<Stat>> {
        match self.resolve(path, OFlags::PATH).and_then(rustix::fs::fstat) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(e) => Err(self.error(Op::Open, path, e)),
        }
    }

    /// The only place where a user's path reaches the kernel.
    fn resolve(&self, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
        let mode =
            if flags.contains(OFlags::CREATE) { Mode::from_raw_mode(0o640) } else { Mode::empty() };
        let flags = flags | OFlags::CLOEXEC;
        match &self.confined {
            None => rustix::fs::openat(CWD, self.base.join(path), flags, mode),
            Some(root) => {
                let beneath = self.beneath(path).ok_or(Errno::XDEV)?;
                // A pipe must not hang the open; regular files do not care.
                let wait =
                    if flags.contains(OFlags::PATH) { OFlags::empty() } else { OFlags::NONBLOCK };
                open_beneath(root, &beneath, flags | wait, mode)
            }
        }
    }

    /// `path` relative to the root, without `.` and `..`; `None` if its text alone leads out.
    fn beneath(&self, path: &str) -> Option<String> {
        let mut rest = Path::new(path);
        if rest.is_absolute() {
            rest = rest.strip_prefix(&self.base).ok()?;
        }
        let mut parts: Vec<&str> = Vec::new();
        for part in rest.to_str()?.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()?),
                name => parts.push(name),
            }
        }
        Some(if parts.is_empty() { ".".to_owned() } else { parts.join("/") })
    }

    fn error(&self, op: Op, path: &str, e: Errno) -> Error {
        if self.confined.is_some() && matches!(e, Errno::XDEV | Errno::LOOP) {
            return Error::new(
                codes::DATABASE_ACCESS_DENIED,
                format!("File `{path}` is not inside `{}`", self.base.display()),
            );
        }
        io_error(op, path, e.into())
    }
}

/// A path's directory and the name in it; `None` where the name would be a directory.
fn split_name(path: &str) -> Option<(&str, &str)> {
    let (above, name) = match path.rfind('/') {
        Some(at) => (&path[..=at], &path[at + 1..]),
        None => (".", path),
    };
    (!matches!(name, "" | "." | "..")).then_some((above, name))
}

fn is_regular(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
}

fn is_dir(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::Directory
}

/// Opens `path` so that neither `..` nor a link leads out of `root`.
#[cfg(target_os = "linux")]
fn open_beneath(root: &OwnedFd, path: &str, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    use rustix::fs::{ResolveFlags, openat2};
    let how = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    // AGAIN: something was renamed meanwhile, and the kernel could not prove that we stay inside.
    for _ in 0..16 {
        match openat2(root, path, flags, mode, how) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            // An old kernel, or a sandbox that does not know the call.
            Err(Errno::NOSYS | Errno::PERM) => return open_by_steps(root, path, flags, mode),
            done => return done,
        }
    }
    Err(Errno::AGAIN)
}

#[cfg(not(target_os = "linux"))]
use self::open_by_steps as open_beneath;

/// As `open_beneath`, without the kernel's help: follows no link at all. `path` has no `..`.
fn open_by_steps(root: &OwnedFd, path: &str, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    let step = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut dir: Option<OwnedFd> = None;
    let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
    for part in above.split('/').filter(|part| !part.is_empty()) {
        let at = dir.as_ref().unwrap_or(root);
        let next = rustix::fs::openat(at, part, step, Mode::empty());
        dir = Some(next.map_err(|e| refused_link(at, part, e))?);
    }
    let at = dir.as_ref().unwrap_or(root);
    let fd = rustix::fs::openat(at, name, flags | OFlags::NOFOLLOW, mode)?;
    // With PATH the link itself is opened.
    if flags.contains(OFlags::PATH) && is_link(&rustix::fs::fstat(&fd)?) {
        return Err(Errno::LOOP);
    }
    Ok(fd)
}

/// A link where a directory is wanted is reported as "not a directory".
fn refused_link(dir: &OwnedFd, name: &str, e: Errno) -> Errno {
    match rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) if is_link(&stat) => Errno::LOOP,
        _ => e,
    }
}

fn is_link(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::Symlink
}

/// A walk along a pattern.
struct Walk<'a> {
    files: &'a UserFiles,
    found: Vec<String>,
    /// Device and inode of the directories that `**` is in, against loops of links.
    above: Vec<(u64, u64)>,
    /// Directories listed so far.
    listed: usize,
    /// Whether the walk is past a wildcard: then a link that leads out is not there, where a path
    /// that the user spelled out is an error.
    wild: bool,
}

impl Walk<'_> {
    fn visit(&mut self, dir: &str, components: &[Component]) -> Result<()> {
        let Some((first, rest)) = components.split_first() else { return Ok(()) };
        if let Component::Name(name) = first {
            return self.step(&step_into(dir, name), rest);
        }
        let Some((id, entries)) = self.list(dir)? else { return Ok(()) };
        if *first == Component::Deep {
            return self.descend(dir, components, id, entries);
        }
        for (name, below) in entries {
            if first.matches(&name) {
                let path = join_under(dir, &name);
                match (rest.is_empty(), below) {
                    (true, false) => self.found.push(path),
                    (false, true) => self.visit(&path, rest)?,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// `**`: no directory at all, or any of `entries` and below it.
    fn descend(
        &mut self,
        dir: &str,
        components: &[Component],
        id: (u64, u64),
        entries: Vec<(String, bool)>,
    ) -> Result<()> {
        if self.above.contains(&id) {
            return Ok(());
        }
        self.visit(dir, &components[1..])?;
        self.above.push(id);
        for (name, _) in entries.into_iter().filter(|(_, below)| *below) {
            self.visit(&join_under(dir, &name), components)?;
        }
        self.above.pop();
        Ok(())
    }

    /// Goes on at a path that was named outright.
    fn step(&mut self, path: &str, rest: &[Component]) -> Result<()> {
        if !rest.is_empty() {
            return self.visit(path, rest);
        }
        match self.files.resolve(path, OFlags::PATH).and_then(rustix::fs::fstat) {
            Ok(stat) if is_dir(&stat) => {}
            Ok(_) => self.found.push(path.to_owned()),
            Err(e) if self.is_absent(path, e) => {}
            Err(e) => return Err(self.files.error(Op::Open, path, e)),
        }
        Ok(())
    }

    fn is_absent(&self, path: &str, e: Errno) -> bool {
        match e {
            Errno::NOENT | Errno::NOTDIR => true,
            Errno::XDEV | Errno::LOOP => self.wild && self.files.beneath(path).is_some(),
            _ => false,
        }
    }

    /// Identity and entries (name, is it a directory) of a directory; `None` if it is missing.
    fn list(&mut self, dir: &str) -> Result<Option<((u64, u64), Vec<(String, bool)>)>> {
        self.listed += 1;
        if self.listed > MAX_LISTED {
            let message = format!("A path pattern led into more than {MAX_LISTED} directories");
            return Err(Error::new(codes::LIMIT_EXCEEDED, message));
        }
        let files = self.files;
        let shown = if dir.is_empty() { "." } else { dir };
        let error = |e| files.error(Op::List, shown, e);
        let fd = match files.resolve(shown, OFlags::RDONLY | OFlags::DIRECTORY) {
            Ok(fd) => fd,
            Err(e) if self.is_absent(shown, e) => return Ok(None),
            Err(e) => return Err(error(e)),
        };
        self.wild = true;
        let own = rustix::fs::fstat(&fd).map_err(error)?;
        let mut entries = Vec::new();
        for entry in Dir::read_from(fd.as_fd()).map_err(error)? {
            let entry = entry.map_err(error)?;
            let Ok(name) = entry.file_name().to_str() else { continue };
            if matches!(name, "." | "..") {
                continue;
            }
            let below = match entry.file_type() {
                FileType::Directory => true,
                FileType::RegularFile => false,
                // Through the door: a link that leads out, or nowhere, is not there.
                _ => match files.resolve(&join_under(dir, name), OFlags::PATH) {
                    Ok(target) => is_dir(&rustix::fs::fstat(&target).map_err(error)?),
                    Err(_) => continue,
                },
            };
            entries.push((name.to_owned(), below));
        }
        Ok(Some(((own.st_dev, own.st_ino), entries)))
    }
}

/// `name` in `dir`, where `dir` may be `/`.
fn join_under(dir: &str, name: &str) -> String {
    if dir == "/" { format!("/{name}") } else { join(dir, name) }
}

/// As `join_under`; `..` takes a component away where there is one.
fn step_into(dir: &str, name: &str) -> String {
    let last = crate::path::file_name(dir);
    if name != ".." || matches!(last, "" | "..") {
        return join_under(dir, name);
    }
    match crate::path::parent(dir) {
        "" if dir.starts_with('/') => "/".to_owned(),
        above => above.to_owned(),
    }
}

#[cfg(test)]
mod tests;
