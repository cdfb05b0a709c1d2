//! Where backups may be: `File('path')`, `Disk('name', 'path')`, `Memory('name')` and `Null`.
//!
//! A relative path is beneath the folder `backups` of the store, on whose disk parts are linked and
//! not copied. Absolute paths are for programs that may use all files of the machine, and beneath
//! folders that the configuration allows. No path leads out of its folder by `..` or by a symbolic
//! link.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use entasis_backup::{Location, Packing};
use entasis_base::{Error, Result, codes};
use entasis_disk::{Disk, LocalDisk};
use entasis_sql::ast::{self, ExprKind, Literal};
use entasis_sql::{format_expr, format_ident};

use crate::catalog::backups::Backups;

/// The folder of the store that has backups with relative paths.
const FOLDER: &str = "backups";

/// Where statements may write and read backups.
#[derive(Clone, Debug)]
pub struct BackupAccess {
    /// Whether relative paths lead into the store's folder `backups`. If not, they begin where the
    /// process was started.
    pub own: bool,
    /// The folders in which absolute paths may lie; `None` allows all.
    pub allowed: Option<Vec<PathBuf>>,
}

/// What a location is resolved with.
pub(super) struct Places<'a> {
    pub access: &'a BackupAccess,
    pub store: &'a Arc<dyn Disk>,
    /// Whether nothing may be written to the store.
    pub read_only: bool,
    pub backups: &'a Backups,
}

/// The place of a backup as the statement gives it, for lists and for the manifest.
pub(super) fn shown(place: &ast::Expr) -> String {
    match place.as_function() {
        Some(call) if call.args.is_empty() => format_ident(&call.name),
        _ => format_expr(place),
    }
}

