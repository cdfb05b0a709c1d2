//! Profiles out of `system.trace_log`, for pages.

use entasis_base::{Error, Result, codes};
use entasis_profile::folded::{Folded, Folder};
use entasis_types::Value;

use crate::{QueryOptions, Session};

/// What stacks are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileKind {
    /// Samples of CPU time.
    Cpu,
    /// Samples of time.
    Real,
    /// Bytes.
    Memory,
}

impl ProfileKind {
    /// `CPU`, `Real` or `Memory`, in any case.
    pub fn parse(name: &str) -> Result<Self> {
        let all = [Self::Cpu, Self::Real, Self::Memory];
        let found = all.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| {
            let message =
                format!("There is no profile of type `{name}`: ask for CPU, Real, Memory");
            Error::new(codes::BAD_ARGUMENTS, message)
        })
    }

    /// As `trace_type` has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "CPU",
            Self::Real => "Real",
            Self::Memory => "Memory",
        }
    }
}

impl ProfileKind {
    /// What makes more stacks.
    fn remedy(self) -> &'static str {
        match self {
            Self::Cpu => "shorter query_profiler_cpu_time_period_ns (1000000 is 1 ms)",
            Self::Real => "shorter query_profiler_real_time_period_ns (1000000 is 1 ms)",
            Self::Memory => "smaller memory_profiler_step (1048576 is 1 MiB)",
        }
    }
}

impl Session {
    /// The stacks of a statement, after the logs have been written. Fails if there are none, and
    /// says why that may be.
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
        let rows = result?.collect()?;
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
            let message = format!(
                "There are no stacks of type {} of a query with id `{query_id}`: run it with a \
                 {}, and ask by the id that X-ClickHouse-Query-Id gave",
                kind.name(),
                kind.remedy()
            );
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        Ok(folder.finish())
    }
}
