//! What is known of backups: the statements that write and read them, and the backups in memory.
//! The statements and `system.backups` meet here.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use entasis_backup::Totals;
use entasis_base::sync::lock;
use entasis_base::{Error, Result, codes};
use entasis_disk::{Disk, MemoryDisk};

/// Most finished statements that are remembered.
const REMEMBERED: usize = 1000;

/// How a statement about a backup stands. The numbers are those of `system.backups`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Creating = 0,
    Created = 1,
    Failed = 2,
    Restoring = 3,
    Restored = 4,
    RestoreFailed = 5,
    Cancelled = 6,
    RestoreCancelled = 7,
}

impl Status {
    /// The word in the answer of a statement.
    pub fn name(self) -> &'static str {
        match self {
            Self::Creating => "CREATING_BACKUP",
            Self::Created => "BACKUP_CREATED",
            Self::Failed => "BACKUP_FAILED",
            Self::Restoring => "RESTORING",
            Self::Restored => "RESTORED",
            Self::RestoreFailed => "RESTORE_FAILED",
            Self::Cancelled => "BACKUP_CANCELLED",
            Self::RestoreCancelled => "RESTORE_CANCELLED",
        }
    }
}

/// A statement that writes or reads a backup.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    /// The id that the statement gave it, or a UUID.
    pub id: String,
    /// The place of the backup as the statement spells it.
    pub name: String,
    /// The place of the backup that it is based on.
    pub base: String,
    /// The id of the statement.
    pub query_id: String,
    pub status: Status,
    /// The error, if it failed.
    pub error: String,
    /// When it began and ended, since 1970.
    pub began: Duration,
    pub ended: Option<Duration>,
    pub totals: Totals,
    /// Files and bytes that a RESTORE has read.
    pub read: (u64, u64),
    /// The settings in effect.
    pub settings: Vec<(String, String)>,
}

/// All statements about backups since the process began, and the backups in memory.
#[derive(Default)]
pub(crate) struct Backups {
    operations: Mutex<Vec<Operation>>,
    in_memory: Mutex<BTreeMap<String, Arc<dyn Disk>>>,
}

impl Backups {
    /// Adds a statement that begins. Fails if another one has its id.
    pub fn begin(&self, operation: Operation) -> Result<()> {
        let mut operations = lock(&self.operations);
        if let Some(other) = operations.iter().find(|other| other.id == operation.id) {
            let what = |o: &Operation| match o.status {
                Status::Creating | Status::Created | Status::Failed | Status::Cancelled => "backup",
                _ => "restore",
            };
            let (own, other) = (what(&operation), what(other));
            let message = format!(
                "Cannot start {own} with ID '{}' because there is another {other} with the same ID",
                operation.id
            );
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        operations.push(operation);
        let surplus = operations.len().saturating_sub(REMEMBERED);
        if surplus > 0
            && let Some(oldest) = operations.iter().position(|o| o.ended.is_some())
        {
            operations.remove(oldest);
        }
        Ok(())
    }

    /// What is known of a statement.
    pub fn get(&self, id: &str) -> Option<Operation> {
        lock(&self.operations).iter().find(|o| o.id == id).cloned()
    }

    /// Changes what is known of a statement.
    pub fn update(&self, id: &str, change: impl FnOnce(&mut Operation)) {
        if let Some(operation) = lock(&self.operations).iter_mut().find(|o| o.id == id) {
            change(operation);
        }
    }

    /// All statements, the oldest first.
    pub fn list(&self) -> Vec<Operation> {
        lock(&self.operations).clone()
    }

    /// The disk of a backup in memory, which is made if `create`.
    pub fn memory(&self, name: &str, create: bool) -> Arc<dyn Disk> {
        let mut in_memory = lock(&self.in_memory);
        match in_memory.get(name) {
            Some(disk) => Arc::clone(disk),
            None => {
                let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
                if create {
                    in_memory.insert(name.to_owned(), Arc::clone(&disk));
                }
                disk
            }
        }
    }
}
