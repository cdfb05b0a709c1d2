//! The thread that fills the logs whose rows come by the clock, where one of them is kept.
//!
//! Each period (`LogsConfig::metrics_every`) gives a row of `metric_log` and those of `error_log`,
//! every tenth one those of `asynchronous_metric_log`, which take longer to find out. Statements
//! that run have periods of their own for `query_metric_log`.

use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use entasis_base::clock::{Clock, SystemClock};
use entasis_base::events::{self, Counts};

use super::Logs;
use super::asynchronous_metric_log::FigureRow;
use super::error_log::ErrorRow;
use super::metric_log::MetricRow;
use super::notes::Notes;
use super::query_metric_log::QueryMetricRow;
use crate::catalog::EngineCatalog;
use crate::process::{Process, Processes};
use crate::system::metrics;

/// Periods between looks at what takes longer.
const SELDOM: u64 = 10;

struct Collector {
    logs: Arc<Logs>,
    catalog: Weak<EngineCatalog>,
    processes: Weak<Processes>,
    last: Counts,
    periods: u64,
}

/// Starts the thread, if there is something to do.
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
    // Without a thread these logs stay empty.
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
                // After a pause (a machine that slept) there is one row, not one for each period.
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
        self.logs.errors.tell(&self.logs, processes.errors(), at);
        if self.logs.keeps::<FigureRow>() && self.periods.is_multiple_of(SELDOM) {
            // What cannot be found out now can be next time.
            for metric in metrics::asynchronous(&catalog, processes).unwrap_or_default() {
                self.logs.push(FigureRow { at, metric });
            }
        }
        self.periods += 1;
    }

    /// Looks at the statements that run; answers when to look again, if there are any.
    fn statements(&self, processes: &Processes, now: Instant) -> Option<Instant> {
        if !self.logs.keeps::<QueryMetricRow>() {
            return None;
        }
        let at = SystemClock.now();
        let usual = self.logs.config.metrics_every;
        let due = |process: &Arc<Process>| {
            let notes = Notes::of(process)?;
            let every = match notes.metrics_every()? {
                Duration::ZERO => usual,
                own => own,
            };
            Some(notes.periods.tell(&self.logs, process, every, (now, at)))
        };
        processes.list().iter().filter_map(due).min()
    }
}
