//! Checks a backup without an engine: `entasis check`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use entasis_backup::{BackupReader, Location, Packing, Totals};
use entasis_base::{Error, Result, codes};
use entasis_disk::LocalDisk;
use entasis_sql::ast::{ExprKind, Literal};

/// Whether a path leads to a backup: a folder with a manifest, or a file.
pub fn is_backup(path: &str) -> bool {
    let path = Path::new(path);
    path.is_file() || path.join(entasis_backup::manifest::NAME).is_file()
}

/// Reads all files of a backup, and calls `found` for each that is damaged, with what is wrong.
pub fn check_backup(path: &str, found: &mut dyn FnMut(&str, &str)) -> Result<Totals> {
    let reader = open(&std::path::absolute(path)?)?;
    reader.check(&mut |file, error| found(file, error.message()));
    Ok(reader.totals())
}

fn open(path: &Path) -> Result<Arc<BackupReader>> {
    let shown = path.display().to_string();
    let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Error::new(codes::BAD_ARGUMENTS, format!("{shown} is no backup")));
    };
    let location = Location {
        disk: Arc::new(LocalDisk::existing(above)?),
        path: name.to_string_lossy().into_owned(),
        packing: Packing::of_path(&shown)?,
        shown,
    };
    let base_of = |place: &str| open(&base(path, place)?);
    BackupReader::open(&location, &base_of).map(Arc::new)
}

/// Where the base of a backup is: its place is beneath a folder above the backup.
fn base(path: &Path, place: &str) -> Result<PathBuf> {
    let call = entasis_sql::parse_expression(place)?;
    let args = call.as_function().map(|call| &call.args[..]).unwrap_or_default();
    let text = args.last().and_then(|arg| match &arg.kind {
        ExprKind::Literal(Literal::String(text)) => std::str::from_utf8(text).ok(),
        _ => None,
    });
    let found = path.ancestors().skip(1).map(|above| above.join(text.unwrap_or_default()));
    found.into_iter().find(|base| text.is_some() && base.exists()).ok_or_else(|| {
        let message = format!("The base backup {place} is not above {}", path.display());
        Error::new(codes::NO_BASE_BACKUP, message)
    })
}
