//! Commands of ALTER TABLE that move whole parts: DROP, DETACH, ATTACH, REPLACE, MOVE and FREEZE
//! PARTITION. The storage runs them ([`entasis_mergetree::PartitionCommand`]); this file finds the
//! tables and the ids of the partitions.

use std::any::Any;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_mergetree::{MergeTreeTable, PartitionCommand, PartsOf, SHADOW};
use entasis_sql::ast::{self, AlterCommand, MoveTarget, Partition};

use crate::catalog::refuse_system;
use crate::statement::partition::partition_of;
use crate::{QueryOptions, Session, settings};

/// Whether a command of ALTER TABLE moves parts.
pub(crate) fn is_partition_command(command: &AlterCommand) -> bool {
    matches!(
        command,
        AlterCommand::DropPartition { .. }
            | AlterCommand::DropDetachedPartition { .. }
            | AlterCommand::AttachPartition { .. }
            | AlterCommand::ReplacePartition { .. }
            | AlterCommand::MovePartition { .. }
            | AlterCommand::Freeze { .. }
            | AlterCommand::Unfreeze { .. }
            | AlterCommand::FetchPartition { .. }
            | AlterCommand::ForgetPartition { .. }
    )
}

impl Session {
    /// Runs commands that move parts, as one record of the log. FREEZE and UNFREEZE, which change
    /// no table, run after the others.
    pub(crate) fn change_partitions(
        &self,
        name: &ast::TableName,
        commands: &[AlterCommand],
        options: &QueryOptions,
    ) -> Result<()> {
        let table = self.partitioned_table(name)?;
        let mut changes = Vec::new();
        for command in commands {
            changes.extend(self.partition_command(&table, command)?);
        }
        if !changes.is_empty() {
            let context = self.context(&self.settings, options);
            table.change_partitions(&changes, &context)?;
        }
        for command in commands {
            match command {
                AlterCommand::Freeze { partition, name: folder } => {
                    self.freeze(name, &table, partition.as_ref(), folder.as_deref())?;
                }
                AlterCommand::Unfreeze { name: Some(folder), .. } => self.unfreeze(folder)?,
                AlterCommand::Unfreeze { name: None, .. } => {
                    let message = "UNFREEZE needs WITH NAME 'name'";
                    return Err(Error::new(codes::BAD_ARGUMENTS, message));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn partitioned_table(&self, name: &ast::TableName) -> Result<Arc<MergeTreeTable>> {
        let (database, table) = self.full_name(name);
        refuse_system(&database)?;
        let entry = self.engine.catalog.entry(&database, &table)?;
        self.engine.catalog.check_usable(&entry)?;
        let any: Arc<dyn Any + Send + Sync> = Arc::clone(&entry.table) as _;
        any.downcast::<MergeTreeTable>().map_err(|_| {
            let engine = entry.table.engine();
            let message = format!("Table engine {engine} doesn't support partitioning");
            Error::new(codes::NOT_IMPLEMENTED, message)
        })
    }

    fn parts_of(&self, table: &MergeTreeTable, partition: &Partition) -> Result<PartsOf> {
        match partition {
            Partition::All => Ok(PartsOf::Table),
            Partition::Part(name) => {
                check_part_name(name)?;
                Ok(PartsOf::Part(name.clone()))
            }
            other => {
                let context = self.function_context(&self.settings);
                partition_of(table, other, &context).map(PartsOf::Partition)
            }
        }
    }

    /// The storage's command for one of the statement; `None` if it changes no table.
    fn partition_command(
        &self,
        table: &Arc<MergeTreeTable>,
        command: &AlterCommand,
    ) -> Result<Option<PartitionCommand>> {
        if let AlterCommand::ReplacePartition { partition: Partition::All, .. }
        | AlterCommand::MovePartition { partition: Partition::All, .. } = command
        {
            let message = "Only support DROP/DETACH/ATTACH PARTITION ALL currently";
            return Err(Error::new(codes::SUPPORT_IS_DISABLED, message));
        }
        Ok(Some(match command {
            AlterCommand::DropPartition { partition, detach: false } => {
                PartitionCommand::Drop(self.parts_of(table, partition)?)
            }
            AlterCommand::DropPartition { partition, detach: true } => {
                PartitionCommand::Detach(self.parts_of(table, partition)?)
            }
            AlterCommand::DropDetachedPartition { partition } => {
                if !self.settings.flag(settings::ALLOW_DROP_DETACHED) {
                    let message = "Cannot execute query: DROP DETACHED PART is disabled (see \
                                   allow_drop_detached setting)";
                    return Err(Error::new(codes::SUPPORT_IS_DISABLED, message));
                }
                PartitionCommand::DropDetached(self.parts_of(table, partition)?)
            }
            AlterCommand::AttachPartition { partition, from: None } => {
                PartitionCommand::Attach(self.parts_of(table, partition)?)
            }
            AlterCommand::AttachPartition { partition, from: Some(from) } => {
                let (parts, from) = (self.parts_of(table, partition)?, self.source(from)?);
                PartitionCommand::CopyFrom { parts, from, replace: false }
            }
            AlterCommand::ReplacePartition { partition, from } => {
                self.replace_partition(table, partition, from)?
            }
            AlterCommand::MovePartition { partition, to: MoveTarget::Table(to) } => {
                let (parts, to) = (self.parts_of(table, partition)?, self.source(to)?);
                PartitionCommand::MoveTo { parts, to }
            }
            AlterCommand::MovePartition { partition, to } => {
                if let Partition::Part(name) = partition
                    && !table.part_summaries().iter().any(|part| part.name() == *name)
                {
                    let message = format!("Part {name} is not exists or not active");
                    return Err(Error::new(codes::NO_SUCH_DATA_PART, message));
                }
                return Err(no_such_place(to));
            }
            AlterCommand::ForgetPartition { partition } => {
                return Err(self.not_forgotten(table, partition)?);
            }
            AlterCommand::FetchPartition { .. } => {
                let message = "FETCH PARTITION is not supported by storage MergeTree: there is no \
                               other replica. INSERT INTO ... SELECT copies rows";
                return Err(Error::new(codes::NOT_IMPLEMENTED, message));
            }
            _ => return Ok(None),
        }))
    }

    /// Why a partition is not forgotten: only tables with replicas remember empty ones.
    fn not_forgotten(&self, table: &MergeTreeTable, partition: &Partition) -> Result<Error> {
        let context = self.function_context(&self.settings);
        let id = partition_of(table, partition, &context)?;
        Ok(match table.has_partition(&id) {
            true => Error::new(
                codes::CANNOT_FORGET_PARTITION,
                format!("Partition {id} is not empty: drop it, nothing else is remembered of it"),
            ),
            false => {
                let message = "FORGET PARTITION is not supported by storage MergeTree: nothing is \
                               remembered of an empty partition";
                Error::new(codes::NOT_IMPLEMENTED, message)
            }
        })
    }

    /// The other table of a command.
    fn source(&self, name: &ast::TableName) -> Result<Arc<MergeTreeTable>> {
        self.partitioned_table(name).map_err(|error| {
            if error.code() != codes::NOT_IMPLEMENTED {
                return error;
            }
            error.context("Cannot replace partition".to_owned())
        })
    }

    fn replace_partition(
        &self,
        table: &Arc<MergeTreeTable>,
        partition: &Partition,
        from: &ast::TableName,
    ) -> Result<PartitionCommand> {
        let (parts, from) = (self.parts_of(table, partition)?, self.source(from)?);
        let may_be_empty = self.settings.flag(settings::REPLACE_FROM_EMPTY);
        if let PartsOf::Partition(id) = &parts
            && !from.has_partition(id)
            && !may_be_empty
        {
            let message = format!(
                "Source table has no parts in partition {id}: refusing `REPLACE PARTITION` because \
                 it would silently drop the destination partition's data. Set \
                 `allow_replace_partition_from_empty_source = 1` to allow it"
            );
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        Ok(PartitionCommand::CopyFrom { parts, from, replace: true })
    }

    /// FREEZE: the files of parts get second names below `shadow/<name>/<database>/<table>`.
    fn freeze(
        &self,
        table: &ast::TableName,
        handle: &MergeTreeTable,
        partition: Option<&Partition>,
        name: Option<&str>,
    ) -> Result<()> {
        let parts = match partition {
            None => PartsOf::Table,
            Some(partition) => self.parts_of(handle, partition)?,
        };
        let disk = self.engine.catalog.store().disk();
        let name = match name {
            Some(name) => folder_name(name),
            None => next_number(&**disk)?.to_string(),
        };
        let (database, table) = self.full_name(table);
        let folder = [SHADOW, &name, &folder_name(&database), &folder_name(&table)].join("/");
        if disk.exists(&folder)? {
            let message = format!("Folder `{folder}` exists already: choose another name");
            return Err(Error::new(codes::DIRECTORY_ALREADY_EXISTS, message));
        }
        handle.freeze(&parts, &folder).map(drop)
    }

    /// UNFREEZE: removes what FREEZE WITH NAME has made.
    pub(crate) fn unfreeze(&self, name: &str) -> Result<()> {
        let folder = [SHADOW, &folder_name(name)].join("/");
        let disk = self.engine.catalog.store().disk();
        if disk.exists(&folder)? {
            disk.remove_dir_all(&folder)?;
            disk.sync_dir(SHADOW)?;
        }
        Ok(())
    }
}

/// A name as the name of a folder: bytes that a path may not have are written in hexadecimal.
fn folder_name(name: &str) -> String {
    let mut out = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => out.push(byte as char),
            b'-' if !out.is_empty() => out.push('-'),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// The number of the next FREEZE without a name.
fn next_number(disk: &dyn entasis_disk::Disk) -> Result<u64> {
    if !disk.exists(SHADOW)? {
        return Ok(1);
    }
    let numbers = disk.list(SHADOW)?.into_iter().filter_map(|entry| entry.name.parse::<u64>().ok());
    Ok(numbers.max().unwrap_or(0) + 1)
}

/// Fails if a text cannot be the name of a part.
fn check_part_name(name: &str) -> Result<()> {
    let mut fields = name.rsplit('_');
    let numbers = (fields.next(), fields.next(), fields.next(), fields.next());
    let is_number =
        |text: Option<&str>| text.is_some_and(|text| text.bytes().all(|b| b.is_ascii_digit()));
    let (Some(_), true) = (numbers.3, [numbers.0, numbers.1, numbers.2].into_iter().all(is_number))
    else {
        let message = format!(
            "Unexpected part name: {name}. The names of parts are in system.parts and \
             system.detached_parts"
        );
        return Err(Error::new(codes::BAD_DATA_PART_NAME, message));
    };
    Ok(())
}

#[cold]
fn no_such_place(to: &MoveTarget) -> Error {
    match to {
        MoveTarget::Disk(name) if name == "default" => {
            let message = "All parts of the partition are already on disk 'default'";
            Error::new(codes::UNKNOWN_DISK, message)
        }
        MoveTarget::Disk(name) => {
            let message = format!("No such disk `{name}` in storage policy `default`");
            Error::new(codes::UNKNOWN_DISK, message)
        }
        MoveTarget::Volume(name) => {
            let message = format!("No such volume `{name}` in storage policy `default`");
            Error::new(codes::UNKNOWN_VOLUME, message)
        }
        MoveTarget::Table(_) => Error::logical("A table as a place"),
    }
}
