//! The list of what a backup contains: its objects, and its files with sizes and checksums.
//!
//! The manifest is a text of lines, whose fields are separated by tabs. The last line has the
//! checksum of all bytes before it, so a manifest that was cut or changed is noticed.

use entasis_base::{Error, Result, codes};
use entasis_codec::checksum;

/// The name of the manifest among the files of a backup.
pub const NAME: &str = ".backup";

const FIRST_LINE: &str = "Entasis backup, version 1";

/// The kinds of objects in a backup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A database.
    Database,
    /// A table of any engine, also a dictionary's.
    Table,
    /// A dictionary.
    Dictionary,
    /// A view of any kind.
    View,
    /// A function of CREATE FUNCTION.
    Function,
    /// A temporary table.
    Temporary,
}

const KINDS: [(ObjectKind, &str); 6] = [
    (ObjectKind::Database, "database"),
    (ObjectKind::Table, "table"),
    (ObjectKind::Dictionary, "dictionary"),
    (ObjectKind::View, "view"),
    (ObjectKind::Function, "function"),
    (ObjectKind::Temporary, "temporary"),
];

/// An object in a backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// What it is.
    pub kind: ObjectKind,
    /// Its database; empty for databases, functions and temporary tables.
    pub database: String,
    /// Its name.
    pub name: String,
    /// Version of the language in which its definition is written.
    pub language: u32,
    /// The file with its definition.
    pub definition: String,
    /// The files with its rows begin with this; empty if it has none.
    pub data: String,
}

/// Where the bytes of a file are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In this backup under its own name.
    Here,
    /// In this backup under another name, because both have the same content.
    Same(String),
    /// In the backup that this one is based on, in a file of the same checksum and size.
    Base,
}

/// A file of a backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// XXH3 of its content, 128 bits.
    pub checksum: u128,
    /// Where its bytes are.
    pub place: Place,
}

/// The backup that an incremental backup is based on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// Where it was, as the statement said.
    pub location: String,
    /// The identity of its manifest.
    pub identity: String,
}

/// What a backup contains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// An identity that no other backup has.
    pub identity: String,
    /// When the backup's state was current, in seconds since 1970.
    pub made: u64,
    /// The backup that this one is based on.
    pub base: Option<Base>,
    /// The objects: functions, databases, tables, dictionaries, views, and temporary tables.
    pub objects: Vec<Object>,
    /// The files, sorted by name.
    pub files: Vec<FileEntry>,
}

fn put(out: &mut String, fields: &[&str]) {
    for (i, field) in fields.iter().enumerate() {
        if i > 0 {
            out.push('\t');
        }
        for c in field.chars() {
            match c {
                '\t' => out.push_str("\\t"),
                '\n' => out.push_str("\\n"),
                '\\' => out.push_str("\\\\"),
                c => out.push(c),
            }
        }
    }
    out.push('\n');
}

fn unescaped(field: &str) -> Result<String> {
    let mut out = String::new();
    let mut chars = field.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        out.push(match chars.next() {
            Some('t') => '\t',
            Some('n') => '\n',
            Some('\\') => '\\',
            _ => return Err(damaged("an unknown escape")),
        });
    }
    Ok(out)
}

#[cold]
pub(crate) fn damaged(what: &str) -> Error {
    Error::new(codes::BACKUP_DAMAGED, format!("The manifest of the backup is damaged: {what}"))
}

impl Manifest {
    /// The file of a name.
    pub fn file(&self, name: &str) -> Option<&FileEntry> {
        let at = self.files.binary_search_by(|file| file.name.as_str().cmp(name));
        at.ok().map(|at| &self.files[at])
    }

    /// The text of the manifest.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = format!("{FIRST_LINE}\n");
        put(&mut out, &["identity", &self.identity]);
        put(&mut out, &["made", &self.made.to_string()]);
        if let Some(base) = &self.base {
            put(&mut out, &["base", &base.identity, &base.location]);
        }
        for object in &self.objects {
            let kind = KINDS.iter().find(|(kind, _)| *kind == object.kind).map_or("", |(_, n)| n);
            let language = object.language.to_string();
            let Object { database, name, definition, data, .. } = object;
            put(&mut out, &["object", kind, database, name, &language, definition, data]);
        }
        for FileEntry { name, size, checksum, place } in &self.files {
            let (place, other) = match place {
                Place::Here => ("here", ""),
                Place::Same(other) => ("same", other.as_str()),
                Place::Base => ("base", ""),
            };
            let (sum, size) = (format!("{checksum:032x}"), size.to_string());
            put(&mut out, &["file", &sum, &size, place, name, other]);
        }
        let sum = checksum(out.as_bytes());
        out.push_str(&format!("checksum\t{sum:016x}\n"));
        out.into_bytes()
    }

    /// Reads what [`Self::to_bytes`] has written.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let text = std::str::from_utf8(bytes).map_err(|_| damaged("it is no text"))?;
        let first = text.lines().next().unwrap_or_default();
        if first != FIRST_LINE {
            if first.starts_with("Entasis backup, version ") {
                let message = format!("{first}: this build reads version 1. Use a newer build");
                return Err(Error::new(codes::BACKUP_VERSION_NOT_SUPPORTED, message));
            }
            let what = "it does not begin as one. Backups of other programs cannot be restored";
            return Err(damaged(what));
        }
        let body = text.len().saturating_sub("checksum\t".len() + 17);
        let (body, last) = text.split_at_checked(body).ok_or_else(|| damaged("its end"))?;
        let sum = last.strip_prefix("checksum\t").and_then(|sum| sum.strip_suffix('\n'));
        let sum = sum.and_then(|sum| u64::from_str_radix(sum, 16).ok());
        if sum != Some(checksum(body.as_bytes())) {
            return Err(damaged("its checksum is wrong"));
        }
        let mut manifest = Self::default();
        for line in body.lines().skip(1) {
            manifest.line(line)?;
        }
        if !manifest.files.is_sorted_by(|a, b| a.name < b.name) {
            return Err(damaged("its files are not sorted"));
        }
        Ok(manifest)
    }

    fn line(&mut self, line: &str) -> Result<()> {
        let fields: Vec<String> = line.split('\t').map(unescaped).collect::<Result<_>>()?;
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        let number = |text: &str| text.parse::<u64>().map_err(|_| damaged("a number"));
        match fields[..] {
            ["identity", identity] => identity.clone_into(&mut self.identity),
            ["made", made] => self.made = number(made)?,
            ["base", identity, location] => {
                let (identity, location) = (identity.to_owned(), location.to_owned());
                self.base = Some(Base { location, identity });
            }
            ["object", kind, database, name, language, definition, data] => {
                let kind = KINDS.iter().find(|(_, name)| *name == kind);
                self.objects.push(Object {
                    kind: kind.ok_or_else(|| damaged("an unknown kind of object"))?.0,
                    database: database.to_owned(),
                    name: name.to_owned(),
                    language: number(language)? as u32,
                    definition: definition.to_owned(),
                    data: data.to_owned(),
                });
            }
            ["file", sum, size, place, name, other] => {
                let place = match place {
                    "here" => Place::Here,
                    "same" => Place::Same(other.to_owned()),
                    "base" => Place::Base,
                    _ => return Err(damaged("an unknown place of a file")),
                };
                let sum = u128::from_str_radix(sum, 16).map_err(|_| damaged("a checksum"))?;
                let (name, size) = (name.to_owned(), number(size)?);
                self.files.push(FileEntry { name, size, checksum: sum, place });
            }
            _ => return Err(damaged("an unknown line")),
        }
        Ok(())
    }
}
