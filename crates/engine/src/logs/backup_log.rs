//! `system.backup_log`: a row when a BACKUP or a RESTORE begins, and one when it ends.

use std::time::Duration;

use entasis_base::clock::{Clock, SystemClock};
use entasis_types::Value;

use super::common::{Dated, micros};
use super::log::{Columns, Spec};
use crate::catalog::backups::Operation;

/// A row of the log.
pub(super) struct BackupRow {
    at: Duration,
    operation: Operation,
}

impl BackupRow {
    /// How a statement stands now.
    pub(super) fn new(operation: Operation) -> Self {
        Self { at: SystemClock.now(), operation }
    }
}

impl Dated for BackupRow {
    fn at(&self) -> Duration {
        self.at
    }
}

const STATUS: &str = "Enum8('CREATING_BACKUP' = 0, 'BACKUP_CREATED' = 1, 'BACKUP_FAILED' = 2, \
     'RESTORING' = 3, 'RESTORED' = 4, 'RESTORE_FAILED' = 5, 'BACKUP_CANCELLED' = 6, \
     'RESTORE_CANCELLED' = 7)";

fn text(value: &str) -> Value {
    Value::from(value)
}

const OWN: Columns<BackupRow> = &[
    ("id", "String", Some(|r| text(&r.operation.id))),
    ("name", "String", Some(|r| text(&r.operation.name))),
    ("base_backup_name", "String", Some(|r| text(&r.operation.base))),
    ("query_id", "String", Some(|r| text(&r.operation.query_id))),
    ("status", STATUS, Some(|r| Value::Int(r.operation.status as i64))),
    ("error", "String", Some(|r| text(&r.operation.error))),
    ("start_time", "DateTime64(6)", Some(|r| micros(r.operation.began))),
    ("end_time", "DateTime64(6)", Some(|r| micros(r.operation.ended.unwrap_or_default()))),
    ("num_files", "UInt64", Some(|r| Value::UInt(r.operation.totals.files))),
    ("total_size", "UInt64", Some(|r| Value::UInt(r.operation.totals.bytes))),
    ("num_entries", "UInt64", Some(|r| Value::UInt(r.operation.totals.own_files))),
    ("uncompressed_size", "UInt64", Some(|r| Value::UInt(r.operation.totals.own_bytes))),
    ("compressed_size", "UInt64", Some(|r| Value::UInt(r.operation.totals.stored_bytes))),
    ("files_read", "UInt64", Some(|r| Value::UInt(r.operation.read.0))),
    ("bytes_read", "UInt64", Some(|r| Value::UInt(r.operation.read.1))),
];

/// The log.
pub(super) const LOG: Spec<BackupRow> =
    Spec::new("backup_log", &[BackupRow::HOST, BackupRow::TIME, BackupRow::MICROS, OWN]);
