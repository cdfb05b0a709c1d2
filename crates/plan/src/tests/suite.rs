//! Analyses and plans every query of the benchmark, with and without optimisations.

use std::path::Path;

use super::*;

/// The schema of the table, from its CREATE TABLE text.
fn hits() -> Arc<Schema> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/hits");
    let text = std::fs::read_to_string(dir.join("create.sql")).unwrap();
    let inside = text[text.find('(').unwrap() + 1..text.find("ENGINE").unwrap()].trim();
    let fields = inside.trim_end_matches(')').split(',').map(|line| {
        let mut words = line.split_whitespace();
        let (name, ty) = (words.next().unwrap(), words.next().unwrap());
        Field::new(name, DataType::parse(ty).unwrap())
    });
    Schema::of_fields(&fields.collect::<Vec<_>>())
}

#[test]
fn all_are_planned() {
    entasis_functions::register();
    let tables = Tables { hits: hits() };
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/hits");
    let mut failed = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name == "create.sql"
            || !name.to_ascii_lowercase().ends_with(".sql")
            || name.contains("duckdb")
        {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let ast = entasis_sql::parse_query(text.trim_end().trim_end_matches(';'));
        let query =
            ast.and_then(|ast| analyze(&ast, &tables, &NoContext, &AnalyzeSettings::default()));
        let planned = query.and_then(|query| {
            for optimize in [false, true] {
                let settings =
                    PlanSettings { enable_optimizations: optimize, ..PlanSettings::default() };
                let made = plan(&query, &settings, &NoContext)?;
                if optimize && std::env::var_os("SHOW").is_some() {
                    eprintln!("{name}\n{}", explain(&made, &query).unwrap());
                }
            }
            Ok(())
        });
        if let Err(e) = planned
            && e.code() != codes::UNKNOWN_FUNCTION
        {
            failed.push(format!("{name}: {e}"));
        }
    }
    failed.sort();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
