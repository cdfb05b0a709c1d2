//! `system.text_log`: the messages of the process ([`entasis_base::log`]).

use std::sync::{Arc, Weak};
use std::time::Duration;

use entasis_base::log::{self, Level, Listener, Message};
use entasis_types::Value;

use super::Logs;
use super::common::{Dated, TEXT};
use super::log::{Columns, Spec};

impl Dated for Arc<Message> {
    fn at(&self) -> Duration {
        self.at
    }
}

const LEVELS: &str = "Enum8('Fatal' = 1, 'Critical' = 2, 'Error' = 3, 'Warning' = 4, 'Notice' = 5, \
                      'Information' = 6, 'Debug' = 7, 'Trace' = 8, 'Test' = 9)";

fn value(message: &Arc<Message>, at: usize) -> Value {
    message.values.get(at).map_or(Value::from(""), |value| Value::from(value.as_str()))
}

const COLUMNS: Columns<Arc<Message>> = &[
    ("thread_name", TEXT, Some(|m| Value::from(m.thread_name.as_str()))),
    ("thread_id", "UInt64", Some(|m| Value::UInt(m.thread.into()))),
    ("level", LEVELS, Some(|m| Value::Int(m.level as i64))),
    ("query_id", "String", Some(|m| Value::from(m.query_id.as_deref().unwrap_or("")))),
    ("logger_name", TEXT, Some(|m| Value::from(m.logger))),
    ("message", "String", Some(|m| Value::from(m.text.as_str()))),
    ("revision", "UInt32", None),
    ("source_file", TEXT, Some(|m| Value::from(m.source.0))),
    ("source_line", "UInt64", Some(|m| Value::UInt(m.source.1.into()))),
    ("message_format_string", TEXT, Some(|m| Value::from(m.format))),
    ("value1", "String", Some(|m| value(m, 0))),
    ("value2", "String", Some(|m| value(m, 1))),
    ("value3", "String", Some(|m| value(m, 2))),
    ("value4", "String", Some(|m| value(m, 3))),
    ("value5", "String", Some(|m| value(m, 4))),
    ("value6", "String", Some(|m| value(m, 5))),
    ("value7", "String", Some(|m| value(m, 6))),
    ("value8", "String", Some(|m| value(m, 7))),
    ("value9", "String", Some(|m| value(m, 8))),
    ("value10", "String", Some(|m| value(m, 9))),
];

/// The log.
pub(super) const LOG: Spec<Arc<Message>> = Spec::new(
    "text_log",
    &[Arc::<Message>::HOST, Arc::<Message>::TIME, Arc::<Message>::MICROS, COLUMNS],
);

/// Logs messages of this level and graver ones from now on, if the log is kept.
pub(super) fn listen(logs: &Arc<Logs>, level: Level) -> Option<Listener> {
    let weak: Weak<Logs> = Arc::downgrade(logs);
    let take = move |message: &Arc<Message>| {
        if let Some(logs) = weak.upgrade() {
            logs.push(Arc::clone(message));
        }
    };
    logs.keeps::<Arc<Message>>().then(|| log::listen(level, Arc::new(take)))
}
