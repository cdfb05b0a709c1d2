//! Where the bytes of a table are: in files of this machine, or at addresses of the web.

use std::collections::HashMap;
use std::io::{Cursor, Read};
use std::sync::{Arc, Mutex};

use entasis_base::sync::lock;
use entasis_base::{Result, codes};
use entasis_disk::{CreateMode, FileInfo, NewFile, UserFiles};
use entasis_format::ReadAt;

use super::AtAnyPlace;
use crate::web::{self, Web, WebOptions};

/// Where the bytes are.
pub(crate) enum Place {
    /// In files.
    Files(Arc<UserFiles>),
    /// At addresses of the web.
    Web(Addresses),
}

/// Addresses of the web.
pub(crate) struct Addresses {
    pub(crate) web: Arc<dyn Web>,
    pub(crate) options: WebOptions,
    /// Whether there may be several.
    pub(crate) is_pattern: bool,
    /// How many bytes the servers said that there are.
    pub(crate) sizes: Mutex<HashMap<String, u64>>,
}

impl Place {
    /// Whether the bytes are in files of this machine.
    pub(super) fn is_local(&self) -> bool {
        matches!(self, Self::Files(_))
    }

    /// Whether a path stands for several files.
    pub(super) fn is_pattern(&self, path: &str) -> bool {
        match self {
            Self::Files(_) => path.contains(['*', '?', '{']),
            Self::Web(_) => path.contains('{'),
        }
    }

    /// The part of a path whose extensions say format and compression.
    pub(super) fn name_of<'a>(&self, path: &'a str) -> &'a str {
        match self {
            Self::Files(_) => path,
            Self::Web(_) => path.split(['?', '#']).next().unwrap_or(path),
        }
    }

    /// The files that a path stands for.
    pub(super) fn glob(&self, path: &str) -> Result<Vec<String>> {
        match self {
            Self::Files(files) => files.glob(path),
            Self::Web(_) => web::addresses(path),
        }
    }

    /// What is known of a file; `None` if it does not exist, or if it is not of this machine.
    pub(super) fn info(&self, path: &str) -> Result<Option<FileInfo>> {
        match self {
            Self::Files(files) => files.info(path),
            Self::Web(_) => Ok(None),
        }
    }

    /// The number of bytes, as far as it is known.
    pub(super) fn size(&self, path: &str) -> Result<Option<u64>> {
        match self {
            Self::Files(files) => Ok(files.info(path)?.map(|info| info.len)),
            Self::Web(addresses) => Ok(lock(&addresses.sizes).get(path).copied()),
        }
    }

    /// The path of a file in the column `_path`.
    pub(super) fn shown(&self, path: &str) -> String {
        match self {
            Self::Files(files) => files.absolute(path),
            Self::Web(_) => {
                let behind_host = path.split_once("://").map_or(path, |(_, rest)| rest);
                let start = behind_host.find('/').unwrap_or(behind_host.len());
                self.name_of(&behind_host[start..]).to_string()
            }
        }
    }

    /// A stream of the bytes of a file.
    pub(super) fn open_stream(&self, path: &str) -> Result<Box<dyn Read + Send>> {
        match self {
            Self::Files(files) => files.open_stream(path),
            Self::Web(addresses) => addresses.open(path),
        }
    }

    /// Opens a file for random access. What is not of this machine is read into memory.
    pub(super) fn open(&self, path: &str) -> Result<Arc<dyn ReadAt>> {
        match self {
            Self::Files(files) => Ok(Arc::new(AtAnyPlace(files.open(path)?))),
            Self::Web(addresses) => {
                Ok(Arc::new(entasis_format::read_whole(addresses.open(path)?)?))
            }
        }
    }

    /// Begins to write a file.
    pub(super) fn create(&self, path: &str, mode: CreateMode) -> Result<Out> {
        match self {
            Self::Files(files) => Ok(Out::File(files.create(path, mode)?)),
            Self::Web(addresses) => {
                addresses.web.check(path)?;
                Ok(Out::Web(Upload {
                    web: Arc::clone(&addresses.web),
                    options: addresses.options.clone(),
                    url: path.to_string(),
                    bytes: Vec::new(),
                }))
            }
        }
    }
}

impl Addresses {
    /// What is at an address. Of several alternatives, the first that answers counts.
    fn open(&self, path: &str) -> Result<Box<dyn Read + Send>> {
        let mut failed = None;
        for url in web::alternatives(path)? {
            match self.web.open(&url, &self.options) {
                Ok(Some(opened)) => {
                    if let Some(size) = opened.size {
                        lock(&self.sizes).insert(path.to_string(), size);
                    }
                    return Ok(opened.bytes);
                }
                Ok(None) if self.is_pattern && self.options.skip_missing => {
                    return Ok(Box::new(Cursor::new(Vec::new())));
                }
                Ok(None) => {
                    let message = format!(
                        "Received error from remote server {url}. HTTP status code: 404 'Not Found'"
                    );
                    let code = codes::RECEIVED_ERROR_FROM_REMOTE_IO_SERVER;
                    failed = Some(entasis_base::Error::new(code, message));
                }
                Err(error) => failed = Some(error),
            }
        }
        Err(failed.unwrap_or_else(|| entasis_base::Error::logical("a URL without an address")))
    }
}

/// Something that is written.
pub(super) enum Out {
    /// A file that does not have its final name yet.
    File(NewFile),
    /// Bytes that are sent when all of them are there.
    Web(Upload),
}

/// Bytes for an address.
pub(super) struct Upload {
    web: Arc<dyn Web>,
    options: WebOptions,
    url: String,
    bytes: Vec<u8>,
}

impl Out {
    pub(super) fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
        match self {
            Self::File(file) => file.write_all(bytes),
            Self::Web(upload) => {
                upload.bytes.extend_from_slice(bytes);
                Ok(())
            }
        }
    }

    pub(super) fn sync(&mut self) -> Result<()> {
        match self {
            Self::File(file) => file.sync(),
            Self::Web(_) => Ok(()),
        }
    }

    /// Makes what was written visible: gives the file its name, or sends the bytes.
    pub(super) fn commit(self) -> Result<()> {
        match self {
            Self::File(file) => file.commit(),
            Self::Web(upload) => upload.web.send(&upload.url, &upload.options, &upload.bytes),
        }
    }
}
