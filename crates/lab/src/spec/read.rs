//! Turns the elements of a file into a test.

use std::path::Path;

use super::expand::{Budget, Substitutions};
use super::problem::Problem;
use super::query::Queries;
use super::template::Template;
use super::xml::{self, Element};
use super::{Attributes, Language, Mode, Setup, TestFile, include, settings, shape};

/// Errors and warnings of one file that are told; of the rest the number is.
const MAX_PROBLEMS: usize = 50;

/// A file as far as it could be read; the test only if there are no errors.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub test: Option<TestFile>,
    pub errors: Vec<Problem>,
    pub warnings: Vec<Problem>,
}

/// What was found wrong so far, and how much the test may still grow.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub errors: Vec<Problem>,
    pub warnings: Vec<Problem>,
    pub budget: Budget,
}

impl Findings {
    /// An attribute that is a number within bounds; anything else is an error, and as if absent.
    pub(super) fn number(
        &mut self,
        element: &Element,
        name: &str,
        expected: &str,
        within: fn(f64) -> bool,
    ) -> Option<f64> {
        let text = element.attribute(name)?;
        // As Python's float() and int() take them.
        let number =
            text.trim().parse().ok().filter(|&number: &f64| number.is_finite() && within(number));
        if number.is_none() {
            let message = format!("attribute `{name}`: expected {expected}, found `{text}`");
            self.errors.push(element.problem(message));
        }
        number
    }

    fn flag(&mut self, element: &Element, name: &str) -> bool {
        match element.attribute(name) {
            None | Some("0" | "false") => false,
            Some("1" | "true") => true,
            Some(other) => {
                let message = format!("attribute `{name}`: expected 1 or 0, found `{other}`");
                self.errors.push(element.problem(message));
                false
            }
        }
    }
}

/// Reads one file.
pub(super) fn test(path: &Path) -> Outcome {
    let mut findings = Findings::default();
    let mut root = match xml::file(path) {
        Ok((root, _)) => root,
        Err(problem) => return Outcome { errors: vec![problem], ..Outcome::default() },
    };
    if root.name != "test" {
        let message = format!("expected the root <test>, found <{}>", root.name);
        return Outcome { errors: vec![root.problem(message)], ..Outcome::default() };
    }
    include::splice(&mut root, path, &mut findings.errors);
    shape::check(&root, &mut findings.warnings);
    misplaced(&root, &mut findings.errors);
    let test = build(path, &root, &mut findings);
    let Findings { mut errors, mut warnings, .. } = findings;
    for problems in [&mut errors, &mut warnings] {
        problems.dedup();
        let more = problems.len().saturating_sub(MAX_PROBLEMS);
        problems.truncate(MAX_PROBLEMS);
        if more > 0 {
            problems.push(Problem::file(path, format!("{more} more like these")));
        }
    }
    Outcome { test: Some(test).filter(|_| errors.is_empty()), errors, warnings }
}

/// `do_not_check_in_pr` where it has no effect: somebody counts on a failure being allowed.
fn misplaced(element: &Element, errors: &mut Vec<Problem>) {
    for child in &element.children {
        let is_setup = ["create_query", "fill_query"].contains(&&*child.name);
        if !is_setup && child.attribute("do_not_check_in_pr").is_some() {
            let message = "do_not_check_in_pr stands in <create_query> and <fill_query> only";
            errors.push(child.problem(message));
        }
        misplaced(child, errors);
    }
}

fn build(path: &Path, root: &Element, findings: &mut Findings) -> TestFile {
    let substitutions = substitutions(root, findings);
    let mut queries = Queries::default();
    for element in root.all("query") {
        queries.add(element, &substitutions, findings);
    }
    if root.all("query").next().is_none() {
        findings.warnings.push(root.problem("no <query>: there is nothing to measure"));
    }
    let Queries { queries, setup, teardown } = queries;
    let inline = |name: &'static str| root.all(name).map(inline_template).collect::<Vec<_>>();
    let mut drops = inline("drop_query");
    drops.extend(teardown);
    let drops = statements(&drops, &substitutions, findings);
    let setup = preparation(root, setup, &substitutions, findings);
    if queries.iter().any(|query| query.language == Language::Shell)
        && setup.iter().any(|statement| statement.do_not_check_in_pr.is_some())
    {
        let message =
            "do_not_check_in_pr cannot stand in a test with shell queries: split the test";
        findings.errors.push(root.problem(message));
    }
    TestFile {
        name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        path: path.to_path_buf(),
        attributes: attributes(root, findings),
        settings: settings::read(root, findings),
        tables: tables(root, findings),
        tags: tags(root),
        calibration: root.all("calibration").next().is_some(),
        setup,
        queries,
        teardown: drops.into_iter().map(|(_, text)| text).collect(),
    }
}

