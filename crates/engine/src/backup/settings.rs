//! SETTINGS of BACKUP and RESTORE.

use entasis_backup::ArchiveOptions;
use entasis_base::{Error, Result, codes};
use entasis_sql::ast::{self, ExprKind, Literal};
use entasis_sql::format_expr;

/// What RESTORE does about an object that it would create.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Creation {
    /// It is created, unless it exists.
    #[default]
    IfNotExists,
    /// It must not exist.
    Always,
    /// It must exist.
    Never,
}

/// The settings of a statement.
#[derive(Clone, Debug)]
pub(super) struct BackupSettings {
    pub id: Option<String>,
    pub base: Option<ast::Expr>,
    pub is_async: bool,
    pub structure_only: bool,
    pub deduplicate: bool,
    pub archive: ArchiveOptions,
    pub create_table: Creation,
    pub create_database: Creation,
    pub create_function: Creation,
    pub allow_non_empty_tables: bool,
    pub allow_different_table_def: bool,
    /// The settings that were given, for `system.backups`.
    pub given: Vec<(String, String)>,
}

impl Default for BackupSettings {
    fn default() -> Self {
        Self {
            id: None,
            base: None,
            is_async: false,
            structure_only: false,
            deduplicate: true,
            archive: ArchiveOptions::default(),
            create_table: Creation::default(),
            create_database: Creation::default(),
            create_function: Creation::default(),
            allow_non_empty_tables: false,
            allow_different_table_def: false,
            given: Vec::new(),
        }
    }
}

/// Settings of the reference that concern things that do not exist here.
const WITHOUT_EFFECT: &[&str] = &[
    "allow_azure_native_copy",
    "allow_backup_broken_projections",
    "allow_checksums_from_remote_paths",
    "allow_different_database_def",
    "allow_s3_native_copy",
    "allow_unresolved_access_dependencies",
    "azure_attempt_to_create_container",
    "backup_data_from_refreshable_materialized_view_targets",
    "backup_uuid",
    "check_parts",
    "check_projection_parts",
    "cluster_host_ids",
    "coordination_zookeeper_path",
    "data_file_name_generator",
    "data_file_name_prefix_length",
    "decrypt_files_from_encrypted_disks",
    "host_id",
    "internal",
    "read_from_filesystem_cache",
    "replica_num",
    "replica_num_in_backup",
    "restore_broken_parts_as_detached",
    "restore_uuid",
    "s3_storage_class",
    "shard_num",
    "shard_num_in_backup",
    "skip_unresolved_access_dependencies",
    "update_access_entities_dependents",
    "use_same_password_for_base_backup",
    "use_same_s3_credentials_for_base_backup",
    "write_access_entities_dependents",
];

impl BackupSettings {
    /// Reads the settings of a statement.
    pub fn new(backup: &ast::Backup) -> Result<Self> {
        let mut settings = Self::default();
        for change in &backup.settings {
            let Some(value) = &change.value else { continue };
            settings.set(&change.name, value)?;
            if change.name != "password" {
                settings.given.push((change.name.clone(), shown(value)));
            }
        }
        Ok(settings)
    }

    fn set(&mut self, name: &str, value: &ast::Expr) -> Result<()> {
        match name {
            "id" => self.id = Some(shown(value)),
            "base_backup" => self.base = Some(value.clone()),
            "async" => self.is_async = flag(name, value)?,
            "structure_only" => self.structure_only = flag(name, value)?,
            "restore_table_data" => self.structure_only = !flag(name, value)?,
            "deduplicate_files" => self.deduplicate = flag(name, value)?,
            "allow_non_empty_tables" => self.allow_non_empty_tables = flag(name, value)?,
            "allow_different_table_def" => self.allow_different_table_def = flag(name, value)?,
            "create_table" => self.create_table = creation(value)?,
            "create_database" => self.create_database = creation(value)?,
            "create_function" => self.create_function = creation(value)?,
            "compression_level" => {
                let level = shown(value).parse().map_err(|_| cannot_parse(name, value))?;
                self.archive.level = Some(level).filter(|level| *level >= 0);
            }
            "compression_method" => match &*shown(value).to_ascii_lowercase() {
                "" | "store" | "none" => self.archive.deflate = false,
                "deflate" => self.archive.deflate = true,
                method => {
                    let message = format!(
                        "Compression method '{method}' of archives: 'store' and 'deflate' are \
                         known. Parts of tables are compressed already"
                    );
                    return Err(Error::not_implemented(message));
                }
            },
            "password" => {
                let message = "Archives with a password: leave out the setting `password`, and \
                               encrypt the finished backup with another program";
                return Err(Error::not_implemented(message));
            }
            name if WITHOUT_EFFECT.contains(&name) => {}
            // Settings of queries are allowed as in the reference, and copying has none.
            name if crate::settings::SETTINGS.iter().any(|known| known.name == name) => {}
            _ => {
                let message = format!("Unknown setting '{name}'");
                return Err(Error::new(codes::UNKNOWN_SETTING, message));
            }
        }
        Ok(())
    }
}

/// The text of a value.
fn shown(value: &ast::Expr) -> String {
    match &value.kind {
        ExprKind::Literal(Literal::String(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
        ExprKind::Literal(Literal::Bool(on)) => if *on { "1" } else { "0" }.to_owned(),
        _ => format_expr(value),
    }
}

#[cold]
fn cannot_parse(name: &str, value: &ast::Expr) -> Error {
    let message = format!("Cannot parse the value {} of setting {name}", format_expr(value));
    Error::new(codes::CANNOT_PARSE_BACKUP_SETTINGS, message)
}

fn flag(name: &str, value: &ast::Expr) -> Result<bool> {
    match &*shown(value).to_ascii_lowercase() {
        "1" | "true" => Ok(true),
        "0" | "false" => Ok(false),
        _ => Err(cannot_parse(name, value)),
    }
}

fn creation(value: &ast::Expr) -> Result<Creation> {
    match &*shown(value).to_ascii_lowercase() {
        "1" | "true" | "create" => Ok(Creation::Always),
        "0" | "false" | "must exist" | "must-exist" => Ok(Creation::Never),
        "if not exists" | "if-not-exists" | "create if not exists" | "create-if-not-exists" => {
            Ok(Creation::IfNotExists)
        }
        _ => {
            let message = format!("Cannot parse creation mode from {}", format_expr(value));
            Err(Error::new(codes::CANNOT_PARSE_BACKUP_SETTINGS, message))
        }
    }
}
