//! BACKUP and RESTORE.

use super::{Expr, Ident, Partition, SettingChange, TableName};

/// `BACKUP ... TO ...`, or `RESTORE ... FROM ...`.
#[derive(Clone, Debug, PartialEq)]
pub struct Backup {
    /// `RESTORE`.
    pub restore: bool,
    /// What is backed up or restored.
    pub elements: Vec<BackupElement>,
    /// `ON CLUSTER name`.
    pub cluster: Option<Ident>,
    /// The place of the backup, a call such as `File('path')`.
    pub location: Expr,
    /// `SETTINGS`, and `async` for ASYNC and SYNC.
    pub settings: Vec<SettingChange>,
}

/// What a backup or a restore concerns.
#[derive(Clone, Debug, PartialEq)]
pub enum BackupElement {
    /// `TABLE name`, and so `VIEW` and `DICTIONARY`.
    Table {
        /// `TEMPORARY`.
        temporary: bool,
        /// The name.
        name: TableName,
        /// The name that it gets; the same if there is none.
        new_name: Option<TableName>,
        /// `PARTITION`, `PARTITIONS`: only these.
        partitions: Vec<Partition>,
    },
    /// `DATABASE name`.
    Database {
        /// The name.
        name: Ident,
        /// The name that it gets.
        new_name: Option<Ident>,
        /// `EXCEPT TABLES`.
        except: Vec<TableName>,
    },
    /// `FUNCTION name`.
    Function(Ident),
    /// `ALL`.
    All {
        /// `EXCEPT DATABASES`.
        except_databases: Vec<Ident>,
        /// `EXCEPT TABLES`.
        except_tables: Vec<TableName>,
    },
}
