//! Turns `<query>` elements (templates, files and scripts) into measured units.

use super::expand::{Expanded, Substitutions};
use super::include::beside;
use super::problem::Problem;
use super::read::Findings;
use super::script::{Role, role, statements};
use super::template::Template;
use super::xml::{self, Element};
use super::{Language, Metric, Query, short};

/// All queries of a test, and what their files add to its set-up and tear-down.
#[derive(Debug, Default)]
pub(super) struct Queries<'a> {
    pub queries: Vec<Query>,
    /// Templates of statements that files add to the set-up, with the element that names the file.
    pub setup: Vec<(&'a Element, String)>,
    /// As above, of the tear-down.
    pub teardown: Vec<(&'a Element, String)>,
}

/// What a query element becomes before attributes are applied.
struct Unit {
    language: Language,
    statements: Vec<String>,
    short: bool,
}

impl<'a> Queries<'a> {
    /// Adds what one element expands to.
    pub(super) fn add(
        &mut self,
        element: &'a Element,
        substitutions: &Substitutions,
        findings: &mut Findings,
    ) {
        let units = match self.units(element, substitutions, findings) {
            Ok(units) => units,
            Err(problem) => return findings.errors.push(problem),
        };
        let metric = metric(element, findings);
        let min_effect = findings
            .number(element, "min_effect", "a part of 1, such as 0.01", |n| n > 0.0 && n < 1.0);
        let mut hashes = expected(element, units.len(), findings).into_iter();
        for unit in units {
            self.queries.push(Query {
                index: self.queries.len(),
                language: unit.language,
                statements: unit.statements,
                short: unit.short,
                tag: element.attribute("tag").map(str::to_owned),
                min_effect,
                metric,
                expect: hashes.next().flatten(),
                place: element.place.clone(),
            });
        }
    }

    fn units(
        &mut self,
        element: &'a Element,
        substitutions: &Substitutions,
        findings: &mut Findings,
    ) -> Result<Vec<Unit>, Problem> {
        match element.attribute("type") {
            Some("shell") => return shell(element, findings).map(|unit| vec![unit]),
            None | Some("sql") => (),
            Some(other) => {
                let message = format!("unknown type `{other}`: expected shell, or no type for SQL");
                findings.warnings.push(element.problem(message));
            }
        }
        match element.attribute("file") {
            Some(file) => self.file_units(element, file, substitutions, findings),
            None => text_units(element, substitutions, findings),
        }
    }

    /// The statements of a file that are timed, as one group for each combination of values.
    fn file_units(
        &mut self,
        element: &'a Element,
        file: &str,
        substitutions: &Substitutions,
        findings: &mut Findings,
    ) -> Result<Vec<Unit>, Problem> {
        let path = beside(element, file);
        let wrong = |message: String| element.problem(format!("{} {message}", path.display()));
        if !element.trimmed().is_empty() {
            findings
                .warnings
                .push(element.problem("the text is not read: the query is the file's"));
        }
        let text = xml::text(&path).map_err(|error| wrong(error.message))?;
        let mut groups: Vec<Vec<Expanded<'_>>> = Vec::new();
        for statement in statements(&text) {
            match role(statement) {
                Role::Setup => self.setup.push((element, statement.to_owned())),
                Role::Teardown => self.teardown.push((element, statement.to_owned())),
                Role::Timed => {
                    let texts = expand(statement, substitutions, findings).map_err(wrong)?;
                    groups.push(texts);
                }
            }
        }
        let most = groups.iter().map(Vec::len).max().unwrap_or(0);
        let least = groups.iter().map(Vec::len).min().unwrap_or(0);
        if most == 0 {
            findings.warnings.push(wrong("has no statement to time".into()));
        } else if most != least {
            findings.warnings.push(wrong(format!(
                "has statements with {least} and with {most} combinations of values: only the first \
                 {least} are used"
            )));
        }
        let unit = |at: usize| {
            let statements = groups.iter().map(|texts| texts[at].text.clone()).collect();
            let short = groups.first().map_or(Ok(false), |texts| is_short(element, &texts[at]))?;
            Ok(Unit { language: Language::Sql, statements, short })
        };
        (0..least).map(unit).collect()
    }
}

fn expand<'a>(
    text: &str,
    substitutions: &'a Substitutions,
    findings: &mut Findings,
) -> Result<Vec<Expanded<'a>>, String> {
    substitutions.expand(&Template::parse(text)?, &mut findings.budget)
}

fn text_units(
    element: &Element,
    substitutions: &Substitutions,
    findings: &mut Findings,
) -> Result<Vec<Unit>, Problem> {
    let text = element.text.as_deref().unwrap_or_default();
    if text.trim().is_empty() {
        return Err(element.problem("expected the text of a query, or the attribute file"));
    }
    let texts =
        expand(text, substitutions, findings).map_err(|message| element.problem(message))?;
    let unit = |expanded: Expanded<'_>| {
        let short = is_short(element, &expanded)?;
        Ok(Unit { language: Language::Sql, statements: vec![expanded.text], short })
    };
    texts.into_iter().map(unit).collect()
}

fn shell(element: &Element, findings: &mut Findings) -> Result<Unit, Problem> {
    for name in ["file", "short"] {
        if element.attribute(name).is_some() {
            let message = format!("`{name}` has no effect on a shell query: remove it");
            findings.warnings.push(element.problem(message));
        }
    }
    let script = element.text.clone().filter(|script| !script.trim().is_empty());
    let script = script.ok_or_else(|| element.problem("expected a shell script, found no text"))?;
    Ok(Unit { language: Language::Shell, statements: vec![script], short: false })
}

/// The attribute `short`, with the values of the query's own names.
fn is_short(element: &Element, expanded: &Expanded<'_>) -> Result<bool, Problem> {
    let Some(text) = element.attribute("short") else { return Ok(false) };
    let expression = Template::parse(text).and_then(|template| template.fill(&expanded.values));
    expression
        .and_then(|expression| short::eval(&expression).map_err(|e| format!("`{expression}`: {e}")))
        .map_err(|message| element.problem(format!("attribute `short`: {message}")))
}

fn metric(element: &Element, findings: &mut Findings) -> Metric {
    match element.attribute("metric") {
        None | Some("time") => Metric::Time,
        Some("cpu") => Metric::Cpu,
        Some("memory") => Metric::Memory,
        Some("allocated") => Metric::Allocated,
        Some(other) => {
            let message =
                format!("unknown metric `{other}`: expected time, cpu, memory or allocated");
            findings.errors.push(element.problem(message));
            Metric::Time
        }
    }
}

/// Hashes of the answers: none, one for all combinations of values, or one for each, in order.
fn expected(element: &Element, units: usize, findings: &mut Findings) -> Vec<Option<String>> {
    let mut hashes = Vec::new();
    for expect in element.all("expect") {
        match expect.attribute("hash") {
            Some(hash) if !hash.is_empty() && hash.bytes().all(|b| b.is_ascii_hexdigit()) => {
                hashes.push(Some(hash.to_ascii_lowercase()));
            }
            _ => findings.errors.push(expect.problem("expected hash=\"HEXADECIMAL DIGITS\"")),
        }
    }
    if hashes.len() == 1 {
        return vec![hashes[0].clone(); units];
    }
    if !hashes.is_empty() && hashes.len() != units {
        let found = hashes.len();
        let message =
            format!("the query expands to {units}: expected 1 or {units} <expect>, found {found}");
        findings.errors.push(element.problem(message));
    }
    hashes.resize(units, None);
    hashes
}
