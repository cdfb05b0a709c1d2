//! `/metrics`: the content of `system.events`, `system.metrics` and `system.asynchronous_metrics`
//! in the text format of Prometheus (0.0.4), under the names that the reference uses.

use std::collections::HashSet;

use entasis_base::Result;
use entasis_base::events::{self, EVENTS};
use entasis_engine::{Engine, Metric};

/// The page's Content-Type.
pub(crate) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=UTF-8";

/// The page's text.
pub(crate) fn page(engine: &Engine) -> Result<String> {
    let mut page = Page { text: String::with_capacity(64 << 10), names: HashSet::new() };
    let counts = events::of_server();
    for event in EVENTS {
        let value = counts.get(event.event).to_string();
        page.add("ProfileEvents", event.name, "counter", &value, event.description);
    }
    let mut gauges = |prefix: &str, metrics: Vec<Metric>| {
        for metric in metrics {
            page.add(prefix, &metric.name, "gauge", &metric.value.to_string(), metric.description);
        }
    };
    gauges("Metrics", engine.metrics()?);
    gauges("AsyncMetrics", engine.asynchronous_metrics()?);
    Ok(page.text)
}

struct Page {
    text: String,
    names: HashSet<String>,
}

impl Page {
    fn add(&mut self, prefix: &str, name: &str, kind: &str, value: &str, help: &str) {
        let allowed = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let name: String = name.chars().map(allowed).collect();
        let name = format!("ClickHouse{prefix}_{name}");
        // The names of two databases may differ only in characters that Prometheus does not allow.
        if !self.names.insert(name.clone()) {
            return;
        }
        let help = help.replace('\\', "\\\\").replace('\n', "\\n");
        let lines = format!("# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}\n");
        self.text.push_str(&lines);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_engine::EngineConfig;

    #[test]
    fn every_line_has_its_form() {
        entasis_functions::register();
        let engine = Engine::open(EngineConfig::local(None).unwrap()).unwrap();
        let mut session = engine.session();
        session.execute("CREATE DATABASE `a.b`").unwrap();
        session.execute("CREATE DATABASE `a-b`").unwrap();
        session.execute("SELECT count() FROM numbers(1000)").unwrap().collect().unwrap();
        let text = page(&engine).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let mut names = HashSet::new();
        for sample in lines.chunks(3) {
            let [help, kind, value] = sample else { panic!("{sample:?}") };
            let (name, number) = value.split_once(' ').unwrap();
            assert!(name.starts_with("ClickHouse"), "{name}");
            assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{name}");
            assert!(number.parse::<f64>().is_ok_and(f64::is_finite), "{value}");
            assert!(help.starts_with(&format!("# HELP {name} ")), "{help}");
            let counts = name.starts_with("ClickHouseProfileEvents_");
            assert_eq!(
                *kind,
                format!("# TYPE {name} {}", if counts { "counter" } else { "gauge" })
            );
            assert!(names.insert(name), "{name} twice");
        }
        for name in [
            "ClickHouseProfileEvents_SelectQuery",
            "ClickHouseMetrics_Query",
            "ClickHouseAsyncMetrics_PartsOfDatabase_a_b",
        ] {
            assert!(names.contains(name), "{name}");
        }
        assert!(text.ends_with('\n'));
    }
}