impl Places<'_> {
    /// The location that a call stands for; `None` for `Null`. `create` says that a backup is
    /// written there.
    pub fn resolve(&self, place: &ast::Expr, create: bool) -> Result<Option<Location>> {
        let unknown = || {
            let message = format!(
                "Not found backup engine '{}': use File('path'), Disk('backups', 'path'), \
                 Memory('name') or Null",
                shown(place)
            );
            Error::new(codes::BACKUP_ENGINE_NOT_FOUND, message).at(place.position)
        };
        let call = place.as_function().ok_or_else(unknown)?;
        let args = call.args.iter().map(text).collect::<Result<Vec<String>>>()?;
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let wrong = |what: &str| {
            let message = format!("Backup engine '{}' requires {what}", call.name);
            Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message).at(place.position))
        };
        let shown = shown(place);
        match (call.name.as_str(), &args[..]) {
            ("Null", []) if create => Ok(None),
            ("Null", []) => {
                let message = "Backup engine 'Null' keeps nothing that could be restored";
                Err(Error::new(codes::BACKUP_NOT_FOUND, message))
            }
            ("Null", _) => wrong("no arguments"),
            ("Memory", [name]) => {
                let disk = self.backups.memory(name, create);
                let path = "backup".to_owned();
                Ok(Some(Location {
                    disk,
                    path,
                    packing: Packing::Folder,
                    shown: (*name).to_owned(),
                }))
            }
            ("Memory", _) => wrong("1 argument (name)"),
            ("File", [path]) => self.file(path, shown, create).map(Some),
            ("File", _) => wrong("1 argument (path)"),
            ("Disk", [disk, path]) => {
                if !matches!(*disk, "default" | FOLDER) {
                    let message = format!(
                        "Disk '{disk}' is not allowed for backups: use 'backups', the folder of \
                         backups of this server"
                    );
                    return Err(Error::new(codes::INVALID_CONFIG_PARAMETER, message));
                }
                if path.starts_with('/') {
                    let message = format!("Path '{path}' to backup on a disk must be relative");
                    return Err(Error::new(codes::BAD_ARGUMENTS, message));
                }
                self.file(path, shown, create).map(Some)
            }
            ("Disk", _) => wrong("2 arguments (disk name, path)"),
            ("S3" | "AzureBlobStorage" | "HDFS", _) => {
                let message = format!(
                    "BACKUP to {}: write it to File('path'), and copy it from there",
                    call.name
                );
                Err(Error::not_implemented(message).at(place.position))
            }
            _ => Err(unknown()),
        }
    }

    fn file(&self, path: &str, shown: String, create: bool) -> Result<Location> {
        let packing = Packing::of_path(path)?;
        let wanted = Path::new(path);
        let parts = components(wanted).ok_or_else(|| {
            let message = format!("Path '{path}' to backup must have a name, and no '..' in it");
            Error::new(codes::BAD_ARGUMENTS, message)
        })?;
        if !wanted.is_absolute() {
            let inside = parts.join("/");
            if self.access.own && self.read_only && create {
                let message = "The database is open read-only: give BACKUP an absolute path";
                return Err(Error::new(codes::TABLE_IS_READ_ONLY, message));
            }
            if self.access.own {
                let path = format!("{FOLDER}/{inside}");
                return Ok(Location { disk: Arc::clone(self.store), path, packing, shown });
            }
            if self.access.allowed.is_some() {
                let message = "The server has no folder: give BACKUP the absolute path of a folder \
                               that its configuration allows (`backup_paths`)";
                return Err(Error::new(codes::INVALID_CONFIG_PARAMETER, message));
            }
            let disk: Arc<dyn Disk> = Arc::new(LocalDisk::existing(".")?);
            return Ok(Location { disk, path: inside, packing, shown });
        }
        let (root, inside) = self.absolute(path, wanted, &parts)?;
        let disk: Arc<dyn Disk> = Arc::new(LocalDisk::existing(&root)?);
        Ok(Location { disk, path: inside, packing, shown })
    }

    /// The folder that an absolute path may not leave, and the path in it.
    fn absolute(&self, path: &str, wanted: &Path, parts: &[&str]) -> Result<(PathBuf, String)> {
        let Some(allowed) = &self.access.allowed else {
            // The deepest folder that exists, so that only new names have to be made durable.
            let root = wanted.ancestors().skip(1).find(|above| above.is_dir());
            let root = root.unwrap_or(Path::new("/"));
            let above = root.components().count() - 1;
            return Ok((root.to_owned(), parts[above..].join("/")));
        };
        let found = allowed.iter().find_map(|root| Some((root, wanted.strip_prefix(root).ok()?)));
        let refused = || {
            let message = format!(
                "Path '{path}' is not allowed for backups: give a relative path, which is beneath \
                 the server's folder `{FOLDER}`, or add a folder to `backup_paths` in its \
                 configuration"
            );
            Error::new(codes::BAD_ARGUMENTS, message)
        };
        let (root, inside) = found.ok_or_else(refused)?;
        let real_root = root.canonicalize().map_err(|_| refused())?;
        // The deepest folder of the path that exists.
        let there = wanted.ancestors().find_map(|above| above.canonicalize().ok());
        if !there.is_some_and(|there| there.starts_with(&real_root)) {
            return Err(refused());
        }
        let inside = components(inside).ok_or_else(refused)?.join("/");
        Ok((real_root, inside))
    }
}

/// The names in a path; `None` if it has none, or leads upwards.
fn components(path: &Path) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => parts.push(name.to_str()?),
            Component::RootDir | Component::CurDir => {}
            Component::ParentDir | Component::Prefix(_) => return None,
        }
    }
    (!parts.is_empty()).then_some(parts)
}

fn text(expr: &ast::Expr) -> Result<String> {
    match &expr.kind {
        ExprKind::Literal(Literal::String(bytes)) => {
            Ok(String::from_utf8_lossy(bytes).into_owned())
        }
        ExprKind::Identifier(parts) => {
            Ok(parts.iter().map(|part| part.as_str()).collect::<Vec<_>>().join("."))
        }
        _ => {
            let message = "The arguments of a backup's place are texts: File('path')";
            Err(Error::new(codes::BAD_ARGUMENTS, message).at(expr.position))
        }
    }
}
