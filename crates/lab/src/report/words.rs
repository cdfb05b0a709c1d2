//! The summary at the beginning of a page.

use crate::compare::Outcome;

use super::sections::Sections;

/// A log ratio as a change: `+5.0 %`.
pub fn percent(theta: f64) -> String {
    if theta.is_finite() { format!("{:+.1} %", theta.exp_m1() * 100.0) } else { "?".into() }
}

/// What came out, in one sentence.
pub fn sentence(outcome: &Outcome, sections: &Sections) -> String {
    let status = outcome.status();
    let (slower, faster) = (status.count("slower"), status.count("faster"));
    let judged: usize = status.words.values().sum();
    let most = |word: &str| {
        let judged = outcome.own().filter(|(query, s)| query.trouble.is_empty() && s.word == word);
        let thetas = judged.map(|(_, s)| s.judged.theta);
        percent(thetas.max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(f64::NAN))
    };
    let are = |n: usize| if n == 1 { "is" } else { "are" };
    let mut parts = Vec::new();
    if slower > 0 {
        let most = most("slower");
        parts.push(format!(
            "{slower} of {judged} queries {} slower, at most by {most}",
            are(slower)
        ));
    }
    if faster > 0 {
        let most = most("faster");
        let of = if slower > 0 { String::new() } else { format!(" of {judged} queries") };
        parts.push(format!("{faster}{of} {} faster, at most by {most}", are(faster)));
    }
    if slower + faster == 0 && judged > 0 {
        let margin = percent(sections.margin);
        let equal = status.count("equivalent");
        parts.push(format!(
            "No query is slower or faster; {equal} of {judged} are shown to be equal within \u{b1}{}",
            margin.trim_start_matches('+')
        ));
    }
    if judged == 0 {
        parts.push("Nothing was judged".into());
    }
    if slower == 0 && faster > 0 {
        parts.insert(0, "Nothing is slower".into());
    }
    for (count, what) in [(status.more_memory, "more"), (status.less_memory, "less")] {
        if count > 0 {
            let takes = if count == 1 { "takes" } else { "take" };
            parts.push(format!("{count} {takes} {what} memory"));
        }
    }
    let broken = if outcome.run.state == "partial" { "Not finished. " } else { "" };
    let errors = match status.errors {
        0 => String::new(),
        1 => "1 error. ".into(),
        n => format!("{n} errors. "),
    };
    format!("{errors}{broken}{}.", parts.join("; "))
}
