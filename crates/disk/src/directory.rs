//! A directory whose files belong to one owner: what a table engine is given for data of its own.

use std::fmt::Debug;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};

use crate::{Disk, join, parent};

/// A directory of a disk. It stays as long as somebody holds this value or a copy of it, even if
/// what it belongs to is dropped meanwhile.
#[derive(Clone, Debug)]
pub struct Directory {
    disk: Arc<dyn Disk>,
    path: String,
    read_only: bool,
    /// Whatever keeps the directory in place.
    _keeper: Arc<dyn Debug + Send + Sync>,
}

impl Directory {
    /// The directory at `path`, which `keeper` keeps in place.
    pub fn new(
        disk: Arc<dyn Disk>,
        path: String,
        read_only: bool,
        keeper: Arc<dyn Debug + Send + Sync>,
    ) -> Self {
        Self { disk, path, read_only, _keeper: keeper }
    }

    /// The disk that it is on.
    pub fn disk(&self) -> &dyn Disk {
        &*self.disk
    }

    /// The path of one of its files.
    pub fn file(&self, name: &str) -> String {
        join(&self.path, name)
    }

    /// Its own path.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether nothing may be written into it.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Fails if nothing may be written into it.
    pub fn check_writable(&self) -> Result<()> {
        if self.read_only {
            let message = "The database is open read-only";
            return Err(Error::new(codes::TABLE_IS_READ_ONLY, message));
        }
        Ok(())
    }

    /// Makes the directory, durably, unless it is there.
    pub fn make(&self) -> Result<()> {
        self.check_writable()?;
        if !self.disk.exists(&self.path)? {
            self.disk.create_dir_all(&self.path)?;
            self.disk.sync_dir(parent(&self.path))?;
        }
        Ok(())
    }
}
