//! BACKUP and RESTORE as text.

use super::Writer;
use crate::ast::{Backup, BackupElement, Partition, TableName};

impl Writer {
    pub(super) fn backup(&mut self, backup: &Backup) {
        self.push(if backup.restore { "RESTORE " } else { "BACKUP " });
        self.inline(&backup.elements, Self::backup_element);
        self.cluster(backup.cluster.as_ref());
        self.push(if backup.restore { " FROM " } else { " TO " });
        match backup.location.as_function() {
            Some(call) if call.args.is_empty() => self.name(&call.name),
            _ => self.plain(&backup.location),
        }
        if !backup.settings.is_empty() {
            self.push(" SETTINGS ");
            self.settings(&backup.settings);
        }
    }

    fn backup_element(&mut self, element: &BackupElement) {
        match element {
            BackupElement::Table { temporary, name, new_name, partitions } => {
                self.push(if *temporary { "TEMPORARY TABLE " } else { "TABLE " });
                self.table_name(name);
                if let Some(new_name) = new_name {
                    self.push(" AS ");
                    self.table_name(new_name);
                }
                if !partitions.is_empty() {
                    self.push(if partitions.len() > 1 { " PARTITIONS  " } else { " PARTITION  " });
                    self.inline(partitions, |w, partition| match partition {
                        Partition::Id(id) => {
                            w.push("ID ");
                            w.string(id);
                        }
                        Partition::Expr(expr) => w.plain(expr),
                        Partition::All | Partition::Part(_) => {}
                    });
                }
            }
            BackupElement::Database { name, new_name, except } => {
                self.push("DATABASE ");
                self.name(&name.name);
                if let Some(new_name) = new_name {
                    self.push(" AS ");
                    self.name(&new_name.name);
                }
                self.except_tables(except);
            }
            BackupElement::Function(name) => {
                self.push("FUNCTION ");
                self.name(&name.name);
            }
            BackupElement::All { except_databases, except_tables } => {
                self.push("ALL");
                for (i, name) in except_databases.iter().enumerate() {
                    match (i, except_databases.len()) {
                        (0, 1) => self.push(" EXCEPT DATABASE "),
                        (0, _) => self.push(" EXCEPT DATABASES "),
                        (_, _) => self.push(","),
                    }
                    self.name(&name.name);
                }
                self.except_tables(except_tables);
            }
        }
    }

    fn except_tables(&mut self, except: &[TableName]) {
        if !except.is_empty() {
            self.push(if except.len() > 1 { " EXCEPT TABLES " } else { " EXCEPT TABLE " });
            self.tables(except);
        }
    }
}
