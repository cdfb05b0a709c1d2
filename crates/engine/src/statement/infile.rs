//! FROM INFILE: files whose rows an INSERT takes. They are opened by the program that runs on the
//! user's machine: `entasis local`, or `entasis client`, which sends their bytes behind the
//! statement. Servers refuse the clause, as it would open files of the server.

use entasis_base::{Error, Result, codes};
use entasis_disk::UserFiles;
use entasis_format::Compression;
use entasis_sql::Parsed;
use entasis_sql::ast::{InsertSource, StatementKind};

use crate::session::Input;

/// One file of FROM INFILE.
pub struct InFile {
    path: String,
    compression: Compression,
    /// The format of its rows.
    pub format: String,
}

impl InFile {
    /// The files that a statement names; `None` if it does not have the clause. Fails if no file is
    /// found.
    pub fn of(parsed: &Parsed) -> Result<Option<Vec<Self>>> {
        match &parsed.statement.kind {
            StatementKind::Insert(insert) => Self::of_source(&insert.source),
            _ => Ok(None),
        }
    }

    pub(crate) fn of_source(source: &InsertSource) -> Result<Option<Vec<Self>>> {
        let InsertSource::Infile { path, compression, format } = source else { return Ok(None) };
        let files = UserFiles::free(".");
        let is_file = |path: &String| Ok::<_, Error>(files.info(path)?.is_some());
        let mut found = Vec::new();
        for path in files.glob(path)? {
            if !is_file(&path)? {
                continue;
            }
            let by_name = entasis_format::format_by_extension(&path);
            let format = match format {
                Some(format) => entasis_format::find(format.as_str())?.name,
                None => by_name.ok_or_else(|| {
                    let message = format!(
                        "The format of {path} cannot be told by its name: add FORMAT and its name"
                    );
                    Error::new(codes::CANNOT_EXTRACT_TABLE_STRUCTURE, message)
                })?,
            };
            let compression = Compression::find(compression.as_deref().unwrap_or("auto"), &path)?;
            found.push(Self { path, compression, format: format.to_string() });
        }
        if found.is_empty() {
            let message = format!("File {path} doesn't exist");
            return Err(Error::new(codes::FILE_DOESNT_EXIST, message));
        }
        Ok(Some(found))
    }

    /// Opens the file and decompresses its bytes.
    pub fn open(&self) -> Result<Input> {
        let bytes = UserFiles::free(".").open_stream(&self.path)?;
        entasis_format::decompress(self.compression, bytes, u64::MAX)
    }
}

/// Whether an INSERT takes rows that follow its text in a format whose bytes may begin like those
/// of a compressed file. `None` if it takes no such rows.
pub fn takes_any_bytes(parsed: &Parsed) -> Option<bool> {
    let StatementKind::Insert(insert) = &parsed.statement.kind else { return None };
    let InsertSource::Data { format, .. } = &insert.source else { return None };
    Some(format.as_ref().is_some_and(|format| entasis_format::takes_any_bytes(format.as_str())))
}

#[cold]
pub(crate) fn not_allowed() -> Error {
    let message = "FROM INFILE is not allowed: the file would be the server's. Use entasis client or \
                   entasis local, or send the rows behind INSERT ... FORMAT";
    Error::new(codes::NOT_IMPLEMENTED, message)
}