fn attributes(root: &Element, findings: &mut Findings) -> Attributes {
    let seconds = "a number of seconds above 0";
    let mode = match root.attribute("mode") {
        None | Some("abba") => Mode::Abba,
        Some("duet") => Mode::Duet,
        Some(other) => {
            let message = format!("attribute `mode`: expected abba or duet, found `{other}`");
            findings.errors.push(root.problem(message));
            Mode::Abba
        }
    };
    let whole = |n: f64| (1.0..=4096.0).contains(&n) && n.fract() == 0.0;
    Attributes {
        max_ignored_relative_change: findings.number(
            root,
            "max_ignored_relative_change",
            "a number from 0, such as 0.2",
            |n| n >= 0.0,
        ),
        run_all_queries: findings.flag(root, "run_all_queries"),
        keep_merges_running: findings.flag(root, "keep_merges_running"),
        max_query_seconds: findings.number(root, "max_query_seconds", seconds, |n| n > 0.0),
        requires_s3: findings.flag(root, "requires_s3"),
        requires_s3_read_dataset: findings.flag(root, "requires_s3_read_dataset"),
        mode,
        threads: findings
            .number(root, "threads", "a whole number from 1 to 4096", whole)
            .map(|threads| threads as u32),
    }
}

fn substitutions(root: &Element, findings: &mut Findings) -> Substitutions {
    let mut substitutions = Substitutions::default();
    for element in root.all("substitutions").flat_map(|group| group.all("substitution")) {
        let Some(name) = element.all("name").next().and_then(|name| name.text.clone()) else {
            findings.errors.push(element.problem("expected <name>NAME</name>"));
            continue;
        };
        let mut values = Vec::new();
        for value in element.all("values").flat_map(|values| values.all("value")) {
            if value.text.is_none() {
                let message = "an empty value becomes the text None, as in the reference's runner: \
                               write a blank or a comment of SQL instead";
                findings.warnings.push(value.problem(message));
            }
            values.push(value.text.clone().unwrap_or_else(|| "None".to_owned()));
        }
        if values.is_empty() {
            let message =
                format!("`{name}` has no values: expected <values><value>...</value></values>");
            findings.errors.push(element.problem(message));
            // Known all the same: templates with the name are not to blame.
            values.push(String::new());
        }
        if substitutions.insert(name.clone(), values) {
            let message =
                format!("`{name}` was there before: these values replace the earlier ones");
            findings.warnings.push(element.problem(message));
        }
    }
    substitutions
}

/// An element, and the template that is its text.
fn inline_template(element: &Element) -> (&Element, String) {
    (element, element.text.clone().unwrap_or_default())
}

/// Expands templates, each with its element; the texts keep their elements' numbers.
fn statements(
    templates: &[(&Element, String)],
    substitutions: &Substitutions,
    findings: &mut Findings,
) -> Vec<(usize, String)> {
    let mut statements = Vec::new();
    for (at, (element, template)) in templates.iter().enumerate() {
        let texts = match template.trim().is_empty() {
            true => Err("expected the text of a statement".to_owned()),
            false => Template::parse(template)
                .and_then(|template| substitutions.expand(&template, &mut findings.budget)),
        };
        match texts {
            Ok(texts) => statements.extend(texts.into_iter().map(|e| (at, e.text))),
            Err(message) => findings.errors.push(element.problem(message)),
        }
    }
    statements
}

/// CREATE and INSERT statements in the order of the file, then those of query files.
fn preparation(
    root: &Element,
    from_files: Vec<(&Element, String)>,
    substitutions: &Substitutions,
    findings: &mut Findings,
) -> Vec<Setup> {
    let is_setup = |element: &&Element| ["create_query", "fill_query"].contains(&&*element.name);
    let mut templates: Vec<_> =
        root.children.iter().filter(is_setup).map(inline_template).collect();
    templates.extend(from_files);
    let statements = statements(&templates, substitutions, findings);
    let mut setup = Vec::with_capacity(statements.len());
    for (at, text) in statements {
        let element = templates[at].0;
        if is_temporary(&text) {
            let message = "temporary tables are refused, they end with a connection: create a table, \
                           and drop it in <drop_query>";
            findings.errors.push(element.problem(message));
        }
        let pr = element.attribute("do_not_check_in_pr").filter(|_| is_setup(&element));
        let pr = pr.and_then(|number| {
            let plain = number.bytes().all(|b| b.is_ascii_digit()) && !number.starts_with('0');
            let number = number.parse().ok().filter(|_| plain);
            if number.is_none() {
                let message = "attribute `do_not_check_in_pr`: expected a pull request's number";
                findings.errors.push(element.problem(message));
            }
            number
        });
        setup.push(Setup { text, do_not_check_in_pr: pr });
    }
    setup
}

/// Whether a text creates a temporary table. The words count wherever they stand.
fn is_temporary(text: &str) -> bool {
    let words: Vec<String> = text.split_whitespace().map(str::to_ascii_lowercase).collect();
    words.join(" ").contains("create temporary table")
}

fn tables(root: &Element, findings: &mut Findings) -> Vec<String> {
    let mut tables = Vec::new();
    for element in root.all("preconditions").flat_map(|group| group.all("table_exists")) {
        match element.trimmed() {
            "" => findings.errors.push(element.problem("expected a table's name")),
            table => tables.push(table.to_owned()),
        }
    }
    tables
}

/// Texts of `<tag>` wherever they stand: so does the reference's runner look for `long`.
fn tags(element: &Element) -> Vec<String> {
    let mut tags = Vec::new();
    for child in &element.children {
        if child.name == "tag" {
            tags.push(child.trimmed().to_owned());
        }
        tags.extend(self::tags(child));
    }
    tags
}
