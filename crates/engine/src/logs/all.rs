//! The list of all logs. Each has a line here, and a file with its row type and its columns.

use std::sync::Arc;

use entasis_base::log::Message;
use entasis_base::{Error, Result, codes};

use super::LogsConfig;
use super::async_insert_log::Flushed;
use super::asynchronous_metric_log::FigureRow;
use super::backup_log::BackupRow;
use super::error_log::ErrorRow;
use super::log::{AnyLog, Log, Spec};
use super::metric_log::MetricRow;
use super::part_log::PartRow;
use super::query_log::QueryRow;
use super::query_metric_log::QueryMetricRow;
use super::query_thread_log::ThreadRow;
use super::query_views_log::ViewRow;
use super::session_log::SessionRow;
use super::span_log::SpanRow;
use super::trace_log::TraceRow;
use super::{
    async_insert_log, asynchronous_metric_log, backup_log, error_log, metric_log, part_log,
    query_log, query_metric_log, query_thread_log, query_views_log, session_log, span_log,
    text_log, trace_log,
};

/// A row of a log.
pub(super) trait Row: Sized + Send + 'static {
    /// The log that takes such rows.
    fn log(logs: &Queues) -> &Log<Self>;
}

macro_rules! logs {
    ($($field:ident, $row:ty, $spec:expr;)*) => {
        /// The rows of all logs that wait to be written.
        pub(super) struct Queues {
            $($field: Log<$row>,)*
        }

        impl Queues {
            /// Empty queues for the logs that are kept.
            pub(super) fn new(config: &LogsConfig) -> Result<Self> {
                check(config, &[$($spec.name),*])?;
                Ok(Self { $($field: queue($spec, config),)* })
            }

            /// All logs, whether kept or not.
            pub(super) fn all(&self) -> Vec<&dyn AnyLog> {
                vec![$(&self.$field),*]
            }
        }

        $(
            impl Row for $row {
                fn log(logs: &Queues) -> &Log<Self> {
                    &logs.$field
                }
            }
        )*
    };
}

logs! {
    queries, QueryRow, query_log::LOG;
    threads, ThreadRow, query_thread_log::LOG;
    views, ViewRow, query_views_log::LOG;
    traces, TraceRow, trace_log::LOG;
    parts, PartRow, part_log::LOG;
    texts, Arc<Message>, text_log::LOG;
    errors, ErrorRow, error_log::LOG;
    metrics, MetricRow, metric_log::LOG;
    figures, FigureRow, asynchronous_metric_log::LOG;
    query_metrics, QueryMetricRow, query_metric_log::LOG;
    sessions, SessionRow, session_log::LOG;
    spans, SpanRow, span_log::LOG;
    async_inserts, Flushed, async_insert_log::LOG;
    backups, BackupRow, backup_log::LOG;
}

fn queue<R>(spec: Spec<R>, config: &LogsConfig) -> Log<R> {
    let kept = config
        .only
        .as_ref()
        .map_or(spec.by_default, |names| names.iter().any(|name| name == spec.name));
    Log::new(spec, config.capacity, kept)
}

/// Fails if the configuration names an unknown log.
fn check(config: &LogsConfig, names: &[&str]) -> Result<()> {
    let wanted = config.only.iter().flatten();
    match wanted.into_iter().find(|wanted| !names.contains(&wanted.as_str())) {
        None => Ok(()),
        Some(unknown) => Err(unknown_log(unknown, names)),
    }
}

/// The error for an unknown log; it lists those that exist.
pub(super) fn unknown_log(name: &str, names: &[&str]) -> Error {
    let message = format!("There is no log `{name}`: there are {}", names.join(", "));
    Error::new(codes::BAD_ARGUMENTS, message)
}
