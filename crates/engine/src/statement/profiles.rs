//! Profiles made from `system.trace_log`, shown as pages.

use entasis_base::{Error, Result, codes};
use entasis_profile::flamegraph::{Unit, difference_page, page};
use entasis_profile::folded::{Folded, Folder};
use entasis_types::Value;

use crate::{QueryOptions, Session};

/// What a profile measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileKind {
    /// CPU time, by the number of stacks.
    Cpu,
    /// Elapsed time, by the number of stacks.
    Real,
    /// Allocated memory, in bytes.
    Memory,
}

impl ProfileKind {
    /// Parses `CPU`, `Real` or `Memory`, in upper or lower case.
    pub fn parse(name: &str) -> Result<Self> {
        let all = [Self::Cpu, Self::Real, Self::Memory];
        let found = all.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| {
            let message =
                format!("There is no profile of type `{name}`: ask for CPU, Real, Memory");
            Error::new(codes::BAD_ARGUMENTS, message)
        })
    }

    /// The value of the column `trace_type`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "CPU",
            Self::Real => "Real",
            Self::Memory => "Memory",
        }
    }
}

impl ProfileKind {
    /// The setting that says how often stacks are taken.
    pub fn setting(self) -> &'static str {
        match self {
            Self::Cpu => "query_profiler_cpu_time_period_ns",
            Self::Real => "query_profiler_real_time_period_ns",
            Self::Memory => "memory_profiler_step",
        }
    }

    /// A value of that setting that suits statements of about a second: 1 ms, or 1 MiB.
    pub fn fine(self) -> u64 {
        match self {
            Self::Cpu | Self::Real => 1_000_000,
            Self::Memory => 1 << 20,
        }
    }
}

impl Session {
    /// A page with the stacks of a statement, or with their difference to those of another one.
    pub fn flamegraph(
        &mut self,
        query_id: &str,
        against: Option<&str>,
        kind: ProfileKind,
    ) -> Result<String> {
        let unit = match kind {
            ProfileKind::Memory => Unit::Bytes,
            ProfileKind::Cpu | ProfileKind::Real => Unit::Samples { period_ns: 0 },
        };
        let profile = self.profile(query_id, kind)?;
        Ok(match against {
            None => page(&profile, query_id, kind.name(), unit),
            Some(other) => {
                let against = self.profile(other, kind)?;
                difference_page((other, &against), (query_id, &profile), kind.name(), unit)
            }
        })
    }

    /// The stacks of a statement, after the logs have been written. Fails if there are none; the
    /// message says what the reason may be.
    pub fn profile(&mut self, query_id: &str, kind: ProfileKind) -> Result<Folded> {
        if let Some(logs) = self.engine.logs() {
            logs.flush(None)?;
        }
        let weight = if kind == ProfileKind::Memory { "sum(size)" } else { "toInt64(count())" };
        let text = format!(
            "SELECT trace, {weight} FROM system.trace_log \
             WHERE trace_type = '{}' AND query_id = {{id:String}} GROUP BY trace",
            kind.name()
        );
        let before =
            std::mem::replace(&mut self.parameters, vec![("id".to_string(), query_id.to_string())]);
        let result = self.execute_with(&text, QueryOptions::default());
        self.parameters = before;
        let rows = match result {
            // The log's table is created with its first row.
            Err(error) if error.code() == codes::UNKNOWN_TABLE => return Err(none(query_id, kind)),
            result => result?.collect()?,
        };
        let mut folder = Folder::new();
        for row in 0..rows.rows {
            let (Value::Array(frames), Some(weight)) =
                (rows.columns[0].value(row), rows.columns[1].value(row).as_i64())
            else {
                continue;
            };
            let frames: Vec<u64> = frames.iter().filter_map(Value::as_u64).collect();
            folder.add(&frames, weight);
        }
        if rows.rows == 0 {
            return Err(none(query_id, kind));
        }
        Ok(folder.finish())
    }
}

/// The error if there are no stacks of a statement.
fn none(query_id: &str, kind: ProfileKind) -> Error {
    let (name, setting, fine) = (kind.name(), kind.setting(), kind.fine());
    let message = format!(
        "There are no stacks of type {name} of a query with id `{query_id}`: run it with a \
         smaller {setting} (as {fine}), and ask by the id that X-ClickHouse-Query-Id gave"
    );
    Error::new(codes::BAD_ARGUMENTS, message)
}
