//! Checks that both sides give the same answers, and those that their test expects.

use super::campaign::Campaign;
use crate::measure::{Pair, Watch};
use crate::spec;
use crate::target::Answer;

impl Campaign<'_> {
    /// Whether both sides say the same, and what the test expects. What a side itself does not say
    /// twice is not held against it: sums of floats depend on the order in which threads came.
    pub(super) fn compare_answers(
        &mut self,
        unit: usize,
        pair: &mut Pair<'_>,
        watch: &mut dyn Watch,
    ) {
        let query = self.request.plan.query(unit);
        if !(self.request.answers || query.expect.is_some()) || !reads_only(query) {
            return;
        }
        let answers = match pair.answers(unit) {
            Ok(answers) => answers,
            Err(error) => {
                if query.expect.is_some() {
                    self.queries[unit].trouble = format!("broken: its answer: {error}");
                }
                return;
            }
        };
        let wrong = query.expect.as_deref().and_then(|hash| unexpected(hash, answers));
        if let Some(text) = wrong {
            watch.say(&format!("{}: {text}", self.request.plan.name(unit)));
            self.queries[unit].trouble = text;
        } else if self.request.answers {
            let equal = answers[0] == answers[1];
            if equal {
                self.agreeing.insert(unit as u32);
            } else if pair.answers(unit).is_ok_and(|again| again == answers) {
                self.differing.push(unit as u32);
            }
        }
    }
}

/// What is wrong with answers whose hash a test names.
fn unexpected(hash: &str, answers: [Answer; 2]) -> Option<String> {
    let expected = u64::from_str_radix(hash, 16).ok();
    let wrong = answers.map(|answer| expected != Some(answer.hash));
    let [old, new] = answers.map(|answer| answer.hash);
    match wrong {
        [false, false] => None,
        [true, true] => Some(format!("broken: the answer's hash is {old:x}, expected {hash}")),
        [true, false] => {
            Some(format!("partial: the old side's answer has hash {old:x}, expected {hash}"))
        }
        [false, true] => {
            Some(format!("partial: the new side's answer has hash {new:x}, expected {hash}"))
        }
    }
}

/// Whether a query can be asked again without changing anything.
fn reads_only(query: &spec::Query) -> bool {
    query.language == spec::Language::Sql
        && query.statements.iter().all(|text| {
            let text = without_comments(text).to_ascii_lowercase();
            ["select", "with", "("].iter().any(|word| text.starts_with(word))
        })
}

/// A statement from its first word on.
fn without_comments(text: &str) -> &str {
    let mut text = text.trim_start();
    loop {
        let end = match text {
            _ if text.starts_with("--") || text.starts_with('#') => {
                text.find('\n').map(|at| at + 1)
            }
            _ if text.starts_with("/*") => text.find("*/").map(|at| at + 2),
            _ => return text,
        };
        text = end.map_or("", |end| text[end..].trim_start());
    }
}

#[cfg(test)]
mod tests {
    use super::without_comments;

    #[test]
    fn a_statement_begins_behind_its_comments() {
        for text in ["SELECT 1", " -- a\n SELECT 1", "/* a */ # b\n\tSELECT 1"] {
            assert_eq!(without_comments(text), "SELECT 1", "{text}");
        }
        assert_eq!(without_comments("/* no end"), "");
    }
}
