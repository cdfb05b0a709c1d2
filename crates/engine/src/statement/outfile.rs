//! INTO OUTFILE: the file to which a shell or a script writes a result. Servers refuse the clause;
//! a program that runs on the user's machine opens the file with [`OutFile`].

use std::io::Write;

use entasis_base::{Error, Result, codes};
use entasis_disk::{CreateMode, UserFiles};
use entasis_format::Compression;
use entasis_format::compression::Encoder;
use entasis_sql::ast;

/// Bytes that are gathered for one write, and for one frame of a compressed file.
const BLOCK: usize = 4 << 20;

/// A file for a result. It appears under its name only when it is complete.
pub struct OutFile {
    file: entasis_disk::NewFile,
    format: &'static str,
    /// `None` after the file has been finished.
    encoder: Option<Encoder>,
    /// Whether the result is also written to standard output.
    pub and_stdout: bool,
    block: Vec<u8>,
}

impl OutFile {
    /// Opens the file that a statement names; relative paths begin at the working directory.
    pub fn open(clause: &ast::OutFile) -> Result<Self> {
        let method = clause.compression.as_deref().unwrap_or("auto");
        let compression = Compression::find(method, &clause.path)?;
        let encoder = Some(Encoder::new(compression, clause.level)?);
        let mode = match (clause.append, clause.truncate) {
            (true, _) => CreateMode::Append,
            (false, true) => CreateMode::Replace,
            (false, false) => CreateMode::New,
        };
        Ok(Self {
            file: UserFiles::free(".").create(&clause.path, mode)?,
            format: entasis_format::format_by_extension(&clause.path).unwrap_or("TabSeparated"),
            encoder,
            and_stdout: clause.and_stdout,
            block: Vec::new(),
        })
    }

    /// The format if the statement names none: from the file's extension, else TabSeparated.
    pub fn format(&self) -> &'static str {
        self.format
    }

    fn put(&mut self) -> Result<()> {
        let mut packed = Vec::new();
        if let Some(encoder) = &mut self.encoder {
            encoder.write(&self.block, &mut packed)?;
        }
        self.file.write_all(&packed)?;
        self.block.clear();
        Ok(())
    }

    /// Writes the remaining bytes and gives the file its name.
    pub fn finish(mut self) -> Result<()> {
        if !self.block.is_empty() {
            self.put()?;
        }
        let mut rest = Vec::new();
        self.encoder.take().map_or(Ok(()), |encoder| encoder.finish(&mut rest))?;
        self.file.write_all(&rest)?;
        self.file.commit()
    }
}

impl Write for OutFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.block.extend_from_slice(bytes);
        if self.block.len() >= BLOCK {
            self.put().map_err(std::io::Error::other)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cold]
pub(crate) fn not_allowed() -> Error {
    let message = "INTO OUTFILE is not allowed: the file would be the server's. Use entasis client \
                   or entasis local, or redirect the answer";
    Error::new(codes::INTO_OUTFILE_NOT_ALLOWED, message)
}
