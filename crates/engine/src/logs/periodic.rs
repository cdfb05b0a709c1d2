//! The thread that adds rows at regular intervals to the logs that need it. It exists if one of
//! these logs is kept.
//!
//! Each period (`LogsConfig::metrics_every`) adds a row to `metric_log` and rows to `error_log`.
//! Every tenth period adds rows to `asynchronous_metric_log`, whose values take longer to collect.
//! Running statements have periods of their own for `query_metric_log`.

use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use entasis_base::clock::{Clock, SystemClock};
use entasis_base::events::{self, Counts};

use super::Logs;
use super::asynchronous_metric_log::FigureRow;
use super::error_log::ErrorRow;
use super::log_entry::QueryLogEntry;
use super::metric_log::MetricRow;
use super::query_metric_log::QueryMetricRow;
use crate::catalog::EngineCatalog;
use crate::process::{Process, Processes};
use crate::system::metrics;

/// `asynchronous_metric_log` gets rows once in this many periods.
const SELDOM: u64 = 10;

struct Collector {
    logs: Arc<Logs>,
    catalog: Weak<EngineCatalog>,
    processes: Weak<Processes>,
    last: Counts,
    periods: u64,
}

/// Starts the thread, if one of its logs is kept.
pub(super) fn start(
    logs: &Arc<Logs>,
    catalog: &Arc<EngineCatalog>,
    processes: &Arc<Processes>,
) -> Option<JoinHandle<()>> {
    let wanted = logs.keeps::<MetricRow>()
        || logs.keeps::<ErrorRow>()
        || logs.keeps::<FigureRow>()
        || logs.keeps::<QueryMetricRow>();
    let mut collector = Collector {
        logs: Arc::clone(logs),
        catalog: Arc::downgrade(catalog),
        processes: Arc::downgrade(processes),
        last: Counts::default(),
        periods: 0,
    };
    let run = move || collector.run();
    // If the thread cannot be started, these logs stay empty.
    wanted.then(|| std::thread::Builder::new().name("metrics".into()).spawn(run).ok()).flatten()
}

impl Collector {
    fn run(&mut self) {
        let every = self.logs.config.metrics_every;
        let mut next = Instant::now() + every;
        let mut until = next;
        while self.logs.clock.sleep(Some(until)) {
            let now = Instant::now();
            let Some(processes) = self.processes.upgrade() else { return };
            if now >= next {
                // After a pause (the machine was suspended) there is one row, not one for each
                // period.
                next = (next + every).max(now);
                self.period(&processes);
            }
            until = self.statements(&processes, now).map_or(next, |due| due.min(next));
            drop(processes);
            events::sample();
        }
    }

    fn period(&mut self, processes: &Processes) {
        let at = SystemClock.now();
        let Some(catalog) = self.catalog.upgrade() else { return };
        if self.logs.keeps::<MetricRow>() {
            let counts = events::of_server();
            let events = counts.since(&self.last);
            self.last = counts;
            let metrics = metrics::values(&catalog, processes);
            self.logs.push(MetricRow { at, events, metrics });
        }
        catalog.purge_dropped();
        self.logs.errors.tell(&self.logs, processes.errors(), at);
        if self.logs.keeps::<FigureRow>() && self.periods.is_multiple_of(SELDOM) {
            // Values that cannot be read now are read next time.
            for metric in metrics::asynchronous(&catalog, processes).unwrap_or_default() {
                self.logs.push(FigureRow { at, metric });
            }
        }
        self.periods += 1;
    }

    /// Adds rows about the statements that run. Answers when the next row of one is due, if any is.
    fn statements(&self, processes: &Processes, now: Instant) -> Option<Instant> {
        if !self.logs.keeps::<QueryMetricRow>() {
            return None;
        }
        let at = SystemClock.now();
        let usual = self.logs.config.metrics_every;
        let due = |process: &Arc<Process>| {
            let log_entry = QueryLogEntry::of(process)?;
            let every = match log_entry.metrics_every()? {
                Duration::ZERO => usual,
                own => own,
            };
            Some(log_entry.periods.tell(&self.logs, process, every, (now, at)))
        };
        processes.list().iter().filter_map(due).min()
    }
}
