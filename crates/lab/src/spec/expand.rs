//! Substitutions: every template becomes one text for each combination of its names' values.
//!
//! Names are in alphabetical order, and the last one changes fastest. This determines the indexes
//! of queries, which equal those of the reference's runner.

use std::collections::BTreeMap;

use super::template::Template;

/// Texts of one test.
const MAX_TEXTS: usize = 100_000;
/// Bytes of all texts of one test.
const MAX_BYTES: usize = 64 << 20;

/// Names of a test, with their values in the file's order.
#[derive(Debug, Default)]
pub(super) struct Substitutions(BTreeMap<String, Vec<String>>);

/// A text, and the values that made it.
#[derive(Debug)]
pub(super) struct Expanded<'a> {
    pub text: String,
    pub values: Vec<(&'a str, &'a str)>,
}

/// What one test may still expand to.
#[derive(Debug)]
pub(super) struct Budget {
    texts: usize,
    bytes: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { texts: MAX_TEXTS, bytes: MAX_BYTES }
    }
}

impl Budget {
    fn take(&mut self, text: &str) -> Result<(), String> {
        let texts = self.texts.checked_sub(1);
        let bytes = self.bytes.checked_sub(text.len());
        let (Some(texts), Some(bytes)) = (texts, bytes) else {
            return Err(format!(
                "the test expands to more than {MAX_TEXTS} texts or {MAX_BYTES} bytes: use fewer values"
            ));
        };
        *self = Self { texts, bytes };
        Ok(())
    }
}

impl Substitutions {
    /// Adds a name; answers whether it was there already, in which case the new values hold.
    pub(super) fn insert(&mut self, name: String, values: Vec<String>) -> bool {
        self.0.insert(name, values).is_some()
    }

    /// All texts of a template, in order.
    pub(super) fn expand<'a>(
        &'a self,
        template: &Template,
        budget: &mut Budget,
    ) -> Result<Vec<Expanded<'a>>, String> {
        let mut names = Vec::new();
        for name in template.names() {
            let known = self.0.get_key_value(name);
            let (name, values) = known.ok_or_else(|| self.unknown(name))?;
            names.push((name.as_str(), values));
        }
        let mut texts = Vec::new();
        let mut turns = vec![0; names.len()];
        loop {
            let at = |((name, values), &turn): (&(&'a str, &'a Vec<String>), &usize)| {
                (*name, values[turn].as_str())
            };
            let values: Vec<_> = names.iter().zip(&turns).map(at).collect();
            let text = template.fill(&values)?;
            budget.take(&text)?;
            texts.push(Expanded { text, values });
            // The rightmost name that has values left takes its next one; those behind start anew.
            let more = (0..names.len()).rev().find(|&i| turns[i] + 1 < names[i].1.len());
            let Some(more) = more else { return Ok(texts) };
            turns[more] += 1;
            turns[more + 1..].fill(0);
        }
    }

    fn unknown(&self, name: &str) -> String {
        let known = match self.0.is_empty() {
            true => "there are no substitutions".to_owned(),
            false => {
                let names: Vec<&str> = self.0.keys().map(String::as_str).collect();
                format!("the substitutions are {}", names.join(", "))
            }
        };
        format!("`{{{name}}}` has no values: {known}; literal braces are doubled, `{{{{`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(template: &str) -> Result<Vec<String>, String> {
        let mut substitutions = Substitutions::default();
        substitutions.insert("b".into(), vec!["1".into(), "2".into()]);
        substitutions.insert("a".into(), vec!["x".into(), "y".into(), "z".into()]);
        let template = Template::parse(template)?;
        let texts = substitutions.expand(&template, &mut Budget::default())?;
        Ok(texts.into_iter().map(|e| e.text).collect())
    }

    #[test]
    fn last_name_turns_fastest() {
        assert_eq!(texts("{b}{a}").unwrap(), ["1x", "2x", "1y", "2y", "1z", "2z"]);
        assert_eq!(texts("{b}").unwrap(), ["1", "2"]);
        assert_eq!(texts("none").unwrap(), ["none"]);
        assert!(texts("{c}").unwrap_err().contains("a, b"));
    }

    #[test]
    fn a_test_cannot_grow_without_end() {
        let mut substitutions = Substitutions::default();
        for name in ["a", "b", "c"] {
            substitutions.insert(name.into(), vec![String::new(); 100]);
        }
        let template = Template::parse("{a}{b}{c}").unwrap();
        let error = substitutions.expand(&template, &mut Budget::default()).unwrap_err();
        assert!(error.contains("fewer values"), "{error}");
        substitutions.insert("a".into(), vec!["v".into(); 100]);
        let template = Template::parse("{a:1000000}").unwrap();
        assert!(substitutions.expand(&template, &mut Budget::default()).is_err());
    }
}
