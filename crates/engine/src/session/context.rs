//! The limits of a statement, and the context of its pipelines.

use std::sync::Arc;

use entasis_base::Result;
use entasis_base::events::{Counters, Mask};
use entasis_pipeline::{DerivedOnInsert, IndicesOnInsert, QueryContext, SpeedLimits};
use entasis_profile::counters;

use crate::session::note;
use crate::{QueryOptions, Session, Settings, settings};

impl Session {
    /// Sets the statement's limits from its settings. This happens before the statement is
    /// analysed, since constants are already computed then.
    pub(crate) fn limit(&self, settings: &Settings, options: &QueryOptions) -> Result<()> {
        if let Some(process) = &options.process {
            note(options, |log_entry| log_entry.settings(settings, process.events()));
            let seconds = settings.f64(settings::MAX_EXECUTION_TIME);
            let memory = self.memory_limit(settings);
            let of_user = settings.u64(settings::MAX_MEMORY_USAGE_FOR_USER);
            let time_breaks = settings.text(settings::TIMEOUT_OVERFLOW_MODE) == "break";
            let read_breaks = settings.text(settings::READ_OVERFLOW_MODE) == "break";
            process.progress.may_break(time_breaks, read_breaks);
            self.engine.processes.limit(process, memory, of_user, seconds);
            if settings.flag(settings::TRACE_EVENTS) {
                let list = settings.text(settings::TRACE_EVENTS_LIST);
                let all = list.trim().is_empty();
                let mask = if all { Mask::all() } else { Mask::parse(&list)? };
                process.events().trace(mask);
            }
            if settings.flag(settings::PERF_EVENTS) {
                let list = settings.text(settings::PERF_EVENTS_LIST);
                process.events().count_hardware(counters::parse(&list)?);
            }
        }
        Ok(())
    }

    /// Most bytes that a statement with these settings may use; 0 means that it has no limit of its
    /// own.
    pub(crate) fn memory_limit(&self, settings: &Settings) -> u64 {
        if settings.is_changed(settings::MAX_MEMORY_USAGE) {
            return settings.u64(settings::MAX_MEMORY_USAGE);
        }
        self.engine.processes.statement_memory()
    }

    pub(crate) fn context(&self, settings: &Settings, options: &QueryOptions) -> QueryContext {
        let threads = match settings.u64(settings::MAX_THREADS) as usize {
            0 => self.engine.threads,
            n => n,
        };
        let memory = match &options.process {
            Some(process) => Arc::clone(process.account()),
            None => {
                let account = self.engine.processes.memory_of(&self.user);
                account.set_limit(self.memory_limit(settings));
                account
            }
        };
        let events = match &options.process {
            Some(process) => Arc::clone(process.events()),
            None => Counters::start(&self.user, ""),
        };
        // All tables are on this server, so both limits count the same rows.
        let lesser = |all, leaf| match (settings.u64(all), settings.u64(leaf)) {
            (0, limit) | (limit, 0) => limit,
            (all, leaf) => all.min(leaf),
        };
        options.progress.limit(
            lesser(settings::MAX_ROWS_TO_READ, settings::MAX_ROWS_TO_READ_LEAF),
            lesser(settings::MAX_BYTES_TO_READ, settings::MAX_BYTES_TO_READ_LEAF),
        );
        options.progress.limit_speed(speed_limits(settings));
        options.progress.count_all(settings.flag(settings::EXACT_ROWS_BEFORE_LIMIT));
        QueryContext {
            cancel: options.cancel.clone(),
            memory,
            events,
            max_threads: threads,
            max_block_size: (settings.u64(settings::MAX_BLOCK_SIZE) as usize).clamp(1, 1 << 20),
            fold_inserts: settings.flag(settings::OPTIMIZE_ON_INSERT),
            derived_on_insert: DerivedOnInsert {
                indices: indices_on_insert(settings),
                statistics: settings.flag(settings::STATISTICS_ON_INSERT),
            },
            max_insert_partitions: match settings.flag(settings::THROW_ON_PARTITIONS) {
                true => settings.u64(settings::MAX_PARTITIONS) as usize,
                false => 0,
            },
            progress: Arc::clone(&options.progress),
            profile: None,
            hook: self.engine.hook.and_then(|hook| hook(&settings.text(settings::LOG_COMMENT))),
        }
    }
}

fn indices_on_insert(settings: &Settings) -> IndicesOnInsert {
    if !settings.flag(settings::INDEX_ON_INSERT) {
        return IndicesOnInsert::None;
    }
    match settings::names(&settings.text(settings::NO_INDEX_ON_INSERT)) {
        names if names.is_empty() => IndicesOnInsert::All,
        names => IndicesOnInsert::Except(names.into()),
    }
}

fn speed_limits(settings: &Settings) -> SpeedLimits {
    SpeedLimits {
        min_rows: settings.u64(settings::MIN_EXECUTION_SPEED),
        min_bytes: settings.u64(settings::MIN_EXECUTION_SPEED_BYTES),
        max_rows: settings.u64(settings::MAX_EXECUTION_SPEED),
        max_bytes: settings.u64(settings::MAX_EXECUTION_SPEED_BYTES),
        max_estimated_seconds: settings.f64(settings::MAX_ESTIMATED_EXECUTION_TIME),
        after_seconds: settings.f64(settings::BEFORE_CHECKING_SPEED),
    }
}
