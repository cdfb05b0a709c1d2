//! The elements and attributes that a test may have. Others are reported, because the reference's
//! runner silently ignores them, and with them misspelt names.

use super::problem::Problem;
use super::xml::Element;

/// An element: its attributes, its children, and whether it has text.
struct Shape {
    name: &'static str,
    attributes: &'static [&'static str],
    children: &'static [&'static str],
    text: bool,
}

const fn group(
    name: &'static str,
    attributes: &'static [&'static str],
    children: &'static [&'static str],
) -> Shape {
    Shape { name, attributes, children, text: false }
}

const fn leaf(name: &'static str, attributes: &'static [&'static str]) -> Shape {
    Shape { name, attributes, children: &[], text: true }
}

const SHAPES: &[Shape] = &[
    group(
        "test",
        &[
            "max_ignored_relative_change",
            "run_all_queries",
            "profile_all_queries",
            "keep_merges_running",
            "max_query_seconds",
            "requires_s3",
            "requires_s3_read_dataset",
            "mode",
            "threads",
        ],
        &[
            "settings",
            "substitutions",
            "preconditions",
            "tags",
            "create_query",
            "fill_query",
            "query",
            "drop_query",
            "calibration",
        ],
    ),
    group("substitutions", &[], &["substitution"]),
    group("substitution", &[], &["name", "values"]),
    leaf("name", &[]),
    group("values", &[], &["value"]),
    leaf("value", &[]),
    group("preconditions", &[], &["table_exists", "ram_size"]),
    leaf("table_exists", &[]),
    leaf("ram_size", &[]),
    group("tags", &[], &["tag"]),
    leaf("tag", &[]),
    leaf("create_query", &["do_not_check_in_pr"]),
    leaf("fill_query", &["do_not_check_in_pr"]),
    Shape {
        name: "query",
        attributes: &["short", "tag", "file", "type", "min_effect", "metric"],
        children: &["expect"],
        text: true,
    },
    group("expect", &["hash"], &[]),
    leaf("drop_query", &[]),
    group("calibration", &[], &[]),
];

/// Children of the root that an older runner had: accepted, and without effect.
const FORMER: &[&str] = &["name", "type", "stop_conditions", "metrics", "main_metric"];

/// Reports what is unknown in `element` and below.
pub(super) fn check(element: &Element, warnings: &mut Vec<Problem>) {
    if let Some(place) = &element.stray {
        let message = "text after a child element is not read: move it to the front";
        warnings.push(Problem::new(place, &element.name, message));
    }
    if element.name == "settings" {
        return settings(element, warnings);
    }
    let Some(shape) = SHAPES.iter().find(|shape| shape.name == element.name) else { return };
    attributes(element, shape.attributes, warnings);
    if !shape.text && !element.trimmed().is_empty() {
        warnings.push(element.problem("text here is not read: expected elements only"));
    }
    for child in &element.children {
        if shape.children.contains(&child.name.as_str()) {
            check(child, warnings);
        } else if !(element.name == "test" && FORMER.contains(&child.name.as_str())) {
            let known = match shape.children {
                [] => "nothing".to_owned(),
                children => children.join(", "),
            };
            let message = format!("unknown element in <{}>: expected {known}", element.name);
            warnings.push(child.problem(message));
        }
    }
}

/// Children of `<settings>` are settings, whose names only a server knows.
fn settings(element: &Element, warnings: &mut Vec<Problem>) {
    attributes(element, &["file"], warnings);
    for setting in &element.children {
        attributes(setting, &[], warnings);
        for child in &setting.children {
            warnings.push(child.problem("a setting has a text and no elements within"));
        }
    }
}

fn attributes(element: &Element, known: &[&str], warnings: &mut Vec<Problem>) {
    for (name, _) in &element.attributes {
        if !known.contains(&name.as_str()) {
            let known = if known.is_empty() { "none".into() } else { known.join(", ") };
            warnings.push(element.problem(format!("unknown attribute `{name}`: expected {known}")));
        }
    }
}
