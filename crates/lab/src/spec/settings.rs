//! `<settings>`: the settings of a JSON file, then those that are written in the test.

use std::collections::BTreeMap;

use super::include::beside;
use super::problem::Problem;
use super::read::Findings;
use super::xml::{self, Element};

/// All settings of a test; the last value of a name holds, at the place of its first.
pub(super) fn read(root: &Element, findings: &mut Findings) -> Vec<(String, String)> {
    let mut settings: Vec<(String, String)> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut set = |name: String, value: String| match known.get(&name) {
        Some(&at) => settings[at].1 = value,
        None => {
            known.insert(name.clone(), settings.len());
            settings.push((name, value));
        }
    };
    for (at, element) in root.all("settings").enumerate() {
        let Some(file) = element.attribute("file") else { continue };
        if at > 0 {
            let message = "only the first <settings> may name a file: move the attribute there";
            findings.errors.push(element.problem(message));
            continue;
        }
        match from_json(element, file) {
            Ok(values) => values.into_iter().for_each(|(name, value)| set(name, value)),
            Err(problem) => findings.errors.push(problem),
        }
    }
    for element in root.all("settings").flat_map(|settings| &settings.children) {
        match &element.text {
            Some(value) => set(element.name.clone(), value.clone()),
            None => findings.errors.push(element.problem("expected the setting's value")),
        }
    }
    settings
}

/// The object under the key `settings` of a JSON file.
fn from_json(element: &Element, file: &str) -> Result<Vec<(String, String)>, Problem> {
    let path = beside(element, file);
    let wrong = |message: String| element.problem(format!("{} {message}", path.display()));
    let text = xml::text(&path).map_err(|error| wrong(error.message))?;
    let value: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| wrong(format!("is not JSON: {error}")))?;
    let settings = value.get("settings").and_then(serde_json::Value::as_object);
    let settings = settings.ok_or_else(|| {
        wrong("has no settings: expected {\"settings\": {\"name\": value, ...}}".into())
    })?;
    let text = |(name, value): (&String, &serde_json::Value)| match value {
        serde_json::Value::String(text) => Ok((name.clone(), text.clone())),
        serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {
            Ok((name.clone(), value.to_string()))
        }
        _ => Err(wrong(format!("gives `{name}` {value}: expected a text, a number or a truth"))),
    };
    settings.iter().map(text).collect()
}
