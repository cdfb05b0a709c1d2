//! The store of the laboratory in tables of Entasis: raw samples, runs, verdicts.
//!
//! The tables are in a folder, or on a running server. A server of this program serves the folder
//! while it is needed, but not while anything is measured. Everybody can therefore query what is
//! stored with SQL.

mod again;
mod facts;
mod load;
mod row;
mod save;
mod tables;

use std::path::PathBuf;
use std::time::Duration;

use entasis_base::{Error, Result, codes};
use entasis_client::{Client, Config, Request};
use serde_json::Value;

use crate::target::{Options, Process, address, masked};

pub use load::Stored;
pub(crate) use row::{number, optional, quoted, text, whole};
pub(crate) use save::now;
pub use save::{Fate, Host, QueryRow, RunRow, Shown};

/// Where the tables are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a folder.
    Folder(PathBuf),
    /// On a server.
    Server(String),
}

impl Place {
    /// A URL is a server, anything else a folder.
    pub fn parse(text: &str) -> Self {
        if text.starts_with("http://") {
            Self::Server(text.to_owned())
        } else {
            Self::Folder(PathBuf::from(text))
        }
    }
}

/// The tables, opened when they are first needed.
pub struct Store {
    place: Place,
    open: Option<Open>,
}

enum Open {
    Own(Process),
    Other(Client),
}

/// A server that says nothing for so long is given up, as one of the laboratory's own is.
const ANSWER: Duration = Duration::from_mins(10);
/// Rows of an INSERT that are sent at a time.
const BATCH: usize = 100_000;

impl Store {
    /// Nothing is opened yet.
    pub fn new(place: Place) -> Self {
        Self { place, open: None }
    }

    fn client(&mut self) -> Result<&mut Client> {
        if self.open.is_none() {
            let mut open = match &self.place {
                Place::Server(url) => {
                    let answer_timeout = Some(ANSWER);
                    Open::Other(Client::new(Config { answer_timeout, ..address(url)? }))
                }
                Place::Folder(folder) => {
                    let this = std::env::current_exe()?;
                    Open::Own(Process::start(&this, folder, &Options::default())?)
                }
            };
            for text in tables::ALL {
                open.client().ask(text, &[])?;
            }
            self.open = Some(open);
        }
        match &mut self.open {
            Some(open) => Ok(open.client()),
            None => Err(Error::logical("a store that was opened and is not")),
        }
    }

    /// Lets go of a folder's tables until they are needed again: nothing runs besides what is
    /// measured.
    pub fn rest(&mut self) {
        self.open = None;
    }

    /// Runs a statement.
    pub fn execute(&mut self, text: &str) -> Result<()> {
        self.client()?.ask(text, &[]).map(drop)
    }

    /// A query's answer as text, in the format that it names.
    pub fn text(&mut self, query: &str) -> Result<String> {
        self.client()?.ask(query, &[])
    }

    /// A query's rows as objects.
    pub fn rows(&mut self, query: &str) -> Result<Vec<Value>> {
        self.rows_with(query, &[])
    }

    /// A query's rows as objects; `parameters` as the HTTP interface takes them, `param_x` for
    /// `{x:Type}` in the text.
    pub fn rows_with(&mut self, query: &str, parameters: &[(&str, &str)]) -> Result<Vec<Value>> {
        let format = [("default_format", "JSONEachRow")];
        let mut rows = Vec::new();
        self.lines(query, &[&format[..], parameters].concat(), &mut |line| {
            rows.push(serde_json::from_str(line).map_err(|e| {
                Error::new(codes::CANNOT_PARSE_TEXT, "A stored row is no JSON").with_cause(e)
            })?);
            Ok(())
        })?;
        Ok(rows)
    }

    /// Hands over the lines of a query's answer as they come.
    pub(crate) fn lines(
        &mut self,
        query: &str,
        parameters: &[(&str, &str)],
        each: &mut dyn FnMut(&str) -> Result<()>,
    ) -> Result<()> {
        let mut answer = self.client()?.execute(Request { query, parameters, data: None })?;
        let mut held = Vec::new();
        while answer.read_piece(&mut held)? {
            let whole = held.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            String::from_utf8_lossy(&held[..whole]).lines().try_for_each(&mut *each)?;
            held.drain(..whole);
        }
        String::from_utf8_lossy(&held).lines().try_for_each(each)
    }

    /// Adds rows, given as lines of a format. They are on disk when this returns.
    pub(crate) fn insert(&mut self, table: &str, format: &str, lines: &[String]) -> Result<()> {
        for batch in lines.chunks(BATCH) {
            let text: String = batch.iter().flat_map(|line| [line, "\n"]).collect();
            let query = format!("INSERT INTO lab.{table} FORMAT {format}");
            let mut data = text.as_bytes();
            let request = Request { query: &query, parameters: &[], data: Some(&mut data) };
            self.client()?.execute(request)?.read_all(&mut std::io::sink())?;
        }
        Ok(())
    }

    /// Where the tables are, for people.
    pub fn place(&self) -> String {
        match &self.place {
            Place::Folder(folder) => folder.display().to_string(),
            Place::Server(url) => masked(url),
        }
    }
}

impl Open {
    fn client(&mut self) -> &mut Client {
        match self {
            Self::Own(process) => process.http().client(),
            Self::Other(client) => client,
        }
    }
}
