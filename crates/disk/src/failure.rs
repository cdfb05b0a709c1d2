//! Errors of this crate: each names the operation and the path, under the reference's codes.

use std::io;

use entasis_base::{Error, ErrorCode, codes};

/// What was being done when the system said no. Decides the code of the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Open,
    Create,
    Read,
    Write,
    Sync,
    Truncate,
    List,
    CreateDir,
    Remove,
    Rename,
    Link,
    Lock,
    Space,
}

impl Op {
    fn words(self) -> &'static str {
        match self {
            Self::Open => "open file",
            Self::Create => "create file",
            Self::Read => "read file",
            Self::Write => "write to file",
            Self::Sync => "sync",
            Self::Truncate => "truncate file",
            Self::List => "list directory",
            Self::CreateDir => "create directory",
            Self::Remove => "remove",
            Self::Rename => "rename",
            Self::Link => "link",
            Self::Lock => "lock",
            Self::Space => "ask for the free space of",
        }
    }

    fn code(self) -> ErrorCode {
        match self {
            Self::Open | Self::Create | Self::List | Self::Lock | Self::Space => {
                codes::CANNOT_OPEN_FILE
            }
            Self::Read => codes::CANNOT_READ_FROM_FILE_DESCRIPTOR,
            Self::Write | Self::Remove | Self::Rename | Self::Link => {
                codes::CANNOT_WRITE_TO_FILE_DESCRIPTOR
            }
            Self::Sync => codes::CANNOT_FSYNC,
            Self::Truncate => codes::CANNOT_TRUNCATE_FILE,
            Self::CreateDir => codes::CANNOT_CREATE_DIRECTORY,
        }
    }
}

/// The error for a failed system call.
#[cold]
pub(crate) fn io_error(op: Op, path: &str, cause: io::Error) -> Error {
    let code = match cause.kind() {
        io::ErrorKind::NotFound if op == Op::List => codes::DIRECTORY_DOESNT_EXIST,
        io::ErrorKind::NotFound => codes::FILE_DOESNT_EXIST,
        io::ErrorKind::AlreadyExists => codes::FILE_ALREADY_EXISTS,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => codes::NOT_ENOUGH_SPACE,
        io::ErrorKind::UnexpectedEof => codes::CANNOT_READ_ALL_DATA,
        _ => op.code(),
    };
    Error::new(code, format!("Cannot {} `{path}`", op.words())).with_cause(cause)
}

/// As [`io_error`], for a failure that no system call reported.
#[cold]
pub(crate) fn failed(op: Op, path: &str, kind: io::ErrorKind, why: &str) -> Error {
    io_error(op, path, io::Error::new(kind, why.to_owned()))
}

/// The file ends before the range does.
#[cold]
pub(crate) fn short_read(path: &str, offset: u64, wanted: usize, got: usize) -> Error {
    Error::new(
        codes::CANNOT_READ_ALL_DATA,
        format!(
            "Cannot read all data from `{path}`: \
             {wanted} bytes wanted at offset {offset}, {got} there"
        ),
    )
}

/// A whole-file read beyond its cap.
#[cold]
pub(crate) fn too_large(path: &str, len: u64, cap: u64) -> Error {
    Error::new(
        codes::LIMIT_EXCEEDED,
        format!("File `{path}` has {len} bytes, more than the {cap} that may be read at once"),
    )
}

/// A call on a file whose earlier `sync` failed.
#[cold]
pub(crate) fn poisoned(path: &str) -> Error {
    Error::new(
        codes::CANNOT_FSYNC,
        format!("An earlier sync of `{path}` failed, its state on disk is unknown: restart"),
    )
}

/// A call on a file whose earlier write failed.
#[cold]
pub(crate) fn broken(path: &str) -> Error {
    Error::new(
        codes::CANNOT_WRITE_TO_FILE_DESCRIPTOR,
        format!("An earlier write to `{path}` failed half-way: truncate it before writing on"),
    )
}

/// A truncation that would make the file longer.
#[cold]
pub(crate) fn cannot_grow(path: &str, have: u64, wanted: u64) -> Error {
    Error::new(
        codes::CANNOT_TRUNCATE_FILE,
        format!("Cannot truncate `{path}` to {wanted} bytes: it has only {have}"),
    )
}
